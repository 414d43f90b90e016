//! `show`: the accepted baseline: when, who, why, numbers.

use crate::baseline;
use crate::cli::args::{Global, ShowArgs};
use crate::cli::console::Console;
use crate::cli::evaluation;
use crate::cli::ground::Ground;
use crate::cli::{judgement, suggest};
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::git::GitStore;
use crate::render::{self, Facts};

pub(super) fn run(
    arguments: &ShowArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let config = evaluation::settings(&ground, global)?;
    let place = judgement::place(&config, &arguments.name)?;
    let store = GitStore::new(ground.repository()?);
    let baseline = baseline::read(&store, &place)?.ok_or_else(|| {
        Error::input(format!("there is no baseline {}", place.title())).hint(format!(
            "accept the first one: {}",
            suggest::command(global, &suggest::first_acceptance("HEAD", &place.name, env))
        ))
    })?;
    let link = &baseline.link;
    let mut facts: Facts = vec![
        ("baseline", place.title()),
        ("link", link.id.as_str().to_owned()),
        ("ref", place.reference.clone()),
        (
            "accepted",
            format!(
                "{} ({})",
                judgement::moment(link.accepted_at.seconds),
                judgement::age(link.accepted_at.seconds, env.now)
            ),
        ),
        ("by", format!("{} <{}>", link.by.name, link.by.email)),
        ("reason", link.reason.clone().unwrap_or_else(|| "none given".to_owned())),
        ("of commit", link.trailers.evaluated.as_str().to_owned()),
    ];
    let taken = link.trailers.accepted.iter();
    facts.extend(taken.map(|entry| {
        let case = entry.case.as_ref().map_or("", |id| id.as_str());
        ("accepted", format!("{} {case}", entry.kind.as_str()))
    }));
    console.data(&render::facts(&facts))?;
    console.data("\n")?;
    console.data(&render::report::text(&baseline.report, render::report::Detail::Brief))?;
    Ok(Exit::Passed)
}
