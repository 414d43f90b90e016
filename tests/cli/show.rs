//! `show`: the accepted baseline.

use crate::support::TestRepo;

#[test]
fn the_baseline_is_shown_with_who_and_why() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    repo.gate(&["accept", "--yes", "-m", "第一个基线"]).ends(0);
    insta::assert_snapshot!(repo.gate(&["show"]).page(), @r#"
    status: 0
    --- stdout
    baseline   default/main
    link       [ID]
    ref        refs/diag-gate/baselines/default/main
    accepted   2096-10-02T07:06:40Z (just now)
    by         Ann Author <ann@example.com>
    reason     第一个基线
    of commit  [ID]

    PASSED 2 of 2 cases passed (100 %)
    suite default at [ID]

    verdicts    PASS 2
    tool calls  0 on average
    --- stderr
    "#);
    repo.write_answer("a", "不明");
    repo.commit("A change to the agent");
    assert!(repo.gate(&["show"]).ends(0).stdout.contains("2 of 2"));
}

#[test]
fn a_name_without_a_baseline_is_an_error() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.gate(&["show"])
        .ends(2)
        .shows_nothing()
        .says(&["there is no baseline default/main", "diag-gate accept"]);
    repo.gate(&["show", "release"]).ends(2).shows_nothing().says(&["--baseline=release"]);
    for name in ["", "a/b", ".x", "x.lock", "a..b", "名", "-x"] {
        repo.gate(&["show", "--", name]).ends(2).shows_nothing();
        repo.gate(&["check", &format!("--baseline={name}")]).ends(2).shows_nothing();
    }
}

#[test]
fn names_that_differ_in_letter_case_alone_are_an_error() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.gate(&["accept", "--yes", "--baseline", "Main"]).ends(0);
    let before = repo.state();
    for arguments in [&["accept", "--yes"][..], &["check"], &["show"], &["check", "--allow-missing-baseline"]]
    {
        repo.gate(arguments).ends(2).says(&["letter case"]);
    }
    assert_eq!(repo.state(), before);
}
