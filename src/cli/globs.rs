//! Globs over case ids: `*` and `?` stand for any characters, `/` among them.

use std::collections::HashSet;

use globset::{GlobBuilder, GlobMatcher};

use crate::error::Error;
use crate::ids::CaseId;

/// The ids that at least one glob matches; all of them where there is no glob.
///
/// # Errors
/// A glob cannot be read, or matches nothing: a slip must not select nothing in silence.
pub(super) fn matching<'a>(
    globs: &[String],
    ids: impl Iterator<Item = &'a CaseId>,
) -> Result<HashSet<CaseId>, Error> {
    let ids: Vec<&CaseId> = ids.collect();
    if globs.is_empty() {
        return Ok(ids.into_iter().cloned().collect());
    }
    let mut chosen = HashSet::new();
    for text in globs {
        let glob = glob(text)?;
        let matched: Vec<&CaseId> = ids.iter().copied().filter(|id| glob.is_match(id.as_str())).collect();
        if matched.is_empty() {
            return Err(Error::input(format!("`--case {text}` matches no case of the suite"))
                .hint("the ids stand in the case files; `diag-gate run --verbose` lists them"));
        }
        chosen.extend(matched.into_iter().cloned());
    }
    Ok(chosen)
}

/// Reads a glob.
///
/// # Errors
/// It is none.
pub(super) fn glob(text: &str) -> Result<GlobMatcher, Error> {
    let glob = GlobBuilder::new(text).literal_separator(false).build();
    let glob = glob.map_err(|error| Error::input(format!("`{text}` is no glob")).because(&error))?;
    Ok(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_that_matches_nothing_is_an_error() {
        let ids = ["order/timeout", "order/stock", "redis"].map(CaseId::new);
        let chosen = matching(&["order*".to_owned()], ids.iter()).unwrap();
        assert_eq!(chosen.len(), 2);
        assert!(matching(&["orders*".to_owned()], ids.iter()).is_err());
        assert!(matching(&["[".to_owned()], ids.iter()).is_err());
        assert_eq!(matching(&[], ids.iter()).unwrap().len(), 3);
    }
}
