//! What became of a case, and of each distinct pair of a definition and a trace: once.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::evaluate::{CaseResult, CheckName, Evaluation, FailedChecks, Found, Matcher, Placed};
use crate::history::unreadable;
use crate::suite::source::Source;
use crate::suite::{Case, Config};

/// How many pairs wait for each other before they are evaluated.
const MOST_WAITING: usize = 4096;

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

/// An outcome that is known, or will be once the judge has settled.
#[derive(Clone, Debug, Default)]
pub(super) struct Promise(Arc<OnceLock<Arc<Outcome>>>);

impl Promise {
    /// The outcome; only after [`Judge::settle`].
    pub(super) fn outcome(&self) -> &Arc<Outcome> {
        self.0.get().expect("the judge has settled")
    }

    /// Whether both are of one pair.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Evaluates, and remembers each distinct pair of a case and what stands where its trace should stand. What
/// many commits ask for is evaluated together, so that every thread has something to do.
pub(super) struct Judge<'s> {
    files: &'s dyn Source,
    threads: NonZeroUsize,
    known: HashMap<[u8; 16], Promise>,
    /// What was promised, all of it under one set of rules.
    waiting: Vec<(Case, Found, Promise)>,
    rules: Option<Arc<Rules>>,
    /// Each distinct outcome once: there are few.
    distinct: HashSet<Arc<Outcome>>,
    evaluations: u64,
}

impl<'s> Judge<'s> {
    pub(super) fn new(files: &'s dyn Source, threads: NonZeroUsize) -> Self {
        Self {
            files,
            threads,
            known: HashMap::new(),
            waiting: Vec::new(),
            rules: None,
            distinct: HashSet::new(),
            evaluations: 0,
        }
    }

    /// How many pairs were evaluated.
    pub(super) fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// The outcome of a pair, which is evaluated if no equal one was asked for before.
    ///
    /// # Errors
    /// The surroundings failed.
    pub(super) fn promise(
        &mut self,
        case: &Case,
        found: &Found,
        rules: &Arc<Rules>,
    ) -> Result<Promise, Error> {
        let key = key(case, found, rules);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let is_other = self.rules.as_ref().is_some_and(|waiting| !waiting.same_as(rules));
        if is_other || self.waiting.len() >= MOST_WAITING {
            self.settle()?;
        }
        self.rules = Some(Arc::clone(rules));
        let promise = Promise::default();
        self.waiting.push((case.clone(), found.clone(), promise.clone()));
        self.known.insert(key, promise.clone());
        Ok(promise)
    }

    /// Keeps every promise.
    ///
    /// # Errors
    /// The surroundings failed.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(rules) = self.rules.take() else { return Ok(()) };
        let placed = waiting.iter().map(|(case, found, _)| Placed { case, spot: found.clone().map(Some) });
        let cases: Vec<Placed<'_>> = placed.collect();
        let evaluation = Evaluation {
            source: self.files,
            matcher: &rules.matcher,
            max_trace_bytes: rules.max_trace_bytes,
        };
        let results = evaluation.cases(&cases, self.threads_for(cases.len())).map_err(unreadable)?;
        for ((_, _, promise), result) in waiting.iter().zip(&results) {
            let outcome = self.shared(outcome(result));
            promise.0.get_or_init(|| outcome);
        }
        self.evaluations += waiting.len() as u64;
        Ok(())
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
fn key(case: &Case, found: &Found, rules: &Rules) -> [u8; 16] {
    let mut hasher = Sha256::new();
    hasher.update(case.digest.as_str());
    match found {
        Ok(id) => hasher.update(id.as_str()),
        Err(fault) => hasher.update(fault.as_str()),
    }
    hasher.update([0]);
    hasher.update(&rules.text);
    let digest = hasher.finalize();
    std::array::from_fn(|index| digest[index])
}
