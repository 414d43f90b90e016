//! Evaluates the suite of a revision or of the working tree, for every command that needs a report.

mod dirty;
mod places;
mod told;

use std::path::Path;

use crate::cli::args::{ContentArgs, Global, threads};
use crate::cli::console::bar::Watched;
use crate::cli::globs;
use crate::cli::ground::Ground;
use crate::error::Error;
use crate::evaluate::{self, CaseResult, Found, Matcher, Placed, RULES_VERSION, TraceIndex, evaluate_suite};
use crate::ids::ObjectId;
use crate::report::{self, Evaluator, Lent, Origin, Report, Shard, SourceState, content_digest};
use crate::suite::folder::{ChosenConfig, FreshTraces};
use crate::suite::source::{self, Part, Source};
use crate::suite::{Suite, load};
use dirty::{differs, found};
use places::{chosen_config, committed, folder_words, fresh_traces};

pub(super) use places::{chosen_settings, commit_source, folder, settings, settings_at, signers, suite_file};
pub(super) use told::{load_error, problem, source_error, tell_changes};

/// What was evaluated, and what came of it.
pub(super) struct Evaluation {
    /// The suite.
    pub(super) suite: Suite,
    /// Its report.
    pub(super) report: Report,
    /// The suite's folder in the repository, for messages. Untrusted text.
    pub(super) folder: String,
    /// The commit that was read; `None`: the working tree was.
    pub(super) commit: Option<ObjectId>,
}

/// What to evaluate beside the content itself.
#[derive(Clone, Copy, Default)]
pub(super) struct Choice<'a> {
    /// A folder of traces in place of the suite's own.
    pub(super) traces: Option<&'a Path>,
    /// Globs over case ids; none: all cases.
    pub(super) cases: &'a [String],
    /// The part to evaluate; none: the whole.
    pub(super) shard: Option<Shard>,
}

/// Is asked, once it is known what a suite and its traces are, for results that need no evaluation.
pub(super) trait Lender {
    /// The results that can be lent; `None`: all cases are to be evaluated. `origin` is that of the report
    /// to come.
    ///
    /// # Errors
    /// What is lent cannot be read or believed.
    fn lend(&mut self, suite: &Suite, origin: &Origin) -> Result<Option<Lent<'_>>, Error>;
}

/// The commit whose content is asked for; `None` for the working tree.
///
/// # Errors
/// The revision names no commit, or there is no repository to ask.
pub(super) fn revision(ground: &Ground, content: &ContentArgs) -> Result<Option<ObjectId>, Error> {
    if content.worktree {
        return Ok(None);
    }
    Ok(Some(ground.repository()?.resolve(&content.rev)?))
}

/// Evaluates a commit, out of the object database.
///
/// # Errors
/// The suite is at fault, or the surroundings failed.
pub(super) fn of_commit(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
    choice: Choice<'_>,
) -> Result<Evaluation, Error> {
    evaluate_commit(ground, global, commit, choice, None)
}

/// Evaluates the files of the working tree as they are.
///
/// # Errors
/// As [`of_commit`]; also where there is no working tree.
pub(super) fn of_working_tree(
    ground: &Ground,
    global: &Global,
    choice: Choice<'_>,
) -> Result<Evaluation, Error> {
    evaluate_working_tree(ground, global, choice, None)
}

/// Evaluates what the lender lends no result for; the same report as without it.
///
/// # Errors
/// As [`of_commit`], [`of_working_tree`] and [`Lender::lend`].
pub(super) fn of_what_changed(
    ground: &Ground,
    global: &Global,
    content: &ContentArgs,
    lender: &mut dyn Lender,
) -> Result<Evaluation, Error> {
    match revision(ground, content)? {
        Some(commit) => evaluate_commit(ground, global, &commit, Choice::default(), Some(lender)),
        None => evaluate_working_tree(ground, global, Choice::default(), Some(lender)),
    }
}

