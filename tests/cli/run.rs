//! `run`: the report of a commit, of a working tree, and of fresh recordings.

use std::fs;
use std::path::Path;

use crate::support::TestRepo;
use crate::support::suite::{SEED_FIXTURE, SEED_TRACE, case, trace};

fn json(repo: &TestRepo, more: &[&str]) -> String {
    json_in(repo, repo.root(), more)
}

fn json_in(repo: &TestRepo, folder: &Path, more: &[&str]) -> String {
    let arguments = [&["run", "--format", "json"][..], more].concat();
    repo.gate_in(folder, &arguments).ends(0).stdout
}

fn dirty(report: &str) -> bool {
    let report: serde_json::Value = serde_json::from_str(report).unwrap();
    report["source"]["dirty"].as_bool().unwrap()
}

#[test]
fn the_layout_of_the_seed_is_read_as_it_stands() {
    let repo = TestRepo::with_seed("mvp/eval");
    insta::assert_snapshot!(repo.gate(&["run", "--suite", "mvp/eval", "-v"]).page(), @r#"
    status: 0
    --- stdout
    PASSED 1 of 1 case passed (100 %)
    suite default at [ID]

    pass  unsupported-claim-filtering  Unsupported claim filtering

    verdicts    LOW_CONFID 1
    tool calls  1 on average
    duration    4200 ms on average
    --- stderr
    "#);
}

#[test]
fn the_suite_is_found_from_everywhere() {
    let repo = TestRepo::with_seed("mvp/评测 套件");
    let inner = repo.root().join("mvp/评测 套件");
    fs::create_dir(repo.root().join("docs")).unwrap();
    let whole = json(&repo, &["--suite", "mvp/评测 套件"]);
    let absolute = inner.to_str().unwrap();
    let root = repo.root().to_str().unwrap();
    for (folder, arguments) in [
        ("mvp", &["--suite", "mvp/评测 套件/"][..]),
        ("docs", &["--suite", "mvp/./评测 套件"]),
        ("mvp", &["--suite", "./评测 套件"]),
        ("docs", &["--suite", "../mvp/评测 套件"]),
        ("mvp/评测 套件", &["--suite", "."]),
        ("docs", &["--suite", absolute]),
        (".", &["-C", "mvp", "--suite", "./评测 套件"]),
        ("docs", &["-C", "..", "--suite", "mvp/评测 套件"]),
    ] {
        assert_eq!(json_in(&repo, &repo.root().join(folder), arguments), whole, "{folder}: {arguments:?}");
        let worktree = [arguments, &["--worktree"]].concat();
        assert_eq!(json_in(&repo, &repo.root().join(folder), &worktree), whole, "{folder}: {worktree:?}");
    }
    let base = repo.base();
    assert_eq!(json_in(&repo, &base, &["-C", root, "--suite", "mvp/评测 套件"]), whole);
    assert_eq!(json_in(&repo, &base, &["-C", "repo/mvp", "--suite", "./评测 套件"]), whole);
}

#[test]
fn a_commit_gives_the_same_bytes_everywhere() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    let whole = json(&repo, &[]);
    assert_eq!(json(&repo, &[]), whole);
    assert_eq!(json(&repo, &["--worktree"]), whole);
    let base = repo.base();
    repo.git_in(&base, &["clone", "-q", "repo", "copy"]);
    repo.git_in(&base, &["clone", "-q", "--bare", "repo", "bare.git"]);
    assert_eq!(json_in(&repo, &base.join("copy"), &[]), whole);
    assert_eq!(json_in(&repo, &base.join("copy"), &["--worktree"]), whole);
    assert_eq!(json_in(&repo, &base.join("bare.git"), &[]), whole);
    repo.git(&["worktree", "add", "-q", "--detach", "../linked"]);
    assert_eq!(json_in(&repo, &base.join("linked"), &["--worktree"]), whole);
    repo.gate_in(&base.join("bare.git"), &["run", "--worktree"]).ends(2).shows_nothing().says(&["bare"]);
}

