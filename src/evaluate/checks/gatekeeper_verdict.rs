//! Check `gatekeeper-verdict`: a failing Gatekeeper does not stand beside a passing verdict.

use super::{Check, Context, Finding};
use crate::evaluate::CheckName;
use crate::evaluate::quote::quoted;
use crate::suite::text::folded;

pub(super) const CHECK: Check = Check { name: CheckName::GatekeeperVerdict, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let status = context.trace.gatekeeper.as_ref()?.status.as_deref()?;
    let verdict = context.trace.verdict.as_deref()?;
    // Folded and trimmed here alone, so that `FAIL` beside `pass` cannot slip by.
    if folded(status).trim() != "fail" || folded(verdict).trim() != "pass" {
        return None;
    }
    let message =
        format!("the Gatekeeper's status is {} although the verdict is {}", quoted(status), quoted(verdict));
    Some(Finding::new(message, Vec::new()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, verified};
    use super::*;

    fn trace(status: &str, verdict: &str) -> serde_json::Value {
        verified(&json!({ "verdict": verdict, "gatekeeper_result": { "status": status } }))
    }

    #[test]
    fn a_failure_beside_a_pass_fails_in_any_spelling() {
        for (status, verdict) in
            [("fail", "PASS"), ("FAIL", "pass"), (" Ｆａｉｌ\n", "\u{3000}Pa\u{200b}ss ")]
        {
            let finding = judge(&CHECK, &json!({}), &trace(status, verdict)).unwrap();
            assert!(finding.subjects.is_empty(), "{status}");
        }
    }

    #[test]
    fn all_else_passes() {
        for (status, verdict) in
            [("pass", "PASS"), ("fail", "FAIL"), ("failed", "PASS"), ("fail", "PASSED"), ("", "PASS")]
        {
            assert_eq!(judge(&CHECK, &json!({}), &trace(status, verdict)), None, "{status} {verdict}");
        }
        assert_eq!(judge(&CHECK, &json!({}), &verified(&json!({ "verdict": "PASS" }))), None);
        assert_eq!(
            judge(&CHECK, &json!({}), &verified(&json!({ "gatekeeper_result": { "status": "fail" } }))),
            None
        );
    }
}
