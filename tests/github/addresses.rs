//! Where requests go, and that the token goes to the host of the API alone.

use diag_gate::github::{Client, CommentStatus, GitHubError, Token};

use super::{client, client_at, published, quick, repository, status, wanted};
use crate::fake::{Account, FakeGitHub, Fault, On, TOKEN};

#[test]
fn the_api_may_lie_below_a_path_with_or_without_its_slash() {
    for slash in ["", "/"] {
        let fake = FakeGitHub::below("/api/v3");
        fake.store().page_size = 1;
        for number in 0..2 {
            fake.store().comment(7, Account::person("ann", 11), &format!("{number}"));
        }
        let client = client_at(&format!("{}{slash}", fake.url()), quick());
        let done = diag_gate::github::publish(&client, 7, &wanted("blocked", 1));
        assert_eq!(done.status, CommentStatus::Created, "{:?}", done.warnings);
        assert!(fake.requests().iter().all(|seen| seen.path != "/outside"));
    }
}

#[test]
fn every_request_to_the_api_is_signed_once() {
    let fake = FakeGitHub::start();
    status(&fake, &wanted("blocked", 1));
    status(&fake, &wanted("passed", 2));
    for seen in fake.requests() {
        assert_eq!(seen.authorization(), Some(format!("Bearer {TOKEN}").as_str()), "{}", seen.path);
        assert!(seen.headers.contains_key("user-agent") && seen.headers.contains_key("x-github-api-version"));
    }
}

#[test]
fn a_link_to_another_host_is_followed_without_the_token() {
    let (fake, other) = (FakeGitHub::start(), FakeGitHub::start());
    other.store().comment(7, Account::person("ann", 11), "from elsewhere");
    let link = format!("<{}/repos/acme/agents/issues/7/comments>; rel=\"next\"", other.url());
    fake.always(On::get("/comments"), Fault::with_header("link", &link));
    let found = client(&fake).comments(7).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(other.requests().len(), 1);
    assert_eq!(other.requests()[0].authorization(), None);
    assert!(!other.all_text().contains(TOKEN));
}

#[test]
fn a_redirect_of_a_look_to_another_host_is_followed_without_the_token() {
    for code in [301, 302, 303, 307, 308] {
        let (fake, other) = (FakeGitHub::start(), FakeGitHub::start());
        let to = format!("{}/repos/acme/agents/pulls/7", other.url());
        fake.always(On::get("/pulls"), Fault::redirect(code, &to));
        assert_eq!(client(&fake).pull_request(7).unwrap().number, 7);
        assert!(!other.all_text().contains(TOKEN) && other.requests().len() == 1, "{code}");
    }
}

#[test]
fn a_redirect_on_the_own_host_keeps_the_token() {
    let fake = FakeGitHub::start();
    fake.once(On::get("/pulls/8"), Fault::redirect(301, "/repos/acme/agents/pulls/7"));
    assert_eq!(client(&fake).pull_request(8).unwrap().number, 7);
    assert!(fake.requests().iter().all(|seen| seen.authorization().is_some()));
}

#[test]
fn the_way_back_from_another_host_is_signed_again_and_no_sooner() {
    let (fake, other) = (FakeGitHub::start(), FakeGitHub::start());
    fake.once(On::get("/pulls/8"), Fault::redirect(302, &format!("{}/away", other.url())));
    other.once(On::get("/away"), Fault::redirect(302, &format!("{}/repos/acme/agents/pulls/7", fake.url())));
    assert_eq!(client(&fake).pull_request(8).unwrap().number, 7);
    assert!(!other.all_text().contains(TOKEN));
}

#[test]
fn redirects_in_a_circle_end() {
    let fake = FakeGitHub::start();
    fake.always(On::get("/pulls"), Fault::redirect(302, "/repos/acme/agents/pulls/7"));
    let error = client(&fake).pull_request(7).unwrap_err();
    assert!(matches!(error, GitHubError::Redirected { .. }), "{error}");
    assert_eq!(fake.count("GET", "/pulls"), 6);
}

#[test]
fn a_write_is_never_sent_on() {
    for code in [301, 302, 303, 307, 308] {
        let (fake, other) = (FakeGitHub::start(), FakeGitHub::start());
        let to = format!("{}/repos/acme/agents/issues/7/comments?secret=1", other.url());
        fake.always(On::post("/comments"), Fault::redirect(code, &to));
        let done = published(&fake, &wanted("blocked", 1));
        assert_eq!(done.status, CommentStatus::Failed, "{code}");
        assert!(done.warnings[0].contains(&code.to_string()), "{:?}", done.warnings);
        assert!(!done.warnings[0].contains("secret"), "{:?}", done.warnings);
        assert_eq!(other.requests().len(), 0, "{code}");
        assert_eq!((fake.count("POST", ""), fake.store().own_comments(7).len()), (1, 0), "{code}");
    }
}

#[test]
fn a_write_is_not_sent_on_within_the_own_host_either() {
    let fake = FakeGitHub::start();
    status(&fake, &wanted("old", 1));
    fake.always(On::patch("/comments"), Fault::redirect(307, "/repositories/1/issues/comments/1"));
    assert_eq!(status(&fake, &wanted("new", 2)), CommentStatus::Failed);
    assert_eq!(fake.count("PATCH", ""), 1);
}

#[test]
fn a_redirect_to_nowhere_is_an_error() {
    for to in ["", "ftp://127.0.0.1/", "http://example.com/", "https://user@127.0.0.1/", "x y"] {
        let fake = FakeGitHub::start();
        fake.always(On::get("/pulls"), Fault::redirect(302, to));
        let error = client(&fake).pull_request(7).unwrap_err();
        assert!(matches!(error, GitHubError::Redirected { .. }), "{to}: {error}");
    }
}

#[test]
fn an_api_that_is_not_https_is_refused_before_anything_is_sent() {
    for bad in
        ["http://api.github.com", "", "api.github.com", "https://a@b/", "https://github.example.com/?x=1"]
    {
        let made = Client::new(bad, &repository(), Token::new(TOKEN).unwrap(), quick());
        assert!(matches!(made.err(), Some(GitHubError::Address { .. })), "{bad}");
    }
}

#[test]
fn the_token_stands_in_no_error() {
    let fake = FakeGitHub::start();
    fake.always(On::get("/pulls"), Fault::status(401, "Bad credentials"));
    let error = client(&fake).pull_request(7).unwrap_err();
    assert!(!format!("{error} {error:?}").contains(TOKEN));
}
