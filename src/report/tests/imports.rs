//! Imported reports.

use serde_json::{Value, json};

use super::super::{ReadError, Report, read, to_json};
use super::{failed, passing};
use crate::evaluate::{CheckName, FailedChecks};
use crate::number::Number;

/// As the older harness writes it.
fn seed() -> Value {
    json!({
        "totalCases": 2, "passedCases": 1, "passRate": 0.5,
        "verdictDistribution": {"PASS": 1, "FAIL": 1},
        "averageToolCallCount": 99.0, "averageDurationMs": 99.0,
        "results": [
            {"caseId": "a", "title": "A", "passed": true, "failedChecks": [], "verdict": "PASS",
             "matchedKeywordCount": 2, "requiredKeywordCount": 2, "evidenceCoverage": {"query_logs": true},
             "gatekeeperStatus": "pass", "gatekeeperRuleSetVersion": null, "composerStatus": null,
             "claimCheckCount": 0, "toolCallCount": 1, "durationMs": 1200},
            {"caseId": "b", "passed": false, "failedChecks": ["verdict FAIL not allowed"], "verdict": "FAIL",
             "toolCallCount": 2.0}
        ]
    })
}

fn parse(value: &Value) -> Result<Report, ReadError> {
    read(value.to_string().as_bytes())
}

fn changed(change: impl FnOnce(&mut Value)) -> Result<Report, ReadError> {
    let mut value = seed();
    change(&mut value);
    parse(&value)
}

