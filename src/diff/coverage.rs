//! What a case no longer covers, or covers now: required tools and expected keywords.

use std::collections::{HashMap, HashSet};

use crate::diff::entry::{Finding, Severity, Value};
use crate::diff::join::Pair;
use crate::diff::message;
use crate::evaluate::CaseResult;
use crate::kind::Kind;
use crate::suite::text;
use crate::text::Text;

/// `evidence-lost` and `evidence-gained`: of the tools required on both sides.
pub(super) fn evidence(pair: Pair<'_>) -> Vec<Finding> {
    if pair.before.evidence_coverage == pair.after.evidence_coverage {
        return Vec::new();
    }
    let before: HashMap<&str, bool> =
        pair.before.evidence_coverage.iter().map(|(tool, covered)| (tool.as_str(), *covered)).collect();
    let moved = |now: bool| -> Vec<String> {
        pair.after
            .evidence_coverage
            .iter()
            .filter(|(tool, covered)| *covered == now && before.get(tool.as_str()) == Some(&!now))
            .map(|(tool, _)| tool.as_str().to_owned())
            .collect()
    };
    let finding = |kind, severity, tools: Vec<String>, says: &str| {
        (!tools.is_empty()).then(|| Finding {
            kind,
            severity,
            message: format!("{says}: {}", message::list(&tools)),
            subjects: tools,
            before: Value::Null,
            after: Value::Null,
        })
    };
    [
        finding(
            Kind::EvidenceLost,
            Severity::Regression,
            moved(false),
            "a required tool was used before and is not now",
        ),
        finding(
            Kind::EvidenceGained,
            Severity::Improvement,
            moved(true),
            "a required tool was not used before and is now",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// `keywords-lost` and `keywords-gained`: of the keywords listed on both sides; by their number where
/// a report does not say which matched.
pub(super) fn keywords(pair: Pair<'_>) -> Vec<Finding> {
    match (Keywords::of(pair.before), Keywords::of(pair.after)) {
        (Some(before), Some(after)) if before.matched == after.matched => Vec::new(),
        (Some(before), Some(after)) => by_keyword(&before, &after),
        (None, Some(_)) | (Some(_), None) | (None, None) => by_count(pair).into_iter().collect(),
    }
}

/// The keywords that a case lists, and which of them matched, as the case spells them.
struct Keywords<'a> {
    listed: &'a [Text],
    matched: &'a [Text],
}

impl<'a> Keywords<'a> {
    /// `None` where the report does not say which keywords the case lists, or which matched.
    fn of(case: &'a CaseResult) -> Option<Self> {
        Some(Self {
            listed: &case.expectations.as_ref()?.expected_root_cause_keywords,
            matched: case.matched_keywords.as_ref()?,
        })
    }
}

/// Keywords are the same when equal in exact form.
fn by_keyword(before: &Keywords<'_>, after: &Keywords<'_>) -> Vec<Finding> {
    let forms = |words: &[Text]| -> HashSet<String> {
        words.iter().map(|word| text::exact(word).into_owned()).collect()
    };
    let (listed, matched, matches) = (forms(before.listed), forms(before.matched), forms(after.matched));
    // Of each keyword on both sides: whether it matched, whether it does, as the newer case spells it.
    let shared: Vec<(bool, bool, &Text)> = after
        .listed
        .iter()
        .map(|word| (text::exact(word), word))
        .filter(|(form, _)| listed.contains(form.as_ref()))
        .map(|(form, word)| (matched.contains(form.as_ref()), matches.contains(form.as_ref()), word))
        .collect();
    let words = |was: bool| -> Vec<String> {
        let moved = shared.iter().filter(|(before, after, _)| (*before, *after) == (was, !was));
        moved.map(|(_, _, word)| word.as_str().to_owned()).collect()
    };
    let (lost, gained) = (words(true), words(false));
    let counts = (
        shared.iter().filter(|(before, _, _)| *before).count() as u64,
        shared.iter().filter(|(_, after, _)| *after).count() as u64,
    );
    let finding = |moved: Moved, subjects: Vec<String>| {
        let which = message::list(&subjects);
        let message =
            format!("{} ({} of {} before, {} now): {which}", moved.says(), counts.0, shared.len(), counts.1);
        (!subjects.is_empty()).then(|| moved.finding(subjects, counts, message))
    };
    [finding(Moved::Lost, lost), finding(Moved::Gained, gained)].into_iter().flatten().collect()
}

/// Where both ask for as many, the numbers can be compared.
fn by_count(pair: Pair<'_>) -> Option<Finding> {
    let asked = pair.before.required_keyword_count?;
    if pair.after.required_keyword_count? != asked {
        return None;
    }
    let counts = (pair.before.matched_keyword_count?, pair.after.matched_keyword_count?);
    let moved = match counts.0.cmp(&counts.1) {
        std::cmp::Ordering::Greater => Moved::Lost,
        std::cmp::Ordering::Less => Moved::Gained,
        std::cmp::Ordering::Equal => return None,
    };
    let message = format!("{}: {} of {asked} before, {} now", moved.says(), counts.0, counts.1);
    Some(moved.finding(Vec::new(), counts, message))
}

#[derive(Clone, Copy)]
enum Moved {
    Lost,
    Gained,
}

impl Moved {
    const fn says(self) -> &'static str {
        match self {
            Self::Lost => "an expected keyword matched before and does not now",
            Self::Gained => "an expected keyword did not match before and does now",
        }
    }

    fn finding(self, subjects: Vec<String>, counts: (u64, u64), message: String) -> Finding {
        let (kind, severity) = match self {
            Self::Lost => (Kind::KeywordsLost, Severity::Regression),
            Self::Gained => (Kind::KeywordsGained, Severity::Improvement),
        };
        let (before, after) = (Value::count(counts.0), Value::count(counts.1));
        Finding { kind, severity, subjects, before, after, message }
    }
}
