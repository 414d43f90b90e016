//! How the verdict of a case moved.

use crate::diff::entry::{Finding, Severity, Value};
use crate::diff::join::Pair;
use crate::diff::message;
use crate::evaluate::CaseResult;
use crate::kind::Kind;

/// The verdict of agents whose case does not say which are allowed.
const GOOD: &str = "PASS";

/// How a verdict moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    /// It was good and is not.
    Worsened,
    /// It was not good and is.
    Improved,
    /// Any other move.
    Changed,
}

/// How the verdict moved; `None` where it is the same.
pub(super) fn shift(pair: Pair<'_>) -> Option<Shift> {
    if pair.before.verdict == pair.after.verdict {
        return None;
    }
    Some(match (is_good(pair.before), is_good(pair.after)) {
        (true, false) => Shift::Worsened,
        (false, true) => Shift::Improved,
        (true, true) | (false, false) => Shift::Changed,
    })
}

/// Whether the definition on this side allows the verdict; a missing one never is good.
fn is_good(case: &CaseResult) -> bool {
    let Some(verdict) = &case.verdict else { return false };
    match case.expectations.as_ref().map(|asked| &asked.allowed_verdicts) {
        Some(allowed) if !allowed.is_empty() => allowed.contains(verdict),
        Some(_) | None => verdict == GOOD,
    }
}

/// `verdict-worsened`, `verdict-improved` or `verdict-changed`.
pub(super) fn find(pair: Pair<'_>) -> Option<Finding> {
    let (kind, severity, note) = match shift(pair)? {
        Shift::Worsened => (Kind::VerdictWorsened, Severity::Regression, ", which is not good here"),
        Shift::Improved => (Kind::VerdictImproved, Severity::Improvement, ", which is good here"),
        Shift::Changed => (Kind::VerdictChanged, Severity::Change, ""),
    };
    let (before, after) = (pair.before.verdict.as_deref(), pair.after.verdict.as_deref());
    Some(Finding {
        kind,
        severity,
        subjects: Vec::new(),
        before: Value::text(before),
        after: Value::text(after),
        message: format!(
            "the verdict was {}, is {}{note}",
            message::or_missing(before),
            message::or_missing(after)
        ),
    })
}
