//! What keeps a file from being read as strict JSON.

use super::Document;
use super::lines::Lines;

/// One fault and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub(crate) struct JsonFault {
    /// What is wrong.
    pub(crate) kind: FaultKind,
    /// The byte in the text, after its byte-order mark.
    pub(crate) offset: usize,
    /// The line, from 1.
    pub(crate) line: u32,
    /// The column in characters, from 1, where the text is no JSON at all.
    pub(crate) column: Option<u32>,
}

/// What is wrong, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FaultKind {
    /// Bytes that are no text.
    #[error("not UTF-8")]
    NotUtf8,
    /// What `git lfs` leaves in place of a file.
    #[error("a Git LFS pointer in place of the file: run `git lfs pull`, or keep the file in git itself")]
    LfsPointer,
    /// What a merge leaves in a file.
    #[error("merge conflict markers: settle the conflict first")]
    ConflictMarkers,
    /// No JSON, in the words of its parser.
    #[error("no JSON: {0}")]
    Syntax(String),
    /// A field twice in one object.
    #[error("the field `{name}` stands twice in one object, first on line {first}: keep one of them")]
    Twice {
        /// The name, decoded. Untrusted text.
        name: String,
        /// The line of the first one.
        first: u32,
    },
    /// Half a surrogate pair in a string or in a name.
    #[error("half a surrogate pair in a string: it is no character; write both halves, or neither")]
    HalfSurrogate,
}

/// All faults of a file; never empty.
#[derive(Debug, thiserror::Error)]
#[error("{}", first(faults))]
pub(crate) struct Faulty<'a> {
    /// By their places.
    pub(crate) faults: Vec<JsonFault>,
    /// What can be looked at in spite of them, for further faults; never to be used.
    pub(crate) document: Option<Document<'a>>,
}

impl Faulty<'_> {
    /// A fault beyond which nothing can be read.
    pub(super) fn hopeless(fault: JsonFault) -> Self {
        Self { faults: vec![fault], document: None }
    }
}

fn first(faults: &[JsonFault]) -> &FaultKind {
    &faults.first().expect("there is at least one fault").kind
}

impl JsonFault {
    /// A fault of a text that is no JSON.
    pub(crate) fn with_column(kind: FaultKind, offset: usize, text: &str, lines: &Lines) -> Self {
        Self { kind, offset, line: lines.line(offset), column: Some(lines.column(text, offset)) }
    }

    /// A fault of valid JSON.
    pub(super) fn on_line(kind: FaultKind, offset: usize, lines: &Lines) -> Self {
        Self { kind, offset, line: lines.line(offset), column: None }
    }
}

/// The fault of a text that the parser refuses.
pub(super) fn no_json(text: &str, lines: &Lines, error: &serde_json::Error) -> JsonFault {
    if let Some(offset) = conflict(text) {
        return JsonFault::with_column(FaultKind::ConflictMarkers, offset, text, lines);
    }
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
    let offset = (lines.start(line) + error.column().saturating_sub(1)).min(text.len());
    JsonFault::with_column(FaultKind::Syntax(words(text, error)), offset, text, lines)
}

/// Where the first merge conflict marker stands. A line of `=======` alone is none.
pub(crate) fn conflict(text: &str) -> Option<usize> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|marker| line.starts_with(marker)) {
            return Some(offset);
        }
        offset += line.len();
    }
    None
}

fn words(text: &str, error: &serde_json::Error) -> String {
    if text.trim().is_empty() {
        return "the file is empty".to_owned();
    }
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    message.replace("EOF while parsing", "the file ends within")
}
