//! What a run publishes: files, annotations, step summary, comment, check run, outputs. Whatever of it does not
//! work is a warning, and changes nothing of the decision.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::cli::ci::judging::Judged;
use crate::cli::ci::next::{commands, ways};
use crate::cli::ci::subject::Subject;
use crate::cli::ci::surroundings::Runner;
use crate::cli::ci::{Failure, Stage};
use crate::cli::console::{Console, Page};
use crate::cli::{check, judgement};
use crate::diff::Severity;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::gate::{Gate, Outcome};
use crate::github::{
    self, CheckRun, CommentStatus, Conclusion, Event, Mode, Outputs, Published, PullEvent, Stamp, Verdict,
    Wanted,
};
use crate::ids::ObjectId;
use crate::render::escape::{Untrusted, command_data, log_line};
use crate::render::view::View;
use crate::render::{self, COMMENT_BYTES, Frame, Note};
use crate::report::write_json;

/// What GitHub takes of step summaries, in bytes, less some slack.
const SUMMARY_BYTES: usize = 1_000_000;
/// What GitHub takes of the summary of a check run, in bytes.
const CHECK_RUN_BYTES: usize = 65_000;

/// The outputs, as they come together.
pub(super) struct Book {
    verdict: Verdict,
    outputs: Outputs,
}

impl Default for Book {
    fn default() -> Self {
        Self { verdict: Verdict::Error, outputs: Outputs::default() }
    }
}

impl Book {
    /// A command was refused.
    pub(super) fn refused(&mut self) {
        self.verdict = Verdict::Fail;
    }

    /// It could not be told.
    pub(super) fn undecided(&mut self) {
        self.verdict = Verdict::Error;
    }

    /// Writes the outputs.
    ///
    /// # Errors
    /// The file cannot be written: the workflow would read nothing of the decision.
    pub(super) fn close(&mut self, runner: &Runner, exit: Exit) -> Result<(), Error> {
        let Some(file) = &runner.output else { return Ok(()) };
        let mut outputs = Outputs::default();
        outputs.decided(self.verdict, exit);
        let text = format!("{}{}", outputs.to_text(), self.outputs.to_text());
        append(file, &text).map_err(|error| {
            Error::surroundings(format!("the outputs cannot be written to {}", file.display()))
                .because(&error)
        })
    }
}

/// One warning of our own words. Escaped here.
///
/// # Errors
/// The log cannot be written.
pub(super) fn warn(console: &mut Console, text: &str) -> Result<(), Error> {
    command(console, "warning", text)
}

fn command(console: &mut Console, level: &str, text: &str) -> Result<(), Error> {
    let page = format!("::{level} title=diag-gate::{}\n", command_data(text));
    console.result(&Page::Document(page), None)
}

/// What is published.
#[derive(Clone, Copy)]
pub(super) struct Told<'a> {
    /// What was judged.
    pub(super) subject: &'a Subject,
    /// What came of it.
    pub(super) judged: &'a Judged,
    /// The pull request that is told; `None` where there is none.
    pub(super) pull: Option<&'a PullEvent>,
}

/// Publishes a decision, and gives what it ends with.
///
/// # Errors
/// A file of this run or the log cannot be written.
pub(super) fn decision(
    stage: &Stage<'_>,
    told: &Told<'_>,
    book: &mut Book,
    console: &mut Console,
) -> Result<Exit, Error> {
    let Told { subject, judged, pull } = *told;
    let folder = folder(stage)?;
    let report = folder.join("report.json");
    let written = console.document(Some(&report), |sink| write_json(&judged.evaluation.report, sink));
    written.map_err(in_runner_temp)?;
    book.outputs.path("report-path", &report);
    let Some((gate, chosen)) = &judged.decision else {
        return without_baseline(stage, judged, pull, book, console);
    };
    let diff = folder.join("diff.json");
    console.result(&Page::Document(check::json(gate, chosen)), Some(&diff)).map_err(in_runner_temp)?;
    book.outputs.path("diff-path", &diff);
    count(gate, book);
    let view = view(stage, subject, judged, pull);
    log(stage, &view, console)?;
    let about =
        About { pull, note: subject.note, accept: ways(stage, &view, pull), is_clean: is_clean(gate) };
    let pages = Pages {
        comment: &|frame| render::comment(&view, frame, COMMENT_BYTES),
        summary: &|frame, bytes| render::summary(&view, frame, bytes),
    };
    publish(stage, &about, &pages, book, console)?;
    if stage.asked.inputs.check_run {
        let head = pull.map_or(&subject.commit, |pull| &pull.head);
        check_run(stage, head, gate, &view, console)?;
    }
    book.verdict = match gate.outcome {
        Outcome::Pass => Verdict::Pass,
        Outcome::Block => Verdict::Fail,
    };
    match gate.outcome {
        Outcome::Pass => Ok(Exit::Passed),
        Outcome::Block if stage.asked.inputs.advisory => {
            command(console, "notice", "blocked, but `advisory` is set: ending with 0")?;
            Ok(Exit::Passed)
        }
        Outcome::Block => Ok(Exit::Blocked),
    }
}

