//! Where output goes: closed pipes, full disks, files, colours.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Stdio;

use crate::support::TestRepo;

/// A repository of which HEAD is blocked.
fn blocked() -> TestRepo {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.write_answer("a", "不明");
    repo.commit("A change to the agent");
    repo
}

/// A pipe that nobody reads any more.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").unwrap().into()
}

#[test]
fn a_closed_pipe_changes_no_status_and_is_not_talked_of() {
    let repo = blocked();
    for (arguments, status) in [
        (&["check"][..], 1),
        (&["check", "--format", "json"], 1),
        (&["run"], 1),
        (&["run", "--format", "junit"], 1),
        (&["run", "--case", "b"], 0),
        (&["show"], 0),
        (&["lint"], 0),
        (&["--help"], 0),
        (&["completions", "bash"], 0),
        (&["demo"], 0),
        (&["run", "--suite", "nowhere"], 2),
    ] {
        let told = repo.told(repo.command(arguments).stdout(closed()).output().unwrap());
        assert_eq!(told.status, status, "{arguments:?}: {}", told.stderr);
        assert!(status == 2 || told.stderr.is_empty(), "{arguments:?}: {}", told.stderr);
        let silent = repo.command(arguments).stdout(closed()).stderr(closed()).status().unwrap();
        assert_eq!(silent.code(), Some(status), "{arguments:?}");
    }
    let accepted =
        repo.told(repo.command(&["accept", "--yes", "-m", "x"]).stdout(closed()).output().unwrap());
    accepted.ends(0);
    repo.gate(&["check"]).ends(0);
}

#[test]
fn standard_streams_that_are_not_there_change_no_status() {
    let repo = blocked();
    let program = env!("CARGO_BIN_EXE_diag-gate");
    for (line, status) in [
        ("\"$0\" check >&-", 1),
        ("\"$0\" check >&- 2>&- <&-", 1),
        ("\"$0\" check | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}", 1),
        ("\"$0\" run --case b >&-", 0),
    ] {
        let mut shell = std::process::Command::new("bash");
        shell.env_clear().envs(repo.variables()).current_dir(repo.root()).args(["-c", line, program]);
        assert_eq!(shell.output().unwrap().status.code(), Some(status), "{line}");
    }
}

#[test]
fn a_full_disk_is_a_fault_of_the_surroundings() {
    let repo = blocked();
    let before = repo.state();
    for arguments in [
        &["check"][..],
        &["check", "--format", "json"],
        &["run"],
        &["show"],
        &["lint"],
        &["--help"],
        &["accept", "--yes", "-m", "x"],
    ] {
        let told = repo.told(repo.command(arguments).stdout(full()).output().unwrap()).ends(3);
        told.says(&["cannot write to standard output"]);
        let silent = repo.command(arguments).stdout(full()).stderr(full()).status().unwrap();
        assert_eq!(silent.code(), Some(3), "{arguments:?}");
    }
    assert_eq!(repo.state(), before);
    let told = repo.command(&["check"]).stderr(full()).status().unwrap();
    assert_eq!(told.code(), Some(1));
}

#[test]
fn a_result_is_written_to_a_file_whole_or_not_at_all() {
    let repo = blocked();
    let whole = repo.gate(&["run", "--format", "json"]).ends(1).stdout;
    repo.gate(&["run", "--format", "json", "-o", "../report.json"]).ends(1).shows_nothing();
    let file = repo.base().join("report.json");
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);
    repo.gate(&["-C", "eval", "run", "--format", "json", "-o", "here.json"]).ends(1);
    assert_eq!(fs::read_to_string(repo.root().join("eval/here.json")).unwrap(), whole);
    fs::remove_file(repo.root().join("eval/here.json")).unwrap();
    repo.gate(&["check", "-o", "../report.json", "--color", "always"]).ends(1).shows_nothing();
    let page = fs::read_to_string(&file).unwrap();
    assert_eq!(page, repo.gate(&["check"]).stdout);
    for target in ["../nowhere/report.json", "..", "eval", "../report.json/x"] {
        repo.gate(&["run", "-o", target]).ends(3).shows_nothing().says(&["cannot write"]);
    }
    repo.gate(&["run", "--suite", "nowhere", "-o", "../report.json"]).ends(2);
    assert_eq!(fs::read_to_string(&file).unwrap(), page, "an old file stays where there is no result");
    let left: Vec<_> = fs::read_dir(repo.base()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".diag-gate")), "{left:?}");
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o444, 0o444);
}

#[test]
fn a_link_is_written_through_and_a_device_is_left_a_device() {
    let repo = blocked();
    let file = repo.base().join("report.json");
    let link = repo.base().join("link.json");
    fs::write(&file, "old").unwrap();
    symlink(&file, &link).unwrap();
    repo.gate(&["run", "--format", "json", "-o", "../link.json"]).ends(1);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(fs::read_to_string(&file).unwrap().starts_with('{'));
    repo.gate(&["run", "-o", "/dev/full"]).ends(3).says(&["cannot write /dev/full"]);
    repo.gate(&["run", "-o", "/dev/null"]).ends(1);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let told = repo.gate(&["check", "-o", "/dev/stdout"]).ends(1);
    assert!(told.stdout.starts_with("BLOCKED"), "{}", told.page());
}

#[test]
fn colours_are_taken_where_they_are_asked_for() {
    let repo = blocked();
    let colour = |told: crate::support::program::Told| told.stdout.contains("\u{1b}[");
    assert!(!colour(repo.gate(&["check"])));
    assert!(colour(repo.gate(&["check", "--color", "always"])));
    let force = ("CLICOLOR_FORCE", "1".as_ref());
    let none = ("NO_COLOR", "1".as_ref());
    assert!(colour(repo.gate_with(&[force], &["check"])));
    assert!(!colour(repo.gate_with(&[none], &["check"])));
    assert!(!colour(repo.gate_with(&[none, force], &["check", "--color", "never"])));
    assert!(!colour(repo.gate_with(&[("TERM", "dumb".as_ref())], &["check"])));
    let json = repo.gate(&["check", "--format", "json", "--color", "always"]).stdout;
    assert_eq!(json, repo.gate(&["check", "--format", "json"]).stdout);
}

#[test]
fn a_document_keeps_every_byte() {
    let repo = TestRepo::with_cases(&["a"]);
    let cases = fs::read_to_string(repo.root().join("eval/cases/all.json")).unwrap();
    repo.write("eval/cases/all.json", cases.replacen("{", "{\"title\": \"T\u{7f}\u{9b}31m\u{202e}\", ", 1));
    repo.commit("A title that a terminal obeys");
    let json = repo.gate(&["run", "--format", "json"]).ends(0).stdout;
    assert!(json.contains("T\u{7f}\u{9b}31m\u{202e}"), "{json}");
    assert_eq!(repo.gate(&["run", "--format", "json", "--color", "always"]).stdout, json);
    repo.gate(&["run", "--format", "json", "-o", "../r.json"]).ends(0);
    assert_eq!(fs::read_to_string(repo.base().join("r.json")).unwrap(), json);
    let into = File::create(repo.base().join("s.json")).unwrap();
    repo.command(&["run", "--format", "json"]).stdout(into).status().unwrap();
    assert_eq!(fs::read_to_string(repo.base().join("s.json")).unwrap(), json);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.gate(&["check"]).ends(0);
}