fn refusal(change: impl FnOnce(&mut Value)) -> String {
    changed(change).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn fields_that_it_lacks_are_missing_and_null_is_not_missing() {
    let report = parse(&seed()).unwrap();
    assert!(report.origin.is_none());
    let [a, b] = report.results.as_slice() else { panic!("two results") };
    assert_eq!(a.gatekeeper_status, Some(Some("pass".into())));
    assert_eq!(a.composer_status, Some(None));
    assert_eq!(a.failed_checks, FailedChecks::Plain(Vec::new()));
    assert_eq!((a.matched_keyword_count, &a.matched_keywords), (Some(2), &None));
    assert!(a.expectations.is_none() && a.case_digest.is_none() && a.trace_id.is_none());
    assert_eq!(b.title, "b");
    assert_eq!(b.failed_checks, FailedChecks::Plain(vec!["verdict FAIL not allowed".to_owned()]));
    assert_eq!((&b.gatekeeper_status, b.claim_check_count, b.tool_call_count), (&None, None, Some(2)));
    assert!(b.evidence_coverage.is_empty() && b.duration_ms.is_none());
}

#[test]
fn means_come_from_the_results_whatever_the_file_says() {
    let totals = parse(&seed()).unwrap().totals;
    assert_eq!(totals.average_tool_call_count, Some(1.5));
    assert_eq!(totals.average_duration_ms, Some(1200.0));
    assert!(changed(|value| value["averageDurationMs"] = json!("n/a")).is_ok());
}

#[test]
fn a_rounded_pass_rate_agrees_and_a_wrong_one_does_not() {
    let two_of_three = |rate: f64| {
        changed(|value| {
            let mut third = value["results"][0].clone();
            third["caseId"] = json!("c");
            value["results"].as_array_mut().unwrap().push(third);
            value["totalCases"] = json!(3);
            value["passedCases"] = json!(2);
            value["verdictDistribution"]["PASS"] = json!(2);
            value["passRate"] = json!(rate);
        })
    };
    for rate in [0.667, 0.6667, 2.0 / 3.0, 0.666] {
        assert!(two_of_three(rate).is_ok(), "{rate}");
    }
    for rate in [0.67, 0.66, 0.668, 66.7, 1.0] {
        let message = two_of_three(rate).map(|_| ()).unwrap_err().to_string();
        assert!(message.starts_with("`passRate` is "), "{message}");
    }
    for rate in [0.499, 0.501] {
        assert!(changed(|value| value["passRate"] = json!(rate)).is_ok(), "{rate}");
    }
}

#[test]
fn other_totals_must_agree_where_they_stand() {
    for (total, value) in [
        ("totalCases", json!(3)),
        ("passedCases", json!(2)),
        ("unjudgedCases", json!(1)),
        ("verdictDistribution", json!({"PASS": 2})),
        ("verdictDistribution", json!({"PASS": 1})),
        ("verdictDistribution", json!({"PASS": 1, "FAIL": 1, "OTHER": 1})),
    ] {
        let message = refusal(|report| report[total] = value);
        assert!(message.starts_with(&format!("`{total}` is ")), "{message}");
    }
    let without = changed(|value| {
        for total in ["totalCases", "passedCases", "passRate", "verdictDistribution", "averageDurationMs"] {
            value.as_object_mut().unwrap().remove(total);
        }
    });
    assert_eq!(without.unwrap().totals.passed_cases, 1);
}

#[test]
fn a_missing_verdict_may_be_counted_under_any_name_or_not_at_all() {
    let with = |distribution: Value| {
        changed(|value| {
            value["results"][1]["verdict"] = Value::Null;
            value["verdictDistribution"] = distribution;
        })
    };
    for agrees in [json!({"PASS": 1, "(missing)": 1}), json!({"PASS": 1, "UNKNOWN": 1}), json!({"PASS": 1})] {
        assert!(with(agrees.clone()).is_ok(), "{agrees}");
    }
    for differs in
        [json!({"PASS": 2}), json!({"PASS": 1, "UNKNOWN": 2}), json!({"PASS": 1, "X": 1, "Y": 1}), json!({})]
    {
        assert!(with(differs.clone()).is_err(), "{differs}");
    }
}

#[test]
fn fields_of_another_program_are_skipped_but_no_key_stands_twice() {
    let report = changed(|value| {
        value["generatedAt"] = json!("2026-07-08T00:00:00Z");
        value["results"][0]["extra"] = json!({"deep": [1, {"x": null}]});
    });
    assert!(report.is_ok());
    let deep = format!("\"x\":{}{},\"totalCases\":2", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(seed().to_string().replacen("\"totalCases\":2", &deep, 1).as_bytes()).is_ok());
    let text = seed().to_string().replacen("\"totalCases\":2", "\"x\":{\"y\":1,\"y\":2},\"totalCases\":2", 1);
    let error = read(text.as_bytes()).map(|_| ()).unwrap_err();
    assert!(matches!(&error, ReadError::DuplicateKey { key, .. } if key == "y"), "{error}");
}

#[test]
fn it_must_have_cases_with_an_id_and_an_outcome() {
    assert_eq!(refusal(|value| value["results"] = json!([])), "the report has no case");
    let message = refusal(|value| drop(value["results"][1].as_object_mut().unwrap().remove("passed")));
    assert!(message.starts_with("case `b`: missing field `passed` (line 1, column "), "{message}");
    let message = refusal(|value| drop(value["results"][1].as_object_mut().unwrap().remove("caseId")));
    assert!(message.starts_with("case `#1`: missing field `caseId`"), "{message}");
    let message = refusal(|value| drop(value.as_object_mut().unwrap().remove("results")));
    assert!(message.starts_with("missing field `results`"), "{message}");
    assert_eq!(
        refusal(|value| value["results"][1]["caseId"] = json!("a")),
        "case `a` has more than one result"
    );
    let message = refusal(|value| value["results"][0]["toolCallCount"] = json!("1"));
    assert!(message.starts_with("case `a`: invalid type: string \"1\""), "{message}");
    assert!(changed(|value| value["results"][0]["toolCallCount"] = json!(1.5)).is_err());
}

#[test]
fn an_outcome_that_its_own_checks_contradict_is_refused() {
    let message = refusal(|value| value["results"][0]["failedChecks"] = json!(["too slow"]));
    assert_eq!(message, "case `a`: `passed` is true beside failed checks (too slow)");
    let message = refusal(|value| value["results"][1]["failedChecks"] = json!([]));
    assert_eq!(message, "case `b`: `passed` is false, but no check failed");
    let silent =
        changed(|value| drop(value["results"][1].as_object_mut().unwrap().remove("failedChecks"))).unwrap();
    assert!(!silent.results[1].passed);
    let again = read(to_json(&silent).as_bytes()).unwrap();
    assert_eq!(format!("{again:?}"), format!("{silent:?}"));
}

#[test]
fn checks_given_as_objects_are_checks_where_their_names_are_known() {
    let with = |checks: Value| {
        let report = changed(|value| value["results"][1]["failedChecks"] = checks).unwrap();
        report.results[1].failed_checks.clone()
    };
    let known = json!([{"check": "forbidden-claim"}, {"check": "verdict", "message": "verdict failed", "subjects": ["FAIL"]}]);
    let FailedChecks::Checks(checks) = with(known) else { panic!("checks") };
    assert_eq!(checks[0], failed(CheckName::Verdict, &["FAIL"]));
    assert_eq!(checks[1].check, CheckName::ForbiddenClaim);
    let unknown = json!([{"check": "verdict"}, {"check": "vibes"}]);
    assert_eq!(with(unknown), FailedChecks::Plain(vec!["verdict".to_owned(), "vibes".to_owned()]));
    let mixed = json!([{"check": "verdict"}, "slow"]);
    assert_eq!(with(mixed), FailedChecks::Plain(vec!["verdict".to_owned(), "slow".to_owned()]));
    let message = refusal(|value| value["results"][1]["failedChecks"] = json!([7]));
    assert!(
        message.contains("a failed check must be a string, or an object with a string `check`"),
        "{message}"
    );
}

#[test]
fn expectations_are_taken_and_must_fit_their_digest() {
    let asked = json!({"allowedVerdicts": ["PASS"]});
    let taken = changed(|value| value["results"][0]["expectations"] = asked.clone()).unwrap();
    let digest = taken.results[0].expectations.as_ref().unwrap().digest();
    assert!(taken.results[0].case_digest.is_none());
    let whole = changed(|value| {
        value["results"][0]["expectations"] = asked.clone();
        value["results"][0]["caseDigest"] = json!(digest.as_str());
    });
    assert_eq!(whole.unwrap().results[0].case_digest.as_ref(), Some(&digest));
    let message = refusal(|value| {
        value["results"][0]["expectations"] = asked;
        value["results"][0]["caseDigest"] = json!("0".repeat(64));
    });
    assert!(message.starts_with("case `a`: `caseDigest` is 000"), "{message}");
}

#[test]
fn it_is_written_in_its_own_shape_with_nothing_added_to_a_result() {
    let text = to_json(&parse(&seed()).unwrap());
    let value: Value = serde_json::from_str(&text).unwrap();
    assert!(value.get("schemaVersion").is_none() && value.get("suite").is_none());
    let line = text.lines().find(|line| line.contains("\"caseId\":\"b\"")).unwrap();
    assert_eq!(
        line,
        r#"    {"caseId":"b","title":"b","passed":false,"failedChecks":["verdict FAIL not allowed"],"verdict":"FAIL","evidenceCoverage":{},"toolCallCount":2,"durationMs":null}"#
    );
}

#[test]
fn results_of_this_program_stand_beside_imported_ones_after_a_partial_acceptance() {
    let mut results = parse(&seed()).unwrap().results;
    let mut taken = passing("b");
    taken.duration_ms = Some(Number::Float(1.5));
    taken.passed = false;
    taken.failed_checks = FailedChecks::Checks(vec![failed(CheckName::Trace, &["missing"])]);
    results[1] = taken;
    let joined = Report::new(None, results);
    let again = read(to_json(&joined).as_bytes()).unwrap();
    assert_eq!(format!("{again:?}"), format!("{joined:?}"));
    assert_eq!(again.totals.unjudged_cases, 1);
}
