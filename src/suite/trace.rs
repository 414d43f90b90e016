//! One saved agent run, reduced to the fields that rules read.
//!
//! Everything else in the file is skipped, whatever it holds. Whether a field has the right
//! JSON type is settled here; what its value means is settled by the checks.
//! Spec: evaluation.md section 2.

mod json;
mod settle;
mod shape;
#[cfg(test)]
mod tests;

use crate::number::Number;
use json::Cursor;

/// The fields of a trace that rules read. A field that is absent, `null` or of the wrong type is
/// `None`; in the last case its JSON pointer stands in `wrong_types`.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// `session.answer`, as it stands.
    pub answer: Option<String>,
    /// `session.totalDurationMs`, in milliseconds.
    pub duration_ms: Option<Number>,
    /// The Verifier's verdict; `None` where blank, too.
    pub verdict: Option<String>,
    /// `gatekeeper_result`.
    pub gatekeeper: Option<Gatekeeper>,
    /// `claim_checks`; an entry that is no object has nothing in it.
    pub claim_checks: Option<Vec<ClaimCheck>>,
    /// `composer_output`.
    pub composer: Option<Composer>,
    /// `executor_structured_output`.
    pub executor: Option<Executor>,
    /// The tool names of `tool_trace_summary`, one place an entry.
    pub tool_trace_summary: Option<Vec<Option<String>>>,
    /// The tool names of `toolInvocations`, one place an entry.
    pub tool_invocations: Option<Vec<Option<String>>>,
    /// JSON pointers of fields of the wrong type, in the order of the list in section 2.
    pub wrong_types: Vec<String>,
}

/// The Gatekeeper's record.
#[derive(Clone, Debug, Default)]
pub struct Gatekeeper {
    /// `None` where blank, too.
    pub status: Option<String>,
    /// `None` where blank, too.
    pub rule_set_version: Option<String>,
}

/// One entry of `claim_checks`.
#[derive(Clone, Debug, Default)]
pub struct ClaimCheck {
    /// Whether `claim_id` is a non-blank string, or a number no larger than a double takes.
    pub has_claim_id: bool,
    /// `verification` where it is a non-blank string.
    pub verification: Option<String>,
    /// Whether `detail` stands and is no blank string.
    pub has_detail: bool,
}

/// The Composer's record.
#[derive(Clone, Debug, Default)]
pub struct Composer {
    /// `None` where blank, too.
    pub status: Option<String>,
}

/// The Executor's structured output.
#[derive(Clone, Debug, Default)]
pub struct Executor {
    /// For each claim how many evidence bindings it has; 0 where they are missing.
    pub claims: Option<Vec<usize>>,
}

/// Why a trace cannot be judged: the subject of check `trace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// No such file.
    Missing,
    /// A link, submodule or folder, or a link on the way.
    NotAFile,
    /// Above `limits.max_trace_bytes`.
    TooLarge,
    /// A Git LFS pointer in place of the file.
    LfsPointer,
    /// Not UTF-8, no JSON object, a field twice, half a surrogate pair.
    Unreadable,
}

impl Fault {
    /// The reason as it stands in `subjects`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::NotAFile => "not-a-file",
            Self::TooLarge => "too-large",
            Self::LfsPointer => "lfs-pointer",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Why a trace is unreadable. A fragment without a final period; nothing of the file but single
/// characters is quoted in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreadable {
    /// What is wrong.
    pub message: String,
    /// The line, from 1, where there is one.
    pub line: Option<u64>,
    /// The column in characters, from 1, where there is one.
    pub column: Option<u64>,
}

impl Unreadable {
    /// An error right after the text that was read.
    fn at(message: &str, before: &str) -> Self {
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let newlines = before.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let column = before[line_start..].chars().count() as u64;
        Self { message: message.to_owned(), line: Some(newlines + 1), column: Some(column + 1) }
    }
}

/// Whether the bytes are a Git LFS pointer in place of the file.
pub fn is_lfs_pointer(bytes: &[u8]) -> bool {
    bytes.starts_with(b"version https://git-lfs.github.com/spec/")
}

/// Reads the fields of a trace that rules read, and checks that all of it is JSON.
///
/// # Errors
/// Not UTF-8, no JSON object, two values for a field that is read, half a surrogate pair in a
/// string that is read.
pub fn parse(bytes: &[u8]) -> Result<Trace, Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        Unreadable::at("the file is not UTF-8", without_mark(valid))
    })?;
    let mut cursor = Cursor::new(without_mark(text));
    if cursor.peek()? != json::JsonType::Object {
        return Err(cursor.unexpected("a JSON object"));
    }
    let document = shape::document(&mut cursor)?;
    if cursor.at_end() { Ok(settle::settle(document)) } else { Err(cursor.unexpected("the end of the file")) }
}

/// The text after a byte-order mark, where it begins with one.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
