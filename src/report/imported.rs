//! An imported report, of the simpler harness that came before this program: no `schemaVersion`, fewer fields, checks as plain texts.
//!
//! What it does not have is left missing, what it has must be right, and what this program does not know
//! is skipped: it is another's format. Spec: evaluation.md section 6, diff-and-gate.md section 1.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use super::consistent::{self, distribution_differs, same};
use super::error::ReadError;
use super::field::{self, Asked, Coverage, Object};
use super::read::malformed;
use super::totals::MISSING;
use super::wire::WireCheck;
use super::{Report, Totals};
use crate::evaluate::{CaseResult, CheckName, FailedCheck, FailedChecks};
use crate::ids::{CaseId, Digest, ObjectId};
use crate::number::Number;
use crate::suite::Expectations;
use crate::suite::json::Value;
use crate::text::Text;

/// By how much the pass rate of an imported report may differ, as it may be rounded.
const PASS_RATE_TOLERANCE: f64 = 0.001;

/// Reads a document that has no `schemaVersion`.
///
/// # Errors
/// It contradicts itself, or a field that it has is of the wrong type.
pub(super) fn read(text: &str, document: Value<'_>) -> Result<Report, ReadError> {
    let Object(mut head) =
        serde_json::from_str::<Object<ReadHead>>(text).map_err(|error| malformed(&error, document))?;
    let mut results = Vec::with_capacity(head.results.len());
    for result in std::mem::take(&mut head.results) {
        let says_checks = result.failed_checks.is_some();
        let result = result.into_result();
        // Where the report does not say which checks failed, nothing can contradict `passed`.
        if says_checks {
            consistent::check_outcome(&result)?;
        }
        results.push(result);
    }
    consistent::check_results(&results)?;
    let report = Report::new(None, results);
    head.check(&report.totals)?;
    Ok(report)
}

/// The totals that the report gives. Means are taken from the results, whatever stands beside them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadHead {
    total_cases: Option<Whole>,
    passed_cases: Option<Whole>,
    unjudged_cases: Option<Whole>,
    pass_rate: Option<f64>,
    #[serde(default, deserialize_with = "field::nullable_distribution")]
    verdict_distribution: Option<BTreeMap<String, u64>>,
    #[serde(deserialize_with = "results")]
    results: Vec<ReadResult>,
}

