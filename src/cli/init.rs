//! `init`: a small suite that works, its settings with every one explained, and the workflow.
//!
//! Overwrites nothing and follows no link; each file appears whole or not at all. All places are looked at
//! before the first is written. Spec: cli.md, `init`.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::cli::args::{Global, InitArgs};
use crate::cli::console::Console;
use crate::cli::ground::{Ground, SuitePlace};
use crate::cli::suggest;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::git::{GitError, Repository};
use crate::render::escape::terminal;

const SETTINGS: (&str, &str) = ("diag-gate.toml", include_str!("init/diag-gate.toml"));
/// Cases and their traces: they come together, or not at all.
const EXAMPLES: [(&str, &str); 3] = [
    ("cases/examples.json", include_str!("init/examples.json")),
    ("fixtures/examples/order-timeout.json", include_str!("init/order-timeout.json")),
    ("fixtures/examples/checkout-errors.json", include_str!("init/checkout-errors.json")),
];
const WORKFLOW: (&str, &str) =
    (".github/workflows/diag-gate.yml", include_str!("../../docs/workflows/diag-gate.yml"));

/// What each job of the workflow gives to the action, the suite aside.
const FIRST_INPUT: &str = "          comment-key: diag-gate\n";
/// The branches that pull requests are usually merged into, the likeliest first.
const BRANCHES: [&str; 3] = ["main", "master", "trunk"];

/// Where files go: a folder that is there, and the suite's path below it.
struct Site {
    root: PathBuf,
    suite: PathBuf,
}

/// What became of the files, by their paths below the root.
#[derive(Default)]
struct Told {
    written: Vec<PathBuf>,
    kept: Vec<PathBuf>,
    left_out: Vec<PathBuf>,
}

pub(super) fn run(
    arguments: &InitArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    if global.config.is_some() {
        return Err(Error::input("`init` writes the settings into the suite's folder, and reads none")
            .hint("leave out `--config`; `--suite` names the folder"));
    }
    let ground = Ground::new(global, env, console)?;
    let site = Site::find(&ground, &global.suite)?;
    let has_examples_only = site.has_examples_only()?;
    let mut told = Told::default();
    let mut planned = Vec::new();
    let mut plan = |relative: PathBuf, text: Cow<'static, str>| -> Result<(), Error> {
        match is_taken(&site.root, &relative)? {
            true => told.kept.push(relative),
            false => planned.push((relative, text)),
        }
        Ok(())
    };
    plan(site.suite.join(SETTINGS.0), SETTINGS.1.into())?;
    for (file, text) in EXAMPLES {
        plan(site.suite.join(file), text.into())?;
    }
    if arguments.ci {
        site.is_checkout(&ground)?;
        plan(PathBuf::from(WORKFLOW.0), site.workflow(&ground)?.into())?;
    }
    for (relative, text) in planned {
        let is_example = EXAMPLES.iter().any(|(file, _)| relative == site.suite.join(file));
        if is_example && !has_examples_only {
            told.left_out.push(relative);
        } else if write(&site.root, &relative, &text)? {
            told.written.push(relative);
        } else {
            told.kept.push(relative);
        }
    }
    let mut text = told.page();
    let workflow = arguments.ci.then_some(WORKFLOW.0);
    text += "\nNext:\n";
    for step in next(&ground, global, workflow, env) {
        text += &format!("  {step}\n");
    }
    console.data(&text)?;
    Ok(Exit::Passed)
}

impl Told {
    fn page(&self) -> String {
        let mut page = String::new();
        let lists = [
            ("Written:", &self.written),
            ("Kept as it was:", &self.kept),
            ("Left out, since the suite has cases or traces of its own:", &self.left_out),
        ];
        for (title, paths) in lists.into_iter().filter(|(_, paths)| !paths.is_empty()) {
            page += &format!("{title}\n");
            for path in paths {
                page += &format!("  {}\n", terminal(&path.display().to_string()));
            }
        }
        page
    }
}

