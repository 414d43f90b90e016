//! Makes a packed repository out of a stream of commits.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

use serde_json::Value;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// What `git fast-import` reads.
pub(crate) struct Stream(BufWriter<ChildStdin>);

/// Makes a repository in a folder that must not exist, and checks its newest commit out.
pub(crate) fn make(folder: &Path, commits: impl FnOnce(&mut Stream) -> Outcome<()>) -> Outcome<()> {
    std::fs::create_dir(folder)?;
    git(folder, &["init", "--quiet", "--initial-branch=main"])?;
    let mut import = program(folder).args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn()?;
    let mut stream = Stream(BufWriter::new(import.stdin.take().ok_or("no way to write to git")?));
    let written = commits(&mut stream).and_then(|()| Ok(stream.0.flush()?));
    drop(stream);
    // Where git came to its end early, that is the reason why it could not be written to.
    if !import.wait()?.success() {
        return Err("git fast-import failed".into());
    }
    written?;
    git(folder, &["-c", "pack.threads=1", "repack", "-adq"])?;
    git(folder, &["reset", "--quiet", "--hard"])
}

impl Stream {
    /// Begins a commit, at so many seconds since 1970.
    pub(crate) fn commit(&mut self, message: &str, time: u64) -> Outcome<()> {
        writeln!(self.0, "commit refs/heads/main\ncommitter Generator <generator@example.org> {time} +0000")?;
        self.data(message.as_bytes())
    }

    /// Puts a file into the commit.
    pub(crate) fn file(&mut self, path: &str, bytes: &[u8]) -> Outcome<()> {
        writeln!(self.0, "M 100644 inline {path}")?;
        self.data(bytes)
    }

    /// Puts a file of JSON into the commit.
    pub(crate) fn json(&mut self, path: &str, value: &Value) -> Outcome<()> {
        self.file(path, &serde_json::to_vec_pretty(value)?)
    }

    fn data(&mut self, bytes: &[u8]) -> Outcome<()> {
        writeln!(self.0, "data {}", bytes.len())?;
        self.0.write_all(bytes)?;
        Ok(writeln!(self.0)?)
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Outcome<()> {
    let status = program(folder).args(arguments).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {} failed", arguments.join(" ")).into()) }
}

/// Git without anybody's settings, so that it makes the same everywhere.
#[expect(clippy::disallowed_methods, reason = "git stands wherever the caller has it")]
fn program(folder: &Path) -> Command {
    let mut program = Command::new("git");
    let path = std::env::var_os("PATH").unwrap_or_default();
    program.current_dir(folder).env_clear().env("PATH", path).env("GIT_CONFIG_NOSYSTEM", "1");
    program.env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" });
    program
}
