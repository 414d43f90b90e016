//! Every folder of `tests/conformance/diff`: a pair of reports, and what their diff must say.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the samples are files, and a test may fail"
)]

use std::path::Path;

use diag_gate::diff::diff;
use diag_gate::gate::{decide, to_json};
use diag_gate::report::read;
use diag_gate::suite::config::GateConfig;
use serde_json::Value;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/diff");

const ENTRY_KEYS: [&str; 13] = [
    "accepted",
    "after",
    "before",
    "caseId",
    "cause",
    "kind",
    "level",
    "message",
    "severity",
    "subjects",
    "title",
    "underOldExpectation",
    "waived",
];

/// The diff of two report files under the default policy; the reason where they are refused.
fn judged(baseline: &[u8], current: &[u8]) -> Result<Value, String> {
    let baseline = read(baseline).map_err(|error| error.to_string())?;
    let current = read(current).map_err(|error| error.to_string())?;
    let policy = GateConfig::default();
    let diff = diff(&baseline, &current, &policy.thresholds).map_err(|refusal| refusal.to_string())?;
    let gate = decide(diff, &policy, jiff::civil::date(2026, 1, 1), Vec::new());
    Ok(serde_json::from_str(&to_json(&gate)).unwrap())
}

/// Equal, numbers by value.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| same(one, other)))
        }
        (one, other) => one == other,
    }
}

fn check_heads(name: &str, found: &Value, files: [&[u8]; 2]) {
    for (side, file) in ["baseline", "current"].into_iter().zip(files) {
        let report: Value = serde_json::from_slice(file).unwrap();
        for key in ["source", "suiteDigest", "totalCases", "passedCases", "passRate"] {
            assert!(same(&found[side][key], &report[key]), "{name}: {side}.{key}");
        }
    }
}

fn check(name: &str, found: &Value, expected: &Value) {
    for key in ["gate", "likeForLike"] {
        assert!(same(&found[key], &expected[key]), "{name}: {key}: {}", found[key]);
    }
    let (found, expected) = (found["entries"].as_array().unwrap(), expected["entries"].as_array().unwrap());
    let kinds = |entries: &[Value]| entries.iter().map(|entry| entry["kind"].to_string()).collect::<Vec<_>>();
    assert_eq!(kinds(found), kinds(expected), "{name}");
    for (found, expected) in found.iter().zip(expected) {
        let keys: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ENTRY_KEYS, "{name}");
        for (key, expected) in expected.as_object().unwrap() {
            assert!(same(&found[key], expected), "{name}: {key}: {found:#}");
        }
        for key in ["underOldExpectation", "accepted", "waived"] {
            assert!(found[key].is_null(), "{name}: {key}");
        }
        assert!(!found["message"].as_str().unwrap().contains('\n'), "{name}");
    }
}

#[test]
fn every_sample_pair_gives_the_diff_that_it_must() {
    let mut names: Vec<_> = std::fs::read_dir(SAMPLES)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    names.sort();
    assert!(names.len() >= 36, "the samples are gone");
    for folder in names {
        let file = |name: &str| std::fs::read(Path::new(&folder).join(name)).unwrap();
        let name = folder.display().to_string();
        let expected: Value = serde_json::from_slice(&file("expected.json")).unwrap();
        let (baseline, current) = (file("baseline.json"), file("current.json"));
        let found = judged(&baseline, &current);
        if expected["refused"] == Value::Bool(true) {
            assert!(found.is_err(), "{name} is not refused");
            continue;
        }
        let found = found.unwrap_or_else(|reason| panic!("{name}: {reason}"));
        check_heads(&name, &found, [&baseline, &current]);
        check(&name, &found, &expected);
    }
}
