//! A change that does five things at once: each must be told for what it is, in every format.

use crate::support::TestRepo;
use crate::support::suite::case;

/// Regresses a trace, weakens a case, drops a failing one, renames one and edits the policy.
fn five_at_once() -> TestRepo {
    let repo = TestRepo::with_cases(&["agent", "exam", "failing", "old-name"]);
    let asked = r#", "requiredEvidenceTools": []"#;
    repo.write_answer("failing", "不知道");
    repo.commit("One of them fails");
    repo.gate(&["accept", "--yes", "-m", "it is known"]).ends(0);
    repo.write_answer("agent", "不知道");
    let weaker = case("exam", asked)
        .replace(r#""磁盘满""#, r#""磁盘满", "另一个""#)
        .replace(r#""traceFixture""#, r#""minKeywordMatches": 0, "traceFixture""#);
    let renamed = case("old-name", "").replace(r#""id": "old-name""#, r#""id": "new-name""#);
    repo.write("eval/cases/all.json", format!("[{},\n{weaker},\n{renamed}]", case("agent", "")));
    repo.write("eval/diag-gate.toml", "[gate.levels]\n\"case-regressed\" = \"ignore\"\n");
    repo.commit("Five things at once");
    repo
}

#[test]
fn five_things_at_once_are_each_told_for_what_they_are() {
    let repo = five_at_once();
    for format in ["text", "markdown", "json"] {
        repo.gate(&["check", "--format", format]).ends(1).says(&[
            "case-regressed",
            "agent",
            "expectation-weakened",
            "exam",
            "case-removed",
            "failing",
            "case-renamed",
            "new-name",
            "policy-changed",
            "gate.levels.case-regressed",
        ]);
    }
}

#[test]
fn the_proposed_policy_is_not_in_force() {
    let repo = five_at_once();
    let told = repo.gate(&["check", "--format", "json"]).ends(1);
    let diff: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    let level = |kind: &str| {
        let entries = diff["entries"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["kind"] == kind).unwrap();
        (entry["severity"].as_str().unwrap().to_owned(), entry["level"].as_str().unwrap().to_owned())
    };
    let of = |severity: &str, level: &str| (severity.to_owned(), level.to_owned());
    assert_eq!(level("case-regressed"), of("regression", "block"));
    assert_eq!(level("expectation-weakened"), of("regression", "block"));
    assert_eq!(level("case-removed"), of("regression", "block"));
    assert_eq!(level("policy-changed"), of("regression", "block"));
    assert_eq!(level("case-renamed"), of("change", "info"));
}
