//! Histories whose answer is known: what was planted is found.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use diag_gate::git::GitPast;
use diag_gate::history::{Definitions, Past, Walk};
use serde_json::{Value, json};

use crate::support::TestRepo;

fn history(repo: &TestRepo, more: &[&str]) -> Vec<Value> {
    let told = repo.gate(&[&["history", "--format", "json"], more].concat()).ends(0);
    let found: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(found["schemaVersion"], 1);
    assert_eq!(found["suite"], "default");
    found["commits"].as_array().unwrap().clone()
}

fn bisect(repo: &TestRepo, case: &str) -> Value {
    let told = repo.gate(&["bisect", case, "--format", "json"]).ends(0);
    serde_json::from_str(&told.stdout).unwrap()
}

/// Lets a case answer so, and commits that.
fn answer(repo: &TestRepo, id: &str, text: &str) -> String {
    repo.write_answer(id, text);
    repo.commit(&format!("{id}: {text}")).as_str().to_owned()
}

#[test]
fn a_case_that_broke_was_mended_and_broke_again_is_found_at_its_last_break() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    answer(&repo, "b", "磁盘满, at length");
    let first = answer(&repo, "a", "no idea");
    answer(&repo, "b", "磁盘满, once more");
    let mended = answer(&repo, "a", "磁盘满 again");
    answer(&repo, "a", "磁盘满 in other words");
    let second = answer(&repo, "a", "no idea whatever");
    answer(&repo, "a", "still none");
    repo.write("README", "nothing");
    repo.commit("Beside the suite");
    let found = bisect(&repo, "a");
    assert_eq!(found["commit"], json!(second));
    assert_eq!(found["passed"], false);
    assert_eq!(found["cause"], "trace");
    assert_eq!(found["checks"], json!(["root-cause-keywords"]));
    assert_eq!(found["author"], "Ann Author <ann@example.com>");
    assert_eq!(found["subject"], "a: no idea whatever");
    assert_eq!(found["sideCommit"], Value::Null);
    let flips: Vec<&Value> = found["flips"].as_array().unwrap().iter().map(|flip| &flip["commit"]).collect();
    assert_eq!(flips, [&json!(second), &json!(mended), &json!(first)]);
    // One evaluation for each trace that the case ever had, and none for the commits beside it.
    assert_eq!(found["evaluations"], 6);
    let never = bisect(&repo, "b");
    assert_eq!(never["commit"], json!(repo.git(&["rev-list", "--max-parents=0", "HEAD"])));
    assert_eq!((&never["passed"], &never["flips"]), (&json!(true), &json!([])));
    assert_eq!((&never["cause"], &never["parent"]), (&Value::Null, &Value::Null));
    let told = repo.gate(&["bisect", "a"]).ends(0);
    told.says(&["FAILS a since", "a: no idea whatever", "the agent", "root-cause-keywords"]);
}

#[test]
fn a_break_that_came_with_a_merge_is_the_merges_and_the_side_commit_is_named() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.git(&["checkout", "-q", "-b", "side"]);
    answer(&repo, "b", "磁盘满 on the side");
    repo.git(&["checkout", "-q", "-b", "deeper"]);
    let planted = answer(&repo, "a", "no idea");
    repo.git(&["checkout", "-q", "side"]);
    answer(&repo, "b", "磁盘满 beside that");
    repo.git(&["merge", "-q", "--no-ff", "-m", "Merge deeper", "deeper"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("README", "main goes on");
    let before = repo.commit("Beside the suite");
    repo.git(&["merge", "-q", "--no-ff", "-m", "Merge side", "side"]);
    let merge = repo.git(&["rev-parse", "HEAD"]);
    answer(&repo, "b", "磁盘满 afterwards");
    let found = bisect(&repo, "a");
    assert_eq!(found["commit"], json!(merge));
    assert_eq!(found["parent"], json!(before));
    assert_eq!(found["sideCommit"], json!(planted));
    repo.gate(&["bisect", "a"]).ends(0).says(&["merged from", "a: no idea"]);
    let first: Vec<String> = history(&repo, &[]).iter().map(|row| row["commit"].to_string()).collect();
    assert!(!first.contains(&json!(planted).to_string()));
    let all = history(&repo, &["--all-parents"]);
    let broke: Vec<&Value> = all.iter().filter(|row| row["broke"] != json!([])).collect();
    // At the planted commit and at both merges, each beside its first parent.
    assert_eq!(broke.len(), 3, "{broke:?}");
}

#[test]
fn a_break_that_only_the_merge_itself_made_has_no_side_commit() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.git(&["checkout", "-q", "-b", "side"]);
    answer(&repo, "a", "磁盘满 on the side");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "--no-commit", "side"]);
    let merge = answer(&repo, "a", "no idea");
    let found = bisect(&repo, "a");
    assert_eq!((&found["commit"], &found["sideCommit"]), (&json!(merge), &Value::Null));
}

