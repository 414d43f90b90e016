//! The data of a page: what its grid is drawn from.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde::Serialize;

use crate::history::{Numbers, Outcome, Row, State};
use crate::ids::{CaseId, ObjectId};
use crate::render::escape::terminal;
use crate::render::history::page::mark_words;
use crate::report::percent;

/// The data as JSON that can stand in a script: nothing in it ends one. Texts are as a page may show them.
pub(super) fn json(rows: &[Row], shown: &[(usize, usize)]) -> String {
    let cases: BTreeSet<&CaseId> = rows.iter().filter_map(Row::numbers).flat_map(all_ids).collect();
    let places: HashMap<&CaseId, usize> = cases.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    let columns = columns_of(rows, shown);
    let data = Data {
        cases: cases.iter().map(|id| terminal(id.as_str())).collect(),
        columns: shown
            .iter()
            .rev()
            .map(|(index, folded)| Column::of(&rows[*index], *folded, &places, &columns))
            .collect(),
    };
    let text = serde_json::to_string(&data).expect("texts, numbers and lists always serialize");
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn all_ids(numbers: &Numbers) -> impl Iterator<Item = &CaseId> {
    let moved = [&numbers.broke, &numbers.fixed, &numbers.added, &numbers.start];
    moved.into_iter().flatten().map(|(id, _)| id).chain(&numbers.removed)
}

/// The column of each commit, also of those that are folded into an older one.
fn columns_of<'a>(rows: &'a [Row], shown: &[(usize, usize)]) -> BTreeMap<&'a ObjectId, usize> {
    let mut columns = BTreeMap::new();
    for (column, (index, folded)) in shown.iter().rev().enumerate() {
        for row in &rows[index - folded..=*index] {
            columns.insert(&row.commit.id, column);
        }
    }
    columns
}

#[derive(Serialize)]
struct Data {
    cases: Vec<String>,
    /// Oldest first.
    columns: Vec<Column>,
}

#[derive(Serialize, Default)]
struct Column {
    id: String,
    date: String,
    author: String,
    subject: String,
    state: &'static str,
    error: String,
    passed: u64,
    total: u64,
    rate: String,
    folded: usize,
    marks: Vec<String>,
    /// The column that it is compared with; -1: none of them.
    base: i64,
    /// All outcomes, where there is no such column.
    start: Vec<(usize, bool)>,
    broke: Vec<(usize, String)>,
    fixed: Vec<(usize, String)>,
    added: Vec<(usize, String, bool)>,
    removed: Vec<usize>,
}

impl Column {
    fn of(
        row: &Row,
        folded: usize,
        places: &HashMap<&CaseId, usize>,
        columns: &BTreeMap<&ObjectId, usize>,
    ) -> Self {
        let commit = &row.commit;
        let mut column = Self {
            id: commit.id.as_str().to_owned(),
            date: commit.author.at.utc(),
            author: terminal(&commit.author.person.name),
            subject: terminal(&commit.subject),
            state: row.state.as_str(),
            folded,
            marks: row.marks.iter().map(|mark| terminal(&mark_words(mark))).collect(),
            base: -1,
            ..Self::default()
        };
        match &row.state {
            State::Absent => {}
            State::Invalid { error } => column.error = terminal(error),
            State::Evaluated(numbers) => column.fill(numbers, places, columns),
        }
        column
    }

    fn fill(
        &mut self,
        numbers: &Numbers,
        places: &HashMap<&CaseId, usize>,
        columns: &BTreeMap<&ObjectId, usize>,
    ) {
        let counts = numbers.counts;
        (self.passed, self.total) = (counts.passed, counts.total);
        self.rate = percent(counts.passed, counts.total);
        if let Some(base) = numbers.base.as_ref().and_then(|base| columns.get(base)) {
            self.base = i64::try_from(*base).unwrap_or(-1);
        }
        let failed = |(id, outcome): &(CaseId, Arc<Outcome>)| {
            let checks: Vec<&str> = outcome.failed.iter().map(|check| check.as_str()).collect();
            (places[id], checks.join(", "))
        };
        self.start = numbers.start.iter().map(|(id, outcome)| (places[id], outcome.passed)).collect();
        self.broke = numbers.broke.iter().map(failed).collect();
        self.fixed = numbers.fixed.iter().map(failed).collect();
        self.added = numbers
            .added
            .iter()
            .map(|moved| {
                let (place, checks) = failed(moved);
                (place, checks, moved.1.passed)
            })
            .collect();
        self.removed = numbers.removed.iter().map(|id| places[id]).collect();
    }
}
