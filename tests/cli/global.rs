//! What holds for every command: bad command lines, where a command stands, revisions, colours.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use crate::support::TestRepo;

#[test]
fn bad_command_lines_end_with_two() {
    let repo = TestRepo::with_cases(&["a"]);
    for arguments in [
        &[][..],
        &["nothing"],
        &["--nothing"],
        &["run", "--nothing"],
        &["run", "extra"],
        &["run", "--format"],
        &["run", "-o", ""],
        &["run", "--format", "xml"],
        &["run", "--format", "\u{1b}[31m\u{202e}x"],
        &["\u{1b}[2Jrun"],
        &["run", "--rev", "HEAD", "--worktree"],
        &["run", "--rev", "-x"],
        &["run", "--rev", "HEAD", "--rev", "HEAD"],
        &["run", "-q", "-v"],
        &["run", "-C"],
        &["check", "--format", "junit"],
        &["check", "--advisory=yes"],
        &["check", "main"],
        &["accept", "--worktree"],
        &["accept", "-m"],
        &["show", "a", "b"],
        &["lint", "--format", "json"],
        &["completions"],
        &["completions", "nothing"],
        &["--color", "sometimes", "run"],
    ] {
        let told = repo.gate(arguments).ends(2).shows_nothing();
        assert!(!told.stderr.is_empty(), "{arguments:?}");
    }
    let mut command = repo.command(&["run", "--case"]);
    command.arg(OsStr::from_bytes(b"\xff"));
    repo.told(command.output().unwrap()).ends(2).shows_nothing();
}

#[test]
fn help_and_version_are_what_was_asked_for() {
    let repo = TestRepo::new();
    for arguments in
        [&["--help"][..], &["-h"], &["run", "--help"], &["help", "check"], &["--version"], &["-V"]]
    {
        let told = repo.gate_in(&repo.base(), arguments).ends(0);
        assert_eq!(told.stderr, "", "{arguments:?}");
        assert!(!told.stdout.is_empty());
    }
    repo.gate(&["--help"]).says(&["Exit statuses:"]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        repo.gate(&["completions", shell]).ends(0).says(&["diag-gate"]);
    }
}

#[test]
fn revisions_that_name_no_commit_are_told() {
    let repo = TestRepo::with_cases(&["a"]);
    let blob = repo.git(&["rev-parse", "HEAD:eval/cases/all.json"]);
    let zeros = "0".repeat(40);
    for revision in [
        "",
        "-x",
        "--all",
        "HEAD^{tree}",
        &blob,
        &blob[..10],
        "nowhere",
        &zeros,
        "HEAD~5",
        "HEAD..HEAD",
        "HEAD HEAD",
        "a\nb",
        "\u{202e}",
        ":/nothing like it",
        "refs/heads/nowhere",
    ] {
        for command in ["run", "check", "lint", "accept"] {
            let told = repo.gate(&[command, &format!("--rev={revision}")]).ends(2).shows_nothing();
            assert!(told.stderr.contains("hint: "), "{}", told.page());
        }
    }
}

#[test]
fn odd_revisions_that_name_a_commit_are_taken() {
    let repo = TestRepo::with_cases(&["a"]);
    let first = repo.id("HEAD");
    repo.git(&["tag", "-a", "v1", "-m", "x"]);
    repo.write_answer("a", "不明");
    repo.commit("Second");
    repo.git(&["branch", "both"]);
    repo.git(&["tag", "both", first.as_str()]);
    repo.git(&["update-ref", "refs/heads/-x", first.as_str()]);
    repo.git(&["branch", "功能/超时", first.as_str()]);
    let short = &first.as_str()[..8];
    for revision in [
        "v1",
        "v1^{}",
        "HEAD~1",
        "@~1",
        short,
        first.as_str(),
        "refs/tags/both",
        "-x",
        "功能/超时",
        "refs/heads/-x",
        ":/A suite",
    ] {
        repo.gate(&["run", &format!("--rev={revision}")]).ends(0);
    }
    repo.gate(&["run", "--rev", "refs/heads/both"]).ends(1);
    repo.gate(&["run", "--rev", "both"]).ends(0);
    repo.git(&["checkout", "-q", "--detach", first.as_str()]);
    repo.gate(&["run"]).ends(0);
    repo.gate(&["accept", "--yes"]).ends(0);
}

