//! Objects as they are: no replace refs, no grafts, no filters. One handle a thread.
//!
//! Only two things are asked of what lies beneath: the header of an object and its bytes.

use std::collections::BTreeSet;

use std::path::PathBuf;

use crate::git::error::{GitError, ObjectFault};
use crate::git::loose::Loose;
use crate::git::parse::{self, CommitInfo, TreeEntry};
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

/// Reads objects, in one thread.
pub struct Objects {
    library: git2::Repository,
    loose: Loose,
}

impl Objects {
    /// Of a repository, with folders of objects beside its own.
    pub(super) fn new(library: git2::Repository, beside: &[PathBuf]) -> Self {
        let loose = Loose::new(library.commondir().join("objects"), beside);
        Self { library, loose }
    }

    pub(super) fn library(&self) -> &git2::Repository {
        &self.library
    }

    /// The kind and the size in bytes, without inflating the object.
    ///
    /// # Errors
    /// The object is missing or damaged.
    pub fn header(&self, id: &ObjectId) -> Result<(ObjectKind, u64), GitError> {
        let oid = oid(id)?;
        let header = self.odb()?.read_header(oid);
        let (size, kind) = header.map_err(|source| object_error(id, &source))?;
        Ok((known_kind(id, kind)?, size as u64))
    }

    /// Replaces `buffer` by the bytes of an object of the expected kind.
    ///
    /// # Errors
    /// The object is missing, damaged, or of another kind.
    pub fn read(&self, id: &ObjectId, expected: ObjectKind, buffer: &mut Vec<u8>) -> Result<(), GitError> {
        let oid = oid(id)?;
        let odb = self.odb()?;
        if self.loose.is_cut_off(id.as_str()) {
            return Err(damaged(id, "its file ends too soon"));
        }
        let object = odb.read(oid).map_err(|source| object_error(id, &source))?;
        expect_kind(id, expected, known_kind(id, object.kind())?)?;
        buffer.clear();
        buffer.extend_from_slice(object.data());
        Ok(())
    }

    /// What a tree lists, in git's order.
    ///
    /// # Errors
    /// As [`Objects::read`].
    pub fn tree(&self, id: &ObjectId) -> Result<Vec<TreeEntry>, GitError> {
        let mut buffer = Vec::new();
        self.read(id, ObjectKind::Tree, &mut buffer)?;
        parse::tree(&buffer, HashKind::Sha1).ok_or_else(|| damaged(id, "this is not how a tree is written"))
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
        let Ok(oid) = oid(id) else { return Ok(false) };
        Ok(self.odb()?.exists(oid))
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
        if self.library.commondir().join("info/grafts").exists() {
            return self.is_ancestor_as_written(ancestor, commit);
        }
        let (older, newer) = (oid(ancestor)?, oid(commit)?);
        self.library.graph_descendant_of(newer, older).map_err(|source| GitError::Library {
            what: format!("the history of commit {}", commit.as_str()),
            source,
        })
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

    fn odb(&self) -> Result<git2::Odb<'_>, GitError> {
        let odb = self.library.odb();
        odb.map_err(|source| GitError::Library { what: "the object database".to_owned(), source })
    }
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
