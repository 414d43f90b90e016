//! What a revision under test proposes to change in the settings, and whether that lets more through.
//!
//! The policy in force is the accepted one; a proposal takes effect when it is accepted, so a
//! weaker one blocks. Spec: diff-and-gate.md, `policy-changed` and section 3; github.md for the names
//! that choose the baseline.

use std::collections::BTreeSet;

use crate::diff::{Entry, Severity, Value};
use crate::gate::level::{EntryLevel, level_of, severities};
use crate::gate::waiver::matcher;
use crate::kind::Kind;
use crate::number::Number;
use crate::suite::config::{Config, GateConfig, Level, Threshold, Waiver};
use crate::suite::{ExpectedForm, Matching};

/// A setting that differs.
struct Differing {
    /// As it would be written in one line: `gate.levels.keywords-lost`.
    name: String,
    before: Value,
    after: Value,
    /// Whether the proposal lets through what the accepted setting blocks.
    weaker: bool,
}

/// `policy-changed`, where the proposed settings differ from the accepted ones: a regression if they let
/// through what the accepted ones block, or choose another baseline to be judged by.
pub fn policy_change(accepted: &Config, proposed: &Config) -> Option<Entry> {
    let settings = differing(accepted, proposed);
    if settings.is_empty() {
        return None;
    }
    let names = |weaker: bool| -> Vec<&str> {
        settings.iter().filter(|it| it.weaker || !weaker).map(|it| it.name.as_str()).collect()
    };
    let weaker = names(true);
    let (severity, message) = if weaker.is_empty() {
        (
            Severity::Change,
            format!("the proposed settings differ from the accepted ones: {}", names(false).join(", ")),
        )
    } else {
        let names = weaker.join(", ");
        (
            Severity::Regression,
            format!("the proposed settings let through what the accepted ones block: {names}"),
        )
    };
    let message = crate::diff::one_line(&message);
    let object = |value: fn(&Differing) -> &Value| {
        Value::object(settings.iter().map(|it| (it.name.as_str(), value(it).clone())))
    };
    Some(Entry {
        kind: Kind::PolicyChanged,
        severity,
        case_id: None,
        title: None,
        cause: None,
        under_old_expectation: None,
        subjects: settings.iter().map(|it| it.name.clone()).collect(),
        before: object(|it| &it.before),
        after: object(|it| &it.after),
        message,
    })
}

/// Whether two configurations set the same, however they are written.
pub fn same_settings(one: &Config, other: &Config) -> bool {
    differing(one, other).is_empty()
}

/// In the order in which the settings are documented.
fn differing(old: &Config, new: &Config) -> Vec<Differing> {
    let mut all = Vec::new();
    let text = |text: &str| Value::text(Some(text));
    let mut note = |differs: bool, name: &str, before: Value, after: Value, weaker: bool| {
        if differs {
            all.push(Differing { name: name.to_owned(), before, after, weaker });
        }
    };
    // Who may choose the name or the place of the baseline chooses what judges him.
    note(old.name != new.name, "name", text(old.name.as_str()), text(new.name.as_str()), true);
    let (before, after) = (&old.matching, &new.matching);
    note(before.expected != after.expected, "matching.expected", form(before), form(after), false);
    note(
        before.protocol_markers != after.protocol_markers,
        "matching.protocol_markers",
        Value::texts(&before.protocol_markers),
        Value::texts(&after.protocol_markers),
        false,
    );
    let (before, after) = (old.max_trace_bytes, new.max_trace_bytes);
    note(before != after, "limits.max_trace_bytes", Value::count(before), Value::count(after), false);
    all.extend(minimum(&old.gate, &new.gate));
    all.extend(levels(&old.gate, &new.gate));
    all.extend(thresholds(&old.gate, &new.gate));
    all.extend(waivers(&old.gate, &new.gate));
    all.extend(switch("baseline.ratchet", old.baseline.ratchet, new.baseline.ratchet, false));
    let (before, after) = (old.baseline.require_signed, new.baseline.require_signed);
    all.extend(switch("baseline.require_signed", before, after, before));
    if old.store_prefix != new.store_prefix {
        let (before, after) = (text(&old.store_prefix), text(&new.store_prefix));
        all.push(Differing { name: "store.prefix".to_owned(), before, after, weaker: true });
    }
    all
}

fn switch(name: &str, before: bool, after: bool, weaker: bool) -> Option<Differing> {
    let name = name.to_owned();
    (before != after).then_some(Differing {
        name,
        before: Value::Bool(before),
        after: Value::Bool(after),
        weaker,
    })
}

fn form(matching: &Matching) -> Value {
    Value::text(Some(match matching.expected {
        ExpectedForm::Exact => "exact",
        ExpectedForm::Folded => "folded",
    }))
}

fn number(double: f64) -> Value {
    Value::Number(Number::Float(double))
}

fn minimum(old: &GateConfig, new: &GateConfig) -> Option<Differing> {
    let (before, after) = (old.min_pass_rate, new.min_pass_rate);
    // A minimum of 0 blocks nothing.
    let weaker = before.unwrap_or(0.0) > after.unwrap_or(0.0);
    let value = |rate: Option<f64>| rate.map_or(Value::Null, number);
    let name = "gate.min_pass_rate".to_owned();
    (before != after).then(|| Differing { name, before: value(before), after: value(after), weaker })
}

