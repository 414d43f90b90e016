//! A decision as GitHub-flavoured Markdown: the pieces that the output of a command, a step summary and
//! a comment are made of.
//!
//! Untrusted text stands in HTML blocks alone: there GitHub reads no Markdown, so that no text can
//! open a link, an image, a heading or a column. Such a block ends at a blank line, and has none.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::escape::Untrusted;
use super::fit::{Line, Section, within};
use super::layout::{count, grouped};
use super::row::Row;
use super::view::{BaselineNote, CaseLine, Commands, Group, View};
use super::words;
use crate::gate::Outcome;

/// The whole decision.
pub fn markdown(view: &View) -> String {
    let head = format!("{}\n{}", headline(view), view.baseline.as_ref().map(baseline).unwrap_or_default());
    if view.is_clean() {
        return head;
    }
    let sections = sections(view, Depth { evidence: usize::MAX, without_entry: WithoutEntry::Untold });
    let sections = within(&sections, usize::MAX, "").expect("there is no end to the room");
    let foot = view.commands.as_ref().map(foot_of).unwrap_or_default();
    head + &totals(view) + &sections + &foot
}

/// How much a page tells.
#[derive(Clone, Copy)]
pub(super) struct Depth {
    /// So many lines of evidence an entry.
    pub(super) evidence: usize,
    /// What is said of cases without an entry.
    pub(super) without_entry: WithoutEntry,
}

/// What a page says of the cases that no entry tells of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WithoutEntry {
    /// Nothing.
    Untold,
    /// Those that fail are listed, if there are any.
    Failing,
    /// All are listed.
    Listed,
}

/// The answer with its counts, on one line: our own words alone.
pub(super) fn headline(view: &View) -> String {
    let sign = match view.outcome {
        Outcome::Pass => "✅",
        Outcome::Block => "❌",
    };
    format!("### {sign} {}: {}", words::outcome(view.outcome), view.headline)
}

/// Which baseline, how old, by which rule.
pub(super) fn baseline(note: &BaselineNote) -> String {
    let [title, commit, by, evaluated] =
        [&note.title, &note.commit, &note.by, &note.evaluated].map(|text| text.short().markdown());
    let [age, rule] = [&note.age, &note.rule].map(|text| text.short().prose());
    format!(
        "\n<p>Baseline {title} {commit}, accepted {age} by {by}, of commit {evaluated}. \
         Why this one: {rule}.</p>\n"
    )
}

/// The table of the totals.
pub(super) fn totals(view: &View) -> String {
    let rows = view.totals.iter().fold(String::new(), |mut rows, (label, before, now)| {
        writeln!(rows, "<tr><td>{label}</td><td>{before}</td><td>{now}</td></tr>")
            .expect("a String takes all that is written");
        rows
    });
    format!(
        "\n<table>\n<tr><th>passed</th><th>before</th><th>now</th></tr>\n{rows}</table>\n\n{}\n",
        words::COUNTED
    )
}

/// The entries by group, what blocks open and the rest folded; then the background.
pub(super) fn sections(view: &View, depth: Depth) -> Vec<Section> {
    let mut sections: Vec<Section> = view
        .groups
        .iter()
        .map(|(group, rows)| Section {
            title: group.heading(rows.len()),
            columns: &["entry", "case", "what changed"],
            open: *group == Group::Blocking,
            background: false,
            lines: rows.iter().map(|row| entry(row, depth.evidence)).collect(),
        })
        .collect();
    if !view.stale_waivers.is_empty() {
        let number = grouped(view.stale_waivers.len() as u64);
        sections.push(list(
            format!("Stale waivers ({number})"),
            &["to be taken out of the settings"],
            &view.stale_waivers,
        ));
    }
    sections.extend(without_entry(view, depth.without_entry));
    sections
}

/// A folded section with one column of texts.
pub(super) fn list(title: String, columns: &'static [&'static str], texts: &[Untrusted]) -> Section {
    let lines = texts.iter().map(|text| Line::plain(format!("<tr><td>{}</td></tr>\n", shown(text))));
    Section { title, columns, open: false, background: false, lines: lines.collect() }
}

