//! Short lists for a terminal: facts with their names, and warnings.

use std::fmt::Write as _;

use owo_colors::OwoColorize as _;

use super::escape::terminal;
use super::layout::{count, pad, width, wrap};

/// Names with their values, in order. The values are untrusted text.
pub type Facts = Vec<(&'static str, String)>;

/// One fact a line, the values aligned.
pub fn facts(facts: &Facts) -> String {
    let column = facts.iter().map(|(name, _)| width(name)).max().unwrap_or(0) + 2;
    facts.iter().fold(String::new(), |mut page, (name, value)| {
        let indent = " ".repeat(column);
        let folded = wrap(&terminal(value), &indent);
        writeln!(page, "{}{}", pad(name, column).dimmed(), folded.trim_start())
            .expect("a String takes all that is written");
        page
    })
}

/// One sentence, folded. Untrusted text.
pub fn sentence(text: &str) -> String {
    format!("{}\n", wrap(&terminal(text), ""))
}

/// The warnings of a sound suite: their number first.
pub fn warnings(cases: u64, warnings: &[String]) -> String {
    let number = warnings.len() as u64;
    let head = format!("{}, {}", count(cases, "case"), count(number, "warning"));
    let mut page = match number {
        0 => format!("{} {head}\n", "SOUND".green().bold()),
        _ => format!("{} {head}\n\n", "SOUND".yellow().bold()),
    };
    for warning in warnings {
        writeln!(page, "{}", wrap(&terminal(warning), "  ")).expect("a String takes all that is written");
    }
    page
}
