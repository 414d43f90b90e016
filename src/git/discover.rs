//! Finds a repository: by libgit2, or, where libgit2 cannot read what it finds, by the program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Output;

use git2::{ErrorCode, RepositoryOpenFlags};

use crate::git::environment::GitEnvironment;
use crate::git::error::GitError;
use crate::git::program;
use crate::ids::HashKind;

/// A repository that was found, and what reads it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) work_tree: Option<PathBuf>,
    pub(super) hash: HashKind,
    pub(super) reads: Reads,
    /// Whether objects may be missing because a remote promised them.
    pub(super) partial: bool,
}

/// What reads a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// libgit2.
    Library,
    /// The git program.
    Program,
}

/// The settings that make a repository a partial clone.
pub(super) const PROMISES: &str = r"^(remote\..*\.promisor|extensions\.partialclone)$";

/// The repository that a folder lies in; `None`: there is none.
pub(super) fn search(
    start: &Path,
    environment: &GitEnvironment,
    reads: Reads,
) -> Result<Option<Found>, GitError> {
    let mut flags = RepositoryOpenFlags::empty();
    if environment.is_true("GIT_DISCOVERY_ACROSS_FILESYSTEM") {
        flags |= RepositoryOpenFlags::CROSS_FS;
    }
    let ceilings = environment.folders("GIT_CEILING_DIRECTORIES");
    match git2::Repository::open_ext(start, flags, &ceilings) {
        Ok(library) if reads == Reads::Library && is_for_library(&library) => {
            Found::of_library(&library).map(Some)
        }
        Ok(_) => by_program(start, None, environment, None).map(Some),
        Err(error) if error.code() == ErrorCode::NotFound => match broken_above(start, &ceilings) {
            Some(path) => Err(GitError::Broken { path }),
            None => Ok(None),
        },
        Err(error) => by_program(start, None, environment, Some(&error)).map(Some),
    }
}

/// The repository that the environment names.
pub(super) fn open(named: &Path, environment: &GitEnvironment, reads: Reads) -> Result<Found, GitError> {
    match git2::Repository::open(named) {
        Ok(library) if reads == Reads::Library && is_for_library(&library) => Found::of_library(&library),
        Ok(_) => by_program(named, Some(named), environment, None),
        Err(error) if error.code() == ErrorCode::NotFound => Err(GitError::Broken { path: named.to_owned() }),
        // The owner is looked at where git looks for the repository itself.
        Err(error) if error.code() == ErrorCode::Owner => by_program(named, None, environment, Some(&error)),
        Err(error) => by_program(named, Some(named), environment, Some(&error)),
    }
}

/// A chosen folder agrees with `GIT_DIR` where it lies in the same repository or in its work tree.
pub(super) fn agree(start: &Path, named: &Found, environment: &GitEnvironment) -> Result<(), GitError> {
    let found = search(start, environment, Reads::Library)?;
    if found.as_ref().is_some_and(|found| same_folder(&found.git_dir, &named.git_dir)) {
        return Ok(());
    }
    let work_tree = environment.folder("GIT_WORK_TREE");
    if found.is_none() && work_tree.is_some_and(|tree| lies_in(start, &tree)) {
        return Ok(());
    }
    let chosen = match found {
        Some(found) => format!("the repository `{}`", found.git_dir.display()),
        None => format!("`{}`, which lies in no repository", start.display()),
    };
    Err(GitError::Disagree { chosen, variable: "GIT_DIR", environment: named.git_dir.clone() })
}

