//! Commands that a message suggests: spelled so that they can be pasted.

use crate::cli::args::{AcceptArgs, ColorWhen, Global};
use crate::env::Env;
use crate::ids::Name;

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

/// The `accept` that makes the first baseline of this name out of a revision; where nobody can be
/// asked, it says yes.
pub(super) fn first_acceptance(revision: &str, name: &Name, env: &Env) -> String {
    let mut words = accept_words(revision, name.as_str());
    if !env.interactive {
        words.push("--yes".to_owned());
    }
    words.join(" ")
}

/// The same `accept` again, with one argument more.
pub(super) fn acceptance(arguments: &AcceptArgs, more: &str) -> String {
    let mut words = accept_words(&arguments.rev, &arguments.baseline);
    words.extend(arguments.cases.iter().map(|glob| format!("--case={}", quoted(glob))));
    let reason = arguments.reason.as_deref().filter(|reason| !crate::suite::text::is_blank(reason));
    words.extend(reason.map(|reason| format!("--reason={}", quoted(reason))));
    words.extend(arguments.push.as_deref().map(|remote| format!("--push={}", quoted(remote))));
    let switches = [
        (arguments.pending, "--pending"),
        (arguments.sign, "--sign"),
        (arguments.allow_unjudged, "--allow-unjudged"),
        (arguments.allow_shrunk, "--allow-shrunk"),
        (arguments.allow_none_passing, "--allow-none-passing"),
        (arguments.dry_run, "--dry-run"),
        (arguments.yes, "--yes"),
    ];
    words.extend(switches.into_iter().filter(|(on, _)| *on).map(|(_, switch)| switch.to_owned()));
    words.extend((!more.is_empty()).then(|| more.to_owned()));
    words.join(" ")
}

/// The command that lets a baseline of this name advance after a merge.
pub(super) fn promotion(name: &Name) -> String {
    match name.as_str() {
        "main" => "promote".to_owned(),
        name => format!("promote --baseline={}", quoted(name)),
    }
}

fn accept_words(revision: &str, name: &str) -> Vec<String> {
    let mut words = vec!["accept".to_owned()];
    if revision != "HEAD" {
        words.push(format!("--rev={}", quoted(revision)));
    }
    if name != "main" {
        words.push(format!("--baseline={}", quoted(name)));
    }
    words
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
