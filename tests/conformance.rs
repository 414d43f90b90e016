//! The public suites of the contract: each folder of `tests/conformance/evaluation` is evaluated by
//! the program itself, as a user would, and must come to what its `expected.json` says.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Map, Value};

/// The fields of a result, in their order.
const RESULT_FIELDS: [&str; 18] = [
    "caseId",
    "title",
    "passed",
    "failedChecks",
    "verdict",
    "matchedKeywordCount",
    "requiredKeywordCount",
    "matchedKeywords",
    "evidenceCoverage",
    "gatekeeperStatus",
    "gatekeeperRuleSetVersion",
    "composerStatus",
    "claimCheckCount",
    "toolCallCount",
    "durationMs",
    "expectations",
    "caseDigest",
    "traceId",
];

#[test]
fn every_public_suite_comes_to_what_it_expects() {
    let scratch = tempfile::tempdir().unwrap();
    let made = Command::new("git").arg("init").arg("-q").arg(scratch.path()).status().unwrap();
    assert!(made.success());
    let mut folders: Vec<PathBuf> =
        fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/evaluation"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_dir())
            .collect();
    folders.sort();
    assert!(folders.len() >= 50, "only {} suites found", folders.len());
    let faults: Vec<String> = folders
        .iter()
        .flat_map(|folder| {
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            faults(scratch.path(), folder).into_iter().map(move |fault| format!("{name}: {fault}"))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What a suite comes to that it should not.
fn faults(repository: &Path, folder: &Path) -> Vec<String> {
    let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let suite = repository.join(folder.file_name().unwrap());
    copy(folder, &suite);
    let output = Command::new(env!("CARGO_BIN_EXE_diag-gate"))
        .args(["run", "--worktree", "--format", "json", "--suite"])
        .arg(&suite)
        .current_dir(repository)
        .env_remove("GIT_DIR")
        .output()
        .unwrap();
    if expected["suiteError"] == Value::Bool(true) {
        faults_of_refusal(&expected, &output)
    } else {
        faults_of_report(expected.as_object().unwrap(), &output)
    }
}

fn faults_of_refusal(expected: &Value, output: &Output) -> Vec<String> {
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    let mut faults = Vec::new();
    if output.status.code() != Some(2) || !output.stdout.is_empty() {
        faults.push(format!("status {:?}, {} bytes of output", output.status.code(), output.stdout.len()));
    }
    for mention in texts(&expected["mentions"]) {
        if !told.contains(&mention) {
            faults.push(format!("{mention} is not mentioned in:\n{told}"));
        }
    }
    let numbers: BTreeSet<&str> = told.split(|c: char| !c.is_ascii_digit()).collect();
    for number in expected["mentionsNumbers"].as_array().into_iter().flatten() {
        if !numbers.contains(number.to_string().as_str()) {
            faults.push(format!("{number} is not mentioned in:\n{told}"));
        }
    }
    faults
}

fn faults_of_report(expected: &Map<String, Value>, output: &Output) -> Vec<String> {
    let told = String::from_utf8_lossy(&output.stderr);
    let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
        return vec![format!("no report, but: {told}")];
    };
    let results = report["results"].as_array().unwrap();
    let mut faults = Vec::new();
    let cases = expected["cases"].as_object().unwrap();
    let all_pass = cases.values().all(|case| case["passed"] == Value::Bool(true));
    if output.status.code() != Some(i32::from(!all_pass)) {
        faults.push(format!("status {:?}", output.status.code()));
    }
    if results.len() != cases.len() {
        faults.push(format!("{} results", results.len()));
    }
    for (id, case) in cases {
        match results.iter().find(|result| result["caseId"] == Value::String(id.clone())) {
            Some(result) => faults
                .extend(faults_of_result(case, result).into_iter().map(|fault| format!("{id}: {fault}"))),
            None => faults.push(format!("no result of {id}")),
        }
    }
    for (path, value) in expected.get("report").and_then(Value::as_object).into_iter().flatten() {
        let found = path.split('.').fold(&report, |value, key| &value[key]);
        if !equal(value, found) {
            faults.push(format!("{path} is {found}, not {value}"));
        }
    }
    if let Some(order) = expected.get("order") {
        let ids: Vec<Value> = results.iter().map(|result| result["caseId"].clone()).collect();
        if *order != Value::Array(ids) {
            faults.push("results out of order".to_owned());
        }
    }
    faults.extend(faults_of_field_order(&String::from_utf8_lossy(&output.stdout)));
    faults
}

fn faults_of_result(expected: &Value, result: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if expected["passed"] != result["passed"] {
        faults.push(format!("passed is {}", result["passed"]));
    }
    let checks: Vec<Value> = result["failedChecks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|failed| serde_json::json!({"check": failed["check"], "subjects": failed["subjects"]}))
        .collect();
    if expected["failedChecks"] != Value::Array(checks.clone()) {
        faults.push(format!("failed checks are {}", Value::Array(checks)));
    }
    for failed in result["failedChecks"].as_array().unwrap() {
        let message = failed["message"].as_str().unwrap();
        if message.is_empty() || message.contains('\n') {
            faults.push(format!("the message {message:?} is no line"));
        }
    }
    for (field, value) in expected["result"].as_object().into_iter().flatten() {
        if !equal(value, &result[field]) {
            faults.push(format!("{field} is {}, not {value}", result[field]));
        }
    }
    faults
}

/// The fields of each result in the canonical text, one result a line.
fn faults_of_field_order(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for line in text.lines().filter(|line| line.trim_start().starts_with("{\"caseId\"")) {
        let places: Vec<Option<usize>> =
            RESULT_FIELDS.iter().map(|field| line.find(&format!("\"{field}\":"))).collect();
        if places.iter().any(Option::is_none) || !places.is_sorted() {
            faults.push(format!("fields missing or out of order in {line}"));
        }
    }
    faults
}

/// Equality with numbers by value: integers exactly, others as doubles.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => match (left.as_u64(), right.as_u64()) {
            (Some(left), Some(right)) => left == right,
            _ => left.as_f64() == right.as_f64(),
        },
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => left == right,
    }
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
