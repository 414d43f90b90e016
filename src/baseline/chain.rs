//! A chain read link by link: which holds which, and what each link changed. Pure over a store.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::baseline::error::BaselineError;
use crate::baseline::link::{Link, POLICY_FILE};
use crate::baseline::place::Place;
use crate::baseline::read::{read_at, read_head};
use crate::baseline::stand::{Held, holds};
use crate::baseline::store::Store;
use crate::evaluate::CaseResult;
use crate::ids::{CaseId, Digest, ObjectId};
use crate::report::Report;

/// A chain in a store.
#[derive(Clone, Copy)]
pub(super) struct Chain<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) place: &'a Place,
}

/// What an acceptance stands for: content and configuration.
pub(super) type Content = (Digest, Option<ObjectId>);

/// How two tips stand to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// They are one.
    Same,
    /// Ours is further down in theirs.
    Behind,
    /// Theirs is further down in ours.
    Ahead,
    /// Each has links that the other has not, above this one (`None`: they have nothing in common).
    Apart(Option<ObjectId>),
}

impl Chain<'_> {
    /// Whether a link is another one or further down below it, as far as it can be told.
    ///
    /// # Errors
    /// A link on the way cannot be read.
    pub(super) fn holds(self, tip: &ObjectId, wanted: &ObjectId) -> Result<Held, BaselineError> {
        holds(self.store, self.place, tip, wanted)
    }

    /// How two tips stand to each other. The nearest answer is looked for first, so that a chain whose
    /// older links are not in the repository is not asked for them without need.
    pub(super) fn standing(self, ours: &ObjectId, theirs: &ObjectId) -> Result<Standing, BaselineError> {
        if ours == theirs {
            return Ok(Standing::Same);
        }
        let mut walks = [Some(ours.clone()), Some(theirs.clone())];
        let mut seen = [BTreeSet::new(), BTreeSet::new()];
        while walks.iter().any(Option::is_some) {
            for side in 0..2 {
                let Some(id) = walks[side].take() else { continue };
                if id == *[theirs, ours][side] {
                    return Ok([Standing::Ahead, Standing::Behind][side].clone());
                }
                if seen[1 - side].contains(&id) {
                    return Ok(Standing::Apart(Some(id)));
                }
                walks[side] = read_head(self.store, self.place, &id)?.parent;
                seen[side].insert(id);
            }
        }
        Ok(Standing::Apart(None))
    }

    /// The links above a base, oldest first.
    pub(super) fn above(self, tip: &ObjectId, base: Option<&ObjectId>) -> Result<Vec<Link>, BaselineError> {
        let mut links = Vec::new();
        let mut next = Some(tip.clone());
        while let Some(id) = next.filter(|id| Some(id) != base) {
            let link = read_head(self.store, self.place, &id)?;
            next = link.parent.clone();
            links.push(link);
        }
        links.reverse();
        Ok(links)
    }

    /// What a link, or an acceptance that is pending, stands for.
    pub(super) fn content(self, id: &ObjectId) -> Result<Content, BaselineError> {
        let link = read_head(self.store, self.place, id)?;
        let raw = self.store.link(id)?;
        let policy = raw.and_then(|raw| raw.entries.get(POLICY_FILE.as_bytes()).map(|file| file.id.clone()));
        Ok((link.trailers.suite_digest, policy))
    }

    /// What all links of a chain stand for.
    pub(super) fn contents(self, tip: &ObjectId) -> Result<BTreeSet<Content>, BaselineError> {
        let links = self.above(tip, None)?;
        links.iter().map(|link| self.content(&link.id)).collect()
    }

    /// What a link changed: each of its cases, with its new result, or none where it was removed.
    pub(super) fn changes(self, link: &Link) -> Result<BTreeMap<CaseId, Option<CaseResult>>, BaselineError> {
        let report = read_at(self.store, self.place, &link.id)?.report;
        let before = match &link.parent {
            Some(parent) => read_at(self.store, self.place, parent)?.report.results,
            None => Vec::new(),
        };
        Ok(changed(&before, &report, &link.trailers.cases))
    }
}

/// The cases that were taken, or, where all were, those whose result is another one now.
fn changed(before: &[CaseResult], report: &Report, taken: &[CaseId]) -> BTreeMap<CaseId, Option<CaseResult>> {
    let old = by_id(before);
    let new = by_id(&report.results);
    let ids: BTreeSet<&CaseId> = match taken {
        [] => old.keys().chain(new.keys()).copied().filter(|id| old.get(id) != new.get(id)).collect(),
        taken => taken.iter().collect(),
    };
    ids.into_iter().map(|id| (id.clone(), new.get(id).map(|result| (*result).clone()))).collect()
}

/// Results by their cases.
pub(super) fn by_id(results: &[CaseResult]) -> HashMap<&CaseId, &CaseResult> {
    results.iter().map(|result| (&result.case_id, result)).collect()
}
