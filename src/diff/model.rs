//! For tests: a small model of traces and checks, from which reports are made that agree with the rules.

use std::sync::Arc;

use proptest::prelude::*;

use crate::evaluate::{CaseResult, CheckName, FailedCheck, FailedChecks};
use crate::ids::{CaseId, Digest, HashKind, Name, ObjectId};
use crate::number::Number;
use crate::report::{Evaluator, Origin, Report, SourceState};
use crate::suite::{Expectations, Matching, text};
use crate::text::Text;

/// What one agent run left behind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// Why there is no trace to judge.
    pub(crate) fault: Option<&'static str>,
    pub(crate) answer: String,
    pub(crate) tools: Vec<&'static str>,
    pub(crate) verdict: Option<&'static str>,
    pub(crate) gatekeeper: Option<(Option<&'static str>, Option<&'static str>)>,
    pub(crate) claim_checks: Option<u64>,
    pub(crate) composer: Option<Option<&'static str>>,
    /// Whether the Executor's structured output stands without `claims`.
    pub(crate) claimless: bool,
    pub(crate) calls: u64,
    pub(crate) duration: Option<f64>,
}

pub(crate) fn texts(items: &[&str]) -> Vec<Text> {
    items.iter().copied().map(Text::from).collect()
}

pub(crate) fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

/// A run that does all that the cases of these tests can ask.
pub(crate) fn good_run() -> Run {
    Run {
        answer: "超时 证据 ok".to_owned(),
        tools: vec!["logs", "metrics"],
        verdict: Some("PASS"),
        gatekeeper: Some((Some("pass"), Some("v1"))),
        claim_checks: Some(2),
        composer: Some(Some("valid")),
        calls: 2,
        duration: Some(1000.0),
        ..Run::default()
    }
}

fn holds(answer: &str, word: &str) -> bool {
    text::exact(answer).contains(text::exact(word).as_ref())
        || text::folded(answer).contains(&text::folded(word))
}

impl Run {
    /// The checks of evaluation.md section 4, over this model.
    pub(crate) fn failed(&self, asked: &Expectations) -> Vec<FailedCheck> {
        if let Some(fault) = self.fault {
            return vec![failed(CheckName::Trace, vec![fault.to_owned()])];
        }
        let mut all = Vec::new();
        let mut note = |check, fails: bool, subjects: Vec<String>| {
            if fails {
                all.push(failed(check, subjects));
            }
        };
        let found = |value: Option<&str>| value.map(str::to_owned).into_iter().collect::<Vec<_>>();
        let words = |list: &[Text], wanted: bool| -> Vec<String> {
            list.iter()
                .filter(|word| holds(&self.answer, word) == wanted)
                .cloned()
                .map(String::from)
                .collect()
        };
        let keywords = &asked.expected_root_cause_keywords;
        let matched = self.matched(asked).len() as u64;
        let absent = keywords.iter().filter(|word| !self.answer.contains(word.as_str()));
        let absent = absent.cloned().map(String::from).collect();
        note(CheckName::RootCauseKeywords, matched < asked.minimum(), absent);
        let tools: Vec<String> = asked
            .required_evidence_tools
            .iter()
            .filter(|tool| !self.tools.contains(&tool.as_str()))
            .cloned()
            .map(String::from)
            .collect();
        note(CheckName::EvidenceTools, !tools.is_empty(), tools);
        note(CheckName::Verdict, !allows(&asked.allowed_verdicts, self.verdict, false), found(self.verdict));
        let forbidden = words(&asked.forbidden_answer_keywords, true);
        note(CheckName::ForbiddenAnswer, !forbidden.is_empty(), forbidden);
        let v2 = asked.require_v2_audit_closure;
        let missing: Vec<String> = [
            ("gatekeeper_result", self.gatekeeper.is_none()),
            ("claim_checks", self.claim_checks.is_none()),
            ("composer_output", self.composer.is_none()),
        ]
        .into_iter()
        .filter(|(_, missing)| *missing)
        .map(|(name, _)| name.to_owned())
        .collect();
        note(CheckName::AuditClosure, v2 && !missing.is_empty(), missing);
        let no_claims = self.claim_checks.unwrap_or(0) == 0;
        note(CheckName::ClaimChecks, asked.require_claim_checks && no_claims, strings(&["empty"]));
        let composer = match self.composer {
            None => asked.require_composer_output.then_some("missing"),
            Some(None) => (v2 || asked.require_composer_output).then_some("status"),
            Some(Some(_)) => None,
        };
        note(CheckName::ComposerOutput, composer.is_some(), found(composer));
        let status = self.gatekeeper.and_then(|(status, _)| status);
        let allowed = allows(&asked.expected_gatekeeper_statuses, status, true);
        note(CheckName::GatekeeperStatus, !allowed, found(status));
        let version = self.gatekeeper.and_then(|(_, version)| version);
        let expected = asked.expected_gatekeeper_rule_set_version.as_deref();
        note(CheckName::GatekeeperRuleSet, expected.is_some() && expected != version, found(version));
        let status = self.composer.flatten();
        let allowed = allows(&asked.expected_composer_statuses, status, true);
        note(CheckName::ComposerStatus, !allowed, found(status));
        note(CheckName::EvidenceBindings, v2 && self.claimless, strings(&["claims"]));
        let fallback = status.is_some_and(|status| status != "valid");
        let leaks: Vec<String> = ["answer_version", "claim_id"]
            .into_iter()
            .filter(|it| self.answer.contains(it))
            .map(str::to_owned)
            .collect();
        note(CheckName::ProtocolLeak, (v2 || fallback) && !leaks.is_empty(), leaks);
        let claims = words(&asked.forbidden_confirmed_claim_keywords, true);
        note(CheckName::ForbiddenClaim, !claims.is_empty(), claims);
        all
    }

