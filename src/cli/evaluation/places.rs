//! Where a suite is read out of: a commit, the working tree, a folder that was named.

use std::path::{Path, PathBuf};

use crate::baseline::SIGNERS_FILE;
use crate::cli::args::Global;
use crate::cli::evaluation::told::{load_error, settings_error, source_error};
use crate::cli::ground::{Ground, SuitePlace, git_path};
use crate::cli::{read_file, suggest};
use crate::error::Error;
use crate::git::{CommitSource, Repository};
use crate::ids::{HashKind, ObjectId};
use crate::suite::folder::Folder;
use crate::suite::{Config, config, load_config};

/// The suite of a commit.
///
/// # Errors
/// The commit does not hold it, or the surroundings failed.
pub(in crate::cli) fn commit_source(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
) -> Result<CommitSource, Error> {
    let repository = ground.repository()?;
    match ground.suite(&global.suite)? {
        SuitePlace::InRepository(relative) => {
            let source = CommitSource::new(repository, commit, &git_path(&relative))?;
            if source.exists() {
                return Ok(source);
            }
            Err(Error::input(format!(
                "there is no suite folder {} in commit {}",
                global.suite.display(),
                commit.short()
            ))
            .hint(format!(
                "name the folder with `--suite DIR`, or evaluate files that are not committed yet: {}",
                suggest::command(global, "run --worktree")
            )))
        }
        SuitePlace::Outside(path) => {
            Err(Error::input(format!("the suite folder {} lies outside the repository", path.display()))
                .hint(
                    "name it from the root of the repository, or evaluate it with `diag-gate run --worktree`",
                ))
        }
    }
}

/// The suite folder on disk, and its path in the repository.
///
/// # Errors
/// There is none, or the surroundings failed.
pub(in crate::cli) fn folder(ground: &Ground, global: &Global) -> Result<(Folder, Option<PathBuf>), Error> {
    match ground.suite(&global.suite)? {
        SuitePlace::InRepository(relative) => {
            let repository = ground.repository()?;
            let root = repository.work_tree().ok_or_else(|| {
                Error::input("a bare repository has no working tree").hint("leave out `--worktree`")
            })?;
            let folder = Folder::below(root, &relative, repository.hash_kind()).map_err(source_error)?;
            let folder = folder.ok_or_else(|| absent(global))?;
            Ok((folder, Some(relative)))
        }
        SuitePlace::Outside(path) => {
            let folder = Folder::below(&path, Path::new(""), HashKind::Sha1).map_err(source_error)?;
            Ok((folder.ok_or_else(|| absent(global))?, None))
        }
    }
}

/// The suite's folder as a path from the root of the repository, or as it was typed.
pub(super) fn folder_words(ground: &Ground, global: &Global) -> Result<String, Error> {
    Ok(match ground.suite(&global.suite)? {
        SuitePlace::InRepository(relative) => String::from_utf8_lossy(&git_path(&relative)).into_owned(),
        SuitePlace::Outside(_) => global.suite.display().to_string(),
    })
}

fn absent(global: &Global) -> Error {
    Error::input(format!(
        "there is no suite folder {}, or a link stands on the way to it",
        global.suite.display()
    ))
    .hint("name the folder with `--suite DIR`")
}

/// The commit at HEAD, and the suite's folder in it.
pub(super) fn committed(
    repository: &Repository,
    relative: &Path,
) -> Result<Option<(ObjectId, CommitSource)>, Error> {
    let Some(commit) = repository.head_commit()? else { return Ok(None) };
    let source = CommitSource::new(repository, &commit, &git_path(relative))?;
    Ok(Some((commit, source)))
}

/// The folder that `--traces` names.
pub(super) fn fresh_traces(ground: &Ground, named: &Path) -> Result<PathBuf, Error> {
    let folder = ground.path(named);
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Error::input(format!("there is no folder {}", folder.display()))
        .hint("`--traces` names the folder of the recordings, from the folder that the command starts in"))
}

/// The settings that `--config` names, as they stand.
pub(super) fn chosen_config(ground: &Ground, global: &Global) -> Result<Option<Vec<u8>>, Error> {
    Ok(chosen_settings(ground, global)?.map(|(_, bytes)| bytes))
}

/// The settings of the suite as they stand in a commit; the default ones where it holds no suite.
///
/// # Errors
/// The settings are at fault, or the surroundings failed.
pub(in crate::cli) fn settings_at(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
) -> Result<Config, Error> {
    let SuitePlace::InRepository(relative) = ground.suite(&global.suite)? else {
        return Ok(Config::default());
    };
    let source = CommitSource::new(ground.repository()?, commit, &git_path(&relative))?;
    load_config(&source).map_err(|error| load_error(global, error))
}

/// The settings that `--config` names, read, beside their bytes.
///
/// # Errors
/// They cannot be read, or are at fault.
pub(in crate::cli) fn chosen_settings(
    ground: &Ground,
    global: &Global,
) -> Result<Option<(Config, Vec<u8>)>, Error> {
    let Some(file) = &global.config else { return Ok(None) };
    let bytes = read_file(&ground.path(file))?;
    let settings = config::parse(&bytes, &file.display().to_string())
        .map_err(|problems| settings_error(file, &problems))?;
    Ok(Some((settings, bytes)))
}

/// The settings of the suite at HEAD; the default ones where there is no suite yet.
///
/// # Errors
/// The settings are at fault, or the surroundings failed.
pub(in crate::cli) fn settings(ground: &Ground, global: &Global) -> Result<Config, Error> {
    if let Some((chosen, _)) = chosen_settings(ground, global)? {
        return Ok(chosen);
    }
    let SuitePlace::InRepository(relative) = ground.suite(&global.suite)? else {
        return Ok(Config::default());
    };
    match committed(ground.repository()?, &relative)? {
        Some((_, source)) => load_config(&source).map_err(|error| load_error(global, error)),
        None => Ok(Config::default()),
    }
}

/// A file right in the suite's folder of a commit; `None` where there is none.
///
/// # Errors
/// It cannot be read.
pub(in crate::cli) fn suite_file(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
    name: &str,
) -> Result<Option<Vec<u8>>, Error> {
    match ground.suite(&global.suite)? {
        SuitePlace::InRepository(relative) => {
            Ok(ground.repository()?.file_at(commit, &git_path(&relative), name)?)
        }
        SuitePlace::Outside(_) => Ok(None),
    }
}

/// Who may sign what follows an acceptance of a commit under these settings; `None` where they do not
/// require signatures.
///
/// # Errors
/// They require them, and the suite's folder names nobody.
pub(in crate::cli) fn signers(
    ground: &Ground,
    global: &Global,
    commit: &ObjectId,
    settings: &Config,
) -> Result<Option<Vec<u8>>, Error> {
    if !settings.baseline.require_signed {
        return Ok(None);
    }
    match suite_file(ground, global, commit, SIGNERS_FILE)? {
        Some(signers) if !crate::suite::text::is_blank(&String::from_utf8_lossy(&signers)) => Ok(Some(signers)),
        Some(_) | None => Err(Error::input(format!(
            "baseline.require_signed is set, but the suite's folder has no {SIGNERS_FILE} in commit {}",
            commit.short()
        ))
        .hint("commit one beside `diag-gate.toml`: a line `NAME KEY-TYPE KEY` for each signer, as `man ssh-keygen` says under ALLOWED SIGNERS")),
    }
}
