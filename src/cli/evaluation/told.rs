//! What is told of a suite that cannot be evaluated, and of a working tree that is not evaluated.

use std::path::Path;

use crate::cli::args::{ContentArgs, Global};
use crate::cli::console::Console;
use crate::cli::ground::{Ground, SuitePlace};
use crate::cli::suggest::command;
use crate::error::Error;
use crate::suite::source::SourceError;
use crate::suite::{LoadError, Problem};

/// Tells all that is wrong with a suite.
pub(in crate::cli) fn load_error(global: &Global, error: LoadError) -> Error {
    match error {
        LoadError::Problems(problems) => {
            let folder = global.suite.display();
            Error::input(format!("the suite {folder} has {}; nothing was evaluated", counted(&problems)))
                .details(problems.iter().map(problem))
                .hint(format!(
                    "mend the files, then look at them again: {}",
                    command(global, "lint --worktree")
                ))
        }
        LoadError::Source(error) => source_error(error),
    }
}

/// Tells all that is wrong with the settings that `--config` names.
pub(super) fn settings_error(file: &Path, problems: &[Problem]) -> Error {
    Error::input(format!("the settings {} have {}; nothing was judged", file.display(), counted(problems)))
        .details(problems.iter().map(problem))
        .hint("mend the file, or leave out `--config`")
}

fn counted(problems: &[Problem]) -> String {
    let number = problems.len();
    format!("{number} {}", if number == 1 { "problem" } else { "problems" })
}

/// `cases/a.json:13: case `t1`: field `x`: unknown field`.
pub(in crate::cli) fn problem(problem: &Problem) -> String {
    problem.line_of_text()
}

pub(in crate::cli) fn source_error(error: SourceError) -> Error {
    let cause = error.source.as_ref();
    let mut told = Error::surroundings(error.to_string()).because(cause);
    told.hints.push(
        "nothing was judged; `git fsck` looks for damage, `git fetch` brings what is missing".to_owned(),
    );
    told
}

/// Tells a person whose working tree differs from HEAD that HEAD is what counts.
pub(in crate::cli) fn tell_changes(
    ground: &Ground,
    global: &Global,
    content: &ContentArgs,
    console: &mut Console,
) {
    let Some(repository) = ground.repository.as_ref().filter(|_| content.rev == "HEAD") else { return };
    let Ok(SuitePlace::InRepository(relative)) = ground.suite(&global.suite) else { return };
    // A working tree that cannot be compared changes nothing about what HEAD holds.
    if repository.differs_below(&relative).unwrap_or(false) {
        console.notice("suite files in the working tree differ from HEAD: HEAD is evaluated; `--worktree` evaluates the files");
    }
}
