//! `lint`: faults and oddities of a suite.

use crate::support::TestRepo;
use crate::support::suite::case;

#[test]
fn a_sound_suite_and_an_odd_one() {
    let repo = TestRepo::with_cases(&["a"]);
    insta::assert_snapshot!(repo.gate(&["lint"]).page(), @r#"
    status: 0
    --- stdout
    SOUND 1 case, 0 warnings
    --- stderr
    "#);
    repo.write("eval/fixtures/unused/旧的.json", "{}");
    repo.write(
        "eval/cases/odd.json",
        format!(
            "[{}, {}]",
            case("b", r#", "minKeywordMatches": 0"#),
            r#"{"id": "c", "traceFixture": "a.json"}"#
        ),
    );
    repo.gate(&["lint"]).ends(0).says(&["0 warnings"]);
    insta::assert_snapshot!(repo.gate(&["lint", "--worktree"]).page(), @r#"
    status: 0
    --- stdout
    SOUND 3 cases, 3 warnings

      cases/odd.json:1: case `b`: field `minKeywordMatches`: a minimum of 0 asks for
      none of the keywords beside it
      cases/odd.json:1: case `c`: the case asks nothing: every answer with a verdict
      passes
      fixtures/unused/旧的.json: no case uses this trace
    --- stderr
    "#);
}

#[test]
fn a_fault_is_an_error_here_too() {
    let repo = TestRepo::with_cases(&["a"]);
    repo.write(
        "eval/cases/odd.json",
        r#"[{"id": "b", "traceFixture": "a.json", "allowedVerdict": ["PASS"]}]"#,
    );
    repo.gate(&["lint", "--worktree"]).ends(2).shows_nothing().says(&["did you mean `allowedVerdicts`"]);
}
