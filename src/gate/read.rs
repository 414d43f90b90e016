//! Reads a judged diff back: the document that `check --format json` writes (diff-and-gate.md section 1).
//!
//! Whoever hands one in may have changed it: what its counts say must follow from its entries.

use serde::Deserialize;
use serde_json::Value as Json;

use crate::diff::{Cause, Entry, Head, LikeForLike, Severity, Value};
use crate::gate::{Accepted, EntryLevel, Gate, Judged, Outcome, Stale, StaleWaiver, Waived};
use crate::ids::{CaseId, Digest, ObjectId};
use crate::kind::Kind;
use crate::number::Number;
use crate::report::SourceState;
use crate::suite::config::Waiver;

/// A judged diff that was saved.
#[derive(Clone, Debug)]
pub struct SavedGate {
    /// The decision. A minimum that was missed does not stand in a document: it shows in the outcome alone.
    pub gate: Gate,
    /// The accepted baseline; `None` in a diff of two reports.
    pub link: Option<SavedLink>,
}

/// What a document says of the accepted baseline. Untrusted text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedLink {
    /// The name of the chain.
    pub name: String,
    /// The ref that it was read from.
    pub r#ref: String,
    /// The link.
    pub commit: String,
    /// The evaluated commit.
    pub evaluated: String,
    /// When it was accepted, as a moment in UTC.
    pub accepted_at: String,
    /// Who accepted it.
    pub by: String,
    /// By which rule it was chosen.
    pub rule: String,
}

