//! Acceptances of content that has not landed: shared until the chain holds it, and never after.

use std::collections::{BTreeMap, BTreeSet};

use crate::baseline::chain::{Chain, Content};
use crate::baseline::place::Place;
use crate::baseline::read::{read_at, read_head};
use crate::baseline::remake::who;
use crate::baseline::store::RefMove;
use crate::baseline::sync::{PendingOutcome, Plan, Sharing, SyncError};
use crate::ids::ObjectId;

/// One pending acceptance on both sides.
struct Both<'a> {
    reference: String,
    here: Option<&'a ObjectId>,
    there: Option<&'a ObjectId>,
    /// What was fetched of it before.
    known: Option<&'a ObjectId>,
}

impl Sharing<'_> {
    pub(super) fn plan_pending(
        &self,
        place: &Place,
        tip: Option<&ObjectId>,
        before: &BTreeMap<String, ObjectId>,
        plan: &mut Plan,
    ) -> Result<(), SyncError> {
        let copies = place.fetched_pending(self.remote.name());
        let here = below(self.store.refs_under(&place.pending())?, &place.pending());
        let there = below(self.store.refs_under(&copies)?, &copies);
        if here.is_empty() && there.is_empty() {
            return Ok(());
        }
        let chain = Chain { store: self.store, place };
        let landed = tip.map(|tip| chain.contents(tip)).transpose()?.unwrap_or_default();
        let names: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
        for name in names {
            let both = Both {
                reference: format!("{}/{name}", place.pending()),
                here: here.get(name),
                there: there.get(name),
                known: before.get(&format!("{copies}/{name}")),
            };
            self.plan_one(chain, &both, &landed, plan)?;
        }
        Ok(())
    }

    /// Those of these that the remote has are deleted there.
    pub(super) fn plan_deletions(&self, used: &[String], plan: &mut Plan) -> Result<(), SyncError> {
        for reference in used {
            let there = self.store.tip(&self.prefix.fetched_copy(reference, self.remote.name()))?;
            if there.is_some() {
                plan.push.push(RefMove { reference: reference.clone(), expected: there, new: None });
            }
        }
        Ok(())
    }

    fn plan_one(
        &self,
        chain: Chain<'_>,
        both: &Both<'_>,
        landed: &BTreeSet<Content>,
        plan: &mut Plan,
    ) -> Result<(), SyncError> {
        let change = |expected: Option<&ObjectId>, new: Option<&ObjectId>| RefMove {
            reference: both.reference.clone(),
            expected: expected.cloned(),
            new: new.cloned(),
        };
        let mut done = |outcome| plan.pending.push((both.reference.clone(), outcome));
        // One that was there, has gone from there, and is unchanged here: it was used there.
        let used = both.there.is_none() && both.known.is_some() && both.here == both.known;
        let held = match both.here.or(both.there) {
            Some(id) => landed.contains(&chain.content(id)?),
            None => false,
        };
        match (both.here, both.there) {
            (Some(here), _) if used || held => {
                plan.here.push(change(Some(here), None));
                done(PendingOutcome::Dropped);
            }
            // The copies that were fetched count as they are: nothing is made of them here.
            (None, Some(_) | None) => {}
            (Some(here), None) => {
                read_at(self.store, chain.place, here)?;
                plan.push.push(change(None, Some(here)));
                done(PendingOutcome::Pushed);
            }
            (Some(here), Some(there)) if here == there => {}
            (Some(here), Some(there)) if chain.content(here)? == chain.content(there)? => {
                plan.here.push(change(Some(here), None));
                done(PendingOutcome::Dropped);
            }
            // Ours was accepted after theirs had been seen.
            (Some(here), Some(there)) if both.known == Some(there) => {
                plan.push.push(change(Some(there), Some(here)));
                done(PendingOutcome::Pushed);
            }
            (Some(here), Some(there)) => return Err(conflict(chain, here, there)?),
        }
        Ok(())
    }
}

fn conflict(chain: Chain<'_>, here: &ObjectId, there: &ObjectId) -> Result<SyncError, SyncError> {
    let side = |id| read_head(chain.store, chain.place, id).map(|link| who(&link));
    let details = vec![
        "the same content, pending under two settings:".to_owned(),
        format!("  here {}", side(here)?),
        format!("  there {}", side(there)?),
    ];
    Ok(SyncError::Conflict { title: chain.place.title(), details })
}

fn below(refs: Vec<(String, ObjectId)>, folder: &str) -> BTreeMap<String, ObjectId> {
    let name = |reference: String| reference.strip_prefix(folder)?.strip_prefix('/').map(str::to_owned);
    refs.into_iter().filter_map(|(reference, id)| Some((name(reference)?, id))).collect()
}
