//! A baseline that stands but cannot be believed, and one that cannot be reached.

use std::fs;

use crate::support::TestRepo;

const MAIN: &str = "refs/diag-gate/baselines/default/main";
const COMMANDS: [&[&str]; 4] = [
    &["check"],
    &["check", "--allow-missing-baseline", "--advisory"],
    &["accept", "--yes", "-m", "x"],
    &["show"],
];

/// A repository with an accepted baseline and a later commit.
fn accepted() -> TestRepo {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.write_answer("a", "磁盘满了");
    repo.commit("Later");
    repo
}

/// Puts a link with other files in place of the baseline: what is named is replaced, `None` left out.
fn forge(repo: &TestRepo, files: &[(&str, Option<&str>)]) {
    let message = repo.git(&["log", "-1", "--format=%B", MAIN]);
    let index = repo.base().join("index");
    let git = |arguments: &[&str], input: &str| with_index(repo, &index, arguments, input);
    git(&["read-tree", MAIN], "");
    for (name, content) in files {
        git(&["update-index", "--force-remove", name], "");
        if let Some(content) = content {
            let blob = git(&["hash-object", "-w", "--stdin"], content);
            git(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{name}")], "");
        }
    }
    let tree = git(&["write-tree"], "");
    let link = git(&["commit-tree", &tree, "-F", "-"], &message);
    point(repo, &link);
}

fn with_index(repo: &TestRepo, index: &std::path::Path, arguments: &[&str], input: &str) -> String {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut git = Command::new("git");
    git.env_clear().envs(repo.variables()).env("GIT_INDEX_FILE", index).current_dir(repo.root());
    let mut child = git.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Asserts that each command ends so, says the word, shows nothing and writes nothing.
#[track_caller]
fn refused(repo: &TestRepo, status: i32, word: &str) {
    let before = repo.state();
    for command in COMMANDS {
        let told = repo.gate(command).ends(status).shows_nothing().says(&[word]);
        assert!(told.stderr.starts_with("error: "), "{}", told.page());
    }
    assert_eq!(repo.state(), before);
}

fn report(repo: &TestRepo) -> String {
    repo.git(&["cat-file", "-p", &format!("{MAIN}:report.json")])
}

#[test]
fn a_sound_link_that_was_put_together_by_hand_is_taken() {
    let repo = accepted();
    forge(&repo, &[]);
    repo.gate(&["check"]).ends(0);
    repo.gate(&["show"]).ends(0);
}

#[test]
fn a_damaged_report_is_refused() {
    let repo = accepted();
    let whole = report(&repo);
    let half = &whole[..whole.len() / 2];
    let conflict = whole.replacen("\"totalCases\"", "<<<<<<< ours\n\"totalCases\"", 1);
    let totals = whole.replacen("\"passedCases\": 2", "\"passedCases\": 1", 1);
    let twice = whole.replacen("\"totalCases\": 2", "\"totalCases\": 2, \"totalCases\": 2", 1);
    let newer = whole.replacen("\"schemaVersion\": 1", "\"schemaVersion\": 2", 1);
    let forged = whole.replacen("磁盘满", "磁盘", 1);
    for changed in [&totals, &twice, &newer, &conflict, &forged] {
        assert_ne!(*changed, whole);
    }
    let original = repo.id(MAIN);
    for content in [half, &conflict, &totals, &twice, &newer, &forged, "", "{}", "[]", "null", "\u{0}"] {
        forge(&repo, &[("report.json", Some(content))]);
        refused(&repo, 2, "report.json cannot be read");
        point(&repo, original.as_str());
    }
    forge(&repo, &[("report.json", None)]);
    refused(&repo, 2, "it has no report.json");
}

#[test]
fn the_story_of_a_damaged_baseline() {
    let repo = accepted();
    let whole = report(&repo);
    forge(&repo, &[("report.json", Some(&whole.replacen("\"passedCases\": 2", "\"passedCases\": 1", 1)))]);
    insta::assert_snapshot!(repo.gate(&["check"]).page(), @r#"
    status: 2
    --- stdout
    --- stderr
    error: the baseline [ID] of `refs/diag-gate/baselines/default/main` is damaged: its report.json cannot be read
      `passedCases` is 1, but the results make it 2: the file was edited or merged, evaluate again
    hint: `git log refs/diag-gate/baselines/default/main` shows the chain, `git update-ref refs/diag-gate/baselines/default/main LINK` goes back to a sound link
    "#);
}

#[test]
fn a_report_of_something_else_is_refused() {
    let repo = accepted();
    let whole = report(&repo);
    let original = repo.id(MAIN);
    let other_suite = whole.replacen("\"suite\": \"default\"", "\"suite\": \"other\"", 1);
    let dirty = whole.replacen("\"dirty\":false", "\"dirty\":true", 1);
    assert_ne!(other_suite, whole);
    assert_ne!(dirty, whole);
    for (content, word) in [
        (&other_suite, "of the suite `other`"),
        (&whole.replacen(repo.id("HEAD~1").as_str(), repo.id("HEAD").as_str(), 1), "not of the commit"),
    ] {
        forge(&repo, &[("report.json", Some(content))]);
        refused(&repo, 2, word);
        point(&repo, original.as_str());
    }
    forge(&repo, &[("report.json", Some(&dirty))]);
    refused(&repo, 2, "of a working tree");
    let seed = r#"{"totalCases": 1, "passedCases": 1, "passRate": 1.0, "verdictDistribution": {"PASS": 1}, "averageToolCallCount": 0, "averageDurationMs": 0, "results": [{"caseId": "a", "title": "a", "passed": true, "failedChecks": [], "verdict": "PASS", "matchedKeywordCount": 0, "requiredKeywordCount": 0, "evidenceCoverage": {}, "claimCheckCount": 0, "toolCallCount": 0, "durationMs": 0}]}"#;
    forge(&repo, &[("report.json", Some(seed))]);
    refused(&repo, 2, "of another program");
}

#[test]
fn a_broken_policy_and_another_format_are_refused() {
    let repo = accepted();
    let original = repo.id(MAIN);
    for (files, word) in [
        (&[("policy.toml", Some("[gate"))][..], "policy.toml cannot be read"),
        (&[("policy.toml", Some("[gate.levels]\ncase-regresed = \"ignore\"\n"))], "policy.toml:2"),
        (&[("policy.toml", Some("name = \"other\"\n"))], "of the suite `other`"),
        (&[("policy.toml", None)], "it has no policy.toml"),
        (&[("format-1", None), ("format-2", Some(""))], "newer diag-gate"),
        (&[("format-2", Some(""))], "newer diag-gate"),
        (&[("format-1", Some("x"))], "format-1 is not an empty file"),
        (&[("format-1", None)], "no commit of diag-gate"),
    ] {
        forge(&repo, files);
        refused(&repo, 2, word);
        point(&repo, original.as_str());
    }
}

#[test]
fn what_is_no_baseline_is_never_taken_for_none() {
    let repo = accepted();
    let blob = repo.git(&["hash-object", "-w", "eval/cases/all.json"]);
    repo.git(&["tag", "-a", "annotated", "-m", "x", "HEAD"]);
    for target in ["HEAD", "HEAD^{tree}", &blob, "refs/tags/annotated"] {
        point(&repo, target);
        refused(&repo, 2, "baseline");
    }
    repo.git(&["update-ref", "-d", MAIN]);
    repo.git(&["symbolic-ref", MAIN, "refs/heads/main"]);
    refused(&repo, 2, "symbolic");
    repo.git(&["symbolic-ref", MAIN, "refs/heads/nowhere"]);
    let before = repo.git(&["for-each-ref"]);
    for command in COMMANDS {
        repo.gate(command).ends(2).shows_nothing();
    }
    assert_eq!(repo.git(&["for-each-ref"]), before);
}

#[test]
fn a_message_that_says_too_little_is_refused() {
    let repo = accepted();
    let tree = repo.git(&["rev-parse", &format!("{MAIN}^{{tree}}")]);
    let message = repo.git(&["log", "-1", "--format=%B", MAIN]);
    let without = |trailer: &str| {
        let kept: Vec<&str> = message.lines().filter(|line| !line.starts_with(trailer)).collect();
        kept.join("\n")
    };
    for message in [without("Diag-Gate-Commit"), without("Diag-Gate-Suite-Digest"), "x".to_owned()] {
        let link = repo.git(&["commit-tree", &tree, "-m", &message]);
        point(&repo, &link);
        refused(&repo, 2, "damaged");
    }
}

#[test]
fn what_is_missing_from_the_repository_is_a_fault_of_the_surroundings() {
    let repo = accepted();
    let blob = repo.git(&["rev-parse", &format!("{MAIN}:report.json")]);
    let object = repo.root().join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    let bytes = fs::read(&object).unwrap();
    fs::remove_file(&object).unwrap();
    refused(&repo, 3, "missing from the repository");
    for length in [0, 2, 20, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&object, &bytes[..length]).unwrap();
        refused(&repo, 3, "damaged");
    }
    fs::remove_file(&object).unwrap();
    fs::write(repo.root().join(".git").join(MAIN), "1".repeat(40) + "\n").unwrap();
    for command in COMMANDS {
        repo.gate(command).ends(3).shows_nothing().says(&["missing from the repository"]);
    }
    fs::write(repo.root().join(".git").join(MAIN), "no id\n").unwrap();
    for command in COMMANDS {
        repo.gate(command).ends(3).shows_nothing();
    }
    assert_eq!(fs::read_to_string(repo.root().join(".git").join(MAIN)).unwrap(), "no id\n");
}

#[test]
fn a_lock_is_named_and_left() {
    let repo = accepted();
    let lock = repo.root().join(".git").join(format!("{MAIN}.lock"));
    fs::write(&lock, "").unwrap();
    let before = repo.git(&["for-each-ref"]);
    repo.gate(&["accept", "--yes"]).ends(3).says(&["is locked by", "main.lock"]);
    assert!(lock.exists());
    assert_eq!(repo.git(&["for-each-ref"]), before);
    repo.gate(&["check"]).ends(0);
}

#[test]
fn a_suite_without_a_case_in_common_is_another_suite() {
    let repo = accepted();
    repo.write_cases(&["x", "y"]);
    repo.write_answer("x", "磁盘满了");
    repo.write_answer("y", "磁盘满了");
    repo.commit("All other cases");
    let before = repo.state();
    repo.gate(&["check"]).ends(2).shows_nothing().says(&["cannot be compared", "--baseline NAME"]);
    repo.gate(&["accept", "--yes", "-m", "x"]).ends(2).shows_nothing();
    assert_eq!(repo.state(), before);
}

/// Lets the chain be another one, in a clone that has seen none yet.
fn point(repo: &TestRepo, link: &str) {
    repo.git(&["update-ref", MAIN, link]);
    repo.git(&["update-ref", "-d", "refs/diag-gate/seen/default/main"]);
}