    fn matched(&self, asked: &Expectations) -> Vec<Text> {
        let matched = |word: &&Text| text::exact(&self.answer).contains(text::exact(word).as_ref());
        asked.expected_root_cause_keywords.iter().filter(matched).cloned().collect()
    }

    /// The result of a case with this id and definition.
    pub(crate) fn result(&self, id: &str, asked: &Expectations) -> CaseResult {
        let failed_checks = self.failed(asked);
        let readable = self.fault.is_none();
        let status = |value: Option<&str>| Some(value.filter(|_| readable).map(Text::from));
        let matched = if readable { self.matched(asked) } else { Vec::new() };
        let bytes = format!("{self:?}");
        CaseResult {
            case_id: CaseId::new(id),
            title: format!("case {id}").into(),
            passed: failed_checks.is_empty(),
            failed_checks: FailedChecks::Checks(failed_checks),
            verdict: self.verdict.filter(|_| readable).map(Text::from),
            matched_keyword_count: Some(matched.len() as u64),
            required_keyword_count: Some(asked.expected_root_cause_keywords.len() as u64),
            matched_keywords: Some(matched),
            evidence_coverage: asked
                .required_evidence_tools
                .iter()
                .map(|tool| (tool.clone(), readable && self.tools.contains(&tool.as_str())))
                .collect(),
            gatekeeper_status: status(self.gatekeeper.and_then(|(status, _)| status)),
            gatekeeper_rule_set_version: status(self.gatekeeper.and_then(|(_, version)| version)),
            composer_status: status(self.composer.flatten()),
            claim_check_count: Some(self.claim_checks.filter(|_| readable).unwrap_or(0)),
            tool_call_count: Some(if readable { self.calls } else { 0 }),
            duration_ms: self.duration.filter(|_| readable).map(Number::Float),
            expectations: Some(Arc::new(asked.clone())),
            case_digest: Some(asked.digest()),
            trace_id: (self.fault != Some("missing"))
                .then(|| ObjectId::of_blob(HashKind::Sha1, bytes.as_bytes())),
        }
    }
}

fn failed(check: CheckName, subjects: Vec<String>) -> FailedCheck {
    FailedCheck { check, message: format!("{} fails", check.as_str()), subjects }
}

/// An empty list allows anything that stands, and `or_missing` says whether nothing may stand too.
fn allows(list: &[Text], value: Option<&str>, or_missing: bool) -> bool {
    match value {
        None => list.is_empty() && or_missing,
        Some(value) => list.is_empty() || list.iter().any(|allowed| allowed == value),
    }
}

/// A report of these results.
pub(crate) fn report(results: Vec<CaseResult>) -> Report {
    let evaluator = Evaluator { rules_version: "1".to_owned(), matching: Matching::default() };
    let mut content: Vec<String> = results
        .iter()
        .map(|result| format!("{:?} {:?} {:?}", result.case_id, result.case_digest, result.trace_id))
        .collect();
    content.sort();
    let origin = Origin {
        suite: Name::parse("default").unwrap(),
        source: SourceState { commit: None, dirty: false },
        evaluator,
        suite_digest: Digest::of(content.concat().as_bytes()),
    };
    Report::new(Some(origin), results)
}

