//! `diag-gate ci` as a step of a job: a server on disk, workspaces as a runner has them, and a GitHub of our own.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads and writes, and panics where it fails"
)]

#[path = "../support/mod.rs"]
mod support;

#[path = "../support/github.rs"]
mod github;

mod accepting;
mod act;
mod comments;
mod events;
mod forks;
mod world;
