//! Where a chain stands: the local ref and the copies that were fetched, of which the one that holds the
//! others counts, and the tip that this clone saw last (baseline.md section 3).

use crate::baseline::error::BaselineError;
use crate::baseline::place::Place;
use crate::baseline::read::read_head;
use crate::baseline::store::Store;
use crate::ids::ObjectId;

/// Where a chain stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What the local ref names; `None` where there is none.
    pub local: Option<ObjectId>,
    /// The newest link that any place holds; `None`: no place holds the chain, nor was it ever seen.
    pub newest: Option<Newest>,
    /// The tip that this clone saw last.
    seen: Option<ObjectId>,
    /// Whether the newest link is known to follow it.
    follows_seen: bool,
}

/// The newest link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newest {
    /// The link.
    pub id: ObjectId,
    /// The ref that names it: the local one where that does, too.
    pub reference: String,
}

impl Standing {
    /// The newest link.
    pub fn tip(&self) -> Option<&ObjectId> {
        self.newest.as_ref().map(|newest| &newest.id)
    }
}

/// Whether a chain holds a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// A shallow fetch cut it off before the link was come to.
    CutOff,
}

/// Looks where a chain stands.
///
/// # Errors
/// Two places hold chains of which neither holds the other, the chain was rewritten since it was last
/// seen here or is gone, another chain's name differs only in letter case, or the surroundings failed.
pub fn stand(store: &dyn Store, place: &Place) -> Result<Standing, BaselineError> {
    // Read first: whoever moves a chain writes down afterwards that it was seen.
    let seen = store.tip(&place.seen())?;
    let mut places = place.copies(store)?;
    let local = store.tip(&place.reference)?;
    places.splice(0..0, local.iter().map(|id| (place.reference.clone(), id.clone())));
    let Some(newest) = newest(store, place, places)? else {
        return match seen {
            Some(seen) => Err(BaselineError::Gone {
                title: place.title(),
                reference: place.reference.clone(),
                seen_by: place.seen(),
                seen,
            }),
            None => Ok(Standing { local, newest: None, seen, follows_seen: true }),
        };
    };
    let held = match &seen {
        Some(seen) => holds(store, place, &newest.id, seen)?,
        None => Held::Yes,
    };
    match (held, seen) {
        (Held::No, Some(seen)) => Err(BaselineError::Rewritten {
            title: place.title(),
            reference: newest.reference,
            tip: newest.id,
            seen,
        }),
        (held, seen) => Ok(Standing { local, newest: Some(newest), seen, follows_seen: held == Held::Yes }),
    }
}

/// Writes down which tip was seen. As best it can be: a repository that cannot be written to must not
/// fail a check. A tip of which it cannot be told whether it follows the last one is not written down.
pub fn note_seen(store: &dyn Store, place: &Place, standing: &Standing) {
    let Some(tip) = standing.tip() else { return };
    if standing.follows_seen && standing.seen.as_ref() != Some(tip) {
        // Whoever came first has seen no less.
        let _ = store.update(&place.seen(), tip, standing.seen.as_ref(), "seen");
    }
}

/// Whether the chain that ends in `tip` holds `link`.
///
/// # Errors
/// A link on the way is missing or no link, or the surroundings failed.
pub fn holds(
    store: &dyn Store,
    place: &Place,
    tip: &ObjectId,
    link: &ObjectId,
) -> Result<Held, BaselineError> {
    let mut next = tip.clone();
    while next != *link {
        match read_head(store, place, &next)?.parent {
            None => return Ok(Held::No),
            Some(parent) if parent == *link => return Ok(Held::Yes),
            Some(parent) if store.is_shallow() && !store.holds(&parent)? => return Ok(Held::CutOff),
            Some(parent) => next = parent,
        }
    }
    Ok(Held::Yes)
}

/// The place that holds all others; of two with one tip, the first.
fn newest(
    store: &dyn Store,
    place: &Place,
    places: Vec<(String, ObjectId)>,
) -> Result<Option<Newest>, BaselineError> {
    let mut places = places.into_iter().map(|(reference, id)| Newest { id, reference });
    let Some(mut newest) = places.next() else { return Ok(None) };
    for other in places {
        if holds(store, place, &newest.id, &other.id)? == Held::Yes {
            continue;
        }
        if holds(store, place, &other.id, &newest.id)? != Held::Yes {
            return Err(BaselineError::Diverged {
                title: place.title(),
                details: vec![told(store, place, &newest)?, told(store, place, &other)?],
            });
        }
        newest = other;
    }
    Ok(Some(newest))
}

/// One line on a place: its ref, its tip, and who accepted that.
fn told(store: &dyn Store, place: &Place, newest: &Newest) -> Result<String, BaselineError> {
    let link = read_head(store, place, &newest.id)?;
    let reason = link.reason.unwrap_or_else(|| "no reason given".to_owned());
    let Newest { id, reference } = newest;
    Ok(format!("`{reference}` names {}: {}, by {}: {reason}", id.as_str(), link.subject, link.by.name))
}
