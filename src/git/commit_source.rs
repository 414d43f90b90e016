//! A suite folder in a commit. Bytes come as they were committed: no filters of `.gitattributes`.

use std::collections::BTreeSet;

use crate::git::error::{GitError, ObjectFault, Worded};
use crate::git::objects::{ObjectKind, Objects};
use crate::git::parse::{TreeEntry, TreeEntryKind};
use crate::git::promised::Accepted;
use crate::git::repository::{Location, Repository};
use crate::ids::{HashKind, ObjectId};
use crate::suite::source::{Content, Entry, EntryKind, Part, Reader, Source, SourceError};

/// The most entries that one part may list: far beyond any suite, and an end for a tree that
/// holds itself many times over.
const MAX_ENTRIES: usize = 5_000_000;

const CONFIG: &[u8] = b"diag-gate.toml";
const CASES: &[u8] = b"cases";
const TRACES: &[u8] = b"fixtures";

/// A suite folder in a commit.
pub struct CommitSource {
    location: Location,
    /// In a partial clone, whose lacks are fetched: files of baselines come along with those of the suite.
    accepted: Accepted,
    commit: ObjectId,
    path: Vec<u8>,
    /// For messages; untrusted text.
    folder: String,
    parts: Option<Parts>,
}

/// What stands under the three names in the suite folder.
#[derive(Clone, Debug, Default)]
struct Parts {
    config: Option<TreeEntry>,
    cases: Option<TreeEntry>,
    traces: Option<TreeEntry>,
}

impl CommitSource {
    /// Looks up a suite folder, given by the bytes of its `/`-separated path below the root of the
    /// repository (empty: the root), in a commit. It need not exist: see [`CommitSource::exists`].
    ///
    /// # Errors
    /// Something on the way is no folder, the path leads outside, or an object cannot be read.
    pub fn new(repository: &Repository, commit: &ObjectId, folder: &[u8]) -> Result<Self, GitError> {
        let objects = repository.objects();
        let location = repository.location();
        let root = objects.commit(commit)?.tree;
        location.bring([root.clone()], &[])?;
        let parts = match descend(objects, commit, root, folder)? {
            Some(tree) => Some(Parts::of(objects.tree(&tree)?)),
            None => None,
        };
        let accepted = if location.found.partial { repository.accepted() } else { Accepted::default() };
        Ok(Self {
            location: location.clone(),
            accepted,
            commit: commit.clone(),
            path: folder.to_owned(),
            folder: lossy(folder),
            parts,
        })
    }

    /// Whether the commit holds the suite folder.
    pub fn exists(&self) -> bool {
        self.parts.is_some()
    }

    fn part(&self, part: Part) -> Option<&TreeEntry> {
        let parts = self.parts.as_ref()?;
        match part {
            Part::Config => parts.config.as_ref(),
            Part::Cases => parts.cases.as_ref(),
            Part::Traces => parts.traces.as_ref(),
        }
    }

    fn error(&self, what: &str, source: GitError) -> SourceError {
        let folder = if self.folder.is_empty() { String::new() } else { format!("{}/", self.folder) };
        let what = format!("{folder}{what} at commit {}", self.commit.as_str());
        SourceError { what, source: Box::new(Worded::from(source)) }
    }

    fn walk(&self, part: Part, top: &ObjectId) -> Result<Vec<Entry>, SourceError> {
        let objects = self.location.open().map_err(|error| self.error(&name(part), error))?;
        self.location.bring([top.clone()], &[]).map_err(|error| self.error(&name(part), error))?;
        let mut entries =
            below(&objects, top).map_err(|(path, error)| self.error(&shown(part, &path), error))?;
        // git sorts a folder as if its name ended in a slash; the order here is that of whole paths.
        entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(entries)
    }

    /// The traces at the commits that baselines were accepted on, as far as they can be told without a
    /// request: this is about what need not be asked for.
    fn accepted_traces(&self) -> BTreeSet<ObjectId> {
        let Ok(objects) = self.location.open() else { return BTreeSet::new() };
        let traces = |commit: &ObjectId| {
            let root = objects.commit(commit).ok()?.tree;
            let suite = descend(&objects, commit, root, &self.path).ok()??;
            let traces = Parts::of(objects.tree(&suite).ok()?).traces?;
            below(&objects, &traces.id).ok()
        };
        let entries = self.accepted.commits.iter().filter_map(traces).flatten();
        entries.filter_map(|entry| entry.id).collect()
    }
}

