//! Shares a suite's chains and pending acceptances with another repository (baseline.md section 5):
//! fetch, decide, push with leases, and only then move the refs here. What was decided is decided
//! again whenever another writer came first. Nothing is ever forced.

mod error;
mod pending;
mod rewritten;

pub use error::SyncError;

use std::collections::{BTreeMap, BTreeSet};

use crate::baseline::chain::{Chain, Standing};
use crate::baseline::error::BaselineError;
use crate::baseline::place::{Place, Prefix};
use crate::baseline::read::read_at;
use crate::baseline::remake::{Apart, Remade, remake};
use crate::baseline::remote::{Push, Remote};
use crate::baseline::signatures::check_signatures;
use crate::baseline::stand::Held;
use crate::baseline::store::{RefMove, Store, Written};
use crate::ids::{Name, ObjectId};

/// How often it is decided again because another writer came first.
const TRIES: u32 = 100;
/// How often a push may be refused although nothing moved there: a lock, and not a rule.
const REFUSALS: u32 = 4;

/// Two repositories that share a suite.
#[derive(Clone, Copy)]
pub struct Sharing<'a> {
    /// The refs and objects here.
    pub store: &'a dyn Store,
    /// The other repository.
    pub remote: &'a dyn Remote,
    /// Where refs are kept.
    pub prefix: &'a Prefix,
    /// The suite.
    pub suite: &'a Name,
    /// Waits before a further try, whose number it is given.
    pub pause: &'a dyn Fn(u32),
}

/// What became of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Neither side has it.
    Nowhere,
    /// Both sides had the same.
    Same(ObjectId),
    /// The one here moved forward.
    Forward {
        /// Its tip before.
        from: Option<ObjectId>,
        /// Its tip now.
        to: ObjectId,
    },
    /// The one there moved forward.
    Pushed {
        /// Its tip before.
        from: Option<ObjectId>,
        /// Its tip now.
        to: ObjectId,
    },
    /// All that was accepted here was accepted there already, among more.
    Held {
        /// The tip here before.
        from: ObjectId,
        /// The tip now.
        to: ObjectId,
    },
    /// So many acceptances were made again on top of those of others, and pushed.
    Remade {
        /// The tip here before.
        from: ObjectId,
        /// The tip now.
        to: ObjectId,
        /// How many.
        links: usize,
    },
}

/// What became of a pending acceptance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PendingOutcome {
    /// It is there now, too.
    Pushed,
    /// The chain or another acceptance there holds its content, or it was used there: it is no longer here.
    Dropped,
}

/// What became of one chain and of what is pending beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synced {
    /// The chain.
    pub place: Place,
    /// What became of it.
    pub outcome: Outcome,
    /// By the full names of the refs here.
    pub pending: Vec<(String, PendingOutcome)>,
}

/// What one try comes to: pushed first, moved here after.
struct Plan {
    outcome: Outcome,
    push: Vec<RefMove>,
    here: Vec<RefMove>,
    pending: Vec<(String, PendingOutcome)>,
}

/// Which refs a plan is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    Chain,
    /// The chain, and these pending acceptances, which are then of no more use there.
    Promotion(&'a [String]),
    Pending,
    Both,
}

