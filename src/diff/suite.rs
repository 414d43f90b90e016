//! Entries of the whole suite: like for like, over the cases on both sides, renamed pairs too.
//!
//! So adding or dropping cases can neither pass for progress nor for decline.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::diff::entry::{Entry, Finding, Severity, Value};
use crate::diff::join::Pair;
use crate::diff::threshold::{Move, moved};
use crate::diff::verdict::{self, Shift};
use crate::diff::{LikeForLike, message};
use crate::evaluate::CaseResult;
use crate::kind::Kind;
use crate::number::{Number, mean};
use crate::report::{Evaluator, Report};
use crate::suite::ExpectedForm;
use crate::suite::config::Thresholds;

/// Under which name a missing verdict is counted, beside verdicts of that very name.
const MISSING: &str = "(missing)";

/// All but `evaluator-changed`, in the order of the table.
pub(super) fn entries(pairs: &[Pair<'_>], totals: LikeForLike, thresholds: &Thresholds) -> Vec<Entry> {
    [
        pass_rate(totals),
        verdicts(pairs),
        average_tool_calls(pairs, thresholds),
        average_duration(pairs, thresholds),
    ]
    .into_iter()
    .flatten()
    .map(Finding::of_suite)
    .collect()
}

/// Decided on whole numbers, never on rounded rates.
fn pass_rate(totals: LikeForLike) -> Option<Finding> {
    let LikeForLike { cases, baseline_passed, current_passed } = totals;
    let (kind, severity, says) = match current_passed.cmp(&baseline_passed) {
        Ordering::Less => (Kind::PassRateFell, Severity::Regression, "fewer"),
        Ordering::Greater => (Kind::PassRateRose, Severity::Improvement, "more"),
        Ordering::Equal => return None,
    };
    let counts = |passed| Value::object([("passed", Value::count(passed)), ("cases", Value::count(cases))]);
    Some(Finding {
        kind,
        severity,
        subjects: Vec::new(),
        before: counts(baseline_passed),
        after: counts(current_passed),
        message: format!(
            "{says} of the cases on both sides pass: {baseline_passed} of {cases} before, {current_passed} of {cases} now"
        ),
    })
}

fn verdicts(pairs: &[Pair<'_>]) -> Option<Finding> {
    let before = distribution(pairs.iter().map(|pair| pair.before));
    let after = distribution(pairs.iter().map(|pair| pair.after));
    let names: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let count = |counts: &BTreeMap<&str, u64>, name: &str| counts.get(name).copied().unwrap_or(0);
    let moved: Vec<&str> =
        names.into_iter().filter(|name| count(&before, name) != count(&after, name)).collect();
    if moved.is_empty() {
        return None;
    }
    let shifts: Vec<Shift> = pairs.iter().filter_map(|pair| verdict::shift(*pair)).collect();
    let severity = if shifts.contains(&Shift::Worsened) {
        Severity::Regression
    } else if shifts.contains(&Shift::Improved) {
        Severity::Improvement
    } else {
        Severity::Change
    };
    let told: Vec<String> = moved
        .iter()
        .map(|name| format!("{} {} → {}", message::short(name), count(&before, name), count(&after, name)))
        .collect();
    let object = |counts: &BTreeMap<&str, u64>| {
        Value::object(counts.iter().map(|(name, count)| (*name, Value::count(*count))))
    };
    Some(Finding {
        kind: Kind::VerdictDistributionChanged,
        severity,
        subjects: moved.iter().map(|name| (*name).to_owned()).collect(),
        before: object(&before),
        after: object(&after),
        message: format!("verdicts of the cases on both sides: {}", message::list(&told)),
    })
}

fn distribution<'a>(results: impl Iterator<Item = &'a CaseResult>) -> BTreeMap<&'a str, u64> {
    let mut counts = BTreeMap::new();
    for result in results {
        *counts.entry(result.verdict.as_deref().unwrap_or(MISSING)).or_insert(0) += 1;
    }
    counts
}

