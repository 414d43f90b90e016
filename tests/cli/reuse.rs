//! `check` takes from the baseline what has not changed: the same bytes as a full evaluation, also where
//! the unchanged traces are not there any more, and never past what is damaged and has to be read.

use std::path::PathBuf;

use crate::support::TestRepo;
use crate::support::suite::{case, trace};

const FORMATS: [&str; 7] = ["text", "json", "markdown", "junit", "github", "sarif", "html"];

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Traces of every fate, and answers that pass and fail.
fn content(dice: &mut Dice) -> String {
    match dice.roll(8) {
        0 => "{".to_owned(),
        1 => "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n".to_owned(),
        2 => format!("{}{}", trace("磁盘满"), " ".repeat(300)),
        3 => trace("谁知道"),
        4 => trace("磁盘满，超时").replacen('{', "{\"toolInvocations\": [{\"toolName\": \"logs\"}], ", 1),
        _ => trace(&format!("磁盘满 {}", dice.roll(3))),
    }
}

fn definition(id: usize, dice: &mut Dice) -> String {
    let more = match dice.roll(5) {
        0 => ", \"forbiddenAnswerKeywords\": [\"超时\"]",
        1 => ", \"requiredEvidenceTools\": [\"logs\"]",
        2 => ", \"title\": \"another title\"",
        _ => "",
    };
    case(&format!("c{id}"), more)
}

/// Writes a suite; `definitions` are its cases.
fn write(repo: &TestRepo, definitions: &[String]) {
    repo.write("eval/cases/all.json", format!("[{}]", definitions.join(",\n")));
}

/// All that `check` says in every format, with and without reuse.
#[track_caller]
fn says_the_same(repo: &TestRepo, arguments: &[&str]) {
    for format in FORMATS {
        let with = [&["check", "-v", "--format", format][..], arguments].concat();
        let without = [&with[..], &["--no-reuse"]].concat();
        let (with, without) = (repo.gate(&with), repo.gate(&without));
        assert_eq!(with.page(), without.page(), "{format} {arguments:?}");
        assert!(with.status < 2, "{}", with.page());
    }
}

#[test]
fn whatever_changes_check_says_what_a_full_evaluation_says() {
    let mut dice = Dice(7);
    let repo = TestRepo::new();
    repo.write("eval/diag-gate.toml", "[limits]\nmax_trace_bytes = 300\n");
    let mut definitions: Vec<String> = (0..9).map(|id| definition(id, &mut dice)).collect();
    write(&repo, &definitions);
    for id in 0..9 {
        repo.write(format!("eval/fixtures/c{id}.json"), content(&mut dice));
    }
    repo.write_answer("c8", "磁盘满");
    repo.commit("first");
    repo.gate(&["accept", "--yes", "--allow-unjudged"]).ends(0);
    for round in 0..5 {
        for _ in 0..=dice.roll(3) {
            let id = dice.roll(8);
            match dice.roll(6) {
                0 => {
                    definitions[usize::try_from(id).unwrap()] =
                        definition(usize::try_from(id).unwrap(), &mut dice)
                }
                1 => definitions.push(definition(10 + round * 3 + definitions.len(), &mut dice)),
                2 => {
                    std::fs::remove_file(repo.root().join(format!("eval/fixtures/c{id}.json"))).unwrap_or(())
                }
                _ => repo.write(format!("eval/fixtures/c{id}.json"), content(&mut dice)),
            }
        }
        write(&repo, &definitions);
        says_the_same(&repo, &["--worktree"]);
        repo.commit("next");
        says_the_same(&repo, &[]);
        if round == 2 {
            repo.gate(&["accept", "--yes", "--allow-unjudged", "-m", "so it is"]).ends(0);
        }
    }
    says_the_same(&repo, &["--rev", "HEAD~4"]);
}

#[test]
fn other_settings_take_nothing_from_the_baseline() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    let settings = [
        "[matching]\nexpected = \"folded\"\n",
        "[matching]\nprotocol_markers = [\"满\"]\n",
        "[limits]\nmax_trace_bytes = 5\n",
    ];
    for text in settings {
        repo.write("eval/diag-gate.toml", text);
        repo.commit("other settings");
        says_the_same(&repo, &[]);
    }
    repo.gate(&["check"]).ends(1).says(&["too-large"]);
}

#[test]
fn a_working_tree_is_read_as_it_is() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.write_answer("b", "谁知道");
    repo.gate(&["check"]).ends(0);
    repo.gate(&["check", "--worktree"]).ends(1).says(&["case-regressed b"]);
    says_the_same(&repo, &["--worktree"]);
}

/// The file of a loose object.
fn object(repo: &TestRepo, revision: &str) -> PathBuf {
    let id = repo.id(revision);
    let (folder, file) = id.as_str().split_at(2);
    repo.root().join(".git/objects").join(folder).join(file)
}

#[test]
fn traces_that_did_not_change_need_not_be_there() {
    let repo = TestRepo::with_cases(&["a", "b", "c"]);
    for (id, answer) in [("a", "磁盘满 a"), ("b", "磁盘满 b"), ("c", "磁盘满 c")] {
        repo.write_answer(id, answer);
    }
    repo.commit("answers");
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.write_answer("c", "谁知道");
    repo.commit("the agent changed");
    let before: Vec<String> =
        FORMATS.iter().map(|format| repo.gate(&["check", "--format", format]).ends(1).page()).collect();
    for id in ["a", "b"] {
        std::fs::remove_file(object(&repo, &format!("HEAD:eval/fixtures/{id}.json"))).unwrap();
    }
    for (format, before) in FORMATS.iter().zip(before) {
        assert_eq!(repo.gate(&["check", "--format", format]).page(), before);
    }
    for command in [&["check", "--no-reuse"][..], &["run"], &["accept", "--yes", "-m", "w"]] {
        repo.gate(command).ends(3).says(&["eval/fixtures/a.json"]);
    }
    std::fs::remove_file(object(&repo, "HEAD:eval/fixtures/c.json")).unwrap();
    repo.gate(&["check"]).ends(3).says(&["eval/fixtures/c.json"]);
}

#[test]
fn a_damaged_trace_is_found_and_named_where_it_has_to_be_read() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.write_answer("b", "磁盘满 b");
    repo.commit("answers");
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.write_answer("b", "磁盘满 now");
    repo.commit("the agent changed");
    let damage = |revision: &str| {
        let path = object(&repo, revision);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(path, b"no object").unwrap();
    };
    damage("HEAD:eval/fixtures/a.json");
    repo.gate(&["check"]).ends(0);
    for command in [&["check", "--no-reuse"][..], &["run"], &["verify"]] {
        let told = repo.gate(command).says(&["eval/fixtures/a.json"]);
        assert!(told.status >= 2, "{command:?}: {}", told.page());
    }
    damage("HEAD:eval/fixtures/b.json");
    repo.gate(&["check"]).ends(3).says(&["eval/fixtures/b.json"]);
}

#[test]
fn a_saved_report_is_judged_with_and_without_reuse() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.gate(&["accept", "--yes"]).ends(0);
    repo.gate(&["run", "--format", "json", "-o", "report.json"]).ends(0);
    says_the_same(&repo, &["--report", "report.json"]);
}
