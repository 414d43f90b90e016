//! The words of an entry: one line for a reviewer, with the numbers and the piece that decides.

use crate::evaluate::{CaseResult, FailedChecks};
use crate::number::Number;

/// How many items of a list are told.
const ITEMS: usize = 5;
/// How many characters of one untrusted text are told.
const CHARACTERS: usize = 60;

/// The text without line breaks and other control characters, so that it stays one line.
pub fn one_line(text: &str) -> String {
    let breaks = |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    text.chars().map(|character| if breaks(character) { ' ' } else { character }).collect()
}

/// The beginning of an untrusted text, on one line.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        None => one_line(text),
        Some((end, _)) => format!("{}…", one_line(&text[..end])),
    }
}

/// The first items of a list.
pub(super) fn list<T: AsRef<str>>(items: &[T]) -> String {
    let told: Vec<String> = items.iter().take(ITEMS).map(|item| short(item.as_ref())).collect();
    let told = told.join(", ");
    match items.len().checked_sub(ITEMS) {
        None | Some(0) => told,
        Some(more) => format!("{told} and {more} more"),
    }
}

/// The text, or that there is none.
pub(super) fn or_missing(text: Option<&str>) -> String {
    text.map_or_else(|| "(missing)".to_owned(), short)
}

/// The checks that failed, each with what it failed on.
pub(super) fn failed(case: &CaseResult) -> String {
    match &case.failed_checks {
        FailedChecks::Plain(texts) => list(texts),
        FailedChecks::Checks(checks) => {
            let told: Vec<String> = checks
                .iter()
                .map(|failed| match failed.subjects.as_slice() {
                    [] => failed.check.as_str().to_owned(),
                    subjects => format!("{} ({})", failed.check.as_str(), list(subjects)),
                })
                .collect();
            told.join("; ")
        }
    }
}

/// Two numbers and their difference, as exact as it takes to see that they differ.
pub(super) fn numbers(before: Number, after: Number, unit: &str) -> String {
    let rise = super::threshold::difference(before, after);
    let sign = if rise < 0.0 { '−' } else { '+' };
    let gap = rise.abs();
    let texts = |decimals| [before.as_f64(), after.as_f64(), gap].map(|number| plain(number, decimals));
    let rounded = texts(2);
    let [from, to, by] = if rounded[0] == rounded[1] || rounded[2] == "0" { texts(17) } else { rounded };
    format!("{from} before, {to} now ({sign}{by}{unit})")
}

/// A number without an exponent where it is short enough, without zeros at its end.
fn plain(number: f64, decimals: usize) -> String {
    if number >= 1e15 {
        return format!("{number:e}");
    }
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_as_a_plain_difference() {
        assert_eq!(numbers(Number::Int(4), Number::Int(7), ""), "4 before, 7 now (+3)");
        assert_eq!(numbers(Number::Int(3500), Number::Int(1000), " ms"), "3500 before, 1000 now (−2500 ms)");
        assert_eq!(numbers(Number::Float(2.0), Number::Float(10.0 / 3.0), ""), "2 before, 3.33 now (+1.33)");
        assert_eq!(numbers(Number::Int(0), Number::Int(9), " ms"), "0 before, 9 now (+9 ms)");
    }

    #[test]
    fn numbers_that_differ_look_different() {
        let told = numbers(Number::Float(1.0), Number::Float(1.000_01), "");
        assert!(told.starts_with("1 before, 1.00001"), "{told}");
    }

    #[test]
    fn lists_and_texts_are_cut_and_stay_on_one_line() {
        assert_eq!(list(&["a", "b\nc", "d\u{2028}e"]), "a, b c, d e");
        assert_eq!(list(&["1", "2", "3", "4", "5", "6", "7"]), "1, 2, 3, 4, 5 and 2 more");
        assert_eq!(short(&"长".repeat(61)), format!("{}…", "长".repeat(60)));
        assert_eq!(short(&"长".repeat(60)), "长".repeat(60));
    }
}
