//! A cursor over JSON text that looks at the type of a value before anyone reads it.
//!
//! `serde_json` reads and skips the values themselves (its skipping takes no stack, and accepts
//! numbers beyond a double and half surrogate pairs). What it does not offer is that look: a value
//! whose type is not known would have to be cut out raw and scanned anew at every level.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::Unreadable;

/// The type of a JSON value, told by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonType {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

/// A place in a JSON text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Begins at the start of a text.
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The place where the next error would be reported: see [`Cursor::error_at`].
    pub(super) const fn offset(&self) -> usize {
        self.at
    }

    /// The type of the next value, which is not read yet.
    pub(super) fn peek(&mut self) -> Result<JsonType, Unreadable> {
        self.skip_space();
        match self.byte() {
            Some(b'{') => Ok(JsonType::Object),
            Some(b'[') => Ok(JsonType::Array),
            Some(b'"') => Ok(JsonType::String),
            Some(b'-' | b'0'..=b'9') => Ok(JsonType::Number),
            Some(b't' | b'f') => Ok(JsonType::Bool),
            Some(b'n') => Ok(JsonType::Null),
            _ => Err(self.unexpected("a JSON value")),
        }
    }

    /// Reads an object; `field` is called at each value with its key, and must read or skip it.
    /// A key that is no Unicode text comes as `None`.
    pub(super) fn object(
        &mut self,
        mut field: impl FnMut(&mut Self, Option<&str>) -> Result<(), Unreadable>,
    ) -> Result<(), Unreadable> {
        self.expect(b'{', "`{`")?;
        self.skip_space();
        if self.accept(b'}') {
            return Ok(());
        }
        loop {
            let key = self.key()?;
            field(self, key.as_deref())?;
            self.skip_space();
            if self.accept(b'}') {
                return Ok(());
            }
            self.expect(b',', "`,` or `}`")?;
        }
    }

    /// Reads an array; `entry` is called at each entry, and must read or skip it.
    pub(super) fn array(
        &mut self,
        mut entry: impl FnMut(&mut Self) -> Result<(), Unreadable>,
    ) -> Result<(), Unreadable> {
        self.expect(b'[', "`[`")?;
        self.skip_space();
        if self.accept(b']') {
            return Ok(());
        }
        loop {
            entry(self)?;
            self.skip_space();
            if self.accept(b']') {
                return Ok(());
            }
            self.expect(b',', "`,` or `]`")?;
        }
    }

    /// Reads a string; half a surrogate pair in it is an error.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Unreadable> {
        self.skip_space();
        let start = self.at;
        let raw = self.value::<&RawValue>()?.get();
        decode(raw).ok_or_else(|| self.error_at(start, "half a surrogate pair in a string"))
    }

    /// Reads a number as it is written.
    pub(super) fn number(&mut self) -> Result<&'a str, Unreadable> {
        Ok(self.value::<&RawValue>()?.get())
    }

    /// Reads past one value, whatever it holds, and checks that it is JSON.
    pub(super) fn skip(&mut self) -> Result<(), Unreadable> {
        self.value::<IgnoredAny>().map(|_| ())
    }

    /// Whether nothing but white space is left.
    pub(super) fn at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.text.len()
    }

    /// An error at the next byte.
    pub(super) fn unexpected(&self, wanted: &str) -> Unreadable {
        match self.text[self.at..].chars().next() {
            None => self.error_at(self.at, &format!("the text ends where {wanted} should stand")),
            Some(found) => {
                self.error_at(self.at, &format!("expected {wanted}, found `{}`", found.escape_debug()))
            }
        }
    }

    /// An error at a byte of the text.
    pub(super) fn error_at(&self, offset: usize, message: &str) -> Unreadable {
        Unreadable::at(message, &self.text[..self.text.floor_char_boundary(offset)])
    }

    /// Reads the next value.
    fn value<T: Deserialize<'a>>(&mut self) -> Result<T, Unreadable> {
        let rest = &self.text[self.at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        match values.next() {
            Some(Ok(value)) => {
                self.at += values.byte_offset();
                Ok(value)
            }
            Some(Err(error)) => Err(self.invalid(&error)),
            None => Err(self.error_at(self.text.len(), "the text ends where a JSON value should stand")),
        }
    }

    /// An error of `serde_json`, whose places count from here, and in bytes.
    fn invalid(&self, error: &serde_json::Error) -> Unreadable {
        let rest = &self.text[self.at..];
        let lines_before = error.line().saturating_sub(1);
        let line_start: usize = rest.split_inclusive('\n').take(lines_before).map(str::len).sum();
        let offset = line_start + error.column().saturating_sub(1);
        let offset = if error.is_eof() { rest.len() } else { offset };
        let message = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        self.error_at(self.at + offset, message.strip_suffix(&place).unwrap_or(&message))
    }

    /// Reads the name of a field and the colon after it.
    fn key(&mut self) -> Result<Option<Cow<'a, str>>, Unreadable> {
        if self.peek()? != JsonType::String {
            return Err(self.unexpected("the name of a field"));
        }
        let raw = self.value::<&RawValue>()?.get();
        self.skip_space();
        self.expect(b':', "`:`")?;
        Ok(decode(raw))
    }

    fn skip_space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let found = self.byte() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, wanted: &str) -> Result<(), Unreadable> {
        if self.accept(byte) { Ok(()) } else { Err(self.unexpected(wanted)) }
    }
}

