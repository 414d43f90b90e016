//! Limits of GitHub: waited for where the wait fits, else given up with the reason.

use std::time::{Duration, Instant};

use diag_gate::github::{CommentStatus, GitHubError, Limits, Reaction, publish};

use super::{client, client_at, published, quick, status, wanted};
use crate::fake::{FakeGitHub, Fault, On};

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

#[test]
fn retry_after_is_waited_for() {
    for (code, message) in [(429, "Too many"), (403, "You have exceeded a secondary rate limit")] {
        let fake = FakeGitHub::start();
        fake.once(On::post("/comments"), Fault::status(code, message).header("retry-after", "1"));
        let start = Instant::now();
        assert_eq!(status(&fake, &wanted("blocked", 1)), CommentStatus::Created);
        assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
        assert_eq!((fake.count("POST", ""), fake.store().own_comments(7).len()), (2, 1));
    }
}

#[test]
fn a_spent_limit_is_waited_for_until_its_reset() {
    let fake = FakeGitHub::start();
    let spent = Fault::status(403, "API rate limit exceeded")
        .header("x-ratelimit-remaining", "0")
        .header("x-ratelimit-reset", &now().to_string());
    fake.once(On::get("/pulls"), spent);
    let start = Instant::now();
    assert!(client(&fake).pull_request(7).is_ok());
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn a_wait_that_does_not_fit_is_not_begun() {
    for (header, value) in [("retry-after", "3600"), ("x-ratelimit-reset", "9999999999")] {
        let fake = FakeGitHub::start();
        let fault = Fault::status(403, "API rate limit exceeded")
            .header("x-ratelimit-remaining", "0")
            .header(header, value);
        fake.always(On::post("/comments"), fault);
        let start = Instant::now();
        let done = published(&fake, &wanted("blocked", 1));
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert_eq!(done.status, CommentStatus::Failed);
        let text = &done.warnings[0];
        assert!(text.contains("gave up waiting") && text.contains("API rate limit exceeded"), "{text}");
        assert_eq!(fake.count("POST", ""), 1);
    }
}

#[test]
fn a_secondary_limit_without_a_time_needs_a_minute() {
    let fake = FakeGitHub::start();
    fake.always(On::get("/pulls"), Fault::status(403, "You have exceeded a secondary rate limit"));
    let error = client(&fake).pull_request(7).unwrap_err();
    assert!(
        matches!(error, GitHubError::GaveUp { needed, .. } if needed == Duration::from_secs(60)),
        "{error}"
    );
    assert_eq!(fake.count("GET", "/pulls"), 1);
}

#[test]
fn a_limit_that_does_not_end_is_given_up_and_is_no_refusal() {
    let fake = FakeGitHub::start();
    fake.always(On::get("/user"), Fault::status(403, "rate limit").header("retry-after", "0"));
    let done = published(&fake, &wanted("blocked", 1));
    assert_eq!(done.status, CommentStatus::Failed);
    assert_eq!((fake.count("GET", "/user"), fake.writes().len()), (4, 0));
}

#[test]
fn all_of_github_together_ends_in_its_time() {
    let fake = FakeGitHub::start();
    fake.always(On::get(""), Fault::late(Duration::from_secs(60)));
    let limits = Limits { total: Duration::from_millis(700), request: Duration::from_millis(300), ..quick() };
    let start = Instant::now();
    let done = publish(&client_at(&fake.url(), limits), 7, &wanted("blocked", 1));
    assert_eq!(done.status, CommentStatus::Failed);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn nothing_is_sent_when_the_time_is_over() {
    let fake = FakeGitHub::start();
    let client = client_at(&fake.url(), Limits { total: Duration::ZERO, ..quick() });
    let error = client.pull_request(7).unwrap_err();
    assert!(matches!(error, GitHubError::GaveUp { .. }), "{error}");
    assert_eq!(fake.requests().len(), 0);
}

#[test]
fn a_reaction_is_repeated_only_where_a_limit_turned_it_away() {
    let fake = FakeGitHub::start();
    let id = fake.store().comment(7, crate::fake::Account::person("ann", 11), "/diag-gate accept");
    fake.once(On::post("/reactions"), Fault::status(429, "slow down").header("retry-after", "0"));
    assert_eq!(client(&fake).react(id, Reaction::Eyes), Ok(()));
    fake.always(On::post("/reactions"), Fault::status(502, "oops"));
    let error = client(&fake).react(id, Reaction::Up).unwrap_err();
    assert!(matches!(error, GitHubError::Status { status: 502, .. }), "{error}");
    assert_eq!(fake.count("POST", "/reactions"), 3);
    assert_eq!(fake.store().comments[&id].reactions, ["eyes"]);
}