impl Site {
    /// Where a suite is to stand: below the root of the working tree, or, outside any, below what is there.
    fn find(ground: &Ground, suite: &Path) -> Result<Self, Error> {
        let site = match ground.suite(suite)? {
            SuitePlace::InRepository(suite) => {
                let root = ground.repository()?.work_tree().ok_or_else(|| {
                    Error::input("a bare repository has no place for a suite")
                        .hint("run it in a clone that has a working tree")
                })?;
                Self { root: root.to_owned(), suite }
            }
            SuitePlace::Outside(path) => {
                let there = path.ancestors().skip(1).find(|folder| folder.is_dir());
                let root = there.unwrap_or(Path::new("/")).to_owned();
                let suite = path.strip_prefix(&root).unwrap_or(&path).to_owned();
                Self { root, suite }
            }
        };
        if site.suite.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(Error::input(format!("{} is git's own", site.suite.display()))
                .hint("name another folder with `--suite`"));
        }
        Ok(site)
    }

    /// Whether no case and no trace but the examples stands there: a team's own suite gets none of them.
    fn has_examples_only(&self) -> Result<bool, Error> {
        let is_example = |path: &Path| {
            let names = EXAMPLES.iter().map(|(file, _)| self.root.join(&self.suite).join(file));
            names.into_iter().any(|example| example == path)
        };
        let mut folders: Vec<PathBuf> =
            ["cases", "fixtures"].map(|part| self.root.join(&self.suite).join(part)).into();
        while let Some(folder) = folders.pop() {
            let entries = match folder.read_dir() {
                Ok(entries) => entries,
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    continue;
                }
                Err(error) => return Err(failed(&folder, &error)),
            };
            for entry in entries {
                let entry = entry.map_err(|error| failed(&folder, &error))?;
                let kind = entry.file_type().map_err(|error| failed(&entry.path(), &error))?;
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if !is_example(&entry.path()) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// A workflow stands in the repository that the suite stands in.
    fn is_checkout(&self, ground: &Ground) -> Result<(), Error> {
        match ground.repository()?.work_tree() {
            Some(root) if root == self.root => Ok(()),
            Some(_) | None => {
                Err(Error::input("the suite stands outside the repository, so that no workflow can judge it")
                    .hint("leave `--ci` out, or name a folder of the repository with `--suite`"))
            }
        }
    }
}

impl Site {
    /// The workflow for this suite, and for the branch that this repository merges into.
    fn workflow(&self, ground: &Ground) -> Result<String, Error> {
        let parts: Option<Vec<&str>> = self.suite.iter().map(|part| part.to_str()).collect();
        // GitHub would take `${{` for an expression.
        let suite = parts.map(|parts| parts.join("/")).filter(|suite| !suite.contains("${{"));
        let suite = suite.ok_or_else(|| {
            Error::input(format!("{} cannot stand in a workflow", self.suite.display()))
                .hint("name a folder in plain letters with `--suite`")
        })?;
        let branch = branch(ground.repository()?);
        let text = WORKFLOW.1.replace("branches: [main]", &format!("branches: [{branch}]"));
        if suite == "eval" {
            return Ok(text);
        }
        let suite = if suite.is_empty() { "." } else { &suite };
        let quoted = serde_json::to_string(suite).expect("a text can be written as JSON");
        Ok(text.replace(FIRST_INPUT, &format!("{FIRST_INPUT}          suite: {quoted}\n")))
    }
}

/// The branch that pull requests are most likely merged into; before the first commit, the one that will be.
fn branch(repository: &Repository) -> String {
    let is_there = |branch: &&str| {
        let names = [format!("refs/remotes/origin/{branch}"), format!("refs/heads/{branch}")];
        names.iter().any(|name| repository.resolve(name).is_ok())
    };
    if let Some(branch) = BRANCHES.into_iter().find(is_there) {
        return branch.to_owned();
    }
    // Other characters mean something in a pattern of branches, or in YAML.
    let is_plain = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "/_-".contains(letter))
    };
    match repository.resolve("HEAD") {
        Err(GitError::Unborn { branch }) if is_plain(&branch) => branch,
        Ok(_) | Err(_) => BRANCHES[0].to_owned(),
    }
}

