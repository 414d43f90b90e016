//! Every reason for which a report is refused, with its message.

use serde_json::{Value, json};

use super::super::{ReadError, read, to_json};
use super::{failed, passing, report, unjudged};
use crate::evaluate::{CheckName, FailedChecks};
use crate::suite::Expectations;
use crate::suite::trace::Fault;

/// A report of three cases, `a` and `b` passing and `u` unjudged, as text.
fn text() -> String {
    to_json(&report(vec![passing("a"), passing("b"), unjudged("u", Fault::Missing)]))
}

/// Why the text is refused.
fn refusal(text: &str) -> ReadError {
    read(text.as_bytes()).map(|_| ()).unwrap_err()
}

fn message(text: &str) -> String {
    refusal(text).to_string()
}

/// The message after a change to the report.
fn after(change: impl FnOnce(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(&text()).unwrap();
    change(&mut value);
    message(&value.to_string())
}

/// The message after a change to the result of case `a`.
fn after_in_a(change: impl FnOnce(&mut Value)) -> String {
    after(|value| change(&mut value["results"][0]))
}

/// The message after one field of case `a` was replaced.
fn with(field: &str, value: Value) -> String {
    after_in_a(|result| result[field] = value)
}

#[test]
fn the_report_that_all_refusals_start_from_is_read() {
    assert!(read(text().as_bytes()).is_ok());
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    let bytes = b"{\n  \"suite\": \"\xff\"}";
    let error = read(bytes).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "not UTF-8 (line 2, column 13)");
    assert!(matches!(error, ReadError::NotUtf8 { line: 2, column: 13 }));
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    assert_eq!(message(""), "no JSON: the file is empty (line 1, column 1)");
    assert_eq!(message("{\n \"a\": NaN}"), "no JSON: expected value (line 2, column 7)");
    let cut = text()[..200].to_owned();
    assert!(matches!(refusal(&cut), ReadError::Syntax { .. }));
    assert!(matches!(refusal(&format!("{} x", text())), ReadError::Syntax { .. }));
    let half = text().replace("Case a", "\\ud800");
    assert!(matches!(refusal(&half), ReadError::HalfSurrogate { line: 15 }), "{}", message(&half));
}

#[test]
fn nesting_without_end_is_refused_and_overflows_nothing() {
    let deep = "[".repeat(1_000_000);
    assert!(matches!(refusal(&deep), ReadError::Syntax { .. }));
    let inside = text().replacen("\"suite\"", &format!("\"x\": {}, \"suite\"", "[".repeat(100_000)), 1);
    assert!(matches!(refusal(&inside), ReadError::Syntax { .. }));
}

#[test]
fn a_pointer_to_a_report_kept_elsewhere_is_told_by_name() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n";
    assert!(message(pointer).starts_with("a Git LFS pointer in place of the report: run `git lfs pull`"));
}

#[test]
fn merge_conflict_markers_are_told_by_name() {
    let merged = text().replacen(
        "  \"totalCases\": 3",
        "<<<<<<< HEAD\n  \"totalCases\": 3\n=======\n  \"totalCases\": 4\n>>>>>>> other",
        1,
    );
    assert_eq!(message(&merged), "merge conflict markers (line 7): settle the conflict, or evaluate again");
    let rest = text().replacen("  \"totalCases\"", ">>>>>>> other\r\n  \"totalCases\"", 1);
    assert!(matches!(refusal(&rest), ReadError::ConflictMarkers { line: 7 }));
}

#[test]
fn markers_inside_a_text_are_no_conflict() {
    let mut result = passing("a");
    result.title = "x\n<<<<<<< HEAD\n=======".into();
    assert!(read(to_json(&report(vec![result])).as_bytes()).is_ok());
}

#[test]
fn a_key_twice_in_any_object_is_refused() {
    for (once, twice, key) in [
        ("\"suite\":", "\"suite\": \"other\", \"suite\":", "suite"),
        ("\"dirty\":", "\"dirty\":true,\"dirty\":", "dirty"),
        ("\"passed\":", "\"passed\":true,\"p\\u0061ssed\":", "passed"),
        ("\"query_logs\":", "\"query_logs\":false,\"query_logs\":", "query_logs"),
        ("\"(missing)\":", "\"(missing)\":1,\"(missing)\":", "(missing)"),
        ("\"minKeywordMatches\":", "\"minKeywordMatches\":0,\"minKeywordMatches\":", "minKeywordMatches"),
        ("\"expected\":", "\"expected\":\"exact\",\"expected\":", "expected"),
    ] {
        let error = refusal(&text().replacen(once, twice, 1));
        assert!(matches!(&error, ReadError::DuplicateKey { key: found, .. } if found == key), "{error}");
        assert!(
            error.to_string().starts_with(&format!("the key `{key}` stands twice in one object (lines "))
        );
    }
}

