//! `doctor`: what this repository and its surroundings allow, and the command that mends what they do not.

use owo_colors::OwoColorize as _;

use crate::baseline::{self, Place, Push, RefMove, Store as _};
use crate::cli::args::{DoctorArgs, Global};
use crate::cli::console::Console;
use crate::cli::ground::Ground;
use crate::cli::{evaluation, judgement, suggest};
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::git::{GitRemote, GitStore, Repository};
use crate::ids::HashKind;
use crate::render::escape::terminal;
use crate::suite::Config;

/// How a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Ok,
    Warn,
    Fail,
}

/// One thing that was looked at. Untrusted text inside.
struct Finding {
    level: Level,
    about: &'static str,
    text: String,
    mend: Option<String>,
}

/// Variables of git that say nothing about where a repository is.
const HARMLESS: &[&str] = &["GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_TERMINAL_PROMPT"];

pub(super) fn run(
    arguments: &DoctorArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let mut findings = variables(env);
    match Ground::new(global, env, console) {
        Ok(ground) => match ground.repository() {
            Ok(repository) => {
                let looked = Doctor { ground: &ground, repository, global, env };
                looked.all(&arguments.remote, &mut findings);
            }
            Err(error) => findings.push(failure("repository", &error)),
        },
        Err(error) => findings.push(failure("repository", &error)),
    }
    for finding in &findings {
        console.data(&told(finding))?;
    }
    let failed = findings.iter().any(|finding| finding.level == Level::Fail);
    Ok(if failed { Exit::Surroundings } else { Exit::Passed })
}

fn told(finding: &Finding) -> String {
    let level = match finding.level {
        Level::Ok => "ok  ".green().to_string(),
        Level::Warn => "warn".yellow().to_string(),
        Level::Fail => "fail".red().bold().to_string(),
    };
    let mut text = format!("{level}  {}: {}\n", finding.about, terminal(&finding.text));
    if let Some(mend) = &finding.mend {
        text.push_str(&format!("      mend it: {}\n", terminal(mend)));
    }
    text
}

fn ok(about: &'static str, text: impl Into<String>) -> Finding {
    Finding { level: Level::Ok, about, text: text.into(), mend: None }
}

fn warn(about: &'static str, text: impl Into<String>, mend: impl Into<String>) -> Finding {
    Finding { level: Level::Warn, about, text: text.into(), mend: Some(mend.into()) }
}

fn failure(about: &'static str, error: &Error) -> Finding {
    let mut text = error.message.clone();
    for cause in error.details.iter().chain(&error.causes) {
        text.push_str("; ");
        text.push_str(cause.trim());
    }
    Finding { level: Level::Fail, about, text, mend: error.hints.first().cloned() }
}

/// Variables that change what git does, and whether there is a token. No value is shown.
fn variables(env: &Env) -> Vec<Finding> {
    let names = env.variables.iter().filter_map(|(name, _)| name.to_str());
    let mut set: Vec<&str> =
        names.filter(|name| name.starts_with("GIT_") && !HARMLESS.contains(name)).collect();
    set.sort_unstable();
    let variables = match set.is_empty() {
        true => ok("variables", "none of git's is set"),
        false => {
            let unset = format!("`unset {}`, where they are not meant", set.join(" "));
            warn("variables", format!("set: {}", set.join(", ")), unset)
        }
    };
    let token = env.variables.iter().any(|(name, value)| name == "GITHUB_TOKEN" && !value.is_empty());
    let token = match token {
        true => ok("token", "GITHUB_TOKEN is set; it was not read"),
        false => ok("token", "GITHUB_TOKEN is not set: only comments on GitHub need it"),
    };
    vec![variables, token]
}

struct Doctor<'a> {
    ground: &'a Ground,
    repository: &'a Repository,
    global: &'a Global,
    env: &'a Env,
}

