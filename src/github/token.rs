//! The token, so wrapped that it reaches the client and nothing else: no `Display`, a `Debug` that hides it.

use std::fmt;

use super::error::GitHubError;

/// What GitHub knows us by. Only the client sees inside.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Wraps a token; `None` where the text is empty, as a variable that is set to nothing.
    ///
    /// # Errors
    /// [`GitHubError::Token`] where it holds what cannot stand in a header: anything but visible ASCII.
    pub fn new(text: &str) -> Result<Option<Self>, GitHubError> {
        let text = text.trim_ascii();
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(GitHubError::Token);
        }
        Ok((!text.is_empty()).then(|| Self(text.to_owned())))
    }

    /// The token itself, for the header alone.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_cannot_be_read_off_its_debug_form() {
        let token = Token::new("ghs_secret").unwrap();
        assert_eq!(format!("{token:?}"), "Some(Token(hidden))");
    }

    #[test]
    fn an_empty_token_is_none() {
        assert_eq!(Token::new("").unwrap(), None);
        assert_eq!(Token::new(" \n").unwrap(), None);
    }

    #[test]
    fn a_line_end_behind_the_token_is_not_part_of_it() {
        assert_eq!(Token::new("ghs_secret\n").unwrap().unwrap().reveal(), "ghs_secret");
    }

    #[test]
    fn a_token_that_would_break_the_header_is_refused_without_being_told() {
        for text in ["a b", "a\r\nX: y", "a\u{e9}", "a\0"] {
            let refused = Token::new(text).unwrap_err().to_string();
            assert!(!refused.contains(text), "{refused}");
        }
    }
}
