//! The port to another repository that shares the refs of this one. `git` implements it.

use crate::baseline::store::RefMove;
use crate::error::Error;

/// What became of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Push {
    /// Every ref is what it was asked to be.
    Done,
    /// The remote answered and took none of them; its words are for people alone.
    Refused(String),
}

/// Another repository.
pub trait Remote {
    /// The name under which its fetched refs are kept.
    fn name(&self) -> &str;

    /// Fetches all refs below each first folder into the second one, which then holds these alone.
    /// It succeeds also where the remote answers that it has none.
    ///
    /// # Errors
    /// The remote does not answer, or the surroundings failed.
    fn fetch(&self, folders: &[(String, String)]) -> Result<(), Error>;

    /// Changes all of these refs or none, each only from its expected value. Never empty.
    ///
    /// # Errors
    /// The remote does not answer, or the surroundings failed: what it holds is then not known.
    fn push(&self, changes: &[RefMove]) -> Result<Push, Error>;
}
