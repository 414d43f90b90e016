//! Baselines kept in git: reads as of any object, writes through the program.

use crate::baseline::{
    BaselineError, History, Lineage, Link, NewLink, Place, RawEntry, RawLink, RefMove, Signature, Store,
    Written, check_signature, must_be_signed, read_head,
};
use crate::error::Error;
use crate::git::error::{GitError, ObjectFault};
use crate::git::parse::TreeEntryKind;
use crate::git::program::{Call, Update};
use crate::git::repository::Repository;
use crate::ids::{HashKind, ObjectId};

/// What errors call the ref of a link that no ref names yet.
const NEW_LINK: &str = "(a new link)";

/// The refs and objects of a repository.
#[derive(Clone, Copy)]
pub struct GitStore<'r> {
    repository: &'r Repository,
    signing: Signing,
}

/// Whether links are signed that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signing {
    /// None is.
    No,
    /// Each is.
    Yes,
    /// Each is that follows a link which requires it.
    WhereRequired,
}

impl<'r> GitStore<'r> {
    /// Keeps baselines in this repository.
    pub fn new(repository: &'r Repository) -> Self {
        Self { repository, signing: Signing::No }
    }

    /// Signs links that it writes, with the user's own set-up of git.
    #[must_use]
    pub fn signing(self, signing: Signing) -> Self {
        Self { signing, ..self }
    }

    /// The history that a selection from one chain asks.
    pub fn history(self, place: &'r Place) -> GitHistory<'r> {
        GitHistory { store: self, place }
    }

    fn write_object(self, call: Call) -> Result<ObjectId, GitError> {
        let command = "an object was written, but its id cannot be read";
        let printed = self.repository.program().run(call)?;
        let id = std::str::from_utf8(&printed).ok().and_then(|text| ObjectId::parse(text.trim_end()));
        id.ok_or_else(|| GitError::Program {
            command: command.to_owned(),
            status: "exit status: 0".to_owned(),
            words: String::from_utf8_lossy(&printed).into_owned(),
        })
    }

    fn signs(self, link: &NewLink) -> Result<bool, BaselineError> {
        match (self.signing, &link.parent) {
            (Signing::No, _) | (Signing::WhereRequired, None) => Ok(false),
            (Signing::Yes, _) => Ok(true),
            (Signing::WhereRequired, Some(parent)) => must_be_signed(&self, NEW_LINK, parent),
        }
    }

    fn write_commit(self, link: &NewLink, sign: bool) -> Result<ObjectId, GitError> {
        let mut listing = Vec::new();
        for (name, bytes) in &link.files {
            let call = Call::new(&["hash-object", "-w", "-t", "blob", "--stdin"]).input(bytes.clone());
            let id = self.write_object(call)?;
            listing.extend_from_slice(format!("100644 blob {}\t{name}\0", id.as_str()).as_bytes());
        }
        let tree = self.write_object(Call::new(&["mktree", "-z"]).input(listing))?;
        let mut call = Call::new(&["commit-tree", tree.as_str()]);
        if sign {
            call = call.argument("-S");
        }
        if let Some(parent) = &link.parent {
            call = call.argument("-p").argument(parent.as_str());
        }
        let [author, committer] = [&link.author, &link.committer];
        call = call
            .variable("GIT_AUTHOR_NAME", author.person.name.clone())
            .variable("GIT_AUTHOR_EMAIL", author.person.email.clone())
            .variable("GIT_AUTHOR_DATE", date(author))
            .variable("GIT_COMMITTER_NAME", committer.person.name.clone())
            .variable("GIT_COMMITTER_EMAIL", committer.person.email.clone())
            .variable("GIT_COMMITTER_DATE", date(committer))
            .input(link.message.clone().into_bytes());
        self.write_object(call)
    }

    fn raw_link(self, id: &ObjectId) -> Result<Option<RawLink>, GitError> {
        let objects = self.repository.objects();
        let commit = match objects.commit(id) {
            Err(GitError::Object { fault: ObjectFault::WrongKind { .. }, .. }) => return Ok(None),
            commit => commit?,
        };
        let entries = objects
            .tree(&commit.tree)?
            .into_iter()
            .map(|entry| (entry.name, RawEntry { id: entry.id, is_file: entry.kind == TreeEntryKind::File }));
        Ok(Some(RawLink {
            parents: commit.parents,
            author: commit.author,
            committer: commit.committer,
            message: commit.message,
            entries: entries.collect(),
        }))
    }
}

impl Store for GitStore<'_> {
    fn hash_kind(&self) -> HashKind {
        self.repository.hash_kind()
    }

    fn tip(&self, reference: &str) -> Result<Option<ObjectId>, Error> {
        Ok(self.repository.direct_value(reference)?)
    }

    fn link(&self, id: &ObjectId) -> Result<Option<RawLink>, Error> {
        Ok(self.raw_link(id)?)
    }

    fn file(&self, id: &ObjectId) -> Result<Vec<u8>, Error> {
        Ok(self.repository.objects().file(id)?)
    }

    fn prefetch(&self, files: &[&ObjectId]) -> Result<(), Error> {
        Ok(self.repository.location().bring(files.iter().copied().cloned(), &[])?)
    }

    fn refs_under(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, Error> {
        Ok(self.repository.references_under(prefix)?)
    }

    fn identities(&self) -> Result<(Signature, Signature), Error> {
        Ok(self.repository.program().identities()?)
    }

    fn write(&self, link: &NewLink) -> Result<ObjectId, Error> {
        let id = self.write_commit(link, self.signs(link)?)?;
        // No ref comes to name a link that would not count.
        check_signature(self, NEW_LINK, &id, link.parent.as_ref())?;
        Ok(id)
    }

    fn holds(&self, id: &ObjectId) -> Result<bool, Error> {
        Ok(self.repository.holds_commit(id)?)
    }

    fn is_shallow(&self) -> bool {
        self.repository.is_shallow()
    }

    fn signed_by(&self, commits: &[ObjectId], allowed: &[u8]) -> Result<bool, Error> {
        Ok(self.repository.signed_by(commits, allowed)?)
    }

    fn update_all(&self, moves: &[RefMove], reason: &str) -> Result<Written, Error> {
        Ok(match self.repository.program().update_refs(moves, reason)? {
            Update::Updated => Written::Done,
            Update::Moved => Written::Moved,
        })
    }
}

/// One chain beside the history of the commits that it evaluated.
#[derive(Clone, Copy)]
pub struct GitHistory<'r> {
    store: GitStore<'r>,
    place: &'r Place,
}

impl History for GitHistory<'_> {
    fn link(&self, id: &ObjectId) -> Result<Link, BaselineError> {
        read_head(&self.store, self.place, id)
    }

    fn lineage(&self, evaluated: &ObjectId, commit: &ObjectId) -> Result<Lineage, BaselineError> {
        if evaluated == commit {
            return Ok(Lineage::Ancestor);
        }
        let repository = self.store.repository;
        if repository.is_shallow() {
            return Ok(Lineage::Shallow);
        }
        if !repository.holds_commit(evaluated).map_err(Error::from)? {
            return Ok(Lineage::Absent);
        }
        let ancestor = repository.objects().is_ancestor(evaluated, commit).map_err(Error::from)?;
        Ok(if ancestor { Lineage::Ancestor } else { Lineage::Unrelated })
    }
}

/// A date in the form of which git asks nothing more.
fn date(signature: &Signature) -> String {
    let minutes = signature.at.offset_minutes;
    let sign = if minutes < 0 { '-' } else { '+' };
    let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
    format!("@{} {sign}{hours:02}{minutes:02}", signature.at.seconds)
}
