//! Fetch and push of baselines, by the git program: it alone knows the user's credentials. What came
//! of a push is read from the flags of `--porcelain` and the exit status, never from words.

use crate::baseline::{Push, RefMove, Remote};
use crate::error::Error;
use crate::git::error::GitError;
use crate::git::program::Call;
use crate::git::repository::Repository;
use crate::ids::ObjectId;

/// How often a fetch is tried that another fetch in this repository got in the way of.
const TRIES: u64 = 20;

/// A remote that git is configured to know.
pub struct GitRemote<'r> {
    repository: &'r Repository,
    name: String,
}

/// How much history a fetch brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// All that is missing.
    Whole,
    /// The commits alone that are asked for.
    One,
}

/// A fetch that touches nothing but what it is asked for.
const FETCH: [&str; 8] = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--no-filter",
    "--refmap=",
];

/// What a fetch came to, by the exit status of the program.
const FETCHED: i32 = 0;
/// The remote answered, but a ref could not be written here.
const NOT_WRITTEN: i32 = 1;

impl<'r> GitRemote<'r> {
    /// Takes a remote by its name.
    ///
    /// # Errors
    /// [`GitError::NoRemote`] where there is none of this name, or it could be no part of the name of a ref.
    pub fn new(repository: &'r Repository, name: &str) -> Result<Self, GitError> {
        let unknown = || GitError::NoRemote { name: name.to_owned() };
        if name.starts_with('-') || !git2::Reference::is_valid_name(&format!("refs/remotes/{name}/x")) {
            return Err(unknown());
        }
        let call = Call::new(&["remote", "get-url", "--end-of-options"]).argument(name);
        if !repository.program().output(call)?.status.success() {
            return Err(unknown());
        }
        Ok(Self { repository, name: name.to_owned() })
    }

    /// The refs that the remote has below a folder, with their values; none where it answers that it has none.
    ///
    /// # Errors
    /// The remote does not answer.
    pub fn list(&self, folder: &str) -> Result<Vec<(String, ObjectId)>, GitError> {
        self.listed(&[format!("{folder}/*")])
    }

    /// The refs of exactly these names that the remote has, with their values.
    ///
    /// # Errors
    /// The remote does not answer.
    pub fn find(&self, references: &[&str]) -> Result<Vec<(String, ObjectId)>, GitError> {
        let patterns: Vec<String> = references.iter().map(|name| (*name).to_owned()).collect();
        let mut found = self.listed(&patterns)?;
        // A pattern also fits the end of a longer name.
        found.retain(|(name, _)| references.contains(&name.as_str()));
        Ok(found)
    }

