//! The wire format, version 1: every field name and its order (evaluation.md sections 5 and 6).
//!
//! One type writes and reads, so that neither can know a field that the other does not. Reading is
//! strict: every field must stand, no other may, and an object is never given as a list.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::field::{self, Coverage, Object};
use super::{Evaluator, Origin, Part, Report, Shard, SourceState, Totals};
use crate::evaluate::{CaseResult, CheckName, FailedCheck, FailedChecks};
use crate::ids::{CaseId, Digest, Name, ObjectId};
use crate::number::Number;
use crate::suite::{Expectations, ExpectedForm, Matching};
use crate::text::Text;

/// The version of the format that this program writes, and the newest that it reads.
pub const SCHEMA_VERSION: u64 = 1;

/// A report of this program.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WireReport<'a> {
    pub(super) schema_version: u64,
    #[serde(deserialize_with = "field::name")]
    pub(super) suite: Cow<'a, Name>,
    pub(super) source: Object<WireSource<'a>>,
    pub(super) evaluator: Object<WireEvaluator<'a>>,
    #[serde(deserialize_with = "field::digest")]
    pub(super) suite_digest: Cow<'a, Digest>,
    #[serde(default, deserialize_with = "field::present", skip_serializing_if = "Option::is_none")]
    pub(super) shard: Option<Object<WireShard>>,
    pub(super) total_cases: u64,
    pub(super) passed_cases: u64,
    pub(super) unjudged_cases: u64,
    pub(super) pass_rate: f64,
    #[serde(deserialize_with = "field::distribution")]
    pub(super) verdict_distribution: Cow<'a, BTreeMap<String, u64>>,
    #[serde(deserialize_with = "field::nullable")]
    pub(super) average_tool_call_count: Option<f64>,
    #[serde(deserialize_with = "field::nullable")]
    pub(super) average_duration_ms: Option<f64>,
    pub(super) results: WireResults<'a>,
}

/// What was evaluated.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireSource<'a> {
    #[serde(deserialize_with = "field::nullable_object_id")]
    commit: Option<Cow<'a, ObjectId>>,
    dirty: bool,
}

/// Of which part of the suite the report is.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WireShard {
    index: u32,
    of: u32,
    max_trace_bytes: u64,
}

impl WireShard {
    const fn of(part: &Part) -> Self {
        Self { index: part.shard.index(), of: part.shard.of(), max_trace_bytes: part.max_trace_bytes }
    }

    /// The part that was read; `None` where there is no such part.
    pub(super) fn part(&self) -> Option<Part> {
        Some(Part { shard: Shard::new(self.index, self.of)?, max_trace_bytes: self.max_trace_bytes })
    }
}

/// What judged.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WireEvaluator<'a> {
    rules_version: Cow<'a, str>,
    matching: Object<WireMatching<'a>>,
}

/// How answers were searched.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WireMatching<'a> {
    #[serde(serialize_with = "field::write_form", deserialize_with = "field::form")]
    expected: ExpectedForm,
    protocol_markers: Cow<'a, [String]>,
}

/// The result of a case.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WireResult<'a> {
    #[serde(deserialize_with = "field::case_id")]
    case_id: Cow<'a, CaseId>,
    title: Cow<'a, str>,
    passed: bool,
    failed_checks: Vec<Object<WireCheck<'a>>>,
    #[serde(deserialize_with = "field::nullable")]
    verdict: Option<Cow<'a, str>>,
    matched_keyword_count: u64,
    required_keyword_count: u64,
    matched_keywords: Cow<'a, [Text]>,
    evidence_coverage: Coverage<'a>,
    #[serde(deserialize_with = "field::nullable")]
    gatekeeper_status: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "field::nullable")]
    gatekeeper_rule_set_version: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "field::nullable")]
    composer_status: Option<Cow<'a, str>>,
    claim_check_count: u64,
    tool_call_count: u64,
    #[serde(deserialize_with = "field::nullable_number")]
    duration_ms: Option<Number>,
    #[serde(deserialize_with = "field::expectations")]
    expectations: Cow<'a, Expectations>,
    #[serde(deserialize_with = "field::digest")]
    case_digest: Cow<'a, Digest>,
    #[serde(deserialize_with = "field::nullable_object_id")]
    trace_id: Option<Cow<'a, ObjectId>>,
}

/// A check that failed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireCheck<'a> {
    #[serde(deserialize_with = "field::check_name")]
    check: CheckName,
    message: Cow<'a, str>,
    subjects: Cow<'a, [String]>,
}

/// The results: lent where they are written, owned where they were read.
pub(super) struct WireResults<'a>(pub(super) Cow<'a, [CaseResult]>);

impl Serialize for WireResults<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|result| {
            WireResult::of(result).expect("a report is written in this form only where every result is whole")
        }))
    }
}

impl<'de> Deserialize<'de> for WireResults<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        field::results(deserializer, WireResult::into_result).map(|results| Self(Cow::Owned(results)))
    }
}

impl<'a> WireReport<'a> {
    /// The wire form of a report that has an origin.
    pub(super) fn of(report: &'a Report, origin: &'a Origin) -> Self {
        let totals = &report.totals;
        let SourceState { commit, dirty } = &origin.source;
        Self {
            schema_version: SCHEMA_VERSION,
            suite: Cow::Borrowed(&origin.suite),
            source: Object(WireSource { commit: commit.as_ref().map(Cow::Borrowed), dirty: *dirty }),
            evaluator: Object(WireEvaluator::of(&origin.evaluator)),
            suite_digest: Cow::Borrowed(&origin.suite_digest),
            shard: report.part.as_ref().map(|part| Object(WireShard::of(part))),
            total_cases: totals.total_cases,
            passed_cases: totals.passed_cases,
            unjudged_cases: totals.unjudged_cases,
            pass_rate: totals.pass_rate,
            verdict_distribution: Cow::Borrowed(&totals.verdict_distribution),
            average_tool_call_count: totals.average_tool_call_count,
            average_duration_ms: totals.average_duration_ms,
            results: WireResults(Cow::Borrowed(&report.results)),
        }
    }

