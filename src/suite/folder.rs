//! EDGE: a suite in a folder on disk. No link is followed, and nothing of git's own is read.
//!
//! A folder that is a repository of its own counts as a submodule, so that a checkout and the
//! commit it came from are listed alike. Spec: evaluation.md section 1.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::source::{Content, Entry, EntryKind, Part, Reader, Source, SourceError};
use crate::ids::{BlobHasher, HashKind, ObjectId};

/// A suite folder on disk.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
    hash: HashKind,
}

impl Folder {
    /// A suite in this folder; `hash` is that of the repository around it, SHA-1 outside any.
    pub const fn new(root: PathBuf, hash: HashKind) -> Self {
        Self { root, hash }
    }

    /// A suite below the root of a working tree. `None`: there is no such folder, or a link or a file
    /// stands on the way to it.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub fn below(root: &Path, relative: &Path, hash: HashKind) -> Result<Option<Self>, SourceError> {
        let mut path = root.to_owned();
        if !path.is_dir() {
            return Ok(None);
        }
        for part in relative.components() {
            path.push(part);
            match kind(&path)? {
                Some(Found::Folder | Found::Repository) => {}
                Some(Found::Thing(_)) | None => return Ok(None),
            }
        }
        Ok(Some(Self::new(path, hash)))
    }

    fn path(&self, part: Part) -> PathBuf {
        self.root.join(match part {
            Part::Config => "diag-gate.toml",
            Part::Cases => "cases",
            Part::Traces => "fixtures",
        })
    }
}

impl Source for Folder {
    fn hash_kind(&self) -> HashKind {
        self.hash
    }

    fn list(&self, part: Part) -> Result<Vec<Entry>, SourceError> {
        let path = self.path(part);
        match kind(&path)? {
            None => Ok(Vec::new()),
            Some(Found::Folder) if part != Part::Config => list_below(&path),
            Some(Found::Folder) => Ok(vec![entry(Vec::new(), EntryKind::Other)]),
            Some(Found::Repository) => Ok(vec![entry(Vec::new(), EntryKind::Submodule)]),
            Some(Found::Thing(kind)) => Ok(vec![entry(Vec::new(), kind)]),
        }
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError> {
        Ok(Box::new(FolderReader(self)))
    }
}

struct FolderReader<'a>(&'a Folder);

impl Reader for FolderReader<'_> {
    fn read(
        &mut self,
        part: Part,
        entry: &Entry,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError> {
        read_file(&below(&self.0.path(part), &entry.path), self.0.hash, limit, buffer)
    }
}

/// A suite whose traces are fresh recordings out of a folder of their own (`run --traces DIR`).
pub struct FreshTraces<'a> {
    suite: &'a dyn Source,
    traces: PathBuf,
}

impl<'a> FreshTraces<'a> {
    /// The cases and settings of `suite`, with the traces of this folder in place of its own. The
    /// folder itself may be a link or a repository: it was named by a person.
    pub fn new(suite: &'a dyn Source, traces: PathBuf) -> Self {
        Self { suite, traces }
    }
}

impl Source for FreshTraces<'_> {
    fn hash_kind(&self) -> HashKind {
        self.suite.hash_kind()
    }

    fn list(&self, part: Part) -> Result<Vec<Entry>, SourceError> {
        match part {
            Part::Config | Part::Cases => self.suite.list(part),
            Part::Traces => list_below(&self.traces),
        }
    }

    fn prefetch(&self, wanted: &[(Part, &Entry)]) -> Result<(), SourceError> {
        let of_suite = wanted.iter().filter(|(part, _)| *part != Part::Traces);
        self.suite.prefetch(&of_suite.copied().collect::<Vec<_>>())
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError> {
        Ok(Box::new(FreshReader { fresh: self, suite: self.suite.reader()? }))
    }
}

struct FreshReader<'a> {
    fresh: &'a FreshTraces<'a>,
    suite: Box<dyn Reader + 'a>,
}

impl Reader for FreshReader<'_> {
    fn read(
        &mut self,
        part: Part,
        entry: &Entry,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError> {
        match part {
            Part::Config | Part::Cases => self.suite.read(part, entry, limit, buffer),
            Part::Traces => {
                read_file(&below(&self.fresh.traces, &entry.path), self.fresh.hash_kind(), limit, buffer)
            }
        }
    }
}

/// A suite with other settings than its own (`--config FILE`).
pub struct ChosenConfig<'a> {
    suite: &'a dyn Source,
    bytes: Vec<u8>,
}

impl<'a> ChosenConfig<'a> {
    /// The cases and traces of `suite`, with these settings in place of its own.
    pub fn new(suite: &'a dyn Source, bytes: Vec<u8>) -> Self {
        Self { suite, bytes }
    }
}

