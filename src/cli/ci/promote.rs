//! What follows a push to the target branch: `promote`, and the run note.

use crate::baseline::{Push, RefMove, Remote as _};
use crate::cli::args::{Global, PromoteArgs};
use crate::cli::ci::Stage;
use crate::cli::ci::judging::Judged;
use crate::cli::ci::publish;
use crate::cli::ci::subject::Subject;
use crate::cli::console::Console;
use crate::cli::{promote, run as evaluate};
use crate::error::Error;
use crate::exit::Exit;
use crate::git::{Depth, GitRemote};

/// Promotes what was accepted before it landed, and pushes that with a lease. `judged` is how the gate ended.
///
/// # Errors
/// The baseline cannot be promoted, or the remote took nothing.
pub(super) fn run(
    stage: &Stage<'_>,
    subject: &Subject,
    judged: &Judged,
    exit: Exit,
    console: &mut Console,
) -> Result<Exit, Error> {
    let arguments = PromoteArgs {
        rev: subject.commit.as_str().to_owned(),
        baseline: stage.baseline().to_owned(),
        push: Some("origin".to_owned()),
    };
    let global = Global { start: Some(subject.ground.start.clone()), ..stage.global.clone() };
    let promoted = promote::run(&arguments, &global, stage.beneath, &mut Console::silent())?;
    console.data(match promoted {
        Exit::Passed => "promote: the baseline is what was accepted\n",
        Exit::Blocked | Exit::Input | Exit::Surroundings => {
            "promote: nothing was changed: this is worse than what was accepted\n"
        }
    })?;
    if let Err(error) = note(subject, judged) {
        publish::warn(console, &format!("the run note was not published: {}", error.message))?;
    }
    Ok(match promoted {
        Exit::Passed => exit,
        Exit::Blocked if stage.asked.inputs.advisory => exit,
        Exit::Blocked | Exit::Input | Exit::Surroundings => promoted,
    })
}

/// Writes the run note on top of what the remote has, and pushes it.
fn note(subject: &Subject, judged: &Judged) -> Result<(), Error> {
    let repository = subject.ground.repository()?;
    let remote = GitRemote::new(repository, "origin")?;
    let reference = evaluate::note_ref(&judged.names.name);
    let there = remote.find(&[&reference])?.into_iter().next().map(|(_, id)| id);
    if there.is_some() {
        remote.fetch_each(&[(reference.clone(), reference.clone())], Depth::Whole)?;
    }
    evaluate::write_note(&subject.ground, &judged.evaluation.report, Some(&subject.commit))?;
    let new = repository.resolve(&reference)?;
    if there.as_ref() == Some(&new) {
        return Ok(());
    }
    match remote.push(&[RefMove { reference, expected: there, new: Some(new) }])? {
        Push::Done => Ok(()),
        Push::Refused(words) => Err(Error::surroundings(format!(
            "the remote refused it: {}",
            words.lines().next().unwrap_or_default()
        ))),
    }
}
