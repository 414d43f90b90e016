//! Why bytes are no report that can be compared.

use super::shard::Shard;
use super::wire::SCHEMA_VERSION;
use crate::suite::json::{FaultKind, JsonFault};

/// Why a report was refused (evaluation.md section 6). Each message is a lower-case fragment without a
/// final period that names what is at fault and where. Untrusted text inside.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// The bytes are no text.
    #[error("not UTF-8 (line {line}, column {column})")]
    NotUtf8 {
        /// From 1.
        line: u32,
        /// In characters, from 1.
        column: u32,
    },
    /// The content is kept elsewhere.
    #[error("a Git LFS pointer in place of the report: run `git lfs pull`, or keep the file in git itself")]
    LfsPointer,
    /// A merge was not finished.
    #[error("merge conflict markers (line {line}): settle the conflict, or evaluate again")]
    ConflictMarkers {
        /// From 1, of the first marker.
        line: u32,
    },
    /// No JSON.
    #[error("no JSON: {message} (line {line}, column {column})")]
    Syntax {
        /// From 1.
        line: u32,
        /// In characters, from 1.
        column: u32,
        /// What the parser met.
        message: String,
    },
    /// One object holds a key twice.
    #[error("the key `{key}` stands twice in one object (lines {first} and {line})")]
    DuplicateKey {
        /// The key, escapes resolved.
        key: String,
        /// From 1, of the first one.
        first: u32,
        /// From 1, of the second one.
        line: u32,
    },
    /// A string holds what is no character.
    #[error("half a surrogate pair in a string (line {line}): it is no character")]
    HalfSurrogate {
        /// From 1.
        line: u32,
    },
    /// JSON, but no report.
    #[error("not a report but {what}")]
    OtherKind {
        /// What it looks like.
        what: &'static str,
    },
    /// A report of a version to come.
    #[error(
        "written by a newer diag-gate: schemaVersion is {version}, the newest known here is {SCHEMA_VERSION}"
    )]
    NewerSchema {
        /// The number as it stands.
        version: String,
    },
    /// A `schemaVersion` that no version of this program writes.
    #[error("`schemaVersion` is {found}, which no diag-gate writes")]
    UnknownSchema {
        /// What stands there, in words.
        found: String,
    },
    /// A report of this program without its `schemaVersion`.
    #[error(
        "missing field `schemaVersion`: a report that has a `suiteDigest` is of diag-gate, which always writes it"
    )]
    LostSchema,
    /// A field is unknown, missing or of the wrong type.
    #[error("{}{message} (line {line}, column {column})", of_case(.case.as_deref()))]
    Malformed {
        /// The id of the case, or `#INDEX` (from 0) where it has none that can be read.
        case: Option<String>,
        /// What is wrong.
        message: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// It is of a part of a suite.
    #[error("only {}: join all parts with `diag-gate merge REPORT...`", .shard.words())]
    Part {
        /// Which.
        shard: Shard,
    },
    /// A part was asked for.
    #[error("not of a part of a suite, as `diag-gate run --shard 1/2` prints the first of two")]
    NoPart,
    /// A part that cannot be.
    #[error("`shard` names a part that there is not")]
    NoSuchPart,
    /// There is nothing in it.
    #[error("the report has no case")]
    NoCase,
    /// One case has two results.
    #[error("case `{case}` has more than one result")]
    RepeatedCase {
        /// The id.
        case: String,
    },
    /// A total is not that of the results.
    #[error(
        "`{total}` is {stated}, but the results make it {computed}: the file was edited or merged, evaluate again"
    )]
    Totals {
        /// The field.
        total: &'static str,
        /// Its value in the file, as JSON.
        stated: String,
        /// What the results come to, as JSON.
        computed: String,
    },
    /// The outcome and the failed checks contradict each other.
    #[error("case `{case}`: `passed` is true beside failed checks ({checks})")]
    PassedBesideFailed {
        /// The id.
        case: String,
        /// The names of the checks.
        checks: String,
    },
    /// The outcome and the failed checks contradict each other.
    #[error("case `{case}`: `passed` is false, but no check failed")]
    FailedWithoutCheck {
        /// The id.
        case: String,
    },
    /// The digest is of other expectations.
    #[error("case `{case}`: `caseDigest` is {stated}, but that of its `expectations` is {computed}")]
    CaseDigest {
        /// The id.
        case: String,
        /// In the file.
        stated: String,
        /// What it should be.
        computed: String,
    },
    /// A check stands twice.
    #[error("case `{case}`: `failedChecks` lists `{check}` twice")]
    RepeatedCheck {
        /// The id.
        case: String,
        /// The name of the check.
        check: &'static str,
    },
    /// Checks stand in another order than that of their table (evaluation.md section 4).
    #[error("case `{case}`: `failedChecks` lists `{check}` too late, checks have a fixed order")]
    CheckOrder {
        /// The id.
        case: String,
        /// The name of the check.
        check: &'static str,
    },
    /// Two fields of one result contradict each other.
    #[error("case `{case}`: `{field}` {message}")]
    Contradiction {
        /// The id.
        case: String,
        /// The field.
        field: &'static str,
        /// What it contradicts.
        message: String,
    },
}

impl ReadError {
    /// What keeps the bytes from being JSON at all.
    pub(super) fn of(fault: JsonFault) -> Self {
        let line = fault.line;
        let column = fault.column.unwrap_or(1);
        match fault.kind {
            FaultKind::NotUtf8 => Self::NotUtf8 { line, column },
            FaultKind::LfsPointer => Self::LfsPointer,
            FaultKind::ConflictMarkers => Self::ConflictMarkers { line },
            FaultKind::Syntax(message) => Self::Syntax { line, column, message },
            FaultKind::Twice { name, first } => Self::DuplicateKey { key: name, first, line },
            FaultKind::HalfSurrogate => Self::HalfSurrogate { line },
        }
    }
}

fn of_case(case: Option<&str>) -> String {
    case.map_or_else(String::new, |case| format!("case `{case}`: "))
}
