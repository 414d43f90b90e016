//! Texts that many hold: one case in a hundred thousand asks for the same tool as the others, and so do their
//! results. Knows nothing of who holds them.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that is shared, not copied. Untrusted; it has no `Display`, since text goes through the escaper of its
/// sink.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(Arc<str>);

impl Text {
    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.as_str().to_owned()
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(String::deserialize(deserializer)?.into())
    }
}

/// Texts that were met before, so that each is held once.
#[derive(Debug, Default)]
pub struct Pool(HashSet<Text>);

impl Pool {
    /// With more than these it begins anew: texts that do not recur would only fill memory.
    const MOST: usize = 4096;

    /// The text, shared with those who had it before.
    pub fn shared(&mut self, text: Text) -> Text {
        if let Some(known) = self.0.get(&text) {
            return known.clone();
        }
        if self.0.len() == Self::MOST {
            self.0.clear();
        }
        self.0.insert(text.clone());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_of_a_pool_are_one() {
        let mut pool = Pool::default();
        let first = pool.shared("a".into());
        assert!(Arc::ptr_eq(&first.0, &pool.shared("a".into()).0));
        assert_eq!(&pool.shared("b".into()), "b");
    }

    #[test]
    fn a_full_pool_begins_anew() {
        let mut pool = Pool::default();
        for index in 0..Pool::MOST + 10 {
            let text = index.to_string();
            assert_eq!(pool.shared(text.as_str().into()), Text::from(text));
        }
        assert_eq!(pool.0.len(), 10);
    }
}
