//! Where a suite is read out of: a commit or a folder. The port; `git` and `suite::folder` implement it.

use crate::ids::{HashKind, ObjectId};

/// One of the three things that a suite folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `diag-gate.toml`: one entry with an empty path, or none.
    Config,
    /// `cases/`.
    Cases,
    /// `fixtures/`.
    Traces,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A symbolic link, which is never followed.
    Link,
    /// Another repository.
    Submodule,
    /// A folder where a file belongs (for [`Part::Config`] only), a socket and the like.
    Other,
}

/// A thing below a part of the suite; folders themselves are not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The bytes of the `/`-separated path below the part; empty where the part itself is no folder.
    pub path: Vec<u8>,
    /// What stands there.
    pub kind: EntryKind,
    /// The blob id, where the source knows it without reading.
    pub id: Option<ObjectId>,
}

/// What reading a file came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The buffer holds all bytes, whose blob id this is.
    Read(ObjectId),
    /// The file has more bytes than the limit: nothing was kept.
    TooLarge {
        /// The blob id of the bytes.
        id: ObjectId,
        /// How many bytes there are.
        size: u64,
    },
}

/// The surroundings failed while a suite was read: no fault of the suite.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {what}")]
pub struct SourceError {
    /// Path, object id or revision. Untrusted text.
    pub what: String,
    /// What disk or git said.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// A suite folder in a commit or on disk.
pub trait Source: Sync {
    /// The hash that names blobs here.
    fn hash_kind(&self) -> HashKind;

    /// Everything below a part at any depth, in the order of the bytes of the paths. Links and
    /// submodules are listed, never entered. Empty where the part is absent.
    ///
    /// # Errors
    /// The surroundings failed.
    fn list(&self, part: Part) -> Result<Vec<Entry>, SourceError>;

    /// Sees to it, in one request, that these files can be read, where they may lie elsewhere yet.
    /// Whoever reads many files says so first; what is not asked for is not made readable by reading.
    ///
    /// # Errors
    /// They lie elsewhere and cannot be had.
    fn prefetch(&self, _wanted: &[(Part, &Entry)]) -> Result<(), SourceError> {
        Ok(())
    }

    /// The same for all that the suite holds, for those who will read it whole.
    ///
    /// # Errors
    /// As [`Source::prefetch`] and [`Source::list`].
    fn prefetch_all(&self) -> Result<(), SourceError> {
        Ok(())
    }

    /// The same without the traces that were there already when a baseline was accepted, as far as that can
    /// be told: for those who take the results of these from the baseline.
    ///
    /// # Errors
    /// As [`Source::prefetch_all`].
    fn prefetch_news(&self) -> Result<(), SourceError> {
        self.prefetch_all()
    }

    /// A reader for one thread.
    ///
    /// # Errors
    /// The surroundings failed.
    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError>;
}

/// Reads files of a source, in one thread.
pub trait Reader {
    /// Replaces `buffer` by the bytes of a regular file, unless there are more than `limit`.
    /// A file above the limit is never held in memory.
    ///
    /// # Errors
    /// The surroundings failed; also where the file has gone since it was listed.
    fn read(
        &mut self,
        part: Part,
        entry: &Entry,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError>;
}
