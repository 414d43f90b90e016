//! `accept`: makes the report of a commit the baseline, after showing what that takes along.

use crate::baseline::{self, Acceptance, Accepted, AcceptedEntry, Baseline, Place};
use crate::cli::args::{AcceptArgs, Global};
use crate::cli::console::Console;
use crate::cli::evaluation::{self, Choice, Evaluation};
use crate::cli::ground::Ground;
use crate::cli::judgement::{self, Against};
use crate::cli::partial::{self, Taken};
use crate::cli::share::Share;
use crate::cli::suggest;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::gate::Gate;
use crate::git::{GitStore, Signing};
use crate::ids::ObjectId;
use crate::render;
use crate::render::report::Detail;
use crate::report::percent;

/// How often an acceptance that lost a race is decided again.
const TRIES: u32 = 200;

/// What a decision is made on.
struct Present {
    tip: Option<ObjectId>,
    judged: Option<(Baseline, Gate)>,
    /// Why it is compared with this baseline, in words.
    rule: String,
    /// Single cases, taken into the baseline.
    taken: Option<Taken>,
}

impl Present {
    /// What would be accepted.
    fn proposed<'a>(&'a self, evaluation: &'a Evaluation) -> &'a Evaluation {
        self.taken.as_ref().map_or(evaluation, |taken| &taken.evaluation)
    }
}

pub(super) fn run(
    arguments: &AcceptArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    if global.config.is_some() {
        return Err(Error::input("accept takes the settings of the accepted commit").hint(
            "leave out `--config`, and commit the settings as `diag-gate.toml` in the suite's folder",
        ));
    }
    let ground = Ground::new(global, env, console)?;
    let commit = ground.repository()?.resolve(&arguments.rev)?;
    let evaluation = evaluation::of_commit(&ground, global, &commit, Choice::default())?;
    let place = judgement::place(&evaluation.suite.config, &arguments.baseline)?;
    let share = share(arguments, &ground, &evaluation, &place)?;
    for attempt in 0..TRIES {
        let present = present((arguments, &place), &evaluation, &ground, global, env)?;
        refuse(arguments, global, &present, &evaluation)?;
        if attempt == 0 || env.interactive {
            show(&present, &evaluation, env, console)?;
        }
        if arguments.dry_run {
            console.data("\nNothing was written: this was a dry run.\n")?;
            return Ok(Exit::Passed);
        }
        if !confirmed(arguments, global, env, &place, console)? {
            console.notice("nothing was accepted");
            return Ok(Exit::Blocked);
        }
        let signing = if arguments.sign { Signing::Yes } else { Signing::No };
        let store = GitStore::new(ground.repository()?).signing(signing);
        let settings = &present.proposed(&evaluation).suite.config;
        let signers = evaluation::signers(&ground, global, &commit, settings)?;
        let acceptance = Acceptance {
            signers: signers.as_deref(),
            ..acceptance(arguments, &present, &evaluation, &place)
        };
        let before = share.as_ref().map(|share| share.before(&refs(&evaluation, &place))).transpose()?;
        let outcome = match arguments.pending {
            true => baseline::accept_pending(&store, acceptance)?,
            false => baseline::accept(&store, acceptance)?,
        };
        match outcome {
            Accepted::Written(link) => {
                judgement::note_seen(&store, &place);
                if let (Some(share), Some(before)) = (&share, &before) {
                    share.push(before, &place, arguments.pending, console)?;
                }
                let told = written(&link, &place, present.proposed(&evaluation));
                console.data(&told)?;
                if arguments.pending {
                    let promote = suggest::command(global, &suggest::promotion(&place.name));
                    let told = format!(
                        "It is pending: the baseline stays until it has landed and {promote} was run."
                    );
                    console.data(&render::sentence(&told))?;
                }
                return Ok(Exit::Passed);
            }
            Accepted::Already(link) => {
                if let (Some(share), Some(before)) = (&share, &before) {
                    share.push(before, &place, arguments.pending, console)?;
                }
                console.data(&already(arguments, &store, &place, &link)?)?;
                return Ok(Exit::Passed);
            }
            Accepted::Moved => console.notice("another acceptance came first: deciding again"),
        }
        std::thread::sleep(std::time::Duration::from_millis(pause(attempt)));
    }
    Err(Error::surroundings(format!("{TRIES} other acceptances came first; nothing was written"))
        .hint(format!("try again: {}", suggest::command(global, &suggest::acceptance(arguments, "")))))
}

