//! `review`: steps through the entries at a terminal, case by case, and ends in one acceptance with a reason.

use crate::cli::args::{AcceptArgs, ContentArgs, ExplainArgs, Global, ReviewArgs};
use crate::cli::console::Console;
use crate::cli::ground::Ground;
use crate::cli::judgement::{self, Against};
use crate::cli::reuse::{self, Compared, Wanted};
use crate::cli::{accept, check, explain, suggest};
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::gate::{Gate, Judged};
use crate::git::GitStore;
use crate::ids::CaseId;
use crate::render;

/// What a person says of a case.
enum Answer {
    Accept,
    Skip,
    Show,
    Quit,
}

pub(super) fn run(
    arguments: &ReviewArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    if !env.interactive {
        let again = suggest::command(global, "accept --case ID --yes");
        return Err(Error::input("review asks at a terminal, and this is none")
            .hint(format!("see what moved with `diag-gate check`, and accept single cases: {again}")));
    }
    let gate = gate(arguments, global, env, console)?;
    let (cases, of_suite) = by_case(&gate);
    for judged in &of_suite {
        tell(judged, console)?;
    }
    if cases.is_empty() {
        console.notice("no case moved: there is nothing to step through");
        return Ok(Exit::Passed);
    }
    let mut taken = Vec::new();
    for (number, (id, entries)) in cases.iter().enumerate() {
        match step((number + 1, cases.len()), id, entries, (arguments, global, env), console)? {
            Answer::Accept => taken.push((*id).clone()),
            Answer::Skip | Answer::Show => {}
            Answer::Quit => break,
        }
    }
    if taken.is_empty() {
        console.notice("nothing was accepted");
        return Ok(Exit::Passed);
    }
    let told =
        format!("{} of {} are to be accepted. Why?", taken.len(), render::count(cases.len() as u64, "case"));
    let reason = console.ask(&told)?.filter(|reason| !reason.is_empty());
    let all = taken.len() == cases.len();
    accept::run(&acceptance(arguments, &taken, all, reason), global, env, console)
}

/// What `check` finds.
fn gate(arguments: &ReviewArgs, global: &Global, env: &Env, console: &mut Console) -> Result<Gate, Error> {
    let ground = Ground::new(global, env, console)?;
    let content = ContentArgs { rev: arguments.rev.clone(), worktree: false };
    let wanted = Wanted { name: &arguments.baseline, place: None, reuse: true };
    let Compared { evaluation, place, chosen } = reuse::evaluate(&ground, global, &content, wanted)?;
    let chosen = chosen.ok_or_else(|| {
        let first = suggest::first_acceptance(&arguments.rev, &place.name, env);
        Error::input(format!("there is no baseline {}", place.title()))
            .hint(format!("accept the first one: {}", suggest::command(global, &first)))
    })?;
    let pending = check::counting(&GitStore::new(ground.repository()?), &place, &chosen, console)?;
    let against = Against { baseline: &chosen.baseline, pending: &pending };
    judgement::judge(against, &evaluation, &ground, global, judgement::today(env.now))
}

/// The entries of each case, in the order of the diff, and those of the whole suite.
fn by_case(gate: &Gate) -> (Vec<(&CaseId, Vec<&Judged>)>, Vec<&Judged>) {
    let mut cases: Vec<(&CaseId, Vec<&Judged>)> = Vec::new();
    let mut of_suite = Vec::new();
    for judged in &gate.entries {
        match (&judged.entry.case_id, cases.last_mut()) {
            (None, _) => of_suite.push(judged),
            (Some(id), Some((last, entries))) if id == *last => entries.push(judged),
            (Some(id), _) => cases.push((id, vec![judged])),
        }
    }
    (cases, of_suite)
}

/// Shows one case, and asks until there is an answer.
fn step(
    (number, of): (usize, usize),
    id: &CaseId,
    entries: &[&Judged],
    (arguments, global, env): (&ReviewArgs, &Global, &Env),
    console: &mut Console,
) -> Result<Answer, Error> {
    console.data(&format!("\n{}", render::sentence(&format!("{number} of {of}: {}", id.as_str()))))?;
    for judged in entries {
        tell(judged, console)?;
    }
    loop {
        match answer(console.ask("accept, skip, show or quit? [a/s/w/q]")?.as_deref()) {
            Some(Answer::Show) => show(id, arguments, global, env, console)?,
            Some(answer) => return Ok(answer),
            None => console.notice("type a, s, w or q"),
        }
    }
}

/// What was typed; where nothing can be typed any more, it is over.
fn answer(typed: Option<&str>) -> Option<Answer> {
    match typed {
        Some("a" | "accept") => Some(Answer::Accept),
        Some("s" | "skip" | "") => Some(Answer::Skip),
        Some("w" | "show") => Some(Answer::Show),
        Some("q" | "quit") | None => Some(Answer::Quit),
        Some(_) => None,
    }
}

fn tell(judged: &Judged, console: &mut Console) -> Result<(), Error> {
    let covered = if judged.counts() { "" } else { ", covered" };
    let told = format!("[{}{covered}] {}", judged.level.as_str(), judged.entry.message);
    console.data(&render::facts(&vec![(judged.entry.kind.as_str(), told)]))
}

/// The case, check by check; one that is gone has nothing to show.
fn show(
    id: &CaseId,
    arguments: &ReviewArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<(), Error> {
    let asked = ExplainArgs {
        case: id.as_str().to_owned(),
        content: ContentArgs { rev: arguments.rev.clone(), worktree: false },
        baseline: arguments.baseline.clone(),
    };
    match explain::run(&asked, global, env, console) {
        Ok(_) => Ok(()),
        Err(error) => {
            console.error(&error);
            Ok(())
        }
    }
}

/// All cases are accepted as a whole: what is of the whole suite is then accepted, too.
fn acceptance(arguments: &ReviewArgs, taken: &[CaseId], all: bool, reason: Option<String>) -> AcceptArgs {
    let globs = taken.iter().filter(|_| !all).map(|id| globset::escape(id.as_str()));
    AcceptArgs {
        rev: arguments.rev.clone(),
        baseline: arguments.baseline.clone(),
        cases: globs.collect(),
        pending: false,
        reason,
        yes: false,
        dry_run: false,
        push: arguments.push.clone(),
        sign: arguments.sign,
        allow_unjudged: false,
        allow_shrunk: false,
        allow_none_passing: false,
    }
}
