//! Refs by their full names: what stands and cannot be read is an error, never left out.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use git2::ErrorCode;

use crate::git::error::GitError;
use crate::git::objects::object_id;
use crate::git::program::{Call, Program};
use crate::git::repository::Repository;
use crate::ids::ObjectId;

/// Whether a text can be the full name of a ref.
pub fn is_reference_name(name: &str) -> bool {
    git2::Reference::is_valid_name(name)
}

impl Repository {
    /// The value of a ref, by its full name; `None` where there is no such ref.
    ///
    /// # Errors
    /// The ref stands, but cannot be read.
    pub(super) fn reference_value(&self, reference: &str) -> Result<Option<ObjectId>, GitError> {
        let Some(library) = self.objects().library() else {
            return Ok(self.program().reference(reference)?.map(|found| found.id));
        };
        let found = library.find_reference(reference).and_then(|found| found.resolve());
        match found {
            Ok(found) => Ok(found.target().map(object_id)),
            Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::InvalidSpec) => Ok(None),
            Err(source) => Err(GitError::Library { what: format!("the ref `{reference}`"), source }),
        }
    }

    /// The value of a ref that must name its commit directly; `None` where there is no such ref.
    ///
    /// # Errors
    /// The ref stands, but is symbolic or cannot be read.
    pub(super) fn direct_value(&self, reference: &str) -> Result<Option<ObjectId>, GitError> {
        let symbolic = || GitError::Reference {
            reference: reference.to_owned(),
            why: "is a symbolic one, which a baseline never is".to_owned(),
        };
        let Some(library) = self.objects().library() else {
            return match self.program().reference(reference)? {
                Some(found) if found.is_symbolic => Err(symbolic()),
                found => Ok(found.map(|found| found.id)),
            };
        };
        let found = match library.find_reference(reference) {
            Ok(found) => found,
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
            Err(source) => return Err(GitError::Library { what: format!("the ref `{reference}`"), source }),
        };
        match found.target() {
            Some(id) => Ok(Some(object_id(id))),
            None => Err(symbolic()),
        }
    }

    /// The full names and values of all refs below a prefix, in the order of their names.
    ///
    /// # Errors
    /// One of them cannot be read: it is never left out.
    pub(super) fn references_under(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, GitError> {
        let mut refs = Vec::new();
        for (name, listed) in self.listed_under(prefix)? {
            let id = match listed {
                Some(listed) if !listed.is_symbolic => Some(listed.id),
                // One that was deleted since it was listed is no longer there.
                Some(_) | None => self.direct_value(&name)?,
            };
            refs.extend(id.map(|id| (name, id)));
        }
        Ok(refs)
    }

    /// The full names of all refs below a prefix, in their order, whatever they hold: symbolic ones too.
    ///
    /// # Errors
    /// The refs cannot be listed.
    pub fn reference_names_under(&self, prefix: &str) -> Result<Vec<String>, GitError> {
        Ok(self.listed_under(prefix)?.into_keys().collect())
    }

    /// The names of all refs below a prefix, and what the program has told of them already.
    fn listed_under(&self, prefix: &str) -> Result<BTreeMap<String, Option<Listed>>, GitError> {
        let failed = |source| GitError::Library { what: format!("the refs below `{prefix}`"), source };
        // A ref whose file cannot be read may be left out in silence: files are listed beside it.
        let mut names = BTreeSet::new();
        loose_below(&self.common_dir().join(prefix), prefix, &mut names)?;
        let mut listed = Vec::new();
        match self.objects().library() {
            Some(library) => {
                let mut all = library.references_glob(&format!("{prefix}/*")).map_err(failed)?;
                for name in all.names() {
                    names.insert(name.map_err(failed)?.to_owned());
                }
            }
            None => listed = self.program().references(&[prefix])?,
        }
        let names = names.into_iter().filter(|name| git2::Reference::is_valid_name(name));
        let mut all: BTreeMap<String, Option<Listed>> = names.map(|name| (name, None)).collect();
        // A ref of the very name is not below it.
        let below = listed.into_iter().filter(|listed| listed.name != prefix);
        all.extend(below.map(|listed| (listed.name.clone(), Some(listed))));
        Ok(all)
    }
}

/// A ref as the program lists it.
pub(super) struct Listed {
    name: String,
    pub(super) id: ObjectId,
    is_symbolic: bool,
}

