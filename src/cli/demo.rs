//! `demo`: the gate at work on the suite at HEAD, in a scratch repository: accepts it as the
//! baseline, checks it, plants a regression in one trace, and checks again.
//!
//! The repository that it is started in is only read.

use std::ffi::OsString;
use std::path::Path;

use owo_colors::OwoColorize as _;
use serde_json::{Map, Value};

use crate::cli::args::{ColorWhen, Global};
use crate::cli::console::Console;
use crate::cli::evaluation::{self, Choice};
use crate::cli::ground::Ground;
use crate::cli::reread;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::git::scratch::Scratch;
use crate::suite::{Case, Suite};
use crate::text::Text;

pub(super) fn run(global: &Global, env: &Env, console: &mut Console) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let commit = ground.repository()?.resolve("HEAD")?;
    let evaluation = evaluation::of_commit(&ground, global, &commit, Choice::default())?;
    let results = evaluation.report.results.iter();
    let passing = results.filter(|result| result.passed).map(|result| &result.case_id);
    let case = target(&evaluation.suite, passing.collect()).ok_or_else(|| {
        Error::input("no case of the suite passes, so that no regression can be planted")
            .hint("see what fails with `diag-gate run`")
    })?;
    let scratch = Scratch::new()?;
    let stage = Stage { scratch: &scratch, env: inside(env, scratch.folder()), color: global.color };
    reread::copy_suite(&ground, global, &commit, &scratch)?;
    scratch.commit("The suite as it stands")?;
    stage.tell(console, "The suite at HEAD, copied into a scratch repository, becomes the baseline")?;
    stage.expect(console, &["accept", "--yes"], Exit::Passed)?;
    stage.tell(console, "Nothing has changed, so the gate lets it pass")?;
    stage.expect(console, &["check"], Exit::Passed)?;
    let planted = plant(case, &scratch)?;
    scratch.commit("A change to the agent")?;
    stage
        .tell(console, &format!("A new recording of `{}` {planted}, so the gate blocks", case.id.as_str()))?;
    stage.expect(console, &["check"], Exit::Blocked)?;
    console.data("\nThe gate let the suite pass as it stands, and caught the planted regression.\n")?;
    Ok(Exit::Passed)
}

/// The commands of the demonstration, run in the scratch repository as a person would.
struct Stage<'a> {
    scratch: &'a Scratch,
    env: Env,
    color: ColorWhen,
}

impl Stage<'_> {
    fn tell(&self, console: &mut Console, text: &str) -> Result<(), Error> {
        console.data(&format!("\n{}\n", crate::render::sentence(text).trim_end().bold()))
    }

    fn expect(&self, console: &mut Console, words: &[&str], expected: Exit) -> Result<(), Error> {
        console.data(&format!("{}\n\n", format!("$ diag-gate {}", words.join(" ")).cyan()))?;
        let mut line: Vec<OsString> = vec!["diag-gate".into(), "-C".into(), self.scratch.folder().into()];
        line.extend(["--color".into(), self.color.as_str().into()]);
        line.extend(words.iter().map(OsString::from));
        let exit = super::run(line, &self.env);
        if exit == expected {
            return Ok(());
        }
        Err(Error::surroundings(format!(
            "the demonstration went wrong: `diag-gate {}` ended with {}, not {}",
            words.join(" "),
            exit.status(),
            expected.status()
        )))
    }
}

/// The environment of the scratch repository: nothing that names another one, and somebody who acts.
fn inside(env: &Env, folder: &Path) -> Env {
    let mut variables: Vec<_> = env
        .variables
        .iter()
        .filter(|(name, _)| !name.to_string_lossy().starts_with("GIT_"))
        .cloned()
        .collect();
    for role in ["AUTHOR", "COMMITTER"] {
        variables.push((format!("GIT_{role}_NAME").into(), "Demo".into()));
        variables.push((format!("GIT_{role}_EMAIL").into(), "demo@example.org".into()));
    }
    Env { working_folder: Some(folder.to_owned()), interactive: false, variables, ..env.clone() }
}

/// A passing case in which a regression shows best: one that forbids a word, otherwise any.
fn target<'a>(suite: &'a Suite, passing: Vec<&crate::ids::CaseId>) -> Option<&'a Case> {
    let mut cases = suite.cases.iter().filter(|case| passing.contains(&&case.id)).peekable();
    let first = cases.peek().copied();
    cases.find(|case| forbidden(case).is_some()).or(first)
}

fn forbidden(case: &Case) -> Option<&str> {
    let asked = &case.expectations;
    let words = asked.forbidden_confirmed_claim_keywords.iter().chain(&asked.forbidden_answer_keywords);
    words.map(Text::as_str).next()
}

/// Lets the answer claim what it must not, or say nothing at all; tells which.
fn plant(case: &Case, scratch: &Scratch) -> Result<String, Error> {
    let path = format!("eval/fixtures/{}", case.trace_fixture);
    let bytes = scratch.read(&path)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut trace: Map<String, Value> = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| Error::input(format!("cannot edit the trace {path}")).because(&error))?;
    let session = trace.get_mut("session").and_then(Value::as_object_mut);
    let answer = session
        .and_then(|session| session.get_mut("answer"))
        .ok_or_else(|| Error::input(format!("the trace {path} has no answer")))?;
    let told = match forbidden(case) {
        Some(word) => {
            *answer = Value::String(format!("{} {word}", answer.as_str().unwrap_or_default()));
            format!("claims `{word}`, which the case forbids")
        }
        None => {
            *answer = Value::String(String::new());
            "has no answer".to_owned()
        }
    };
    let edited = serde_json::to_vec_pretty(&trace).expect("what was read as JSON can be written");
    scratch.write(&path, &edited)?;
    Ok(told)
}
