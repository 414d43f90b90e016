//! Whether a report that was read agrees with itself. A file that was edited or merged by hand is
//! refused with the reason, never compared.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;

use super::Totals;
use super::error::ReadError;
use crate::evaluate::{CaseResult, FailedChecks};
use crate::suite::Expectations;
use crate::text::Text;

/// What holds for every report: it has cases, each once, and each result agrees with itself as far as
/// the report says anything.
pub(super) fn check_results(results: &[CaseResult]) -> Result<(), ReadError> {
    if results.is_empty() {
        return Err(ReadError::NoCase);
    }
    let mut seen = HashSet::with_capacity(results.len());
    for result in results {
        if !seen.insert(&result.case_id) {
            return Err(ReadError::RepeatedCase { case: id(result) });
        }
        check_order(result)?;
        check_digest(result)?;
        check_matched(result)?;
    }
    Ok(())
}

/// What a report of this program says about each case, beside [`check_results`]; `evidenceCoverage` is put
/// into the order of the case, as a tool that sorts keys may have changed it.
pub(super) fn check_whole(results: &mut [CaseResult]) -> Result<(), ReadError> {
    for result in results {
        check_outcome(result)?;
        let Some(asked) = &result.expectations else { continue };
        check_keywords(result, asked)?;
        let coverage = coverage(result, asked)?;
        result.evidence_coverage = coverage;
    }
    Ok(())
}

/// `passed` is true exactly when no check failed.
pub(super) fn check_outcome(result: &CaseResult) -> Result<(), ReadError> {
    match (result.passed, result.failed_checks.is_empty()) {
        (true, true) | (false, false) => Ok(()),
        (true, false) => Err(ReadError::PassedBesideFailed {
            case: id(result),
            checks: result.failed_checks.names().join(", "),
        }),
        (false, true) => Err(ReadError::FailedWithoutCheck { case: id(result) }),
    }
}

fn check_order(result: &CaseResult) -> Result<(), ReadError> {
    let FailedChecks::Checks(checks) = &result.failed_checks else { return Ok(()) };
    for (index, failed) in checks.iter().enumerate() {
        let check = failed.check.as_str();
        if checks[..index].iter().any(|before| before.check == failed.check) {
            return Err(ReadError::RepeatedCheck { case: id(result), check });
        }
        if index > 0 && checks[index - 1].check > failed.check {
            return Err(ReadError::CheckOrder { case: id(result), check });
        }
    }
    Ok(())
}

fn check_digest(result: &CaseResult) -> Result<(), ReadError> {
    let (Some(asked), Some(stated)) = (&result.expectations, &result.case_digest) else { return Ok(()) };
    let computed = asked.digest();
    if *stated == computed {
        return Ok(());
    }
    Err(ReadError::CaseDigest {
        case: id(result),
        stated: stated.as_str().to_owned(),
        computed: computed.as_str().to_owned(),
    })
}

fn check_matched(result: &CaseResult) -> Result<(), ReadError> {
    match (result.matched_keyword_count, &result.matched_keywords) {
        (Some(count), Some(matched)) if count != matched.len() as u64 => {
            let message = format!("is {count}, but `matchedKeywords` holds {}", matched.len());
            Err(contradiction(result, "matchedKeywordCount", message))
        }
        (Some(_) | None, Some(_) | None) => Ok(()),
    }
}

fn check_keywords(result: &CaseResult, asked: &Expectations) -> Result<(), ReadError> {
    let keywords = &asked.expected_root_cause_keywords;
    let listed = keywords.len() as u64;
    if let Some(count) = result.required_keyword_count.filter(|count| *count != listed) {
        let message = format!("is {count}, but the case lists {listed}");
        return Err(contradiction(result, "requiredKeywordCount", message));
    }
    let fits = match asked.min_keyword_matches {
        Some(minimum) => listed > 0 && minimum <= listed,
        None => listed == 0,
    };
    if !fits {
        let message = "must stand beside keywords, and be no more than they are".to_owned();
        return Err(contradiction(result, "minKeywordMatches", message));
    }
    let mut rest = keywords.iter();
    for matched in result.matched_keywords.iter().flatten() {
        if !rest.any(|keyword| keyword == matched) {
            let message = format!("holds `{}`, which the case does not list at that place", matched.as_str());
            return Err(contradiction(result, "matchedKeywords", message));
        }
    }
    Ok(())
}

fn coverage(result: &CaseResult, asked: &Expectations) -> Result<Vec<(Text, bool)>, ReadError> {
    let mut found: BTreeMap<&str, bool> =
        result.evidence_coverage.iter().map(|(tool, used)| (tool.as_str(), *used)).collect();
    let mut ordered = Vec::with_capacity(found.len());
    for tool in &asked.required_evidence_tools {
        let Some(used) = found.remove(tool.as_str()) else {
            let message = format!("lacks `{}`, which the case requires", tool.as_str());
            return Err(contradiction(result, "evidenceCoverage", message));
        };
        ordered.push((tool.clone(), used));
    }
    match found.into_keys().next() {
        Some(extra) => {
            let message = format!("holds `{extra}`, which the case does not require");
            Err(contradiction(result, "evidenceCoverage", message))
        }
        None => Ok(ordered),
    }
}

fn contradiction(result: &CaseResult, field: &'static str, message: String) -> ReadError {
    ReadError::Contradiction { case: id(result), field, message }
}

fn id(result: &CaseResult) -> String {
    result.case_id.as_str().to_owned()
}

/// Whether the totals of a report of this program are those of its results, to the last bit.
pub(super) fn check_totals(stated: &Totals, computed: &Totals) -> Result<(), ReadError> {
    same("totalCases", &stated.total_cases, &computed.total_cases)?;
    same("passedCases", &stated.passed_cases, &computed.passed_cases)?;
    same("unjudgedCases", &stated.unjudged_cases, &computed.unjudged_cases)?;
    same("passRate", &stated.pass_rate, &computed.pass_rate)?;
    if stated.verdict_distribution != computed.verdict_distribution {
        return Err(distribution_differs(&stated.verdict_distribution, &computed.verdict_distribution));
    }
    same_mean("averageToolCallCount", stated.average_tool_call_count, computed.average_tool_call_count)?;
    same_mean("averageDurationMs", stated.average_duration_ms, computed.average_duration_ms)
}

/// Whether two values of a total are the same.
pub(super) fn same<T: PartialEq + Display>(
    total: &'static str,
    stated: &T,
    computed: &T,
) -> Result<(), ReadError> {
    if stated == computed {
        return Ok(());
    }
    Err(ReadError::Totals { total, stated: stated.to_string(), computed: computed.to_string() })
}

fn same_mean(total: &'static str, stated: Option<f64>, computed: Option<f64>) -> Result<(), ReadError> {
    let text = |mean: Option<f64>| mean.map_or_else(|| "null".to_owned(), |mean| mean.to_string());
    if stated == computed {
        return Ok(());
    }
    Err(ReadError::Totals { total, stated: text(stated), computed: text(computed) })
}

/// Two distributions that are not the same.
pub(super) fn distribution_differs(
    stated: &BTreeMap<String, u64>,
    computed: &BTreeMap<String, u64>,
) -> ReadError {
    let text = |counts| serde_json::to_string(counts).expect("texts and numbers always serialize");
    ReadError::Totals { total: "verdictDistribution", stated: text(stated), computed: text(computed) }
}
