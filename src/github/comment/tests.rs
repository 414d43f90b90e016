//! Tables and laws of the plan.

use proptest::prelude::*;

use super::*;
use crate::ids::ObjectId;

const KEY: &str = "gate";

fn key() -> Key {
    Key::parse(KEY).unwrap()
}

fn stamp(run_id: u64) -> Stamp {
    Stamp { head: ObjectId::parse(&"ab".repeat(20)).unwrap(), run_id, run_attempt: 1 }
}

fn here() -> super::super::RepoName {
    super::super::RepoName::parse("acme/agents").unwrap()
}

fn text(words: &str, run: u64) -> String {
    format!("{words}\n\n{}", stamp(run).line("https://github.com", &here()))
}

fn wanted(words: &str, run: u64) -> Wanted {
    Wanted::new(key(), Mode::Auto, false, stamp(run), &text(words, run))
}

fn user(id: u64) -> User {
    User { id, login: format!("user-{id}"), kind: "User".to_owned(), name: None }
}

fn bot() -> User {
    User { id: 41_898_282, login: "github-actions[bot]".to_owned(), kind: "Bot".to_owned(), name: None }
}

fn comment(id: u64, author: User, body: &str) -> Comment {
    Comment { id, body: body.to_owned(), url: String::new(), user: Some(author), minimized: false }
}

fn own(id: u64, words: &str, run: u64) -> Comment {
    comment(id, bot(), wanted(words, run).body())
}

fn planned(comments: &[Comment], wanted: &Wanted) -> (Action, Vec<u64>) {
    let Plan { action, delete } = plan(comments, &Viewer::ActionsBot, wanted);
    (action, delete)
}

#[test]
fn a_key_is_short_and_plain() {
    for good in ["a", "gate-2", "-", &"x".repeat(64)] {
        assert_eq!(Key::parse(good).unwrap().as_str(), good);
    }
    for bad in ["", "A", "a b", "a_b", "-->", "é", "a\n", &"x".repeat(65)] {
        assert_eq!(Key::parse(bad), None, "{bad}");
    }
    assert_eq!(key().marker(), "<!-- diag-gate:v1 key=gate -->");
}

#[test]
fn the_marker_is_put_in_front_once() {
    let once = wanted("x", 1);
    let twice = Wanted::new(key(), Mode::Auto, false, stamp(1), once.body());
    assert_eq!(once, twice);
    assert_eq!(once.body().lines().next().unwrap(), key().marker());
}

#[test]
fn without_a_comment_there_is_one_to_create_unless_all_is_clean() {
    for (mode, clean, action) in [
        (Mode::Auto, false, Action::Create),
        (Mode::Auto, true, Action::Clean),
        (Mode::Always, false, Action::Create),
        (Mode::Always, true, Action::Create),
        (Mode::Never, false, Action::Disabled),
        (Mode::Never, true, Action::Disabled),
    ] {
        let wanted = Wanted { mode, clean, ..wanted("x", 1) };
        assert_eq!(planned(&[], &wanted), (action, vec![]), "{mode:?} {clean}");
    }
}

#[test]
fn a_comment_that_stands_is_told_that_all_is_clean() {
    for mode in [Mode::Auto, Mode::Always] {
        let wanted = Wanted { clean: true, mode, ..wanted("passed", 2) };
        assert_eq!(planned(&[own(5, "blocked", 1)], &wanted), (Action::Update(5), vec![]));
    }
    let never = Wanted { mode: Mode::Never, ..wanted("passed", 2) };
    assert_eq!(planned(&[own(5, "blocked", 1)], &never), (Action::Disabled, vec![]));
}

#[test]
fn the_oldest_of_several_stays() {
    let all = [own(9, "b", 1), own(5, "a", 1), own(7, "c", 1)];
    assert_eq!(planned(&all, &wanted("x", 2)), (Action::Update(5), vec![7, 9]));
    assert_eq!(planned(&all, &wanted("a", 2)), (Action::Unchanged(5), vec![7, 9]));
}

#[test]
fn a_body_that_differs_in_the_run_alone_is_unchanged() {
    assert_eq!(planned(&[own(5, "a", 1)], &wanted("a", 2)).0, Action::Unchanged(5));
    let mut moved = wanted("a", 2);
    moved.stamp.head = ObjectId::parse(&"cd".repeat(20)).unwrap();
    let body = format!("a\n\n{}", moved.stamp.line("https://github.com", &here()));
    let moved = Wanted::new(key(), Mode::Auto, false, moved.stamp, &body);
    assert_eq!(planned(&[own(5, "a", 1)], &moved).0, Action::Update(5));
}

#[test]
fn line_ends_and_blanks_at_the_end_do_not_make_another_body() {
    let body = wanted("a", 1).body().to_owned();
    assert!(same_body(&body, &format!("{}\r\n", body.replace('\n', "\r\n"))));
    assert!(!same_body(&body, &format!("{body}x")));
    assert!(!same_body(&body, ""));
}

