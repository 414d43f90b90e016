//! The commit at which a case came to its present outcome.
//!
//! Every commit of the line is compared with the one before it, and only those that change the case or its
//! trace are evaluated; so the answer is exact also where the outcome went to and fro, which halving is not.

use serde::Serialize;

use crate::diff::Cause;
use crate::error::Error;
use crate::evaluate::CheckName;
use crate::history::past::{Commit, Past};
use crate::history::person;
use crate::history::row::{Numbers, Row};
use crate::history::series::{Progress, Walk};
use crate::history::wire::SCHEMA_VERSION;
use crate::ids::{CaseId, ObjectId};

/// Where a case came to its present outcome.
#[derive(Clone, Debug)]
pub struct Bisection {
    /// The case.
    pub case: CaseId,
    /// Whether it passes at present.
    pub passed: bool,
    /// The commit: of the last turn, or the one that brought the case with this outcome.
    pub commit: Commit,
    /// What that commit is compared with; `None`: it brought the case, or what is older was cut off.
    pub base: Option<ObjectId>,
    /// Whether the case was brought there rather than turned.
    pub brought: bool,
    /// On the merged line, where the commit is a merge: the one that turned the case there.
    pub side: Option<Commit>,
    /// What changed with the turn; `None` where there was none.
    pub cause: Option<Cause>,
    /// The checks that failed on one side of the turn and not on the other, in the order of the table.
    pub checks: Vec<CheckName>,
    /// How many distinct pairs of a definition and a trace were evaluated.
    pub evaluations: u64,
    /// All turns of the line, the newest first.
    pub flips: Vec<Flip>,
}

/// A commit at which the outcome turned from what it was last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The commit.
    pub commit: ObjectId,
    /// Whether the case passes from there on.
    pub passed: bool,
}

/// Looks back from a commit; `None` where its suite cannot be evaluated or does not hold the case. The walk
/// must count this case and no other.
///
/// # Errors
/// The surroundings failed.
pub fn bisect(
    walk: &mut Walk<'_>,
    past: &dyn Past,
    case: &CaseId,
    tip: &ObjectId,
    progress: Progress<'_>,
) -> Result<Option<Bisection>, Error> {
    let line = past.line(tip, None, false, None)?;
    let rows = walk.rows(&line, progress)?;
    let Some(passed) = rows.first().and_then(Row::numbers).and_then(passes) else { return Ok(None) };
    let Some((row, numbers)) = arrival(&rows) else { return Ok(None) };
    let brought = numbers.broke.is_empty() && numbers.fixed.is_empty();
    let turned = [&numbers.broke, &numbers.fixed, &numbers.added];
    let checks = turned.into_iter().flatten().next().map(|(_, outcome)| outcome.failed.clone());
    let cause = match &numbers.base {
        Some(base) if !brought => Some(walk.cause(base, &row.commit.id, case)?),
        Some(_) | None => None,
    };
    Ok(Some(Bisection {
        case: case.clone(),
        passed,
        commit: row.commit.clone(),
        base: numbers.base.clone().filter(|_| !brought),
        brought,
        side: side(walk, past, &row.commit, passed)?,
        cause,
        checks: checks.unwrap_or_default(),
        evaluations: walk.evaluations(),
        flips: flips(&rows),
    }))
}

/// Whether the case passes; `None` where it is not there.
fn passes(numbers: &Numbers) -> Option<bool> {
    (numbers.counts.total > 0).then_some(numbers.counts.passed > 0)
}

/// Where the case came to the outcome that it has in the newest of these rows.
fn arrival(rows: &[Row]) -> Option<(&Row, &Numbers)> {
    let evaluated = || rows.iter().filter_map(|row| row.numbers().map(|numbers| (row, numbers)));
    let turned = |(_, numbers): &(&Row, &Numbers)| !numbers.is_quiet();
    // Where what is older was cut off nothing says that it came, and it was there all along.
    evaluated().find(turned).or_else(|| evaluated().next_back())
}

/// Where the outcome is another one than it was last, the newest first.
fn flips(rows: &[Row]) -> Vec<Flip> {
    let mut flips = Vec::new();
    let mut last = None;
    for row in rows.iter().rev() {
        let Some(passed) = row.numbers().and_then(passes) else { continue };
        if last.is_some_and(|last| last != passed) {
            flips.push(Flip { commit: row.commit.id.clone(), passed });
        }
        last = Some(passed);
    }
    flips.reverse();
    flips
}

/// On the lines that a merge brought in: the commit at which the case came to this outcome.
fn side(walk: &mut Walk<'_>, past: &dyn Past, merge: &Commit, passed: bool) -> Result<Option<Commit>, Error> {
    let Some((first, merged)) = merge.parents.split_first() else { return Ok(None) };
    for parent in merged {
        let line = past.line(parent, Some(first), false, None)?;
        let rows = walk.rows(&line, &mut |_, _| {})?;
        if rows.iter().find_map(Row::numbers).and_then(passes) != Some(passed) {
            continue;
        }
        let found = rows.iter().find(|row| row.numbers().is_some_and(|numbers| !numbers.is_quiet()));
        if let Some(row) = found {
            let deeper = side(walk, past, &row.commit, passed)?;
            return Ok(Some(deeper.unwrap_or_else(|| row.commit.clone())));
        }
    }
    Ok(None)
}

/// The JSON of a bisection.
pub fn bisection_json(found: &Bisection) -> String {
    let commit = &found.commit;
    let flips = found.flips.iter();
    let json = BisectionJson {
        schema_version: SCHEMA_VERSION,
        case_id: &found.case,
        passed: found.passed,
        commit: commit.id.as_str(),
        parent: commit.parents.first().map(ObjectId::as_str),
        side_commit: found.side.as_ref().map(|side| side.id.as_str()),
        subject: &commit.subject,
        author: person(&commit.author.person),
        date: commit.author.at.utc(),
        cause: found.cause,
        checks: found.checks.iter().map(|check| check.as_str()).collect(),
        evaluations: found.evaluations,
        flips: flips.map(|flip| FlipJson { commit: flip.commit.as_str(), passed: flip.passed }).collect(),
    };
    let mut text = serde_json::to_string_pretty(&json).expect("texts, numbers and lists always serialize");
    text.push('\n');
    text
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BisectionJson<'a> {
    schema_version: u32,
    case_id: &'a CaseId,
    passed: bool,
    commit: &'a str,
    parent: Option<&'a str>,
    side_commit: Option<&'a str>,
    subject: &'a str,
    author: String,
    date: String,
    cause: Option<Cause>,
    checks: Vec<&'static str>,
    evaluations: u64,
    flips: Vec<FlipJson<'a>>,
}

#[derive(Serialize)]
struct FlipJson<'a> {
    commit: &'a str,
    passed: bool,
}
