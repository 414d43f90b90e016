//! Many at once, and killed at any moment.

use std::process::Child;
use std::time::Duration;

use super::*;

/// The links of the chain, and whether it is a line of acceptances of these commits.
fn evaluated(repo: &TestRepo) -> Vec<String> {
    assert_eq!(repo.git(&["rev-list", "--min-parents=2", "--count", MAIN]), "0");
    let log = repo.git(&["log", "--format=%(trailers:key=Diag-Gate-Commit,valueonly,separator=)", MAIN]);
    log.lines().map(str::to_owned).collect()
}

#[test]
fn forty_accepts_at_once_are_all_in_one_line() {
    let repo = accepted();
    let commits: Vec<String> = (0..40)
        .map(|number| {
            put(&repo, &format!("n{number}"), "fine");
            repo.commit("more").as_str().to_owned()
        })
        .collect();
    let running: Vec<Child> = commits
        .iter()
        .map(|commit| {
            let arguments = ["accept", "--rev", commit, "--yes", "-m", "raced", "--allow-shrunk"];
            command(&repo, &arguments).spawn().unwrap()
        })
        .collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut found = evaluated(&repo);
    found.sort_unstable();
    let mut expected = commits;
    expected.push(repo.git(&["rev-list", "--max-parents=0", "main"]));
    expected.sort_unstable();
    assert_eq!(found, expected);
    gate(&repo, &["check"]).ends(0);
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_baseline_or_the_new_one() {
    let repo = accepted();
    let mut before = repo.id(MAIN);
    for number in 0..12_u64 {
        trace(&repo, "a", &format!("fine {number}"));
        repo.commit("next");
        let mut child = command(&repo, &["accept", "--yes"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(number * 9));
        child.kill().unwrap();
        child.wait().unwrap();
        // The git that it ran may still come to its end, and is then the newer writer.
        std::thread::sleep(Duration::from_millis(200));
        let now = repo.id(MAIN);
        if now != before {
            assert_eq!(repo.git(&["rev-parse", &format!("{MAIN}~1")]), before.as_str());
        }
        gate(&repo, &["show"]).ends(0);
        before = now;
    }
    gate(&repo, &["accept", "--yes"]).ends(0);
    gate(&repo, &["check"]).ends(0);
    repo.git(&["fsck", "--strict"]);
}

#[test]
fn a_stale_lock_is_named_and_stays() {
    let repo = accepted();
    let before = repo.id(MAIN);
    trace(&repo, "a", "fine too");
    repo.commit("next");
    let lock = repo.root().join(".git").join(format!("{MAIN}.lock"));
    std::fs::write(&lock, "").unwrap();
    gate(&repo, &["accept", "--yes"]).ends(3).says("main.lock");
    assert!(lock.exists());
    std::fs::remove_file(lock).unwrap();
    assert_eq!(repo.id(MAIN), before);
}

#[test]
fn where_refs_cannot_be_written_the_baseline_is_intact() {
    let repo = accepted();
    trace(&repo, "a", "bad luck");
    repo.commit("worse");
    // A file stands where a folder is needed: permissions do not stop the owner of everything.
    let folder = repo.root().join(".git/refs/diag-gate/pending");
    std::fs::write(&folder, "").unwrap();
    let told = gate(&repo, &["accept", "--pending", "--yes", "-m", "x"]);
    assert!(told.status >= 2, "{} {}", told.out, told.err);
    std::fs::remove_file(folder).unwrap();
    gate(&repo, &["check"]).ends(1);
}
