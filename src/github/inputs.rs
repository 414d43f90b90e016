//! The inputs of the action: `INPUT_<NAME>`, upper case, `-` as `_` (github.md, "Inputs"). Pure.

use super::comment::{Key, Mode};
use crate::ids::Digest;

/// How much of a key the words of a job may take, so that a digest fits behind them.
const LONGEST_PLAIN: usize = 50;

/// What the workflow asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// Where the repository is checked out, from the workspace.
    pub working_directory: Option<String>,
    /// The suite's folder.
    pub suite: Option<String>,
    /// The name of the baseline.
    pub baseline: Option<String>,
    /// When there is a comment.
    pub comment: Mode,
    /// Tells the comments of several gates on one pull request apart.
    pub comment_key: Option<Key>,
    /// Whether the log carries annotations.
    pub annotations: bool,
    /// Whether there is a step summary.
    pub summary: bool,
    /// Whether there is a check run beside the job's own.
    pub check_run: bool,
    /// Whether a push promotes what was accepted.
    pub promote: bool,
    /// Whether a blocked gate ends with 0.
    pub advisory: bool,
    /// Whether it passes where no baseline was ever accepted.
    pub allow_missing_baseline: bool,
    /// Whether the author of a pull request may accept it.
    pub accept_own: bool,
    /// Whether the pull request of a fork may be accepted from a comment.
    pub accept_forks: bool,
}

/// An input that is at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the input `{name}` is `{value}`, which is none of {allowed}")]
pub struct InputError {
    /// The input, as a workflow spells it.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// What it can be.
    pub allowed: &'static str,
}

impl Inputs {
    /// Reads the inputs; `value` gives those that were set, by the names of their variables. What is empty
    /// was not given.
    ///
    /// # Errors
    /// One of them has a value that is not known.
    pub fn read<'v>(value: impl Fn(&str) -> Option<&'v str>) -> Result<Self, InputError> {
        let given = |name: &str| {
            let variable = format!("INPUT_{}", name.to_uppercase().replace('-', "_"));
            value(&variable).map(str::trim).filter(|given| !given.is_empty())
        };
        let text = |name: &str| given(name).map(str::to_owned);
        let switch = |name: &'static str, default: bool| match given(name) {
            None => Ok(default),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(other) => Err(unknown(name, other, "`true` and `false`")),
        };
        let comment = match given("comment") {
            None => Mode::Auto,
            Some(given) => {
                Mode::parse(given).ok_or_else(|| unknown("comment", given, "`auto`, `always` and `never`"))?
            }
        };
        let comment_key = match given("comment-key") {
            None => None,
            Some(given) => Some(Key::parse(given).ok_or_else(|| {
                unknown("comment-key", given, "the texts of 1 to 64 of the characters `a-z`, `0-9` and `-`")
            })?),
        };
        Ok(Self {
            working_directory: text("working-directory"),
            suite: text("suite"),
            baseline: text("baseline"),
            comment,
            comment_key,
            annotations: switch("annotations", true)?,
            summary: switch("summary", true)?,
            check_run: switch("check-run", false)?,
            promote: switch("promote", false)?,
            advisory: switch("advisory", false)?,
            allow_missing_baseline: switch("allow-missing-baseline", false)?,
            accept_own: switch("accept-own", false)?,
            accept_forks: switch("accept-forks", false)?,
        })
    }
}

/// The key of a job that names none: its words, and where they do not fit into a key, a digest of them.
pub fn key_of_job<'w>(words: impl Iterator<Item = &'w str>) -> Key {
    let words: Vec<&str> = words.collect();
    if words.is_empty() {
        return Key::parse("diag-gate").expect("letters and a dash");
    }
    let plain: String = words
        .join("-")
        .chars()
        .map(|character| character.to_ascii_lowercase())
        .map(
            |character| {
                if character.is_ascii_lowercase() || character.is_ascii_digit() { character } else { '-' }
            },
        )
        .collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    let mut key = parts.join("-");
    if key != words.join("-") || key.len() > LONGEST_PLAIN || key.is_empty() {
        let digest = Digest::of(words.join("\n").as_bytes());
        key.truncate(LONGEST_PLAIN);
        key = format!("{key}-{}", &digest.as_str()[..12]);
    }
    let key = key.trim_start_matches('-');
    Key::parse(key).expect("at most 64 of the characters of a key, and 12 at least")
}

fn unknown(name: &'static str, value: &str, allowed: &'static str) -> InputError {
    InputError { name, value: value.chars().take(100).collect(), allowed }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn read(given: &[(&str, &'static str)]) -> Result<Inputs, InputError> {
        let given: BTreeMap<String, &'static str> =
            given.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        Inputs::read(|name| given.get(name).copied())
    }

    #[test]
    fn what_is_not_given_has_its_default() {
        let inputs = read(&[("INPUT_SUITE", ""), ("INPUT_ADVISORY", " ")]).unwrap();
        assert_eq!((inputs.suite, inputs.baseline, inputs.comment), (None, None, Mode::Auto));
        assert!(inputs.annotations && inputs.summary);
        assert!(!inputs.check_run && !inputs.promote && !inputs.advisory && !inputs.allow_missing_baseline);
        assert!(!inputs.accept_own && !inputs.accept_forks);
    }

    #[test]
    fn names_become_variables() {
        let inputs = read(&[
            ("INPUT_WORKING_DIRECTORY", "sub"),
            ("INPUT_COMMENT_KEY", "nightly-2"),
            ("INPUT_ALLOW_MISSING_BASELINE", "true"),
            ("INPUT_ANNOTATIONS", "false"),
            ("INPUT_COMMENT", "never"),
        ])
        .unwrap();
        assert_eq!(inputs.working_directory.as_deref(), Some("sub"));
        assert_eq!(inputs.comment_key, Key::parse("nightly-2"));
        assert!(inputs.allow_missing_baseline && !inputs.annotations);
        assert_eq!(inputs.comment, Mode::Never);
    }

    #[test]
    fn every_job_has_a_key_of_its_own() {
        let key = |workflow: &'static str, job: &'static str| {
            key_of_job([workflow, job].into_iter()).as_str().to_owned()
        };
        assert_eq!(key("diag-gate", "gate"), "diag-gate-gate");
        let odd = [key("Diag Gate", "gate"), key("diag gate", "gate"), key("评测", "门"), key("门", "评测")];
        assert!(odd[0].starts_with("diag-gate-gate-"), "{}", odd[0]);
        let different: std::collections::BTreeSet<&String> = odd.iter().collect();
        assert_eq!(different.len(), odd.len());
        assert!(key("x", "").len() <= 64 && !key("", "").is_empty());
        let long: &'static str =
            "a-very-long-name-of-a-workflow-that-goes-on-and-on-for-more-than-any-key-may-have";
        assert_eq!(key(long, "gate").len(), 63);
    }

    #[test]
    fn an_unknown_value_is_an_error() {
        for (name, variable, value) in [
            ("comment", "INPUT_COMMENT", "Always"),
            ("comment-key", "INPUT_COMMENT_KEY", "a b"),
            ("summary", "INPUT_SUMMARY", "yes"),
            ("accept-forks", "INPUT_ACCEPT_FORKS", "1"),
        ] {
            let error = read(&[(variable, value)]).unwrap_err();
            assert_eq!((error.name, error.value.as_str()), (name, value));
        }
    }
}
