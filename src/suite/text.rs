//! The forms in which texts are compared. No locale is ever asked.
//!
//! Spec: evaluation.md section 3, and "blank" at the head of section 1.

use std::borrow::Cow;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};
use icu_properties::props::{DefaultIgnorableCodePoint, WhiteSpace};
use icu_properties::{CodePointSetData, CodePointSetDataBorrowed};

const IGNORABLE: CodePointSetDataBorrowed<'static> = CodePointSetData::new::<DefaultIgnorableCodePoint>();
const WHITE_SPACE: CodePointSetDataBorrowed<'static> = CodePointSetData::new::<WhiteSpace>();
const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfc();
const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfkc();
const CASE: CaseMapperBorrowed<'static> = CaseMapper::new();

/// Whether nothing is left of a text without its white space and its invisible characters.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|character| WHITE_SPACE.contains(character) || IGNORABLE.contains(character))
}

/// The exact form: NFC. Case and width stay.
pub fn exact(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { NFC.normalize(text) }
}

/// The folded form: without invisible characters, then NFKC, full case folding, NFKC again.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let visible = without_ignorable(text);
    let composed = NFKC.normalize(&visible);
    let caseless = CASE.fold_string(&composed);
    NFKC.normalize(&caseless).into_owned()
}

fn without_ignorable(text: &str) -> Cow<'_, str> {
    if text.chars().any(|character| IGNORABLE.contains(character)) {
        Cow::Owned(text.chars().filter(|character| !IGNORABLE.contains(*character)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blank_is_what_shows_nothing() {
        for blank in
            ["", " ", "\t\r\n", "\u{a0}", "\u{3000}", "\u{200b}", "\u{feff}", "\u{ad} \u{2060}", "\u{3164}"]
        {
            assert!(is_blank(blank), "{}", blank.escape_unicode());
        }
        for shown in ["a", " a ", "。", "\u{200b}x", "\0", "\u{1b}"] {
            assert!(!is_blank(shown), "{}", shown.escape_unicode());
        }
    }

    #[test]
    fn the_exact_form_joins_accents_and_keeps_case_and_width() {
        assert_eq!(exact("e\u{301}"), "é");
        assert_eq!(exact("Ａ"), "Ａ");
        assert_eq!(exact("PASS"), "PASS");
        assert_eq!(exact("\u{212b}"), "\u{c5}");
        assert_eq!(exact("a\u{200b}b"), "a\u{200b}b");
        assert_eq!(exact("\u{fb01}"), "\u{fb01}");
    }

    #[test]
    fn the_folded_form_drops_case_width_and_invisible_characters() {
        for (text, expected) in [
            ("PASS", "pass"),
            ("ＣＬＡＩＭ＿ＩＤ", "claim_id"),
            ("cla\u{200b}im\u{ad}_id", "claim_id"),
            ("Straße", "strasse"),
            ("STRASSE", "strasse"),
            ("ẞ", "ss"),
            ("ﬁ", "fi"),
            ("İ", "i\u{307}"),
            ("I", "i"),
            ("ς", "σ"),
            ("Σ", "σ"),
            ("\u{345}", "\u{3b9}"),
            ("ｶﾞ", "ガ"),
            ("①", "1"),
            ("e\u{301}", "é"),
            ("E\u{34f}\u{301}", "é"),
            ("K", "k"),
            ("数据库", "数据库"),
            ("\u{1f88}", "\u{1f00}\u{3b9}"),
            ("", ""),
        ] {
            assert_eq!(folded(text), expected, "{}", text.escape_unicode());
        }
    }

    proptest! {
        #[test]
        fn the_short_way_for_ascii_is_the_long_way(text in "[ -~\t\r\n]{0,40}") {
            let long = NFKC.normalize(&CASE.fold_string(&NFKC.normalize(&without_ignorable(&text)))).into_owned();
            prop_assert_eq!(folded(&text), long);
            prop_assert_eq!(exact(&text), NFC.normalize(&text));
        }

        #[test]
        fn forms_are_stable(text in any::<String>()) {
            let form = exact(&text).into_owned();
            prop_assert_eq!(exact(&form), form.as_str());
            prop_assert_eq!(is_blank(&text), text.chars().all(|c| is_blank(c.encode_utf8(&mut [0; 4]))));
        }
    }
}
