//! On which lines stand what asks a check and what it reads, for a person who asks why.

use std::collections::BTreeMap;

use crate::evaluate::{CaseResult, CheckName, FailedCheck};
use crate::ids::CaseId;
use crate::suite::json::{Document, Faulty, Shape, Value};

/// The lines, from 1, that belong to the checks of one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// In the case file: the field that asks the check, where one does.
    pub rule: BTreeMap<CheckName, u32>,
    /// In the trace: the field that the check reads, or the nearest one around the place where it is missing.
    pub trace: BTreeMap<CheckName, u32>,
}

impl Lines {
    /// Out of the bytes of the case file and of the trace; what cannot be read has no lines.
    pub fn of(case_file: &[u8], trace: &[u8], result: &CaseResult) -> Self {
        let mut lines = Self::default();
        let (case_file, trace) = (document(case_file), document(trace));
        let case = case_file.as_ref().and_then(|file| find(file, &result.case_id));
        for check in CheckName::ALL {
            if let Some((file, case)) = case_file.as_ref().zip(case) {
                let field = asked_by(*check).iter().find_map(|name| asking(case, name));
                lines.rule.extend(field.map(|offset| (*check, file.line(offset))));
            }
            if let (Some(trace), Some(pointer)) = (&trace, read_by(*check, result.failed_checks.get(*check)))
            {
                lines.trace.insert(*check, trace.line(nearest(trace.root(), &pointer)));
            }
        }
        lines
    }
}

/// The document, also where it has faults that its reader settles.
fn document(bytes: &[u8]) -> Option<Document<'_>> {
    Document::parse(bytes).or_else(|Faulty { document, .. }| document.ok_or(())).ok()
}

/// The case of this id.
fn find<'a>(file: &Document<'a>, id: &CaseId) -> Option<Value<'a>> {
    let root = file.root();
    let list = member(root, "cases").map_or(root, |(_, cases)| cases);
    let Shape::Array(cases) = list.shape() else { return None };
    cases.into_iter().find(|case| {
        member(*case, "id")
            .is_some_and(|(_, value)| matches!(value.shape(), Shape::String(text) if text == id.as_str()))
    })
}

/// Where a field begins, with its value.
fn member<'a>(value: Value<'a>, name: &str) -> Option<(usize, Value<'a>)> {
    let Shape::Object(members) = value.shape() else { return None };
    members.into_iter().find(|member| member.name == name).map(|member| (member.offset, member.value))
}

/// Where a field of a case begins, if it asks anything.
fn asking(case: Value<'_>, name: &str) -> Option<usize> {
    let (offset, value) = member(case, name)?;
    let is_off = value.is_null() || value.is_empty_array() || matches!(value.shape(), Shape::Bool(false));
    (!is_off).then_some(offset)
}

/// Where the value at a JSON pointer begins, or the nearest one around it.
fn nearest(root: Value<'_>, pointer: &str) -> usize {
    let (mut offset, mut value) = (root.offset, root);
    for step in pointer.split('/').skip(1) {
        let below = match value.shape() {
            Shape::Object(_) => member(value, step),
            Shape::Array(entries) => {
                let entry = step.parse().ok().and_then(|index: usize| entries.get(index).copied());
                entry.map(|entry| (entry.offset, entry))
            }
            Shape::Null | Shape::Bool(_) | Shape::Number(_) | Shape::String(_) => None,
        };
        let Some(below) = below else { break };
        (offset, value) = below;
    }
    offset
}

/// The fields of a case that ask a check, the telling one first; none where it always runs.
fn asked_by(check: CheckName) -> &'static [&'static str] {
    match check {
        CheckName::Trace => &["traceFixture"],
        CheckName::RootCauseKeywords => &["expectedRootCauseKeywords"],
        CheckName::EvidenceTools => &["requiredEvidenceTools"],
        CheckName::Verdict => &["allowedVerdicts"],
        CheckName::ForbiddenAnswer => &["forbiddenAnswerKeywords"],
        CheckName::AuditClosure | CheckName::ProtocolLeak => &["requireV2AuditClosure"],
        CheckName::ClaimChecks => &["requireClaimChecks", "requireV2AuditClosure"],
        CheckName::ComposerOutput => &["requireComposerOutput", "requireV2AuditClosure"],
        CheckName::GatekeeperStatus => &["expectedGatekeeperStatuses"],
        CheckName::GatekeeperRuleSet => &["expectedGatekeeperRuleSetVersion"],
        CheckName::ComposerStatus => &["expectedComposerStatuses"],
        CheckName::ForbiddenClaim => &["forbiddenConfirmedClaimKeywords"],
        CheckName::TraceShape
        | CheckName::Answer
        | CheckName::GatekeeperVerdict
        | CheckName::EvidenceBindings => &[],
    }
}

