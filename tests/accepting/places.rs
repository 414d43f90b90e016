//! Where a baseline stands: local and fetched, and what this clone saw last.

use super::*;

const COPY: &str = "refs/diag-gate/remotes/origin/baselines/default/main";

fn accept_next(repo: &TestRepo, id: &str) -> String {
    put(repo, id, "fine");
    repo.commit(id);
    gate(repo, &["accept", "--yes"]).ends(0);
    repo.id(MAIN).as_str().to_owned()
}

#[test]
fn of_two_places_the_newer_counts_and_the_next_link_follows_it() {
    let repo = accepted();
    let first = repo.id(MAIN);
    let second = accept_next(&repo, "d");
    repo.git(&["update-ref", COPY, &second]);
    repo.git(&["update-ref", MAIN, first.as_str()]);
    let told = json(&repo, &["check", "--format", "json"]);
    assert_eq!(
        (&told["baseline"]["commit"], &told["baseline"]["ref"]),
        (&second.clone().into(), &COPY.into())
    );
    // Already accepted there, so nothing is written here.
    gate(&repo, &["accept", "--yes"]).ends(0).says("holds this already");
    let third = accept_next(&repo, "e");
    assert_eq!(repo.git(&["rev-list", "--parents", "-1", &third]), format!("{third} {second}"));
    assert_eq!(repo.id(COPY).as_str(), second);
    repo.git(&["update-ref", "-d", MAIN]);
    repo.git(&["update-ref", COPY, &third]);
    gate(&repo, &["check"]).ends(0);
}

#[test]
fn two_places_that_differ_are_an_error_that_shows_both() {
    let repo = accepted();
    let first = repo.id(MAIN);
    let ours = accept_next(&repo, "d");
    repo.git(&["update-ref", MAIN, first.as_str()]);
    repo.git(&["update-ref", SEEN, first.as_str()]);
    let theirs = accept_next(&repo, "e");
    repo.git(&["update-ref", COPY, &ours]);
    let before = refs(&repo);
    for arguments in [
        &["check"][..],
        &["accept", "--yes"],
        &["show"],
        &["promote"],
        &["check", "--allow-missing-baseline"],
    ] {
        let told = gate(&repo, arguments).ends(2);
        assert!(told.err.contains(&ours) && told.err.contains(&theirs), "{}", told.err);
    }
    assert_eq!(refs(&repo), before);
}

#[test]
fn a_rewritten_chain_is_an_error_by_id() {
    let repo = accepted();
    let first = repo.id(MAIN);
    accept_next(&repo, "d");
    assert_eq!(repo.id(SEEN), repo.id(MAIN));
    repo.git(&["update-ref", MAIN, first.as_str()]);
    for arguments in [&["check"][..], &["accept", "--yes"], &["show"], &["promote"]] {
        gate(&repo, arguments)
            .ends(2)
            .says("was rewritten")
            .says(&format!("diag-gate sync --accept-rewritten {}", first.as_str()));
    }
    repo.git(&["update-ref", "-d", MAIN]);
    for arguments in [&["check", "--allow-missing-baseline"][..], &["accept", "--yes"], &["show"]] {
        gate(&repo, arguments).ends(2).says("is gone");
    }
    repo.git(&["update-ref", "-d", SEEN]);
    gate(&repo, &["check", "--allow-missing-baseline"]).ends(0);
}

#[test]
fn what_was_seen_is_written_as_best_it_can_be() {
    let repo = accepted();
    let first = repo.id(MAIN);
    repo.git(&["update-ref", "-d", SEEN]);
    let lock = repo.root().join(".git").join(format!("{SEEN}.lock"));
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    std::fs::write(&lock, "").unwrap();
    gate(&repo, &["check"]).ends(0);
    std::fs::remove_file(lock).unwrap();
    gate(&repo, &["check"]).ends(0);
    assert_eq!(repo.id(SEEN), first);
}

#[test]
fn a_shallow_copy_of_the_chain_is_enough() {
    let repo = accepted();
    accept_next(&repo, "d");
    let clone = repo.base().join("clone");
    let url = format!("file://{}", repo.root().display());
    repo.git(&["clone", "-q", "--depth", "1", &url, clone.to_str().unwrap()]);
    let fetch = || {
        repo.git_in(&clone, &["fetch", "-q", "--depth", "1", "origin", &format!("{MAIN}:{MAIN}")]);
        let mut command = command(&repo, &["check"]);
        command.current_dir(&clone);
        finish(command).ends(0)
    };
    fetch();
    accept_next(&repo, "e");
    accept_next(&repo, "f");
    let seen = repo.git_in(&clone, &["rev-parse", SEEN]);
    repo.git_in(&clone, &["update-ref", "-d", MAIN]);
    // What came before is cut off: nothing can be told, and so nothing is written down.
    repo.git_in(&clone, &["fetch", "-q", "--depth", "1", "origin", "main"]);
    repo.git_in(&clone, &["reset", "-q", "--hard", "FETCH_HEAD"]);
    fetch();
    assert_eq!(repo.git_in(&clone, &["rev-parse", SEEN]), seen);
}