#[test]
fn a_working_tree_is_dirty_exactly_where_it_differs() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    let worktree = |more: &[&str]| json(&repo, &[&["--worktree"][..], more].concat());
    let head = json(&repo, &[]);
    repo.write_answer("a", "磁盘满");
    assert_eq!(worktree(&[]), head, "written again with the same bytes");
    repo.write("notes.txt", "outside the suite");
    repo.write("eval/fixtures/unused.json", "{}");
    assert_eq!(worktree(&[]), head, "files that no case reads");
    repo.write_answer("a", "磁盘满了");
    assert!(dirty(&worktree(&[])), "an edited trace");
    assert!(!dirty(&worktree(&["--case", "b"])), "the edited trace is not read");
    repo.write_answer("a", "磁盘满");
    repo.write("eval/cases/more.json", "[]");
    assert!(dirty(&worktree(&[])), "a new file of cases");
    fs::remove_file(repo.root().join("eval/cases/more.json")).unwrap();
    repo.write("eval/diag-gate.toml", "");
    assert!(dirty(&worktree(&[])), "new settings");
    fs::remove_file(repo.root().join("eval/diag-gate.toml")).unwrap();
    assert_eq!(worktree(&[]), head);
    assert_eq!(json(&repo, &[]), head, "HEAD is what is committed");
}

#[test]
fn who_changed_files_is_told_that_head_counts() {
    let repo = TestRepo::with_cases(&["a"]);
    assert_eq!(repo.gate(&["run"]).ends(0).stderr, "");
    repo.write_answer("a", "不明");
    insta::assert_snapshot!(repo.gate(&["run"]).page(), @r#"
    status: 0
    --- stdout
    PASSED 1 of 1 case passed (100 %)
    suite default at [ID]

    verdicts    PASS 1
    tool calls  0 on average
    --- stderr
    note: suite files in the working tree differ from HEAD: HEAD is evaluated; `--worktree` evaluates the files
    "#);
    assert_eq!(repo.gate(&["run", "-q"]).ends(0).stderr, "");
    repo.gate(&["run", "--worktree"]).ends(1);
}

#[test]
fn a_gitlink_on_the_way_to_a_trace_is_no_clean_tree() {
    let repo = TestRepo::with_cases(&["a"]);
    let id = repo.id("HEAD").as_str().to_owned();
    repo.write("eval/cases/b.json", format!("[{}]", case("sub/b", "")));
    repo.git(&["add", "--all"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},eval/fixtures/sub")]);
    repo.git(&["commit", "-q", "-m", "A gitlink"]);
    repo.gate(&["run"]).ends(1).says(&["no regular file"]);
    fs::create_dir(repo.root().join("eval/fixtures/sub")).unwrap();
    assert!(dirty(&repo.gate(&["run", "--worktree", "--format", "json"]).ends(1).stdout));
}

#[test]
fn fresh_recordings_take_the_place_of_the_committed_ones() {
    let repo = TestRepo::with_seed("eval");
    let fresh = repo.base().join("fresh");
    fs::create_dir(&fresh).unwrap();
    fs::write(fresh.join(SEED_FIXTURE), SEED_TRACE).unwrap();
    let head = json(&repo, &[]);
    assert_eq!(json(&repo, &["--traces", "../fresh"]), head, "the same bytes elsewhere");
    fs::write(fresh.join(SEED_FIXTURE), trace("主库故障")).unwrap();
    let told = repo.gate(&["run", "--traces", "../fresh", "--format", "json"]).ends(1);
    assert!(dirty(&told.stdout));
    let missing = repo.gate(&["run", "--traces", "../nowhere"]).ends(2).shows_nothing();
    missing.says(&["there is no folder", "nowhere"]);
}

#[test]
fn cases_are_chosen_by_globs() {
    let repo = TestRepo::with_cases(&["order-1", "order-2", "redis"]);
    let told = repo.gate(&["run", "--case", "order-*", "--case", "redis", "-v"]).ends(0);
    told.says(&["3 of 3 cases"]);
    repo.gate(&["run", "--case=order-?"]).ends(0).says(&["2 of 2 cases"]);
    repo.gate(&["run", "--case", "order-*", "--case", "orders"])
        .ends(2)
        .shows_nothing()
        .says(&["`--case orders`"]);
    repo.gate(&["run", "--case", "["]).ends(2).shows_nothing();
    repo.gate(&["run", "--case", ""]).ends(2).shows_nothing();
}

#[test]
fn a_suite_outside_any_repository_is_evaluated_as_files() {
    let repo = TestRepo::with_cases(&["a"]);
    let outside = repo.base().join("outside");
    fs::create_dir(&outside).unwrap();
    repo.git_in(&repo.base(), &["clone", "-q", "repo", "outside/copy"]);
    fs::remove_dir_all(outside.join("copy/.git")).unwrap();
    let folder = outside.join("copy");
    let told = repo.gate_in(&folder, &["run", "--worktree", "--format", "json"]).ends(0);
    assert!(dirty(&told.stdout));
    repo.gate_in(&folder, &["run"]).ends(3).shows_nothing().says(&["is in no git repository"]);
    repo.gate_in(&folder, &["check", "--worktree"]).ends(3).shows_nothing();
}
