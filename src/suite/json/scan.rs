//! One pass over a valid text: fields that stand twice, and halves of surrogate pairs.

use std::borrow::Cow;

use super::fault::{FaultKind, JsonFault};
use super::lines::Lines;
use super::value::{decode, string_end};

/// The faults of a valid JSON text, by their places. Takes no stack for its nesting and no more than
/// `n log n` time, however the names are spread.
pub(super) fn faults(text: &str, lines: &Lines) -> Vec<JsonFault> {
    let mut scan = Scan { text, lines, names: Vec::new(), open: Vec::new(), faults: Vec::new() };
    scan.run();
    scan.faults.sort_by_key(|fault| fault.offset);
    scan.faults
}

struct Scan<'a> {
    text: &'a str,
    lines: &'a Lines,
    /// The names of all open objects, with their places, outermost first.
    names: Vec<(Cow<'a, str>, usize)>,
    /// For each open bracket: where the names of an object begin, nothing for an array.
    open: Vec<Option<usize>>,
    faults: Vec<JsonFault>,
}

impl Scan<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        let mut place = 0;
        let mut name_next = false;
        while let Some(byte) = bytes.get(place) {
            match byte {
                b'"' => {
                    let end = string_end(bytes, place);
                    self.string(place, end, name_next);
                    name_next = false;
                    place = end;
                    continue;
                }
                b'{' => {
                    self.open.push(Some(self.names.len()));
                    name_next = true;
                }
                b'[' => {
                    self.open.push(None);
                    name_next = false;
                }
                b']' | b'}' => {
                    self.close();
                    name_next = false;
                }
                b',' => name_next = matches!(self.open.last(), Some(Some(_))),
                _ => {}
            }
            place += 1;
        }
    }

    fn string(&mut self, start: usize, end: usize, is_name: bool) {
        let raw = &self.text[start..end];
        if !is_name && !raw.contains('\\') {
            return;
        }
        let (decoded, halves) = decode(raw);
        if halves {
            self.faults.push(JsonFault::on_line(FaultKind::HalfSurrogate, start, self.lines));
        }
        // Two broken names are not known to be the same one; each is a fault already.
        if is_name && !halves {
            self.names.push((decoded, start));
        }
    }

    fn close(&mut self) {
        let Some(Some(start)) = self.open.pop() else {
            return;
        };
        self.names[start..].sort_unstable();
        let mut first: Option<(Cow<'_, str>, usize)> = None;
        for (name, offset) in self.names.drain(start..) {
            match &first {
                Some((same, earlier)) if *same == name => {
                    let kind = FaultKind::Twice { name: name.into_owned(), first: self.lines.line(*earlier) };
                    self.faults.push(JsonFault::on_line(kind, offset, self.lines));
                }
                _ => first = Some((name, offset)),
            }
        }
    }
}
