//! Many cases over the traces of a source: one reader and one buffer a thread, traces dropped as
//! soon as they are judged, results in the order of the cases whatever the threads do.

use std::iter::Zip;
use std::num::NonZeroUsize;
use std::slice::{Chunks, ChunksMut};
use std::sync::{Mutex, MutexGuard};

use crate::evaluate::matching::Matcher;
use crate::evaluate::traces::{Found, Placed, TraceIndex};
use crate::evaluate::{CaseResult, TraceInput, evaluate_case};
use crate::ids::ObjectId;
use crate::suite::Suite;
use crate::suite::source::{Content, Entry, EntryKind, Part, Reader, Source, SourceError};
use crate::suite::trace::Fault;
use crate::text::Pool;

/// A buffer above this many bytes is given back after the trace that needed it.
const KEPT_BUFFER: usize = 4 << 20;
/// The most cases that a thread takes at once; small, so that large traces spread over the threads.
const LARGEST_PORTION: usize = 32;

/// Evaluates every case of a suite, in suite order.
///
/// # Errors
/// The surroundings failed. A trace that cannot be judged is no error but a result.
pub fn evaluate_suite(
    suite: &Suite,
    source: &dyn Source,
    threads: NonZeroUsize,
) -> Result<Vec<CaseResult>, SourceError> {
    let cases = TraceIndex::list(source)?.place(&suite.cases);
    let evaluation = Evaluation {
        source,
        matcher: &Matcher::new(&suite.config.matching),
        max_trace_bytes: suite.config.max_trace_bytes,
    };
    evaluation.cases(&cases, threads)
}

/// What the evaluation of some cases needs beside them.
#[derive(Clone, Copy)]
pub struct Evaluation<'a> {
    /// Where the traces are.
    pub source: &'a dyn Source,
    /// How answers are searched.
    pub matcher: &'a Matcher,
    /// The most bytes that a trace may have.
    pub max_trace_bytes: u64,
}

impl Evaluation<'_> {
    /// Evaluates some cases, in the order given; the same for any number of threads.
    ///
    /// # Errors
    /// The surroundings failed; of several failures that of the first case.
    pub fn cases(&self, cases: &[Placed<'_>], threads: NonZeroUsize) -> Result<Vec<CaseResult>, SourceError> {
        self.prefetch(cases)?;
        self.each(cases, threads, |placed, hands| self.case(placed, hands))
    }

    /// What stands where the traces of some cases should stand, in the order given. Only where the source
    /// does not know an id without reading is a trace read, and none is parsed.
    ///
    /// # Errors
    /// As [`Evaluation::cases`].
    pub fn found(&self, cases: &[Placed<'_>], threads: NonZeroUsize) -> Result<Vec<Found>, SourceError> {
        if let Some(all) = cases.iter().map(|placed| placed.spot.clone().transpose()).collect() {
            return Ok(all);
        }
        self.each(cases, threads, |placed, hands| match placed.entry() {
            Ok(entry) => hands.measure(&entry).map(|(id, _)| Ok(id)),
            Err(fault) => Ok(Err(fault)),
        })
    }

    /// The same with the bytes that each trace has, 0 where there is none.
    ///
    /// # Errors
    /// As [`Evaluation::cases`].
    pub fn measured(
        &self,
        cases: &[Placed<'_>],
        threads: NonZeroUsize,
    ) -> Result<Vec<(Found, u64)>, SourceError> {
        self.prefetch(cases)?;
        self.each(cases, threads, |placed, hands| match placed.entry() {
            Ok(entry) => hands.measure(&entry).map(|(id, size)| (Ok(id), size)),
            Err(fault) => Ok((Err(fault), 0)),
        })
    }

    /// Does one thing to each case, in several threads.
    fn each<R: Send>(
        &self,
        cases: &[Placed<'_>],
        threads: NonZeroUsize,
        one: impl Fn(&Placed<'_>, &mut Hands<'_>) -> Result<R, SourceError> + Sync,
    ) -> Result<Vec<R>, SourceError> {
        let threads = threads.get().min(cases.len());
        // Each outcome is written where it stays: lists of portions would all stand beside the joined one.
        let mut outcomes = Vec::new();
        outcomes.resize_with(cases.len(), || None);
        let portions = Portions::new(cases, &mut outcomes, threads);
        let work = || {
            let mut hands =
                Hands { source: self.source, reader: None, buffer: Vec::new(), pool: Pool::default() };
            while let Some(portion) = portions.take() {
                let start = portion.start;
                if let Err(error) = portion.work(|placed| one(placed, &mut hands)) {
                    portions.fail(start, error);
                }
            }
        };
        if threads <= 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
                for worker in workers {
                    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                }
            });
        }
        portions.outcome()?;
        let outcomes = outcomes.into_iter();
        Ok(outcomes.map(|outcome| outcome.expect("no portion is left, and none failed")).collect())
    }

    /// Asks for all traces that are about to be read.
    fn prefetch(&self, cases: &[Placed<'_>]) -> Result<(), SourceError> {
        let entries: Vec<Entry> = cases.iter().filter_map(|placed| placed.entry().ok()).collect();
        self.source.prefetch(&entries.iter().map(|entry| (Part::Traces, entry)).collect::<Vec<_>>())
    }

    fn case(&self, placed: &Placed<'_>, hands: &mut Hands<'_>) -> Result<CaseResult, SourceError> {
        let input = match placed.entry() {
            Err(fault) => TraceInput::Fault { fault, detail: None, id: None },
            Ok(entry) => match hands.read(&entry, self.max_trace_bytes)? {
                Content::Read(id) => TraceInput::Bytes { bytes: &hands.buffer, id },
                Content::TooLarge { id, size } => {
                    let detail = format!("{size} bytes, at most {} are read", self.max_trace_bytes);
                    TraceInput::Fault { fault: Fault::TooLarge, detail: Some(detail), id: Some(id) }
                }
            },
        };
        let result = evaluate_case(placed.case, self.matcher, input);
        hands.give_back();
        Ok(result.pooled(&mut hands.pool))
    }
}

impl Placed<'_> {
    /// The file that stands where the trace should stand.
    fn entry(&self) -> Result<Entry, Fault> {
        let id = self.spot.clone()?;
        Ok(Entry { path: self.case.trace_fixture.clone().into_bytes(), kind: EntryKind::File, id })
    }
}

