//! How single fields of the wire format are read: strictly, each with words for what it must be.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Formatter;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::evaluate::CheckName;
use crate::ids::{CaseId, Digest, Name, ObjectId};
use crate::number::Number;
use crate::suite::text::is_blank;
use crate::suite::{Expectations, ExpectedForm};
use crate::text::Text;

/// A struct that must be given as an object: a derived reader alone would take a list as well.
pub(super) struct Object<T>(pub(super) T);

impl<T: Serialize> Serialize for Object<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Map<T> {
            type Value = T;

            fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(Map(PhantomData)).map(Self)
    }
}

/// `evidenceCoverage`: an object whose order counts.
pub(super) struct Coverage<'a>(pub(super) Cow<'a, [(Text, bool)]>);

impl Serialize for Coverage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(tool, used)| (tool, used)))
    }
}

impl<'de> Deserialize<'de> for Coverage<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries: Vec<(String, bool)> = deserializer.deserialize_map(Entries(PhantomData))?;
        Ok(Self(Cow::Owned(entries.into_iter().map(|(tool, used)| (tool.into(), used)).collect())))
    }
}

/// `verdictDistribution`.
pub(super) fn distribution<'de, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Cow<'a, BTreeMap<String, u64>>, D::Error> {
    let entries: Vec<(String, u64)> = deserializer.deserialize_map(Entries(PhantomData))?;
    Ok(Cow::Owned(entries.into_iter().collect()))
}

/// The same, or `null`.
pub(super) fn nullable_distribution<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<BTreeMap<String, u64>>, D::Error> {
    struct Counts(BTreeMap<String, u64>);

    impl<'de> Deserialize<'de> for Counts {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            distribution(deserializer).map(|counts| Self(counts.into_owned()))
        }
    }

    Ok(Option::<Counts>::deserialize(deserializer)?.map(|Counts(counts)| counts))
}

/// Reads an object of free names, none of them twice, in the order of the file.
struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = Vec<(String, T)>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry::<String, T>()? {
            entries.push(entry);
        }
        match repeated(entries.iter().map(|(key, _)| key.as_str())) {
            Some(key) => Err(A::Error::custom(format_args!("duplicate field `{key}`"))),
            None => Ok(entries),
        }
    }
}

/// A text that occurs more than once.
pub(super) fn repeated<'a>(texts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut sorted: Vec<&str> = texts.collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// A field that need not stand, and is never `null`.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A field that may be `null` and must stand: without a reader of its own an absent one would pass.
pub(super) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// A text that a type of its own has looked at.
struct Parsed<T> {
    what: &'static str,
    parse: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for Parsed<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.what)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// The same, or `null`.
struct Nullable<T>(Parsed<T>);

impl<T> Visitor<'_> for Nullable<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} or null", self.0.what)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        (self.0.parse)(text).map(Some).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

const SUITE: Parsed<Name> = Parsed { what: "a suite name", parse: Name::parse };
const DIGEST: Parsed<Digest> = Parsed { what: "a SHA-256 in lower-case hex", parse: Digest::parse };
const OBJECT_ID: Parsed<ObjectId> =
    Parsed { what: "an object id of 40 or 64 lower-case hex digits", parse: ObjectId::parse };
const CASE_ID: Parsed<CaseId> =
    Parsed { what: "a case id, not blank and without control characters", parse: parse_case_id };
const FORM: Parsed<ExpectedForm> = Parsed { what: "`exact` or `folded`", parse: parse_form };
const EXACT: &str = "exact";
const FOLDED: &str = "folded";
const CHECK: Parsed<CheckName> = Parsed { what: "the name of a check", parse: CheckName::parse };

fn parse_case_id(text: &str) -> Option<CaseId> {
    (!is_blank(text) && !text.chars().any(char::is_control)).then(|| CaseId::new(text))
}

/// A suite name.
pub(super) fn name<'de, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'a, Name>, D::Error> {
    deserializer.deserialize_str(SUITE).map(Cow::Owned)
}

/// A digest.
pub(super) fn digest<'de, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'a, Digest>, D::Error> {
    deserializer.deserialize_str(DIGEST).map(Cow::Owned)
}

/// A digest, or `null`.
pub(super) fn nullable_digest<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Digest>, D::Error> {
    deserializer.deserialize_any(Nullable(DIGEST))
}

/// An object id, or `null`.
pub(super) fn nullable_object_id<'de, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'a, ObjectId>>, D::Error> {
    deserializer.deserialize_any(Nullable(OBJECT_ID)).map(|id| id.map(Cow::Owned))
}

/// The id of a case.
pub(super) fn case_id<'de, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'a, CaseId>, D::Error> {
    deserializer.deserialize_str(CASE_ID).map(Cow::Owned)
}

/// The name of a check.
pub(super) fn check_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CheckName, D::Error> {
    deserializer.deserialize_str(CHECK)
}

/// How expected keywords are compared.
pub(super) fn form<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ExpectedForm, D::Error> {
    deserializer.deserialize_str(FORM)
}

/// The name that [`form`] reads.
pub(super) fn write_form<S: Serializer>(form: &ExpectedForm, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match form {
        ExpectedForm::Exact => EXACT,
        ExpectedForm::Folded => FOLDED,
    })
}

