//! Evaluates the suite of a revision or of the working tree, for every command that needs a report.

use std::path::{Path, PathBuf};

use crate::baseline::SIGNERS_FILE;
use crate::cli::args::{ContentArgs, Global, threads};
use crate::cli::console::Console;
use crate::cli::ground::{Ground, SuitePlace, git_path};
use crate::cli::{globs, read_file, suggest};
use crate::error::Error;
use crate::evaluate::{CaseResult, RULES_VERSION, evaluate_suite};
use crate::git::{CommitSource, Repository};
use crate::ids::{HashKind, ObjectId};
use crate::report::{Evaluator, Origin, Report, SourceState, suite_digest};
use crate::suite::folder::{ChosenConfig, Folder, FreshTraces};
use crate::suite::source::{self, EntryKind, Part, Source, SourceError};
use crate::suite::{Config, LoadError, Problem, Suite, config, load, load_config};

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
    let source = commit_source(ground, global, commit)?;
    let state = SourceState { commit: Some(commit.clone()), dirty: false };
    evaluate(ground, global, Content { source: &source, committed: Some(&source), state }, choice)
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
    let (folder, relative) = folder(ground, global)?;
    let head = match (&ground.repository, &relative) {
        (Some(repository), Some(relative)) => committed(repository, relative)?,
        (Some(_) | None, _) => None,
    };
    let state = SourceState { commit: head.as_ref().map(|(commit, _)| commit.clone()), dirty: true };
    let committed = head.as_ref().map(|(_, source)| source as &dyn Source);
    evaluate(ground, global, Content { source: &folder, committed, state }, choice)
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

/// A file right in the suite's folder of a commit; `None` where there is none.
///
/// # Errors
/// It cannot be read.
pub(super) fn suite_file(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
    name: &str,
) -> Result<Option<Vec<u8>>, Error> {
    match ground.suite(&global.suite)? {
        SuitePlace::InRepository(relative) => {
            Ok(ground.repository()?.file_at(commit, &git_path(&relative), name)?)
        }
        SuitePlace::Outside(_) => Ok(None),
    }
}

/// Who may sign what follows an acceptance of a commit under these settings; `None` where they do not
/// require signatures.
///
/// # Errors
/// They require them, and the suite's folder names nobody.
pub(super) fn signers(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
    settings: &Config,
) -> Result<Option<Vec<u8>>, Error> {
    if !settings.baseline.require_signed {
        return Ok(None);
    }
    match suite_file(ground, global, commit, SIGNERS_FILE)? {
        Some(signers) if !crate::suite::text::is_blank(&String::from_utf8_lossy(&signers)) => Ok(Some(signers)),
        Some(_) | None => Err(Error::input(format!(
            "baseline.require_signed is set, but the suite's folder has no {SIGNERS_FILE} in commit {}",
            commit.short()
        ))
        .hint("commit one beside `diag-gate.toml`: a line `NAME KEY-TYPE KEY` for each signer, as `man ssh-keygen` says under ALLOWED SIGNERS")),
    }
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
) -> Result<Evaluation, Error> {
    let chosen = chosen_config(ground, global)?;
    let with_config = chosen.map(|bytes| ChosenConfig::new(content.source, bytes));
    let source = with_config.as_ref().map_or(content.source, |overlay| overlay as &dyn Source);
    let traces = choice.traces.map(|folder| fresh_traces(ground, folder)).transpose()?;
    let with_traces = traces.map(|folder| FreshTraces::new(source, folder));
    let source = with_traces.as_ref().map_or(source, |overlay| overlay as &dyn Source);
    if choice.cases.is_empty() {
        source.prefetch_all().map_err(source_error)?;
    }
    let mut suite = load(source).map_err(|error| load_error(global, error))?;
    let chosen = globs::matching(choice.cases, suite.cases.iter().map(|case| &case.id))?;
    suite.cases.retain(|case| chosen.contains(&case.id));
    drop(chosen);
    let results = evaluate_suite(&suite, source, threads()).map_err(source_error)?;
    let overlaid = with_config.is_some() || with_traces.is_some();
    let dirty = match content.committed {
        Some(committed) if content.state.dirty || overlaid => {
            differs(&suite, &results, committed).map_err(source_error)?
        }
        Some(_) => false,
        None => true,
    };
    let read = content.state.commit.clone().filter(|_| !content.state.dirty);
    let state = SourceState { dirty, ..content.state };
    let matching = suite.config.matching.clone();
    let origin = Origin {
        suite: suite.config.name.clone(),
        source: state,
        suite_digest: suite_digest(&results, &matching, suite.config.max_trace_bytes),
        evaluator: Evaluator { rules_version: RULES_VERSION.to_owned(), matching },
    };
    let report = Report::new(Some(origin), results);
    let folder = folder_words(ground, global)?;
    Ok(Evaluation { suite, report, folder, commit: read })
}

