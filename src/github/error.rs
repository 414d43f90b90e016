//! What may go wrong with GitHub, told for people: which request, what came back, which permission is
//! missing. Never the token, never a query; GitHub's own words are shortened and untrusted.

use std::fmt;
use std::time::Duration;

use crate::error::Error;

/// The most characters of a text from outside that a message shows.
const SHOWN: usize = 200;

/// A request as a message names it: method and path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestName {
    /// `GET`, `POST`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// The path below the address of the API, without a query.
    pub path: String,
    /// The permission that the token of a workflow needs for it.
    pub permission: &'static str,
}

impl fmt::Display for RequestName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.path)
    }
}

/// A failure to speak to GitHub, or GitHub's refusal. `message` and `why` hold untrusted text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum GitHubError {
    /// `GITHUB_API_URL` is not usable.
    #[error("`{given}` is no address of GitHub's API: {why}")]
    Address { given: String, why: &'static str },
    /// `GITHUB_REPOSITORY` is not usable.
    #[error("`{given}` is no repository of GitHub: `owner/name` is needed")]
    Repository { given: String },
    /// The token could not stand in a header. It is not told.
    #[error("the token for GitHub holds characters that no token has")]
    Token,
    /// There is nothing to sign in with.
    #[error("{request}: there is no token for GitHub")]
    NoToken { request: RequestName },
    /// The client could not be made.
    #[error("the connection to GitHub cannot be prepared: {why}")]
    Setup { why: String },
    /// 403 with "Resource not accessible".
    #[error(
        "{request}: the token may not do this: the job needs the permission `{}` (GitHub: {message})",
        request.permission
    )]
    MissingPermission { request: RequestName, message: String },
    /// 401.
    #[error("{request}: GitHub does not accept the token (401: {message})")]
    BadCredentials { request: RequestName, message: String },
    /// 403 because nobody may write here.
    #[error("{request}: the conversation is locked (403: {message})")]
    Locked { request: RequestName, message: String },
    /// Another 403.
    #[error("{request}: GitHub forbids this (403: {message})")]
    Forbidden { request: RequestName, message: String },
    /// 404.
    #[error("{request}: not found, or the token may not see it (404: {message})")]
    NotFound { request: RequestName, message: String },
    /// 410.
    #[error("{request}: gone, or switched off (410: {message})")]
    Gone { request: RequestName, message: String },
    /// 422.
    #[error("{request}: GitHub does not take what was sent (422: {message})")]
    Invalid { request: RequestName, message: String },
    /// Any other status that is no success.
    #[error("{request}: GitHub answered with status {status} ({message})")]
    Status { request: RequestName, status: u16, message: String },
    /// A redirect that is not followed.
    #[error("{request}: GitHub points elsewhere, which is not followed: {why}")]
    Redirected { request: RequestName, why: String },
    /// No answer in the time for one request.
    #[error("{request}: no answer within {}", seconds(*after))]
    TimedOut { request: RequestName, after: Duration },
    /// The name of the host is not known.
    #[error("{request}: the host `{host}` is not found ({why})")]
    Dns { request: RequestName, host: String, why: String },
    /// No connection, or one that broke.
    #[error("{request}: GitHub cannot be reached ({why})")]
    Unreachable { request: RequestName, why: String },
    /// An answer that is not what the API says.
    #[error("{request}: GitHub's answer cannot be read: {why}")]
    Unreadable { request: RequestName, why: String },
    /// The next wait does not fit into the time that all of GitHub may take.
    #[error(
        "gave up waiting for GitHub: {} more would be needed, {} are left ({last})",
        seconds(*needed),
        seconds(*left)
    )]
    GaveUp { needed: Duration, left: Duration, last: String },
}

