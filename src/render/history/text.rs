//! A series for a terminal: a small curve, then a line a commit with what is otherwise than before.

use std::fmt::Write as _;
use std::sync::Arc;

use owo_colors::OwoColorize as _;

use crate::history::{Mark, Numbers, Outcome, Row, Series, State};
use crate::ids::CaseId;
use crate::render::escape::terminal;
use crate::render::history::fold::shown;
use crate::render::layout::{WIDTH, count, grouped, pad, shorten, width, wrap};
use crate::render::report::Detail;
use crate::report::percent;

/// The columns of the curve.
const CURVE: usize = 60;
/// How many ids of a list are shown.
const SHOWN: usize = 5;
/// The most columns of an author.
const WIDEST_AUTHOR: usize = 14;
/// The fewest columns of a subject.
const LEAST_SUBJECT: usize = 16;
/// What stands below a commit begins here.
const INDENT: &str = "      ";

/// The series; in full, each commit has its line and each list all its ids.
pub fn text(series: &Series, detail: Detail) -> String {
    let mut page = headline(series);
    page.push_str(&curve(&series.rows));
    page.push('\n');
    let columns = Columns::of(&series.rows);
    let shown = match detail {
        Detail::Full => (0..series.rows.len()).map(|index| (index, 0)).collect(),
        Detail::Brief => shown(&series.rows),
    };
    for (index, folded) in shown {
        if folded > 0 {
            let hold = if folded == 1 { "holds" } else { "hold" };
            let words = format!("⋮  {} that {hold} what the next one holds", count(folded as u64, "commit"));
            line(&mut page, &words.dimmed());
        }
        page.push_str(&commit(&series.rows[index], &columns, detail));
    }
    page
}

/// `suite default: 118 commits, newest 11 of 12 cases passed (91.6 %)`.
fn headline(series: &Series) -> String {
    if series.rows.is_empty() {
        return format!("suite {}: no commit in `{}`\n", series.suite, terminal(&series.range));
    }
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

/// How wide the columns are, so that each is as narrow as it can be.
struct Columns {
    rate: usize,
    counts: usize,
    author: usize,
}

impl Columns {
    fn of(rows: &[Row]) -> Self {
        let widest = |text: fn(&Row) -> String| rows.iter().map(|row| width(&text(row))).max().unwrap_or(0);
        Self { rate: widest(rate), counts: widest(counts), author: widest(author).min(WIDEST_AUTHOR) }
    }

    /// What is left for the subject.
    fn room(&self) -> usize {
        let taken = 12 + 2 + 10 + 2 + self.rate + 2 + self.counts + 2 + self.author + 2;
        WIDTH.saturating_sub(taken).max(LEAST_SUBJECT)
    }
}

fn rate(row: &Row) -> String {
    match &row.state {
        State::Evaluated(numbers) => percent(numbers.counts.passed, numbers.counts.total),
        State::Absent => "no suite".to_owned(),
        State::Invalid { .. } => "at fault".to_owned(),
    }
}

fn counts(row: &Row) -> String {
    row.numbers()
        .map_or_else(String::new, |numbers| format!("{}/{}", numbers.counts.passed, numbers.counts.total))
}

fn author(row: &Row) -> String {
    terminal(&row.commit.author.person.name)
}

fn commit(row: &Row, columns: &Columns, detail: Detail) -> String {
    let commit = &row.commit;
    let date = commit.author.at.utc();
    let day = date.split_once('T').map_or(date.as_str(), |(day, _)| day);
    let rate = pad(&rate(row), columns.rate);
    let rate = match &row.state {
        State::Evaluated(numbers) if numbers.counts.passed == numbers.counts.total => {
            rate.green().to_string()
        }
        State::Evaluated(_) => rate.yellow().to_string(),
        State::Absent => rate.dimmed().to_string(),
        State::Invalid { .. } => rate.red().to_string(),
    };
    let merge = if row.is_merge() { "merge: " } else { "" };
    let subject = shorten(&format!("{merge}{}", terminal(&commit.subject)), columns.room());
    let author = pad(&shorten(&author(row), columns.author), columns.author);
    let counts = pad(&counts(row), columns.counts);
    let mut block = String::new();
    let id = commit.id.short().cyan().to_string();
    line(&mut block, &format!("{id}  {day}  {rate}  {counts}  {author}  {subject}").trim_end());
    match &row.state {
        State::Evaluated(numbers) => block.push_str(&changes(numbers, detail)),
        State::Invalid { error } => line(&mut block, &wrap(&terminal(error), INDENT).red()),
        State::Absent => {}
    }
    for mark in &row.marks {
        line(&mut block, &wrap(&mark_words(mark), INDENT).blue());
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
