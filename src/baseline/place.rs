//! Where a chain of baselines is kept: the names of refs (baseline.md section 1).

use crate::baseline::error::BaselineError;
use crate::baseline::store::Store;
use crate::ids::{Digest, Name, ObjectId};

/// The tree of refs that holds everything of this program, `store.prefix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix(String);

/// One chain: of one suite, under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The suite.
    pub suite: Name,
    /// The name of the baseline, `main` unless chosen.
    pub name: Name,
    /// The full name of the local ref.
    pub reference: String,
    prefix: Prefix,
}

impl Prefix {
    /// Takes the configured prefix, which its reader has looked at.
    pub fn new(prefix: &str) -> Self {
        Self(prefix.trim_end_matches('/').to_owned())
    }

    /// All local chains, without a final `/`.
    pub fn baselines(&self) -> String {
        format!("{}/baselines", self.0)
    }

    /// What was last fetched from anywhere, without a final `/`.
    pub fn remotes(&self) -> String {
        format!("{}/remotes", self.0)
    }

    /// The chain of a suite under a name.
    pub fn place(&self, suite: &Name, name: &Name) -> Place {
        Place {
            suite: suite.clone(),
            name: name.clone(),
            reference: format!("{}/{}/{}", self.baselines(), suite.as_str(), name.as_str()),
            prefix: self.clone(),
        }
    }

    /// The folders of one suite that are shared with a remote, each beside that of its fetched copy.
    pub fn shared(&self, suite: &Name, remote: &str) -> Vec<(String, String)> {
        let folders = ["baselines", "pending"].map(|folder| format!("{folder}/{}", suite.as_str()));
        let pair = |folder| (format!("{}/{folder}", self.0), format!("{}/{remote}/{folder}", self.remotes()));
        folders.into_iter().map(pair).collect()
    }

    /// The copy of a ref of this tree that was last fetched from a remote.
    pub fn fetched_copy(&self, reference: &str, remote: &str) -> String {
        let below = reference.strip_prefix(&self.0).unwrap_or(reference);
        format!("{}/{remote}/{}", self.remotes(), below.trim_start_matches('/'))
    }

    /// The baselines that stand in this repository under any suite and name, fetched copies too: where
    /// there is one, a missing baseline is not let through (baseline.md section 3).
    ///
    /// # Errors
    /// The surroundings failed, or one of the refs cannot be read.
    pub fn all_baselines(&self, store: &dyn Store) -> Result<Vec<(String, ObjectId)>, BaselineError> {
        let mut all = store.refs_under(&self.baselines())?;
        let remotes = self.remotes();
        let fetched = store.refs_under(&remotes)?;
        all.extend(fetched.into_iter().filter(|(name, _)| is_fetched_baseline(name, &remotes)));
        Ok(all)
    }
}

impl Place {
    /// The copy of this chain that was last fetched from a remote.
    pub fn fetched(&self, remote: &str) -> String {
        format!("{}/{remote}/baselines/{}/{}", self.prefix.remotes(), self.suite.as_str(), self.name.as_str())
    }

    /// The acceptances of content that has not landed yet, without a final `/`.
    pub fn pending(&self) -> String {
        format!("{}/pending/{}/{}", self.prefix.0, self.suite.as_str(), self.name.as_str())
    }

    /// The copies of these that were last fetched from a remote, without a final `/`.
    pub fn fetched_pending(&self, remote: &str) -> String {
        format!("{}/{remote}/pending/{}/{}", self.prefix.remotes(), self.suite.as_str(), self.name.as_str())
    }

    /// The acceptance of one content that has not landed yet.
    pub fn pending_of(&self, suite_digest: &Digest) -> String {
        format!("{}/{}", self.pending(), &suite_digest.as_str()[..16])
    }

    /// The tip last seen in this clone.
    pub fn seen(&self) -> String {
        format!("{}/seen/{}/{}", self.prefix.0, self.suite.as_str(), self.name.as_str())
    }

