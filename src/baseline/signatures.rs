//! Who may sign a link: whom the link before it allows (baseline.md section 6). Pure over a store.
//!
//! Only SSH signatures count where they are required: the keys that may sign stand in the tree of the
//! link before, while an OpenPGP key is trusted by the keyring of each machine, which a chain cannot hold.

use crate::baseline::error::BaselineError;
use crate::baseline::link::{POLICY_FILE, SIGNERS_FILE};
use crate::baseline::read::policy_details;
use crate::baseline::store::{RawLink, Store};
use crate::error::Error;
use crate::ids::ObjectId;
use crate::suite::config;

/// What a link asks of the one after it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Demand {
    /// Nothing.
    Nothing,
    /// A signature of one of these signers; `None`: it requires one, and names nobody.
    Signed(Option<ObjectId>),
}

/// Whether the next link after this one must be signed.
///
/// # Errors
/// The link cannot be read.
pub fn must_be_signed(store: &dyn Store, reference: &str, tip: &ObjectId) -> Result<bool, BaselineError> {
    let raw = raw(store, reference, tip)?;
    Ok(demand(store, reference, (tip, &raw), &mut None)? != Demand::Nothing)
}

/// Looks at every link from the tip down to the first one, which is trusted on first use: each must be
/// signed as the link before it requires.
///
/// # Errors
/// [`BaselineError::Unsigned`] where one is not; also where one cannot be read.
pub fn check_signatures(store: &dyn Store, reference: &str, tip: &ObjectId) -> Result<(), BaselineError> {
    let mut known = None;
    let mut waiting = Waiting::default();
    let mut id = tip.clone();
    let mut link = raw(store, reference, &id)?;
    while let Some(parent) = link.parents.first().cloned() {
        if is_cut_off(store, &parent)? {
            // Whom the link before it allows cannot be told; one that requires nothing itself is believed,
            // as it must be at depth 1.
            match demand(store, reference, (&id, &link), &mut known)? {
                Demand::Nothing => break,
                Demand::Signed(_) => return Err(unsigned(reference, &id, CUT_OFF)),
            }
        }
        let before = raw(store, reference, &parent)?;
        match demand(store, reference, (&parent, &before), &mut known)? {
            Demand::Nothing => {}
            Demand::Signed(None) => {
                return Err(unsigned(reference, &id, "the link before it allows no signer at all"));
            }
            Demand::Signed(Some(signers)) => waiting.add(store, reference, signers, id)?,
        }
        (id, link) = (parent, before);
    }
    waiting.check(store, reference)
}

/// Looks at one link that follows `parent`, as [`check_signatures`] does; also at an acceptance that is
/// pending beside a chain with the tip `parent`.
///
/// # Errors
/// As [`check_signatures`].
pub fn check_signature(
    store: &dyn Store,
    reference: &str,
    id: &ObjectId,
    parent: Option<&ObjectId>,
) -> Result<(), BaselineError> {
    let Some(parent) = parent else { return Ok(()) };
    if is_cut_off(store, parent)? {
        // Not told is neither signed nor unsigned.
        return Err(Error::input(format!("{}: {CUT_OFF}", id.short())).into());
    }
    let before = raw(store, reference, parent)?;
    match demand(store, reference, (parent, &before), &mut None)? {
        Demand::Nothing => Ok(()),
        Demand::Signed(None) => Err(unsigned(reference, id, "the link before it allows no signer at all")),
        Demand::Signed(Some(signers)) => {
            Waiting { signers: Some(signers), links: vec![id.clone()] }.check(store, reference)
        }
    }
}

const CUT_OFF: &str =
    "a shallow fetch cut off the link before it, which says who may sign: `git fetch --unshallow`";

fn is_cut_off(store: &dyn Store, parent: &ObjectId) -> Result<bool, BaselineError> {
    Ok(store.is_shallow() && !store.holds(parent)?)
}

/// Links in a row that are held against the same signers: looked at in one go.
#[derive(Default)]
struct Waiting {
    signers: Option<ObjectId>,
    links: Vec<ObjectId>,
}

impl Waiting {
    fn add(
        &mut self,
        store: &dyn Store,
        reference: &str,
        signers: ObjectId,
        link: ObjectId,
    ) -> Result<(), BaselineError> {
        if self.signers.as_ref() != Some(&signers) {
            self.check(store, reference)?;
            *self = Self { signers: Some(signers), links: Vec::new() };
        }
        self.links.push(link);
        Ok(())
    }

    fn check(&self, store: &dyn Store, reference: &str) -> Result<(), BaselineError> {
        let Some(signers) = self.signers.as_ref().filter(|_| !self.links.is_empty()) else { return Ok(()) };
        let allowed = store.file(signers)?;
        if store.signed_by(&self.links, &allowed)? {
            return Ok(());
        }
        for link in &self.links {
            if !store.signed_by(std::slice::from_ref(link), &allowed)? {
                return Err(unsigned(
                    reference,
                    link,
                    "it is not signed by anyone whom the link before it allows",
                ));
            }
        }
        // The whole was refused and no part was: nothing was proved.
        Err(unsigned(reference, &self.links[0], "its signature could not be proved"))
    }
}

fn raw(store: &dyn Store, reference: &str, id: &ObjectId) -> Result<RawLink, BaselineError> {
    store.link(id)?.ok_or_else(|| BaselineError::Foreign {
        reference: reference.to_owned(),
        link: id.clone(),
        why: "is no commit".to_owned(),
    })
}

/// The last configuration that was read, and what it says: most links of a chain share one.
type Known = Option<(ObjectId, bool)>;

fn demand(
    store: &dyn Store,
    reference: &str,
    (id, link): (&ObjectId, &RawLink),
    known: &mut Known,
) -> Result<Demand, BaselineError> {
    let damaged = |what: &str, details: Vec<String>| BaselineError::Damaged {
        reference: reference.to_owned(),
        link: id.clone(),
        what: what.to_owned(),
        details,
    };
    let file = |name: &str| link.entries.get(name.as_bytes()).filter(|entry| entry.is_file);
    let policy = file(POLICY_FILE).ok_or_else(|| damaged("it has no policy.toml", Vec::new()))?;
    let required = match known {
        Some((seen, required)) if *seen == policy.id => *required,
        Some(_) | None => {
            let text = store.file(&policy.id)?;
            let policy_read = config::parse(&text, POLICY_FILE)
                .map_err(|problems| damaged("its policy.toml cannot be read", policy_details(&problems)))?;
            policy_read.baseline.require_signed
        }
    };
    *known = Some((policy.id.clone(), required));
    Ok(match required {
        false => Demand::Nothing,
        true => Demand::Signed(file(SIGNERS_FILE).map(|entry| entry.id.clone())),
    })
}

fn unsigned(reference: &str, link: &ObjectId, why: &str) -> BaselineError {
    BaselineError::Unsigned { reference: reference.to_owned(), link: link.clone(), why: why.to_owned() }
}
