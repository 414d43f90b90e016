//! `init`: a small suite that works, and nothing overwritten.

use std::fs;
use std::path::Path;

use crate::support::TestRepo;

const FILES: [&str; 4] = [
    "diag-gate.toml",
    "cases/examples.json",
    "fixtures/examples/order-timeout.json",
    "fixtures/examples/checkout-errors.json",
];
const WORKFLOW: &str = ".github/workflows/diag-gate.yml";

#[test]
fn a_new_suite_works_from_the_first_command_to_the_gate() {
    let repo = TestRepo::new();
    insta::assert_snapshot!(repo.gate(&["init", "--ci"]).page(), @r#"
    status: 0
    --- stdout
    Written:
      eval/diag-gate.toml
      eval/cases/examples.json
      eval/fixtures/examples/order-timeout.json
      eval/fixtures/examples/checkout-errors.json
      .github/workflows/diag-gate.yml

    Next:
      `diag-gate run --worktree` evaluates the suite as it stands
      replace OWNER and the 40 zeros in .github/workflows/diag-gate.yml by the release that you use
      commit the files
      `diag-gate accept --yes` makes the suite at HEAD the baseline
      `diag-gate check` judges every change after it
      `diag-gate sync` shares the baseline, so that the workflow finds it
    --- stderr
    "#);
    let run = repo.gate(&["run", "--worktree"]).ends(0);
    assert!(run.stdout.starts_with("PASSED"), "{}", run.stdout);
    repo.gate(&["lint", "--worktree"]).ends(0).says(&["SOUND 2 cases, 0 warnings"]);
    repo.commit("Add the diagnosis suite");
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.gate(&["check"]).ends(0);
    repo.gate(&["demo"]).ends(0).says(&["caught the planted regression"]);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/workflows/diag-gate.yml");
    assert_eq!(fs::read(repo.root().join(WORKFLOW)).unwrap(), fs::read(own).unwrap());
}

#[test]
fn what_is_there_is_kept_to_the_byte() {
    let repo = TestRepo::new();
    repo.write("eval/diag-gate.toml", "name = \"ours\" # 我们的\r\n");
    repo.write("eval/cases/examples.json", "broken");
    let told = repo.gate(&["init"]).ends(0);
    let (written, kept) = told.stdout.split_once("Kept as it was:\n").unwrap();
    for (file, is_kept) in FILES.iter().zip([true, true, false, false]) {
        let line = format!("  eval/{file}\n");
        assert_eq!((written.contains(&line), kept.contains(&line)), (!is_kept, is_kept), "{}", told.stdout);
    }
    let read = |file: &str| fs::read_to_string(repo.root().join(file)).unwrap();
    assert_eq!(read("eval/diag-gate.toml"), "name = \"ours\" # 我们的\r\n");
    assert_eq!(read("eval/cases/examples.json"), "broken");
    assert!(!repo.root().join(WORKFLOW).exists(), "no workflow was asked for");
}

#[test]
fn a_second_time_changes_nothing() {
    let repo = TestRepo::new();
    repo.gate(&["init", "--ci"]).ends(0);
    repo.commit("Add the diagnosis suite");
    let told = repo.gate(&["init", "--ci"]).ends(0);
    assert!(told.stdout.starts_with("Kept as it was:\n"), "{}", told.stdout);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_suite_of_ones_own_gets_no_examples() {
    let repo = TestRepo::with_cases(&["one"]);
    let told =
        repo.gate(&["init"]).ends(0).says(&["Left out, since the suite has cases or traces of its own:"]);
    assert!(told.stdout.starts_with("Written:\n  eval/diag-gate.toml\nLeft out"), "{}", told.stdout);
    repo.gate(&["lint", "--worktree"]).ends(0).says(&["1 case, 0 warnings"]);
}

#[test]
fn another_folder_is_named_in_every_command() {
    let repo = TestRepo::new();
    let told = repo.gate(&["--suite", "a b/评测", "init", "--ci"]).ends(0);
    told.says(&["diag-gate --suite 'a b/评测' run --worktree"]);
    for file in FILES {
        assert!(repo.root().join("a b/评测").join(file).is_file(), "{file}");
    }
    repo.gate(&["--suite", "a b/评测", "run", "--worktree"]).ends(0);
}

#[test]
fn outside_a_repository_there_is_a_suite_and_no_workflow() {
    let repo = TestRepo::new();
    let folder = repo.base().join("outside");
    fs::create_dir(&folder).unwrap();
    repo.gate_in(&folder, &["init", "--ci"]).ends(3).says(&["git init"]).shows_nothing();
    assert_eq!(folder.read_dir().unwrap().count(), 0, "nothing is written before all is looked at");
    repo.gate_in(&folder, &["init"]).ends(0);
    repo.gate_in(&folder, &["run", "--worktree"]).ends(0);
    repo.gate_in(&folder, &["lint", "--worktree"]).ends(0).says(&["0 warnings"]);
}

#[test]
fn in_a_bare_repository_there_is_no_place() {
    let repo = TestRepo::with(&["--bare"]);
    repo.gate(&["init"]).ends(2).says(&["no place for a suite"]).shows_nothing();
}

#[test]
fn gits_own_folder_and_paths_out_of_the_repository_are_refused() {
    let repo = TestRepo::new();
    for suite in [".git", ".git/hooks", "a/.GIT/b", "a/../../outside"] {
        repo.gate(&["init", "--suite", suite]).ends(2).shows_nothing();
        assert!(!repo.root().join(suite).join("cases").exists(), "{suite}");
        assert!(!repo.root().join("a").exists());
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_or_over_what_is_no_file() {
    use std::os::unix::fs::symlink;
    let links = ["eval", "eval/cases", "eval/fixtures/examples", "eval/diag-gate.toml", ".github", WORKFLOW];
    for link in links {
        for target in ["elsewhere", "missing"] {
            let repo = TestRepo::new();
            let elsewhere = repo.base().join("elsewhere");
            fs::create_dir(&elsewhere).unwrap();
            let link = repo.root().join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(repo.base().join(target), &link).unwrap();
            repo.gate(&["init", "--ci"]).ends(2).says(&["is a link"]).shows_nothing();
            assert_eq!(elsewhere.read_dir().unwrap().count(), 0);
            assert!(!repo.base().join("missing").exists());
            assert!(!repo.root().join("eval/fixtures/examples/order-timeout.json").exists());
        }
    }
    let repo = TestRepo::new();
    repo.write("eval", "a file");
    repo.gate(&["init"]).ends(2).says(&["a file, where a folder should stand"]);
    let repo = TestRepo::new();
    fs::create_dir_all(repo.root().join("eval/diag-gate.toml")).unwrap();
    repo.gate(&["init"]).ends(2).says(&["a folder, where a file should stand"]);
}

#[test]
fn the_workflow_is_made_for_the_suite_and_the_branch() {
    let repo = TestRepo::new();
    repo.gate(&["init", "--ci"]).ends(0);
    let plain = std::fs::read_to_string(repo.root().join(".github/workflows/diag-gate.yml")).unwrap();
    assert!(!plain.contains("suite: ") && plain.matches("branches: [main]").count() == 2, "{plain}");
    let jobs = plain.matches("uses: OWNER/diag-gate@").count();
    assert_eq!(jobs, 3);

    let repo = TestRepo::new();
    repo.commit("Empty");
    repo.git(&["branch", "-m", "master"]);
    repo.git(&["checkout", "-q", "-b", "add-the-gate"]);
    repo.gate(&["init", "--ci", "--suite", "my \"suite\"/评测: #1"]).ends(0);
    let text = std::fs::read_to_string(repo.root().join(".github/workflows/diag-gate.yml")).unwrap();
    let inputs =
        "        with:\n          comment-key: diag-gate\n          suite: \"my \\\"suite\\\"/评测: #1\"\n";
    assert_eq!(text.matches(inputs).count(), jobs, "{text}");
    assert_eq!(text.matches("branches: [master]").count(), 2);

    for (branch, named) in [("release/next", "release/next"), ("a,b", "main"), ("1", "main")] {
        let repo = TestRepo::new();
        repo.git(&["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]);
        repo.gate(&["init", "--ci"]).ends(0);
        let text = std::fs::read_to_string(repo.root().join(".github/workflows/diag-gate.yml")).unwrap();
        assert_eq!(text.matches(&format!("branches: [{named}]")).count(), 2, "{text}");
    }
}

#[test]
fn what_no_workflow_or_suite_can_be_made_of_is_refused_before_anything_is_written() {
    let repo = TestRepo::new();
    for arguments in
        [&["init", "--ci", "--suite", "${{ github.event.issue.title }}"][..], &["init", "--config", "x.toml"]]
    {
        repo.gate(arguments).ends(2).shows_nothing();
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{arguments:?}");
    }
}
