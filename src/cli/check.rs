//! `check`: the gate. Evaluates, compares with the accepted baseline, applies the accepted policy.

use std::path::Path;

use crate::baseline::{self, BaselineError, Pending, Place};
use crate::cli::args::{CheckArgs, Global};
use crate::cli::console::Console;
use crate::cli::evaluation::{self, Evaluation};
use crate::cli::ground::Ground;
use crate::cli::judgement::{self, Against, Chosen, LinkJson};
use crate::cli::reuse::{self, Compared, Wanted};
use crate::cli::{diff, present, read_file, suggest};
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::gate::{Gate, Outcome, document};
use crate::git::GitStore;
use crate::render::escape::Untrusted;
use crate::render::view::Commands;
use crate::suite::Suite;

pub(super) fn run(
    arguments: &CheckArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let repository = ground.repository()?;
    let wanted = Wanted { name: &arguments.baseline, place: None, reuse: !arguments.no_reuse };
    let compared = match &arguments.report {
        Some(file) => reuse::choose(repository, saved(file, &ground, global)?, wanted)?,
        None => reuse::evaluate(&ground, global, &arguments.content, wanted)?,
    };
    let Compared { mut evaluation, place, chosen } = compared;
    let Some(chosen) = chosen else {
        return missing(arguments, global, env, &ground, &place).map(|notice| {
            console.notice(&notice);
            Exit::Passed
        });
    };
    if arguments.report.is_some() {
        // A saved report proposes no settings: those in force stand for them.
        evaluation.suite.config = chosen.baseline.policy.clone();
    }
    let pending = counting(&GitStore::new(repository), &place, &chosen, console)?;
    let against = Against { baseline: &chosen.baseline, pending: &pending };
    let gate = judgement::judge(against, &evaluation, &ground, global, judgement::today(env.now))?;
    let rule = judgement::words(&chosen.rule);
    let mut view = judgement::view(&gate, &evaluation, &chosen.baseline, rule, env.now);
    view.commands = Some(commands(arguments, global, &gate));
    let page = present::page(arguments.format, &view, || json(&gate, &chosen));
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

/// A saved report in place of an evaluation.
///
/// # Errors
/// It cannot be read, or is of another suite.
pub(super) fn saved(file: &Path, ground: &Ground, global: &Global) -> Result<Evaluation, Error> {
    let report = diff::saved(&file.display().to_string(), &read_file(&ground.path(file))?)?;
    let Some(origin) = &report.origin else {
        let name = suggest::quoted(&file.to_string_lossy());
        return Err(Error::input(format!(
            "{} was not made by diag-gate: it does not say what it is of",
            file.display()
        ))
        .hint(format!("compare it with {}", suggest::command(global, &format!("diff baseline {name}")))));
    };
    let config = evaluation::settings(ground, global)?;
    if config.name != origin.suite {
        return Err(Error::input(format!(
            "{} is of the suite `{}`, and this one is `{}`",
            file.display(),
            origin.suite.as_str(),
            config.name.as_str()
        ))
        .hint("name the folder of its suite with `--suite DIR`"));
    }
    let suite = Suite { config, config_file: None, cases: Vec::new(), files: Vec::new() };
    Ok(Evaluation { suite, report, folder: String::new(), commit: None })
}

/// How to decide again, and how to accept what blocks.
fn commands(arguments: &CheckArgs, global: &Global, gate: &Gate) -> Commands {
    let revision = match (&arguments.report, arguments.content.worktree, arguments.content.rev.as_str()) {
        (Some(file), _, _) => format!(" --report {}", suggest::quoted(&file.to_string_lossy())),
        (None, true, _) => " --worktree".to_owned(),
        (None, false, "HEAD") => String::new(),
        (None, false, rev) => format!(" --rev {}", suggest::quoted(rev)),
    };
    let baseline = match arguments.baseline.as_str() {
        "main" => String::new(),
        name => format!(" --baseline {}", suggest::quoted(name)),
    };
    let plain = |rest: String| Untrusted::new(suggest::command(global, &rest).trim_matches('`'));
    let can_accept = arguments.report.is_none() && !arguments.content.worktree;
    Commands {
        reproduce: plain(format!("check{revision}{baseline}")),
        accept: (gate.blocking > 0 && can_accept)
            .then(|| plain(format!("accept{revision}{baseline} --pending --reason 'WHY'"))),
    }
}

/// The pending acceptances that count: signed, where the accepted settings require that.
///
/// # Errors
/// One cannot be read.
pub(super) fn counting(
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

/// The decision as JSON.
pub(super) fn json(gate: &crate::gate::Gate, chosen: &Chosen) -> String {
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
