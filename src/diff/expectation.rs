//! Does the new exam imply the old one? An edit of a case is judged by logic, not by counting lines.
//!
//! Keywords and lists are taken as independent of one another. Spec: diff-and-gate.md section 2.

use std::collections::{BTreeSet, HashSet};

use crate::diff::entry::{Finding, Severity, Value};
use crate::diff::fields::Field;
use crate::diff::join::Pair;
use crate::kind::Kind;
use crate::suite::{Expectations, text};
use crate::text::Text;

/// `expectation-weakened` or `expectation-tightened`; nothing where a side has no definition.
pub(super) fn find(pair: Pair<'_>) -> Option<Finding> {
    let (old, new) = (pair.before.expectations.as_ref()?, pair.after.expectations.as_ref()?);
    if old == new {
        return None;
    }
    let weaker = not_implied(old, new);
    if !weaker.is_empty() {
        let says = "the new definition lets through what the old one did not";
        return Some(finding(Kind::ExpectationWeakened, Severity::Regression, &weaker, (old, new), says));
    }
    let stricter = not_implied(new, old);
    let says = "the new definition asks more";
    (!stricter.is_empty())
        .then(|| finding(Kind::ExpectationTightened, Severity::Change, &stricter, (old, new), says))
}

fn finding(
    kind: Kind,
    severity: Severity,
    fields: &[Field],
    (old, new): (&Expectations, &Expectations),
    says: &str,
) -> Finding {
    let object = |asked| Value::object(fields.iter().map(|field| (field.as_str(), field.value(asked))));
    let told: Vec<String> = fields.iter().map(|field| field.told(old, new)).collect();
    Finding {
        kind,
        severity,
        subjects: fields.iter().map(|field| field.as_str().to_owned()).collect(),
        before: object(old),
        after: object(new),
        message: format!("{says}: {}", told.join("; ")),
    }
}

/// The fields of `old` that `new` does not imply, in the order in which reports list them.
fn not_implied(old: &Expectations, new: &Expectations) -> Vec<Field> {
    let within = |new: &[Text], old: &[Text]| {
        let old: HashSet<&Text> = old.iter().collect();
        new.iter().all(|item| old.contains(item))
    };
    let allowed = |old: &[Text], new: &[Text]| old.is_empty() || (!new.is_empty() && within(new, old));
    let composer_asked = new.require_composer_output
        || new.require_v2_audit_closure
        || !new.expected_composer_statuses.is_empty();
    let rule_set = &old.expected_gatekeeper_rule_set_version;
    let simple = [
        (Field::Tools, within(&old.required_evidence_tools, &new.required_evidence_tools)),
        (Field::Verdicts, allowed(&old.allowed_verdicts, &new.allowed_verdicts)),
        (Field::AuditClosure, !old.require_v2_audit_closure || new.require_v2_audit_closure),
        (Field::ClaimChecks, !old.require_claim_checks || new.require_claim_checks),
        (Field::ComposerOutput, !old.require_composer_output || composer_asked),
        (
            Field::GatekeeperStatuses,
            allowed(&old.expected_gatekeeper_statuses, &new.expected_gatekeeper_statuses),
        ),
        (Field::RuleSet, rule_set.is_none() || *rule_set == new.expected_gatekeeper_rule_set_version),
        (Field::ComposerStatuses, allowed(&old.expected_composer_statuses, &new.expected_composer_statuses)),
    ];
    let mut fields: BTreeSet<Field> =
        simple.into_iter().filter(|(_, implied)| !implied).map(|(field, _)| field).collect();
    fields.extend(keywords_at_fault(old, new));
    fields.extend(forbidden_at_fault(old, new));
    fields.into_iter().collect()
}

/// The worst case matches the newcomers first: max(0, m′ − |S′ ∖ S|) ≥ m. At fault is, of the list and
/// the minimum, whichever changed.
fn keywords_at_fault(old: &Expectations, new: &Expectations) -> Vec<Field> {
    let (before, after) =
        (exact_forms(&old.expected_root_cause_keywords), exact_forms(&new.expected_root_cause_keywords));
    let minimum = |asked: &Expectations, words: &HashSet<String>| {
        if words.is_empty() { 0 } else { asked.minimum() }
    };
    let newcomers = after.difference(&before).count() as u64;
    if minimum(new, &after).saturating_sub(newcomers) >= minimum(old, &before) {
        return Vec::new();
    }
    let list = (before != after).then_some(Field::Keywords);
    let least = (old.min_keyword_matches != new.min_keyword_matches).then_some(Field::Minimum);
    list.into_iter().chain(least).collect()
}

/// Each old word, of either list, must contain some new word, as forbidden words are matched.
fn forbidden_at_fault(old: &Expectations, new: &Expectations) -> Vec<Field> {
    let words = [&new.forbidden_answer_keywords, &new.forbidden_confirmed_claim_keywords];
    let forbidden = Forbidden::of(words.into_iter().flatten());
    [
        (Field::ForbiddenAnswer, &old.forbidden_answer_keywords),
        (Field::ForbiddenClaim, &old.forbidden_confirmed_claim_keywords),
    ]
    .into_iter()
    .filter(|(_, words)| !words.iter().all(|word| forbidden.is_in(word)))
    .map(|(field, _)| field)
    .collect()
}

/// Forbidden words in both forms in which they are searched.
struct Forbidden {
    exact: HashSet<String>,
    folded: HashSet<String>,
}

impl Forbidden {
    /// A blank word, which no suite can hold, would be in every text: it covers nothing here.
    fn of<'a>(words: impl Iterator<Item = &'a Text> + Clone) -> Self {
        let words = words.filter(|word| !text::is_blank(word));
        Self {
            exact: words.clone().map(|word| text::exact(word).into_owned()).collect(),
            folded: words.map(|word| text::folded(word)).collect(),
        }
    }

    /// Whether a text holds one of the words.
    fn is_in(&self, word: &str) -> bool {
        let exact = text::exact(word);
        if self.exact.contains(exact.as_ref()) {
            return true;
        }
        let folded = text::folded(word);
        self.exact.iter().any(|new| exact.contains(new.as_str()))
            || self.folded.iter().any(|new| folded.contains(new.as_str()))
    }
}

fn exact_forms(words: &[Text]) -> HashSet<String> {
    words.iter().map(|word| text::exact(word).into_owned()).collect()
}

#[cfg(test)]
mod tests;
