//! Small suites for tests of the program.

use super::TestRepo;

/// The case of the seed's schema.
pub(crate) const SEED_CASE: &str = r#"[
  {
    "id": "unsupported-claim-filtering",
    "title": "Unsupported claim filtering",
    "question": "订单超时是否可以确认由数据库主库故障导致？",
    "traceFixture": "unsupported-claim-filtering-low-confid.json",
    "expectedRootCauseKeywords": ["超时", "证据"],
    "minKeywordMatches": 2,
    "requiredEvidenceTools": ["query_logs"],
    "allowedVerdicts": ["LOW_CONFID"],
    "forbiddenAnswerKeywords": ["已经确认"],
    "requireV2AuditClosure": true,
    "requireClaimChecks": true,
    "requireComposerOutput": true,
    "expectedGatekeeperStatuses": ["pass"],
    "expectedGatekeeperRuleSetVersion": "gatekeeper-rules-v1",
    "expectedComposerStatuses": ["valid"],
    "forbiddenConfirmedClaimKeywords": ["主库故障"]
  }
]
"#;

/// A trace that the seed's case passes.
pub(crate) const SEED_TRACE: &str = r#"{
  "session": {
    "answer": "订单超时的直接原因尚无证据支持，日志只显示下游响应变慢。",
    "totalDurationMs": 4200,
    "selfEvaluation": {
      "verifier_evaluation": {
        "verdict": "LOW_CONFID",
        "gatekeeper_result": { "status": "pass", "rule_set_version": "gatekeeper-rules-v1" },
        "claim_checks": [
          { "claim_id": "c1", "verification": "direct_observation", "detail": "query_logs 第 3 行" },
          { "claim_id": "c2", "verification": "unsupported", "detail": "没有主库的证据" }
        ],
        "composer_output": { "status": "valid" },
        "executor_structured_output": {
          "claims": [ { "claim_id": "c1", "evidence_bindings": ["query_logs#3"] } ]
        },
        "tool_trace_summary": [ { "tool_name": "query_logs" } ]
      }
    }
  },
  "toolInvocations": [ { "toolName": "query_logs", "success": true } ]
}
"#;

/// The name of the seed's trace.
pub(crate) const SEED_FIXTURE: &str = "unsupported-claim-filtering-low-confid.json";

impl TestRepo {
    /// A repository whose first commit holds the seed's case in this folder.
    pub(crate) fn with_seed(folder: &str) -> Self {
        let repo = Self::new();
        repo.write(format!("{folder}/cases/diagnosis-cases.json"), SEED_CASE);
        repo.write(format!("{folder}/fixtures/{SEED_FIXTURE}"), SEED_TRACE);
        repo.commit("The suite of the seed");
        repo
    }

    /// A repository whose first commit holds, in `eval`, a case for each id, all of which pass.
    pub(crate) fn with_cases(ids: &[&str]) -> Self {
        let repo = Self::new();
        repo.write_cases(ids);
        repo.commit("A suite");
        repo
    }

    /// Writes a case for each id, and a passing trace for it, to `eval`.
    pub(crate) fn write_cases(&self, ids: &[&str]) {
        let cases: Vec<String> = ids.iter().map(|id| case(id, "")).collect();
        self.write("eval/cases/all.json", format!("[{}]", cases.join(",\n")));
        for id in ids {
            self.write_answer(id, "磁盘满");
        }
    }

    /// Writes the trace of a case of [`TestRepo::with_cases`]: it passes if `磁盘满` is in the answer.
    pub(crate) fn write_answer(&self, id: &str, answer: &str) {
        self.write(format!("eval/fixtures/{id}.json"), trace(answer));
    }
}

/// A case that asks for `磁盘满` in the trace `ID.json`; `more` are further fields, each with a comma before it.
pub(crate) fn case(id: &str, more: &str) -> String {
    let id = serde_json::to_string(id).unwrap();
    let fixture = id.trim_matches('"');
    format!(
        r#"{{"id": {id}, "traceFixture": "{fixture}.json", "expectedRootCauseKeywords": ["磁盘满"], "allowedVerdicts": ["PASS"]{more}}}"#
    )
}

/// A trace with this answer and the verdict `PASS`.
pub(crate) fn trace(answer: &str) -> String {
    let answer = serde_json::to_string(answer).unwrap();
    format!(
        r#"{{"session": {{"answer": {answer}, "selfEvaluation": {{"verifier_evaluation": {{"verdict": "PASS"}}}}}}}}"#
    )
}