impl Source for ChosenConfig<'_> {
    fn hash_kind(&self) -> HashKind {
        self.suite.hash_kind()
    }

    fn list(&self, part: Part) -> Result<Vec<Entry>, SourceError> {
        match part {
            Part::Config => Ok(vec![entry(Vec::new(), EntryKind::File)]),
            Part::Cases | Part::Traces => self.suite.list(part),
        }
    }

    fn prefetch(&self, wanted: &[(Part, &Entry)]) -> Result<(), SourceError> {
        let of_suite = wanted.iter().filter(|(part, _)| *part != Part::Config);
        self.suite.prefetch(&of_suite.copied().collect::<Vec<_>>())
    }

    fn prefetch_all(&self) -> Result<(), SourceError> {
        self.suite.prefetch_all()
    }

    fn prefetch_news(&self) -> Result<(), SourceError> {
        self.suite.prefetch_news()
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError> {
        Ok(Box::new(ChosenReader { chosen: self, suite: self.suite.reader()? }))
    }
}

struct ChosenReader<'a> {
    chosen: &'a ChosenConfig<'a>,
    suite: Box<dyn Reader + 'a>,
}

impl Reader for ChosenReader<'_> {
    fn read(
        &mut self,
        part: Part,
        entry: &Entry,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError> {
        match part {
            Part::Config => {
                buffer.clear();
                buffer.extend_from_slice(&self.chosen.bytes);
                Ok(Content::Read(ObjectId::of_blob(self.chosen.hash_kind(), buffer)))
            }
            Part::Cases | Part::Traces => self.suite.read(part, entry, limit, buffer),
        }
    }
}

/// What stands at a path on disk.
enum Found {
    Folder,
    Repository,
    Thing(EntryKind),
}

fn kind(path: &Path) -> Result<Option<Found>, SourceError> {
    let data = match fs::symlink_metadata(path) {
        Ok(data) => data,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(path, error)),
    };
    Ok(Some(if data.is_dir() {
        match fs::symlink_metadata(path.join(".git")) {
            Ok(_) => Found::Repository,
            Err(_) => Found::Folder,
        }
    } else if data.is_symlink() {
        Found::Thing(EntryKind::Link)
    } else if data.is_file() {
        Found::Thing(EntryKind::File)
    } else {
        Found::Thing(EntryKind::Other)
    }))
}

/// Everything below a folder, by the bytes of the paths.
fn list_below(root: &Path) -> Result<Vec<Entry>, SourceError> {
    let mut entries = Vec::new();
    let mut folders = vec![Vec::new()];
    while let Some(folder) = folders.pop() {
        let path = below(root, &folder);
        for found in fs::read_dir(&path).map_err(|error| failed(&path, error))? {
            let name = found.map_err(|error| failed(&path, error))?.file_name();
            if name == ".git" {
                continue;
            }
            let inside = joined(&folder, name.as_encoded_bytes());
            match kind(&path.join(&name))? {
                None => {}
                Some(Found::Folder) => folders.push(inside),
                Some(Found::Repository) => entries.push(entry(inside, EntryKind::Submodule)),
                Some(Found::Thing(kind)) => entries.push(entry(inside, kind)),
            }
        }
    }
    entries.sort_unstable_by(|left, right| left.path.cmp(&right.path));
    Ok(entries)
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() }
}

fn entry(path: Vec<u8>, kind: EntryKind) -> Entry {
    Entry { path, kind, id: None }
}

/// The path on disk of an entry; the part itself where the path is empty.
fn below(root: &Path, path: &[u8]) -> PathBuf {
    if path.is_empty() { root.to_owned() } else { root.join(native(path)) }
}

#[cfg(unix)]
fn native(path: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(path))
}

#[cfg(not(unix))]
fn native(path: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(path).into_owned())
}

#[expect(clippy::disallowed_methods, reason = "this is the edge at which suites are read from disk")]
fn read_file(path: &Path, hash: HashKind, limit: u64, buffer: &mut Vec<u8>) -> Result<Content, SourceError> {
    buffer.clear();
    let wrong = |error: io::Error| failed(path, error);
    // Opening a pipe that took the place of the file would wait for ever.
    if !fs::symlink_metadata(path).map_err(wrong)?.is_file() {
        return Err(wrong(io::Error::other("no regular file any more")));
    }
    let mut file = fs::File::open(path).map_err(wrong)?;
    let size = file.metadata().map_err(wrong)?.len();
    if size > limit {
        let id = hash_all(&mut file, hash, size).map_err(wrong)?;
        return Ok(Content::TooLarge { id, size });
    }
    (&mut file).take(limit.saturating_add(1)).read_to_end(buffer).map_err(wrong)?;
    if buffer.len() as u64 > limit {
        buffer.clear();
        return Err(wrong(io::Error::other("the file grew while it was read")));
    }
    Ok(Content::Read(ObjectId::of_blob(hash, buffer)))
}

/// The blob id of a file that is never held whole.
fn hash_all(file: &mut fs::File, hash: HashKind, size: u64) -> io::Result<ObjectId> {
    let mut hasher = BlobHasher::new(hash, size);
    let mut piece = vec![0; 64 * 1024];
    let mut total = 0_u64;
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 {
            break;
        }
        hasher.update(&piece[..length]);
        total += length as u64;
    }
    if total == size {
        Ok(hasher.finish())
    } else {
        Err(io::Error::other("the file changed while it was read"))
    }
}

fn failed(path: &Path, error: io::Error) -> SourceError {
    SourceError { what: path.to_string_lossy().into_owned(), source: Box::new(error) }
}

#[cfg(test)]
mod tests;
