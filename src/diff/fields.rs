//! The fields of a definition: their names, their values, and how a change of one reads.

use crate::diff::entry::Value;
use crate::diff::message;
use crate::suite::Expectations;
use crate::text::Text;

/// A field of a definition, in the order in which reports list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    Keywords,
    Minimum,
    Tools,
    Verdicts,
    ForbiddenAnswer,
    AuditClosure,
    ClaimChecks,
    ComposerOutput,
    GatekeeperStatuses,
    RuleSet,
    ComposerStatuses,
    ForbiddenClaim,
}

/// What a field asks.
enum Asked<'a> {
    List(&'a [Text]),
    Number(Option<u64>),
    Switch(bool),
    Text(Option<&'a str>),
}

impl Field {
    /// The name in a case file.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Keywords => "expectedRootCauseKeywords",
            Self::Minimum => "minKeywordMatches",
            Self::Tools => "requiredEvidenceTools",
            Self::Verdicts => "allowedVerdicts",
            Self::ForbiddenAnswer => "forbiddenAnswerKeywords",
            Self::AuditClosure => "requireV2AuditClosure",
            Self::ClaimChecks => "requireClaimChecks",
            Self::ComposerOutput => "requireComposerOutput",
            Self::GatekeeperStatuses => "expectedGatekeeperStatuses",
            Self::RuleSet => "expectedGatekeeperRuleSetVersion",
            Self::ComposerStatuses => "expectedComposerStatuses",
            Self::ForbiddenClaim => "forbiddenConfirmedClaimKeywords",
        }
    }

    fn of(self, asked: &Expectations) -> Asked<'_> {
        match self {
            Self::Keywords => Asked::List(&asked.expected_root_cause_keywords),
            Self::Minimum => Asked::Number(asked.min_keyword_matches),
            Self::Tools => Asked::List(&asked.required_evidence_tools),
            Self::Verdicts => Asked::List(&asked.allowed_verdicts),
            Self::ForbiddenAnswer => Asked::List(&asked.forbidden_answer_keywords),
            Self::AuditClosure => Asked::Switch(asked.require_v2_audit_closure),
            Self::ClaimChecks => Asked::Switch(asked.require_claim_checks),
            Self::ComposerOutput => Asked::Switch(asked.require_composer_output),
            Self::GatekeeperStatuses => Asked::List(&asked.expected_gatekeeper_statuses),
            Self::RuleSet => Asked::Text(asked.expected_gatekeeper_rule_set_version.as_deref()),
            Self::ComposerStatuses => Asked::List(&asked.expected_composer_statuses),
            Self::ForbiddenClaim => Asked::List(&asked.forbidden_confirmed_claim_keywords),
        }
    }

    /// The value as a report writes it; nothing where the field asks nothing.
    pub(super) fn value(self, asked: &Expectations) -> Value {
        match self.of(asked) {
            Asked::List([]) | Asked::Number(None) | Asked::Switch(false) | Asked::Text(None) => Value::Null,
            Asked::List(items) => Value::texts(items),
            Asked::Number(Some(number)) => Value::count(number),
            Asked::Switch(true) => Value::Bool(true),
            Asked::Text(Some(text)) => Value::Text(text.to_owned()),
        }
    }

    /// What moved in the field, for a person.
    pub(super) fn told(self, old: &Expectations, new: &Expectations) -> String {
        let moved = match (self.of(old), self.of(new)) {
            (Asked::List(old), Asked::List(new)) => list_told(old, new),
            (old, new) => format!("{} before, {} now", scalar_told(&old), scalar_told(&new)),
        };
        format!("{} ({moved})", self.as_str())
    }
}

fn scalar_told(asked: &Asked<'_>) -> String {
    match asked {
        Asked::List(items) => message::list(items),
        Asked::Number(number) => number.map_or_else(|| "none".to_owned(), |number| number.to_string()),
        Asked::Switch(on) => if *on { "on" } else { "off" }.to_owned(),
        Asked::Text(text) => text.map_or_else(|| "none".to_owned(), message::short),
    }
}

fn list_told(old: &[Text], new: &[Text]) -> String {
    match (old, new) {
        ([], new) => format!("nothing before, now {}", message::list(new)),
        (old, []) => format!("{} before, nothing now", message::list(old)),
        (old, new) => {
            let less = |from: &[Text], items: &[Text]| -> Vec<Text> {
                let items: std::collections::HashSet<&Text> = items.iter().collect();
                from.iter().filter(|item| !items.contains(item)).cloned().collect()
            };
            let part = |says: &str, items: Vec<Text>| {
                (!items.is_empty()).then(|| format!("{says} {}", message::list(&items)))
            };
            let parts: Vec<String> = [part("without", less(old, new)), part("with", less(new, old))]
                .into_iter()
                .flatten()
                .collect();
            parts.join(", ")
        }
    }
}
