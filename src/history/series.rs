//! Judges commit after commit, oldest first, each by what changed since the one that it is compared with.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::diff::Cause;
use crate::error::Error;
use crate::history::current::{Counts, Current, Moved, Selects};
use crate::history::draft::{Base, Draft, DraftState, written};
use crate::history::outcome::{Judge, Promise};
use crate::history::past::{Commit, Folder, Parts, Past, SpotKind, entry};
use crate::history::row::{Row, State};
use crate::history::unreadable;
use crate::ids::{CaseId, ObjectId};
use crate::suite::folder::ChosenConfig;
use crate::suite::source::{Entry, Part, Source};
use crate::suite::{Config, LoadError, Problem, load};

/// What commits are judged by.
#[derive(Clone, Default)]
pub struct Definitions {
    /// The settings and cases of this revision for all commits, in place of their own.
    pub cases_from: Option<Parts>,
    /// Settings in place of every suite's own, and their bytes.
    pub config: Option<(Config, Vec<u8>)>,
}

/// Is told how many commits of how many are done.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// Judges commits, each by the definitions that it holds.
pub struct Walk<'a> {
    past: &'a dyn Past,
    definitions: Definitions,
    current: Current<'a>,
    judge: Judge<'a>,
    /// What was moved since `counts` were those of `current`, in the order of the moves.
    moves: Vec<Moved>,
    counts: Counts,
    last_parts: Arc<Parts>,
    /// The commit whose suite `current` is.
    at: Option<ObjectId>,
    /// The commits that rows are made of.
    listed: HashSet<ObjectId>,
    /// What is known of commits that were looked at.
    known: HashMap<ObjectId, Known>,
    /// The last suite that was at fault, without its traces, and what is wrong with it.
    last_fault: Option<(Parts, String)>,
}

/// What is known of a commit: enough to find what a younger one is compared with.
#[derive(Clone)]
enum Known {
    /// Its suite could be evaluated.
    Sound(Arc<Parts>),
    /// It could not; whose first parent is this.
    Passed(Option<ObjectId>),
    /// A shallow fetch cut it off.
    CutOff,
}

impl<'a> Walk<'a> {
    /// Begins with nothing known. Only cases that are selected count.
    pub fn new(
        past: &'a dyn Past,
        selects: Selects<'a>,
        definitions: Definitions,
        threads: NonZeroUsize,
    ) -> Self {
        let chosen = definitions.config.as_ref().map(|(config, _)| config.clone());
        Self {
            past,
            definitions,
            current: Current::new(past, selects, chosen),
            judge: Judge::new(past.files(), threads),
            moves: Vec::new(),
            counts: Counts::default(),
            last_parts: Arc::default(),
            at: None,
            listed: HashSet::new(),
            known: HashMap::new(),
            last_fault: None,
        }
    }

    /// The settings of the newest commit that could be evaluated so far.
    pub fn settings(&self) -> &Config {
        self.current.config()
    }

    /// What changed for a case between two commits that were evaluated.
    pub(super) fn cause(&mut self, before: &ObjectId, now: &ObjectId, case: &CaseId) -> Result<Cause, Error> {
        let mut pairs = Vec::new();
        for id in [before, now] {
            let Some(Known::Sound(parts)) = self.known.get(id).cloned() else { return Ok(Cause::Unknown) };
            self.move_to(id, &parts)?;
            pairs.push(self.current.pair(case));
        }
        Ok(match pairs.as_slice() {
            [Some((old_case, old_trace)), Some((case, trace))] => {
                match (old_trace != trace, old_case != case) {
                    (true, true) => Cause::Both,
                    (true, false) => Cause::Trace,
                    (false, true) => Cause::Case,
                    (false, false) => Cause::Evaluator,
                }
            }
            _ => Cause::Unknown,
        })
    }

    /// How many distinct pairs of a definition and a trace were evaluated.
    pub fn evaluations(&self) -> u64 {
        self.judge.evaluations()
    }

