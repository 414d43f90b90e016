//! Run notes: one line for people on a commit (baseline.md section 1). Nothing depends on them.
//!
//! `git notes add` moves its ref without looking, and loses the notes of whoever writes at the same
//! time. So a note is written to a ref of its own first, and that one's value is then put in place of the
//! value it began with, or all is done again.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::git::error::GitError;
use crate::git::program::{Call, Update};
use crate::git::repository::Repository;
use crate::ids::ObjectId;

const TRIES: u32 = 200;

static NUMBER: AtomicU32 = AtomicU32::new(0);

impl Repository {
    /// Puts a line into the note of a commit, in place of the lines there that begin with `own`; all
    /// others stay. Writers at the same time lose nothing.
    ///
    /// # Errors
    /// The repository cannot be written to, or git does not know who is acting.
    pub fn write_note(
        &self,
        reference: &str,
        commit: &ObjectId,
        own: &str,
        line: &str,
    ) -> Result<(), GitError> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let scratch = format!("refs/notes/diag-gate-scratch/{}-{number}", std::process::id());
        self.program().identities()?;
        for attempt in 0..TRIES {
            let old = self.direct_value(reference)?;
            let done = self.try_note(&scratch, old.as_ref(), commit, (own, line));
            let update = match done {
                Ok(Some(new)) => self.program().update_ref(reference, &new, old.as_ref(), "run note"),
                Ok(None) => Ok(Update::Updated),
                Err(error) => Err(error),
            };
            if let Some(left) = self.direct_value(&scratch)? {
                self.program().update_refs(&[remove(&scratch, left)], "run note")?;
            }
            if update? == Update::Updated {
                return Ok(());
            }
            let wait = u64::from(std::process::id() % 7 + 1) * u64::from(attempt.min(10) + 1);
            std::thread::sleep(std::time::Duration::from_millis(wait));
        }
        Err(GitError::Reference {
            reference: reference.to_owned(),
            why: format!("was moved by other writers {TRIES} times"),
        })
    }

    /// The notes with this one in them; `None` where it stands there already.
    fn try_note(
        &self,
        scratch: &str,
        old: Option<&ObjectId>,
        commit: &ObjectId,
        (own, line): (&str, &str),
    ) -> Result<Option<ObjectId>, GitError> {
        let program = self.program();
        if let Some(old) = old {
            program.update_ref(scratch, old, None, "run note")?;
        }
        let show = Call::new(&["notes", "--ref", scratch, "show", commit.as_str()]);
        let output = program.output(show)?;
        let before = if output.status.success() { output.stdout } else { Vec::new() };
        let after = with_line(&before, own.as_bytes(), line.as_bytes());
        if after == before {
            return Ok(None);
        }
        let blob = program.run(Call::new(&["hash-object", "-w", "-t", "blob", "--stdin"]).input(after))?;
        let blob = String::from_utf8_lossy(&blob).trim().to_owned();
        // By its blob, so that the lines of others are taken over byte for byte.
        program.run(Call::new(&["notes", "--ref", scratch, "add", "-f", "-C", &blob, commit.as_str()]))?;
        self.direct_value(scratch)
    }
}

fn remove(reference: &str, expected: ObjectId) -> crate::baseline::RefMove {
    crate::baseline::RefMove { reference: reference.to_owned(), expected: Some(expected), new: None }
}

/// The note with the line in place of the first of its own lines, the others of which go.
fn with_line(note: &[u8], own: &[u8], line: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    let mut placed = false;
    let lines = note.strip_suffix(b"\n").unwrap_or(note).split(|byte| *byte == b'\n');
    for old in lines.filter(|_| !note.is_empty()) {
        let next = match (old.starts_with(own), placed) {
            (true, true) => continue,
            (true, false) => {
                placed = true;
                line
            }
            (false, _) => old,
        };
        written.extend_from_slice(next);
        written.push(b'\n');
    }
    if !placed {
        written.extend_from_slice(line);
        written.push(b'\n');
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_lines_are_replaced_and_others_kept() {
        let with = |note: &str| String::from_utf8(with_line(note.as_bytes(), b"own: ", b"own: new")).unwrap();
        assert_eq!(with(""), "own: new\n");
        assert_eq!(with("theirs\n\nmore"), "theirs\n\nmore\nown: new\n");
        assert_eq!(with("a\nown: old\nb\nown: older\n"), "a\nown: new\nb\n");
        assert_eq!(with("own: new\n"), "own: new\n");
        assert_eq!(with("\n"), "\nown: new\n");
    }
}
