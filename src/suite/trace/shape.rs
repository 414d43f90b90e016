//! The fields that rules read, as they stand in one file: each absent, of the wrong type, or a value.
//!
//! Reading is one pass in the file's own order. What is wrong is listed afterwards, in the order of
//! the list in evaluation.md section 2, by `settle`.

use super::json::{Cursor, JsonType};
use super::{ClaimCheck, Unreadable};
use crate::number::Number;
use crate::suite::text::is_blank;

/// A field that stands in the file.
pub(super) enum Slot<T> {
    /// `null`.
    Null,
    /// Of the wrong type.
    Wrong,
    /// As asked.
    Is(T),
}

/// A field: `None` where the file does not have it.
pub(super) type Field<T> = Option<Slot<T>>;

#[derive(Default)]
pub(super) struct Document {
    pub(super) session: Field<Session>,
    pub(super) tool_invocations: Field<Vec<Slot<Tool>>>,
}

#[derive(Default)]
pub(super) struct Session {
    pub(super) answer: Field<String>,
    pub(super) duration_ms: Field<Number>,
    pub(super) self_evaluation: Field<SelfEvaluation>,
}

#[derive(Default)]
pub(super) struct SelfEvaluation {
    pub(super) verifier: Field<Verifier>,
}

#[derive(Default)]
pub(super) struct Verifier {
    pub(super) verdict: Field<String>,
    pub(super) gatekeeper: Field<GatekeeperResult>,
    pub(super) claim_checks: Field<Vec<Slot<ClaimCheck>>>,
    pub(super) composer: Field<ComposerOutput>,
    pub(super) executor: Field<ExecutorOutput>,
    pub(super) tool_trace_summary: Field<Vec<Slot<Tool>>>,
}

#[derive(Default)]
pub(super) struct GatekeeperResult {
    pub(super) status: Field<String>,
    pub(super) rule_set_version: Field<String>,
}

#[derive(Default)]
pub(super) struct ComposerOutput {
    pub(super) status: Field<String>,
}

#[derive(Default)]
pub(super) struct ExecutorOutput {
    pub(super) claims: Field<Vec<Slot<Claim>>>,
}

#[derive(Default)]
pub(super) struct Claim {
    pub(super) bindings: Field<usize>,
}

#[derive(Default)]
pub(super) struct Tool {
    pub(super) name: Field<String>,
}

/// A key; `None` where it is no Unicode text, and so no key that a rule reads.
type Key<'k> = Option<&'k str>;

/// Reads the fields of the object that a file holds.
pub(super) fn document(cursor: &mut Cursor<'_>) -> Result<Document, Unreadable> {
    let mut document = Document::default();
    cursor.object(|cursor, key| match key {
        Some("session") => once(&mut document.session, cursor, "session", session),
        Some("toolInvocations") => {
            once(&mut document.tool_invocations, cursor, "toolInvocations", |cursor| {
                array(cursor, |cursor| tool(cursor, "toolName"))
            })
        }
        _ => cursor.skip(),
    })?;
    Ok(document)
}

fn session(cursor: &mut Cursor<'_>) -> Result<Slot<Session>, Unreadable> {
    object(cursor, |cursor, key, session: &mut Session| match key {
        Some("answer") => once(&mut session.answer, cursor, "answer", string),
        Some("totalDurationMs") => once(&mut session.duration_ms, cursor, "totalDurationMs", number),
        Some("selfEvaluation") => once(&mut session.self_evaluation, cursor, "selfEvaluation", |cursor| {
            object_or_text(cursor, self_evaluation)
        }),
        _ => cursor.skip(),
    })
}

fn self_evaluation(cursor: &mut Cursor<'_>) -> Result<Slot<SelfEvaluation>, Unreadable> {
    object(cursor, |cursor, key, evaluation: &mut SelfEvaluation| match key {
        Some("verifier_evaluation") => {
            once(&mut evaluation.verifier, cursor, "verifier_evaluation", |cursor| {
                object_or_text(cursor, verifier)
            })
        }
        _ => cursor.skip(),
    })
}

