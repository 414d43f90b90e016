//! Acceptances of content that has not landed yet (baseline.md section 4): keyed by content, never by
//! commit. One that cannot be read or believed is an error, never left out.

use std::collections::BTreeMap;

use crate::baseline::error::BaselineError;
use crate::baseline::link::Baseline;
use crate::baseline::place::Place;
use crate::baseline::read::read_from;
use crate::baseline::store::Store;
use crate::gate;
use crate::ids::{Digest, ObjectId};
use crate::report::Report;

/// An acceptance of content that has not landed yet.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What was accepted. No baseline yet, but kept like one.
    pub baseline: Baseline,
    /// By whom, why, and in which commit.
    pub accepted: gate::Accepted,
    /// The refs that name it: the local one first, then the copies that were fetched.
    pub references: Vec<String>,
}

impl Pending {
    /// As the gate asks for it.
    pub fn acceptance(&self) -> gate::Acceptance<'_> {
        gate::Acceptance {
            accepted: &self.accepted,
            report: &self.baseline.report,
            config: &self.baseline.policy,
        }
    }

    /// The content.
    pub fn digest(&self) -> &Digest {
        &self.baseline.link.trailers.suite_digest
    }
}

/// All pending acceptances of a chain, local and fetched, the oldest first.
///
/// # Errors
/// One of them cannot be read or believed, two contents have digests that begin alike, or the
/// surroundings failed.
pub fn pending(store: &dyn Store, place: &Place) -> Result<Vec<Pending>, BaselineError> {
    let mut by_link: BTreeMap<ObjectId, Pending> = BTreeMap::new();
    for (reference, id) in place.all_pending(store)? {
        let known = by_link.get_mut(&id);
        let digest = match &known {
            Some(known) => known.digest().clone(),
            None => {
                let found = read_one(store, place, &reference, &id)?;
                let digest = found.digest().clone();
                by_link.insert(id.clone(), found);
                digest
            }
        };
        if reference.rsplit('/').next() != Some(&digest.as_str()[..16]) {
            let what = "its name is not that of the content that it accepts".to_owned();
            return Err(BaselineError::Damaged { reference, link: id, what, details: Vec::new() });
        }
        by_link.entry(id).and_modify(|pending| pending.references.push(reference));
    }
    let mut all: Vec<Pending> = by_link.into_values().collect();
    all.sort_by_key(|pending| pending.baseline.link.accepted_at.seconds);
    for pending in &all {
        check_digits(&all, &pending.references[0], pending.digest())?;
    }
    Ok(all)
}

/// Refuses a second content under the same digits.
pub(super) fn check_digits(all: &[Pending], reference: &str, digest: &Digest) -> Result<(), BaselineError> {
    let alike = |one: &Digest| one.as_str()[..16] == digest.as_str()[..16] && one != digest;
    match all.iter().find(|other| alike(other.digest())) {
        None => Ok(()),
        Some(other) => Err(BaselineError::SameDigits {
            reference: reference.to_owned(),
            other: other.references.first().cloned().unwrap_or_default(),
        }),
    }
}

/// Whether a link holds this content, under this configuration and by these rules, whichever commit was
/// evaluated.
pub(super) fn same_content(held: &Baseline, report: &Report, policy: &[u8]) -> bool {
    let (held_origin, origin) = (held.report.origin.as_ref(), report.origin.as_ref());
    held_origin.zip(origin).is_some_and(|(held_origin, origin)| {
        held_origin.suite_digest == origin.suite_digest
            && held_origin.evaluator == origin.evaluator
            && held.policy_text == policy
    })
}

fn read_one(
    store: &dyn Store,
    place: &Place,
    reference: &str,
    id: &ObjectId,
) -> Result<Pending, BaselineError> {
    let baseline = read_from(store, place, reference, id)?;
    if baseline.link.parent.is_some() {
        let what = "it has a parent, which an acceptance of content has not".to_owned();
        let (reference, link) = (reference.to_owned(), id.clone());
        return Err(BaselineError::Damaged { reference, link, what, details: Vec::new() });
    }
    let link = &baseline.link;
    let accepted = gate::Accepted {
        by: format!("{} <{}>", link.by.name, link.by.email),
        reason: link.reason.clone(),
        commit: id.clone(),
    };
    Ok(Pending { accepted, references: Vec::new(), baseline })
}
