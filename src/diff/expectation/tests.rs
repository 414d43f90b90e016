//! Implication against a slow oracle that tries all small traces, and the table case by case.

use proptest::prelude::*;

use super::*;
use crate::diff::model::{self, Run, strings, texts};

/// Traces that differ from a good one in the part of one group of fields; the groups are independent.
fn traces(new: &Expectations) -> Vec<Run> {
    let tools = |mask: usize| -> Vec<&'static str> {
        ["logs", "metrics"]
            .into_iter()
            .enumerate()
            .filter(|(i, _)| mask >> i & 1 == 1)
            .map(|(_, t)| t)
            .collect()
    };
    let pick = |list: &[Text], items: &[&'static str]| {
        items.iter().copied().find(|item| list.is_empty() || list.iter().any(|allowed| allowed == item))
    };
    let perfect = Run {
        answer: model::KEYWORDS.join(" . "),
        tools: tools(3),
        verdict: pick(&new.allowed_verdicts, &["PASS", "LOW_CONFID"]),
        gatekeeper: Some((
            pick(&new.expected_gatekeeper_statuses, &["pass", "warn"]),
            if new.expected_gatekeeper_rule_set_version.as_deref() == Some("v2") {
                Some("v2")
            } else {
                Some("v1")
            },
        )),
        claim_checks: Some(1),
        composer: Some(pick(&new.expected_composer_statuses, &["valid", "fallback"])),
        ..Run::default()
    };
    let mut all = vec![perfect.clone()];
    for mask in 0..8_usize {
        let words = model::KEYWORDS.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
        let answer = words.map(|(_, word)| *word).collect::<Vec<_>>().join(" . ");
        all.push(Run { answer, ..perfect.clone() });
    }
    for mask in 0..16_usize {
        let words = model::FORBIDDEN.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
        let bad = words.map(|(_, word)| format!(" . {word}")).collect::<String>();
        all.push(Run { answer: format!("{}{bad}", perfect.answer), ..perfect.clone() });
    }
    all.extend((0..4).map(|mask| Run { tools: tools(mask), ..perfect.clone() }));
    all.extend(
        [None, Some("PASS"), Some("LOW_CONFID"), Some("ODD")]
            .map(|verdict| Run { verdict, ..perfect.clone() }),
    );
    all.extend(audits(&perfect));
    all
}

fn audits(perfect: &Run) -> Vec<Run> {
    let statuses = [None, Some("pass"), Some("warn"), Some("odd")];
    let versions = [None, Some("v1"), Some("v2"), Some("odd")];
    let mut gatekeepers = vec![None];
    gatekeepers
        .extend(statuses.iter().flat_map(|status| versions.iter().map(move |it| Some((*status, *it)))));
    let composers = [None, Some(None), Some(Some("valid")), Some(Some("fallback")), Some(Some("odd"))];
    let mut all = Vec::new();
    for gatekeeper in gatekeepers {
        for composer in composers {
            for claim_checks in [None, Some(0), Some(1)] {
                let run = Run { gatekeeper, composer, claim_checks, ..perfect.clone() };
                all.push(Run { answer: format!("{} claim_id", perfect.answer), ..run.clone() });
                all.push(Run { claimless: true, ..run.clone() });
                all.push(run);
            }
        }
    }
    all
}

fn implies_by_trying(new: &Expectations, old: &Expectations) -> bool {
    traces(new).iter().all(|run| !run.failed(new).is_empty() || run.failed(old).is_empty())
}

fn shift(old: &Expectations, new: &Expectations) -> Option<(Kind, Vec<String>)> {
    let run = model::good_run();
    let (before, after) = (run.result("a", old), run.result("a", new));
    find(Pair { before: &before, after: &after }).map(|finding| (finding.kind, finding.subjects))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn implication_is_what_trying_all_small_traces_says(old in model::definition(), new in model::definition()) {
        prop_assert_eq!(not_implied(&old, &new).is_empty(), implies_by_trying(&new, &old));
    }

}

proptest! {
    // The one that tries both ways to the end.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn one_edited_field_is_judged_by_what_trying_says(
        old in model::definition(), other in model::definition(), field in 0..11_usize,
    ) {
        let mut new = old.clone();
        match field {
            0 => {
                new.expected_root_cause_keywords = other.expected_root_cause_keywords;
                new.min_keyword_matches = other.min_keyword_matches;
            }
            1 => new.required_evidence_tools = other.required_evidence_tools,
            2 => new.allowed_verdicts = other.allowed_verdicts,
            3 => new.forbidden_answer_keywords = other.forbidden_answer_keywords,
            4 => new.require_v2_audit_closure = other.require_v2_audit_closure,
            5 => new.require_claim_checks = other.require_claim_checks,
            6 => new.require_composer_output = other.require_composer_output,
            7 => new.expected_gatekeeper_statuses = other.expected_gatekeeper_statuses,
            8 => new.expected_gatekeeper_rule_set_version = other.expected_gatekeeper_rule_set_version,
            9 => new.expected_composer_statuses = other.expected_composer_statuses,
            _ => new.forbidden_confirmed_claim_keywords = other.forbidden_confirmed_claim_keywords,
        }
        let expected = match (implies_by_trying(&new, &old), implies_by_trying(&old, &new)) {
            (false, _) => Some(Kind::ExpectationWeakened),
            (true, false) => Some(Kind::ExpectationTightened),
            (true, true) => None,
        };
        prop_assert_eq!(shift(&old, &new).map(|(kind, _)| kind), expected);
    }
}

