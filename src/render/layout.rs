//! Columns and lines on a terminal: widths are measured as a terminal draws them, so that
//! Chinese takes two columns a character.

use textwrap::{Options, WordSplitter, WrapAlgorithm};
use unicode_width::UnicodeWidthStr as _;

/// How wide text output is, in columns; fixed, so that the same result gives the same bytes.
pub(super) const WIDTH: usize = 80;

/// The columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text and blanks up to a width; longer text stays whole.
pub(super) fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

/// The text in at most so many columns: what is too long ends in `…`.
pub(super) fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += width(character.encode_utf8(&mut [0; 4]));
        if used > columns {
            break;
        }
        kept.push(character);
    }
    kept.push('…');
    kept
}

/// The text in lines of at most [`WIDTH`] columns, every line behind `indent`.
pub(super) fn wrap(text: &str, indent: &str) -> String {
    let options = Options::new(WIDTH)
        .initial_indent(indent)
        .subsequent_indent(indent)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(text, options)
}

/// `one case`, `two cases`: a count with its noun, plural by `s`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// A number with its thousands apart: `10,000`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut parts = Vec::new();
    if first > 0 {
        parts.push(&digits[..first]);
    }
    parts.extend((first..digits.len()).step_by(3).map(|start| &digits[start..start + 3]));
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(pad("超时", 6), "超时  ");
        assert_eq!(shorten("订单超时", 5), "订单…");
        assert_eq!(shorten("订单超时", 8), "订单超时");
    }

    #[test]
    fn lines_fold_within_the_width_also_without_blanks() {
        let text = "订单超时的直接原因尚无证据支持；".repeat(10);
        let folded = wrap(&text, "    ");
        assert!(folded.lines().count() > 3);
        assert!(folded.lines().all(|line| width(line) <= WIDTH && line.starts_with("    ")));
        let kept: String = folded.lines().map(str::trim_start).collect();
        assert_eq!(kept, text);
    }

    #[test]
    fn counts_read_like_prose() {
        assert_eq!(count(1, "case"), "1 case");
        assert_eq!(count(0, "case"), "0 cases");
        assert_eq!(count(1_234_567, "case"), "1,234,567 cases");
        assert_eq!(grouped(999), "999");
    }
}
