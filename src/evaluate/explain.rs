//! One result, check by check, for a person who asks why.

use crate::evaluate::matching::{Answer, Matcher, Needles};
use crate::evaluate::quote::in_context;
use crate::evaluate::{CaseResult, CheckName};
use crate::suite::trace::Trace;
use crate::suite::{Case, Expectations};

/// What became of a check in one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The definition does not ask it, or the trace could not be judged.
    NotRun,
    /// It found nothing.
    Passed,
    /// It failed.
    Failed,
}

/// What became of a check; `None` where the report does not say which checks failed.
pub fn standing(result: &CaseResult, check: CheckName) -> Option<Standing> {
    use crate::evaluate::FailedChecks;
    let FailedChecks::Checks(checks) = &result.failed_checks else { return None };
    if checks.iter().any(|failed| failed.check == check) {
        return Some(Standing::Failed);
    }
    let asked = result.expectations.as_ref().is_none_or(|asked| is_asked(asked, check));
    let judged = check == CheckName::Trace || result.unjudged().is_none();
    Some(if asked && judged { Standing::Passed } else { Standing::NotRun })
}

/// Whether a definition asks a check (diff-and-gate.md, "A definition asks a check").
pub fn is_asked(asked: &Expectations, check: CheckName) -> bool {
    match check {
        CheckName::Trace
        | CheckName::TraceShape
        | CheckName::Answer
        | CheckName::Verdict
        | CheckName::GatekeeperVerdict
        | CheckName::EvidenceBindings
        | CheckName::ProtocolLeak => true,
        CheckName::RootCauseKeywords => !asked.expected_root_cause_keywords.is_empty() && asked.minimum() > 0,
        CheckName::EvidenceTools => !asked.required_evidence_tools.is_empty(),
        CheckName::ForbiddenAnswer => !asked.forbidden_answer_keywords.is_empty(),
        CheckName::AuditClosure => asked.require_v2_audit_closure,
        CheckName::ClaimChecks => asked.require_v2_audit_closure || asked.require_claim_checks,
        CheckName::ComposerOutput => asked.require_v2_audit_closure || asked.require_composer_output,
        CheckName::GatekeeperStatus => !asked.expected_gatekeeper_statuses.is_empty(),
        CheckName::GatekeeperRuleSet => asked.expected_gatekeeper_rule_set_version.is_some(),
        CheckName::ComposerStatus => !asked.expected_composer_statuses.is_empty(),
        CheckName::ForbiddenClaim => !asked.forbidden_confirmed_claim_keywords.is_empty(),
    }
}

/// Where the expected keywords that matched stand in the answer, one line each. Untrusted text.
pub fn matches(case: &Case, matcher: &Matcher, trace: &Trace) -> Vec<String> {
    let text = trace.answer.as_deref().unwrap_or_default();
    let answer = Answer::new(text);
    let needles = Needles::new(&case.expectations);
    let found = needles.keywords.iter().filter(|keyword| matcher.finds(keyword, &answer));
    found
        .map(|keyword| in_context(keyword.text, text, |piece| matcher.finds(keyword, &Answer::new(piece))))
        .collect()
}
