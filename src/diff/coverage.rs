//! What a case no longer covers, or covers now: required tools and expected keywords.

use std::collections::{HashMap, HashSet};

use crate::diff::entry::{Finding, Severity, Value};
use crate::diff::join::Pair;
use crate::diff::message;
use crate::evaluate::CaseResult;
use crate::kind::Kind;
use crate::suite::text;

/// `evidence-lost` and `evidence-gained`: of the tools required on both sides.
pub(super) fn evidence(pair: Pair<'_>) -> Vec<Finding> {
    let before: HashMap<&str, bool> =
        pair.before.evidence_coverage.iter().map(|(tool, covered)| (tool.as_str(), *covered)).collect();
    let moved = |now: bool| -> Vec<String> {
        pair.after
            .evidence_coverage
            .iter()
            .filter(|(tool, covered)| *covered == now && before.get(tool.as_str()) == Some(&!now))
            .map(|(tool, _)| tool.clone())
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
        (Some(before), Some(after)) => by_keyword(&before, &after),
        (None, Some(_)) | (Some(_), None) | (None, None) => by_count(pair).into_iter().collect(),
    }
}

/// The keywords that a case lists, and which of them matched, in exact form.
struct Keywords<'a> {
    /// In case order: exact form, and as the case spells it.
    listed: Vec<(String, &'a str)>,
    matched: HashSet<String>,
}

impl<'a> Keywords<'a> {
    /// `None` where the report does not say which keywords the case lists, or which matched.
    fn of(case: &'a CaseResult) -> Option<Self> {
        let form = |word: &String| text::exact(word).into_owned();
        let listed = &case.expectations.as_ref()?.expected_root_cause_keywords;
        Some(Self {
            matched: case.matched_keywords.as_ref()?.iter().map(form).collect(),
            listed: listed.iter().map(|word| (form(word), word.as_str())).collect(),
        })
    }
}

fn by_keyword(before: &Keywords<'_>, after: &Keywords<'_>) -> Vec<Finding> {
    let listed_before: HashSet<&str> = before.listed.iter().map(|(form, _)| form.as_str()).collect();
    let shared: Vec<&(String, &str)> =
        after.listed.iter().filter(|(form, _)| listed_before.contains(form.as_str())).collect();
    let words = |wanted: &dyn Fn(&str) -> bool| -> Vec<String> {
        shared.iter().filter(|(form, _)| wanted(form)).map(|(_, word)| (*word).to_owned()).collect()
    };
    let lost = words(&|form| before.matched.contains(form) && !after.matched.contains(form));
    let gained = words(&|form| after.matched.contains(form) && !before.matched.contains(form));
    let count = |keywords: &Keywords<'_>| {
        shared.iter().filter(|(form, _)| keywords.matched.contains(form)).count() as u64
    };
    let counts = (count(before), count(after));
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
