//! `diff`: compares any two reports: saved ones, revisions, baselines.

use crate::baseline::{self, Baseline, Place};
use crate::cli::args::{DiffArgs, Global};
use crate::cli::console::Console;
use crate::cli::evaluation::{self, Choice};
use crate::cli::ground::Ground;
use crate::cli::{judgement, present, read_file};
use crate::diff::diff;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::gate::{Outcome, decide, to_json};
use crate::git::GitStore;
use crate::render::Places;
use crate::render::view::{Background, View};
use crate::report::{self, Report};
use crate::suite::Config;

pub(super) fn run(
    arguments: &DiffArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let policy = policy(&ground, global)?;
    let before = side(&arguments.before, &ground, global)?;
    let after = side(&arguments.after, &ground, global)?;
    let moved = diff(&before, &after, &policy.gate.thresholds).map_err(|refusal| {
        Error::input(format!("`{}` and `{}` cannot be compared", arguments.before, arguments.after))
            .because(&refusal)
            .hint("name two reports of one suite")
    })?;
    let gate = decide(moved, &policy.gate, judgement::today(env.now), Vec::new());
    let background =
        Background { current: &after, places: Places::default(), baseline: None, commands: None };
    let text = present::page(arguments.format, &View::new(&gate, background), || to_json(&gate));
    let file = arguments.output.file.as_deref().map(|file| ground.path(file));
    console.result(&text, file.as_deref())?;
    Ok(match gate.outcome {
        Outcome::Block if arguments.exit_code => Exit::Blocked,
        Outcome::Block | Outcome::Pass => Exit::Passed,
    })
}

/// The default policy, unless `--config` names another.
fn policy(ground: &Ground, global: &Global) -> Result<Config, Error> {
    Ok(evaluation::chosen_settings(ground, global)?.map_or_else(Config::default, |(settings, _)| settings))
}

/// A file that exists wins over a revision of that name; then `baseline[:NAME][~N]`; then a revision.
fn side(typed: &str, ground: &Ground, global: &Global) -> Result<Report, Error> {
    let path = ground.path(typed.as_ref());
    if path.is_file() || typed.starts_with("./") || typed.starts_with("../") {
        return saved(typed, &read_file(&path)?);
    }
    if let Some(named) = NamedBaseline::parse(typed) {
        let place = judgement::place(&evaluation::settings(ground, global)?, named.name)?;
        return Ok(accepted(&place, &named, ground)?.report);
    }
    if ground.repository.is_none() {
        return Err(Error::input(format!(
            "there is no report file `{typed}`, and no repository to look for a revision in"
        )));
    }
    let commit = ground.repository()?.resolve(typed).map_err(|error| {
        Error::from(error)
            .hint("a side is a report file, a revision, `baseline`, `baseline:NAME` or `baseline~1`")
    })?;
    Ok(evaluation::of_commit(ground, global, &commit, Choice::default())?.report)
}

/// Reads a report that was named on the command line.
///
/// # Errors
/// It is no report that can be compared.
pub(super) fn saved(name: &str, bytes: &[u8]) -> Result<Report, Error> {
    report::read(bytes)
        .map_err(|error| Error::input(format!("`{name}` is no report that can be compared")).because(&error))
}

/// `baseline:NAME~N`.
struct NamedBaseline<'a> {
    name: &'a str,
    back: usize,
}

impl<'a> NamedBaseline<'a> {
    fn parse(typed: &'a str) -> Option<Self> {
        let rest = typed.strip_prefix("baseline")?;
        let (name, back) = match rest.rsplit_once('~') {
            Some((name, "")) => (name, 1),
            Some((name, number)) => (name, number.parse().ok()?),
            None => (rest, 0),
        };
        match name.strip_prefix(':') {
            Some(name) => Some(Self { name, back }),
            None if name.is_empty() => Some(Self { name: "main", back }),
            None => None,
        }
    }
}

/// The baseline that many links below the tip.
fn accepted(place: &Place, named: &NamedBaseline<'_>, ground: &Ground) -> Result<Baseline, Error> {
    let store = GitStore::new(ground.repository()?);
    let absent = || {
        Error::input(format!("there is no baseline {}", place.title()))
            .hint("`diag-gate show` shows what there is")
    };
    let mut id = baseline::tip(&store, place)?.ok_or_else(absent)?;
    for step in 0..named.back {
        let link = baseline::read_head(&store, place, &id)?;
        id = link.parent.ok_or_else(|| {
            Error::input(format!("the chain {} ends {step} links below its tip", place.title()))
                .hint("name a nearer one, as in `baseline~1`")
        })?;
    }
    Ok(baseline::read_at(&store, place, &id)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_baselines_are_told_from_revisions() {
        let parsed = |typed| NamedBaseline::parse(typed).map(|named| (named.name, named.back));
        assert_eq!(parsed("baseline"), Some(("main", 0)));
        assert_eq!(parsed("baseline~2"), Some(("main", 2)));
        assert_eq!(parsed("baseline~"), Some(("main", 1)));
        assert_eq!(parsed("baseline:v1"), Some(("v1", 0)));
        assert_eq!(parsed("baseline:v1~3"), Some(("v1", 3)));
        for revision in ["baselines", "baseline-2", "baseline~x", "HEAD", "main"] {
            assert_eq!(parsed(revision), None, "{revision}");
        }
    }
}
