//! The edge to git, against a real git.

#[path = "../support/mod.rs"]
mod support;

mod program;
mod repository;
mod source;
