//! Whether an answer holds a text. What is required is matched strictly, what is forbidden loosely,
//! and what is unknown never passes (evaluation.md section 3).

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::suite::text::{exact, folded};
use crate::suite::{Expectations, ExpectedForm, Matching};
use crate::text::Text;

/// The markers of the inner protocol that every suite looks for.
pub const BUILT_IN_MARKERS: [&str; 4] =
    ["executor_evidence_v2", "answer_version", "evidence_bindings", "claim_id"];

/// How all answers of a suite are searched, prepared once.
#[derive(Clone, Debug)]
pub struct Matcher {
    expected: ExpectedForm,
    markers: Vec<Marker>,
}

#[derive(Clone, Debug)]
struct Marker {
    shown: String,
    folded: String,
}

impl Matcher {
    /// Prepares the options of a suite.
    pub fn new(matching: &Matching) -> Self {
        let marker = |shown: &str| Marker { shown: shown.to_owned(), folded: folded(shown) };
        let mut markers: Vec<Marker> = BUILT_IN_MARKERS.into_iter().map(marker).collect();
        let added = matching.protocol_markers.iter().map(|shown| marker(shown));
        markers.extend(added.filter(|marker| !BUILT_IN_MARKERS.contains(&marker.folded.as_str())));
        Self { expected: matching.expected, markers }
    }

    /// The form in which expected keywords are compared.
    pub(super) const fn expected(&self) -> ExpectedForm {
        self.expected
    }

    /// Whether the answer holds an expected keyword.
    pub(super) fn finds(&self, keyword: &Needle<'_>, answer: &Answer<'_>) -> bool {
        match self.expected {
            ExpectedForm::Exact => answer.holds_exactly(keyword),
            ExpectedForm::Folded => answer.holds_folded(keyword),
        }
    }

    /// The markers that the answer holds, as configured, in order.
    pub(super) fn markers_in(&self, answer: &Answer<'_>) -> Vec<&str> {
        let contained = self.markers.iter().filter(|marker| answer.holds_marker(&marker.folded));
        contained.map(|marker| marker.shown.as_str()).collect()
    }
}

/// The texts that a case looks for, prepared once a case.
pub(super) struct Needles<'a> {
    pub(super) keywords: Vec<Needle<'a>>,
    pub(super) forbidden: Vec<Needle<'a>>,
    pub(super) forbidden_claims: Vec<Needle<'a>>,
}

impl<'a> Needles<'a> {
    pub(super) fn new(asked: &'a Expectations) -> Self {
        let prepare = |texts: &'a [Text]| texts.iter().map(|text| Needle::new(text)).collect();
        Self {
            keywords: prepare(&asked.expected_root_cause_keywords),
            forbidden: prepare(&asked.forbidden_answer_keywords),
            forbidden_claims: prepare(&asked.forbidden_confirmed_claim_keywords),
        }
    }
}

/// A text that is looked for.
pub(super) struct Needle<'a> {
    /// As the case has it.
    pub(super) text: &'a str,
    exact: Cow<'a, str>,
    folded: String,
}

impl<'a> Needle<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, exact: exact(text), folded: folded(text) }
    }
}

/// An answer, whose forms are made when they are first asked for.
pub(super) struct Answer<'a> {
    /// As it stands in the trace.
    pub(super) text: &'a str,
    exact: OnceCell<Cow<'a, str>>,
    folded: OnceCell<String>,
    unescaped: OnceCell<Option<String>>,
}

impl<'a> Answer<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, exact: OnceCell::new(), folded: OnceCell::new(), unescaped: OnceCell::new() }
    }

    /// Whether the exact form holds that of a needle; an empty one is required of nobody and found nowhere.
    pub(super) fn holds_exactly(&self, needle: &Needle<'_>) -> bool {
        !needle.exact.is_empty() && self.exact().contains(needle.exact.as_ref())
    }

    /// The same of the folded forms.
    pub(super) fn holds_folded(&self, needle: &Needle<'_>) -> bool {
        !needle.folded.is_empty() && self.folded().contains(&needle.folded)
    }

    /// Whether either form holds a forbidden word. A word of which nothing is left would be found
    /// nowhere, and so never forbid anything: it counts as found.
    pub(super) fn holds_forbidden(&self, word: &Needle<'_>) -> bool {
        word.folded.is_empty() || self.holds_exactly(word) || self.holds_folded(word)
    }

    fn holds_marker(&self, marker: &str) -> bool {
        self.folded().contains(marker) || self.unescaped().is_some_and(|unescaped| unescaped.contains(marker))
    }

    fn exact(&self) -> &str {
        self.exact.get_or_init(|| exact(self.text))
    }

    fn folded(&self) -> &str {
        self.folded.get_or_init(|| folded(self.text))
    }

    /// The folded form without the escapes of Markdown, where it has any.
    fn unescaped(&self) -> Option<&str> {
        let make = || self.folded().contains('\\').then(|| without_escapes(self.folded()));
        self.unescaped.get_or_init(make).as_deref()
    }
}

