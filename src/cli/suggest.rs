//! Commands that a message suggests: spelled so that they can be pasted.

use crate::cli::args::{ColorWhen, Global};

/// `diag-gate COMMAND` with the global options that this run was given, in back quotes.
pub(super) fn command(global: &Global, rest: &str) -> String {
    let mut words = vec!["diag-gate".to_owned()];
    if let Some(start) = &global.start {
        words.extend(["-C".to_owned(), quoted(&start.to_string_lossy())]);
    }
    if global.suite.as_os_str() != "eval" {
        words.extend(["--suite".to_owned(), quoted(&global.suite.to_string_lossy())]);
    }
    if global.color == ColorWhen::Never {
        words.extend(["--color".to_owned(), "never".to_owned()]);
    }
    words.push(rest.to_owned());
    format!("`{}`", words.join(" "))
}

/// A word that a POSIX shell reads as it is.
pub(super) fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-+:@%,=".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("mvp/eval"), "mvp/eval");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's; rm -rf $HOME"), r"'it'\''s; rm -rf $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
