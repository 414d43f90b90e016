//! Takes single cases into a report (baseline.md section 4). Pure, and the same for whoever proves a
//! partial baseline: its cases from its commit, the rest from its parent.

use std::collections::{BTreeMap, BTreeSet};

use crate::baseline::error::BaselineError;
use crate::evaluate::CaseResult;
use crate::ids::CaseId;
use crate::report::{self, Origin, Report};

/// The accepted report with these cases as they are in the current one: replaced in their place, added
/// behind the case that they follow in the suite, or removed. It is then of the current commit, and has
/// the digest of what it holds. `max_trace_bytes` is the accepted limit.
///
/// # Errors
/// [`BaselineError::NotInParts`]: the two are of different suites or were judged by different rules, or no
/// case would be left.
pub fn take_cases(
    accepted: &Report,
    current: &Report,
    cases: &BTreeSet<CaseId>,
    max_trace_bytes: u64,
) -> Result<Report, BaselineError> {
    let refused = |why: &str| BaselineError::NotInParts { why: why.to_owned() };
    let origins = accepted.origin.as_ref().zip(current.origin.as_ref());
    let (old, new) = origins.ok_or_else(|| refused("one of the reports was not made by diag-gate"))?;
    if old.suite != new.suite {
        return Err(refused("the baseline is of another suite"));
    }
    if old.evaluator != new.evaluator {
        return Err(refused("the baseline was judged by other rules or matching options"));
    }
    let results = merged(&accepted.results, &current.results, cases);
    if results.is_empty() {
        return Err(refused("no case would be left"));
    }
    let suite_digest = report::suite_digest(&results, &new.evaluator.matching, max_trace_bytes);
    Ok(Report::new(Some(Origin { suite_digest, ..new.clone() }), results))
}

fn merged(accepted: &[CaseResult], current: &[CaseResult], cases: &BTreeSet<CaseId>) -> Vec<CaseResult> {
    let now: BTreeMap<&CaseId, &CaseResult> =
        current.iter().map(|result| (&result.case_id, result)).collect();
    let before: BTreeSet<&CaseId> = accepted.iter().map(|result| &result.case_id).collect();
    let mut results: Vec<CaseResult> = accepted
        .iter()
        .filter_map(|old| match cases.contains(&old.case_id) {
            true => now.get(&old.case_id).map(|new| (*new).clone()),
            false => Some(old.clone()),
        })
        .collect();
    for (index, added) in current.iter().enumerate() {
        if !cases.contains(&added.case_id) || before.contains(&added.case_id) {
            continue;
        }
        let follows = current[..index]
            .iter()
            .rev()
            .find_map(|earlier| results.iter().position(|result| result.case_id == earlier.case_id));
        results.insert(follows.map_or(0, |at| at + 1), added.clone());
    }
    results
}
