//! What a repository is and how git is set up, for those who look for what is amiss.

use crate::git::error::GitError;
use crate::git::program::Call;
use crate::git::repository::Repository;

impl Repository {
    /// The values of a setting of git, in order; none where it is not set.
    ///
    /// # Errors
    /// The program cannot be run.
    pub fn settings(&self, name: &str) -> Result<Vec<String>, GitError> {
        let output = self.program().output(Call::new(&["config", "--get-all"]).argument(name))?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
    }

    /// How refs are kept: `files`, or what the repository says in its settings.
    ///
    /// # Errors
    /// The program cannot be run.
    pub fn ref_format(&self) -> Result<String, GitError> {
        let set = self.settings("extensions.refStorage")?;
        Ok(set.into_iter().next_back().unwrap_or_else(|| "files".to_owned()))
    }

    /// Whether objects may be missing that a remote has promised.
    ///
    /// # Errors
    /// The program cannot be run.
    pub fn is_partial(&self) -> Result<bool, GitError> {
        let call =
            Call::new(&["config", "--get-regexp", r"^remote\..*\.promisor$|^extensions\.partialclone$"]);
        Ok(!self.program().output(call)?.stdout.is_empty())
    }

    /// Whether this is a work tree beside the first one.
    pub fn is_linked(&self) -> bool {
        match (self.git_dir().canonicalize(), self.common_dir().canonicalize()) {
            (Ok(own), Ok(common)) => own != common,
            (Ok(_) | Err(_), _) => false,
        }
    }

    /// What the program calls its version.
    ///
    /// # Errors
    /// It is missing or too old.
    pub fn program_version(&self) -> Result<String, GitError> {
        let printed = self.program().run(Call::new(&["version"]))?;
        Ok(String::from_utf8_lossy(&printed).trim().to_owned())
    }
}