/// The remote that it is pushed to; the chain here is brought forward first.
fn share<'g>(
    arguments: &AcceptArgs,
    ground: &'g Ground,
    evaluation: &Evaluation,
    place: &Place,
) -> Result<Option<Share<'g>>, Error> {
    let Some(remote) = arguments.push.as_deref().filter(|_| !arguments.dry_run) else { return Ok(None) };
    let share = Share::new(ground, &evaluation.suite.config, remote)?;
    share.with(|sharing| sharing.pull(place))?;
    Ok(Some(share))
}

/// The refs that an acceptance moves.
fn refs(evaluation: &Evaluation, place: &Place) -> [String; 3] {
    let origin = evaluation.report.origin.as_ref().expect("what was evaluated here has an origin");
    [place.reference.clone(), place.seen(), place.pending_of(&origin.suite_digest)]
}

/// A little longer each time, and not the same for two processes that race.
fn pause(attempt: u32) -> u64 {
    u64::from(std::process::id() % 7 + 1) * u64::from(attempt.min(10) + 1)
}

fn present(
    (arguments, place): (&AcceptArgs, &Place),
    evaluation: &Evaluation,
    ground: &Ground,
    global: &Global,
    env: &Env,
) -> Result<Present, Error> {
    let repository = ground.repository()?;
    let store = GitStore::new(repository);
    let Some(tip) = baseline::tip(&store, place)? else {
        if !arguments.cases.is_empty() {
            return Err(partial::without_baseline(arguments, place, global, env));
        }
        return Ok(Present { tip: None, judged: None, rule: String::new(), taken: None });
    };
    baseline::check_signatures(&store, &place.reference, &tip)?;
    if !arguments.sign && baseline::must_be_signed(&store, &place.reference, &tip)? {
        let again = suggest::command(global, &suggest::acceptance(arguments, "--sign"));
        return Err(Error::input("the accepted settings require a signature; nothing was accepted")
            .hint(format!("sign it: {again}")));
    }
    // What has not landed is shown as `check` judges it; what becomes the baseline, beside the newest.
    let (baseline, rule) = match judgement::choose(repository, place, evaluation)? {
        Some(chosen) if arguments.pending => (chosen.baseline, judgement::words(&chosen.rule)),
        Some(_) | None => {
            (baseline::read_at(&store, place, &tip)?, "the newest, which this one would follow".to_owned())
        }
    };
    let taken = match arguments.cases.is_empty() {
        true => None,
        false => Some(partial::take(&arguments.cases, &baseline, evaluation)?),
    };
    let proposed = taken.as_ref().map_or(evaluation, |taken| &taken.evaluation);
    let against = Against { baseline: &baseline, pending: &[] };
    let gate = judgement::judge(against, proposed, ground, global, judgement::today(env.now))?;
    Ok(Present { tip: Some(tip), judged: Some((baseline, gate)), rule, taken })
}

/// What is refused without an explicit switch (baseline.md section 4).
fn refuse(
    arguments: &AcceptArgs,
    global: &Global,
    present: &Present,
    evaluation: &Evaluation,
) -> Result<(), Error> {
    let proposed = present.proposed(evaluation);
    let totals = &proposed.report.totals;
    let again = |switch: &str| {
        format!("if that is meant: {}", suggest::command(global, &suggest::acceptance(arguments, switch)))
    };
    let unjudged = unjudged(proposed, present.taken.as_ref());
    if !unjudged.is_empty() && !arguments.allow_unjudged {
        return Err(Error::input(format!(
            "{} could not be judged; nothing was accepted",
            render::count(unjudged.len() as u64, "case")
        ))
        .details(unjudged)
        .hint(again("--allow-unjudged")));
    }
    match &present.judged {
        None if totals.passed_cases == 0 && !arguments.allow_none_passing => {
            Err(Error::input("nothing passes, so that this would guard nothing; nothing was accepted")
                .hint(format!("see what fails: {}", suggest::command(global, "run")))
                .hint(again("--allow-none-passing")))
        }
        Some((baseline, _)) if shrunk(baseline, proposed) && !arguments.allow_shrunk => {
            let before = baseline.report.totals.total_cases;
            Err(Error::input(format!(
                "the suite shrank from {before} to {}, by more than a fifth; nothing was accepted",
                render::count(totals.total_cases, "case")
            ))
            .hint(again("--allow-shrunk")))
        }
        Some((_, gate)) if gate.blocking > 0 && blank(arguments.reason.as_deref()) => {
            let number = gate.blocking;
            Err(Error::input(format!(
                "accepting what blocks ({number} in number) takes a reason; nothing was accepted"
            ))
            .details(gate.entries.iter().filter(|judged| judged.blocks()).map(|judged| {
                let case = judged.entry.case_id.as_ref().map_or("whole suite", |id| id.as_str());
                format!("{} {case}: {}", judged.entry.kind.as_str(), judged.entry.message)
            }))
            .hint(again("--reason 'WHY'")))
        }
        None | Some(_) => Ok(()),
    }
}

