//! The client for GitHub against a GitHub of our own on the loopback, and against GitHub's own description.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

#[path = "../support/github.rs"]
mod fake;

mod addresses;
mod calls;
mod contract;
mod faults;
mod life;
mod waiting;

use std::time::Duration;

use diag_gate::github::{
    Client, CommentStatus, Key, Limits, Mode, Published, RepoName, Stamp, Token, Wanted, publish,
};
use diag_gate::ids::ObjectId;

use crate::fake::{FakeGitHub, HEAD, REPOSITORY, TOKEN};

/// Times short enough for a test, long enough for a busy machine.
fn quick() -> Limits {
    Limits {
        total: Duration::from_secs(20),
        request: Duration::from_secs(5),
        between_writes: Duration::from_millis(1),
        backoff: Duration::from_millis(1),
    }
}

fn repository() -> RepoName {
    RepoName::parse(REPOSITORY).unwrap()
}

fn client_at(url: &str, limits: Limits) -> Client {
    Client::new(url, &repository(), Token::new(TOKEN).unwrap(), limits).unwrap()
}

fn client(fake: &FakeGitHub) -> Client {
    client_at(&fake.url(), quick())
}

fn stamp(run_id: u64) -> Stamp {
    Stamp { head: ObjectId::parse(HEAD).unwrap(), run_id, run_attempt: 1 }
}

/// A comment of the key `gate` with these words, by this run.
fn wanted(words: &str, run_id: u64) -> Wanted {
    wanted_of("gate", words, run_id)
}

fn wanted_of(key: &str, words: &str, run_id: u64) -> Wanted {
    let stamp = stamp(run_id);
    let body = format!("{words}\n\n{}", stamp.line("https://github.com", &repository()));
    Wanted::new(Key::parse(key).unwrap(), Mode::Auto, false, stamp, &body)
}

/// Publishes, and holds what holds for every outcome.
fn published(fake: &FakeGitHub, wanted: &Wanted) -> Published {
    let published = publish(&client(fake), 7, wanted);
    let told = format!("{published:?}");
    assert!(!told.contains(TOKEN), "the token is told: {told}");
    for seen in fake.requests() {
        let elsewhere = format!("{} {} {}", seen.path, seen.query, seen.body);
        assert!(!elsewhere.contains(TOKEN), "the token is not in the header alone: {elsewhere}");
    }
    let failed = matches!(published.status, CommentStatus::Failed | CommentStatus::SkippedReadOnly);
    assert!(!failed || !published.warnings.is_empty(), "a failure without a warning");
    published
}

/// Publishes for the outcome alone.
fn status(fake: &FakeGitHub, wanted: &Wanted) -> CommentStatus {
    published(fake, wanted).status
}