/// Publishes that it could not be judged, and gives what that ends with.
///
/// # Errors
/// The log or the outputs cannot be written.
pub(super) fn failure(
    stage: Option<&Stage<'_>>,
    runner: &Runner,
    failure: Failure,
    book: &mut Book,
    console: &mut Console,
) -> Result<Exit, Error> {
    let exit = match failure.error.kind {
        ErrorKind::Input => Exit::Input,
        ErrorKind::Surroundings => Exit::Surroundings,
    };
    command(console, "error", &format!("could not judge: {}", failure.for_log()))?;
    let error = &failure.error;
    let problems = std::iter::once(&error.message).chain(&error.details).chain(&error.causes);
    let problems: Vec<Untrusted> = problems.map(|text| Untrusted::new(text.as_str())).collect();
    let hints: Vec<Untrusted> = error.hints.iter().map(|text| Untrusted::new(text.as_str())).collect();
    let pages = Pages {
        comment: &|frame| render::could_not_judge(frame, &problems, &hints, COMMENT_BYTES),
        summary: &|frame, bytes| render::could_not_judge(frame, &problems, &hints, bytes),
    };
    match stage {
        Some(stage) => {
            let pull = stage.asked.event.pull_request();
            let about = About { pull, note: None, accept: Vec::new(), is_clean: false };
            publish(stage, &about, &pages, book, console)?;
        }
        None => summarize(runner, &Frame::default(), &pages, console)?,
    }
    book.verdict = Verdict::Error;
    book.close(runner, exit)?;
    Ok(exit)
}

/// Nothing was compared, which the workflow allows.
fn without_baseline(
    stage: &Stage<'_>,
    judged: &Judged,
    pull: Option<&PullEvent>,
    book: &mut Book,
    console: &mut Console,
) -> Result<Exit, Error> {
    let told = format!("there is no baseline {}: nothing was compared", judged.place.title());
    command(console, "notice", &told)?;
    let report = &judged.evaluation.report;
    let pages = Pages {
        comment: &|frame| render::nothing_compared(report, frame),
        summary: &|frame, _| render::nothing_compared(report, frame),
    };
    let about = About { pull, note: None, accept: Vec::new(), is_clean: true };
    publish(stage, &about, &pages, book, console)?;
    book.verdict = Verdict::Pass;
    Ok(Exit::Passed)
}

/// What is published beside the pages themselves.
struct About<'a> {
    pull: Option<&'a PullEvent>,
    note: Option<&'static str>,
    accept: Vec<Untrusted>,
    is_clean: bool,
}

/// One result for two sinks.
struct Pages<'a> {
    comment: &'a dyn Fn(&Frame<'_>) -> String,
    summary: &'a dyn Fn(&Frame<'_>, usize) -> String,
}

fn publish(
    stage: &Stage<'_>,
    about: &About<'_>,
    pages: &Pages<'_>,
    book: &mut Book,
    console: &mut Console,
) -> Result<(), Error> {
    let (run_id, run_attempt) = stage.runner.run;
    let stamp = about.pull.map(|pull| Stamp { head: pull.head.clone(), run_id, run_attempt });
    let line = stamp.as_ref().map(|stamp| stamp.line(&stage.runner.server, &stage.asked.repository));
    let marker = stage.asked.key.marker();
    let address = stage.run_address().filter(|_| stage.asked.inputs.summary);
    let frame = Frame {
        marker: &marker,
        stamp: line.as_deref().unwrap_or_default(),
        notes: about.note.map(Note::plain).into_iter().collect(),
        summary: address.as_deref(),
        reproduce: None,
        accept: about.accept.clone(),
    };
    if stage.asked.inputs.summary {
        summarize(stage.runner, &Frame { marker: "", ..frame.clone() }, pages, console)?;
    }
    let published = match (stamp, about.pull) {
        (Some(stamp), Some(pull)) => comment(stage, (pull, stamp), about, &(pages.comment)(&frame)),
        _no_pull_request => Published::nothing(CommentStatus::SkippedNoPr),
    };
    for warning in &published.warnings {
        warn(console, warning)?;
    }
    book.outputs.word("comment-status", published.status.as_str());
    if let Some(id) = published.id {
        book.outputs.number("comment-id", id);
    }
    if let Some(url) = &published.url {
        book.outputs.address("comment-url", url);
    }
    Ok(())
}

fn comment(
    stage: &Stage<'_>,
    (pull, stamp): (&PullEvent, Stamp),
    about: &About<'_>,
    body: &str,
) -> Published {
    let mode = stage.asked.inputs.comment;
    let is_read_only = pull.is_fork && matches!(stage.asked.event, Event::PullRequest(_));
    match stage.client {
        _ if mode == Mode::Never => Published::nothing(CommentStatus::SkippedDisabled),
        _ if is_read_only => Published::nothing(CommentStatus::SkippedReadOnly),
        None => Published {
            warnings: vec![
                "there is no comment without a token: give the action its input `token`".to_owned(),
            ],
            ..Published::nothing(CommentStatus::Failed)
        },
        Some(client) => {
            let wanted = Wanted::new(stage.asked.key.clone(), mode, about.is_clean, stamp, body);
            github::publish(client, pull.number, &wanted)
        }
    }
}

