//! Objects as they are: no replace refs, no grafts, no filters. One handle a thread.
//!
//! Only two things are asked of what lies beneath, libgit2 or the program: the header of an object
//! and its bytes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::git::batch::Batch;
use crate::git::error::{GitError, ObjectFault};
use crate::git::loose::Loose;
use crate::git::parse::{self, CommitInfo, TreeEntry};
use crate::git::program::Call;
use crate::ids::{HashKind, ObjectId};

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A commit.
    Commit,
    /// A folder.
    Tree,
    /// The bytes of a file.
    Blob,
    /// An annotated tag.
    Tag,
}

impl ObjectKind {
    /// What git calls it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }
}

/// The most bytes of a baseline's report or settings.
const MOST_BYTES: u64 = 1 << 30;

/// Whether the bytes that the program reads are hashed again.
static HASHED_AGAIN: AtomicBool = AtomicBool::new(false);

/// See [`verify_object_hashes`](super::verify_object_hashes).
pub(super) fn hash_again(on: bool) {
    git2::opts::strict_hash_verification(on);
    HASHED_AGAIN.store(on, Ordering::Relaxed);
}

/// Reads objects, in one thread.
pub struct Objects {
    beneath: Beneath,
    hash: HashKind,
}

/// What objects are read through.
enum Beneath {
    /// Fast, where libgit2 can read the repository.
    Library { library: git2::Repository, loose: Loose },
    /// Right everywhere.
    Program(Batch),
}

impl Objects {
    /// Through libgit2, with folders of objects beside the repository's own.
    pub(super) fn by_library(library: git2::Repository, beside: &[PathBuf]) -> Self {
        let loose = Loose::new(library.commondir().join("objects"), beside);
        Self { beneath: Beneath::Library { library, loose }, hash: HashKind::Sha1 }
    }

    pub(super) fn by_program(batch: Batch, hash: HashKind) -> Self {
        Self { beneath: Beneath::Program(batch), hash }
    }

    /// libgit2, where it reads this repository.
    pub(super) fn library(&self) -> Option<&git2::Repository> {
        match &self.beneath {
            Beneath::Library { library, .. } => Some(library),
            Beneath::Program(_) => None,
        }
    }

    /// The kind and the size in bytes, without inflating the object.
    ///
    /// # Errors
    /// The object is missing or damaged.
    pub fn header(&self, id: &ObjectId) -> Result<(ObjectKind, u64), GitError> {
        match &self.beneath {
            Beneath::Library { library, .. } => {
                let header = odb(library)?.read_header(oid(id)?);
                let (size, kind) = header.map_err(|source| object_error(id, &source))?;
                Ok((known_kind(id, kind)?, size as u64))
            }
            Beneath::Program(batch) => {
                self.check_length(id)?;
                batch.header(id)
            }
        }
    }

    /// Replaces `buffer` by the bytes of an object of the expected kind.
    ///
    /// # Errors
    /// The object is missing, damaged, or of another kind.
    pub fn read(&self, id: &ObjectId, expected: ObjectKind, buffer: &mut Vec<u8>) -> Result<(), GitError> {
        match &self.beneath {
            Beneath::Library { library, loose } => {
                let oid = oid(id)?;
                let odb = odb(library)?;
                if loose.is_cut_off(id.as_str()) {
                    return Err(damaged(id, "its file ends too soon"));
                }
                let object = odb.read(oid).map_err(|source| object_error(id, &source))?;
                expect_kind(id, expected, known_kind(id, object.kind())?)?;
                buffer.clear();
                buffer.extend_from_slice(object.data());
                Ok(())
            }
            Beneath::Program(batch) => {
                self.check_length(id)?;
                batch.read(id, expected, buffer)?;
                if HASHED_AGAIN.load(Ordering::Relaxed) {
                    self.check_hash(batch, id, expected, buffer)?;
                }
                Ok(())
            }
        }
    }

    /// The bytes of a file that is no trace, of at most `MOST_BYTES`: looked at before it is inflated.
    ///
    /// # Errors
    /// As [`Objects::read`]; also where it is larger.
    pub fn file(&self, id: &ObjectId) -> Result<Vec<u8>, GitError> {
        let (_, size) = self.header(id)?;
        if size > MOST_BYTES {
            let fault = ObjectFault::TooLarge { size, most: MOST_BYTES };
            return Err(GitError::Object { id: id.clone(), fault });
        }
        let mut bytes = Vec::new();
        self.read(id, ObjectKind::Blob, &mut bytes)?;
        Ok(bytes)
    }

