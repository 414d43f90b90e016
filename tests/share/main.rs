//! Baselines shared between clones over bare remotes on disk, by the program itself.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads and writes, and panics where it fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod accept;
mod doctor;
mod notes;
mod signed;
mod sync;
mod verify;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::TestRepo;

/// The ref of the baseline here.
const MAIN: &str = "refs/diag-gate/baselines/default/main";

/// A repository with two cases, its bare remote, and clones of it.
struct World {
    first: TestRepo,
}

/// What the program said, and how it ended.
struct Said {
    status: i32,
    out: String,
    err: String,
}

impl World {
    /// A clone `a`, in which both cases pass, and which was pushed.
    fn new() -> Self {
        let world = Self { first: TestRepo::new() };
        let base = world.first.base();
        world.first.git_in(&base, &["init", "-q", "--bare", "-b", "main", "remote.git"]);
        world.first.git(&["remote", "add", "origin", base.join("remote.git").to_str().unwrap()]);
        let case = |id: &str| {
            format!(
                "{{\"id\":\"{id}\",\"traceFixture\":\"{id}.json\",\"expectedRootCauseKeywords\":[\"pool\"]}}"
            )
        };
        let cases: Vec<String> = ["one", "two", "three"].map(case).into();
        world.write(world.a(), "eval/cases/all.json", &format!("[{}]", cases.join(",")));
        for id in ["one", "two", "three"] {
            world.answer(world.a(), id, "the pool is used up");
        }
        world.commit(world.a(), "suite");
        world.first.git(&["push", "-q", "origin", "main"]);
        world
    }

    fn a(&self) -> &Path {
        self.first.root()
    }

    fn remote(&self) -> PathBuf {
        self.first.base().join("remote.git")
    }

    /// Another clone.
    fn clone(&self, name: &str, options: &[&str]) -> PathBuf {
        let base = self.first.base();
        let url = format!("file://{}", self.remote().display());
        let mut arguments = vec!["clone", "-q"];
        arguments.extend(options);
        arguments.extend([url.as_str(), name]);
        self.first.git_in(&base, &arguments);
        base.join(name)
    }

    fn write(&self, clone: &Path, path: &str, text: &str) {
        let path = clone.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Records another run of a case.
    fn answer(&self, clone: &Path, id: &str, answer: &str) {
        let trace = format!(
            "{{\"session\":{{\"answer\":\"{answer}\",\"selfEvaluation\":{{\"verifier_evaluation\":{{\"verdict\":\"PASS\"}}}}}}}}"
        );
        self.write(clone, &format!("eval/fixtures/{id}.json"), &trace);
    }

    fn commit(&self, clone: &Path, message: &str) -> String {
        self.git(clone, &["add", "--all"]);
        self.git(clone, &["commit", "-q", "--allow-empty", "-m", message]);
        self.git(clone, &["rev-parse", "HEAD"])
    }

    /// Records another run and commits it.
    fn change(&self, clone: &Path, id: &str, answer: &str) -> String {
        self.answer(clone, id, answer);
        self.commit(clone, &format!("{id}: {answer}"))
    }

    fn git(&self, clone: &Path, arguments: &[&str]) -> String {
        self.first.git_in(clone, arguments)
    }

    /// A ref's value; empty where there is none.
    fn value(&self, clone: &Path, reference: &str) -> String {
        self.git(clone, &["for-each-ref", "--format=%(objectname)", reference])
    }

    fn command(&self, clone: &Path, words: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diag-gate"));
        command.env_clear().envs(self.first.variables()).envs(variables.iter().copied());
        command.current_dir(clone).args(words);
        command
    }

    fn run_with(&self, clone: &Path, words: &[&str], variables: &[(&str, &str)]) -> Said {
        Said::of(self.command(clone, words, variables).output().unwrap())
    }

    fn run(&self, clone: &Path, words: &[&str]) -> Said {
        self.run_with(clone, words, &[])
    }

    /// Runs the program as somebody else.
    fn run_as(&self, clone: &Path, name: &str, words: &[&str]) -> Said {
        self.run_with(clone, words, &[("GIT_AUTHOR_NAME", name)])
    }

    fn succeed(&self, clone: &Path, words: &[&str]) -> Said {
        let said = self.run(clone, words);
        assert_eq!(said.status, 0, "{words:?}: {}{}", said.out, said.err);
        said
    }

    /// How many links a chain has.
    fn links(&self, clone: &Path, reference: &str) -> usize {
        self.git(clone, &["rev-list", "--count", reference]).parse().unwrap()
    }

    /// Makes the remote refuse what the script does not like.
    fn hook(&self, script: &str) {
        let path = self.remote().join("hooks/pre-receive");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        make_executable(&path);
    }
}

impl Said {
    fn of(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn all(&self) -> String {
        format!("{}{}", self.out, self.err)
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
