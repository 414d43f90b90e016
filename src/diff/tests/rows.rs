//! Rows of the tables where their wording decides.

use crate::diff::model::{Run, good_run, imported, report, strings, texts};
use crate::diff::{Diff, Entry, Refusal, Severity, Value, diff};
use crate::evaluate::{CaseResult, CheckName, FailedChecks};
use crate::ids::{CaseId, HashKind, Name, ObjectId};
use crate::kind::Kind;
use crate::number::Number;
use crate::report::Report;
use crate::suite::Expectations;
use crate::suite::config::Thresholds;

fn of(baseline: &Report, current: &Report) -> Diff {
    diff(baseline, current, &Thresholds::default()).unwrap()
}

fn one(before: CaseResult, after: CaseResult) -> Vec<Entry> {
    let entries = of(&report(vec![before]), &report(vec![after])).entries;
    entries.into_iter().filter(|entry| entry.case_id.is_some()).collect()
}

fn asked() -> Expectations {
    Expectations {
        expected_root_cause_keywords: texts(&["超时", "证据"]),
        min_keyword_matches: Some(1),
        required_evidence_tools: texts(&["logs", "metrics"]),
        forbidden_answer_keywords: texts(&["故障", "oops"]),
        ..Expectations::default()
    }
}

fn kinds(entries: &[Entry]) -> Vec<Kind> {
    entries.iter().map(|entry| entry.kind).collect()
}

#[track_caller]
fn only(entries: &[Entry], kind: Kind) -> &Entry {
    let found: Vec<&Entry> = entries.iter().filter(|entry| entry.kind == kind).collect();
    assert_eq!(found.len(), 1, "{:?}", kinds(entries));
    found[0]
}

fn json(value: &Value) -> String {
    serde_json::to_string(value).unwrap()
}

#[test]
fn reports_of_two_suites_are_refused_but_an_imported_one_names_none() {
    let here = report(vec![good_run().result("a", &asked())]);
    let mut there = here.clone();
    there.origin.as_mut().unwrap().suite = Name::parse("other").unwrap();
    let refused = diff(&here, &there, &Thresholds::default()).unwrap_err();
    let (baseline, current) = (Name::parse("default").unwrap(), Name::parse("other").unwrap());
    assert_eq!(refused, Refusal::OtherSuite { baseline, current });
    assert!(diff(&imported(&here), &there, &Thresholds::default()).is_ok());
}

#[test]
fn no_case_in_common_is_refused_but_a_renamed_one_is_common() {
    let run = good_run();
    let other = Run { calls: 9, ..good_run() };
    let one = report(vec![run.result("a", &asked())]);
    let refused = diff(&one, &report(vec![other.result("b", &asked())]), &Thresholds::default());
    assert_eq!(refused.unwrap_err(), Refusal::NothingInCommon);
    let entries = of(&one, &report(vec![run.result("b", &asked())])).entries;
    assert_eq!(kinds(&entries), [Kind::CaseRenamed]);
}

#[test]
fn several_candidates_for_a_renaming_pair_in_order() {
    let run = good_run();
    let results = |ids: &[&str]| report(ids.iter().map(|id| run.result(id, &asked())).collect());
    let entries = of(&results(&["a", "b", "same"]), &results(&["same", "y", "x", "z"])).entries;
    let told: Vec<_> = entries
        .iter()
        .map(|it| (it.kind, it.case_id.as_ref().unwrap().as_str(), json(&it.before), json(&it.after)))
        .collect();
    assert_eq!(
        told,
        [
            (Kind::CaseRenamed, "y", "\"a\"".to_owned(), "\"y\"".to_owned()),
            (Kind::CaseRenamed, "x", "\"b\"".to_owned(), "\"x\"".to_owned()),
            (Kind::CaseAdded, "z", "null".to_owned(), "true".to_owned()),
        ]
    );
}

