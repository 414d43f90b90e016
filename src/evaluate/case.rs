//! One case over its trace, to its result (evaluation.md section 5).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::evaluate::checks::{self, Context, Unjudged};
use crate::evaluate::matching::{Answer, Matcher, Needles};
use crate::evaluate::{CaseResult, FailedCheck, FailedChecks};
use crate::ids::ObjectId;
use crate::suite::Case;
use crate::suite::trace::{self, Fault, Trace};
use crate::text::Text;

/// What there is of a trace.
#[derive(Clone, Debug)]
pub enum TraceInput<'a> {
    /// All bytes of the file.
    Bytes {
        /// The bytes.
        bytes: &'a [u8],
        /// Their blob id.
        id: ObjectId,
    },
    /// There are no bytes to judge.
    Fault {
        /// Why.
        fault: Fault,
        /// What more there is to say: a fragment for a person. Untrusted text.
        detail: Option<String>,
        /// The blob id, where there are bytes.
        id: Option<ObjectId>,
    },
}

/// Judges one case. The same case, matcher and trace give the same result, byte for byte.
pub fn evaluate_case(case: &Case, matcher: &Matcher, input: TraceInput<'_>) -> CaseResult {
    match input {
        TraceInput::Bytes { bytes, id } => match read(bytes) {
            Ok(trace) => judge(case, matcher, (&trace, None), Some(id)),
            Err(unjudged) => judge(case, matcher, (&Trace::default(), Some(&unjudged)), Some(id)),
        },
        TraceInput::Fault { fault, detail, id } => {
            let unjudged = Unjudged { fault, detail };
            judge(case, matcher, (&Trace::default(), Some(&unjudged)), id)
        }
    }
}

