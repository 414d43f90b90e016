//! A decision as GitHub-flavoured Markdown, for a step summary or a comment.
//!
//! Untrusted text stands in HTML blocks alone: there GitHub reads no Markdown, so that no text can
//! open a link, an image, a heading or a column. Such a block ends at a blank line, and has none.

use std::fmt::Write as _;

use super::escape::Untrusted;
use super::layout::grouped;
use super::row::Row;
use super::view::{BaselineNote, Group, View};
use super::words;
use crate::gate::Outcome;

/// The whole decision.
pub fn markdown(view: &View) -> String {
    markdown_within(view, usize::MAX)
}

/// The decision in about so many bytes: what does not fit is left out by whole entries, the least
/// important first, and counted. Headline, totals and headings always stand.
pub fn markdown_within(view: &View, bytes: usize) -> String {
    let mut page = head(view);
    if view.is_clean() {
        return page;
    }
    page.push_str(&totals(view));
    let foot = foot(view);
    let frames: usize = view.groups.len() * FRAME;
    let mut room = bytes.saturating_sub(page.len() + foot.len() + frames);
    for (group, rows) in &view.groups {
        page.push_str(&section(*group, rows, &mut room));
    }
    page.push_str(&stale_waivers(view, &mut room));
    page.push_str(&foot);
    page
}

/// More bytes than the heading and the table around the rows of a group take.
const FRAME: usize = 300;

/// The answer with its counts, and what was compared.
fn head(view: &View) -> String {
    let sign = match view.outcome {
        Outcome::Pass => "✅",
        Outcome::Block => "❌",
    };
    let mut page = format!("### {sign} {}: {}\n", words::outcome(view.outcome), view.headline);
    if let Some(note) = &view.baseline {
        writeln!(page, "\n<p>{}</p>", baseline(note)).expect("a String takes all that is written");
    }
    page
}

fn baseline(note: &BaselineNote) -> String {
    let [title, commit, age, by, evaluated, rule] =
        [&note.title, &note.commit, &note.age, &note.by, &note.evaluated, &note.rule]
            .map(|text| text.short().markdown());
    format!("Baseline {title} {commit}, accepted {age} by {by}, of commit {evaluated}. Why this one: {rule}.")
}

fn totals(view: &View) -> String {
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

/// A group: what blocks stands open, the rest is folded.
fn section(group: Group, rows: &[Row], room: &mut usize) -> String {
    let heading = group.heading(rows.len());
    let mut table = String::new();
    let mut told = 0;
    for row in rows {
        let line = entry(row);
        if line.len() > *room {
            break;
        }
        *room -= line.len();
        table.push_str(&line);
        told += 1;
    }
    if told < rows.len() {
        *room = 0;
        let more = grouped((rows.len() - told) as u64);
        writeln!(table, "<tr><td colspan=\"3\">and {more} more, which do not fit here</td></tr>")
            .expect("a String takes all that is written");
    }
    let table =
        format!("<table>\n<tr><th>entry</th><th>case</th><th>what changed</th></tr>\n{table}</table>\n");
    match group {
        Group::Blocking => format!("\n#### {heading}\n\n{table}"),
        Group::Warnings | Group::Accepted | Group::Waived | Group::Improvements | Group::Changes => {
            format!("\n<details>\n<summary>{heading}</summary>\n{table}</details>\n")
        }
    }
}

fn entry(row: &Row) -> String {
    let case = match &row.case {
        None => "whole suite".to_owned(),
        Some(case) => [case].into_iter().chain(&row.title).map(shown).collect::<Vec<_>>().join("<br>"),
    };
    let mut lines = vec![shown(&row.message)];
    lines.extend(row.cause_words().map(|cause| format!("<em>{cause}</em>")));
    lines.extend(row.evidence.iter().map(shown));
    lines.extend(row.covers.iter().map(|cover| format!("<em>covered:</em> {}", shown(cover))));
    let kind = row.kind.as_str();
    format!("<tr><td>{kind}</td><td>{case}</td><td>{}</td></tr>\n", lines.join("<br>"))
}

fn shown(text: &Untrusted) -> String {
    text.short().markdown()
}

fn stale_waivers(view: &View, room: &mut usize) -> String {
    if view.stale_waivers.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = view.stale_waivers.iter().map(shown).collect();
    let fitting = lines.iter().take_while(|line| {
        let fits = line.len() + "<br>".len() <= *room;
        *room = if fits { *room - line.len() - "<br>".len() } else { 0 };
        fits
    });
    let fitting: Vec<&str> = fitting.map(String::as_str).collect();
    let number = grouped(lines.len() as u64);
    format!(
        "\n<details>\n<summary>Stale waivers ({number})</summary>\n<p>{}</p></details>\n",
        fitting.join("<br>\n")
    )
}

/// How to reproduce, and how to accept what blocks.
fn foot(view: &View) -> String {
    let Some(commands) = &view.commands else { return String::new() };
    let accept = commands.accept.as_ref().map(|command| format!(", accept with {}", command.markdown()));
    format!("\n<p>Reproduce with {}{}.</p>\n", commands.reproduce.markdown(), accept.unwrap_or_default())
}
