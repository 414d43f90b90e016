//! Traces: judged one way whatever they hold, and what a fault says is where it says.

#![no_main]
#![expect(clippy::disallowed_methods, reason = "what the macro of the fuzzer makes")]

mod memory;

use std::num::NonZeroUsize;

use diag_gate::evaluate::lines::Lines;
use diag_gate::evaluate::{CheckName, evaluate_suite};
use diag_gate::suite::{load, trace};
use libfuzzer_sys::fuzz_target;
use memory::Memory;

const CASES: &[u8] = br#"[{
    "id": "c", "traceFixture": "t.json", "expectedRootCauseKeywords": ["disk", "full"],
    "requiredEvidenceTools": ["query_logs"], "allowedVerdicts": ["PASS"], "forbiddenAnswerKeywords": ["restart"],
    "requireV2AuditClosure": true, "requireClaimChecks": true, "requireComposerOutput": true,
    "expectedGatekeeperStatuses": ["pass"], "expectedGatekeeperRuleSetVersion": "v1",
    "expectedComposerStatuses": ["valid"], "forbiddenConfirmedClaimKeywords": ["confirmed"]
}]"#;

fuzz_target!(|bytes: &[u8]| {
    let memory = Memory { cases: Some(CASES), trace: Some(bytes), ..Memory::default() };
    let suite = load(&memory).expect("the case is sound");
    let results = evaluate_suite(&suite, &memory, NonZeroUsize::MIN).expect("memory cannot fail");
    let [result] = results.as_slice() else { panic!("one case has one result") };
    assert_eq!(result.passed, result.failed_checks.is_empty());
    assert_eq!(result.unjudged().is_some(), trace::parse(bytes).is_err());
    let lines = Lines::of(CASES, bytes, result);
    assert_eq!(lines.rule.get(&CheckName::Trace), Some(&2));
    let most = 1 + bytes.iter().filter(|byte| **byte == b'\n').count();
    assert!(lines.trace.values().all(|line| (1..=most).contains(&(*line as usize))));
});
