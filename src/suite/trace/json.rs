//! A cursor over JSON text: it looks at the type of the next value before reading it, and skips what
//! nobody asks for in one pass, without recursion and without a tree.
//!
//! `serde_json` cannot do this: a value whose type is not known beforehand can only be cut out raw
//! and scanned anew at every level, and reading it directly fails on numbers beyond a double. It
//! still decodes every string with an escape here, and is the oracle of the tests.

use std::borrow::Cow;

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
    /// The brackets that close what `skip` is in; empty between calls, kept for its memory.
    open: Vec<u8>,
}

impl<'a> Cursor<'a> {
    /// Begins at the start of a text.
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0, open: Vec::new() }
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
        let (raw, escaped) = self.string_token()?;
        if escaped {
            decode(raw)
                .map(Cow::Owned)
                .ok_or_else(|| self.error_at(start, "half a surrogate pair in a string"))
        } else {
            Ok(Cow::Borrowed(&raw[1..raw.len() - 1]))
        }
    }

    /// Reads a number as it is written.
    pub(super) fn number(&mut self) -> Result<&'a str, Unreadable> {
        self.skip_space();
        let start = self.at;
        self.accept(b'-');
        if !self.accept(b'0') {
            self.digits()?;
        }
        if self.accept(b'.') {
            self.digits()?;
        }
        if self.accept(b'e') || self.accept(b'E') {
            let _sign = self.accept(b'+') || self.accept(b'-');
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    /// Reads past one value, whatever it holds, and checks that it is JSON.
    pub(super) fn skip(&mut self) -> Result<(), Unreadable> {
        self.open.clear();
        loop {
            let opened = match self.peek()? {
                JsonType::Object => self.open(b'}'),
                JsonType::Array => self.open(b']'),
                JsonType::String => self.string_token().map(|_| false)?,
                JsonType::Number => self.number().map(|_| false)?,
                JsonType::Bool | JsonType::Null => self.literal().map(|()| false)?,
            };
            if !self.next_in_open(opened)? {
                return Ok(());
            }
        }
    }

    /// Whether nothing but white space is left.
    pub(super) fn at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.text.len()
    }

    /// An error at the next byte.
    pub(super) fn unexpected(&self, wanted: &str) -> Unreadable {
        match self.text[self.at..].chars().next() {
            None => self.error_at(self.at, &format!("the file ends where {wanted} should stand")),
            Some(found) => {
                self.error_at(self.at, &format!("expected {wanted}, found `{}`", found.escape_debug()))
            }
        }
    }

    /// An error at a byte of the text.
    pub(super) fn error_at(&self, offset: usize, message: &str) -> Unreadable {
        Unreadable::at(message, &self.text[..offset])
    }

    /// Steps to the next value of the innermost open object or array, closing those that end here.
    /// False: nothing is open any more.
    fn next_in_open(&mut self, opened: bool) -> Result<bool, Unreadable> {
        let mut first = opened;
        while let Some(&close) = self.open.last() {
            self.skip_space();
            if self.accept(close) {
                self.open.pop();
                first = false;
                continue;
            }
            if !first {
                self.expect(b',', if close == b'}' { "`,` or `}`" } else { "`,` or `]`" })?;
            }
            if close == b'}' {
                self.skip_space();
                self.string_token()?;
                self.colon()?;
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn open(&mut self, close: u8) -> bool {
        self.at += 1;
        self.open.push(close);
        true
    }

    fn key(&mut self) -> Result<Option<Cow<'a, str>>, Unreadable> {
        self.skip_space();
        let (raw, escaped) = self.string_token()?;
        self.colon()?;
        if escaped {
            Ok(decode(raw).map(Cow::Owned))
        } else {
            Ok(Some(Cow::Borrowed(&raw[1..raw.len() - 1])))
        }
    }

    fn colon(&mut self) -> Result<(), Unreadable> {
        self.skip_space();
        self.expect(b':', "`:`")
    }

    /// Reads a string with its quotes, and whether it holds an escape.
    fn string_token(&mut self) -> Result<(&'a str, bool), Unreadable> {
        let start = self.at;
        self.expect(b'"', "a string")?;
        let mut escaped = false;
        loop {
            self.at += plain_length(&self.text.as_bytes()[self.at..]);
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok((&self.text[start..self.at], escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return Err(self.error_at(self.at, "a control character in a string")),
                None => return Err(self.error_at(start, "a string that does not end")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Unreadable> {
        let bytes = &self.text.as_bytes()[self.at..];
        let length = match bytes.get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if bytes.len() >= 6 && bytes[2..6].iter().all(u8::is_ascii_hexdigit) => 6,
            Some(_) | None => return Err(self.error_at(self.at, "an escape that JSON does not know")),
        };
        self.at += length;
        Ok(())
    }

    /// Reads `true`, `false` or `null`.
    fn literal(&mut self) -> Result<(), Unreadable> {
        let rest = &self.text[self.at..];
        let word = ["true", "false", "null"].into_iter().find(|word| rest.starts_with(word));
        self.at += word.ok_or_else(|| self.unexpected("a JSON value"))?.len();
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Unreadable> {
        let rest = &self.text.as_bytes()[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.unexpected("a digit"));
        }
        self.at += count;
        Ok(())
    }

    fn skip_space(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
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

/// Decodes a string that is well-formed apart from half surrogate pairs, with which it is `None`.
fn decode(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

/// How many bytes stand before the first quote, backslash or control character.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    // Eight bytes at a time: the high bit of a byte is set where it holds what is looked for. Bits
    // above the first one set may be wrong (a borrow runs upwards), the first one never is.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = zeros(word ^ (ONES * u64::from(b'"')));
        let backslash = zeros(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let found = quote | backslash | control;
        if found != 0 {
            return index * 8 + (found.trailing_zeros() / 8) as usize;
        }
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    words.len() * 8 + rest.iter().position(special).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    use super::*;

    fn skips(text: &str) -> bool {
        let mut cursor = Cursor::new(text);
        cursor.skip().is_ok() && cursor.at_end()
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
            assert!(skips(good), "{good}");
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
            assert!(!skips(bad), "{bad}");
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
        assert_eq!(error.message, "expected a JSON value, found `N`");
    }

    fn naive_plain_length(bytes: &[u8]) -> usize {
        bytes.iter().position(|byte| *byte < 0x20 || *byte == b'"' || *byte == b'\\').unwrap_or(bytes.len())
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
            prop_assert_eq!(skips(&text), serde_json::from_str::<IgnoredAny>(&text).is_ok(), "{}", text);
        }

        #[test]
        fn plain_text_ends_where_a_plain_loop_says(bytes in prop::collection::vec(prop_oneof![0x18..0x28_u8, 0x58..0x60_u8, any::<u8>()], 0..40)) {
            prop_assert_eq!(plain_length(&bytes), naive_plain_length(&bytes));
        }

        #[test]
        fn strings_are_those_of_serde_json(text in any::<String>()) {
            let raw = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(Cursor::new(&raw).string().unwrap(), text);
        }
    }
}
