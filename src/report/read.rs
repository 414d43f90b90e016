//! Bytes in, a report out, or the reason why not: "nothing to compare" is never an answer.

use super::error::ReadError;
use super::field::{Object, split_result};
use super::outline::{self, Document};
use super::wire::{SCHEMA_VERSION, WireReport};
use super::{Part, Report, consistent, imported};
use crate::suite::json::{self, Value};

/// Reads a report of this program, or an imported one (evaluation.md section 6). A byte-order
/// mark and CRLF are accepted, since a checkout may bring them. What was read agrees with itself, and is of
/// a whole suite: a part that passed for the whole would hide all other cases.
///
/// # Errors
/// The bytes are no report that can be compared, each reason with a variant of its own.
pub fn read(bytes: &[u8]) -> Result<Report, ReadError> {
    let report = any(bytes)?;
    match report.part {
        Some(Part { shard, .. }) => Err(ReadError::Part { shard }),
        None => Ok(report),
    }
}

/// Reads the report of a part of a suite (`run --shard`), for [`super::merge()`].
///
/// # Errors
/// As [`read()`]; also where the report is of a whole suite.
pub fn read_part(bytes: &[u8]) -> Result<Report, ReadError> {
    let report = any(bytes)?;
    if report.part.is_some() { Ok(report) } else { Err(ReadError::NoPart) }
}

fn any(bytes: &[u8]) -> Result<Report, ReadError> {
    let plain = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = match std::str::from_utf8(plain) {
        Ok(text) => text,
        Err(_) => strict(bytes)?.text,
    };
    match serde_json::from_str::<Object<WireReport<'_>>>(text) {
        Ok(Object(wire)) => own(wire),
        Err(error) => import_or_refuse(bytes, &error),
    }
}

/// The slow way, which knows every fault of a text by its place.
fn strict(bytes: &[u8]) -> Result<json::Document<'_>, ReadError> {
    json::Document::parse(bytes).map_err(|mut faulty| ReadError::of(faulty.faults.swap_remove(0)))
}

fn own(wire: WireReport<'_>) -> Result<Report, ReadError> {
    match wire.schema_version {
        SCHEMA_VERSION => {}
        0 => return Err(ReadError::UnknownSchema { found: "0".to_owned() }),
        newer => return Err(ReadError::NewerSchema { version: newer.to_string() }),
    }
    let part = match &wire.shard {
        Some(Object(shard)) => Some(shard.part().ok_or(ReadError::NoSuchPart)?),
        None => None,
    };
    let (origin, stated, mut results) = wire.into_parts();
    if part.is_none() || !results.is_empty() {
        consistent::check_results(&results)?;
    }
    consistent::check_whole(&mut results)?;
    let report = Report { part, ..Report::new(Some(origin), results) };
    consistent::check_totals(&stated, &report.totals)?;
    Ok(report)
}

/// All that is no whole report of this program.
fn import_or_refuse(bytes: &[u8], error: &serde_json::Error) -> Result<Report, ReadError> {
    let document = strict(bytes)?;
    match outline::kind(document.root())? {
        Document::Own => Err(malformed(error, document.root())),
        Document::Imported => imported::read(document.text, document.root()),
    }
}

/// A field that is unknown, missing or of the wrong type, with its place.
pub(super) fn malformed(error: &serde_json::Error, document: Value<'_>) -> ReadError {
    let message = without_place(error);
    let (index, message) = split_result(&message);
    // The list of all known fields helps nobody who has one line to read.
    let unknown = message.starts_with("unknown field ").then(|| message.split_once("`, expected ")).flatten();
    let message = unknown.map_or_else(|| message.to_owned(), |(unknown, _)| format!("{unknown}`"));
    ReadError::Malformed {
        case: index.map(|index| outline::case_at(document, index)),
        message,
        line: error.line(),
        column: error.column(),
    }
}

/// The message alone; line and column are told by the error that it goes into.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&place).map_or_else(|| message.clone(), str::to_owned)
}
