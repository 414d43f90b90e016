//! Reports through the wire and back, and every refusal.

mod imports;
mod refusals;
mod round_trip;
pub(super) mod strategy;

use super::{Evaluator, Origin, Report, SourceState, suite_digest};
use crate::evaluate::{CaseResult, CheckName, FailedCheck, FailedChecks};
use crate::ids::{CaseId, Name, ObjectId};
use crate::number::Number;
use crate::suite::trace::Fault;
use crate::suite::{Expectations, ExpectedForm, Matching};

/// A case that passes.
pub(super) fn passing(id: &str) -> CaseResult {
    let expectations = Expectations {
        expected_root_cause_keywords: vec!["超时".into(), "证据".into()],
        min_keyword_matches: Some(2),
        required_evidence_tools: vec!["query_logs".into(), "get_metrics".into()],
        ..Expectations::default()
    };
    CaseResult {
        case_id: CaseId::new(id),
        title: format!("Case {id}").into(),
        passed: true,
        failed_checks: FailedChecks::Checks(Vec::new()),
        verdict: Some("PASS".into()),
        matched_keyword_count: Some(2),
        required_keyword_count: Some(2),
        matched_keywords: Some(expectations.expected_root_cause_keywords.clone()),
        evidence_coverage: vec![("query_logs".into(), true), ("get_metrics".into(), true)],
        gatekeeper_status: Some(None),
        gatekeeper_rule_set_version: Some(None),
        composer_status: Some(Some("valid".into())),
        claim_check_count: Some(0),
        tool_call_count: Some(3),
        duration_ms: Some(Number::Int(1200)),
        case_digest: Some(expectations.digest()),
        expectations: Some(expectations.into()),
        trace_id: ObjectId::parse(&"ab".repeat(20)),
    }
}

/// A case whose trace cannot be judged.
fn unjudged(id: &str, fault: Fault) -> CaseResult {
    CaseResult {
        passed: false,
        failed_checks: FailedChecks::Checks(vec![failed(CheckName::Trace, &[fault.as_str()])]),
        verdict: None,
        matched_keyword_count: Some(0),
        matched_keywords: Some(Vec::new()),
        evidence_coverage: vec![("query_logs".into(), false), ("get_metrics".into(), false)],
        composer_status: Some(None),
        tool_call_count: Some(0),
        duration_ms: None,
        trace_id: None,
        ..passing(id)
    }
}

fn failed(check: CheckName, subjects: &[&str]) -> FailedCheck {
    FailedCheck {
        check,
        message: format!("{} failed", check.as_str()),
        subjects: subjects.iter().map(|subject| (*subject).to_owned()).collect(),
    }
}

pub(super) fn report(results: Vec<CaseResult>) -> Report {
    let matching =
        Matching { expected: ExpectedForm::Exact, protocol_markers: vec!["内部标记".to_owned()] };
    let suite_digest = suite_digest(&results, &matching, 1 << 26);
    let origin = Origin {
        suite: Name::parse("default").unwrap(),
        source: SourceState { commit: ObjectId::parse(&"12".repeat(20)), dirty: false },
        evaluator: Evaluator { rules_version: "1".to_owned(), matching },
        suite_digest,
    };
    Report::new(Some(origin), results)
}
