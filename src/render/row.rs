//! One entry as every format shows it.

use super::escape::Untrusted;
use super::places::{Places, Spot};
use super::words;
use crate::diff::{Cause, Severity, Value};
use crate::evaluate::{CaseResult, FailedChecks};
use crate::gate::{EntryLevel, Judged};
use crate::kind::Kind;

/// One entry.
#[derive(Clone, Debug)]
pub struct Row {
    /// What moved.
    pub kind: Kind,
    /// Whether that is bad, good or neither.
    pub severity: Severity,
    /// What the policy makes of it.
    pub level: EntryLevel,
    /// The case; `None` for the whole suite.
    pub case: Option<Untrusted>,
    /// Its title, where it says more than the id.
    pub title: Option<Untrusted>,
    /// What moved underneath.
    pub cause: Option<Cause>,
    /// Whether the old definition passes on the new trace, where that was asked.
    pub under_old_expectation: Option<bool>,
    /// What it is about.
    pub subjects: Vec<Untrusted>,
    /// The value before, as JSON; `None`: null.
    pub before: Option<Untrusted>,
    /// The value now, as JSON; `None`: null.
    pub after: Option<Untrusted>,
    /// The values before and now where they are numbers: digits and words of our own.
    pub numbers: Option<String>,
    /// What changed, in words.
    pub message: Untrusted,
    /// What the failed checks say of the answer, one line each.
    pub evidence: Vec<Untrusted>,
    /// Who accepted it and why, then which exception covers it; empty where it counts.
    pub covers: Vec<Untrusted>,
    /// The line of the rule or of the trace.
    pub spot: Option<Spot>,
}

impl Row {
    /// Of an entry and the present result of its case.
    pub(super) fn new(judged: &Judged, result: Option<&CaseResult>, places: &Places) -> Self {
        let entry = &judged.entry;
        let id = entry.case_id.as_ref().map(|id| id.as_str());
        let title = entry.title.as_deref().filter(|title| id != Some(*title));
        let evidence = match (entry.severity, result) {
            (Severity::Regression, Some(result)) if tells_checks(entry.kind) => evidence(result),
            (Severity::Regression | Severity::Improvement | Severity::Change, _) => Vec::new(),
        };
        let has_trace = result.is_some_and(|result| result.trace_id.is_some());
        Self {
            kind: entry.kind,
            severity: entry.severity,
            level: judged.level,
            case: id.map(Untrusted::new),
            title: title.map(Untrusted::new),
            cause: entry.cause,
            under_old_expectation: entry.under_old_expectation,
            subjects: entry.subjects.iter().map(Untrusted::new).collect(),
            before: value(&entry.before),
            after: value(&entry.after),
            numbers: numbers(&entry.before, &entry.after),
            message: Untrusted::new(&entry.message),
            evidence,
            covers: covers(judged),
            spot: places.spot(entry, has_trace),
        }
    }

    /// What moved underneath, in words.
    pub(super) fn cause_words(&self) -> Option<&'static str> {
        self.cause.map(words::cause)
    }
}

/// Whether an entry of this kind is about checks that fail now.
fn tells_checks(kind: Kind) -> bool {
    matches!(kind, Kind::CaseRegressed | Kind::ChecksLost | Kind::CaseUnjudged | Kind::CaseAdded)
}

fn evidence(result: &CaseResult) -> Vec<Untrusted> {
    match &result.failed_checks {
        FailedChecks::Checks(checks) => checks
            .iter()
            .map(|failed| Untrusted::new(format!("{}: {}", failed.check.as_str(), failed.message)))
            .collect(),
        FailedChecks::Plain(texts) => texts.iter().map(Untrusted::new).collect(),
    }
}

fn value(value: &Value) -> Option<Untrusted> {
    match value {
        Value::Null => None,
        Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_) | Value::Object(_) => {
            let json = serde_json::to_string(value).expect("texts, numbers and lists always serialize");
            Some(Untrusted::new(json))
        }
    }
}

fn numbers(before: &Value, after: &Value) -> Option<String> {
    Some(format!("{} before, {} now", number(before)?, number(after)?))
}

/// A number, or how many of how many passed.
fn number(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => serde_json::to_string(number).ok(),
        Value::Object(fields) => match fields.as_slice() {
            [(_, passed @ Value::Number(_)), (name, cases @ Value::Number(_))] if name == "cases" => {
                Some(format!("{} of {}", number(passed)?, number(cases)?))
            }
            [..] => None,
        },
        Value::Null | Value::Bool(_) | Value::Text(_) | Value::List(_) => None,
    }
}

fn covers(judged: &Judged) -> Vec<Untrusted> {
    let accepted = judged.accepted.as_ref().map(|accepted| {
        let reason = accepted.reason.as_deref().unwrap_or("no reason given");
        format!("accepted by {}: {reason} ({})", accepted.by, accepted.commit.short())
    });
    let waived =
        judged.waived.as_ref().map(|waived| format!("waived until {}: {}", waived.expires, waived.reason));
    accepted.into_iter().chain(waived).map(Untrusted::new).collect()
}
