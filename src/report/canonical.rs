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
/// A report of the seed's own harness is written in the seed's own shape, with no field that it did not
/// have; so is one in which any single result lacks a field, as after a partial acceptance on top of such a
/// report. [`super::read()`] takes it back with the same results.
pub fn to_json(report: &Report) -> String {
    match &report.origin {
        Some(origin) if report.results.iter().all(is_whole) => text_of(&WireReport::of(report, origin)),
        Some(_) | None => text_of(&WireImported::of(report)),
    }
}

fn text_of(wire: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    wire.serialize(&mut Serializer::with_formatter(&mut bytes, Lines::default()))
        .expect("every field has a JSON form, and a buffer takes all bytes");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is written as UTF-8")
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
