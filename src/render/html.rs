//! A decision as one self-contained page: no outside request, light and dark, readable on a phone,
//! reachable by keyboard.
//!
//! Nothing on the page runs: the policy in its head forbids scripts and everything from outside.

use std::fmt::Write as _;

use super::escape::html;
use super::layout::grouped;
use super::row::Row;
use super::view::{BaselineNote, Group, View};
use super::words;
use crate::gate::Outcome;

const STYLE: &str = include_str!("html.css");

/// The whole page.
pub fn page(view: &View) -> String {
    let word = words::outcome(view.outcome);
    let state = match view.outcome {
        Outcome::Pass => "pass",
        Outcome::Block => "block",
    };
    let suite = view.suite.as_ref().map_or_else(|| "imported report".to_owned(), |name| name.html());
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{word}: {suite}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <header class=\"{state}\">\n<p class=\"suite\">diag-gate · suite {suite}</p>\n<h1>{word}</h1>\n<p>{}</p>\n",
        html(&view.headline)
    );
    if let Some(note) = &view.baseline {
        line(&mut page, &format!("<p class=\"quiet\">{}</p>", baseline(note)));
    }
    line(&mut page, "</header>");
    page.push_str(&totals(view));
    for (group, rows) in &view.groups {
        page.push_str(&section(*group, rows));
    }
    page.push_str(&stale_waivers(view));
    page.push_str(&foot(view));
    line(&mut page, "</main>\n</body>\n</html>");
    page
}

fn baseline(note: &BaselineNote) -> String {
    let [title, commit, age, by, evaluated, rule] =
        [&note.title, &note.commit, &note.age, &note.by, &note.evaluated, &note.rule].map(|text| text.html());
    format!(
        "Compared with <code>{title}</code> <code>{commit}</code>, accepted {age} by {by}, of commit \
         <code>{evaluated}</code> ({rule})."
    )
}

fn totals(view: &View) -> String {
    let rows = view.totals.iter().fold(String::new(), |mut rows, (label, before, now)| {
        line(&mut rows, &format!("<tr><th scope=\"row\">{label}</th><td>{before}</td><td>{now}</td></tr>"));
        rows
    });
    format!(
        "<table class=\"totals\">\n<thead><tr><th scope=\"col\">passed</th><th scope=\"col\">before</th>\
         <th scope=\"col\">now</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )
}

/// What blocks stands open, the rest is folded.
fn section(group: Group, rows: &[Row]) -> String {
    let (class, open) = match group {
        Group::Blocking => ("blocking", " open"),
        Group::Warnings => ("warnings", " open"),
        Group::Accepted | Group::Waived => ("covered", ""),
        Group::Improvements => ("improvements", ""),
        Group::Changes => ("changes", ""),
    };
    let mut text = format!(
        "<details class=\"{class}\"{open}>\n<summary>{}</summary>\n<ul>\n",
        group.heading(rows.len())
    );
    for row in rows {
        text.push_str(&entry(row));
    }
    line(&mut text, "</ul>\n</details>");
    text
}

fn entry(row: &Row) -> String {
    let case = row.case.as_ref().map_or_else(|| "whole suite".to_owned(), |case| case.html());
    let mut text = format!("<li>\n<p><span class=\"kind\">{}</span> <code>{case}</code>", row.kind.as_str());
    if let Some(title) = &row.title {
        write!(text, " <span class=\"quiet\">{}</span>", title.html())
            .expect("a String takes all that is written");
    }
    line(&mut text, "</p>");
    let cause = row.cause_words().map(|cause| format!(" <em>{cause}</em>")).unwrap_or_default();
    line(&mut text, &format!("<p>{}{cause}</p>", row.message.html()));
    for found in &row.evidence {
        line(&mut text, &format!("<p class=\"evidence\">{}</p>", found.html()));
    }
    for cover in &row.covers {
        line(&mut text, &format!("<p class=\"cover\">{}</p>", cover.html()));
    }
    text.push_str(&details(row));
    line(&mut text, "</li>");
    text
}

/// What a program would read: folded.
fn details(row: &Row) -> String {
    let mut facts = vec![("weight", words::weight(row.severity, row.level))];
    facts.extend((!row.subjects.is_empty()).then(|| {
        let subjects: Vec<String> = row.subjects.iter().map(|subject| subject.html()).collect();
        ("subjects", subjects.join(", "))
    }));
    facts.extend(row.before.as_ref().map(|value| ("before", value.html())));
    facts.extend(row.after.as_ref().map(|value| ("now", value.html())));
    facts.extend(row.under_old_expectation.map(|passed| {
        (
            "old definition",
            if passed { "passes on the new trace" } else { "fails on the new trace, too" }.to_owned(),
        )
    }));
    facts.extend(row.spot.as_ref().map(|spot| ("place", format!("{}:{}", spot.file.html(), spot.line))));
    let list = facts.iter().fold(String::new(), |mut list, (name, value)| {
        line(&mut list, &format!("<dt>{name}</dt><dd>{value}</dd>"));
        list
    });
    format!("<details>\n<summary>details</summary>\n<dl>\n{list}</dl>\n</details>\n")
}

fn stale_waivers(view: &View) -> String {
    if view.stale_waivers.is_empty() {
        return String::new();
    }
    let number = grouped(view.stale_waivers.len() as u64);
    let mut text =
        format!("<details class=\"changes\" open>\n<summary>Stale waivers ({number})</summary>\n<ul>\n");
    for waiver in &view.stale_waivers {
        line(&mut text, &format!("<li><p>{}</p></li>", waiver.html()));
    }
    line(&mut text, "</ul>\n</details>");
    text
}

fn foot(view: &View) -> String {
    let mut text = format!("<footer>\n<p class=\"quiet\">{}</p>\n", words::COUNTED);
    if let Some(commands) = &view.commands {
        line(&mut text, &format!("<p>Reproduce with <code>{}</code></p>", commands.reproduce.html()));
        if let Some(accept) = &commands.accept {
            line(&mut text, &format!("<p>Accept with <code>{}</code></p>", accept.html()));
        }
    }
    line(&mut text, "</footer>");
    text
}

fn line(page: &mut String, text: &str) {
    writeln!(page, "{text}").expect("a String takes all that is written");
}
