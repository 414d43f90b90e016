//! Partial clones: what is missing is looked up first and fetched in one request, never one by one.

use std::collections::BTreeSet;

use crate::baseline::Message;
use crate::git::discover::{PROMISES, text};
use crate::git::error::GitError;
use crate::git::parse::TreeEntryKind;
use crate::git::program::{Call, Program};
use crate::git::repository::{Location, Repository};
use crate::ids::ObjectId;

/// Where this program keeps what it writes unless the settings say otherwise, which a clone may lack, too.
const USUAL_PREFIX: &str = "refs/diag-gate";

impl Location {
    /// Sees to it that these objects are here, or were never promised. `beside`: what is asked for
    /// along with them where there is a request at all, so that there need not be a second one.
    ///
    /// # Errors
    /// [`GitError::NotBrought`] names those that did not come.
    pub(super) fn bring(
        &self,
        ids: impl IntoIterator<Item = ObjectId>,
        beside: &[ObjectId],
    ) -> Result<(), GitError> {
        if !self.found.partial {
            return Ok(());
        }
        let wanted: BTreeSet<ObjectId> = ids.into_iter().collect();
        let mut missing = self.missing(&wanted)?;
        if missing.is_empty() {
            return Ok(());
        }
        let mut request = missing.clone();
        request.extend(self.missing(&beside.iter().cloned().collect())?);
        let mut words = String::new();
        for remote in self.program.promises()? {
            words.push_str(&self.program.fetch_objects(&remote, &request)?);
            missing = self.missing(&missing)?;
            if missing.is_empty() {
                return Ok(());
            }
            request.clone_from(&missing);
        }
        Err(GitError::NotBrought { missing: missing.into_iter().collect(), words })
    }

    fn missing(&self, wanted: &BTreeSet<ObjectId>) -> Result<BTreeSet<ObjectId>, GitError> {
        let objects = self.open()?;
        let mut missing = BTreeSet::new();
        for id in wanted {
            if !objects.has(id)? {
                missing.insert(id.clone());
            }
        }
        Ok(missing)
    }
}

/// What a partial clone is likely to lack of the newest baselines, and of what is accepted beside them.
#[derive(Clone, Debug, Default)]
pub(super) struct Accepted {
    /// Their files: whoever evaluates a suite is about to compare it.
    pub(super) files: Vec<ObjectId>,
    /// The commits that they were accepted on, whose results they hold.
    pub(super) commits: Vec<ObjectId>,
}

impl Repository {
    /// A ref or link that cannot be read is left to who reads it for its own sake.
    pub(super) fn accepted(&self) -> Accepted {
        let objects = self.objects();
        let mut accepted = Accepted::default();
        for (_, tip) in self.references_under(USUAL_PREFIX).unwrap_or_default() {
            let Ok(link) = objects.commit(&tip) else { continue };
            let files = objects.tree(&link.tree).unwrap_or_default().into_iter();
            let files = files.filter(|entry| entry.kind == TreeEntryKind::File);
            accepted.files.extend(files.map(|entry| entry.id));
            let message = Message::parse(&link.message);
            accepted.commits.extend(message.ok().map(|message| message.trailers.evaluated));
        }
        accepted
    }
}

impl Program {
    /// The remotes that promised what is missing, in the order in which git would ask them.
    pub(super) fn promises(&self) -> Result<Vec<Vec<u8>>, GitError> {
        let output = self.output(Call::new(&["config", "-z", "--get-regexp", PROMISES]))?;
        match output.status.code() {
            Some(0) => {}
            Some(1) => return Ok(Vec::new()),
            Some(_) | None => {
                return Err(GitError::Program {
                    command: "config".to_owned(),
                    status: output.status.to_string(),
                    words: String::from_utf8_lossy(&output.stderr).into_owned(),
                });
            }
        }
        Ok(promising(&output.stdout))
    }

    /// Fetches objects by their ids, and nothing that they lead to; gives git's words where it failed.
    fn fetch_objects(&self, remote: &[u8], ids: &BTreeSet<ObjectId>) -> Result<String, GitError> {
        let asked: String = ids.iter().map(|id| format!("{}\n", id.as_str())).collect();
        let call = Call::new(&[
            "-c",
            "fetch.negotiationAlgorithm=noop",
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-prune",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--recurse-submodules=no",
            "--filter=blob:none",
            "--stdin",
            "--end-of-options",
        ]);
        let output = self.output(call.argument(text(remote)).input(asked.into_bytes()))?;
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(if output.status.success() { String::new() } else { words })
    }
}

/// Reads `KEY\nVALUE\0`, or `KEY\0` for a key without a value, which is true.
fn promising(listed: &[u8]) -> Vec<Vec<u8>> {
    let mut remotes: Vec<Vec<u8>> = Vec::new();
    let mut last = None;
    for setting in listed.split(|byte| *byte == 0).filter(|setting| !setting.is_empty()) {
        let end = setting.iter().position(|byte| *byte == b'\n');
        let (key, value) = match end {
            Some(end) => (&setting[..end], &setting[end + 1..]),
            None => (setting, &b"true"[..]),
        };
        let name = key.strip_prefix(b"remote.").and_then(|rest| rest.strip_suffix(b".promisor"));
        match name {
            Some(name) if is_true(value) && !remotes.iter().any(|known| known == name) => {
                remotes.push(name.to_vec());
            }
            Some(_) => {}
            // git asks the remote of the older setting last.
            None => last = Some(value.to_vec()),
        }
    }
    remotes.retain(|name| Some(name) != last.as_ref());
    remotes.extend(last);
    remotes
}

fn is_true(value: &[u8]) -> bool {
    let value = value.to_ascii_lowercase();
    [&b"true"[..], b"yes", b"on", b"1"].contains(&value.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_that_promise_are_asked_in_order() {
        let listed = b"extensions.partialclone\nold\0remote.a.promisor\ntrue\0remote.b.c.promisor\0remote.d.promisor\nfalse\0remote.a.promisor\nyes\0";
        assert_eq!(promising(listed), [&b"a"[..], b"b.c", b"old"]);
        assert_eq!(promising(b"remote.old.promisor\ntrue\0extensions.partialclone\nold\0"), [b"old"]);
        assert!(promising(b"").is_empty());
    }
}
