//! Reads a suite whole, or says all that is wrong with it.
//!
//! Spec: evaluation.md section 1.

use std::collections::{BTreeMap, HashMap, hash_map};
use std::sync::Arc;

use super::case::{self, CaseFile};
use super::config::{self, Config};
use super::source::{Content, Entry, EntryKind, Part, Reader, Source, SourceError};
use super::text::folded;
use super::{Case, Expectations, LoadError, Place, Problem, Suite};
use crate::ids::{CaseId, Digest, ObjectId};
use crate::text::Pool;

const CONFIG_FILE: &str = "diag-gate.toml";
/// The most bytes of settings or of one case file: a larger one is a fault, told before it is held.
const MOST_BYTES: u64 = 256 << 20;

/// Reads settings and cases of a suite; no trace is touched.
///
/// # Errors
/// All problems of the suite together, by file and line; or the surroundings failed.
pub fn load(source: &dyn Source) -> Result<Suite, LoadError> {
    let (settings, cases) = (source.list(Part::Config)?, source.list(Part::Cases)?);
    prefetch(source, &settings, &cases)?;
    let mut loader = Loader { reader: source.reader()?, problems: Vec::new(), files: Vec::new() };
    let (config, config_file) = loader.config(&settings)?;
    let mut found = loader.cases(cases, config_file.is_some())?;
    let Loader { mut problems, files, .. } = loader;
    problems.extend(colliding_ids(&found.ids));
    if problems.is_empty() {
        found.cases.shrink_to_fit();
        return Ok(Suite { config, config_file, cases: found.cases, files });
    }
    problems.sort_by(by_place);
    Err(LoadError::Problems(problems))
}

/// Reads the settings of a suite and nothing else.
///
/// # Errors
/// All problems of the settings together; or the surroundings failed.
pub fn load_config(source: &dyn Source) -> Result<Config, LoadError> {
    let settings = source.list(Part::Config)?;
    prefetch(source, &settings, &[])?;
    let mut loader = Loader { reader: source.reader()?, problems: Vec::new(), files: Vec::new() };
    let (config, _) = loader.config(&settings)?;
    if loader.problems.is_empty() { Ok(config) } else { Err(LoadError::Problems(loader.problems)) }
}

/// Asks for the files that are about to be read.
fn prefetch(source: &dyn Source, settings: &[Entry], cases: &[Entry]) -> Result<(), SourceError> {
    let settings = settings.iter().map(|entry| (Part::Config, entry));
    let cases = cases.iter().filter(|entry| entry.path.ends_with(b".json"));
    let wanted: Vec<_> = settings.chain(cases.map(|entry| (Part::Cases, entry))).collect();
    source.prefetch(&wanted)
}

/// By file and line; otherwise as they were found.
pub(super) fn by_place(left: &Problem, right: &Problem) -> std::cmp::Ordering {
    (&left.file, left.line).cmp(&(&right.file, right.line))
}

struct Loader<'a> {
    reader: Box<dyn Reader + 'a>,
    problems: Vec<Problem>,
    files: Vec<(Part, Vec<u8>, ObjectId)>,
}

/// The cases of all files, and the ids that could be read.
#[derive(Default)]
struct Found {
    cases: Vec<Case>,
    ids: Vec<(CaseId, Place)>,
}

impl Loader<'_> {
    fn config(&mut self, entries: &[Entry]) -> Result<(Config, Option<Vec<u8>>), SourceError> {
        let Some(entry) = entries.first() else {
            return Ok((Config::default(), None));
        };
        if entry.kind != EntryKind::File {
            self.problem(CONFIG_FILE, format!("must be a regular file, but is {}", words(entry.kind)));
            return Ok((Config::default(), None));
        }
        let Some(bytes) = self.read(Part::Config, entry, CONFIG_FILE)? else {
            return Ok((Config::default(), None));
        };
        let config = config::parse(&bytes, CONFIG_FILE).unwrap_or_else(|problems| {
            self.problems.extend(problems);
            Config::default()
        });
        Ok((config, Some(bytes)))
    }

    fn cases(&mut self, mut entries: Vec<Entry>, has_config: bool) -> Result<Found, SourceError> {
        entries.sort_by(|left, right| left.path.cmp(&right.path));
        let before = self.problems.len();
        let mut found = Found::default();
        let mut files = 0_usize;
        let mut held = Held::default();
        for entry in &entries {
            let file = shown(&entry.path);
            if let Some(fault) = entry_fault(entry) {
                self.problem(&file, fault);
            } else if entry.path.ends_with(b".json") {
                files += 1;
                let Some(bytes) = self.read(Part::Cases, entry, &file)? else { continue };
                let CaseFile { cases, ids, problems } = case::read(&file, &bytes);
                found.cases.extend(cases.into_iter().map(|case| held.shared(case)));
                found.ids.extend(ids);
                self.problems.extend(problems);
            }
        }
        if found.ids.is_empty() && self.problems.len() == before {
            self.problem("cases", no_case(files, &entries, has_config));
        }
        Ok(found)
    }

    /// The bytes of a file; `None` where it is larger than any that is read, which is a fault then.
    fn read(&mut self, part: Part, entry: &Entry, file: &str) -> Result<Option<Vec<u8>>, SourceError> {
        let mut bytes = Vec::new();
        match self.reader.read(part, entry, MOST_BYTES, &mut bytes)? {
            Content::Read(id) => {
                self.files.push((part, entry.path.clone(), id));
                Ok(Some(bytes))
            }
            Content::TooLarge { size, .. } => {
                self.problem(file, format!("has {size} bytes, at most {MOST_BYTES} are read: divide it"));
                Ok(None)
            }
        }
    }

    fn problem(&mut self, file: &str, message: String) {
        let file = file.to_owned();
        self.problems.push(Problem { file, line: None, column: None, case: None, field: None, message });
    }
}