impl Doctor<'_> {
    fn all(&self, remote: &str, findings: &mut Vec<Finding>) {
        let mut add = |about, found: Result<Vec<Finding>, Error>| match found {
            Ok(found) => findings.extend(found),
            Err(error) => findings.push(failure(about, &error)),
        };
        add("git", self.program());
        add("repository", self.form());
        add("identity", self.identity());
        match evaluation::settings(self.ground, self.global) {
            Ok(config) => {
                add("baseline", self.baselines(&config, remote));
                add("remote", self.remote(&config, remote));
                add("signing", self.signing(&config));
                add("notes", self.notes(&config));
            }
            Err(error) => add("settings", Err(error)),
        }
    }

    fn program(&self) -> Result<Vec<Finding>, Error> {
        Ok(vec![ok("git", self.repository.program_version()?)])
    }

    fn form(&self) -> Result<Vec<Finding>, Error> {
        let repository = self.repository;
        let hash = match repository.hash_kind() {
            HashKind::Sha1 => "SHA-1",
            HashKind::Sha256 => "SHA-256",
        };
        let kind = match (repository.is_bare(), repository.is_linked()) {
            (true, _) => "bare",
            (false, true) => "a linked work tree",
            (false, false) => "with a work tree",
        };
        let refs = repository.ref_format()?;
        let mut found = vec![ok("repository", format!("{hash}, refs as {refs}, {kind}"))];
        found.push(match repository.is_shallow() {
            false => ok("depth", "whole history"),
            true => warn(
                "depth",
                "shallow: the newest baseline is compared with, and older ones cannot be proved",
                "`git fetch --unshallow`",
            ),
        });
        if repository.is_partial()? {
            found.push(ok("objects", "a partial clone: what is missing is fetched when it is needed"));
        }
        Ok(found)
    }

    fn identity(&self) -> Result<Vec<Finding>, Error> {
        match self.repository.program().identities() {
            Ok((author, _)) => {
                Ok(vec![ok("identity", format!("{} <{}>", author.person.name, author.person.email))])
            }
            Err(error) => {
                let error = Error::from(error);
                let mend = error.hints.first().cloned().unwrap_or_default();
                Ok(vec![warn("identity", format!("{}: only accepting needs it", error.message), mend)])
            }
        }
    }

    fn place(&self, config: &Config) -> Result<Place, Error> {
        judgement::place(config, "main")
    }

    fn baselines(&self, config: &Config, remote: &str) -> Result<Vec<Finding>, Error> {
        let store = GitStore::new(self.repository);
        let place = self.place(config)?;
        let title = place.title();
        let sync = suggest::command(self.global, &format!("sync {}", suggest::quoted(remote)));
        let mut found = Vec::new();
        found.push(match (baseline::tip(&store, &place)?, store.tip(&place.reference)?) {
            (None, _) => warn(
                "baseline",
                format!("there is no {title} here"),
                format!(
                    "{sync}, or accept the first one: {}",
                    suggest::command(self.global, &suggest::first_acceptance("HEAD", &place.name, self.env))
                ),
            ),
            (Some(tip), None) => ok("baseline", format!("{title} {}, fetched", tip.short())),
            (Some(tip), Some(_)) => ok("baseline", format!("{title} {}", tip.short())),
        });
        if let Some(tip) = baseline::tip(&store, &place)? {
            baseline::check_signatures(&store, &place.reference, &tip)?;
            baseline::read_at(&store, &place, &tip)?;
        }
        let fetched = store.tip(&place.fetched(remote))?;
        if fetched.is_none() && store.tip(&place.reference)?.is_some() {
            found.push(warn("shared", format!("{title} was never fetched from {remote}"), sync));
        }
        let pending = baseline::pending(&store, &place)?.len();
        found.push(ok("pending", format!("{pending} acceptances of content that has not landed")));
        Ok(found)
    }

    fn remote(&self, config: &Config, name: &str) -> Result<Vec<Finding>, Error> {
        let remote = match GitRemote::new(self.repository, name) {
            Ok(remote) => remote,
            Err(error) => {
                let error = Error::from(error);
                let mend = error.hints.first().cloned().unwrap_or_default();
                return Ok(vec![warn("remote", format!("{}: nothing can be shared", error.message), mend)]);
            }
        };
        let there = remote.list(&config.store_prefix)?;
        let place = self.place(config)?;
        let held = there.iter().any(|(reference, _)| *reference == place.reference);
        let words = if held { "has" } else { "answers, and has no" };
        let mut found = vec![ok("remote", format!("{name} {words} {}", place.title()))];
        let Some(commit) = self.repository.head_commit()? else { return Ok(found) };
        let probe = RefMove {
            reference: format!("{}/probe", config.store_prefix),
            expected: None,
            new: Some(commit),
        };
        found.push(match remote.would_take(&[probe]) {
            Ok(Push::Done) => ok("push", format!("{name} would take a push, as far as a dry run tells")),
            Ok(Push::Refused(words)) => warn("push", words, "ask for the right to write there"),
            Err(error) => {
                let error = Error::from(error);
                let cause = error.causes.first().cloned().unwrap_or(error.message);
                warn(
                    "push",
                    format!("{name} takes no push from here: {cause}"),
                    "ask for the right to write there",
                )
            }
        });
        Ok(found)
    }

    fn signing(&self, config: &Config) -> Result<Vec<Finding>, Error> {
        let store = GitStore::new(self.repository);
        let place = self.place(config)?;
        let required = match baseline::tip(&store, &place)? {
            Some(tip) => baseline::must_be_signed(&store, &place.reference, &tip)?,
            None => config.baseline.require_signed,
        };
        let set = |name: &str| Ok::<_, Error>(self.repository.settings(name)?.pop());
        let format = set("gpg.format")?.unwrap_or_else(|| "openpgp".to_owned());
        let key = set("user.signingKey")?.is_some() || set("gpg.ssh.defaultKeyCommand")?.is_some();
        Ok(vec![match (required, format.as_str(), key) {
            (false, _, _) => ok("signing", "the accepted settings require no signature"),
            (true, "ssh", true) => ok("signing", "required, and set up with an SSH key"),
            (true, "ssh", false) => warn(
                "signing",
                "required to accept, but no key is chosen",
                "`git config user.signingKey ~/.ssh/id_ed25519.pub`",
            ),
            (true, _, _) => warn(
                "signing",
                "required to accept, and only SSH signatures count",
                "`git config gpg.format ssh` and `git config user.signingKey ~/.ssh/id_ed25519.pub`",
            ),
        }])
    }

    fn notes(&self, config: &Config) -> Result<Vec<Finding>, Error> {
        let reference = format!("refs/notes/diag-gate/{}", config.name.as_str());
        let shown = self.repository.settings("notes.displayRef")?;
        let fits = |pattern: &String| {
            pattern == &reference
                || pattern.strip_suffix('*').is_some_and(|start| reference.starts_with(start))
        };
        Ok(vec![match shown.iter().any(fits) {
            true => ok("notes", format!("`git log` shows {reference}")),
            false => {
                ok("notes", format!("`git log --notes=diag-gate/{}` shows run notes", config.name.as_str()))
            }
        }])
    }
}
