//! `accept --case`: single cases of a commit, taken into the present baseline.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::baseline::{self, Baseline, BaselineError, Place};
use crate::cli::args::{AcceptArgs, Global};
use crate::cli::evaluation::Evaluation;
use crate::cli::{globs, judgement, suggest};
use crate::diff::diff;
use crate::env::Env;
use crate::error::Error;
use crate::gate::policy_change;
use crate::ids::CaseId;
use crate::render::{count, escape::terminal};

/// The baseline with single cases taken from a commit.
pub(super) struct Taken {
    /// The accepted report with these cases as the commit has them, under the accepted settings.
    pub(super) evaluation: Evaluation,
    /// The cases, on whichever side they stand.
    pub(super) cases: BTreeSet<CaseId>,
    /// Other cases that differ now, and stay as they were accepted.
    staying: BTreeSet<CaseId>,
    /// Settings that the commit proposes, and that stay as they were accepted.
    settings: Vec<String>,
}

/// Takes the cases that the globs match on either side.
///
/// # Errors
/// A glob matches nothing, or the two were judged by different rules.
pub(super) fn take(globs: &[String], baseline: &Baseline, evaluation: &Evaluation) -> Result<Taken, Error> {
    let sides = [&baseline.report, &evaluation.report];
    let ids = sides.into_iter().flat_map(|report| report.results.iter().map(|result| &result.case_id));
    let cases: BTreeSet<CaseId> = globs::matching(globs, ids)?.into_iter().collect();
    let policy = &baseline.policy;
    if policy.max_trace_bytes != evaluation.suite.config.max_trace_bytes {
        let why = "the baseline was judged under another `limits.max_trace_bytes`".to_owned();
        return Err(BaselineError::NotInParts { why }.into());
    }
    let report = baseline::take_cases(&baseline.report, &evaluation.report, &cases, policy.max_trace_bytes)?;
    let whole = diff(&baseline.report, &evaluation.report, &policy.gate.thresholds)
        .map_err(|refusal| judgement::refused(&refusal, baseline))?;
    let moved = whole.entries.into_iter().filter_map(|entry| entry.case_id);
    let staying = moved.filter(|case| !cases.contains(case)).collect();
    let settings =
        policy_change(policy, &evaluation.suite.config).map(|entry| entry.subjects).unwrap_or_default();
    let mut suite = evaluation.suite.clone();
    suite.config = policy.clone();
    suite.config_file = Some(baseline.policy_text.clone());
    let commit = evaluation.commit.clone();
    Ok(Taken {
        evaluation: Evaluation { suite, report, folder: evaluation.folder.clone(), commit },
        cases,
        staying,
        settings,
    })
}

/// There is nothing to take single cases into.
pub(super) fn without_baseline(arguments: &AcceptArgs, place: &Place, global: &Global, env: &Env) -> Error {
    let first = suggest::first_acceptance(&arguments.rev, &place.name, env);
    Error::input(format!("there is no baseline {} that single cases could be taken into", place.title()))
        .hint(format!("accept the first one whole: {}", suggest::command(global, &first)))
}

impl Taken {
    /// What is taken, and what stays although it differs now. Escaped.
    pub(super) fn told(&self) -> String {
        let list = |cases: &BTreeSet<CaseId>| {
            cases.iter().map(|case| terminal(case.as_str())).collect::<Vec<_>>().join(", ")
        };
        let number = |cases: &BTreeSet<CaseId>| count(cases.len() as u64, "case");
        let mut page = format!("\nTaken: {}: {}\n", number(&self.cases), list(&self.cases));
        let mut stay = |what: String| {
            writeln!(page, "Stays as accepted, although it differs now: {what}")
                .expect("a String takes all that is written");
        };
        if !self.staying.is_empty() {
            stay(format!("{}: {}", number(&self.staying), list(&self.staying)));
        }
        if !self.settings.is_empty() {
            stay(format!("settings: {}", terminal(&self.settings.join(", "))));
        }
        page
    }
}
