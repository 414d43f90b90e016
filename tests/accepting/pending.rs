//! `accept --pending`, and what `check` makes of it.

use super::*;

/// On the branch `change`, case `a` has got worse, and that was accepted.
pub(super) fn proposed() -> TestRepo {
    let repo = accepted();
    repo.git(&["switch", "-q", "-c", "change"]);
    trace(&repo, "a", "bad luck");
    repo.commit("worse");
    gate(&repo, &["check"]).ends(1);
    gate(&repo, &["accept", "--pending", "--yes", "-m", "the new model says so"]).ends(0);
    repo
}

#[test]
fn the_baseline_stays_and_the_check_of_this_content_passes() {
    let repo = accepted();
    let before = repo.id(MAIN);
    repo.git(&["switch", "-q", "-c", "change"]);
    trace(&repo, "a", "bad luck");
    let commit = repo.commit("worse");
    gate(&repo, &["accept", "--pending", "--yes"]).ends(2).says("takes a reason");
    assert_eq!(pending_refs(&repo), Vec::<String>::new());
    gate(&repo, &["accept", "--pending", "--yes", "-m", "why not"]).ends(0).says("diag-gate promote");
    assert_eq!(repo.id(MAIN), before);

    let refs = pending_refs(&repo);
    assert_eq!(refs.len(), 1);
    let digest =
        repo.git(&["log", "-1", "--format=%(trailers:key=Diag-Gate-Suite-Digest,valueonly)", &refs[0]]);
    assert_eq!(refs[0], format!("{PENDING}/{}", &digest.trim()[..16]));
    assert_eq!(
        repo.git(&["log", "--format=%P|%an|%b", &refs[0]]).split('\n').next(),
        Some("|Ann Author|why not")
    );
    assert_eq!(repo.git(&["ls-tree", "--name-only", &refs[0]]), "format-1\npolicy.toml\nreport.json");
    let trailers = repo.git(&["log", "-1", "--format=%B", &refs[0]]);
    assert!(trailers.contains(&format!("Diag-Gate-Commit: {}", commit.as_str())), "{trailers}");
    assert!(trailers.contains("Diag-Gate-Accepted: case-regressed a"), "{trailers}");

    gate(&repo, &["check"]).ends(0).says("accepted by Ann Author <ann@example.com>: why not");
    let told = json(&repo, &["check", "--format", "json"]);
    assert_eq!(told["gate"]["blocking"], 0);
    let accepted = serde_json::json!({
        "by": "Ann Author <ann@example.com>", "reason": "why not", "commit": repo.id(&refs[0]).as_str(),
    });
    for entry in told["entries"].as_array().unwrap() {
        assert_eq!(entry["accepted"], accepted, "{entry}");
    }
    gate(&repo, &["show"]).ends(0).says("why not");
}

#[test]
fn it_is_keyed_by_content_and_not_by_commit() {
    let repo = proposed();
    repo.git(&["commit", "-q", "--amend", "-m", "said otherwise"]);
    gate(&repo, &["check"]).ends(0);
    let before = refs(&repo);
    gate_as_bob(&repo, &["accept", "--pending", "--yes", "-m", "me too"])
        .ends(0)
        .says("accepted already, by Ann Author <ann@example.com>: the new model says so");
    assert_eq!(refs(&repo), before);
    // More damage is another content.
    trace(&repo, "b", "bad as well");
    repo.commit("worse still");
    gate(&repo, &["check"]).ends(1).says("accepted by Ann Author").says("case-regressed b");
    // `main` itself was never touched.
    gate(&repo, &["check", "--rev", "main"]).ends(0);
}

#[test]
fn settings_cannot_be_weakened_after_the_acceptance() {
    let repo = proposed();
    repo.write("eval/diag-gate.toml", "[gate.levels]\n\"case-regressed\" = \"ignore\"\n");
    repo.commit("and look away");
    let told = json(&repo, &["check", "--format", "json"]);
    assert_eq!(told["gate"]["outcome"], "block");
    let blocks = |entry: &&serde_json::Value| entry["level"] == "block" && entry["accepted"].is_null();
    let kinds: Vec<&str> = told["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(blocks)
        .map(|it| it["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["policy-changed"]);
    // Accepted with its settings, it takes the place of the other acceptance of this content.
    gate(&repo, &["accept", "--pending", "--yes", "-m", "so be it"]).ends(0);
    assert_eq!(pending_refs(&repo).len(), 1);
    gate(&repo, &["check"]).ends(0).says("so be it");
}

#[test]
fn one_that_cannot_be_believed_is_an_error() {
    for spoil in 0..4 {
        let repo = proposed();
        let reference = pending_refs(&repo).remove(0);
        match spoil {
            0 => drop(repo.git(&["update-ref", &reference, "HEAD"])),
            1 => drop(repo.git(&["update-ref", &format!("{PENDING}/0123456789abcdef"), &reference])),
            2 => drop(repo.git(&["update-ref", &reference, MAIN])),
            _ => std::fs::write(repo.root().join(".git").join(&reference), "rubbish\n").unwrap(),
        }
        let before = refs_file(&repo);
        let told = gate(&repo, &["check"]);
        assert_eq!(told.status, if spoil == 3 { 3 } else { 2 }, "{spoil}: {} {}", told.out, told.err);
        assert!(told.err.contains("refs/diag-gate/pending/"), "{}", told.err);
        assert!(gate(&repo, &["promote", "--rev", "main"]).status >= 2);
        assert_eq!(refs_file(&repo), before);
    }
}

/// Refs as files, since git itself reports broken ones.
fn refs_file(repo: &TestRepo) -> Vec<u8> {
    std::fs::read(repo.root().join(".git").join(MAIN)).unwrap()
}

#[test]
fn a_fetched_copy_counts_in_another_clone() {
    let repo = proposed();
    let clone = repo.base().join("clone");
    repo.git(&["clone", "-q", repo.root().to_str().unwrap(), clone.to_str().unwrap()]);
    let run = |arguments: &[&str]| {
        let mut command = command(&repo, arguments);
        command.current_dir(&clone);
        finish(command)
    };
    repo.git_in(
        &clone,
        &["fetch", "-q", "origin", "refs/diag-gate/baselines/*:refs/diag-gate/remotes/origin/baselines/*"],
    );
    run(&["check"]).ends(1);
    repo.git_in(
        &clone,
        &["fetch", "-q", "origin", "refs/diag-gate/pending/*:refs/diag-gate/remotes/origin/pending/*"],
    );
    run(&["check"]).ends(0).says("the new model says so");
    run(&["accept", "--pending", "--yes", "-m", "again"]).ends(0).says("accepted already");
    let told: serde_json::Value = serde_json::from_str(&run(&["check", "--format", "json"]).out).unwrap();
    assert_eq!(told["baseline"]["ref"], "refs/diag-gate/remotes/origin/baselines/default/main");
}

#[test]
fn single_cases_and_content_that_has_not_landed_do_not_go_together() {
    gate(&accepted(), &["accept", "--pending", "--case", "a", "--yes"]).ends(2);
}
