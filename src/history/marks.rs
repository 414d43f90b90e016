//! Which commits were accepted: every link of every chain of a suite, on the commit that it evaluated.

use std::collections::{BTreeMap, BTreeSet};

use crate::baseline::{BaselineError, Link, Place, Prefix, Store, read_head};
use crate::error::Error;
use crate::history::person;
use crate::history::row::{Mark, Row};
use crate::ids::{Name, ObjectId};

/// Marks the commits of these rows; gives what could not be read, for notices: history judges nothing.
///
/// # Errors
/// The refs cannot be listed.
pub fn mark(rows: &mut [Row], store: &dyn Store, prefix: &Prefix, suite: &Name) -> Result<Vec<Error>, Error> {
    let mut marks: BTreeMap<ObjectId, Vec<Mark>> = BTreeMap::new();
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (reference, tip) in prefix.all_baselines(store).map_err(Error::from)? {
        let Some(place) = place(prefix, suite, &reference) else { continue };
        if let Err(fault) = walk(store, &place, tip, &mut seen, &mut marks) {
            faults.push(fault.into());
        }
    }
    for row in rows {
        row.marks = marks.remove(&row.commit.id).unwrap_or_default();
        row.marks
            .sort_by(|left, right| (right.at, &left.name, &left.id).cmp(&(left.at, &right.name, &right.id)));
    }
    Ok(faults)
}

/// The chain that a local ref or a fetched copy names, where it is one of this suite.
fn place(prefix: &Prefix, suite: &Name, reference: &str) -> Option<Place> {
    let mut parts = reference.rsplit('/');
    let (name, of) = (parts.next()?, parts.next()?);
    (of == suite.as_str()).then(|| Name::parse(name)).flatten().map(|name| prefix.place(suite, &name))
}

fn walk(
    store: &dyn Store,
    place: &Place,
    tip: ObjectId,
    seen: &mut BTreeSet<ObjectId>,
    marks: &mut BTreeMap<ObjectId, Vec<Mark>>,
) -> Result<(), BaselineError> {
    let mut next = Some(tip);
    while let Some(id) = next.filter(|id| !seen.contains(id)) {
        let Link { id, parent, by, accepted_at, reason, trailers, .. } = read_head(store, place, &id)?;
        let name = place.name.as_str().to_owned();
        let mark = Mark { id: id.clone(), name, by: person(&by), reason, at: accepted_at.seconds };
        marks.entry(trailers.evaluated).or_default().push(mark);
        seen.insert(id);
        // A shallow fetch may have cut the chain off.
        next = match parent {
            Some(parent) if store.is_shallow() && !store.holds(&parent)? => None,
            parent => parent,
        };
    }
    Ok(())
}
