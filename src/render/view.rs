//! What a decision comes to, computed once: every format is laid out from this and knows no more.
//!
//! Text in a view is untrusted wherever the model's is: it goes through the escaper of the sink.

use std::collections::HashMap;

use crate::diff::{Cause, Severity};
use crate::evaluate::{CaseResult, FailedChecks};
use crate::gate::{EntryLevel, Gate, Judged, Outcome, Stale, StaleWaiver};
use crate::ids::CaseId;
use crate::report::{Report, percent};

use super::layout::{count, grouped};

/// Which baseline the revision was compared with, in words. Untrusted text inside.
#[derive(Clone, Debug)]
pub struct BaselineNote {
    /// `default/main`.
    pub title: String,
    /// The link's commit, short.
    pub commit: String,
    /// The evaluated commit, short.
    pub evaluated: String,
    /// Who accepted it.
    pub by: String,
    /// How long ago: `3 days ago`.
    pub age: String,
    /// The rule by which it was chosen, in words.
    pub rule: String,
}

/// A decision, ready to be laid out.
#[derive(Clone, Debug)]
pub struct View {
    /// The answer.
    pub outcome: Outcome,
    /// The answer with the counts that carry it, without the word itself; one line.
    pub headline: String,
    /// The baseline; `None` in a diff of two files.
    pub baseline: Option<BaselineNote>,
    /// Totals before and now, and like for like: label, before, now.
    pub totals: Vec<(&'static str, String, String)>,
    /// The entries by what they are to the reader, in the order of [`Group`]; no empty group.
    pub groups: Vec<(Group, Vec<Row>)>,
    /// Waivers that should be taken out of the settings, one line each.
    pub stale_waivers: Vec<String>,
}

/// What entries are to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// They stop the merge.
    Blocking,
    /// They are counted.
    Warnings,
    /// A person took responsibility for them.
    Accepted,
    /// A dated exception covers them.
    Waived,
    /// Better than before.
    Improvements,
    /// Neither better nor worse, or ignored by the policy.
    Changes,
}

/// One entry.
#[derive(Clone, Debug)]
pub struct Row {
    /// The kind's name.
    pub kind: &'static str,
    /// The case; `None` for the whole suite.
    pub case: Option<String>,
    /// Its title, where it says more than the id.
    pub title: Option<String>,
    /// Whether the agent or the exam moved.
    pub cause: Option<&'static str>,
    /// What changed.
    pub message: String,
    /// What the failed checks say of the answer, one line each.
    pub evidence: Vec<String>,
    /// Who accepted it and why, or which exception covers it.
    pub cover: Option<String>,
}

impl Group {
    /// The heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Blocking => "Blocking",
            Self::Warnings => "Warnings",
            Self::Accepted => "Accepted",
            Self::Waived => "Waived",
            Self::Improvements => "Improvements",
            Self::Changes => "Changes",
        }
    }

    fn of(judged: &Judged) -> Self {
        if judged.accepted.is_some() {
            return Self::Accepted;
        }
        if judged.waived.is_some() {
            return Self::Waived;
        }
        match (judged.level, judged.entry.severity) {
            (EntryLevel::Block, _) => Self::Blocking,
            (EntryLevel::Warn, _) => Self::Warnings,
            (EntryLevel::Info | EntryLevel::Ignore, Severity::Improvement) => Self::Improvements,
            (EntryLevel::Info | EntryLevel::Ignore, Severity::Regression | Severity::Change) => Self::Changes,
        }
    }
}

impl View {
    /// Computes the view. `current` gives the evidence of cases that fail now.
    pub fn new(gate: &Gate, current: &Report, baseline: Option<BaselineNote>) -> Self {
        let results: HashMap<&CaseId, &CaseResult> =
            current.results.iter().map(|result| (&result.case_id, result)).collect();
        let mut groups: Vec<(Group, Vec<Row>)> = Vec::new();
        let mut order: Vec<(Group, Row)> =
            gate.entries.iter().map(|judged| (Group::of(judged), Row::new(judged, &results))).collect();
        order.sort_by_key(|(group, _)| *group);
        for (group, row) in order {
            match groups.last_mut() {
                Some((last, rows)) if *last == group => rows.push(row),
                Some(_) | None => groups.push((group, vec![row])),
            }
        }
        Self {
            outcome: gate.outcome,
            headline: headline(gate),
            baseline,
            totals: totals(gate),
            groups,
            stale_waivers: gate.stale_waivers.iter().map(stale).collect(),
        }
    }
}

