//! Check `trace`: the trace can be used at all.

use super::{Check, Context, Finding};
use crate::evaluate::CheckName;
use crate::evaluate::quote::quoted;
use crate::suite::trace::Fault;

pub(super) const CHECK: Check = Check { name: CheckName::Trace, judge };

fn judge(context: &Context<'_>) -> Option<Finding> {
    let unjudged = context.unjudged?;
    let detail = unjudged.detail.as_ref().map_or_else(String::new, |detail| format!(": {detail}"));
    let what = match unjudged.fault {
        Fault::Missing => "does not exist",
        Fault::NotAFile => {
            "is no regular file: it is a link, a submodule or a folder, or a link stands on the way to it"
        }
        Fault::TooLarge => "is larger than `limits.max_trace_bytes` allows",
        Fault::LfsPointer => {
            "is a Git LFS pointer, not the trace itself: run `git lfs pull`, take the file out of LFS with `git lfs untrack`, and commit it again"
        }
        Fault::Unreadable => "cannot be read",
    };
    let message = format!("{}{what}{detail}", beginning(context.trace_fixture));
    Some(Finding::new(message, vec![unjudged.fault.as_str().to_owned()]))
}

/// Whether the message of this check speaks of the trace at this path. It is the only message in which the
/// path of a trace stands, which no digest holds.
pub fn names_trace(message: &str, trace_fixture: &str) -> bool {
    message.starts_with(&beginning(trace_fixture))
}

fn beginning(trace_fixture: &str) -> String {
    format!("the trace {} ", quoted(trace_fixture))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Unjudged;
    use super::super::support::{judge, judge_unjudged};
    use super::*;

    #[test]
    fn a_trace_that_can_be_judged_passes() {
        assert_eq!(judge(&CHECK, &json!({}), &json!({})), None);
    }

    #[test]
    fn each_fault_is_named_with_what_more_there_is_to_say() {
        for (fault, detail, message) in [
            (Fault::Missing, None, "the trace \"t.json\" does not exist"),
            (Fault::Unreadable, Some("at line 1"), "the trace \"t.json\" cannot be read: at line 1"),
            (Fault::LfsPointer, None, "git lfs pull"),
            (Fault::NotAFile, None, "no regular file"),
            (Fault::TooLarge, Some("9 bytes"), "`limits.max_trace_bytes` allows: 9 bytes"),
        ] {
            let unjudged = Unjudged { fault, detail: detail.map(str::to_owned) };
            let finding = judge_unjudged(&CHECK, &unjudged).unwrap();
            assert_eq!(finding.subjects, [fault.as_str()]);
            assert!(finding.message.contains(message), "{}", finding.message);
            assert!(names_trace(&finding.message, "t.json"));
            assert!(!names_trace(&finding.message, "t") && !names_trace(&finding.message, "t.jso"));
        }
    }
}
