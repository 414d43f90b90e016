//! `review` at a terminal of our own, and without one.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::support::TestRepo;

/// Runs the program at a terminal that types these lines; gives its exit status and all that it showed.
#[cfg(target_os = "linux")]
fn at_terminal(repo: &TestRepo, arguments: &str, typed: &str) -> (Option<i32>, String) {
    let program = format!("'{}' {arguments}", env!("CARGO_BIN_EXE_diag-gate"));
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-E", "never", "-c", &program, "/dev/null"]).env_clear().envs(repo.variables());
    let command = command.current_dir(repo.root()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Three cases that passed; two of them break.
fn broken() -> TestRepo {
    let repo = TestRepo::with_cases(&["one", "two", "[x]*"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.write_answer("two", "没有查到原因");
    repo.write_answer("[x]*", "没有查到原因");
    repo.commit("Worse");
    repo
}

#[test]
fn without_a_terminal_nobody_can_be_asked() {
    broken()
        .gate(&["review"])
        .ends(2)
        .shows_nothing()
        .says(&["asks at a terminal", "diag-gate accept --case ID"]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_chosen_is_accepted_with_one_reason_and_the_rest_stays() {
    let repo = broken();
    let (status, shown) = at_terminal(&repo, "review", "what\nw\ns\na\na new model\ny\n");
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("1 of 2: two") && shown.contains("2 of 2: [x]*"), "{shown}");
    let log = repo.git(&["log", "-1", "--format=%B", "refs/diag-gate/baselines/default/main"]);
    assert!(log.contains("a new model") && log.contains("Diag-Gate-Case: [x]*"), "{log}");
    assert!(!log.contains("Diag-Gate-Case: two"), "{log}");
    repo.gate(&["check"]).ends(1).says(&["two"]);
}

#[cfg(target_os = "linux")]
#[test]
fn all_that_is_accepted_is_accepted_as_a_whole_and_no_reason_changes_nothing() {
    let repo = broken();
    let before = repo.git(&["rev-parse", "refs/diag-gate/baselines/default/main"]);
    let (status, shown) = at_terminal(&repo, "review", "a\nq\n\nn\n");
    assert_eq!(status, Some(2), "what blocks takes a reason: {shown}");
    assert_eq!(repo.git(&["rev-parse", "refs/diag-gate/baselines/default/main"]), before);
    let (status, shown) = at_terminal(&repo, "review", "a\na\nboth are meant\ny\n");
    assert_eq!(status, Some(0), "{shown}");
    repo.gate(&["check"]).ends(0);
    let (status, shown) = at_terminal(&repo, "review", "");
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("no case moved"), "{shown}");
}
