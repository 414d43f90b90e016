//! Makes a report the next baseline: its objects first, then one move of the ref. A kill at any
//! moment leaves the old baseline or the new one (baseline.md sections 2 and 5).

use crate::baseline::draft::{Draft, acceptable};
use crate::baseline::error::BaselineError;
use crate::baseline::link::{POLICY_FILE, REPORT_FILE, SIGNERS_FILE};
use crate::baseline::message::AcceptedEntry;
use crate::baseline::pending::{check_digits, pending, same_content};
use crate::baseline::place::Place;
use crate::baseline::read::{read_at, read_head};
use crate::baseline::stand::{Standing, stand};
use crate::baseline::store::{Store, Written};
use crate::ids::{CaseId, ObjectId};
use crate::report::{self, Report};

/// What is accepted, on top of what.
#[derive(Clone, Debug)]
pub struct Acceptance<'a> {
    /// The chain.
    pub place: &'a Place,
    /// The newest link that the decision was made on, wherever it stands; `None`: there was no baseline.
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
    /// The cases that are taken; empty where all are. The report is then what
    /// [`crate::baseline::take_cases`] made, and the policy the accepted one.
    pub cases: Vec<CaseId>,
    /// The version of the program.
    pub tool: &'a str,
}

/// What became of an acceptance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// It is the newest link of its chain, or a pending acceptance.
    Written(ObjectId),
    /// This link holds the same report and the same configuration: nothing was written.
    Already(ObjectId),
    /// The chain moved since the decision was made: read again, show and decide again.
    Moved,
}

/// Accepts a report, if the chain is still as it was when that was decided. Where a fetched copy is
/// newer than the local ref, the new link follows the copy, and the local ref moves past both.
///
/// # Errors
/// The report is of no commit or of another suite, the chain cannot be read, or the surroundings
/// failed. The baseline is then as it was.
pub fn accept(store: &dyn Store, acceptance: Acceptance<'_>) -> Result<Accepted, BaselineError> {
    acceptable(acceptance.place, acceptance.report, acceptance.policy)?;
    let Some(standing) = still(store, &acceptance)? else { return Ok(Accepted::Moved) };
    if let Some(tip) = standing.tip()
        && is_accepted(store, tip, &acceptance)?
    {
        return Ok(Accepted::Already(tip.clone()));
    }
    let reference = &acceptance.place.reference;
    let drafted = acceptance.draft(standing.tip().cloned()).write(store)?;
    match store.update(reference, &drafted.id, standing.local.as_ref(), &drafted.subject)? {
        Written::Done => Ok(Accepted::Written(drafted.id)),
        Written::Moved => Ok(Accepted::Moved),
    }
}

/// Accepts content that has not landed yet, and leaves the baseline alone (baseline.md section 4). An
/// acceptance of the same content under another configuration or by other rules is replaced.
///
/// # Errors
/// As [`accept`]; also where a pending acceptance cannot be read or believed.
pub fn accept_pending(store: &dyn Store, acceptance: Acceptance<'_>) -> Result<Accepted, BaselineError> {
    let place = acceptance.place;
    let (origin, _) = acceptable(place, acceptance.report, acceptance.policy)?;
    let Some(standing) = still(store, &acceptance)? else { return Ok(Accepted::Moved) };
    if let Some(tip) = standing.tip() {
        let baseline = read_at(store, place, tip)?;
        if same_content(&baseline, acceptance.report, acceptance.policy) {
            return Ok(Accepted::Already(tip.clone()));
        }
    }
    let reference = place.pending_of(&origin.suite_digest);
    let expected = store.tip(&reference)?;
    let all = pending(store, place)?;
    for other in &all {
        if same_content(&other.baseline, acceptance.report, acceptance.policy) {
            return Ok(Accepted::Already(other.baseline.link.id.clone()));
        }
    }
    check_digits(&all, &reference, &origin.suite_digest)?;
    let drafted = acceptance.draft(None).write(store)?;
    match store.update(&reference, &drafted.id, expected.as_ref(), &drafted.subject)? {
        Written::Done => Ok(Accepted::Written(drafted.id)),
        Written::Moved => Ok(Accepted::Moved),
    }
}

impl<'a> Acceptance<'a> {
    fn draft(self, parent: Option<ObjectId>) -> Draft<'a> {
        let Acceptance { place, expected: _, report, policy, signers, reason, entries, cases, tool } = self;
        Draft { place, parent, author: None, report, policy, signers, reason, entries, cases, tool }
    }
}

/// Where the chain stands, if that is where it stood when the decision was made.
fn still(store: &dyn Store, acceptance: &Acceptance<'_>) -> Result<Option<Standing>, BaselineError> {
    let standing = stand(store, acceptance.place)?;
    Ok((standing.tip() == acceptance.expected).then_some(standing))
}

/// Whether the newest link holds all that is accepted: the whole report and its configuration; of single
/// cases, their results, whichever commit gave them.
fn is_accepted(store: &dyn Store, tip: &ObjectId, new: &Acceptance<'_>) -> Result<bool, BaselineError> {
    if !new.cases.is_empty() {
        let accepted = read_at(store, new.place, tip)?.report;
        let taken = Report::new(accepted.origin.clone(), new.report.results.clone());
        return Ok(report::to_json(&taken) == report::to_json(&accepted));
    }
    read_head(store, new.place, tip)?;
    let Some(raw) = store.link(tip)? else { return Ok(false) };
    let hash = store.hash_kind();
    let report = report::to_json(new.report).into_bytes();
    let mut files = vec![(REPORT_FILE, report.as_slice()), (POLICY_FILE, new.policy)];
    files.extend(new.signers.map(|signers| (SIGNERS_FILE, signers)));
    Ok(files.iter().all(|(name, bytes)| {
        raw.entries.get(name.as_bytes()).is_some_and(|entry| entry.id == ObjectId::of_blob(hash, bytes))
    }))
}
