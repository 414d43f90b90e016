//! `sync`: shares the suite's baselines and pending acceptances with a remote.

use crate::cli::args::{Global, SyncArgs};
use crate::cli::console::Console;
use crate::cli::ground::Ground;
use crate::cli::share::{self, Share};
use crate::cli::{evaluation, failed};
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::ids::ObjectId;

pub(super) fn run(
    arguments: &SyncArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let config = evaluation::settings(&ground, global)?;
    let remote = &arguments.remote;
    let share = Share::new(&ground, &config, remote)?;
    if let Some(tip) = &arguments.accept_rewritten {
        return take_over(tip, &share, console);
    }
    let done = share.with(|sharing| sharing.sync())?;
    if done.is_empty() {
        console.data(&format!("{}: no baseline here or on {remote}\n", config.name.as_str()))?;
    }
    let mut exit = Exit::Passed;
    for synced in done {
        match synced {
            Ok(synced) => share::tell(&synced, remote, console)?,
            Err(error) => {
                let one = failed(&error.into(), console);
                exit = if exit == Exit::Passed { one } else { exit };
            }
        }
    }
    Ok(exit)
}

fn take_over(tip: &str, share: &Share<'_>, console: &mut Console) -> Result<Exit, Error> {
    let id = ObjectId::parse(tip).ok_or_else(|| {
        Error::input(format!("`{tip}` is no whole id of a commit"))
            .hint("give the full id that the error of `diag-gate sync` names")
    })?;
    let (place, before) = share.with(|sharing| sharing.accept_rewritten(&id))?;
    let was = match before {
        Some(before) => format!("it was {} before", before.as_str()),
        None => "there was none here before".to_owned(),
    };
    console.data(&format!("{}: took over the rewritten chain {tip}; {was}\n", place.title()))?;
    Ok(Exit::Passed)
}
