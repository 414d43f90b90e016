//! `accept --case`: single cases of a commit.

use super::*;

fn report(repo: &TestRepo, revision: &str) -> serde_json::Value {
    serde_json::from_str(&repo.git(&["show", &format!("{revision}:report.json")])).unwrap()
}

fn ids(report: &serde_json::Value) -> Vec<&str> {
    report["results"].as_array().unwrap().iter().map(|it| it["caseId"].as_str().unwrap()).collect()
}

fn taken(repo: &TestRepo) -> String {
    repo.git(&["log", "-1", "--format=%(trailers:key=Diag-Gate-Case,valueonly,separator=%x20)", MAIN])
}

#[test]
fn the_rest_stays_as_it_was_accepted() {
    let repo = accepted();
    let before = report(&repo, MAIN);
    trace(&repo, "a", "bad luck");
    trace(&repo, "b", "bad news");
    repo.write("eval/diag-gate.toml", "[gate]\nmin_pass_rate = 0.1\n");
    let commit = repo.commit("worse twice");
    gate(&repo, &["accept", "--case", "a", "--yes"]).ends(2).says("takes a reason");
    gate(&repo, &["accept", "--case", "a", "--yes", "-m", "just this"])
        .ends(0)
        .says("Taken: 1 case: a")
        .says("although it differs now: 1 case: b")
        .says("settings: gate.min_pass_rate");
    let now = report(&repo, MAIN);
    assert_eq!(ids(&now), ["a", "b", "c"]);
    assert_eq!(now["results"][0]["passed"], false);
    assert_eq!(now["results"][1], before["results"][1]);
    assert_eq!(now["source"]["commit"], commit.as_str());
    assert_ne!(now["suiteDigest"], before["suiteDigest"]);
    assert_eq!(taken(&repo), "a");
    assert_eq!(repo.git(&["show", &format!("{MAIN}:policy.toml")]), "");
    // The other one still blocks, this one does not.
    let told = gate(&repo, &["check"]).ends(1).says("case-regressed b");
    assert!(!told.out.contains("case-regressed  a"), "{}", told.out);
    gate(&repo, &["accept", "--case", "a", "--yes"]).ends(0).says("holds this already");
    assert_eq!(repo.git(&["rev-list", "--count", MAIN]), "2");
}

#[test]
fn cases_come_and_go_in_their_place() {
    let repo = accepted();
    std::fs::remove_file(repo.root().join("eval/cases/b.json")).unwrap();
    std::fs::remove_file(repo.root().join("eval/fixtures/b.json")).unwrap();
    put(&repo, "aa", "fine");
    put(&repo, "0", "fine");
    put(&repo, "d", "fine");
    repo.commit("to and fro");
    gate(&repo, &["accept", "--case", "aa", "--case", "0", "--yes"]).ends(0);
    assert_eq!(ids(&report(&repo, MAIN)), ["0", "a", "aa", "b", "c"]);
    gate(&repo, &["accept", "--case", "b", "--yes", "-m", "gone"]).ends(0);
    assert_eq!(ids(&report(&repo, MAIN)), ["0", "a", "aa", "c"]);
    assert_eq!(taken(&repo), "b");
    gate(&repo, &["accept", "--case", "d*", "--yes"]).ends(0);
    // All was taken by and by: it is what the commit as a whole holds.
    let whole = json(&repo, &["run", "--format", "json"]);
    assert_eq!(report(&repo, MAIN), whole);
    gate(&repo, &["check"]).ends(0);
}

#[test]
fn what_cannot_be_taken_in_part_is_refused() {
    let repo = committed();
    gate(&repo, &["accept", "--case", "a", "--yes"]).ends(2).says("no baseline");
    gate(&repo, &["accept", "--yes"]).ends(0);
    let before = refs(&repo);
    gate(&repo, &["accept", "--case", "a", "--case", "zzz*", "--yes"]).ends(2).says("zzz*");
    trace(&repo, "a", "fine, too");
    for settings in ["[matching]\nexpected = \"folded\"\n", "[limits]\nmax_trace_bytes = 1000\n"] {
        repo.write("eval/diag-gate.toml", settings);
        repo.commit("other rules");
        gate(&repo, &["accept", "--case", "a", "--yes"]).ends(2).says("single cases cannot be accepted");
    }
    repo.write("eval/fixtures/a.json", "{");
    repo.write("eval/diag-gate.toml", "");
    repo.commit("unjudged");
    gate(&repo, &["accept", "--case", "a", "--yes", "-m", "x"]).ends(2).says("--allow-unjudged");
    gate(&repo, &["accept", "--case", "b", "--yes"]).ends(0).says("holds this already");
    assert_eq!(refs(&repo), before);
}
