//! `ci`: the gate on GitHub Actions. Reads the event, fetches what it needs and nothing else, judges, and
//! publishes comment, step summary, annotations and outputs.
//!
//! Spec: github.md. Publishing never changes what was decided: whatever GitHub answers, the exit status is the
//! gate's.

mod accept;
mod judging;
mod next;
mod promote;
mod publish;
mod subject;
pub(super) mod surroundings;

use std::path::PathBuf;

use crate::cli::args::{CheckArgs, CheckFormat, ContentArgs, Global, OutputArgs};
use crate::cli::check;
use crate::cli::console::Console;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::github::{Client, Event, Inputs, Limits};
use crate::ids::ObjectId;
use publish::{Book, Told};
use subject::{Mergeable, Subject};
use surroundings::{Asked, Runner, beneath};

/// What every step of a run needs.
#[derive(Clone, Copy)]
struct Stage<'a> {
    /// The global options, with the suite that the workflow names.
    global: &'a Global,
    /// The environment of the run.
    env: &'a Env,
    /// The environment of what runs beneath.
    beneath: &'a Env,
    /// What the runner says.
    runner: &'a Runner,
    /// What is asked for.
    asked: &'a Asked,
    /// The way to GitHub; `None` without a token.
    client: Option<&'a Client>,
}

/// A failure, and how much of it may stand in the log of a run, where no text of a pull request belongs.
struct Failure {
    error: Error,
    is_of_content: bool,
}

impl Failure {
    /// Of the surroundings, the command line or the workflow.
    fn told(error: Error) -> Self {
        Self { error, is_of_content: false }
    }

    /// Of what the revision holds.
    fn of_content(error: Error) -> Self {
        Self { error, is_of_content: true }
    }

    /// What the log says of it.
    fn for_log(&self) -> String {
        if self.is_of_content {
            return "what the revision holds cannot be judged; the step summary says why".to_owned();
        }
        let hints = self.error.hints.iter().map(|hint| format!("; {hint}"));
        let causes = self.error.causes.iter().map(|cause| format!(": {cause}"));
        std::iter::once(self.error.message.clone()).chain(causes).chain(hints).collect()
    }
}

/// Judges what a workflow runs for; elsewhere, prints the report as `check` does.
///
/// # Errors
/// Off Actions: as `check`. On Actions, the log cannot be written.
pub(super) fn run(global: &Global, env: &Env, console: &mut Console) -> Result<Exit, Error> {
    if env.text("GITHUB_ACTIONS").is_none() {
        console
            .notice("this is no run of GitHub Actions: the report is printed as `diag-gate check` prints it");
        return off_actions(global, env, console);
    }
    let runner = Runner::read(env);
    let mut book = Book::default();
    let asked = match Asked::read(env) {
        Ok(asked) => asked,
        Err(error) => return publish::failure(None, &runner, Failure::told(error), &mut book, console),
    };
    let global = with_suite(global, &asked.inputs);
    let beneath = beneath(env, &runner, asked.token.as_ref(), None);
    let client = match client(&runner, &asked) {
        Ok(client) => client,
        Err(error) => {
            publish::warn(
                console,
                &format!("GitHub cannot be spoken to: {}", Failure::told(error).for_log()),
            )?;
            None
        }
    };
    let stage = Stage {
        global: &global,
        env,
        beneath: &beneath,
        runner: &runner,
        asked: &asked,
        client: client.as_ref(),
    };
    if let Event::IssueComment(comment) = &asked.event {
        return accept::run(&stage, comment, console);
    }
    match judge(&stage, &mut book, console) {
        Ok(exit) => book.close(&runner, exit).map(|()| exit),
        Err(failure) => publish::failure(Some(&stage), &runner, failure, &mut book, console),
    }
}

