//! Which repository is worked on, and what its revisions name.

use std::path::{Path, PathBuf};
use std::sync::Once;

use git2::{ErrorCode, RepositoryOpenFlags};

use crate::git::environment::GitEnvironment;
use crate::git::error::GitError;
use crate::git::objects::{Objects, object_id, oid};
use crate::git::parse::CommitInfo;
use crate::git::program::{self, Call, Program};
use crate::ids::{HashKind, ObjectId};

/// A repository, for one thread; another thread opens its objects again.
pub struct Repository {
    location: Location,
    objects: Objects,
    program: Program,
    work_tree: Option<PathBuf>,
    from_environment: bool,
}

/// Where a repository is: what another thread needs to open it for itself.
#[derive(Clone, Debug)]
pub(super) struct Location {
    git_dir: PathBuf,
    /// Object folders beside the repository's own, as a receiving hook has them.
    object_folders: Vec<PathBuf>,
}

/// Sets whether every object that libgit2 reads is hashed again and compared with its id. Counts for
/// the whole process. Off unless a command proves something: git's own reads do not hash either, and
/// it takes half of the time of a run (performance.md). Damage is still found by the checksums of the
/// compressed data.
pub fn verify_object_hashes(on: bool) {
    set_options();
    git2::opts::strict_hash_verification(on);
}

fn set_options() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| git2::opts::strict_hash_verification(false));
}

impl Location {
    pub(super) fn open(&self) -> Result<Objects, GitError> {
        let library =
            git2::Repository::open(&self.git_dir).map_err(|error| open_error(&self.git_dir, error))?;
        let odb = library.odb().map_err(|error| open_error(&self.git_dir, error))?;
        for folder in &self.object_folders {
            let text = folder.to_str().ok_or_else(|| GitError::Unsupported {
                folder: folder.clone(),
                feature: "an object folder whose name is not UTF-8".to_owned(),
            })?;
            odb.add_disk_alternate(text)
                .map_err(|source| GitError::Library { what: text.to_owned(), source })?;
        }
        drop(odb);
        Ok(Objects::new(library, &self.object_folders))
    }
}

impl Repository {
    /// Finds the repository that `start` lies in, or that the environment names. `None`: there is
    /// none. One that stands but cannot be read is an error.
    ///
    /// # Errors
    /// `start` is no folder, the environment names another repository than a chosen `start`, git
    /// does not trust the owner, or the repository is broken or of a kind that cannot be read.
    pub fn discover(start: &Path, environment: &GitEnvironment) -> Result<Option<Self>, GitError> {
        set_options();
        if !start.is_dir() {
            return Err(GitError::NoFolder { path: start.to_owned() });
        }
        let Some(named) = environment.folder("GIT_DIR") else {
            let found = search(start, environment)?;
            return found.map(|library| Self::finish(&library, environment, false)).transpose();
        };
        let library = match git2::Repository::open(&named) {
            Ok(library) => library,
            Err(error) if error.code() == ErrorCode::NotFound => {
                return Err(GitError::Broken { path: named });
            }
            Err(error) => return Err(refuse(&named, error, environment)),
        };
        if environment.folder_chosen() {
            agree(start, &library, environment)?;
        }
        Self::finish(&library, environment, true).map(Some)
    }

    fn finish(
        found: &git2::Repository,
        environment: &GitEnvironment,
        from_environment: bool,
    ) -> Result<Self, GitError> {
        let mut object_folders = environment.folders("GIT_ALTERNATE_OBJECT_DIRECTORIES");
        object_folders.extend(environment.folder("GIT_OBJECT_DIRECTORY"));
        let git_dir = found.path().to_owned();
        if let Some(common) = environment.folder("GIT_COMMON_DIR")
            && !same_folder(&common, found.commondir())
        {
            let chosen = format!("the repository `{}`", git_dir.display());
            return Err(GitError::Disagree { chosen, variable: "GIT_COMMON_DIR", environment: common });
        }
        let program = Program::new(&git_dir, found.commondir(), environment);
        let work_tree = environment.folder("GIT_WORK_TREE").or_else(|| found.workdir().map(Path::to_owned));
        let location = Location { git_dir, object_folders };
        let objects = location.open()?;
        Ok(Self { location, objects, program, work_tree, from_environment })
    }

