//! EDGE: the only place that speaks to git: the only importer of git2 and gix, and the only caller of the
//! `git` program.
//!
//! Hot reads (trees, blobs, ancestry) go through libgit2 where it can read the repository. The
//! program is the way that is always right: all reads elsewhere (SHA-256, reftable, unknown
//! extensions), what a partial clone lacks, ref writes with a reflog, new objects, identities, and
//! revisions in git's own grammar.
//! Spec: baseline.md sections 1, 2, 5 and 7.

mod bare;
mod batch;
mod commit_source;
mod discover;
mod environment;
mod error;
mod loose;
mod notes;
mod objects;
mod parse;
mod past;
mod program;
mod promised;
mod refs;
mod remote;
mod repository;
pub mod scratch;
mod signature;
mod status;
mod store;
mod survey;
mod trees;

pub use commit_source::CommitSource;
pub use environment::GitEnvironment;
pub use error::{GitError, ObjectFault};
pub use objects::{ObjectKind, Objects};
pub use parse::{CommitInfo, TreeEntry, TreeEntryKind};
pub use past::GitPast;
pub use program::{Call, Program, Update};
pub use refs::is_reference_name;
pub use remote::{Depth, GitRemote};
pub use repository::{Repository, verify_object_hashes};
pub use store::{GitHistory, GitStore, Signing};
