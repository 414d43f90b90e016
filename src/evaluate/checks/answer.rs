//! Check `answer`: there is an answer.

use super::{Check, Context, Finding};
use crate::evaluate::CheckName;
use crate::suite::text::is_blank;

pub(super) const CHECK: Check = Check { name: CheckName::Answer, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let message = match &context.trace.answer {
        None => "the trace has no answer",
        Some(answer) if is_blank(answer) => "the answer is blank",
        Some(_) => return None,
    };
    Some(Finding::new(message, Vec::new()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::support::{answered, judge};
    use super::*;

    #[test]
    fn an_answer_that_shows_something_passes() {
        assert_eq!(judge(&CHECK, &json!({}), &answered(" 。")), None);
    }

    #[test]
    fn a_missing_or_blank_answer_fails_without_subjects() {
        for trace in
            [json!({}), json!({ "session": { "answer": null } }), answered(""), answered(" \u{200b}\n")]
        {
            let finding = judge(&CHECK, &json!({}), &trace).unwrap();
            assert!(finding.subjects.is_empty(), "{trace}");
        }
    }
}
