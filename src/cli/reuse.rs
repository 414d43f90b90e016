//! Evaluates what is to be compared with a baseline, and takes from the baseline what has not changed.

use crate::baseline::Place;
use crate::cli::args::{ContentArgs, Global};
use crate::cli::evaluation::{self, Choice, Evaluation, Lender};
use crate::cli::ground::Ground;
use crate::cli::judgement::{self, Chosen};
use crate::error::Error;
use crate::git::Repository;
use crate::report::{Lent, Origin};
use crate::suite::Suite;

/// The baseline to compare with.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The chain, where it is not the settings of what is evaluated that say it.
    pub(super) place: Option<&'a Place>,
    /// Whether results are taken from it.
    pub(super) reuse: bool,
}

/// What was evaluated, and the baseline that it is compared with.
pub(super) struct Compared {
    /// What was evaluated.
    pub(super) evaluation: Evaluation,
    /// The chain.
    pub(super) place: Place,
    /// The baseline; `None` only where no place holds the chain.
    pub(super) chosen: Option<Chosen>,
}

/// Evaluates a revision or the working tree, and chooses the baseline that it is compared with. With and
/// without reuse the outcome is the same; with it, what both sides share is neither read nor fetched.
///
/// # Errors
/// The suite is at fault, a baseline stands but cannot be read or believed, or the surroundings failed.
pub(super) fn evaluate(
    ground: &Ground,
    global: &Global,
    content: &ContentArgs,
    wanted: Wanted<'_>,
) -> Result<Compared, Error> {
    let repository = ground.repository()?;
    if !wanted.reuse {
        let evaluation = match evaluation::revision(ground, content)? {
            Some(commit) => evaluation::of_commit(ground, global, &commit, Choice::default()),
            None => evaluation::of_working_tree(ground, global, Choice::default()),
        }?;
        return choose(repository, evaluation, wanted);
    }
    let mut choosing = Choosing { repository, wanted, chosen: None };
    let evaluation = evaluation::of_what_changed(ground, global, content, &mut choosing)?;
    let (place, chosen) = choosing.chosen.expect("an evaluation asks its lender once");
    Ok(Compared { evaluation, place, chosen })
}

/// Chooses the baseline that an evaluation is compared with.
///
/// # Errors
/// A baseline stands but cannot be read or believed.
pub(super) fn choose(
    repository: &Repository,
    evaluation: Evaluation,
    wanted: Wanted<'_>,
) -> Result<Compared, Error> {
    let place = wanted.place(&evaluation.suite)?;
    let chosen = judgement::choose(repository, &place, &evaluation)?;
    Ok(Compared { evaluation, place, chosen })
}

impl Wanted<'_> {
    fn place(&self, suite: &Suite) -> Result<Place, Error> {
        self.place.map_or_else(|| judgement::place(&suite.config, self.name), |place| Ok(place.clone()))
    }
}

/// Chooses the baseline as soon as the content is known, and lends its results.
struct Choosing<'a> {
    repository: &'a Repository,
    wanted: Wanted<'a>,
    chosen: Option<(Place, Option<Chosen>)>,
}

impl Lender for Choosing<'_> {
    fn lend(&mut self, suite: &Suite, origin: &Origin) -> Result<Option<Lent<'_>>, Error> {
        let place = self.wanted.place(suite)?;
        let chosen = judgement::choose_for(self.repository, &place, origin)?;
        let (_, chosen) = self.chosen.insert((place, chosen));
        let baseline = chosen.as_ref().map(|chosen| &chosen.baseline);
        Ok(baseline.and_then(|baseline| Lent::of(&baseline.report, &baseline.policy, &suite.config)))
    }
}
