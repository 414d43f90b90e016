//! A repository without a working tree and without objects, for what is fetched and only read.

use std::path::Path;

use git2::RepositoryInitOptions;

use crate::error::Error;
use crate::git::repository::Repository;

impl Repository {
    /// Makes a bare repository in a folder, with `origin` at a URL.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn make_bare(folder: &Path, origin: &str) -> Result<(), Error> {
        let mut options = RepositoryInitOptions::new();
        options.bare(true).no_reinit(true).external_template(false).initial_head("main");
        let made = git2::Repository::init_opts(folder, &options);
        made.and_then(|library| library.remote("origin", origin).map(|_| ())).map_err(|error| {
            Error::surroundings(format!("cannot make a repository in {}", folder.display())).because(&error)
        })
    }
}
