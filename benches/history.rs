//! `history` over generated repositories: the walk, and the writing of what it found.
//!
//! `cargo bench --bench history`. Beside git it is measured in `compare.py`.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a bench may")]

#[path = "commits.rs"]
mod commits;
#[path = "random.rs"]
mod random;
#[path = "repository.rs"]
mod repository;

use std::num::NonZeroUsize;
use std::path::Path;

use commits::{Size, generate};
use criterion::{BenchmarkId, Criterion, Throughput};
use diag_gate::git::{GitEnvironment, GitPast, Repository};
use diag_gate::history::{Definitions, Past, Row, Series, Walk, write_json};
use random::Random;

/// A tenth of the size of performance.md, and that size.
const SIZES: [Size; 2] = [
    Size { commits: 1_000, suites: 50, cases: 1_000, trace_bytes: 20_000 },
    Size { commits: 10_000, suites: 500, cases: 1_000, trace_bytes: 20_000 },
];

fn open(folder: &Path) -> Repository {
    let variables = std::env::vars_os();
    Repository::discover(folder, &GitEnvironment::new(variables, folder)).unwrap().unwrap()
}

fn walk(repository: &Repository) -> Vec<Row> {
    let past = GitPast::new(repository, b"eval");
    let tip = repository.resolve("HEAD").unwrap();
    let commits = past.line(&tip, None, false, None).unwrap();
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mut walk = Walk::new(&past, &|_| true, Definitions::default(), threads);
    walk.rows(&commits, &mut |_, _| ()).unwrap()
}

fn main() {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let scratch = tempfile::tempdir().unwrap();
    let mut group = criterion.benchmark_group("history, 1000 cases, traces of 20 KB");
    for size in SIZES {
        let folder = scratch.path().join(size.commits.to_string());
        generate(&folder, size, &mut Random(1)).unwrap();
        let repository = open(&folder);
        group.throughput(Throughput::Elements(size.commits as u64));
        group
            .bench_function(BenchmarkId::new("walk", size.commits), |bench| bench.iter(|| walk(&repository)));
        let rows = walk(&repository);
        let series =
            Series { suite: "default".to_owned(), range: "HEAD".to_owned(), all_parents: false, rows };
        group.bench_function(BenchmarkId::new("write", size.commits), |bench| {
            bench.iter(|| {
                let mut sink = Vec::new();
                write_json(&series, &mut sink).unwrap();
                sink
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