#[test]
fn another_kind_of_document_is_told_by_what_it_looks_like() {
    for (document, what) in [
        ("null", "`null`"),
        ("7", "a number"),
        ("\"x\"", "a string"),
        ("true", "`true`"),
        ("[]", "a list"),
        ("[{\"id\":\"a\",\"traceFixture\":\"a.json\"}]", "a list of cases"),
        ("[{\"caseId\":\"a\",\"passed\":true}]", "a bare list of results"),
        ("{}", "a JSON object without `results`"),
        ("{\"schemaVersion\":1,\"x\":2}", "a JSON object without `results`"),
        ("{\"cases\":[]}", "a case file"),
        ("{\"session\":{},\"toolInvocations\":[]}", "a trace"),
        ("{\"schemaVersion\":1,\"entries\":[],\"gate\":{}}", "a diff of two reports"),
        ("{\"schemaVersion\":1,\"suite\":\"x\",\"range\":\"\",\"commits\":[]}", "a history"),
        ("{\"schemaVersion\":1,\"caseId\":\"a\",\"passed\":true,\"flips\":[]}", "the outcome of a bisection"),
        ("{\"caseId\":\"a\",\"passed\":true}", "the result of a single case"),
    ] {
        assert_eq!(message(document), format!("not a report but {what}"), "{document}");
    }
}

#[test]
fn a_newer_schema_is_said_to_be_newer_whatever_else_it_holds() {
    let expected = "written by a newer diag-gate: schemaVersion is 2, the newest known here is 1";
    assert_eq!(after(|value| value["schemaVersion"] = json!(2)), expected);
    assert_eq!(message("{\"schemaVersion\":2,\"results\":{\"a\":[1]},\"brandNew\":1}"), expected);
    let wrong_total = after(|value| {
        value["schemaVersion"] = json!(2);
        value["totalCases"] = json!(9);
    });
    assert_eq!(wrong_total, expected);
}

#[test]
fn a_schema_that_never_was_is_refused() {
    for (version, found) in [
        (json!(0), "0"),
        (json!("1"), "a string"),
        (json!(null), "`null`"),
        (json!(-1), "-1"),
        (json!(1.5), "1.5"),
    ] {
        let message = after(|value| value["schemaVersion"] = version);
        assert_eq!(message, format!("`schemaVersion` is {found}, which no diag-gate writes"));
    }
}

#[test]
fn a_report_that_lost_its_schema_is_not_taken_for_an_imported_one() {
    let message = after(|value| drop(value.as_object_mut().unwrap().remove("schemaVersion")));
    assert!(message.starts_with("missing field `schemaVersion`: "), "{message}");
}

#[test]
fn every_field_of_the_head_must_stand() {
    let value: Value = serde_json::from_str(&text()).unwrap();
    for field in
        value.as_object().unwrap().keys().filter(|key| !["schemaVersion", "results"].contains(&key.as_str()))
    {
        let message = after(|value| drop(value.as_object_mut().unwrap().remove(field)));
        assert!(message.starts_with(&format!("missing field `{field}` (line 1, column ")), "{message}");
    }
    let none = after(|value| drop(value.as_object_mut().unwrap().remove("results")));
    assert!(none.starts_with("missing field `results`"), "{none}");
}

#[test]
fn every_field_of_a_result_must_stand() {
    let value: Value = serde_json::from_str(&text()).unwrap();
    let fields: Vec<String> = value["results"][0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields.len(), 18);
    for field in fields {
        let message = after_in_a(|result| drop(result.as_object_mut().unwrap().remove(&field)));
        let case = if field == "caseId" { "#0" } else { "a" };
        assert!(message.starts_with(&format!("case `{case}`: missing field `{field}` (line ")), "{message}");
    }
}

#[test]
fn an_unknown_field_is_refused_at_every_depth() {
    let unknown = "unknown field `surprise` (line 1, column ";
    let message = after(|value| value["surprise"] = json!(1));
    assert!(message.starts_with(unknown), "{message}");
    for field in ["source", "evaluator"] {
        let message = after(|value| value[field]["surprise"] = json!(1));
        assert!(message.starts_with(unknown), "{message}");
    }
    for message in [
        with("surprise", json!([])),
        after_in_a(|result| result["expectations"]["surprise"] = json!(1)),
        after_in_a(|result| {
            result["failedChecks"] = json!([{"check": "answer", "message": "", "surprise": 1}])
        }),
    ] {
        assert!(message.starts_with(&format!("case `a`: {unknown}")), "{message}");
    }
}

