//! The pages for people: their width, and what untrusted text becomes in them.

use std::process::Command;

use unicode_width::UnicodeWidthStr as _;

use crate::support::TestRepo;
use crate::support::suite::case;

const EVIL: &str = "恶\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\nBLOCKED\r\tX";

/// Asserts that no line is wider than a page, ids that are longer aside.
#[track_caller]
fn fits(page: &str, ids: &[&str]) {
    for line in page.lines() {
        let holds_id = ids.iter().any(|id| line.contains(id));
        assert!(line.width() <= 80 || holds_id, "{} columns: {line}", line.width());
    }
}

fn pages(repo: &TestRepo, ids: &[&str]) {
    for arguments in [
        &["run"][..],
        &["run", "-v"],
        &["check"],
        &["check", "-v"],
        &["lint"],
        &["show"],
        &["accept", "--dry-run", "-m", "x"],
        &["demo"],
    ] {
        fits(&repo.gate(arguments).stdout, ids);
    }
}

#[test]
fn pages_are_eighty_columns_wide() {
    let long_id = "订单-".repeat(40);
    let near_ids = ["x".repeat(50), "y".repeat(58), "z".repeat(66), "w".repeat(72)];
    let title = "订单超时的直接原因尚无证据支持".repeat(8);
    let word = "w".repeat(300);
    let repo = TestRepo::new();
    let name = "n".repeat(64);
    repo.write("eval/diag-gate.toml", format!("name = \"{name}\"\n[gate]\nmin_pass_rate = 0.9999\n"));
    let with_title = format!(
        r#", "title": "{title}", "forbiddenAnswerKeywords": ["{word}", "主库故障"], "question": "{word}""#
    );
    let mut all = vec![case("a", &with_title), case("b", &with_title.replace(&title, &word))];
    for id in near_ids.iter().chain([&long_id]) {
        all.push(case(id, &with_title).replace(&format!("{id}.json"), "a.json"));
    }
    repo.write("eval/cases/all.json", format!("[{}]", all.join(",\n")));
    repo.write_answer("a", "磁盘满");
    repo.write_answer("b", "磁盘满");
    repo.commit("Long words");
    let reason = format!("{word} {title}");
    repo.gate(&["accept", "--yes", "-m", &reason]).ends(0);
    let ids: Vec<&str> = near_ids.iter().skip(1).map(String::as_str).chain([long_id.as_str()]).collect();
    pages(&repo, &ids);
    repo.write_answer("a", &format!("{word}主库故障{title}"));
    repo.commit("A change to the agent");
    repo.gate(&["check"]).ends(1).says(&["BLOCKED", "below the minimum"]);
    pages(&repo, &ids);
}

#[test]
fn untrusted_text_does_not_reach_the_terminal_raw() {
    let repo = TestRepo::new();
    let quoted = serde_json::to_string(EVIL).unwrap();
    let more = format!(r#", "title": {quoted}, "forbiddenAnswerKeywords": [{quoted}], "question": {quoted}"#);
    repo.write(
        "eval/cases/all.json",
        format!("[{}, {}]", case("a", &more), case("b\u{202e}", &more).replace("b\u{202e}.json", "a.json")),
    );
    repo.write_answer("a", "磁盘满");
    repo.commit("Evil titles");
    repo.gate(&["accept", "--yes", "-m", EVIL]).ends(0);
    repo.gate(&["show"]).ends(0);
    repo.gate(&["run", "-v"]).ends(0);
    repo.gate(&["lint"]).ends(0);
    repo.gate(&["demo"]).ends(0);
    let verdict = EVIL.replace('\n', "\\n").replace(['\u{1b}', '\u{7}', '\u{9b}', '\r', '\t'], "");
    let evil_answer = crate::support::suite::trace(EVIL).replace("PASS", &verdict);
    repo.write("eval/fixtures/a.json", evil_answer);
    repo.commit("An evil answer");
    repo.gate(&["check"]).ends(1);
    repo.gate(&["run"]).ends(1);
    repo.gate(&["run", "--format", "junit"]).ends(1);
    repo.gate(&["accept", "--yes"]).ends(2);
    for arguments in [
        &["run", "--rev", EVIL][..],
        &["run", "--suite", EVIL],
        &["run", "--worktree", "--suite", EVIL],
        &["run", "--case", EVIL],
        &["run", "--config", EVIL],
        &["run", "--traces", EVIL],
        &["run", "-C", EVIL],
        &["run", "--format", EVIL],
        &["check", "--baseline", EVIL],
        &["show", EVIL],
        &[EVIL],
    ] {
        let told = repo.gate(arguments).ends(2).shows_nothing();
        assert!(!told.stderr.contains("\nBLOCKED"), "{}", told.stderr);
    }
}

#[test]
fn names_of_files_and_people_do_not_reach_the_terminal_raw() {
    let repo = TestRepo::with_cases(&["a"]);
    let name = "恶\u{1b}[2J\u{202e}\nBLOCKED";
    repo.write(format!("eval/cases/{name}.json"), "[");
    repo.write(format!("eval/fixtures/{name}.json"), "{}");
    repo.gate(&["run", "--worktree"]).ends(2).shows_nothing();
    std::fs::remove_file(repo.root().join(format!("eval/cases/{name}.json"))).unwrap();
    repo.gate(&["lint", "--worktree"]).ends(0);
    let person =
        [("GIT_AUTHOR_NAME", "\u{1b}[2J\u{202e}Eve".as_ref()), ("GIT_AUTHOR_EMAIL", "\u{9b}@x".as_ref())];
    repo.gate_with(&person, &["accept", "--yes"]).ends(0);
    repo.gate(&["check"]).ends(0);
    repo.gate(&["show"]).ends(0);
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/恶\u{202e}\u{200b}"]);
    repo.gate(&["run"]).ends(2).shows_nothing();
    let folder = repo.base().join(name);
    std::fs::create_dir(&folder).unwrap();
    repo.gate_in(&folder, &["run"]).ends(3).shows_nothing();
    let inner = folder.join("repo");
    let mut clone = Command::new("git");
    clone.env_clear().envs(repo.variables()).args(["clone", "-q"]).arg(repo.root()).arg(&inner);
    assert!(clone.status().unwrap().success());
    repo.gate_in(&inner, &["run", "--rev", "origin/main", "-o", "nowhere/x"]).ends(3).shows_nothing();
}
