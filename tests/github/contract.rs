//! Every request that the client can send, held against GitHub's own description of its API: Prism says whether
//! each is one that GitHub documents, and the client reads GitHub's own examples of the answers.
//!
//! `.ci/run contract` starts Prism and gives its address.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use diag_gate::github::{
    AnnotationLevel, CheckAnnotation, CheckRun, Client, Conclusion, Key, Mode, Reaction, Viewer, publish,
};
use diag_gate::ids::ObjectId;

use super::{client, client_at, quick, wanted};
use crate::fake::{Account, FakeGitHub, HEAD, Seen};

/// Where Prism listens: `http://127.0.0.1:PORT`.
const PRISM: &str = "DIAG_GATE_PRISM";

/// Each call of the client, as method and path with its parameters.
const CALLS: [&str; 12] = [
    "DELETE /repos/acme/agents/issues/comments/N",
    "GET /repos/acme/agents/collaborators/octocat/permission",
    "GET /repos/acme/agents/issues/N/comments",
    "GET /repos/acme/agents/issues/comments/N",
    "GET /repos/acme/agents/pulls/N",
    "GET /user",
    "GET /users/octocat",
    "PATCH /repos/acme/agents/check-runs/N",
    "PATCH /repos/acme/agents/issues/comments/N",
    "POST /repos/acme/agents/check-runs",
    "POST /repos/acme/agents/issues/N/comments",
    "POST /repos/acme/agents/issues/comments/N/reactions",
];

#[test]
fn every_call_is_made_in_the_contract() {
    let made: BTreeSet<String> = all_requests().iter().map(shape).collect();
    assert_eq!(made.into_iter().collect::<Vec<_>>(), CALLS);
}

#[test]
#[ignore = "needs Prism: .ci/run contract"]
fn github_documents_every_request() {
    let mut faults = Vec::new();
    for seen in all_requests() {
        let (status, head, body) = replay(&seen);
        let documented = matches!(status, 200 | 201 | 204);
        if !documented || blames_the_request(&head) {
            faults.push(format!("{}\nstatus {status}\n{head}\n{body}", shape(&seen)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
#[ignore = "needs Prism: .ci/run contract"]
fn a_request_that_github_does_not_document_is_found() {
    let mut seen = all_requests().into_iter().find(|seen| seen.method == "PATCH").unwrap();
    seen.method = "POST".to_owned();
    assert_eq!(replay(&seen).0, 405);
    seen.method = "PATCH".to_owned();
    seen.body = r#"{"body": 7}"#.to_owned();
    let (status, head, _) = replay(&seen);
    assert!(status == 422 || blames_the_request(&head), "{status} {head}");
}

#[test]
#[ignore = "needs Prism: .ci/run contract"]
fn the_examples_of_github_are_read() {
    let client = client_at(&prism(), quick());
    assert!(matches!(client.viewer().unwrap(), Viewer::Account(1)));
    let comments = client.comments(7).unwrap();
    assert!(
        !comments.is_empty() && comments.iter().all(|comment| comment.user.is_some() && !comment.minimized)
    );
    let comment = client.comment(1).unwrap();
    assert!(comment.id == 1 && comment.body == "Me too" && comment.url.contains("issuecomment"));
    assert_eq!(client.create_comment(7, "x").unwrap().id, 1);
    assert_eq!(client.update_comment(1, "x").unwrap().id, 1);
    client.delete_comment(1).unwrap();
    let pull = client.pull_request(7).unwrap();
    assert!(pull.open && pull.merge_commit_sha.is_some());
    assert_eq!(pull.head_repository.as_deref(), Some("octocat/Hello-World"));
    assert!(client.permission("octocat").unwrap().may_write());
    assert_eq!(client.user("octocat").unwrap().login, "octocat");
    client.react(1, Reaction::Eyes).unwrap();
    assert!(check_run(&client).id > 0);
}

/// Lets the client make each of its calls against the fake GitHub, and gives what was sent.
fn all_requests() -> Vec<Seen> {
    let fake = FakeGitHub::start();
    fake.store().users.push(Account::person("octocat", 1));
    fake.store().permissions.insert("octocat".to_owned(), ("write".to_owned(), "maintain".to_owned()));
    let client = client(&fake);
    let first = publish(&client, 7, &wanted("blocked <table> 字 \u{1f600}", 1)).id.unwrap();
    let mut always = wanted("passed", 2);
    always.mode = Mode::Always;
    publish(&client, 7, &always);
    client.comment(first).unwrap();
    client.user("octocat").unwrap();
    assert!(client.permission("octocat").unwrap().may_write());
    for reaction in [Reaction::Eyes, Reaction::Up, Reaction::Down] {
        client.react(first, reaction).unwrap();
    }
    check_run(&client);
    client.delete_comment(first).unwrap();
    fake.requests()
}

fn check_run(client: &Client) -> diag_gate::github::Made {
    let levels = [AnnotationLevel::Notice, AnnotationLevel::Warning, AnnotationLevel::Failure];
    let one = |line: usize| CheckAnnotation {
        path: "cases/a.json".to_owned(),
        start_line: line as u64,
        end_line: line as u64,
        level: levels[line % 3],
        title: "regression".to_owned(),
        message: "it failed".to_owned(),
    };
    let annotations: Vec<CheckAnnotation> = (1..=51).map(one).collect();
    let (head, key) = (ObjectId::parse(HEAD).unwrap(), Key::parse("gate").unwrap());
    let summary = "a line of the summary\n".repeat(5000);
    let run = |conclusion| CheckRun {
        head: &head,
        key: &key,
        conclusion,
        title: "Blocked",
        summary: &summary,
        annotations: &annotations,
    };
    for conclusion in [Conclusion::Success, Conclusion::Neutral] {
        client.create_check_run(&CheckRun { annotations: &[], ..run(conclusion) }).unwrap();
    }
    client.create_check_run(&run(Conclusion::Failure)).unwrap()
}

/// Whether Prism finds fault with what was sent. It finds some with GitHub's own examples of answers, too, which
/// is GitHub's affair.
fn blames_the_request(head: &str) -> bool {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let mut violations = lines.filter(|(name, _)| name.eq_ignore_ascii_case("sl-violations"));
    violations.any(|(_, value)| {
        let all: Vec<serde_json::Value> = serde_json::from_str(value).unwrap();
        all.iter().any(|violation| violation["location"][0] != "response")
    })
}

/// A request with its numbers left out.
fn shape(seen: &Seen) -> String {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = seen.path.split('/').map(|part| if number(part) { "N" } else { part }).collect();
    format!("{} {}", seen.method, parts.join("/"))
}

/// Sends to Prism what the fake GitHub was sent; gives status, headers and body.
fn replay(seen: &Seen) -> (u16, String, String) {
    let address = prism();
    let host = address.strip_prefix("http://").unwrap();
    let query = if seen.query.is_empty() { String::new() } else { format!("?{}", seen.query) };
    let mut text =
        format!("{} {}{query} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n", seen.method, seen.path);
    for (name, value) in &seen.headers {
        if !["host", "connection", "content-length"].contains(&name.as_str()) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    text.push_str(&format!("content-length: {}\r\n\r\n{}", seen.body.len(), seen.body));
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_owned(), body.to_owned())
}

#[expect(clippy::disallowed_methods, reason = "the address comes from whoever started Prism")]
fn prism() -> String {
    std::env::var(PRISM).expect("the address of Prism; `.ci/run contract` gives it")
}
