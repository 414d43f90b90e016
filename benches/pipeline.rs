//! The steps of the flow, each by itself: load, evaluate, read a report, diff, render.
//!
//! `cargo bench` measures them at the sizes of a small and a large suite. `benches/compare.py` measures
//! the program as a whole, and `benches/instructions.sh` counts instructions, which do not drift.

#![expect(clippy::disallowed_methods, reason = "a bench stands outside the program")]

#[expect(dead_code, reason = "its own program is another target")]
mod generate;

use std::num::NonZeroUsize;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use diag_gate::diff::diff;
use diag_gate::evaluate::evaluate_suite;
use diag_gate::gate::{Gate, decide};
use diag_gate::git::{CommitSource, GitEnvironment, Repository};
use diag_gate::ids::{Digest, HashKind, Name, ObjectId};
use diag_gate::render::view::{Background, View};
use diag_gate::render::{self, COMMENT_BYTES, Frame, Places};
use diag_gate::report::{Evaluator, Origin, Report, SourceState, read, to_json};
use diag_gate::suite::{Suite, config::GateConfig, load};

/// How many cases, and about how many bytes each trace has.
const SIZES: [(usize, usize); 3] = [(10, 20_000), (1_000, 20_000), (10_000, 2_000)];

/// A suite in a repository of its own.
struct Made {
    _folder: tempfile::TempDir,
    source: CommitSource,
    suite: Suite,
    report: Report,
}

impl Made {
    fn new(cases: usize, bytes: usize) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let root = folder.path().join("repository");
        generate::generate(&root, cases, bytes, 1).expect("a suite can be made");
        let environment = GitEnvironment::new(std::env::vars_os(), &root);
        let repository = Repository::discover(&root, &environment).ok().flatten().expect("it was just made");
        let head = repository.head_commit().ok().flatten().expect("it has a commit");
        let source = CommitSource::new(&repository, &head, b"eval").expect("it has a suite");
        let suite = load(&source).expect("the suite is sound");
        let results = evaluate_suite(&suite, &source, threads()).expect("its traces can be read");
        let origin = Origin {
            suite: Name::parse("default").expect("a name"),
            source: SourceState { commit: Some(head), dirty: false },
            suite_digest: Digest::of(b"bench"),
            evaluator: Evaluator { rules_version: "1".to_owned(), matching: suite.config.matching.clone() },
        };
        let report = Report::new(Some(origin), results);
        Self { _folder: folder, source, suite, report }
    }

    /// The same, and every case fails on another trace.
    fn worse(&self) -> Report {
        let mut worse = self.report.clone();
        for result in &mut worse.results {
            result.passed = !result.passed;
            result.trace_id = Some(ObjectId::of_blob(HashKind::Sha1, result.case_id.as_str().as_bytes()));
        }
        Report::new(worse.origin, worse.results)
    }
}

fn threads() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

fn judged(made: &Made, worse: &Report) -> Gate {
    let policy = GateConfig::default();
    let moved = diff(&made.report, worse, &policy.thresholds).expect("both are of one suite");
    decide(moved, &policy, jiff::civil::date(2026, 12, 1), Vec::new())
}

fn steps(criterion: &mut Criterion) {
    for (cases, bytes) in SIZES {
        let made = Made::new(cases, bytes);
        let worse = made.worse();
        let text = to_json(&made.report);
        let gate = judged(&made, &worse);
        let mut group = criterion.benchmark_group("flow");
        group.throughput(Throughput::Elements(cases as u64)).sample_size(10);
        let name = |step: &str| BenchmarkId::new(step, format!("{cases} of {bytes}"));
        group.bench_function(name("load"), |bench| bench.iter(|| load(&made.source)));
        group.bench_function(name("evaluate"), |bench| {
            bench.iter(|| evaluate_suite(&made.suite, &made.source, threads()));
        });
        group.bench_function(name("write a report"), |bench| bench.iter(|| to_json(&made.report)));
        group.bench_function(name("read a report"), |bench| bench.iter(|| read(text.as_bytes())));
        group.bench_function(name("diff"), |bench| bench.iter(|| judged(&made, &worse)));
        let background =
            || Background { current: &worse, places: Places::default(), baseline: None, commands: None };
        group.bench_function(name("view"), |bench| bench.iter(|| View::new(&gate, background())));
        let view = View::new(&gate, background());
        group.bench_function(name("text"), |bench| bench.iter(|| render::decision::text(&view)));
        group.bench_function(name("comment"), |bench| {
            bench.iter(|| render::comment(&view, &Frame::default(), COMMENT_BYTES));
        });
        group.finish();
    }
}

criterion_group!(flow, steps);
criterion_main!(flow);