    /// The rows of these commits, which come newest first and go so.
    ///
    /// # Errors
    /// The surroundings failed. A suite at fault is no error but a row.
    pub fn rows(&mut self, commits: &[ObjectId], progress: Progress<'_>) -> Result<Vec<Row>, Error> {
        if self.past.is_partial() {
            self.bring(commits)?;
        }
        self.listed = commits.iter().cloned().collect();
        let mut drafts = Vec::with_capacity(commits.len());
        for (done, id) in commits.iter().rev().enumerate() {
            progress(done, commits.len());
            drafts.extend(self.draft(id)?);
        }
        self.judge.settle()?;
        let (mut rows, counts) = written(drafts, std::mem::take(&mut self.moves), self.counts);
        self.counts = counts;
        progress(commits.len(), commits.len());
        rows.reverse();
        Ok(rows)
    }

    /// The draft of a commit's row; `None` where a shallow fetch cut it off.
    fn draft(&mut self, id: &ObjectId) -> Result<Option<Draft>, Error> {
        let Some(commit) = self.past.commit(id)? else { return Ok(None) };
        let state = match self.past.folder(&commit)? {
            Folder::Absent => DraftState::Told(State::Absent),
            Folder::Blocked(error) => DraftState::Told(State::Invalid { error }),
            Folder::Held(parts) => self.held(&commit, parts)?,
        };
        if let DraftState::Told(_) = state {
            self.known.insert(id.clone(), Known::Passed(commit.parents.first().cloned()));
        }
        Ok(Some(Draft { commit, state }))
    }

    fn held(&mut self, commit: &Commit, parts: Parts) -> Result<DraftState, Error> {
        let base = self.base(commit)?;
        if let Base::At(id, parts) = &base
            && self.at.as_ref() != Some(id)
            && self.move_to(id, parts)?.is_none()
        {
            return Err(changed_meanwhile(id));
        }
        let parts = self.shared(self.defined(parts));
        if self.move_to(&commit.id, &parts)?.is_none() {
            return Ok(DraftState::Told(State::Invalid { error: self.fault_of(&commit.id, &parts)? }));
        }
        let is_whole = !matches!(&base, Base::At(id, _) if self.listed.contains(id));
        Ok(DraftState::Moved {
            suite_digest: self.current.digest(),
            moves: self.moves.len(),
            whole: if is_whole { self.everything() } else { Vec::new() },
            base,
        })
    }

    fn everything(&self) -> Vec<(CaseId, Promise)> {
        self.current.outcomes().map(|(id, outcome)| (id.clone(), outcome.clone())).collect()
    }

    /// Moves to the suite of a commit; `None`: it is at fault, and nothing has moved.
    fn move_to(&mut self, id: &ObjectId, parts: &Arc<Parts>) -> Result<Option<()>, Error> {
        let Some(moved) = self.current.move_to(parts, &mut self.judge)? else { return Ok(None) };
        self.moves.push(moved);
        self.at = Some(id.clone());
        self.last_parts = Arc::clone(parts);
        self.known.insert(id.clone(), Known::Sound(Arc::clone(parts)));
        Ok(Some(()))
    }

    /// Most commits leave the suite alone: they share what is known of it.
    fn shared(&self, parts: Parts) -> Arc<Parts> {
        if *self.last_parts == parts { Arc::clone(&self.last_parts) } else { Arc::new(parts) }
    }

    /// The nearest older commit on the line of first parents that can be evaluated.
    fn base(&mut self, commit: &Commit) -> Result<Base, Error> {
        let mut next = commit.parents.first().cloned();
        while let Some(id) = next {
            let known = match self.known.get(&id) {
                Some(known) => known.clone(),
                None => self.look(&id)?,
            };
            match known {
                Known::Sound(parts) => return Ok(Base::At(id, parts)),
                Known::CutOff => return Ok(Base::CutOff),
                Known::Passed(parent) => next = parent,
            }
        }
        Ok(Base::None)
    }

