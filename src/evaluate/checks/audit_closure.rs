//! Check `audit-closure`: the three audit fields stand.

use super::{Check, Context, Finding, owned};
use crate::evaluate::CheckName;
use crate::evaluate::quote::quoted_list;

pub(super) const CHECK: Check = Check { name: CheckName::AuditClosure, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    if !context.asked.require_v2_audit_closure {
        return None;
    }
    let trace = context.trace;
    let fields = [
        ("gatekeeper_result", trace.gatekeeper.is_some()),
        ("claim_checks", trace.claim_checks.is_some()),
        ("composer_output", trace.composer.is_some()),
    ];
    let missing: Vec<&str> = fields.into_iter().filter(|(_, stands)| !stands).map(|(name, _)| name).collect();
    if missing.is_empty() {
        return None;
    }
    let message = format!("audit fields are missing in the trace: {}", quoted_list(missing.iter().copied()));
    Some(Finding::new(message, owned(&missing)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, subjects, verified};
    use super::*;

    #[test]
    fn fields_that_stand_are_enough_even_where_they_are_empty() {
        let trace = verified(&json!({ "gatekeeper_result": {}, "claim_checks": [], "composer_output": {} }));
        assert_eq!(judge(&CHECK, &json!({ "requireV2AuditClosure": true }), &trace), None);
    }

    #[test]
    fn missing_fields_are_named_where_they_are_asked() {
        let trace =
            verified(&json!({ "gatekeeper_result": "pass", "claim_checks": [], "composer_output": null }));
        assert_eq!(judge(&CHECK, &json!({ "requireClaimChecks": true }), &trace), None);
        let asked = json!({ "requireV2AuditClosure": true });
        assert_eq!(subjects(judge(&CHECK, &asked, &trace)), ["gatekeeper_result", "composer_output"]);
        let all = ["gatekeeper_result", "claim_checks", "composer_output"];
        assert_eq!(subjects(judge(&CHECK, &asked, &json!({}))), all);
    }
}
