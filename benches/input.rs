//! Cases and traces out of numbers: the same bytes everywhere.

use serde_json::{Value, json};

use crate::random::Random;

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

/// Where the trace of a case lies, below `fixtures`.
pub(crate) fn trace_path(index: usize) -> String {
    format!("part-{:02}/trace-{index:06}.json", index % 64)
}

/// A case that asks most of what a case can ask, and something that no other case asks.
pub(crate) fn case(index: usize) -> Value {
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
        "forbiddenAnswerKeywords": ["已经确认", "definitely", format!("INC-{index:06}")],
        "requireV2AuditClosure": true,
    })
}

/// A trace of about so many bytes, written prettily; most of it is what no rule reads.
pub(crate) fn trace(index: usize, bytes: usize, random: &mut Random) -> Value {
    let (symptom, cause) = CAUSES[index % CAUSES.len()];
    let mut spans = Vec::new();
    let mut size = 1_200;
    while size < bytes {
        let span = span(random);
        let text = format!("{span:#}");
        // Each line is set in as deep as the list of spans.
        size += text.len() + text.lines().count() * 4 + 2;
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