#[test]
fn a_case_without_trace_id_is_never_renamed() {
    let run = Run { fault: Some("missing"), ..good_run() };
    let common = good_run().result("same", &asked());
    let before = report(vec![common.clone(), run.result("a", &asked())]);
    let after = report(vec![common, run.result("b", &asked())]);
    let entries = of(&before, &after).entries;
    assert_eq!(kinds(&entries), [Kind::CaseUnjudged, Kind::CaseAdded, Kind::CaseRemoved]);
    assert_eq!(entries[1].severity, Severity::Regression);
    assert_eq!(entries[1].subjects, ["trace"]);
}

#[test]
fn a_renamed_pair_is_compared_under_the_new_id() {
    let mut before = good_run().result("old", &asked());
    let after = good_run().result("new", &asked());
    before.passed = false;
    before.failed_checks = FailedChecks::Checks(vec![crate::evaluate::FailedCheck {
        check: CheckName::Answer,
        message: String::new(),
        subjects: Vec::new(),
    }]);
    let diff = of(&report(vec![before]), &report(vec![after]));
    assert_eq!(kinds(&diff.entries), [Kind::PassRateRose, Kind::CaseFixed, Kind::CaseRenamed]);
    assert!(diff.entries[1..].iter().all(|it| it.case_id.as_ref().unwrap().as_str() == "new"));
    assert_eq!(diff.like_for_like.current_passed, 1);
}

#[test]
fn checks_are_lost_and_recovered_by_name_or_by_word() {
    let before = Run { answer: "故障 only".to_owned(), tools: vec!["logs"], ..good_run() };
    let after = Run { answer: "oops 超时".to_owned(), verdict: None, tools: vec!["logs"], ..good_run() };
    let entries = one(before.result("a", &asked()), after.result("a", &asked()));
    let lost = only(&entries, Kind::ChecksLost);
    assert_eq!(lost.subjects, ["verdict", "forbidden-answer:oops"]);
    let recovered = only(&entries, Kind::ChecksRecovered);
    assert_eq!(recovered.subjects, ["root-cause-keywords", "forbidden-answer:故障"]);
}

#[test]
fn a_word_that_one_definition_lists_alone_is_no_lost_check() {
    let newer = Expectations { forbidden_answer_keywords: texts(&["oops", "new", "e\u{301}"]), ..asked() };
    let older = Expectations { forbidden_answer_keywords: texts(&["oops", "é"]), ..asked() };
    let before = Run { answer: "oops 超时".into(), ..good_run() }.result("a", &older);
    let after = Run { answer: "oops new é 超时".to_owned(), ..good_run() }.result("a", &newer);
    let entries = one(before, after);
    assert_eq!(only(&entries, Kind::ChecksLost).subjects, ["forbidden-answer:e\u{301}"]);
}

#[test]
fn a_check_that_one_definition_does_not_ask_is_neither_lost_nor_recovered() {
    let quiet = Expectations { min_keyword_matches: Some(0), ..asked() };
    let bad = Run { answer: "oops".to_owned(), ..good_run() };
    let entries = one(bad.result("a", &quiet), bad.result("a", &asked()));
    assert_eq!(kinds(&entries), [Kind::ExpectationTightened]);
    let entries = one(bad.result("a", &asked()), bad.result("a", &quiet));
    assert_eq!(kinds(&entries), [Kind::ExpectationWeakened]);
}

#[test]
fn subjects_of_other_checks_are_not_compared() {
    let strict = Expectations { allowed_verdicts: texts(&["PASS"]), ..asked() };
    let before = Run { verdict: Some("LOW"), tools: vec!["logs"], ..good_run() };
    let after = Run { verdict: Some("FAIL"), tools: vec!["metrics"], ..good_run() };
    let entries = one(before.result("a", &strict), after.result("a", &strict));
    assert_eq!(kinds(&entries), [Kind::EvidenceLost, Kind::EvidenceGained, Kind::VerdictChanged]);
}