#[test]
fn a_field_of_the_wrong_type_is_told_with_case_and_line() {
    for (field, value, expected) in [
        ("passed", json!(1), "invalid type: integer `1`, expected a boolean"),
        ("title", json!(null), "invalid type: null, expected a string"),
        ("verdict", json!(3), "invalid type: integer `3`, expected a string"),
        ("matchedKeywords", json!(null), "invalid type: null, expected a sequence"),
        ("evidenceCoverage", json!([]), "invalid type: sequence, expected an object"),
        (
            "evidenceCoverage",
            json!({"query_logs": "yes"}),
            "invalid type: string \"yes\", expected a boolean",
        ),
        ("expectations", json!(null), "invalid type: null, expected an object"),
        ("toolCallCount", json!(-1), "invalid value: integer `-1`, expected u64"),
        (
            "durationMs",
            json!(-1.5),
            "invalid value: floating point `-1.5`, expected a number that is not negative, or null",
        ),
        (
            "durationMs",
            json!("1"),
            "invalid type: string \"1\", expected a number that is not negative, or null",
        ),
        ("caseDigest", json!("AB"), "invalid value: string \"AB\", expected a SHA-256 in lower-case hex"),
        (
            "traceId",
            json!("ab"),
            "invalid value: string \"ab\", expected an object id of 40 or 64 lower-case hex digits or null",
        ),
        ("failedChecks", json!(["verdict"]), "invalid type: string \"verdict\", expected an object"),
        ("failedChecks", json!([["verdict", "m", []]]), "invalid type: sequence, expected an object"),
    ] {
        let message = with(field, value);
        assert!(message.starts_with(&format!("case `a`: {expected} (line 1, ")), "{message}");
    }
    let lined = text().replacen("\"passed\":true", "\"passed\":null", 1);
    assert!(
        matches!(refusal(&lined), ReadError::Malformed { line: 15, case: Some(case), .. } if case == "a")
    );
}

#[test]
fn ids_that_no_suite_can_have_are_refused() {
    for id in ["", " ", "\u{200b}", "a\nb", "a\u{1b}[31m"] {
        let message = with("caseId", json!(id));
        assert!(
            message.contains("expected a case id, not blank and without control characters"),
            "{message}"
        );
    }
}

#[test]
fn a_check_of_no_known_name_is_refused() {
    let message = after_in_a(|result| {
        result["passed"] = json!(false);
        result["failedChecks"] = json!([{"check": "vibes", "message": "", "subjects": []}]);
    });
    assert!(
        message
            .starts_with("case `a`: invalid value: string \"vibes\", expected the name of a check (line 1,"),
        "{message}"
    );
}

#[test]
fn objects_given_as_lists_are_refused() {
    let message = after(|value| value["source"] = json!([null, false]));
    assert!(message.starts_with("invalid type: sequence, expected an object"), "{message}");
    let message = after(|value| value["evaluator"]["matching"]["expected"] = json!({"exact": null}));
    assert!(message.contains("expected `exact` or `folded`"), "{message}");
}

#[test]
fn what_asks_nothing_must_not_stand_in_expectations() {
    for (field, value) in [
        ("requireClaimChecks", json!(false)),
        ("allowedVerdicts", json!([])),
        ("allowedVerdicts", json!(null)),
        ("allowedVerdicts", json!(["PASS", "PASS"])),
        ("expectedGatekeeperRuleSetVersion", json!(null)),
        ("minKeywordMatches", json!(null)),
    ] {
        let message = after_in_a(|result| result["expectations"][field] = value);
        assert!(message.starts_with("case `a`: "), "{message}");
    }
}

#[test]
fn every_total_must_be_that_of_the_results() {
    for (total, value, stated, computed) in [
        ("totalCases", json!(4), "4", "3"),
        ("passedCases", json!(3), "3", "2"),
        ("unjudgedCases", json!(0), "0", "1"),
        ("passRate", json!(0.6667), "0.6667", "0.6666666666666666"),
        ("verdictDistribution", json!({"PASS": 3}), "{\"PASS\":3}", "{\"(missing)\":1,\"PASS\":2}"),
        ("averageToolCallCount", json!(2.0), "2", "3"),
        ("averageToolCallCount", json!(null), "null", "3"),
        ("averageDurationMs", json!(1200.5), "1200.5", "1200"),
    ] {
        let message = after(|report| report[total] = value);
        assert_eq!(
            message,
            format!(
                "`{total}` is {stated}, but the results make it {computed}: the file was edited or merged, evaluate again"
            )
        );
    }
}