    /// The program would take a shorter id for the beginning of a longer one.
    fn check_length(&self, id: &ObjectId) -> Result<(), GitError> {
        if self.could_hold(id) {
            return Ok(());
        }
        Err(GitError::Object { id: id.clone(), fault: ObjectFault::Missing })
    }

    fn could_hold(&self, id: &ObjectId) -> bool {
        let digits = match self.hash {
            HashKind::Sha1 => 40,
            HashKind::Sha256 => 64,
        };
        id.as_str().len() == digits
    }

    fn check_hash(
        &self,
        batch: &Batch,
        id: &ObjectId,
        kind: ObjectKind,
        bytes: &[u8],
    ) -> Result<(), GitError> {
        let found = match kind {
            ObjectKind::Blob => Some(ObjectId::of_blob(self.hash, bytes)),
            ObjectKind::Commit | ObjectKind::Tree | ObjectKind::Tag => {
                let call = Call::new(&["hash-object", "--stdin", "-t", kind.as_str()]);
                let output = batch.program().output(call.input(bytes.to_vec()))?;
                ObjectId::parse(String::from_utf8_lossy(&output.stdout).trim_end())
            }
        };
        if found.as_ref() == Some(id) {
            Ok(())
        } else {
            Err(damaged(id, "its bytes are not those of its id"))
        }
    }

    /// What a tree lists, in git's order.
    ///
    /// # Errors
    /// As [`Objects::read`].
    pub fn tree(&self, id: &ObjectId) -> Result<Vec<TreeEntry>, GitError> {
        let mut buffer = Vec::new();
        self.read(id, ObjectKind::Tree, &mut buffer)?;
        parse::tree(&buffer, self.hash).ok_or_else(|| damaged(id, "this is not how a tree is written"))
    }

    /// What a commit says.
    ///
    /// # Errors
    /// As [`Objects::read`].
    pub fn commit(&self, id: &ObjectId) -> Result<CommitInfo, GitError> {
        let mut buffer = Vec::new();
        self.read(id, ObjectKind::Commit, &mut buffer)?;
        parse::commit(id, &buffer).ok_or_else(|| damaged(id, "this is not how a commit is written"))
    }

    /// The commit behind an id, through any number of tags.
    ///
    /// # Errors
    /// As [`Objects::read`]; also [`GitError::NotACommit`], which names `revision`.
    pub fn peel(&self, id: ObjectId, revision: &str) -> Result<ObjectId, GitError> {
        let mut id = id;
        loop {
            match self.header(&id)?.0 {
                ObjectKind::Commit => return Ok(id),
                ObjectKind::Tag => {
                    let mut buffer = Vec::new();
                    self.read(&id, ObjectKind::Tag, &mut buffer)?;
                    id = parse::tag_target(&buffer)
                        .ok_or_else(|| damaged(&id, "this is not how a tag is written"))?;
                }
                kind @ (ObjectKind::Tree | ObjectKind::Blob) => {
                    return Err(GitError::NotACommit { revision: revision.to_owned(), kind: kind.as_str() });
                }
            }
        }
    }

    /// Whether an object is in the repository; nothing is said about its bytes.
    ///
    /// # Errors
    /// The object database cannot be opened.
    pub fn holds(&self, id: &ObjectId) -> Result<bool, GitError> {
        if !self.could_hold(id) {
            return Ok(false);
        }
        match &self.beneath {
            Beneath::Library { library, .. } => Ok(odb(library)?.exists(oid(id)?)),
            Beneath::Program(batch) => batch.holds(id),
        }
    }

    /// Whether an object need not be fetched. One that is damaged may be taken for missing.
    pub(super) fn has(&self, id: &ObjectId) -> Result<bool, GitError> {
        match &self.beneath {
            Beneath::Library { .. } => self.holds(id),
            Beneath::Program(batch) => Ok(self.could_hold(id) && batch.reads(id)?),
        }
    }

