//! Objects through the program: one `git cat-file` that lives as long as its reader.
//!
//! Right in every repository that git itself reads. The size of an object is asked before its bytes.
//! A program that dies is an error, never the end of data.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::git::error::{GitError, ObjectFault};
use crate::git::objects::ObjectKind;
use crate::git::program::{Call, Program};
use crate::ids::ObjectId;

/// The most bytes that are kept of what git complains.
const KEPT_WORDS: u64 = 64 * 1024;
/// The longest line that git answers before the bytes of an object.
const LONGEST_ANSWER: u64 = 256;

/// Reads objects, in one thread. The program is started by the first question.
pub(super) struct Batch {
    program: Arc<Program>,
    running: RefCell<Option<Running>>,
}

struct Running {
    child: Child,
    /// `None` once it was closed.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    words: Option<JoinHandle<Vec<u8>>>,
}

/// What git answers before the bytes.
enum Answer {
    Missing,
    Object { kind: ObjectKind, size: u64, line: Vec<u8> },
}

/// Why an answer did not come.
enum Failure {
    /// The program has gone; whether it had begun to answer.
    Died { answered: bool },
    /// What came is no answer.
    Odd(&'static str),
    /// The object is of another kind than what was asked for.
    Kind { expected: ObjectKind, found: ObjectKind },
}

impl Batch {
    pub(super) fn new(program: Arc<Program>) -> Self {
        Self { program, running: RefCell::new(None) }
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// The kind and the size in bytes.
    pub(super) fn header(&self, id: &ObjectId) -> Result<(ObjectKind, u64), GitError> {
        match self.exchange(id, |running| running.info(id))? {
            Answer::Object { kind, size, .. } => Ok((kind, size)),
            Answer::Missing => Err(self.why_missing(id)?),
        }
    }

    /// Replaces `buffer` by the bytes of an object of the expected kind.
    pub(super) fn read(
        &self,
        id: &ObjectId,
        expected: ObjectKind,
        buffer: &mut Vec<u8>,
    ) -> Result<(), GitError> {
        if self.exchange(id, |running| running.contents(id, expected, buffer))? {
            return Ok(());
        }
        Err(self.why_missing(id)?)
    }

    /// Whether git can tell anything of an object: one that is damaged reads as missing.
    pub(super) fn reads(&self, id: &ObjectId) -> Result<bool, GitError> {
        Ok(matches!(self.exchange(id, |running| running.info(id))?, Answer::Object { .. }))
    }

    /// Whether an object stands in the repository, damaged or not.
    pub(super) fn holds(&self, id: &ObjectId) -> Result<bool, GitError> {
        Ok(self.reads(id)? || self.stands(id)?)
    }

    /// git says "missing" of a damaged object, too: whether it stands is asked apart.
    fn stands(&self, id: &ObjectId) -> Result<bool, GitError> {
        let output = self.program.output(Call::new(&["cat-file", "-e", id.as_str()]))?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            Some(_) | None => Err(failed(output.status, &output.stderr)),
        }
    }

    /// The error for an object of which git says that it is missing.
    fn why_missing(&self, id: &ObjectId) -> Result<GitError, GitError> {
        let fault = if self.stands(id)? {
            let output = self.program.output(Call::new(&["cat-file", "-t", id.as_str()]))?;
            ObjectFault::Damaged(first_line(&output.stderr))
        } else {
            ObjectFault::Missing
        };
        Ok(GitError::Object { id: id.clone(), fault })
    }

    /// Asks the running program, which is only kept where it answered as it should.
    fn exchange<T>(
        &self,
        id: &ObjectId,
        talk: impl FnOnce(&mut Running) -> Result<T, Failure>,
    ) -> Result<T, GitError> {
        let mut running = match self.running.borrow_mut().take() {
            Some(running) => running,
            None => Running::start(&self.program)?,
        };
        let failure = match talk(&mut running) {
            Ok(answer) => {
                self.running.replace(Some(running));
                return Ok(answer);
            }
            Err(failure) => failure,
        };
        let fault = match failure {
            Failure::Died { answered } => {
                let (status, words) = running.end();
                // git ends with 128 where it cannot go on for what it reads.
                if !answered || status.is_none_or(|status| status.code() != Some(128)) {
                    return Err(died(status, &words));
                }
                ObjectFault::Damaged(first_line(&words))
            }
            Failure::Odd(why) => ObjectFault::Damaged(why.to_owned()),
            Failure::Kind { expected, found } => {
                ObjectFault::WrongKind { expected: expected.as_str(), found: found.as_str() }
            }
        };
        Err(GitError::Object { id: id.clone(), fault })
    }
}

impl Running {
    fn start(program: &Program) -> Result<Self, GitError> {
        let mut child = program.start(&Call::new(&["cat-file", "--batch-command"]))?;
        let input = Some(child.stdin.take().expect("its input was piped"));
        let output = BufReader::with_capacity(64 * 1024, child.stdout.take().expect("its output was piped"));
        let complaints = child.stderr.take().expect("its complaints were piped");
        // Read beside the answers, so that the program never waits for someone to hear it.
        let words = std::thread::spawn(move || {
            let mut kept = Vec::new();
            let mut complaints = complaints.take(KEPT_WORDS);
            // What was read before a failure is what there is to tell.
            let _ = complaints.read_to_end(&mut kept);
            let _ = std::io::copy(complaints.get_mut(), &mut std::io::sink());
            kept
        });
        Ok(Self { child, input, output, words: Some(words) })
    }

    fn info(&mut self, id: &ObjectId) -> Result<Answer, Failure> {
        self.ask(&format!("info {}\n", id.as_str()))?;
        self.answer(id)
    }

