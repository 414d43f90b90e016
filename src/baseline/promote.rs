//! Lets a baseline advance to what has landed, with the authors and reasons of the acceptances that cover
//! it (baseline.md section 4). A decision first, then a plan whose objects are written, then one
//! transaction that moves the baseline and deletes what was used.

use crate::baseline::draft::{Draft, acceptable};
use crate::baseline::error::BaselineError;
use crate::baseline::link::Baseline;
use crate::baseline::message::AcceptedEntry;
use crate::baseline::pending::{Pending, same_content};
use crate::baseline::place::Place;
use crate::baseline::stand::stand;
use crate::baseline::store::{RefMove, Signature, Store, Written};
use crate::gate::{EntryLevel, Gate, Outcome, same_settings};
use crate::ids::ObjectId;
use crate::report::Report;
use crate::suite::Config;

/// Content that has landed.
#[derive(Clone, Copy, Debug)]
pub struct Landed<'a> {
    /// The chain.
    pub place: &'a Place,
    /// The report of a commit, clean.
    pub report: &'a Report,
    /// The configuration that judged it.
    pub config: &'a Config,
    /// Its bytes; empty where there are none.
    pub policy: &'a [u8],
    /// Who may sign the next link; `None` where that configuration does not require signatures.
    pub signers: Option<&'a [u8]>,
}

/// What is to be done about it.
#[derive(Clone, Debug)]
pub enum Promotion<'a> {
    /// The baseline advances, by these acceptances.
    Accepted(Vec<Used<'a>>),
    /// The baseline advances, since nothing blocks and it is a ratchet.
    Ratchet,
    /// The baseline holds this content already. These acceptances say nothing that it does not.
    Held(Vec<&'a Pending>),
    /// Nothing blocks, and there is neither an acceptance nor a ratchet.
    Nothing,
    /// The branch is worse than what was accepted.
    Worse,
    /// There is no baseline, and nobody accepted this content as the first one.
    NoBaseline,
}

/// An acceptance by which a baseline advances.
#[derive(Clone, Debug)]
pub struct Used<'a> {
    /// The acceptance.
    pub pending: &'a Pending,
    /// The blocking entries that it covers.
    pub entries: Vec<AcceptedEntry>,
}

/// What a promotion does: new links that no ref names yet, and the moves of refs that stand or fall together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The new links, the oldest first: one for each acceptance. Empty where the baseline stays.
    pub links: Vec<ObjectId>,
    /// The move of the local baseline, where it moves, and the deletions of the local acceptances.
    pub moves: Vec<RefMove>,
    /// The fetched copies of the used acceptances, and what they name: to be deleted where they were
    /// fetched from.
    pub fetched: Vec<(String, ObjectId)>,
    /// For the reflog.
    pub subject: String,
}

/// Decides. `judged` is the present baseline, and the gate of the landed content against it with the
/// pending acceptances laid over.
pub fn decide_promotion<'a>(
    judged: Option<(&Baseline, &Gate)>,
    landed: Landed<'_>,
    pending: &'a [Pending],
) -> Promotion<'a> {
    let whole: Vec<&Pending> = pending.iter().filter(|pending| is_whole(pending, landed)).collect();
    let Some((baseline, gate)) = judged else {
        return match whole.is_empty() {
            true => Promotion::NoBaseline,
            false => Promotion::Accepted(whole.into_iter().map(|pending| Used::of(pending, None)).collect()),
        };
    };
    if same_content(baseline, landed.report, landed.policy) {
        return Promotion::Held(whole);
    }
    if gate.outcome == Outcome::Block {
        return Promotion::Worse;
    }
    let covers = |pending: &&Pending| {
        gate.entries.iter().any(|judged| {
            judged.accepted.as_ref().is_some_and(|accepted| accepted.commit == pending.baseline.link.id)
        })
    };
    let used: Vec<&Pending> = if whole.is_empty() { pending.iter().filter(covers).collect() } else { whole };
    match (used.is_empty(), baseline.policy.baseline.ratchet) {
        (false, _) => {
            Promotion::Accepted(used.into_iter().map(|pending| Used::of(pending, Some(gate))).collect())
        }
        (true, true) => Promotion::Ratchet,
        (true, false) => Promotion::Nothing,
    }
}

