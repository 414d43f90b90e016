//! Check `trace-shape`: fields that rules read have the right JSON type.

use super::{Check, Context, Finding};
use crate::evaluate::CheckName;
use crate::evaluate::quote::quoted_list;

pub(super) const CHECK: Check = Check { name: CheckName::TraceShape, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let wrong = &context.trace.wrong_types;
    if wrong.is_empty() {
        return None;
    }
    let fields = quoted_list(wrong.iter().map(String::as_str));
    Some(Finding::new(format!("fields of the trace have the wrong JSON type: {fields}"), wrong.clone()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, verified};
    use super::*;

    #[test]
    fn right_types_and_missing_fields_pass() {
        assert_eq!(judge(&CHECK, &json!({}), &verified(&json!({ "verdict": null, "x": 1 }))), None);
    }

    #[test]
    fn wrong_types_are_named_by_pointer_whatever_the_case_asks() {
        let finding =
            judge(&CHECK, &json!({}), &json!({ "session": { "answer": 1 }, "toolInvocations": [0] }))
                .unwrap();
        assert_eq!(finding.subjects, ["/session/answer", "/toolInvocations/0"]);
        assert!(
            finding.message.ends_with("\"/session/answer\", \"/toolInvocations/0\""),
            "{}",
            finding.message
        );
    }
}
