//! EVALUATE: the checks of one case over its trace. Pure: no clock, no disk, no git, no locale.
//!
//! One check, one file, one name, one registry (`checks`). Traces come out of the [`Source`] that
//! the caller gives. Spec: evaluation.md sections 3 to 5.
//!
//! [`Source`]: crate::suite::source::Source

mod case;
mod check_name;
mod checks;
pub mod explain;
pub mod lines;
mod matching;
mod quote;
mod result;
mod run;
#[cfg(test)]
pub(crate) mod support;
mod traces;

pub use case::{TraceInput, evaluate_case};
pub use check_name::CheckName;
pub use checks::names_trace;
pub use matching::{BUILT_IN_MARKERS, Matcher};
pub use result::{CaseResult, FailedCheck, FailedChecks};
pub use run::{Evaluation, evaluate_suite};
pub use traces::{Found, Placed, Spot, TraceIndex};

/// The version of the rules: another value whenever the rules change an outcome (evaluation.md section 6).
pub const RULES_VERSION: &str = "1";
