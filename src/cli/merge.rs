//! `merge`: joins the reports of all shards of a suite into the one that a single run would have printed.

use std::path::Path;

use crate::cli::args::{Global, MergeArgs};
use crate::cli::console::Console;
use crate::cli::read_file;
use crate::cli::run::print;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::report::{self, MergeError, Report};

pub(super) fn run(
    arguments: &MergeArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let start = start(global, env)?;
    let parts: Vec<Report> =
        arguments.reports.iter().map(|file| part(&start, file)).collect::<Result<_, _>>()?;
    let report = report::merge(parts).map_err(|error| {
        Error::input("these reports are not all the shards of one suite").because(&error).hint(hint(&error))
    })?;
    let file = arguments.output.file.as_deref().map(|file| start.join(file));
    print(&report, arguments.format, file.as_deref(), global, console)?;
    Ok(Exit::Passed)
}

/// The folder that paths are typed from: no repository is needed.
fn start(global: &Global, env: &Env) -> Result<std::path::PathBuf, Error> {
    let working = env.working_folder.as_ref().ok_or_else(|| {
        Error::surroundings("the working folder is gone").hint("start from a folder that exists")
    })?;
    Ok(global.start.as_ref().map_or_else(|| working.clone(), |folder| working.join(folder)))
}

fn part(start: &Path, file: &Path) -> Result<Report, Error> {
    report::read_part(&read_file(&start.join(file))?).map_err(|error| {
        let heading = format!("{} is no report of a shard", file.display());
        Error::input(heading).because(&error).hint(ONE)
    })
}

/// How a report of a shard is made.
const ONE: &str = "each shard of one commit is needed once, as `diag-gate run --shard 1/2 --format json -o FILE` writes the first of two";

fn hint(error: &MergeError) -> String {
    match error {
        MergeError::Missing { missing, of } => match missing.first() {
            Some(first) => format!(
                "`diag-gate run --shard {first}/{of} --format json -o FILE` writes one that is missing"
            ),
            None => ONE.to_owned(),
        },
        MergeError::Nothing
        | MergeError::NoPart
        | MergeError::OtherDivision { .. }
        | MergeError::Twice(_)
        | MergeError::Differs { .. }
        | MergeError::RepeatedCase { .. }
        | MergeError::OtherContent => ONE.to_owned(),
    }
}