#[test]
fn two_branches_that_each_add_a_case_merge_into_a_refusal() {
    let base = to_json(&report(vec![passing("a"), passing("z")]));
    let line = |id: &str| {
        let text = to_json(&report(vec![passing(id)]));
        text.lines().nth(14).unwrap().to_owned()
    };
    let merged = base
        .replace(&line("a"), &format!("{},\n{},\n{}", line("a"), line("m"), line("n")))
        .replace(",,", ",")
        .replace("\"totalCases\": 2", "\"totalCases\": 3")
        .replace("\"passedCases\": 2", "\"passedCases\": 3")
        .replace("\"PASS\":2", "\"PASS\":3");
    assert!(message(&merged).starts_with("`totalCases` is 3, but the results make it 4"));
}

#[test]
fn a_report_without_a_case_is_refused() {
    assert_eq!(after(|value| value["results"] = json!([])), "the report has no case");
}

#[test]
fn a_case_twice_is_refused() {
    let message = after(|value| value["results"][1]["caseId"] = json!("a"));
    assert_eq!(message, "case `a` has more than one result");
}

#[test]
fn an_outcome_beside_checks_that_say_otherwise_is_refused() {
    assert_eq!(with("passed", json!(false)), "case `a`: `passed` is false, but no check failed");
    let mut result = passing("a");
    result.failed_checks =
        FailedChecks::Checks(vec![failed(CheckName::Answer, &[]), failed(CheckName::Verdict, &["FAIL"])]);
    let text = to_json(&report(vec![result]));
    assert_eq!(message(&text), "case `a`: `passed` is true beside failed checks (answer, verdict)");
}

#[test]
fn a_digest_of_other_expectations_is_refused() {
    let weakened = after_in_a(|result| result["expectations"]["minKeywordMatches"] = json!(1));
    assert!(weakened.starts_with("case `a`: `caseDigest` is "), "{weakened}");
    assert!(weakened.contains(", but that of its `expectations` is "), "{weakened}");
}

#[test]
fn checks_have_an_order_and_stand_once() {
    let with_checks = |checks: &[CheckName]| {
        let mut result = passing("a");
        result.passed = false;
        result.failed_checks = FailedChecks::Checks(checks.iter().map(|check| failed(*check, &[])).collect());
        message(&to_json(&report(vec![result])))
    };
    assert_eq!(
        with_checks(&[CheckName::Verdict, CheckName::Answer]),
        "case `a`: `failedChecks` lists `answer` too late, checks have a fixed order"
    );
    assert_eq!(
        with_checks(&[CheckName::Verdict, CheckName::Verdict]),
        "case `a`: `failedChecks` lists `verdict` twice"
    );
}

#[test]
fn counts_and_lists_that_contradict_each_other_are_refused() {
    for (field, value, expected) in [
        ("matchedKeywordCount", json!(1), "`matchedKeywordCount` is 1, but `matchedKeywords` holds 2"),
        ("requiredKeywordCount", json!(3), "`requiredKeywordCount` is 3, but the case lists 2"),
        (
            "matchedKeywords",
            json!(["超时", "故障"]),
            "`matchedKeywords` holds `故障`, which the case does not list at that place",
        ),
        (
            "matchedKeywords",
            json!(["证据", "超时"]),
            "`matchedKeywords` holds `超时`, which the case does not list at that place",
        ),
        (
            "evidenceCoverage",
            json!({"query_logs": true}),
            "`evidenceCoverage` lacks `get_metrics`, which the case requires",
        ),
        (
            "evidenceCoverage",
            json!({"query_logs": true, "get_metrics": true, "other": true}),
            "`evidenceCoverage` holds `other`, which the case does not require",
        ),
    ] {
        assert_eq!(with(field, value), format!("case `a`: {expected}"));
    }
}

#[test]
fn a_minimum_that_cannot_be_is_refused_also_with_the_right_digest() {
    let mut result = passing("a");
    let mut asked = Expectations::clone(result.expectations.as_ref().unwrap());
    asked.min_keyword_matches = Some(3);
    result.case_digest = Some(asked.digest());
    result.expectations = Some(asked.into());
    let text = to_json(&report(vec![result]));
    assert_eq!(
        message(&text),
        "case `a`: `minKeywordMatches` must stand beside keywords, and be no more than they are"
    );
}
