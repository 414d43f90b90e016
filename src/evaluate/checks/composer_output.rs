//! Check `composer-output`: the Composer's record stands, with a status.

use super::{Check, Context, Finding};
use crate::evaluate::CheckName;

pub(super) const CHECK: Check = Check { name: CheckName::ComposerOutput, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let required = context.asked.require_composer_output;
    if !required && !context.asked.require_v2_audit_closure {
        return None;
    }
    let (message, subject) = match &context.trace.composer {
        None if required => ("the trace has no `composer_output`", "missing"),
        Some(composer) if composer.status.is_none() => ("`composer_output` has no status", "status"),
        None | Some(_) => return None,
    };
    Some(Finding::new(message, vec![subject.to_owned()]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, subjects, verified};
    use super::*;

    #[test]
    fn a_record_with_any_status_passes() {
        let trace = verified(&json!({ "composer_output": { "status": "composer_malformed" } }));
        assert_eq!(judge(&CHECK, &json!({ "requireComposerOutput": true }), &trace), None);
    }

    #[test]
    fn a_missing_record_fails_where_it_is_required_itself() {
        for trace in [json!({}), verified(&json!({ "composer_output": [] }))] {
            assert_eq!(
                subjects(judge(&CHECK, &json!({ "requireComposerOutput": true }), &trace)),
                ["missing"]
            );
            assert_eq!(judge(&CHECK, &json!({ "requireV2AuditClosure": true }), &trace), None);
            assert_eq!(judge(&CHECK, &json!({}), &trace), None);
        }
    }

    #[test]
    fn a_record_without_a_status_fails_under_either_switch() {
        for record in [json!({}), json!({ "status": " " }), json!({ "status": 1 })] {
            let trace = verified(&json!({ "composer_output": record }));
            for asked in [json!({ "requireComposerOutput": true }), json!({ "requireV2AuditClosure": true })]
            {
                assert_eq!(subjects(judge(&CHECK, &asked, &trace)), ["status"]);
            }
            assert_eq!(judge(&CHECK, &json!({}), &trace), None);
        }
    }
}
