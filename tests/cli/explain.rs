//! `explain`: one case, check by check.

use crate::support::TestRepo;

const CASES: &str = r#"[
  {
    "id": "disk",
    "traceFixture": "disk.json",
    "expectedRootCauseKeywords": ["磁盘满"],
    "allowedVerdicts": ["PASS"],
    "forbiddenAnswerKeywords": ["restart"]
  }
]"#;

fn trace(answer: &str) -> String {
    format!(
        r#"{{
  "session": {{
    "answer": "{answer}",
    "selfEvaluation": {{
      "verifier_evaluation": {{
        "verdict": "PASS"
      }}
    }}
  }}
}}"#
    )
}

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("eval/cases/all.json", CASES);
    repo.write("eval/fixtures/disk.json", trace("磁盘满"));
    repo.commit("A suite");
    repo.gate(&["accept", "--yes"]).ends(0);
    repo
}

#[test]
fn a_case_is_told_check_by_check_with_the_lines_of_rule_and_trace() {
    let repo = repo();
    repo.write("eval/fixtures/disk.json", trace("磁盘满，请 Restart"));
    repo.commit("Worse");
    insta::assert_snapshot!(repo.gate(&["explain", "disk"]).page(), @r#"
    status: 0
    --- stdout
    FAIL  disk
    title     disk
    rule      eval/cases/all.json:2
    trace     eval/fixtures/disk.json (blob
              [ID])
    baseline  default/main [ID]

    check                 before    now       rule      trace
    trace                 pass      pass      :4
    trace-shape           pass      pass
    answer                pass      pass                :3
    root-cause-keywords   pass      pass      :5        :3
        found "磁盘满" in "磁盘满，请 Restart"
    evidence-tools        -         -
    verdict               pass      pass      :6        :6
    forbidden-answer      pass      FAIL      :7        :3
        the answer holds forbidden words: "restart" in "磁盘满，请 Restart"
    audit-closure         -         -
    gatekeeper-verdict    pass      pass                :6
    claim-checks          -         -
    composer-output       -         -
    gatekeeper-status     -         -
    gatekeeper-rule-set   -         -
    composer-status       -         -
    evidence-bindings     pass      pass                :5
    protocol-leak         pass      pass                :3
    forbidden-claim       -         -
    --- stderr
    "#);
}

#[test]
fn a_trace_that_is_gone_has_no_lines_and_is_told() {
    let repo = repo();
    repo.git(&["rm", "-q", "eval/fixtures/disk.json"]);
    repo.commit("Gone");
    let told = repo.gate(&["explain", "disk"]).ends(0);
    assert!(told.stdout.starts_with("UNJUDGED"), "{}", told.stdout);
    assert!(told.stdout.contains("FAIL      :4\n"), "{}", told.stdout);
}

#[test]
fn files_that_nobody_committed_are_explained_as_they_stand() {
    let repo = repo();
    repo.write("eval/fixtures/disk.json", format!("\n{}", trace("restart")));
    let told = repo.gate(&["explain", "disk", "--worktree"]).ends(0);
    assert!(
        told.stdout.contains("forbidden-answer      pass      FAIL      :7        :4\n"),
        "{}",
        told.stdout
    );
}

#[test]
fn a_case_that_is_unknown_is_told_with_the_nearest_one() {
    repo().gate(&["explain", "disc"]).ends(2).shows_nothing().says(&["no case `disc`", "did you mean"]);
}
