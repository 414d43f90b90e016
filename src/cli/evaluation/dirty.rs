//! Whether what is evaluated is something else than what the commit holds.

use crate::evaluate::{CaseResult, Found, TraceIndex};
use crate::suite::Suite;
use crate::suite::source::{Part, Source, SourceError};
use crate::suite::trace::Fault;

/// What stood where the trace of an evaluated case should stand.
pub(super) fn found(result: &CaseResult) -> Found {
    match (&result.trace_id, result.unjudged()) {
        (Some(id), _) => Ok(id.clone()),
        (None, Some(reason)) if reason == Fault::Missing.as_str() => Err(Fault::Missing),
        (None, _) => Err(Fault::NotAFile),
    }
}

/// Whether the files of a suite, or what was found in place of its traces, are others than those that the
/// commit holds.
///
/// # Errors
/// The commit cannot be read.
pub(super) fn differs(suite: &Suite, found: &[Found], committed: &dyn Source) -> Result<bool, SourceError> {
    let mut files = Vec::new();
    for part in [Part::Config, Part::Cases] {
        let entries = committed.list(part)?;
        let read = entries.into_iter().filter(|entry| part == Part::Config || entry.path.ends_with(b".json"));
        files.extend(read.map(|entry| (part, entry.path, entry.id)));
    }
    let same_files = files.len() == suite.files.len()
        && files.iter().zip(&suite.files).all(|((part, path, id), (read_part, read_path, read_id))| {
            part == read_part && path == read_path && id.as_ref() == Some(read_id)
        });
    if !same_files {
        return Ok(true);
    }
    let traces = TraceIndex::list(committed)?;
    Ok(suite.cases.iter().zip(found).any(|(case, found)| match (traces.find(&case.trace_fixture), found) {
        (Ok(entry), Ok(id)) => entry.id.as_ref() != Some(id),
        (Err(fault), Err(found)) => fault != *found,
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => true,
    }))
}
