//! Check `verdict`: there is a verdict, and it is allowed.

use super::{Check, Context, Finding, found};
use crate::evaluate::CheckName;
use crate::evaluate::quote::{quoted, quoted_list};
use crate::text::Text;

pub(super) const CHECK: Check = Check { name: CheckName::Verdict, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let allowed = &context.asked.allowed_verdicts;
    let verdict = context.trace.verdict.as_deref();
    let message = match verdict {
        None => "the trace has no verdict".to_owned(),
        Some(verdict) if allowed.is_empty() || allowed.iter().any(|one| one == verdict) => return None,
        Some(verdict) => {
            let allowed = quoted_list(allowed.iter().map(Text::as_str));
            format!("the verdict is {}, allowed: {allowed}", quoted(verdict))
        }
    };
    Some(Finding::new(message, found(verdict)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{judge, verified};
    use super::*;

    #[test]
    fn any_verdict_passes_where_none_is_listed_and_a_listed_one_does() {
        let trace = verified(&json!({ "verdict": "PASS" }));
        assert_eq!(judge(&CHECK, &json!({}), &trace), None);
        assert_eq!(judge(&CHECK, &json!({ "allowedVerdicts": ["FAIL", "PASS"] }), &trace), None);
    }

    #[test]
    fn a_missing_or_blank_verdict_fails_without_subjects_even_where_none_is_listed() {
        for trace in [json!({}), verified(&json!({ "verdict": " " })), verified(&json!({ "verdict": 1 }))] {
            assert!(judge(&CHECK, &json!({}), &trace).unwrap().subjects.is_empty(), "{trace}");
        }
    }

    #[test]
    fn another_verdict_fails_and_verdicts_are_equal_as_they_stand() {
        for verdict in ["pass", "PASS ", "ＰＡＳＳ", "a\nb"] {
            let trace = verified(&json!({ "verdict": verdict }));
            let finding = judge(&CHECK, &json!({ "allowedVerdicts": ["PASS"] }), &trace).unwrap();
            assert_eq!(finding.subjects, [verdict]);
            assert!(finding.message.ends_with(", allowed: \"PASS\"") && !finding.message.contains('\n'));
        }
    }
}
