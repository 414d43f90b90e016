//! The past of a repository: its commits, the suites in them, and what changed between two of them.

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::git::commit_source::{CommitSource, descend};
use crate::git::error::{GitError, Worded};
use crate::git::objects::{ObjectKind, Objects};
use crate::git::parse::TreeEntryKind;
use crate::git::program::Call;
use crate::git::repository::{Location, Repository};
use crate::git::trees;
use crate::history::{Change, Commit, Folder, Parts, Past, Spot, SpotKind, entry};
use crate::ids::{HashKind, ObjectId};
use crate::suite::source::{Content, Entry, Part, Reader, Source, SourceError};

/// The past of a repository, for one suite.
pub struct GitPast<'r> {
    repository: &'r Repository,
    /// The bytes of the path of the suite's folder below the root.
    folder: Vec<u8>,
    files: Files,
    is_shallow: bool,
    /// The last folder that was looked at: most commits leave it alone.
    last: RefCell<Option<(ObjectId, Parts)>>,
}

impl<'r> GitPast<'r> {
    /// The past of the suite in this folder, given as for [`CommitSource::new`].
    pub fn new(repository: &'r Repository, folder: &[u8]) -> Self {
        let files = Files { location: repository.location().clone(), idle: Mutex::default() };
        let is_shallow = repository.is_shallow();
        Self { repository, folder: folder.to_vec(), files, is_shallow, last: RefCell::default() }
    }

    fn bring(&self, tree: &ObjectId) -> Result<(), GitError> {
        let location = self.repository.location();
        if location.found.partial { location.bring([tree.clone()], &[]) } else { Ok(()) }
    }

    fn parts(&self, tree: &ObjectId) -> Result<Parts, GitError> {
        if let Some((known, parts)) = &*self.last.borrow()
            && known == tree
        {
            return Ok(parts.clone());
        }
        let mut parts = Parts::default();
        for found in self.repository.objects().tree(tree)? {
            let place = match found.name.as_slice() {
                b"diag-gate.toml" => &mut parts.config,
                b"cases" => &mut parts.cases,
                b"fixtures" => &mut parts.traces,
                _ => continue,
            };
            *place = Some(Spot { kind: spot_kind(found.kind), id: found.id });
        }
        self.last.replace(Some((tree.clone(), parts.clone())));
        Ok(parts)
    }
}

