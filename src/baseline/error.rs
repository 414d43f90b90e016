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
    /// Two places hold a chain each, and neither of the two holds the other.
    #[error("two places hold different baselines `{title}`, and neither follows the other")]
    Diverged { title: String, details: Vec<String> },
    /// The chain does not hold what this clone has seen of it.
    #[error("the baseline `{title}` was rewritten: {} of `{reference}` does not follow {}, which was last seen here", tip.short(), seen.short())]
    Rewritten { title: String, reference: String, tip: ObjectId, seen: ObjectId },
    /// The chain is gone that this clone has seen.
    #[error("the baseline `{title}` is gone: nothing holds {}, which was last seen here", seen.short())]
    Gone { title: String, reference: String, seen_by: String, seen: ObjectId },
    /// Two contents whose digests begin alike.
    #[error("`{reference}` and `{other}` accept two contents whose digests begin alike")]
    SameDigits { reference: String, other: String },
    /// Two ways of judging in one report.
    #[error("single cases cannot be accepted: {why}")]
    NotInParts { why: String },
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
            BaselineError::Damaged { details, reference, .. } => {
                Self::input(message).details(details).hint(format!(
                    "`git log {reference}` shows the chain, `git update-ref {reference} LINK` goes back to a sound link"
                ))
            }
            BaselineError::LetterCase { .. } => {
                Self::input(message).hint("rename one of the two, or delete its ref")
            }
            BaselineError::Unsigned { .. } => Self::input(message)
                .hint("see who may sign: `git show REF~1:allowed_signers`, with the ref above; `diag-gate accept --sign` signs"),
            BaselineError::Diverged { details, .. } => Self::input(message).details(details).hint(
                "`diag-gate sync` brings them together; where one of them is wrong, delete its ref with `git update-ref -d REF`",
            ),
            BaselineError::Rewritten { tip, .. } => Self::input(message)
                .hint("ask who rewrote it, and why; `git log` of both ids shows what was accepted")
                .hint(format!("take it over: `diag-gate sync --accept-rewritten {}`", tip.as_str())),
            BaselineError::Gone { reference, seen_by, seen, .. } => Self::input(message)
                .hint(format!("bring it back: `git update-ref {reference} {}`", seen.as_str()))
                .hint(format!("if it was deleted on purpose: `git update-ref -d {seen_by}`")),
            BaselineError::SameDigits { .. } => {
                Self::input(message).hint("delete the one that is not wanted with `git update-ref -d REF`")
            }
            BaselineError::NotInParts { .. } => {
                Self::input(message).hint("accept the whole content: leave out `--case`")
            }
            BaselineError::NotAcceptable { .. } => Self::input(message),
        }
    }
}
