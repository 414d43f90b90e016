//! A decision for people at a terminal: the answer and the counts that carry it first, then only
//! what changed.

use std::fmt::Write as _;

use owo_colors::OwoColorize as _;

use super::escape::terminal;
use super::layout::{WIDTH, pad, shorten, width, wrap};
use super::view::{Group, Row, View};
use crate::gate::Outcome;

/// The decision with colours, in a width of 80 columns.
pub fn text(view: &View) -> String {
    let label = match view.outcome {
        Outcome::Pass => "PASSED".green().bold().to_string(),
        Outcome::Block => "BLOCKED".red().bold().to_string(),
    };
    let headline = wrap(&terminal(&view.headline), "        ");
    let mut page = format!("{label} {}\n", headline.trim_start());
    if let Some(baseline) = &view.baseline {
        let line = format!(
            "baseline {} {}, accepted {} by {}, of commit {} ({})",
            baseline.title, baseline.commit, baseline.age, baseline.by, baseline.evaluated, baseline.rule
        );
        writeln!(page, "{}", wrap(&terminal(&line), "").dimmed())
            .expect("a String takes all that is written");
    }
    for (group, rows) in &view.groups {
        let number = if rows.len() == 1 { "entry" } else { "entries" };
        let heading = format!("{} ({} {number})", group.title(), rows.len());
        writeln!(page, "\n{}", heading.bold()).expect("a String takes all that is written");
        for row in rows {
            page.push_str(&entry(*group, row));
        }
    }
    for waiver in &view.stale_waivers {
        let line = wrap(&terminal(waiver), "  ");
        writeln!(page, "\n{}\n{line}", "Stale waiver".bold()).expect("a String takes all that is written");
    }
    if !view.groups.is_empty() {
        page.push('\n');
        page.push_str(&totals(view));
    }
    page
}

/// Kind and case on the first line, what changed and the evidence below.
fn entry(group: Group, row: &Row) -> String {
    let kind = paint(group, row.kind);
    let case = row.case.as_deref().map_or_else(|| "whole suite".to_owned(), terminal);
    let mut block = format!("  {kind}  {}", case.bold());
    let used = 4 + width(row.kind) + width(&case);
    if let Some(title) = &row.title
        && used + 8 <= WIDTH
    {
        let title = shorten(&terminal(title), WIDTH - used - 2);
        write!(block, "  {}", title.dimmed()).expect("a String takes all that is written");
    }
    block.push('\n');
    let message = match row.cause {
        Some(cause) => format!("{} [{cause}]", terminal(&row.message)),
        None => terminal(&row.message),
    };
    let cover = row.cover.as_deref().map(terminal);
    let lines = [message].into_iter().chain(row.evidence.iter().map(|line| terminal(line))).chain(cover);
    for line in lines {
        block.push_str(&wrap(&line, "    "));
        block.push('\n');
    }
    block
}

fn paint(group: Group, kind: &str) -> String {
    match group {
        Group::Blocking => kind.red().to_string(),
        Group::Warnings => kind.yellow().to_string(),
        Group::Improvements => kind.green().to_string(),
        Group::Accepted | Group::Waived | Group::Changes => kind.cyan().to_string(),
    }
}

/// The totals, aligned.
fn totals(view: &View) -> String {
    let first = view.totals.iter().map(|(_, before, _)| width(before)).max().unwrap_or(0).max(6);
    let heading = format!("{}{}  now", pad("passed", 15), pad("before", first));
    view.totals.iter().fold(format!("{}\n", heading.dimmed()), |mut page, (label, before, now)| {
        writeln!(page, "{}{}  {now}", pad(label, 15), pad(before, first))
            .expect("a String takes all that is written");
        page
    })
}
