//! `promote`, after merges of every kind.

use super::pending::proposed;
use super::*;

fn ledger(repo: &TestRepo) -> Vec<String> {
    let log = repo.git(&["log", "--format=%an|%cn|%b%x00", MAIN]);
    let links = log.split('\0').map(str::trim).filter(|link| !link.is_empty());
    links.map(|link| link.split("\n\n").next().unwrap().to_owned()).collect()
}

/// After a promotion: the content of HEAD is the baseline, nothing is pending, and the check passes.
#[track_caller]
fn landed(repo: &TestRepo) {
    assert_eq!(pending_refs(repo), Vec::<String>::new());
    let evaluated = repo.git(&["log", "-1", "--format=%(trailers:key=Diag-Gate-Commit,valueonly)", MAIN]);
    assert_eq!(evaluated.trim(), repo.id("HEAD").as_str());
    gate(repo, &["check"]).ends(0).says("nothing blocks");
    let before = refs(repo);
    gate(repo, &["promote"]).ends(0).says("holds this content already");
    assert_eq!(refs(repo), before);
}

#[test]
fn a_squash_merge_advances_with_author_and_reason() {
    let repo = proposed();
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--squash", "change"]);
    repo.commit("squashed");
    repo.git(&["branch", "-q", "-D", "change"]);
    let mut run = command(&repo, &["promote"]);
    run.env("GIT_AUTHOR_NAME", "Robot").env("GIT_COMMITTER_NAME", "Robot");
    finish(run).ends(0).says("by Ann Author <ann@example.com>: the new model says so");
    assert_eq!(ledger(&repo)[0], "Ann Author|Robot|the new model says so");
    assert_eq!(repo.git(&["rev-list", "--count", MAIN]), "2");
    let message = repo.git(&["log", "-1", "--format=%B", MAIN]);
    assert!(message.contains("Diag-Gate-Accepted: case-regressed a"), "{message}");
    landed(&repo);
}

#[test]
fn a_rebased_merge_advances_too() {
    let repo = proposed();
    repo.git(&["switch", "-q", "main"]);
    repo.write("README.md", "moved on\n");
    repo.commit("elsewhere");
    repo.git(&["switch", "-q", "change"]);
    repo.git(&["rebase", "-q", "main"]);
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--ff-only", "change"]);
    gate(&repo, &["promote"]).ends(0);
    assert_eq!(ledger(&repo)[0], "Ann Author|Cem Committer|the new model says so");
    landed(&repo);
}

#[test]
fn two_changes_that_land_together_keep_both_authors_and_reasons() {
    let repo = proposed();
    repo.git(&["switch", "-q", "-c", "second", "main"]);
    trace(&repo, "b", "bad news");
    repo.commit("worse elsewhere");
    gate(&repo, &["check"]).ends(1);
    gate_as_bob(&repo, &["accept", "--pending", "--yes", "-m", "b is no longer asked for"]).ends(0);
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "one", "change"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "other", "second"]);
    gate(&repo, &["check"]).ends(0).says("the new model says so").says("b is no longer asked for");
    gate(&repo, &["promote"]).ends(0);
    let mut newest = ledger(&repo)[..2].to_vec();
    newest.sort_unstable();
    assert_eq!(
        newest,
        [
            "Ann Author|Cem Committer|the new model says so",
            "Bob Other|Cem Committer|b is no longer asked for"
        ]
    );
    landed(&repo);
}

#[test]
fn damage_that_nobody_accepted_is_not_promoted() {
    let repo = proposed();
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "change"]);
    trace(&repo, "c", "bad surprise");
    repo.commit("a slip on the way");
    let before = refs(&repo);
    gate(&repo, &["promote"]).ends(1).says("worse than what was accepted");
    assert_eq!(refs(&repo), before);
}

#[test]
fn a_ratchet_advances_where_nothing_blocks_and_nothing_else_does() {
    let repo = accepted();
    put(&repo, "d", "fine");
    repo.commit("one more");
    let before = refs(&repo);
    gate(&repo, &["promote"]).ends(0).says("neither an acceptance nor a ratchet");
    assert_eq!(refs(&repo), before);
    // A ratchet that is only proposed is none.
    repo.write("eval/diag-gate.toml", "[baseline]\nratchet = true\n");
    repo.commit("a ratchet");
    gate(&repo, &["promote"]).ends(0).says("neither an acceptance nor a ratchet");
    gate(&repo, &["accept", "--yes", "-m", "from now on"]).ends(0);
    put(&repo, "e", "fine");
    repo.commit("and one more");
    gate(&repo, &["promote"]).ends(0).says("ratchet");
    landed(&repo);
    trace(&repo, "e", "bad");
    repo.commit("worse");
    let before = refs(&repo);
    gate(&repo, &["promote"]).ends(1);
    assert_eq!(refs(&repo), before);
}

#[test]
fn without_a_baseline_only_an_accepted_content_becomes_the_first_one() {
    let repo = committed();
    gate(&repo, &["promote"]).ends(2).says("diag-gate accept");
    gate(&repo, &["accept", "--pending", "--yes", "-m", "to begin with"]).ends(0);
    gate(&repo, &["check"]).ends(2);
    gate(&repo, &["promote"]).ends(0);
    assert_eq!(ledger(&repo), ["Ann Author|Cem Committer|to begin with"]);
    landed(&repo);
}

#[test]
fn another_baseline_by_name_has_acceptances_of_its_own() {
    let repo = proposed();
    gate(&repo, &["accept", "--rev", "main", "--baseline", "v1", "--yes"]).ends(0);
    gate(&repo, &["check", "--baseline", "v1"]).ends(1);
    gate(&repo, &["promote", "--baseline", "v1"]).ends(1);
    gate(&repo, &["promote"]).ends(0);
    gate(&repo, &["show", "--baseline", "v1"]).ends(0).says("default/v1");
}

#[test]
fn a_lock_in_the_way_leaves_baseline_and_acceptance() {
    let repo = proposed();
    let before = refs(&repo);
    let lock = repo.root().join(".git").join(format!("{}.lock", pending_refs(&repo)[0]));
    std::fs::write(&lock, "").unwrap();
    gate(&repo, &["promote"]).ends(3).says(".lock");
    assert!(lock.exists());
    std::fs::remove_file(&lock).unwrap();
    assert_eq!(refs(&repo), before);
    gate(&repo, &["promote"]).ends(0);
}