#[test]
fn where_a_trace_cannot_be_judged_nothing_that_is_read_from_it_is_compared() {
    let gone = Run { fault: Some("unreadable"), ..good_run() };
    let bad =
        Run { answer: "oops 超时 证据".to_owned(), calls: 90, duration: Some(90_000.0), ..good_run() };
    let entries = one(bad.result("a", &asked()), gone.result("a", &asked()));
    assert_eq!(kinds(&entries), [Kind::ChecksLost, Kind::VerdictWorsened, Kind::CaseUnjudged]);
    assert_eq!(entries[0].subjects, ["trace"]);
    let entries = one(gone.result("a", &asked()), bad.result("a", &asked()));
    assert_eq!(kinds(&entries), [Kind::ChecksRecovered, Kind::VerdictImproved]);
    assert_eq!(entries[0].subjects, ["trace"]);
    let diff = of(&report(vec![bad.result("a", &asked())]), &report(vec![gone.result("a", &asked())]));
    assert!(!kinds(&diff.entries).contains(&Kind::AverageDurationFell));
}

#[test]
fn two_faults_of_one_trace_are_no_lost_check() {
    let missing = Run { fault: Some("missing"), ..good_run() };
    let unreadable = Run { fault: Some("unreadable"), ..good_run() };
    let entries = one(missing.result("a", &asked()), unreadable.result("a", &asked()));
    assert_eq!(kinds(&entries), [Kind::CaseUnjudged]);
    assert_eq!(json(&entries[0].after), "\"unreadable\"");
    assert_eq!(entries[0].cause.unwrap().as_str(), "trace");
}

#[test]
fn keywords_listed_on_one_side_alone_are_not_compared() {
    let older =
        Expectations { expected_root_cause_keywords: texts(&["e\u{301}", "超时", "old"]), ..asked() };
    let newer = Expectations { expected_root_cause_keywords: texts(&["new", "超时", "é"]), ..asked() };
    let before = Run { answer: "é 超时 old".into(), ..good_run() }.result("a", &older);
    let after = Run { answer: "new".to_owned(), ..good_run() }.result("a", &newer);
    let entries = one(before, after);
    let lost = only(&entries, Kind::KeywordsLost);
    assert_eq!(lost.subjects, ["超时", "é"]);
    assert_eq!((json(&lost.before), json(&lost.after)), ("2".to_owned(), "0".to_owned()));
    assert!(!kinds(&entries).contains(&Kind::KeywordsGained));
}

#[test]
fn without_the_list_of_keywords_the_counts_are_compared_where_both_ask_for_as_many() {
    let before = report(vec![good_run().result("a", &asked())]);
    let after = report(vec![Run { answer: "超时".to_owned(), ..good_run() }.result("a", &asked())]);
    let diff = of(&imported(&before), &after);
    let lost = only(&diff.entries, Kind::KeywordsLost);
    assert!(lost.subjects.is_empty());
    assert_eq!((json(&lost.before), json(&lost.after)), ("2".to_owned(), "1".to_owned()));
    let mut more = imported(&before);
    more.results[0].required_keyword_count = Some(3);
    assert!(!kinds(&of(&more, &after).entries).contains(&Kind::KeywordsLost));
}

#[test]
fn a_verdict_is_good_where_its_own_definition_allows_it() {
    let low = Expectations { allowed_verdicts: texts(&["LOW"]), ..asked() };
    let run = |verdict| Run { verdict, ..good_run() };
    let kind = |before: CaseResult, after: CaseResult| {
        kinds(&one(before, after)).into_iter().find(|kind| kind.as_str().starts_with("verdict"))
    };
    let (pass, other) = (run(Some("PASS")), run(Some("LOW")));
    assert_eq!(kind(pass.result("a", &asked()), other.result("a", &low)), Some(Kind::VerdictChanged));
    assert_eq!(kind(pass.result("a", &low), other.result("a", &low)), Some(Kind::VerdictImproved));
    assert_eq!(kind(pass.result("a", &low), pass.result("a", &asked())), None);
    assert_eq!(
        kind(pass.result("a", &asked()), run(None).result("a", &asked())),
        Some(Kind::VerdictWorsened)
    );
    assert_eq!(
        kind(run(None).result("a", &asked()), other.result("a", &asked())),
        Some(Kind::VerdictChanged)
    );
}

