//! Accepting, from the proposal of a change to its promotion: the program in a real repository.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may")]

#[path = "../support/mod.rs"]
mod support;

mod cases;
mod pending;
mod places;
mod promote;
mod racing;

use std::process::{Command, Stdio};

use crate::support::TestRepo;

const MAIN: &str = "refs/diag-gate/baselines/default/main";
const PENDING: &str = "refs/diag-gate/pending/default/main";
const SEEN: &str = "refs/diag-gate/seen/default/main";

/// What a run came to.
struct Told {
    status: i32,
    out: String,
    err: String,
}

impl Told {
    #[track_caller]
    fn ends(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn says(self, words: &str) -> Self {
        // Long lines are folded.
        let said = format!("{} {}", self.out, self.err);
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words}\n{said}");
        self
    }
}

fn command(repo: &TestRepo, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diag-gate"));
    command.env_clear().envs(repo.variables()).current_dir(repo.root()).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn finish(mut command: Command) -> Told {
    let output = command.output().unwrap();
    Told {
        status: output.status.code().expect("the program ends by itself"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn gate(repo: &TestRepo, arguments: &[&str]) -> Told {
    finish(command(repo, arguments))
}

/// The same, run by Bob.
fn gate_as_bob(repo: &TestRepo, arguments: &[&str]) -> Told {
    let mut command = command(repo, arguments);
    command.env("GIT_AUTHOR_NAME", "Bob Other").env("GIT_AUTHOR_EMAIL", "bob@example.com");
    finish(command)
}

/// A case that forbids the word `bad`, with its trace.
fn put(repo: &TestRepo, id: &str, answer: &str) {
    let case = format!(
        "[{{\"id\": \"{id}\", \"title\": \"t\", \"traceFixture\": \"{id}.json\", \"forbiddenAnswerKeywords\": [\"bad\"]}}]\n"
    );
    repo.write(format!("eval/cases/{id}.json"), case);
    trace(repo, id, answer);
}

/// A recording that says this.
fn trace(repo: &TestRepo, id: &str, answer: &str) {
    let trace = format!(
        "{{\"session\": {{\"answer\": \"{answer}\", \"selfEvaluation\": {{\"verifier_evaluation\": {{\"verdict\": \"PASS\"}}}}}}}}\n"
    );
    repo.write(format!("eval/fixtures/{id}.json"), trace);
}

/// Three cases that pass, accepted at the first commit of `main`.
fn accepted() -> TestRepo {
    let repo = committed();
    gate(&repo, &["accept", "--yes"]).ends(0);
    repo
}

/// Three cases that pass.
fn committed() -> TestRepo {
    let repo = TestRepo::new();
    for id in ["a", "b", "c"] {
        put(&repo, id, "fine");
    }
    repo.commit("first");
    repo
}

/// All refs of this program beside what was seen, with their values.
fn refs(repo: &TestRepo) -> String {
    let all = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/diag-gate"]);
    all.lines().filter(|line| !line.starts_with("refs/diag-gate/seen/")).collect::<Vec<_>>().join("\n")
}

fn pending_refs(repo: &TestRepo) -> Vec<String> {
    repo.git(&["for-each-ref", "--format=%(refname)", PENDING]).lines().map(str::to_owned).collect()
}

fn json(repo: &TestRepo, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&gate(repo, arguments).out).unwrap()
}
