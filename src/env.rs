//! The environment, read once: working folder, clock, terminal and variables.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

/// What the surroundings say, at the start of the program.
#[derive(Clone, Debug)]
pub struct Env {
    /// The working folder; `None` where it has gone.
    pub working_folder: Option<PathBuf>,
    /// The time.
    pub now: Timestamp,
    /// Whether a person can be asked: standard input and error are terminals.
    pub interactive: bool,
    /// All variables; the git program runs with these.
    pub variables: Vec<(OsString, OsString)>,
    /// How long git may take for one talk with a remote; `None`: as long as it takes.
    pub network_limit: Option<Duration>,
}

impl Env {
    /// Reads the environment.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads it")]
    pub fn read() -> Self {
        Self {
            working_folder: std::env::current_dir().ok(),
            now: Timestamp::now(),
            interactive: std::io::stdin().is_terminal() && std::io::stderr().is_terminal(),
            variables: std::env::vars_os().collect(),
            network_limit: None,
        }
    }

    /// The value of a variable; `None` where it is unset or empty, or is no Unicode.
    pub fn text(&self, name: &str) -> Option<&str> {
        let value = self.variables.iter().find(|(known, _)| known == name)?.1.to_str()?;
        (!value.is_empty()).then_some(value)
    }
}
