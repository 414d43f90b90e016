//! What the fields of a case must say together.

use std::collections::BTreeSet;

use super::fields::{Empty, Fields};
use super::number::{Count, count};
use crate::ids::CaseId;
use crate::suite::json::Shape;
use crate::suite::text::{exact, folded, is_blank};
use crate::suite::{Case, Expectations, Place};
use crate::text::Text;

/// Reads all fields but the id, which was read before; `line` is the one on which the case begins.
pub(super) fn case(fields: &mut Fields<'_, '_>, id: Option<CaseId>, line: u32) -> Option<Case> {
    let title = fields.string("title").filter(|title| !is_blank(title));
    let question = fields.string("question");
    let trace_fixture = trace_fixture(fields);
    let expectations = expectations(fields);
    let (id, trace_fixture) = id.zip(trace_fixture)?;
    Some(Case {
        title: title.map_or_else(|| id.as_str().into(), Text::from),
        id,
        question,
        trace_fixture,
        digest: expectations.digest(),
        expectations: expectations.into(),
        place: Place { file: fields.file(), line },
    })
}

fn trace_fixture(fields: &mut Fields<'_, '_>) -> Option<String> {
    let path = fields.required("traceFixture")?;
    let member = fields.given("traceFixture")?;
    match path_fault(&path) {
        None => Some(path),
        Some(fault) => {
            fields.fault(&member, format!("must be a path below the traces folder, but {fault}"));
            None
        }
    }
}

/// Why a text is no path of a trace.
fn path_fault(path: &str) -> Option<&'static str> {
    let letter_and_colon = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    let mut parts = path.split('/');
    if path.is_empty() {
        Some("it is empty")
    } else if path.chars().any(char::is_control) {
        Some("it holds a control character")
    } else if path.contains('\\') {
        Some("it holds a backslash; parts are separated by `/`")
    } else if path.starts_with('/') || letter_and_colon {
        Some("it is absolute")
    } else if parts.clone().any(|part| matches!(part, "." | "..")) {
        Some("one of its parts is `.` or `..`")
    } else if parts.any(str::is_empty) {
        Some("one of its parts is empty")
    } else {
        None
    }
}

fn expectations(fields: &mut Fields<'_, '_>) -> Expectations {
    let before = fields.problem_count();
    let keywords = keywords(fields, "expectedRootCauseKeywords");
    let read = fields.problem_count() == before;
    let minimum = minimum(fields, read.then_some(keywords.len()));
    let sound = fields.problem_count() == before;
    let forbidden_answer = self::keywords(fields, "forbiddenAnswerKeywords");
    let forbidden_claim = self::keywords(fields, "forbiddenConfirmedClaimKeywords");
    let asked = Expectations {
        min_keyword_matches: (!keywords.is_empty()).then(|| minimum.unwrap_or(keywords.len() as u64)),
        expected_root_cause_keywords: keywords,
        required_evidence_tools: names(fields, "requiredEvidenceTools", Empty::AsksNothing),
        allowed_verdicts: names(fields, "allowedVerdicts", Empty::AllowsNothing),
        forbidden_answer_keywords: forbidden_answer,
        require_v2_audit_closure: fields.switch("requireV2AuditClosure"),
        require_claim_checks: fields.switch("requireClaimChecks"),
        require_composer_output: fields.switch("requireComposerOutput"),
        expected_gatekeeper_statuses: names(fields, "expectedGatekeeperStatuses", Empty::AllowsNothing),
        expected_gatekeeper_rule_set_version: rule_set_version(fields).map(Text::from),
        expected_composer_statuses: names(fields, "expectedComposerStatuses", Empty::AllowsNothing),
        forbidden_confirmed_claim_keywords: forbidden_claim,
    };
    if let (true, Some(contradiction)) = (sound, contradiction(&asked)) {
        let member = fields.given("expectedRootCauseKeywords").expect("there are keywords to contradict");
        fields.fault(&member, contradiction);
    }
    asked
}

