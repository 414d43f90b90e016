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

use serde_json::{Value, json};

/// What is made, or why it is not.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

const CASES_A_FILE: usize = 500;
const TOOLS: [&str; 6] =
    ["query_logs", "query_metrics", "query_traces", "query_alerts", "probe_port", "query_changes"];
const CAUSES: [(&str, &str); 6] = [
    ("订单超时", "连接池耗尽"),
    ("库存扣减失败", "慢查询缺少索引"),
    ("checkout latency", "thread pool exhausted"),
    ("login errors", "certificate expired"),
    ("消息堆积", "消费者重平衡"),
    ("search timeouts", "noisy neighbour"),
];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, cases, bytes, rest @ ..] = arguments.as_slice() else {
        return Err("usage: generate DIR CASES TRACE_BYTES [SEED]".into());
    };
    let seed = rest.first().map_or(Ok(1), |text| text.parse())?;
    generate(Path::new(folder), cases.parse()?, bytes.parse()?, seed)
}

/// Makes the repository.
///
/// # Errors
/// The folder is there already or cannot be written to, or git fails.
pub(crate) fn generate(folder: &Path, cases: usize, trace_bytes: usize, seed: u64) -> Outcome<()> {
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

fn trace_path(index: usize) -> String {
    format!("part-{:02}/trace-{index:06}.json", index % 64)
}

fn case(index: usize) -> Value {
    let (symptom, cause) = CAUSES[index % CAUSES.len()];
    json!({
        "id": format!("case-{index:06}"),
        "title": format!("{symptom} {index}"),
        "question": format!("{symptom}?"),
        "traceFixture": trace_path(index),
        "expectedRootCauseKeywords": [symptom, cause, "证据"],
        "minKeywordMatches": 2,
        "requiredEvidenceTools": [TOOLS[index % TOOLS.len()]],
        "allowedVerdicts": ["PASS", "LOW_CONFID"],
        "forbiddenAnswerKeywords": ["已经确认", "definitely"],
        "requireV2AuditClosure": true,
    })
}

fn trace(index: usize, bytes: usize, random: &mut Random) -> Value {
    let (symptom, cause) = CAUSES[index % CAUSES.len()];
    let mut spans = Vec::new();
    let mut size = 1_200;
    while size < bytes {
        let span = span(random);
        // What pretty printing adds to the compact text, at this depth.
        size += span.to_string().len() * 3 / 2;
        spans.push(span);
    }
    json!({
        "session": {
            "id": random.word(),
            "answer": format!("{symptom}：证据显示 {cause}（{}）。", random.word()),
            "totalDurationMs": 500 + random.below(20_000),
            "selfEvaluation": {"verifier_evaluation": {
                "verdict": if random.below(4) == 0 { "LOW_CONFID" } else { "PASS" },
                "gatekeeper_result": {"status": "pass", "rule_set_version": "gatekeeper-rules-v1"},
                "claim_checks": [
                    {"claim_id": "c1", "verification": "direct_observation", "detail": random.word()}],
                "composer_output": {"status": "valid"},
                "executor_structured_output": {"claims": [{"claim_id": "c1", "evidence_bindings": ["e1"]}]},
            }},
        },
        "toolInvocations": [{"toolName": TOOLS[index % TOOLS.len()], "success": true}],
        "spans": spans,
    })
}

fn span(random: &mut Random) -> Value {
    let (symptom, cause) = CAUSES[random.below(CAUSES.len() as u64) as usize];
    json!({
        "spanId": random.word(),
        "startedAt": 1_700_000_000_000_u64 + random.below(1_000_000_000),
        "ratio": random.below(1_000_000) as f64 / 1e6,
        "attributes": {"service": random.word(), "message": format!("{symptom}，{cause} {}", random.word())},
    })
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

/// SplitMix64: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn word(&mut self) -> String {
        format!("{:016x}", self.next())
    }
}