/// The same report as the older harness would have written it.
pub(crate) fn imported(report: &Report) -> Report {
    let results = report
        .results
        .iter()
        .map(|result| CaseResult {
            failed_checks: FailedChecks::Plain(strings(&result.failed_checks.names())),
            matched_keywords: None,
            expectations: None,
            case_digest: None,
            trace_id: None,
            ..result.clone()
        })
        .collect();
    Report::new(None, results)
}

/// Some items of a small alphabet, in its order.
fn some(items: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    prop::sample::subsequence(items, 0..=items.len())
}

fn owned(items: &'static [&'static str]) -> impl Strategy<Value = Vec<Text>> {
    some(items).prop_map(|items| texts(&items))
}

pub(crate) const KEYWORDS: &[&str] = &["超时", "证据", "k3"];
pub(crate) const FORBIDDEN: &[&str] = &["故障", "主库故障", "ＯＯＰＳ", "oops!"];

/// A definition over small alphabets.
pub(crate) fn definition() -> impl Strategy<Value = Expectations> {
    let lists = (
        owned(KEYWORDS),
        0..4_u64,
        owned(&["logs", "metrics"]),
        owned(&["PASS", "LOW_CONFID"]),
        owned(FORBIDDEN),
        owned(FORBIDDEN),
    );
    let audit = (
        prop::array::uniform3(prop::bool::weighted(0.3)),
        owned(&["pass", "warn"]),
        prop::option::of(prop::sample::select(vec!["v1", "v2"])),
        owned(&["valid", "fallback"]),
    );
    (lists, audit).prop_map(
        |((words, least, tools, verdicts, answer, claims), (switches, gate, rules, composer))| Expectations {
            min_keyword_matches: (!words.is_empty()).then(|| least.min(words.len() as u64)),
            expected_root_cause_keywords: words,
            required_evidence_tools: tools,
            allowed_verdicts: verdicts,
            forbidden_answer_keywords: answer,
            require_v2_audit_closure: switches[0],
            require_claim_checks: switches[1],
            require_composer_output: switches[2],
            expected_gatekeeper_statuses: gate,
            expected_gatekeeper_rule_set_version: rules.map(Text::from),
            expected_composer_statuses: composer,
            forbidden_confirmed_claim_keywords: claims,
        },
    )
}

/// A run over small alphabets.
pub(crate) fn run() -> impl Strategy<Value = Run> {
    let fault = prop_oneof![9 => Just(None), 1 => Just(Some("missing")), 1 => Just(Some("unreadable"))];
    let answer = (some(KEYWORDS), some(FORBIDDEN), some(&["claim_id", "answer_version"]))
        .prop_map(|(words, bad, leaks)| [words, bad, leaks].concat().join(" . "));
    let one_of = |items: Vec<&'static str>| prop::option::of(prop::sample::select(items));
    let audit = (
        prop::option::of((one_of(vec!["pass", "warn", "odd"]), one_of(vec!["v1", "v2"]))),
        prop::option::of(0..3_u64),
        prop::option::of(one_of(vec!["valid", "fallback", "odd"])),
    );
    let numbers = (
        prop::bool::weighted(0.2),
        0..12_u64,
        prop::option::of((0..40_u32).prop_map(|tenths| f64::from(tenths) * 250.1)),
    );
    (fault, answer, some(&["logs", "metrics"]), one_of(vec!["PASS", "LOW_CONFID", "ODD"]), audit, numbers)
        .prop_map(
            |(
                fault,
                answer,
                tools,
                verdict,
                (gatekeeper, claim_checks, composer),
                (claimless, calls, duration),
            )| Run {
                fault,
                answer,
                tools,
                verdict,
                gatekeeper,
                claim_checks,
                composer,
                claimless,
                calls,
                duration,
            },
        )
}

/// Two reports that share some cases, definitions and traces, as two revisions of a suite do.
pub(crate) fn two_reports() -> impl Strategy<Value = (Report, Report)> {
    let pools = (prop::collection::vec(definition(), 2..4), prop::collection::vec(run(), 2..4));
    let ids = ["a", "b", "c", "d", "e"];
    let picks = || {
        prop::sample::subsequence(ids.to_vec(), 1..=5).prop_flat_map(|ids| {
            let places = prop::collection::vec((0..4_usize, 0..4_usize), ids.len());
            (Just(ids).prop_shuffle(), places)
        })
    };
    (pools, picks(), picks()).prop_map(|((definitions, runs), before, after)| {
        let side = |(ids, places): (Vec<&str>, Vec<(usize, usize)>)| {
            let result = |(id, (asked, run)): (&str, (usize, usize))| {
                runs[run % runs.len()].result(id, &definitions[asked % definitions.len()])
            };
            report(ids.into_iter().zip(places).map(result).collect())
        };
        (side(before), side(after))
    })
}
