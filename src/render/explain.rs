//! One case, check by check, for a terminal.

use std::fmt::Write as _;

use owo_colors::OwoColorize as _;

use super::escape::terminal;
use super::layout::{pad, wrap};
use crate::evaluate::explain::{Standing, standing};
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
}

/// The page: the case, where its rule and trace stand, and a line a check.
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
    line(&mut page, &format!("\n{}{}now", pad("check", 22), pad("before", 10)).dimmed().to_string());
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
    let gap = " ".repeat(10_usize.saturating_sub(before.0.len()));
    let mut block = format!("{}{}{gap}{}\n", pad(check.as_str(), 22), before.1, now.1);
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
