//! Joins the reports of all parts of a suite into that of the whole, or says why they do not belong together.
//! Pure: no case is evaluated for it. Spec: cli.md (`merge`).

use std::collections::HashSet;

use super::shard::{Part, Shard};
use super::{Origin, Report, suite_digest};
use crate::evaluate::CaseResult;

/// How many missing parts are named.
const NAMED: usize = 8;

/// Why reports cannot be joined. Each message is a lower-case fragment without a final period.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There is nothing to join.
    #[error("there is no report of a part")]
    Nothing,
    /// It is whole already, or of another program.
    #[error("one of the reports is of no part")]
    NoPart,
    /// The suite was divided in different ways.
    #[error("{} and {} are parts of different divisions", .one.words(), .other.words())]
    OtherDivision {
        /// One of them.
        one: Shard,
        /// The other one.
        other: Shard,
    },
    /// A part is there more than once.
    #[error("{} is given twice", .0.words())]
    Twice(Shard),
    /// Parts are not there.
    #[error("of {of} parts these are missing: {}", listed(.missing))]
    Missing {
        /// From 1.
        missing: Vec<u32>,
        /// How many parts there are.
        of: u32,
    },
    /// Two parts are not of the same evaluation.
    #[error("{} is of another {what} than {}", .other.words(), .one.words())]
    Differs {
        /// The first part.
        one: Shard,
        /// One that is unlike it.
        other: Shard,
        /// In what.
        what: &'static str,
    },
    /// Two parts overlap.
    #[error("case `{case}` is in more than one part")]
    RepeatedCase {
        /// The id. Untrusted text.
        case: String,
    },
    /// A part is not the one that was evaluated.
    #[error("the parts together are not the content that they name: a file was edited, evaluate it again")]
    OtherContent,
}

fn listed(missing: &[u32]) -> String {
    let named: Vec<String> = missing.iter().take(NAMED).map(u32::to_string).collect();
    let more = missing.len().saturating_sub(NAMED);
    if more == 0 { named.join(", ") } else { format!("{} and {more} more", named.join(", ")) }
}

/// The report of the whole suite, the same as that of a single run. The order of the parts does not matter.
///
/// # Errors
/// The parts have gaps or overlap, or are not of one evaluation.
pub fn merge(parts: Vec<Report>) -> Result<Report, MergeError> {
    let mut known: Vec<(Part, Origin, Vec<CaseResult>)> = Vec::with_capacity(parts.len());
    for report in parts {
        let (Some(part), Some(origin)) = (report.part, report.origin) else { return Err(MergeError::NoPart) };
        known.push((part, origin, report.results));
    }
    known.sort_by_key(|(part, ..)| part.shard.index());
    let (first, ..) = known.first().ok_or(MergeError::Nothing)?;
    let (shard, limit) = (first.shard, first.max_trace_bytes);
    if let Some((other, ..)) = known.iter().find(|(part, ..)| part.shard.of() != shard.of()) {
        return Err(MergeError::OtherDivision { one: shard, other: other.shard });
    }
    if let Some(pair) = known.windows(2).find(|pair| pair[0].0.shard == pair[1].0.shard) {
        return Err(MergeError::Twice(pair[0].0.shard));
    }
    let given: HashSet<u32> = known.iter().map(|(part, ..)| part.shard.index()).collect();
    let missing: Vec<u32> = (1..=shard.of()).filter(|index| !given.contains(index)).collect();
    if !missing.is_empty() {
        return Err(MergeError::Missing { missing, of: shard.of() });
    }
    let (_, origin, _) = &known[0];
    for (part, other, _) in &known[1..] {
        if let Some(what) = difference((origin, limit), (other, part.max_trace_bytes)) {
            return Err(MergeError::Differs { one: shard, other: part.shard, what });
        }
    }
    let origin = origin.clone();
    whole(origin, limit, known.into_iter().flat_map(|(.., results)| results).collect())
}

/// In what two parts are not of one evaluation.
fn difference(one: (&Origin, u64), other: (&Origin, u64)) -> Option<&'static str> {
    let ((one, limit), (other, other_limit)) = (one, other);
    let pairs = [
        (one.suite == other.suite, "suite"),
        (one.source == other.source, "commit or state of the working tree"),
        (one.evaluator.rules_version == other.evaluator.rules_version, "version of the rules"),
        (one.evaluator.matching == other.evaluator.matching, "setting of `matching`"),
        (limit == other_limit, "setting of `limits.max_trace_bytes`"),
        (one.suite_digest == other.suite_digest, "content"),
    ];
    pairs.into_iter().find(|(same, _)| !same).map(|(_, what)| what)
}

fn whole(origin: Origin, max_trace_bytes: u64, results: Vec<CaseResult>) -> Result<Report, MergeError> {
    let mut seen = HashSet::with_capacity(results.len());
    if let Some(twice) = results.iter().find(|result| !seen.insert(&result.case_id)) {
        return Err(MergeError::RepeatedCase { case: twice.case_id.as_str().to_owned() });
    }
    if suite_digest(&results, &origin.evaluator.matching, max_trace_bytes) != origin.suite_digest {
        return Err(MergeError::OtherContent);
    }
    if results.is_empty() {
        return Err(MergeError::OtherContent);
    }
    Ok(Report::new(Some(origin), results))
}

#[cfg(test)]
mod tests;
