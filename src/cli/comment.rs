//! `comment`: posts a saved decision to a pull request, by the rules by which `ci` does.
//!
//! What was saved may have been changed by whoever saved it: the comment says that it is what the run reports,
//! and not verified. Spec: github.md, "The comment".

use std::path::Path;

use jiff::Timestamp;

use crate::cli::args::{CommentArgs, Global};
use crate::cli::ci::surroundings::Runner;
use crate::cli::console::{Console, Page};
use crate::cli::ground::Ground;
use crate::cli::judgement::{self, Against};
use crate::cli::{check, read_file};
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::gate::{self, SavedGate, SavedLink};
use crate::git::GitStore;
use crate::github::{Client, CommentStatus, Key, Limits, Mode, RepoName, Stamp, Token, Wanted, publish};
use crate::ids::ObjectId;
use crate::render::escape::Untrusted;
use crate::render::view::{Background, BaselineNote, View};
use crate::render::{self, COMMENT_BYTES, Frame, Note, Places};
use crate::report::Report;

/// The largest decision that is read, in bytes: one of 100,000 changed cases is smaller.
const MAX_BYTES: u64 = 256 << 20;
const NOT_VERIFIED: &str = "This is what the run of the pull request reports. It was not verified.";

pub(super) fn run(
    arguments: &CommentArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let key = match &arguments.key {
        Some(key) => Key::parse(key).ok_or_else(|| {
            Error::input(format!("`{key}` is no key of a comment")).hint(format!("a key is {}", Key::RULE))
        })?,
        None => Key::parse("diag-gate").expect("letters and a dash"),
    };
    let view = match (&arguments.diff, &arguments.report) {
        (Some(file), _) => of_decision(file, global, env)?,
        (None, Some(file)) => of_report(file, arguments, global, env, console)?,
        (None, None) => return Err(Error::input("neither `--diff` nor `--report` is given")),
    };
    let marker = key.marker();
    let frame = Frame { marker: &marker, notes: vec![Note::plain(NOT_VERIFIED)], ..Frame::default() };
    if arguments.dry_run {
        let page = render::comment(&view, &frame, COMMENT_BYTES);
        return console.result(&Page::Document(page), None).map(|()| Exit::Passed);
    }
    let runner = Runner::read(env);
    let (client, repository) = client(env, &runner)?;
    let stamp = Stamp { head: head(arguments, &client)?, run_id: runner.run.0, run_attempt: runner.run.1 };
    let line = stamp.line(&runner.server, &repository);
    let body = render::comment(&view, &Frame { stamp: &line, ..frame }, COMMENT_BYTES);
    let wanted = Wanted::new(key, Mode::Auto, view.is_clean(), stamp, &body);
    let published = publish(&client, arguments.pr, &wanted);
    for warning in &published.warnings {
        console.notice(warning);
    }
    let url = published.url.map(|url| format!(" {url}")).unwrap_or_default();
    console.data(&render::sentence(&format!("comment {}{url}", published.status.as_str())))?;
    match published.status {
        CommentStatus::Failed | CommentStatus::SkippedReadOnly => {
            Err(Error::surroundings("the comment was not posted").hint("see what stands above"))
        }
        CommentStatus::Created
        | CommentStatus::Updated
        | CommentStatus::Unchanged
        | CommentStatus::SkippedClean
        | CommentStatus::SkippedStale
        | CommentStatus::SkippedNoPr
        | CommentStatus::SkippedDisabled => Ok(Exit::Passed),
    }
}

/// The commit that was judged: the one that is named, or the pull request's newest.
fn head(arguments: &CommentArgs, client: &Client) -> Result<ObjectId, Error> {
    match &arguments.head {
        Some(head) => ObjectId::parse(head).ok_or_else(|| {
            Error::input(format!("`{head}` is no commit id")).hint("`--head` takes all 40 digits of it")
        }),
        None => Ok(client.pull_request(arguments.pr)?.head_sha),
    }
}

fn client(env: &Env, runner: &Runner) -> Result<(Client, RepoName), Error> {
    let name = env.text("GITHUB_REPOSITORY").ok_or_else(|| {
        Error::input("GITHUB_REPOSITORY is not set").hint("set it to `OWNER/NAME`, or try with `--dry-run`")
    })?;
    let token = Token::new(env.text("GITHUB_TOKEN").unwrap_or_default())?.ok_or_else(|| {
        Error::input("GITHUB_TOKEN is not set")
            .hint("set it to a token that may write comments, or try with `--dry-run`")
    })?;
    let repository = RepoName::parse(name)?;
    Ok((Client::new(&runner.api, &repository, Some(token), Limits::default())?, repository))
}

/// A decision that was saved.
fn of_decision(file: &Path, global: &Global, env: &Env) -> Result<View, Error> {
    let path = env.working_folder.clone().unwrap_or_default();
    let path = global.start.iter().fold(path, |folder, next| folder.join(next)).join(file);
    let size = path.metadata().map_or(0, |found| found.len());
    if size > MAX_BYTES {
        return Err(Error::input(format!(
            "{} has {size} bytes, of which {MAX_BYTES} are read",
            file.display()
        )));
    }
    let SavedGate { gate, link } = gate::read(&read_file(&path)?).map_err(|error| {
        Error::input(format!("{} cannot be read", file.display()))
            .because(&error)
            .hint("write it anew: `diag-gate check --format json`")
    })?;
    let background = Background {
        current: &Report::new(None, Vec::new()),
        places: Places::default(),
        baseline: link.map(|link| note(link, env.now)),
        commands: None,
    };
    Ok(View::new(&gate, background))
}

/// A report that was saved, judged here.
fn of_report(
    file: &Path,
    arguments: &CommentArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<View, Error> {
    let ground = Ground::new(global, env, console)?;
    let mut evaluation = check::saved(file, &ground, global)?;
    let place = judgement::place(&evaluation.suite.config, &arguments.baseline)?;
    let repository = ground.repository()?;
    let chosen = judgement::choose(repository, &place, &evaluation)?.ok_or_else(|| {
        Error::input(format!("there is no baseline {}", place.title()))
            .hint("fetch the team's: `diag-gate sync`")
    })?;
    // A saved report proposes no settings: those in force stand for them.
    evaluation.suite.config = chosen.baseline.policy.clone();
    let pending = check::counting(&GitStore::new(repository), &place, &chosen, console)?;
    let against = Against { baseline: &chosen.baseline, pending: &pending };
    let gate = judgement::judge(against, &evaluation, &ground, global, judgement::today(env.now))?;
    let rule = judgement::words(&chosen.rule);
    Ok(judgement::view(&gate, &evaluation, &chosen.baseline, rule, env.now))
}

/// What a decision says of its baseline.
fn note(link: SavedLink, now: Timestamp) -> BaselineNote {
    let parts: Vec<&str> = link.r#ref.rsplit('/').take(2).collect();
    let title = parts.into_iter().rev().collect::<Vec<_>>().join("/");
    let short = |id: &str| id.chars().take(12).collect::<String>();
    let age = match link.accepted_at.parse::<Timestamp>() {
        Ok(moment) => judgement::age(moment.as_second(), now),
        Err(_) => link.accepted_at.clone(),
    };
    BaselineNote {
        title: Untrusted::new(title),
        commit: Untrusted::new(short(&link.commit)),
        evaluated: Untrusted::new(short(&link.evaluated)),
        by: Untrusted::new(link.by),
        age: Untrusted::new(age),
        rule: Untrusted::new(format!("the rule `{}`", link.rule)),
    }
}
