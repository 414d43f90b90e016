//! The edge to git, against a real git.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads and writes, and panics where it fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod baseline;
mod program;
mod repository;
mod source;