/// The JSON pointer of what a check reads in a trace; where it failed, of the entry on which it did.
fn read_by(check: CheckName, failed: Option<&FailedCheck>) -> Option<String> {
    let below = match check {
        CheckName::Trace => return None,
        CheckName::TraceShape => return failed?.subjects.first().cloned(),
        CheckName::Answer
        | CheckName::RootCauseKeywords
        | CheckName::ForbiddenAnswer
        | CheckName::ProtocolLeak
        | CheckName::ForbiddenClaim => return Some("/session/answer".to_owned()),
        CheckName::EvidenceTools => return Some("/toolInvocations".to_owned()),
        CheckName::AuditClosure => "",
        CheckName::Verdict | CheckName::GatekeeperVerdict => "/verdict",
        CheckName::ClaimChecks => "/claim_checks",
        CheckName::ComposerOutput => "/composer_output",
        CheckName::GatekeeperStatus => "/gatekeeper_result/status",
        CheckName::GatekeeperRuleSet => "/gatekeeper_result/rule_set_version",
        CheckName::ComposerStatus => "/composer_output/status",
        CheckName::EvidenceBindings => "/executor_structured_output/claims",
    };
    let mut pointer = format!("/session/selfEvaluation/verifier_evaluation{below}");
    if matches!(check, CheckName::ClaimChecks | CheckName::EvidenceBindings)
        && let Some(subject) = failed.and_then(|failed| failed.subjects.first())
    {
        pointer.extend(["/", &subject.replace(':', "/")]);
    }
    Some(pointer)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::evaluate::support::{case, id_of};
    use crate::evaluate::{Matcher, TraceInput, evaluate_case};
    use crate::suite::Matching;

    const CASES: &str = r#"{
  "cases": [
    {"id": "other", "forbiddenAnswerKeywords": ["x"]},
    {
      "id": "c",
      "allowedVerdicts": [],
      "requireClaimChecks": false,
      "requireV2AuditClosure": true,
      "forbiddenAnswerKeywords": ["x"]
    }
  ]
}"#;

    fn lines(trace: &str) -> Lines {
        let asked = case("c", "t.json", &json!({ "requireV2AuditClosure": true }));
        let input = TraceInput::Bytes { bytes: trace.as_bytes(), id: id_of(trace.as_bytes()) };
        let result = evaluate_case(&asked, &Matcher::new(&Matching::default()), input);
        Lines::of(CASES.as_bytes(), trace.as_bytes(), &result)
    }

    #[test]
    fn a_rule_stands_where_its_field_asks_something() {
        let rule = lines("{}").rule;
        assert_eq!(rule.get(&CheckName::ForbiddenAnswer), Some(&9));
        assert_eq!(rule.get(&CheckName::ClaimChecks), Some(&8));
        assert_eq!(rule.get(&CheckName::Verdict), None);
        assert_eq!(rule.get(&CheckName::Answer), None);
    }

    #[test]
    fn a_value_stands_where_it_is_read_or_where_it_is_missing() {
        let trace = lines(
            r#"{
  "session": {
    "answer": "x",
    "selfEvaluation": {
      "verifier_evaluation": {
        "claim_checks": [
          {"claim_id": 1, "verification": "overstated", "detail": "d"},
          {"claim_id": 2,
           "verification": 7, "detail": "d"}
        ]
      }
    }
  },
  "toolInvocations": {"a": 1, "a": 2}
}"#,
        )
        .trace;
        assert_eq!(trace.get(&CheckName::Answer), Some(&3));
        assert_eq!(trace.get(&CheckName::Verdict), Some(&5));
        assert_eq!(trace.get(&CheckName::ClaimChecks), Some(&9));
        assert_eq!(trace.get(&CheckName::TraceShape), Some(&14));
        assert_eq!(trace.get(&CheckName::EvidenceTools), Some(&14));
        assert_eq!(trace.get(&CheckName::Trace), None);
    }

    #[test]
    fn what_is_no_json_has_no_lines() {
        assert_eq!(lines("{").trace, BTreeMap::new());
        assert!(!lines("{").rule.is_empty());
    }
}
