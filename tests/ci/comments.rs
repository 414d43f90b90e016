//! The life of the sticky comment, by the whole program.

use std::time::{Duration, Instant};

use crate::github::{Account, FakeGitHub, Fault, On, TOKEN};
use crate::world::{Done, Pull, Step, World};

const BAD: &str = "没有查到原因";

/// A pull request that breaks a case, and the GitHub that it stands on.
fn broken() -> (World, Pull, FakeGitHub) {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write_answer("one", BAD));
    let github = FakeGitHub::start();
    pull.stands_on(&github, "acme/agents");
    (world, pull, github)
}

fn step<'w>(world: &'w World, pull: &Pull, github: &FakeGitHub) -> Step<'w> {
    let workspace = world.workspace("empty");
    world.step("pull_request_target", pull.payload("acme/agents"), workspace).on(github)
}

fn status(done: &Done) -> &str {
    done.output("comment-status")
}

#[test]
fn the_first_run_writes_a_comment_and_the_next_ones_edit_it() {
    let (world, pull, github) = broken();
    let done = step(&world, &pull, &github).run().ends(1);
    assert_eq!(status(&done), "created");
    let first = github.store().own_comments(7).remove(0);
    assert!(first.body.starts_with("<!-- diag-gate:v1 key=diag-gate-gate -->\n"), "{}", first.body);
    assert!(first.body.contains(&format!("Judged `{}`", pull.head.as_str())), "{}", first.body);
    assert_eq!(done.output("comment-id"), first.id.to_string());
    assert!(done.output("comment-url").starts_with("http"), "{}", done.output("comment-url"));
    // A run that says the same writes nothing.
    let done = step(&world, &pull, &github).with("GITHUB_RUN_ID", "18").run().ends(1);
    assert_eq!(status(&done), "unchanged");
    assert_eq!(github.writes().len(), 1);
    // Mended, it says so in the same place.
    let mended = world.pull(7, |repo| repo.write("README.md", "mended"));
    mended.stands_on(&github, "acme/agents");
    let done = step(&world, &mended, &github).with("GITHUB_RUN_ID", "19").run().ends(0);
    assert_eq!(status(&done), "updated");
    let own = github.store().own_comments(7);
    assert_eq!((own.len(), own[0].id), (1, first.id));
    let lines: Vec<&str> = own[0].body.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 3, "{}", own[0].body);
    assert!(lines[2].starts_with(&format!("Judged `{}`", mended.head.as_str())));
}

#[test]
fn what_is_clean_has_no_comment_unless_one_is_wanted() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write("README.md", "hello"));
    let github = FakeGitHub::start();
    pull.stands_on(&github, "acme/agents");
    let done = step(&world, &pull, &github).run().ends(0);
    assert_eq!(status(&done), "skipped-clean");
    assert!(github.writes().is_empty());
    let done = step(&world, &pull, &github).with("INPUT_COMMENT", "always").run().ends(0);
    assert_eq!(status(&done), "created");
    let done = step(&world, &pull, &github).with("INPUT_COMMENT", "never").run().ends(0);
    assert_eq!(status(&done), "skipped-disabled");
}

#[test]
fn a_forged_marker_and_a_comment_on_page_two_do_not_mislead() {
    let (world, pull, github) = broken();
    let marker = "<!-- diag-gate:v1 key=diag-gate-gate -->\nPASSED";
    let forged = github.store().comment(7, Account::person("mallory", 66), marker);
    for number in 0..101 {
        github.store().comment(7, Account::person("ann", 3), &format!("talk {number}"));
    }
    let own =
        github.store().comment(7, Account::actions_bot(), "<!-- diag-gate:v1 key=diag-gate-gate -->\nold");
    let done = step(&world, &pull, &github).run().ends(1);
    assert_eq!(status(&done), "updated");
    assert_eq!(done.output("comment-id"), own.to_string());
    assert_eq!(github.store().comments[&forged].body, marker);
    assert_eq!(github.store().own_comments(7).len(), 1);
}

#[test]
fn a_comment_that_was_stored_behind_a_502_is_not_written_twice() {
    let (world, pull, github) = broken();
    github.once(On::post("/comments"), Fault::after_store(502));
    let done = step(&world, &pull, &github).run().ends(1);
    assert_eq!(status(&done), "created");
    assert_eq!(github.store().own_comments(7).len(), 1);
}

#[test]
fn a_limit_is_waited_for() {
    let (world, pull, github) = broken();
    github.once(On::post("/comments"), Fault::status(429, "slow down").header("retry-after", "2"));
    let began = Instant::now();
    let done = step(&world, &pull, &github).run().ends(1);
    assert_eq!(status(&done), "created");
    assert!(began.elapsed() >= Duration::from_secs(2));
    assert_eq!(github.store().own_comments(7).len(), 1);
}

