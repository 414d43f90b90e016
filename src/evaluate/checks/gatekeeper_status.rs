//! Check `gatekeeper-status`: the Gatekeeper's status is allowed.

use super::{Check, Context, Finding, found};
use crate::evaluate::CheckName;
use crate::evaluate::quote::{quoted, quoted_list};
use crate::text::Text;

pub(super) const CHECK: Check = Check { name: CheckName::GatekeeperStatus, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let allowed = &context.asked.expected_gatekeeper_statuses;
    let status = context.trace.gatekeeper.as_ref().and_then(|record| record.status.as_deref());
    if allowed.is_empty() || status.is_some_and(|status| allowed.iter().any(|one| one == status)) {
        return None;
    }
    let what = status.map_or_else(|| "missing".to_owned(), quoted);
    let allowed = quoted_list(allowed.iter().map(Text::as_str));
    Some(Finding::new(format!("the Gatekeeper's status is {what}, allowed: {allowed}"), found(status)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, verified};
    use super::*;

    #[test]
    fn a_listed_status_passes_and_so_does_any_where_none_is_listed() {
        let trace = verified(&json!({ "gatekeeper_result": { "status": "b" } }));
        assert_eq!(judge(&CHECK, &json!({ "expectedGatekeeperStatuses": ["a", "b"] }), &trace), None);
        assert_eq!(judge(&CHECK, &json!({}), &trace), None);
        assert_eq!(judge(&CHECK, &json!({}), &json!({})), None);
    }

    #[test]
    fn a_missing_status_fails_without_subjects_and_another_with_its_own() {
        let asked = json!({ "expectedGatekeeperStatuses": ["a"] });
        for trace in [json!({}), verified(&json!({ "gatekeeper_result": { "status": "\u{200b}" } }))] {
            assert!(judge(&CHECK, &asked, &trace).unwrap().subjects.is_empty());
        }
        for status in ["A", "a ", "b"] {
            let finding =
                judge(&CHECK, &asked, &verified(&json!({ "gatekeeper_result": { "status": status } })))
                    .unwrap();
            assert_eq!(finding.subjects, [status]);
            assert_eq!(finding.message, format!("the Gatekeeper's status is \"{status}\", allowed: \"a\""));
        }
    }
}