    /// Whether a commit can be evaluated: moves to it.
    fn look(&mut self, id: &ObjectId) -> Result<Known, Error> {
        let known = match self.past.commit(id)? {
            None => Known::CutOff,
            Some(commit) => {
                let passed = Known::Passed(commit.parents.first().cloned());
                match self.past.folder(&commit)? {
                    Folder::Absent | Folder::Blocked(_) => passed,
                    Folder::Held(parts) => {
                        let parts = self.shared(self.defined(parts));
                        if self.move_to(id, &parts)?.is_some() { Known::Sound(parts) } else { passed }
                    }
                }
            }
        };
        self.known.insert(id.clone(), known.clone());
        Ok(known)
    }

    /// The parts that a commit is judged by.
    fn defined(&self, parts: Parts) -> Parts {
        match &self.definitions.cases_from {
            None => parts,
            Some(from) => {
                Parts { config: from.config.clone(), cases: from.cases.clone(), traces: parts.traces }
            }
        }
    }

    /// What is wrong with a suite at fault, which is read whole for that.
    fn fault_of(&mut self, id: &ObjectId, parts: &Parts) -> Result<String, Error> {
        let key = Parts { traces: None, ..parts.clone() };
        if let Some((known, error)) = &self.last_fault
            && *known == key
        {
            return Ok(error.clone());
        }
        let source = self.past.suite(id)?;
        let chosen = self.definitions.config.as_ref();
        let overlay = chosen.map(|(_, bytes)| ChosenConfig::new(&*source, bytes.clone()));
        let error = match load(overlay.as_ref().map_or(&*source, |overlay| overlay as &dyn Source)) {
            Ok(_) => return Err(changed_meanwhile(id)),
            Err(LoadError::Source(error)) => return Err(unreadable(error)),
            Err(LoadError::Problems(problems)) => told(&problems),
        };
        self.last_fault = Some((key, error.clone()));
        Ok(error)
    }

    /// Asks for all files that the suites of these commits hold, in one request.
    fn bring(&self, commits: &[ObjectId]) -> Result<(), Error> {
        let mut wanted: BTreeMap<ObjectId, (Part, Entry)> = BTreeMap::new();
        let mut last = Parts::default();
        for id in commits.iter().rev() {
            let Some(commit) = self.past.commit(id)? else { continue };
            let Folder::Held(parts) = self.past.folder(&commit)? else { continue };
            let parts = self.defined(parts);
            for (part, before, now) in
                [(Part::Cases, &last.cases, &parts.cases), (Part::Traces, &last.traces, &parts.traces)]
            {
                let changes = if before == now {
                    Vec::new()
                } else {
                    self.past.changes(before.as_ref(), now.as_ref())?
                };
                for found in changes.into_iter().filter_map(|change| change.now) {
                    let is_read = part == Part::Traces || found.path.ends_with(b".json");
                    if let Some(id) = found.id.clone().filter(|_| is_read) {
                        wanted.insert(id, (part, found));
                    }
                }
            }
            if let Some(spot) = parts.config.as_ref().filter(|spot| spot.kind == SpotKind::File)
                && let Some(found) = entry(Vec::new(), spot.kind, &spot.id)
            {
                wanted.insert(spot.id.clone(), (Part::Config, found));
            }
            last = parts;
        }
        let wanted: Vec<(Part, &Entry)> = wanted.values().map(|(part, entry)| (*part, entry)).collect();
        self.past.files().prefetch(&wanted).map_err(unreadable)
    }
}

/// The first problem of a suite, and how many more there are.
fn told(problems: &[Problem]) -> String {
    let Some(first) = problems.first() else { return "the suite is at fault".to_owned() };
    let more = match problems.len() - 1 {
        0 => String::new(),
        1 => " (and one more problem)".to_owned(),
        more => format!(" (and {more} more problems)"),
    };
    format!("{}{more}", first.line_of_text())
}

fn changed_meanwhile(id: &ObjectId) -> Error {
    Error::surroundings(format!("commit {} does not read the same twice", id.short()))
        .hint("look at the repository with `git fsck`")
}
