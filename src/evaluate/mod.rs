//! EVALUATE: the checks of one case over its trace. Pure: no clock, no disk, no git, no locale.
//!
//! One check, one file, one name, one registry ([`checks`]). Spec: evaluation.md sections 3 to 5.

mod check_name;
mod result;

pub use check_name::CheckName;
pub use result::{CaseResult, FailedCheck, FailedChecks};

/// The version of the rules: another value whenever the rules change an outcome (evaluation.md section 6).
pub const RULES_VERSION: &str = "1";