fn blank(reason: Option<&str>) -> bool {
    reason.is_none_or(crate::suite::text::is_blank)
}

fn shrunk(baseline: &Baseline, evaluation: &Evaluation) -> bool {
    evaluation.report.totals.total_cases * 5 < baseline.report.totals.total_cases * 4
}

fn unjudged(evaluation: &Evaluation, taken: Option<&Taken>) -> Vec<String> {
    let results = evaluation.report.results.iter();
    let results = results.filter(|result| taken.is_none_or(|taken| taken.cases.contains(&result.case_id)));
    let told =
        results.filter_map(|result| Some(format!("{}: {}", result.case_id.as_str(), result.unjudged()?)));
    told.collect()
}

/// The diff to the present baseline, or the whole report where there is none.
fn show(present: &Present, evaluation: &Evaluation, env: &Env, console: &mut Console) -> Result<(), Error> {
    let page = match &present.judged {
        Some((baseline, gate)) => {
            let proposed = present.proposed(evaluation);
            let rule = present.rule.clone();
            render::decision::text(&judgement::view(gate, proposed, baseline, rule, env.now))
        }
        None => render::report::text(&evaluation.report, Detail::Brief),
    };
    console.data(&page)?;
    match &present.taken {
        Some(taken) => console.data(&taken.told()),
        None => Ok(()),
    }
}

fn confirmed(
    arguments: &AcceptArgs,
    global: &Global,
    env: &Env,
    place: &Place,
    console: &mut Console,
) -> Result<bool, Error> {
    if arguments.yes {
        return Ok(true);
    }
    if env.interactive {
        return console.confirm(&match (arguments.pending, arguments.cases.is_empty()) {
            (true, _) => format!("Accept this content for {}, until it has landed?", place.title()),
            (false, true) => format!("Make this the baseline {}?", place.title()),
            (false, false) => format!("Take these cases into the baseline {}?", place.title()),
        });
    }
    Err(Error::input("nobody can be asked here; nothing was accepted").hint(format!(
        "say yes on the command line: {}",
        suggest::command(global, &suggest::acceptance(arguments, "--yes"))
    )))
}

fn acceptance<'a>(
    arguments: &'a AcceptArgs,
    present: &'a Present,
    evaluation: &'a Evaluation,
    place: &'a Place,
) -> Acceptance<'a> {
    let proposed = present.proposed(evaluation);
    let blocking = present.judged.iter().flat_map(|(_, gate)| &gate.entries).filter(|judged| judged.blocks());
    Acceptance {
        place,
        expected: present.tip.as_ref(),
        report: &proposed.report,
        policy: proposed.suite.config_file.as_deref().unwrap_or_default(),
        signers: None,
        reason: arguments.reason.as_deref(),
        entries: blocking
            .map(|judged| AcceptedEntry { kind: judged.entry.kind, case: judged.entry.case_id.clone() })
            .collect(),
        cases: present.taken.iter().flat_map(|taken| taken.cases.iter().cloned()).collect(),
        tool: env!("CARGO_PKG_VERSION"),
    }
}

fn written(link: &ObjectId, place: &Place, evaluation: &Evaluation) -> String {
    let totals = &evaluation.report.totals;
    let told = format!(
        "Accepted {} {}: {}/{} passed ({}).",
        place.title(),
        link.short(),
        totals.passed_cases,
        totals.total_cases,
        percent(totals.passed_cases, totals.total_cases)
    );
    format!("\n{}", render::sentence(&told))
}

/// What holds this already, and for a pending acceptance by whom and why.
fn already(
    arguments: &AcceptArgs,
    store: &GitStore<'_>,
    place: &Place,
    link: &ObjectId,
) -> Result<String, Error> {
    let pending = if arguments.pending { baseline::pending(store, place)? } else { Vec::new() };
    let told = match pending.iter().find(|pending| pending.baseline.link.id == *link) {
        None => format!("{} {} holds this already.", place.title(), link.short()),
        Some(found) => {
            let reason = found.accepted.reason.as_deref().unwrap_or("no reason given");
            format!("This content is accepted already, by {}: {reason} ({})", found.accepted.by, link.short())
        }
    };
    Ok(format!("\n{}", render::sentence(&told)))
}