impl Row {
    fn new(judged: &Judged, results: &HashMap<&CaseId, &CaseResult>) -> Self {
        let entry = &judged.entry;
        let case = entry.case_id.as_ref().map(|id| id.as_str().to_owned());
        let title = entry.title.clone().filter(|title| case.as_ref() != Some(title));
        let result = entry.case_id.as_ref().and_then(|id| results.get(id));
        let evidence = match (entry.severity, result) {
            (Severity::Regression, Some(result)) if tells_checks(judged) => evidence(result),
            (Severity::Regression | Severity::Improvement | Severity::Change, _) => Vec::new(),
        };
        Self {
            kind: entry.kind.as_str(),
            case,
            title,
            cause: entry.cause.map(cause),
            message: entry.message.clone(),
            evidence,
            cover: cover(judged),
        }
    }
}

/// Whether the entry is about checks that fail now.
fn tells_checks(judged: &Judged) -> bool {
    use crate::kind::Kind;
    matches!(judged.entry.kind, Kind::CaseRegressed | Kind::ChecksLost | Kind::CaseUnjudged | Kind::CaseAdded)
}

fn evidence(result: &CaseResult) -> Vec<String> {
    match &result.failed_checks {
        FailedChecks::Checks(checks) => {
            checks.iter().map(|failed| format!("{}: {}", failed.check.as_str(), failed.message)).collect()
        }
        FailedChecks::Plain(texts) => texts.clone(),
    }
}

/// The first question of a reviewer: did the agent change, or the exam?
const fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Trace => "the agent changed",
        Cause::Case => "the exam changed",
        Cause::Both => "agent and exam changed",
        Cause::Evaluator => "the rules changed",
        Cause::Unknown => "cause unknown",
    }
}

fn cover(judged: &Judged) -> Option<String> {
    let accepted = judged.accepted.as_ref().map(|accepted| {
        let reason = accepted.reason.as_deref().unwrap_or("no reason given");
        format!("accepted by {}: {reason} ({})", accepted.by, accepted.commit.short())
    });
    accepted.or_else(|| {
        judged.waived.as_ref().map(|waived| format!("waived until {}: {}", waived.expires, waived.reason))
    })
}

/// `3 entries block, 1 warns: 11 of 12 passed (91.6 %), 12 of 12 before`.
fn headline(gate: &Gate) -> String {
    let current = &gate.current;
    let rate = percent(current.passed_cases, current.total_cases);
    let now =
        format!("{} of {} passed ({rate})", grouped(current.passed_cases), grouped(current.total_cases));
    let before =
        format!("{} of {} before", grouped(gate.baseline.passed_cases), grouped(gate.baseline.total_cases));
    let mut carried = Vec::new();
    if let Some(below) = &gate.below_minimum {
        carried.push(format!("below the minimum: {}", below.told()));
    }
    if gate.blocking > 0 || (gate.outcome == Outcome::Pass && gate.warnings == 0) {
        carried.push(match gate.blocking {
            0 => "nothing blocks".to_owned(),
            1 => "1 entry blocks".to_owned(),
            number => format!("{} entries block", grouped(number)),
        });
    }
    if gate.warnings > 0 {
        carried.push(count(gate.warnings, "warning"));
    }
    format!("{}: {now}, {before}", carried.join(", "))
}

fn totals(gate: &Gate) -> Vec<(&'static str, String, String)> {
    let of = |passed: u64, cases: u64| {
        format!("{} of {} ({})", grouped(passed), grouped(cases), percent(passed, cases))
    };
    let (baseline, current, common) = (&gate.baseline, &gate.current, gate.like_for_like);
    vec![
        (
            "all cases",
            of(baseline.passed_cases, baseline.total_cases),
            of(current.passed_cases, current.total_cases),
        ),
        ("on both sides", of(common.baseline_passed, common.cases), of(common.current_passed, common.cases)),
    ]
}

fn stale(stale: &StaleWaiver) -> String {
    let waiver = &stale.waiver;
    let why = match stale.why {
        Stale::Expired => format!("expired on {}", waiver.expires),
        Stale::Unused => "covers nothing".to_owned(),
    };
    format!("the waiver of line {} for `{}` {why}: {}", waiver.line, waiver.case, waiver.reason)
}
