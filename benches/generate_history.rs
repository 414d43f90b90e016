//! Makes a repository with a long history, the same bytes for the same arguments: what the speed and the
//! memory of `history` are measured on.
//!
//! `cargo run --release --example generate_history -- DIR COMMITS SUITES CASES TRACE_BYTES [SEED]`: a packed
//! repository in DIR (which must not exist) of so many commits, which hold so many distinct suites of so many
//! cases.

#[path = "commits.rs"]
mod commits;
#[path = "random.rs"]
mod random;
#[path = "repository.rs"]
mod repository;

use std::path::Path;

use commits::{Size, generate};
use random::Random;
use repository::Outcome;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, commits, suites, cases, bytes, rest @ ..] = arguments.as_slice() else {
        return Err("usage: generate_history DIR COMMITS SUITES CASES TRACE_BYTES [SEED]".into());
    };
    let size = Size {
        commits: commits.parse()?,
        suites: suites.parse()?,
        cases: cases.parse()?,
        trace_bytes: bytes.parse()?,
    };
    if size.cases == 0 || size.suites == 0 {
        return Err("a history needs a case and a suite".into());
    }
    let seed = rest.first().map_or(Ok(1), |text| text.parse())?;
    generate(Path::new(folder), size, &mut Random(seed))
}
