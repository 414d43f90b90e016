//! History and bisection against a slow oracle, which evaluates every commit with `run --rev`.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may")]

mod command;
mod formats;
mod generated;
mod oracle;
mod planted;
#[path = "../support/mod.rs"]
mod support;
