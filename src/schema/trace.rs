//! Traces: the fields that rules read, everything else left open.

use serde_json::{Value, json};

use super::{described, properties};

/// The schema of a trace whose check `trace-shape` passes.
pub(super) fn trace() -> Value {
    open(vec![("session", session()), ("toolInvocations", tools("toolName"))])
}

fn session() -> Value {
    let duration = json!({"type": ["number", "null"], "minimum": 0});
    let verifier = or_text(&verifier());
    open(vec![
        ("answer", described(text(), "The final answer")),
        ("totalDurationMs", described(duration, "How long the run took, in milliseconds")),
        ("selfEvaluation", or_text(&open(vec![("verifier_evaluation", verifier)]))),
    ])
}

fn verifier() -> Value {
    let claim = open_entry(vec![("evidence_bindings", json!({"type": ["array", "null"]}))]);
    let claims = json!({"type": ["array", "null"], "items": claim});
    open(vec![
        ("verdict", text()),
        ("gatekeeper_result", open(vec![("status", text()), ("rule_set_version", text())])),
        ("claim_checks", json!({"type": ["array", "null"], "items": {"type": "object"}})),
        ("composer_output", open(vec![("status", text())])),
        ("executor_structured_output", open(vec![("claims", claims)])),
        ("tool_trace_summary", tools("tool_name")),
    ])
}

fn tools(name: &str) -> Value {
    json!({"type": ["array", "null"], "items": open_entry(vec![(name, text())])})
}

/// Stores often keep these columns as text that holds the object.
fn or_text(object: &Value) -> Value {
    json!({"anyOf": [object, {"type": "string", "contentMediaType": "application/json"}]})
}

fn text() -> Value {
    json!({"type": ["string", "null"]})
}

fn open(fields: Vec<(&str, Value)>) -> Value {
    json!({"type": ["object", "null"], "properties": properties(fields)})
}

fn open_entry(fields: Vec<(&str, Value)>) -> Value {
    json!({"type": "object", "properties": properties(fields)})
}
