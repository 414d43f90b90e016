//! A chain that was rewritten on the other side is found, and taken over by its id alone.

use std::collections::BTreeMap;

use crate::baseline::chain::Chain;
use crate::baseline::place::Place;
use crate::baseline::read::read_at;
use crate::baseline::signatures::check_signatures;
use crate::baseline::stand::Held;
use crate::baseline::store::{RefMove, Written};
use crate::baseline::sync::{Sharing, SyncError};
use crate::ids::ObjectId;

impl Sharing<'_> {
    /// The fetched chain must hold what was fetched before, and what was seen here, unless that was
    /// accepted here. Where it does not, the copy is put back, so that it is found again.
    pub(super) fn check_not_rewritten(
        &self,
        place: &Place,
        before: &BTreeMap<String, ObjectId>,
    ) -> Result<(), SyncError> {
        let copy = place.fetched(self.remote.name());
        let Some(found) = self.store.tip(&copy)? else { return Ok(()) };
        let chain = Chain { store: self.store, place };
        if let Some(known) = before.get(&copy)
            && chain.holds(&found, known)? == Held::No
        {
            self.store.update(&copy, known, Some(&found), "the fetched chain was rewritten")?;
            return Err(self.rewritten(place, known.clone(), found));
        }
        let Some(seen) = self.store.tip(&place.seen())? else { return Ok(()) };
        if chain.holds(&found, &seen)? != Held::No {
            return Ok(());
        }
        match self.store.tip(&place.reference)? {
            Some(ours) if chain.holds(&ours, &seen)? != Held::No => Ok(()),
            Some(_) | None => Err(self.rewritten(place, seen, found)),
        }
    }

    /// Takes over a chain that was rewritten there, by the id of its tip. Gives the chain and its tip
    /// here before.
    ///
    /// # Errors
    /// No chain of the suite has this tip there, it cannot be believed, or the remote does not answer.
    pub fn accept_rewritten(&self, new: &ObjectId) -> Result<(Place, Option<ObjectId>), SyncError> {
        self.fetch()?;
        for place in self.places()? {
            if self.store.tip(&place.fetched(self.remote.name()))?.as_ref() != Some(new) {
                continue;
            }
            read_at(self.store, &place, new)?;
            check_signatures(self.store, &place.reference, new)?;
            let before = self.store.tip(&place.reference)?;
            let seen = self.store.tip(&place.seen())?;
            let moves = [(place.reference.clone(), before.clone()), (place.seen(), seen)];
            let moves =
                moves.map(|(reference, expected)| RefMove { reference, expected, new: Some(new.clone()) });
            if self.store.update_all(&moves, "sync --accept-rewritten")? == Written::Moved {
                return Err(SyncError::Busy { title: place.title(), tries: 1 });
            }
            return Ok((place, before));
        }
        Err(SyncError::NoSuchTip { remote: self.remote.name().to_owned(), tip: new.clone() })
    }

    fn rewritten(&self, place: &Place, known: ObjectId, found: ObjectId) -> SyncError {
        SyncError::Rewritten { title: place.title(), remote: self.remote.name().to_owned(), known, found }
    }
}
