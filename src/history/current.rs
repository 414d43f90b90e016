//! The suite of one commit, moved on to that of another one by what changed between the two.
//!
//! What did not change is neither read nor judged again. A suite at fault moves nothing: whoever finds one
//! has it told by reading it whole, and goes on from the last one that was sound.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crate::error::Error;
use crate::evaluate::Found;
use crate::history::outcome::{Judge, Promise, Rules};
use crate::history::past::{Change, Parts, Past, Spot};
use crate::history::unreadable;
use crate::ids::{CaseId, Digest};
use crate::report::suite_digest_of;
use crate::suite::pieces::{CaseEntry, case_entry, case_file, id_form};
use crate::suite::source::{Content, Entry, EntryKind, Part};
use crate::suite::trace::Fault;
use crate::suite::{Case, Config, config};
use crate::text::Text;

/// Which cases count.
pub type Selects<'a> = &'a dyn Fn(&CaseId) -> bool;

/// The suite of one commit.
pub(super) struct Current<'a> {
    past: &'a dyn Past,
    selects: Selects<'a>,
    /// Settings in place of every suite's own.
    chosen: Option<Config>,
    parts: Parts,
    config: Config,
    rules: Arc<Rules>,
    /// The ids of all cases by their files, selected or not, each with the form that no other may have.
    files: BTreeMap<Vec<u8>, Vec<(CaseId, String)>>,
    forms: HashSet<String>,
    traces: BTreeMap<Vec<u8>, Entry>,
    /// The cases that count.
    cases: BTreeMap<CaseId, Held>,
    by_trace: BTreeMap<Vec<u8>, BTreeSet<CaseId>>,
    digest: Option<Digest>,
}

/// A case that counts, and what became of it.
#[derive(Clone)]
pub(super) struct Held {
    case: Case,
    found: Found,
    outcome: Promise,
}

/// What a move did to the cases that count.
#[derive(Clone, Debug, Default)]
pub(super) struct Moved {
    /// Each case whose outcome may be another one, before and now.
    pub(super) outcomes: BTreeMap<CaseId, (Maybe, Maybe)>,
}

/// An outcome; `None`: the case was or is not there.
type Maybe = Option<Promise>;

/// What was read of a suite before anything is moved.
struct Plan {
    config: Config,
    case_files: Vec<(Vec<u8>, Option<Vec<Case>>)>,
    traces: Vec<Change>,
}

impl<'a> Current<'a> {
    /// No suite at all, from which every one can be come to.
    pub(super) fn new(past: &'a dyn Past, selects: Selects<'a>, chosen: Option<Config>) -> Self {
        let config = chosen.clone().unwrap_or_default();
        Self {
            past,
            selects,
            chosen,
            parts: Parts::default(),
            rules: Arc::new(Rules::of(&config)),
            config,
            files: BTreeMap::new(),
            forms: HashSet::new(),
            traces: BTreeMap::new(),
            cases: BTreeMap::new(),
            by_trace: BTreeMap::new(),
            digest: None,
        }
    }

    /// The settings of the suite.
    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// What the outcome of a case follows from, the settings aside: its definition and its trace.
    pub(super) fn pair(&self, id: &CaseId) -> Option<(Digest, Found)> {
        self.cases.get(id).map(|held| (held.case.digest.clone(), held.found.clone()))
    }

