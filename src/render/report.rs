//! What a report comes to, computed once and laid out for a terminal.

use std::fmt::Write as _;

use owo_colors::OwoColorize as _;

use super::escape::terminal;
use super::layout::{WIDTH, count, pad, shorten, width, wrap};
use crate::evaluate::{CaseResult, FailedChecks};
use crate::report::{Report, percent};

/// The fewest columns in which a title says anything.
const LEAST_TITLE: usize = 8;

/// How much to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What matters.
    Brief,
    /// Every case.
    Full,
}

/// The report for people, with colours: the numbers first, then the cases that failed.
pub fn text(report: &Report, detail: Detail) -> String {
    let mut page = format!("{}\n{}\n", headline(report), origin(report));
    let failed = report.results.iter().filter(|result| !result.passed);
    for result in failed {
        page.push('\n');
        page.push_str(&failure(result));
    }
    if detail == Detail::Full {
        page.push('\n');
        for result in report.results.iter().filter(|result| result.passed) {
            page.push_str(&case_line("pass".green().to_string(), result));
        }
    }
    page.push('\n');
    page.push_str(&totals(report));
    page
}

/// `11 of 12 cases passed (91.6 %), 1 could not be judged`.
fn headline(report: &Report) -> String {
    let totals = &report.totals;
    let rate = percent(totals.passed_cases, totals.total_cases);
    let passed = format!("{} of {} passed ({rate})", totals.passed_cases, count(totals.total_cases, "case"));
    let unjudged = match totals.unjudged_cases {
        0 => String::new(),
        number => format!(", {number} could not be judged"),
    };
    if totals.passed_cases == totals.total_cases {
        format!("{} {passed}", "PASSED".green().bold())
    } else {
        format!("{} {passed}{unjudged}", "FAILED".red().bold())
    }
}

fn origin(report: &Report) -> String {
    wrap(&origin_words(report), "").dimmed().to_string()
}

fn origin_words(report: &Report) -> String {
    let Some(origin) = &report.origin else {
        return "imported report".to_owned();
    };
    let commit = match &origin.source.commit {
        Some(commit) => commit.short().to_owned(),
        None => "no commit".to_owned(),
    };
    let dirty = if origin.source.dirty { " with changes" } else { "" };
    let part = report.part.map_or_else(String::new, |part| format!(", {} alone", part.shard.words()));
    format!("suite {} at {commit}{dirty}{part}", origin.suite.as_str())
}

/// A failed case with a block a check.
fn failure(result: &CaseResult) -> String {
    let label = if result.unjudged().is_some() { "UNJUDGED" } else { "FAIL" };
    let mut block = case_line(label.red().bold().to_string(), result);
    match &result.failed_checks {
        FailedChecks::Checks(checks) => {
            for failed in checks {
                writeln!(block, "  {}", failed.check.as_str().yellow())
                    .expect("a String takes all that is written");
                block.push_str(&wrap(&terminal(&failed.message), "    "));
                block.push('\n');
            }
        }
        FailedChecks::Plain(texts) => {
            for failed in texts {
                block.push_str(&wrap(&terminal(failed), "    "));
                block.push('\n');
            }
        }
    }
    block
}

/// `FAIL  id  title` on one line.
fn case_line(label: String, result: &CaseResult) -> String {
    let plain = anstream::adapter::strip_str(&label).to_string();
    let column = (width(&plain) + 2).max(6);
    let label = format!("{label}{}", " ".repeat(column - width(&plain)));
    let id = terminal(result.case_id.as_str());
    let room = WIDTH.saturating_sub(column + width(&id) + 2);
    if *result.title == *result.case_id.as_str() || room < LEAST_TITLE {
        return format!("{label}{}\n", id.bold());
    }
    format!("{label}{}  {}\n", id.bold(), shorten(&terminal(&result.title), room))
}

/// The verdicts and means, two aligned columns.
fn totals(report: &Report) -> String {
    let totals = &report.totals;
    let verdicts: Vec<String> = totals
        .verdict_distribution
        .iter()
        .map(|(verdict, number)| format!("{} {number}", shorten(&terminal(verdict), 24)))
        .collect();
    let mut rows = vec![("verdicts", verdicts.join(", "))];
    if let Some(calls) = totals.average_tool_call_count {
        rows.push(("tool calls", format!("{} on average", decimal(calls))));
    }
    if let Some(duration) = totals.average_duration_ms {
        rows.push(("duration", format!("{} ms on average", decimal(duration))));
    }
    rows.iter().fold(String::new(), |mut text, (name, value)| {
        let folded = wrap(value, "            ");
        writeln!(text, "{}{}", pad(name, 12).dimmed(), folded.trim_start())
            .expect("a String takes all that is written");
        text
    })
}

/// A mean with at most one decimal.
fn decimal(value: f64) -> String {
    let rounded = format!("{value:.1}");
    rounded.strip_suffix(".0").map_or_else(|| rounded.clone(), str::to_owned)
}
