//! The written form of trees, commits and tags, read strictly. Pure.

use crate::baseline::{Moment, Person, Signature};
use crate::ids::{HashKind, ObjectId};

/// What a commit says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its id.
    pub id: ObjectId,
    /// Its folder.
    pub tree: ObjectId,
    /// Its parents as written, grafts aside.
    pub parents: Vec<ObjectId>,
    /// Who made the change, and when. Untrusted text.
    pub author: Signature,
    /// Who made the commit, and when. Untrusted text.
    pub committer: Signature,
    /// The message as written. Untrusted text.
    pub message: Vec<u8>,
}

impl CommitInfo {
    /// The first paragraph of the message in one line, as git shows it. Untrusted text.
    pub fn subject(&self) -> String {
        let text = String::from_utf8_lossy(&self.message);
        let lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
        lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// A thing in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// The bytes of its name: not empty, without `/` and NUL.
    pub name: Vec<u8>,
    /// What stands there.
    pub kind: TreeEntryKind,
    /// Its object.
    pub id: ObjectId,
}

/// What a tree entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeEntryKind {
    /// A folder.
    Tree,
    /// A regular file, whether it can be run or not.
    File,
    /// A symbolic link.
    Link,
    /// Another repository.
    Submodule,
}

impl TreeEntryKind {
    pub(super) fn of_mode(mode: u32) -> Option<Self> {
        match mode & 0o170_000 {
            0o040_000 => Some(Self::Tree),
            0o100_000 => Some(Self::File),
            0o120_000 => Some(Self::Link),
            0o160_000 => Some(Self::Submodule),
            _ => None,
        }
    }
}

/// Reads a tree; `None` where it is not written as git writes one.
pub(super) fn tree(bytes: &[u8], hash: HashKind) -> Option<Vec<TreeEntry>> {
    let width = match hash {
        HashKind::Sha1 => 20,
        HashKind::Sha256 => 32,
    };
    let mut entries = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let mode = u32::from_str_radix(std::str::from_utf8(&rest[..space]).ok()?, 8).ok()?;
        rest = &rest[space + 1..];
        let end = rest.iter().position(|byte| *byte == 0)?;
        let name = &rest[..end];
        let id = rest.get(end + 1..end + 1 + width)?;
        rest = &rest[end + 1 + width..];
        if name.is_empty() || name == b"." || name == b".." || name.contains(&b'/') {
            return None;
        }
        let id = ObjectId::parse(&hex(id)).expect("the right number of hex digits");
        entries.push(TreeEntry { name: name.to_vec(), kind: TreeEntryKind::of_mode(mode)?, id });
    }
    Some(entries)
}

/// Reads a commit; `None` where it is not written as git writes one.
pub(super) fn commit(id: &ObjectId, bytes: &[u8]) -> Option<CommitInfo> {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n");
    let (head, message) = match end {
        Some(end) => (&bytes[..end], &bytes[end + 2..]),
        None => (bytes.strip_suffix(b"\n").unwrap_or(bytes), &[][..]),
    };
    let mut lines = head.split(|byte| *byte == b'\n').peekable();
    let tree = id_after(lines.next()?, b"tree ")?;
    let mut parents = Vec::new();
    while let Some(line) = lines.next_if(|line| line.starts_with(b"parent ")) {
        parents.push(id_after(line, b"parent ")?);
    }
    let author = signature(lines.next()?.strip_prefix(b"author ")?)?;
    let committer = signature(lines.next()?.strip_prefix(b"committer ")?)?;
    Some(CommitInfo { id: id.clone(), tree, parents, author, committer, message: message.to_vec() })
}

/// The object that a tag names.
pub(super) fn tag_target(bytes: &[u8]) -> Option<ObjectId> {
    id_after(bytes.split(|byte| *byte == b'\n').next()?, b"object ")
}