fn verifier(cursor: &mut Cursor<'_>) -> Result<Slot<Verifier>, Unreadable> {
    object(cursor, |cursor, key, verifier: &mut Verifier| match key {
        Some("verdict") => once(&mut verifier.verdict, cursor, "verdict", string),
        Some("gatekeeper_result") => once(&mut verifier.gatekeeper, cursor, "gatekeeper_result", gatekeeper),
        Some("claim_checks") => {
            once(&mut verifier.claim_checks, cursor, "claim_checks", |cursor| array(cursor, claim_check))
        }
        Some("composer_output") => once(&mut verifier.composer, cursor, "composer_output", composer),
        Some("executor_structured_output") => {
            once(&mut verifier.executor, cursor, "executor_structured_output", executor)
        }
        Some("tool_trace_summary") => {
            once(&mut verifier.tool_trace_summary, cursor, "tool_trace_summary", |cursor| {
                array(cursor, |cursor| tool(cursor, "tool_name"))
            })
        }
        _ => cursor.skip(),
    })
}

fn gatekeeper(cursor: &mut Cursor<'_>) -> Result<Slot<GatekeeperResult>, Unreadable> {
    object(cursor, |cursor, key, result: &mut GatekeeperResult| match key {
        Some("status") => once(&mut result.status, cursor, "status", string),
        Some("rule_set_version") => once(&mut result.rule_set_version, cursor, "rule_set_version", string),
        _ => cursor.skip(),
    })
}

fn composer(cursor: &mut Cursor<'_>) -> Result<Slot<ComposerOutput>, Unreadable> {
    object(cursor, |cursor, key, output: &mut ComposerOutput| match key {
        Some("status") => once(&mut output.status, cursor, "status", string),
        _ => cursor.skip(),
    })
}

fn executor(cursor: &mut Cursor<'_>) -> Result<Slot<ExecutorOutput>, Unreadable> {
    object(cursor, |cursor, key, output: &mut ExecutorOutput| match key {
        Some("claims") => once(&mut output.claims, cursor, "claims", |cursor| array(cursor, claim)),
        _ => cursor.skip(),
    })
}

fn claim(cursor: &mut Cursor<'_>) -> Result<Slot<Claim>, Unreadable> {
    object(cursor, |cursor, key, claim: &mut Claim| match key {
        Some("evidence_bindings") => once(&mut claim.bindings, cursor, "evidence_bindings", length),
        _ => cursor.skip(),
    })
}

fn tool(cursor: &mut Cursor<'_>, name: &str) -> Result<Slot<Tool>, Unreadable> {
    object(
        cursor,
        |cursor, key, tool: &mut Tool| {
            if key == Some(name) { once(&mut tool.name, cursor, name, string) } else { cursor.skip() }
        },
    )
}

/// Reads an entry of `claim_checks`, whose fields are never of the wrong type: check `claim-checks` judges them.
fn claim_check(cursor: &mut Cursor<'_>) -> Result<Slot<ClaimCheck>, Unreadable> {
    #[derive(Default)]
    struct Fields {
        claim_id: Option<bool>,
        verification: Option<Option<String>>,
        detail: Option<bool>,
    }
    let slot = object(cursor, |cursor, key, fields: &mut Fields| match key {
        Some("claim_id") => once(&mut fields.claim_id, cursor, "claim_id", |cursor| {
            match cursor.peek()? {
                // A number beyond a double is of the wrong type here as anywhere.
                JsonType::Number => Ok(cursor.number()?.parse().is_ok_and(f64::is_finite)),
                JsonType::Object | JsonType::Array | JsonType::String | JsonType::Bool | JsonType::Null => {
                    Ok(shown_string(cursor)?.is_some())
                }
            }
        }),
        Some("verification") => once(&mut fields.verification, cursor, "verification", shown_string),
        Some("detail") => once(&mut fields.detail, cursor, "detail", |cursor| {
            let is_other = !matches!(cursor.peek()?, JsonType::String | JsonType::Null);
            Ok(shown_string(cursor)?.is_some() || is_other)
        }),
        _ => cursor.skip(),
    })?;
    Ok(match slot {
        Slot::Null => Slot::Null,
        Slot::Wrong => Slot::Wrong,
        Slot::Is(fields) => Slot::Is(ClaimCheck {
            has_claim_id: fields.claim_id.unwrap_or(false),
            verification: fields.verification.flatten(),
            has_detail: fields.detail.unwrap_or(false),
        }),
    })
}