/// The text without each backslash that stands before an ASCII punctuation character.
fn without_escapes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escapes = character == '\\' && characters.peek().is_some_and(char::is_ascii_punctuation);
        if !escapes {
            kept.push(character);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matcher(expected: ExpectedForm, markers: &[&str]) -> Matcher {
        let protocol_markers = markers.iter().map(ToString::to_string).collect();
        Matcher::new(&Matching { expected, protocol_markers })
    }

    fn finds(expected: ExpectedForm, keyword: &str, answer: &str) -> bool {
        matcher(expected, &[]).finds(&Needle::new(keyword), &Answer::new(answer))
    }

    fn markers(added: &[&str], answer: &str) -> Vec<String> {
        let matcher = matcher(ExpectedForm::Exact, added);
        matcher.markers_in(&Answer::new(answer)).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn expected_keywords_are_found_as_they_are_written() {
        use ExpectedForm::{Exact, Folded};
        assert!(finds(Exact, "超时", "订单超时了"));
        assert!(finds(Exact, "é", "cafe\u{301}"));
        assert!(finds(Exact, "e\u{301}", "café"));
        for (keyword, answer) in
            [("redis", "Redis"), ("Ａ", "A"), ("超时", "超\u{200b}时"), ("fi", "ﬁ"), ("strasse", "Straße")]
        {
            assert!(!finds(Exact, keyword, answer), "{keyword}");
            assert!(finds(Folded, keyword, answer), "{keyword}");
        }
        assert!(!finds(Exact, "e", "e\u{301}"));
        assert!(!finds(Folded, "redis", "reds"));
    }

    #[test]
    fn forbidden_words_are_found_in_either_form() {
        for (word, answer) in [
            ("已经确认", "我们已\u{200b}经确认"),
            ("PASS", "ｐａｓｓ"),
            ("root cause", "Root\u{a0}Cause"),
            ("ß", "SS"),
            ("确认", "未确认"),
        ] {
            assert!(Answer::new(answer).holds_forbidden(&Needle::new(word)), "{word}");
        }
        // Exactly, though the folded forms differ: an invisible joiner keeps the accent away from the letter.
        assert!(Answer::new("e\u{200d}\u{301}").holds_forbidden(&Needle::new("e")));
        assert!(!Answer::new("确 认").holds_forbidden(&Needle::new("确认")));
    }

    #[test]
    fn a_needle_of_which_nothing_is_left_never_lets_anything_pass() {
        for text in ["", "\u{200b}"] {
            assert!(!finds(ExpectedForm::Folded, text, "a"));
            assert!(Answer::new("a").holds_forbidden(&Needle::new(text)));
        }
        assert!(!finds(ExpectedForm::Exact, "", "a"));
    }

    #[test]
    fn markers_are_found_folded_and_through_markdown_escapes() {
        assert_eq!(
            markers(&[], "Claim\\_ID and ＡＮＳＷＥＲ＿ＶＥＲＳＩＯＮ"),
            ["answer_version", "claim_id"]
        );
        assert_eq!(markers(&[], "claim\\\\_id"), ["claim_id"]);
        assert_eq!(markers(&[], "claim＼_id"), ["claim_id"]);
        assert!(markers(&[], "claim\\ _id, claim\\nid, claim id").is_empty());
        assert_eq!(markers(&["A\\_B"], "a\\_b"), ["A\\_B"]);
    }

    #[test]
    fn configured_markers_follow_the_four_as_they_are_configured() {
        assert_eq!(markers(&["ZZZ", "Claim_Id", "aaa"], "aaa zzz claim_id"), ["claim_id", "ZZZ", "aaa"]);
    }

    #[test]
    fn only_backslashes_before_ascii_punctuation_are_dropped() {
        for (text, kept) in [
            ("a\\_b", "a_b"),
            ("\\\\", "\\"),
            ("\\\\\\_", "_"),
            ("\\a\\", "\\a\\"),
            ("\\。", "\\。"),
            ("\\~\\!", "~!"),
        ] {
            assert_eq!(without_escapes(text), kept, "{text}");
        }
    }

    /// Looks at every place, character by character.
    fn naive(needle: &str, haystack: &str) -> bool {
        let (needle, haystack): (Vec<char>, Vec<char>) =
            (needle.chars().collect(), haystack.chars().collect());
        !needle.is_empty() && haystack.windows(needle.len()).any(|window| window == needle)
    }

    proptest! {
        #[test]
        fn searches_are_those_of_a_naive_loop(word in "[aAＡéße\u{301}\u{200b}\\\\_]{0,3}", answer in "[aAＡéße\u{301}\u{200b}\\\\_]{0,9}") {
            let needle = Needle::new(&word);
            let exactly = naive(&exact(&word), &exact(&answer));
            let loosely = naive(&folded(&word), &folded(&answer));
            let found = Answer::new(&answer);
            prop_assert_eq!(found.holds_exactly(&needle), exactly);
            prop_assert_eq!(found.holds_folded(&needle), loosely);
            prop_assert_eq!(found.holds_forbidden(&needle), folded(&word).is_empty() || exactly || loosely);
            let bare = without_escapes(&folded(&answer));
            let marked = naive(&folded(&word), &folded(&answer)) || naive(&folded(&word), &bare);
            prop_assert_eq!(folded(&word).is_empty() || found.holds_marker(&folded(&word)), folded(&word).is_empty() || marked);
        }
    }
}
