//! Makes a repository with a large suite, the same bytes for the same arguments: what speed and
//! memory are measured on.
//!
//! `cargo run --release --example generate -- DIR CASES TRACE_BYTES [SEED]`: a packed repository in
//! DIR (which must not exist) whose HEAD holds `eval/` with so many cases and one trace for each, of
//! about so many bytes, Chinese and English, mostly fields that no rule reads.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

#[path = "input.rs"]
mod input;

use input::{Random, case, trace, trace_path};
use serde_json::Value;

type Outcome<T> = Result<T, Box<dyn Error>>;

const CASES_A_FILE: usize = 500;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, cases, bytes, rest @ ..] = arguments.as_slice() else {
        return Err("usage: generate DIR CASES TRACE_BYTES [SEED]".into());
    };
    let seed = rest.first().map_or(Ok(1), |text| text.parse())?;
    generate(Path::new(folder), cases.parse()?, bytes.parse()?, seed)
}

fn generate(folder: &Path, cases: usize, trace_bytes: usize, seed: u64) -> Outcome<()> {
    std::fs::create_dir(folder)?;
    git(folder, &["init", "--quiet", "--initial-branch=main"])?;
    let mut import = Command::new("git")
        .current_dir(folder)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut stream = BufWriter::new(import.stdin.take().ok_or("no way to write to git")?);
    write_commit(&mut stream, cases, trace_bytes, seed)?;
    stream.flush()?;
    drop(stream);
    if !import.wait()?.success() {
        return Err("git fast-import failed".into());
    }
    git(folder, &["repack", "-adq"])?;
    git(folder, &["reset", "--quiet", "--hard"])
}

fn write_commit(stream: &mut impl Write, cases: usize, trace_bytes: usize, seed: u64) -> Outcome<()> {
    writeln!(stream, "commit refs/heads/main\ncommitter Generator <generator@example.org> 1700000000 +0000")?;
    data(stream, b"A large suite")?;
    for first in (0..cases).step_by(CASES_A_FILE) {
        let file: Vec<Value> = (first..cases.min(first + CASES_A_FILE)).map(case).collect();
        writeln!(stream, "M 100644 inline eval/cases/cases-{:04}.json", first / CASES_A_FILE)?;
        data(stream, &serde_json::to_vec_pretty(&file)?)?;
    }
    for index in 0..cases {
        let mut random = Random(seed.wrapping_add(index as u64));
        writeln!(stream, "M 100644 inline eval/fixtures/{}", trace_path(index))?;
        data(stream, &serde_json::to_vec_pretty(&trace(index, trace_bytes, &mut random))?)?;
    }
    Ok(())
}

fn data(stream: &mut impl Write, bytes: &[u8]) -> Outcome<()> {
    writeln!(stream, "data {}", bytes.len())?;
    stream.write_all(bytes)?;
    writeln!(stream)?;
    Ok(())
}

fn git(folder: &Path, arguments: &[&str]) -> Outcome<()> {
    if Command::new("git").current_dir(folder).args(arguments).status()?.success() {
        Ok(())
    } else {
        Err(format!("git {} failed", arguments.join(" ")).into())
    }
}
