//! A series for spreadsheets: the names of the JSON, a commit a line (docs/history.md).

use std::fmt::Write as _;

use crate::history::{Row, Series, State, person};
use crate::render::escape::terminal;

/// The names of the columns.
const COLUMNS: [&str; 20] = [
    "commit",
    "parents",
    "date",
    "author",
    "subject",
    "state",
    "error",
    "suiteDigest",
    "totalCases",
    "passedCases",
    "passRate",
    "unjudgedCases",
    "broke",
    "fixed",
    "added",
    "removed",
    "baseline",
    "baselineName",
    "baselineBy",
    "baselineReason",
];

/// The whole table. Lists are parted by blanks where they hold ids of git, and by `;` where they hold ids of
/// cases, in which `\;` and `\\` stand for `;` and `\`.
pub fn csv(series: &Series) -> String {
    let mut table = format!("{}\n", COLUMNS.join(","));
    for row in &series.rows {
        let cells: Vec<String> = cells(row).iter().map(|text| cell(text)).collect();
        writeln!(table, "{}", cells.join(",")).expect("a String takes all that is written");
    }
    table
}

fn cells(row: &Row) -> Vec<String> {
    let commit = &row.commit;
    let parents: Vec<&str> = commit.parents.iter().map(|id| id.as_str()).collect();
    let error = match &row.state {
        State::Invalid { error } => error.clone(),
        State::Absent | State::Evaluated(_) => String::new(),
    };
    let mut cells = vec![
        commit.id.as_str().to_owned(),
        parents.join(" "),
        commit.author.at.utc(),
        person(&commit.author.person),
        commit.subject.clone(),
        row.state.as_str().to_owned(),
        error,
    ];
    match row.numbers() {
        None => cells.extend((0..9).map(|_| String::new())),
        Some(numbers) => {
            let counts = numbers.counts;
            cells.push(numbers.suite_digest.as_str().to_owned());
            cells.extend([counts.total.to_string(), counts.passed.to_string()]);
            // As JSON writes it, so that both formats hold the same number.
            cells.push(
                numbers.pass_rate().map_or_else(String::new, |rate| serde_json::json!(rate).to_string()),
            );
            cells.push(counts.unjudged.to_string());
            cells.push(list(numbers.broke.iter().map(|(id, _)| id.as_str())));
            cells.push(list(numbers.fixed.iter().map(|(id, _)| id.as_str())));
            cells.push(list(numbers.added.iter().map(|(id, _)| id.as_str())));
            cells.push(list(numbers.removed.iter().map(|id| id.as_str())));
        }
    }
    match row.marks.first() {
        None => cells.extend((0..4).map(|_| String::new())),
        Some(mark) => {
            let reason = mark.reason.clone().unwrap_or_default();
            cells.extend([mark.id.as_str().to_owned(), mark.name.clone(), mark.by.clone(), reason]);
        }
    }
    cells
}

fn list<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let whole: Vec<String> = ids.map(|id| id.replace('\\', "\\\\").replace(';', "\\;")).collect();
    whole.join(";")
}

/// A cell on one line that a spreadsheet shows and does not run: one that would begin a formula begins
/// with `'`.
fn cell(text: &str) -> String {
    let text = terminal(text);
    // Some spreadsheets leave blanks out, or take the full-width forms for the signs themselves.
    let begins = text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    // A tab and a carriage return may begin a formula, too: they stand here as `\t` and `\r`.
    let text = if begins || text.starts_with('\\') { format!("'{text}") } else { text };
    if text.contains(['"', ',', ';', '\'', ' ']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_runs_and_none_breaks_out() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("0.5", "0.5"),
            ("=1+1", "\"'=1+1\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("  =1", "\"'  =1\""),
            ("＝1", "\"'＝1\""),
            ("\t=1", "\"'\\t=1\""),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("a;b", "\"a;b\""),
            ("a\nb", "a\\nb"),
            ("订单超时", "订单超时"),
        ] {
            assert_eq!(cell(text), expected, "{text}");
        }
    }
}
