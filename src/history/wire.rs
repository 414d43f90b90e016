//! The JSON of a series: one object, a commit a line (docs/history.md).

use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use crate::history::row::{Mark, Row, Series, State};
use crate::history::{Outcome, person};
use crate::ids::CaseId;

/// The version of both documents.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// Writes a series.
///
/// # Errors
/// The sink failed.
pub fn write_json(series: &Series, sink: &mut impl Write) -> io::Result<()> {
    let parents = if series.all_parents { "all" } else { "first" };
    let head = serde_json::json!([series.suite, series.range]);
    write!(
        sink,
        "{{\"schemaVersion\": {SCHEMA_VERSION}, \"suite\": {}, \"range\": {}, \"parents\": \"{parents}\", \"commits\": [",
        head[0], head[1]
    )?;
    for (index, row) in series.rows.iter().enumerate() {
        sink.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *sink, &RowJson::of(row))?;
    }
    sink.write_all(b"\n]}\n")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowJson<'a> {
    commit: &'a str,
    parents: Vec<&'a str>,
    date: String,
    author: String,
    subject: &'a str,
    state: &'static str,
    error: Option<&'a str>,
    suite_digest: Option<&'a str>,
    total_cases: Option<u64>,
    passed_cases: Option<u64>,
    pass_rate: Option<f64>,
    unjudged_cases: Option<u64>,
    broke: Vec<&'a CaseId>,
    fixed: Vec<&'a CaseId>,
    added: Vec<&'a CaseId>,
    removed: Vec<&'a CaseId>,
    baseline: Option<MarkJson<'a>>,
    /// Only where a commit was accepted more than once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    earlier_baselines: Vec<MarkJson<'a>>,
}

#[derive(Serialize)]
struct MarkJson<'a> {
    id: &'a str,
    name: &'a str,
    by: &'a str,
    reason: Option<&'a str>,
}

impl<'a> MarkJson<'a> {
    fn of(mark: &'a Mark) -> Self {
        Self { id: mark.id.as_str(), name: &mark.name, by: &mark.by, reason: mark.reason.as_deref() }
    }
}

impl<'a> RowJson<'a> {
    fn of(row: &'a Row) -> Self {
        let commit = &row.commit;
        let numbers = row.numbers();
        let mut marks = row.marks.iter().map(MarkJson::of);
        let error = match &row.state {
            State::Invalid { error } => Some(error.as_str()),
            State::Absent | State::Evaluated(_) => None,
        };
        Self {
            commit: commit.id.as_str(),
            parents: commit.parents.iter().map(|id| id.as_str()).collect(),
            date: commit.author.at.utc(),
            author: person(&commit.author.person),
            subject: &commit.subject,
            state: row.state.as_str(),
            error,
            suite_digest: numbers.map(|numbers| numbers.suite_digest.as_str()),
            total_cases: numbers.map(|numbers| numbers.counts.total),
            passed_cases: numbers.map(|numbers| numbers.counts.passed),
            pass_rate: numbers.and_then(|numbers| numbers.pass_rate()),
            unjudged_cases: numbers.map(|numbers| numbers.counts.unjudged),
            broke: numbers.map_or_else(Vec::new, |numbers| ids(&numbers.broke)),
            fixed: numbers.map_or_else(Vec::new, |numbers| ids(&numbers.fixed)),
            added: numbers.map_or_else(Vec::new, |numbers| ids(&numbers.added)),
            removed: numbers.map_or_else(Vec::new, |numbers| numbers.removed.iter().collect()),
            baseline: marks.next(),
            earlier_baselines: marks.collect(),
        }
    }
}

fn ids(cases: &[(CaseId, Arc<Outcome>)]) -> Vec<&CaseId> {
    cases.iter().map(|(id, _)| id).collect()
}
