//! The JSON form of a judged diff.

use serde_json::{Value, json};

use super::report::source;
use super::{closed, count, digest, exact, name, nullable, object_id, string, strings};
use crate::kind::Kind;

/// The schema of a diff.
pub(super) fn diff() -> Value {
    exact(vec![
        ("schemaVersion", json!({"const": 1})),
        ("baseline", baseline()),
        ("current", exact(head())),
        (
            "likeForLike",
            exact(vec![("cases", count()), ("baselinePassed", count()), ("currentPassed", count())]),
        ),
        ("entries", json!({"type": "array", "items": entry()})),
        ("gate", gate()),
    ])
}

fn head() -> Vec<(&'static str, Value)> {
    vec![
        ("source", nullable(&source())),
        ("suiteDigest", nullable(&digest())),
        ("totalCases", count()),
        ("passedCases", count()),
        ("passRate", json!({"type": "number", "minimum": 0, "maximum": 1})),
    ]
}

/// The head, and which accepted baseline it is, where one stands behind it.
fn baseline() -> Value {
    let link = vec![
        ("name", name()),
        ("ref", string()),
        ("commit", object_id()),
        ("evaluated", object_id()),
        ("acceptedAt", json!({"type": "string"})),
        ("by", string()),
        ("rule", json!({"enum": ["ancestor", "content", "tip"]})),
    ];
    let required = ["source", "suiteDigest", "totalCases", "passedCases", "passRate"];
    closed([head(), link].concat(), &required)
}

fn entry() -> Value {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    let accepted = exact(vec![("by", string()), ("reason", nullable(&string())), ("commit", object_id())]);
    exact(vec![
        ("kind", json!({"enum": kinds})),
        ("severity", json!({"enum": ["regression", "improvement", "change"]})),
        ("level", json!({"enum": ["block", "warn", "ignore", "info"]})),
        ("caseId", nullable(&string())),
        ("title", nullable(&string())),
        ("cause", json!({"enum": ["trace", "case", "both", "evaluator", "unknown", null]})),
        ("underOldExpectation", json!({"type": ["boolean", "null"]})),
        ("subjects", strings()),
        ("before", json!(true)),
        ("after", json!(true)),
        ("accepted", nullable(&accepted)),
        ("waived", nullable(&exact(vec![("reason", string()), ("expires", date())]))),
        ("message", string()),
    ])
}

fn gate() -> Value {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    let stale = exact(vec![
        ("case", string()),
        ("kinds", json!({"type": "array", "items": {"enum": kinds}})),
        ("reason", string()),
        ("expires", date()),
        ("why", json!({"enum": ["expired", "unused"]})),
    ]);
    exact(vec![
        ("outcome", json!({"enum": ["pass", "block"]})),
        ("blocking", count()),
        ("warnings", count()),
        ("staleWaivers", json!({"type": "array", "items": stale})),
    ])
}

fn date() -> Value {
    json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"})
}
