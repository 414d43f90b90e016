//! The program as it is run: standard output, standard error and exit status together, in a real
//! repository that nothing outside can reach.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may")]

#[path = "../support/mod.rs"]
mod support;

mod accept;
mod baseline;
mod broken;
mod change;
mod check;
mod demo;
mod explain;
mod global;
mod init;
mod lint;
mod man;
mod output;
mod reuse;
mod review;
mod run;
mod shards;
mod show;
mod text;
