//! `promote`: after a merge, lets the baseline advance to what was accepted before it landed.

use crate::baseline::{self, Baseline, Landed, Pending, Place, Plan, Promotion, Written};
use crate::cli::args::{Global, PromoteArgs};
use crate::cli::console::Console;
use crate::cli::evaluation::{self, Choice, Evaluation};
use crate::cli::ground::Ground;
use crate::cli::judgement::{self, Against};
use crate::cli::share::Share;
use crate::cli::suggest;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::gate::Gate;
use crate::git::GitStore;
use crate::render::{self, Facts};
use crate::report::percent;

/// How often a promotion that lost a race is decided again.
const TRIES: u32 = 50;

pub(super) fn run(
    arguments: &PromoteArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    if global.config.is_some() {
        return Err(
            Error::input("promote takes the settings of the commit that landed").hint("leave out `--config`")
        );
    }
    let ground = Ground::new(global, env, console)?;
    let commit = ground.repository()?.resolve(&arguments.rev)?;
    let evaluation = evaluation::of_commit(&ground, global, &commit, Choice::default())?;
    let place = judgement::place(&evaluation.suite.config, &arguments.baseline)?;
    let store = GitStore::new(ground.repository()?);
    let config = &evaluation.suite.config;
    let share = arguments.push.as_deref().map(|remote| Share::new(&ground, config, remote)).transpose()?;
    if let Some(share) = &share {
        share.with(|sharing| sharing.pull(&place))?;
    }
    let signers = evaluation::signers(&ground, global, &commit, config)?;
    for attempt in 0..TRIES {
        let pending = baseline::pending(&store, &place)?;
        let present = present(&store, &place, &pending, &evaluation, (&ground, global, env))?;
        if attempt == 0
            && let Some((baseline, gate)) = &present
        {
            let rule = "the newest".to_owned();
            console.data(&render::decision::text(&judgement::view(
                gate,
                &evaluation,
                baseline,
                rule,
                env.now,
            )))?;
        }
        let landed = Landed {
            place: &place,
            report: &evaluation.report,
            config: &evaluation.suite.config,
            policy: evaluation.suite.config_file.as_deref().unwrap_or_default(),
            signers: signers.as_deref(),
        };
        let judged = present.as_ref().map(|(baseline, gate)| (baseline, gate));
        let promotion = baseline::decide_promotion(judged, landed, &pending);
        refuse(&promotion, present.as_ref().map(|(baseline, _)| baseline), &place, (global, env))?;
        let expected = present.as_ref().map(|(baseline, _)| &baseline.link.id);
        let plan = baseline::plan_promotion(&store, landed, &promotion, expected, env!("CARGO_PKG_VERSION"))?;
        let used = used(&promotion, &place);
        let refs: Vec<String> = used.iter().cloned().chain([place.reference.clone(), place.seen()]).collect();
        let before = share.as_ref().map(|share| share.before(&refs)).transpose()?;
        if let Some(mut plan) = plan
            && plan.carry_out(&store)? == Written::Done
        {
            if !plan.links.is_empty() {
                judgement::note_seen(&store, &place);
            }
            if let (Some(share), Some(before)) = (&share, &before) {
                share.push_promotion(before, &place, &used, console)?;
                // What was pushed away is not there any more.
                let gone = used.iter().map(|reference| share.copy_of(reference));
                let gone: Vec<String> = gone.collect();
                plan.fetched.retain(|(reference, _)| !gone.contains(reference));
            }
            return told(&promotion, &plan, &place, &evaluation, console);
        }
        console.notice("the baseline moved meanwhile: deciding again");
    }
    Err(Error::surroundings(format!("{TRIES} other writers came first; nothing was promoted")))
}

/// The names here of the acceptances that are of no more use.
fn used(promotion: &Promotion<'_>, place: &Place) -> Vec<String> {
    promotion.used().iter().map(|pending| place.pending_of(pending.digest())).collect()
}

/// The newest baseline, and the gate of what landed against it.
fn present(
    store: &GitStore<'_>,
    place: &Place,
    pending: &[Pending],
    evaluation: &Evaluation,
    (ground, global, env): (&Ground, &Global, &Env),
) -> Result<Option<(Baseline, Gate)>, Error> {
    let Some(baseline) = baseline::read(store, place)? else { return Ok(None) };
    let against = Against { baseline: &baseline, pending };
    let gate = judgement::judge(against, evaluation, ground, global, judgement::today(env.now))?;
    Ok(Some((baseline, gate)))
}

/// What cannot be promoted at all.
fn refuse(
    promotion: &Promotion<'_>,
    present: Option<&Baseline>,
    place: &Place,
    (global, env): (&Global, &Env),
) -> Result<(), Error> {
    match promotion {
        Promotion::NoBaseline => {
            let first = suggest::first_acceptance("HEAD", &place.name, env);
            Err(Error::input(format!("there is no baseline {} to promote", place.title()))
                .hint(format!("accept the first one: {}", suggest::command(global, &first))))
        }
        Promotion::Accepted(_) | Promotion::Ratchet
            if present.is_some_and(|present| present.policy.baseline.require_signed) =>
        {
            Err(Error::input("the accepted settings require a signature; nothing was promoted")
                .hint("a signer accepts the commit with `diag-gate accept --sign`"))
        }
        Promotion::Accepted(_)
        | Promotion::Ratchet
        | Promotion::Held(_)
        | Promotion::Nothing
        | Promotion::Worse => Ok(()),
    }
}

/// Says what became of it.
fn told(
    promotion: &Promotion<'_>,
    plan: &Plan,
    place: &Place,
    evaluation: &Evaluation,
    console: &mut Console,
) -> Result<Exit, Error> {
    let title = place.title();
    let totals = &evaluation.report.totals;
    let mut facts: Facts = plan
        .links
        .last()
        .map(|link| {
            let (passed, total) = (totals.passed_cases, totals.total_cases);
            (
                "promoted",
                format!("{title} {}: {passed}/{total} passed ({})", link.short(), percent(passed, total)),
            )
        })
        .into_iter()
        .collect();
    let exit = match promotion {
        Promotion::Accepted(used) => {
            facts.extend(used.iter().map(|used| ("accepted", by(used.pending))));
            Exit::Passed
        }
        Promotion::Ratchet => {
            facts.push(("ratchet", "nothing blocks, and baseline.ratchet is set".to_owned()));
            Exit::Passed
        }
        Promotion::Held(pending) => {
            facts.push(("unchanged", format!("{title} holds this content already")));
            facts.extend(pending.iter().map(|pending| ("dropped", by(pending))));
            Exit::Passed
        }
        Promotion::Nothing => {
            facts.push((
                "unchanged",
                "nothing blocks, and there is neither an acceptance nor a ratchet".to_owned(),
            ));
            Exit::Passed
        }
        Promotion::Worse => {
            facts.push(("unchanged", "this is worse than what was accepted".to_owned()));
            Exit::Blocked
        }
        Promotion::NoBaseline => Exit::Input,
    };
    facts.extend(plan.fetched.iter().map(|(reference, _)| ("still there", reference.clone())));
    console.data(&format!("\n{}", render::facts(&facts)))?;
    Ok(exit)
}

/// Who accepted, and why. Untrusted text.
fn by(pending: &Pending) -> String {
    let accepted = &pending.accepted;
    let reason = accepted.reason.as_deref().unwrap_or("no reason given");
    format!("by {}: {reason} ({})", accepted.by, accepted.commit.short())
}
