//! `check`: the gate over commits, and what it does where there is no baseline.

use std::process::Command;

use crate::support::TestRepo;
use crate::support::program::shell_words;
use crate::support::suite::{SEED_FIXTURE, SEED_TRACE};

const SUITE: [&str; 2] = ["--suite", "mvp/eval"];

fn check(repo: &TestRepo, more: &[&str]) -> crate::support::program::Told {
    repo.gate(&[&["check"][..], &SUITE, more].concat())
}

#[test]
fn a_regression_is_blocked_until_it_is_mended() {
    let repo = TestRepo::with_seed("mvp/eval");
    insta::assert_snapshot!(repo.gate(&[&["accept", "--yes"][..], &SUITE].concat()).page(), @r#"
    status: 0
    --- stdout
    PASSED 1 of 1 case passed (100 %)
    suite default at [ID]

    verdicts    LOW_CONFID 1
    tool calls  1 on average
    duration    4200 ms on average

    Accepted default/main [ID]: 1/1 passed (100 %).
    --- stderr
    "#);
    insta::assert_snapshot!(check(&repo, &[]).page(), @r#"
    status: 0
    --- stdout
    PASSED nothing blocks: 1 of 1 passed (100 %), 1 of 1 before
    baseline default/main [ID], accepted just now by Ann Author, of commit
    [ID] (its commit is this one or an ancestor of it)
    --- stderr
    "#);
    let answer = SEED_TRACE.replace("日志只显示", "但已经确认是主库故障，日志显示").replace("证据", "凭据");
    repo.write(format!("mvp/eval/fixtures/{SEED_FIXTURE}"), answer);
    check(&repo, &[]).ends(0);
    repo.commit("A change to the agent");
    insta::assert_snapshot!(check(&repo, &[]).page(), @r#"
    status: 1
    --- stdout
    BLOCKED 2 entries block, 1 warning: 0 of 1 passed (0 %), 1 of 1 before
    baseline default/main [ID], accepted just now by Ann Author, of commit
    [ID] (its commit is this one or an ancestor of it)

    Blocking (2 entries)
      pass-rate-fell  whole suite
        fewer of the cases on both sides pass: 1 of 1 before, 0 of 1 now
      case-regressed  unsupported-claim-filtering  Unsupported claim filtering
        passed before, fails now: root-cause-keywords (证据); forbidden-answer (已经
        确认); forbidden-claim (主库故障) [the agent changed]
        root-cause-keywords: the answer holds 1 of 2 expected keywords, at least 2
        are asked; not found: "证据"
        forbidden-answer: the answer holds forbidden words: "已经确认" in "…直接原因
        尚无凭据支持，但已经确认是主库故障，日志显示下游…"
        forbidden-claim: the answer holds conclusions that are not proved: "主库故
        障" in "…无凭据支持，但已经确认是主库故障，日志显示下游响应变慢。"

    Warnings (1 entry)
      keywords-lost  unsupported-claim-filtering  Unsupported claim filtering
        an expected keyword matched before and does not now (2 of 2 before, 1 now):
        证据 [the agent changed]

    passed         before          now
    all cases      1 of 1 (100 %)  0 of 1 (0 %)
    on both sides  1 of 1 (100 %)  0 of 1 (0 %)
    --- stderr
    "#);
    check(&repo, &["--advisory"]).ends(0).says(&["BLOCKED", "--advisory"]);
    let json: serde_json::Value =
        serde_json::from_str(&check(&repo, &["--format", "json"]).ends(1).stdout).unwrap();
    assert_eq!(json["gate"]["outcome"], "block");
    assert_eq!(json["baseline"]["rule"], "ancestor");
    repo.git(&["revert", "--no-edit", "HEAD"]);
    check(&repo, &[]).ends(0);
    check(&repo, &["--rev", "HEAD~1"]).ends(1);
}

#[test]
fn the_files_can_be_judged_before_they_are_committed() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.gate(&["check", "--worktree"]).ends(0);
    repo.write_answer("b", "不明");
    repo.gate(&["check", "--worktree"]).ends(1).says(&["case-regressed", "磁盘满"]);
    repo.gate(&["check"]).ends(0);
}

#[test]
fn without_a_baseline_the_gate_is_closed_and_says_how_to_open_it() {
    let repo = TestRepo::with_seed("mvp/eval");
    let before = repo.state();
    let told = check(&repo, &[]);
    insta::assert_snapshot!(told.page(), @r#"
    status: 2
    --- stdout
    --- stderr
    error: there is no baseline default/main
    hint: accept the first one: `diag-gate --suite mvp/eval accept --yes`
    hint: or fetch the team's: `git fetch origin 'refs/diag-gate/baselines/default/main:refs/diag-gate/baselines/default/main'`
    "#);
    assert_eq!(repo.state(), before);
    let told = check(&repo, &["--allow-missing-baseline"]).ends(0);
    assert!(told.stderr.contains("nothing was compared"));
    assert_eq!(repo.state(), before);
    for (revision, name) in [("HEAD", "main"), ("HEAD~1", "release-1.0")] {
        repo.commit("Another");
        let told = check(&repo, &["--baseline", name, "--rev", revision]).ends(2);
        let words = shell_words(&told.suggested()[0]);
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        repo.gate(&words).ends(0).says(&["Accepted"]);
        check(&repo, &["--baseline", name, "--rev", revision]).ends(0);
    }
    let evaluated = repo.git(&[
        "log",
        "-1",
        "--format=%(trailers:key=Diag-Gate-Commit,valueonly)",
        "refs/diag-gate/baselines/default/release-1.0",
    ]);
    assert_eq!(evaluated.trim(), repo.id("HEAD~1").as_str());
}

#[test]
fn a_missing_baseline_is_not_let_through_beside_another_one() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.gate(&["accept", "--yes", "--baseline", "release"]).ends(0);
    repo.gate(&["check", "--allow-missing-baseline"])
        .ends(2)
        .shows_nothing()
        .says(&["baselines/default/release"]);
    repo.write("eval/diag-gate.toml", "name = \"renamed\"\n");
    repo.commit("Rename the suite");
    repo.gate(&["check", "--allow-missing-baseline"]).ends(2).shows_nothing();
    repo.write("eval/diag-gate.toml", "[store]\nprefix = \"refs/elsewhere\"\n");
    repo.commit("Move the refs");
    repo.gate(&["check", "--allow-missing-baseline"]).ends(2).shows_nothing();
    repo.git(&[
        "update-ref",
        "refs/diag-gate/remotes/origin/baselines/default/main",
        "refs/diag-gate/baselines/default/release",
    ]);
    repo.git(&["update-ref", "-d", "refs/diag-gate/baselines/default/release"]);
    repo.gate(&["check", "--allow-missing-baseline"]).ends(2).shows_nothing().says(&["remotes/origin"]);
}

#[test]
fn a_check_writes_nothing() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    let before = repo.state();
    repo.gate(&["check"]).ends(0);
    repo.gate(&["show"]).ends(0);
    repo.gate(&["run"]).ends(0);
    repo.gate(&["lint"]).ends(0);
    repo.gate(&["accept", "--dry-run"]).ends(0);
    assert_eq!(repo.state(), before);
}

#[test]
fn a_weaker_policy_does_not_judge_its_own_change() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.write(
        "eval/diag-gate.toml",
        "[gate.levels]\ncase-regressed = \"ignore\"\npass-rate-fell = \"ignore\"\n",
    );
    repo.write_answer("a", "不明");
    repo.commit("Weaken the gate");
    repo.gate(&["check"]).ends(1).says(&["policy-changed", "case-regressed"]);
    let told = repo.gate(&["accept", "--yes", "-m", "切换策略"]).ends(0);
    told.says(&["Accepted"]);
    repo.gate(&["check"]).ends(0);
}

