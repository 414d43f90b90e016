//! A decision as SARIF 2.1.0, for code scanning: the rules are the kinds of entries, the results are the
//! entries that the policy could count. What a maintainer accepted or waived is a suppressed result.

use serde::Serialize;

use super::escape::Untrusted;
use super::places::Spot;
use super::row::Row;
use super::view::{Group, View};
use super::words;
use crate::diff::Severity;
use crate::gate::EntryLevel;
use crate::kind::Kind;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log: one run.
pub fn sarif(view: &View) -> String {
    let counted = |(group, row): &(Group, &Row)| match group {
        Group::Blocking | Group::Warnings | Group::Accepted | Group::Waived => true,
        Group::Improvements | Group::Changes => row.severity == Severity::Regression,
    };
    let (counted, told): (Vec<_>, Vec<_>) = view.rows().partition(counted);
    let mut kinds: Vec<Kind> = counted.iter().map(|(_, row)| row.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let results = counted.iter().map(|(group, row)| Finding::of(*group, row, &kinds)).collect();
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "diag-gate",
                    version: env!("CARGO_PKG_VERSION"),
                    rules: kinds.iter().map(rule).collect(),
                },
            },
            invocations: [Invocation { execution_successful: true }],
            column_kind: "unicodeCodePoints",
            results,
            properties: Summary::of(view, &told),
        }],
    };
    let mut text = serde_json::to_string_pretty(&log).expect("texts, numbers and lists always serialize");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<Finding<'a>>,
    properties: Summary<'a>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
}

#[derive(Serialize)]
struct Message<T> {
    text: T,
}

/// A SARIF result; not the result of a case.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding<'a> {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message<&'a Untrusted>,
    locations: Vec<Location<'a>>,
    partial_fingerprints: Fingerprints<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression<'a>>,
    properties: Properties<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<Physical>,
    logical_locations: [Logical<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
}

#[derive(Serialize)]
struct Logical<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a Untrusted>,
    kind: &'static str,
}

/// What makes two results of two runs the same one: kind and case.
#[derive(Serialize)]
struct Fingerprints<'a> {
    #[serde(rename = "entry/v1")]
    entry: Fingerprint<'a>,
}

struct Fingerprint<'a>(&'static str, Option<&'a Untrusted>);

#[derive(Serialize)]
struct Suppression<'a> {
    kind: &'static str,
    status: &'static str,
    justification: &'a Untrusted,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties<'a> {
    case_id: Option<&'a Untrusted>,
    title: Option<&'a Untrusted>,
    severity: Severity,
    level: EntryLevel,
    cause: Option<&'static str>,
    under_old_expectation: Option<bool>,
    subjects: &'a [Untrusted],
    before: Option<&'a Untrusted>,
    after: Option<&'a Untrusted>,
    evidence: &'a [Untrusted],
}

/// What the decision says beside its results.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary<'a> {
    suite: Option<&'a Untrusted>,
    outcome: &'static str,
    headline: &'a str,
    counted: &'static str,
    below_minimum: Option<&'a str>,
    baseline: Option<Baseline<'a>>,
    totals: Vec<Total<'a>>,
    stale_waivers: &'a [Untrusted],
    /// Improvements and changes.
    also: Vec<Also<'a>>,
    reproduce: Option<&'a Untrusted>,
    accept: Option<&'a Untrusted>,
}

#[derive(Serialize)]
struct Baseline<'a> {
    title: &'a Untrusted,
    commit: &'a Untrusted,
    evaluated: &'a Untrusted,
    by: &'a Untrusted,
    age: &'a Untrusted,
    rule: &'a Untrusted,
}

#[derive(Serialize)]
struct Total<'a> {
    of: &'static str,
    before: &'a str,
    now: &'a str,
}

#[derive(Serialize)]
struct Also<'a> {
    kind: Kind,
    message: &'a Untrusted,
    #[serde(flatten)]
    properties: Properties<'a>,
}

fn rule(kind: &Kind) -> Rule {
    Rule {
        id: kind.as_str(),
        short_description: Message { text: format!("{}.", capital(words::kind(*kind))) },
    }
}

fn capital(clause: &str) -> String {
    let (first, rest) = clause.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}

impl<'a> Finding<'a> {
    fn of(group: Group, row: &'a Row, kinds: &[Kind]) -> Self {
        let suppressions = match group {
            Group::Accepted | Group::Waived => row.covers.iter().map(suppression).collect(),
            Group::Blocking | Group::Warnings | Group::Improvements | Group::Changes => Vec::new(),
        };
        Self {
            rule_id: row.kind.as_str(),
            rule_index: kinds.binary_search(&row.kind).expect("the rules are the kinds of the results"),
            level: match row.level {
                EntryLevel::Block => "error",
                EntryLevel::Warn => "warning",
                EntryLevel::Info | EntryLevel::Ignore => "note",
            },
            message: Message { text: &row.message },
            locations: vec![location(row)],
            partial_fingerprints: Fingerprints { entry: Fingerprint(row.kind.as_str(), row.case.as_ref()) },
            suppressions,
            properties: Properties::of(row),
        }
    }
}

fn suppression(justification: &Untrusted) -> Suppression<'_> {
    Suppression { kind: "external", status: "accepted", justification }
}

fn location(row: &Row) -> Location<'_> {
    let physical = |spot: &Spot| Physical {
        artifact_location: Artifact { uri: spot.file.uri_path() },
        region: Region { start_line: spot.line },
    };
    let kind = if row.case.is_some() { "member" } else { "module" };
    Location {
        physical_location: row.spot.as_ref().map(physical),
        logical_locations: [Logical { name: row.case.as_ref(), kind }],
    }
}

impl<'a> Properties<'a> {
    fn of(row: &'a Row) -> Self {
        Self {
            case_id: row.case.as_ref(),
            title: row.title.as_ref(),
            severity: row.severity,
            level: row.level,
            cause: row.cause.map(|cause| cause.as_str()),
            under_old_expectation: row.under_old_expectation,
            subjects: &row.subjects,
            before: row.before.as_ref(),
            after: row.after.as_ref(),
            evidence: &row.evidence,
        }
    }
}

impl<'a> Summary<'a> {
    fn of(view: &'a View, told: &[(Group, &'a Row)]) -> Self {
        let also =
            |row: &'a Row| Also { kind: row.kind, message: &row.message, properties: Properties::of(row) };
        Self {
            suite: view.suite.as_ref(),
            outcome: view.outcome.as_str(),
            headline: &view.headline,
            counted: words::COUNTED,
            below_minimum: view.below_minimum.as_deref(),
            baseline: view.baseline.as_ref().map(|note| Baseline {
                title: &note.title,
                commit: &note.commit,
                evaluated: &note.evaluated,
                by: &note.by,
                age: &note.age,
                rule: &note.rule,
            }),
            totals: view.totals.iter().map(|(of, before, now)| Total { of, before, now }).collect(),
            stale_waivers: &view.stale_waivers,
            also: told.iter().map(|(_, row)| also(row)).collect(),
            reproduce: view.commands.as_ref().map(|commands| &commands.reproduce),
            accept: view.commands.as_ref().and_then(|commands| commands.accept.as_ref()),
        }
    }
}

impl Serialize for Fingerprint<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(kind, case) = self;
        match case {
            Some(case) => serializer.serialize_str(&format!("{kind}/{}", case.uri_path())),
            None => serializer.serialize_str(kind),
        }
    }
}
