//! Results that an accepted report lends to the evaluation of what has not changed since.
//!
//! The evaluator is deterministic: the same definition over the same bytes, by the same rules, options and
//! limit, gives the same result. So such a result need not be computed again, and the trace behind it need
//! not even be there. Spec: performance.md.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::Report;
use super::wire::is_whole;
use crate::evaluate::{CaseResult, CheckName, Evaluation, Found, Placed, RULES_VERSION, names_trace};
use crate::ids::{CaseId, ObjectId};
use crate::suite::source::SourceError;
use crate::suite::trace::Fault;
use crate::suite::{Case, Config};

/// The results of an accepted report that can stand in for an evaluation.
pub struct Lent<'r>(HashMap<&'r CaseId, &'r CaseResult>);

impl<'r> Lent<'r> {
    /// What a report lends to a suite with these settings; `accepted` are the settings that the report was
    /// judged under. `None` where rules, matching options or limit are others, or where the report is of
    /// another program.
    pub fn of(report: &'r Report, accepted: &Config, config: &Config) -> Option<Self> {
        let evaluator = &report.origin.as_ref()?.evaluator;
        let is_same = evaluator.rules_version == RULES_VERSION
            && evaluator.matching == config.matching
            && accepted.max_trace_bytes == config.max_trace_bytes;
        let results = report.results.iter().map(|result| (&result.case_id, result));
        is_same.then(|| Self(results.collect()))
    }

    /// The result of a case over the trace with this id, where it is the one that an evaluation would give.
    pub fn result(&self, case: &Case, trace: &ObjectId) -> Option<CaseResult> {
        let result = *self.0.get(&case.id)?;
        let is_same = result.case_digest.as_ref() == Some(&case.digest)
            && result.trace_id.as_ref() == Some(trace)
            && is_whole(result)
            && follows_from_bytes(result, case);
        is_same.then(|| CaseResult {
            case_id: case.id.clone(),
            // The title is in no digest.
            title: case.title.clone(),
            expectations: Some(Arc::clone(&case.expectations)),
            ..result.clone()
        })
    }
}

/// Whether a result follows from the bytes of its trace alone: a link is none of a file's bytes, and the
/// path of a trace, which one message holds, is in no digest.
fn follows_from_bytes(result: &CaseResult, case: &Case) -> bool {
    let Some(failed) = result.failed_checks.get(CheckName::Trace) else { return true };
    let without_bytes = [Fault::Missing, Fault::NotAFile].map(Fault::as_str);
    let reason = failed.subjects.first().map_or("", String::as_str);
    !without_bytes.contains(&reason) && names_trace(&failed.message, &case.trace_fixture)
}

/// The results of some cases, in the order given, as [`Evaluation::cases`] gives them: lent where that can
/// be, evaluated otherwise. `found` tells for each case what stands where its trace should stand. The trace
/// of a case whose result is lent is neither looked up nor asked for.
///
/// # Errors
/// The surroundings failed; also where a trace is another one by now than the one that was found.
pub fn evaluate_rest(
    evaluation: &Evaluation<'_>,
    cases: &[Placed<'_>],
    found: &[Found],
    lent: Option<&Lent<'_>>,
    threads: NonZeroUsize,
) -> Result<Vec<CaseResult>, SourceError> {
    let lend = |(placed, found): (&Placed<'_>, &Found)| lent?.result(placed.case, found.as_ref().ok()?);
    let mut results: Vec<Option<CaseResult>> = cases.iter().zip(found).map(lend).collect();
    let indices: Vec<usize> = (0..results.len()).filter(|index| results[*index].is_none()).collect();
    let left: Vec<Placed<'_>> = indices.iter().map(|index| cases[*index].clone()).collect();
    for (index, result) in indices.into_iter().zip(evaluation.cases(&left, threads)?) {
        if result.trace_id.as_ref() != found[index].as_ref().ok() {
            return Err(SourceError {
                what: format!("fixtures/{}", cases[index].case.trace_fixture),
                source: "the file changed while the suite was evaluated".into(),
            });
        }
        results[index] = Some(result);
    }
    Ok(results.into_iter().map(|result| result.expect("what is not lent was evaluated")).collect())
}

#[cfg(test)]
mod tests;
