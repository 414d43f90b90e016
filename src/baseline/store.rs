//! The port: what a baseline asks of the place that keeps it. `git` implements it.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::ids::{HashKind, ObjectId};

/// A person as git names one. Untrusted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
}

/// A point in time, and the clock of who wrote it down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Seconds since the beginning of 1970, UTC.
    pub seconds: i64,
    /// How far the clock was ahead of UTC, in minutes.
    pub offset_minutes: i32,
}

impl Moment {
    /// `2026-11-30T23:38:02Z`; `@SECONDS` where no calendar has a day for it.
    pub fn utc(self) -> String {
        let moment = jiff::Timestamp::from_second(self.seconds);
        moment.map_or_else(|_| format!("@{}", self.seconds), |moment| moment.to_string())
    }
}

/// Who, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Who.
    pub person: Person,
    /// When.
    pub at: Moment,
}

/// A commit as it stands, before anything in it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawLink {
    /// Its parents.
    pub parents: Vec<ObjectId>,
    /// Its author.
    pub author: Signature,
    /// Its committer.
    pub committer: Signature,
    /// Its message.
    pub message: Vec<u8>,
    /// The top of its tree.
    pub entries: BTreeMap<Vec<u8>, RawEntry>,
}

/// A thing at the top of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEntry {
    /// Its object.
    pub id: ObjectId,
    /// Whether it is a regular file.
    pub is_file: bool,
}

/// A commit to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLink {
    /// The previous link.
    pub parent: Option<ObjectId>,
    /// Who accepts.
    pub author: Signature,
    /// Who runs the program.
    pub committer: Signature,
    /// The message.
    pub message: String,
    /// The files of its tree.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// One move of a ref, among others that stand or fall with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefMove {
    /// The full name.
    pub reference: String,
    /// What it must name now; `None`: there must be no such ref.
    pub expected: Option<ObjectId>,
    /// What it names then; `None`: it is deleted, and must stand now.
    pub new: Option<ObjectId>,
}

/// What became of refs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// They are as they were asked to be.
    Done,
    /// Another writer came first; nothing was changed.
    Moved,
}

/// Keeps links and the refs that name their chains.
pub trait Store {
    /// The hash that names objects here.
    fn hash_kind(&self) -> HashKind;

    /// What a ref names; `None` only where there is no such ref.
    ///
    /// # Errors
    /// The ref stands but cannot be read, or the surroundings failed.
    fn tip(&self, reference: &str) -> Result<Option<ObjectId>, Error>;

    /// Reads a commit. `None`: the object is there, and is no commit.
    ///
    /// # Errors
    /// An object is missing or damaged, or the surroundings failed.
    fn link(&self, id: &ObjectId) -> Result<Option<RawLink>, Error>;

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// As [`Store::link`].
    fn file(&self, id: &ObjectId) -> Result<Vec<u8>, Error>;

    /// Sees to it, in one request, that these files can be read, where they may lie elsewhere yet.
    ///
    /// # Errors
    /// They lie elsewhere and cannot be had.
    fn prefetch(&self, _files: &[&ObjectId]) -> Result<(), Error> {
        Ok(())
    }

    /// Full names and values of all refs below a prefix, in the order of their names.
    ///
    /// # Errors
    /// One of them cannot be read, or the surroundings failed.
    fn refs_under(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, Error>;

    /// The author and the committer that a new link would have.
    ///
    /// # Errors
    /// Nobody is known, or the surroundings failed.
    fn identities(&self) -> Result<(Signature, Signature), Error>;

    /// Writes the objects of a link, which no ref names yet.
    ///
    /// # Errors
    /// The surroundings failed.
    fn write(&self, link: &NewLink) -> Result<ObjectId, Error>;

    /// Whether an object is in the repository; nothing is said about its bytes.
    ///
    /// # Errors
    /// The surroundings failed.
    fn holds(&self, id: &ObjectId) -> Result<bool, Error>;

    /// Whether history was cut off by a shallow fetch: only then may the parent of a link be missing.
    fn is_shallow(&self) -> bool;

    /// Whether each of these commits carries an SSH signature of one of the allowed signers, in the
    /// form of git's `gpg.ssh.allowedSignersFile`.
    ///
    /// # Errors
    /// A commit cannot be read, or the surroundings failed.
    fn signed_by(&self, commits: &[ObjectId], allowed: &[u8]) -> Result<bool, Error>;

    /// Moves refs, all of them or none, each with a line in its reflog.
    ///
    /// # Errors
    /// The surroundings failed; the refs are then as they were.
    fn update_all(&self, moves: &[RefMove], reason: &str) -> Result<Written, Error>;

    /// Lets a ref name `new`, if it names `expected` (`None`: if there is no such ref), with a line
    /// in its reflog.
    ///
    /// # Errors
    /// The surroundings failed; the ref is then as it was.
    fn update(
        &self,
        reference: &str,
        new: &ObjectId,
        expected: Option<&ObjectId>,
        reason: &str,
    ) -> Result<Written, Error> {
        let (expected, new) = (expected.cloned(), Some(new.clone()));
        self.update_all(&[RefMove { reference: reference.to_owned(), expected, new }], reason)
    }
}