fn evaluate_commit(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
    choice: Choice<'_>,
    lender: Option<&mut dyn Lender>,
) -> Result<Evaluation, Error> {
    let source = commit_source(ground, global, commit)?;
    let state = SourceState { commit: Some(commit.clone()), dirty: false };
    let content = Content { source: &source, committed: Some(&source), state };
    evaluate(ground, global, content, choice, lender)
}

fn evaluate_working_tree(
    ground: &Ground,
    global: &Global,
    choice: Choice<'_>,
    lender: Option<&mut dyn Lender>,
) -> Result<Evaluation, Error> {
    let (folder, relative) = folder(ground, global)?;
    let head = match (&ground.repository, &relative) {
        (Some(repository), Some(relative)) => committed(repository, relative)?,
        (Some(_) | None, _) => None,
    };
    let state = SourceState { commit: head.as_ref().map(|(commit, _)| commit.clone()), dirty: true };
    let committed = head.as_ref().map(|(_, source)| source as &dyn Source);
    evaluate(ground, global, Content { source: &folder, committed, state }, choice, lender)
}

/// The suite alone, for commands that judge nothing.
///
/// # Errors
/// As [`of_commit`].
pub(super) fn suite_with_traces(
    ground: &Ground,
    global: &Global,
    content: &ContentArgs,
) -> Result<(Suite, Vec<source::Entry>), Error> {
    let source: Box<dyn Source> = match revision(ground, content)? {
        Some(commit) => Box::new(commit_source(ground, global, &commit)?),
        None => Box::new(folder(ground, global)?.0),
    };
    let chosen = chosen_config(ground, global)?;
    let overlay = chosen.map(|bytes| ChosenConfig::new(&*source, bytes));
    let source = overlay.as_ref().map_or(&*source, |overlay| overlay as &dyn Source);
    let suite = load(source).map_err(|error| load_error(global, error))?;
    Ok((suite, source.list(Part::Traces).map_err(source_error)?))
}

/// The results of a commit's suite under settings that were recorded.
///
/// # Errors
/// As [`of_commit`].
pub(super) fn under_settings(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
    settings: &[u8],
) -> Result<Vec<CaseResult>, Error> {
    let source = commit_source(ground, global, commit)?;
    let source = ChosenConfig::new(&source, settings.to_vec());
    let suite = load(&source).map_err(|error| load_error(global, error))?;
    evaluate_suite(&suite, &source, threads()).map_err(source_error)
}

/// A source, what HEAD or the commit itself holds in its place, and what the report will say of both.
struct Content<'a> {
    source: &'a dyn Source,
    committed: Option<&'a dyn Source>,
    state: SourceState,
}

fn evaluate(
    ground: &Ground,
    global: &Global,
    content: Content<'_>,
    choice: Choice<'_>,
    lender: Option<&mut dyn Lender>,
) -> Result<Evaluation, Error> {
    let chosen = chosen_config(ground, global)?;
    let with_config = chosen.map(|bytes| ChosenConfig::new(content.source, bytes));
    let source = with_config.as_ref().map_or(content.source, |overlay| overlay as &dyn Source);
    let traces = choice.traces.map(|folder| fresh_traces(ground, folder)).transpose()?;
    let with_traces = traces.map(|folder| FreshTraces::new(source, folder));
    let source = with_traces.as_ref().map_or(source, |overlay| overlay as &dyn Source);
    match &lender {
        Some(_) => source.prefetch_news().map_err(source_error)?,
        None if choice.cases.is_empty() => source.prefetch_all().map_err(source_error)?,
        None => {}
    }
    let mut suite = load(source).map_err(|error| load_error(global, error))?;
    let chosen = globs::matching(choice.cases, suite.cases.iter().map(|case| &case.id))?;
    suite.cases.retain(|case| chosen.contains(&case.id));
    drop(chosen);
    for case in &mut suite.cases {
        // No rule reads it: in a large suite it is much to hold.
        case.question = None;
    }
    let overlaid = with_config.is_some() || with_traces.is_some();
    let read = content.state.commit.clone().filter(|_| !content.state.dirty);
    let watched = Watched::new(source, &ground.bar);
    let work = Work { suite: &suite, content: Content { source: &watched, ..content }, overlaid };
    let outcome = match choice.shard {
        Some(shard) => work.part(shard),
        None => work.results(lender),
    };
    ground.bar.end();
    let (origin, results) = outcome?;
    let max_trace_bytes = suite.config.max_trace_bytes;
    let part = choice.shard.map(|shard| report::Part { shard, max_trace_bytes });
    let report = Report { part, ..Report::new(Some(origin), results) };
    let folder = folder_words(ground, global)?;
    Ok(Evaluation { suite, report, folder, commit: read })
}