    /// Whether a ref is the copy of this chain that was fetched from some remote.
    pub(super) fn is_copied_by(&self, reference: &str) -> bool {
        let below = reference.strip_prefix(&self.prefix.remotes());
        let end = format!("/baselines/{}/{}", self.suite.as_str(), self.name.as_str());
        below.and_then(|below| below.strip_suffix(&end)).is_some_and(|remote| remote.len() > 1)
    }

    /// The acceptances of content that has not landed yet: here, and what was last fetched of them.
    ///
    /// # Errors
    /// The surroundings failed, or one of the refs cannot be read.
    pub(super) fn all_pending(&self, store: &dyn Store) -> Result<Vec<(String, ObjectId)>, BaselineError> {
        let mut all = store.refs_under(&self.pending())?;
        let middle = format!("/pending/{}/{}/", self.suite.as_str(), self.name.as_str());
        let fetched = store.refs_under(&self.prefix.remotes())?;
        all.extend(fetched.into_iter().filter(|(reference, _)| reference.contains(&middle)));
        Ok(all)
    }

    /// What people call it, `SUITE/NAME`.
    pub fn title(&self) -> String {
        format!("{}/{}", self.suite.as_str(), self.name.as_str())
    }

    /// The copies of this chain that were fetched, by name.
    ///
    /// # Errors
    /// Another chain's name differs only in letter case, or the refs cannot be read.
    pub(super) fn copies(&self, store: &dyn Store) -> Result<Vec<(String, ObjectId)>, BaselineError> {
        let mut chains = self.prefix.all_baselines(store)?;
        self.check_letter_case(&chains)?;
        chains.retain(|(reference, _)| self.is_copied_by(reference));
        Ok(chains)
    }

    /// Refuses a chain beside which another one stands whose name differs only in letter case: on
    /// many disks the two are one.
    fn check_letter_case(&self, chains: &[(String, ObjectId)]) -> Result<(), BaselineError> {
        let own = (self.suite.as_str(), self.name.as_str());
        for (reference, _) in chains {
            let mut parts = reference.rsplit('/');
            let (Some(name), Some(suite)) = (parts.next(), parts.next()) else { continue };
            let suite_clashes = suite != own.0 && suite.eq_ignore_ascii_case(own.0);
            let name_clashes = suite == own.0 && name != own.1 && name.eq_ignore_ascii_case(own.1);
            if suite_clashes || name_clashes {
                return Err(BaselineError::LetterCase {
                    reference: self.reference.clone(),
                    other: reference.clone(),
                });
            }
        }
        Ok(())
    }
}

fn is_fetched_baseline(reference: &str, remotes: &str) -> bool {
    // The name of a remote may itself hold slashes.
    let below = reference.strip_prefix(remotes).unwrap_or_default();
    let parts: Vec<&str> = below.trim_start_matches('/').split('/').collect();
    parts.len() >= 4 && parts[parts.len() - 3] == "baselines"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_stand_where_the_spec_says() {
        let name = |text| Name::parse(text).unwrap();
        let place = Prefix::new("refs/diag-gate/").place(&name("default"), &name("main"));
        assert_eq!(place.reference, "refs/diag-gate/baselines/default/main");
        assert_eq!(place.fetched("origin"), "refs/diag-gate/remotes/origin/baselines/default/main");
        assert_eq!(place.seen(), "refs/diag-gate/seen/default/main");
        let digest = Digest::parse(&"0123456789abcdef".repeat(4)).unwrap();
        assert_eq!(place.pending_of(&digest), "refs/diag-gate/pending/default/main/0123456789abcdef");
        assert_eq!(place.title(), "default/main");
    }

    #[test]
    fn fetched_baselines_are_told_from_fetched_acceptances() {
        let remotes = "refs/diag-gate/remotes";
        assert!(is_fetched_baseline("refs/diag-gate/remotes/origin/baselines/default/main", remotes));
        assert!(is_fetched_baseline("refs/diag-gate/remotes/a/b/baselines/default/main", remotes));
        assert!(!is_fetched_baseline("refs/diag-gate/remotes/origin/pending/default/main/0123", remotes));
        assert!(!is_fetched_baseline("refs/diag-gate/remotes/baselines/default/main", remotes));
    }
}
