//! The schemas against what they are of: every file of our own suite and of the public ones, and
//! real outputs of the program.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use diag_gate::schema::{Document, schema};
use jsonschema::Validator;
use serde_json::Value;

/// Suites at fault in a way that a shape cannot say: rules over several fields, files or bytes.
const BEYOND_SHAPE: [&str; 4] = ["contradiction", "id-differs-in-case", "id-repeated", "suite-empty-array"];

#[test]
fn case_files_and_settings_are_what_their_schemas_say() {
    let (case, config) = (validator(Document::Case), validator(Document::Config));
    let mut looked_at = 0;
    for suite in suites() {
        for file in files(&suite.join("cases"), "json") {
            if let Ok(value) = read(&file) {
                assert!(case.is_valid(&value), "{}: {}", file.display(), first_error(&case, &value));
                looked_at += 1;
            }
        }
        let settings = suite.join("diag-gate.toml");
        if settings.exists() {
            let value = toml_as_json(&fs::read_to_string(&settings).unwrap());
            assert!(config.is_valid(&value), "{}: {}", settings.display(), first_error(&config, &value));
        }
    }
    assert!(looked_at > 45, "only {looked_at} case files");
}

#[test]
fn case_files_at_fault_are_refused_where_a_shape_can_say_so() {
    let case = validator(Document::Case);
    let mut refused = 0;
    for suite in folders("tests/conformance/evaluation") {
        let name = suite.file_name().unwrap().to_str().unwrap().to_owned();
        if !is_at_fault(&suite) || BEYOND_SHAPE.contains(&name.as_str()) {
            continue;
        }
        let values: Vec<Value> =
            files(&suite.join("cases"), "json").iter().filter_map(|file| read(file).ok()).collect();
        assert!(values.iter().any(|value| !case.is_valid(value)), "{name}");
        refused += 1;
    }
    assert!(refused >= 5, "only {refused} refused");
    for text in [
        r#"[{"id": "a", "traceFixture": "../b.json"}]"#,
        r#"[{"id": "a", "traceFixture": "C:b.json"}]"#,
        r#"[{"id": "a", "traceFixture": "a//b.json"}]"#,
        r#"[{"id": " ", "traceFixture": "b.json"}]"#,
        r#"[{"id": "a", "traceFixture": "b.json", "allowedVerdicts": []}]"#,
        r#"[{"id": "a", "traceFixture": "b.json", "requiredEvidenceTools": [""]}]"#,
        r#"[{"id": "a", "traceFixture": "b.json", "minKeywordMatches": 1.5}]"#,
        r#"{"cases": [], "case": []}"#,
    ] {
        assert!(!case.is_valid(&serde_json::from_str(text).unwrap()), "{text}");
    }
}

#[test]
fn settings_that_are_refused_are_no_settings_of_the_schema() {
    let config = validator(Document::Config);
    for text in [
        "nam = \"x\"",
        "name = \"a/b\"",
        "[matching]\nexpected = \"loose\"",
        "[limits]\nmax_trace_bytes = 0",
        "[gate]\nmin_pass_rate = 1.5",
        "[gate.levels]\n\"case-regresed\" = \"block\"",
        "[gate.levels]\n\"case-regressed\" = \"off\"",
        "[[gate.waivers]]\ncase = \"a\"\nkinds = [\"duration-rose\"]\nreason = \"b\"",
        "[store]\nprefix = \"heads/x\"",
    ] {
        assert!(!config.is_valid(&toml_as_json(text)), "{text}");
        assert!(diag_gate::suite::config::parse(text.as_bytes(), "x").is_err(), "{text}");
    }
}

#[test]
fn traces_of_our_own_suite_are_what_the_schema_says() {
    let trace = validator(Document::Trace);
    let found = files(&root().join("eval/fixtures"), "json");
    assert!(found.len() >= 24);
    for file in found {
        let value = read(&file).unwrap();
        assert!(trace.is_valid(&value), "{}: {}", file.display(), first_error(&trace, &value));
    }
    assert!(!trace.is_valid(&serde_json::json!({"session": {"answer": 5}})));
}

