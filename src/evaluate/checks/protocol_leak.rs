//! Check `protocol-leak`: the answer shows no marker of the inner protocol.

use super::{Check, Context, Finding, owned};
use crate::evaluate::CheckName;
use crate::evaluate::quote::quoted_list;

pub(super) const CHECK: Check = Check { name: CheckName::ProtocolLeak, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let status = context.trace.composer.as_ref().and_then(|composer| composer.status.as_deref());
    let is_fallback = status.is_some_and(|status| status != "valid");
    if !context.asked.require_v2_audit_closure && !is_fallback {
        return None;
    }
    let markers = context.matcher.markers_in(context.answer);
    if markers.is_empty() {
        return None;
    }
    let list = quoted_list(markers.iter().copied());
    Some(Finding::new(format!("the answer shows markers of the inner protocol: {list}"), owned(&markers)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, judge_with, verified};
    use super::*;
    use crate::suite::Matching;

    fn trace(status: &serde_json::Value, answer: &str) -> serde_json::Value {
        let mut trace = verified(&json!({ "composer_output": { "status": status } }));
        trace["session"]["answer"] = json!(answer);
        trace
    }

    #[test]
    fn markers_are_named_in_their_order_under_the_audit_closure() {
        let trace = trace(&json!("valid"), "`Claim\\_Id`, executor_evidence_v2");
        assert_eq!(judge(&CHECK, &json!({}), &trace), None);
        let finding = judge(&CHECK, &json!({ "requireV2AuditClosure": true }), &trace).unwrap();
        assert_eq!(finding.subjects, ["executor_evidence_v2", "claim_id"]);
    }

    #[test]
    fn a_status_that_is_not_valid_asks_in_any_case_and_a_missing_one_does_not() {
        for status in ["composer_malformed", "Valid", "valid "] {
            let finding = judge(&CHECK, &json!({}), &trace(&json!(status), "answer_version")).unwrap();
            assert_eq!(finding.subjects, ["answer_version"], "{status}");
        }
        for status in [json!("valid"), json!(null), json!(" "), json!(5)] {
            assert_eq!(judge(&CHECK, &json!({}), &trace(&status, "answer_version")), None, "{status}");
        }
        assert_eq!(judge(&CHECK, &json!({}), &trace(&json!("x"), "a clean answer")), None);
    }

    #[test]
    fn the_configuration_adds_markers() {
        let matching =
            Matching { protocol_markers: vec!["ZZ".to_owned(), "aa".to_owned()], ..Matching::default() };
        let asked = json!({ "requireV2AuditClosure": true });
        let finding =
            judge_with(&CHECK, &matching, &asked, &trace(&json!("valid"), "aa zz claim_id")).unwrap();
        assert_eq!(finding.subjects, ["claim_id", "ZZ", "aa"]);
    }
}
