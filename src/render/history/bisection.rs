//! A bisection for people.

use std::fmt::Write as _;

use owo_colors::OwoColorize as _;

use crate::diff::Cause;
use crate::history::{Bisection, Commit, person};
use crate::render::escape::terminal;
use crate::render::facts::{Facts, facts};
use crate::render::layout::count;

/// How many turns are shown.
const SHOWN: usize = 10;

/// The bisection, and `next`: the command that tells more.
pub fn bisection(found: &Bisection, next: &str) -> String {
    let word =
        if found.passed { "PASSES".green().bold().to_string() } else { "FAILS".red().bold().to_string() };
    let since = match (&found.base, found.brought) {
        (_, true) => "since it was brought in".to_owned(),
        (None, false) => "as far back as history is here".to_owned(),
        (Some(_), false) => format!("since {}", found.commit.id.short()),
    };
    let mut page = format!("{word} {} {since}\n\n", terminal(found.case.as_str()).bold());
    let mut told: Facts = told("commit", &found.commit);
    if let Some(base) = &found.base {
        let before = if found.passed { "failed" } else { "passed" };
        told.push(("before", format!("{} {before}", base.short())));
    }
    if let Some(side) = &found.side {
        told.push(("merged from", format!("{} {}", side.id.short(), side.subject)));
        told.push(("by", person(&side.author.person)));
    }
    told.extend(found.cause.map(|cause| ("cause", words(cause).to_owned())));
    if !found.checks.is_empty() {
        let checks: Vec<&str> = found.checks.iter().map(|check| check.as_str()).collect();
        let label = if found.passed { "mended checks" } else { "failed checks" };
        told.push((label, checks.join(", ")));
    }
    let turns = found.flips.len();
    if turns > 1 {
        let shown =
            found.flips.iter().take(SHOWN).map(|flip| {
                format!("{} {}", flip.commit.short(), if flip.passed { "passes" } else { "fails" })
            });
        let mut shown = shown.collect::<Vec<_>>().join(", ");
        if turns > SHOWN {
            write!(shown, ", and {} earlier", turns - SHOWN).expect("a String takes all that is written");
        }
        told.push(("all turns", shown));
    }
    page.push_str(&facts(&told));
    let evaluated = count(found.evaluations, "evaluation");
    writeln!(page, "\n{}", format!("{evaluated}; see the checks: {next}").dimmed())
        .expect("a String takes all that is written");
    page
}

fn told(label: &'static str, commit: &Commit) -> Facts {
    vec![
        (label, format!("{} {}", commit.id.short(), commit.subject)),
        ("author", person(&commit.author.person)),
        ("date", commit.author.at.utc()),
    ]
}

/// Did the agent change, or the exam?
fn words(cause: Cause) -> &'static str {
    match cause {
        Cause::Trace => "the agent: its trace changed, the definition did not",
        Cause::Case => "the exam: the definition changed, the trace did not",
        Cause::Both => "the agent and the exam: trace and definition changed",
        Cause::Evaluator => "the settings: neither trace nor definition changed",
        Cause::Unknown => "cannot be told",
    }
}