/// Adds to the step summary, within what GitHub takes of it.
fn summarize(
    runner: &Runner,
    frame: &Frame<'_>,
    pages: &Pages<'_>,
    console: &mut Console,
) -> Result<(), Error> {
    let Some(file) = &runner.summary else { return Ok(()) };
    let held = file.metadata().map_or(0, |found| usize::try_from(found.len()).unwrap_or(usize::MAX));
    let page = (pages.summary)(frame, SUMMARY_BYTES.saturating_sub(held));
    if held.saturating_add(page.len()) > SUMMARY_BYTES {
        return warn(console, "the step summary is full: the result does not stand in it");
    }
    match append(file, &page) {
        Ok(()) => Ok(()),
        Err(error) => warn(console, &format!("the step summary cannot be written: {error}")),
    }
}

fn append(file: &Path, text: &str) -> std::io::Result<()> {
    std::fs::OpenOptions::new().create(true).append(true).open(file)?.write_all(text.as_bytes())
}

/// The folder for files of this gate in this run.
fn folder(stage: &Stage<'_>) -> Result<PathBuf, Error> {
    let folder = stage.runner.temp.join("diag-gate").join(stage.asked.key.as_str());
    std::fs::create_dir_all(&folder).map_err(|error| {
        Error::surroundings(format!("cannot make the folder {}", folder.display())).because(&error)
    })?;
    Ok(folder)
}

/// A file there could not be written: no option names another.
fn in_runner_temp(error: Error) -> Error {
    Error { hints: vec!["see to it that the folder of `RUNNER_TEMP` can be written to".to_owned()], ..error }
}

fn count(gate: &Gate, book: &mut Book) {
    let of = |severity: Severity| {
        gate.entries.iter().filter(|judged| judged.entry.severity == severity).count() as u64
    };
    book.outputs.number("regressions", of(Severity::Regression));
    book.outputs.number("improvements", of(Severity::Improvement));
    book.outputs.number("changes", of(Severity::Change));
    book.outputs.number("blocking", gate.blocking);
}

/// Annotations, and on demand the whole decision, between a stop and a resume that nobody can guess.
fn log(stage: &Stage<'_>, view: &View, console: &mut Console) -> Result<(), Error> {
    let page = render::github(view);
    let page = match stage.asked.inputs.annotations {
        true => page,
        false => page.lines().take(1).map(|line| format!("{line}\n")).collect(),
    };
    console.result(&Page::Document(page), None)?;
    if !stage.global.verbose {
        return Ok(());
    }
    let token = token();
    let text = render::decision::text(view);
    let text = anstream::adapter::strip_str(&text).to_string();
    let lines: String = text.lines().map(|line| format!("| {}\n", log_line(line))).collect();
    console.result(&Page::Document(format!("::stop-commands::{token}\n{lines}::{token}::\n")), None)
}

/// 128 bits that nobody can guess, in hex.
fn token() -> String {
    let bits = || std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0u8);
    format!("{:016x}{:016x}", bits(), bits())
}

fn view(stage: &Stage<'_>, subject: &Subject, judged: &Judged, pull: Option<&PullEvent>) -> View {
    let (gate, chosen) = judged.decision.as_ref().expect("what is laid out was decided");
    let rule = judgement::words(&chosen.rule);
    let mut view = judgement::view(gate, &judged.evaluation, &chosen.baseline, rule, stage.env.now);
    view.commands = Some(commands(stage, subject, gate, pull));
    view
}

/// "Clean" means no entry at all.
fn is_clean(gate: &Gate) -> bool {
    gate.entries.is_empty() && gate.outcome == Outcome::Pass
}

/// The check run, on the newest commit of the pull request: on its test merge nobody would see it.
fn check_run(
    stage: &Stage<'_>,
    head: &ObjectId,
    gate: &Gate,
    view: &View,
    console: &mut Console,
) -> Result<(), Error> {
    let Some(client) = stage.client else {
        return warn(console, "there is no check run without a token: give the action its input `token`");
    };
    let conclusion = match gate.outcome {
        Outcome::Pass => Conclusion::Success,
        Outcome::Block if stage.asked.inputs.advisory => Conclusion::Neutral,
        Outcome::Block => Conclusion::Failure,
    };
    let summary = render::summary(view, &Frame::default(), CHECK_RUN_BYTES);
    let run = CheckRun {
        head,
        key: &stage.asked.key,
        conclusion,
        title: &view.headline,
        summary: &summary,
        annotations: &[],
    };
    match client.create_check_run(&run) {
        Ok(_) => Ok(()),
        Err(error) => warn(console, &format!("the check run was not made: {error}")),
    }
}
