//! A series as one self-contained page: no outside request, light and dark, readable on a phone, reachable
//! by keyboard.
//!
//! The curve and the list of commits stand without any script; the grid is drawn by the one script whose
//! digest the policy in the head allows. It reads data that stand beside it as JSON, and writes text alone.

use std::fmt::Write as _;

use base64::Engine as _;
use sha2::{Digest as _, Sha256};

use crate::history::{Mark, Numbers, Row, Series, State, person};
use crate::ids::CaseId;
use crate::render::escape::html;
use crate::render::history::curve;
use crate::render::history::data;
use crate::render::history::fold::shown;
use crate::render::layout::{count, grouped};
use crate::report::percent;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// How many ids of a list stand in the list of commits; the grid shows all.
const SHOWN: usize = 30;

/// The whole page.
pub fn page(series: &Series) -> String {
    let suite = html(&series.suite);
    let digest = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
    let shown = shown(&series.rows);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>history: {suite}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    );
    page.push_str(&header(series));
    page.push_str(&curve::figure(&series.rows));
    page.push_str(GRID);
    line(&mut page, "<h2>Commits</h2>\n<ol class=\"commits\">");
    for (index, folded) in &shown {
        page.push_str(&commit(&series.rows[*index], *folded));
    }
    line(&mut page, "</ol>");
    line(
        &mut page,
        "<footer>\n<p class=\"quiet\">Each commit is compared with the nearest older one on its line of first \
         parents whose suite could be evaluated. Commits that hold what the one before them held are folded.</p>\n</footer>\n</main>",
    );
    line(
        &mut page,
        &format!(
            "<script type=\"application/json\" id=\"data\">{}</script>",
            data::json(&series.rows, &shown)
        ),
    );
    write!(page, "<script>{SCRIPT}</script>\n</body>\n</html>\n")
        .expect("a String takes all that is written");
    page
}

const GRID: &str = r#"<section id="cases" hidden>
<h2>Case by commit</h2>
<form id="filter" role="search">
<label class="wide">Cases that contain <input id="text" type="search" autocomplete="off" spellcheck="false"></label>
<label>Which cases <select id="which"><option value="changed">that ever changed</option><option value="failing">that fail now</option><option value="all">all</option></select></label>
<label>Which commits <span><input id="quiet" type="checkbox"> only those that changed an outcome</span></label>
</form>
<p class="quiet" id="count" role="status"></p>
<div class="move"><button type="button" id="older">← older</button><input id="place" type="range" aria-label="Which commits are shown" min="0" max="0" step="1"><button type="button" id="newer">newer →</button></div>
<div class="scroll" id="scroll"><table class="grid"><thead id="head"></thead><tbody id="body"></tbody></table></div>
<p><button type="button" id="more" hidden></button></p>
<div class="key"><span><span class="pass">●</span> passes</span><span><span class="fail">✕</span> fails</span><span>framed: turned at this commit</span><span>striped: no suite, or one at fault</span><span>★ accepted as baseline</span></div>
<div id="details" aria-live="polite"><p class="quiet">Choose a commit, or an outcome that turned, to see more.</p></div>
</section>
"#;

fn header(series: &Series) -> String {
    let commits = count(series.rows.len() as u64, "commit");
    let parents = if series.all_parents { "all parents" } else { "first parents" };
    let rate = match series.rows.iter().find_map(Row::numbers) {
        None => "<h1>nothing evaluated</h1>\n".to_owned(),
        Some(numbers) => {
            let counts = numbers.counts;
            format!(
                "<h1>{}</h1>\n<p>{} of {} passed at the newest commit</p>\n",
                percent(counts.passed, counts.total),
                grouped(counts.passed),
                count(counts.total, "case")
            )
        }
    };
    format!(
        "<header>\n<p class=\"quiet\">diag-gate · history of suite {}</p>\n{rate}<p class=\"quiet\">{commits} of <code>{}</code>, {parents}</p>\n</header>\n",
        html(&series.suite),
        html(&series.range)
    )
}

