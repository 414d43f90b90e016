//! A suite file by file, for who knows which of its files changed since it was read whole: the rules
//! are those of `load`, and what they object to is told there alone.

use super::Case;
use super::case::{self, CaseFile};
use super::load::entry_fault;
use super::source::Entry;
use super::text::folded;
use crate::ids::CaseId;

/// What a thing below `cases/` is to a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEntry {
    /// A file of cases.
    Cases,
    /// Nothing.
    Ignored,
    /// A fault of the suite.
    Fault,
}

/// Looks at a thing below `cases/`.
pub fn case_entry(entry: &Entry) -> CaseEntry {
    match entry_fault(entry) {
        Some(_) => CaseEntry::Fault,
        None if entry.path.ends_with(b".json") => CaseEntry::Cases,
        None => CaseEntry::Ignored,
    }
}

/// Reads a case file by its path below `cases/`; `None` where anything is wrong with it.
pub fn case_file(path: &[u8], bytes: &[u8]) -> Option<Vec<Case>> {
    let file = format!("cases/{}", String::from_utf8_lossy(path));
    let CaseFile { cases, problems, .. } = case::read(&file, bytes);
    problems.is_empty().then_some(cases)
}

/// Two ids of one suite must differ in this form.
pub fn id_form(id: &CaseId) -> String {
    folded(id.as_str()).trim().to_owned()
}
