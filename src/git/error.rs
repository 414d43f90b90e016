//! What can go wrong with git, each kind apart, so that none reads as "nothing there".

use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::ids::ObjectId;

/// A failure of git or of what was asked of it. Untrusted text inside (paths, revisions, git's own words).
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum GitError {
    /// libgit2 failed.
    #[error("cannot read {what}")]
    Library {
        what: String,
        #[source]
        source: git2::Error,
    },
    /// A repository of a kind that cannot be read yet.
    #[error("the repository `{}` cannot be read: {feature}", folder.display())]
    Unsupported { folder: PathBuf, feature: String },
    /// Something stands where a repository belongs, and is none.
    #[error("`{}` is not a repository that git can read", path.display())]
    Broken { path: PathBuf },
    /// The folder to start from is none.
    #[error("`{}` is not a folder", path.display())]
    NoFolder { path: PathBuf },
    /// git does not trust the owner of the repository.
    #[error("git does not trust the owner of the repository at `{}`", folder.display())]
    Untrusted { folder: PathBuf, words: String },
    /// The folder asked for and the environment name two repositories.
    #[error("-C names {chosen}, but {variable} names `{}`", environment.display())]
    Disagree { chosen: String, variable: &'static str, environment: PathBuf },
    /// No object is called so.
    #[error("`{revision}` names no commit")]
    UnknownRevision { revision: String, words: String },
    /// It names an object of another kind.
    #[error("`{revision}` names a {kind}, not a commit")]
    NotACommit { revision: String, kind: &'static str },
    /// There is no commit yet.
    #[error("the repository has no commit yet: HEAD is the unborn branch `{branch}`")]
    Unborn { branch: String },
    /// An object that should be there cannot be read.
    #[error("object {}: {fault}", id.as_str())]
    Object { id: ObjectId, fault: ObjectFault },
    /// A ref that cannot be taken at its word.
    #[error("the ref `{reference}` {why}")]
    Reference { reference: String, why: String },
    /// A folder of the repository's own cannot be listed.
    #[error("cannot read the folder `{}`", path.display())]
    Folder {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Something that is no folder stands on the way to the suite.
    #[error("`{path}` in commit {} is {found}, not a folder; links are not followed", commit.short())]
    OnTheWay { commit: ObjectId, path: String, found: &'static str },
    /// A suite folder outside the repository.
    #[error("`{path}` is no folder inside the repository")]
    OutsideRepository { path: String },
    /// A link, submodule or folder was asked for its bytes.
    #[error("not a regular file")]
    NotAFile,
    /// The program could not be run.
    #[error("cannot run the git program")]
    ProgramMissing {
        #[source]
        source: std::io::Error,
    },
    /// The program is older than what is needed.
    #[error("the git program is too old ({found}); {}.{} or newer is needed", needed.0, needed.1)]
    ProgramTooOld { found: String, needed: (u32, u32) },
    /// The program failed.
    #[error("`git {command}` failed ({status})")]
    Program { command: String, status: String, words: String },
    /// Objects that a partial clone was promised did not come.
    #[error("{} of this partial clone could not be fetched: {}", objects(missing.len()), listed(missing))]
    NotBrought { missing: Vec<ObjectId>, words: String },
    /// A lock is in the way.
    #[error("the ref `{reference}` is locked by `{}`{}", file.display(), age_text(*age))]
    Locked { reference: String, file: PathBuf, age: Option<Duration> },
    /// No remote is called so.
    #[error("there is no remote `{name}`")]
    NoRemote { name: String },
    /// A remote does not answer, or what it sent cannot be written down.
    #[error("the remote `{remote}` could not be asked")]
    NoAnswer { remote: String, words: String },
    /// A temporary file cannot be written.
    #[error("cannot write a temporary file")]
    Scratch {
        #[source]
        source: std::io::Error,
    },
    /// git does not know who is acting.
    #[error("git does not know who you are")]
    NoIdentity { words: String },
}

/// What is wrong with an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectFault {
    /// It is not in the repository.
    #[error("missing from the repository")]
    Missing,
    /// Its bytes are damaged.
    #[error("damaged ({0})")]
    Damaged(String),
    /// It is larger than anything of its kind that is read.
    #[error("has {size} bytes, at most {most} are read")]
    TooLarge {
        /// Its bytes.
        size: u64,
        /// The limit.
        most: u64,
    },
    /// It is of another kind than what refers to it says.
    #[error("is a {found}, where a {expected} belongs")]
    WrongKind {
        /// What belongs there.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
}

impl GitError {
    /// Whether an object is at fault in being absent, as after a shallow or partial fetch.
    pub fn is_missing_object(&self) -> bool {
        matches!(self, Self::Object { fault: ObjectFault::Missing, .. })
    }

    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoFolder { .. }
            | Self::Disagree { .. }
            | Self::UnknownRevision { .. }
            | Self::NotACommit { .. }
            | Self::Unborn { .. }
            | Self::Reference { .. }
            | Self::OnTheWay { .. }
            | Self::NoRemote { .. }
            | Self::OutsideRepository { .. } => ErrorKind::Input,
            Self::Library { .. }
            | Self::Unsupported { .. }
            | Self::Broken { .. }
            | Self::Untrusted { .. }
            | Self::NotAFile
            | Self::Object { .. }
            | Self::Folder { .. }
            | Self::ProgramMissing { .. }
            | Self::ProgramTooOld { .. }
            | Self::Program { .. }
            | Self::NotBrought { .. }
            | Self::Locked { .. }
            | Self::NoAnswer { .. }
            | Self::Scratch { .. }
            | Self::NoIdentity { .. } => ErrorKind::Surroundings,
        }
    }

    /// What git said, where that is not in the message yet.
    fn words(&self) -> Option<&str> {
        match self {
            Self::UnknownRevision { words, .. }
            | Self::Untrusted { words, .. }
            | Self::Program { words, .. }
            | Self::NotBrought { words, .. }
            | Self::NoAnswer { words, .. }
            | Self::NoIdentity { words, .. } => Some(words.trim()).filter(|words| !words.is_empty()),
            Self::Library { .. }
            | Self::Unsupported { .. }
            | Self::Broken { .. }
            | Self::NoFolder { .. }
            | Self::Disagree { .. }
            | Self::NotACommit { .. }
            | Self::Unborn { .. }
            | Self::NotAFile
            | Self::Object { .. }
            | Self::Reference { .. }
            | Self::Folder { .. }
            | Self::OnTheWay { .. }
            | Self::OutsideRepository { .. }
            | Self::ProgramMissing { .. }
            | Self::ProgramTooOld { .. }
            | Self::NoRemote { .. }
            | Self::Scratch { .. }
            | Self::Locked { .. } => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Disagree { variable, .. } => Some(format!("unset {variable}, or leave out -C")),
            Self::Unborn { .. } => Some("commit the suite first with `git commit`".to_owned()),
            Self::NoFolder { .. } => Some("name a folder that exists with `-C DIR`".to_owned()),
            Self::UnknownRevision { .. } => {
                Some("`git log --oneline` and `git branch --all` show what there is".to_owned())
            }
            Self::NotACommit { .. } => Some("name a commit, a branch or a tag".to_owned()),
            Self::Reference { reference, .. } => {
                Some(format!("see what it names with `git for-each-ref {reference}`"))
            }
            Self::Object { fault: ObjectFault::Missing, .. } => {
                Some("fetch what is missing, or look at the repository with `git fsck`".to_owned())
            }
            Self::Object { .. } => Some("look at the repository with `git fsck`".to_owned()),
            Self::Locked { file, .. } => Some(format!(
                "if no git process is running, an earlier one was killed: remove `{}` by hand",
                file.display()
            )),
            Self::NoIdentity { .. } => Some(
                "`git config user.name \"Your Name\"` and `git config user.email you@example.com`".to_owned(),
            ),
            Self::NotBrought { .. } => {
                Some("look at the remote with `git remote -v`; `git fetch --refetch --filter=blob:none` starts anew".to_owned())
            }
            Self::NoRemote { .. } => {
                Some("`git remote -v` lists them; `git remote add NAME URL` adds one".to_owned())
            }
            Self::NoAnswer { .. } => Some("see what is wrong: `diag-gate doctor`".to_owned()),
            Self::ProgramMissing { .. } => Some("install git, or put it on the PATH".to_owned()),
            Self::Library { .. }
            | Self::Unsupported { .. }
            | Self::Broken { .. }
            | Self::Untrusted { .. }
            | Self::NotAFile
            | Self::Folder { .. }
            | Self::OnTheWay { .. }
            | Self::OutsideRepository { .. }
            | Self::ProgramTooOld { .. }
            | Self::Scratch { .. }
            | Self::Program { .. } => None,
        }
    }
}

/// A failure with what git said of it as its cause, for those who only know errors in general.
#[derive(Debug)]
pub(super) struct Worded {
    failure: GitError,
    words: Option<Words>,
}

/// What git said. Untrusted text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Words(String);

impl From<GitError> for Worded {
    fn from(failure: GitError) -> Self {
        let words = failure.words().map(|words| Words(words.to_owned()));
        Self { failure, words }
    }
}

impl std::fmt::Display for Worded {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.failure.fmt(formatter)
    }
}

impl std::error::Error for Worded {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.words {
            Some(words) => Some(words),
            None => self.failure.source(),
        }
    }
}