#[test]
fn before_the_first_commit_there_is_nothing_to_judge() {
    let repo = TestRepo::new();
    repo.write_cases(&["a"]);
    for command in [&["run"][..], &["check"], &["accept", "--yes"], &["lint"], &["demo"]] {
        repo.gate(command).ends(2).shows_nothing().says(&["unborn branch `main`", "commit the suite first"]);
    }
    repo.gate(&["run", "--worktree"]).ends(0);
    repo.gate(&["lint", "--worktree"]).ends(0);
    repo.gate(&["check", "--worktree"]).ends(2).shows_nothing();
    repo.gate(&["check", "--worktree", "--allow-missing-baseline"]).ends(0);
    repo.gate(&["show"]).ends(2).shows_nothing();
}

#[test]
fn outside_a_repository_and_in_a_broken_one() {
    let repo = TestRepo::with_cases(&["a"]);
    let base = repo.base();
    for command in [&["run"][..], &["check"], &["accept", "--yes"], &["show"], &["lint"], &["demo"]] {
        repo.gate_in(&base, command).ends(3).shows_nothing().says(&["is in no git repository"]);
        repo.gate(&[&["-C", "nowhere"][..], command].concat()).ends(2).shows_nothing().says(&["nowhere"]);
        repo.gate(&[&["-C", "eval/cases/all.json"][..], command].concat()).ends(2).shows_nothing();
    }
    fs::write(base.join(".git"), "gitdir: nowhere\n").unwrap();
    repo.gate_in(&base, &["run"]).ends(3).shows_nothing();
    repo.gate_in(&base, &["run", "--worktree"]).ends(3).shows_nothing();
}

#[test]
fn a_bare_repository_has_baselines_and_no_files() {
    let repo = TestRepo::with_cases(&["a"]);
    let bare = repo.base().join("bare.git");
    repo.git_in(&repo.base(), &["clone", "-q", "--bare", "repo", "bare.git"]);
    repo.gate_in(&bare, &["accept", "--yes"]).ends(0);
    repo.gate_in(&bare, &["check"]).ends(0);
    repo.gate_in(&bare, &["show"]).ends(0);
    repo.gate_in(&bare, &["demo"]).ends(0);
    for command in ["run", "check", "lint"] {
        repo.gate_in(&bare, &[command, "--worktree"])
            .ends(2)
            .shows_nothing()
            .says(&["leave out `--worktree`"]);
    }
    repo.gate_in(&bare, &["run", "--suite", "./eval"]).ends(2).shows_nothing();
}

#[test]
fn a_repository_named_by_the_environment_is_told() {
    let repo = TestRepo::with_cases(&["a"]);
    let folder = repo.root().join(".git");
    let named = [("GIT_DIR", folder.as_os_str())];
    let told = repo.gate_with(&named, &["check"]).ends(2);
    assert!(told.stderr.starts_with("note: GIT_DIR is set"), "{}", told.page());
    repo.gate_with(&named, &["-C", ".", "run"]).ends(0);
    fs::create_dir(repo.base().join("outside")).unwrap();
    repo.gate_with(&named, &["-C", "../outside", "run"]).ends(2).shows_nothing().says(&["unset GIT_DIR"]);
    let nowhere = [("GIT_DIR", OsStr::new("/nowhere"))];
    repo.gate_with(&nowhere, &["run"]).ends(3).shows_nothing();
}

#[test]
fn without_git_what_needs_it_fails_and_the_rest_works() {
    let repo = TestRepo::with_cases(&["a"]);
    let empty = [("PATH", OsStr::new("/nowhere"))];
    repo.gate_with(&empty, &["run"]).ends(0);
    repo.gate_with(&empty, &["accept", "--yes"]).ends(3).says(&["install git"]);
}
