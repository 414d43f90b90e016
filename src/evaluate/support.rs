//! Cases and sources for the tests of this module.

use serde_json::Value;

use crate::ids::{CaseId, HashKind, ObjectId};
use crate::suite::source::{Content, Entry, EntryKind, Part, Reader, Source, SourceError};
use crate::suite::{Case, Expectations, Place};

/// A case that asks what is written as JSON, with its effective minimum filled in.
pub(crate) fn case(id: &str, trace_fixture: &str, asked: &Value) -> Case {
    let mut expectations: Expectations = serde_json::from_value(asked.clone()).unwrap();
    let keywords = expectations.expected_root_cause_keywords.len() as u64;
    let minimum = expectations.min_keyword_matches.unwrap_or(keywords);
    expectations.min_keyword_matches = (keywords > 0).then_some(minimum);
    Case {
        id: CaseId::new(id),
        title: format!("T {id}").into(),
        question: None,
        trace_fixture: trace_fixture.to_owned(),
        digest: expectations.digest(),
        expectations: expectations.into(),
        place: Place { file: "cases/c.json".into(), line: 1 },
    }
}

/// The blob id of bytes outside a repository.
pub(crate) fn id_of(bytes: &[u8]) -> ObjectId {
    ObjectId::of_blob(HashKind::Sha1, bytes)
}

/// Traces in memory.
pub(crate) struct MemorySource {
    files: Vec<(String, EntryKind, Vec<u8>)>,
    /// Paths that cannot be read.
    pub(crate) broken: Vec<String>,
    /// Whether no reader can be had.
    pub(crate) no_readers: bool,
}

impl MemorySource {
    pub(crate) fn new(files: Vec<(impl Into<String>, EntryKind, Vec<u8>)>) -> Self {
        let files = files.into_iter().map(|(path, kind, bytes)| (path.into(), kind, bytes)).collect();
        Self { files, broken: Vec::new(), no_readers: false }
    }
}

fn failure(what: &str) -> SourceError {
    SourceError { what: what.to_owned(), source: "out of order".into() }
}

impl Source for MemorySource {
    fn hash_kind(&self) -> HashKind {
        HashKind::Sha1
    }

    fn list(&self, part: Part) -> Result<Vec<Entry>, SourceError> {
        assert_eq!(part, Part::Traces);
        let entry = |(path, kind, _): &(String, EntryKind, Vec<u8>)| Entry {
            path: path.clone().into_bytes(),
            kind: *kind,
            id: None,
        };
        Ok(self.files.iter().map(entry).collect())
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError> {
        if self.no_readers { Err(failure("reader")) } else { Ok(Box::new(MemoryReader(self))) }
    }
}

struct MemoryReader<'a>(&'a MemorySource);

impl Reader for MemoryReader<'_> {
    fn read(
        &mut self,
        part: Part,
        entry: &Entry,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError> {
        assert_eq!((part, entry.kind), (Part::Traces, EntryKind::File));
        let (path, _, bytes) = self.0.files.iter().find(|(path, ..)| path.as_bytes() == entry.path).unwrap();
        if self.0.broken.contains(path) {
            return Err(failure(path));
        }
        buffer.clear();
        let id = id_of(bytes);
        if bytes.len() as u64 > limit {
            return Ok(Content::TooLarge { id, size: bytes.len() as u64 });
        }
        buffer.extend_from_slice(bytes);
        Ok(Content::Read(id))
    }
}
