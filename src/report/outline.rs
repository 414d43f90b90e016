//! What a JSON document that is no report of this program is instead: only for refusals and imports.

use std::borrow::Cow;

use super::error::ReadError;
use super::wire::SCHEMA_VERSION;
use crate::suite::json::{Shape, Value};

/// What a document turned out to be.
pub(super) enum Document {
    /// A report of this program and version.
    Own,
    /// An imported report.
    Imported,
}

/// Tells the kind of a document.
///
/// # Errors
/// It is no report, or of a version that cannot be read here.
pub(super) fn kind(document: Value<'_>) -> Result<Document, ReadError> {
    let Some(fields) = Fields::of(document) else {
        return Err(ReadError::OtherKind { what: no_object(&document.shape()) });
    };
    if let Some(what) = other_object(&fields) {
        return Err(ReadError::OtherKind { what });
    }
    match fields.get("schemaVersion").map(Value::shape) {
        // Only this program writes the digest: such a report has lost its version, and would be read with
        // less than it says.
        None if fields.has("suiteDigest") => Err(ReadError::LostSchema),
        None => Ok(Document::Imported),
        Some(Shape::Number(text)) => version(text),
        Some(
            other @ (Shape::Null | Shape::Bool(_) | Shape::String(_) | Shape::Array(_) | Shape::Object(_)),
        ) => Err(ReadError::UnknownSchema { found: other.words().to_owned() }),
    }
}

fn version(text: &str) -> Result<Document, ReadError> {
    match text.parse::<u64>() {
        Ok(SCHEMA_VERSION) => Ok(Document::Own),
        Ok(newer) if newer > SCHEMA_VERSION => Err(ReadError::NewerSchema { version: text.to_owned() }),
        Ok(_) | Err(_) => Err(ReadError::UnknownSchema { found: text.to_owned() }),
    }
}

/// What a document that is no object looks like.
fn no_object(shape: &Shape<'_>) -> &'static str {
    let Shape::Array(entries) = shape else { return shape.words() };
    match entries.first().and_then(|first| Fields::of(*first)) {
        Some(first) if first.has("traceFixture") => "a list of cases",
        Some(first) if first.has("caseId") => "a bare list of results",
        Some(_) | None => "a list",
    }
}

/// What an object that is no report looks like; `None` for one that can be a report.
fn other_object(fields: &Fields<'_>) -> Option<&'static str> {
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
        signs.iter().find(|(keys, _)| keys.iter().all(|key| fields.has(key))).map(|(_, what)| *what)
    };
    if let Some(what) = find(SIGNS) {
        return Some(what);
    }
    let is_report = fields.has("results") || fields.has("totalCases");
    if is_report {
        None
    } else {
        Some(find(SIGNS_WITHOUT_RESULTS).unwrap_or("a JSON object without `results`"))
    }
}

/// What a person calls the case of the result at this index: its id, or `#INDEX`.
pub(super) fn case_at(document: Value<'_>, index: usize) -> String {
    let id = || {
        let results = Fields::of(document)?.get("results")?;
        let Shape::Array(results) = results.shape() else { return None };
        let Shape::String(id) = Fields::of(*results.get(index)?)?.get("caseId")?.shape() else { return None };
        Some(id.into_owned())
    };
    id().unwrap_or_else(|| format!("#{index}"))
}

/// The fields of an object, in their order.
struct Fields<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

impl<'a> Fields<'a> {
    fn of(value: Value<'a>) -> Option<Self> {
        let Shape::Object(members) = value.shape() else { return None };
        Some(Self(members.into_iter().map(|member| (member.name, member.value)).collect()))
    }

    fn get(&self, name: &str) -> Option<Value<'a>> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}
