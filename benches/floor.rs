//! What a check cannot do without: reads the case files of HEAD and the accepted baseline, and nothing else.
//!
//! `cargo run --release --example floor`, in a repository of `generate` with an accepted baseline. What
//! `benches/compare.py` holds `check` without a change against.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a bench stands outside the program")]

use std::error::Error;

use diag_gate::baseline::{self, Prefix};
use diag_gate::git::{CommitSource, GitEnvironment, GitStore, Repository};
use diag_gate::ids::Name;
use diag_gate::suite::load;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::current_dir()?;
    let environment = GitEnvironment::new(std::env::vars_os(), &folder);
    let repository = Repository::discover(&folder, &environment)?.ok_or("there is no repository here")?;
    let head = repository.head_commit()?.ok_or("there is no commit here")?;
    let source = CommitSource::new(&repository, &head, b"eval")?;
    let suite = load(&source).map_err(|_| "the suite is at fault")?;
    let main = Name::parse("main").ok_or("no name")?;
    let place = Prefix::new(&suite.config.store_prefix).place(&suite.config.name, &main);
    let held = baseline::read(&GitStore::new(&repository), &place)?.ok_or("there is no baseline here")?;
    println!("{} cases, {} accepted", suite.cases.len(), held.report.results.len());
    Ok(())
}
