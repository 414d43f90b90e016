//! The settings of a suite. TOML stands for JSON; a date is the text that TOML writes.

use serde_json::{Value, json};

use super::{closed, name, visible};
use crate::kind::Kind;
use crate::suite::config::{DEFAULT_MAX_TRACE_BYTES, DEFAULT_STORE_PREFIX};

/// The schema of `diag-gate.toml`.
pub(super) fn config() -> Value {
    let switch = json!({"type": "boolean", "default": false});
    closed(
        vec![
            ("name", name()),
            (
                "matching",
                closed(
                    vec![
                        ("expected", json!({"enum": ["exact", "folded"], "default": "exact"})),
                        ("protocol_markers", json!({"type": "array", "items": visible()})),
                    ],
                    &[],
                ),
            ),
            (
                "limits",
                closed(
                    vec![(
                        "max_trace_bytes",
                        json!({"type": "integer", "minimum": 1, "default": DEFAULT_MAX_TRACE_BYTES}),
                    )],
                    &[],
                ),
            ),
            ("gate", gate()),
            ("baseline", closed(vec![("ratchet", switch.clone()), ("require_signed", switch)], &[])),
            (
                "store",
                closed(
                    vec![(
                        "prefix",
                        json!({"type": "string", "pattern": "^refs/", "default": DEFAULT_STORE_PREFIX}),
                    )],
                    &[],
                ),
            ),
        ],
        &[],
    )
}

fn gate() -> Value {
    let level = json!({"enum": ["block", "warn", "ignore"]});
    let levels = Kind::ALL.iter().map(|kind| (kind.as_str(), level.clone())).collect();
    let bound = json!({"type": "number", "minimum": 0});
    let threshold = closed(vec![("relative", bound.clone()), ("absolute", bound)], &[]);
    let names = ["duration", "tool_calls", "average_duration", "average_tool_calls"];
    closed(
        vec![
            ("min_pass_rate", json!({"type": "number", "minimum": 0, "maximum": 1})),
            ("levels", closed(levels, &[])),
            ("thresholds", closed(names.map(|name| (name, threshold.clone())).to_vec(), &[])),
            ("waivers", json!({"type": "array", "items": waiver()})),
        ],
        &[],
    )
}

fn waiver() -> Value {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    super::exact(vec![
        ("case", visible()),
        ("kinds", json!({"type": "array", "items": {"enum": kinds}, "minItems": 1})),
        ("reason", visible()),
        ("expires", json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"})),
    ])
}
