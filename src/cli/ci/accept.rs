//! `/diag-gate accept SHA reason` in a comment: everything is looked at at the moment of use.
//!
//! Spec: github.md, `issue_comment`, and the behaviours 37 to 40 of its evidence: the permission first, then the
//! head, so that nothing that was pushed after a look is accepted.

use crate::cli::accept;
use crate::cli::args::{AcceptArgs, Global};
use crate::cli::ci::judging::{self, Judged};
use crate::cli::ci::publish::{self, Book, Told};
use crate::cli::ci::subject::{Room, Subject};
use crate::cli::ci::surroundings::{Author, beneath};
use crate::cli::ci::{Failure, Stage, start};
use crate::cli::console::Console;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::github::{AcceptCommand, Client, IssueComment, PullEvent, PullRequest, Reaction};

/// Why a command is not followed.
enum Refusal {
    /// The answer is no.
    No(String),
    /// It could not be told.
    Undecided(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Undecided(failure)
    }
}

fn no<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::No(why.into()))
}

/// Follows the command in a comment; a comment without one is passed over in silence.
///
/// # Errors
/// The log cannot be written.
pub(super) fn run(stage: &Stage<'_>, comment: &IssueComment, console: &mut Console) -> Result<Exit, Error> {
    let command = AcceptCommand::read(&comment.body).filter(|_| comment.is_new && comment.on_pull_request);
    let Some(command) = command else { return Ok(Exit::Passed) };
    let mut book = Book::default();
    let exit = match follow(stage, comment, &command, &mut book, console) {
        Ok(exit) => {
            react(stage, comment, Reaction::Up, console);
            exit
        }
        Err(Refusal::No(why)) => {
            react(stage, comment, Reaction::Down, console);
            book.refused();
            publish::warn(console, &format!("refused: {why}"))?;
            Exit::Blocked
        }
        Err(Refusal::Undecided(failure)) => {
            react(stage, comment, Reaction::Down, console);
            book.undecided();
            publish::warn(console, &format!("could not decide: {}", failure.for_log()))?;
            Exit::Surroundings
        }
    };
    book.close(stage.runner, exit)?;
    Ok(exit)
}

fn follow(
    stage: &Stage<'_>,
    comment: &IssueComment,
    command: &AcceptCommand,
    book: &mut Book,
    console: &mut Console,
) -> Result<Exit, Refusal> {
    let client = stage.client.as_ref().ok_or_else(|| {
        Failure::told(Error::input("there is no token").hint("give the action its input `token`"))
    })?;
    react(stage, comment, Reaction::Eyes, console);
    let pull = allowed(stage, client, comment, command)?;
    let author = author(stage, client, comment);
    let env = beneath(stage.env, stage.runner, stage.asked.token.as_ref(), Some(&author));
    let stage = &Stage { beneath: &env, ..*stage };
    let event = PullEvent {
        number: pull.number,
        head: command.head.clone(),
        base_branch: pull.base_ref.clone(),
        base: pull.base_sha.clone(),
        is_fork: pull.is_from_fork(&stage.asked.repository),
    };
    let room = Room::find(stage, &start(stage), console).map_err(Failure::told)?;
    let subject = Subject::of_pull_request(room, &event, stage).map_err(Failure::told)?;
    let judged = judging::judge(stage, &subject, console)?;
    refuse(command, &judged)?;
    let again = client.pull_request(comment.number).map_err(|error| Failure::told(error.into()))?;
    if again.head_sha != command.head {
        return no("the pull request has moved on since");
    }
    accept_pending(stage, command, &subject)?;
    let Judged { evaluation, decision, names, place } = judged;
    let Some((_, chosen)) = decision else { return no("there is no baseline yet") };
    let decision = Some(judging::decide(stage, &subject, &evaluation, chosen, console)?);
    let judged = Judged { evaluation, decision, names, place };
    let told = Told { subject: &subject, judged: &judged, pull: Some(&event) };
    Ok(publish::decision(stage, &told, book, console).map_err(Failure::told)?)
}