fn parse_form(text: &str) -> Option<ExpectedForm> {
    match text {
        EXACT => Some(ExpectedForm::Exact),
        FOLDED => Some(ExpectedForm::Folded),
        _ => None,
    }
}

/// A number that is not negative, or `null`.
pub(super) fn nullable_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Number>, D::Error> {
    struct Numbers;

    impl Visitor<'_> for Numbers {
        type Value = Option<Number>;

        fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("a number that is not negative, or null")
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_u64<E: Error>(self, integer: u64) -> Result<Self::Value, E> {
            Ok(Some(Number::Int(integer)))
        }

        fn visit_f64<E: Error>(self, double: f64) -> Result<Self::Value, E> {
            if double.is_finite() && double >= 0.0 {
                Ok(Some(Number::Float(double.abs())))
            } else {
                Err(E::invalid_value(Unexpected::Float(double), &self))
            }
        }
    }

    deserializer.deserialize_any(Numbers)
}

/// What a case asks, in the one form that its digest is computed over.
pub(super) fn expectations<'de, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Cow<'a, Expectations>, D::Error> {
    Object::<Asked>::deserialize(deserializer).map(|Object(Asked(asked))| Cow::Owned(asked))
}

/// [`Expectations`] read as strictly as they are written.
pub(super) struct Asked(pub(super) Expectations);

impl<'de> Deserialize<'de> for Asked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        WireExpectations::deserialize(deserializer).map(Self)
    }
}

#[derive(Deserialize)]
#[serde(remote = "Expectations", rename_all = "camelCase", deny_unknown_fields)]
struct WireExpectations {
    #[serde(default, deserialize_with = "list")]
    expected_root_cause_keywords: Vec<Text>,
    #[serde(default, deserialize_with = "given")]
    min_keyword_matches: Option<u64>,
    #[serde(default, deserialize_with = "list")]
    required_evidence_tools: Vec<Text>,
    #[serde(default, deserialize_with = "list")]
    allowed_verdicts: Vec<Text>,
    #[serde(default, deserialize_with = "list")]
    forbidden_answer_keywords: Vec<Text>,
    #[serde(default, rename = "requireV2AuditClosure", deserialize_with = "switch")]
    require_v2_audit_closure: bool,
    #[serde(default, deserialize_with = "switch")]
    require_claim_checks: bool,
    #[serde(default, deserialize_with = "switch")]
    require_composer_output: bool,
    #[serde(default, deserialize_with = "list")]
    expected_gatekeeper_statuses: Vec<Text>,
    #[serde(default, deserialize_with = "given")]
    expected_gatekeeper_rule_set_version: Option<Text>,
    #[serde(default, deserialize_with = "list")]
    expected_composer_statuses: Vec<Text>,
    #[serde(default, deserialize_with = "list")]
    forbidden_confirmed_claim_keywords: Vec<Text>,
}

/// A field that stands: `Some` of what its type makes of it, `null` too.
pub(super) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Text>, D::Error> {
    let texts = Vec::<Text>::deserialize(deserializer)?;
    if texts.is_empty() {
        return Err(D::Error::custom("an empty list in `expectations`, where what asks nothing is left out"));
    }
    match repeated(texts.iter().map(Text::as_str)) {
        Some(text) => {
            Err(D::Error::custom(format_args!("`{text}` stands twice in a list of `expectations`")))
        }
        None => Ok(texts),
    }
}

fn switch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    if bool::deserialize(deserializer)? {
        Ok(true)
    } else {
        Err(D::Error::custom("`false` in `expectations`, where what asks nothing is left out"))
    }
}

/// A list of results, each turned into what is kept as soon as it is read. The message of an error begins
/// with the index of the result that it stands in; [`split_result`] takes it off again.
pub(super) fn results<'de, D, T, R>(deserializer: D, keep: fn(T) -> R) -> Result<Vec<R>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_seq(Results(keep))
}

struct Results<T, R>(fn(T) -> R);

impl<'de, T: Deserialize<'de>, R> Visitor<'de> for Results<T, R> {
    type Value = Vec<R>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a list of results")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut results = Vec::new();
        while let Some(Object(result)) = list
            .next_element::<Object<T>>()
            .map_err(|error| A::Error::custom(format_args!("results[{}]: {error}", results.len())))?
        {
            results.push((self.0)(result));
        }
        Ok(results)
    }
}

/// The index that [`results`] put before a message, and the message itself.
pub(super) fn split_result(message: &str) -> (Option<usize>, &str) {
    let split = || {
        let (index, rest) = message.strip_prefix("results[")?.split_once("]: ")?;
        Some((index.parse().ok()?, rest))
    };
    split().map_or((None, message), |(index, rest)| (Some(index), rest))
}

/// A number whose value is whole and not negative, however it is written.
pub(super) fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    match nullable_number(deserializer)? {
        Some(Number::Int(integer)) => Ok(integer),
        Some(Number::Float(double)) if double.fract() == 0.0 && double < WHOLE_DOUBLES => Ok(double as u64),
        Some(Number::Float(_)) | None => Err(D::Error::custom("a count must be a whole number")),
    }
}

/// Below it a double that is whole is exactly one integer.
const WHOLE_DOUBLES: f64 = 9_007_199_254_740_992.0;
