//! What a case asks, in the one form that results, digests and diffs share.

use serde::{Deserialize, Serialize};

use crate::ids::Digest;
use crate::text::{Pool, Text};

/// What a case asks, under the field names of a case file and in their order; what asks nothing is
/// left out when written. Lists are distinct. (evaluation.md section 5, `expectations`.)
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Expectations {
    /// Keywords that the answer should hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expected_root_cause_keywords: Vec<Text>,
    /// How many of them it must hold: the effective number; `Some` exactly where there are keywords.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_keyword_matches: Option<u64>,
    /// Tools that must have been used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_evidence_tools: Vec<Text>,
    /// Verdicts of the agent's Verifier that are allowed; empty: any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_verdicts: Vec<Text>,
    /// Words that the answer must not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbidden_answer_keywords: Vec<Text>,
    /// Whether the audit fields of V2 must all stand in the trace.
    #[serde(rename = "requireV2AuditClosure", skip_serializing_if = "is_off")]
    pub require_v2_audit_closure: bool,
    /// Whether claim checks must stand in the trace.
    #[serde(skip_serializing_if = "is_off")]
    pub require_claim_checks: bool,
    /// Whether the Composer's record must stand in the trace.
    #[serde(skip_serializing_if = "is_off")]
    pub require_composer_output: bool,
    /// Gatekeeper statuses that are allowed; empty: any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expected_gatekeeper_statuses: Vec<Text>,
    /// The rule set that the Gatekeeper must have used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_gatekeeper_rule_set_version: Option<Text>,
    /// Composer statuses that are allowed; empty: any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expected_composer_statuses: Vec<Text>,
    /// Words of unproved conclusions that must not reach the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbidden_confirmed_claim_keywords: Vec<Text>,
}

fn is_off(switch: &bool) -> bool {
    !switch
}

impl Expectations {
    /// The same, sharing its texts with those that the pool has met.
    #[must_use]
    pub fn pooled(self, pool: &mut Pool) -> Self {
        let mut list =
            |texts: Vec<Text>| -> Vec<Text> { texts.into_iter().map(|text| pool.shared(text)).collect() };
        Self {
            expected_root_cause_keywords: list(self.expected_root_cause_keywords),
            required_evidence_tools: list(self.required_evidence_tools),
            allowed_verdicts: list(self.allowed_verdicts),
            forbidden_answer_keywords: list(self.forbidden_answer_keywords),
            expected_gatekeeper_statuses: list(self.expected_gatekeeper_statuses),
            expected_composer_statuses: list(self.expected_composer_statuses),
            forbidden_confirmed_claim_keywords: list(self.forbidden_confirmed_claim_keywords),
            expected_gatekeeper_rule_set_version: self
                .expected_gatekeeper_rule_set_version
                .map(|version| pool.shared(version)),
            ..self
        }
    }

    /// How many keywords must match; 0 where none is asked.
    pub fn minimum(&self) -> u64 {
        self.min_keyword_matches.unwrap_or(0)
    }

    /// The `caseDigest` (evaluation.md section 5): SHA-256 of the canonical JSON with sorted keys.
    pub fn digest(&self) -> Digest {
        let sorted = Sorted::from(self);
        Digest::of(&serde_json::to_vec(&sorted).expect("strings, numbers and lists always serialize"))
    }
}

/// The same fields with their keys in the order of their bytes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sorted<'a> {
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    allowed_verdicts: &'a [Text],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    expected_composer_statuses: &'a [Text],
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_gatekeeper_rule_set_version: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    expected_gatekeeper_statuses: &'a [Text],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    expected_root_cause_keywords: &'a [Text],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    forbidden_answer_keywords: &'a [Text],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    forbidden_confirmed_claim_keywords: &'a [Text],
    #[serde(skip_serializing_if = "Option::is_none")]
    min_keyword_matches: Option<u64>,
    #[serde(skip_serializing_if = "is_off")]
    require_claim_checks: bool,
    #[serde(skip_serializing_if = "is_off")]
    require_composer_output: bool,
    #[serde(rename = "requireV2AuditClosure", skip_serializing_if = "is_off")]
    require_v2_audit_closure: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    required_evidence_tools: &'a [Text],
}

impl<'a> From<&'a Expectations> for Sorted<'a> {
    fn from(asked: &'a Expectations) -> Self {
        Self {
            allowed_verdicts: &asked.allowed_verdicts,
            expected_composer_statuses: &asked.expected_composer_statuses,
            expected_gatekeeper_rule_set_version: asked.expected_gatekeeper_rule_set_version.as_deref(),
            expected_gatekeeper_statuses: &asked.expected_gatekeeper_statuses,
            expected_root_cause_keywords: &asked.expected_root_cause_keywords,
            forbidden_answer_keywords: &asked.forbidden_answer_keywords,
            forbidden_confirmed_claim_keywords: &asked.forbidden_confirmed_claim_keywords,
            min_keyword_matches: asked.min_keyword_matches,
            require_claim_checks: asked.require_claim_checks,
            require_composer_output: asked.require_composer_output,
            require_v2_audit_closure: asked.require_v2_audit_closure,
            required_evidence_tools: &asked.required_evidence_tools,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_nothing_is_the_empty_object() {
        let asked = Expectations::default();
        assert_eq!(serde_json::to_string(&asked).unwrap(), "{}");
        assert_eq!(
            asked.digest().as_str(),
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
    }

    #[test]
    fn keys_of_the_digest_are_sorted_and_the_minimum_stands_beside_keywords() {
        let asked = Expectations {
            expected_root_cause_keywords: vec!["a\u{1f}\"".into()],
            min_keyword_matches: Some(0),
            allowed_verdicts: vec!["PASS".into()],
            require_v2_audit_closure: true,
            required_evidence_tools: vec!["t".into()],
            ..Expectations::default()
        };
        let text = r#"{"allowedVerdicts":["PASS"],"expectedRootCauseKeywords":["a\u001f\""],"minKeywordMatches":0,"requireV2AuditClosure":true,"requiredEvidenceTools":["t"]}"#;
        assert_eq!(asked.digest(), Digest::of(text.as_bytes()));
    }
}