/// Writes the links of a promotion and says which refs it moves. `None`: the chain is no longer at
/// `expected`, read again and decide again.
///
/// # Errors
/// As [`crate::baseline::accept()`].
pub fn plan_promotion(
    store: &dyn Store,
    landed: Landed<'_>,
    promotion: &Promotion<'_>,
    expected: Option<&ObjectId>,
    tool: &str,
) -> Result<Option<Plan>, BaselineError> {
    let Landed { place, report, policy, signers, .. } = landed;
    acceptable(place, report, policy)?;
    let standing = stand(store, place)?;
    if standing.tip() != expected {
        return Ok(None);
    }
    let by_ratchet = "nothing blocks, and baseline.ratchet is set";
    let authors: Vec<(Option<Signature>, Option<&str>, Vec<AcceptedEntry>)> = match promotion {
        Promotion::Accepted(used) => used.iter().map(Used::author).collect(),
        Promotion::Ratchet => vec![(None, Some(by_ratchet), Vec::new())],
        Promotion::Held(_) | Promotion::Nothing | Promotion::Worse | Promotion::NoBaseline => Vec::new(),
    };
    let mut plan =
        Plan { links: Vec::new(), moves: Vec::new(), fetched: Vec::new(), subject: "promote".to_owned() };
    for (author, reason, entries) in authors {
        let parent = plan.links.last().or(expected).cloned();
        let cases = Vec::new();
        let draft = Draft { place, parent, author, report, policy, signers, reason, entries, cases, tool };
        let drafted = draft.write(store)?;
        plan.subject = drafted.subject;
        plan.links.push(drafted.id);
    }
    if let Some(newest) = plan.links.last() {
        let (reference, new) = (place.reference.clone(), Some(newest.clone()));
        plan.moves.push(RefMove { reference, expected: standing.local, new });
    }
    let local = place.pending();
    for pending in promotion.used() {
        let id = &pending.baseline.link.id;
        for reference in pending.references.iter().cloned() {
            if reference.starts_with(&local) {
                plan.moves.push(RefMove { reference, expected: Some(id.clone()), new: None });
            } else {
                plan.fetched.push((reference, id.clone()));
            }
        }
    }
    Ok(Some(plan))
}

impl Plan {
    /// Moves the refs, all of them or none.
    ///
    /// # Errors
    /// The surroundings failed; the refs are then as they were.
    pub fn carry_out(&self, store: &dyn Store) -> Result<Written, BaselineError> {
        if self.moves.is_empty() {
            return Ok(Written::Done);
        }
        Ok(store.update_all(&self.moves, &self.subject)?)
    }
}

impl<'a> Promotion<'a> {
    /// The acceptances that are then of no more use.
    pub fn used(&self) -> Vec<&'a Pending> {
        match self {
            Self::Accepted(used) => used.iter().map(|used| used.pending).collect(),
            Self::Held(pending) => pending.clone(),
            Self::Ratchet | Self::Nothing | Self::Worse | Self::NoBaseline => Vec::new(),
        }
    }
}

impl<'a> Used<'a> {
    fn of(pending: &'a Pending, gate: Option<&Gate>) -> Self {
        let by_it = |judged: &&crate::gate::Judged| {
            let accepted = judged.accepted.as_ref();
            judged.level == EntryLevel::Block
                && accepted.is_some_and(|accepted| accepted.commit == pending.baseline.link.id)
        };
        let covered = gate.iter().flat_map(|gate| &gate.entries).filter(by_it);
        let entries = covered
            .map(|judged| AcceptedEntry { kind: judged.entry.kind, case: judged.entry.case_id.clone() });
        Self { pending, entries: entries.collect() }
    }

    fn author(&self) -> (Option<Signature>, Option<&str>, Vec<AcceptedEntry>) {
        let link = &self.pending.baseline.link;
        let author = Signature { person: link.by.clone(), at: link.accepted_at };
        (Some(author), link.reason.as_deref(), self.entries.clone())
    }
}

/// Whether the whole content was accepted, under these settings.
fn is_whole(pending: &Pending, landed: Landed<'_>) -> bool {
    landed.report.origin.as_ref().is_some_and(|origin| origin.suite_digest == *pending.digest())
        && same_settings(&pending.baseline.policy, landed.config)
}