fn judge(stage: &Stage<'_>, book: &mut Book, console: &mut Console) -> Result<Exit, Failure> {
    let subject = Subject::of_event(stage, &start(stage), console).map_err(Failure::told)?;
    let judged = judging::judge(stage, &subject, console)?;
    let told = Told { subject: &subject, judged: &judged, pull: stage.asked.event.pull_request() };
    let exit = publish::decision(stage, &told, book, console).map_err(Failure::told)?;
    match &stage.asked.event {
        Event::Push(push)
            if stage.asked.inputs.promote && push.after.is_some() && judged.decision.is_some() =>
        {
            promote::run(stage, &subject, &judged, exit, console).map_err(Failure::told)
        }
        Event::PullRequest(_)
        | Event::PullRequestTarget(_)
        | Event::MergeGroup(_)
        | Event::Push(_)
        | Event::IssueComment(_)
        | Event::Other => Ok(exit),
    }
}

/// The folder to start from.
fn start(stage: &Stage<'_>) -> PathBuf {
    let working = stage.env.working_folder.clone().unwrap_or_default();
    let chosen = stage.global.start.iter().cloned();
    let directory = stage.asked.inputs.working_directory.iter().map(PathBuf::from);
    chosen.chain(directory).fold(working, |folder, next| folder.join(next))
}

fn with_suite(global: &Global, inputs: &Inputs) -> Global {
    match &inputs.suite {
        Some(suite) => Global { suite: suite.into(), ..global.clone() },
        None => global.clone(),
    }
}

fn client(runner: &Runner, asked: &Asked) -> Result<Option<Client>, Error> {
    let Some(token) = &asked.token else { return Ok(None) };
    let client = Client::new(&runner.api, &asked.repository, Some(token.clone()), Limits::default())?;
    Ok(Some(client))
}

fn off_actions(global: &Global, env: &Env, console: &mut Console) -> Result<Exit, Error> {
    let inputs = Inputs::read(|name| env.text(name)).map_err(|error| Error::input(error.to_string()))?;
    let arguments = CheckArgs {
        content: ContentArgs { rev: "HEAD".to_owned(), worktree: false },
        report: None,
        baseline: inputs.baseline.clone().unwrap_or_else(|| "main".to_owned()),
        format: CheckFormat::Text,
        allow_missing_baseline: inputs.allow_missing_baseline,
        advisory: inputs.advisory,
        no_reuse: false,
        output: OutputArgs { file: None },
    };
    check::run(&arguments, &with_suite(global, &inputs), env, console)
}

impl Stage<'_> {
    /// The name of the baseline.
    fn baseline(&self) -> &str {
        self.asked.inputs.baseline.as_deref().unwrap_or("main")
    }

    /// Where a person finds the run and its step summary.
    fn run_address(&self) -> Option<String> {
        let server = self.runner.server.trim_end_matches('/');
        let (run, attempt) = self.runner.run;
        let plain = server.starts_with("https://") || server.starts_with("http://");
        plain.then(|| {
            format!("{server}/{}/actions/runs/{run}/attempts/{attempt}", self.asked.repository.as_str())
        })
    }

    /// The commit that the workflow runs for.
    fn sha(&self) -> Result<ObjectId, Error> {
        let sha = self.env.text("GITHUB_SHA").and_then(ObjectId::parse);
        sha.ok_or_else(|| {
            Error::input("GITHUB_SHA names no commit, and there is no checkout")
                .hint("check the repository out before the gate")
        })
    }

    /// Whether GitHub can merge a pull request.
    fn mergeable(&self, number: u64) -> Mergeable {
        let Some(client) = self.client else { return Mergeable::NotAsked };
        match client.pull_request(number) {
            Ok(pull) => match pull.mergeable {
                Some(true) => Mergeable::Yes,
                Some(false) => Mergeable::No,
                None => Mergeable::Unknown,
            },
            // GitHub's word only helps to wait: what counts is what git finds.
            Err(_) => Mergeable::NotAsked,
        }
    }
}