impl Sharing<'_> {
    /// Shares every chain of the suite, and what is pending beside it.
    ///
    /// # Errors
    /// The remote does not answer. For each chain: the remote refuses, it was rewritten there, one case was
    /// accepted differently on both sides, or it cannot be read; it is then as it was.
    pub fn sync(&self) -> Result<Vec<Result<Synced, SyncError>>, SyncError> {
        let before = self.fetched()?;
        self.fetch()?;
        let places = self.places()?;
        Ok(places.iter().map(|place| self.share(place, Part::Both, &before)).collect())
    }

    /// Shares one chain, and nothing that is pending.
    ///
    /// # Errors
    /// As [`Sharing::sync`].
    pub fn push_chain(&self, place: &Place) -> Result<Synced, SyncError> {
        let before = self.fetched()?;
        self.fetch()?;
        self.share(place, Part::Chain, &before)
    }

    /// Shares what is pending beside one chain, and not the chain.
    ///
    /// # Errors
    /// As [`Sharing::sync`].
    pub fn push_pending(&self, place: &Place) -> Result<Synced, SyncError> {
        let before = self.fetched()?;
        self.fetch()?;
        self.share(place, Part::Pending, &before)
    }

    /// Fetches, and moves the chain here forward where the one there holds it; pushes nothing.
    ///
    /// # Errors
    /// As [`Sharing::sync`]; also [`SyncError::Diverged`] where each side has links of its own.
    pub fn pull(&self, place: &Place) -> Result<(), SyncError> {
        let before = self.fetched()?;
        self.fetch()?;
        for _ in 0..TRIES {
            self.check_not_rewritten(place, &before)?;
            let (ours, theirs) = self.ends(place)?;
            let (Some(theirs), chain) = (theirs, self.chain(place)) else { return Ok(()) };
            let standing = match &ours {
                None => Standing::Behind,
                Some(ours) => chain.standing(ours, &theirs)?,
            };
            match standing {
                Standing::Same | Standing::Ahead => return Ok(()),
                Standing::Apart(_) => return Err(SyncError::Diverged { title: place.title() }),
                Standing::Behind => {
                    read_at(self.store, place, &theirs)?;
                    check_signatures(self.store, &place.reference, &theirs)?;
                    if self.move_here(&[forward(place, ours, theirs)])? {
                        return Ok(());
                    }
                }
            }
        }
        Err(SyncError::Busy { title: place.title(), tries: TRIES })
    }

    /// Shares one chain, and in the same push deletes there what was pending under these names here.
    ///
    /// # Errors
    /// As [`Sharing::sync`].
    pub fn push_promotion(&self, place: &Place, used: &[String]) -> Result<Synced, SyncError> {
        let before = self.fetched()?;
        self.fetch()?;
        self.share(place, Part::Promotion(used), &before)
    }

    fn chain<'a>(&'a self, place: &'a Place) -> Chain<'a> {
        Chain { store: self.store, place }
    }

    fn fetch(&self) -> Result<(), SyncError> {
        Ok(self.remote.fetch(&self.prefix.shared(self.suite, self.remote.name()))?)
    }

    /// What was last fetched of the suite.
    fn fetched(&self) -> Result<BTreeMap<String, ObjectId>, SyncError> {
        let mut all = BTreeMap::new();
        for (_, copy) in self.prefix.shared(self.suite, self.remote.name()) {
            all.extend(self.store.refs_under(&copy)?);
        }
        Ok(all)
    }

    /// The chain here and the fetched one.
    fn ends(&self, place: &Place) -> Result<(Option<ObjectId>, Option<ObjectId>), SyncError> {
        Ok((self.store.tip(&place.reference)?, self.store.tip(&place.fetched(self.remote.name()))?))
    }

    /// Every chain of the suite that either side has, or beside which something is pending.
    fn places(&self) -> Result<Vec<Place>, SyncError> {
        let mut names = BTreeSet::new();
        for (own, copy) in self.prefix.shared(self.suite, self.remote.name()) {
            for folder in [own, copy] {
                for (reference, _) in self.store.refs_under(&folder)? {
                    let below = reference.strip_prefix(&folder).unwrap_or_default().trim_start_matches('/');
                    names.extend(below.split('/').next().and_then(Name::parse));
                }
            }
        }
        Ok(names.iter().map(|name| self.prefix.place(self.suite, name)).collect())
    }

    fn share(
        &self,
        place: &Place,
        part: Part<'_>,
        before: &BTreeMap<String, ObjectId>,
    ) -> Result<Synced, SyncError> {
        let mut before = before.clone();
        let mut refusals = 0;
        for attempt in 0..TRIES {
            self.check_not_rewritten(place, &before)?;
            let ends = self.ends(place)?;
            let plan = self.plan(place, part, &ends, &before)?;
            if !plan.push.is_empty()
                && let Push::Refused(words) = self.remote.push(&plan.push)?
            {
                before = self.fetched()?;
                (self.pause)(attempt);
                self.fetch()?;
                refusals = if self.moved(&plan.push)? { 0 } else { refusals + 1 };
                if refusals == REFUSALS {
                    return Err(SyncError::Refused { remote: self.remote.name().to_owned(), words });
                }
                continue;
            }
            if self.move_here(&plan.here)? {
                self.note_pushed(&plan.push);
                self.note_seen(place, &plan.outcome)?;
                return Ok(Synced { place: place.clone(), outcome: plan.outcome, pending: plan.pending });
            }
            before = self.fetched()?;
            self.fetch()?;
        }
        Err(SyncError::Busy { title: place.title(), tries: TRIES })
    }

    fn plan(
        &self,
        place: &Place,
        part: Part<'_>,
        (ours, theirs): &(Option<ObjectId>, Option<ObjectId>),
        before: &BTreeMap<String, ObjectId>,
    ) -> Result<Plan, SyncError> {
        let outcome = match part {
            Part::Chain | Part::Promotion(_) | Part::Both => {
                self.outcome(place, ours.clone(), theirs.clone())?
            }
            Part::Pending => ours.clone().map_or(Outcome::Nowhere, Outcome::Same),
        };
        let mut plan = Plan { outcome, push: Vec::new(), here: Vec::new(), pending: Vec::new() };
        let new = plan.outcome.tip().cloned();
        if part != Part::Pending && new != *theirs {
            let reference = place.reference.clone();
            plan.push.push(RefMove { reference, expected: theirs.clone(), new: new.clone() });
        }
        if let Some(new) = new.clone().filter(|new| Some(new) != ours.as_ref()) {
            plan.here.push(forward(place, ours.clone(), new));
        }
        match part {
            Part::Chain => {}
            Part::Promotion(used) => self.plan_deletions(used, &mut plan)?,
            Part::Pending | Part::Both => self.plan_pending(place, new.as_ref(), before, &mut plan)?,
        }
        Ok(plan)
    }

    /// What is to become of a chain. Links may be written; no ref is moved.
    fn outcome(
        &self,
        place: &Place,
        ours: Option<ObjectId>,
        theirs: Option<ObjectId>,
    ) -> Result<Outcome, SyncError> {
        // Neither side is given a chain whose tip cannot be believed.
        for end in [&ours, &theirs].into_iter().flatten() {
            read_at(self.store, place, end)?;
            check_signatures(self.store, &place.reference, end)?;
        }
        let (ours, theirs) = match (ours, theirs) {
            (None, None) => return Ok(Outcome::Nowhere),
            (None, Some(to)) => return Ok(Outcome::Forward { from: None, to }),
            (Some(to), None) => return Ok(Outcome::Pushed { from: None, to }),
            (Some(ours), Some(theirs)) => (ours, theirs),
        };
        let chain = self.chain(place);
        Ok(match chain.standing(&ours, &theirs)? {
            Standing::Same => Outcome::Same(ours),
            Standing::Behind => Outcome::Forward { from: Some(ours), to: theirs },
            Standing::Ahead => Outcome::Pushed { from: Some(theirs), to: ours },
            Standing::Apart(base) => {
                let apart = Apart { base: base.as_ref(), ours: &ours, theirs: &theirs };
                match remake(chain, apart)? {
                    Remade::Held => Outcome::Held { from: ours, to: theirs },
                    Remade::OnTop(to, links) => Outcome::Remade { from: ours, to, links },
                }
            }
        })
    }

    /// Whether what a refused push expected is no longer so.
    fn moved(&self, changes: &[RefMove]) -> Result<bool, SyncError> {
        for change in changes {
            let copy = self.prefix.fetched_copy(&change.reference, self.remote.name());
            if self.store.tip(&copy)? != change.expected {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Moves refs here, all or none; `false` where one was not what was expected.
    fn move_here(&self, moves: &[RefMove]) -> Result<bool, SyncError> {
        let reason = format!("sync with {}", self.remote.name());
        Ok(moves.is_empty() || self.store.update_all(moves, &reason)? == Written::Done)
    }

    /// The copies of what was pushed are what the remote holds now. Where they cannot be moved, the next
    /// fetch moves them.
    fn note_pushed(&self, moves: &[RefMove]) {
        let copy = |moved: &RefMove| RefMove {
            reference: self.prefix.fetched_copy(&moved.reference, self.remote.name()),
            ..moved.clone()
        };
        if !moves.is_empty() {
            let _ = self.store.update_all(&moves.iter().map(copy).collect::<Vec<_>>(), "pushed");
        }
    }

    /// Where the chain here no longer holds what was seen, since its links were made again, the new tip is
    /// what was seen. As best it can be.
    fn note_seen(&self, place: &Place, outcome: &Outcome) -> Result<(), SyncError> {
        let (Outcome::Held { from, to } | Outcome::Remade { from, to, .. }) = outcome else { return Ok(()) };
        let Some(seen) = self.store.tip(&place.seen())? else { return Ok(()) };
        let chain = self.chain(place);
        if chain.holds(from, &seen)? != Held::No && chain.holds(to, &seen)? == Held::No {
            let _ = self.store.update(&place.seen(), to, Some(&seen), "seen");
        }
        Ok(())
    }
}

impl Outcome {
    /// The tip that both sides have now.
    pub fn tip(&self) -> Option<&ObjectId> {
        match self {
            Self::Nowhere => None,
            Self::Same(id) => Some(id),
            Self::Forward { to, .. }
            | Self::Pushed { to, .. }
            | Self::Held { to, .. }
            | Self::Remade { to, .. } => Some(to),
        }
    }
}

fn forward(place: &Place, ours: Option<ObjectId>, new: ObjectId) -> RefMove {
    RefMove { reference: place.reference.clone(), expected: ours, new: Some(new) }
}

impl From<BaselineError> for SyncError {
    fn from(error: BaselineError) -> Self {
        Self::Baseline(error)
    }
}
