//! A real git for tests that nothing outside can reach: own home, no system or global settings,
//! fixed people, dates and locale.

#![allow(dead_code, reason = "each test program uses its own part of this")]

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use diag_gate::git::{GitEnvironment, Repository};
use diag_gate::ids::ObjectId;
use tempfile::TempDir;

pub(crate) mod program;
pub(crate) mod suite;

/// A repository in a folder of its own, which goes when it is dropped.
pub(crate) struct TestRepo {
    folder: TempDir,
    root: PathBuf,
}

impl TestRepo {
    /// A new repository with a work tree, on the unborn branch `main`.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// A new repository, `git init` with these options.
    pub(crate) fn with(options: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("diag gate 测试 ").tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        std::fs::create_dir(base.join("home")).unwrap();
        let repo = Self { root: base.join("repo"), folder };
        let root = repo.root.clone();
        let mut arguments: Vec<&OsStr> = vec!["init".as_ref(), "-q".as_ref(), "-b".as_ref(), "main".as_ref()];
        arguments.extend(options.iter().map(|option| OsStr::new(*option)));
        arguments.push(root.as_os_str());
        repo.succeed(&repo.base(), arguments);
        repo
    }

    /// The folder that holds the repository, the home and whatever a test puts beside them.
    pub(crate) fn base(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The root of the work tree, or the bare repository.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// All variables that git runs with in a test.
    pub(crate) fn variables(&self) -> Vec<(OsString, OsString)> {
        let home = self.base().join("home");
        let fixed = [
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "Ann Author"),
            ("GIT_AUTHOR_EMAIL", "ann@example.com"),
            ("GIT_AUTHOR_DATE", "1700000000 +0800"),
            ("GIT_COMMITTER_NAME", "Cem Committer"),
            ("GIT_COMMITTER_EMAIL", "cem@example.com"),
            ("GIT_COMMITTER_DATE", "1700000060 +0000"),
            ("LC_ALL", "C"),
            ("TZ", "UTC"),
        ];
        let mut all: Vec<(OsString, OsString)> =
            fixed.iter().map(|(name, value)| (name.into(), value.into())).collect();
        all.push(("HOME".into(), home.into()));
        all.push(("PATH".into(), std::env::var_os("PATH").unwrap()));
        all
    }

    /// What the library is given to find repositories.
    pub(crate) fn environment(&self) -> GitEnvironment {
        GitEnvironment::new(self.variables(), self.base())
    }

    /// Opens the repository.
    pub(crate) fn open(&self) -> Repository {
        self.open_at(&self.root)
    }

    /// Opens the repository that a folder lies in.
    pub(crate) fn open_at(&self, folder: &Path) -> Repository {
        Repository::discover(folder, &self.environment()).unwrap().expect("there is a repository")
    }

    /// Runs git in the repository; it must succeed. Gives its output without the last line end.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.root, arguments)
    }

    /// Runs git in another folder; it must succeed.
    pub(crate) fn git_in(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self.succeed(folder, arguments);
        String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned()
    }

    /// Writes a file of the work tree, folders and all.
    pub(crate) fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Commits all that the work tree holds.
    pub(crate) fn commit(&self, message: &str) -> ObjectId {
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.id("HEAD")
    }

    /// The id that git itself gives a revision.
    pub(crate) fn id(&self, revision: &str) -> ObjectId {
        ObjectId::parse(&self.git(&["rev-parse", "--verify", revision])).unwrap()
    }

    fn succeed(&self, folder: &Path, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Output {
        let mut command = Command::new("git");
        command.env_clear().envs(self.variables()).current_dir(folder).args(arguments);
        let output = command.output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {words}");
        output
    }
}
