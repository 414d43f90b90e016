//! `man`: the manual page.

use crate::support::TestRepo;

#[test]
fn the_manual_is_one_page_with_every_command() {
    let repo = TestRepo::new();
    let told = repo.gate(&["man"]).ends(0);
    assert!(told.stdout.contains(".TH diag-gate 1"), "{}", told.stdout);
    assert_eq!(told.stderr, "");
    for heading in
        ["\n.SH NAME\n", "\n.SH OPTIONS\n", "\n.SH \"DIAG-GATE CHECK\"\n", "\n.SH \"EXIT STATUS\"\n"]
    {
        assert_eq!(told.stdout.matches(heading).count(), 1, "{heading}");
    }
}
