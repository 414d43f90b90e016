//! Warnings about a suite that is sound, but may not ask what its authors think.
//!
//! Pure: knows what the traces folder lists, never what is in it. Spec: cli.md, row `lint`.

use std::collections::{BTreeMap, BTreeSet};

use super::load::by_place;
use super::source::{Entry, EntryKind};
use super::text::{exact, folded};
use super::{Case, Expectations, Problem, Suite};
use crate::text::Text;

/// Warnings by file and line; `traces` is what the traces folder lists.
pub fn lint(suite: &Suite, traces: &[Entry]) -> Vec<Problem> {
    let mut warnings: Vec<Problem> = suite.cases.iter().flat_map(of_case).collect();
    warnings.extend(same_content(&suite.cases));
    warnings.extend(unused_traces(&suite.cases, traces));
    warnings.sort_by(by_place);
    warnings
}

fn of_case(case: &Case) -> Vec<Problem> {
    let asked = &case.expectations;
    let mut warnings = Vec::new();
    if asked.min_keyword_matches == Some(0) {
        let message = "a minimum of 0 asks for none of the keywords beside it";
        warnings.push(warning(case, Some("minKeywordMatches"), message.to_owned()));
    }
    if asks_nothing(asked) {
        let message = "the case asks nothing: every answer with a verdict passes";
        warnings.push(warning(case, None, message.to_owned()));
    }
    let lists = [
        ("forbiddenAnswerKeywords", &asked.forbidden_answer_keywords),
        ("forbiddenConfirmedClaimKeywords", &asked.forbidden_confirmed_claim_keywords),
    ];
    if let Some(question) = &case.question {
        let (plain, loose) = (exact(question), folded(question));
        for (field, words) in lists {
            let stands = |word: &&Text| plain.contains(&*exact(word)) || loose.contains(&folded(word));
            warnings.extend(words.iter().filter(stands).map(|word| {
                let message = format!(
                    "the forbidden `{}` stands in the question: an answer that repeats the question fails",
                    word.as_str()
                );
                warning(case, Some(field), message)
            }));
        }
    }
    warnings
}

fn asks_nothing(asked: &Expectations) -> bool {
    let beside =
        Expectations { expected_root_cause_keywords: Vec::new(), min_keyword_matches: None, ..asked.clone() };
    asked.minimum() == 0 && beside == Expectations::default()
}

/// Cases that ask the same of the same trace; the second and all after it are told.
fn same_content(cases: &[Case]) -> Vec<Problem> {
    let mut first = BTreeMap::new();
    let mut warnings = Vec::new();
    for case in cases {
        match first.get(&(&case.digest, &case.trace_fixture)) {
            None => {
                first.insert((&case.digest, &case.trace_fixture), case);
            }
            Some(earlier) => {
                let message = format!(
                    "asks the same of the same trace as case `{}` in {} on line {}",
                    earlier.id.as_str(),
                    earlier.place.file,
                    earlier.place.line
                );
                warnings.push(warning(case, None, message));
            }
        }
    }
    warnings
}

/// Files that look like traces: regular ones that end in `.json` or as a trace does that is used.
fn unused_traces(cases: &[Case], traces: &[Entry]) -> Vec<Problem> {
    let used: BTreeSet<&[u8]> = cases.iter().map(|case| case.trace_fixture.as_bytes()).collect();
    let endings: BTreeSet<&[u8]> =
        used.iter().filter_map(|path| ending(path)).chain([b"json".as_slice()]).collect();
    let looks_like_one = |entry: &&Entry| {
        entry.kind == EntryKind::File && ending(&entry.path).is_some_and(|ending| endings.contains(ending))
    };
    let unused = traces.iter().filter(looks_like_one).filter(|entry| !used.contains(entry.path.as_slice()));
    unused
        .map(|entry| Problem {
            file: format!("fixtures/{}", String::from_utf8_lossy(&entry.path)),
            line: None,
            column: None,
            case: None,
            field: None,
            message: "no case uses this trace".to_owned(),
        })
        .collect()
}

/// What stands behind the last dot of a file's name, if it has one.
fn ending(path: &[u8]) -> Option<&[u8]> {
    let name = path.rsplit(|byte| *byte == b'/').next()?;
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    Some(&name[dot + 1..])
}

fn warning(case: &Case, field: Option<&str>, message: String) -> Problem {
    Problem {
        file: case.place.file.to_string(),
        line: Some(case.place.line),
        column: None,
        case: Some(case.id.as_str().to_owned()),
        field: field.map(str::to_owned),
        message,
    }
}

#[cfg(test)]
mod tests;