/// What cases hold that were read before: a large suite asks much the same again and again.
#[derive(Default)]
struct Held {
    definitions: HashMap<Digest, Arc<Expectations>>,
    texts: Pool,
}

impl Held {
    /// The case, holding what an earlier one holds where both ask the same.
    fn shared(&mut self, case: Case) -> Case {
        let texts = &mut self.texts;
        let (digest, expectations) = match self.definitions.entry(case.digest.clone()) {
            hash_map::Entry::Occupied(known) => (known.key().clone(), Arc::clone(known.get())),
            hash_map::Entry::Vacant(place) => {
                let asked = Arc::unwrap_or_clone(case.expectations).pooled(texts);
                (case.digest, Arc::clone(place.insert(asked.into())))
            }
        };
        Case { digest, expectations, ..case }
    }
}

/// Why an entry below `cases/` can be neither read nor left out.
pub(super) fn entry_fault(entry: &Entry) -> Option<String> {
    let named_json = entry.path.ends_with(b".json");
    match entry.kind {
        EntryKind::File if entry.path.is_empty() => Some("must be a folder, but is a file".to_owned()),
        EntryKind::File => None,
        EntryKind::Link => {
            Some("is a symbolic link, which is never followed: put the files themselves here".to_owned())
        }
        EntryKind::Submodule => {
            Some("is a repository of its own, which is never entered: its cases would be lost".to_owned())
        }
        EntryKind::Other if named_json || entry.path.is_empty() => {
            Some("is neither a regular file nor a folder".to_owned())
        }
        EntryKind::Other => None,
    }
}

fn words(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::File => "a file",
        EntryKind::Link => "a symbolic link, which is never followed",
        EntryKind::Submodule => "a repository of its own",
        EntryKind::Other => "something else",
    }
}

/// The path below the suite folder.
pub(super) fn shown(path: &[u8]) -> String {
    if path.is_empty() { "cases".to_owned() } else { format!("cases/{}", String::from_utf8_lossy(path)) }
}

fn no_case(files: usize, entries: &[Entry], has_config: bool) -> String {
    let why = match (files, entries.is_empty(), has_config) {
        (0, true, false) => "the suite folder is absent, or holds no `cases` folder with files",
        (0, true, true) => "the `cases` folder is absent or empty",
        (0, false, _) => "no file below `cases` ends in `.json`",
        (_, _, _) => "the case files hold none",
    };
    format!("no case at all: {why}; an empty suite never counts as passed")
}

/// Ids that stand twice, or that name the same file on a disk which ignores letter case.
fn colliding_ids(ids: &[(CaseId, Place)]) -> Vec<Problem> {
    let mut first: BTreeMap<String, &(CaseId, Place)> = BTreeMap::new();
    let mut problems = Vec::new();
    for id in ids {
        let form = folded(id.0.as_str()).trim().to_owned();
        match first.get(&form) {
            None => {
                first.insert(form, id);
            }
            Some(earlier) => problems.push(collision(earlier, id)),
        }
    }
    problems
}

fn collision((first, at): &(CaseId, Place), (second, place): &(CaseId, Place)) -> Problem {
    let (first, second) = (first.as_str(), second.as_str());
    let message = if first == second {
        format!(
            "the id `{second}` stands twice, first in {} on line {}: rename one of them",
            at.file, at.line
        )
    } else {
        format!(
            "the id `{second}` is too like `{first}` in {} on line {}: files named after them collide on common disks; rename one of them",
            at.file, at.line
        )
    };
    Problem {
        file: place.file.to_string(),
        line: Some(place.line),
        column: None,
        case: Some(second.to_owned()),
        field: Some("id".to_owned()),
        message,
    }
}

#[cfg(test)]
mod tests;