impl Source for CommitSource {
    fn hash_kind(&self) -> HashKind {
        self.location.found.hash
    }

    fn prefetch(&self, wanted: &[(Part, &Entry)]) -> Result<(), SourceError> {
        let ids = wanted.iter().filter_map(|(_, entry)| entry.id.clone());
        self.location.bring(ids, &self.accepted.files).map_err(|error| {
            let missing =
                if let GitError::NotBrought { missing, .. } = &error { missing.as_slice() } else { &[] };
            self.error(&files(wanted, missing), error)
        })
    }

    fn prefetch_all(&self) -> Result<(), SourceError> {
        if !self.location.found.partial {
            return Ok(());
        }
        let mut all = Vec::new();
        for part in [Part::Config, Part::Cases, Part::Traces] {
            all.extend(self.list(part)?.into_iter().map(|entry| (part, entry)));
        }
        self.prefetch(&all.iter().map(|(part, entry)| (*part, entry)).collect::<Vec<_>>())
    }

    fn prefetch_news(&self) -> Result<(), SourceError> {
        if !self.location.found.partial {
            return Ok(());
        }
        let accepted = self.accepted_traces();
        let mut news = Vec::new();
        for part in [Part::Config, Part::Cases, Part::Traces] {
            let entries = self.list(part)?.into_iter().map(|entry| (part, entry));
            let is_accepted = |entry: &Entry| entry.id.as_ref().is_some_and(|id| accepted.contains(id));
            news.extend(entries.filter(|(part, entry)| *part != Part::Traces || !is_accepted(entry)));
        }
        self.prefetch(&news.iter().map(|(part, entry)| (*part, entry)).collect::<Vec<_>>())
    }

    fn list(&self, part: Part) -> Result<Vec<Entry>, SourceError> {
        let Some(found) = self.part(part) else { return Ok(Vec::new()) };
        match (part, entry_kind(found.kind)) {
            (_, Some(kind)) => Ok(vec![entry(Vec::new(), kind, found.id.clone())]),
            (Part::Config, None) => Ok(vec![Entry { path: Vec::new(), kind: EntryKind::Other, id: None }]),
            (Part::Cases | Part::Traces, None) => self.walk(part, &found.id),
        }
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError> {
        let objects = self.location.open().map_err(|error| self.error("", error))?;
        Ok(Box::new(CommitReader { source: self, objects }))
    }
}

struct CommitReader<'s> {
    source: &'s CommitSource,
    objects: Objects,
}

impl Reader for CommitReader<'_> {
    fn read(
        &mut self,
        part: Part,
        entry: &Entry,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError> {
        let failed = |error| self.source.error(&shown(part, &entry.path), error);
        let Some(id) = entry.id.clone() else {
            return Err(failed(GitError::NotAFile));
        };
        let (_, size) = self.objects.header(&id).map_err(failed)?;
        if size > limit {
            return Ok(Content::TooLarge { id, size });
        }
        self.objects.read(&id, ObjectKind::Blob, buffer).map_err(failed)?;
        Ok(Content::Read(id))
    }
}

impl Parts {
    fn of(entries: Vec<TreeEntry>) -> Self {
        let mut parts = Self::default();
        for entry in entries {
            let slot = match entry.name.as_slice() {
                CONFIG => &mut parts.config,
                CASES => &mut parts.cases,
                TRACES => &mut parts.traces,
                _ => continue,
            };
            *slot = Some(entry);
        }
        parts
    }
}

