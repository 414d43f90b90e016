//! The steps of a run over inputs in memory: load, parse, evaluate, write, read, diff, render.
//!
//! `cargo bench --bench hot`. What a whole process takes beside git and the peers is in `compare.py`; the
//! figure that does not drift, instructions, in `instructions.sh`.

#![expect(clippy::unwrap_used, reason = "a bench may")]

#[path = "input.rs"]
mod input;
#[path = "random.rs"]
mod random;

use std::hint::black_box;
use std::num::NonZeroUsize;

use criterion::{BatchSize, Criterion, Throughput};
use diag_gate::diff::diff;
use diag_gate::evaluate::{CaseResult, Matcher, evaluate_suite};
use diag_gate::gate::{Gate, decide};
use diag_gate::ids::{HashKind, ObjectId};
use diag_gate::render::Places;
use diag_gate::render::view::{Background, View};
use diag_gate::report::{Evaluator, Origin, Report, SourceState, read, suite_digest, to_json};
use diag_gate::suite::source::{Content, Entry, EntryKind, Part, Reader, Source, SourceError};
use diag_gate::suite::{Suite, load, trace};
use random::Random;

/// The sizes of performance.md.
const SIZES: [usize; 3] = [10, 1_000, 10_000];
const TRACE_BYTES: usize = 20_000;

/// A suite in memory, whose ids are known as they are in a commit.
struct Memory {
    cases: Vec<u8>,
    traces: Vec<(Entry, Vec<u8>)>,
}

impl Memory {
    fn new(cases: usize) -> Self {
        let definitions: Vec<_> = (0..cases).map(input::case).collect();
        let trace = |index| {
            let mut random = Random(index as u64);
            let bytes = serde_json::to_vec_pretty(&input::trace(index, TRACE_BYTES, &mut random)).unwrap();
            let id = Some(ObjectId::of_blob(HashKind::Sha1, &bytes));
            (Entry { path: input::trace_path(index).into_bytes(), kind: EntryKind::File, id }, bytes)
        };
        let mut traces: Vec<_> = (0..cases).map(trace).collect();
        traces.sort_by(|one, other| one.0.path.cmp(&other.0.path));
        Self { cases: serde_json::to_vec_pretty(&definitions).unwrap(), traces }
    }

    fn trace_bytes(&self) -> u64 {
        self.traces.iter().map(|(_, bytes)| bytes.len() as u64).sum()
    }
}

impl Source for Memory {
    fn hash_kind(&self) -> HashKind {
        HashKind::Sha1
    }

    fn list(&self, part: Part) -> Result<Vec<Entry>, SourceError> {
        Ok(match part {
            Part::Config => Vec::new(),
            Part::Cases => vec![Entry { path: b"all.json".to_vec(), kind: EntryKind::File, id: None }],
            Part::Traces => self.traces.iter().map(|(entry, _)| entry.clone()).collect(),
        })
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError> {
        Ok(Box::new(MemoryReader(self)))
    }
}

struct MemoryReader<'m>(&'m Memory);

impl Reader for MemoryReader<'_> {
    fn read(
        &mut self,
        part: Part,
        entry: &Entry,
        _: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError> {
        let bytes = match part {
            Part::Config | Part::Cases => &self.0.cases,
            Part::Traces => {
                let at = self.0.traces.binary_search_by(|(known, _)| known.path.cmp(&entry.path)).unwrap();
                &self.0.traces[at].1
            }
        };
        buffer.clone_from(bytes);
        let id = entry.id.clone().unwrap_or_else(|| ObjectId::of_blob(HashKind::Sha1, b""));
        Ok(Content::Read(id))
    }
}

fn report(suite: &Suite, results: Vec<CaseResult>) -> Report {
    let matching = suite.config.matching.clone();
    let suite_digest = suite_digest(&results, &matching, suite.config.max_trace_bytes);
    let origin = Origin {
        suite: suite.config.name.clone(),
        source: SourceState { commit: None, dirty: false },
        evaluator: Evaluator { rules_version: "1".to_owned(), matching },
        suite_digest,
    };
    Report::new(Some(origin), results)
}

/// Every tenth verdict is a worse one.
fn worse(report: &Report) -> Report {
    let mut results = report.results.clone();
    for result in results.iter_mut().step_by(10) {
        result.verdict = Some("FAIL".into());
    }
    Report::new(report.origin.clone(), results)
}

fn gate(baseline: &Report, current: &Report, suite: &Suite) -> Gate {
    let policy = &suite.config.gate;
    let moved = diff(baseline, current, &policy.thresholds).unwrap();
    decide(moved, policy, jiff::civil::date(2026, 12, 1), Vec::new())
}

fn main() {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    SIZES.into_iter().for_each(|cases| steps(&mut criterion, cases));
    criterion.final_summary();
}

fn steps(criterion: &mut Criterion, cases: usize) {
    let memory = Memory::new(cases);
    let suite = load(&memory).unwrap();
    let one = NonZeroUsize::MIN;
    let results = evaluate_suite(&suite, &memory, one).unwrap();
    let baseline = report(&suite, results);
    let current = worse(&baseline);
    let text = to_json(&baseline);

    let mut group = criterion.benchmark_group(format!("{cases} cases, traces of 20 KB, one thread"));
    group.bench_function("prepare matching", |bench| {
        bench.iter(|| Matcher::new(black_box(&suite.config.matching)));
    });
    group.throughput(Throughput::Bytes(memory.cases.len() as u64));
    group.bench_function("load", |bench| bench.iter(|| load(&memory).unwrap()));
    group.throughput(Throughput::Bytes(memory.trace_bytes()));
    group.bench_function("parse", |bench| {
        bench.iter(|| memory.traces.iter().filter(|(_, bytes)| trace::parse(bytes).is_ok()).count());
    });
    group.bench_function("evaluate", |bench| bench.iter(|| evaluate_suite(&suite, &memory, one).unwrap()));
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("write", |bench| bench.iter(|| to_json(&baseline)));
    group.bench_function("read", |bench| bench.iter(|| read(text.as_bytes()).unwrap()));
    group.throughput(Throughput::Elements(cases as u64));
    group.bench_function("diff and decide", |bench| bench.iter(|| gate(&baseline, &current, &suite)));
    let decided = gate(&baseline, &current, &suite);
    let background = || Background {
        current: &current,
        places: Places::of("eval", &suite),
        baseline: None,
        commands: None,
    };
    group.bench_function("view", |bench| {
        bench.iter_batched(background, |background| View::new(&decided, background), BatchSize::LargeInput);
    });
    let view = View::new(&decided, background());
    group.bench_function("render as text", |bench| {
        bench.iter(|| diag_gate::render::decision::text(&view));
    });
    group.bench_function("render as Markdown", |bench| bench.iter(|| diag_gate::render::markdown(&view)));
    group.finish();
}