    /// What was read: the origin, the totals as they stand in the file, and the results.
    pub(super) fn into_parts(self) -> (Origin, Totals, Vec<CaseResult>) {
        let origin = Origin {
            suite: self.suite.into_owned(),
            source: SourceState {
                commit: self.source.0.commit.map(Cow::into_owned),
                dirty: self.source.0.dirty,
            },
            evaluator: self.evaluator.0.into_evaluator(),
            suite_digest: self.suite_digest.into_owned(),
        };
        let totals = Totals {
            total_cases: self.total_cases,
            passed_cases: self.passed_cases,
            unjudged_cases: self.unjudged_cases,
            pass_rate: self.pass_rate,
            verdict_distribution: self.verdict_distribution.into_owned(),
            average_tool_call_count: self.average_tool_call_count,
            average_duration_ms: self.average_duration_ms,
        };
        (origin, totals, self.results.0.into_owned())
    }
}

impl<'a> WireEvaluator<'a> {
    fn of(evaluator: &'a Evaluator) -> Self {
        Self {
            rules_version: Cow::Borrowed(&evaluator.rules_version),
            matching: Object(WireMatching::of(&evaluator.matching)),
        }
    }

    fn into_evaluator(self) -> Evaluator {
        let WireMatching { expected, protocol_markers } = self.matching.0;
        let matching = Matching { expected, protocol_markers: protocol_markers.into_owned() };
        Evaluator { rules_version: self.rules_version.into_owned(), matching }
    }
}

impl<'a> WireMatching<'a> {
    /// The wire form of the matching options.
    pub(super) fn of(matching: &'a Matching) -> Self {
        Self { expected: matching.expected, protocol_markers: Cow::Borrowed(&matching.protocol_markers) }
    }
}

impl<'a> WireCheck<'a> {
    /// The wire form of a failed check.
    pub(super) fn of(failed: &'a FailedCheck) -> Self {
        Self {
            check: failed.check,
            message: Cow::Borrowed(&failed.message),
            subjects: Cow::Borrowed(&failed.subjects),
        }
    }

    fn into_check(self) -> FailedCheck {
        FailedCheck {
            check: self.check,
            message: self.message.into_owned(),
            subjects: self.subjects.into_owned(),
        }
    }
}

/// Whether the result has every field of section 5, so that it can be written in this form.
pub(super) fn is_whole(result: &CaseResult) -> bool {
    WireResult::of(result).is_some()
}

impl<'a> WireResult<'a> {
    fn of(result: &'a CaseResult) -> Option<Self> {
        let FailedChecks::Checks(checks) = &result.failed_checks else { return None };
        Some(Self {
            case_id: Cow::Borrowed(&result.case_id),
            title: Cow::Borrowed(&result.title),
            passed: result.passed,
            failed_checks: checks.iter().map(|failed| Object(WireCheck::of(failed))).collect(),
            verdict: result.verdict.as_deref().map(Cow::Borrowed),
            matched_keyword_count: result.matched_keyword_count?,
            required_keyword_count: result.required_keyword_count?,
            matched_keywords: Cow::Borrowed(result.matched_keywords.as_deref()?),
            evidence_coverage: Coverage(Cow::Borrowed(&result.evidence_coverage)),
            gatekeeper_status: result.gatekeeper_status.as_ref()?.as_deref().map(Cow::Borrowed),
            gatekeeper_rule_set_version: result
                .gatekeeper_rule_set_version
                .as_ref()?
                .as_deref()
                .map(Cow::Borrowed),
            composer_status: result.composer_status.as_ref()?.as_deref().map(Cow::Borrowed),
            claim_check_count: result.claim_check_count?,
            tool_call_count: result.tool_call_count?,
            duration_ms: result.duration_ms,
            expectations: Cow::Borrowed(result.expectations.as_deref()?),
            case_digest: Cow::Borrowed(result.case_digest.as_ref()?),
            trace_id: result.trace_id.as_ref().map(Cow::Borrowed),
        })
    }

    fn into_result(self) -> CaseResult {
        let text = |text: Cow<'_, str>| Text::from(text.into_owned());
        let checks = self.failed_checks.into_iter().map(|Object(check)| check.into_check()).collect();
        CaseResult {
            case_id: self.case_id.into_owned(),
            title: self.title.into_owned().into(),
            passed: self.passed,
            failed_checks: FailedChecks::Checks(checks),
            verdict: self.verdict.map(text),
            matched_keyword_count: Some(self.matched_keyword_count),
            required_keyword_count: Some(self.required_keyword_count),
            matched_keywords: Some(self.matched_keywords.into_owned()),
            evidence_coverage: self.evidence_coverage.0.into_owned(),
            gatekeeper_status: Some(self.gatekeeper_status.map(text)),
            gatekeeper_rule_set_version: Some(self.gatekeeper_rule_set_version.map(text)),
            composer_status: Some(self.composer_status.map(text)),
            claim_check_count: Some(self.claim_check_count),
            tool_call_count: Some(self.tool_call_count),
            duration_ms: self.duration_ms,
            expectations: Some(Arc::new(self.expectations.into_owned())),
            case_digest: Some(self.case_digest.into_owned()),
            trace_id: self.trace_id.map(Cow::into_owned),
        }
    }
}
