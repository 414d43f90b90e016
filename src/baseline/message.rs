//! The message of a baseline commit: subject, reason and trailers (baseline.md section 2). Pure.
//!
//! Only the last paragraph holds trailers, and only this program writes it: what a reason says
//! stands before it, whatever it looks like. A case id is written so that no character of it can end
//! a line, be trimmed, or turn the reading direction of a terminal, and can be read back.

use std::fmt::Write as _;

use crate::ids::{CaseId, Digest, Name, ObjectId};
use crate::kind::Kind;

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `accept SUITE/NAME: COUNTS`.
    pub subject: String,
    /// Why it was accepted: the text that was typed, cleaned of what no eye sees. Untrusted text.
    pub reason: Option<String>,
    /// What programs read.
    pub trailers: Trailers,
}

/// What programs read in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trailers {
    /// The commit that was evaluated.
    pub evaluated: ObjectId,
    /// The digest of its content.
    pub suite_digest: Digest,
    /// The entries that were accepted knowingly.
    pub accepted: Vec<AcceptedEntry>,
    /// The cases that were taken; empty where all were.
    pub cases: Vec<CaseId>,
    /// The version of the program. Untrusted text.
    pub tool: String,
}

/// An entry that was accepted knowingly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedEntry {
    /// Its kind.
    pub kind: Kind,
    /// Its case; `None` for an entry of the whole suite.
    pub case: Option<CaseId>,
}

const COMMIT: &str = "Diag-Gate-Commit";
const SUITE_DIGEST: &str = "Diag-Gate-Suite-Digest";
const ACCEPTED: &str = "Diag-Gate-Accepted";
const CASE: &str = "Diag-Gate-Case";
const TOOL: &str = "Diag-Gate-Tool";

/// The subject of an acceptance; `percent` is as every rate is shown.
pub(super) fn subject(suite: &Name, name: &Name, passed: u64, total: u64, percent: &str) -> String {
    format!("accept {}/{}: {passed}/{total} passed ({percent})", suite.as_str(), name.as_str())
}

impl Message {
    /// The message as it is written.
    pub fn write(&self) -> String {
        let mut text = format!("{}\n\n", self.subject);
        if let Some(reason) = self.reason.as_deref().and_then(clean_reason) {
            text.push_str(&reason);
            text.push_str("\n\n");
        }
        let trailers = &self.trailers;
        let mut line = |key: &str, value: &str| {
            writeln!(text, "{key}: {value}").expect("a String takes all that is written");
        };
        line(COMMIT, trailers.evaluated.as_str());
        line(SUITE_DIGEST, trailers.suite_digest.as_str());
        for AcceptedEntry { kind, case } in &trailers.accepted {
            match case {
                Some(case) => line(ACCEPTED, &format!("{} {}", kind.as_str(), escape(case.as_str()))),
                None => line(ACCEPTED, kind.as_str()),
            }
        }
        for case in &trailers.cases {
            line(CASE, &escape(case.as_str()));
        }
        line(TOOL, &escape(&trailers.tool));
        text
    }

    /// Reads a message.
    ///
    /// # Errors
    /// In words, what a baseline's message would have and this one has not.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "its message is not UTF-8".to_owned())?;
        let text = text.trim_end_matches('\n');
        let (head, last) = text.rsplit_once("\n\n").ok_or("its message has no trailers")?;
        let (subject, rest) = head.split_once('\n').unwrap_or((head, ""));
        Ok(Self { subject: subject.to_owned(), reason: clean_reason(rest), trailers: parse_trailers(last)? })
    }
}

/// A reason as it is stored: line ends as LF, nothing that no eye sees at the ends of lines, no blank
/// lines before or after, and no control character. `None` where nothing is left.
pub(super) fn clean_reason(reason: &str) -> Option<String> {
    let text = reason.replace("\r\n", "\n").replace('\r', "\n");
    let shown =
        |char: char| if char.is_control() && char != '\t' { char::REPLACEMENT_CHARACTER } else { char };
    let lines = text.split('\n').map(|line| line.chars().map(shown).collect::<String>());
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    let first = lines.iter().position(|line| !line.is_empty())?;
    let last = lines.iter().rposition(|line| !line.is_empty())?;
    Some(lines[first..=last].join("\n"))
}

fn parse_trailers(paragraph: &str) -> Result<Trailers, String> {
    let mut evaluated = None;
    let mut suite_digest = None;
    let mut tool = None;
    let mut accepted = Vec::new();
    let mut cases = Vec::new();
    for line in paragraph.split('\n') {
        let (key, value) = line.split_once(": ").ok_or_else(|| format!("`{line}` is no trailer"))?;
        let bad = || format!("the trailer `{key}` says `{value}`");
        match key {
            COMMIT => once(&mut evaluated, key, ObjectId::parse(value).ok_or_else(bad)?)?,
            SUITE_DIGEST => once(&mut suite_digest, key, Digest::parse(value).ok_or_else(bad)?)?,
            ACCEPTED => accepted.push(parse_accepted(value).ok_or_else(bad)?),
            CASE => cases.push(CaseId::new(unescape(value).ok_or_else(bad)?)),
            TOOL => once(&mut tool, key, unescape(value).ok_or_else(bad)?)?,
            // Added by another hand, as a sign-off is: no word of this program.
            _ => {}
        }
    }
    let missing = |key: &str| format!("it has no trailer `{key}`");
    Ok(Trailers {
        evaluated: evaluated.ok_or_else(|| missing(COMMIT))?,
        suite_digest: suite_digest.ok_or_else(|| missing(SUITE_DIGEST))?,
        accepted,
        cases,
        tool: tool.ok_or_else(|| missing(TOOL))?,
    })
}

