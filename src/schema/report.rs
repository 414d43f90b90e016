//! Reports: those of this program whole, imported ones as far as they are read.

use serde_json::{Value, json};

use super::{asked, closed, count, described, digest, exact, name, nullable, object_id, string, strings};
use crate::evaluate::CheckName;
use crate::report::{SCHEMA_VERSION, Shard};

/// Either form.
pub(super) fn report() -> Value {
    json!({"anyOf": [own(None), own(Some(shard())), imported()]})
}

/// The report of a part of a suite may be without a case.
fn own(shard: Option<Value>) -> Value {
    let least = i32::from(shard.is_none());
    let rate = json!({"type": "number", "minimum": 0, "maximum": 1});
    let mut fields = vec![
        ("schemaVersion", json!({"const": SCHEMA_VERSION})),
        ("suite", name()),
        ("source", source()),
        ("evaluator", evaluator()),
        ("suiteDigest", described(digest(), "Equal digests, equal results")),
    ];
    fields.extend(shard.map(|shard| ("shard", shard)));
    fields.extend([
        ("totalCases", json!({"type": "integer", "minimum": least})),
        ("passedCases", count()),
        ("unjudgedCases", count()),
        ("passRate", rate),
        ("verdictDistribution", json!({"type": "object", "additionalProperties": count()})),
        ("averageToolCallCount", mean("The mean over readable traces")),
        ("averageDurationMs", mean("The mean over traces that give one, in milliseconds")),
        ("results", json!({"type": "array", "items": result(), "minItems": least})),
    ]);
    exact(fields)
}

/// Which part of the suite, for `merge`.
fn shard() -> Value {
    let index = json!({"type": "integer", "minimum": 1, "maximum": Shard::MOST});
    exact(vec![
        ("index", index.clone()),
        ("of", index),
        ("maxTraceBytes", json!({"type": "integer", "minimum": 1})),
    ])
}

pub(super) fn source() -> Value {
    exact(vec![("commit", nullable(&object_id())), ("dirty", json!({"type": "boolean"}))])
}

pub(super) fn evaluator() -> Value {
    exact(vec![("rulesVersion", string()), ("matching", asked::matching())])
}

fn mean(text: &str) -> Value {
    described(json!({"type": ["number", "null"], "minimum": 0}), text)
}

fn result() -> Value {
    let text = json!({"type": ["string", "null"]});
    exact(vec![
        ("caseId", string()),
        ("title", string()),
        ("passed", json!({"type": "boolean"})),
        ("failedChecks", json!({"type": "array", "items": failed_check()})),
        ("verdict", text.clone()),
        ("matchedKeywordCount", count()),
        ("requiredKeywordCount", count()),
        ("matchedKeywords", strings()),
        ("evidenceCoverage", json!({"type": "object", "additionalProperties": {"type": "boolean"}})),
        ("gatekeeperStatus", text.clone()),
        ("gatekeeperRuleSetVersion", text.clone()),
        ("composerStatus", text),
        ("claimCheckCount", count()),
        ("toolCallCount", count()),
        ("durationMs", described(json!({"type": ["number", "null"], "minimum": 0}), "In milliseconds")),
        ("expectations", asked::expectations()),
        ("caseDigest", digest()),
        ("traceId", nullable(&object_id())),
    ])
}

fn failed_check() -> Value {
    let names: Vec<&str> = CheckName::ALL.iter().map(|check| check.as_str()).collect();
    exact(vec![("check", json!({"enum": names})), ("message", string()), ("subjects", strings())])
}

/// A report without `schemaVersion`; what is not read is open.
fn imported() -> Value {
    let mut result = closed(
        vec![
            ("caseId", string()),
            ("passed", json!({"type": "boolean"})),
            ("failedChecks", json!({"type": ["array", "null"]})),
        ],
        &["caseId", "passed"],
    );
    result["additionalProperties"] = json!(true);
    json!({
        "type": "object",
        "properties": {
            "schemaVersion": false,
            "results": {"type": "array", "items": result, "minItems": 1},
        },
        "required": ["results"],
    })
}
