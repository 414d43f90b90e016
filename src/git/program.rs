//! Runs the `git` program: no shell, no prompt, no locale, the repository by option, and what a
//! caller passes never in the place of an option.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use crate::baseline::{RefMove, Signature};
use crate::git::environment::GitEnvironment;
use crate::git::error::GitError;
use crate::git::parse;
use crate::ids::ObjectId;

/// The oldest version that is known to do all that is asked of it.
const MINIMUM: (u32, u32) = (2, 36);
/// The oldest version that can be kept from fetching what is missing one by one, which only matters
/// where the program reads a partial clone.
pub(super) const MINIMUM_IN_PARTIAL: (u32, u32) = (2, 45);

/// Settings for every call: what is written reaches the disk before a ref names it, and a lock
/// that another writer holds for a moment is waited for (milliseconds).
const SETTINGS: &[&str] = &[
    "core.fsync=committed,loose-object,reference",
    "core.filesRefLockTimeout=2000",
    "core.packedRefsTimeout=2000",
    "i18n.commitEncoding=UTF-8",
    "gc.auto=0",
    // Grafts are switched off by the way that git has for it, about which it complains.
    "advice.graftFileDeprecated=false",
];

/// How often a program is looked after whose end is waited for.
const POLL: Duration = Duration::from_millis(10);

#[cfg(windows)]
const NO_FILE: &str = "NUL";
#[cfg(not(windows))]
const NO_FILE: &str = "/dev/null";

/// The program, bound to a repository.
pub struct Program {
    git_dir: PathBuf,
    common_dir: PathBuf,
    variables: Vec<(OsString, OsString)>,
    network_limit: Option<Duration>,
    /// The version, and how the program says it.
    version: OnceLock<((u32, u32), String)>,
}

/// One call of the program.
#[derive(Default)]
pub struct Call {
    arguments: Vec<OsString>,
    input: Vec<u8>,
    variables: Vec<(&'static str, String)>,
    is_remote: bool,
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

    /// Says that it talks with a remote, which may never answer.
    #[must_use]
    pub fn over_network(mut self) -> Self {
        self.is_remote = true;
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
            network_limit: environment.network_limit(),
            version: OnceLock::new(),
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
        self.require(MINIMUM)?;
        match self.network_limit.filter(|_| call.is_remote) {
            Some(limit) => finish_within(self.prepared(&call), limit),
            None => finish(self.prepared(&call), &call.input),
        }
    }

    /// Starts a call whose input and output the caller handles; its input is not written.
    pub(super) fn start(&self, call: &Call) -> Result<Child, GitError> {
        self.require(MINIMUM)?;
        let mut command = self.prepared(call);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|source| GitError::ProgramMissing { source })
    }

    fn prepared(&self, call: &Call) -> Command {
        let mut command = self.command();
        command.arg("--git-dir").arg(&self.git_dir);
        for setting in SETTINGS {
            command.arg("-c").arg(setting);
        }
        command.args(&call.arguments).envs(call.variables.iter().map(|(name, value)| (name, value)));
        command
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
            if self.reference(&moved.reference)?.map(|found| found.id) != moved.expected {
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

    /// The lock on a ref kept as a file, where there is one.
    fn lock_of(&self, reference: &str) -> Option<GitError> {
        let locks = [format!("{reference}.lock"), "packed-refs.lock".to_owned()];
        locks.into_iter().map(|lock| self.common_dir.join(lock)).find_map(|file| {
            let modified = std::fs::symlink_metadata(&file).ok()?.modified().ok();
            let age: Option<Duration> = modified.and_then(|modified| modified.elapsed().ok());
            Some(GitError::Locked { reference: reference.to_owned(), file, age })
        })
    }

    /// Refuses a program that is older than what is needed.
    pub(super) fn require(&self, needed: (u32, u32)) -> Result<(), GitError> {
        let too_old = |found: &str| GitError::ProgramTooOld { found: found.trim().to_owned(), needed };
        let (known, found) = match self.version.get() {
            Some(known) => known,
            None => {
                let mut command = self.command();
                command.arg("version");
                let found = lossy(&finish(command, &[])?.stdout);
                let known = version(&found).ok_or_else(|| too_old(&found))?;
                self.version.get_or_init(|| (known, found))
            }
        };
        if *known < needed { Err(too_old(found)) } else { Ok(()) }
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
            // What a partial clone lacks is fetched all at once, or not at all (section 7).
            .env("GIT_NO_LAZY_FETCH", "1")
            .current_dir(&self.git_dir);
        command
    }
}

/// Asks `git rev-parse` about a folder. Unless a git folder is named, git looks for the repository
/// itself, and refuses one whose owner it does not trust.
pub(super) fn ask(
    folder: &Path,
    named: Option<&Path>,
    environment: &GitEnvironment,
    arguments: &[&str],
) -> Result<Output, GitError> {
    let program = Program::new(folder, folder, environment);
    program.require(MINIMUM)?;
    let mut command = program.command();
    if let Some(git_dir) = named {
        command.arg("--git-dir").arg(git_dir);
    }
    command.arg("rev-parse").args(arguments);
    finish(command, &[])
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

/// Runs a command without input that may never end; where it does not in time, it is killed and reads as
/// failed. What it started may hold its pipes for longer: nobody waits for that.
fn finish_within(mut command: Command, limit: Duration) -> Result<Output, GitError> {
    let missing = |source| GitError::ProgramMissing { source };
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(missing)?;
    let stdout = read_aside(child.stdout.take());
    let stderr = read_aside(child.stderr.take());
    let mut waited = Duration::ZERO;
    loop {
        if let Some(status) = child.try_wait().map_err(missing)? {
            let [stdout, stderr] = [stdout, stderr].map(|read| read.recv().unwrap_or_default());
            return Ok(Output { status, stdout, stderr });
        }
        if waited >= limit {
            child.kill().map_err(missing)?;
            let status = child.wait().map_err(missing)?;
            let words = format!("no answer within {} seconds", limit.as_secs());
            return Ok(Output { status, stdout: Vec::new(), stderr: words.into_bytes() });
        }
        std::thread::sleep(POLL);
        waited += POLL;
    }
}

/// Reads a pipe to its end in a thread of its own.
fn read_aside(pipe: Option<impl std::io::Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What a program that failed has said until then is all there is.
            let _ = std::io::Read::read_to_end(&mut pipe, &mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
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

    #[cfg(unix)]
    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo begun; sleep 60"]);
        let output = finish_within(command, Duration::from_millis(50)).unwrap();
        assert!(!output.status.success());
        assert_eq!(lossy(&output.stderr), "no answer within 0 seconds");
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; exit 3"]);
        let output = finish_within(command, Duration::from_secs(60)).unwrap();
        assert_eq!(
            (output.status.code(), &*output.stdout, &*output.stderr),
            (Some(3), &b"out\n"[..], &b"err\n"[..])
        );
    }

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
}
