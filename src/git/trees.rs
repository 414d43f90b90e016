//! What changed between two folders: only the trees that differ are read, and no file.

use std::cell::RefCell;

use gix_diff::tree::visit::{Action, Change};
use gix_diff::tree::{Recorder, State, Visit};
use gix_object::bstr::BStr;

use crate::git::error::{GitError, ObjectFault};
use crate::git::objects::{ObjectKind, Objects};
use crate::git::parse::TreeEntryKind;
use crate::ids::{HashKind, ObjectId};

/// What a failed look-up is to the comparison, whose crate of errors is none of ours.
type FindError = <gix_hash::ObjectId as std::str::FromStr>::Err;

/// The most changes that one comparison may tell: far beyond any suite, and an end for a tree that holds
/// itself many times over.
const MAX_CHANGES: usize = 5_000_000;

/// A path that is not what it was; folders themselves are not told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TreeChange {
    /// The bytes of the `/`-separated path.
    pub(super) path: Vec<u8>,
    /// What stands there now; `None`: nothing, or a folder.
    pub(super) now: Option<(TreeEntryKind, ObjectId)>,
}

/// Compares two trees; `None` is an empty one. In no order, no path twice.
///
/// # Errors
/// A tree is missing or damaged.
pub(super) fn changes(
    objects: &Objects,
    hash: HashKind,
    before: Option<&ObjectId>,
    after: Option<&ObjectId>,
) -> Result<Vec<TreeChange>, GitError> {
    let kind = match hash {
        HashKind::Sha1 => gix_hash::Kind::Sha1,
        HashKind::Sha256 => gix_hash::Kind::Sha256,
    };
    let find = Find { objects, kind, failure: RefCell::new(None) };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (id, buffer) in [(before, &mut left), (after, &mut right)] {
        if let Some(id) = id {
            objects.read(id, ObjectKind::Tree, buffer)?;
        }
    }
    let mut visitor = Visitor { paths: Recorder::default(), found: Vec::new(), fault: None };
    let [left, right] = [&left, &right].map(|bytes| gix_object::TreeRefIter::from_bytes(bytes, kind));
    let outcome = gix_diff::tree(left, right, State::default(), &find, &mut visitor);
    let at_fault = || after.or(before).cloned().expect("two empty trees do not differ");
    if let Some(failure) = find.failure.take() {
        return Err(failure);
    }
    if let Some(why) = visitor.fault {
        return Err(GitError::Object { id: at_fault(), fault: ObjectFault::Damaged(why) });
    }
    if let Err(error) = outcome {
        let fault = ObjectFault::Damaged(error.to_string());
        return Err(GitError::Object { id: at_fault(), fault });
    }
    Ok(settled(visitor.found))
}

/// One change a path: where something was replaced by another kind of thing, what stands there now counts.
fn settled(mut found: Vec<TreeChange>) -> Vec<TreeChange> {
    found.sort_by(|left, right| (&left.path, left.now.is_none()).cmp(&(&right.path, right.now.is_none())));
    found.dedup_by(|later, earlier| later.path == earlier.path);
    found
}

/// Gives trees to the comparison, and keeps why one could not be given.
struct Find<'o> {
    objects: &'o Objects,
    kind: gix_hash::Kind,
    failure: RefCell<Option<GitError>>,
}

impl gix_object::Find for Find<'_> {
    fn try_find<'a>(
        &self,
        id: &gix_hash::oid,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Option<gix_object::Data<'a>>, FindError> {
        match self.objects.read(&object_id(id), ObjectKind::Tree, buffer) {
            Ok(()) => Ok(Some(gix_object::Data {
                kind: gix_object::Kind::Tree,
                object_hash: self.kind,
                data: buffer,
            })),
            // The comparison ends with an error of its own, in whose place this one is told.
            Err(failure) => {
                self.failure.replace(Some(failure));
                Ok(None)
            }
        }
    }
}

/// Takes down what changed, and stops at what no tree holds.
struct Visitor {
    paths: Recorder,
    found: Vec<TreeChange>,
    fault: Option<String>,
}

impl Visitor {
    fn note(&mut self, now: Option<(gix_object::tree::EntryMode, &gix_hash::oid)>) -> Result<(), String> {
        let now = match now {
            None => None,
            Some((mode, id)) => {
                let kind = TreeEntryKind::of_mode(u32::from(mode.value()))
                    .ok_or("this is not how a tree is written")?;
                Some((kind, object_id(id)))
            }
        };
        let path = self.paths.path().to_vec();
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if name.is_empty() || name == b"." || name == b".." {
            return Err("this is not how a tree is written".to_owned());
        }
        if self.found.len() == MAX_CHANGES {
            return Err(format!("it leads to more than {MAX_CHANGES} entries"));
        }
        self.found.push(TreeChange { path, now });
        Ok(())
    }
}

impl Visit for Visitor {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.paths.pop_front_tracked_path_and_set_current();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.paths.push_back_tracked_path_component(component);
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.paths.push_path_component(component);
    }

    fn pop_path_component(&mut self) {
        self.paths.pop_path_component();
    }

    fn visit(&mut self, change: Change) -> Action {
        let (before, now) = match &change {
            Change::Addition { entry_mode, oid, .. } => (None, Some((*entry_mode, oid.as_ref()))),
            Change::Deletion { entry_mode, .. } => (Some(*entry_mode), None),
            Change::Modification { previous_entry_mode, entry_mode, oid, .. } => {
                (Some(*previous_entry_mode), Some((*entry_mode, oid.as_ref())))
            }
        };
        let now = now.filter(|(mode, _)| !mode.is_tree());
        let was_file = before.is_some_and(|mode| !mode.is_tree());
        if now.is_none() && !was_file {
            return Action::Continue(());
        }
        match self.note(now) {
            Ok(()) => Action::Continue(()),
            Err(why) => {
                self.fault = Some(why);
                Action::Break(())
            }
        }
    }
}

fn object_id(id: &gix_hash::oid) -> ObjectId {
    ObjectId::parse(&id.to_hex().to_string()).expect("an id has 40 or 64 hex digits")
}