/// Whether what was evaluated is something else than what the commit holds.
fn differs(suite: &Suite, results: &[CaseResult], committed: &dyn Source) -> Result<bool, SourceError> {
    let mut files = Vec::new();
    for part in [Part::Config, Part::Cases] {
        let entries = committed.list(part)?;
        let read = entries.into_iter().filter(|entry| part == Part::Config || entry.path.ends_with(b".json"));
        files.extend(read.map(|entry| (part, entry.path, entry.id)));
    }
    let same_files = files.len() == suite.files.len()
        && files.iter().zip(&suite.files).all(|((part, path, id), (read_part, read_path, read_id))| {
            part == read_part && path == read_path && id.as_ref() == Some(read_id)
        });
    if !same_files {
        return Ok(true);
    }
    let traces = committed.list(Part::Traces)?;
    Ok(suite.cases.iter().zip(results).any(|(case, result)| {
        let path = case.trace_fixture.as_bytes();
        let entry =
            traces.binary_search_by(|entry| entry.path.as_slice().cmp(path)).ok().map(|at| &traces[at]);
        match entry {
            Some(entry) if entry.kind == EntryKind::File => entry.id != result.trace_id,
            Some(_) => result.unjudged() != Some("not-a-file"),
            None if is_blocked(&traces, path) => result.unjudged() != Some("not-a-file"),
            None => result.trace_id.is_some(),
        }
    }))
}

/// Whether something that is no folder stands on the way to a trace.
fn is_blocked(traces: &[source::Entry], path: &[u8]) -> bool {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..at]);
    traces.iter().any(|entry| entry.path.is_empty())
        || ends
            .into_iter()
            .any(|above| traces.binary_search_by(|entry| entry.path.as_slice().cmp(above)).is_ok())
}

/// The suite of a commit.
///
/// # Errors
/// The commit does not hold it, or the surroundings failed.
pub(super) fn commit_source(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
) -> Result<CommitSource, Error> {
    let repository = ground.repository()?;
    match ground.suite(&global.suite)? {
        SuitePlace::InRepository(relative) => {
            let source = CommitSource::new(repository, commit, &git_path(&relative))?;
            if source.exists() {
                return Ok(source);
            }
            Err(Error::input(format!(
                "there is no suite folder {} in commit {}",
                global.suite.display(),
                commit.short()
            ))
            .hint(format!(
                "name the folder with `--suite DIR`, or evaluate files that are not committed yet: {}",
                suggest::command(global, "run --worktree")
            )))
        }
        SuitePlace::Outside(path) => {
            Err(Error::input(format!("the suite folder {} lies outside the repository", path.display()))
                .hint(
                    "name it from the root of the repository, or evaluate it with `diag-gate run --worktree`",
                ))
        }
    }
}

/// The suite folder on disk, and its path in the repository.
///
/// # Errors
/// There is none, or the surroundings failed.
pub(super) fn folder(ground: &Ground, global: &Global) -> Result<(Folder, Option<PathBuf>), Error> {
    match ground.suite(&global.suite)? {
        SuitePlace::InRepository(relative) => {
            let repository = ground.repository()?;
            let root = repository.work_tree().ok_or_else(|| {
                Error::input("a bare repository has no working tree").hint("leave out `--worktree`")
            })?;
            let folder = Folder::below(root, &relative, repository.hash_kind()).map_err(source_error)?;
            let folder = folder.ok_or_else(|| absent(global))?;
            Ok((folder, Some(relative)))
        }
        SuitePlace::Outside(path) => {
            let folder = Folder::below(&path, Path::new(""), HashKind::Sha1).map_err(source_error)?;
            Ok((folder.ok_or_else(|| absent(global))?, None))
        }
    }
}

/// The suite's folder as a path from the root of the repository, or as it was typed.
fn folder_words(ground: &Ground, global: &Global) -> Result<String, Error> {
    Ok(match ground.suite(&global.suite)? {
        SuitePlace::InRepository(relative) => String::from_utf8_lossy(&git_path(&relative)).into_owned(),
        SuitePlace::Outside(_) => global.suite.display().to_string(),
    })
}

