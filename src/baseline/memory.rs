//! For tests: a store in memory, with a writer who comes first when asked to.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::baseline::store::{
    Moment, NewLink, Person, RawEntry, RawLink, RefMove, Signature, Store, Written,
};
use crate::error::Error;
use crate::ids::{HashKind, ObjectId};

/// The store.
#[derive(Default)]
pub(super) struct Memory {
    links: RefCell<BTreeMap<ObjectId, RawLink>>,
    files: RefCell<BTreeMap<ObjectId, Vec<u8>>>,
    refs: RefCell<BTreeMap<String, ObjectId>>,
    /// Who runs the program.
    pub(super) runner: RefCell<String>,
    /// The time.
    pub(super) now: Cell<i64>,
    /// How often another writer still comes first.
    pub(super) lost: Cell<u32>,
    /// Links that a shallow fetch cut off.
    pub(super) cut: RefCell<Vec<ObjectId>>,
}

impl Memory {
    pub(super) fn refs(&self) -> BTreeMap<String, ObjectId> {
        self.refs.borrow().clone()
    }

    pub(super) fn set(&self, reference: &str, id: &ObjectId) {
        self.refs.borrow_mut().insert(reference.to_owned(), id.clone());
    }

    pub(super) fn delete(&self, reference: &str) {
        self.refs.borrow_mut().remove(reference);
    }

    fn signature(&self) -> Signature {
        let name = self.runner.borrow().clone();
        let person = Person { email: format!("{name}@example.com"), name };
        Signature { person, at: Moment { seconds: self.now.get(), offset_minutes: 0 } }
    }
}

impl Store for Memory {
    /// Nothing is signed here.
    fn signed_by(&self, _commits: &[ObjectId], _allowed: &[u8]) -> Result<bool, Error> {
        Ok(false)
    }

    fn hash_kind(&self) -> HashKind {
        HashKind::Sha1
    }

    fn tip(&self, reference: &str) -> Result<Option<ObjectId>, Error> {
        Ok(self.refs.borrow().get(reference).cloned())
    }

    fn link(&self, id: &ObjectId) -> Result<Option<RawLink>, Error> {
        let found = self.links.borrow().get(id).cloned();
        found.map(Some).ok_or_else(|| Error::surroundings("missing"))
    }

    fn file(&self, id: &ObjectId) -> Result<Vec<u8>, Error> {
        self.files.borrow().get(id).cloned().ok_or_else(|| Error::surroundings("missing"))
    }

    fn refs_under(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, Error> {
        let prefix = format!("{prefix}/");
        Ok(self.refs().into_iter().filter(|(name, _)| name.starts_with(&prefix)).collect())
    }

    fn identities(&self) -> Result<(Signature, Signature), Error> {
        Ok((self.signature(), self.signature()))
    }

    fn write(&self, link: &NewLink) -> Result<ObjectId, Error> {
        let mut entries = BTreeMap::new();
        for (name, bytes) in &link.files {
            let id = ObjectId::of_blob(HashKind::Sha1, bytes);
            self.files.borrow_mut().insert(id.clone(), bytes.clone());
            entries.insert(name.clone().into_bytes(), RawEntry { id, is_file: true });
        }
        let raw = RawLink {
            parents: link.parent.iter().cloned().collect(),
            author: link.author.clone(),
            committer: link.committer.clone(),
            message: link.message.clone().into_bytes(),
            entries,
        };
        let id = ObjectId::of_blob(HashKind::Sha1, format!("{raw:?}").as_bytes());
        self.links.borrow_mut().insert(id.clone(), raw);
        Ok(id)
    }

    fn holds(&self, id: &ObjectId) -> Result<bool, Error> {
        Ok(self.links.borrow().contains_key(id) && !self.cut.borrow().contains(id))
    }

    fn is_shallow(&self) -> bool {
        !self.cut.borrow().is_empty()
    }

    fn update_all(&self, moves: &[RefMove], _: &str) -> Result<Written, Error> {
        if self.lost.get() > 0 {
            self.lost.set(self.lost.get() - 1);
            return Ok(Written::Moved);
        }
        let mut refs = self.refs.borrow_mut();
        if moves.iter().any(|moved| refs.get(&moved.reference) != moved.expected.as_ref()) {
            return Ok(Written::Moved);
        }
        for moved in moves {
            match &moved.new {
                Some(new) => refs.insert(moved.reference.clone(), new.clone()),
                None => refs.remove(&moved.reference),
            };
        }
        Ok(Written::Done)
    }
}
