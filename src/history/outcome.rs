//! What became of a case, and of each distinct pair of a definition and a trace: once.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::evaluate::{CaseResult, CheckName, Evaluation, FailedChecks, Found, Matcher, Placed};
use crate::history::unreadable;
use crate::suite::source::Source;
use crate::suite::{Case, Config};

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Whether no check failed.
    pub passed: bool,
    /// Whether its trace could not be judged.
    pub unjudged: bool,
    /// The checks that failed, in the order of the table.
    pub failed: Vec<CheckName>,
}

/// The settings that an outcome follows from.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) matcher: Matcher,
    pub(super) max_trace_bytes: u64,
    /// Equal texts, equal rules.
    text: String,
}

impl Rules {
    pub(super) fn of(config: &Config) -> Self {
        let matching = &config.matching;
        let text = format!("{matching:?} {}", config.max_trace_bytes);
        Self { matcher: Matcher::new(matching), max_trace_bytes: config.max_trace_bytes, text }
    }

    pub(super) fn same_as(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// What an outcome follows from, the settings aside.
pub(super) struct Pair<'a> {
    pub(super) case: &'a Case,
    /// What stands where its trace should stand.
    pub(super) found: &'a Found,
}

impl<'a> Pair<'a> {
    fn placed(&self) -> Placed<'a> {
        Placed { case: self.case, spot: self.found.clone().map(Some) }
    }
}

/// Evaluates, and remembers each distinct pair.
pub(super) struct Judge<'s> {
    files: &'s dyn Source,
    threads: NonZeroUsize,
    known: HashMap<[u8; 16], Arc<Outcome>>,
    /// Each distinct outcome once: there are few.
    distinct: HashSet<Arc<Outcome>>,
}

impl<'s> Judge<'s> {
    pub(super) fn new(files: &'s dyn Source, threads: NonZeroUsize) -> Self {
        Self { files, threads, known: HashMap::new(), distinct: HashSet::new() }
    }

    /// How many pairs were evaluated.
    pub(super) fn evaluations(&self) -> u64 {
        self.known.len() as u64
    }

    /// The outcomes of these pairs, in their order; evaluates what is not known yet.
    ///
    /// # Errors
    /// The surroundings failed.
    pub(super) fn outcomes(&mut self, pairs: &[Pair<'_>], rules: &Rules) -> Result<Vec<Arc<Outcome>>, Error> {
        let keys: Vec<[u8; 16]> = pairs.iter().map(|pair| key(pair, rules)).collect();
        // Two cases of one suite may be one pair: it is asked once.
        let mut asked: HashMap<[u8; 16], &Pair<'_>> = HashMap::new();
        let mut order = Vec::new();
        for (key, pair) in keys.iter().zip(pairs) {
            if !self.known.contains_key(key) && asked.insert(*key, pair).is_none() {
                order.push(*key);
            }
        }
        let new: Vec<Placed<'_>> = order.iter().map(|key| asked[key].placed()).collect();
        let evaluation = Evaluation {
            source: self.files,
            matcher: &rules.matcher,
            max_trace_bytes: rules.max_trace_bytes,
        };
        let results = evaluation.cases(&new, self.threads_for(new.len())).map_err(unreadable)?;
        for (key, result) in order.into_iter().zip(&results) {
            let outcome = self.shared(outcome(result));
            self.known.insert(key, outcome);
        }
        Ok(keys.iter().map(|key| Arc::clone(&self.known[key])).collect())
    }

    fn shared(&mut self, outcome: Outcome) -> Arc<Outcome> {
        if let Some(known) = self.distinct.get(&outcome) {
            return Arc::clone(known);
        }
        let outcome = Arc::new(outcome);
        self.distinct.insert(Arc::clone(&outcome));
        outcome
    }

    /// To start a thread takes longer than to judge a few cases.
    fn threads_for(&self, cases: usize) -> NonZeroUsize {
        if cases < 16 { NonZeroUsize::MIN } else { self.threads }
    }
}

fn outcome(result: &CaseResult) -> Outcome {
    let failed = match &result.failed_checks {
        FailedChecks::Checks(checks) => checks.iter().map(|check| check.check).collect(),
        FailedChecks::Plain(_) => Vec::new(),
    };
    Outcome { passed: result.passed, unjudged: result.unjudged().is_some(), failed }
}

/// The first half of a SHA-256: no two pairs of any history share it.
fn key(pair: &Pair<'_>, rules: &Rules) -> [u8; 16] {
    let mut hasher = Sha256::new();
    hasher.update(pair.case.digest.as_str());
    match pair.found {
        Ok(id) => hasher.update(id.as_str()),
        Err(fault) => hasher.update(fault.as_str()),
    }
    hasher.update([0]);
    hasher.update(&rules.text);
    let digest = hasher.finalize();
    std::array::from_fn(|index| digest[index])
}