#[test]
fn a_harder_exam_is_told_from_a_worse_agent() {
    let repo = TestRepo::with_cases(&["a"]);
    let harder = crate::support::suite::case("a", r#", "requiredEvidenceTools": ["query_logs"]"#);
    repo.write("eval/cases/all.json", format!("[{harder}]"));
    let planted = repo.commit("Ask for the logs");
    let found = bisect(&repo, "a");
    assert_eq!((&found["commit"], &found["cause"]), (&json!(planted), &json!("case")));
    assert_eq!(found["checks"], json!(["evidence-tools"]));
    repo.write("eval/cases/all.json", format!("[{}]", crate::support::suite::case("a", "")));
    repo.write_answer("a", "no idea");
    repo.commit("Ask less, and answer worse");
    assert_eq!(bisect(&repo, "a")["commit"], json!(planted), "it fails ever since");
    repo.write("eval/diag-gate.toml", "[limits]\nmax_trace_bytes = 1");
    repo.write_answer("a", "磁盘满");
    repo.commit("A limit that nothing keeps");
    repo.write("eval/diag-gate.toml", "");
    let mended = repo.commit("Without the limit");
    let found = bisect(&repo, "a");
    assert_eq!((&found["commit"], &found["cause"]), (&json!(mended), &json!("evaluator")));
    assert_eq!((&found["passed"], &found["checks"]), (&json!(true), &json!(["trace"])));
}

#[test]
fn a_renamed_case_is_removed_and_added_and_a_broken_or_absent_suite_stops_nothing() {
    let repo = TestRepo::new();
    repo.write("README", "no suite yet");
    repo.commit("Before the suite");
    repo.write_cases(&["a", "b"]);
    repo.commit("The suite");
    repo.write("eval/cases/all.json", "[{]");
    repo.commit("A slip");
    repo.git(&["rm", "-rq", "eval"]);
    repo.commit("No suite for a while");
    repo.write_cases(&["a", "c"]);
    repo.commit("Back, with b called c");
    let told = repo.gate(&["history", "--format", "json"]).ends(0).says(&["is at fault", "cases/all.json"]);
    let found: Value = serde_json::from_str(&told.stdout).unwrap();
    let rows = found["commits"].as_array().unwrap();
    let states: Vec<&str> = rows.iter().map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["evaluated", "absent", "invalid", "evaluated", "absent"]);
    assert_eq!((&rows[0]["added"], &rows[0]["removed"]), (&json!(["c"]), &json!(["b"])));
    assert_eq!(rows[3]["added"], json!(["a", "b"]));
    assert!(rows[2]["error"].as_str().unwrap().contains("cases/all.json:1"), "{}", rows[2]);
    for text in ["no suite", "at fault", "added c", "removed b"] {
        assert!(repo.gate(&["history"]).ends(0).stdout.contains(text), "{text}");
    }
}

