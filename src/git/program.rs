//! Runs the `git` program: no shell, no prompt, no locale, the repository by option, and what a
//! caller passes never in the place of an option.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::baseline::{RefMove, Signature};
use crate::git::environment::GitEnvironment;
use crate::git::error::GitError;
use crate::git::parse;
use crate::ids::ObjectId;

/// The oldest version that is known to do all that is asked of it.
const MINIMUM: (u32, u32) = (2, 36);
pub(super) const MINIMUM_TEXT: &str = "2.36";

/// Settings for every call: what is written reaches the disk before a ref names it, and a lock
/// that another writer holds for a moment is waited for (milliseconds).
const SETTINGS: &[&str] = &[
    "core.fsync=committed,loose-object,reference",
    "core.filesRefLockTimeout=2000",
    "core.packedRefsTimeout=2000",
    "i18n.commitEncoding=UTF-8",
    "gc.auto=0",
];

#[cfg(windows)]
const NO_FILE: &str = "NUL";
#[cfg(not(windows))]
const NO_FILE: &str = "/dev/null";

/// The program, bound to a repository.
pub struct Program {
    git_dir: PathBuf,
    common_dir: PathBuf,
    variables: Vec<(OsString, OsString)>,
    checked: OnceLock<()>,
}

/// One call of the program.
#[derive(Default)]
pub struct Call {
    arguments: Vec<OsString>,
    input: Vec<u8>,
    variables: Vec<(&'static str, String)>,
}

/// What became of a ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// It is what it was asked to be.
    Updated,
    /// It was not what was expected: another writer came first. Nothing was changed.
    Moved,
}

impl Call {
    /// Begins a call with the command and its arguments, all of them written in this program.
    pub fn new(arguments: &[&str]) -> Self {
        Self { arguments: arguments.iter().map(OsString::from).collect(), ..Self::default() }
    }

    /// Adds an argument from outside; it must stand where no option can.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Gives the bytes of standard input.
    #[must_use]
    pub fn input(mut self, input: Vec<u8>) -> Self {
        self.input = input;
        self
    }

    /// Sets a variable for this call.
    #[must_use]
    pub fn variable(mut self, name: &'static str, value: String) -> Self {
        self.variables.push((name, value));
        self
    }