    /// The refs that fit one of these patterns.
    fn listed(&self, patterns: &[String]) -> Result<Vec<(String, ObjectId)>, GitError> {
        let call = Call::new(&["ls-remote", "--refs", "--end-of-options"]).over_network();
        let call = patterns.iter().fold(call.argument(&self.name), Call::argument);
        let output = self.repository.program().output(call)?;
        if !output.status.success() {
            return Err(self.no_answer(&output.stderr));
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        let lines = printed.lines().filter_map(|line| line.split_once('\t'));
        Ok(lines.filter_map(|(id, name)| Some((name.to_owned(), ObjectId::parse(id)?))).collect())
    }

    /// The names of all baselines there, under any prefix, suite and name.
    ///
    /// # Errors
    /// The remote does not answer.
    pub fn baselines(&self) -> Result<Vec<String>, GitError> {
        let found = self.listed(&["*/baselines/*/*".to_owned()])?;
        Ok(found.into_iter().map(|(name, _)| name).collect())
    }

    /// Fetches refs or ids from there, each to a ref here, and of history no more than the commits
    /// themselves where `depth` says so: never in a whole clone, which that would cut off.
    ///
    /// # Errors
    /// The remote does not answer, or does not have one of them.
    pub fn fetch_each(&self, wanted: &[(String, String)], depth: Depth) -> Result<(), GitError> {
        let mut call = Call::new(&FETCH).over_network();
        if depth == Depth::One {
            call = call.argument("--depth=1");
        }
        call = call.argument("--end-of-options").argument(&self.name);
        for (from, to) in wanted {
            call = call.argument(format!("+{from}:{to}"));
        }
        let output = self.repository.program().output(call)?;
        if output.status.success() { Ok(()) } else { Err(self.no_answer(&output.stderr)) }
    }

    /// Whether the remote would take these changes, as far as it can be told without making them.
    ///
    /// # Errors
    /// The remote does not answer.
    pub fn would_take(&self, moves: &[RefMove]) -> Result<Push, GitError> {
        self.push_as(moves, &["--dry-run"])
    }

    fn push_as(&self, moves: &[RefMove], options: &[&str]) -> Result<Push, GitError> {
        let fixed = ["push", "--porcelain", "--atomic", "--no-follow-tags", "--recurse-submodules=no"];
        let mut call = Call::new(&fixed);
        for option in options {
            call = call.argument(*option);
        }
        for RefMove { reference, expected, .. } in moves {
            let lease = expected.as_ref().map_or("", ObjectId::as_str);
            call = call.argument(format!("--force-with-lease={reference}:{lease}"));
        }
        call = call.over_network().argument("--end-of-options").argument(&self.name);
        for RefMove { reference, new, .. } in moves {
            let source = new.as_ref().map_or("", ObjectId::as_str);
            call = call.argument(format!("{source}:{reference}"));
        }
        let output = self.repository.program().output(call)?;
        let told = flags(&output.stdout);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() && told.len() == moves.len() && !told.contains(&'!') {
            return Ok(Push::Done);
        }
        if told.is_empty() {
            return Err(self.no_answer(&output.stderr));
        }
        let reasons = refusals(&output.stdout);
        Ok(Push::Refused(format!("{}\n{}", reasons.trim(), words.trim()).trim().to_owned()))
    }

    fn no_answer(&self, words: &[u8]) -> GitError {
        let words = String::from_utf8_lossy(words).into_owned();
        GitError::NoAnswer { remote: self.name.clone(), words }
    }
}

impl Remote for GitRemote<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn fetch(&self, folders: &[(String, String)]) -> Result<(), Error> {
        let mut tries = 0;
        loop {
            tries += 1;
            // Never a depth: it would cut off a whole clone. What a chain holds is small, so a partial
            // clone takes it whole.
            let call = Call::new(&FETCH).over_network().argument("--prune").argument("--no-prune-tags");
            let mut call = call.argument("--end-of-options").argument(&self.name);
            for (from, to) in folders {
                call = call.argument(format!("+{from}/*:{to}/*"));
            }
            let output = self.repository.program().output(call)?;
            match output.status.code() {
                Some(FETCHED) => return Ok(()),
                Some(NOT_WRITTEN) if tries < TRIES => {
                    std::thread::sleep(std::time::Duration::from_millis(10 * tries));
                }
                Some(_) | None => return Err(self.no_answer(&output.stderr).into()),
            }
        }
    }

    fn push(&self, moves: &[RefMove]) -> Result<Push, Error> {
        Ok(self.push_as(moves, &[])?)
    }
}

/// The flag of each ref that a push tells about.
fn flags(porcelain: &[u8]) -> Vec<char> {
    lines(porcelain).into_iter().map(|(flag, _)| flag).collect()
}

/// What git says of each ref that was refused.
fn refusals(porcelain: &[u8]) -> String {
    let refused = lines(porcelain).into_iter().filter(|(flag, _)| *flag == '!');
    refused.map(|(_, rest)| format!("{}\n", rest.replace('\t', " "))).collect()
}

/// `FLAG TAB FROM:TO TAB SUMMARY`.
fn lines(porcelain: &[u8]) -> Vec<(char, String)> {
    let text = String::from_utf8_lossy(porcelain);
    let told = |line: &str| {
        let (flag, rest) = line.split_once('\t')?;
        let mut flag = flag.chars();
        Some((flag.next().filter(|_| flag.next().is_none())?, rest.to_owned()))
    };
    text.lines().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_and_words_are_not() {
        let text = b"To ../b.git\n*\tabc:refs/x/a\t[new reference]\n!\tabc:refs/x/b\t[rejected] (stale info)\nDone\n";
        assert_eq!(flags(text), ['*', '!']);
        assert_eq!(refusals(text), "abc:refs/x/b [rejected] (stale info)\n");
        assert!(flags(b"fatal: nothing of that kind\nTo x\n").is_empty());
        assert_eq!(flags(b" \ta:b\tx..y\n=\ta:c\t[up to date]\n"), [' ', '=']);
    }
}