fn words(keywords: &[&str], minimum: u64) -> Expectations {
    Expectations {
        expected_root_cause_keywords: texts(keywords),
        min_keyword_matches: (!keywords.is_empty()).then_some(minimum),
        ..Expectations::default()
    }
}

fn forbidden(answer: &[&str], claims: &[&str]) -> Expectations {
    Expectations {
        forbidden_answer_keywords: texts(answer),
        forbidden_confirmed_claim_keywords: texts(claims),
        ..Expectations::default()
    }
}

const WEAKER: Kind = Kind::ExpectationWeakened;
const TIGHTER: Kind = Kind::ExpectationTightened;

#[track_caller]
fn expect(old: &Expectations, new: &Expectations, expected: Option<(Kind, &[&str])>) {
    assert_eq!(shift(old, new), expected.map(|(kind, fields)| (kind, strings(fields))));
}

#[test]
fn keywords_are_the_same_in_exact_form_and_their_order_says_nothing() {
    expect(&words(&["e\u{301}", "b"], 1), &words(&["b", "é"], 1), None);
    expect(&words(&["a", "b"], 0), &words(&["c"], 0), None);
    expect(&words(&["a"], 0), &words(&[], 0), None);
    expect(&words(&["A"], 1), &words(&["a"], 1), Some((WEAKER, &["expectedRootCauseKeywords"])));
    expect(&words(&["b", "a"], 2), &words(&["a", "b"], 1), Some((WEAKER, &["minKeywordMatches"])));
}

#[test]
fn newcomers_among_the_keywords_count_against_the_minimum() {
    let both: &[&str] = &["expectedRootCauseKeywords", "minKeywordMatches"];
    expect(&words(&["a", "b"], 2), &words(&["a", "b", "c"], 3), Some((TIGHTER, both)));
    expect(&words(&["a"], 1), &words(&["a", "b", "c"], 2), Some((WEAKER, both)));
    expect(&words(&["a", "b", "c"], 1), &words(&["a", "b"], 1), Some((TIGHTER, &both[..1])));
}

#[test]
fn forbidden_words_are_matched_loosely_and_both_lists_count_together() {
    let (answer, claims) = ("forbiddenAnswerKeywords", "forbiddenConfirmedClaimKeywords");
    expect(&forbidden(&["故障"], &[]), &forbidden(&[], &["故障"]), None);
    expect(&forbidden(&["OOPS"], &[]), &forbidden(&["ｏｏｐｓ"], &[]), None);
    expect(&forbidden(&["oops\u{200b}!"], &[]), &forbidden(&["OOPS"], &[]), Some((TIGHTER, &[answer])));
    expect(
        &forbidden(&["x", "主库故障"], &["x"]),
        &forbidden(&["故障"], &[]),
        Some((WEAKER, &[answer, claims])),
    );
    expect(&forbidden(&["y"], &["x"]), &forbidden(&["y", "z"], &[]), Some((WEAKER, &[claims])));
}

#[test]
fn a_blank_word_covers_nothing() {
    expect(
        &forbidden(&["x"], &[]),
        &forbidden(&["\u{200b}", ""], &[]),
        Some((WEAKER, &["forbiddenAnswerKeywords"])),
    );
}

#[test]
fn composer_output_is_demanded_by_other_fields_too() {
    let composer = Expectations { require_composer_output: true, ..Expectations::default() };
    let v2 = Expectations { require_v2_audit_closure: true, ..Expectations::default() };
    let statuses = Expectations { expected_composer_statuses: texts(&["valid"]), ..Expectations::default() };
    expect(&composer, &v2, Some((TIGHTER, &["requireV2AuditClosure"])));
    expect(&composer, &statuses, Some((TIGHTER, &["expectedComposerStatuses"])));
    let both = Expectations { require_composer_output: true, ..v2.clone() };
    expect(&both, &v2, None);
    expect(&v2, &both, None);
    expect(&composer, &Expectations::default(), Some((WEAKER, &["requireComposerOutput"])));
}

#[test]
fn a_list_of_what_is_allowed_that_goes_allows_anything() {
    let limited = Expectations { allowed_verdicts: texts(&["PASS"]), ..Expectations::default() };
    let wider = Expectations { allowed_verdicts: texts(&["PASS", "LOW"]), ..Expectations::default() };
    expect(&limited, &Expectations::default(), Some((WEAKER, &["allowedVerdicts"])));
    expect(&limited, &wider, Some((WEAKER, &["allowedVerdicts"])));
    expect(&wider, &limited, Some((TIGHTER, &["allowedVerdicts"])));
    expect(&Expectations::default(), &wider, Some((TIGHTER, &["allowedVerdicts"])));
}
