//! What formats say in the same words: what a kind means, and what moved underneath.

use crate::diff::{Cause, Severity};
use crate::gate::{EntryLevel, Outcome};
use crate::kind::Kind;

/// The answer in capitals.
pub(super) const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "PASSED",
        Outcome::Block => "BLOCKED",
    }
}

/// The first question of a reviewer: did the agent change, or the exam?
pub(super) const fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Trace => "the agent changed",
        Cause::Case => "the exam changed",
        Cause::Both => "agent and exam changed",
        Cause::Evaluator => "the rules changed",
        Cause::Unknown => "cause unknown",
    }
}

/// Whether the exam alone would have told another story.
pub(super) const fn under_old_expectation(passed: bool) -> &'static str {
    if passed {
        "the old definition passes on the new trace"
    } else {
        "the old definition fails on the new trace, too"
    }
}

/// What the reader should know of the numbers.
pub(super) const COUNTED: &str = "Entries are counted, not causes: one broken case can give several.";

/// `regression, block`: how bad an entry is by nature, and what the policy makes of it.
pub(super) fn weight(severity: Severity, level: EntryLevel) -> String {
    format!("{}, {}", severity.as_str(), level.as_str())
}

/// What an entry of this kind says, as a clause without a full stop.
pub(super) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::PassRateFell => "fewer of the cases on both sides pass",
        Kind::PassRateRose => "more of the cases on both sides pass",
        Kind::VerdictDistributionChanged => "the count of a verdict is another",
        Kind::AverageToolCallsRose => "the mean number of tool calls rose beyond the threshold",
        Kind::AverageToolCallsFell => "the mean number of tool calls fell beyond the threshold",
        Kind::AverageDurationRose => "the mean duration rose beyond the threshold",
        Kind::AverageDurationFell => "the mean duration fell beyond the threshold",
        Kind::PolicyChanged => "the settings differ from the accepted ones",
        Kind::EvaluatorChanged => "rules or matching options differ",
        Kind::CaseRegressed => "passed before, fails now",
        Kind::CaseFixed => "failed before, passes now",
        Kind::ChecksLost => "a check fails that did not",
        Kind::ChecksRecovered => "a check no longer fails",
        Kind::EvidenceLost => "a required tool is no longer used",
        Kind::EvidenceGained => "a required tool is used now",
        Kind::KeywordsLost => "an expected keyword no longer matches",
        Kind::KeywordsGained => "an expected keyword matches now",
        Kind::ToolCallsRose => "more tool calls, beyond the threshold",
        Kind::ToolCallsFell => "fewer tool calls, beyond the threshold",
        Kind::DurationRose => "slower, beyond the threshold",
        Kind::DurationFell => "faster, beyond the threshold",
        Kind::VerdictWorsened => "a good verdict became one that is not",
        Kind::VerdictImproved => "a verdict became good",
        Kind::VerdictChanged => "the verdict is another",
        Kind::CaseUnjudged => "the trace cannot be judged",
        Kind::AuditChanged => "an audit field is another",
        Kind::ExpectationWeakened => "the new definition lets through what the old one did not",
        Kind::ExpectationTightened => "the new definition asks more than the old one",
        Kind::CaseAdded => "the case is new",
        Kind::CaseRemoved => "the case is gone, and its protection with it",
        Kind::CaseRenamed => "the same case under another id",
    }
}
