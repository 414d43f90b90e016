//! Which repository is worked on, and what its revisions name.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use git2::ErrorCode;

use crate::git::batch::Batch;
use crate::git::discover::{self, Found, Reads, same_folder};
use crate::git::environment::GitEnvironment;
use crate::git::error::GitError;
use crate::git::objects::{self, Objects, object_id};
use crate::git::parse::CommitInfo;
use crate::git::program::{Call, Program};
use crate::ids::{HashKind, ObjectId};

/// A repository, for one thread; another thread opens its objects again.
pub struct Repository {
    location: Location,
    objects: Objects,
    work_tree: Option<PathBuf>,
    from_environment: bool,
}

/// Where a repository is: what another thread needs to open it for itself.
#[derive(Clone)]
pub(super) struct Location {
    pub(super) found: Found,
    /// Object folders beside the repository's own, as a receiving hook has them.
    object_folders: Vec<PathBuf>,
    pub(super) program: Arc<Program>,
}

/// Sets whether every object that is read is hashed again and compared with its id. Counts for
/// the whole process. Off unless a command proves something: git's own reads do not hash either, and
/// it takes half of the time of a run (performance.md). Damage is still found by the checksums of the
/// compressed data.
pub fn verify_object_hashes(on: bool) {
    set_options();
    objects::hash_again(on);
}

fn set_options() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| objects::hash_again(false));
}

impl Location {
    pub(super) fn open(&self) -> Result<Objects, GitError> {
        match self.found.reads {
            Reads::Library => Ok(Objects::by_library(self.open_by_library()?, &self.object_folders)),
            Reads::Program => Ok(Objects::by_program(Batch::new(Arc::clone(&self.program)), self.found.hash)),
        }
    }

    fn open_by_library(&self) -> Result<git2::Repository, GitError> {
        let failed = |source| {
            let what = format!("the repository `{}`", self.found.git_dir.display());
            GitError::Library { what, source }
        };
        let library = git2::Repository::open(&self.found.git_dir).map_err(failed)?;
        let odb = library.odb().map_err(failed)?;
        for folder in &self.object_folders {
            let text = folder.to_str().ok_or_else(|| GitError::Unsupported {
                folder: folder.clone(),
                feature: "an object folder whose name is not UTF-8".to_owned(),
            })?;
            odb.add_disk_alternate(text)
                .map_err(|source| GitError::Library { what: text.to_owned(), source })?;
        }
        drop(odb);
        Ok(library)
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
        Self::discover_for(start, environment, Reads::Library)
    }

    /// The same, and then reads through the program even what libgit2 could read.
    ///
    /// # Errors
    /// As [`Repository::discover`].
    pub fn discover_by_program(start: &Path, environment: &GitEnvironment) -> Result<Option<Self>, GitError> {
        Self::discover_for(start, environment, Reads::Program)
    }

    fn discover_for(
        start: &Path,
        environment: &GitEnvironment,
        reads: Reads,
    ) -> Result<Option<Self>, GitError> {
        set_options();
        if !start.is_dir() {
            return Err(GitError::NoFolder { path: start.to_owned() });
        }
        let Some(named) = environment.folder("GIT_DIR") else {
            let found = discover::search(start, environment, reads)?;
            return found.map(|found| Self::finish(found, environment, false)).transpose();
        };
        let found = discover::open(&named, environment, reads)?;
        if environment.folder_chosen() {
            discover::agree(start, &found, environment)?;
        }
        Self::finish(found, environment, true).map(Some)
    }

    fn finish(found: Found, environment: &GitEnvironment, from_environment: bool) -> Result<Self, GitError> {
        let mut object_folders = environment.folders("GIT_ALTERNATE_OBJECT_DIRECTORIES");
        object_folders.extend(environment.folder("GIT_OBJECT_DIRECTORY"));
        if let Some(common) = environment.folder("GIT_COMMON_DIR")
            && !same_folder(&common, &found.common_dir)
        {
            let chosen = format!("the repository `{}`", found.git_dir.display());
            return Err(GitError::Disagree { chosen, variable: "GIT_COMMON_DIR", environment: common });
        }
        let program = Arc::new(Program::new(&found.git_dir, &found.common_dir, environment));
        let work_tree = environment.folder("GIT_WORK_TREE").or_else(|| found.work_tree.clone());
        let location = Location { found, object_folders, program };
        let objects = location.open()?;
        Ok(Self { location, objects, work_tree, from_environment })
    }

    /// The folder that git keeps this work tree's own state in.
    pub fn git_dir(&self) -> &Path {
        &self.location.found.git_dir
    }

    /// The folder that all work trees share.
    pub fn common_dir(&self) -> &Path {
        &self.location.found.common_dir
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

    /// The hash that names objects here.
    pub fn hash_kind(&self) -> HashKind {
        self.location.found.hash
    }

    /// Whether history was cut off by a shallow fetch. All work trees share that.
    pub fn is_shallow(&self) -> bool {
        let listed = std::fs::metadata(self.common_dir().join("shallow"));
        let by_library = self.objects.library().is_some_and(git2::Repository::is_shallow);
        by_library || listed.is_ok_and(|file| file.len() > 0)
    }

    /// Reads objects, in this thread.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The git program, bound to this repository.
    pub fn program(&self) -> &Program {
        &self.location.program
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
        let Some(library) = self.objects.library() else {
            let head = self.program().head()?;
            return head.map(|id| self.objects.peel(id, "HEAD")).transpose();
        };
        match library.head() {
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
        let output = self.program().output(call)?;
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
        let target = match self.objects.library() {
            Some(library) => library
                .find_reference("HEAD")
                .ok()
                .and_then(|head| head.symbolic_target().ok().flatten().map(str::to_owned)),
            None => self.program().symbolic_target("HEAD").ok().flatten(),
        };
        let branch = target.unwrap_or_else(|| "HEAD".to_owned());
        GitError::Unborn { branch: branch.strip_prefix("refs/heads/").unwrap_or(&branch).to_owned() }
    }

    /// Whether a commit is in the repository with its own bytes.
    ///
    /// # Errors
    /// The object database cannot be read.
    pub fn holds_commit(&self, id: &ObjectId) -> Result<bool, GitError> {
        self.objects.holds(id)
    }
}
