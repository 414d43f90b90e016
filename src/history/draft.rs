//! Rows whose outcomes are not known yet: what many commits ask for is evaluated together.

use std::sync::Arc;

use crate::history::current::{Counts, Moved};
use crate::history::outcome::Promise;
use crate::history::past::{Commit, Parts};
use crate::history::row::{Numbers, Row, State};
use crate::ids::{CaseId, Digest, ObjectId};

/// What a commit is compared with.
pub(super) enum Base {
    /// This one, whose suite is made of these parts.
    At(ObjectId, Arc<Parts>),
    /// No older commit can be evaluated.
    None,
    /// Nor can this be told.
    CutOff,
}

/// A row of which the outcomes may not be known yet.
pub(super) struct Draft {
    pub(super) commit: Commit,
    pub(super) state: DraftState,
}

/// How the suite of a commit fared, as far as that can be told before it is evaluated.
pub(super) enum DraftState {
    /// There is nothing to evaluate.
    Told(State),
    /// The suite can be evaluated.
    Moved {
        suite_digest: Digest,
        /// How many moves led here; the last one from what it is compared with.
        moves: usize,
        /// All cases, where what it is compared with is not among the rows.
        whole: Vec<(CaseId, Promise)>,
        base: Base,
    },
}

/// The rows, now that all outcomes are known, in the order of the drafts; and what counts after all moves.
/// `counts` are those before the first one.
pub(super) fn written(drafts: Vec<Draft>, moves: Vec<Moved>, mut counts: Counts) -> (Vec<Row>, Counts) {
    let (mut moves, mut done) = (moves.into_iter(), 0);
    let mut rows = Vec::with_capacity(drafts.len());
    for Draft { commit, state } in drafts {
        let state = match state {
            DraftState::Told(state) => state,
            DraftState::Moved { suite_digest, moves: until, whole, base } => {
                let mut last = Moved::default();
                for moved in moves.by_ref().take(until - done) {
                    counts = counts.after(&moved);
                    last = moved;
                }
                done = until;
                State::Evaluated(numbers(suite_digest, counts, whole, base, last))
            }
        };
        rows.push(Row { commit, state, marks: Vec::new() });
    }
    (rows, moves.fold(counts, |counts, moved| counts.after(&moved)))
}

/// What there is to say of a suite that was evaluated: `moved` leads to it from what it is compared with, and
/// `whole` is all of it, where that is not among the rows.
fn numbers(
    suite_digest: Digest,
    counts: Counts,
    whole: Vec<(CaseId, Promise)>,
    base: Base,
    moved: Moved,
) -> Numbers {
    let kept = |(id, promise): (CaseId, Promise)| (id, Arc::clone(promise.outcome()));
    let whole = whole.into_iter().map(kept).collect();
    let mut numbers = Numbers {
        suite_digest,
        counts,
        base: None,
        broke: Vec::new(),
        fixed: Vec::new(),
        added: Vec::new(),
        removed: Vec::new(),
        start: Vec::new(),
    };
    match base {
        Base::At(id, _) => {
            (numbers.base, numbers.start) = (Some(id), whole);
            sort_out(&mut numbers, moved);
        }
        Base::None => numbers.added = whole,
        Base::CutOff => numbers.start = whole,
    }
    numbers
}

/// Tells a row what moved.
fn sort_out(numbers: &mut Numbers, moved: Moved) {
    let known = |promise: Option<Promise>| promise.map(|promise| Arc::clone(promise.outcome()));
    for (id, (before, now)) in moved.outcomes {
        match (known(before), known(now)) {
            (None, Some(now)) => numbers.added.push((id, now)),
            (Some(_), None) => numbers.removed.push(id),
            (Some(before), Some(now)) if before.passed && !now.passed => numbers.broke.push((id, now)),
            (Some(before), Some(now)) if !before.passed && now.passed => numbers.fixed.push((id, before)),
            (Some(_), Some(_)) | (None, None) => {}
        }
    }
}
