//! Names and ids as types: what has been looked at once needs no second look.
//!
//! None of them has a `Display`: a case id is untrusted text, and text goes through the
//! escaper of its sink. Ids are shared, not copied: a case, its result and a listing often hold the same one.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// The id of a case: not blank, no control characters (evaluation.md section 1). Untrusted text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseId(Arc<str>);

impl CaseId {
    /// Takes an id that its reader has looked at.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into().into())
    }

    /// The id as it stands in the suite.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A SHA-256 in lower-case hex.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(Arc<str>);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(hex(&Sha256::digest(bytes)).into())
    }

    /// The digest of what `write` writes, of which nothing is held.
    ///
    /// # Errors
    /// What `write` tells; the writer itself takes all bytes.
    pub fn of_written<E>(write: impl FnOnce(&mut dyn io::Write) -> Result<(), E>) -> Result<Self, E> {
        let mut hashed = io::BufWriter::new(Hashed(Sha256::new()));
        write(&mut hashed)?;
        let (Hashed(mut hasher), rest) = hashed.into_parts();
        hasher.update(rest.expect("the hasher does not panic"));
        Ok(Self(hex(&hasher.finalize()).into()))
    }

    /// Reads 64 lower-case hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == 64 && is_lower_hex(text)).then(|| Self(text.into()))
    }

    /// The 64 hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for CaseId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl Serialize for ObjectId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Hashes what is written to it.
struct Hashed(Sha256);

impl io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A git object id in lower-case hex: 40 digits, or 64 in a SHA-256 repository.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(Arc<str>);

impl ObjectId {
    /// Reads 40 or 64 lower-case hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        (matches!(text.len(), 40 | 64) && is_lower_hex(text)).then(|| Self(text.into()))
    }

    /// The blob id of these bytes under a repository's hash (evaluation.md section 5, `traceId`).
    pub fn of_blob(hash: HashKind, bytes: &[u8]) -> Self {
        let mut hasher = BlobHasher::new(hash, bytes.len() as u64);
        hasher.update(bytes);
        hasher.finish()
    }

    /// The hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first twelve digits, for people.
    pub fn short(&self) -> &str {
        &self.0[..12]
    }
}

/// The hash that names a repository's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashKind {
    /// Also outside a repository.
    Sha1,
    /// `extensions.objectFormat = sha256`.
    Sha256,
}

/// Computes a blob id piece by piece, so that a large file need not be held.
pub struct BlobHasher(Hasher);

enum Hasher {
    Sha1(sha1::Sha1),
    Sha256(Sha256),
}

impl BlobHasher {
    /// Begins a blob of `size` bytes.
    pub fn new(hash: HashKind, size: u64) -> Self {
        let mut hasher = Self(match hash {
            HashKind::Sha1 => Hasher::Sha1(sha1::Sha1::default()),
            HashKind::Sha256 => Hasher::Sha256(Sha256::default()),
        });
        hasher.update(format!("blob {size}\0").as_bytes());
        hasher
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Hasher::Sha1(hasher) => hasher.update(bytes),
            Hasher::Sha256(hasher) => hasher.update(bytes),
        }
    }

    /// The id of all that was added.
    pub fn finish(self) -> ObjectId {
        let digits = match self.0 {
            Hasher::Sha1(hasher) => hex(&hasher.finalize()),
            Hasher::Sha256(hasher) => hex(&hasher.finalize()),
        };
        ObjectId(digits.into())
    }
}

/// The name of a suite or of a baseline, safe as a part of a ref name (baseline.md section 1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Name(String);

impl Name {
    /// What a name may be, in words for a message.
    pub const RULE: &'static str = "up to 64 ASCII letters, digits, `.`, `_` and `-`, beginning with a letter or digit, without `..`, not ending in `.` or `.lock`";

    /// Reads a name; `None` where [`Name::RULE`] does not hold.
    pub fn parse(text: &str) -> Option<Self> {
        let shape = (1..=64).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
            && text.as_bytes()[0].is_ascii_alphanumeric();
        let ends = text.ends_with('.') || text.ends_with(".lock");
        (shape && !ends && !text.contains("..")).then(|| Self(text.to_owned()))
    }

    /// The name; it holds nothing that any sink could take for more than text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a String takes all that is written");
        text
    })
}

fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blob_ids_are_those_of_git() {
        let sha1 = ObjectId::of_blob(HashKind::Sha1, b"hello\n");
        assert_eq!(sha1.as_str(), "ce013625030ba8dba906f756967f9e9ca394464a");
        let sha256 = ObjectId::of_blob(HashKind::Sha256, b"hello\n");
        assert_eq!(sha256.as_str(), "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4");
    }

    #[test]
    fn a_digest_of_pieces_is_that_of_the_whole() {
        for size in [0, 1, 100_000] {
            let bytes = vec![b'a'; size];
            let written = Digest::of_written(|writer| {
                bytes.chunks(7).try_for_each(|piece| io::Write::write_all(writer, piece))
            });
            assert_eq!(written.unwrap(), Digest::of(&bytes));
        }
    }

    #[test]
    fn names_that_could_collide_or_mislead_are_no_names() {
        for good in ["default", "main", "a", "v1.2", "A_b-c", &"x".repeat(64)] {
            assert!(Name::parse(good).is_some(), "{good}");
        }
        for bad in ["", "-a", ".a", "a..b", "a.", "a.lock", "a/b", "a b", "é", &"x".repeat(65)] {
            assert!(Name::parse(bad).is_none(), "{bad}");
        }
    }
}
