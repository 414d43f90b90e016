//! Case files, and what a case asks.

use serde_json::{Value, json};

use super::{closed, described, nullable, strings, visible};

/// The schema of a case file.
pub(super) fn case_file() -> Value {
    let cases = json!({"type": "array", "items": {"$ref": "#/$defs/case"}});
    let mut wrapped = closed([vec![("cases", cases.clone())], free()].concat(), &["cases"]);
    wrapped["patternProperties"] = json!({"^(x-|_)": true});
    json!({"anyOf": [cases, wrapped], "$defs": {"case": case()}})
}

fn case() -> Value {
    let own = vec![
        (
            "id",
            described(
                json!({"type": "string", "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*\\S[^\\u0000-\\u001f\\u007f-\\u009f]*$"}),
                "Unique in the suite",
            ),
        ),
        ("title", described(json!({"type": ["string", "null"]}), "For people; the id where it is blank")),
        (
            "question",
            described(json!({"type": ["string", "null"]}), "What the agent was asked; never sent anywhere"),
        ),
        (
            "traceFixture",
            described(
                json!({"type": "string", "pattern": "^(?![A-Za-z]:)(?!(.*/)?\\.{1,2}(/|$))[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]+(/[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]+)*$"}),
                "The trace, as a path below fixtures/ with parts between slashes",
            ),
        ),
    ];
    let mut schema = closed([own, asked_in_a_case(), free()].concat(), &["id", "traceFixture"]);
    schema["patternProperties"] = json!({"^(x-|_)": true});
    schema
}

/// What is the user's own.
fn free() -> Vec<(&'static str, Value)> {
    vec![
        ("tags", nullable(&json!({"type": "array", "items": visible()}))),
        ("metadata", json!(true)),
        ("description", json!(true)),
        ("$schema", json!(true)),
    ]
}

fn asked_in_a_case() -> Vec<(&'static str, Value)> {
    let asked = nullable(&json!({"type": "array", "items": visible()}));
    let allowed = nullable(&json!({"type": "array", "items": visible(), "minItems": 1}));
    let switch = json!({"type": ["boolean", "null"]});
    vec![
        ("expectedRootCauseKeywords", described(asked.clone(), "Keywords that the answer should hold")),
        (
            "minKeywordMatches",
            described(
                json!({"type": ["integer", "null"], "minimum": 0}),
                "How many of them it must hold; all where it is absent",
            ),
        ),
        ("requiredEvidenceTools", described(asked.clone(), "Tools that must have been used")),
        ("allowedVerdicts", described(allowed.clone(), "Verdicts that are allowed; any where it is absent")),
        ("forbiddenAnswerKeywords", described(asked.clone(), "Words that the answer must not hold")),
        ("requireV2AuditClosure", described(switch.clone(), "Whether the audit fields of V2 must all stand")),
        ("requireClaimChecks", described(switch.clone(), "Whether claim checks must stand")),
        ("requireComposerOutput", described(switch, "Whether the Composer's record must stand")),
        ("expectedGatekeeperStatuses", described(allowed.clone(), "Gatekeeper statuses that are allowed")),
        (
            "expectedGatekeeperRuleSetVersion",
            described(nullable(&visible()), "The rule set that the Gatekeeper must have used"),
        ),
        ("expectedComposerStatuses", described(allowed, "Composer statuses that are allowed")),
        ("forbiddenConfirmedClaimKeywords", described(asked, "Words of unproved conclusions")),
    ]
}

/// What a result says that its case asks: what asks nothing is left out.
pub(super) fn expectations() -> Value {
    let list = json!({"type": "array", "items": {"type": "string"}, "minItems": 1});
    let on = json!({"const": true});
    closed(
        vec![
            ("expectedRootCauseKeywords", list.clone()),
            ("minKeywordMatches", super::count()),
            ("requiredEvidenceTools", list.clone()),
            ("allowedVerdicts", list.clone()),
            ("forbiddenAnswerKeywords", list.clone()),
            ("requireV2AuditClosure", on.clone()),
            ("requireClaimChecks", on.clone()),
            ("requireComposerOutput", on),
            ("expectedGatekeeperStatuses", list.clone()),
            ("expectedGatekeeperRuleSetVersion", super::string()),
            ("expectedComposerStatuses", list.clone()),
            ("forbiddenConfirmedClaimKeywords", list),
        ],
        &[],
    )
}

/// The names of the fields of a definition, for objects that hold some of them.
pub(super) fn matching() -> Value {
    super::exact(vec![("expected", json!({"enum": ["exact", "folded"]})), ("protocolMarkers", strings())])
}
