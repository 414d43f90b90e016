//! Makes a repository with a large suite, the same bytes for the same arguments: what speed and
//! memory are measured on.
//!
//! `cargo run --release --example generate -- DIR CASES TRACE_BYTES [SEED]`: a packed repository in
//! DIR (which must not exist) whose HEAD holds `eval/` with so many cases and one trace for each, of
//! about so many bytes, Chinese and English, mostly fields that no rule reads.

#[path = "input.rs"]
mod input;
#[path = "random.rs"]
mod random;
#[path = "repository.rs"]
mod repository;

use std::path::Path;

use input::{case, trace, trace_path};
use random::Random;
use repository::{Outcome, Stream, make};

const CASES_A_FILE: usize = 500;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, cases, bytes, rest @ ..] = arguments.as_slice() else {
        return Err("usage: generate DIR CASES TRACE_BYTES [SEED]".into());
    };
    let (cases, bytes) = (cases.parse()?, bytes.parse()?);
    let seed = rest.first().map_or(Ok(1), |text| text.parse())?;
    make(Path::new(folder), |stream| write_commit(stream, cases, bytes, seed))
}

fn write_commit(stream: &mut Stream, cases: usize, trace_bytes: usize, seed: u64) -> Outcome<()> {
    stream.commit("A large suite", 1_700_000_000)?;
    for first in (0..cases).step_by(CASES_A_FILE) {
        let path = format!("eval/cases/cases-{:04}.json", first / CASES_A_FILE);
        stream.json(&path, &(first..cases.min(first + CASES_A_FILE)).map(case).collect())?;
    }
    for index in 0..cases {
        let mut random = Random(seed.rotate_left(32) ^ index as u64);
        let path = format!("eval/fixtures/{}", trace_path(index));
        stream.json(&path, &trace(index, trace_bytes, &mut random))?;
    }
    Ok(())
}
