//! Check `evidence-tools`: the required tools were used.

use super::{Check, Context, Finding, owned, without};
use crate::evaluate::CheckName;
use crate::evaluate::quote::quoted_list;

pub(super) const CHECK: Check = Check { name: CheckName::EvidenceTools, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let absent = without(&context.asked.required_evidence_tools, context.covered);
    if absent.is_empty() {
        return None;
    }
    let message = format!("required tools were not used: {}", quoted_list(absent.iter().copied()));
    Some(Finding::new(message, owned(&absent)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, verified};
    use super::*;

    fn trace() -> serde_json::Value {
        let mut trace = verified(&json!({ "tool_trace_summary": [{ "tool_name": "a" }, {}] }));
        trace["toolInvocations"] = json!([{ "toolName": "b" }, { "toolName": "c " }]);
        trace
    }

    #[test]
    fn either_source_is_evidence() {
        assert_eq!(judge(&CHECK, &json!({ "requiredEvidenceTools": ["b", "a"] }), &trace()), None);
        assert_eq!(judge(&CHECK, &json!({}), &json!({})), None);
    }

    #[test]
    fn absent_tools_are_named_in_case_order_and_names_are_exact() {
        let finding = judge(&CHECK, &json!({ "requiredEvidenceTools": ["c", "a", "B"] }), &trace()).unwrap();
        assert_eq!(finding.subjects, ["c", "B"]);
        assert_eq!(finding.message, "required tools were not used: \"c\", \"B\"");
    }
}
