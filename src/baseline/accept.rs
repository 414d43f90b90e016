//! Makes a report the next baseline: its objects first, then one move of the ref. A kill at any
//! moment leaves the old baseline or the new one (baseline.md sections 2 and 5).

use std::collections::BTreeMap;

use crate::baseline::error::BaselineError;
use crate::baseline::link::{FORMAT_FILE, POLICY_FILE, REPORT_FILE, SIGNERS_FILE};
use crate::baseline::message::{self, AcceptedEntry, Message, Trailers};
use crate::baseline::place::Place;
use crate::baseline::read::read_head;
use crate::baseline::store::{NewLink, Store, Written};
use crate::ids::{CaseId, ObjectId};
use crate::report::{self, Origin, Report};
use crate::suite::config;

/// What is accepted, on top of what.
#[derive(Clone, Debug)]
pub struct Acceptance<'a> {
    /// The chain.
    pub place: &'a Place,
    /// The tip that the decision was made on; `None`: there was no baseline.
    pub expected: Option<&'a ObjectId>,
    /// The report of a commit, clean.
    pub report: &'a Report,
    /// The bytes of the configuration that judged it; empty where there is none.
    pub policy: &'a [u8],
    /// Who may sign the next link; `None` where that configuration does not require signatures.
    pub signers: Option<&'a [u8]>,
    /// Why.
    pub reason: Option<&'a str>,
    /// The entries that are accepted knowingly.
    pub entries: Vec<AcceptedEntry>,
    /// The cases that are taken; empty where all are.
    pub cases: Vec<CaseId>,
    /// The version of the program.
    pub tool: &'a str,
}

/// What became of an acceptance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// It is the newest link of its chain.
    Written(ObjectId),
    /// The newest link holds the same report and the same configuration: nothing was written.
    Already(ObjectId),
    /// The chain moved since the decision was made: read again, show and decide again.
    Moved,
}

/// Accepts a report, if the chain is still as it was when that was decided.
///
/// # Errors
/// The report is of no commit or of another suite, the chain cannot be read, or the surroundings
/// failed. The baseline is then as it was.
pub fn accept(store: &dyn Store, acceptance: Acceptance<'_>) -> Result<Accepted, BaselineError> {
    let place = acceptance.place;
    let (origin, evaluated) = acceptable(&acceptance)?;
    place.check_letter_case(store)?;
    if store.tip(&place.reference)?.as_ref() != acceptance.expected {
        return Ok(Accepted::Moved);
    }
    let report_bytes = report::to_json(acceptance.report).into_bytes();
    let mut held = vec![(REPORT_FILE, report_bytes.as_slice()), (POLICY_FILE, acceptance.policy)];
    held.extend(acceptance.signers.map(|signers| (SIGNERS_FILE, signers)));
    if let Some(tip) = acceptance.expected
        && holds(store, place, tip, &held)?
    {
        return Ok(Accepted::Already(tip.clone()));
    }
    let totals = &acceptance.report.totals;
    let percent = report::percent(totals.passed_cases, totals.total_cases);
    let message = Message {
        subject: message::subject(
            &place.suite,
            &place.name,
            totals.passed_cases,
            totals.total_cases,
            &percent,
        ),
        reason: acceptance.reason.and_then(message::clean_reason),
        trailers: Trailers {
            evaluated: evaluated.clone(),
            suite_digest: origin.suite_digest.clone(),
            accepted: acceptance.entries,
            cases: acceptance.cases,
            tool: acceptance.tool.to_owned(),
        },
    };
    let (author, committer) = store.identities()?;
    let mut files = BTreeMap::from([
        (FORMAT_FILE.to_owned(), Vec::new()),
        (REPORT_FILE.to_owned(), report_bytes),
        (POLICY_FILE.to_owned(), acceptance.policy.to_vec()),
    ]);
    files.extend(acceptance.signers.map(|signers| (SIGNERS_FILE.to_owned(), signers.to_vec())));
    let parent = acceptance.expected.cloned();
    let link = store.write(&NewLink { parent, author, committer, message: message.write(), files })?;
    match store.update(&place.reference, &link, acceptance.expected, &message.subject)? {
        Written::Done => Ok(Accepted::Written(link)),
        Written::Moved => Ok(Accepted::Moved),
    }
}

/// What would be written must be what [`crate::baseline::read_at`] takes.
fn acceptable<'r>(acceptance: &Acceptance<'r>) -> Result<(&'r Origin, &'r ObjectId), BaselineError> {
    let refused = |why: &str| BaselineError::NotAcceptable { why: why.to_owned() };
    let origin = acceptance.report.origin.as_ref();
    let origin = origin.ok_or_else(|| refused("it was not made by diag-gate"))?;
    let suite = &acceptance.place.suite;
    if origin.suite != *suite {
        return Err(refused("it is of another suite"));
    }
    if origin.source.dirty {
        return Err(refused("it is of a working tree that differs from its commit"));
    }
    let policy = config::parse(acceptance.policy, POLICY_FILE);
    if !policy.is_ok_and(|policy| policy.name == *suite) {
        return Err(refused("its configuration cannot be read, or is of another suite"));
    }
    let evaluated = origin.source.commit.as_ref();
    Ok((origin, evaluated.ok_or_else(|| refused("it is of no commit"))?))
}

/// Whether a link, which must be one of ours, holds exactly these files.
fn holds(
    store: &dyn Store,
    place: &Place,
    tip: &ObjectId,
    files: &[(&str, &[u8])],
) -> Result<bool, BaselineError> {
    read_head(store, place, tip)?;
    let Some(raw) = store.link(tip)? else { return Ok(false) };
    let hash = store.hash_kind();
    Ok(files.iter().all(|(name, bytes)| {
        raw.entries.get(name.as_bytes()).is_some_and(|entry| entry.id == ObjectId::of_blob(hash, bytes))
    }))
}
