//! The commands, in every kind of repository and from every kind of checkout.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};

use crate::backends::KINDS;
use crate::support::TestRepo;

const REF: &str = "refs/diag-gate/baselines/default/main";

/// Runs the program in a folder, with some variables more.
pub(crate) fn run_with(
    repo: &TestRepo,
    folder: &Path,
    variables: &[(&str, OsString)],
    arguments: &[&str],
) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diag-gate"));
    command.env_clear().envs(repo.variables());
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// Runs the program, which must end with this status; gives both its outputs.
pub(crate) fn run(repo: &TestRepo, folder: &Path, arguments: &[&str], status: i32) -> String {
    let output = run_with(repo, folder, &[], arguments);
    told(&output, arguments, status)
}

/// Both outputs of a run that must have ended with this status.
pub(crate) fn told(output: &Output, arguments: &[&str], status: i32) -> String {
    let all =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {all}");
    all
}

/// A suite of two cases, which pass where the answer speaks of a pool.
pub(crate) fn write_suite(repo: &TestRepo, answer: &str) {
    let verdict = "{\"verifier_evaluation\": {\"verdict\": \"PASS\"}}";
    let trace = format!("{{\"session\": {{\"answer\": \"{answer}\", \"selfEvaluation\": {verdict}}}}}");
    repo.write("eval/fixtures/t.json", &trace);
    repo.write("eval/fixtures/u.json", trace.replace("answer\": \"", "answer\": \"also "));
    let cases = "[{\"id\": \"a\", \"title\": \"t\", \"traceFixture\": \"t.json\", \"expectedRootCauseKeywords\": [\"pool\"]},
         {\"id\": \"b\", \"title\": \"t\", \"traceFixture\": \"u.json\", \"expectedRootCauseKeywords\": [\"pool\"]}]";
    repo.write("eval/cases/a.json", cases);
    repo.write("eval/diag-gate.toml", "");
}

/// A repository with an accepted baseline.
pub(crate) fn accepted(options: &[&str]) -> TestRepo {
    let repo = TestRepo::with(options);
    write_suite(&repo, "the pool is empty");
    repo.commit("first");
    run(&repo, repo.root(), &["accept", "--yes", "-m", "first"], 0);
    repo
}

#[test]
fn every_command_works_in_every_kind_of_repository() {
    for (options, _) in KINDS {
        let repo = TestRepo::with(options);
        let root = repo.root();
        write_suite(&repo, "the pool is empty");
        repo.commit("first");
        run(&repo, root, &["lint"], 0);
        let missing = run(&repo, root, &["check"], 2);
        assert!(missing.contains("no baseline"), "{options:?}: {missing}");
        run(&repo, root, &["check", "--allow-missing-baseline"], 0);
        run(&repo, root, &["accept", "--yes", "-m", "first"], 0);
        let shown = run(&repo, root, &["show"], 0);
        assert!(shown.contains(repo.id(REF).as_str()), "{options:?}: {shown}");
        run(&repo, root, &["check"], 0);
        run(&repo, root, &["check", "--worktree"], 0);
        run(&repo, root, &["demo"], 0);
        let named: [(&str, OsString); 1] = [("GIT_DIR", root.join(".git").into())];
        told(&run_with(&repo, root, &named, &["check"]), &["check"], 0);

        write_suite(&repo, "who knows");
        run(&repo, root, &["check"], 0);
        let hint = run(&repo, root, &["run"], 0);
        assert!(hint.contains("differ from HEAD"), "{options:?}: {hint}");
        let head = repo.commit("second");
        let report = run_with(&repo, root, &[], &["run", "--format", "json"]);
        let text = String::from_utf8_lossy(&report.stdout);
        assert!(text.contains(head.as_str()), "{options:?}: {text}");
        let trace = repo.id("HEAD:eval/fixtures/t.json");
        assert!(text.contains(trace.as_str()), "{options:?}: {text}");
        run(&repo, root, &["check"], 1);
        run(&repo, root, &["check", "--rev", "HEAD~1"], 0);
        run(&repo, root, &["accept", "--pending", "--yes", "-m", "known"], 0);
        run(&repo, root, &["check"], 0);
        run(&repo, root, &["promote"], 0);
        run(&repo, root, &["check"], 0);
    }
}

#[test]
fn a_repository_through_both_ways_prints_the_same_bytes() {
    // One content, in a repository that libgit2 reads, and in one that only the program does.
    let documents = [&[][..], &["--ref-format=reftable"]].map(|options| {
        let repo = accepted(options);
        let run = run_with(&repo, repo.root(), &[], &["run", "--format", "json"]);
        let check = run_with(&repo, repo.root(), &[], &["check", "--format", "json"]);
        told(&check, &["check"], 0);
        assert!(!run.stdout.is_empty());
        let [run, check] = [run, check].map(|output| String::from_utf8(output.stdout).unwrap());
        (run, check)
    });
    assert_eq!(documents[0], documents[1]);
}

#[test]
fn every_kind_of_checkout_is_judged() {
    for (options, _) in KINDS {
        let repo = accepted(options);
        let base = repo.base();
        let text = |name: &str| base.join(name).to_str().unwrap().to_owned();
        let url = format!("file://{}", repo.root().display());
        let refspec = format!("{REF}:{REF}");

        let shallow = text("shallow");
        repo.git(&["clone", "-q", "--depth", "1", &url, &shallow]);
        assert!(run(&repo, shallow.as_ref(), &["check"], 2).contains("no baseline"), "{options:?}");
        repo.git_in(shallow.as_ref(), &["fetch", "-q", "--depth", "1", "origin", &refspec]);
        run(&repo, shallow.as_ref(), &["check"], 0);

        let bare = text("bare.git");
        repo.git(&["clone", "-q", "--bare", &url, &bare]);
        repo.git_in(bare.as_ref(), &["fetch", "-q", "origin", &refspec]);
        run(&repo, bare.as_ref(), &["check"], 0);
        assert!(run(&repo, bare.as_ref(), &["run", "--worktree"], 2).contains("bare"), "{options:?}");

        let linked = text("-linked 树");
        repo.git(&["worktree", "add", "-q", "--detach", &linked]);
        run(&repo, linked.as_ref(), &["check"], 0);
        run(&repo, linked.as_ref(), &["check", "--worktree"], 0);

        let borrowing = text("borrowing");
        repo.git(&["clone", "-q", "--shared", &url.replace("file://", ""), &borrowing]);
        repo.git_in(borrowing.as_ref(), &["fetch", "-q", "origin", &refspec]);
        run(&repo, borrowing.as_ref(), &["check"], 0);
        repo.git_in(borrowing.as_ref(), &["checkout", "-q", "--detach"]);
        run(&repo, borrowing.as_ref(), &["check"], 0);
    }
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    for (options, _) in KINDS {
        let inner = accepted(options);
        let outer = TestRepo::with(options);
        outer.commit("outer");
        let url = inner.root().to_str().unwrap().to_owned();
        outer.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "module"]);
        let module = outer.root().join("module");
        outer.git_in(&module, &["fetch", "-q", "origin", &format!("{REF}:{REF}")]);
        run(&outer, &module, &["check"], 0);
        run(&outer, &module.join("eval"), &["check", "--worktree"], 0);
        let outside = run(&outer, outer.root(), &["check"], 2);
        assert!(outside.contains("no suite folder"), "{options:?}: {outside}");
    }
}

