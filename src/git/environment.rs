//! What the surroundings say about git: the variables that the caller has read, once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// Variables that say where a repository is or how its objects read. The program is given the
/// repository by option instead, and reads objects as they are.
const LOCATION: &[&str] = &[
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// All variables of the process, its working folder, and whether a folder was asked for.
#[derive(Clone, Debug)]
pub struct GitEnvironment {
    variables: BTreeMap<OsString, OsString>,
    working_folder: PathBuf,
    folder_chosen: bool,
    network_limit: Option<Duration>,
}

impl GitEnvironment {
    /// Takes every variable of the process (the git program runs with these and no others) and its
    /// absolute working folder, against which relative values count.
    pub fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        working_folder: impl Into<PathBuf>,
    ) -> Self {
        Self {
            variables: variables.into_iter().collect(),
            working_folder: working_folder.into(),
            folder_chosen: false,
            network_limit: None,
        }
    }

    /// Ends a talk with a remote that takes longer than this.
    #[must_use]
    pub fn with_network_limit(self, limit: Option<Duration>) -> Self {
        Self { network_limit: limit, ..self }
    }

    pub(super) fn network_limit(&self) -> Option<Duration> {
        self.network_limit
    }

    /// Says that the caller named the folder to start from (`-C`): it must then agree with `GIT_DIR`.
    #[must_use]
    pub fn with_chosen_folder(mut self) -> Self {
        self.folder_chosen = true;
        self
    }

    pub(super) fn folder_chosen(&self) -> bool {
        self.folder_chosen
    }

    /// The folder that a variable names, made absolute; `None` where it is unset or empty.
    pub(super) fn folder(&self, variable: &str) -> Option<PathBuf> {
        self.value(variable).map(|value| self.working_folder.join(value))
    }

    /// The folders of a variable that lists some.
    pub(super) fn folders(&self, variable: &str) -> Vec<PathBuf> {
        let listed = self.value(variable).map(std::env::split_paths).into_iter().flatten();
        listed
            .filter(|path| !path.as_os_str().is_empty())
            .map(|path| self.working_folder.join(path))
            .collect()
    }

    /// Whether a variable is set to what git calls true.
    pub(super) fn is_true(&self, variable: &str) -> bool {
        let value = self.value(variable).map(OsStr::to_ascii_lowercase);
        value.is_some_and(|value| ["1", "true", "yes", "on"].iter().any(|yes| value == *yes))
    }

    /// What the program runs with.
    pub(super) fn for_program(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let all = self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
        all.filter(|(name, _)| !LOCATION.iter().any(|location| name == location))
    }

    fn value(&self, variable: &str) -> Option<&OsStr> {
        let value = self.variables.get(OsStr::new(variable))?;
        (!value.is_empty()).then_some(value.as_os_str())
    }
}