fn absent(global: &Global) -> Error {
    Error::input(format!(
        "there is no suite folder {}, or a link stands on the way to it",
        global.suite.display()
    ))
    .hint("name the folder with `--suite DIR`")
}

fn committed(repository: &Repository, relative: &Path) -> Result<Option<(ObjectId, CommitSource)>, Error> {
    let Some(commit) = repository.head_commit()? else { return Ok(None) };
    let source = CommitSource::new(repository, &commit, &git_path(relative))?;
    Ok(Some((commit, source)))
}

/// The folder that `--traces` names.
fn fresh_traces(ground: &Ground, named: &Path) -> Result<PathBuf, Error> {
    let folder = ground.path(named);
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Error::input(format!("there is no folder {}", folder.display()))
        .hint("`--traces` names the folder of the recordings, from the folder that the command starts in"))
}

/// The settings that `--config` names.
fn chosen_config(ground: &Ground, global: &Global) -> Result<Option<Vec<u8>>, Error> {
    global.config.as_deref().map(|file| read_file(&ground.path(file))).transpose()
}

/// The settings that `--config` names, read, beside their bytes.
///
/// # Errors
/// They cannot be read, or are at fault.
pub(super) fn chosen_settings(ground: &Ground, global: &Global) -> Result<Option<(Config, Vec<u8>)>, Error> {
    let Some(bytes) = chosen_config(ground, global)? else { return Ok(None) };
    let settings = config::parse(&bytes, "--config")
        .map_err(|problems| load_error(global, LoadError::Problems(problems)))?;
    Ok(Some((settings, bytes)))
}

/// The settings of the suite at HEAD; the default ones where there is no suite yet.
///
/// # Errors
/// The settings are at fault, or the surroundings failed.
pub(super) fn settings(ground: &Ground, global: &Global) -> Result<Config, Error> {
    if let Some((chosen, _)) = chosen_settings(ground, global)? {
        return Ok(chosen);
    }
    let SuitePlace::InRepository(relative) = ground.suite(&global.suite)? else {
        return Ok(Config::default());
    };
    match committed(ground.repository()?, &relative)? {
        Some((_, source)) => load_config(&source).map_err(|error| load_error(global, error)),
        None => Ok(Config::default()),
    }
}

/// The settings of the suite as they stand in a commit; the default ones where it holds no suite.
///
/// # Errors
/// The settings are at fault, or the surroundings failed.
pub(super) fn settings_at(ground: &Ground, global: &Global, commit: &ObjectId) -> Result<Config, Error> {
    let SuitePlace::InRepository(relative) = ground.suite(&global.suite)? else {
        return Ok(Config::default());
    };
    let source = CommitSource::new(ground.repository()?, commit, &git_path(&relative))?;
    load_config(&source).map_err(|error| load_error(global, error))
}

/// Tells all that is wrong with a suite.
pub(super) fn load_error(global: &Global, error: LoadError) -> Error {
    match error {
        LoadError::Problems(problems) => {
            let number = problems.len();
            let noun = if number == 1 { "problem" } else { "problems" };
            Error::input(format!(
                "the suite {} has {number} {noun}; nothing was evaluated",
                global.suite.display()
            ))
            .details(problems.iter().map(problem))
        }
        LoadError::Source(error) => source_error(error),
    }
}

/// `cases/a.json:13: case `t1`: field `x`: unknown field`.
pub(super) fn problem(problem: &Problem) -> String {
    problem.line_of_text()
}

pub(super) fn source_error(error: SourceError) -> Error {
    let cause = error.source.as_ref();
    let mut told = Error::surroundings(error.to_string()).because(cause);
    told.hints.push(
        "nothing was judged; `git fsck` looks for damage, `git fetch` brings what is missing".to_owned(),
    );
    told
}

/// Tells a person whose working tree differs from HEAD that HEAD is what counts.
pub(super) fn tell_changes(ground: &Ground, global: &Global, content: &ContentArgs, console: &mut Console) {
    let Some(repository) = ground.repository.as_ref().filter(|_| content.rev == "HEAD") else { return };
    let Ok(SuitePlace::InRepository(relative)) = ground.suite(&global.suite) else { return };
    // A working tree that cannot be compared changes nothing about what HEAD holds.
    if repository.differs_below(&relative).unwrap_or(false) {
        console.notice("suite files in the working tree differ from HEAD: HEAD is evaluated; `--worktree` evaluates the files");
    }
}