    /// Whether one commit is another one or an ancestor of it. Both must be in the repository,
    /// which must not be shallow.
    ///
    /// # Errors
    /// A commit on the way is missing or damaged.
    pub fn is_ancestor(&self, ancestor: &ObjectId, commit: &ObjectId) -> Result<bool, GitError> {
        if ancestor == commit {
            return Ok(true);
        }
        let library = match &self.beneath {
            Beneath::Library { library, .. } => library,
            Beneath::Program(batch) => return self.is_ancestor_by_program(batch, ancestor, commit),
        };
        if library.commondir().join("info/grafts").exists() {
            return self.is_ancestor_as_written(ancestor, commit);
        }
        let (older, newer) = (oid(ancestor)?, oid(commit)?);
        library.graph_descendant_of(newer, older).map_err(|source| GitError::Library {
            what: format!("the history of commit {}", commit.as_str()),
            source,
        })
    }

    fn is_ancestor_by_program(
        &self,
        batch: &Batch,
        ancestor: &ObjectId,
        commit: &ObjectId,
    ) -> Result<bool, GitError> {
        self.check_length(ancestor)?;
        self.check_length(commit)?;
        let call = Call::new(&["merge-base", "--is-ancestor", ancestor.as_str(), commit.as_str()]);
        let output = batch.program().output(call)?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            Some(_) | None => Err(GitError::Program {
                command: "merge-base".to_owned(),
                status: output.status.to_string(),
                words: String::from_utf8_lossy(&output.stderr).into_owned(),
            }),
        }
    }

    /// The same over the parents as the commits themselves name them: libgit2 follows grafts.
    fn is_ancestor_as_written(&self, ancestor: &ObjectId, commit: &ObjectId) -> Result<bool, GitError> {
        let mut seen = BTreeSet::from([commit.clone()]);
        let mut next = vec![commit.clone()];
        while let Some(id) = next.pop() {
            for parent in self.commit(&id)?.parents {
                if parent == *ancestor {
                    return Ok(true);
                }
                if seen.insert(parent.clone()) {
                    next.push(parent);
                }
            }
        }
        Ok(false)
    }
}

fn odb(library: &git2::Repository) -> Result<git2::Odb<'_>, GitError> {
    library.odb().map_err(|source| GitError::Library { what: "the object database".to_owned(), source })
}

/// The id of this program for one of libgit2.
pub(super) fn object_id(oid: git2::Oid) -> ObjectId {
    ObjectId::parse(&oid.to_string()).expect("libgit2 writes ids as lower-case hex")
}

/// The id of libgit2; one of another length is in no repository that libgit2 reads.
pub(super) fn oid(id: &ObjectId) -> Result<git2::Oid, GitError> {
    let missing = || GitError::Object { id: id.clone(), fault: ObjectFault::Missing };
    if id.as_str().len() != 40 {
        return Err(missing());
    }
    git2::Oid::from_str(id.as_str()).map_err(|_| missing())
}

fn known_kind(id: &ObjectId, kind: git2::ObjectType) -> Result<ObjectKind, GitError> {
    match kind {
        git2::ObjectType::Commit => Ok(ObjectKind::Commit),
        git2::ObjectType::Tree => Ok(ObjectKind::Tree),
        git2::ObjectType::Blob => Ok(ObjectKind::Blob),
        git2::ObjectType::Tag => Ok(ObjectKind::Tag),
        git2::ObjectType::Any => Err(damaged(id, "an object of no kind")),
    }
}

fn expect_kind(id: &ObjectId, expected: ObjectKind, found: ObjectKind) -> Result<(), GitError> {
    if found == expected {
        return Ok(());
    }
    let fault = ObjectFault::WrongKind { expected: expected.as_str(), found: found.as_str() };
    Err(GitError::Object { id: id.clone(), fault })
}

fn object_error(id: &ObjectId, source: &git2::Error) -> GitError {
    let fault = if source.code() == git2::ErrorCode::NotFound {
        ObjectFault::Missing
    } else {
        ObjectFault::Damaged(source.message().to_owned())
    };
    GitError::Object { id: id.clone(), fault }
}

fn damaged(id: &ObjectId, why: &str) -> GitError {
    GitError::Object { id: id.clone(), fault: ObjectFault::Damaged(why.to_owned()) }
}
