//! Strict JSON with places: what is written twice or by halves is a fault, not a choice.
//!
//! Knows nothing of cases; report files are read with it, too. Nothing here recurses, so that
//! nesting may be as deep as it likes. Spec: evaluation.md section 1, "a case file".

mod fault;
mod lines;
mod scan;
mod value;

pub(crate) use fault::{FaultKind, Faulty, JsonFault, conflict};
pub(crate) use lines::Lines;
pub(crate) use value::{Member, Shape, Value};

use serde::de::IgnoredAny;

const MARK: &[u8] = b"\xef\xbb\xbf";
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// A text that is valid JSON, and where its lines begin.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    /// The text without its byte-order mark.
    pub(crate) text: &'a str,
    lines: Lines,
}

impl<'a> Document<'a> {
    /// Reads JSON strictly: UTF-8, no field twice in one object at any depth, no half of a surrogate
    /// pair in a name or string. One byte-order mark at the start is skipped.
    ///
    /// # Errors
    /// All faults by their places; with them the document where it is JSON at all.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Faulty<'a>> {
        let document = Self::read(bytes).map_err(Faulty::hopeless)?;
        let faults = scan::faults(document.text, &document.lines);
        if faults.is_empty() { Ok(document) } else { Err(Faulty { faults, document: Some(document) }) }
    }

    /// The value that the whole text is.
    pub(crate) fn root(&self) -> Value<'a> {
        Value::first_in(self.text)
    }

    /// The line, from 1, of an offset into the text.
    pub(crate) fn line(&self, offset: usize) -> u32 {
        self.lines.line(offset)
    }

    fn read(bytes: &'a [u8]) -> Result<Self, JsonFault> {
        let (text, lines) = plain_text(bytes)?;
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(IgnoredAny) => Ok(Self { text, lines }),
            Err(error) => Err(fault::no_json(text, &lines, &error)),
        }
    }
}

/// The text of a file of any kind, without its byte-order mark, and its lines.
pub(crate) fn plain_text(bytes: &[u8]) -> Result<(&str, Lines), JsonFault> {
    if bytes.starts_with(LFS_POINTER) {
        return Err(JsonFault { kind: FaultKind::LfsPointer, offset: 0, line: 1, column: None });
    }
    let text = utf8(bytes.strip_prefix(MARK).unwrap_or(bytes))?;
    Ok((text, Lines::of(text)))
}

fn utf8(bytes: &[u8]) -> Result<&str, JsonFault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let before =
            std::str::from_utf8(&bytes[..offset]).expect("the bytes before the first wrong one are right");
        let lines = Lines::of(before);
        JsonFault::with_column(FaultKind::NotUtf8, offset, before, &lines)
    })
}

#[cfg(test)]
mod tests;