#[test]
fn every_link_of_every_chain_is_marked_on_the_commit_that_it_evaluated() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.gate(&["accept", "--yes", "-m", "the <first>"]).ends(0);
    let first = repo.git(&["rev-parse", "HEAD"]);
    answer(&repo, "a", "磁盘满 in other words");
    repo.gate(&["accept", "--yes", "-m", "the second"]).ends(0);
    repo.gate(&["accept", "--yes", "--baseline", "release", "-m", "released"]).ends(0);
    answer(&repo, "a", "no idea");
    // A copy that was fetched counts as well.
    let release = "refs/diag-gate/baselines/default/release";
    let tip = repo.git(&["rev-parse", release]);
    repo.git(&["update-ref", "refs/diag-gate/remotes/origin/baselines/default/release", &tip]);
    repo.git(&["update-ref", "-d", release]);
    let rows = history(&repo, &[]);
    assert_eq!(rows[0]["baseline"], Value::Null);
    let names = |row: &Value| -> Vec<String> {
        let earlier = row["earlierBaselines"].as_array().cloned().unwrap_or_default();
        let all = [vec![row["baseline"].clone()], earlier].concat();
        let mut names: Vec<String> = all.iter().map(|mark| mark["name"].to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&rows[1]), ["\"main\"", "\"release\""]);
    assert_eq!(rows[2]["commit"], json!(first));
    assert_eq!(rows[2]["baseline"]["reason"], "the <first>");
    assert_eq!(rows[2]["baseline"]["by"], "Ann Author <ann@example.com>");
    assert!(rows[2].get("earlierBaselines").is_none());
    let text = repo.gate(&["history"]).ends(0);
    text.says(&["accepted as main", "accepted as release", "the <first>"]);
}

#[test]
fn the_old_agent_is_judged_by_the_exam_of_today() {
    let repo = TestRepo::with_cases(&["a"]);
    answer(&repo, "a", "磁盘满, found by query_logs");
    let harder = crate::support::suite::case("a", r#", "forbiddenAnswerKeywords": ["query_logs"]"#);
    repo.write("eval/cases/all.json", format!("[{harder}]"));
    repo.commit("Ask that no tool is named");
    let passed =
        |rows: &[Value]| -> Vec<Value> { rows.iter().map(|row| row["passedCases"].clone()).collect() };
    assert_eq!(passed(&history(&repo, &[])), [0, 1, 1]);
    assert_eq!(passed(&history(&repo, &["--cases-from", "HEAD"])), [0, 0, 1]);
    assert_eq!(passed(&history(&repo, &["--cases-from", "HEAD~2"])), [1, 1, 1]);
    repo.gate(&["history", "--cases-from", "nowhere"]).ends(2);
}

#[test]
fn each_distinct_pair_of_a_definition_and_a_trace_is_evaluated_once() {
    let repo = TestRepo::with_cases(&["a", "b", "c"]);
    for (id, text) in [("a", "no"), ("b", "磁盘满 2"), ("a", "磁盘满"), ("a", "no"), ("c", "never")] {
        answer(&repo, id, text);
        repo.write("README", text);
        repo.commit("Beside the suite");
    }
    let mut pairs = BTreeSet::new();
    for commit in repo.git(&["rev-list", "HEAD"]).lines() {
        let told = repo.gate(&["run", "--rev", commit, "--format", "json"]);
        let report: Value = serde_json::from_str(&told.stdout).unwrap();
        for result in report["results"].as_array().unwrap() {
            pairs.insert((result["caseDigest"].to_string(), result["traceId"].to_string()));
        }
    }
    let opened = repo.open();
    let past = GitPast::new(&opened, b"eval");
    let line = past.line(&repo.id("HEAD"), None, true, None).unwrap();
    let mut walk = Walk::new(&past, &|_| true, Definitions::default(), NonZeroUsize::MIN);
    assert_eq!(walk.rows(&line, &mut |_, _| {}).unwrap().len(), 11);
    assert_eq!(walk.evaluations(), pairs.len() as u64);
}

#[test]
fn what_cannot_be_read_is_an_error_and_no_row() {
    let repo = TestRepo::with_cases(&["a"]);
    let lost = repo.git(&["rev-parse", "HEAD:eval/fixtures"]);
    let blob = repo.git(&["rev-parse", "HEAD:eval/fixtures/a.json"]);
    answer(&repo, "a", "no idea");
    for id in [lost, blob] {
        let file = repo.root().join(".git/objects").join(&id[..2]).join(&id[2..]);
        let bytes = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        repo.gate(&["history"]).ends(3).shows_nothing().says(&["missing"]);
        repo.gate(&["bisect", "a"]).ends(3).shows_nothing();
        std::fs::write(&file, bytes).unwrap();
    }
    repo.gate(&["history"]).ends(0);
}