#[test]
fn an_older_run_does_not_overwrite_a_newer_one_about_the_same_head() {
    assert_eq!(planned(&[own(5, "new", 9)], &wanted("old", 8)), (Action::Stale(5), vec![]));
    assert_eq!(planned(&[own(5, "new", 9)], &wanted("other", 9)).0, Action::Update(5));
    let mut again = wanted("other", 9);
    again.stamp.run_attempt = 0;
    assert_eq!(planned(&[own(5, "new", 9)], &again).0, Action::Stale(5));
    let mut elsewhere = wanted("old", 8);
    elsewhere.stamp.head = ObjectId::parse(&"cd".repeat(20)).unwrap();
    assert_eq!(planned(&[own(5, "new", 9)], &elsewhere).0, Action::Update(5));
}

#[test]
fn a_stamp_in_a_comment_of_somebody_else_counts_for_nothing() {
    let forged = comment(4, user(1), wanted("new", u64::MAX).body());
    assert_eq!(planned(&[forged], &wanted("old", 8)), (Action::Create, vec![]));
}

#[test]
fn own_is_the_marker_on_line_one_by_the_viewer_and_not_hidden() {
    let body = wanted("x", 1).body().to_owned();
    let by = |author| comment(1, author, &body);
    let is = |comment: &Comment, viewer: &Viewer| is_own(comment, viewer, &key());
    assert!(is(&by(bot()), &Viewer::ActionsBot));
    assert!(is(&by(bot()), &Viewer::Account(bot().id)));
    assert!(is(&by(user(3)), &Viewer::Account(3)));
    assert!(!is(&by(user(4)), &Viewer::Account(3)));
    assert!(!is(&by(User { kind: "User".to_owned(), ..bot() }), &Viewer::ActionsBot));
    assert!(!is(&by(User { login: "github-actions".to_owned(), ..bot() }), &Viewer::ActionsBot));
    assert!(!is(&Comment { minimized: true, ..by(bot()) }, &Viewer::ActionsBot));
    assert!(!is(&Comment { user: None, ..by(bot()) }, &Viewer::ActionsBot));
    assert!(is(&comment(1, bot(), &body.replace('\n', "\r\n")), &Viewer::ActionsBot));
    for other in [
        format!("\n{body}"),
        format!(" {body}"),
        format!("x{body}"),
        body.replacen("-->", "--> x", 1),
        body.replacen("gate -->", "gate-2 -->", 1),
        body.replacen("v1", "v2", 1),
        "x".to_owned(),
        String::new(),
    ] {
        assert!(!is(&comment(1, bot(), &other), &Viewer::ActionsBot), "{other}");
    }
}

#[test]
fn two_keys_never_touch_each_other() {
    let other = Wanted::new(Key::parse("gate-2").unwrap(), Mode::Auto, false, stamp(1), &text("x", 1));
    let theirs = comment(1, bot(), other.body());
    assert_eq!(planned(&[theirs, own(2, "a", 1)], &wanted("b", 2)), (Action::Update(2), vec![]));
}

fn any_comment() -> impl Strategy<Value = Comment> {
    (1_u64..50, any::<bool>(), any::<bool>(), any::<bool>(), 1_u64..5, "[ab]").prop_map(
        |(id, ours, marked, minimized, run, words)| {
            let body = if marked { wanted(&words, run).body().to_owned() } else { words };
            let author = if ours { bot() } else { user(7) };
            Comment { minimized, ..comment(id, author, &body) }
        },
    )
}

proptest! {
    #[test]
    fn only_own_comments_are_touched_and_the_oldest_is_not_deleted(
        mut comments in prop::collection::vec(any_comment(), 0..8), run in 1_u64..5, clean in any::<bool>()
    ) {
        comments.sort_by_key(|comment| comment.id);
        comments.dedup_by_key(|comment| comment.id);
        let wanted = Wanted { clean, ..wanted("a", run) };
        let own: Vec<u64> = comments
            .iter()
            .filter(|comment| is_own(comment, &Viewer::ActionsBot, &key()))
            .map(|comment| comment.id)
            .collect();
        let (action, delete) = planned(&comments, &wanted);
        match action {
            Action::Update(id) | Action::Unchanged(id) => {
                prop_assert_eq!(id, own[0]);
                prop_assert_eq!(delete, &own[1..]);
            }
            Action::Stale(id) => prop_assert!(own.contains(&id) && delete.is_empty()),
            Action::Create | Action::Clean => prop_assert!(own.is_empty() && delete.is_empty()),
            Action::Disabled => prop_assert!(false, "the mode is not never"),
        }
    }

    #[test]
    fn what_was_done_is_unchanged_the_next_time(
        mut comments in prop::collection::vec(any_comment(), 0..8), run in 5_u64..9
    ) {
        comments.sort_by_key(|comment| comment.id);
        comments.dedup_by_key(|comment| comment.id);
        let wanted = wanted("c", run);
        let Plan { action, delete } = plan(&comments, &Viewer::ActionsBot, &wanted);
        let mut after: Vec<Comment> = comments.into_iter().filter(|comment| !delete.contains(&comment.id)).collect();
        match action {
            Action::Create => after.push(comment(100, bot(), wanted.body())),
            Action::Update(id) => {
                after.iter_mut().filter(|comment| comment.id == id).for_each(|comment| comment.body = wanted.body().to_owned());
            }
            Action::Disabled | Action::Clean | Action::Stale(_) | Action::Unchanged(_) => {}
        }
        let again = plan(&after, &Viewer::ActionsBot, &wanted);
        prop_assert!(matches!(again.action, Action::Unchanged(_)), "{:?}", again);
    }
}