/// Fills a field that must not stand twice.
fn once<'a, T>(
    field: &mut Option<T>,
    cursor: &mut Cursor<'a>,
    name: &str,
    read: impl FnOnce(&mut Cursor<'a>) -> Result<T, Unreadable>,
) -> Result<(), Unreadable> {
    if field.is_some() {
        return Err(cursor.error_at(cursor.offset(), &format!("a second value for the field `{name}`")));
    }
    *field = Some(read(cursor)?);
    Ok(())
}

fn object<'a, T: Default>(
    cursor: &mut Cursor<'a>,
    mut field: impl FnMut(&mut Cursor<'a>, Key<'_>, &mut T) -> Result<(), Unreadable>,
) -> Result<Slot<T>, Unreadable> {
    typed(cursor, JsonType::Object, |cursor| {
        let mut value = T::default();
        cursor.object(|cursor, key| field(cursor, key, &mut value))?;
        Ok(Slot::Is(value))
    })
}

/// Reads an object that may also be given as a JSON text of it in a string.
fn object_or_text<T>(
    cursor: &mut Cursor<'_>,
    read: fn(&mut Cursor<'_>) -> Result<Slot<T>, Unreadable>,
) -> Result<Slot<T>, Unreadable> {
    if cursor.peek()? != JsonType::String {
        return read(cursor);
    }
    let start = cursor.offset();
    let text = cursor.string()?;
    let text = super::without_mark(&text);
    if !is_object(text) {
        return Ok(Slot::Wrong);
    }
    read(&mut Cursor::new(text)).map_err(|inner| {
        cursor.error_at(start, &format!("in the JSON text of this string: {}", inner.message))
    })
}

/// Whether a text is one JSON object and nothing else.
fn is_object(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    matches!(cursor.peek(), Ok(JsonType::Object)) && cursor.skip().is_ok() && cursor.at_end()
}

fn array<'a, T>(
    cursor: &mut Cursor<'a>,
    entry: impl Fn(&mut Cursor<'a>) -> Result<T, Unreadable>,
) -> Result<Slot<Vec<T>>, Unreadable> {
    typed(cursor, JsonType::Array, |cursor| {
        let mut entries = Vec::new();
        cursor.array(|cursor| {
            entries.push(entry(cursor)?);
            Ok(())
        })?;
        Ok(Slot::Is(entries))
    })
}

fn length(cursor: &mut Cursor<'_>) -> Result<Slot<usize>, Unreadable> {
    typed(cursor, JsonType::Array, |cursor| {
        let mut count = 0;
        cursor.array(|cursor| {
            count += 1;
            cursor.skip()
        })?;
        Ok(Slot::Is(count))
    })
}

fn string(cursor: &mut Cursor<'_>) -> Result<Slot<String>, Unreadable> {
    typed(cursor, JsonType::String, |cursor| Ok(Slot::Is(cursor.string()?.into_owned())))
}

fn number(cursor: &mut Cursor<'_>) -> Result<Slot<Number>, Unreadable> {
    typed(
        cursor,
        JsonType::Number,
        |cursor| Ok(Number::parse(cursor.number()?).map_or(Slot::Wrong, Slot::Is)),
    )
}

/// A string that is not blank; `None` for any other value.
fn shown_string(cursor: &mut Cursor<'_>) -> Result<Option<String>, Unreadable> {
    if cursor.peek()? == JsonType::String {
        Ok(Some(cursor.string()?.into_owned()).filter(|text| !is_blank(text)))
    } else {
        cursor.skip().map(|()| None)
    }
}

fn typed<'a, T>(
    cursor: &mut Cursor<'a>,
    wanted: JsonType,
    read: impl FnOnce(&mut Cursor<'a>) -> Result<Slot<T>, Unreadable>,
) -> Result<Slot<T>, Unreadable> {
    let found = cursor.peek()?;
    if found == wanted {
        return read(cursor);
    }
    cursor.skip()?;
    Ok(if found == JsonType::Null { Slot::Null } else { Slot::Wrong })
}
