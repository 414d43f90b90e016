//! The life of the comment.

use std::time::Duration;

use diag_gate::github::{CommentStatus, Mode, Wanted};

use super::{published, status, wanted, wanted_of};
use crate::fake::{Account, FakeGitHub, Fault, On};

fn with(mut wanted: Wanted, clean: bool, mode: Mode) -> Wanted {
    (wanted.clean, wanted.mode) = (clean, mode);
    wanted
}

#[test]
fn the_first_comment_is_created_and_the_next_run_edits_it() {
    let fake = FakeGitHub::start();
    let first = published(&fake, &wanted("blocked", 1));
    assert_eq!((first.status, first.warnings.len()), (CommentStatus::Created, 0));
    let stored = fake.store().own_comments(7);
    assert_eq!(stored.len(), 1);
    assert_eq!(first.id, Some(stored[0].id));
    assert!(first.url.unwrap().ends_with(&format!("#issuecomment-{}", stored[0].id)));
    assert_eq!(stored[0].body, wanted("blocked", 1).body());
    assert_eq!(stored[0].body.lines().next().unwrap(), "<!-- diag-gate:v1 key=gate -->");

    let second = published(&fake, &wanted("passed", 2));
    assert_eq!((second.status, second.id), (CommentStatus::Updated, first.id));
    let stored = fake.store().own_comments(7);
    assert_eq!((stored.len(), stored[0].body.as_str()), (1, wanted("passed", 2).body()));
    assert_eq!((fake.count("POST", ""), fake.count("PATCH", "/issues/comments/")), (1, 1));
}

#[test]
fn a_body_that_stands_already_is_not_written() {
    let fake = FakeGitHub::start();
    status(&fake, &wanted("blocked", 1));
    let writes = fake.writes().len();
    let again = published(&fake, &wanted("blocked", 2));
    assert_eq!(again.status, CommentStatus::Unchanged);
    assert!(again.id.is_some() && again.url.is_some());
    assert_eq!(fake.writes().len(), writes);
}

#[test]
fn a_forged_marker_is_left_alone() {
    let fake = FakeGitHub::start();
    let forged = wanted("all is well", u64::MAX);
    let id = fake.store().comment(7, Account::person("mallory", 66), forged.body());
    assert_eq!(status(&fake, &wanted("blocked", 1)), CommentStatus::Created);
    let store = fake.store();
    assert_eq!(store.comments[&id].body, forged.body());
    assert_eq!(store.own_comments(7).len(), 1);
}

#[test]
fn a_person_with_the_name_of_the_bot_is_not_the_bot() {
    let fake = FakeGitHub::start();
    let person = Account { kind: "User".to_owned(), id: 5, ..Account::actions_bot() };
    let id = fake.store().comment(7, person, wanted("x", 1).body());
    assert_eq!(status(&fake, &wanted("blocked", 1)), CommentStatus::Created);
    assert_eq!(fake.store().comments[&id].body, wanted("x", 1).body());
}

#[test]
fn own_is_by_number_where_github_names_the_account() {
    let fake = FakeGitHub::start();
    let me = Account::person("acme-ci", 4242);
    fake.store().viewer = Some(me.clone());
    let bot = fake.store().comment(7, Account::actions_bot(), wanted("by the bot", 1).body());
    let renamed = Account { login: "old-name".to_owned(), ..me };
    let own = fake.store().comment(7, renamed, wanted("mine", 1).body());
    let done = published(&fake, &wanted("blocked", 2));
    assert_eq!((done.status, done.id), (CommentStatus::Updated, Some(own)));
    assert_eq!(fake.store().comments[&bot].body, wanted("by the bot", 1).body());
}

#[test]
fn a_minimized_comment_is_not_ours_any_more() {
    let fake = FakeGitHub::start();
    let id = fake.store().comment(7, Account::actions_bot(), wanted("old", 1).body());
    fake.store().comments.get_mut(&id).unwrap().minimized = true;
    assert_eq!(status(&fake, &wanted("blocked", 2)), CommentStatus::Created);
    assert_eq!(fake.store().comments[&id].body, wanted("old", 1).body());
}

#[test]
fn a_comment_without_an_author_is_not_ours() {
    let fake = FakeGitHub::start();
    let id = fake.store().comment(7, Account::actions_bot(), wanted("old", 1).body());
    fake.store().comments.get_mut(&id).unwrap().author = None;
    assert_eq!(status(&fake, &wanted("blocked", 2)), CommentStatus::Created);
}

