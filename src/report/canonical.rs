//! Canonical bytes: one report, one text, whatever it was read from.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::Report;
use super::imported::WireImported;
use super::wire::{WireReport, is_whole};

/// The report as it is stored and shown (baseline.md section 2): fixed key order, a field of the head a
/// line, a result a line, LF, a final newline. Writing what [`super::read()`] read gives the same text again.
///
/// An imported report is written in the older harness's own shape, with no field that it did not
/// have; so is one in which any single result lacks a field, as after a partial acceptance on top of such a
/// report. [`super::read()`] takes it back with the same results.
pub fn to_json(report: &Report) -> String {
    let mut bytes = Vec::new();
    write_json(report, &mut bytes).expect("every field has a JSON form, and a buffer takes all bytes");
    String::from_utf8(bytes).expect("JSON is written as UTF-8")
}

/// The text of [`to_json`] piece by piece, so that a large one need not be held; many small pieces.
///
/// # Errors
/// What the writer tells.
pub fn write_json(report: &Report, writer: &mut impl io::Write) -> io::Result<()> {
    match &report.origin {
        Some(origin) if report.results.iter().all(is_whole) => write(&WireReport::of(report, origin), writer),
        Some(_) | None => write(&WireImported::of(report), writer),
    }
}

fn write(wire: &impl Serialize, writer: &mut impl io::Write) -> io::Result<()> {
    wire.serialize(&mut Serializer::with_formatter(&mut *writer, Lines::default()))?;
    writer.write_all(b"\n")
}

/// Breaks lines at the fields of the outermost object and at the entries of the one list right in it.
#[derive(Default)]
struct Lines {
    depth: usize,
}

/// The depth inside the outermost object.
const HEAD: usize = 1;
/// The depth inside `results`.
const RESULTS: usize = 2;

impl Formatter for Lines {
    fn begin_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b"," })?;
        writer.write_all(if self.depth == HEAD { b"\n  " } else { b"" })
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(if self.depth == HEAD { b": " } else { b":" })
    }

    fn end_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(if self.depth == HEAD { b"\n}" } else { b"}" })?;
        self.depth -= 1;
        Ok(())
    }

    fn begin_array<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"[")
    }

    fn begin_array_value<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b"," })?;
        writer.write_all(if self.depth == RESULTS { b"\n    " } else { b"" })
    }

    fn end_array<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(if self.depth == RESULTS { b"\n  ]" } else { b"]" })?;
        self.depth -= 1;
        Ok(())
    }
}
