//! What goes wrong, and that it never counts: one warning, and at most one comment.

use std::net::TcpListener;
use std::time::Duration;

use diag_gate::github::{CommentStatus, GitHubError, Limits, Published, publish};

use super::{client, client_at, published, quick, status, wanted};
use crate::fake::{FakeGitHub, Fault, On};

fn warning(published: &Published) -> &str {
    assert_eq!(published.warnings.len(), 1, "{:?}", published.warnings);
    &published.warnings[0]
}

#[test]
fn a_502_before_the_store_ends_in_one_comment() {
    let fake = FakeGitHub::start();
    fake.once(On::post("/comments"), Fault::status(502, "Server Error"));
    assert_eq!(status(&fake, &wanted("blocked", 1)), CommentStatus::Created);
    assert_eq!((fake.store().own_comments(7).len(), fake.count("POST", "")), (1, 2));
}

#[test]
fn a_502_behind_the_store_ends_in_one_comment() {
    let fake = FakeGitHub::start();
    fake.once(On::post("/comments"), Fault::after_store(502));
    let done = published(&fake, &wanted("blocked", 1));
    assert_eq!(done.status, CommentStatus::Created);
    assert_eq!((fake.store().own_comments(7).len(), fake.count("POST", "")), (1, 1));
    assert_eq!(done.id, Some(fake.store().own_comments(7)[0].id));
}

#[test]
fn an_answer_that_comes_too_late_ends_in_one_comment() {
    let fake = FakeGitHub::start();
    fake.once(On::post("/comments"), Fault::late(Duration::from_secs(4)));
    let limits = Limits { request: Duration::from_millis(1500), ..quick() };
    let done = publish(&client_at(&fake.url(), limits), 7, &wanted("blocked", 1));
    assert_eq!(done.status, CommentStatus::Created, "{:?}", done.warnings);
    assert_eq!((fake.store().own_comments(7).len(), fake.count("POST", "")), (1, 1));
}

#[test]
fn an_answer_that_cannot_be_read_ends_in_one_comment() {
    let fake = FakeGitHub::start();
    fake.once(On::post("/comments"), Fault::text("<html>").unstored());
    let done = published(&fake, &wanted("blocked", 1));
    assert_eq!(done.status, CommentStatus::Failed);
    assert_eq!(fake.count("POST", ""), 1);
}

#[test]
fn a_post_is_not_repeated_before_a_look() {
    let fake = FakeGitHub::start();
    fake.always(On::post("/comments"), Fault::status(502, "Server Error"));
    let done = published(&fake, &wanted("blocked", 1));
    assert_eq!(done.status, CommentStatus::Failed);
    assert!(warning(&done).contains("502"), "{}", warning(&done));
    let methods: Vec<(String, bool)> = fake
        .requests()
        .into_iter()
        .map(|seen| (seen.method.clone(), seen.method == "GET" && seen.path.ends_with("/issues/7/comments")))
        .collect();
    let posts: Vec<usize> = (0..methods.len()).filter(|at| methods[*at].0 == "POST").collect();
    assert_eq!(posts.len(), 4);
    for pair in posts.windows(2) {
        assert!(methods[pair[0]..pair[1]].iter().any(|(_, look)| *look), "{methods:?}");
    }
}

#[test]
fn a_patch_and_a_look_are_repeated() {
    let fake = FakeGitHub::start();
    status(&fake, &wanted("blocked", 1));
    fake.once(On::get("/comments"), Fault::status(500, "oops"));
    fake.once(On::get("/pulls"), Fault::status(503, "oops"));
    fake.once(On::patch("/comments"), Fault::after_store(502));
    fake.once(On::patch("/comments"), Fault::status(502, "oops"));
    let done = published(&fake, &wanted("passed", 2));
    assert_eq!((done.status, done.warnings.len()), (CommentStatus::Updated, 0));
    assert_eq!(fake.count("PATCH", ""), 3);
}

#[test]
fn a_token_that_may_only_read_names_the_permission() {
    let fake = FakeGitHub::start();
    fake.store().read_only = true;
    let done = published(&fake, &wanted("blocked", 1));
    assert_eq!(done.status, CommentStatus::SkippedReadOnly);
    let text = warning(&done);
    assert!(text.contains("`pull-requests: write`"), "{text}");
    assert!(text.contains("POST /repos/acme/agents/issues/7/comments"), "{text}");
    assert_eq!(fake.count("POST", ""), 1);
}

#[test]
fn each_refusal_of_a_write_is_one_warning_with_its_reason() {
    for (code, message, reason) in [
        (401, "Bad credentials", "token"),
        (403, "Unable to create comment because issue is locked.", "locked"),
        (403, "Something else", "forbids"),
        (404, "Not Found", "not found"),
        (410, "Issues are disabled for this repo", "gone"),
        (422, "Validation Failed", "does not take"),
        (400, "Bad Request", "400"),
    ] {
        let fake = FakeGitHub::start();
        fake.always(On::post("/comments"), Fault::status(code, message));
        let done = published(&fake, &wanted("blocked", 1));
        assert_eq!(done.status, CommentStatus::Failed, "{code}");
        let text = warning(&done);
        assert!(text.contains(reason) && text.contains(message), "{text}");
        assert_eq!(fake.count("POST", ""), 1, "{code}");
    }
}

