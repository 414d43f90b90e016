//! Check `claim-checks`: claim checks are whole.

use super::{Check, Context, Finding};
use crate::evaluate::CheckName;
use crate::evaluate::quote::quoted_list;
use crate::suite::trace::ClaimCheck;

pub(super) const CHECK: Check = Check { name: CheckName::ClaimChecks, judge };

/// What the Verifier may say of a claim.
const VERIFICATIONS: [&str; 6] = [
    "direct_observation",
    "reasonable_inference",
    "overstated",
    "unsupported",
    "external_unknown",
    "contradicted",
];

fn judge(context: &Context<'_>) -> Option<Finding> {
    let required = context.asked.require_claim_checks;
    if !required && !context.asked.require_v2_audit_closure {
        return None;
    }
    let entries = context.trace.claim_checks.as_deref().unwrap_or_default();
    if required && entries.is_empty() {
        return Some(Finding::new("the trace has no claim checks", vec!["empty".to_owned()]));
    }
    let faulty: Vec<String> =
        entries.iter().enumerate().flat_map(|(index, entry)| faults(index, entry)).collect();
    if faulty.is_empty() {
        return None;
    }
    let message = format!(
        "claim checks lack a field or have an unknown verification (INDEX:FIELD): {}",
        quoted_list(faulty.iter().map(String::as_str))
    );
    Some(Finding::new(message, faulty))
}

fn faults(index: usize, entry: &ClaimCheck) -> impl Iterator<Item = String> {
    let verified = entry.verification.as_deref().is_some_and(|value| VERIFICATIONS.contains(&value));
    [("claim_id", entry.has_claim_id), ("verification", verified), ("detail", entry.has_detail)]
        .into_iter()
        .filter(|(_, stands)| !stands)
        .map(move |(field, _)| format!("{index}:{field}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, subjects, verified};
    use super::*;

    fn trace(entries: &serde_json::Value) -> serde_json::Value {
        verified(&json!({ "claim_checks": entries }))
    }

    #[test]
    fn whole_entries_pass_with_each_of_the_six_values() {
        for value in VERIFICATIONS {
            let entries = json!([{ "claim_id": 1, "verification": value, "detail": [] }]);
            assert_eq!(judge(&CHECK, &json!({ "requireClaimChecks": true }), &trace(&entries)), None);
        }
    }

    #[test]
    fn an_empty_or_missing_array_fails_where_claim_checks_are_required_alone() {
        for trace in [trace(&json!([])), trace(&json!(null)), trace(&json!("x")), json!({})] {
            assert_eq!(judge(&CHECK, &json!({}), &trace), None);
            assert_eq!(judge(&CHECK, &json!({ "requireV2AuditClosure": true }), &trace), None);
            for asked in [
                json!({ "requireClaimChecks": true }),
                json!({ "requireClaimChecks": true, "requireV2AuditClosure": true }),
            ] {
                assert_eq!(subjects(judge(&CHECK, &asked, &trace)), ["empty"]);
            }
        }
    }

    #[test]
    fn faulty_entries_are_named_by_index_and_field_under_either_switch() {
        let entries = json!([
            { "claim_id": "c", "verification": "unsupported", "detail": "d" },
            { "claim_id": true, "verification": "Unsupported", "detail": " " },
            { "claim_id": " ", "verification": 5, "detail": null },
            null,
            { "claim_id": 0, "verification": "overstated ", "detail": 0 },
        ]);
        let expected = [
            "1:claim_id",
            "1:verification",
            "1:detail",
            "2:claim_id",
            "2:verification",
            "2:detail",
            "3:claim_id",
            "3:verification",
            "3:detail",
            "4:verification",
        ];
        for asked in [json!({ "requireClaimChecks": true }), json!({ "requireV2AuditClosure": true })] {
            assert_eq!(subjects(judge(&CHECK, &asked, &trace(&entries))), expected);
        }
        assert_eq!(judge(&CHECK, &json!({}), &trace(&entries)), None);
    }
}
