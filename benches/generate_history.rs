//! Makes a repository with a long history, the same bytes for the same arguments: what the speed and the
//! memory of `history` are measured on.
//!
//! `cargo run --release --example generate_history -- DIR COMMITS SUITES CASES TRACE_BYTES [SEED]`: a packed
//! repository in DIR (which must not exist) of so many commits, which hold so many distinct suites of so many
//! cases; each new suite has ten new traces and now and then a changed case. The other commits change files
//! beside the suite.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

const CASES_A_FILE: usize = 50;
const CHANGED_TRACES: usize = 10;
/// Each how manieth new suite changes a case file.
const CASE_CHANGE: usize = 5;

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
    let seed = rest.first().map_or(Ok(1), |text| text.parse())?;
    generate(Path::new(folder), &size, &mut Random(seed))
}

struct Size {
    commits: usize,
    suites: usize,
    cases: usize,
    trace_bytes: usize,
}

fn generate(folder: &Path, size: &Size, random: &mut Random) -> Outcome<()> {
    std::fs::create_dir(folder)?;
    git(folder, &["init", "--quiet", "--initial-branch=main"])?;
    let mut import = Command::new("git")
        .current_dir(folder)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut stream = BufWriter::new(import.stdin.take().ok_or("no way to write to git")?);
    let every = (size.commits / size.suites.max(1)).max(1);
    for commit in 0..size.commits {
        writeln!(
            stream,
            "commit refs/heads/main\ncommitter Generator <generator@example.org> {} +0000",
            1_500_000_000 + commit * 3600
        )?;
        data(&mut stream, format!("Commit {commit}").as_bytes())?;
        if commit == 0 {
            (0..size.cases)
                .step_by(CASES_A_FILE)
                .try_for_each(|first| case_file(&mut stream, size, first, 0))?;
            (0..size.cases).try_for_each(|index| trace(&mut stream, size, index, random))?;
        } else if commit % every == 0 && commit / every < size.suites {
            for _ in 0..CHANGED_TRACES {
                let index = random.below(size.cases);
                trace(&mut stream, size, index, random)?;
            }
            if (commit / every).is_multiple_of(CASE_CHANGE) {
                let first = random.below(size.cases) / CASES_A_FILE * CASES_A_FILE;
                case_file(&mut stream, size, first, commit)?;
            }
        } else {
            writeln!(stream, "M 100644 inline src/part-{}/file-{}.rs", commit % 20, commit % 400)?;
            data(&mut stream, format!("// {commit}\n").as_bytes())?;
        }
    }
    stream.flush()?;
    drop(stream);
    if !import.wait()?.success() {
        return Err("git fast-import failed".into());
    }
    git(folder, &["repack", "-adq"])?;
    git(folder, &["reset", "--quiet", "--hard"])
}

fn case_file(stream: &mut impl Write, size: &Size, first: usize, version: usize) -> Outcome<()> {
    let file: Vec<Value> = (first..size.cases.min(first + CASES_A_FILE))
        .map(|index| {
            // One case of a changed file asks something else.
            let keyword = if version > 0 && index == first { "证据" } else { "超时" };
            json!({
                "id": format!("case-{index:06}"),
                "title": format!("Diagnosis {index}"),
                "question": "订单为什么超时？",
                "traceFixture": path(index),
                "expectedRootCauseKeywords": [keyword],
                "requiredEvidenceTools": ["query_logs"],
                "allowedVerdicts": ["PASS"],
                "forbiddenAnswerKeywords": [format!("never-{version}")]
            })
        })
        .collect();
    writeln!(stream, "M 100644 inline eval/cases/cases-{:04}.json", first / CASES_A_FILE)?;
    data(stream, &serde_json::to_vec_pretty(&file)?)
}

fn trace(stream: &mut impl Write, size: &Size, index: usize, random: &mut Random) -> Outcome<()> {
    let mut spans = Vec::new();
    let mut bytes = 0;
    while bytes < size.trace_bytes {
        let id = random.next();
        spans.push(json!({ "spanId": format!("{id:016x}"), "name": "查询 orders", "ms": id % 5000 }));
        bytes += 90;
    }
    // One answer in ten knows nothing.
    let answer = if random.below(10) == 0 { "no cause found" } else { "订单超时，证据在日志里" };
    let trace = json!({
        "session": {
            "answer": answer,
            "totalDurationMs": random.below(9000),
            "spans": spans,
            "selfEvaluation": { "verifier_evaluation": { "verdict": "PASS" } }
        },
        "toolInvocations": [{ "toolName": "query_logs", "success": true }]
    });
    writeln!(stream, "M 100644 inline eval/fixtures/{}", path(index))?;
    data(stream, &serde_json::to_vec_pretty(&trace)?)
}

fn path(index: usize) -> String {
    format!("part-{:02}/trace-{index:06}.json", index % 64)
}

fn data(stream: &mut impl Write, bytes: &[u8]) -> Outcome<()> {
    writeln!(stream, "data {}", bytes.len())?;
    stream.write_all(bytes)?;
    Ok(writeln!(stream)?)
}

fn git(folder: &Path, arguments: &[&str]) -> Outcome<()> {
    let status = Command::new("git").current_dir(folder).args(arguments).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {arguments:?} failed").into()) }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
