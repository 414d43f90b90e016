//! A decision as workflow commands: one annotation an entry, worst first, at most ten a level.
//!
//! The log of a run is no place for the text of a pull request: case ids and the paths of files are all of it
//! that stands here, escaped; the words are those of the kind and the cause, and the numbers ours.

use std::fmt::Write as _;

use super::escape::{Untrusted, command_data, command_property};
use super::layout::grouped;
use super::places::Spot;
use super::row::Row;
use super::view::{Group, View};
use super::words;

/// How many annotations of one level GitHub shows of a step.
const SHOWN: usize = 10;

/// One annotation.
struct Annotation {
    /// `file=…,line=…,`, escaped; empty where there is no place.
    place: String,
    title: &'static str,
    /// Escaped.
    message: String,
}

/// The answer on a line of its own, then the annotations.
pub fn github(view: &View) -> String {
    let mut page = format!("{} {}\n", words::outcome(view.outcome), view.headline);
    let below = view.below_minimum.as_ref().map(|told| Annotation {
        place: String::new(),
        title: "below the minimum",
        message: command_data(told),
    });
    let of = |level| {
        view.rows()
            .filter(move |(group, _)| command(*group) == level)
            .map(|(group, row)| annotation(group, row))
    };
    page.push_str(&commands("error", below.into_iter().chain(of("error")).collect()));
    page.push_str(&commands("warning", of("warning").collect()));
    page.push_str(&commands("notice", of("notice").collect()));
    page
}

const fn command(group: Group) -> &'static str {
    match group {
        Group::Blocking => "error",
        Group::Warnings => "warning",
        Group::Accepted | Group::Waived | Group::Improvements | Group::Changes => "notice",
    }
}

fn annotation(group: Group, row: &Row) -> Annotation {
    let mut message = match &row.case {
        Some(case) => format!("case `{}`: {}", case.short().command_data(), words::kind(row.kind)),
        None => format!("whole suite: {}", words::kind(row.kind)),
    };
    if let Some(numbers) = &row.numbers {
        write!(message, " ({numbers})").expect("a String takes all that is written");
    }
    if let Some(cause) = row.cause_words() {
        write!(message, " [{cause}]").expect("a String takes all that is written");
    }
    if let Some(passed) = row.under_old_expectation {
        write!(message, "; {}", words::under_old_expectation(passed))
            .expect("a String takes all that is written");
    }
    match group {
        Group::Accepted => message.push_str(" (accepted)"),
        Group::Waived => message.push_str(" (waived)"),
        Group::Blocking | Group::Warnings | Group::Improvements | Group::Changes => {}
    }
    let place = row
        .spot
        .as_ref()
        .and_then(Spot::inside)
        .map(|spot| format!("file={},line={},", Untrusted::command_property(&spot.file), spot.line));
    Annotation { place: place.unwrap_or_default(), title: row.kind.as_str(), message }
}

/// The commands of one level; the last that is shown counts those that are not.
fn commands(level: &str, annotations: Vec<Annotation>) -> String {
    let more = annotations.len().saturating_sub(SHOWN);
    let last = annotations.len().min(SHOWN).saturating_sub(1);
    let mut text = String::new();
    for (index, annotation) in annotations.iter().take(SHOWN).enumerate() {
        let Annotation { place, title, message } = annotation;
        let rest = if index == last && more > 0 {
            format!(" (+{} more)", grouped(more as u64))
        } else {
            String::new()
        };
        writeln!(text, "::{level} {place}title={}::{message}{rest}", command_property(title))
            .expect("a String takes all that is written");
    }
    text
}