pub(super) fn same_folder(one: &Path, other: &Path) -> bool {
    match (std::fs::canonicalize(one), std::fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

impl Found {
    fn of_library(library: &git2::Repository) -> Result<Self, GitError> {
        Ok(Self {
            git_dir: library.path().to_owned(),
            common_dir: library.commondir().to_owned(),
            work_tree: library.workdir().map(Path::to_owned),
            hash: HashKind::Sha1,
            reads: Reads::Library,
            partial: makes_promises(library).map_err(|source| GitError::Library {
                what: format!("the settings of `{}`", library.path().display()),
                source,
            })?,
        })
    }
}

/// In a repository of the oldest format libgit2 does not look at extensions, and would read a
/// reftable as no refs at all.
fn is_for_library(library: &git2::Repository) -> bool {
    library.commondir().join("reftable").symlink_metadata().is_err()
}

fn makes_promises(library: &git2::Repository) -> Result<bool, git2::Error> {
    let config = library.config()?;
    Ok(config.entries(Some(PROMISES))?.next().transpose()?.is_some())
}

/// What the program says of a repository, by its own search from a folder unless one is named.
/// `why`: what libgit2 had against it.
fn by_program(
    start: &Path,
    named: Option<&Path>,
    environment: &GitEnvironment,
    why: Option<&git2::Error>,
) -> Result<Found, GitError> {
    let ask = |arguments: &[&str]| program::ask(start, named, environment, arguments);
    let first = ask(&["--absolute-git-dir"])?;
    if !first.status.success() {
        return Err(refused(start, &first, why));
    }
    let git_dir = path(&first.stdout);
    let common_dir = path(&said(start, ask(&["--path-format=absolute", "--git-common-dir"])?)?);
    let facts = said(start, ask(&["--is-bare-repository", "--show-object-format"])?)?;
    let (is_bare, hash) = match facts.as_slice() {
        b"true\nsha1\n" => (true, HashKind::Sha1),
        b"false\nsha1\n" => (false, HashKind::Sha1),
        b"true\nsha256\n" => (true, HashKind::Sha256),
        b"false\nsha256\n" => (false, HashKind::Sha256),
        other => {
            let feature = format!("git says of it `{}`", String::from_utf8_lossy(other).trim());
            return Err(GitError::Unsupported { folder: start.to_owned(), feature });
        }
    };
    let work_tree = match (is_bare, named) {
        (true, _) => None,
        (false, Some(_)) => tree_of(&git_dir, environment)?,
        (false, None) => match top(start, environment)? {
            Some(top) => Some(top),
            None => tree_of(&git_dir, environment)?,
        },
    };
    let program = program::Program::new(&git_dir, &common_dir, environment);
    let partial = !program.promises()?.is_empty();
    if partial {
        program.require(program::MINIMUM_IN_PARTIAL)?;
    }
    Ok(Found { git_dir, common_dir, work_tree, hash, reads: Reads::Program, partial })
}

/// Why git does not read a repository either.
fn refused(folder: &Path, output: &Output, why: Option<&git2::Error>) -> GitError {
    let (folder, words) = (folder.to_owned(), String::from_utf8_lossy(&output.stderr).into_owned());
    if why.is_some_and(|why| why.code() == ErrorCode::Owner) {
        return GitError::Untrusted { folder, words };
    }
    GitError::Unsupported { folder, feature: words.trim().to_owned() }
}

/// The work tree from a folder in it; `None` where the folder is in none.
fn top(folder: &Path, environment: &GitEnvironment) -> Result<Option<PathBuf>, GitError> {
    let output = program::ask(folder, None, environment, &["--show-toplevel"])?;
    Ok(output.status.success().then(|| path(&output.stdout)))
}

/// The work tree of a git folder: the one that it names, or the folder that it lies in.
fn tree_of(git_dir: &Path, environment: &GitEnvironment) -> Result<Option<PathBuf>, GitError> {
    if let Some(linked) = linked_tree(git_dir) {
        return Ok(Some(linked));
    }
    match git_dir.parent().filter(|_| git_dir.ends_with(".git")) {
        Some(parent) => top(parent, environment),
        None => top(git_dir, environment),
    }
}

/// A linked work tree stands where the file `gitdir` in its git folder says.
#[expect(clippy::disallowed_methods, reason = "git's own file, at the edge to git")]
fn linked_tree(git_dir: &Path) -> Option<PathBuf> {
    let file = path(&std::fs::read(git_dir.join("gitdir")).ok()?);
    git_dir.join(file).parent().map(Path::to_owned)
}

fn said(folder: &Path, output: Output) -> Result<Vec<u8>, GitError> {
    if output.status.success() { Ok(output.stdout) } else { Err(refused(folder, &output, None)) }
}

/// A path in what git prints: all but the last line end.
fn path(printed: &[u8]) -> PathBuf {
    PathBuf::from(text(printed.strip_suffix(b"\n").unwrap_or(printed)))
}

/// What git prints, as the system takes it.
#[cfg(unix)]
pub(super) fn text(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt as _;
    OsString::from_vec(bytes.to_vec())
}

/// What git prints, as the system takes it.
#[cfg(not(unix))]
pub(super) fn text(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// A `.git` at `start` or above it: where no repository was found, it is not one that can be read.
fn broken_above(start: &Path, ceilings: &[PathBuf]) -> Option<PathBuf> {
    let start = std::fs::canonicalize(start).ok()?;
    let below = start.ancestors().take_while(|folder| !ceilings.iter().any(|ceiling| ceiling == folder));
    below.map(|folder| folder.join(".git")).find(|path| path.symlink_metadata().is_ok())
}

fn lies_in(folder: &Path, tree: &Path) -> bool {
    match (std::fs::canonicalize(folder), std::fs::canonicalize(tree)) {
        (Ok(folder), Ok(tree)) => folder.starts_with(tree),
        _ => false,
    }
}
