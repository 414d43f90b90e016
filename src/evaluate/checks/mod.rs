//! The checks: one file each, and the registry of them all in the order of the table
//! (evaluation.md section 4).

mod answer;
mod audit_closure;
mod claim_checks;
mod composer_output;
mod composer_status;
mod evidence_bindings;
mod evidence_tools;
mod forbidden_answer;
mod forbidden_claim;
mod gatekeeper_rule_set;
mod gatekeeper_status;
mod gatekeeper_verdict;
mod protocol_leak;
mod root_cause_keywords;
#[cfg(test)]
mod support;
mod trace;
mod trace_shape;
mod verdict;

use crate::evaluate::matching::{Answer, Matcher, Needles};
use crate::evaluate::quote::{in_context, listed};
use crate::evaluate::{CheckName, FailedCheck};
use crate::suite::Expectations;
use crate::suite::trace::{Fault, Trace};
use crate::text::Text;

pub use trace::names_trace;

/// A check: its name, and its rule over one trace.
pub(super) struct Check {
    name: CheckName,
    judge: fn(&Context<'_>) -> Option<Finding>,
}

/// All that a check may look at. Where `unjudged` stands, everything in `trace` is missing.
pub(super) struct Context<'a> {
    pub(super) trace_fixture: &'a str,
    pub(super) asked: &'a Expectations,
    pub(super) needles: &'a Needles<'a>,
    pub(super) matcher: &'a Matcher,
    pub(super) unjudged: Option<&'a Unjudged>,
    pub(super) trace: &'a Trace,
    pub(super) answer: &'a Answer<'a>,
    /// For each keyword whether the answer holds it.
    pub(super) matched: &'a [bool],
    /// For each required tool whether it was used.
    pub(super) covered: &'a [bool],
}

/// Why a trace cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unjudged {
    pub(super) fault: Fault,
    /// What more there is to say: a fragment.
    pub(super) detail: Option<String>,
}

/// What a check failed on.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    message: String,
    subjects: Vec<String>,
}

impl Finding {
    fn new(message: impl Into<String>, subjects: Vec<String>) -> Self {
        Self { message: message.into(), subjects }
    }
}

macro_rules! registry {
    ($($file:ident),* $(,)?) => {
        /// Every check, in the order in which a result lists them.
        const REGISTRY: [Check; CheckName::ALL.len()] = [$($file::CHECK),*];

        #[cfg(test)]
        const FILES: [&str; REGISTRY.len()] = [$(stringify!($file)),*];
    };
}

registry![
    trace,
    trace_shape,
    answer,
    root_cause_keywords,
    evidence_tools,
    verdict,
    forbidden_answer,
    audit_closure,
    gatekeeper_verdict,
    claim_checks,
    composer_output,
    gatekeeper_status,
    gatekeeper_rule_set,
    composer_status,
    evidence_bindings,
    protocol_leak,
    forbidden_claim,
];

/// Runs every check. Where the trace cannot be judged, check `trace` alone.
pub(super) fn run(context: &Context<'_>) -> Vec<FailedCheck> {
    let failed = REGISTRY.iter().filter_map(|check| {
        let Finding { message, subjects } = (check.judge)(context)?;
        Some(FailedCheck { check: check.name, message, subjects })
    });
    failed.take(if context.unjudged.is_some() { 1 } else { REGISTRY.len() }).collect()
}

/// What both checks of forbidden words find.
fn forbidden(context: &Context<'_>, words: &[super::matching::Needle<'_>], what: &str) -> Option<Finding> {
    let answer = context.answer;
    let found: Vec<_> = words.iter().filter(|word| answer.holds_forbidden(word)).collect();
    if found.is_empty() {
        return None;
    }
    let holds = |piece: &str, word| Answer::new(piece).holds_forbidden(word);
    let places = found.iter().map(|word| in_context(word.text, answer.text, |piece| holds(piece, word)));
    let message = format!("the answer holds {what}: {}", listed(places));
    Some(Finding::new(message, found.iter().map(|word| word.text.to_owned()).collect()))
}

/// The subject of a value that was found, or none.
fn found(value: Option<&str>) -> Vec<String> {
    value.into_iter().map(str::to_owned).collect()
}

/// The texts whose flag is not set.
fn without<'a>(texts: &'a [Text], flags: &[bool]) -> Vec<&'a str> {
    texts.iter().zip(flags).filter(|(_, set)| !**set).map(|(text, _)| text.as_str()).collect()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_the_table_and_each_file_has_the_name_of_its_check() {
        let names = REGISTRY.each_ref().map(|check| check.name);
        assert_eq!(names.as_slice(), CheckName::ALL);
        assert_eq!(FILES.map(|file| file.replace('_', "-")), names.map(|name| name.as_str().to_owned()));
    }
}
