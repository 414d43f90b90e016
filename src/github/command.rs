//! Commands in comments: `/diag-gate accept SHA reason`, on the first line. Pure.
//!
//! Spec: github.md, `issue_comment`: `^/diag-gate accept [0-9a-f]{40}( +\S.*)?$`.

use crate::ids::ObjectId;

/// Accepts the content of a pull request at one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptCommand {
    /// The head of the pull request that the person looked at.
    pub head: ObjectId,
    /// Why. Untrusted text.
    pub reason: Option<String>,
}

impl AcceptCommand {
    /// Reads the first line of a comment; `None` where it is no such command.
    pub fn read(body: &str) -> Option<Self> {
        let line = body.split('\n').next().unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let rest = line.strip_prefix("/diag-gate accept ")?;
        let (sha, rest) = rest.split_at_checked(40)?;
        let head = ObjectId::parse(sha)?;
        if rest.is_empty() {
            return Some(Self { head, reason: None });
        }
        let reason = rest.trim_start_matches(' ');
        let begins = reason.chars().next()?;
        let separated = rest.starts_with(' ') && !begins.is_whitespace();
        separated.then(|| Self { head, reason: Some(reason.trim_end().to_owned()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

    fn read(body: &str) -> Option<(String, Option<String>)> {
        AcceptCommand::read(body).map(|command| (command.head.as_str().to_owned(), command.reason))
    }

    #[test]
    fn the_first_line_is_the_command() {
        assert_eq!(read(&format!("/diag-gate accept {SHA}")), Some((SHA.to_owned(), None)));
        let told = Some((SHA.to_owned(), Some("new model, 更好".to_owned())));
        assert_eq!(read(&format!("/diag-gate accept {SHA}   new model, 更好")), told);
        assert_eq!(read(&format!("/diag-gate accept {SHA} new model, 更好\r\nand more\n")), told);
    }

    #[test]
    fn what_is_not_the_whole_line_is_no_command() {
        for body in [
            String::new(),
            format!(" /diag-gate accept {SHA}"),
            format!("please\n/diag-gate accept {SHA}"),
            format!("/diag-gate  accept {SHA}"),
            format!("/diag-gate accept  {SHA}"),
            format!("/diag-gate accept {}", &SHA[1..]),
            format!("/diag-gate accept {SHA}0"),
            format!("/diag-gate accept {SHA}x reason"),
            format!("/diag-gate accept {SHA}\treason"),
            format!("/diag-gate accept {SHA} "),
            format!("/diag-gate accept {SHA} \u{3000}"),
            format!("/diag-gate accept {}", SHA.to_uppercase()),
            format!("/diag-gate Accept {SHA}"),
            "/diag-gate accept 评测评测评测评测评测评测评测评".to_owned(),
            format!("> /diag-gate accept {SHA}"),
        ] {
            assert_eq!(read(&body), None, "{body:?}");
        }
    }
}