/// What one thread works with: a reader, once one is needed, and a buffer.
struct Hands<'s> {
    source: &'s dyn Source,
    reader: Option<Box<dyn Reader + 's>>,
    buffer: Vec<u8>,
    /// What traces say again and again.
    pool: Pool,
}

impl Hands<'_> {
    /// Reads a trace into the buffer, unless it has more bytes than the limit.
    fn read(&mut self, entry: &Entry, limit: u64) -> Result<Content, SourceError> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => none.insert(self.source.reader()?),
        };
        reader.read(Part::Traces, entry, limit, &mut self.buffer)
    }

    /// The blob id and the bytes of a trace, of which nothing is held.
    fn measure(&mut self, entry: &Entry) -> Result<(ObjectId, u64), SourceError> {
        Ok(match self.read(entry, 0)? {
            Content::Read(id) => (id, 0),
            Content::TooLarge { id, size } => (id, size),
        })
    }

    /// Gives back what a large trace needed.
    fn give_back(&mut self) {
        if self.buffer.capacity() > KEPT_BUFFER {
            self.buffer = Vec::new();
        }
    }
}

/// Neighbouring cases, and where their outcomes go.
struct Portion<'p, R> {
    start: usize,
    cases: &'p [Placed<'p>],
    outcomes: &'p mut [Option<R>],
}

impl<R> Portion<'_, R> {
    fn work(self, mut one: impl FnMut(&Placed<'_>) -> Result<R, SourceError>) -> Result<(), SourceError> {
        for (placed, outcome) in self.cases.iter().zip(self.outcomes) {
            *outcome = Some(one(placed)?);
        }
        Ok(())
    }
}

/// Hands out neighbouring cases, in order. Sizes are not known beforehand: a thread that met large
/// traces comes back later and takes fewer portions, which splits the work by bytes.
struct Portions<'p, R>(Mutex<State<'p, R>>);

struct State<'p, R> {
    size: usize,
    next: usize,
    left: Zip<Chunks<'p, Placed<'p>>, ChunksMut<'p, Option<R>>>,
    /// The failed portion that begins first, and its failure.
    failure: Option<(usize, SourceError)>,
}

