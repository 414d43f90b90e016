//! Why there is no baseline to compare with, or none was accepted: each kind apart, and none of them
//! reads as "no baseline".

use crate::error::Error;
use crate::ids::ObjectId;

/// A failure of a baseline or of the place that keeps it. Untrusted text inside.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum BaselineError {
    /// Reading or writing failed.
    #[error("{}", .0.message)]
    Store(Error),
    /// What the ref names is no baseline, or one of another suite.
    #[error("`{reference}` holds no baseline of this suite: {} {why}", link.short())]
    Foreign { reference: String, link: ObjectId, why: String },
    /// A format that this program does not know.
    #[error("the baseline {} of `{reference}` has the format `{format}`: it was written by a newer diag-gate", link.short())]
    NewerFormat { reference: String, link: ObjectId, format: String },
    /// A baseline that cannot be believed.
    #[error("the baseline {} of `{reference}` is damaged: {what}", link.short())]
    Damaged { reference: String, link: ObjectId, what: String, details: Vec<String> },
    /// Two names that are one on many disks.
    #[error("`{reference}` and `{other}` differ only in letter case")]
    LetterCase { reference: String, other: String },
    /// A link without the signature that the link before it requires.
    #[error("the baseline {} of `{reference}` does not count: {why}", link.short())]
    Unsigned { reference: String, link: ObjectId, why: String },
    /// A report that cannot become a baseline.
    #[error("this report cannot be accepted: {why}")]
    NotAcceptable { why: String },
}

impl From<Error> for BaselineError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl From<BaselineError> for Error {
    fn from(error: BaselineError) -> Self {
        let message = error.to_string();
        match error {
            BaselineError::Store(error) => error,
            BaselineError::Foreign { .. } => Self::input(message)
                .hint("another program may own this ref: choose another `store.prefix` or `--baseline`"),
            BaselineError::NewerFormat { .. } => Self::input(message).hint("update diag-gate"),
            BaselineError::Damaged { details, .. } => Self::input(message).details(details),
            BaselineError::LetterCase { .. } => {
                Self::input(message).hint("rename one of the two, or delete its ref")
            }
            BaselineError::Unsigned { .. } => Self::input(message)
                .hint("see who may sign: `git show REF~1:allowed_signers`, with the ref above; `diag-gate accept --sign` signs"),
            BaselineError::NotAcceptable { .. } => Self::input(message),
        }
    }
}
