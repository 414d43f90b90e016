//! `show`: the accepted baseline: when, who, why, numbers.

use crate::baseline::{self, Pending};
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
    let place = judgement::place(&config, arguments.baseline.as_deref().unwrap_or(&arguments.name))?;
    let store = GitStore::new(ground.repository()?);
    let pending = baseline::pending(&store, &place)?;
    let standing = baseline::stand(&store, &place)?;
    let newest = standing.newest.as_ref().ok_or_else(|| {
        Error::input(format!("there is no baseline {}", place.title()))
            .hint(format!(
                "accept the first one: {}",
                suggest::command(global, &suggest::first_acceptance("HEAD", &place.name, env))
            ))
            .details(pending.iter().map(|pending| format!("pending: {}", told(pending, env))))
    })?;
    let baseline = baseline::read_at(&store, &place, &newest.id)?;
    baseline::note_seen(&store, &place, &standing);
    let link = &baseline.link;
    let mut facts: Facts = vec![
        ("baseline", place.title()),
        ("link", link.id.as_str().to_owned()),
        ("ref", newest.reference.clone()),
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
    facts.extend(link.trailers.cases.iter().map(|case| ("of case", case.as_str().to_owned())));
    facts.extend(pending.iter().map(|pending| ("pending", told(pending, env))));
    console.data(&render::facts(&facts))?;
    console.data("\n")?;
    console.data(&render::report::text(&baseline.report, render::report::Detail::Brief))?;
    Ok(Exit::Passed)
}

/// One line on an acceptance of content that has not landed yet. Untrusted text.
fn told(pending: &Pending, env: &Env) -> String {
    let baseline::Baseline { link, report, .. } = &pending.baseline;
    format!(
        "{} by {}, {}: {} ({}/{} passed)",
        link.id.short(),
        pending.accepted.by,
        judgement::age(link.accepted_at.seconds, env.now),
        link.reason.as_deref().unwrap_or("no reason given"),
        report.totals.passed_cases,
        report.totals.total_cases
    )
}