fn entry(row: &Row, evidence: usize) -> Line {
    let kind = row.kind.as_str();
    let case = row.case.as_ref().map_or_else(|| "whole suite".to_owned(), shown);
    let title = row.title.as_ref().map(|title| format!("<br>{}", shown(title))).unwrap_or_default();
    let cause = cause(row).map(|words| format!("<br><em>{words}</em>")).unwrap_or_default();
    let message = format!("{}{cause}", shown(&row.message));
    let covers = row.covers.iter().fold(String::new(), |mut covers, cover| {
        write!(covers, "<br><em>covered:</em> {}", shown(cover)).expect("a String takes all that is written");
        covers
    });
    let mut found = row.evidence.iter().take(evidence).fold(String::new(), |mut found, line| {
        write!(found, "<br>{}", shown(line)).expect("a String takes all that is written");
        found
    });
    if let Some(more @ 1..) = row.evidence.len().checked_sub(evidence) {
        write!(found, " and {} more", grouped(more as u64)).expect("a String takes all that is written");
    }
    let line = |title: &str, found: &str| {
        format!("<tr><td>{kind}</td><td>{case}{title}</td><td>{message}{found}{covers}</td></tr>\n")
    };
    Line { full: line(&title, &found), short: line("", "") }
}

/// What moved underneath, and what the old definition makes of the new trace.
fn cause(row: &Row) -> Option<String> {
    let cause = row.cause_words()?;
    Some(match row.under_old_expectation.map(words::under_old_expectation) {
        Some(old) => format!("{cause}; {old}"),
        None => cause.to_owned(),
    })
}

/// One untrusted text, not more than 200 characters of it.
pub(super) fn shown(text: &Untrusted) -> String {
    text.short().markdown()
}

/// The cases that no entry tells of: those that fail first.
fn without_entry(view: &View, told: WithoutEntry) -> Option<Section> {
    if told == WithoutEntry::Untold {
        return None;
    }
    let with_entry: HashSet<&Untrusted> = view.rows().filter_map(|(_, row)| row.case.as_ref()).collect();
    let others: Vec<&CaseLine> = view.cases.iter().filter(|case| !with_entry.contains(&case.id)).collect();
    let (passing, failing): (Vec<&CaseLine>, Vec<&CaseLine>) =
        others.into_iter().partition(|case| case.passed);
    let number = count((passing.len() + failing.len()) as u64, "case");
    let title = format!(
        "Without an entry ({number}: {} pass, {} fail as before)",
        grouped(passing.len() as u64),
        grouped(failing.len() as u64)
    );
    let listed = if told == WithoutEntry::Listed { passing } else { Vec::new() };
    let line = |case: &CaseLine| {
        let result = if case.passed { "passes" } else { "fails" };
        Line::plain(format!("<tr><td>{}</td><td>{result}</td></tr>\n", shown(&case.id)))
    };
    let lines: Vec<Line> = failing.into_iter().chain(listed).map(line).collect();
    let columns = &["case", "now"];
    (!lines.is_empty()).then_some(Section { title, columns, open: false, background: true, lines })
}

fn foot_of(commands: &Commands) -> String {
    foot(Some(&commands.reproduce), &commands.accept.iter().collect::<Vec<_>>())
}

/// How to reproduce, and the ways to accept what blocks, on one line.
pub(super) fn foot(reproduce: Option<&Untrusted>, accept: &[&Untrusted]) -> String {
    let reproduce = reproduce.map(|command| format!("Reproduce: {}", shown(command)));
    let ways: Vec<String> = accept.iter().map(|way| shown(way)).collect();
    let accept = (!ways.is_empty()).then(|| format!("Accept: {}", ways.join(" or ")));
    let lines: Vec<String> = reproduce.into_iter().chain(accept).collect();
    if lines.is_empty() { String::new() } else { format!("\n<p>{}</p>\n", lines.join("<br>")) }
}
