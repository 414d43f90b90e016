//! The port: what is asked of a repository's past. `git` implements it.

use crate::baseline::Signature;
use crate::error::Error;
use crate::ids::ObjectId;
use crate::suite::source::{Entry, EntryKind, Source};

/// What a commit says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// Its folder.
    pub tree: ObjectId,
    /// Its parents as written.
    pub parents: Vec<ObjectId>,
    /// Who made the change, and when. Untrusted text.
    pub author: Signature,
    /// The first paragraph of its message, in one line. Untrusted text.
    pub subject: String,
}

/// What stands where the suite's folder belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    /// Nothing.
    Absent,
    /// Something that is no folder, in words. Untrusted text.
    Blocked(String),
    /// The folder.
    Held(Parts),
}

/// What stands under the three names in the suite's folder: equal parts, equal suites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// `diag-gate.toml`.
    pub config: Option<Spot>,
    /// `cases`.
    pub cases: Option<Spot>,
    /// `fixtures`.
    pub traces: Option<Spot>,
}

/// A thing in the suite's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// What it is.
    pub kind: SpotKind,
    /// Its object.
    pub id: ObjectId,
}

/// What a thing in a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpotKind {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// Another repository.
    Submodule,
}

/// A path below a part that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The bytes of the `/`-separated path below the part; empty where the part itself is no folder.
    pub path: Vec<u8>,
    /// What stands there now, with its id where it is a file; `None`: nothing, or a folder.
    pub now: Option<Entry>,
}

/// Reads commits and the suites in them.
pub trait Past {
    /// What a commit says; `None` where a shallow fetch cut it off.
    ///
    /// # Errors
    /// It is missing otherwise, or damaged.
    fn commit(&self, id: &ObjectId) -> Result<Option<Commit>, Error>;

    /// What stands where the suite's folder belongs.
    ///
    /// # Errors
    /// An object is missing or damaged.
    fn folder(&self, commit: &Commit) -> Result<Folder, Error>;

    /// What changed in a part, `cases` or `fixtures`, each path once.
    ///
    /// # Errors
    /// As [`Past::folder`].
    fn changes(&self, before: Option<&Spot>, now: Option<&Spot>) -> Result<Vec<Change>, Error>;

    /// Reads the files of all suites by their ids, of whatever commit.
    fn files(&self) -> &dyn Source;

    /// The whole suite of a commit.
    ///
    /// # Errors
    /// As [`Past::folder`].
    fn suite(&self, commit: &ObjectId) -> Result<Box<dyn Source + '_>, Error>;

    /// Whether files may lie elsewhere yet, and are better asked for all at once.
    fn is_partial(&self) -> bool;

    /// The commits that lead to `tip` and not to `hidden`, newest first as `git log` orders them;
    /// of each commit only the first parent unless `all_parents`.
    ///
    /// # Errors
    /// A commit is missing or damaged.
    fn line(
        &self,
        tip: &ObjectId,
        hidden: Option<&ObjectId>,
        all_parents: bool,
        limit: Option<usize>,
    ) -> Result<Vec<ObjectId>, Error>;
}

impl Spot {
    /// What `Source::list` tells of a part that is no folder; `None` where it is one.
    pub fn as_entry(&self) -> Option<Entry> {
        entry(Vec::new(), self.kind, &self.id)
    }
}

/// An entry of a source; `None` for a folder.
pub fn entry(path: Vec<u8>, kind: SpotKind, id: &ObjectId) -> Option<Entry> {
    let kind = match kind {
        SpotKind::Folder => return None,
        SpotKind::File => EntryKind::File,
        SpotKind::Link => EntryKind::Link,
        SpotKind::Submodule => EntryKind::Submodule,
    };
    // Only the ids of files are those of bytes that can be read.
    Some(Entry { path, kind, id: (kind == EntryKind::File).then(|| id.clone()) })
}
