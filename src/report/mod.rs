//! REPORT: all results of a suite with their totals; its versioned wire format, canonical bytes
//! and digests. Pure. A report is self-contained: two of them are all that a diff needs.
//! Spec: evaluation.md section 6.

mod canonical;
mod consistent;
mod digest;
mod error;
mod field;
mod imported;
mod merge;
mod outline;
mod rate;
mod read;
mod reuse;
mod shard;
mod totals;
mod wire;

#[cfg(test)]
mod tests;

pub use canonical::{to_json, write_json};
pub use digest::{content_digest, suite_digest, suite_digest_of};
pub use error::ReadError;
pub use merge::{MergeError, merge};
pub use rate::percent;
pub use read::{read, read_part};
pub use reuse::{Lent, evaluate_rest};
pub use shard::{Part, Shard};
pub use wire::SCHEMA_VERSION;

use std::collections::BTreeMap;

use crate::evaluate::CaseResult;
use crate::ids::{Digest, Name, ObjectId};
use crate::suite::Matching;

/// All results of a suite.
#[derive(Clone, Debug)]
pub struct Report {
    /// What only a report of this program has; `None` in an imported report.
    pub origin: Option<Origin>,
    /// Of which part of the suite this is; `None`: of the whole. A part is for [`merge()`] alone.
    pub part: Option<Part>,
    /// The totals, always computed from `results`.
    pub totals: Totals,
    /// In suite order, each case once; empty in a part alone.
    pub results: Vec<CaseResult>,
}

impl Report {
    /// A report of these results, which are not empty, each of another case, and in suite order.
    /// `origin` is `None` where they stand for an imported report.
    pub fn new(origin: Option<Origin>, results: Vec<CaseResult>) -> Self {
        Self { origin, part: None, totals: Totals::of(&results), results }
    }
}

/// Where a report comes from and how it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The configured name of the suite.
    pub suite: Name,
    /// What was evaluated.
    pub source: SourceState,
    /// The rules and options that judged.
    pub evaluator: Evaluator,
    /// Equal digests, equal results; that of the whole suite in a part, too.
    pub suite_digest: Digest,
}

/// What was evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceState {
    /// The commit; `None` outside a repository and before the first commit.
    pub commit: Option<ObjectId>,
    /// Whether what was evaluated differs from that commit.
    pub dirty: bool,
}

/// The rules and options that judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluator {
    /// The version of the rules.
    pub rules_version: String,
    /// How answers were searched.
    pub matching: Matching,
}

/// The totals of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    /// How many cases.
    pub total_cases: u64,
    /// How many passed.
    pub passed_cases: u64,
    /// How many could not be judged: their check `trace` failed.
    pub unjudged_cases: u64,
    /// `passed_cases / total_cases`, from 0.0 to 1.0.
    pub pass_rate: f64,
    /// Verdict to count; a missing one under `(missing)`.
    pub verdict_distribution: BTreeMap<String, u64>,
    /// The mean over readable traces.
    pub average_tool_call_count: Option<f64>,
    /// The mean over traces that give a duration, in milliseconds.
    pub average_duration_ms: Option<f64>,
}
