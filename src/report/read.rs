//! Bytes in, a report out, or the reason why not: "nothing to compare" is never an answer.

use super::error::ReadError;
use super::field::{Object, split_result};
use super::outline::{self, Document, Tree, without_place};
use super::wire::{SCHEMA_VERSION, WireReport};
use super::{Report, consistent, imported};

/// Reads a report of this program, or of the seed's own harness (evaluation.md section 6). A byte-order
/// mark and CRLF are accepted, since a checkout may bring them. What was read agrees with itself.
///
/// # Errors
/// The bytes are no report that can be compared, each reason with a variant of its own.
pub fn read(bytes: &[u8]) -> Result<Report, ReadError> {
    let text = text_of(bytes)?;
    match serde_json::from_str::<Object<WireReport<'_>>>(text) {
        Ok(Object(wire)) => own(wire),
        Err(error) => import_or_refuse(text, &error),
    }
}

fn text_of(bytes: &[u8]) -> Result<&str, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        ReadError::NotUtf8 { line, column: 1 + before.len() - line_start }
    })
}

fn own(wire: WireReport<'_>) -> Result<Report, ReadError> {
    match wire.schema_version {
        SCHEMA_VERSION => {}
        0 => return Err(ReadError::UnknownSchema { found: "0".to_owned() }),
        newer => return Err(ReadError::NewerSchema { version: newer.to_string() }),
    }
    let (origin, stated, mut results) = wire.into_parts();
    consistent::check_results(&results)?;
    consistent::check_whole(&mut results)?;
    let report = Report::new(Some(origin), results);
    consistent::check_totals(&stated, &report.totals)?;
    Ok(report)
}

/// The slow way, for all that is no whole report of this program.
fn import_or_refuse(text: &str, error: &serde_json::Error) -> Result<Report, ReadError> {
    if let Some(line) = conflict_marker(text) {
        return Err(ReadError::ConflictMarkers { line });
    }
    let document = outline::parse(text)?;
    match outline::kind(&document)? {
        Document::Own => Err(malformed(error, &document)),
        Document::Imported => imported::read(text, &document),
    }
}

/// The line of the first conflict marker. In valid JSON no line can begin like one.
fn conflict_marker(text: &str) -> Option<usize> {
    const MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
    let is_marker = |line: &str| MARKERS.iter().any(|marker| line.starts_with(marker));
    text.lines().position(is_marker).map(|index| index + 1)
}

/// A field that is unknown, missing or of the wrong type, with its place.
pub(super) fn malformed(error: &serde_json::Error, document: &Tree) -> ReadError {
    let message = without_place(error);
    let (index, message) = split_result(&message);
    // The list of all known fields helps nobody who has one line to read.
    let unknown = message.starts_with("unknown field ").then(|| message.split_once("`, expected ")).flatten();
    let message = unknown.map_or_else(|| message.to_owned(), |(unknown, _)| format!("{unknown}`"));
    ReadError::Malformed {
        case: index.map(|index| document.case_at(index)),
        message,
        line: error.line(),
        column: error.column(),
    }
}
