//! What the checks of one case found (evaluation.md section 5).

use std::sync::Arc;

use crate::evaluate::CheckName;
use crate::ids::{CaseId, Digest, ObjectId};
use crate::number::Number;
use crate::suite::Expectations;
use crate::text::{Pool, Text};

/// The result of a case. What an evaluation gives has every field; only an imported report
/// lacks some, and then the outer `Option` is `None`: the report does not have the field.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// The case.
    pub case_id: CaseId,
    /// Its title.
    pub title: Text,
    /// Whether no check failed.
    pub passed: bool,
    /// The checks that failed, in the order of the table.
    pub failed_checks: FailedChecks,
    /// The Verifier's verdict; `None`: missing.
    pub verdict: Option<Text>,
    /// How many distinct keywords matched.
    pub matched_keyword_count: Option<u64>,
    /// How many distinct keywords the case lists.
    pub required_keyword_count: Option<u64>,
    /// The keywords that matched, in case order.
    pub matched_keywords: Option<Vec<Text>>,
    /// For each required tool, in case order, whether it was used.
    pub evidence_coverage: Vec<(Text, bool)>,
    /// `gatekeeper_result.status`.
    pub gatekeeper_status: Option<Option<Text>>,
    /// `gatekeeper_result.rule_set_version`.
    pub gatekeeper_rule_set_version: Option<Option<Text>>,
    /// `composer_output.status`.
    pub composer_status: Option<Option<Text>>,
    /// Entries of `claim_checks`.
    pub claim_check_count: Option<u64>,
    /// Tool calls; `None` only where an imported report has none.
    pub tool_call_count: Option<u64>,
    /// Milliseconds; `None` where the trace gives none.
    pub duration_ms: Option<Number>,
    /// What the case asks.
    pub expectations: Option<Arc<Expectations>>,
    /// The digest of `expectations`.
    pub case_digest: Option<Digest>,
    /// The blob id of the trace's bytes; `None` where there are no bytes (or in an imported report).
    pub trace_id: Option<ObjectId>,
}

/// The failed checks of one result: at most one entry a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailedChecks {
    /// As this program writes them.
    Checks(Vec<FailedCheck>),
    /// As the older harness writes them: free text, which compares with its like only.
    Plain(Vec<String>),
}

/// A check that failed. Tools compare `check` and `subjects`, never `message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCheck {
    /// Which.
    pub check: CheckName,
    /// One line of English for a person. Untrusted text inside.
    pub message: String,
    /// What it failed on, in the order of the table. Untrusted text.
    pub subjects: Vec<String>,
}

impl FailedChecks {
    /// Whether nothing failed.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Checks(checks) => checks.is_empty(),
            Self::Plain(texts) => texts.is_empty(),
        }
    }

    /// The failed check of this name, where the report says which checks failed.
    pub fn get(&self, name: CheckName) -> Option<&FailedCheck> {
        match self {
            Self::Checks(checks) => checks.iter().find(|failed| failed.check == name),
            Self::Plain(_) => None,
        }
    }

    /// What a person calls them: the names of the checks, or the plain texts. Untrusted text.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Checks(checks) => checks.iter().map(|failed| failed.check.as_str()).collect(),
            Self::Plain(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

impl CaseResult {
    /// The same, sharing what came out of the trace with those that the pool has met.
    pub(super) fn pooled(mut self, pool: &mut Pool) -> Self {
        let records =
            [&mut self.gatekeeper_status, &mut self.gatekeeper_rule_set_version, &mut self.composer_status];
        for text in records.into_iter().flatten().chain([&mut self.verdict]).flatten() {
            *text = pool.shared(text.clone());
        }
        self
    }

    /// Why the trace could not be judged, where check `trace` failed.
    pub fn unjudged(&self) -> Option<&str> {
        let failed = self.failed_checks.get(CheckName::Trace)?;
        Some(failed.subjects.first().map_or("", String::as_str))
    }
}
