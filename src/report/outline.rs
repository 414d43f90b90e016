//! What a JSON document that is no report of this program is instead. Slow and only for refusals and
//! imports: the whole document as a tree, in which no object holds a key twice.

use std::fmt::Formatter;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::error::ReadError;
use super::field::repeated;
use super::wire::SCHEMA_VERSION;

/// How the message of an object with a key twice begins; the key follows.
const DUPLICATE: &str = "duplicate key ";

/// Parses a document.
///
/// # Errors
/// [`ReadError::Syntax`], [`ReadError::DuplicateKey`].
pub(super) fn parse(text: &str) -> Result<Tree, ReadError> {
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = without_place(&error);
        match message.strip_prefix(DUPLICATE) {
            Some(key) => ReadError::DuplicateKey { key: key.to_owned(), line, column },
            None => ReadError::Syntax { message, line, column },
        }
    })
}

/// The message alone; line and column are told by the error that it goes into.
pub(super) fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&place).map_or_else(|| message.clone(), str::to_owned)
}

/// What a document turned out to be.
pub(super) enum Document {
    /// A report of this program and version.
    Own,
    /// A report of the seed's own harness.
    Imported,
}

/// Tells the kind of a document.
///
/// # Errors
/// It is no report, or of a version that cannot be read here.
pub(super) fn kind(document: &Tree) -> Result<Document, ReadError> {
    if let Some(what) = other_kind(document) {
        return Err(ReadError::OtherKind { what });
    }
    match document.get("schemaVersion") {
        // Only this program writes the digest: such a report has lost its version, and would be read with
        // less than it says.
        None if document.has("suiteDigest") => Err(ReadError::LostSchema),
        None => Ok(Document::Imported),
        Some(Tree::Integer(SCHEMA_VERSION)) => Ok(Document::Own),
        Some(Tree::Integer(version)) if *version > SCHEMA_VERSION => {
            Err(ReadError::NewerSchema { version: version.to_string() })
        }
        Some(Tree::Integer(version)) => Err(ReadError::UnknownSchema { found: version.to_string() }),
        Some(
            other
            @ (Tree::Null | Tree::Bool | Tree::Number | Tree::Text(_) | Tree::List(_) | Tree::Object(_)),
        ) => Err(ReadError::UnknownSchema { found: other.type_name().to_owned() }),
    }
}

/// What a document that is no report looks like; `None` for one that can be a report.
fn other_kind(document: &Tree) -> Option<&'static str> {
    match document {
        Tree::Object(_) => other_object(document),
        Tree::List(entries) => Some(match entries.first() {
            Some(first) if first.has("traceFixture") => "a list of cases",
            Some(first) if first.has("caseId") => "a bare list of results",
            Some(_) | None => "a list",
        }),
        Tree::Null | Tree::Bool | Tree::Integer(_) | Tree::Number | Tree::Text(_) => {
            Some(document.type_name())
        }
    }
}

fn other_object(document: &Tree) -> Option<&'static str> {
    const SIGNS: &[(&[&str], &str)] = &[
        (&["entries", "gate"], "a diff of two reports"),
        (&["likeForLike"], "a diff of two reports"),
        (&["commits", "range"], "a history"),
        (&["caseId", "flips"], "the outcome of a bisection"),
    ];
    const SIGNS_WITHOUT_RESULTS: &[(&[&str], &str)] = &[
        (&["cases"], "a case file"),
        (&["traceFixture"], "a single case"),
        (&["caseId", "passed"], "the result of a single case"),
        (&["session"], "a trace"),
        (&["toolInvocations"], "a trace"),
        (&["properties"], "a JSON Schema"),
    ];
    let find = |signs: &[(&[&str], &'static str)]| {
        signs.iter().find(|(keys, _)| keys.iter().all(|key| document.has(key))).map(|(_, what)| *what)
    };
    if let Some(what) = find(SIGNS) {
        return Some(what);
    }
    let is_report = document.has("results") || document.has("totalCases");
    if is_report {
        None
    } else {
        Some(find(SIGNS_WITHOUT_RESULTS).unwrap_or("a JSON object without `results`"))
    }
}

/// A JSON value, as far as telling documents apart needs it.
#[derive(Debug)]
pub(super) enum Tree {
    Null,
    Bool,
    Integer(u64),
    Number,
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Tree {
    /// The value of a key; `None` where this is no object.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            Self::Null | Self::Bool | Self::Integer(_) | Self::Number | Self::Text(_) | Self::List(_) => None,
        }
    }

    fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// What a person calls the case of the result at this index: its id, or `#INDEX`.
    pub(super) fn case_at(&self, index: usize) -> String {
        let id = match self.get("results") {
            Some(Self::List(results)) => results.get(index).and_then(|result| result.get("caseId")),
            Some(_) | None => None,
        };
        match id {
            Some(Self::Text(id)) => id.clone(),
            Some(_) | None => format!("#{index}"),
        }
    }

    fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Integer(_) | Self::Number => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values)
    }
}

/// Builds a [`Tree`]. How deep a document nests is bounded by the parser, which refuses more than 128.
struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Tree;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Bool)
    }

    fn visit_u64<E: Error>(self, integer: u64) -> Result<Tree, E> {
        Ok(Tree::Integer(integer))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::Number)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::Number)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            entries.push(entry);
        }
        Ok(Tree::List(entries))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut fields: Vec<(String, Tree)> = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        match repeated(fields.iter().map(|(key, _)| key.as_str())) {
            Some(key) => Err(A::Error::custom(format_args!("{DUPLICATE}{key}"))),
            None => Ok(Tree::Object(fields)),
        }
    }
}
