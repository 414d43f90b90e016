//! What GitHub Actions says by variables and files: read once, looked at once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::env::Env;
use crate::error::Error;
use crate::github::{Event, Inputs, Key, MAX_PAYLOAD_BYTES, RepoName, Token, git_variables, key_of_job};

/// All that git may take for one talk with a remote, of the time that GitHub is given as a whole.
const GIT_LIMIT: Duration = Duration::from_secs(60);
/// Who acts where nobody else is named: the account of the token that every run is given.
const BOT: (&str, &str) = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com");
/// What git has no use for.
const SECRETS: [&str; 5] =
    ["GITHUB_TOKEN", "GH_TOKEN", "INPUT_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"];

/// Where the runner takes results from, and what it says of the run.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Runner {
    /// The file of the outputs.
    pub(super) output: Option<PathBuf>,
    /// The file of the step summary.
    pub(super) summary: Option<PathBuf>,
    /// The folder for files of this run.
    pub(super) temp: PathBuf,
    /// The root of the checkout.
    pub(super) workspace: Option<PathBuf>,
    /// The host of the repository.
    pub(in crate::cli) server: String,
    /// The address of the API.
    pub(in crate::cli) api: String,
    /// The number of the run and of its attempt.
    pub(in crate::cli) run: (u64, u64),
}

/// The run that a workflow asks for.
pub(super) struct Asked {
    /// What happened.
    pub(super) event: Event,
    /// What the workflow wants.
    pub(super) inputs: Inputs,
    /// The repository that it runs in.
    pub(super) repository: RepoName,
    /// The token, where the step has one.
    pub(super) token: Option<Token>,
    /// Tells this gate's comment from those of others.
    pub(super) key: Key,
}

impl Runner {
    /// Reads what always holds.
    pub(in crate::cli) fn read(env: &Env) -> Self {
        let path = |name: &str| env.text(name).map(PathBuf::from);
        let number = |name: &str| env.text(name).and_then(|text| text.parse().ok()).unwrap_or(0);
        let text = |name: &str, default: &str| env.text(name).unwrap_or(default).to_owned();
        Self {
            output: path("GITHUB_OUTPUT"),
            summary: path("GITHUB_STEP_SUMMARY"),
            temp: path("RUNNER_TEMP").unwrap_or_else(std::env::temp_dir),
            workspace: path("GITHUB_WORKSPACE"),
            server: text("GITHUB_SERVER_URL", "https://github.com"),
            api: text("GITHUB_API_URL", "https://api.github.com"),
            run: (number("GITHUB_RUN_ID"), number("GITHUB_RUN_ATTEMPT")),
        }
    }
}

impl Asked {
    /// Reads the event, the inputs and the token.
    ///
    /// # Errors
    /// A variable, an input or the event is at fault.
    pub(super) fn read(env: &Env) -> Result<Self, Error> {
        let need = |name: &str| {
            env.text(name).ok_or_else(|| {
                Error::input(format!("{name} is not set"))
                    .hint("on GitHub Actions the runner sets it; elsewhere, judge with `diag-gate check`")
            })
        };
        let inputs = Inputs::read(|name| env.text(name)).map_err(|error| {
            Error::input(error.to_string()).hint("the inputs of the action are in docs/github.md")
        })?;
        let repository = RepoName::parse(need("GITHUB_REPOSITORY")?)?;
        let name = need("GITHUB_EVENT_NAME")?;
        let payload = payload(Path::new(need("GITHUB_EVENT_PATH")?))?;
        let event = Event::read(name, &payload, repository.as_str()).map_err(|error| {
            let told = Error::input(error.to_string());
            let told =
                std::error::Error::source(&error).map(|cause| told_with(&error, cause)).unwrap_or(told);
            told.hint(format!("it is run for {}; docs/github.md has a workflow", Event::NAMES.join(", ")))
        })?;
        let of_job = || {
            let words = [env.text("GITHUB_WORKFLOW"), env.text("GITHUB_JOB")];
            key_of_job(words.into_iter().flatten())
        };
        let key = inputs.comment_key.clone().unwrap_or_else(of_job);
        let token = Token::new(env.text("GITHUB_TOKEN").unwrap_or_default())?;
        Ok(Self { event, inputs, repository, token, key })
    }
}

fn told_with(error: &dyn std::error::Error, cause: &dyn std::error::Error) -> Error {
    Error::input(error.to_string()).because(cause)
}

/// The payload of the event.
#[expect(clippy::disallowed_methods, reason = "the runner names the file")]
fn payload(file: &Path) -> Result<Vec<u8>, Error> {
    let failed = |error: &std::io::Error| {
        Error::input(format!("the payload of the event cannot be read: {}", file.display())).because(error)
    };
    let size = file.metadata().map_err(|error| failed(&error))?.len();
    if size > MAX_PAYLOAD_BYTES {
        return Err(Error::input(format!(
            "the payload of the event has {size} bytes, of which {MAX_PAYLOAD_BYTES} are read"
        )));
    }
    std::fs::read(file).map_err(|error| failed(&error))
}

/// Who writes an acceptance.
#[derive(Clone, Debug)]
pub(super) struct Author {
    /// The name. Untrusted text.
    pub(super) name: String,
    /// The address.
    pub(super) email: String,
}

/// The environment of what runs beneath: git gets the token for one host and nothing else of it, and
/// knows who acts.
pub(super) fn beneath(env: &Env, runner: &Runner, token: Option<&Token>, author: Option<&Author>) -> Env {
    let mut variables: Vec<(OsString, OsString)> = env
        .variables
        .iter()
        .filter(|(name, _)| !SECRETS.iter().any(|secret| name == secret))
        .cloned()
        .collect();
    let mut set = |name: &str, value: &str, only_where_unset: bool| {
        let is_set = variables.iter().any(|(known, value)| known == name && !value.is_empty());
        if !(only_where_unset && is_set) {
            variables.retain(|(known, _)| known != name);
            variables.push((name.into(), value.into()));
        }
    };
    for (name, value) in [
        ("GIT_COMMITTER_NAME", BOT.0),
        ("GIT_COMMITTER_EMAIL", BOT.1),
        ("GIT_AUTHOR_NAME", BOT.0),
        ("GIT_AUTHOR_EMAIL", BOT.1),
        // A line that stands still is given up.
        ("GIT_HTTP_LOW_SPEED_LIMIT", "1000"),
        ("GIT_HTTP_LOW_SPEED_TIME", "10"),
    ] {
        set(name, value, true);
    }
    if let Some(author) = author {
        set("GIT_AUTHOR_NAME", &author.name, false);
        set("GIT_AUTHOR_EMAIL", &author.email, false);
    }
    let before = env.text("GIT_CONFIG_COUNT").and_then(|count| count.parse().ok()).unwrap_or(0);
    for (name, value) in token.map(|token| git_variables(token, &runner.server, before)).unwrap_or_default() {
        set(&name, &value, false);
    }
    Env { interactive: false, network_limit: Some(GIT_LIMIT), variables, ..env.clone() }
}
