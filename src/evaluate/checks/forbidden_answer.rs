//! Check `forbidden-answer`: the answer holds no forbidden word.

use super::{Check, Context, Finding, forbidden};
use crate::evaluate::CheckName;

pub(super) const CHECK: Check = Check { name: CheckName::ForbiddenAnswer, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    forbidden(context, &context.needles.forbidden, "forbidden words")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{answered, judge};
    use super::*;

    #[test]
    fn an_answer_without_them_passes() {
        assert_eq!(
            judge(&CHECK, &json!({ "forbiddenAnswerKeywords": ["已经确认"] }), &answered("已经 确认")),
            None
        );
        assert_eq!(judge(&CHECK, &json!({ "forbiddenConfirmedClaimKeywords": ["a"] }), &answered("a")), None);
        assert_eq!(judge(&CHECK, &json!({ "forbiddenAnswerKeywords": ["a"] }), &json!({})), None);
    }

    #[test]
    fn those_contained_are_named_in_case_order_with_their_place() {
        let asked = json!({ "forbiddenAnswerKeywords": ["confirmed", "x", "主库"] });
        let finding = judge(&CHECK, &asked, &answered("主\u{ad}库故障。\nＣonfirmed!")).unwrap();
        assert_eq!(finding.subjects, ["confirmed", "主库"]);
        assert_eq!(
            finding.message,
            "the answer holds forbidden words: \"confirmed\" in \"主\\u{ad}库故障。 Ｃonfirmed!\", \"主库\" in \"主\\u{ad}库故障。 Ｃonfirme…\""
        );
    }
}