impl GitHubError {
    /// Whether the token lacks a permission, so that nothing can be written.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::MissingPermission { .. })
    }

    /// Whether what was asked for is not there (404 or 410).
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::NotFound { .. } | Self::Gone { .. })
    }

    /// Whether the comment that was to be updated is gone.
    pub(super) fn is_absent_update(&self) -> bool {
        matches!(self, Self::NotFound { request, .. } | Self::Gone { request, .. } if request.method == "PATCH")
    }

    /// Whether GitHub may have done what was asked, although an error came back.
    pub(super) fn may_be_done(&self) -> bool {
        matches!(self, Self::Status { status: 500.., .. })
            || matches!(self, Self::TimedOut { .. } | Self::Unreachable { .. } | Self::Unreadable { .. })
    }

    /// The error for a status that is no success, with GitHub's own words.
    pub(super) fn of_status(request: RequestName, status: u16, message: &str) -> Self {
        let lower = message.to_ascii_lowercase();
        let message =
            if message.trim().is_empty() { "no reason given".to_owned() } else { shortened(message) };
        match status {
            401 => Self::BadCredentials { request, message },
            403 if lower.contains("resource not accessible") => Self::MissingPermission { request, message },
            403 if lower.contains("locked") => Self::Locked { request, message },
            403 => Self::Forbidden { request, message },
            404 => Self::NotFound { request, message },
            410 => Self::Gone { request, message },
            422 => Self::Invalid { request, message },
            _ => Self::Status { request, status, message },
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Address { .. } => Some("see `GITHUB_API_URL`".to_owned()),
            Self::Repository { .. } => Some("see `GITHUB_REPOSITORY`".to_owned()),
            Self::Token | Self::NoToken { .. } | Self::BadCredentials { .. } => {
                Some("see `GITHUB_TOKEN`, which the action sets".to_owned())
            }
            Self::MissingPermission { request, .. } => {
                Some(format!("add `{}` to the `permissions` of the job", request.permission))
            }
            Self::Setup { .. }
            | Self::Locked { .. }
            | Self::Forbidden { .. }
            | Self::NotFound { .. }
            | Self::Gone { .. }
            | Self::Invalid { .. }
            | Self::Status { .. }
            | Self::Redirected { .. }
            | Self::TimedOut { .. }
            | Self::Dns { .. }
            | Self::Unreachable { .. }
            | Self::Unreadable { .. }
            | Self::GaveUp { .. } => None,
        }
    }
}

impl From<GitHubError> for Error {
    fn from(error: GitHubError) -> Self {
        let message = error.to_string();
        let input = matches!(
            error,
            GitHubError::Address { .. } | GitHubError::Repository { .. } | GitHubError::Token
        );
        let told = if input { Self::input(message) } else { Self::surroundings(message) };
        match error.hint() {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}

/// A text from outside, on one line, cut after 200 characters.
pub(super) fn shortened(text: &str) -> String {
    let mut characters = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = characters.by_ref().take(SHOWN).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

/// A span of time for people, in seconds.
pub(super) fn seconds(time: Duration) -> String {
    let text = format!("{:.1}", time.as_secs_f64());
    format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn request() -> RequestName {
        RequestName {
            method: "POST",
            path: "/repos/o/r/issues/1/comments".to_owned(),
            permission: "pull-requests: write",
        }
    }

    fn told(status: u16, message: &str) -> String {
        GitHubError::of_status(request(), status, message).to_string()
    }

    #[test]
    fn a_403_for_want_of_a_permission_names_the_permission() {
        let text = told(403, "Resource not accessible by integration");
        assert!(text.contains("`pull-requests: write`"), "{text}");
        assert!(text.starts_with("POST /repos/o/r/issues/1/comments: "), "{text}");
        let error =
            GitHubError::of_status(request(), 403, "Resource not accessible by personal access token");
        assert!(error.is_read_only());
    }

    #[test]
    fn each_refusal_has_its_own_words() {
        let all = [
            told(401, "Bad credentials"),
            told(403, "Unable to create comment because issue is locked."),
            told(403, "no"),
            told(404, "Not Found"),
            told(410, "Issues are disabled"),
            told(422, "Body is too long"),
            told(500, ""),
        ];
        let wanted = ["token", "locked", "forbids", "not found", "gone", "does not take", "no reason given"];
        for (text, word) in all.iter().zip(wanted) {
            assert!(text.contains(word), "{text}");
        }
    }

    #[test]
    fn words_of_github_are_shortened_and_stay_on_one_line() {
        let text = told(422, &format!("a\n::error::{}", "字".repeat(500)));
        assert!(!text.contains('\n'), "{text}");
        assert!(text.chars().count() < 320 && text.contains('…'), "{text}");
    }

    #[test]
    fn settings_at_fault_are_inputs_and_all_else_is_the_surroundings() {
        let kind = |error: GitHubError| Error::from(error).kind;
        assert_eq!(kind(GitHubError::Token), ErrorKind::Input);
        assert_eq!(kind(GitHubError::Repository { given: "x".to_owned() }), ErrorKind::Input);
        assert_eq!(kind(GitHubError::NoToken { request: request() }), ErrorKind::Surroundings);
        assert_eq!(kind(GitHubError::of_status(request(), 404, "")), ErrorKind::Surroundings);
    }

    #[test]
    fn a_missing_permission_comes_with_the_line_that_mends_it() {
        let error =
            Error::from(GitHubError::of_status(request(), 403, "Resource not accessible by integration"));
        assert_eq!(error.hints, ["add `pull-requests: write` to the `permissions` of the job"]);
    }
}