fn average_tool_calls(pairs: &[Pair<'_>], thresholds: &Thresholds) -> Option<Finding> {
    let calls = |case: &CaseResult| case.tool_call_count.map(Number::Int);
    let (before, after) = averages(pairs, calls)?;
    let (kind, severity) = match moved(before, after, thresholds.average_tool_calls)? {
        Move::Rose => (Kind::AverageToolCallsRose, Severity::Regression),
        Move::Fell => (Kind::AverageToolCallsFell, Severity::Improvement),
    };
    let says =
        format!("average tool calls of the cases on both sides: {}", message::numbers(before, after, ""));
    Some(average(kind, severity, (before, after), says))
}

fn average_duration(pairs: &[Pair<'_>], thresholds: &Thresholds) -> Option<Finding> {
    let (before, after) = averages(pairs, |case| case.duration_ms)?;
    let (kind, severity) = match moved(before, after, thresholds.average_duration)? {
        Move::Rose => (Kind::AverageDurationRose, Severity::Regression),
        Move::Fell => (Kind::AverageDurationFell, Severity::Improvement),
    };
    let says = format!(
        "average duration of the cases on both sides, in ms: {}",
        message::numbers(before, after, "")
    );
    Some(average(kind, severity, (before, after), says))
}

fn average(kind: Kind, severity: Severity, (before, after): (Number, Number), message: String) -> Finding {
    let (before, after) = (Value::Number(before), Value::Number(after));
    Finding { kind, severity, subjects: Vec::new(), before, after, message }
}

/// The means over the cases that give a value on both sides, and whose traces could be judged there.
fn averages(pairs: &[Pair<'_>], value: impl Fn(&CaseResult) -> Option<Number>) -> Option<(Number, Number)> {
    let both = pairs.iter().filter(|pair| pair.judged());
    let (before, after): (Vec<Number>, Vec<Number>) =
        both.filter_map(|pair| Some((value(pair.before)?, value(pair.after)?))).unzip();
    Some((Number::Float(mean(before)?), Number::Float(mean(after)?)))
}

/// The rules and options that made a report; `None` for an imported report.
pub(super) fn evaluator(report: &Report) -> Option<&Evaluator> {
    report.origin.as_ref().map(|origin| &origin.evaluator)
}

/// `evaluator-changed`.
pub(super) fn evaluator_changed(before: Option<&Evaluator>, after: Option<&Evaluator>) -> Option<Entry> {
    if before == after {
        return None;
    }
    let subjects: Vec<String> = [
        ("rulesVersion", before.map(|it| &it.rules_version) != after.map(|it| &it.rules_version)),
        ("matching", before.map(|it| &it.matching) != after.map(|it| &it.matching)),
    ]
    .into_iter()
    .filter(|(_, differs)| *differs)
    .map(|(name, _)| name.to_owned())
    .collect();
    let message = match (before, after) {
        (None, _) => "the baseline does not say by which rules it was made".to_owned(),
        (_, None) => "the current report does not say by which rules it was made".to_owned(),
        (Some(_), Some(_)) => format!("the two reports were made by other rules: {}", subjects.join(", ")),
    };
    let finding = Finding {
        kind: Kind::EvaluatorChanged,
        severity: Severity::Change,
        subjects,
        before: before.map_or(Value::Null, shown),
        after: after.map_or(Value::Null, shown),
        message,
    };
    Some(finding.of_suite())
}

fn shown(evaluator: &Evaluator) -> Value {
    let expected = match evaluator.matching.expected {
        ExpectedForm::Exact => "exact",
        ExpectedForm::Folded => "folded",
    };
    let matching = Value::object([
        ("expected", Value::text(Some(expected))),
        ("protocolMarkers", Value::texts(&evaluator.matching.protocol_markers)),
    ]);
    Value::object([("rulesVersion", Value::text(Some(&evaluator.rules_version))), ("matching", matching)])
}
