//! `check`: the gate. Evaluates, compares with the accepted baseline, applies the accepted policy.

use crate::baseline::{self, BaselineError, Pending, Place};
use crate::cli::args::{CheckArgs, CheckFormat, Global};
use crate::cli::console::{Console, Page};
use crate::cli::evaluation::{self, Choice};
use crate::cli::ground::Ground;
use crate::cli::judgement::{self, Against, Chosen, LinkJson};
use crate::cli::suggest;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::gate::{Outcome, document};
use crate::git::GitStore;
use crate::render;

pub(super) fn run(
    arguments: &CheckArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let repository = ground.repository()?;
    let evaluation = match evaluation::revision(&ground, &arguments.content)? {
        Some(commit) => evaluation::of_commit(&ground, global, &commit, Choice::default())?,
        None => evaluation::of_working_tree(&ground, global, Choice::default())?,
    };
    let place = judgement::place(&evaluation.suite.config, &arguments.baseline)?;
    let Some(chosen) = judgement::choose(repository, &place, &evaluation)? else {
        return missing(arguments, global, env, &ground, &place).map(|notice| {
            console.notice(&notice);
            Exit::Passed
        });
    };
    let pending = counting(&GitStore::new(repository), &place, &chosen, console)?;
    let against = Against { baseline: &chosen.baseline, pending: &pending };
    let gate = judgement::judge(against, &evaluation, &ground, global, judgement::today(env.now))?;
    let page = match arguments.format {
        CheckFormat::Text => {
            let rule = judgement::words(&chosen.rule);
            let view = judgement::view(&gate, &evaluation, &chosen.baseline, rule, env.now);
            Page::Text(render::decision::text(&view))
        }
        CheckFormat::Json => Page::Document(json(&gate, &chosen)),
    };
    let file = arguments.output.file.as_deref().map(|file| ground.path(file));
    console.result(&page, file.as_deref())?;
    match gate.outcome {
        Outcome::Pass => Ok(Exit::Passed),
        Outcome::Block if arguments.advisory => {
            console.notice("blocked, but --advisory was given: ending with 0");
            Ok(Exit::Passed)
        }
        Outcome::Block => Ok(Exit::Blocked),
    }
}

/// The pending acceptances that count: signed, where the accepted settings require that.
fn counting(
    store: &GitStore<'_>,
    place: &Place,
    chosen: &Chosen,
    console: &mut Console,
) -> Result<Vec<Pending>, Error> {
    let mut counting = Vec::new();
    for pending in baseline::pending(store, place)? {
        let reference = pending.references.first().map_or("", String::as_str);
        let id = &pending.baseline.link.id;
        match baseline::check_signature(store, reference, id, Some(&chosen.baseline.link.id)) {
            Ok(()) => counting.push(pending),
            Err(BaselineError::Unsigned { why, .. }) => {
                console.notice(&format!("the pending acceptance {} does not count: {why}", id.short()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(counting)
}

fn json(gate: &crate::gate::Gate, chosen: &Chosen) -> String {
    let link = LinkJson::of(chosen);
    let mut text = serde_json::to_string_pretty(&document(gate, Some(&link)))
        .expect("texts, numbers and lists always serialize");
    text.push('\n');
    text
}

/// No baseline was ever accepted: the gate fails closed, unless it was told not to and no other
/// baseline stands in the repository, under any suite or name. Gives the notice that then tells it.
fn missing(
    arguments: &CheckArgs,
    global: &Global,
    env: &Env,
    ground: &Ground,
    place: &Place,
) -> Result<String, Error> {
    let accept = suggest::first_acceptance(&arguments.content.rev, &place.name, env);
    let error = Error::input(format!("there is no baseline {}", place.title()))
        .hint(format!("accept the first one: {}", suggest::command(global, &accept)))
        .hint(format!("or fetch the team's: `git fetch origin '{0}:{0}'`", place.reference));
    let others = judgement::other_baselines(ground.repository()?)?;
    if !others.is_empty() {
        return Err(error.details(others.iter().map(|other| format!("this repository holds {other}"))));
    }
    if !arguments.allow_missing_baseline {
        return Err(error);
    }
    Ok(format!("there is no baseline {}: nothing was compared", place.title()))
}