/// A suite that was loaded and is to be evaluated.
struct Work<'a> {
    suite: &'a Suite,
    content: Content<'a>,
    /// Whether settings or traces are others than the content's own.
    overlaid: bool,
}

impl Work<'_> {
    fn results(&self, lender: Option<&mut dyn Lender>) -> Result<(Origin, Vec<CaseResult>), Error> {
        let cases = self.placed()?;
        let matcher = Matcher::new(&self.suite.config.matching);
        let evaluation = self.evaluation(&matcher);
        let Some(lender) = lender else {
            let results = evaluation.cases(&cases, threads()).map_err(source_error)?;
            let found: Vec<Found> = results.iter().map(found).collect();
            return Ok((self.origin(&found)?, results));
        };
        let found = evaluation.found(&cases, threads()).map_err(source_error)?;
        let origin = self.origin(&found)?;
        let lent = lender.lend(self.suite, &origin)?;
        let results = report::evaluate_rest(&evaluation, &cases, &found, lent.as_ref(), threads());
        Ok((origin, results.map_err(source_error)?))
    }

    /// The results of one part; the origin is that of the whole.
    fn part(&self, shard: Shard) -> Result<(Origin, Vec<CaseResult>), Error> {
        let cases = self.placed()?;
        let matcher = Matcher::new(&self.suite.config.matching);
        let evaluation = self.evaluation(&matcher);
        let measured = evaluation.measured(&cases, threads()).map_err(source_error)?;
        let (found, sizes): (Vec<Found>, Vec<u64>) = measured.into_iter().unzip();
        let part = shard.cases(&sizes);
        let origin = self.origin(&found)?;
        let results = report::evaluate_rest(&evaluation, &cases[part.clone()], &found[part], None, threads());
        Ok((origin, results.map_err(source_error)?))
    }

    /// The cases, each with what stands where its trace should stand.
    fn placed(&self) -> Result<Vec<Placed<'_>>, Error> {
        let traces = TraceIndex::list(self.content.source).map_err(source_error)?;
        Ok(traces.place(&self.suite.cases))
    }

    fn evaluation<'e>(&'e self, matcher: &'e Matcher) -> evaluate::Evaluation<'e> {
        evaluate::Evaluation {
            source: self.content.source,
            matcher,
            max_trace_bytes: self.suite.config.max_trace_bytes,
        }
    }

    /// What the report says of where it comes from; told by what the traces are, before any is judged.
    fn origin(&self, found: &[Found]) -> Result<Origin, Error> {
        let Content { committed, state, .. } = &self.content;
        let dirty = match committed {
            Some(committed) if state.dirty || self.overlaid => {
                differs(self.suite, found, *committed).map_err(source_error)?
            }
            Some(_) => false,
            None => true,
        };
        let config = &self.suite.config;
        Ok(Origin {
            suite: config.name.clone(),
            source: SourceState { commit: state.commit.clone(), dirty },
            suite_digest: content_digest(&self.suite.cases, found, config),
            evaluator: Evaluator {
                rules_version: RULES_VERSION.to_owned(),
                matching: config.matching.clone(),
            },
        })
    }
}
