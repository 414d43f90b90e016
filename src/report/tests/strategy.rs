//! Reports of any shape that an evaluation can give.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::super::{Evaluator, Origin, Report, SourceState};
use crate::evaluate::{CaseResult, CheckName, FailedCheck, FailedChecks};
use crate::ids::{CaseId, Digest, Name, ObjectId};
use crate::number::Number;
use crate::suite::{Expectations, ExpectedForm, Matching};
use crate::text::Text;

/// Any text, with what is hard to quote among it.
pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z]{0,6}",
        Just("\u{0}\u{1f}\u{7f}\"\\/\u{2028}".to_owned()),
        Just("超时 🦀\r\n".to_owned()),
    ]
}

fn shared() -> impl Strategy<Value = Text> {
    text().prop_map(Text::from)
}

/// Distinct texts, in no order.
fn distinct() -> impl Strategy<Value = Vec<Text>> {
    vec(shared(), 0..4).prop_map(|texts| {
        let mut seen = BTreeSet::new();
        texts.into_iter().filter(|text| seen.insert(text.clone())).collect()
    })
}

pub(super) fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<u64>().prop_map(Number::Int),
        (0..f64::INFINITY.to_bits()).prop_map(|bits| Number::Float(f64::from_bits(bits))),
        (0_u32..100_000).prop_map(|integer| Number::Float(f64::from(integer))),
        (0.0..1e6).prop_map(Number::Float),
    ]
}

fn object_id() -> impl Strategy<Value = ObjectId> {
    prop_oneof!["[0-9a-f]{40}", "[0-9a-f]{64}"].prop_map(|hex| ObjectId::parse(&hex).unwrap())
}

fn expectations() -> impl Strategy<Value = Expectations> {
    let lists = (distinct(), distinct(), distinct(), distinct(), distinct(), distinct(), distinct());
    (lists, any::<[bool; 3]>(), option::of(shared()), any::<prop::sample::Index>()).prop_map(
        |((keywords, tools, verdicts, words, gatekeeper, composer, claims), switches, version, minimum)| {
            Expectations {
                min_keyword_matches: (!keywords.is_empty()).then(|| minimum.index(keywords.len() + 1) as u64),
                expected_root_cause_keywords: keywords,
                required_evidence_tools: tools,
                allowed_verdicts: verdicts,
                forbidden_answer_keywords: words,
                require_v2_audit_closure: switches[0],
                require_claim_checks: switches[1],
                require_composer_output: switches[2],
                expected_gatekeeper_statuses: gatekeeper,
                expected_gatekeeper_rule_set_version: version,
                expected_composer_statuses: composer,
                forbidden_confirmed_claim_keywords: claims,
            }
        },
    )
}

fn failed_checks() -> impl Strategy<Value = Vec<FailedCheck>> {
    prop::sample::subsequence(CheckName::ALL, 0..4).prop_flat_map(|checks| {
        checks
            .into_iter()
            .map(|check| {
                (text(), vec(text(), 0..3)).prop_map(move |(message, subjects)| FailedCheck {
                    check,
                    message,
                    subjects,
                })
            })
            .collect::<Vec<_>>()
    })
}

/// The result of some case; its id is given later.
fn result() -> impl Strategy<Value = CaseResult> {
    let texts =
        (shared(), option::of(shared()), option::of(shared()), option::of(shared()), option::of(shared()));
    let numbers = (any::<u64>(), 0_u64..50, option::of(number()));
    (expectations(), failed_checks(), texts, numbers, option::of(object_id()), any::<[u64; 2]>()).prop_map(
        |(expectations, checks, texts, (claims, calls, duration_ms), trace_id, bits)| {
            let matched = chosen(&expectations.expected_root_cause_keywords, bits[0]);
            let covered = chosen(&expectations.required_evidence_tools, bits[1]);
            let tools = expectations.required_evidence_tools.iter().cloned();
            CaseResult {
                case_id: CaseId::new("to be named"),
                title: texts.0,
                passed: checks.is_empty(),
                failed_checks: FailedChecks::Checks(checks),
                verdict: texts.1,
                matched_keyword_count: Some(matched.len() as u64),
                required_keyword_count: Some(expectations.expected_root_cause_keywords.len() as u64),
                matched_keywords: Some(matched),
                evidence_coverage: tools.map(|tool| (tool.clone(), covered.contains(&tool))).collect(),
                gatekeeper_status: Some(texts.2),
                gatekeeper_rule_set_version: Some(texts.3),
                composer_status: Some(texts.4),
                claim_check_count: Some(claims),
                tool_call_count: Some(calls),
                duration_ms,
                case_digest: Some(expectations.digest()),
                expectations: Some(expectations.into()),
                trace_id,
            }
        },
    )
}