fn read(bytes: &[u8]) -> Result<Trace, Unjudged> {
    if trace::is_lfs_pointer(bytes) {
        return Err(Unjudged { fault: Fault::LfsPointer, detail: None });
    }
    trace::parse(bytes).map_err(|error| {
        let place = match (error.line, error.column) {
            (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
            (Some(line), None) => format!(" at line {line}"),
            (None, _) => String::new(),
        };
        Unjudged { fault: Fault::Unreadable, detail: Some(format!("{}{place}", error.message)) }
    })
}

fn judge(
    case: &Case,
    matcher: &Matcher,
    (trace, unjudged): (&Trace, Option<&Unjudged>),
    trace_id: Option<ObjectId>,
) -> CaseResult {
    let asked = &case.expectations;
    let needles = Needles::new(asked);
    let answer = Answer::new(trace.answer.as_deref().unwrap_or_default());
    let matched = matched(matcher, &needles, &answer);
    let covered = covered(&asked.required_evidence_tools, trace);
    let failed = checks::run(&Context {
        trace_fixture: &case.trace_fixture,
        asked,
        needles: &needles,
        matcher,
        unjudged,
        trace,
        answer: &answer,
        matched: &matched,
        covered: &covered,
    });
    let tools = asked.required_evidence_tools.iter().cloned();
    let mut result = from_trace(case, trace, failed);
    result.trace_id = trace_id;
    result.evidence_coverage = tools.zip(covered).collect();
    let keywords = asked.expected_root_cause_keywords.iter().zip(matched);
    let mut keywords: Vec<Text> =
        keywords.filter(|(_, matched)| *matched).map(|(text, _)| text.clone()).collect();
    // Held for every case of a suite.
    keywords.shrink_to_fit();
    result.matched_keyword_count = Some(keywords.len() as u64);
    result.matched_keywords = Some(keywords);
    result
}

/// The result as far as it needs no search.
fn from_trace(case: &Case, trace: &Trace, failed: Vec<FailedCheck>) -> CaseResult {
    let gatekeeper = trace.gatekeeper.as_ref();
    let text = |text: Option<&String>| text.map(|text| Text::from(text.as_str()));
    let count = |length: Option<usize>| Some(length.unwrap_or(0) as u64);
    let invocations = trace.tool_invocations.as_ref().or(trace.tool_trace_summary.as_ref());
    CaseResult {
        case_id: case.id.clone(),
        title: case.title.clone(),
        passed: failed.is_empty(),
        failed_checks: FailedChecks::Checks(failed),
        verdict: trace.verdict.as_deref().map(Text::from),
        matched_keyword_count: Some(0),
        required_keyword_count: Some(case.expectations.expected_root_cause_keywords.len() as u64),
        matched_keywords: Some(Vec::new()),
        evidence_coverage: Vec::new(),
        gatekeeper_status: Some(text(gatekeeper.and_then(|record| record.status.as_ref()))),
        gatekeeper_rule_set_version: Some(text(
            gatekeeper.and_then(|record| record.rule_set_version.as_ref()),
        )),
        composer_status: Some(text(trace.composer.as_ref().and_then(|record| record.status.as_ref()))),
        claim_check_count: count(trace.claim_checks.as_ref().map(Vec::len)),
        tool_call_count: count(invocations.map(Vec::len)),
        duration_ms: trace.duration_ms,
        expectations: Some(Arc::clone(&case.expectations)),
        case_digest: Some(case.digest.clone()),
        trace_id: None,
    }
}

/// For each keyword whether the answer holds it.
pub(super) fn matched(matcher: &Matcher, needles: &Needles<'_>, answer: &Answer<'_>) -> Vec<bool> {
    needles.keywords.iter().map(|keyword| matcher.finds(keyword, answer)).collect()
}

/// For each required tool whether either source names it.
pub(super) fn covered(tools: &[Text], trace: &Trace) -> Vec<bool> {
    let sources = [&trace.tool_invocations, &trace.tool_trace_summary];
    let used: BTreeSet<&str> =
        sources.into_iter().flatten().flatten().flatten().map(String::as_str).collect();
    tools.iter().map(|tool| used.contains(tool.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::evaluate::CheckName;
    use crate::evaluate::support::{case, id_of};
    use crate::number::Number;
    use crate::suite::Matching;

    fn evaluate(asked: &Value, bytes: &[u8]) -> CaseResult {
        let input = TraceInput::Bytes { bytes, id: id_of(bytes) };
        evaluate_case(&case("c", "t.json", asked), &Matcher::new(&Matching::default()), input)
    }

    fn failed(result: &CaseResult) -> Vec<&str> {
        result.failed_checks.names()
    }

    fn asks_all() -> Value {
        json!({
            "expectedRootCauseKeywords": ["超时", "证据"], "minKeywordMatches": 2,
            "requiredEvidenceTools": ["query_logs", "query_metrics"], "allowedVerdicts": ["LOW_CONFID"],
            "forbiddenAnswerKeywords": ["已经确认"], "requireV2AuditClosure": true, "requireClaimChecks": true,
            "requireComposerOutput": true, "expectedGatekeeperStatuses": ["pass"],
            "expectedGatekeeperRuleSetVersion": "v1", "expectedComposerStatuses": ["valid"],
            "forbiddenConfirmedClaimKeywords": ["主库故障"],
        })
    }

    fn good_trace() -> Value {
        json!({
            "session": { "answer": "订单超时，证据见日志", "totalDurationMs": 1200.0, "selfEvaluation": {
                "verifier_evaluation": {
                    "verdict": "LOW_CONFID",
                    "gatekeeper_result": { "status": "pass", "rule_set_version": "v1" },
                    "claim_checks": [{ "claim_id": "c", "verification": "unsupported", "detail": "d" }],
                    "composer_output": { "status": "valid" },
                    "executor_structured_output": { "claims": [{ "evidence_bindings": ["e"] }] },
                    "tool_trace_summary": [{ "tool_name": "query_metrics" }, {}, {}],
                },
            } },
            "toolInvocations": [{ "toolName": "query_logs", "success": false }],
        })
    }

    #[test]
    fn a_trace_that_satisfies_the_case_passes_with_every_field() {
        let bytes = good_trace().to_string();
        let result = evaluate(&asks_all(), bytes.as_bytes());
        assert!(result.passed, "{:?}", result.failed_checks);
        assert_eq!(result.verdict.as_deref(), Some("LOW_CONFID"));
        assert_eq!((result.matched_keyword_count, result.required_keyword_count), (Some(2), Some(2)));
        assert_eq!(result.matched_keywords, Some(vec!["超时".into(), "证据".into()]));
        assert_eq!(result.evidence_coverage, [("query_logs".into(), true), ("query_metrics".into(), true)]);
        assert_eq!(result.gatekeeper_status, Some(Some("pass".into())));
        assert_eq!(result.gatekeeper_rule_set_version, Some(Some("v1".into())));
        assert_eq!(result.composer_status, Some(Some("valid".into())));
        assert_eq!((result.claim_check_count, result.tool_call_count), (Some(1), Some(1)));
        assert_eq!(result.duration_ms, Some(Number::Int(1200)));
        assert_eq!(result.trace_id, Some(id_of(bytes.as_bytes())));
        assert_eq!(result.case_digest, result.expectations.as_ref().map(|asked| asked.digest()));
        assert_eq!(result.unjudged(), None);
    }

    #[test]
    fn failed_checks_stand_in_the_order_of_the_table() {
        let bytes = br#"{"session":{"answer":5,"selfEvaluation":{"verifier_evaluation":{"composer_output":{},"executor_structured_output":{}}}}}"#;
        let result = evaluate(&asks_all(), bytes);
        let expected = [
            "trace-shape",
            "answer",
            "root-cause-keywords",
            "evidence-tools",
            "verdict",
            "audit-closure",
            "claim-checks",
            "composer-output",
            "gatekeeper-status",
            "gatekeeper-rule-set",
            "composer-status",
            "evidence-bindings",
        ];
        assert_eq!(failed(&result), expected);
        assert!(!result.passed);
    }

    #[test]
    fn a_case_that_asks_nothing_still_wants_an_answer_and_a_verdict() {
        assert_eq!(failed(&evaluate(&json!({}), b"{}")), ["answer", "verdict"]);
        let bytes = good_trace().to_string();
        let result = evaluate(&json!({}), bytes.as_bytes());
        assert!(result.passed && result.evidence_coverage.is_empty());
        assert_eq!((result.matched_keyword_count, result.required_keyword_count), (Some(0), Some(0)));
    }

    fn assert_nothing_is_read(result: &CaseResult, reason: &str) {
        assert_eq!(failed(result), ["trace"]);
        assert_eq!(result.unjudged(), Some(reason));
        assert!(!result.passed && result.verdict.is_none() && result.duration_ms.is_none());
        assert_eq!((result.matched_keyword_count, result.required_keyword_count), (Some(0), Some(2)));
        assert_eq!(result.matched_keywords, Some(Vec::new()));
        assert_eq!(
            result.evidence_coverage.iter().map(|(_, used)| *used).collect::<Vec<_>>(),
            [false, false]
        );
        assert_eq!(result.gatekeeper_status, Some(None));
        assert_eq!(result.gatekeeper_rule_set_version, Some(None));
        assert_eq!(result.composer_status, Some(None));
        assert_eq!((result.claim_check_count, result.tool_call_count), (Some(0), Some(0)));
        assert!(result.expectations.is_some() && result.case_digest.is_some());
    }

    #[test]
    fn a_trace_that_cannot_be_judged_fails_one_check_and_gives_nothing() {
        let lfs = b"version https://git-lfs.github.com/spec/v1\n";
        for (bytes, reason) in
            [(&b"{\"session\":"[..], "unreadable"), (&lfs[..], "lfs-pointer"), (b"", "unreadable")]
        {
            let result = evaluate(&asks_all(), bytes);
            assert_nothing_is_read(&result, reason);
            assert_eq!(result.trace_id, Some(id_of(bytes)));
        }
        let matcher = Matcher::new(&Matching::default());
        for fault in [Fault::Missing, Fault::NotAFile, Fault::TooLarge] {
            let input = TraceInput::Fault { fault, detail: None, id: None };
            let result = evaluate_case(&case("c", "t.json", &asks_all()), &matcher, input);
            assert_nothing_is_read(&result, fault.as_str());
            assert_eq!(result.trace_id, None);
        }
    }

    #[test]
    fn an_unreadable_trace_says_where() {
        let result = evaluate(&json!({}), b"{\n  \"session\": NaN}");
        let message = &result.failed_checks.get(CheckName::Trace).unwrap().message;
        assert_eq!(
            message,
            "the trace \"t.json\" cannot be read: expected a JSON value, found `N` at line 2, column 14"
        );
    }

    #[test]
    fn calls_are_counted_in_one_source_alone() {
        let mut trace = good_trace();
        trace["toolInvocations"] = json!([]);
        assert_eq!(evaluate(&json!({}), trace.to_string().as_bytes()).tool_call_count, Some(0));
        for absent in [json!(null), json!("x")] {
            trace["toolInvocations"] = absent;
            assert_eq!(evaluate(&json!({}), trace.to_string().as_bytes()).tool_call_count, Some(3));
        }
    }
}