fn parse_accepted(value: &str) -> Option<AcceptedEntry> {
    let (kind, case) = match value.split_once(' ') {
        Some((kind, case)) => (kind, Some(CaseId::new(unescape(case)?))),
        None => (value, None),
    };
    Some(AcceptedEntry { kind: Kind::parse(kind)?, case })
}

fn once<T>(slot: &mut Option<T>, key: &str, value: T) -> Result<(), String> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("it has the trailer `{key}` twice")),
    }
}

/// Writes `%XX` for each byte of what could not stand in a trailer as it is.
fn escape(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let last = text.chars().count().saturating_sub(1);
    for (index, char) in text.chars().enumerate() {
        let at_an_end = index == 0 || index == last;
        if char == '%' || is_unseen(char) || (char == ' ' && at_an_end) {
            for byte in char.encode_utf8(&mut [0; 4]).bytes() {
                write!(written, "%{byte:02X}").expect("a String takes all that is written");
            }
        } else {
            written.push(char);
        }
    }
    written
}

fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        if *byte == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}

/// Controls, white space other than the plain one, and what turns or joins text without a trace.
fn is_unseen(char: char) -> bool {
    char.is_control()
        || (char.is_whitespace() && char != ' ')
        || matches!(char, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(char, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(reason: Option<&str>, ids: &[String]) -> Message {
        let case = |id: &String| CaseId::new(id.as_str());
        Message {
            subject: "accept default/main: 11/12 passed (91.6 %)".to_owned(),
            reason: reason.and_then(clean_reason),
            trailers: Trailers {
                evaluated: ObjectId::parse(&"a".repeat(40)).unwrap(),
                suite_digest: Digest::of(b""),
                accepted: ids
                    .iter()
                    .map(|id| AcceptedEntry { kind: Kind::CaseRegressed, case: Some(case(id)) })
                    .collect(),
                cases: ids.iter().map(case).collect(),
                tool: "0.1.0".to_owned(),
            },
        }
    }

    #[test]
    fn a_message_reads_as_the_ledger() {
        let mut told = message(Some("the new prompt\n"), &["磁盘 满".to_owned()]);
        told.trailers.accepted.push(AcceptedEntry { kind: Kind::PassRateFell, case: None });
        let digest = Digest::of(b"");
        let expected = format!(
            "accept default/main: 11/12 passed (91.6 %)\n\nthe new prompt\n\nDiag-Gate-Commit: {}\nDiag-Gate-Suite-Digest: {}\nDiag-Gate-Accepted: case-regressed 磁盘 满\nDiag-Gate-Accepted: pass-rate-fell\nDiag-Gate-Case: 磁盘 满\nDiag-Gate-Tool: 0.1.0\n",
            "a".repeat(40),
            digest.as_str(),
        );
        assert_eq!(told.write(), expected);
        assert_eq!(Message::parse(expected.as_bytes()), Ok(told));
    }

    #[test]
    fn a_reason_that_looks_like_trailers_stays_a_reason() {
        let forged = format!("Diag-Gate-Commit: {}\nDiag-Gate-Accepted: case-removed x\n\n", "b".repeat(40));
        let told = message(Some(&forged), &[]);
        let read = Message::parse(told.write().as_bytes()).unwrap();
        assert_eq!(read.trailers, told.trailers);
        assert_eq!(read.reason.as_deref(), Some(forged.trim_end()));
    }

    #[test]
    fn a_message_that_is_not_ours_says_why() {
        let ours = message(None, &[]).write();
        let twice = format!("{ours}Diag-Gate-Tool: 9\n");
        let kind = format!("{ours}Diag-Gate-Accepted: case-eaten x\n");
        let reason_only = ours.replace(TOOL, "Signed-off-by");
        for (text, why) in [
            ("subject\n", "no trailers"),
            ("subject\n\nbody text\n", "is no trailer"),
            (twice.as_str(), "twice"),
            (kind.as_str(), "case-eaten"),
            (reason_only.as_str(), "no trailer `Diag-Gate-Tool`"),
        ] {
            let error = Message::parse(text.as_bytes()).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn ids_stand_as_they_are_unless_they_could_mislead() {
        assert_eq!(escape("checkout: 50% \u{202e}off\u{2028}"), "checkout: 50%25 %E2%80%AEoff%E2%80%A8");
        assert_eq!(escape(" a b "), "%20a b%20");
        for bad in ["%", "%4", "%zz", "%+1", "%FF", ""] {
            assert_eq!(unescape(bad), None, "{bad}");
        }
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<String>(),
            "[ %\t\r\n:-]{0,4}",
            Just("\n\n".to_owned()),
            Just("Diag-Gate-Commit: x\n".to_owned()),
            Just(format!("Diag-Gate-Suite-Digest: {}", "0".repeat(64))),
            Just("\u{202e}\u{85}\u{2028}".to_owned()),
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(reason in hostile(), ids in prop::collection::vec(hostile(), 0..4)) {
            let ids: Vec<String> = ids.into_iter().filter(|id| !id.is_empty()).collect();
            let told = message(Some(&reason), &ids);
            let text = told.write();
            prop_assert_eq!(Message::parse(text.as_bytes()), Ok(told));
            prop_assert!(!text.contains(|char: char| char.is_control() && char != '\n' && char != '\t'));
        }

        #[test]
        fn a_cleaned_reason_stays_as_it_is(reason in hostile()) {
            if let Some(clean) = clean_reason(&reason) {
                prop_assert_eq!(clean_reason(&clean), Some(clean.clone()));
            }
        }
    }
}
