//! One case, check by check, for a terminal.

use std::fmt::Write as _;

use owo_colors::OwoColorize as _;

use super::escape::terminal;
use super::layout::{pad, wrap};
use crate::evaluate::explain::{Standing, standing};
use crate::evaluate::lines::Lines;
use crate::evaluate::{CaseResult, CheckName};

/// What there is to say of a case. Untrusted text.
#[derive(Clone, Debug)]
pub struct Explained<'a> {
    /// The result now.
    pub now: &'a CaseResult,
    /// The accepted result; `None` where there is none.
    pub before: Option<&'a CaseResult>,
    /// `default/main 1a2b3c4d5e6f`, or why there is nothing to compare with.
    pub baseline: String,
    /// File and line of the case.
    pub rule: String,
    /// File and id of the trace.
    pub trace: String,
    /// Where the keywords that matched stand in the answer.
    pub matches: Vec<String>,
    /// Where the rules and the values stand that they look at.
    pub lines: Lines,
}

/// The width of a column.
const COLUMN: usize = 10;

/// The page: the case, where its rule and trace stand, and a line a check, with the lines of what asks it and of
/// what it reads.
pub fn text(explained: &Explained<'_>) -> String {
    let now = explained.now;
    let label = match (now.passed, now.unjudged()) {
        (true, _) => "PASS".green().bold().to_string(),
        (false, None) => "FAIL".red().bold().to_string(),
        (false, Some(_)) => "UNJUDGED".red().bold().to_string(),
    };
    let mut page = format!("{label}  {}\n", terminal(now.case_id.as_str()).bold());
    for (name, value) in [
        ("title", now.title.as_str()),
        ("rule", &explained.rule),
        ("trace", &explained.trace),
        ("baseline", &explained.baseline),
    ] {
        let folded = wrap(&terminal(value), "          ");
        line(&mut page, &format!("{}{}", pad(name, 10).dimmed(), folded.trim_start()));
    }
    let columns: String = ["before", "now", "rule"].map(|name| pad(name, COLUMN)).concat();
    line(&mut page, &format!("\n{}{columns}trace", pad("check", 22)).dimmed().to_string());
    for check in CheckName::ALL {
        page.push_str(&row(explained, *check));
    }
    page
}

fn row(explained: &Explained<'_>, check: CheckName) -> String {
    let before = match explained.before {
        Some(before) => shown(standing(before, check)),
        None => ("", String::new()),
    };
    let now = shown(standing(explained.now, check));
    let places = if now.0 == "-" { String::new() } else { places(&explained.lines, check) };
    let gap = |word: &str| " ".repeat(COLUMN.saturating_sub(word.len()));
    let mut block = format!("{}{}{}{}", pad(check.as_str(), 22), before.1, gap(before.0), now.1);
    if !places.is_empty() {
        block.push_str(&gap(now.0));
        block.push_str(&places);
    }
    block.push('\n');
    if let Some(failed) = explained.now.failed_checks.get(check) {
        line(&mut block, &wrap(&terminal(&failed.message), "    "));
    }
    if check == CheckName::RootCauseKeywords {
        for found in &explained.matches {
            line(&mut block, &wrap(&format!("found {}", terminal(found)), "    "));
        }
    }
    block
}

/// The lines of the rule and of what it reads; nothing where there are none.
fn places(lines: &Lines, check: CheckName) -> String {
    let shown = |line: Option<&u32>| line.map_or(String::new(), |line| format!(":{line}"));
    let places = format!("{}{}", pad(&shown(lines.rule.get(&check)), COLUMN), shown(lines.trace.get(&check)));
    places.trim_end().to_owned()
}

/// Plain and painted.
fn shown(standing: Option<Standing>) -> (&'static str, String) {
    match standing {
        None => ("?", "?".dimmed().to_string()),
        Some(Standing::NotRun) => ("-", "-".dimmed().to_string()),
        Some(Standing::Passed) => ("pass", "pass".green().to_string()),
        Some(Standing::Failed) => ("FAIL", "FAIL".red().bold().to_string()),
    }
}

fn line(page: &mut String, text: &str) {
    writeln!(page, "{text}").expect("a String takes all that is written");
}
