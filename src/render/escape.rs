//! One escaper a sink. What comes out of a case, a trace, a branch name or a remote is untrusted
//! text: it reaches a sink through that sink's function here, or not at all.

use std::fmt::Write as _;

/// Text for a terminal, on one line: what could move the cursor, change colours, hide or reorder
/// text is shown as an escape (`\n`, `\u{1b}`). Everything that can be read stays as it is.
pub fn terminal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ if is_deceptive(character) => {
                write!(shown, "\\u{{{:x}}}", u32::from(character))
                    .expect("a String takes all that is written");
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// Control characters (C0, DEL, C1), line and paragraph separators, and the marks that reorder or
/// hide text. Zero-width joiners stay: scripts and emoji need them.
fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_terminal_is_shown_no_control_and_no_reordering() {
        assert_eq!(terminal("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(terminal("a\nb\r\tc"), "a\\nb\\r\\tc");
        assert_eq!(terminal("x\u{202e}y\u{9b}2J"), "x\\u{202e}y\\u{9b}2J");
        assert_eq!(terminal("主库故障 (ü) 👩‍🔧"), "主库故障 (ü) 👩‍🔧");
    }

    proptest! {
        #[test]
        fn nothing_that_a_terminal_obeys_is_left(text in any::<String>()) {
            prop_assert!(!terminal(&text).chars().any(is_deceptive));
        }
    }
}