    /// The bytes of an object; `false`: git says that it is missing.
    ///
    /// git trusts the size that an object says of itself. So the same question is asked once more
    /// behind the bytes: where its answer comes early or late, the bytes are not those.
    fn contents(
        &mut self,
        id: &ObjectId,
        expected: ObjectKind,
        buffer: &mut Vec<u8>,
    ) -> Result<bool, Failure> {
        self.ask(&format!("contents {0}\ninfo {0}\n", id.as_str()))?;
        let Answer::Object { kind, size, line } = self.answer(id)? else {
            return match self.answer(id)? {
                Answer::Missing => Ok(false),
                Answer::Object { .. } => Err(Failure::Odd("it came while it was read")),
            };
        };
        if kind != expected {
            return Err(Failure::Kind { expected, found: kind });
        }
        let end = [b"\n", line.as_slice()].concat();
        let size = usize::try_from(size).map_err(|_| Failure::Odd("larger than memory"))?;
        let total = size.checked_add(end.len()).ok_or(Failure::Odd("larger than memory"))?;
        buffer.clear();
        while buffer.len() < total {
            let piece = match self.output.fill_buf() {
                Ok(piece) if !piece.is_empty() => piece,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Ok(_) | Err(_) => return Err(Failure::Died { answered: true }),
            };
            let taken = piece.len().min(total - buffer.len());
            buffer.extend_from_slice(&piece[..taken]);
            self.output.consume(taken);
            if buffer.len() < total && buffer.ends_with(&end) {
                return Err(Failure::Odd("it has fewer bytes than it says"));
            }
        }
        if !buffer.ends_with(&end) {
            return Err(Failure::Odd("it has more bytes than it says"));
        }
        buffer.truncate(size);
        Ok(true)
    }

    fn ask(&mut self, question: &str) -> Result<(), Failure> {
        let written = self.input.as_mut().map(|input| input.write_all(question.as_bytes()));
        match written {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(Failure::Died { answered: false }),
        }
    }

    fn answer(&mut self, id: &ObjectId) -> Result<Answer, Failure> {
        let mut line = Vec::new();
        let read = (&mut self.output).take(LONGEST_ANSWER).read_until(b'\n', &mut line);
        if read.is_err() || line.last() != Some(&b'\n') {
            return Err(Failure::Died { answered: false });
        }
        parse_answer(id, line).ok_or(Failure::Odd("git answers what cannot be understood"))
    }

    /// Waits for a program that has gone, and for its last words.
    fn end(mut self) -> (Option<ExitStatus>, Vec<u8>) {
        self.input = None;
        // One whose output has ended is about to end itself; it is not waited for without end.
        let mut status = None;
        within_a_moment(|| {
            status = self.child.try_wait().ok().flatten();
            status.is_some()
        });
        if status.is_none() {
            let _ = self.child.kill();
            status = self.child.wait().ok();
        }
        let words = self.words.take();
        // A program that it started may hold the pipe open still.
        let ended = words.filter(|words| within_a_moment(|| words.is_finished()));
        (status, ended.and_then(|words| words.join().ok()).unwrap_or_default())
    }
}

impl Drop for Running {
    /// No program is left behind, and none unreaped. Where `git` is one that started another, that
    /// one ends with its input.
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks again and again, for about a second, whether something has come to be.
fn within_a_moment(mut is_so: impl FnMut() -> bool) -> bool {
    (0..200).any(|_| {
        let so = is_so();
        if !so {
            std::thread::sleep(Duration::from_millis(5));
        }
        so
    })
}

/// Reads `ID missing` or `ID KIND SIZE`.
fn parse_answer(id: &ObjectId, line: Vec<u8>) -> Option<Answer> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let (named, rest) = text.split_once(' ')?;
    if named != id.as_str() {
        return None;
    }
    if rest == "missing" {
        return Some(Answer::Missing);
    }
    let (kind, size) = rest.split_once(' ')?;
    let kinds = [ObjectKind::Commit, ObjectKind::Tree, ObjectKind::Blob, ObjectKind::Tag];
    let kind = kinds.into_iter().find(|known| known.as_str() == kind)?;
    let size = size.parse().ok()?;
    Some(Answer::Object { kind, size, line })
}

fn failed(status: ExitStatus, words: &[u8]) -> GitError {
    died(Some(status), words)
}

fn died(status: Option<ExitStatus>, words: &[u8]) -> GitError {
    GitError::Program {
        command: "cat-file".to_owned(),
        status: status.map_or_else(|| "it ended early".to_owned(), |status| status.to_string()),
        words: String::from_utf8_lossy(words).into_owned(),
    }
}

/// The first thing that git complained of: what follows follows from it.
fn first_line(words: &[u8]) -> String {
    let words = String::from_utf8_lossy(words);
    words.lines().next().unwrap_or("git cannot read it").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_strictly() {
        let id = ObjectId::parse(&"ab".repeat(20)).unwrap();
        let read = |rest: &str| parse_answer(&id, format!("{} {rest}\n", id.as_str()).into_bytes());
        assert!(matches!(read("missing"), Some(Answer::Missing)));
        assert!(matches!(read("blob 12"), Some(Answer::Object { kind: ObjectKind::Blob, size: 12, .. })));
        for odd in ["", "blob", "blob -1", "blob x", "ambiguous", "thing 1", "missing 1 2", "blob 1 2"] {
            assert!(read(odd).is_none(), "{odd}");
        }
        assert!(parse_answer(&id, b"cd missing\n".to_vec()).is_none());
        assert!(parse_answer(&id, b"fatal: no\n".to_vec()).is_none());
    }
}
