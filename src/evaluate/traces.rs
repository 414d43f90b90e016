//! What stands where a case's trace should stand.

use crate::ids::ObjectId;
use crate::suite::Case;
use crate::suite::source::{Entry, EntryKind, Part, Source, SourceError};
use crate::suite::trace::Fault;

/// What stands where a trace should stand: the blob id of a regular file, or why there is none to judge
/// ([`Fault::Missing`] or [`Fault::NotAFile`]).
pub type Found = Result<ObjectId, Fault>;

/// The same; the id is `None` where only reading the file tells it.
pub type Spot = Result<Option<ObjectId>, Fault>;

/// A case, and what stands where its trace should stand.
#[derive(Clone, Debug)]
pub struct Placed<'c> {
    /// The case.
    pub case: &'c Case,
    /// What stands at the path of its trace.
    pub spot: Spot,
}

/// Everything below the traces folder, listed once; no trace is read for it. In a large suite it is large: it
/// places the cases, and goes.
#[derive(Clone, Debug)]
pub struct TraceIndex {
    /// In the order of the bytes of the paths.
    entries: Vec<Entry>,
}

impl TraceIndex {
    /// Lists the traces folder.
    ///
    /// # Errors
    /// The surroundings failed.
    pub fn list(source: &dyn Source) -> Result<Self, SourceError> {
        Ok(Self::new(source.list(Part::Traces)?))
    }

    /// Takes a list that the caller has already.
    pub fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|left, right| left.path.cmp(&right.path));
        Self { entries }
    }

    /// The cases in their order, each with what stands where its trace should stand.
    pub fn place<'c>(&self, cases: &'c [Case]) -> Vec<Placed<'c>> {
        let spot = |case: &Case| self.find(&case.trace_fixture).map(|entry| entry.id.clone());
        cases.iter().map(|case| Placed { case, spot: spot(case) }).collect()
    }

    /// The regular file at a `/`-separated path below the traces folder. Its `id` is that of the
    /// trace, where the source knows it without reading.
    ///
    /// # Errors
    /// [`Fault::Missing`] or [`Fault::NotAFile`], and no other.
    pub fn find(&self, path: &str) -> Result<&Entry, Fault> {
        let path = path.as_bytes();
        if let Some(entry) = self.get(path) {
            return if entry.kind == EntryKind::File { Ok(entry) } else { Err(Fault::NotAFile) };
        }
        let is_blocked =
            |end: usize| self.get(&path[..end]).is_some_and(|entry| entry.kind != EntryKind::File);
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        // The end 0 stands for the traces folder itself.
        let on_the_way = std::iter::once(0).chain(slashes).any(is_blocked);
        if on_the_way || self.is_folder(path) { Err(Fault::NotAFile) } else { Err(Fault::Missing) }
    }

    fn get(&self, path: &[u8]) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.path.as_slice().cmp(path)).ok()?;
        self.entries.get(at)
    }

    fn is_folder(&self, path: &[u8]) -> bool {
        let below = [path, b"/"].concat();
        let first = self.entries.partition_point(|entry| entry.path < below);
        self.entries.get(first).is_some_and(|entry| entry.path.starts_with(&below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(entries: &[(&str, EntryKind)]) -> TraceIndex {
        let entry = |(path, kind): &(&str, EntryKind)| Entry {
            path: path.as_bytes().to_vec(),
            kind: *kind,
            id: None,
        };
        TraceIndex::new(entries.iter().map(entry).collect())
    }

    fn fault(index: &TraceIndex, path: &str) -> Option<&'static str> {
        index.find(path).err().map(Fault::as_str)
    }

    #[test]
    fn regular_files_are_found_and_all_else_says_why_not() {
        use EntryKind::{File, Link, Other, Submodule};
        let index = index(&[
            ("a.json", File),
            ("d-x", File),
            ("d/e/f.json", File),
            ("l.json", Link),
            ("l/inner", File),
            ("link", Link),
            ("o", Other),
            ("s", Submodule),
        ]);
        for path in ["a.json", "d/e/f.json", "d-x"] {
            assert_eq!(index.find(path).unwrap().path, path.as_bytes());
        }
        for path in
            ["l.json", "link", "link/x.json", "link/x/y.json", "s", "s/x.json", "o", "o/x", "d", "d/e", "l"]
        {
            assert_eq!(fault(&index, path), Some("not-a-file"), "{path}");
        }
        for path in ["b.json", "a", "a.jso", "a.json/x", "d/e/g.json", "d/f", "e", "A.json", "zz"] {
            assert_eq!(fault(&index, path), Some("missing"), "{path}");
        }
    }

    #[test]
    fn a_traces_folder_that_is_a_link_or_is_not_there_holds_no_trace() {
        assert_eq!(fault(&index(&[("", EntryKind::Link)]), "a.json"), Some("not-a-file"));
        assert_eq!(fault(&index(&[("", EntryKind::Submodule)]), "d/a.json"), Some("not-a-file"));
        assert_eq!(fault(&index(&[("", EntryKind::File)]), "a.json"), Some("missing"));
        assert_eq!(fault(&index(&[]), "a.json"), Some("missing"));
    }
}
