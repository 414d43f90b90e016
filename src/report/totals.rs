//! The totals: always computed from the results, never trusted from a file.

use std::collections::BTreeMap;

use super::Totals;
use crate::evaluate::CaseResult;
use crate::number::{Number, mean};

/// Under which a missing verdict is counted; a verdict of that very name, too.
pub(super) const MISSING: &str = "(missing)";

impl Totals {
    /// The totals of these results (evaluation.md section 6): means over the values in them, exactly, then
    /// the nearest double. Without a result the pass rate is 0.
    pub fn of(results: &[CaseResult]) -> Self {
        let total_cases = results.len() as u64;
        let passed_cases = count(results, |result| result.passed);
        Self {
            total_cases,
            passed_cases,
            unjudged_cases: count(results, |result| result.unjudged().is_some()),
            pass_rate: if total_cases == 0 { 0.0 } else { passed_cases as f64 / total_cases as f64 },
            verdict_distribution: distribution(results),
            average_tool_call_count: mean(
                results
                    .iter()
                    .filter(|result| result.unjudged().is_none())
                    .filter_map(|result| result.tool_call_count.map(Number::Int)),
            ),
            average_duration_ms: mean(results.iter().filter_map(|result| result.duration_ms)),
        }
    }
}

fn count(results: &[CaseResult], is_counted: impl Fn(&CaseResult) -> bool) -> u64 {
    results.iter().filter(|result| is_counted(result)).count() as u64
}

fn distribution(results: &[CaseResult]) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for result in results {
        *counts.entry(result.verdict.as_deref().unwrap_or(MISSING)).or_default() += 1;
    }
    counts.into_iter().map(|(verdict, count)| (verdict.to_owned(), count)).collect()
}