/// Why a document cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadGateError {
    /// It is no JSON, or not of this form.
    #[error("this is not a decision as `diag-gate check --format json` writes it")]
    Form(#[source] serde_json::Error),
    /// It is of another version.
    #[error("the decision is of version {0}, of which this program knows 1 alone")]
    Version(u64),
    /// A part of it is none of what it can be.
    #[error("{place}: `{found}` is no {what}")]
    Part {
        /// Where it stands.
        place: String,
        /// What stands there. Untrusted text.
        found: String,
        /// What belongs there.
        what: &'static str,
    },
    /// What it counts is not what it holds.
    #[error("{0} does not follow from the entries")]
    Inconsistent(&'static str),
}

/// Reads a document.
///
/// # Errors
/// It is of another form or version, or contradicts itself.
pub fn read(bytes: &[u8]) -> Result<SavedGate, ReadGateError> {
    let Version { schema_version } = serde_json::from_slice(bytes).map_err(ReadGateError::Form)?;
    if schema_version != 1 {
        return Err(ReadGateError::Version(schema_version));
    }
    let document: Document = serde_json::from_slice(bytes).map_err(ReadGateError::Form)?;
    let entries = document.entries.into_iter().enumerate().map(|(number, entry)| entry.judged(number));
    let entries: Vec<Judged> = entries.collect::<Result<_, _>>()?;
    let outcome = match document.gate.outcome.as_str() {
        "pass" => Outcome::Pass,
        "block" => Outcome::Block,
        other => return Err(part("gate.outcome".to_owned(), other, "outcome")),
    };
    let stale = document.gate.stale_waivers.into_iter().map(StaleJson::stale);
    let gate = Gate {
        baseline: document.baseline.head.head("baseline")?,
        current: document.current.head("current")?,
        like_for_like: LikeForLike {
            cases: document.like_for_like.cases,
            baseline_passed: document.like_for_like.baseline_passed,
            current_passed: document.like_for_like.current_passed,
        },
        entries,
        outcome,
        blocking: document.gate.blocking,
        warnings: document.gate.warnings,
        below_minimum: None,
        stale_waivers: stale.collect::<Result<_, _>>()?,
    };
    follows(&gate)?;
    Ok(SavedGate { gate, link: document.baseline.link })
}

/// Whether the counts follow from the entries.
fn follows(gate: &Gate) -> Result<(), ReadGateError> {
    let count =
        |counted: fn(&Judged) -> bool| gate.entries.iter().filter(|judged| counted(judged)).count() as u64;
    let checks = [
        ("gate.blocking", gate.blocking == count(Judged::blocks)),
        ("gate.warnings", gate.warnings == count(Judged::warns)),
        ("gate.outcome", gate.blocking == 0 || gate.outcome == Outcome::Block),
    ];
    match checks.into_iter().find(|(_, holds)| !holds) {
        Some((what, _)) => Err(ReadGateError::Inconsistent(what)),
        None => Ok(()),
    }
}

fn part(place: String, found: &str, what: &'static str) -> ReadGateError {
    ReadGateError::Part { place, found: found.chars().take(80).collect(), what }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    schema_version: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Document {
    #[serde(rename = "schemaVersion")]
    _schema_version: u64,
    baseline: BaselineJson,
    current: HeadJson,
    like_for_like: LikeForLikeJson,
    entries: Vec<EntryJson>,
    gate: GateJson,
}

#[derive(Deserialize)]
struct BaselineJson {
    #[serde(flatten)]
    head: HeadJson,
    #[serde(flatten)]
    link: Option<SavedLink>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeadJson {
    source: Option<SourceJson>,
    suite_digest: Option<String>,
    total_cases: u64,
    passed_cases: u64,
    pass_rate: f64,
}

#[derive(Deserialize)]
struct SourceJson {
    commit: Option<String>,
    dirty: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LikeForLikeJson {
    cases: u64,
    baseline_passed: u64,
    current_passed: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EntryJson {
    kind: String,
    severity: String,
    level: String,
    case_id: Option<String>,
    title: Option<String>,
    cause: Option<String>,
    under_old_expectation: Option<bool>,
    subjects: Vec<String>,
    before: Json,
    after: Json,
    accepted: Option<AcceptedJson>,
    waived: Option<WaivedJson>,
    message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptedJson {
    by: String,
    reason: Option<String>,
    commit: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WaivedJson {
    reason: String,
    expires: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GateJson {
    outcome: String,
    blocking: u64,
    warnings: u64,
    stale_waivers: Vec<StaleJson>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StaleJson {
    case: String,
    kinds: Vec<String>,
    reason: String,
    expires: String,
    why: String,
}

impl HeadJson {
    fn head(self, place: &'static str) -> Result<Head, ReadGateError> {
        let Self { source, suite_digest, total_cases, passed_cases, pass_rate } = self;
        if passed_cases > total_cases {
            return Err(part(format!("{place}.passedCases"), &passed_cases.to_string(), "part of all cases"));
        }
        let source = source.map(|source| {
            let commit = source.commit.map(|id| object_id(&id, || format!("{place}.source.commit")));
            Ok::<_, ReadGateError>(SourceState { commit: commit.transpose()?, dirty: source.dirty })
        });
        let digest = suite_digest.map(|text| {
            Digest::parse(&text).ok_or_else(|| part(format!("{place}.suiteDigest"), &text, "digest"))
        });
        Ok(Head {
            source: source.transpose()?,
            suite_digest: digest.transpose()?,
            total_cases,
            passed_cases,
            pass_rate,
        })
    }
}

impl EntryJson {
    fn judged(self, number: usize) -> Result<Judged, ReadGateError> {
        let place = |field: &str| format!("entries[{number}].{field}");
        let severities = [Severity::Regression, Severity::Improvement, Severity::Change];
        let levels = [EntryLevel::Info, EntryLevel::Ignore, EntryLevel::Warn, EntryLevel::Block];
        let causes = [Cause::Trace, Cause::Case, Cause::Both, Cause::Evaluator, Cause::Unknown];
        let severity = severities.into_iter().find(|known| known.as_str() == self.severity);
        let level = levels.into_iter().find(|known| known.as_str() == self.level);
        let cause = self.cause.map(|name| {
            let known = causes.into_iter().find(|known| known.as_str() == name);
            known.ok_or_else(|| part(place("cause"), &name, "cause"))
        });
        let entry = Entry {
            kind: kind(&self.kind, || place("kind"))?,
            severity: severity.ok_or_else(|| part(place("severity"), &self.severity, "severity"))?,
            case_id: self.case_id.map(CaseId::new),
            title: self.title,
            cause: cause.transpose()?,
            under_old_expectation: self.under_old_expectation,
            subjects: self.subjects,
            before: value(self.before),
            after: value(self.after),
            message: self.message,
        };
        let accepted = self.accepted.map(|accepted| {
            let commit = object_id(&accepted.commit, || place("accepted.commit"))?;
            Ok::<_, ReadGateError>(Accepted { by: accepted.by, reason: accepted.reason, commit })
        });
        let waived = self.waived.map(|waived| {
            let expires = date(&waived.expires, || place("waived.expires"))?;
            Ok::<_, ReadGateError>(Waived { reason: waived.reason, expires })
        });
        Ok(Judged {
            entry,
            level: level.ok_or_else(|| part(place("level"), &self.level, "level"))?,
            accepted: accepted.transpose()?,
            waived: waived.transpose()?,
        })
    }
}

impl StaleJson {
    fn stale(self) -> Result<StaleWaiver, ReadGateError> {
        let place = || "gate.staleWaivers".to_owned();
        let why = [Stale::Expired, Stale::Unused].into_iter().find(|known| known.as_str() == self.why);
        let kinds = self.kinds.iter().map(|name| kind(name, place));
        let waiver = Waiver {
            case: self.case,
            kinds: kinds.collect::<Result<_, _>>()?,
            reason: self.reason,
            expires: date(&self.expires, place)?,
            line: 0,
        };
        Ok(StaleWaiver { waiver, why: why.ok_or_else(|| part(place(), &self.why, "fault of a waiver"))? })
    }
}

fn kind(name: &str, place: impl Fn() -> String) -> Result<Kind, ReadGateError> {
    Kind::parse(name).ok_or_else(|| part(place(), name, "kind of entry"))
}

fn object_id(text: &str, place: impl Fn() -> String) -> Result<ObjectId, ReadGateError> {
    ObjectId::parse(text).ok_or_else(|| part(place(), text, "object id"))
}

fn date(text: &str, place: impl Fn() -> String) -> Result<jiff::civil::Date, ReadGateError> {
    text.parse().map_err(|_| part(place(), text, "date"))
}

fn value(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => Number::parse(&number.to_string()).map_or(Value::Null, Value::Number),
        Json::String(text) => Value::Text(text),
        Json::Array(values) => Value::List(values.into_iter().map(value).collect()),
        Json::Object(fields) => Value::object(fields.into_iter().map(|(key, json)| (key, value(json)))),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date as day;
    use proptest::prelude::*;

    use super::*;
    use crate::diff::{diff, model};
    use crate::gate::{decide, to_json};
    use crate::suite::config::Config;

    fn error(text: &str) -> String {
        read(text.as_bytes()).unwrap_err().to_string()
    }

    fn one_entry() -> String {
        let asked = crate::suite::Expectations::default();
        let results = |answer: &str| {
            let run = model::Run { answer: answer.to_owned(), ..model::good_run() };
            let asked = crate::suite::Expectations {
                expected_root_cause_keywords: vec!["超时".into()],
                min_keyword_matches: Some(1),
                ..asked.clone()
            };
            model::report(vec![run.result("a", &asked)])
        };
        let moved = diff(&results("超时"), &results("no"), &Config::default().gate.thresholds).unwrap();
        to_json(&decide(moved, &Config::default().gate, day(2026, 1, 1), Vec::new()))
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let text = one_entry();
        assert!(read(text.as_bytes()).is_ok());
        assert!(
            error(&text.replace("\"outcome\": \"block\"", "\"outcome\": \"pass\"")).contains("gate.outcome")
        );
        assert!(
            error(&text.replace("\"level\": \"block\"", "\"level\": \"ignore\"")).contains("gate.blocking")
        );
        assert!(error(&text.replace("\"schemaVersion\": 1", "\"schemaVersion\": 2")).contains("version 2"));
        assert!(
            error(&text.replace("\"case-regressed\"", "\"case-went\"")).contains("`case-went` is no kind")
        );
        assert!(
            error(&text.replace("\"passedCases\": 0", "\"passedCases\": 9")).contains("current.passedCases")
        );
        assert!(error("{}").contains("not a decision") && error("").contains("not a decision"));
    }

    proptest! {
        #[test]
        fn what_was_written_reads_the_same((before, after) in model::two_reports()) {
            if let Ok(moved) = diff(&before, &after, &Config::default().gate.thresholds) {
                let gate = decide(moved, &Config::default().gate, day(2026, 1, 1), Vec::new());
                let text = to_json(&gate);
                let read = read(text.as_bytes()).unwrap();
                prop_assert!(read.link.is_none());
                let again: Json = serde_json::from_str(&to_json(&read.gate)).unwrap();
                prop_assert_eq!(again, serde_json::from_str::<Json>(&text).unwrap());
            }
        }
    }
}
