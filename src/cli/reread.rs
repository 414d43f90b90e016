//! What commands read of a suite once more, beside its evaluation: the old definition on the new
//! trace, the places of keywords and rules, the files themselves.

use std::collections::HashMap;

use crate::baseline::Baseline;
use crate::cli::args::{Global, threads};
use crate::cli::evaluation::{Evaluation, commit_source, folder, source_error};
use crate::cli::ground::Ground;
use crate::diff::Entry;
use crate::error::Error;
use crate::evaluate::lines::Lines;
use crate::evaluate::{CaseResult, Matcher, TraceIndex, evaluate_suite, explain};
use crate::git::scratch::Scratch;
use crate::ids::{CaseId, ObjectId};
use crate::suite::source::{EntryKind, Part, Source};
use crate::suite::{Case, Suite, trace};

/// Fills in whether the agent alone would have failed cases of which both trace and definition
/// changed: the old definition, under the old matching options, on the new trace.
///
/// # Errors
/// The surroundings failed.
pub(super) fn under_old_expectations(
    entries: Vec<&mut Entry>,
    baseline: &Baseline,
    evaluation: &Evaluation,
    ground: &Ground,
    global: &Global,
) -> Result<(), Error> {
    let before: HashMap<&CaseId, &CaseResult> =
        baseline.report.results.iter().map(|result| (&result.case_id, result)).collect();
    let cases: HashMap<&CaseId, &Case> = evaluation.suite.cases.iter().map(|case| (&case.id, case)).collect();
    let mut asked = Vec::new();
    let mut waiting = Vec::new();
    for entry in entries {
        let Some(id) = &entry.case_id else { continue };
        let old = before.get(id).and_then(|result| result.expectations.clone());
        if let (Some(case), Some(expectations)) = (cases.get(id), old) {
            asked.push(Case { digest: expectations.digest(), expectations, ..(*case).clone() });
            waiting.push(entry);
        }
    }
    let mut config = evaluation.suite.config.clone();
    if let Some(origin) = &baseline.report.origin {
        config.matching = origin.evaluator.matching.clone();
    }
    let suite = Suite { config, cases: asked, config_file: None, files: Vec::new() };
    let results = match &evaluation.commit {
        Some(commit) => {
            let source = commit_source(ground, global, commit)?;
            evaluate_suite(&suite, &source, threads())
        }
        None => evaluate_suite(&suite, &folder(ground, global)?.0, threads()),
    };
    for (entry, result) in waiting.into_iter().zip(results.map_err(source_error)?) {
        entry.under_old_expectation = Some(result.passed);
        entry.message.push_str(match result.passed {
            true => "; the old definition passes on the new trace",
            false => "; the old definition fails on the new trace, too",
        });
    }
    Ok(())
}

/// What there is to say of a case beside its result.
#[derive(Default)]
pub(super) struct Explanation {
    /// Where the expected keywords that matched stand in the answer. Untrusted text.
    pub(super) matches: Vec<String>,
    /// Where the rules and the values stand that they look at.
    pub(super) lines: Lines,
}

/// Reads the files of a case again; where its trace cannot be read, there is less to say.
///
/// # Errors
/// The surroundings failed.
pub(super) fn explanation(
    ground: &Ground,
    global: &Global,
    evaluation: &Evaluation,
    case: &Case,
    result: &CaseResult,
) -> Result<Explanation, Error> {
    let source: Box<dyn Source> = match &evaluation.commit {
        Some(commit) => Box::new(commit_source(ground, global, commit)?),
        None => Box::new(folder(ground, global)?.0),
    };
    let mut reader = source.reader().map_err(source_error)?;
    let (mut case_file, mut bytes) = (Vec::new(), Vec::new());
    let files = source.list(Part::Cases).map_err(source_error)?;
    if let Some(file) = files.iter().find(|file| case.place.is_in(&file.path)) {
        reader.read(Part::Cases, file, u64::MAX, &mut case_file).map_err(source_error)?;
    }
    let config = &evaluation.suite.config;
    let traces = TraceIndex::list(&*source).map_err(source_error)?;
    if let Ok(entry) = traces.find(&case.trace_fixture) {
        reader.read(Part::Traces, entry, config.max_trace_bytes, &mut bytes).map_err(source_error)?;
    }
    let lines = Lines::of(&case_file, &bytes, result);
    let matches = trace::parse(&bytes)
        .map(|trace| explain::matches(case, &Matcher::new(&config.matching), &trace))
        .unwrap_or_default();
    Ok(Explanation { matches, lines })
}

/// Writes the files of a suite to the folder `eval` of another working tree.
///
/// # Errors
/// The surroundings failed.
pub(super) fn copy_suite(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
    scratch: &Scratch,
) -> Result<(), Error> {
    let source = commit_source(ground, global, commit)?;
    source.prefetch_all().map_err(source_error)?;
    let mut reader = source.reader().map_err(source_error)?;
    let mut buffer = Vec::new();
    for (part, folder) in
        [(Part::Config, "diag-gate.toml"), (Part::Cases, "cases/"), (Part::Traces, "fixtures/")]
    {
        for entry in source.list(part).map_err(source_error)? {
            if entry.kind == EntryKind::File {
                reader.read(part, &entry, u64::MAX, &mut buffer).map_err(source_error)?;
                scratch.write(&format!("eval/{folder}{}", String::from_utf8_lossy(&entry.path)), &buffer)?;
            }
        }
    }
    Ok(())
}