#[test]
fn a_rewritten_exam_is_told_from_a_changed_agent() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    let cases = std::fs::read_to_string(repo.root().join("eval/cases/all.json")).unwrap();
    repo.write("eval/cases/all.json", cases.replace(r#"["磁盘满"]"#, r#"["磁盘满", "日志"]"#));
    repo.commit("Ask for more");
    repo.gate(&["check"]).ends(1).says(&["[the exam changed]", "expectation-tightened"]);
    repo.write_answer("a", "磁盘满了");
    repo.commit("And change the agent");
    repo.gate(&["check"]).ends(1).says(&["[agent and exam changed]", "the old definition passes"]);
}

#[test]
fn a_clone_with_the_ref_judges_alike_shallow_or_not() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.write_answer("a", "不明");
    repo.commit("A change to the agent");
    let base = repo.base();
    let url = format!("file://{}", repo.root().display());
    for options in [&["--depth=1"][..], &[], &["--bare"]] {
        let _ = std::fs::remove_dir_all(base.join("copy"));
        let mut clone = Command::new("git");
        clone.env_clear().envs(repo.variables()).current_dir(&base);
        assert!(clone.args(["clone", "-q"]).args(options).args([&url, "copy"]).status().unwrap().success());
        let copy = base.join("copy");
        let told = repo.gate_in(&copy, &["check"]).ends(2);
        let fetch = told.stderr.split('`').find(|words| words.starts_with("git fetch")).expect(&told.stderr);
        let words = shell_words(fetch);
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        repo.git_in(&copy, &words);
        repo.gate_in(&copy, &["check"]).ends(1).says(&["case-regressed"]);
    }
}
