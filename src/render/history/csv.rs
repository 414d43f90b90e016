//! A series for spreadsheets: the names of the JSON, a commit a line (docs/history.md).

use std::fmt::Write as _;

use crate::history::{Row, Series, State, person};

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
    "baselineId",
    "baselineName",
    "baselineBy",
    "baselineReason",
];

/// The whole table, lines ended by CRLF as RFC 4180 has it. Lists are parted by blanks where they hold ids
/// of git, and by line feeds where they hold ids of cases.
pub fn csv(series: &Series) -> String {
    let mut table = format!("{}\r\n", COLUMNS.join(","));
    for row in &series.rows {
        let cells: Vec<String> = cells(row).iter().map(|text| cell(text)).collect();
        write!(table, "{}\r\n", cells.join(",")).expect("a String takes all that is written");
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
    ids.collect::<Vec<_>>().join("\n")
}

/// A cell that a spreadsheet shows and does not run: one that would begin a formula begins with `'`.
fn cell(text: &str) -> String {
    let text: String = text.chars().filter(|character| *character != '\0').collect();
    let shown = text.trim_start_matches([' ', '\u{a0}', '\u{feff}', '\u{3000}']);
    // Some spreadsheets take the full-width forms for the signs themselves.
    let runs = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    let text = if shown.starts_with(runs) { format!("'{text}") } else { text };
    if text.contains(['"', ',', '\r', '\n', '\'', ' ', ';', '\t']) {
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
            ("\t=1", "\"'\t=1\""),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("a;b", "\"a;b\""),
            ("a\nb", "\"a\nb\""),
            ("订单超时", "订单超时"),
        ] {
            assert_eq!(cell(text), expected, "{text}");
        }
    }
}
