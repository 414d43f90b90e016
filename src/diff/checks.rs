//! Checks that a case lost or recovered while it failed before and fails now.

use std::collections::HashSet;

use crate::diff::entry::{Finding, Severity, Value};
use crate::diff::join::Pair;
use crate::diff::message;
use crate::evaluate::explain::is_asked;
use crate::evaluate::{CaseResult, CheckName, FailedCheck, FailedChecks};
use crate::kind::Kind;
use crate::suite::{Expectations, text};
use crate::text::Text;

/// `checks-lost` and `checks-recovered`: both can stand for one case.
pub(super) fn find(pair: Pair<'_>) -> Vec<Finding> {
    if pair.before.passed || pair.after.passed {
        return Vec::new();
    }
    let lost = newly_failing(pair.after, pair.before, pair.judged());
    let recovered = newly_failing(pair.before, pair.after, pair.judged());
    let finding = |kind, severity, subjects: Vec<String>, says: &str| {
        (!subjects.is_empty()).then(|| Finding {
            kind,
            severity,
            message: format!("{says}: {}", message::list(&subjects)),
            subjects,
            before: Value::Null,
            after: Value::Null,
        })
    };
    [
        finding(Kind::ChecksLost, Severity::Regression, lost, "failed before, and now also by"),
        finding(Kind::ChecksRecovered, Severity::Improvement, recovered, "still fails, but no longer by"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What fails on one side and not on the other, in the order of the failing side. Where a trace could
/// not be judged, check `trace` alone is compared.
fn newly_failing(failing: &CaseResult, other: &CaseResult, judged: bool) -> Vec<String> {
    match (&failing.failed_checks, &other.failed_checks) {
        (FailedChecks::Checks(checks), FailedChecks::Checks(_)) => checks
            .iter()
            .filter(|failed| judged || failed.check == CheckName::Trace)
            .flat_map(|failed| newly_failing_check(failed, failing, other))
            .collect(),
        (FailedChecks::Plain(texts), FailedChecks::Plain(others)) => {
            let mut known: HashSet<&String> = others.iter().collect();
            texts.iter().filter(|text| known.insert(text)).cloned().collect()
        }
        (FailedChecks::Checks(_), FailedChecks::Plain(_))
        | (FailedChecks::Plain(_), FailedChecks::Checks(_)) => Vec::new(),
    }
}

fn newly_failing_check(failed: &FailedCheck, failing: &CaseResult, other: &CaseResult) -> Vec<String> {
    let (here, there) = (failing.expectations.as_deref(), other.expectations.as_deref());
    if !asks(here, failed.check) || !asks(there, failed.check) {
        return Vec::new();
    }
    match other.failed_checks.get(failed.check) {
        None => vec![failed.check.as_str().to_owned()],
        Some(counterpart) => new_subjects(failed, counterpart, [here, there])
            .into_iter()
            .map(|subject| format!("{}:{subject}", failed.check.as_str()))
            .collect(),
    }
}

/// The subjects that joined, of the checks whose subjects are compared one by one: those of the others
/// are values found or positions, or have entries of their own.
fn new_subjects<'a>(
    failed: &'a FailedCheck,
    counterpart: &FailedCheck,
    definitions: [Option<&Expectations>; 2],
) -> Vec<&'a str> {
    let subjects = failed.subjects.iter().map(String::as_str);
    match failed.check {
        CheckName::AuditClosure | CheckName::ProtocolLeak => {
            let known: HashSet<&str> = counterpart.subjects.iter().map(String::as_str).collect();
            subjects.filter(|subject| !known.contains(subject)).collect()
        }
        CheckName::ForbiddenAnswer => new_words(
            subjects,
            counterpart,
            definitions.map(|asked| Some(&*asked?.forbidden_answer_keywords)),
        ),
        CheckName::ForbiddenClaim => new_words(
            subjects,
            counterpart,
            definitions.map(|asked| Some(&*asked?.forbidden_confirmed_claim_keywords)),
        ),
        CheckName::Trace
        | CheckName::TraceShape
        | CheckName::Answer
        | CheckName::RootCauseKeywords
        | CheckName::EvidenceTools
        | CheckName::Verdict
        | CheckName::GatekeeperVerdict
        | CheckName::ClaimChecks
        | CheckName::ComposerOutput
        | CheckName::GatekeeperStatus
        | CheckName::GatekeeperRuleSet
        | CheckName::ComposerStatus
        | CheckName::EvidenceBindings => Vec::new(),
    }
}

/// The words that joined and that both definitions list; where no definition is known, it counts as
/// listing them. Words are the same when equal in exact form.
fn new_words<'a>(
    subjects: impl Iterator<Item = &'a str>,
    counterpart: &FailedCheck,
    lists: [Option<&[Text]>; 2],
) -> Vec<&'a str> {
    let form = |word: &str| text::exact(word).into_owned();
    let known: HashSet<String> = counterpart.subjects.iter().map(|word| form(word)).collect();
    let forms = |words: &[Text]| -> HashSet<String> { words.iter().map(|word| form(word)).collect() };
    let listed = lists.map(|list| list.map(forms));
    subjects
        .filter(|word| {
            let form = text::exact(word);
            let listed = listed.iter().flatten().all(|list| list.contains(form.as_ref()));
            listed && !known.contains(form.as_ref())
        })
        .collect()
}

/// Whether a definition asks a check; without a definition every check counts as asked.
fn asks(definition: Option<&Expectations>, check: CheckName) -> bool {
    definition.is_none_or(|asked| is_asked(asked, check))
}
