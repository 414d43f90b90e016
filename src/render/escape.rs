//! One escaper a sink. What comes out of a case, a trace, a branch name or a remote is untrusted
//! text: it reaches a sink through that sink's function here, or not at all.
//!
//! In every sink an untrusted text stays on one line, and what could hide or reorder text is shown.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};

/// How many characters of one text a page for reviewers shows.
const SHOWN: usize = 200;

/// Text of somebody else. It has no `Display`: it is written through the escaper of a sink, or by serde,
/// which is the escaper of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Untrusted(String);

impl Untrusted {
    /// Takes a text in.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text with its end left out where it is longer than 200 characters.
    #[must_use]
    pub fn short(&self) -> Self {
        match self.0.char_indices().nth(SHOWN) {
            None => self.clone(),
            Some((end, _)) => Self(format!("{}…", &self.0[..end])),
        }
    }

    /// Whether this is a relative `/`-separated path that never steps up, on any system.
    pub fn is_path_inside(&self) -> bool {
        !self.0.contains(['\\', ':']) && self.0.split('/').all(|part| !matches!(part, "" | "." | ".."))
    }

    /// For a terminal: see [`terminal`].
    pub fn terminal(&self) -> String {
        terminal(&self.0)
    }

    /// For HTML, between tags and in a quoted attribute: see [`html`].
    pub fn html(&self) -> String {
        html(&self.0)
    }

    /// For an HTML block of GitHub-flavoured Markdown: see [`markdown`].
    pub fn markdown(&self) -> String {
        markdown(&self.0)
    }

    /// For an HTML block of GitHub-flavoured Markdown, where the text should be words: those stand as prose,
    /// anything else as [`Self::markdown`] shows it.
    pub fn prose(&self) -> String {
        let is_prose = |character: char| character.is_ascii_alphanumeric() || " ,:()".contains(character);
        if self.0.chars().all(is_prose) { self.0.clone() } else { self.markdown() }
    }

    /// For a writer of XML, which still puts the entities in: see [`xml`].
    pub fn xml(&self) -> String {
        xml(&self.0)
    }

    /// For the message of a workflow command: see [`command_data`].
    pub fn command_data(&self) -> String {
        command_data(&self.0)
    }

    /// For a property of a workflow command: see [`command_property`].
    pub fn command_property(&self) -> String {
        command_property(&self.0)
    }

    /// For a path in a URI reference: see [`uri_path`].
    pub fn uri_path(&self) -> String {
        uri_path(&self.0)
    }
}

impl Serialize for Untrusted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Text for a terminal, on one line: what could move the cursor, change colours, hide or reorder
/// text is shown as an escape (`\n`, `\u{1b}`). Everything that can be read stays as it is.
pub fn terminal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ if is_deceptive(character) => escape(&mut shown, character),
            _ => shown.push(character),
        }
    }
    shown
}

/// Text for HTML, between tags or in a quoted attribute: it can neither end what it stands in nor begin
/// anything. Line breaks become blanks; what nobody sees is shown as `\u{200b}`.
pub fn html(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => shown.push(' '),
            '&' | '<' | '>' | '"' | '\'' | '@' | '`' | '=' => {
                write!(shown, "&#{};", u32::from(character)).expect("a String takes all that is written");
            }
            _ if is_invisible(character) => escape(&mut shown, character),
            _ => shown.push(character),
        }
    }
    shown
}

/// Text for an HTML block of GitHub-flavoured Markdown, as `<code>`: in such a block nothing is read as
/// Markdown, and in code GitHub links no mention, issue, commit or emoji. It does not work inside a
/// paragraph, a list or a pipe table, where readers link bare addresses whatever is escaped.
pub fn markdown(text: &str) -> String {
    format!("<code>{}</code>", html(text))
}

/// Text for XML 1.0 before its entities: one line, no character that XML forbids.
pub fn xml(text: &str) -> String {
    terminal(text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}

/// Text for the message of a workflow command: one line; what the runner would take for the beginning of
/// another command (`::`, and `##[` anywhere in a line) is broken up.
pub fn command_data(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in terminal(text).chars() {
        match character {
            ':' if shown.ends_with(':') => shown.push_str(" :"),
            '[' if shown.ends_with('#') => shown.push_str(" ["),
            '%' => shown.push_str("%25"),
            _ => shown.push(character),
        }
    }
    shown
}

/// Text for a line of a log that is no command: as [`command_data`], without its percent signs.
pub fn log_line(text: &str) -> String {
    command_data(text).replace("%25", "%")
}

/// Text for a property of a workflow command: besides, it can end neither the property nor the list of them.
pub fn command_property(text: &str) -> String {
    command_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A `/`-separated path for a URI reference: every byte but letters, digits, `-._~/` as `%XX`, so that it
/// has neither scheme nor query nor fragment.
pub fn uri_path(path: &str) -> String {
    path.bytes().fold(String::with_capacity(path.len()), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02X}").expect("a String takes all that is written");
        }
        uri
    })
}

fn escape(shown: &mut String, character: char) {
    write!(shown, "\\u{{{:x}}}", u32::from(character)).expect("a String takes all that is written");
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

/// Besides, what makes two ids look equal on a page where people decide: joiners, variation selectors,
/// blank letters, private marks.
fn is_invisible(character: char) -> bool {
    is_deceptive(character)
        || matches!(character,
            '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}'
            | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
