//! Where a command stands: the folder it starts in, the repository, and the suite's place in it.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::cli::args::Global;
use crate::cli::console::Console;
use crate::cli::console::bar::Bar;
use crate::env::Env;
use crate::error::Error;
use crate::git::{GitEnvironment, Repository};

/// Where a command stands.
pub(super) struct Ground {
    /// The folder that `-C` names, or the working folder; absolute.
    pub(super) start: PathBuf,
    /// The repository, where there is one.
    pub(super) repository: Option<Repository>,
    /// How far long work has come.
    pub(super) bar: Bar,
}

/// Where the suite's folder is.
pub(super) enum SuitePlace {
    /// In the repository: the `/`-separated path from its root; empty for the root itself.
    InRepository(PathBuf),
    /// Outside any repository.
    Outside(PathBuf),
}

impl Ground {
    /// Looks around.
    ///
    /// # Errors
    /// There is no working folder, or the repository cannot be read.
    pub(super) fn new(global: &Global, env: &Env, console: &mut Console) -> Result<Self, Error> {
        let working = env.working_folder.as_ref().ok_or_else(|| {
            Error::surroundings("the working folder is gone")
                .hint("start from a folder that exists, or name one with `-C`")
        })?;
        let mut environment =
            GitEnvironment::new(env.variables.iter().cloned(), working).with_network_limit(env.network_limit);
        let start = match &global.start {
            Some(folder) => {
                environment = environment.with_chosen_folder();
                working.join(folder)
            }
            None => working.clone(),
        };
        let repository = Repository::discover(&start, &environment)?;
        if let Some(repository) = repository.as_ref().filter(|repository| repository.is_from_environment()) {
            console.notice(&format!("GIT_DIR is set: the repository is {}", repository.git_dir().display()));
        }
        Ok(Self { start, repository, bar: console.bar() })
    }

    /// The repository.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn repository(&self) -> Result<&Repository, Error> {
        self.repository.as_ref().ok_or_else(|| {
            Error::surroundings(format!("{} is in no git repository", self.start.display()))
                .hint("run `git init`, or name a folder of the repository with `-C`")
        })
    }

    /// Where the suite's folder is: from the root of the repository, or, where it is written as
    /// `./x` or as an absolute path, from the folder that the command starts in.
    ///
    /// # Errors
    /// The path leaves the repository.
    pub(super) fn suite(&self, suite: &Path) -> Result<SuitePlace, Error> {
        let from_here = suite.is_absolute()
            || matches!(suite.components().next(), Some(Component::CurDir | Component::ParentDir));
        let Some(repository) = &self.repository else {
            return Ok(SuitePlace::Outside(normal(&self.start.join(suite))));
        };
        if !from_here {
            return inside(suite).map(SuitePlace::InRepository);
        }
        let path = normal(&resolved(&self.start).join(suite));
        match repository.work_tree() {
            Some(root) => Ok(match below(&path, root) {
                Some(relative) => SuitePlace::InRepository(relative),
                None => SuitePlace::Outside(path),
            }),
            None => Ok(SuitePlace::Outside(path)),
        }
    }

    /// A path that was typed, from the folder that the command starts in.
    pub(super) fn path(&self, typed: &Path) -> PathBuf {
        self.start.join(typed)
    }
}

/// The path below the root, lexically clean.
fn inside(path: &Path) -> Result<PathBuf, Error> {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => clean.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                if !clean.pop() {
                    return Err(Error::input(format!(
                        "the suite folder {} leaves the repository",
                        path.display()
                    ))
                    .hint("name it from the root of the repository, as in `--suite eval`"));
                }
            }
        }
    }
    Ok(clean)
}

/// The path below the root, where it is below. Links above the root do not matter (many systems
/// reach temporary folders through one); links below it are left for the loader to refuse.
fn below(path: &Path, root: &Path) -> Option<PathBuf> {
    if let Ok(relative) = path.strip_prefix(root) {
        return Some(relative.to_owned());
    }
    let root = resolved(root);
    path.ancestors()
        .find(|ancestor| resolved(ancestor) == root)
        .and_then(|ancestor| path.strip_prefix(ancestor).ok().map(Path::to_owned))
}

/// The path with its links followed, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The path without `.` and `..`, lexically.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut clean, component| {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => clean.push(component),
        }
        clean
    })
}

/// The path as git writes it: parts joined by `/`.
pub(super) fn git_path(path: &Path) -> Vec<u8> {
    let parts: Vec<&[u8]> = path.components().map(|part| bytes(part.as_os_str())).collect();
    parts.join(&b'/')
}

#[cfg(unix)]
fn bytes(text: &OsStr) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(text)
}

#[cfg(not(unix))]
fn bytes(text: &OsStr) -> &[u8] {
    text.to_str().unwrap_or_default().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_path_stays_in_the_repository() {
        assert_eq!(inside(Path::new("mvp/./eval/")).unwrap(), Path::new("mvp/eval"));
        assert_eq!(inside(Path::new("a/../eval")).unwrap(), Path::new("eval"));
        assert!(inside(Path::new("a/../../eval")).is_err());
    }

    #[test]
    fn git_paths_have_slashes() {
        assert_eq!(git_path(Path::new("mvp/评测")), "mvp/评测".as_bytes());
        assert_eq!(git_path(Path::new("")), b"");
    }
}
