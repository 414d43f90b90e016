//! `demo`: the gate at work on the suite at HEAD.

use crate::support::TestRepo;

#[test]
fn the_demonstration_blocks_and_leaves_the_repository_alone() {
    let repo = TestRepo::with_seed("mvp/eval");
    let before = repo.state();
    let told = repo.gate(&["demo", "--suite", "mvp/eval"]).ends(0);
    told.says(&["PASSED", "BLOCKED", "caught the planted regression"]);
    assert_eq!(repo.state(), before);
    let coloured = repo.gate(&["demo", "--suite", "mvp/eval", "--color", "never"]).ends(0);
    assert!(!coloured.stdout.contains('\u{1b}'));
}

#[test]
fn without_a_passing_case_there_is_nothing_to_demonstrate() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.write_answer("a", "不明");
    repo.commit("Nothing passes");
    repo.gate(&["demo"]).ends(2).says(&["no regression can be planted"]);
}
