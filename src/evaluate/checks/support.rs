//! One check over a case and a trace that are written as JSON.

use serde_json::Value;

use super::{Check, Context, Finding, Unjudged};
use crate::evaluate::case::{covered, matched};
use crate::evaluate::matching::{Answer, Matcher, Needles};
use crate::suite::trace::{Trace, parse};
use crate::suite::{Expectations, Matching};

/// What a check finds; `asked` is what a case asks, with its effective minimum filled in.
pub(super) fn judge(check: &Check, asked: &Value, trace: &Value) -> Option<Finding> {
    judge_with(check, &Matching::default(), asked, trace)
}

/// The same under other options.
pub(super) fn judge_with(
    check: &Check,
    matching: &Matching,
    asked: &Value,
    trace: &Value,
) -> Option<Finding> {
    let trace = parse(trace.to_string().as_bytes()).unwrap();
    run(check, matching, asked, &trace, None)
}

/// The same where the trace cannot be judged.
pub(super) fn judge_unjudged(check: &Check, unjudged: &Unjudged) -> Option<Finding> {
    run(check, &Matching::default(), &serde_json::json!({}), &Trace::default(), Some(unjudged))
}

fn run(
    check: &Check,
    matching: &Matching,
    asked: &Value,
    trace: &Trace,
    unjudged: Option<&Unjudged>,
) -> Option<Finding> {
    let mut asked: Expectations = serde_json::from_value(asked.clone()).unwrap();
    let keywords = asked.expected_root_cause_keywords.len() as u64;
    asked.min_keyword_matches = (keywords > 0).then(|| asked.min_keyword_matches.unwrap_or(keywords));
    let matcher = Matcher::new(matching);
    let needles = Needles::new(&asked);
    let answer = Answer::new(trace.answer.as_deref().unwrap_or_default());
    let context = Context {
        trace_fixture: "t.json",
        asked: &asked,
        needles: &needles,
        matcher: &matcher,
        unjudged,
        trace,
        answer: &answer,
        matched: &matched(&matcher, &needles, &answer),
        covered: &covered(&asked.required_evidence_tools, trace),
    };
    (check.judge)(&context)
}

/// A trace with this answer.
pub(super) fn answered(answer: &str) -> Value {
    serde_json::json!({ "session": { "answer": answer } })
}

/// A trace with these fields of the Verifier's evaluation.
pub(super) fn verified(fields: &Value) -> Value {
    serde_json::json!({ "session": { "answer": "a", "selfEvaluation": { "verifier_evaluation": fields } } })
}

/// The subjects of a finding.
pub(super) fn subjects(finding: Option<Finding>) -> Vec<String> {
    finding.unwrap().subjects
}
