//! A series for a terminal: a small curve, then a line a commit with what is otherwise than before.

use std::fmt::Write as _;
use std::sync::Arc;

use owo_colors::OwoColorize as _;

use crate::history::{Mark, Numbers, Outcome, Row, Series, State};
use crate::ids::CaseId;
use crate::render::escape::terminal;
use crate::render::layout::{WIDTH, count, grouped, pad, shorten, wrap};
use crate::render::report::Detail;
use crate::report::percent;

/// The columns of the curve.
const CURVE: usize = 60;
/// How many ids of a list are shown.
const SHOWN: usize = 5;
/// What stands below a commit begins here.
const INDENT: &str = "      ";

/// The series; in full, each commit has its line and each list all its ids.
pub fn text(series: &Series, detail: Detail) -> String {
    let mut page = headline(series);
    page.push_str(&curve(&series.rows));
    page.push('\n');
    let mut index = 0;
    while let Some(row) = series.rows.get(index) {
        let run = if detail == Detail::Full { 0 } else { run(&series.rows[index..]) };
        if run > 1 {
            let words = format!("{} with the same content", count(run as u64, "commit"));
            line(&mut page, &format!("{}", format!("   ⋮  {words}").dimmed()));
            index += run;
            continue;
        }
        page.push_str(&commit(row, detail));
        index += 1;
    }
    page
}

/// `suite default: 118 commits, newest 11 of 12 cases passed (91.6 %)`.
fn headline(series: &Series) -> String {
    let commits = count(series.rows.len() as u64, "commit");
    let head = format!("suite {}: {commits}", series.suite).bold().to_string();
    let Some(numbers) = series.rows.iter().find_map(Row::numbers) else {
        return format!("{head}, none of which could be evaluated\n");
    };
    format!("{head}, newest {}\n", rate_words(numbers))
}

fn rate_words(numbers: &Numbers) -> String {
    let counts = numbers.counts;
    let rate = percent(counts.passed, counts.total);
    format!("{} of {} passed ({rate})", grouped(counts.passed), count(counts.total, "case"))
}

/// How many commits from the first on hold what the one before them held, and say nothing new. The newest
/// commit of a range always has its line.
fn run(rows: &[Row]) -> usize {
    let digest = |row: &Row| row.numbers().map(|numbers| numbers.suite_digest.clone());
    let first = rows.first().and_then(digest);
    let says_nothing = |row: &&Row| match &row.state {
        State::Evaluated(numbers) => {
            numbers.is_quiet() && row.marks.is_empty() && Some(&numbers.suite_digest) == first.as_ref()
        }
        State::Absent | State::Invalid { .. } => false,
    };
    rows.iter().take_while(says_nothing).count()
}

fn commit(row: &Row, detail: Detail) -> String {
    let commit = &row.commit;
    let date = commit.author.at.utc();
    let day = date.split_once('T').map_or(date.as_str(), |(day, _)| day);
    let (rate, counts) = match &row.state {
        State::Evaluated(numbers) => {
            let counts = numbers.counts;
            (percent(counts.passed, counts.total), format!("{}/{}", counts.passed, counts.total))
        }
        State::Absent => ("no suite".to_owned(), String::new()),
        State::Invalid { .. } => ("at fault".to_owned(), String::new()),
    };
    let rate = pad(&rate, 9);
    let rate = match &row.state {
        State::Evaluated(numbers) if numbers.counts.passed == numbers.counts.total => {
            rate.green().to_string()
        }
        State::Evaluated(_) => rate.yellow().to_string(),
        State::Absent => rate.dimmed().to_string(),
        State::Invalid { .. } => rate.red().to_string(),
    };
    let merge = if row.is_merge() { "merge: " } else { "" };
    let author = pad(&shorten(&terminal(&commit.author.person.name), 14), 14);
    let counts = pad(&counts, 9);
    let room = WIDTH.saturating_sub(12 + 2 + 10 + 2 + 9 + 1 + 9 + 1 + 14 + 2).max(16);
    let subject = shorten(&format!("{merge}{}", terminal(&commit.subject)), room);
    let mut block = String::new();
    line(
        &mut block,
        &format!("{}  {day}  {rate} {counts} {author}  {subject}", commit.id.short().cyan()).trim_end(),
    );
    match &row.state {
        State::Evaluated(numbers) => block.push_str(&changes(numbers, detail)),
        State::Invalid { error } => line(&mut block, &wrap(&terminal(error), INDENT).red().to_string()),
        State::Absent => {}
    }
    for mark in &row.marks {
        line(&mut block, &wrap(&mark_words(mark), INDENT).blue().to_string());
    }
    block
}

