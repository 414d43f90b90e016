//! What a decision comes to, computed once: every format is laid out from this and knows no more.
//!
//! Texts of others are [`Untrusted`] in a view: only the escaper of a sink gets them out.

use std::collections::HashMap;

use super::escape::Untrusted;
use super::layout::{count, grouped};
use super::places::Places;
use super::row::Row;
use crate::diff::Severity;
use crate::evaluate::CaseResult;
use crate::gate::{EntryLevel, Gate, Judged, Outcome, Stale, StaleWaiver};
use crate::ids::CaseId;
use crate::report::{Report, percent};

/// Which baseline the revision was compared with, in words.
#[derive(Clone, Debug)]
pub struct BaselineNote {
    /// `default/main`.
    pub title: Untrusted,
    /// The link's commit, short.
    pub commit: Untrusted,
    /// The evaluated commit, short.
    pub evaluated: Untrusted,
    /// Who accepted it.
    pub by: Untrusted,
    /// How long ago: `3 days ago`.
    pub age: Untrusted,
    /// The rule by which it was chosen, in words.
    pub rule: Untrusted,
}

/// What a reader can do next, as commands for a POSIX shell.
#[derive(Clone, Debug)]
pub struct Commands {
    /// Decides again.
    pub reproduce: Untrusted,
    /// Accepts what blocks; `None` where nothing does, or what was judged cannot be accepted.
    pub accept: Option<Untrusted>,
}

/// What a view shows beside the decision.
#[derive(Debug)]
pub struct Background<'a> {
    /// The report under test: it gives the evidence of cases that fail now.
    pub current: &'a Report,
    /// Where its cases stand; none where they stand in no repository.
    pub places: Places,
    /// The baseline; `None` in a diff of two files.
    pub baseline: Option<BaselineNote>,
    /// What to do next; `None` where no command says it.
    pub commands: Option<Commands>,
}

/// A decision, ready to be laid out.
#[derive(Clone, Debug)]
pub struct View {
    /// The name of the suite; `None` in an imported report.
    pub suite: Option<Untrusted>,
    /// The answer.
    pub outcome: Outcome,
    /// The answer with the counts that carry it, without the word itself; one line of our own words.
    pub headline: String,
    /// The minimum that was missed, with the numbers. It blocks and is no entry.
    pub below_minimum: Option<String>,
    /// The baseline; `None` in a diff of two files.
    pub baseline: Option<BaselineNote>,
    /// Totals before and now, and like for like: label, before, now.
    pub totals: Vec<(&'static str, String, String)>,
    /// The entries by what they are to the reader, in the order of [`Group`]; no empty group.
    pub groups: Vec<(Group, Vec<Row>)>,
    /// Waivers that should be taken out of the settings, one line each.
    pub stale_waivers: Vec<Untrusted>,
    /// Every case of the report under test, in its order.
    pub cases: Vec<CaseLine>,
    /// What to do next.
    pub commands: Option<Commands>,
}

/// A case of the report under test, whether an entry tells of it or not.
#[derive(Clone, Debug)]
pub struct CaseLine {
    /// The id.
    pub id: Untrusted,
    /// How long the agent took, in milliseconds, where the trace says so.
    pub duration_ms: Option<f64>,
    /// Whether it passes.
    pub passed: bool,
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

    /// The heading with the number of entries: `Blocking (2 entries)`.
    pub(super) fn heading(self, rows: usize) -> String {
        let noun = if rows == 1 { "entry" } else { "entries" };
        format!("{} ({} {noun})", self.title(), grouped(rows as u64))
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
    /// Computes the view.
    pub fn new(gate: &Gate, background: Background<'_>) -> Self {
        let Background { current, places, baseline, commands } = background;
        let results: HashMap<&CaseId, &CaseResult> =
            current.results.iter().map(|result| (&result.case_id, result)).collect();
        let row = |judged: &Judged| {
            let result = judged.entry.case_id.as_ref().and_then(|id| results.get(id).copied());
            (Group::of(judged), Row::new(judged, result, &places))
        };
        let cases = current.results.iter().map(|result| CaseLine {
            id: Untrusted::new(result.case_id.as_str()),
            duration_ms: result.duration_ms.map(|duration| duration.as_f64()),
            passed: result.passed,
        });
        Self {
            suite: current.origin.as_ref().map(|origin| Untrusted::new(origin.suite.as_str())),
            outcome: gate.outcome,
            headline: headline(gate),
            below_minimum: gate.below_minimum.as_ref().map(|below| below.told()),
            baseline,
            totals: totals(gate),
            groups: in_groups(gate.entries.iter().map(row).collect()),
            stale_waivers: gate.stale_waivers.iter().map(stale).collect(),
            cases: cases.collect(),
            commands,
        }
    }

    /// Whether there is nothing to tell: no entry at all, and no waiver to take out.
    pub fn is_clean(&self) -> bool {
        self.groups.is_empty() && self.stale_waivers.is_empty() && self.outcome == Outcome::Pass
    }

    /// Every row with its group, the worst group first.
    pub fn rows(&self) -> impl Iterator<Item = (Group, &Row)> {
        self.groups.iter().flat_map(|(group, rows)| rows.iter().map(|row| (*group, row)))
    }
}

fn in_groups(mut rows: Vec<(Group, Row)>) -> Vec<(Group, Vec<Row>)> {
    rows.sort_by_key(|(group, _)| *group);
    let mut groups: Vec<(Group, Vec<Row>)> = Vec::new();
    for (group, row) in rows {
        match groups.last_mut() {
            Some((last, rows)) if *last == group => rows.push(row),
            Some(_) | None => groups.push((group, vec![row])),
        }
    }
    groups
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
    if gate.outcome == Outcome::Block && carried.is_empty() {
        // A saved decision does not say more of it.
        carried.push("below the minimum".to_owned());
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

fn stale(stale: &StaleWaiver) -> Untrusted {
    let waiver = &stale.waiver;
    let why = match stale.why {
        Stale::Expired => format!("expired on {}", waiver.expires),
        Stale::Unused => "covers nothing".to_owned(),
    };
    let line = format!("the waiver of line {} for `{}` {why}: {}", waiver.line, waiver.case, waiver.reason);
    Untrusted::new(line)
}
