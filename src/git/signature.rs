//! Who signed a commit: git's own verification decides by its exit status. Its text does not: of an
//! unknown signer it says "Good" as well.

use std::io::Write as _;

use crate::git::error::GitError;
use crate::git::objects::ObjectKind;
use crate::git::program::Call;
use crate::git::repository::Repository;
use crate::ids::{HashKind, ObjectId};

/// What an SSH signature begins with. git tells by the same words which program verifies it.
const SSH: &[u8] = b"-----BEGIN SSH SIGNATURE-----";

impl Repository {
    /// Whether each of these commits carries an SSH signature of one of the allowed signers.
    ///
    /// # Errors
    /// A commit cannot be read, the signers cannot be written down, or the program cannot be run.
    pub(super) fn signed_by(&self, commits: &[ObjectId], allowed: &[u8]) -> Result<bool, GitError> {
        for commit in commits {
            let mut bytes = Vec::new();
            self.objects().read(commit, ObjectKind::Commit, &mut bytes)?;
            // An OpenPGP signature would be held against the keyring of this machine.
            if !has_ssh_signature(&bytes, self.hash_kind()) {
                return Ok(false);
            }
        }
        let failed = |source| GitError::Scratch { source };
        let mut file = tempfile::Builder::new().prefix("diag-gate-signers-").tempfile().map_err(failed)?;
        file.write_all(allowed).and_then(|()| file.flush()).map_err(failed)?;
        let setting = format!("gpg.ssh.allowedSignersFile={}", file.path().display());
        let mut call = Call::new(&["-c", &setting, "verify-commit"]);
        for commit in commits {
            call = call.argument(commit.as_str());
        }
        Ok(self.program().output(call)?.status.success())
    }
}

fn has_ssh_signature(commit: &[u8], hash: HashKind) -> bool {
    let name: &[u8] = match hash {
        HashKind::Sha1 => b"gpgsig ",
        HashKind::Sha256 => b"gpgsig-sha256 ",
    };
    let header = commit.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    let mut signatures = header.filter_map(|line| line.strip_prefix(name));
    // A commit with two would be one that git reads in its own way.
    matches!((signatures.next(), signatures.next()), (Some(first), None) if first.starts_with(SSH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_signature_of_ssh_counts() {
        let commit = |header: &str| format!("tree x\n{header}\n\ngpgsig -----BEGIN SSH SIGNATURE-----\n");
        let ssh = "gpgsig -----BEGIN SSH SIGNATURE-----\n abc";
        let pgp = "gpgsig -----BEGIN PGP SIGNATURE-----\n abc";
        let found = |header: &str| has_ssh_signature(commit(header).as_bytes(), HashKind::Sha1);
        assert!(found(ssh));
        assert!(!found(pgp));
        assert!(!found("author x"));
        assert!(!found(&format!("{ssh}\n{pgp}")));
        assert!(!found("gpgsig-sha256 -----BEGIN SSH SIGNATURE-----"));
    }
}
