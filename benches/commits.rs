//! A long history: many commits, of which some change the suite.

use std::path::Path;

use serde_json::{Value, json};

use crate::random::Random;
use crate::repository::{Outcome, Stream, make};

const CASES_A_FILE: usize = 50;
const CHANGED_TRACES: usize = 10;
/// One new suite in so many changes a case file: each case of it then forbids another word, and the first asks
/// for another keyword.
const CASE_CHANGE: usize = 5;

/// What a span of a trace takes, about, written prettily.
const SPAN_BYTES: usize = 107;

/// How large a history is.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    /// All commits.
    pub(crate) commits: usize,
    /// The distinct suites that they hold.
    pub(crate) suites: usize,
    /// The cases of each suite.
    pub(crate) cases: usize,
    /// The bytes of each trace, about.
    pub(crate) trace_bytes: usize,
}

/// Makes a packed repository in a folder that must not exist. Each new suite has ten new traces, and now and
/// then a changed case file; the other commits change files beside the suite.
pub(crate) fn generate(folder: &Path, size: Size, random: &mut Random) -> Outcome<()> {
    make(folder, |stream| (0..size.commits).try_for_each(|commit| write_commit(stream, size, commit, random)))
}

fn write_commit(stream: &mut Stream, size: Size, commit: usize, random: &mut Random) -> Outcome<()> {
    let every = (size.commits / size.suites).max(1);
    stream.commit(&format!("Commit {commit}"), 1_500_000_000 + commit as u64 * 3600)?;
    if commit == 0 {
        (0..size.cases).step_by(CASES_A_FILE).try_for_each(|first| case_file(stream, size, first, 0))?;
        return (0..size.cases).try_for_each(|index| trace(stream, size, index, random));
    }
    if !commit.is_multiple_of(every) || commit / every >= size.suites {
        let path = format!("src/part-{}/file-{}.rs", commit % 20, commit % 400);
        return stream.file(&path, format!("// {commit}\n").as_bytes());
    }
    for _ in 0..CHANGED_TRACES {
        let index = random.below(size.cases as u64) as usize;
        trace(stream, size, index, random)?;
    }
    if (commit / every).is_multiple_of(CASE_CHANGE) {
        let first = random.below(size.cases as u64) as usize / CASES_A_FILE * CASES_A_FILE;
        case_file(stream, size, first, commit)?;
    }
    Ok(())
}

fn case_file(stream: &mut Stream, size: Size, first: usize, version: usize) -> Outcome<()> {
    let case = |index| {
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
    };
    let cases: Value = (first..size.cases.min(first + CASES_A_FILE)).map(case).collect();
    stream.json(&format!("eval/cases/cases-{:04}.json", first / CASES_A_FILE), &cases)
}

fn trace(stream: &mut Stream, size: Size, index: usize, random: &mut Random) -> Outcome<()> {
    let span = |_| json!({ "spanId": random.word(), "name": "查询 orders", "ms": random.below(5000) });
    let spans: Value = (0..size.trace_bytes.div_ceil(SPAN_BYTES)).map(span).collect();
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
    stream.json(&format!("eval/fixtures/{}", path(index)), &trace)
}

fn path(index: usize) -> String {
    format!("part-{:02}/trace-{index:06}.json", index % 64)
}
