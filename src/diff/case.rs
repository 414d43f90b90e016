//! Entries of one case, in the order of the table; the themes with more to them have files of their own.

use crate::diff::entry::{Cause, Entry, Finding, Severity, Value};
use crate::diff::join::{Joined, Pair, Side};
use crate::diff::threshold::{Move, moved};
use crate::diff::{checks, coverage, expectation, message, verdict};
use crate::evaluate::CaseResult;
use crate::kind::Kind;
use crate::number::Number;
use crate::suite::config::Thresholds;
use crate::text::Text;

/// The entries of all cases: in current's order, the removed ones last in baseline's order.
pub(super) fn entries(joined: &Joined<'_>, thresholds: &Thresholds, evaluator_moved: bool) -> Vec<Entry> {
    let mut entries = Vec::new();
    for side in &joined.current {
        match side {
            Side::Both(pair) => {
                let cause = cause(*pair, evaluator_moved);
                let found = of_pair(*pair, thresholds);
                entries.extend(found.into_iter().map(|finding| finding.of_case(pair.after, cause)));
            }
            Side::Added(case) => {
                let found = unjudged(case).into_iter().chain([added(case)]);
                entries.extend(found.map(|finding| finding.of_case(case, None)));
            }
        }
    }
    entries.extend(joined.removed.iter().map(|case| removed(case).of_case(case, None)));
    entries
}

/// In the order of the table. Where a trace could not be judged, nothing else that is read from it is compared.
fn of_pair(pair: Pair<'_>, thresholds: &Thresholds) -> Vec<Finding> {
    let judged = pair.judged();
    let mut found: Vec<Finding> = outcome(pair).into_iter().collect();
    found.extend(checks::find(pair));
    if judged {
        found.extend(coverage::evidence(pair));
        found.extend(coverage::keywords(pair));
        found.extend(tool_calls(pair, thresholds));
        found.extend(duration(pair, thresholds));
    }
    found.extend(verdict::find(pair));
    found.extend(unjudged(pair.after));
    if judged {
        found.extend(audit(pair));
    }
    found.extend(expectation::find(pair));
    found.extend(renamed(pair));
    found
}

/// What moved: the trace, the definition, the rules. Did the agent change, or the exam?
fn cause(pair: Pair<'_>, evaluator_moved: bool) -> Option<Cause> {
    let Pair { before, after } = pair;
    let (Some(old), Some(new)) = (&before.case_digest, &after.case_digest) else {
        return Some(Cause::Unknown);
    };
    if let (Some(old), Some(new)) = (&before.trace_id, &after.trace_id)
        && old.as_str().len() != new.as_str().len()
    {
        return Some(Cause::Unknown);
    }
    match (before.trace_id != after.trace_id, old != new) {
        (true, true) => Some(Cause::Both),
        (true, false) => Some(Cause::Trace),
        (false, true) => Some(Cause::Case),
        (false, false) => evaluator_moved.then_some(Cause::Evaluator),
    }
}

fn outcome(pair: Pair<'_>) -> Option<Finding> {
    let (kind, severity, failing, says) = match (pair.before.passed, pair.after.passed) {
        (true, false) => (Kind::CaseRegressed, Severity::Regression, pair.after, "passed before, fails now"),
        (false, true) => {
            (Kind::CaseFixed, Severity::Improvement, pair.before, "failed before, passes now; it failed by")
        }
        (true, true) | (false, false) => return None,
    };
    Some(Finding {
        kind,
        severity,
        subjects: names(failing),
        before: Value::Bool(pair.before.passed),
        after: Value::Bool(pair.after.passed),
        message: format!("{says}: {}", message::failed(failing)),
    })
}

fn tool_calls(pair: Pair<'_>, thresholds: &Thresholds) -> Option<Finding> {
    let before = Number::Int(pair.before.tool_call_count?);
    let after = Number::Int(pair.after.tool_call_count?);
    let (kind, severity, says) = match moved(before, after, thresholds.tool_calls)? {
        Move::Rose => (Kind::ToolCallsRose, Severity::Regression, "more tool calls"),
        Move::Fell => (Kind::ToolCallsFell, Severity::Improvement, "fewer tool calls"),
    };
    let message = format!("{says}: {}", message::numbers(before, after, ""));
    Some(number(kind, severity, (before, after), message))
}

