//! Whether a working tree still is what was committed.

use std::path::Path;

use git2::{StatusOptions, StatusShow};

use crate::git::error::GitError;
use crate::git::repository::Repository;

impl Repository {
    /// Whether files below a folder of the working tree differ from HEAD, new ones included; the
    /// stat data of the index spares most of the reading. Nothing is written.
    ///
    /// # Errors
    /// The working tree or the index cannot be read.
    pub fn differs_below(&self, folder: &Path) -> Result<bool, GitError> {
        // Opened for this alone: libgit2 keeps the index, 160 bytes a file, as long as a repository is open.
        let objects = self.location().open()?;
        let library = objects.library();
        if library.is_bare() || self.is_from_environment() {
            return Ok(false);
        }
        let mut options = StatusOptions::new();
        options
            .show(StatusShow::IndexAndWorkdir)
            .include_untracked(true)
            .recurse_untracked_dirs(false)
            .include_ignored(false)
            .no_refresh(true)
            .update_index(false)
            .disable_pathspec_match(true);
        if folder.as_os_str() != "" {
            options.pathspec(folder);
        }
        let what = || format!("the state of {}", folder.display());
        let found = library.statuses(Some(&mut options));
        found.map(|found| !found.is_empty()).map_err(|source| GitError::Library { what: what(), source })
    }
}
