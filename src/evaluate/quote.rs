//! Quotations in messages: one line, with what cannot be seen made visible.
//!
//! A sink still escapes the whole message for itself.

use std::fmt::Write as _;

use crate::suite::text::is_blank;

/// The most characters of one quotation.
const LONGEST: usize = 80;
/// The most quotations in one message.
const MOST: usize = 8;
/// How many characters of the answer stand on either side of what was found in it.
const AROUND: usize = 12;
/// Above this many bytes a place that only the folded form shows is not looked for.
const LONGEST_SEARCH: usize = 1 << 20;

/// A text in quotation marks.
pub(super) fn quoted(text: &str) -> String {
    let mut shown = String::from("\"");
    let mut characters = text.chars();
    characters.by_ref().take(LONGEST).for_each(|character| push_visible(&mut shown, character));
    if characters.next().is_some() {
        shown.push('…');
    }
    shown.push('"');
    shown
}

/// Texts in quotation marks, with commas.
pub(super) fn quoted_list<'a>(texts: impl ExactSizeIterator<Item = &'a str>) -> String {
    listed(texts.map(quoted))
}

/// Texts that are fit to be shown, with commas; of many the first ones.
pub(super) fn listed(texts: impl ExactSizeIterator<Item = String>) -> String {
    let more = texts.len().saturating_sub(MOST);
    let mut shown = texts.take(MOST).collect::<Vec<_>>().join(", ");
    if more > 0 {
        write!(shown, " and {more} more").expect("a String takes all that is written");
    }
    shown
}

/// A word and the place of the answer where it stands, or the word alone where that is not easily told.
/// `holds` says whether a text holds the word.
pub(super) fn in_context(word: &str, answer: &str, holds: impl Fn(&str) -> bool) -> String {
    match place(word, answer, holds) {
        Some((start, end)) => format!("{} in {}", quoted(word), excerpt(answer, start, end)),
        None => quoted(word),
    }
}

/// The bytes from which to which a word stands in an answer.
fn place(word: &str, answer: &str, holds: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
    if let Some(start) = answer.find(word) {
        return Some((start, start + word.len()));
    }
    if answer.len() > LONGEST_SEARCH || !holds(answer) {
        return None;
    }
    // The shortest beginning that holds the word, then its shortest end. Forms are not strictly
    // monotone (an accent may join a letter), but each step keeps a piece that holds the word.
    let ends: Vec<usize> = answer.char_indices().map(|(at, _)| at).chain([answer.len()]).collect();
    let end = ends[ends.partition_point(|end| !holds(&answer[..*end]))..].first().copied()?;
    let starts = &ends[..ends.partition_point(|start| *start <= end)];
    let after = starts.partition_point(|start| holds(&answer[*start..end]));
    Some((starts[after.checked_sub(1)?], end))
}

/// What stands at a place of an answer, with some characters on either side.
fn excerpt(answer: &str, start: usize, end: usize) -> String {
    let from = answer[..start].char_indices().rev().take(AROUND).last().map_or(start, |(at, _)| at);
    let to = answer[end..].char_indices().nth(AROUND).map_or(answer.len(), |(at, _)| end + at);
    let mut shown = String::from(if from > 0 { "\"…" } else { "\"" });
    let mut characters = answer[from..to].chars();
    for character in characters.by_ref().take(LONGEST) {
        push_visible(&mut shown, if matches!(character, '\n' | '\r' | '\t') { ' ' } else { character });
    }
    let is_cut = to < answer.len() || characters.next().is_some();
    shown.push_str(if is_cut { "…\"" } else { "\"" });
    shown
}

fn push_visible(shown: &mut String, character: char) {
    let hidden = character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}')
        || (!character.is_whitespace() && is_blank(character.encode_utf8(&mut [0; 4])));
    if hidden {
        shown.extend(character.escape_default());
    } else {
        shown.push(character);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::suite::text::folded;

    #[test]
    fn what_cannot_be_seen_is_shown_as_an_escape() {
        assert_eq!(
            quoted("a\n\u{1b}[1m\u{202e}b\u{200b}\u{2028} 数\u{3000}据"),
            "\"a\\n\\u{1b}[1m\\u{202e}b\\u{200b}\\u{2028} 数\u{3000}据\""
        );
        assert_eq!(quoted(&"x".repeat(81)), format!("\"{}…\"", "x".repeat(80)));
        assert_eq!(quoted(&"x".repeat(80)), format!("\"{}\"", "x".repeat(80)));
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(quoted_list(["a", "b"].into_iter()), "\"a\", \"b\"");
        assert!(quoted_list(["a"; 11].into_iter()).ends_with("\"a\" and 3 more"));
    }

    #[test]
    fn the_place_of_a_word_is_shown_with_its_surroundings() {
        let holds = |piece: &str| folded(piece).contains("confirmed");
        let show = |answer: &str| in_context("confirmed", answer, holds);
        assert_eq!(show("confirmed"), "\"confirmed\" in \"confirmed\"");
        assert_eq!(
            show("0123456789abcdef\nconfirmed\r\nghijklmnopqrstuv"),
            "\"confirmed\" in \"…56789abcdef confirmed  ghijklmnop…\"",
        );
        assert_eq!(show("已 CON\u{200b}FIRMED。"), "\"confirmed\" in \"已 CON\\u{200b}FIRMED。\"");
        assert_eq!(show("nothing"), "\"confirmed\"");
        let long = "x".repeat(100);
        assert!(in_context(&long, &long, |_| true).ends_with(&format!(" in \"{}…\"", "x".repeat(80))));
    }

    proptest! {
        #[test]
        fn a_message_is_one_line_and_the_place_holds_the_word(answer in "[aAéß\u{301}\u{200b}\n ]{0,30}", word in "[aé\n]{1,2}") {
            let holds = |piece: &str| folded(piece).contains(&folded(&word));
            prop_assert!(!in_context(&word, &answer, holds).chars().any(char::is_control));
            if let Some((start, end)) = place(&word, &answer, holds) {
                prop_assert!(holds(&answer[start..end]) || answer[start..end] == word);
            } else {
                prop_assert!(!holds(&answer) || answer.is_empty());
            }
        }
    }
}