#[test]
fn audit_fields_compare_with_null_but_not_with_what_a_report_does_not_have() {
    let before = good_run().result("a", &asked());
    let after = Run { composer: None, claim_checks: None, ..good_run() }.result("a", &asked());
    let entries = one(before.clone(), after.clone());
    let audit = only(&entries, Kind::AuditChanged);
    assert_eq!(audit.subjects, ["composerStatus", "claimCheckCount"]);
    assert_eq!(json(&audit.before), r#"{"composerStatus":"valid","claimCheckCount":2}"#);
    assert_eq!(json(&audit.after), r#"{"composerStatus":null,"claimCheckCount":0}"#);
    let lacking = CaseResult { composer_status: None, claim_check_count: None, ..before };
    assert!(!kinds(&one(lacking, after)).contains(&Kind::AuditChanged));
}

#[test]
fn plain_checks_compare_with_plain_checks_only() {
    let plain = |texts: &[&str]| CaseResult {
        passed: texts.is_empty(),
        failed_checks: FailedChecks::Plain(strings(texts)),
        ..good_run().result("a", &asked())
    };
    let entries = one(plain(&["x", "same", "gone"]), plain(&["same", "new", "new"]));
    assert_eq!(only(&entries, Kind::ChecksLost).subjects, ["new"]);
    assert_eq!(only(&entries, Kind::ChecksRecovered).subjects, ["x", "gone"]);
    let checks = Run { answer: "oops".to_owned(), ..good_run() }.result("a", &asked());
    let entries = one(plain(&["x"]), checks);
    assert!(!kinds(&entries).iter().any(|kind| matches!(kind, Kind::ChecksLost | Kind::ChecksRecovered)));
}

#[test]
fn the_cause_says_what_moved() {
    let cause = |before: &CaseResult, after: &CaseResult| {
        let after = CaseResult { verdict: Some("ODD".into()), ..after.clone() };
        let entries = one(before.clone(), after);
        only(&entries, Kind::VerdictWorsened).cause.map(crate::diff::Cause::as_str)
    };
    let base = good_run().result("a", &asked());
    let id = |hash| Some(ObjectId::of_blob(hash, b"x"));
    let trace = CaseResult { trace_id: id(HashKind::Sha1), ..base.clone() };
    let longer = CaseResult { trace_id: id(HashKind::Sha256), ..base.clone() };
    let no_trace = CaseResult { trace_id: None, ..base.clone() };
    let no_digest = CaseResult { case_digest: None, ..trace.clone() };
    let case = CaseResult { case_digest: Some(Expectations::default().digest()), ..base.clone() };
    let both = CaseResult { case_digest: case.case_digest.clone(), ..trace.clone() };
    for (after, expected) in [
        (&base, None),
        (&trace, Some("trace")),
        (&no_trace, Some("trace")),
        (&case, Some("case")),
        (&both, Some("both")),
        (&longer, Some("unknown")),
        (&no_digest, Some("unknown")),
    ] {
        assert_eq!(cause(&base, after), expected);
        assert_eq!(cause(after, &base), expected);
    }
}

#[test]
fn other_rules_are_the_cause_where_nothing_else_moved() {
    let before = report(vec![good_run().result("a", &asked())]);
    let mut after = report(vec![Run { verdict: None, ..good_run() }.result("a", &asked())]);
    after.results[0].trace_id = before.results[0].trace_id.clone();
    after.origin.as_mut().unwrap().evaluator.matching.protocol_markers = strings(&["m"]);
    let entries = of(&before, &after).entries;
    let evaluator = only(&entries, Kind::EvaluatorChanged);
    assert_eq!(evaluator.subjects, ["matching"]);
    assert_eq!(
        json(&evaluator.after),
        r#"{"rulesVersion":"1","matching":{"expected":"exact","protocolMarkers":["m"]}}"#
    );
    assert_eq!(only(&entries, Kind::CaseRegressed).cause.unwrap().as_str(), "evaluator");
}

#[test]
fn averages_are_over_the_cases_that_give_a_value_on_both_sides() {
    let result = |id: &str, duration| Run { duration, ..good_run() }.result(id, &asked());
    let before = report(vec![result("a", Some(1000.0)), result("b", None), result("c", Some(9000.0))]);
    let after = report(vec![result("a", Some(1900.0)), result("b", Some(90_000.0)), result("c", None)]);
    let diff = of(&before, &after);
    let rose = only(&diff.entries, Kind::AverageDurationRose);
    assert_eq!((json(&rose.before), json(&rose.after)), ("1000.0".to_owned(), "1900.0".to_owned()));
}

#[test]
fn a_missing_verdict_counts_with_a_verdict_of_that_name() {
    let result = |id: &str, verdict| Run { verdict, ..good_run() }.result(id, &asked());
    let before = report(vec![result("a", None), result("b", Some("X"))]);
    let after = report(vec![result("a", Some("(missing)")), result("b", Some("X"))]);
    let distribution = |before: &Report, after: &Report| {
        let diff = of(before, after);
        assert!(kinds(&diff.entries).contains(&Kind::VerdictChanged));
        kinds(&diff.entries).contains(&Kind::VerdictDistributionChanged)
    };
    assert!(!distribution(&before, &after));
    assert!(!distribution(&before, &report(vec![result("a", Some("X")), result("b", None)])));
    assert!(distribution(&before, &report(vec![result("a", Some("X")), result("b", Some("X"))])));
}

#[test]
fn numbers_keep_their_form_in_before_and_after() {
    let result = |duration| CaseResult { duration_ms: duration, ..good_run().result("a", &asked()) };
    let entries = one(result(Some(Number::Int(0))), result(Some(Number::Float(1000.5))));
    let rose = only(&entries, Kind::DurationRose);
    assert_eq!((json(&rose.before), json(&rose.after)), ("0".to_owned(), "1000.5".to_owned()));
    assert!(rose.message.contains("+1000.5"), "{}", rose.message);
}

#[test]
fn the_message_names_the_piece_that_decides_and_stays_one_line() {
    let bad = CaseResult {
        case_id: CaseId::new("a"),
        title: "a\nb".into(),
        ..Run { answer: "oops 超时 证据".to_owned(), ..good_run() }.result("a", &asked())
    };
    let entries = one(good_run().result("a", &asked()), bad);
    let regressed = only(&entries, Kind::CaseRegressed);
    assert_eq!(regressed.message, "passed before, fails now: forbidden-answer (oops)");
    assert_eq!(regressed.title.as_deref(), Some("a b"));
}

#[test]
fn an_entry_that_is_added_stands_at_its_place() {
    let before = report(vec![good_run().result("a", &asked())]);
    let mut after = report(vec![Run { answer: String::new(), ..good_run() }.result("a", &asked())]);
    after.origin.as_mut().unwrap().evaluator.rules_version = "2".to_owned();
    let mut diff = of(&before, &after);
    let policy = Entry { kind: Kind::PolicyChanged, ..diff.entries[0].clone() };
    diff.add(policy);
    let suite: Vec<Kind> = kinds(&diff.entries).into_iter().take(4).collect();
    assert_eq!(suite, [Kind::PassRateFell, Kind::PolicyChanged, Kind::EvaluatorChanged, Kind::CaseRegressed]);
}