fn commit(row: &Row, folded: usize) -> String {
    let commit = &row.commit;
    let date = commit.author.at.utc();
    let (class, rate) = match &row.state {
        State::Evaluated(numbers) => {
            let counts = numbers.counts;
            let class = if counts.passed == counts.total { "pass" } else { "" };
            (class, percent(counts.passed, counts.total))
        }
        State::Absent => ("quiet", "no suite".to_owned()),
        State::Invalid { .. } => ("fail", "at fault".to_owned()),
    };
    let merge = if row.is_merge() { " <span class=\"quiet\">merge</span>" } else { "" };
    let star = if row.marks.is_empty() { "" } else { " <span class=\"mark\">★</span>" };
    let mut text = format!(
        "<li><details>\n<summary><span class=\"rate {class}\">{rate}</span><span class=\"id\">{}</span>\
         <span class=\"quiet\">{}</span><span class=\"subject\">{}{merge}{star}</span>{}</summary>\n<dl>\n",
        commit.id.short(),
        html(date.split('T').next().unwrap_or_default()),
        html(&commit.subject),
        turns(row)
    );
    fact(&mut text, "author", &html(&person(&commit.author.person)));
    fact(&mut text, "commit", &format!("<code>{}</code>", commit.id.as_str()));
    match &row.state {
        State::Evaluated(numbers) => text.push_str(&facts(numbers)),
        State::Invalid { error } => fact(&mut text, "error", &html(error)),
        State::Absent => {}
    }
    for mark in &row.marks {
        fact(&mut text, "baseline", &html(&mark_words(mark)));
    }
    if folded > 0 {
        fact(&mut text, "folded", &format!("the same in {} after it", count(folded as u64, "commit")));
    }
    line(&mut text, "</dl>\n</details></li>");
    text
}

/// `−2 +1`: how many broke and were fixed.
fn turns(row: &Row) -> String {
    let Some(numbers) = row.numbers() else { return String::new() };
    let mut text = String::new();
    for (class, word, number) in
        [("fail", "broke", numbers.broke.len()), ("pass", "fixed", numbers.fixed.len())]
    {
        if number > 0 {
            write!(text, "<span class=\"{class}\">{number} {word}</span>")
                .expect("a String takes all that is written");
        }
    }
    text
}

fn facts(numbers: &Numbers) -> String {
    let counts = numbers.counts;
    let mut text = String::new();
    let unjudged = match counts.unjudged {
        0 => String::new(),
        number => format!(", {} could not be judged", grouped(number)),
    };
    fact(
        &mut text,
        "passed",
        &format!("{} of {}{unjudged}", grouped(counts.passed), count(counts.total, "case")),
    );
    let broke = numbers.broke.iter().map(|(id, outcome)| {
        let checks: Vec<&str> = outcome.failed.iter().map(|check| check.as_str()).collect();
        format!("<code>{}</code> ({})", html(id.as_str()), checks.join(", "))
    });
    list(&mut text, "broke", broke);
    list(&mut text, "fixed", numbers.fixed.iter().map(|(id, _)| code(id)));
    list(&mut text, "added", numbers.added.iter().map(|(id, _)| code(id)));
    list(&mut text, "removed", numbers.removed.iter().map(code));
    text
}

fn code(id: &CaseId) -> String {
    format!("<code>{}</code>", html(id.as_str()))
}

fn list(text: &mut String, name: &str, ids: impl ExactSizeIterator<Item = String>) {
    let number = ids.len();
    if number == 0 {
        return;
    }
    let mut shown = ids.take(SHOWN).collect::<Vec<_>>().join(", ");
    if number > SHOWN {
        write!(shown, ", and {} more", grouped((number - SHOWN) as u64))
            .expect("a String takes all that is written");
    }
    fact(text, name, &shown);
}

/// What a mark says. Untrusted text.
pub(super) fn mark_words(mark: &Mark) -> String {
    let reason = mark.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("accepted as {} {} by {}{reason}", mark.name, mark.id.short(), mark.by)
}

fn fact(text: &mut String, name: &str, value: &str) {
    line(text, &format!("<dt>{name}</dt><dd>{value}</dd>"));
}

fn line(page: &mut String, text: &str) {
    writeln!(page, "{text}").expect("a String takes all that is written");
}
