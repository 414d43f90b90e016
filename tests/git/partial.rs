//! Partial clones: what is missing comes in one request, or the gate says what it lacks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::commands::{accepted, run_with, told, write_suite};
use crate::support::TestRepo;

const REF: &str = "refs/diag-gate/baselines/default/main";

/// A clone that lacks files, and its remote.
struct Partial {
    repo: TestRepo,
    clone: PathBuf,
}

impl Partial {
    /// A clone without any file of the suite or of its baseline.
    fn new(options: &[&str], filter: &str) -> Self {
        let repo = accepted(options);
        repo.git(&["config", "uploadpack.allowFilter", "true"]);
        let clone = repo.base().join("clone");
        let url = format!("file://{}", repo.root().display());
        let filter = format!("--filter={filter}");
        repo.git(&["clone", "-q", "--no-checkout", &filter, &url, clone.to_str().unwrap()]);
        repo.git_in(&clone, &["fetch", "-q", "origin", &format!("{REF}:{REF}")]);
        Self { repo, clone }
    }

    /// As older versions of git wrote a partial clone.
    fn older(self) -> Self {
        self.repo.git_in(&self.clone, &["config", "core.repositoryFormatVersion", "1"]);
        self.repo.git_in(&self.clone, &["config", "extensions.partialClone", "origin"]);
        self.repo.git_in(&self.clone, &["config", "--unset", "remote.origin.promisor"]);
        self
    }

    /// Runs a command; gives what it told, and how often the remote was asked.
    fn run(&self, arguments: &[&str], status: i32) -> (String, usize) {
        let trace = self.repo.base().join("trace");
        let _ = std::fs::remove_file(&trace);
        let traced: [(&str, OsString); 1] = [("GIT_TRACE2_EVENT", trace.clone().into())];
        let output = run_with(&self.repo, &self.clone, &traced, arguments);
        (told(&output, arguments, status), uploads(&trace))
    }

    fn missing(&self) -> usize {
        let listed = self.repo.git_in(&self.clone, &["rev-list", "--objects", "--all", "--missing=print"]);
        listed.lines().filter(|line| line.starts_with('?')).count()
    }
}

/// How often a remote sent objects.
fn uploads(trace: &Path) -> usize {
    let events = std::fs::read_to_string(trace).unwrap_or_default();
    let is_upload =
        |line: &&str| line.contains("\"event\":\"cmd_name\"") && line.contains("\"name\":\"upload-pack\"");
    events.lines().filter(is_upload).count()
}

#[test]
fn a_check_asks_the_remote_once_for_all_that_it_lacks() {
    let kinds: [&[&str]; 3] = [&[], &["--object-format=sha256"], &["--ref-format=reftable"]];
    for (options, older) in kinds.into_iter().flat_map(|options| [(options, false), (options, true)]) {
        let partial = Partial::new(options, "blob:none");
        let partial = if older { partial.older() } else { partial };
        assert!(partial.missing() >= 5, "{options:?} {older}: {}", partial.missing());
        let (_, asked) = partial.run(&["check"], 0);
        assert_eq!(asked, 1, "{options:?} {older}");
        let (_, asked) = partial.run(&["check"], 0);
        assert_eq!(asked, 0, "{options:?} {older}");
    }
}

#[test]
fn each_command_asks_at_most_once() {
    for arguments in [&["run"][..], &["lint"], &["show"], &["check", "--format", "json"], &["demo"]] {
        let (_, asked) = Partial::new(&[], "blob:none").run(arguments, 0);
        assert_eq!(asked, 1, "{arguments:?}");
    }
}

#[test]
fn cases_that_are_chosen_bring_their_own_traces_alone() {
    let partial = Partial::new(&[], "blob:none");
    let other = partial.repo.id("HEAD:eval/fixtures/u.json");
    let (_, asked) = partial.run(&["run", "--case", "a"], 0);
    assert_eq!(asked, 2);
    let left = partial.repo.git_in(&partial.clone, &["rev-list", "--objects", "--all", "--missing=print"]);
    assert!(left.contains(&format!("?{}", other.as_str())), "{left}");
}