fn levels(old: &GateConfig, new: &GateConfig) -> Vec<Differing> {
    let kinds: BTreeSet<Kind> = old.levels.keys().chain(new.levels.keys()).copied().collect();
    kinds
        .into_iter()
        .filter(|kind| old.levels.get(kind) != new.levels.get(kind))
        .map(|kind| Differing {
            name: format!("gate.levels.{}", kind.as_str()),
            before: level(old.levels.get(&kind)),
            after: level(new.levels.get(&kind)),
            weaker: severities(kind).iter().any(|severity| {
                let blocks = |policy| level_of(policy, kind, *severity) == EntryLevel::Block;
                blocks(old) && !blocks(new)
            }),
        })
        .collect()
}

fn level(level: Option<&Level>) -> Value {
    Value::text(level.map(|level| EntryLevel::from(*level).as_str()))
}

/// Whether any entry of this kind stops a merge under this policy.
fn blocks(policy: &GateConfig, kind: Kind) -> bool {
    severities(kind).iter().any(|severity| level_of(policy, kind, *severity) == EntryLevel::Block)
}

/// A bound that grows is passed by fewer numbers, whatever the other bound does: the smaller value may be 0,
/// and it may be large.
fn thresholds(old: &GateConfig, new: &GateConfig) -> Vec<Differing> {
    let (before, after) = (&old.thresholds, &new.thresholds);
    [
        ("duration", before.duration, after.duration, [Kind::DurationRose, Kind::DurationFell]),
        ("tool_calls", before.tool_calls, after.tool_calls, [Kind::ToolCallsRose, Kind::ToolCallsFell]),
        (
            "average_duration",
            before.average_duration,
            after.average_duration,
            [Kind::AverageDurationRose, Kind::AverageDurationFell],
        ),
        (
            "average_tool_calls",
            before.average_tool_calls,
            after.average_tool_calls,
            [Kind::AverageToolCallsRose, Kind::AverageToolCallsFell],
        ),
    ]
    .into_iter()
    .flat_map(|(name, before, after, kinds)| {
        let blocking = kinds.into_iter().any(|kind| blocks(old, kind));
        bounds(name, before, after)
            .into_iter()
            .map(move |(differing, grew)| Differing { weaker: blocking && grew, ..differing })
    })
    .collect()
}

fn bounds(name: &str, before: Threshold, after: Threshold) -> Vec<(Differing, bool)> {
    [("relative", before.relative, after.relative), ("absolute", before.absolute, after.absolute)]
        .into_iter()
        .filter(|(_, before, after)| before != after)
        .map(|(bound, before, after)| {
            let name = format!("gate.thresholds.{name}.{bound}");
            (Differing { name, before: number(before), after: number(after), weaker: false }, after > before)
        })
        .collect()
}

/// Where the lines of the waivers stand in the file does not matter, nor do repeated kinds.
fn waivers(old: &GateConfig, new: &GateConfig) -> Option<Differing> {
    let shown = |waivers: &[Waiver]| Value::List(waivers.iter().map(waiver).collect());
    let same = old.waivers.len() == new.waivers.len()
        && old.waivers.iter().zip(&new.waivers).all(|(old, new)| {
            (&old.case, &old.kinds, &old.reason, old.expires)
                == (&new.case, &new.kinds, &new.reason, new.expires)
        });
    (!same).then(|| Differing {
        name: "gate.waivers".to_owned(),
        before: shown(&old.waivers),
        after: shown(&new.waivers),
        weaker: new.waivers.iter().any(|waiver| waives_more(old, waiver)),
    })
}

fn waiver(waiver: &Waiver) -> Value {
    let kinds: Vec<&str> = waiver.kinds.iter().map(|kind| kind.as_str()).collect();
    Value::object([
        ("case", Value::text(Some(&waiver.case))),
        ("kinds", Value::texts(&kinds)),
        ("reason", Value::text(Some(&waiver.reason))),
        ("expires", Value::Text(waiver.expires.to_string())),
    ])
}

/// Whether a waiver lets through what the old policy blocks. Where one cannot tell, it does.
fn waives_more(old: &GateConfig, new: &Waiver) -> bool {
    new.kinds.iter().filter(|kind| is_of_case(**kind) && blocks(old, **kind)).any(|kind| {
        !old.waivers.iter().any(|waiver| {
            waiver.kinds.contains(kind) && waiver.expires >= new.expires && holds(&waiver.case, &new.case)
        })
    })
}

/// Entries of the whole suite have no case, so that no waiver covers them.
fn is_of_case(kind: Kind) -> bool {
    kind >= Kind::CaseRegressed
}

/// Whether the old glob surely matches every id that the new one does.
fn holds(old: &str, new: &str) -> bool {
    let literal = !new.contains(['*', '?', '[', ']', '{', '}', '\\', '!']);
    old == new || old == "*" || (literal && matcher(old).is_some_and(|matcher| matcher.is_match(new)))
}
