//! One entry of a diff, and the values that it shows.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::evaluate::CaseResult;
use crate::ids::CaseId;
use crate::kind::Kind;
use crate::number::Number;

/// One thing that moved.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What moved.
    pub kind: Kind,
    /// Whether that is bad, good or neither.
    pub severity: Severity,
    /// The case; `None` where the entry is of the whole suite. A renamed case has its new id.
    pub case_id: Option<CaseId>,
    /// The title of the case. Untrusted text.
    pub title: Option<String>,
    /// What moved underneath; `None` where nothing did, or the case is on one side only.
    pub cause: Option<Cause>,
    /// Of a `case-regressed` entry whose cause is [`Cause::Both`]: whether the old definition passes
    /// on the new trace. A diff leaves it `None`; who has the trace fills it in.
    pub under_old_expectation: Option<bool>,
    /// What the entry is about, in the order of the newer definition. Untrusted text.
    pub subjects: Vec<String>,
    /// What stood there before.
    pub before: Value,
    /// What stands there now.
    pub after: Value,
    /// One line of English. Untrusted text inside.
    pub message: String,
}

/// Whether an entry is bad, good or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worse than before.
    Regression,
    /// Better than before.
    Improvement,
    /// Neither.
    Change,
}

/// What moved underneath an entry of one case: the agent, the exam, or the examiner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// The trace, not the definition.
    Trace,
    /// The definition, not the trace.
    Case,
    /// Both.
    Both,
    /// Neither: the rules or the matching options did.
    Evaluator,
    /// A side without digest, or trace ids of unlike length.
    Unknown,
}

/// A value before or after. Objects keep the order in which they were made.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nothing, or not asked.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A count, a duration or a mean.
    Number(Number),
    /// Untrusted text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// An object.
    Object(Vec<(String, Self)>),
}

impl Severity {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Improvement => "improvement",
            Self::Change => "change",
        }
    }
}

impl Cause {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Case => "case",
            Self::Both => "both",
            Self::Evaluator => "evaluator",
            Self::Unknown => "unknown",
        }
    }
}

impl Value {
    /// A count.
    pub fn count(count: u64) -> Self {
        Self::Number(Number::Int(count))
    }

    /// A text, or nothing.
    pub fn text(text: Option<&str>) -> Self {
        text.map_or(Self::Null, |text| Self::Text(text.to_owned()))
    }

    /// A list of texts.
    pub fn texts<T: AsRef<str>>(texts: &[T]) -> Self {
        Self::List(texts.iter().map(|text| Self::Text(text.as_ref().to_owned())).collect())
    }

    /// An object of fields.
    pub fn object<K: Into<String>>(fields: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Object(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

impl Serialize for Severity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(values) => values.serialize(serializer),
            Self::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

/// What one comparison found, before it is known of which case.
pub(super) struct Finding {
    pub(super) kind: Kind,
    pub(super) severity: Severity,
    pub(super) subjects: Vec<String>,
    pub(super) before: Value,
    pub(super) after: Value,
    pub(super) message: String,
}

impl Finding {
    /// As an entry of the whole suite.
    pub(super) fn of_suite(self) -> Entry {
        Entry {
            kind: self.kind,
            severity: self.severity,
            case_id: None,
            title: None,
            cause: None,
            under_old_expectation: None,
            subjects: self.subjects,
            before: self.before,
            after: self.after,
            message: self.message,
        }
    }

    /// As an entry of this case.
    pub(super) fn of_case(self, case: &CaseResult, cause: Option<Cause>) -> Entry {
        Entry {
            case_id: Some(case.case_id.clone()),
            title: Some(super::one_line(&case.title)),
            cause,
            ..self.of_suite()
        }
    }
}
