//! Which entries an acceptance covers (baseline.md section 4): keyed by content, never by commit.

use std::collections::{HashMap, HashSet};

use crate::diff::Entry;
use crate::evaluate::{CaseResult, FailedChecks};
use crate::gate::{Accepted, same_settings};
use crate::ids::CaseId;
use crate::kind::Kind;
use crate::report::Report;
use crate::suite::Config;

/// What a maintainer accepted: content that has perhaps not landed yet.
#[derive(Clone, Copy, Debug)]
pub struct Acceptance<'a> {
    /// By whom, why, and in which commit.
    pub accepted: &'a Accepted,
    /// The results of the accepted content.
    pub report: &'a Report,
    /// The accepted settings.
    pub config: &'a Config,
}

/// What is judged: the report and the settings of the revision under test.
#[derive(Clone, Copy, Debug)]
pub struct UnderTest<'a> {
    /// Its results.
    pub report: &'a Report,
    /// Its settings, which are in force only once they are accepted.
    pub config: &'a Config,
}

/// For each entry who accepted it; the first of the acceptances that covers it counts.
///
/// An acceptance of the whole content covers every entry, but only under the same settings: they
/// could otherwise be weakened after it. Otherwise it covers the entries of a case that it holds with
/// the same definition, trace and outcome, `pass-rate-fell` when every case that fell is covered, and
/// `policy-changed` when it holds the same settings. A removed case is covered by whole content alone.
pub fn cover(
    entries: &[Entry],
    under_test: UnderTest<'_>,
    acceptances: &[Acceptance<'_>],
) -> Vec<Option<Accepted>> {
    if acceptances.is_empty() {
        return vec![None; entries.len()];
    }
    let whole = acceptances.iter().find(|acceptance| is_whole(acceptance, under_test));
    if let Some(whole) = whole {
        return vec![Some(whole.accepted.clone()); entries.len()];
    }
    let cases = covered_cases(entries, under_test.report, acceptances);
    entries
        .iter()
        .map(|entry| match &entry.case_id {
            Some(case) => cases.get(case).copied(),
            None if entry.kind == Kind::PassRateFell => all_that_fell(entries, &cases),
            None if entry.kind == Kind::PolicyChanged => acceptances
                .iter()
                .find(|acceptance| same_settings(acceptance.config, under_test.config))
                .map(|acceptance| acceptance.accepted),
            None => None,
        })
        .map(|accepted| accepted.cloned())
        .collect()
}

fn is_whole(acceptance: &Acceptance<'_>, under_test: UnderTest<'_>) -> bool {
    let digest = |report: &Report| report.origin.as_ref().map(|origin| origin.suite_digest.clone());
    let accepted = digest(acceptance.report);
    accepted.is_some()
        && accepted == digest(under_test.report)
        && same_settings(acceptance.config, under_test.config)
}

/// The cases with entries that an acceptance holds as they are now.
fn covered_cases<'a>(
    entries: &'a [Entry],
    current: &Report,
    acceptances: &[Acceptance<'a>],
) -> HashMap<&'a CaseId, &'a Accepted> {
    let named: HashSet<&CaseId> = entries.iter().filter_map(|entry| entry.case_id.as_ref()).collect();
    let of = |report: &'a Report| report.results.iter().filter(|result| named.contains(&result.case_id));
    let now: HashMap<&CaseId, &CaseResult> =
        current.results.iter().map(|result| (&result.case_id, result)).collect();
    let mut covered = HashMap::new();
    for acceptance in acceptances {
        for held in of(acceptance.report) {
            if now.get(&held.case_id).is_some_and(|result| is_same(held, result)) {
                covered.entry(&held.case_id).or_insert(acceptance.accepted);
            }
        }
    }
    covered
}

/// The same definition, trace and outcome. Where other matching options found other checks failing,
/// the outcome is another.
fn is_same(accepted: &CaseResult, now: &CaseResult) -> bool {
    accepted.case_digest.is_some()
        && accepted.case_digest == now.case_digest
        && accepted.trace_id == now.trace_id
        && accepted.passed == now.passed
        && failing(accepted) == failing(now)
}

fn failing(result: &CaseResult) -> Vec<(&str, &[String])> {
    match &result.failed_checks {
        FailedChecks::Checks(checks) => {
            checks.iter().map(|failed| (failed.check.as_str(), failed.subjects.as_slice())).collect()
        }
        FailedChecks::Plain(texts) => texts.iter().map(|text| (text.as_str(), [].as_slice())).collect(),
    }
}

/// Who accepted the first of the cases that fell, where every one of them is accepted.
fn all_that_fell<'a>(entries: &[Entry], cases: &HashMap<&CaseId, &'a Accepted>) -> Option<&'a Accepted> {
    let mut fallen = entries.iter().filter(|entry| entry.kind == Kind::CaseRegressed);
    let of = |entry: &Entry| entry.case_id.as_ref().and_then(|case| cases.get(case).copied());
    let first = of(fallen.next()?)?;
    fallen.all(|entry| of(entry).is_some()).then_some(first)
}
