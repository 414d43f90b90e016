//! Check `evidence-bindings`: each claim is bound to evidence.

use super::{Check, Context, Finding};
use crate::evaluate::CheckName;
use crate::evaluate::quote::listed;

pub(super) const CHECK: Check = Check { name: CheckName::EvidenceBindings, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let executor = context.trace.executor.as_ref()?;
    let Some(claims) = &executor.claims else {
        let message = "`executor_structured_output` has no `claims`";
        let asked = context.asked.require_v2_audit_closure;
        return asked.then(|| Finding::new(message, vec!["claims".to_owned()]));
    };
    let unbound = claims.iter().enumerate().filter(|(_, bindings)| **bindings == 0);
    let unbound: Vec<String> = unbound.map(|(index, _)| index.to_string()).collect();
    if unbound.is_empty() {
        return None;
    }
    let message = format!("claims without evidence (by index from 0): {}", listed(unbound.iter().cloned()));
    Some(Finding::new(message, unbound))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, verified};
    use super::*;

    fn trace(output: &serde_json::Value) -> serde_json::Value {
        verified(&json!({ "executor_structured_output": output }))
    }

    #[test]
    fn bound_claims_no_claims_and_no_output_pass() {
        let asked = json!({ "requireV2AuditClosure": true });
        let bound = json!({ "claims": [{ "evidence_bindings": [null] }] });
        for trace in [trace(&bound), trace(&json!({ "claims": [] })), json!({}), trace(&json!(null))] {
            assert_eq!(judge(&CHECK, &asked, &trace), None);
        }
    }

    #[test]
    fn claims_without_bindings_are_named_by_index_in_any_case() {
        let output =
            json!({ "claims": [{}, { "evidence_bindings": ["e"] }, { "evidence_bindings": [] }, null] });
        let finding = judge(&CHECK, &json!({}), &trace(&output)).unwrap();
        assert_eq!(finding.subjects, ["0", "2", "3"]);
        assert_eq!(finding.message, "claims without evidence (by index from 0): 0, 2, 3");
    }

    #[test]
    fn missing_claims_fail_under_the_audit_closure_alone() {
        for output in [json!({}), json!({ "claims": 1 })] {
            assert_eq!(judge(&CHECK, &json!({}), &trace(&output)), None);
            let finding = judge(&CHECK, &json!({ "requireV2AuditClosure": true }), &trace(&output)).unwrap();
            assert_eq!(finding.subjects, ["claims"]);
        }
    }
}