impl<'p, R> Portions<'p, R> {
    fn new(cases: &'p [Placed<'p>], outcomes: &'p mut [Option<R>], threads: usize) -> Self {
        let size = (cases.len() / (threads.max(1) * 8)).clamp(1, LARGEST_PORTION);
        let left = cases.chunks(size).zip(outcomes.chunks_mut(size));
        Self(Mutex::new(State { size, next: 0, left, failure: None }))
    }

    /// The next portion; `None` also after a failure.
    fn take(&self) -> Option<Portion<'p, R>> {
        let mut state = self.state();
        if state.failure.is_some() {
            return None;
        }
        let (cases, outcomes) = state.left.next()?;
        let start = state.next;
        state.next += state.size;
        Some(Portion { start, cases, outcomes })
    }

    /// Portions are handed out in order and worked on until they end or fail, so that the failure of
    /// the first case that fails is always among those told here.
    fn fail(&self, start: usize, error: SourceError) {
        let mut state = self.state();
        if state.failure.as_ref().is_none_or(|(earliest, _)| start < *earliest) {
            state.failure = Some((start, error));
        }
    }

    fn outcome(self) -> Result<(), SourceError> {
        let state = self.0.into_inner().expect("no thread panics while it holds the lock");
        state.failure.map_or(Ok(()), |(_, error)| Err(error))
    }

    fn state(&self) -> MutexGuard<'_, State<'p, R>> {
        self.0.lock().expect("no thread panics while it holds the lock")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::evaluate::support::{MemorySource, case, id_of};
    use crate::suite::{Case, Config, Matching};

    fn threads(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).unwrap()
    }

    fn suite(cases: Vec<Case>, max_trace_bytes: u64) -> Suite {
        let config = Config { max_trace_bytes, ..Config::default() };
        Suite { config, config_file: None, cases, files: Vec::new() }
    }

    fn shown(results: &[CaseResult]) -> Vec<String> {
        results.iter().map(|result| format!("{result:?}")).collect()
    }

    #[test]
    fn each_case_meets_its_own_trace() {
        let good =
            br#"{"session":{"answer":"a","selfEvaluation":{"verifier_evaluation":{"verdict":"PASS"}}}}"#;
        let large = [b" ".repeat(100), good.to_vec()].concat();
        let source = MemorySource::new(vec![
            ("broken.json", EntryKind::File, b"{".to_vec()),
            ("good.json", EntryKind::File, good.to_vec()),
            ("large.json", EntryKind::File, large.clone()),
            ("link.json", EntryKind::Link, good.to_vec()),
        ]);
        let cases = ["good.json", "large.json", "link.json", "none.json", "broken.json", "good.json"]
            .iter()
            .enumerate()
            .map(|(index, path)| case(&format!("c{index}"), path, &json!({})))
            .collect();
        let limit = good.len() as u64;
        let results = evaluate_suite(&suite(cases, limit), &source, threads(2)).unwrap();
        let reasons: Vec<_> = results.iter().map(CaseResult::unjudged).collect();
        assert_eq!(
            reasons,
            [None, Some("too-large"), Some("not-a-file"), Some("missing"), Some("unreadable"), None]
        );
        let ids: Vec<_> = results.iter().map(|result| result.trace_id.clone()).collect();
        let good = Some(id_of(good));
        assert_eq!(ids, [good.clone(), Some(id_of(&large)), None, None, Some(id_of(b"{")), good]);
        let order: Vec<_> = results.iter().map(|result| result.case_id.as_str()).collect();
        assert_eq!(order, ["c0", "c1", "c2", "c3", "c4", "c5"]);
    }

    #[test]
    fn the_failure_of_the_first_case_is_told_and_nothing_else() {
        let files: Vec<_> =
            (0..200).map(|index| (format!("{index}.json"), EntryKind::File, b"{}".to_vec())).collect();
        let mut source = MemorySource::new(files);
        source.broken = vec!["150.json".to_owned(), "40.json".to_owned(), "41.json".to_owned()];
        let cases: Vec<_> = (0..200).map(|index| case("c", &format!("{index}.json"), &json!({}))).collect();
        for count in [1, 2, 3, 16] {
            let error = evaluate_suite(&suite(cases.clone(), 10), &source, threads(count)).unwrap_err();
            assert_eq!(error.what, "40.json");
        }
    }

    #[test]
    fn no_case_needs_no_reader() {
        let mut source = MemorySource::new(Vec::<(String, _, _)>::new());
        source.no_readers = true;
        let matcher = Matcher::new(&Matching::default());
        let evaluation = Evaluation { source: &source, matcher: &matcher, max_trace_bytes: 1 };
        assert!(evaluation.cases(&[], threads(4)).unwrap().is_empty());
        let asked = case("c", "t.json", &json!({}));
        assert!(evaluation.cases(&[Placed { case: &asked, spot: Ok(None) }], threads(4)).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn results_do_not_depend_on_the_number_of_threads(picks in prop::collection::vec(0..5_usize, 0..120), count in 2..9_usize) {
            let source = MemorySource::new(vec![
                ("0.json", EntryKind::File, br#"{"session":{"answer":"a"}}"#.to_vec()),
                ("1.json", EntryKind::File, br#"{"session":{"answer":"bbbb"}}"#.to_vec()),
                ("2.json", EntryKind::File, b"{".to_vec()),
                ("3.json", EntryKind::Submodule, Vec::new()),
            ]);
            let asked = json!({ "expectedRootCauseKeywords": ["a"], "forbiddenAnswerKeywords": ["B"] });
            let cases: Vec<_> = picks.iter().enumerate().map(|(index, pick)| case(&format!("c{index}"), &format!("{pick}.json"), &asked)).collect();
            let suite = suite(cases, 28);
            let alone = evaluate_suite(&suite, &source, threads(1)).unwrap();
            prop_assert_eq!(alone.len(), picks.len());
            let together = evaluate_suite(&suite, &source, threads(count)).unwrap();
            prop_assert_eq!(shown(&together), shown(&alone));
        }
    }
}