impl Program {
    /// The value of HEAD; `None` before the first commit.
    pub(super) fn head(&self) -> Result<Option<ObjectId>, GitError> {
        let output = self.output(Call::new(&["rev-parse", "--quiet", "--verify", "HEAD"]))?;
        if output.status.success() {
            return match ObjectId::parse(String::from_utf8_lossy(&output.stdout).trim_end()) {
                Some(id) => Ok(Some(id)),
                None => Err(unclear("HEAD", &output.stdout)),
            };
        }
        // Only a branch that is not there makes HEAD an unborn one.
        match self.symbolic_target("HEAD")? {
            Some(branch) if self.reference(&branch)?.is_none() => Ok(None),
            Some(_) | None => Err(unclear("HEAD", &output.stderr)),
        }
    }

    /// What a symbolic ref names; `None` where it is no symbolic one, or is not there.
    pub(super) fn symbolic_target(&self, reference: &str) -> Result<Option<String>, GitError> {
        let output = self.output(Call::new(&["symbolic-ref", "--quiet"]).argument(reference))?;
        if !output.status.success() {
            return Ok(None);
        }
        let printed =
            String::from_utf8(output.stdout).map_err(|error| unclear(reference, error.as_bytes()))?;
        Ok(Some(printed.strip_suffix('\n').unwrap_or(&printed).to_owned()))
    }

    /// A ref by its full name; `None` only where there is no such ref.
    ///
    /// # Errors
    /// It stands, but cannot be read.
    pub(super) fn reference(&self, reference: &str) -> Result<Option<Listed>, GitError> {
        // Only below `refs/`, with no pattern: git lists what it knows and nothing else.
        if !reference.starts_with("refs/") || !git2::Reference::is_valid_name(reference) {
            return Ok(None);
        }
        let listed = self.references(&[reference])?;
        if let Some(found) = listed.into_iter().find(|found| found.name == reference) {
            return Ok(Some(found));
        }
        // git lists no symbolic ref whose target is not there.
        match self.symbolic_target(reference)? {
            None => Ok(None),
            Some(target) => {
                let why = format!("is a symbolic one, and names `{target}`, which is not there");
                Err(GitError::Reference { reference: reference.to_owned(), why })
            }
        }
    }

    /// All refs that have one of these names or lie below it, in the order of their names.
    ///
    /// # Errors
    /// git complains of one of them: it would be left out.
    pub(super) fn references(&self, names: &[&str]) -> Result<Vec<Listed>, GitError> {
        let format = "--format=%(refname)%00%(objectname)%00%(symref)";
        let call = names.iter().fold(Call::new(&["for-each-ref", format]), |call, name| call.argument(name));
        let output = self.output(call)?;
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            let (command, status) = ("for-each-ref".to_owned(), output.status.to_string());
            return Err(GitError::Program { command, status, words });
        }
        // What it cannot read it leaves out, with a warning and status 0.
        if words
            .lines()
            .any(|line| ["warning:", "error:", "fatal:"].iter().any(|word| line.starts_with(word)))
        {
            return Err(unclear(&names.join("`, `"), words.as_bytes()));
        }
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        // A name that is not UTF-8 is none that this program gives or is asked for.
        let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
        lines.map(|line| listed(line).ok_or_else(|| unclear(line, line.as_bytes()))).collect()
    }
}

fn listed(line: &str) -> Option<Listed> {
    let mut parts = line.split('\0');
    let (name, id, target) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Listed { name: name.to_owned(), id: ObjectId::parse(id)?, is_symbolic: !target.is_empty() })
}

fn unclear(reference: &str, words: &[u8]) -> GitError {
    let words = String::from_utf8_lossy(words);
    GitError::Reference { reference: reference.to_owned(), why: format!("cannot be read: {}", words.trim()) }
}

/// The names of all files below a folder of refs; git's own locks are none of them.
fn loose_below(folder: &Path, name: &str, names: &mut BTreeSet<String>) -> Result<(), GitError> {
    let failed = |source| GitError::Folder { path: folder.to_owned(), source };
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    for entry in listed {
        let entry = entry.map_err(failed)?;
        // A name that is not UTF-8 is none that this program gives.
        let Ok(last) = entry.file_name().into_string() else { continue };
        let below = format!("{name}/{last}");
        if entry.file_type().map_err(failed)?.is_dir() {
            loose_below(&entry.path(), &below, names)?;
        } else if !last.ends_with(".lock") {
            names.insert(below);
        }
    }
    Ok(())
}
