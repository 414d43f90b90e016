//! EDGE: the only place that speaks to git: the only importer of git2 and the only caller of the
//! `git` program.
//!
//! Hot reads (trees, blobs, ancestry) go through libgit2. The program does what it alone does
//! right: ref writes with a reflog, new objects, identities, and revisions in git's own grammar.
//! Spec: baseline.md sections 1, 2, 5 and 7.

mod commit_source;
mod environment;
mod error;
mod loose;
mod notes;
mod objects;
mod parse;
mod program;
mod refs;
mod remote;
mod repository;
pub mod scratch;
mod signature;
mod status;
mod store;
mod survey;

pub use commit_source::CommitSource;
pub use environment::GitEnvironment;
pub use error::{GitError, ObjectFault};
pub use objects::{ObjectKind, Objects};
pub use parse::{CommitInfo, TreeEntry, TreeEntryKind};
pub use program::{Call, Program, Update};
pub use remote::GitRemote;
pub use repository::{Repository, verify_object_hashes};
pub use store::{GitHistory, GitStore, Signing};
