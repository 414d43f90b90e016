//! `history`: the pass rate over commits.

use std::cell::RefCell;

use globset::GlobMatcher;

use crate::baseline::Prefix;
use crate::cli::args::{Global, HistoryArgs, HistoryFormat, threads};
use crate::cli::console::{Console, Page};
use crate::cli::ground::{Ground, SuitePlace, git_path};
use crate::cli::progress::Progress;
use crate::cli::{evaluation, globs};
use crate::env::Env;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::git::{GitPast, GitStore, Repository};
use crate::history::{self, Definitions, Folder, Past as _, Row, Series, State, Walk};
use crate::ids::{CaseId, ObjectId};
use crate::render;
use crate::render::report::Detail;
use crate::suite::load;

pub(super) fn run(
    arguments: &HistoryArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let series = series(arguments, &ground, global, console)?;
    let file = arguments.output.file.as_deref().map(|file| ground.path(file));
    let file = file.as_deref();
    match arguments.format {
        HistoryFormat::Json => console.document(file, |sink| history::write_json(&series, sink))?,
        HistoryFormat::Csv => console.result(&Page::Document(render::history::csv(&series)), file)?,
        HistoryFormat::Html => console.result(&Page::Document(render::history::html(&series)), file)?,
        HistoryFormat::Text => {
            let detail = if global.verbose { Detail::Full } else { Detail::Brief };
            console.result(&Page::Text(render::history::text(&series, detail)), file)?;
        }
    }
    Ok(Exit::Passed)
}

fn series(
    arguments: &HistoryArgs,
    ground: &Ground,
    global: &Global,
    console: &mut Console,
) -> Result<Series, Error> {
    let repository = ground.repository()?;
    let past = past(ground, global)?;
    let (tip, hidden) = range(repository, &arguments.rev)?;
    let limit = arguments.limit.map(|limit| limit as usize);
    let commits = past.line(&tip, hidden.as_ref(), arguments.all_parents, limit)?;
    let definitions = definitions(ground, global, &past, arguments.cases_from.as_deref())?;
    let globs = Globs::new(&arguments.cases)?;
    let selects = |id: &CaseId| globs.select(id);
    let mut walk = Walk::new(&past, &selects, definitions, threads());
    let mut progress = Progress::new("commits", !global.quiet);
    let mut rows = walk.rows(&commits, &mut |done, all| progress.tell(done, all))?;
    drop(progress);
    globs.all_matched()?;
    let settings = walk.settings();
    let prefix = Prefix::new(&settings.store_prefix);
    let faults = history::mark(&mut rows, &GitStore::new(repository), &prefix, &settings.name)?;
    for fault in &faults {
        console.notice(&format!("a baseline cannot be read and is not marked: {}", fault.message));
    }
    tell_faults(&rows, console);
    if repository.is_shallow() {
        console.notice("this clone is shallow: what is older is not here; `git fetch --unshallow` brings it");
    }
    let suite = settings.name.as_str().to_owned();
    Ok(Series { suite, range: arguments.rev.clone(), all_parents: arguments.all_parents, rows })
}

/// Names the first commit whose suite is at fault.
fn tell_faults(rows: &[Row], console: &mut Console) {
    let mut faults = rows.iter().filter_map(|row| match &row.state {
        State::Invalid { error } => Some((row, error)),
        State::Absent | State::Evaluated(_) => None,
    });
    let Some((row, error)) = faults.next() else { return };
    let more = match faults.count() {
        0 => String::new(),
        1 => "; so is that of one more commit".to_owned(),
        more => format!("; so are those of {more} more commits"),
    };
    console.notice(&format!("the suite of commit {} is at fault: {error}{more}", row.commit.id.short()));
}

/// The past of the suite.
///
/// # Errors
/// There is no repository, or the suite lies outside it.
pub(super) fn past<'r>(ground: &'r Ground, global: &Global) -> Result<GitPast<'r>, Error> {
    match ground.suite(&global.suite)? {
        SuitePlace::InRepository(relative) => Ok(GitPast::new(ground.repository()?, &git_path(&relative))),
        SuitePlace::Outside(path) => {
            Err(Error::input(format!("the suite folder {} lies outside the repository", path.display()))
                .hint("name it from the root of the repository, as in `--suite eval`"))
        }
    }
}

/// The newest commit of a range, and the one that it leaves out with all that led to it.
fn range(repository: &Repository, text: &str) -> Result<(ObjectId, Option<ObjectId>), Error> {
    let or_head = |text: &str| if text.is_empty() { "HEAD".to_owned() } else { text.to_owned() };
    match text.split_once("..") {
        None => Ok((repository.resolve(text)?, None)),
        Some((_, newer)) if newer.starts_with('.') => {
            Err(Error::input(format!("`{text}` is no range with an older and a newer end"))
                .hint("write `A..B`: what led to B and not to A"))
        }
        Some((older, newer)) => {
            let older = repository.resolve(&or_head(older))?;
            Ok((repository.resolve(&or_head(newer))?, Some(older)))
        }
    }
}

/// What all commits are judged by, where it is not what each of them holds.
pub(super) fn definitions(
    ground: &Ground,
    global: &Global,
    past: &GitPast<'_>,
    cases_from: Option<&str>,
) -> Result<Definitions, Error> {
    let config = evaluation::chosen_settings(ground, global)?;
    let Some(revision) = cases_from else { return Ok(Definitions { cases_from: None, config }) };
    let commit = ground.repository()?.resolve(revision)?;
    let source = evaluation::commit_source(ground, global, &commit)?;
    load(&source).map_err(|error| {
        let mut told = evaluation::load_error(global, error);
        if told.kind == ErrorKind::Input {
            told.hints = vec!["name a revision whose suite is sound with `--cases-from REV`".to_owned()];
        }
        told
    })?;
    let found = past.commit(&commit)?.map(|commit| past.folder(&commit)).transpose()?;
    match found {
        Some(Folder::Held(parts)) => Ok(Definitions { cases_from: Some(parts), config }),
        Some(Folder::Absent | Folder::Blocked(_)) | None => {
            Err(Error::surroundings(format!("commit {} does not read the same twice", commit.short())))
        }
    }
}

/// Globs over case ids, and whether each has matched anything yet.
struct Globs<'a> {
    globs: Vec<(&'a str, GlobMatcher)>,
    matched: RefCell<Vec<bool>>,
}

impl<'a> Globs<'a> {
    fn new(texts: &'a [String]) -> Result<Self, Error> {
        let globs: Result<Vec<_>, Error> =
            texts.iter().map(|text| Ok((text.as_str(), globs::glob(text)?))).collect();
        Ok(Self { globs: globs?, matched: RefCell::new(vec![false; texts.len()]) })
    }

    fn select(&self, id: &CaseId) -> bool {
        let mut selected = self.globs.is_empty();
        for ((_, glob), matched) in self.globs.iter().zip(self.matched.borrow_mut().iter_mut()) {
            if glob.is_match(id.as_str()) {
                (selected, *matched) = (true, true);
            }
        }
        selected
    }

    /// # Errors
    /// One matched nothing: a slip must not select nothing in silence.
    fn all_matched(&self) -> Result<(), Error> {
        let matched = self.matched.borrow();
        match self.globs.iter().zip(matched.iter()).find(|(_, matched)| !**matched) {
            None => Ok(()),
            Some(((text, _), _)) => {
                Err(Error::input(format!("`--case {text}` matches no case of any of these commits"))
                    .hint("the ids stand in the case files; `diag-gate run --verbose` lists those of HEAD"))
            }
        }
    }
}