#[test]
fn two_keys_have_a_comment_each() {
    let fake = FakeGitHub::start();
    status(&fake, &wanted_of("gate", "one", 1));
    assert_eq!(status(&fake, &wanted_of("gate-2", "two", 1)), CommentStatus::Created);
    assert_eq!(status(&fake, &wanted_of("gate", "three", 2)), CommentStatus::Updated);
    let bodies: Vec<String> = fake.store().own_comments(7).into_iter().map(|comment| comment.body).collect();
    assert_eq!(bodies, [wanted_of("gate", "three", 2).body(), wanted_of("gate-2", "two", 1).body()]);
}

#[test]
fn the_own_comment_is_found_on_the_second_page() {
    let fake = FakeGitHub::start();
    for number in 0..100 {
        fake.store().comment(7, Account::person("ann", 11), &format!("comment {number}"));
    }
    let id = fake.store().comment(7, Account::actions_bot(), wanted("old", 1).body());
    let done = published(&fake, &wanted("new", 2));
    assert_eq!((done.status, done.id), (CommentStatus::Updated, Some(id)));
    let pages: Vec<String> = fake
        .requests()
        .into_iter()
        .filter(|seen| seen.path.ends_with("/comments"))
        .map(|seen| seen.query)
        .collect();
    assert_eq!(pages, ["per_page=100", "per_page=100&page=2"]);
}

#[test]
fn a_full_page_may_be_the_last() {
    let fake = FakeGitHub::start();
    for number in 0..99 {
        fake.store().comment(7, Account::person("ann", 11), &format!("comment {number}"));
    }
    let id = fake.store().comment(7, Account::actions_bot(), wanted("old", 1).body());
    assert_eq!(published(&fake, &wanted("new", 2)).id, Some(id));
    assert_eq!(fake.count("GET", "/comments"), 1);
}

#[test]
fn pages_are_walked_to_the_end_whatever_their_size() {
    let fake = FakeGitHub::start();
    fake.store().page_size = 3;
    for number in 0..10 {
        fake.store().comment(7, Account::person("ann", 11), &format!("comment {number}"));
    }
    let id = fake.store().comment(7, Account::actions_bot(), wanted("old", 1).body());
    assert_eq!(published(&fake, &wanted("new", 2)).id, Some(id));
    assert_eq!(fake.count("GET", "/comments"), 4);
}

#[test]
fn of_several_own_comments_the_oldest_stays_and_a_warning_tells() {
    let fake = FakeGitHub::start();
    let mut own = Vec::new();
    for words in ["a", "b", "c"] {
        own.push(fake.store().comment(7, Account::actions_bot(), wanted(words, 1).body()));
    }
    let done = published(&fake, &wanted("new", 2));
    assert_eq!((done.status, done.id), (CommentStatus::Updated, Some(own[0])));
    assert_eq!(done.warnings.len(), 1);
    let left = fake.store().own_comments(7);
    assert_eq!((left.len(), left[0].body.as_str()), (1, wanted("new", 2).body()));
}

#[test]
fn a_comment_too_many_that_cannot_be_deleted_is_a_warning() {
    let fake = FakeGitHub::start();
    let oldest = fake.store().comment(7, Account::actions_bot(), wanted("a", 1).body());
    fake.store().comment(7, Account::actions_bot(), wanted("b", 1).body());
    fake.always(On::delete("/comments"), Fault::status(403, "Resource not accessible by integration"));
    let done = published(&fake, &wanted("new", 2));
    assert_eq!((done.status, done.id, done.warnings.len()), (CommentStatus::Updated, Some(oldest), 2));
}

#[test]
fn of_two_runs_that_write_at_once_the_oldest_comment_wins() {
    let fake = FakeGitHub::start();
    let racer = wanted("the other run", 1);
    let body = racer.body().to_owned();
    fake.once(
        On::post("/comments"),
        Fault::race(move |store| {
            store.comment(7, Account::actions_bot(), &body);
        }),
    );
    let done = published(&fake, &wanted("ours", 2));
    assert_eq!(done.status, CommentStatus::Updated);
    let left = fake.store().own_comments(7);
    assert_eq!((left.len(), left[0].body.as_str()), (1, wanted("ours", 2).body()));
    assert_eq!(done.id, Some(left[0].id));
}

#[test]
fn of_two_runs_that_write_at_once_the_older_run_does_not_win() {
    let fake = FakeGitHub::start();
    let newer = wanted("the newer run", 9);
    let body = newer.body().to_owned();
    fake.once(
        On::post("/comments"),
        Fault::race(move |store| {
            store.comment(7, Account::actions_bot(), &body);
        }),
    );
    assert_eq!(status(&fake, &wanted("ours", 2)), CommentStatus::SkippedStale);
    let left = fake.store().own_comments(7);
    assert_eq!((left.len(), left[0].body.as_str()), (1, newer.body()));
}

