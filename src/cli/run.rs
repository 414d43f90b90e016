//! `run`: evaluates the suite and prints the report.

use std::path::Path;

use crate::cli::args::{Global, RunArgs, RunFormat};
use crate::cli::console::{Console, Page};
use crate::cli::evaluation::{self, Choice};
use crate::cli::ground::Ground;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::ids::{Name, ObjectId};
use crate::render;
use crate::render::report::Detail;
use crate::report::{Report, percent, write_json};

pub(super) fn run(
    arguments: &RunArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let (traces, cases) = (arguments.traces.as_deref(), arguments.cases.as_slice());
    let choice = Choice { traces, cases, shard: arguments.shard };
    let evaluation = match evaluation::revision(&ground, &arguments.content)? {
        Some(commit) => {
            evaluation::tell_changes(&ground, global, &arguments.content, console);
            evaluation::of_commit(&ground, global, &commit, choice)?
        }
        None => evaluation::of_working_tree(&ground, global, choice)?,
    };
    // Nothing but the report is needed any more.
    let (report, commit) = (evaluation.report, evaluation.commit);
    drop(evaluation.suite);
    let file = arguments.output.file.as_deref().map(|file| ground.path(file));
    print(&report, arguments.format, file.as_deref(), global, console)?;
    if arguments.note {
        write_note(&ground, &report, commit.as_ref())?;
    }
    let all_pass = report.totals.passed_cases == report.totals.total_cases;
    Ok(if all_pass { Exit::Passed } else { Exit::Blocked })
}

/// Prints a report to a file or to standard output.
pub(super) fn print(
    report: &Report,
    format: RunFormat,
    file: Option<&Path>,
    global: &Global,
    console: &mut Console,
) -> Result<(), Error> {
    match format {
        RunFormat::Text => {
            let detail = if global.verbose { Detail::Full } else { Detail::Brief };
            console.result(&Page::Text(render::report::text(report, detail)), file)
        }
        RunFormat::Json => console.document(file, |sink| write_json(report, sink)),
        RunFormat::Junit => console.result(&Page::Document(render::junit(report)), file),
    }
}

/// The ref of a suite's run notes (baseline.md section 1).
pub(super) fn note_ref(suite: &Name) -> String {
    format!("refs/notes/diag-gate/{}", suite.as_str())
}

/// One line for people on the evaluated commit, in place of the one that this program wrote before.
///
/// # Errors
/// The report is of no commit, or the repository cannot be written to.
pub(super) fn write_note(ground: &Ground, report: &Report, commit: Option<&ObjectId>) -> Result<(), Error> {
    let origin = report.origin.as_ref().expect("what was evaluated here has an origin");
    let commit = commit.filter(|_| !origin.source.dirty).ok_or_else(|| {
        Error::input("a run note tells of what a commit holds; this run was of something else")
            .hint("leave out `--config`, or leave out `--note`")
    })?;
    let (suite, totals) = (origin.suite.as_str(), &report.totals);
    let (passed, total) = (totals.passed_cases, totals.total_cases);
    let own = format!("diag-gate {suite}: ");
    let line = format!(
        "{own}{passed}/{total} passed ({}), {} unjudged, content {}",
        percent(passed, total),
        totals.unjudged_cases,
        &origin.suite_digest.as_str()[..16]
    );
    let reference = note_ref(&origin.suite);
    Ok(ground.repository()?.write_note(&reference, commit, &own, &line)?)
}