/// A list of keywords, distinct in their exact form; the first spelling is kept.
fn keywords(fields: &mut Fields<'_, '_>, name: &str) -> Vec<Text> {
    let mut seen = BTreeSet::new();
    let all = fields.list(name, Empty::AsksNothing);
    all.into_iter().filter(|keyword| seen.insert(exact(keyword).into_owned())).map(Text::from).collect()
}

/// A list of names, distinct as they stand.
fn names(fields: &mut Fields<'_, '_>, name: &str, empty: Empty) -> Vec<Text> {
    let mut seen = BTreeSet::new();
    fields.list(name, empty).into_iter().filter(|text| seen.insert(text.clone())).map(Text::from).collect()
}

/// The given minimum; `keywords` is how many distinct ones there are, where that is known.
fn minimum(fields: &mut Fields<'_, '_>, keywords: Option<usize>) -> Option<u64> {
    let member = fields.given("minKeywordMatches")?;
    let shape = member.value.shape();
    let Shape::Number(raw) = shape else {
        fields.fault(&member, format!("must be a number, but is {}", shape.words()));
        return None;
    };
    let fault = match (count(raw), keywords) {
        (Count::Negative, _) => format!("must not be negative, but is {raw}"),
        (Count::Fraction, _) => format!("must be a whole number, but is {raw}"),
        (Count::Whole(minimum), Some(keywords)) if minimum <= keywords as u64 => return Some(minimum),
        (Count::Whole(_) | Count::Huge, Some(keywords)) => {
            format!(
                "asks for {raw} of {keywords} distinct keywords in `expectedRootCauseKeywords`: no answer can pass"
            )
        }
        (Count::Whole(_) | Count::Huge, None) => return None,
    };
    fields.fault(&member, fault);
    None
}

fn rule_set_version(fields: &mut Fields<'_, '_>) -> Option<String> {
    let version = fields.string("expectedGatekeeperRuleSetVersion")?;
    if is_blank(&version) {
        let member = fields.given("expectedGatekeeperRuleSetVersion")?;
        fields.fault(&member, "must not be blank".to_owned());
        return None;
    }
    Some(version)
}

/// Why the minimum cannot be reached without a forbidden word, if so.
fn contradiction(asked: &Expectations) -> Option<String> {
    let forbidden: Vec<(&str, String, String)> = asked
        .forbidden_answer_keywords
        .iter()
        .chain(&asked.forbidden_confirmed_claim_keywords)
        .map(|word| (word.as_str(), exact(word).into_owned(), folded(word)))
        .collect();
    if forbidden.is_empty() {
        return None;
    }
    let mut lost = Vec::new();
    for keyword in &asked.expected_root_cause_keywords {
        let (plain, loose) = (exact(keyword), folded(keyword));
        let holds = |(_, exact, folded): &&(&str, String, String)| {
            plain.contains(exact.as_str()) || loose.contains(folded.as_str())
        };
        if let Some((word, _, _)) = forbidden.iter().find(holds) {
            lost.push(format!("`{}` holds the forbidden `{word}`", keyword.as_str()));
        }
    }
    let reachable = asked.expected_root_cause_keywords.len() - lost.len();
    (asked.minimum() > reachable as u64).then(|| {
        format!(
            "a contradiction: {}, so that at most {reachable} of the {} keywords asked for can match",
            lost.join(", "),
            asked.minimum()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_traces_folder() {
        for good in
            ["a.json", "a/b c.json", "订单/超时 1.json", "...", ".a", "a..b", "ab:c", "a/b:c", "1:x", " "]
        {
            assert_eq!(path_fault(good), None, "{good}");
        }
        for (bad, word) in [
            ("", "empty"),
            ("/a", "absolute"),
            ("c:a", "absolute"),
            ("C:/a", "absolute"),
            ("a\\b", "backslash"),
            ("\\\\host\\a", "backslash"),
            ("a/../b", "`..`"),
            ("..", "`..`"),
            ("./a", "`..`"),
            ("a/.", "`..`"),
            ("a//b", "part"),
            ("a/", "part"),
            ("a\0b", "control"),
            ("a\nb", "control"),
            ("a\u{85}b", "control"),
        ] {
            assert!(path_fault(bad).is_some_and(|fault| fault.contains(word)), "{}", bad.escape_debug());
        }
    }
}