impl Repository {
    /// The bytes of a file right in a folder of a commit, as it was committed; `None` where there is none.
    ///
    /// # Errors
    /// Something else than a file stands there, or an object cannot be read.
    pub fn file_at(&self, commit: &ObjectId, folder: &[u8], name: &str) -> Result<Option<Vec<u8>>, GitError> {
        let objects = self.objects();
        let root = objects.commit(commit)?.tree;
        let Some(tree) = descend(objects, commit, root, folder)? else { return Ok(None) };
        let entries = objects.tree(&tree)?;
        let Some(entry) = entries.into_iter().find(|entry| entry.name == name.as_bytes()) else {
            return Ok(None);
        };
        if entry.kind != TreeEntryKind::File {
            return Err(GitError::NotAFile);
        }
        self.location().bring([entry.id.clone()], &[])?;
        objects.file(&entry.id).map(Some)
    }
}

/// The tree at a path; `None` where nothing stands there.
pub(super) fn descend(
    objects: &Objects,
    commit: &ObjectId,
    root: ObjectId,
    folder: &[u8],
) -> Result<Option<ObjectId>, GitError> {
    let mut tree = root;
    let mut walked = Vec::new();
    for step in folder.split(|byte| *byte == b'/').filter(|step| !step.is_empty() && step != b".") {
        if step == b".." {
            return Err(GitError::OutsideRepository { path: lossy(folder) });
        }
        walked.push(step);
        let Some(found) = objects.tree(&tree)?.into_iter().find(|entry| entry.name == step) else {
            return Ok(None);
        };
        let found_is = match found.kind {
            TreeEntryKind::Tree => {
                tree = found.id;
                continue;
            }
            TreeEntryKind::File => "a file",
            TreeEntryKind::Link => "a link",
            TreeEntryKind::Submodule => "a submodule",
        };
        let path = lossy(&walked.join(&b'/'));
        return Err(GitError::OnTheWay { commit: commit.clone(), path, found: found_is });
    }
    Ok(Some(tree))
}

/// Everything below a folder, in no order; a failure comes with the path of the folder at fault.
fn below(objects: &Objects, top: &ObjectId) -> Result<Vec<Entry>, (Vec<u8>, GitError)> {
    let mut entries = Vec::new();
    let mut folders = vec![(Vec::new(), top.clone())];
    let mut seen = 0;
    while let Some((path, tree)) = folders.pop() {
        let listed = objects.tree(&tree).map_err(|error| (path.clone(), error))?;
        seen += listed.len();
        if seen > MAX_ENTRIES {
            let fault = ObjectFault::Damaged(format!("it leads to more than {MAX_ENTRIES} entries"));
            return Err((path, GitError::Object { id: top.clone(), fault }));
        }
        for TreeEntry { name, kind, id } in listed {
            let inside = if path.is_empty() { name } else { [&path, &b"/"[..], &name].concat() };
            match entry_kind(kind) {
                None => folders.push((inside, id)),
                Some(kind) => entries.push(entry(inside, kind, id)),
            }
        }
    }
    Ok(entries)
}

/// What an entry that is no folder is listed as.
fn entry_kind(kind: TreeEntryKind) -> Option<EntryKind> {
    match kind {
        TreeEntryKind::Tree => None,
        TreeEntryKind::File => Some(EntryKind::File),
        TreeEntryKind::Link => Some(EntryKind::Link),
        TreeEntryKind::Submodule => Some(EntryKind::Submodule),
    }
}

/// Only the ids of files are those of bytes that can be read.
fn entry(path: Vec<u8>, kind: EntryKind, id: ObjectId) -> Entry {
    Entry { path, kind, id: (kind == EntryKind::File).then_some(id) }
}

fn name(part: Part) -> String {
    lossy(match part {
        Part::Config => CONFIG,
        Part::Cases => CASES,
        Part::Traces => TRACES,
    })
}

fn shown(part: Part, path: &[u8]) -> String {
    if path.is_empty() { name(part) } else { format!("{}/{}", name(part), lossy(path)) }
}

/// The first of the files that are missing, and how many there are.
fn files(wanted: &[(Part, &Entry)], missing: &[ObjectId]) -> String {
    let is_missing = |entry: &Entry| entry.id.as_ref().is_some_and(|id| missing.contains(id));
    let mut found = wanted.iter().filter(|(_, entry)| is_missing(entry));
    let Some((part, first)) = found.next() else { return "the suite".to_owned() };
    let first = shown(*part, &first.path);
    match found.count() {
        0 => first,
        others => format!("{first} and {others} more"),
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
