//! The JSON Schemas of everything that the program reads and writes (draft 2020-12).
//!
//! Built from the same tables of names that the program itself uses, so that a new check or kind is
//! in them at once; `tests/schemas.rs` holds them against real files and real outputs. A schema says
//! what can be said of shape; rules that span fields (a minimum above the number of keywords, totals
//! that disagree) are the program's own.

mod asked;
mod config;
mod diff;
mod report;
mod trace;

use serde_json::{Map, Value, json};

/// Which document a schema is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// A case file.
    Case,
    /// The fields of a trace that rules read.
    Trace,
    /// A report.
    Report,
    /// A diff, and what the gate makes of it.
    Diff,
    /// `diag-gate.toml`, as the JSON that its TOML stands for.
    Config,
}

/// The schema of a document, as text with a final line feed.
pub fn schema(document: Document) -> String {
    let (name, title, body) = match document {
        Document::Case => ("case", "A case file of diag-gate", asked::case_file()),
        Document::Trace => ("trace", "A trace, as far as diag-gate reads it", trace::trace()),
        Document::Report => ("report", "A report of diag-gate", report::report()),
        Document::Diff => ("diff", "A diff of two reports, judged", diff::diff()),
        Document::Config => ("config", "The settings of a suite, diag-gate.toml", config::config()),
    };
    let mut root = Map::new();
    root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("$id".to_owned(), json!(format!("urn:diag-gate:schema:{name}:1")));
    root.insert("title".to_owned(), json!(title));
    if let Value::Object(body) = body {
        root.extend(body);
    }
    let mut text = serde_json::to_string_pretty(&root).expect("a JSON value always serializes");
    text.push('\n');
    text
}

/// An object of which these fields are known, and no others; `required` of them must stand.
fn closed(fields: Vec<(&str, Value)>, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties(fields),
        "required": required,
        "additionalProperties": false,
    })
}

/// An object of which every known field must stand, and no others may.
fn exact(fields: Vec<(&str, Value)>) -> Value {
    let names: Vec<String> = fields.iter().map(|(name, _)| (*name).to_owned()).collect();
    json!({
        "type": "object",
        "properties": properties(fields),
        "required": names,
        "additionalProperties": false,
    })
}

fn properties(fields: Vec<(&str, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect())
}

fn described(mut schema: Value, text: &str) -> Value {
    if let Value::Object(fields) = &mut schema {
        fields.insert("description".to_owned(), json!(text));
    }
    schema
}

/// What a schema says, or `null`.
fn nullable(schema: &Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

fn string() -> Value {
    json!({"type": "string"})
}

/// A text in which something can be seen.
fn visible() -> Value {
    json!({"type": "string", "pattern": "\\S"})
}

fn strings() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn digest() -> Value {
    json!({"type": "string", "pattern": "^[0-9a-f]{64}$"})
}

fn object_id() -> Value {
    json!({"type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"})
}

fn name() -> Value {
    json!({"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"})
}