#[test]
fn an_older_revision_is_brought_when_it_is_asked_for() {
    let partial = Partial::new(&[], "blob:none");
    write_suite(&partial.repo, "who knows");
    partial.repo.commit("second");
    partial.repo.git_in(&partial.clone, &["fetch", "-q", "--update-head-ok", "origin", "main:main"]);
    let (_, asked) = partial.run(&["check"], 1);
    assert_eq!(asked, 1);
    // The baseline holds what became of these traces.
    let (_, asked) = partial.run(&["check", "--rev", "HEAD~1"], 0);
    assert_eq!(asked, 0);
    let (_, asked) = partial.run(&["run", "--rev", "HEAD~1"], 0);
    assert_eq!(asked, 1);
}

#[test]
fn folders_that_were_not_cloned_are_brought_too() {
    let partial = Partial::new(&[], "tree:0");
    let (_, asked) = partial.run(&["run"], 0);
    assert!(asked <= 2, "{asked}");
}

#[test]
fn where_nothing_comes_the_missing_are_named() {
    for older in [false, true] {
        let partial = Partial::new(&[], "blob:none");
        let partial = if older { partial.older() } else { partial };
        let id = partial.repo.id("HEAD:eval/cases/a.json");
        let away = partial.repo.base().join("away");
        std::fs::rename(partial.repo.root(), away).unwrap();
        for command in [&["check"][..], &["run"], &["lint"]] {
            let (words, asked) = partial.run(command, 3);
            assert!(asked <= 1, "{asked}");
            assert!(words.contains("eval/") && words.contains("partial clone"), "{command:?}: {words}");
            assert!(command[0] != "lint" || words.contains(id.as_str()), "{command:?}: {words}");
            assert!(words.contains("fatal:"), "{command:?}: {words}");
        }
    }
}

#[test]
fn a_baseline_that_does_not_come_is_no_missing_baseline() {
    let partial = Partial::new(&[], "blob:none");
    partial.repo.git_in(&partial.clone, &["checkout", "-q", "main"]);
    std::fs::rename(partial.repo.root(), partial.repo.base().join("away")).unwrap();
    let (words, _) = partial.run(&["check", "--allow-missing-baseline"], 3);
    assert!(words.contains("partial clone"), "{words}");
}

#[test]
fn without_a_promise_nothing_is_fetched() {
    let partial = Partial::new(&[], "blob:none");
    partial.repo.git_in(&partial.clone, &["config", "--unset", "remote.origin.promisor"]);
    let (words, asked) = partial.run(&["check"], 3);
    assert_eq!(asked, 0);
    assert!(words.contains("missing from the repository"), "{words}");
}

#[test]
fn what_the_baseline_holds_is_not_brought() {
    let partial = Partial::new(&[], "blob:none");
    let same = partial.repo.id("HEAD:eval/fixtures/u.json");
    let text = std::fs::read_to_string(partial.repo.root().join("eval/fixtures/u.json")).unwrap();
    write_suite(&partial.repo, "who knows");
    partial.repo.write("eval/fixtures/u.json", text);
    partial.repo.commit("second");
    partial.repo.git_in(&partial.clone, &["fetch", "-q", "--update-head-ok", "origin", "main:main"]);
    let (told, asked) = partial.run(&["check"], 1);
    assert_eq!(asked, 1);
    let left = partial.repo.git_in(&partial.clone, &["rev-list", "--objects", "--all", "--missing=print"]);
    assert!(left.contains(&format!("?{}", same.as_str())), "{left}");
    let (full, asked) = partial.run(&["check", "--no-reuse"], 1);
    assert_eq!((full, asked), (told, 1));
}