    fn name(&self) -> String {
        self.arguments.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl Program {
    pub(super) fn new(git_dir: &Path, common_dir: &Path, environment: &GitEnvironment) -> Self {
        let variables = environment.for_program().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            git_dir: git_dir.to_owned(),
            common_dir: common_dir.to_owned(),
            variables: variables.collect(),
            checked: OnceLock::new(),
        }
    }

    /// Runs a call and gives its standard output.
    ///
    /// # Errors
    /// The program is missing, too old, or ends with another status than 0.
    pub fn run(&self, call: Call) -> Result<Vec<u8>, GitError> {
        let command = call.name();
        let output = self.output(call)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(GitError::Program { command, status: output.status.to_string(), words: lossy(&output.stderr) })
    }

    /// Runs a call and gives all that came of it, whatever its status.
    ///
    /// # Errors
    /// The program is missing or too old.
    pub fn output(&self, call: Call) -> Result<Output, GitError> {
        self.check_version()?;
        let mut command = self.command();
        command.arg("--git-dir").arg(&self.git_dir);
        for setting in SETTINGS {
            command.arg("-c").arg(setting);
        }
        command.args(&call.arguments).envs(call.variables.iter().map(|(name, value)| (name, value)));
        finish(command, &call.input)
    }

    /// Moves a ref from the expected value (`None`: it must not exist) to a new one, with a line
    /// in its reflog.
    ///
    /// # Errors
    /// As [`Program::update_refs`].
    pub fn update_ref(
        &self,
        reference: &str,
        new: &ObjectId,
        expected: Option<&ObjectId>,
        reason: &str,
    ) -> Result<Update, GitError> {
        let (expected, new) = (expected.cloned(), Some(new.clone()));
        self.update_refs(&[RefMove { reference: reference.to_owned(), expected, new }], reason)
    }

    /// Moves refs in one transaction: all of them or none, each with a line in its reflog.
    ///
    /// # Errors
    /// The repository cannot be written to, or a lock is in the way; the refs are then as they were.
    pub fn update_refs(&self, moves: &[RefMove], reason: &str) -> Result<Update, GitError> {
        let call = Call::new(&["update-ref", "--no-deref", "--create-reflog", "--stdin", "-z", "-m"])
            .argument(reason);
        let output = self.output(call.input(transaction(moves).into_bytes()))?;
        if output.status.success() {
            return Ok(Update::Updated);
        }
        // What git says is for people; what happened shows in the refs themselves.
        for moved in moves {
            if self.value_of(&moved.reference)? != moved.expected {
                return Ok(Update::Moved);
            }
        }
        Err(moves.iter().find_map(|moved| self.lock_of(&moved.reference)).unwrap_or_else(|| {
            GitError::Program {
                command: "update-ref".to_owned(),
                status: output.status.to_string(),
                words: lossy(&output.stderr),
            }
        }))
    }

    /// Who acts, as git would choose: the author and the committer.
    ///
    /// # Errors
    /// [`GitError::NoIdentity`] where git knows nobody.
    pub fn identities(&self) -> Result<(Signature, Signature), GitError> {
        Ok((self.identity("GIT_AUTHOR_IDENT")?, self.identity("GIT_COMMITTER_IDENT")?))
    }

    fn identity(&self, name: &str) -> Result<Signature, GitError> {
        let output = self.output(Call::new(&["var", name]))?;
        let words = lossy(&output.stderr);
        let line = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
        let found = output.status.success().then(|| parse::signature(line)).flatten();
        found.filter(|found| !found.person.name.is_empty()).ok_or(GitError::NoIdentity { words })
    }

    /// The value of a ref that is no symbolic one.
    fn value_of(&self, reference: &str) -> Result<Option<ObjectId>, GitError> {
        let call = Call::new(&["for-each-ref", "--format=%(refname) %(objectname)"]).argument(reference);
        let listed = lossy(&self.run(call)?);
        let values = listed.lines().filter_map(|line| line.split_once(' '));
        Ok(values.filter(|(name, _)| *name == reference).find_map(|(_, id)| ObjectId::parse(id)))
    }

    /// The lock on a ref kept as a file, where there is one.
    fn lock_of(&self, reference: &str) -> Option<GitError> {
        let locks = [format!("{reference}.lock"), "packed-refs.lock".to_owned()];
        locks.into_iter().map(|lock| self.common_dir.join(lock)).find_map(|file| {
            let modified = std::fs::symlink_metadata(&file).ok()?.modified().ok();
            let age: Option<Duration> = modified.and_then(|modified| modified.elapsed().ok());
            Some(GitError::Locked { reference: reference.to_owned(), file, age })
        })
    }

    fn check_version(&self) -> Result<(), GitError> {
        if self.checked.get().is_some() {
            return Ok(());
        }
        let mut command = self.command();
        command.arg("version");
        let found = lossy(&finish(command, &[])?.stdout);
        if version(&found).is_none_or(|version| version < MINIMUM) {
            return Err(GitError::ProgramTooOld { found: found.trim().to_owned() });
        }
        self.checked.get_or_init(|| ());
        Ok(())
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            // Objects are read as they are (baseline.md section 1).
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_GRAFT_FILE", NO_FILE)
            .current_dir(&self.git_dir);
        command
    }
}

/// What git says of a folder itself, in its own words; `None` where it has nothing against it.
pub(super) fn refusal(folder: &Path, environment: &GitEnvironment) -> Result<Option<String>, GitError> {
    let program = Program::new(folder, folder, environment);
    program.check_version()?;
    let mut command = program.command();
    command.args(["rev-parse", "--git-dir"]);
    let output = finish(command, &[])?;
    Ok((!output.status.success()).then(|| lossy(&output.stderr)))
}

fn finish(mut command: Command, input: &[u8]) -> Result<Output, GitError> {
    let missing = |source| GitError::ProgramMissing { source };
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    let spawned = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(missing)?;
    let pipe = child.stdin.take();
    // Written beside the reading, so that neither side waits for the other for ever. A program that
    // stops reading says why by its status.
    std::thread::scope(|scope| {
        scope.spawn(move || pipe.map(|mut pipe| pipe.write_all(input)));
        child.wait_with_output().map_err(missing)
    })
}

/// What `update-ref --stdin -z` reads: every lock is taken before any ref moves.
fn transaction(moves: &[RefMove]) -> String {
    let mut input = "start\0".to_owned();
    for RefMove { reference, expected, new } in moves {
        let length = expected.as_ref().or(new.as_ref()).map_or(0, |id| id.as_str().len());
        let zero = "0".repeat(length);
        let old = expected.as_ref().map_or(zero.as_str(), ObjectId::as_str);
        match new {
            Some(new) => input.push_str(&format!("update {reference}\0{}\0{old}\0", new.as_str())),
            None => input.push_str(&format!("delete {reference}\0{old}\0")),
        }
    }
    input + "prepare\0commit\0"
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().strip_prefix("git version ")?.split('.');
    let mut next = || numbers.next()?.parse().ok();
    Some((next()?, next()?))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_all_builds_are_read() {
        assert_eq!(version("git version 2.47.3\n"), Some((2, 47)));
        assert_eq!(version("git version 2.39.3 (Apple Git-146)"), Some((2, 39)));
        assert_eq!(version("git version 2.44.0.windows.1"), Some((2, 44)));
        assert_eq!(version("git version 3.0"), Some((3, 0)));
        for odd in ["", "git version", "gitoxide 1.0", "git version x.y"] {
            assert_eq!(version(odd), None, "{odd}");
        }
    }

    #[test]
    fn the_minimum_is_told_as_it_is_checked() {
        assert_eq!(MINIMUM_TEXT, format!("{}.{}", MINIMUM.0, MINIMUM.1));
    }
}