    /// The folder that git keeps this work tree's own state in.
    pub fn git_dir(&self) -> &Path {
        &self.location.git_dir
    }

    /// The folder that all work trees share.
    pub fn common_dir(&self) -> &Path {
        self.objects.library().commondir()
    }

    /// Whether `GIT_DIR` named this repository; the user is then told so.
    pub fn is_from_environment(&self) -> bool {
        self.from_environment
    }

    /// The root of the work tree; `None` in a bare repository.
    pub fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }

    /// Whether there is no work tree.
    pub fn is_bare(&self) -> bool {
        self.work_tree.is_none()
    }

    /// The hash that names objects here. libgit2 reads SHA-1 alone: others were refused.
    pub fn hash_kind(&self) -> HashKind {
        HashKind::Sha1
    }

    /// Whether history was cut off by a shallow fetch. All work trees share that.
    pub fn is_shallow(&self) -> bool {
        let listed = std::fs::metadata(self.common_dir().join("shallow"));
        self.objects.library().is_shallow() || listed.is_ok_and(|file| file.len() > 0)
    }

    /// Reads objects, in this thread.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The git program, bound to this repository.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Opens the objects again, for another thread.
    pub(super) fn location(&self) -> &Location {
        &self.location
    }

    /// The commit that HEAD names; `None` before the first one.
    ///
    /// # Errors
    /// HEAD cannot be read, or names no commit.
    pub fn head_commit(&self) -> Result<Option<ObjectId>, GitError> {
        match self.objects.library().head() {
            Ok(head) => match head.target() {
                Some(id) => self.objects.peel(object_id(id), "HEAD").map(Some),
                None => Err(GitError::Reference { reference: "HEAD".into(), why: "names no object".into() }),
            },
            Err(error) if error.code() == ErrorCode::UnbornBranch => Ok(None),
            Err(source) => Err(GitError::Library { what: "HEAD".to_owned(), source }),
        }
    }

    /// The commit that a revision names, in git's own grammar, through tags.
    ///
    /// # Errors
    /// It names nothing, or no commit; HEAD is unborn; an object is missing or damaged.
    pub fn resolve(&self, revision: &str) -> Result<ObjectId, GitError> {
        if matches!(revision, "HEAD" | "@") {
            return self.head_commit()?.ok_or_else(|| self.unborn());
        }
        if let Some(id) = ObjectId::parse(revision) {
            if !self.objects.holds(&id)? {
                let words = "no such object in the repository".to_owned();
                return Err(GitError::UnknownRevision { revision: revision.to_owned(), words });
            }
            return self.objects.peel(id, revision);
        }
        if revision.starts_with("refs/")
            && let Some(id) = self.reference_value(revision)?
        {
            return self.objects.peel(id, revision);
        }
        self.resolve_by_program(revision)
    }

    fn resolve_by_program(&self, revision: &str) -> Result<ObjectId, GitError> {
        let unknown = |words: &str| GitError::UnknownRevision {
            revision: revision.to_owned(),
            words: words.trim().to_owned(),
        };
        if revision.is_empty() || revision.contains('\0') {
            return Err(unknown("a revision is not empty and holds no NUL"));
        }
        // The commit is asked for, so that a short id is not ambiguous with a blob's; but a search
        // (`:/text`) would take that as a part of its text.
        let asked =
            if revision.starts_with(':') { revision.to_owned() } else { format!("{revision}^{{commit}}") };
        let call = Call::new(&["rev-parse", "--verify", "--end-of-options"]).argument(asked);
        let output = self.program.output(call)?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let id = output.status.success().then(|| ObjectId::parse(printed.trim_end_matches('\n'))).flatten();
        match id {
            Some(id) => self.objects.peel(id, revision),
            None => Err(unknown(&String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// What a commit says.
    ///
    /// # Errors
    /// It is missing or damaged.
    pub fn commit_info(&self, id: &ObjectId) -> Result<CommitInfo, GitError> {
        self.objects.commit(id)
    }

    fn unborn(&self) -> GitError {
        let head = self.objects.library().find_reference("HEAD");
        let target = head.ok().and_then(|head| head.symbolic_target().ok().flatten().map(str::to_owned));
        let branch = target.unwrap_or_else(|| "HEAD".to_owned());
        GitError::Unborn { branch: branch.strip_prefix("refs/heads/").unwrap_or(&branch).to_owned() }
    }

    /// Whether a commit is in the repository with its own bytes.
    pub(super) fn holds_commit(&self, id: &ObjectId) -> Result<bool, GitError> {
        Ok(oid(id).is_ok() && self.objects.holds(id)?)
    }
}

fn search(start: &Path, environment: &GitEnvironment) -> Result<Option<git2::Repository>, GitError> {
    let mut flags = RepositoryOpenFlags::empty();
    if environment.is_true("GIT_DISCOVERY_ACROSS_FILESYSTEM") {
        flags |= RepositoryOpenFlags::CROSS_FS;
    }
    let ceilings = environment.folders("GIT_CEILING_DIRECTORIES");
    match git2::Repository::open_ext(start, flags, &ceilings) {
        Ok(library) => Ok(Some(library)),
        Err(error) if error.code() == ErrorCode::NotFound => match broken_above(start, &ceilings) {
            Some(path) => Err(GitError::Broken { path }),
            None => Ok(None),
        },
        Err(error) => Err(refuse(start, error, environment)),
    }
}

/// A `.git` at `start` or above it: where no repository was found, it is not one that can be read.
fn broken_above(start: &Path, ceilings: &[PathBuf]) -> Option<PathBuf> {
    let start = std::fs::canonicalize(start).ok()?;
    let below = start.ancestors().take_while(|folder| !ceilings.iter().any(|ceiling| ceiling == folder));
    below.map(|folder| folder.join(".git")).find(|path| path.symlink_metadata().is_ok())
}

/// A chosen folder agrees with `GIT_DIR` where it lies in the same repository or in its work tree.
fn agree(start: &Path, named: &git2::Repository, environment: &GitEnvironment) -> Result<(), GitError> {
    let found = search(start, environment)?;
    if found.as_ref().is_some_and(|found| same_folder(found.path(), named.path())) {
        return Ok(());
    }
    let work_tree = environment.folder("GIT_WORK_TREE");
    if found.is_none() && work_tree.is_some_and(|tree| lies_in(start, &tree)) {
        return Ok(());
    }
    let chosen = match found {
        Some(found) => format!("the repository `{}`", found.path().display()),
        None => format!("`{}`, which lies in no repository", start.display()),
    };
    Err(GitError::Disagree { chosen, variable: "GIT_DIR", environment: named.path().to_owned() })
}

fn lies_in(folder: &Path, tree: &Path) -> bool {
    match (std::fs::canonicalize(folder), std::fs::canonicalize(tree)) {
        (Ok(folder), Ok(tree)) => folder.starts_with(tree),
        _ => false,
    }
}

fn same_folder(one: &Path, other: &Path) -> bool {
    match (std::fs::canonicalize(one), std::fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Why a repository was not opened; an owner that is not trusted in git's own words.
fn refuse(folder: &Path, error: git2::Error, environment: &GitEnvironment) -> GitError {
    if error.code() != ErrorCode::Owner {
        return open_error(folder, error);
    }
    let words = match program::refusal(folder, environment) {
        Ok(Some(words)) => words,
        Ok(None) => format!(
            "{}; git itself trusts it by a setting that is not read here: \
             `git config --global --add safe.directory '{}'`",
            error.message(),
            folder.display()
        ),
        Err(error) => return error,
    };
    GitError::Untrusted { folder: folder.to_owned(), words }
}

fn open_error(folder: &Path, error: git2::Error) -> GitError {
    let said = error.message().to_lowercase();
    let feature = if said.contains("refstorage") {
        "it keeps its refs as a reftable, which is not supported yet"
    } else if said.contains("sha256") {
        "its objects are named by SHA-256, which is not supported yet"
    } else if said.contains("partialclone") {
        "it is a partial clone of an older form, which is not supported yet"
    } else if said.contains("unsupported extension") || said.contains("repository version") {
        error.message()
    } else {
        let what = format!("the repository `{}`", folder.display());
        return GitError::Library { what, source: error };
    };
    GitError::Unsupported { folder: folder.to_owned(), feature: feature.to_owned() }
}
