//! The other calls: pull requests, permissions, accounts, reactions, check runs.

use diag_gate::github::{
    AnnotationLevel, CheckAnnotation, CheckRun, Conclusion, GitHubError, Key, Reaction, User, Viewer,
};
use diag_gate::ids::ObjectId;

use super::client;
use crate::fake::{Account, FakeGitHub, Fault, HEAD, On};

#[test]
fn a_pull_request_tells_head_base_merge_and_author() {
    let fake = FakeGitHub::start();
    let pull = client(&fake).pull_request(7).unwrap();
    assert!(pull.open && !pull.locked);
    assert_eq!(pull.head_sha.as_str(), HEAD);
    assert_eq!(pull.head_repository.as_deref(), Some("acme/agents"));
    assert_eq!((pull.base_ref.as_str(), pull.base_sha.as_str()), ("main", "2".repeat(40).as_str()));
    assert_eq!(pull.merge_commit_sha.unwrap().as_str(), "3".repeat(40));
    assert_eq!(pull.author.map(|author| (author.id, author.login)), Some((11, "ann".to_owned())));
    assert_eq!(pull.mergeable, Some(true));
}

#[test]
fn a_pull_request_without_its_fork_and_its_merge_is_read() {
    let fake = FakeGitHub::start();
    {
        let mut store = fake.store();
        let pull = store.pull();
        (pull.head_repository, pull.merge_commit_sha, pull.mergeable) = (None, None, None);
        pull.state = "closed".to_owned();
    }
    let pull = client(&fake).pull_request(7).unwrap();
    assert!(!pull.open && pull.is_from_fork(&super::repository()));
    assert_eq!((pull.merge_commit_sha, pull.mergeable), (None, None));
}

#[test]
fn a_pull_request_that_is_not_there_is_absent() {
    let error = client(&FakeGitHub::start()).pull_request(8).unwrap_err();
    assert!(error.is_absent() && matches!(error, GitHubError::NotFound { .. }));
}

#[test]
fn write_maintain_and_admin_may_accept_and_nobody_else() {
    let fake = FakeGitHub::start();
    for (login, permission, role, may) in [
        ("writer", "write", "write", true),
        ("maintainer", "write", "maintain", true),
        ("admin", "admin", "admin", true),
        ("special", "write", "release engineer", true),
        ("triager", "read", "triage", false),
        ("reader", "read", "release reader", false),
        ("nobody", "none", "none", false),
        ("dependabot[bot]", "write", "write", true),
    ] {
        fake.store().permissions.insert(login.to_owned(), (permission.to_owned(), role.to_owned()));
        assert_eq!(client(&fake).permission(login).unwrap().may_write(), may, "{login}");
    }
    assert!(client(&fake).permission("stranger").unwrap_err().is_absent());
}

#[test]
fn a_permission_of_somebody_else_counts_for_nothing() {
    let fake = FakeGitHub::start();
    let text = r#"{"permission": "admin", "role_name": "admin", "user": {"id": 1, "login": "boss", "type": "User"}}"#;
    fake.always(On::get("/permission"), Fault::text(text));
    let error = client(&fake).permission("mallory").unwrap_err();
    assert!(matches!(error, GitHubError::Unreadable { .. }), "{error}");
    assert!(client(&fake).permission("Boss").unwrap().may_write());
}

#[test]
fn an_account_tells_number_and_name() {
    let fake = FakeGitHub::start();
    fake.store().users.push(Account { name: Some("Ann Author".to_owned()), ..Account::person("ann", 11) });
    let found = client(&fake).user("ann").unwrap();
    let wanted = User {
        id: 11,
        login: "ann".to_owned(),
        kind: "User".to_owned(),
        name: Some("Ann Author".to_owned()),
    };
    assert_eq!(found, wanted);
}

#[test]
fn the_viewer_is_the_account_or_else_the_bot() {
    let fake = FakeGitHub::start();
    assert_eq!(client(&fake).viewer(), Ok(Viewer::ActionsBot));
    fake.store().viewer = Some(Account::person("acme-ci", 4242));
    assert_eq!(client(&fake).viewer(), Ok(Viewer::Account(4242)));
    fake.always(On::get("/user"), Fault::status(401, "Bad credentials"));
    assert!(matches!(client(&fake).viewer(), Err(GitHubError::BadCredentials { .. })));
}

#[test]
fn reactions_are_added_once_each() {
    let fake = FakeGitHub::start();
    let id = fake.store().comment(7, Account::person("ann", 11), "/diag-gate accept");
    let client = client(&fake);
    for reaction in [Reaction::Eyes, Reaction::Up, Reaction::Up, Reaction::Down] {
        client.react(id, reaction).unwrap();
    }
    assert_eq!(fake.store().comments[&id].reactions, ["eyes", "+1", "-1"]);
}

#[test]
fn one_comment_can_be_read_and_deleted_even_twice() {
    let fake = FakeGitHub::start();
    let id = fake.store().comment(7, Account::person("ann", 11), "hello");
    let client = client(&fake);
    assert_eq!(client.comment(id).unwrap().body, "hello");
    assert_eq!(client.delete_comment(id), Ok(()));
    assert_eq!(client.delete_comment(id), Ok(()));
    assert!(client.comment(id).unwrap_err().is_absent());
}

fn annotations(count: u64) -> Vec<CheckAnnotation> {
    let one = |line| CheckAnnotation {
        path: "cases/a.json".to_owned(),
        start_line: line,
        end_line: line,
        level: AnnotationLevel::Failure,
        title: "regression".to_owned(),
        message: "it failed".to_owned(),
    };
    (1..=count).map(one).collect()
}

#[test]
fn a_check_run_carries_any_number_of_annotations_fifty_a_request() {
    for (count, requests) in [(0, 1), (50, 1), (51, 2), (101, 3)] {
        let fake = FakeGitHub::start();
        let annotations = annotations(count);
        let run = CheckRun {
            head: &ObjectId::parse(HEAD).unwrap(),
            key: &Key::parse("gate").unwrap(),
            conclusion: Conclusion::Failure,
            title: "Blocked",
            summary: &"a line of the summary\n".repeat(5000),
            annotations: &annotations,
        };
        let made = client(&fake).create_check_run(&run).unwrap();
        let stored = fake.store().check_runs[&made.id].clone();
        assert_eq!((&stored["name"], &stored["head_sha"]), (&"diag-gate (gate)".into(), &HEAD.into()));
        assert_eq!((&stored["status"], &stored["conclusion"]), (&"completed".into(), &"failure".into()));
        assert_eq!(stored["output"]["annotations"].as_array().unwrap().len() as u64, count);
        assert_eq!(fake.writes().len(), requests);
    }
}

#[test]
fn a_check_run_without_its_permission_names_it() {
    let fake = FakeGitHub::start();
    fake.store().read_only = true;
    let run = CheckRun {
        head: &ObjectId::parse(HEAD).unwrap(),
        key: &Key::parse("gate").unwrap(),
        conclusion: Conclusion::Success,
        title: "Passed",
        summary: "",
        annotations: &[],
    };
    let error = client(&fake).create_check_run(&run).unwrap_err();
    assert!(error.is_read_only() && error.to_string().contains("`checks: write`"), "{error}");
}