#[test]
fn nothing_that_github_answers_changes_the_exit_status() {
    let (world, pull, github) = broken();
    let mended = world.pull(8, |repo| repo.write("README.md", "hello"));
    for (fault, expected) in [
        (Fault::status(401, "Bad credentials"), "failed"),
        (Fault::status(403, "Resource not accessible by integration"), "skipped-read-only"),
        (Fault::status(404, "Not Found"), "failed"),
        (Fault::status(422, "Body is too long"), "failed"),
        (Fault::status(403, "Unable to create comment because issue is locked."), "failed"),
    ] {
        github.once(On::post("/comments"), fault);
        let done = step(&world, &pull, &github).run().ends(1);
        assert_eq!((status(&done), done.output("verdict")), (expected, "fail"));
        let warnings =
            done.told.stdout.lines().filter(|line| line.starts_with("::warning title=diag-gate::")).count();
        assert_eq!(warnings, 1, "{}", done.told.stdout);
        assert!(!done.told.stdout.contains(TOKEN) && !done.told.stderr.contains(TOKEN));
    }
    let away = step(&world, &mended, &github)
        .with("GITHUB_API_URL", "http://127.0.0.1:1")
        .with("INPUT_COMMENT", "always");
    let done = away.run().ends(0);
    assert_eq!((status(&done), done.output("verdict")), ("failed", "pass"));
    let odd = step(&world, &pull, &github).with("GITHUB_API_URL", "http://example.com");
    let done = odd.run().ends(1);
    assert_eq!((status(&done), done.output("verdict")), ("failed", "fail"));
}

#[test]
fn an_older_head_does_not_overwrite_the_result_of_a_newer_one() {
    let (world, pull, github) = broken();
    github.store().pull().head_sha = "2".repeat(40);
    let done = step(&world, &pull, &github).run().ends(1);
    assert_eq!(status(&done), "skipped-stale");
    assert!(github.writes().is_empty());
}

#[test]
fn a_fork_with_a_read_only_token_is_judged_without_any_request() {
    let (world, pull, github) = broken();
    let workspace = world.checkout(&pull.merge, "ws");
    let step = world.step("pull_request", pull.payload("eve/agents"), workspace).on(&github);
    let done = step.run().ends(1);
    assert_eq!(status(&done), "skipped-read-only");
    assert!(github.requests().is_empty());
    assert!(done.summary.contains("one"), "{}", done.summary);
}

#[test]
fn what_could_not_be_judged_is_told_in_the_comment() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write("eval/cases/all.json", "[{\"id\": \"x <h1>y\"}]"));
    let github = FakeGitHub::start();
    pull.stands_on(&github, "acme/agents");
    let done = step(&world, &pull, &github).run().ends(2);
    assert_eq!(status(&done), "created");
    let body = github.store().own_comments(7).remove(0).body;
    assert!(body.contains("cases/all.json") && !body.contains("<h1>"), "{body}");
}

#[test]
fn a_check_run_stands_on_the_head() {
    let (world, pull, github) = broken();
    step(&world, &pull, &github).with("INPUT_CHECK_RUN", "true").run().ends(1);
    let runs: Vec<_> = github.store().check_runs.values().cloned().collect();
    assert_eq!(runs.len(), 1);
    assert_eq!(
        (runs[0]["head_sha"].as_str(), runs[0]["conclusion"].as_str()),
        (Some(pull.head.as_str()), Some("failure"))
    );
    assert_eq!(runs[0]["name"], "diag-gate (diag-gate-gate)");
}

#[test]
fn the_token_reaches_github_alone() {
    let (world, pull, github) = broken();
    let done = step(&world, &pull, &github).run().ends(1);
    let bodies: String = github.requests().iter().map(|seen| seen.body.clone()).collect();
    for text in [&done.told.stdout, &done.told.stderr, &done.summary, &bodies] {
        assert!(!text.contains(TOKEN), "{text}");
    }
    assert!(
        github.requests().iter().all(|seen| seen.authorization().is_some_and(|sent| sent.contains(TOKEN)))
    );
}

#[test]
fn git_is_given_the_token_for_the_server_alone() {
    let (world, pull, github) = broken();
    let served = FakeGitHub::start();
    let away = step(&world, &pull, &github).with("GITHUB_SERVER_URL", &served.url());
    away.run().ends(3);
    let asked = served.requests();
    let asked =
        asked.iter().find(|seen| seen.path == "/acme/agents/info/refs").expect("git asks for the refs");
    assert!(asked.authorization().is_some_and(|sent| sent.starts_with("basic ")), "{asked:?}");
    // Another host is given nothing, whatever the checkout says where it is.
    let workspace = world.checkout(&pull.merge, "ws");
    let elsewhere = FakeGitHub::start();
    world
        .home
        .git_in(&workspace, &["remote", "set-url", "origin", &format!("{}/acme/agents", elsewhere.url())]);
    let step = world.step("pull_request_target", pull.payload("acme/agents"), workspace.clone()).on(&github);
    step.with("GITHUB_SERVER_URL", &served.url()).run().ends(3);
    let asked = elsewhere.requests();
    assert!(!asked.is_empty() && asked.iter().all(|seen| seen.authorization().is_none()), "{asked:?}");
    let config = std::fs::read_to_string(workspace.join(".git/config")).unwrap();
    assert!(!config.to_lowercase().contains("extraheader"), "{config}");
}