fn chosen(texts: &[Text], bits: u64) -> Vec<Text> {
    texts
        .iter()
        .enumerate()
        .filter(|(index, _)| bits >> index & 1 == 1)
        .map(|(_, text)| text.clone())
        .collect()
}

pub(super) fn results() -> impl Strategy<Value = Vec<CaseResult>> {
    let named = vec(("[a-zA-Z0-9 .故障\"\\\\-]{0,8}", result()), 1..6);
    named.prop_map(|results| {
        let name = |(index, (id, result)): (usize, (String, CaseResult))| CaseResult {
            // The index in the middle: distinct, and in no order of bytes.
            case_id: CaseId::new(format!("{id}#{index}")),
            ..result
        };
        results.into_iter().enumerate().map(name).collect()
    })
}

fn origin() -> impl Strategy<Value = Origin> {
    let source = (option::of(object_id()), any::<bool>());
    let matching = (any::<bool>(), vec(text(), 0..3));
    ("[a-z][a-z0-9-]{0,8}", source, text(), matching, "[0-9a-f]{64}").prop_map(
        |(suite, (commit, dirty), rules_version, (is_folded, protocol_markers), digest)| Origin {
            suite: Name::parse(&suite).unwrap(),
            source: SourceState { commit, dirty },
            evaluator: Evaluator {
                rules_version,
                matching: Matching {
                    expected: if is_folded { ExpectedForm::Folded } else { ExpectedForm::Exact },
                    protocol_markers,
                },
            },
            suite_digest: Digest::parse(&digest).unwrap(),
        },
    )
}

pub(in crate::report) fn report() -> impl Strategy<Value = Report> {
    (origin(), results()).prop_map(|(origin, results)| Report::new(Some(origin), results))
}

/// A report as the older harness would write it: each result lacks some fields.
pub(super) fn imported() -> impl Strategy<Value = Report> {
    (results(), vec((any::<[bool; 12]>(), vec(text(), 1..3)), 6)).prop_map(|(mut results, lacks)| {
        for (result, (lack, texts)) in results.iter_mut().zip(lacks) {
            strip(result, lack, texts);
        }
        Report::new(None, results)
    })
}

fn strip(result: &mut CaseResult, lack: [bool; 12], texts: Vec<String>) {
    fn drop_if<T>(field: &mut Option<T>, lacks: bool) {
        if lacks {
            *field = None;
        }
    }
    if lack[0] {
        result.failed_checks = FailedChecks::Plain(if result.passed { Vec::new() } else { texts });
    }
    // A list that is empty does not say of which kind it is.
    if result.failed_checks.is_empty() {
        result.failed_checks = FailedChecks::Plain(Vec::new());
        result.passed = result.passed && !lack[11];
    }
    drop_if(&mut result.matched_keyword_count, lack[1]);
    drop_if(&mut result.required_keyword_count, lack[2]);
    drop_if(&mut result.matched_keywords, lack[3]);
    drop_if(&mut result.gatekeeper_status, lack[4]);
    drop_if(&mut result.gatekeeper_rule_set_version, lack[5]);
    drop_if(&mut result.composer_status, lack[6]);
    drop_if(&mut result.claim_check_count, lack[7]);
    drop_if(&mut result.tool_call_count, lack[8]);
    drop_if(&mut result.expectations, lack[9]);
    drop_if(&mut result.case_digest, lack[10]);
    drop_if(&mut result.trace_id, lack[11]);
}