/// The text of a string that is well-formed apart from half surrogate pairs, with which it is `None`.
fn decode(raw: &str) -> Option<Cow<'_, str>> {
    if raw.contains('\\') {
        serde_json::from_str(raw).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(&raw[1..raw.len() - 1]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn skips(text: &str) -> bool {
        let mut cursor = Cursor::new(text);
        cursor.skip().is_ok() && cursor.at_end()
    }

    /// Reads object by object and array by array, down to the last value.
    fn walk(cursor: &mut Cursor<'_>) -> Result<(), Unreadable> {
        match cursor.peek()? {
            JsonType::Object => cursor.object(|cursor, _| walk(cursor)),
            JsonType::Array => cursor.array(walk),
            JsonType::String | JsonType::Number | JsonType::Bool | JsonType::Null => cursor.skip(),
        }
    }

    fn walks(text: &str) -> bool {
        let mut cursor = Cursor::new(text);
        walk(&mut cursor).is_ok() && cursor.at_end()
    }

    #[test]
    fn json_is_skipped_and_nothing_else_is() {
        for good in [
            "{}",
            "[]",
            "\"\"",
            "0",
            "-0",
            "-0.0e+10",
            "1e400",
            "true",
            "false",
            "null",
            " [ 1 , {\"a\" : []} ] ",
            r#"{"a":{"b":[[],{}]},"a":1}"#,
            r#""\ud83d""#,
            r#"{"\ud83d":"\u0000"}"#,
            "\"\u{7f}数\"",
        ] {
            assert!(skips(good) && walks(good), "{good}");
        }
        for bad in [
            "",
            " ",
            "{",
            "[",
            "[1",
            "[1,",
            "[1,]",
            "[,1]",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\":1]",
            "[1}",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "+1",
            "NaN",
            "Infinity",
            "-Infinity",
            "tru",
            "nul",
            "truex",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\n\"",
            "\"\u{1}\"",
            "1 2",
            "[]]",
            "'a'",
            "[1 2]",
            "\u{a0}1",
            "//\n1",
        ] {
            assert!(!skips(bad) && !walks(bad), "{bad}");
        }
    }

    #[test]
    fn depth_does_not_overflow_the_stack() {
        let deep = format!("{}{}", "[{\"a\":".repeat(300_000), "1");
        assert!(!skips(&deep));
        assert!(skips(&format!("{deep}{}", "}]".repeat(300_000))));
    }

    #[test]
    fn strings_are_decoded_and_half_a_surrogate_pair_is_refused() {
        for (raw, expected) in [
            (r#""a""#, Some("a")),
            (r#""\u0041\n\ud83d\ude00""#, Some("A\n😀")),
            (r#""\ud83d""#, None),
            (r#""\ude00\ud83d""#, None),
        ] {
            assert_eq!(Cursor::new(raw).string().ok().as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn errors_carry_line_and_column_in_characters() {
        let mut cursor = Cursor::new("{\r\n  \"数据\": NaN}");
        let error = cursor.skip().unwrap_err();
        assert_eq!((error.line, error.column), (Some(2), Some(9)));
        assert_eq!(error.message, "expected value");
    }

    fn json_like() -> impl Strategy<Value = String> {
        let token = prop_oneof![
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just(","),
            Just(":"),
            Just("\"a\""),
            Just("\"\\ud83d\""),
            Just("1"),
            Just("-0.5e3"),
            Just("0"),
            Just("true"),
            Just("null"),
            Just(" "),
            Just("\n"),
            Just("\"a\":"),
            Just("\\"),
            Just("\""),
        ];
        prop::collection::vec(token, 0..14).prop_map(|tokens| tokens.concat())
    }

    proptest! {
        #[test]
        fn what_is_json_is_what_serde_json_takes(text in prop_oneof![json_like(), any::<String>()]) {
            let is_json = serde_json::from_str::<IgnoredAny>(&text).is_ok();
            prop_assert_eq!(skips(&text), is_json, "{}", text);
            prop_assert_eq!(walks(&text), is_json, "{}", text);
        }

        #[test]
        fn strings_are_those_of_serde_json(text in any::<String>()) {
            let raw = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(Cursor::new(&raw).string().unwrap(), text);
        }
    }
}