impl ReadHead {
    /// Refuses totals that the results do not come to.
    fn check(&self, computed: &Totals) -> Result<(), ReadError> {
        check_count("totalCases", self.total_cases, computed.total_cases)?;
        check_count("passedCases", self.passed_cases, computed.passed_cases)?;
        check_count("unjudgedCases", self.unjudged_cases, computed.unjudged_cases)?;
        if let Some(stated) = self.pass_rate {
            // Decimal fractions are no doubles: a difference of one in the last place is none.
            if (stated - computed.pass_rate).abs() > PASS_RATE_TOLERANCE + f64::EPSILON {
                same("passRate", &stated, &computed.pass_rate)?;
            }
        }
        match &self.verdict_distribution {
            Some(stated) if !is_distribution(stated, &computed.verdict_distribution) => {
                Err(distribution_differs(stated, &computed.verdict_distribution))
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn check_count(total: &'static str, stated: Option<Whole>, computed: u64) -> Result<(), ReadError> {
    stated.map_or(Ok(()), |Whole(stated)| same(total, &stated, &computed))
}

/// Whether a distribution is the computed one. Another harness may count a missing verdict under a name
/// of its own, or not at all.
fn is_distribution(stated: &BTreeMap<String, u64>, computed: &BTreeMap<String, u64>) -> bool {
    let Some(missing) = computed.get(MISSING).copied() else { return stated == computed };
    if stated == computed {
        return true;
    }
    let given =
        |(verdict, count): &(&String, &u64)| computed.get(*verdict) == Some(*count) && *verdict != MISSING;
    let others: Vec<u64> = stated.iter().filter(|entry| !given(entry)).map(|(_, count)| *count).collect();
    let all_given = stated.iter().filter(given).count() == computed.len() - 1;
    all_given && (others.is_empty() || others == [missing])
}

/// A count: a number whose value is whole, as some languages write all numbers as doubles.
#[derive(Clone, Copy)]
struct Whole(u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        field::whole(deserializer).map(Self)
    }
}

/// A result; audit fields tell `null` from absent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadResult {
    #[serde(deserialize_with = "field::case_id")]
    case_id: Cow<'static, CaseId>,
    title: Option<Text>,
    passed: bool,
    failed_checks: Option<Vec<ReadCheck>>,
    verdict: Option<Text>,
    matched_keyword_count: Option<Whole>,
    required_keyword_count: Option<Whole>,
    matched_keywords: Option<Vec<Text>>,
    evidence_coverage: Option<Coverage<'static>>,
    #[serde(default, deserialize_with = "field::given")]
    gatekeeper_status: Option<Option<Text>>,
    #[serde(default, deserialize_with = "field::given")]
    gatekeeper_rule_set_version: Option<Option<Text>>,
    #[serde(default, deserialize_with = "field::given")]
    composer_status: Option<Option<Text>>,
    claim_check_count: Option<Whole>,
    tool_call_count: Option<Whole>,
    #[serde(default, deserialize_with = "field::nullable_number")]
    duration_ms: Option<Number>,
    expectations: Option<Object<Asked>>,
    #[serde(default, deserialize_with = "field::nullable_digest")]
    case_digest: Option<Digest>,
    #[serde(default, deserialize_with = "field::nullable_object_id")]
    trace_id: Option<Cow<'static, ObjectId>>,
}

/// A failed check: the plain text of the older harness, or an object as this program writes it.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a failed check must be a string, or an object with a string `check`")]
enum ReadCheck {
    Plain(String),
    Object(Object<CheckObject>),
}

#[derive(Deserialize)]
struct CheckObject {
    check: String,
    message: Option<String>,
    subjects: Option<Vec<String>>,
}

impl ReadResult {
    fn into_result(self) -> CaseResult {
        let case_id = self.case_id.into_owned();
        let count = |whole: Option<Whole>| whole.map(|Whole(count)| count);
        CaseResult {
            title: self.title.unwrap_or_else(|| case_id.as_str().into()),
            case_id,
            passed: self.passed,
            failed_checks: failed_checks(self.failed_checks.unwrap_or_default()),
            verdict: self.verdict,
            matched_keyword_count: count(self.matched_keyword_count),
            required_keyword_count: count(self.required_keyword_count),
            matched_keywords: self.matched_keywords,
            evidence_coverage: self
                .evidence_coverage
                .map(|coverage| coverage.0.into_owned())
                .unwrap_or_default(),
            gatekeeper_status: self.gatekeeper_status,
            gatekeeper_rule_set_version: self.gatekeeper_rule_set_version,
            composer_status: self.composer_status,
            claim_check_count: count(self.claim_check_count),
            tool_call_count: count(self.tool_call_count),
            duration_ms: self.duration_ms,
            expectations: self.expectations.map(|Object(Asked(asked))| Arc::new(asked)),
            case_digest: self.case_digest,
            trace_id: self.trace_id.map(Cow::into_owned),
        }
    }
}

/// Checks where every entry is an object with the name of one, otherwise plain texts.
fn failed_checks(read: Vec<ReadCheck>) -> FailedChecks {
    match read.iter().map(known_check).collect::<Option<Vec<FailedCheck>>>() {
        Some(mut checks) if !checks.is_empty() => {
            checks.sort_by_key(|failed| failed.check);
            FailedChecks::Checks(checks)
        }
        Some(_) | None => FailedChecks::Plain(read.into_iter().map(plain_text).collect()),
    }
}

fn known_check(read: &ReadCheck) -> Option<FailedCheck> {
    let ReadCheck::Object(Object(CheckObject { check, message, subjects })) = read else { return None };
    Some(FailedCheck {
        check: CheckName::parse(check)?,
        message: message.clone().unwrap_or_default(),
        subjects: subjects.clone().unwrap_or_default(),
    })
}

fn plain_text(read: ReadCheck) -> String {
    match read {
        ReadCheck::Plain(text) => text,
        ReadCheck::Object(Object(CheckObject { check, .. })) => check,
    }
}

/// The older harness's shape, for writing; what a result does not have is left out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireImported<'a> {
    total_cases: u64,
    passed_cases: u64,
    pass_rate: f64,
    verdict_distribution: &'a BTreeMap<String, u64>,
    average_tool_call_count: Option<f64>,
    average_duration_ms: Option<f64>,
    results: Vec<WrittenResult<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenResult<'a> {
    case_id: &'a CaseId,
    title: &'a str,
    passed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_checks: Option<WrittenChecks<'a>>,
    verdict: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_keyword_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_keyword_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_keywords: Option<&'a [Text]>,
    evidence_coverage: Coverage<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gatekeeper_status: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gatekeeper_rule_set_version: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    composer_status: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim_check_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_count: Option<u64>,
    duration_ms: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expectations: Option<&'a Expectations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    case_digest: Option<&'a Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'a ObjectId>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WrittenChecks<'a> {
    Checks(Vec<WireCheck<'a>>),
    Plain(&'a [String]),
}

impl<'a> WireImported<'a> {
    /// The older harness's shape of a report.
    pub(super) fn of(report: &'a Report) -> Self {
        let totals = &report.totals;
        Self {
            total_cases: totals.total_cases,
            passed_cases: totals.passed_cases,
            pass_rate: totals.pass_rate,
            verdict_distribution: &totals.verdict_distribution,
            average_tool_call_count: totals.average_tool_call_count,
            average_duration_ms: totals.average_duration_ms,
            results: report.results.iter().map(WrittenResult::of).collect(),
        }
    }
}

impl<'a> WrittenResult<'a> {
    fn of(result: &'a CaseResult) -> Self {
        Self {
            case_id: &result.case_id,
            title: &result.title,
            passed: result.passed,
            failed_checks: written_checks(result),
            verdict: result.verdict.as_deref(),
            matched_keyword_count: result.matched_keyword_count,
            required_keyword_count: result.required_keyword_count,
            matched_keywords: result.matched_keywords.as_deref(),
            evidence_coverage: Coverage(Cow::Borrowed(&result.evidence_coverage)),
            gatekeeper_status: result.gatekeeper_status.as_ref().map(Option::as_deref),
            gatekeeper_rule_set_version: result.gatekeeper_rule_set_version.as_ref().map(Option::as_deref),
            composer_status: result.composer_status.as_ref().map(Option::as_deref),
            claim_check_count: result.claim_check_count,
            tool_call_count: result.tool_call_count,
            duration_ms: result.duration_ms,
            expectations: result.expectations.as_deref(),
            case_digest: result.case_digest.as_ref(),
            trace_id: result.trace_id.as_ref(),
        }
    }
}

/// `None` where a case failed and the report that was read did not say on what.
fn written_checks(result: &CaseResult) -> Option<WrittenChecks<'_>> {
    match &result.failed_checks {
        FailedChecks::Plain(texts) if texts.is_empty() && !result.passed => None,
        FailedChecks::Plain(texts) => Some(WrittenChecks::Plain(texts)),
        FailedChecks::Checks(checks) => {
            Some(WrittenChecks::Checks(checks.iter().map(WireCheck::of).collect()))
        }
    }
}

fn results<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ReadResult>, D::Error> {
    field::results(deserializer, |result| result)
}