#[test]
fn before_the_first_commit_there_is_nothing_to_judge() {
    for (options, _) in KINDS {
        let repo = TestRepo::with(options);
        write_suite(&repo, "the pool is empty");
        let unborn = run(&repo, repo.root(), &["check"], 2);
        assert!(unborn.contains("no commit yet"), "{options:?}: {unborn}");
        run(&repo, repo.root(), &["run", "--worktree"], 0);
    }
}

#[test]
fn an_owner_that_is_not_trusted_ends_with_3() {
    for (options, _) in KINDS {
        let repo = accepted(options);
        let given = |path: &str| std::os::unix::fs::chown(repo.root().join(path), Some(1234), None).is_ok();
        if ![".", ".git"].iter().all(|path| given(path)) {
            // Only root may give a folder away; as anyone else there is nobody to distrust.
            run(&repo, repo.root(), &["check"], 0);
            continue;
        }
        let refused = run(&repo, repo.root(), &["check"], 3);
        assert!(refused.contains("detected dubious ownership"), "{options:?}: {refused}");
        assert!(refused.contains("safe.directory"), "{options:?}: {refused}");
    }
}

#[test]
fn damage_ends_with_3_and_names_the_object() {
    for (options, _) in KINDS {
        for path in ["eval/fixtures/t.json", "eval/cases/a.json", "eval/cases"] {
            let repo = accepted(options);
            let id = repo.id(&format!("HEAD:{path}"));
            let file = repo.root().join(".git/objects").join(&id.as_str()[..2]).join(&id.as_str()[2..]);
            std::fs::remove_file(&file).unwrap();
            let lost = run(&repo, repo.root(), &["check", "--no-reuse"], 3);
            assert!(lost.contains(id.as_str()), "{options:?} {path}: {lost}");
            std::fs::write(&file, "garbage").unwrap();
            let damaged = run(&repo, repo.root(), &["check", "--no-reuse"], 3);
            assert!(
                damaged.contains(id.as_str()) && damaged.contains("damaged"),
                "{options:?} {path}: {damaged}"
            );
        }
    }
}