fn duration(pair: Pair<'_>, thresholds: &Thresholds) -> Option<Finding> {
    let (before, after) = (pair.before.duration_ms?, pair.after.duration_ms?);
    let (kind, severity, says) = match moved(before, after, thresholds.duration)? {
        Move::Rose => (Kind::DurationRose, Severity::Regression, "slower"),
        Move::Fell => (Kind::DurationFell, Severity::Improvement, "faster"),
    };
    let message = format!("{says}, in ms: {}", message::numbers(before, after, ""));
    Some(number(kind, severity, (before, after), message))
}

fn number(kind: Kind, severity: Severity, (before, after): (Number, Number), message: String) -> Finding {
    let (before, after) = (Value::Number(before), Value::Number(after));
    Finding { kind, severity, subjects: Vec::new(), before, after, message }
}

/// Nothing can stand in for missing evidence: this entry comes whatever the baseline says.
fn unjudged(after: &CaseResult) -> Option<Finding> {
    let reason = after.unjudged()?;
    Some(Finding {
        kind: Kind::CaseUnjudged,
        severity: Severity::Regression,
        subjects: vec!["trace".to_owned()],
        before: Value::Null,
        after: Value::text(Some(reason)),
        message: format!("the trace cannot be judged: {}", message::short(reason)),
    })
}

/// `audit-changed`; a field that a report does not have compares with nothing.
fn audit(pair: Pair<'_>) -> Option<Finding> {
    let Pair { before, after } = pair;
    let text = |before: &Option<Option<Text>>, after: &Option<Option<Text>>| {
        let (before, after) = (before.as_ref()?.as_deref(), after.as_ref()?.as_deref());
        let told = format!("{} → {}", message::or_missing(before), message::or_missing(after));
        (before != after).then(|| (Value::text(before), Value::text(after), told))
    };
    let count = |before: Option<u64>, after: Option<u64>| {
        let (before, after) = (before?, after?);
        (before != after).then(|| (Value::count(before), Value::count(after), format!("{before} → {after}")))
    };
    let fields = [
        ("gatekeeperStatus", text(&before.gatekeeper_status, &after.gatekeeper_status)),
        (
            "gatekeeperRuleSetVersion",
            text(&before.gatekeeper_rule_set_version, &after.gatekeeper_rule_set_version),
        ),
        ("composerStatus", text(&before.composer_status, &after.composer_status)),
        ("claimCheckCount", count(before.claim_check_count, after.claim_check_count)),
    ];
    let (mut subjects, mut old, mut new, mut told) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (name, moved) in fields {
        let Some((before, after, says)) = moved else { continue };
        subjects.push(name.to_owned());
        old.push((name, before));
        new.push((name, after));
        told.push(format!("{name} {says}"));
    }
    (!subjects.is_empty()).then(|| Finding {
        kind: Kind::AuditChanged,
        severity: Severity::Change,
        subjects,
        before: Value::object(old),
        after: Value::object(new),
        message: format!("the audit fields moved: {}", told.join("; ")),
    })
}

fn added(case: &CaseResult) -> Finding {
    let (severity, message) = if case.passed {
        (Severity::Change, "a new case, which passes".to_owned())
    } else {
        (Severity::Regression, format!("a new case, which fails: {}", message::failed(case)))
    };
    Finding {
        kind: Kind::CaseAdded,
        severity,
        subjects: names(case),
        before: Value::Null,
        after: Value::Bool(case.passed),
        message,
    }
}

/// A case that goes takes its protection along, also when it failed.
fn removed(case: &CaseResult) -> Finding {
    let outcome = if case.passed { "passed" } else { "failed" };
    Finding {
        kind: Kind::CaseRemoved,
        severity: Severity::Regression,
        subjects: Vec::new(),
        before: Value::Bool(case.passed),
        after: Value::Null,
        message: format!("the case is gone, and its protection with it; it {outcome} before"),
    }
}

fn renamed(pair: Pair<'_>) -> Option<Finding> {
    let (old, new) = (pair.before.case_id.as_str(), pair.after.case_id.as_str());
    pair.renamed().then(|| Finding {
        kind: Kind::CaseRenamed,
        severity: Severity::Change,
        subjects: Vec::new(),
        before: Value::text(Some(old)),
        after: Value::text(Some(new)),
        message: format!("the same definition and trace, before under the id {}", message::short(old)),
    })
}

fn names(case: &CaseResult) -> Vec<String> {
    case.failed_checks.names().into_iter().map(str::to_owned).collect()
}