/// Whether a file stands there already. What stands on the way must be folders.
fn is_taken(root: &Path, relative: &Path) -> Result<bool, Error> {
    let mut path = root.to_owned();
    let mut parts = relative.components().peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let is_last = parts.peek().is_none();
        let found = match path.symlink_metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(failed(&path, &error)),
        };
        let what = match (is_last, found.is_symlink(), found.is_dir()) {
            (_, true, _) => "a link, and nothing is written through links",
            (true, false, true) => "a folder, where a file should stand",
            (false, false, false) => "a file, where a folder should stand",
            (true, false, false) | (false, false, true) => continue,
        };
        return Err(Error::input(format!("{} is {what}", path.display()))
            .hint("move it away, or name another folder with `--suite`"));
    }
    Ok(true)
}

/// Writes a file with its folders; false where one came to stand there in the meantime.
fn write(root: &Path, relative: &Path, text: &str) -> Result<bool, Error> {
    let path = root.join(relative);
    let folder = path.parent().unwrap_or(root);
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let put = || -> io::Result<bool> {
        let mut file = new_file(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(&path) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
        }
    };
    put().map_err(|error| failed(&path, &error))
}

/// A file that shows up under its name once it is whole, with the permissions that the user gives to new files.
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".diag-gate-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::surroundings(format!("cannot write {}", path.display())).because(error)
}

/// What to do then, in order.
fn next(ground: &Ground, global: &Global, workflow: Option<&str>, env: &Env) -> Vec<String> {
    let command = |rest: &str| suggest::command(global, rest);
    let mut steps = vec![format!("{} evaluates the suite as it stands", command("run --worktree"))];
    if let Some(workflow) = workflow {
        steps.push(format!("replace OWNER and the 40 zeros in {workflow} by the release that you use"));
    }
    if ground.repository.is_some() {
        let accept = if env.interactive { "accept" } else { "accept --yes" };
        steps.push("commit the files".to_owned());
        steps.push(format!("{} makes the suite at HEAD the baseline", command(accept)));
        steps.push(format!("{} judges every change after it", command("check")));
    }
    if workflow.is_some() {
        steps.push(format!("{} shares the baseline, so that the workflow finds it", command("sync")));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;
    use crate::suite::config::{Config, parse};

    #[test]
    fn the_settings_stand_at_their_defaults() {
        assert_eq!(parse(SETTINGS.1.as_bytes(), SETTINGS.0), Ok(Config::default()));
    }

    #[test]
    fn every_setting_and_every_kind_stands_in_the_file() {
        let keys = ["name", "expected", "protocol_markers", "max_trace_bytes", "min_pass_rate", "relative"];
        let more = ["absolute", "case", "kinds", "reason", "expires", "ratchet", "require_signed", "prefix"];
        for key in keys.iter().chain(&more) {
            let stands = |line: &str| line.trim_start_matches("# ").starts_with(&format!("{key} = "));
            assert!(SETTINGS.1.lines().any(stands), "{key}");
        }
        for kind in Kind::ALL {
            assert!(SETTINGS.1.contains(kind.as_str()), "{}", kind.as_str());
        }
    }

    #[test]
    fn what_is_shown_as_an_example_can_be_set() {
        let examples = ["min_pass_rate", "\"keywords-lost\" =", "[[", "case =", "kinds", "reason", "expires"];
        let is_example = |line: &&str| examples.iter().any(|start| line.starts_with(&format!("# {start}")));
        assert_eq!(SETTINGS.1.lines().filter(is_example).count(), examples.len());
        let set: String = SETTINGS
            .1
            .lines()
            .map(|line| if is_example(&line) { format!("{}\n", &line[2..]) } else { format!("{line}\n") })
            .collect();
        let config = parse(set.as_bytes(), SETTINGS.0).unwrap();
        assert_eq!((config.gate.waivers.len(), config.gate.levels.len()), (1, 1));
        assert_eq!(config.gate.min_pass_rate, Some(0.9));
    }
}