/// Reads `NAME <EMAIL> SECONDS ZONE`, as in commits and from `git var`. A date that is no date is
/// the first second of 1970, as git takes it.
pub(super) fn signature(line: &[u8]) -> Option<Signature> {
    let open = line.iter().position(|byte| *byte == b'<')?;
    let close = line.iter().rposition(|byte| *byte == b'>').filter(|close| *close > open)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let date = text(&line[close + 1..]);
    let (seconds, zone) = date.split_once(' ').unwrap_or((date.as_str(), "+0000"));
    Some(Signature {
        person: Person { name: text(&line[..open]), email: text(&line[open + 1..close]) },
        at: Moment {
            seconds: seconds.parse().unwrap_or(0),
            offset_minutes: offset_minutes(zone.trim()).unwrap_or(0),
        },
    })
}

fn offset_minutes(zone: &str) -> Option<i32> {
    let (sign, digits) = zone.split_at_checked(1)?;
    let number: i32 = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    let minutes = number / 100 * 60 + number % 100;
    match sign {
        "+" => Some(minutes),
        "-" => Some(-minutes),
        _ => None,
    }
}

fn id_after(line: &[u8], key: &[u8]) -> Option<ObjectId> {
    ObjectId::parse(std::str::from_utf8(line.strip_prefix(key)?).ok()?)
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "ce013625030ba8dba906f756967f9e9ca394464a";

    fn entry(mode: &str, name: &[u8]) -> Vec<u8> {
        [mode.as_bytes(), b" ", name, b"\0", &[0xab; 20]].concat()
    }

    #[test]
    fn a_tree_is_read_entry_by_entry() {
        let bytes = [entry("40000", b"cases"), entry("100755", b"x\ny"), entry("120000", &[0xff])].concat();
        let entries = tree(&bytes, HashKind::Sha1).unwrap();
        let kinds: Vec<_> = entries.iter().map(|entry| (entry.name.as_slice(), entry.kind)).collect();
        let expected: [(&[u8], _); 3] =
            [(b"cases", TreeEntryKind::Tree), (b"x\ny", TreeEntryKind::File), (&[0xff], TreeEntryKind::Link)];
        assert_eq!(kinds, expected);
        assert_eq!(entries[0].id.as_str(), "ab".repeat(20));
    }

    #[test]
    fn a_tree_that_git_would_not_write_is_no_tree() {
        for name in [&b""[..], b".", b"..", b"a/b"] {
            assert_eq!(tree(&entry("100644", name), HashKind::Sha1), None, "{name:?}");
        }
        assert_eq!(tree(&entry("0", b"a"), HashKind::Sha1), None);
        let whole = entry("100644", b"a");
        for cut in 1..whole.len() {
            assert_eq!(tree(&whole[..cut], HashKind::Sha1), None, "{cut}");
        }
    }

    #[test]
    fn a_commit_is_read_with_its_people_and_dates() {
        let text = format!(
            "tree {ID}\nparent {ID}\nauthor 李 雷 <l@x> 1700000000 +0800\ncommitter C <c@x> 5 -0330\ngpgsig a\n b\n\nTwo\nlines\n\nbody\n"
        );
        let id = ObjectId::parse(ID).unwrap();
        let commit = commit(&id, text.as_bytes()).unwrap();
        assert_eq!(commit.author.person.name, "李 雷");
        assert_eq!((commit.author.at.seconds, commit.author.at.offset_minutes), (1_700_000_000, 480));
        assert_eq!(commit.committer.at.offset_minutes, -210);
        assert_eq!(commit.parents, [id]);
        assert_eq!(commit.subject(), "Two lines");
        assert_eq!(commit.message, b"Two\nlines\n\nbody\n");
    }

    #[test]
    fn a_commit_without_its_lines_is_no_commit() {
        let id = ObjectId::parse(ID).unwrap();
        for text in ["", "tree x\n", &format!("tree {ID}\n\nauthor A <a> 1 +0000\n")] {
            assert_eq!(commit(&id, text.as_bytes()), None, "{text}");
        }
    }
}