/// Who may accept what: permission, state, head, fork, own.
fn allowed(
    stage: &Stage<'_>,
    client: &Client,
    comment: &IssueComment,
    command: &AcceptCommand,
) -> Result<PullRequest, Refusal> {
    let failed = |error: crate::github::GitHubError| Failure::told(error.into());
    let inputs = &stage.asked.inputs;
    let may_write = match client.permission(&comment.login) {
        Ok(permission) => permission.may_write(),
        // GitHub knows nobody of that name here.
        Err(error) if error.is_absent() => false,
        Err(error) => return Err(failed(error).into()),
    };
    if !may_write {
        return no("whoever comments may not write to this repository");
    }
    let pull = client.pull_request(comment.number).map_err(failed)?;
    if !pull.open {
        return no("the pull request is not open");
    }
    if pull.head_sha != command.head {
        return no(format!(
            "the newest commit is {}, another one than the comment names",
            pull.head_sha.as_str()
        ));
    }
    if pull.is_from_fork(&stage.asked.repository) && !inputs.accept_forks {
        return no("the pull request comes from a fork, and `accept-forks` is not set");
    }
    let own = pull.author.as_ref().is_none_or(|author| author.id == comment.user);
    if own && !inputs.accept_own {
        return no("nobody accepts a pull request of his own, unless `accept-own` is set");
    }
    Ok(pull)
}

/// What no comment can accept.
fn refuse(command: &AcceptCommand, judged: &Judged) -> Result<(), Refusal> {
    let Some((gate, _)) = &judged.decision else { return no("there is no baseline yet") };
    if !judged.keeps_names() {
        return no("it changes the name of the suite or `store.prefix`, by which its baseline is found");
    }
    if gate.blocking > 0 && command.reason.is_none() {
        return no(format!("{} in number block; say why behind the commit", gate.blocking));
    }
    Ok(())
}

/// `accept --pending --push`, with the commenter as the author.
fn accept_pending(stage: &Stage<'_>, command: &AcceptCommand, subject: &Subject) -> Result<(), Refusal> {
    let arguments = AcceptArgs {
        rev: subject.commit.as_str().to_owned(),
        baseline: stage.baseline().to_owned(),
        cases: Vec::new(),
        pending: true,
        reason: command.reason.clone(),
        yes: true,
        dry_run: false,
        push: Some("origin".to_owned()),
        sign: false,
        allow_unjudged: false,
        allow_shrunk: false,
        allow_none_passing: false,
    };
    let global = Global { start: Some(subject.ground.start.clone()), ..stage.global.clone() };
    match accept::run(&arguments, &global, stage.beneath, &mut Console::silent()) {
        Ok(_) => Ok(()),
        Err(error) if error.kind == ErrorKind::Input => no(error.message),
        Err(error) => Err(Failure::told(error).into()),
    }
}

/// The commenter, as git writes a person.
fn author(stage: &Stage<'_>, client: &Client, comment: &IssueComment) -> Author {
    let (login, id) = (&comment.login, comment.user);
    let host = stage.runner.server.split("://").nth(1).unwrap_or("github.com").trim_end_matches('/');
    let name = client.user(login).ok().and_then(|user| user.name).filter(|name| !name.trim().is_empty());
    Author {
        name: name.map_or_else(|| login.clone(), |name| format!("{} ({login})", one_line(&name))),
        email: format!("{id}+{login}@users.noreply.{host}"),
    }
}

fn one_line(name: &str) -> String {
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    name.trim().chars().map(plain).take(200).collect()
}

/// Answers the comment. One that cannot be answered changes nothing.
fn react(stage: &Stage<'_>, comment: &IssueComment, reaction: Reaction, console: &mut Console) {
    let Some(client) = &stage.client else { return };
    if let Err(error) = client.react(comment.id, reaction) {
        console.notice(&format!("the comment could not be answered: {error}"));
    }
}
