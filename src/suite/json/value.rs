//! Values of a valid JSON text, read one level at a time and only where a rule asks.

use std::borrow::Cow;

/// A value: a piece of a valid JSON text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    /// The value as it is written.
    pub(crate) raw: &'a str,
    /// Where it begins in the text.
    pub(crate) offset: usize,
}

/// A field of an object.
#[derive(Clone, Debug)]
pub(crate) struct Member<'a> {
    /// The decoded name.
    pub(crate) name: Cow<'a, str>,
    /// Where the name begins in the text.
    pub(crate) offset: usize,
    /// What it holds.
    pub(crate) value: Value<'a>,
}

/// The type of a value, with what is inside.
#[derive(Clone, Debug)]
pub(crate) enum Shape<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it is written.
    Number(&'a str),
    /// A string, decoded; half a surrogate pair becomes U+FFFD.
    String(Cow<'a, str>),
    /// The entries of an array.
    Array(Vec<Value<'a>>),
    /// The fields of an object, in their order.
    Object(Vec<Member<'a>>),
}

impl Shape<'_> {
    /// The type in words, with its article.
    pub(crate) const fn words(&self) -> &'static str {
        match self {
            Self::Null => "`null`",
            Self::Bool(true) => "`true`",
            Self::Bool(false) => "`false`",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl<'a> Value<'a> {
    /// The value that a valid JSON text is.
    pub(super) fn first_in(text: &'a str) -> Self {
        Self::at(text, 0, skip_space(text.as_bytes(), 0))
    }

    /// Looks one level deep.
    pub(crate) fn shape(self) -> Shape<'a> {
        match self.raw.as_bytes()[0] {
            b'n' => Shape::Null,
            b't' => Shape::Bool(true),
            b'f' => Shape::Bool(false),
            b'"' => Shape::String(decode(self.raw).0),
            b'[' => Shape::Array(self.entries()),
            b'{' => Shape::Object(self.members()),
            _ => Shape::Number(self.raw),
        }
    }

    /// Whether it is `null`.
    pub(crate) fn is_null(self) -> bool {
        self.raw == "null"
    }

    /// Whether it is an array without entries.
    pub(crate) fn is_empty_array(self) -> bool {
        self.raw.starts_with('[') && self.next_item(1).is_none()
    }

    /// Where it ends in the text.
    pub(crate) const fn end(self) -> usize {
        self.offset + self.raw.len()
    }

    /// The value at `start` of a text that itself begins at `base`.
    fn at(text: &'a str, base: usize, start: usize) -> Self {
        Self { raw: &text[start..value_end(text.as_bytes(), start)], offset: base + start }
    }

    fn entries(self) -> Vec<Self> {
        let mut entries = Vec::new();
        let mut place = self.next_item(1);
        while let Some(start) = place {
            let entry = Self::at(self.raw, self.offset, start);
            place = self.next_item(entry.end() - self.offset);
            entries.push(entry);
        }
        entries
    }

    fn members(self) -> Vec<Member<'a>> {
        let mut members = Vec::new();
        let mut place = self.next_item(1);
        while let Some(start) = place {
            let name = Self::at(self.raw, self.offset, start);
            let colon = skip_space(self.raw.as_bytes(), name.end() - self.offset);
            let value = Self::at(self.raw, self.offset, skip_space(self.raw.as_bytes(), colon + 1));
            place = self.next_item(value.end() - self.offset);
            members.push(Member { name: decode(name.raw).0, offset: name.offset, value });
        }
        members
    }

    /// Where the next entry or name begins, if any; `from` stands behind the opening bracket or a value.
    fn next_item(self, from: usize) -> Option<usize> {
        let bytes = self.raw.as_bytes();
        let place = skip_space(bytes, from);
        match bytes[place] {
            b']' | b'}' => None,
            b',' => Some(skip_space(bytes, place + 1)),
            _ => Some(place),
        }
    }
}

fn skip_space(bytes: &[u8], from: usize) -> usize {
    let space = bytes[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    from + space.count()
}

/// The end of the value that begins at `start`.
fn value_end(bytes: &[u8], start: usize) -> usize {
    match bytes[start] {
        b'"' => string_end(bytes, start),
        b'[' | b'{' => nested_end(bytes, start),
        _ => {
            let rest = bytes[start..].iter();
            start
                + rest
                    .take_while(|byte| !matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n'))
                    .count()
        }
    }
}

/// The end of the array or object that begins at `start`: brackets are counted, strings skipped.
fn nested_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut place = start;
    loop {
        match bytes[place] {
            b'"' => {
                place = string_end(bytes, place);
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        place += 1;
        if depth == 0 {
            return place;
        }
    }
}

/// The end, behind its quotation mark, of the string that begins at `start`.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut place = start + 1;
    loop {
        match bytes[place] {
            b'"' => return place + 1,
            b'\\' => place += 2,
            _ => place += 1,
        }
    }
}

/// The text of a string as it is written, and whether it holds half a surrogate pair.
pub(super) fn decode(raw: &str) -> (Cow<'_, str>, bool) {
    let inner = &raw[1..raw.len() - 1];
    let Some(first) = inner.find('\\') else {
        return (Cow::Borrowed(inner), false);
    };
    let mut text = String::with_capacity(inner.len());
    text.push_str(&inner[..first]);
    let mut halves = false;
    let mut rest = &inner[first..];
    while let Some(escape) = rest.strip_prefix('\\') {
        let (character, length) = unescape(escape);
        halves |= character.is_none();
        text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
        let plain = &escape[length..];
        let next = plain.find('\\').unwrap_or(plain.len());
        text.push_str(&plain[..next]);
        rest = &plain[next..];
    }
    (Cow::Owned(text), halves)
}

/// The character of an escape, without its backslash, and the length of the escape; no character for
/// half a surrogate pair.
fn unescape(escape: &str) -> (Option<char>, usize) {
    let plain = match escape.as_bytes()[0] {
        b'u' => return unescape_unit(escape),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        other => char::from(other),
    };
    (Some(plain), 1)
}

fn unescape_unit(escape: &str) -> (Option<char>, usize) {
    let unit = hex(&escape[1..5]);
    let (true, Some(second)) = ((0xd800..0xdc00).contains(&unit), escape[5..].strip_prefix("\\u")) else {
        return (char::from_u32(unit), 5);
    };
    let low = hex(&second[..4]);
    if (0xdc00..0xe000).contains(&low) {
        (char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00)), 11)
    } else {
        (None, 5)
    }
}

fn hex(digits: &str) -> u32 {
    u32::from_str_radix(digits, 16).expect("the parser has seen four hex digits")
}
