//! Check `root-cause-keywords`: the answer holds enough of the expected keywords.

use super::{Check, Context, Finding, owned, without};
use crate::evaluate::CheckName;
use crate::evaluate::quote::{quoted, quoted_list};
use crate::suite::ExpectedForm;

pub(super) const CHECK: Check = Check { name: CheckName::RootCauseKeywords, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let keywords = &context.asked.expected_root_cause_keywords;
    let minimum = context.asked.minimum();
    let count = context.matched.iter().filter(|matched| **matched).count();
    if count as u64 >= minimum {
        return None;
    }
    let absent = without(keywords, context.matched);
    let message = format!(
        "the answer holds {count} of {} expected keywords, at least {minimum} are asked; not found: {}{}",
        keywords.len(),
        quoted_list(absent.iter().copied()),
        near_misses(context),
    );
    Some(Finding::new(message, owned(&absent)))
}

/// The keywords that only their letter case, width or invisible characters keep from matching.
fn near_misses(context: &Context<'_>) -> String {
    if context.matcher.expected() == ExpectedForm::Folded {
        return String::new();
    }
    let absent = context.needles.keywords.iter().zip(context.matched).filter(|(_, matched)| !**matched);
    let near: Vec<_> =
        absent.map(|(keyword, _)| keyword).filter(|keyword| context.answer.holds_folded(keyword)).collect();
    match near.as_slice() {
        [] => String::new(),
        [keyword] => format!(
            "; {} differs from the answer only in letter case, width or invisible characters",
            quoted(keyword.text)
        ),
        many => format!(
            "; {} differ from the answer only in letter case, width or invisible characters",
            quoted_list(many.iter().map(|keyword| keyword.text))
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{answered, judge, judge_with, subjects};
    use super::*;
    use crate::suite::Matching;

    fn asked(minimum: u64) -> serde_json::Value {
        json!({ "expectedRootCauseKeywords": ["超时", "Redis", "连接池"], "minKeywordMatches": minimum })
    }

    #[test]
    fn the_minimum_is_enough_and_one_fewer_is_not() {
        let trace = answered("Redis 超时");
        assert_eq!(judge(&CHECK, &asked(2), &trace), None);
        let finding = judge(&CHECK, &asked(3), &trace).unwrap();
        assert_eq!(finding.subjects, ["连接池"]);
        assert_eq!(
            finding.message,
            "the answer holds 2 of 3 expected keywords, at least 3 are asked; not found: \"连接池\""
        );
    }

    #[test]
    fn no_keywords_and_a_minimum_of_zero_ask_nothing() {
        assert_eq!(judge(&CHECK, &json!({}), &json!({})), None);
        assert_eq!(judge(&CHECK, &asked(0), &json!({})), None);
    }

    #[test]
    fn a_missing_answer_holds_no_keyword() {
        assert_eq!(subjects(judge(&CHECK, &asked(1), &json!({}))), ["超时", "Redis", "连接池"]);
    }

    #[test]
    fn a_near_miss_is_named_and_still_missed() {
        let trace = answered("REDIS 超\u{200b}时");
        let finding = judge(&CHECK, &asked(1), &trace).unwrap();
        assert_eq!(finding.subjects, ["超时", "Redis", "连接池"]);
        assert!(finding.message.contains("; \"超时\", \"Redis\" differ from"), "{}", finding.message);
        let finding = judge(&CHECK, &asked(1), &answered("redis")).unwrap();
        assert!(finding.message.contains("; \"Redis\" differs from"), "{}", finding.message);
    }

    #[test]
    fn a_suite_may_choose_the_folded_form() {
        let matching = Matching { expected: ExpectedForm::Folded, ..Matching::default() };
        assert_eq!(judge_with(&CHECK, &matching, &asked(2), &answered("REDIS 超\u{200b}时")), None);
        let finding = judge_with(&CHECK, &matching, &asked(2), &answered("REDIS")).unwrap();
        assert_eq!(finding.subjects, ["超时", "连接池"]);
        assert!(!finding.message.contains("differ"), "{}", finding.message);
    }
}
