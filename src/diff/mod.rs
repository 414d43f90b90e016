//! DIFF: what moved between two reports, as a list of entries. A pure function of its inputs.
//!
//! One theme, one file. Nothing here knows a policy beyond its thresholds, a waiver or git.
//! Spec: diff-and-gate.md sections 1 and 2.

mod case;
mod checks;
mod coverage;
mod entry;
mod expectation;
mod fields;
mod join;
mod message;
mod suite;
mod threshold;
mod verdict;

#[cfg(test)]
pub(crate) mod model;
#[cfg(test)]
mod tests;

pub use entry::{Cause, Entry, Severity, Value};
pub use message::one_line;

use crate::ids::{Digest, Name};
use crate::report::{Report, SourceState};
use crate::suite::config::Thresholds;
use join::Joined;

/// What moved between two reports.
#[derive(Clone, Debug)]
pub struct Diff {
    /// The head of the accepted report.
    pub baseline: Head,
    /// The head of the report under test.
    pub current: Head,
    /// The totals of the cases on both sides.
    pub like_for_like: LikeForLike,
    /// In the order of diff-and-gate.md: the whole suite, the cases in current's order, the removed ones.
    pub entries: Vec<Entry>,
}

/// What a diff repeats of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// What was evaluated; `None` in an imported report.
    pub source: Option<SourceState>,
    /// The digest of what was evaluated; `None` in an imported report.
    pub suite_digest: Option<Digest>,
    /// How many cases.
    pub total_cases: u64,
    /// How many passed.
    pub passed_cases: u64,
    /// From 0.0 to 1.0.
    pub pass_rate: f64,
}

/// The totals of the cases on both sides, renamed ones too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LikeForLike {
    /// How many cases are on both sides.
    pub cases: u64,
    /// How many of them passed before.
    pub baseline_passed: u64,
    /// How many of them pass now.
    pub current_passed: u64,
}

/// Why two reports cannot be compared (exit status 2).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Both name a suite, and the names differ.
    #[error(
        "the baseline is of the suite `{}`, the current report of the suite `{}`",
        baseline.as_str(),
        current.as_str()
    )]
    OtherSuite {
        /// The suite of the accepted report.
        baseline: Name,
        /// The suite of the report under test.
        current: Name,
    },
    /// No case is on both sides, renamed ones counted: not the baseline of this suite.
    #[error("no case is on both sides: that is not the baseline of this suite")]
    NothingInCommon,
}

/// Compares the accepted report with the report under test. Linear in the number of cases.
///
/// # Errors
/// The two do not belong together.
pub fn diff(baseline: &Report, current: &Report, thresholds: &Thresholds) -> Result<Diff, Refusal> {
    refuse_other_suite(baseline, current)?;
    let joined = Joined::of(&baseline.results, &current.results);
    let pairs = joined.pairs();
    if pairs.is_empty() {
        return Err(Refusal::NothingInCommon);
    }
    let like_for_like = LikeForLike::of(&pairs);
    let evaluator_moved = suite::evaluator(baseline) != suite::evaluator(current);
    let mut entries = suite::entries(&pairs, like_for_like, thresholds);
    entries.extend(suite::evaluator_changed(suite::evaluator(baseline), suite::evaluator(current)));
    entries.extend(case::entries(&joined, thresholds, evaluator_moved));
    Ok(Diff { baseline: Head::of(baseline), current: Head::of(current), like_for_like, entries })
}

fn refuse_other_suite(baseline: &Report, current: &Report) -> Result<(), Refusal> {
    match (&baseline.origin, &current.origin) {
        (Some(before), Some(after)) if before.suite != after.suite => {
            Err(Refusal::OtherSuite { baseline: before.suite.clone(), current: after.suite.clone() })
        }
        _either_names_none_or_both_agree => Ok(()),
    }
}

impl Diff {
    /// Takes up an entry of the whole suite that reports alone do not show, at its place in the order.
    pub fn add(&mut self, entry: Entry) {
        let place = self
            .entries
            .iter()
            .position(|other| other.case_id.is_some() || other.kind > entry.kind)
            .unwrap_or(self.entries.len());
        self.entries.insert(place, entry);
    }
}

impl Head {
    fn of(report: &Report) -> Self {
        let origin = report.origin.as_ref();
        Self {
            source: origin.map(|origin| origin.source.clone()),
            suite_digest: origin.map(|origin| origin.suite_digest.clone()),
            total_cases: report.totals.total_cases,
            passed_cases: report.totals.passed_cases,
            pass_rate: report.totals.pass_rate,
        }
    }
}

impl LikeForLike {
    fn of(pairs: &[join::Pair<'_>]) -> Self {
        let count = |passed: usize| passed as u64;
        Self {
            cases: count(pairs.len()),
            baseline_passed: count(pairs.iter().filter(|pair| pair.before.passed).count()),
            current_passed: count(pairs.iter().filter(|pair| pair.after.passed).count()),
        }
    }
}