fn changes(numbers: &Numbers, detail: Detail) -> String {
    let mut block = String::new();
    let with_checks = |(id, outcome): &(CaseId, Arc<Outcome>)| {
        let checks: Vec<&str> = outcome.failed.iter().map(|check| check.as_str()).collect();
        format!("{} ({})", terminal(id.as_str()), checks.join(", "))
    };
    let plain = |id: &CaseId| terminal(id.as_str());
    let broke = numbers.broke.iter().map(with_checks).collect();
    let fixed = numbers.fixed.iter().map(|(id, _)| plain(id)).collect();
    let added = numbers.added.iter().map(|(id, _)| plain(id)).collect();
    let removed = numbers.removed.iter().map(plain).collect();
    let lists: [(&str, Vec<String>); 4] =
        [("broke", broke), ("fixed", fixed), ("added", added), ("removed", removed)];
    for (word, ids) in lists {
        if ids.is_empty() {
            continue;
        }
        let text = wrap(&format!("{word} {}", listed(&ids, detail)), INDENT);
        let text = match word {
            "broke" => text.red().to_string(),
            "fixed" => text.green().to_string(),
            _ => text.dimmed().to_string(),
        };
        line(&mut block, &text);
    }
    block
}

fn listed(ids: &[String], detail: Detail) -> String {
    let shown = if detail == Detail::Full || ids.len() <= SHOWN + 1 { ids.len() } else { SHOWN };
    let mut text = ids[..shown].join(", ");
    if shown < ids.len() {
        write!(text, ", and {} more", grouped((ids.len() - shown) as u64))
            .expect("a String takes all that is written");
    }
    text
}

fn mark_words(mark: &Mark) -> String {
    let reason = mark.reason.as_deref().map(|reason| format!(": {}", terminal(reason))).unwrap_or_default();
    format!("★ accepted as {} {} by {}{reason}", mark.name, mark.id.short(), terminal(&mark.by))
}

/// The pass rate from the oldest commit to the newest in one line, between its lowest and its highest
/// value; where commits share a column, the lowest counts.
fn curve(rows: &[Row]) -> String {
    let evaluated = || rows.iter().filter_map(Row::numbers).filter(|numbers| numbers.counts.total > 0);
    let lower = |left: &&Numbers, right: &&Numbers| {
        let product =
            |one: &Numbers, other: &Numbers| u128::from(one.counts.passed) * u128::from(other.counts.total);
        product(left, right).cmp(&product(right, left))
    };
    let (Some(low), Some(high)) = (evaluated().min_by(lower), evaluated().max_by(lower)) else {
        return String::new();
    };
    let rate = |numbers: &Numbers| numbers.pass_rate().unwrap_or_default();
    let (least, most) = (rate(low), rate(high));
    let columns = rows.len().min(CURVE);
    let drawn: String = (0..columns)
        .map(|column| {
            let newest_first = columns - 1 - column;
            let part = &rows[newest_first * rows.len() / columns..(newest_first + 1) * rows.len() / columns];
            let lowest = part.iter().filter_map(Row::numbers).filter_map(Numbers::pass_rate);
            match lowest.min_by(f64::total_cmp) {
                None => '·',
                Some(_) if most <= least => BARS[BARS.len() - 1],
                Some(found) => {
                    let place = (found - least) / (most - least) * (BARS.len() - 1) as f64;
                    BARS[(place as usize).min(BARS.len() - 1)]
                }
            }
        })
        .collect();
    let words = |numbers: &Numbers| percent(numbers.counts.passed, numbers.counts.total);
    let between = if most > least { format!("{} to {}", words(low), words(high)) } else { words(high) };
    format!("{}  {}\n", drawn.cyan(), between.dimmed())
}

/// From the lowest rate of a curve to the highest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

fn line(page: &mut String, text: &(impl std::fmt::Display + ?Sized)) {
    writeln!(page, "{text}").expect("a String takes all that is written");
}
