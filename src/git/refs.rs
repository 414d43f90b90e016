//! Refs by their full names: what stands and cannot be read is an error, never left out.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use git2::ErrorCode;

use crate::git::error::GitError;
use crate::git::objects::object_id;
use crate::git::repository::Repository;
use crate::ids::ObjectId;

impl Repository {
    /// The value of a ref, by its full name; `None` where there is no such ref.
    ///
    /// # Errors
    /// The ref stands, but cannot be read.
    pub(super) fn reference_value(&self, reference: &str) -> Result<Option<ObjectId>, GitError> {
        let found = self.objects().library().find_reference(reference).and_then(|found| found.resolve());
        match found {
            Ok(found) => Ok(found.target().map(object_id)),
            Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::InvalidSpec) => Ok(None),
            Err(source) => Err(GitError::Library { what: format!("the ref `{reference}`"), source }),
        }
    }

    /// The value of a ref that must name its commit directly; `None` where there is no such ref.
    ///
    /// # Errors
    /// The ref stands, but is symbolic or cannot be read.
    pub(super) fn direct_value(&self, reference: &str) -> Result<Option<ObjectId>, GitError> {
        let found = match self.objects().library().find_reference(reference) {
            Ok(found) => found,
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
            Err(source) => return Err(GitError::Library { what: format!("the ref `{reference}`"), source }),
        };
        match found.target() {
            Some(id) => Ok(Some(object_id(id))),
            None => Err(GitError::Reference {
                reference: reference.to_owned(),
                why: "is a symbolic one, which a baseline never is".to_owned(),
            }),
        }
    }

    /// The full names and values of all refs below a prefix, in the order of their names.
    ///
    /// # Errors
    /// One of them cannot be read: it is never left out.
    pub(super) fn references_under(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, GitError> {
        let mut refs = Vec::new();
        for name in self.reference_names_under(prefix)? {
            // One that was deleted since it was listed is no longer there.
            if let Some(id) = self.direct_value(&name)? {
                refs.push((name, id));
            }
        }
        Ok(refs)
    }

    /// The full names of all refs below a prefix, in their order, whatever they hold: symbolic ones too.
    ///
    /// # Errors
    /// The refs cannot be listed.
    pub fn reference_names_under(&self, prefix: &str) -> Result<Vec<String>, GitError> {
        let failed = |source| GitError::Library { what: format!("the refs below `{prefix}`"), source };
        // libgit2 leaves a ref out in silence whose file it cannot read: files are listed beside it.
        let mut names = BTreeSet::new();
        loose_below(&self.common_dir().join(prefix), prefix, &mut names)?;
        let mut all = self.objects().library().references_glob(&format!("{prefix}/*")).map_err(failed)?;
        for name in all.names() {
            names.insert(name.map_err(failed)?.to_owned());
        }
        Ok(names.into_iter().filter(|name| git2::Reference::is_valid_name(name)).collect())
    }
}

/// The names of all files below a folder of refs; git's own locks are none of them.
fn loose_below(folder: &Path, name: &str, names: &mut BTreeSet<String>) -> Result<(), GitError> {
    let failed = |source| GitError::Folder { path: folder.to_owned(), source };
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    for entry in listed {
        let entry = entry.map_err(failed)?;
        // A name that is not UTF-8 is none that this program gives.
        let Ok(last) = entry.file_name().into_string() else { continue };
        let below = format!("{name}/{last}");
        if entry.file_type().map_err(failed)?.is_dir() {
            loose_below(&entry.path(), &below, names)?;
        } else if !last.ends_with(".lock") {
            names.insert(below);
        }
    }
    Ok(())
}
