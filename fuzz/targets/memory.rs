//! A suite of one case file and one trace, in memory.

use diag_gate::ids::{HashKind, ObjectId};
use diag_gate::suite::source::{Content, Entry, EntryKind, Part, Reader, Source, SourceError};

/// The files; what is `None` is not there.
#[derive(Default)]
pub(crate) struct Memory<'a> {
    /// `diag-gate.toml`.
    pub(crate) settings: Option<&'a [u8]>,
    /// `cases/all.json`.
    pub(crate) cases: Option<&'a [u8]>,
    /// `fixtures/t.json`.
    pub(crate) trace: Option<&'a [u8]>,
}

impl<'a> Memory<'a> {
    fn file(&self, part: Part) -> (&'static str, Option<&'a [u8]>) {
        match part {
            Part::Config => ("", self.settings),
            Part::Cases => ("all.json", self.cases),
            Part::Traces => ("t.json", self.trace),
        }
    }
}

impl Source for Memory<'_> {
    fn hash_kind(&self) -> HashKind {
        HashKind::Sha1
    }

    fn list(&self, part: Part) -> Result<Vec<Entry>, SourceError> {
        let (path, bytes) = self.file(part);
        let entry = |bytes: &[u8]| Entry {
            path: path.into(),
            kind: EntryKind::File,
            id: Some(ObjectId::of_blob(HashKind::Sha1, bytes)),
        };
        Ok(bytes.map(entry).into_iter().collect())
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError> {
        Ok(Box::new(MemoryReader(self)))
    }
}

struct MemoryReader<'m>(&'m Memory<'m>);

impl Reader for MemoryReader<'_> {
    fn read(
        &mut self,
        part: Part,
        _: &Entry,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError> {
        let bytes = self.0.file(part).1.unwrap_or_default();
        let id = ObjectId::of_blob(HashKind::Sha1, bytes);
        let size = bytes.len() as u64;
        buffer.clear();
        if size > limit {
            return Ok(Content::TooLarge { id, size });
        }
        buffer.extend_from_slice(bytes);
        Ok(Content::Read(id))
    }
}