#[test]
fn each_refusal_of_a_look_is_one_warning() {
    for (part, code) in
        [("/user", 401), ("/comments", 403), ("/comments", 404), ("/comments", 410), ("/pulls", 404)]
    {
        let fake = FakeGitHub::start();
        fake.always(On::get(part), Fault::status(code, "no"));
        let done = published(&fake, &wanted("blocked", 1));
        assert_eq!(done.status, CommentStatus::Failed, "{part} {code}");
        assert!(warning(&done).contains(&code.to_string()), "{}", warning(&done));
        assert_eq!(fake.writes().len(), 0);
    }
}

#[test]
fn a_locked_conversation_is_told_as_such() {
    let fake = FakeGitHub::start();
    fake.store().pull().locked = true;
    let done = published(&fake, &wanted("blocked", 1));
    assert!(warning(&done).contains("the conversation is locked"), "{}", warning(&done));
}

#[test]
fn a_body_that_is_too_long_is_told_in_githubs_words() {
    let fake = FakeGitHub::start();
    let done = published(&fake, &wanted(&"字".repeat(70_000), 1));
    assert_eq!(done.status, CommentStatus::Failed);
    assert!(warning(&done).contains("Body is too long (maximum is 65536 characters)"), "{}", warning(&done));
}

#[test]
fn words_of_github_are_shortened() {
    let fake = FakeGitHub::start();
    fake.always(
        On::post("/comments"),
        Fault::status(422, &format!("\u{1b}[31m\n::error::{}", "x".repeat(9000))),
    );
    let done = published(&fake, &wanted("blocked", 1));
    let text = warning(&done);
    assert!(text.chars().count() < 400 && !text.chars().any(char::is_control), "{text}");
}

#[test]
fn an_answer_that_is_no_json_is_no_panic() {
    for text in ["", "<html>", "null", "[]x", "{\"id\": \"7\"}", "[{}]", "{}"] {
        let fake = FakeGitHub::start();
        fake.always(On::get("/comments"), Fault::text(text));
        let done = published(&fake, &wanted("blocked", 1));
        assert_eq!(done.status, CommentStatus::Failed, "{text}");
        assert!(warning(&done).contains("cannot be read"), "{}", warning(&done));
        assert_eq!(fake.writes().len(), 0);
    }
}

#[test]
fn half_a_list_is_no_list() {
    let fake = FakeGitHub::start();
    fake.store().page_size = 1;
    for number in 0..3 {
        fake.store().comment(7, crate::fake::Account::person("ann", 11), &format!("{number}"));
    }
    fake.once(On::get("/comments"), Fault::race(|_| {}));
    fake.always(On::get("/comments"), Fault::status(404, "Not Found"));
    assert_eq!(status(&fake, &wanted("blocked", 1)), CommentStatus::Failed);
    assert_eq!(fake.writes().len(), 0);
}

#[test]
fn pages_that_lead_in_a_circle_end() {
    let fake = FakeGitHub::start();
    let circle = format!("<{}/repos/acme/agents/issues/7/comments>; rel=\"next\"", fake.url());
    fake.always(On::get("/comments"), Fault::with_header("link", &circle));
    assert_eq!(status(&fake, &wanted("blocked", 1)), CommentStatus::Failed);
    assert_eq!(fake.writes().len(), 0);
}

#[test]
fn without_a_token_nothing_is_sent() {
    let fake = FakeGitHub::start();
    let nameless = diag_gate::github::Client::new(&fake.url(), &super::repository(), None, quick()).unwrap();
    let done = publish(&nameless, 7, &wanted("blocked", 1));
    assert_eq!(done.status, CommentStatus::Failed);
    assert!(warning(&done).contains("no token"), "{}", warning(&done));
    assert!(matches!(nameless.create_comment(7, "x"), Err(GitHubError::NoToken { .. })));
    assert_eq!(fake.requests().len(), 0);
}

#[test]
fn a_host_that_is_not_found_is_named() {
    let patient = Limits { total: Duration::from_secs(100), request: Duration::from_secs(15), ..quick() };
    let client = client_at("https://github.invalid/api/v3", patient);
    let error = client.pull_request(7).unwrap_err();
    assert!(matches!(&error, GitHubError::Dns { host, .. } if host == "github.invalid"), "{error}");
    let done = publish(&client, 7, &wanted("blocked", 1));
    assert_eq!(done.status, CommentStatus::Failed);
    assert!(warning(&done).contains("`github.invalid` is not found"), "{}", warning(&done));
}

#[test]
fn a_port_where_nobody_listens_is_told_as_such() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = client_at(&url, quick()).pull_request(7).unwrap_err();
    assert!(matches!(error, GitHubError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("cannot be reached"), "{error}");
}

#[test]
fn a_host_that_takes_the_call_and_says_nothing_is_given_up_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let limits = Limits { request: Duration::from_millis(100), ..quick() };
    let start = std::time::Instant::now();
    let error = client_at(&url, limits).pull_request(7).unwrap_err();
    assert!(matches!(error, GitHubError::TimedOut { .. }), "{error}");
    assert!(error.to_string().ends_with("no answer within 0.1 s"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn a_look_behind_the_write_that_fails_is_a_warning_and_the_comment_stands() {
    let fake = FakeGitHub::start();
    fake.once(On::get("/comments"), Fault::race(|_| {}));
    fake.always(On::get("/comments"), Fault::status(404, "Not Found"));
    let done = published(&fake, &wanted("blocked", 1));
    assert_eq!(done.status, CommentStatus::Created);
    assert!(warning(&done).contains("the only one"), "{}", warning(&done));
}

#[test]
fn the_viewer_is_asked_once() {
    let fake = FakeGitHub::start();
    let client = client(&fake);
    publish(&client, 7, &wanted("a", 1));
    publish(&client, 7, &wanted("b", 2));
    assert_eq!(fake.count("GET", "/user"), 1);
}