    /// All cases that count, in the order of their ids.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = (&CaseId, &Promise)> {
        self.cases.iter().map(|(id, held)| (id, &held.outcome))
    }

    /// The digest of what counts: equal digests, equal outcomes.
    pub(super) fn digest(&mut self) -> Digest {
        if let Some(digest) = &self.digest {
            return digest.clone();
        }
        let rows = self
            .cases
            .iter()
            .map(|(id, held)| (id, &held.case.digest, held.found.as_ref().map_err(|fault| *fault)));
        let digest = suite_digest_of(rows, &self.config.matching, self.config.max_trace_bytes);
        self.digest.insert(digest).clone()
    }

    /// Moves on to another suite; `None`: that one is at fault, and nothing has moved.
    ///
    /// # Errors
    /// The surroundings failed.
    pub(super) fn move_to(&mut self, parts: &Parts, judge: &mut Judge<'_>) -> Result<Option<Moved>, Error> {
        if *parts == self.parts && !self.files.is_empty() {
            return Ok(Some(Moved::default()));
        }
        let Some(plan) = self.plan(parts)? else { return Ok(None) };
        if !self.is_sound(&plan.case_files) {
            return Ok(None);
        }
        self.digest = None;
        self.parts = parts.clone();
        let rules = Arc::new(Rules::of(&plan.config));
        let mut touched = BTreeSet::new();
        if !rules.same_as(&self.rules) {
            touched.extend(self.cases.keys().cloned());
        }
        (self.rules, self.config) = (rules, plan.config);
        self.take_traces(plan.traces, &mut touched);
        let mut before = BTreeMap::new();
        let arrived = self.take_cases(plan.case_files, &mut before);
        touched.retain(|id| self.cases.contains_key(id));
        self.judge(&touched, arrived, before, judge).map(Some)
    }

    /// Reads what changed; `None`: something in it is at fault.
    fn plan(&self, parts: &Parts) -> Result<Option<Plan>, Error> {
        let Some(config) = self.settings(parts.config.as_ref())? else { return Ok(None) };
        let mut case_files = Vec::new();
        if parts.cases != self.parts.cases {
            let changes = self.past.changes(self.parts.cases.as_ref(), parts.cases.as_ref())?;
            for Change { path, now } in changes {
                let cases = match now.as_ref().map(|entry| (case_entry(entry), entry)) {
                    None | Some((CaseEntry::Ignored, _)) => None,
                    Some((CaseEntry::Fault, _)) => return Ok(None),
                    Some((CaseEntry::Cases, entry)) => {
                        let Some(cases) = case_file(&path, &self.read(Part::Cases, entry)?) else {
                            return Ok(None);
                        };
                        Some(cases)
                    }
                };
                case_files.push((path, cases));
            }
        }
        let traces = if parts.traces == self.parts.traces {
            Vec::new()
        } else {
            self.past.changes(self.parts.traces.as_ref(), parts.traces.as_ref())?
        };
        Ok(Some(Plan { config, case_files, traces }))
    }

    /// The settings at a spot; `None`: they are at fault.
    fn settings(&self, spot: Option<&Spot>) -> Result<Option<Config>, Error> {
        if let Some(chosen) = &self.chosen {
            return Ok(Some(chosen.clone()));
        }
        if spot == self.parts.config.as_ref() {
            return Ok(Some(self.config.clone()));
        }
        let Some(spot) = spot else { return Ok(Some(Config::default())) };
        match spot.as_entry() {
            Some(entry) if entry.kind == EntryKind::File => {
                Ok(config::parse(&self.read(Part::Config, &entry)?, "diag-gate.toml").ok())
            }
            Some(_) | None => Ok(None),
        }
    }

    fn read(&self, part: Part, entry: &Entry) -> Result<Vec<u8>, Error> {
        let files = self.past.files();
        let mut bytes = Vec::new();
        files.prefetch(&[(part, entry)]).map_err(unreadable)?;
        match files.reader().and_then(|mut reader| reader.read(part, entry, u64::MAX, &mut bytes)) {
            Ok(Content::Read(_)) => Ok(bytes),
            Ok(Content::TooLarge { .. }) => {
                Err(Error::surroundings("a file is larger than there are numbers"))
            }
            Err(error) => Err(unreadable(error)),
        }
    }

    /// Whether these files may become what they will be: no two ids collide, and a case is left.
    fn is_sound(&self, changed: &[(Vec<u8>, Option<Vec<Case>>)]) -> bool {
        let old = changed.iter().filter_map(|(path, _)| self.files.get(path)).flatten();
        let gone: HashSet<&str> = old.map(|(_, form)| form.as_str()).collect();
        let new: Vec<String> = changed
            .iter()
            .flat_map(|(_, cases)| cases.iter().flatten())
            .map(|case| id_form(&case.id))
            .collect();
        let mut seen = HashSet::new();
        let distinct = new.iter().all(|form| {
            let form = form.as_str();
            seen.insert(form) && (gone.contains(form) || !self.forms.contains(form))
        });
        distinct && self.forms.len() + new.len() > gone.len()
    }

    /// Takes over where traces are now, and notes whose outcome may follow from that.
    fn take_traces(&mut self, changes: Vec<Change>, touched: &mut BTreeSet<CaseId>) {
        for Change { path, now } in changes {
            self.readers_of(&path, touched);
            match now {
                Some(entry) => self.traces.insert(path, entry),
                None => self.traces.remove(&path),
            };
        }
    }

    /// The cases whose trace is at a path, below it or above it: a link on the way or a folder in its
    /// place decides as well.
    fn readers_of(&self, path: &[u8], touched: &mut BTreeSet<CaseId>) {
        if path.is_empty() {
            touched.extend(self.cases.keys().cloned());
            return;
        }
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for end in slashes.chain([path.len()]) {
            touched.extend(self.by_trace.get(&path[..end]).into_iter().flatten().cloned());
        }
        let below = [path, b"/"].concat();
        let range = self.by_trace.range(below.clone()..);
        for (_, ids) in range.take_while(|(trace, _)| trace.starts_with(&below)) {
            touched.extend(ids.iter().cloned());
        }
    }

    /// Takes over the case files; gives the cases that came with them, and notes what went.
    fn take_cases(
        &mut self,
        changed: Vec<(Vec<u8>, Option<Vec<Case>>)>,
        before: &mut BTreeMap<CaseId, Held>,
    ) -> Vec<Case> {
        let mut arrived = Vec::new();
        for (path, _) in &changed {
            for (id, form) in self.files.remove(path).unwrap_or_default() {
                self.forms.remove(&form);
                if let Some(held) = self.cases.remove(&id) {
                    self.forget_trace(&held.case);
                    before.insert(id, held);
                }
            }
        }
        for (path, cases) in changed {
            let Some(cases) = cases else { continue };
            let ids: Vec<_> = cases.iter().map(|case| (case.id.clone(), id_form(&case.id))).collect();
            self.forms.extend(ids.iter().map(|(_, form)| form.clone()));
            self.files.insert(path, ids);
            arrived.extend(cases.into_iter().filter(|case| (self.selects)(&case.id)));
        }
        arrived
    }

    fn forget_trace(&mut self, case: &Case) {
        let path = case.trace_fixture.as_bytes();
        if let Some(ids) = self.by_trace.get_mut(path) {
            ids.remove(&case.id);
            if ids.is_empty() {
                self.by_trace.remove(path);
            }
        }
    }

    /// Has what may have another outcome judged, and tells what that is.
    fn judge(
        &mut self,
        touched: &BTreeSet<CaseId>,
        arrived: Vec<Case>,
        mut before: BTreeMap<CaseId, Held>,
        judge: &mut Judge<'_>,
    ) -> Result<Moved, Error> {
        let mut asked = Vec::new();
        for id in touched {
            let held = self.cases.remove(id).expect("only what is there was kept");
            asked.push(held.case.clone());
            before.insert(id.clone(), held);
        }
        asked.extend(arrived);
        let mut moved = Moved::default();
        for mut case in asked {
            // Long texts that nothing here reads.
            (case.question, case.title) = (None, Text::default());
            let found = self.found(&case);
            let outcome = judge.promise(&case, &found, &self.rules)?;
            let was = before.remove(&case.id).map(|held| held.outcome);
            if was.as_ref().is_none_or(|was| !was.is(&outcome)) {
                moved.outcomes.insert(case.id.clone(), (was, Some(outcome.clone())));
            }
            self.by_trace.entry(case.trace_fixture.as_bytes().to_vec()).or_default().insert(case.id.clone());
            self.cases.insert(case.id.clone(), Held { case, found, outcome });
        }
        moved.outcomes.extend(before.into_iter().map(|(id, held)| (id, (Some(held.outcome), None))));
        Ok(moved)
    }

    /// What stands where the trace of a case should stand. A link on the way there, or a folder in its place,
    /// is no trace that is missing.
    fn found(&self, case: &Case) -> Found {
        let path = case.trace_fixture.as_bytes();
        if let Some(entry) = self.traces.get(path) {
            let id = entry.id.clone().filter(|_| entry.kind == EntryKind::File);
            return id.ok_or(Fault::NotAFile);
        }
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let mut ends = std::iter::once(0).chain(slashes);
        let is_blocked =
            |end: usize| self.traces.get(&path[..end]).is_some_and(|entry| entry.kind != EntryKind::File);
        let below = [path, b"/"].concat();
        let mut first = self.traces.range(below.clone()..).map(|(path, _)| path);
        if ends.any(is_blocked) || first.next().is_some_and(|path| path.starts_with(&below)) {
            return Err(Fault::NotAFile);
        }
        Err(Fault::Missing)
    }
}

/// How many cases count, pass, and could not be judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All.
    pub total: u64,
    /// Those that pass.
    pub passed: u64,
    /// Those whose trace could not be judged.
    pub unjudged: u64,
}

impl Counts {
    /// The counts after a move whose outcomes are known.
    pub(super) fn after(self, moved: &Moved) -> Self {
        let mut counts = self;
        for (before, now) in moved.outcomes.values() {
            if let Some(outcome) = before.as_ref().map(Promise::outcome) {
                counts.total -= 1;
                counts.passed -= u64::from(outcome.passed);
                counts.unjudged -= u64::from(outcome.unjudged);
            }
            if let Some(outcome) = now.as_ref().map(Promise::outcome) {
                counts.total += 1;
                counts.passed += u64::from(outcome.passed);
                counts.unjudged += u64::from(outcome.unjudged);
            }
        }
        counts
    }
}