#[test]
fn a_newer_comment_of_a_racing_run_is_left_for_that_run_to_take_away() {
    let fake = FakeGitHub::start();
    fake.once(On::get("/comments"), Fault::race(|_| {}));
    fake.once(
        On::get("/comments"),
        Fault::race(|store| {
            store.comment(7, Account::actions_bot(), wanted("the other run", 3).body());
        }),
    );
    let done = published(&fake, &wanted("ours", 2));
    assert_eq!(done.status, CommentStatus::Created);
    assert_eq!(fake.count("DELETE", ""), 0);
}

#[test]
fn an_older_run_that_ends_last_does_not_overwrite() {
    let fake = FakeGitHub::start();
    status(&fake, &wanted("new", 9));
    let writes = fake.writes().len();
    assert_eq!(status(&fake, &wanted("old", 8)), CommentStatus::SkippedStale);
    assert_eq!(fake.writes().len(), writes);
    assert_eq!(fake.store().own_comments(7)[0].body, wanted("new", 9).body());
}

#[test]
fn a_run_about_a_head_that_moved_on_does_not_write() {
    for stands in [false, true] {
        let fake = FakeGitHub::start();
        if stands {
            status(&fake, &wanted("first", 1));
        }
        let writes = fake.writes().len();
        fake.store().pull().head_sha = "9".repeat(40);
        assert_eq!(status(&fake, &wanted("old", 8)), CommentStatus::SkippedStale);
        assert_eq!(fake.writes().len(), writes);
    }
}

#[test]
fn the_head_is_read_right_before_the_write() {
    let fake = FakeGitHub::start();
    status(&fake, &wanted("first", 1));
    status(&fake, &wanted("second", 2));
    let requests = fake.requests();
    for (at, seen) in requests.iter().enumerate().filter(|(_, seen)| seen.is_write()) {
        assert!(requests[at - 1].path.ends_with("/pulls/7"), "{} {}", seen.method, seen.path);
    }
}

#[test]
fn a_clean_result_writes_only_over_an_older_comment_unless_it_is_asked_for() {
    let fake = FakeGitHub::start();
    let clean = with(wanted("passed", 1), true, Mode::Auto);
    assert_eq!(status(&fake, &clean), CommentStatus::SkippedClean);
    assert_eq!(fake.writes().len(), 0);
    let always = with(clean, true, Mode::Always);
    assert_eq!(status(&fake, &always), CommentStatus::Created);
    assert_eq!(status(&fake, &wanted("blocked", 2)), CommentStatus::Updated);
    let clean = with(wanted("passed", 3), true, Mode::Auto);
    assert_eq!(status(&fake, &clean), CommentStatus::Updated);
}

#[test]
fn where_no_comment_is_wanted_nothing_is_sent() {
    let fake = FakeGitHub::start();
    let never = with(wanted("blocked", 1), false, Mode::Never);
    assert_eq!(status(&fake, &never), CommentStatus::SkippedDisabled);
    assert_eq!(fake.requests().len(), 0);
}

#[test]
fn a_comment_that_is_deleted_meanwhile_is_written_anew() {
    let fake = FakeGitHub::start();
    let id = fake.store().comment(7, Account::actions_bot(), wanted("old", 1).body());
    fake.once(
        On::patch("/comments"),
        Fault::race(move |store| {
            store.comments.remove(&id);
        }),
    );
    assert_eq!(status(&fake, &wanted("new", 2)), CommentStatus::Created);
    assert_eq!(fake.store().own_comments(7).len(), 1);
}

#[test]
fn the_bot_of_another_app_ends_with_one_comment_too() {
    let fake = FakeGitHub::start();
    fake.store().app = Some(Account { kind: "Bot".to_owned(), ..Account::person("acme-app[bot]", 99) });
    let first = published(&fake, &wanted("blocked", 1));
    let second = published(&fake, &wanted("passed", 2));
    assert_eq!((second.status, second.id), (CommentStatus::Updated, first.id));
    let left = fake.store().own_comments(7);
    assert_eq!((left.len(), left[0].body.as_str()), (1, wanted("passed", 2).body()));
}

#[test]
fn writes_keep_their_distance() {
    let fake = FakeGitHub::start();
    for words in ["a", "b", "c"] {
        fake.store().comment(7, Account::actions_bot(), wanted(words, 1).body());
    }
    let limits = diag_gate::github::Limits { between_writes: Duration::from_millis(300), ..super::quick() };
    let client = super::client_at(&fake.url(), limits);
    diag_gate::github::publish(&client, 7, &wanted("new", 2));
    let times: Vec<_> = fake.writes().into_iter().map(|seen| seen.at).collect();
    assert_eq!(times.len(), 3);
    for pair in times.windows(2) {
        assert!(pair[1] - pair[0] >= Duration::from_millis(300), "{:?}", pair[1] - pair[0]);
    }
}
