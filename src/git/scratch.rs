//! A repository for a demonstration: made in a temporary folder, gone when dropped.

use std::path::{Path, PathBuf};

use git2::{IndexAddOption, RepositoryInitOptions, Signature};

use crate::error::Error;

/// The repository.
pub struct Scratch {
    folder: tempfile::TempDir,
    library: git2::Repository,
}

impl Scratch {
    /// Makes an empty one, with no settings but git's defaults.
    ///
    /// # Errors
    /// The temporary folder cannot be written to.
    pub fn new() -> Result<Self, Error> {
        let folder = tempfile::Builder::new()
            .prefix("diag-gate-demo-")
            .tempdir()
            .map_err(|error| Error::surroundings("cannot make a temporary folder").because(&error))?;
        let library = git2::Repository::init_opts(
            folder.path(),
            RepositoryInitOptions::new().initial_head("main").external_template(false),
        )
        .map_err(|error| Error::surroundings("cannot make a scratch repository").because(&error))?;
        Ok(Self { folder, library })
    }

    /// The root of its working tree.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Reads a file of the working tree.
    ///
    /// # Errors
    /// It cannot be read.
    #[expect(clippy::disallowed_methods, reason = "a file of its own temporary folder")]
    pub fn read(&self, path: &str) -> Result<Vec<u8>, Error> {
        std::fs::read(self.path(path)).map_err(|error| fault("read", path, &error))
    }

    /// Writes a file of the working tree, and the folders on the way.
    ///
    /// # Errors
    /// It cannot be written.
    #[expect(clippy::disallowed_methods, reason = "a file of its own temporary folder")]
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        let file = self.path(path);
        let folder = file.parent().expect("a file stands in a folder");
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&file, bytes))
            .map_err(|error| fault("write", path, &error))
    }

    /// Commits everything in the working tree.
    ///
    /// # Errors
    /// The repository cannot be written to.
    pub fn commit(&self, subject: &str) -> Result<(), Error> {
        self.try_commit(subject)
            .map_err(|error| Error::surroundings("cannot commit in the scratch repository").because(&error))
    }

    fn try_commit(&self, subject: &str) -> Result<(), git2::Error> {
        let mut index = self.library.index()?;
        index.add_all(["*"], IndexAddOption::FORCE, None)?;
        index.write()?;
        let tree = self.library.find_tree(index.write_tree()?)?;
        let who = Signature::now("Demo", "demo@example.org")?;
        let parent = self.library.head().ok().and_then(|head| head.peel_to_commit().ok());
        let parents: Vec<_> = parent.iter().collect();
        self.library.commit(Some("HEAD"), &who, &who, subject, &tree, &parents)?;
        Ok(())
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }
}

fn fault(verb: &str, path: &str, error: &std::io::Error) -> Error {
    Error::surroundings(format!("cannot {verb} {path} in the scratch repository")).because(error)
}