#[test]
fn reports_and_diffs_are_what_their_schemas_say() {
    let (report, diff) = (validator(Document::Report), validator(Document::Diff));
    let mut compared = 0;
    for pair in folders("tests/conformance/diff") {
        let name = pair.file_name().unwrap().to_str().unwrap().to_owned();
        let sides = [pair.join("baseline.json"), pair.join("current.json")];
        if name.starts_with("refused-") {
            continue;
        }
        for side in &sides {
            let value = read(side).unwrap();
            assert!(report.is_valid(&value), "{}: {}", side.display(), first_error(&report, &value));
        }
        let output = program().arg("diff").args(&sides).args(["--format", "json"]).output().unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(diff.is_valid(&value), "{name}: {}", first_error(&diff, &value));
        compared += 1;
    }
    assert!(compared >= 30, "only {compared} pairs");
    let output = program()
        .current_dir(root())
        .args(["run", "--worktree", "--format", "json", "--suite", "./eval"])
        .output()
        .unwrap();
    let mut value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report.is_valid(&value), "{}", first_error(&report, &value));
    value["extra"] = Value::Null;
    assert!(!report.is_valid(&value));
}

#[test]
fn reports_of_shards_are_what_the_schema_says() {
    let report = validator(Document::Report);
    for shard in ["1/2", "50/50"] {
        let output = program()
            .current_dir(root())
            .args(["run", "--worktree", "--format", "json", "--suite", "./eval", "--shard", shard])
            .output()
            .unwrap();
        let mut value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(report.is_valid(&value), "{}", first_error(&report, &value));
        value["shard"] = Value::Null;
        assert!(!report.is_valid(&value));
    }
}

#[test]
fn the_program_prints_what_the_library_says() {
    for (word, document) in
        [("case", Document::Case), ("trace", Document::Trace), ("config", Document::Config)]
    {
        let output = program().args(["schema", word]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), schema(document));
    }
}

fn validator(document: Document) -> Validator {
    let schema: Value = serde_json::from_str(&schema(document)).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    jsonschema::validator_for(&schema).unwrap()
}

fn first_error(validator: &Validator, value: &Value) -> String {
    validator
        .iter_errors(value)
        .next()
        .map(|error| format!("{error} at {}", error.instance_path()))
        .unwrap_or_default()
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_diag-gate"))
}

/// Our own suite, and the public ones that are sound.
fn suites() -> Vec<PathBuf> {
    let sound = folders("tests/conformance/evaluation").into_iter().filter(|suite| !is_at_fault(suite));
    sound.chain([root().join("eval")]).collect()
}

fn is_at_fault(suite: &Path) -> bool {
    read(&suite.join("expected.json")).unwrap()["suiteError"] == Value::Bool(true)
}

fn folders(path: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(path)).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.extension().is_some_and(|found| found == end) {
            found.push(path);
        }
    }
    found
}

fn read(file: &Path) -> Result<Value, serde_json::Error> {
    let bytes = fs::read(file).unwrap();
    serde_json::from_slice(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes))
}

/// TOML as the JSON that it stands for; dates as their text.
fn toml_as_json(text: &str) -> Value {
    fn convert(value: toml::Value) -> Value {
        match value {
            toml::Value::String(text) => Value::String(text),
            toml::Value::Integer(number) => number.into(),
            toml::Value::Float(number) => number.into(),
            toml::Value::Boolean(on) => Value::Bool(on),
            toml::Value::Datetime(date) => Value::String(date.to_string()),
            toml::Value::Array(items) => items.into_iter().map(convert).collect(),
            toml::Value::Table(fields) => {
                Value::Object(fields.into_iter().map(|(key, value)| (key, convert(value))).collect())
            }
        }
    }
    convert(toml::Value::Table(text.parse().unwrap()))
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