impl Past for GitPast<'_> {
    fn commit(&self, id: &ObjectId) -> Result<Option<Commit>, Error> {
        if self.is_shallow && !self.repository.holds_commit(id)? {
            return Ok(None);
        }
        let info = self.repository.commit_info(id)?;
        let subject = info.subject();
        Ok(Some(Commit { id: info.id, tree: info.tree, parents: info.parents, author: info.author, subject }))
    }

    fn folder(&self, commit: &Commit) -> Result<Folder, Error> {
        let objects = self.repository.objects();
        self.bring(&commit.tree)?;
        match descend(objects, &commit.id, commit.tree.clone(), &self.folder) {
            Ok(None) => Ok(Folder::Absent),
            Ok(Some(tree)) => Ok(Folder::Held(self.parts(&tree)?)),
            Err(blocked @ GitError::OnTheWay { .. }) => Ok(Folder::Blocked(blocked.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    fn changes(&self, before: Option<&Spot>, now: Option<&Spot>) -> Result<Vec<Change>, Error> {
        let tree = |spot: Option<&Spot>| {
            spot.filter(|spot| spot.kind == SpotKind::Folder).map(|spot| spot.id.clone())
        };
        let (left, right) = (tree(before), tree(now));
        for id in [&left, &right].into_iter().flatten() {
            self.bring(id)?;
        }
        let objects = self.repository.objects();
        let found = trees::changes(objects, self.repository.hash_kind(), left.as_ref(), right.as_ref())?;
        let mut changes: Vec<Change> = found
            .into_iter()
            .map(|change| Change {
                now: change.now.and_then(|(kind, id)| entry(change.path.clone(), spot_kind(kind), &id)),
                path: change.path,
            })
            .collect();
        let (was, is) = (before.and_then(Spot::as_entry), now.and_then(Spot::as_entry));
        if was != is {
            changes.push(Change { path: Vec::new(), now: is });
        }
        Ok(changes)
    }

    fn files(&self) -> &dyn Source {
        &self.files
    }

    fn suite(&self, commit: &ObjectId) -> Result<Box<dyn Source + '_>, Error> {
        Ok(Box::new(CommitSource::new(self.repository, commit, &self.folder)?))
    }

    fn is_partial(&self) -> bool {
        self.repository.location().found.partial
    }

    fn line(
        &self,
        tip: &ObjectId,
        hidden: Option<&ObjectId>,
        all_parents: bool,
        limit: Option<usize>,
    ) -> Result<Vec<ObjectId>, Error> {
        let mut call = Call::new(&["rev-list"]);
        if !all_parents {
            call = call.argument("--first-parent");
        }
        if let Some(limit) = limit {
            call = call.argument(format!("--max-count={limit}"));
        }
        call = call.argument(tip.as_str());
        if let Some(hidden) = hidden {
            call = call.argument(format!("^{}", hidden.as_str()));
        }
        let printed = self.repository.program().run(call)?;
        let ids = printed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let ids = ids.map(|line| std::str::from_utf8(line).ok().and_then(ObjectId::parse));
        ids.collect::<Option<Vec<_>>>().ok_or_else(|| {
            let words = String::from_utf8_lossy(&printed).into_owned();
            let command = "rev-list".to_owned();
            GitError::Program { command, status: "exit status: 0".to_owned(), words }.into()
        })
    }
}

/// The files of all suites, read by their ids. Handles are kept for the next reader.
struct Files {
    location: Location,
    idle: Mutex<Vec<Objects>>,
}

impl Source for Files {
    fn hash_kind(&self) -> HashKind {
        self.location.found.hash
    }

    fn list(&self, _: Part) -> Result<Vec<Entry>, SourceError> {
        Ok(Vec::new())
    }

    fn prefetch(&self, wanted: &[(Part, &Entry)]) -> Result<(), SourceError> {
        let ids = wanted.iter().filter_map(|(_, entry)| entry.id.clone());
        self.location.bring(ids, &[]).map_err(|error| failed("files of the suite", error))
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let objects = match idle {
            Some(objects) => objects,
            None => self.location.open().map_err(|error| failed("the repository", error))?,
        };
        Ok(Box::new(FileReader { files: self, objects: Some(objects) }))
    }
}

struct FileReader<'f> {
    files: &'f Files,
    /// `None` once it was given back.
    objects: Option<Objects>,
}

impl Reader for FileReader<'_> {
    fn read(
        &mut self,
        _: Part,
        entry: &Entry,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError> {
        let what = String::from_utf8_lossy(&entry.path);
        let objects = self.objects.as_ref().expect("it is given back at the end");
        let id = entry.id.clone().ok_or_else(|| failed(&what, GitError::NotAFile))?;
        let (_, size) = objects.header(&id).map_err(|error| failed(&what, error))?;
        if size > limit {
            return Ok(Content::TooLarge { id, size });
        }
        objects.read(&id, ObjectKind::Blob, buffer).map_err(|error| failed(&what, error))?;
        Ok(Content::Read(id))
    }
}

impl Drop for FileReader<'_> {
    fn drop(&mut self) {
        let mut idle = self.files.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(self.objects.take());
    }
}

fn failed(what: &str, error: GitError) -> SourceError {
    SourceError { what: what.to_owned(), source: Box::new(Worded::from(error)) }
}

fn spot_kind(kind: TreeEntryKind) -> SpotKind {
    match kind {
        TreeEntryKind::Tree => SpotKind::Folder,
        TreeEntryKind::File => SpotKind::File,
        TreeEntryKind::Link => SpotKind::Link,
        TreeEntryKind::Submodule => SpotKind::Submodule,
    }
}