impl From<GitError> for Error {
    fn from(error: GitError) -> Self {
        let message = error.to_string();
        let mut told = match error.kind() {
            ErrorKind::Input => Self::input(message),
            ErrorKind::Surroundings => Self::surroundings(message),
        };
        if let Some(cause) = std::error::Error::source(&error) {
            told = told.because(cause);
        }
        told.causes.extend(error.words().map(str::to_owned));
        told.hints.extend(error.hint());
        told
    }
}

fn objects(number: usize) -> String {
    if number == 1 { "an object".to_owned() } else { format!("{number} objects") }
}

/// The first of some ids, in full.
fn listed(ids: &[ObjectId]) -> String {
    let mut shown: Vec<&str> = ids.iter().take(5).map(ObjectId::as_str).collect();
    if shown.len() < ids.len() {
        shown.push("...");
    }
    shown.join(", ")
}

fn age_text(age: Option<Duration>) -> String {
    let Some(age) = age else { return String::new() };
    let seconds = age.as_secs();
    let (count, unit) = match seconds {
        0..=119 => (seconds, "seconds"),
        120..=7199 => (seconds / 60, "minutes"),
        7200..=172_799 => (seconds / 3600, "hours"),
        _ => (seconds / 86400, "days"),
    };
    format!(", {count} {unit} old")
}
