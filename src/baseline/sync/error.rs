//! Why two repositories do not share a chain: each kind apart.

use crate::baseline::error::BaselineError;
use crate::error::Error;
use crate::ids::ObjectId;

/// A failure to share. Untrusted text inside. What is at fault is as it was, on both sides.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum SyncError {
    /// A chain cannot be read or written, or the remote does not answer.
    #[error("{0}")]
    Baseline(BaselineError),
    /// One thing was accepted differently on both sides.
    #[error("{title} was accepted differently here and there; nothing was changed")]
    Conflict { title: String, details: Vec<String> },
    /// Each side has links of its own.
    #[error("{title} has acceptances here and others there")]
    Diverged { title: String },
    /// The chain there does not hold what it held before.
    #[error(
        "{title} was rewritten on {remote}: its tip {} does not descend from {}, which was seen before",
        found.as_str(),
        known.as_str()
    )]
    Rewritten { title: String, remote: String, known: ObjectId, found: ObjectId },
    /// No chain there has this tip.
    #[error("no chain of this suite on {remote} has the tip {}", tip.as_str())]
    NoSuchTip { remote: String, tip: ObjectId },
    /// The remote answered and refused, although nothing moved there.
    #[error("{remote} refused the push; nothing was changed")]
    Refused { remote: String, words: String },
    /// Others were quicker every time.
    #[error("{title}: other writers came first {tries} times; nothing was changed")]
    Busy { title: String, tries: u32 },
}

impl From<Error> for SyncError {
    fn from(error: Error) -> Self {
        Self::Baseline(BaselineError::Store(error))
    }
}

impl From<SyncError> for Error {
    fn from(error: SyncError) -> Self {
        let message = error.to_string();
        match error {
            SyncError::Baseline(error) => error.into(),
            SyncError::Conflict { details, .. } => Self::input(message).details(details).hint(
                "settle it with the other person; to take theirs, move the ref here to the fetched one with \
                 `git update-ref`, then accept again what is still meant",
            ),
            SyncError::Diverged { .. } => Self::input(message).hint("bring them together: `diag-gate sync`"),
            SyncError::Rewritten { found, .. } => Self::input(message)
                .hint("ask who did that and why; nothing was taken over")
                .hint(format!("if it is meant: `diag-gate sync --accept-rewritten {}`", found.as_str())),
            SyncError::NoSuchTip { .. } => {
                Self::input(message).hint("give the full id that the error of `diag-gate sync` names")
            }
            SyncError::Refused { words, .. } => {
                let mut told = Self::surroundings(message);
                told.causes.extend(Some(words.trim().to_owned()).filter(|words| !words.is_empty()));
                told.hint("see what this repository may do there: `diag-gate doctor`")
            }
            SyncError::Busy { .. } => Self::surroundings(message).hint("try again: `diag-gate sync`"),
        }
    }
}
