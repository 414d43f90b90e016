//! Check `gatekeeper-rule-set`: the Gatekeeper used the expected rule set.

use super::{Check, Context, Finding, found};
use crate::evaluate::CheckName;
use crate::evaluate::quote::quoted;

pub(super) const CHECK: Check = Check { name: CheckName::GatekeeperRuleSet, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let expected = context.asked.expected_gatekeeper_rule_set_version.as_deref()?;
    let version = context.trace.gatekeeper.as_ref().and_then(|record| record.rule_set_version.as_deref());
    if version == Some(expected) {
        return None;
    }
    let what = version.map_or_else(|| "missing".to_owned(), quoted);
    let message = format!("the Gatekeeper's rule set is {what}, expected {}", quoted(expected));
    Some(Finding::new(message, found(version)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, verified};
    use super::*;

    #[test]
    fn the_expected_version_passes_and_so_does_any_where_none_is_expected() {
        let trace = verified(&json!({ "gatekeeper_result": { "rule_set_version": "v1" } }));
        assert_eq!(judge(&CHECK, &json!({ "expectedGatekeeperRuleSetVersion": "v1" }), &trace), None);
        assert_eq!(judge(&CHECK, &json!({}), &trace), None);
        assert_eq!(judge(&CHECK, &json!({}), &json!({})), None);
    }

    #[test]
    fn a_missing_version_fails_without_subjects_and_another_with_its_own() {
        let asked = json!({ "expectedGatekeeperRuleSetVersion": "v1" });
        for trace in [json!({}), verified(&json!({ "gatekeeper_result": { "rule_set_version": " " } }))] {
            let finding = judge(&CHECK, &asked, &trace).unwrap();
            assert!(finding.subjects.is_empty());
            assert_eq!(finding.message, "the Gatekeeper's rule set is missing, expected \"v1\"");
        }
        for version in ["V1", "v1 ", "v10"] {
            let trace = verified(&json!({ "gatekeeper_result": { "rule_set_version": version } }));
            assert_eq!(judge(&CHECK, &asked, &trace).unwrap().subjects, [version]);
        }
    }
}
