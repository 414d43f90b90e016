//! A decision for people at a terminal: the answer and the counts that carry it first, then only
//! what changed.

use std::fmt::Write as _;

use owo_colors::OwoColorize as _;

use super::escape::Untrusted;
use super::layout::{WIDTH, pad, shorten, width, wrap};
use super::row::Row;
use super::view::{BaselineNote, Group, View};
use super::words;
use crate::gate::Outcome;

/// The decision with colours, in a width of 80 columns.
pub fn text(view: &View) -> String {
    let word = words::outcome(view.outcome);
    let label = match view.outcome {
        Outcome::Pass => word.green().bold().to_string(),
        Outcome::Block => word.red().bold().to_string(),
    };
    let headline = wrap(&view.headline, "        ");
    let mut page = format!("{label} {}\n", headline.trim_start());
    if let Some(note) = &view.baseline {
        writeln!(page, "{}", wrap(&baseline(note), "").dimmed()).expect("a String takes all that is written");
    }
    for (group, rows) in &view.groups {
        let heading = group.heading(rows.len());
        writeln!(page, "\n{}", heading.bold()).expect("a String takes all that is written");
        for row in rows {
            page.push_str(&entry(*group, row));
        }
    }
    for waiver in &view.stale_waivers {
        let line = wrap(&waiver.terminal(), "  ");
        writeln!(page, "\n{}\n{line}", "Stale waiver".bold()).expect("a String takes all that is written");
    }
    if !view.groups.is_empty() {
        page.push('\n');
        page.push_str(&totals(view));
    }
    page
}

fn baseline(note: &BaselineNote) -> String {
    let [title, commit, age, by, evaluated, rule] =
        [&note.title, &note.commit, &note.age, &note.by, &note.evaluated, &note.rule]
            .map(Untrusted::terminal);
    format!("baseline {title} {commit}, accepted {age} by {by}, of commit {evaluated} ({rule})")
}

/// Kind and case on the first line, what changed and the evidence below.
fn entry(group: Group, row: &Row) -> String {
    let kind = row.kind.as_str();
    let case = row.case.as_ref().map_or_else(|| "whole suite".to_owned(), Untrusted::terminal);
    let mut block = format!("  {}  {}", paint(group, kind), case.bold());
    let used = 4 + width(kind) + width(&case);
    if let Some(title) = &row.title
        && used + 8 <= WIDTH
    {
        let title = shorten(&title.terminal(), WIDTH - used - 2);
        write!(block, "  {}", title.dimmed()).expect("a String takes all that is written");
    }
    block.push('\n');
    let message = match row.cause_words() {
        Some(cause) => format!("{} [{cause}]", row.message.terminal()),
        None => row.message.terminal(),
    };
    for line in [message].into_iter().chain(row.evidence.iter().chain(&row.covers).map(Untrusted::terminal)) {
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
