//! Fetches the accepted baseline and what is pending beside it, evaluates, and decides.

use crate::baseline::{Place, Prefix, Remote as _};
use crate::cli::args::ContentArgs;
use crate::cli::check;
use crate::cli::ci::subject::Subject;
use crate::cli::ci::{Failure, Stage};
use crate::cli::console::Console;
use crate::cli::evaluation::{self, Choice, Evaluation};
use crate::cli::ground::git_path;
use crate::cli::judgement::{self, Against, Chosen};
use crate::cli::reuse::{self, Wanted};
use crate::cli::suggest;
use crate::error::Error;
use crate::gate::Gate;
use crate::git::{Depth, GitRemote, GitStore, Repository};
use crate::suite::Config;

/// What was judged, and what came of it.
pub(super) struct Judged {
    /// The evaluation.
    pub(super) evaluation: Evaluation,
    /// The decision, with the baseline that it was compared with; `None` where there is no baseline and the
    /// workflow allows that.
    pub(super) decision: Option<(Gate, Chosen)>,
    /// The settings that name the suite and its refs.
    pub(super) names: Config,
    /// The chain.
    pub(super) place: Place,
}

impl Judged {
    /// Whether the revision keeps the names by which its baseline is found.
    pub(super) fn keeps_names(&self) -> bool {
        let own = &self.evaluation.suite.config;
        (&own.name, &own.store_prefix) == (&self.names.name, &self.names.store_prefix)
    }
}

/// Judges a subject.
///
/// # Errors
/// The suite or the baseline is at fault, the remote has no baseline, or the surroundings failed.
pub(super) fn judge(stage: &Stage<'_>, subject: &Subject, console: &mut Console) -> Result<Judged, Failure> {
    let Subject { ground, commit, target, .. } = subject;
    let own = || evaluation::settings_at(ground, stage.global, commit);
    let names = target.clone().map_or_else(own, Ok).map_err(Failure::of_content)?;
    let place = judgement::place(&names, stage.baseline()).map_err(Failure::told)?;
    let found = fetch(stage, subject, &names, &place).map_err(Failure::told)?;
    let (mut evaluation, chosen) = if found {
        let repository = ground.repository().map_err(Failure::told)?;
        judgement::look(repository, &place).map_err(Failure::told)?;
        let content = ContentArgs { rev: commit.as_str().to_owned(), worktree: false };
        let wanted = Wanted { name: stage.baseline(), place: Some(&place), reuse: true };
        let compared =
            reuse::evaluate(ground, stage.global, &content, wanted).map_err(Failure::of_content)?;
        (compared.evaluation, compared.chosen)
    } else {
        let evaluation = evaluation::of_commit(ground, stage.global, commit, Choice::default());
        (evaluation.map_err(Failure::of_content)?, None)
    };
    // What names the baseline is the target branch; that the revision names another one is an entry.
    if let Some(origin) = &mut evaluation.report.origin {
        origin.suite = names.name.clone();
    }
    evaluation.folder = from_workspace(stage, subject, &evaluation.folder);
    let decision = match chosen {
        Some(chosen) => Some(decide(stage, subject, &evaluation, chosen, console)?),
        None if found => {
            return Err(Failure::told(Error::input(format!("there is no baseline {}", place.title()))));
        }
        None => None,
    };
    Ok(Judged { evaluation, decision, names, place })
}

/// Compares with the baseline and applies the accepted policy, as things stand now.
pub(super) fn decide(
    stage: &Stage<'_>,
    subject: &Subject,
    evaluation: &Evaluation,
    chosen: Chosen,
    console: &mut Console,
) -> Result<(Gate, Chosen), Failure> {
    let repository = subject.ground.repository().map_err(Failure::told)?;
    let place = &chosen.baseline.place;
    let pending = check::counting(&GitStore::new(repository), place, &chosen, console);
    let pending = pending.map_err(Failure::told)?;
    let against = Against { baseline: &chosen.baseline, pending: &pending };
    let today = judgement::today(stage.env.now);
    let gate = judgement::judge(against, evaluation, &subject.ground, stage.global, today)
        .map_err(Failure::of_content)?;
    Ok((gate, chosen))
}

/// A path of the repository as annotations need it: from the workspace, where the checkout lies below that.
fn from_workspace(stage: &Stage<'_>, subject: &Subject, path: &str) -> String {
    let tree = subject.ground.repository.as_ref().and_then(Repository::work_tree);
    let below = stage.runner.workspace.as_deref().and_then(|workspace| {
        let workspace = workspace.canonicalize().ok()?;
        let tree = tree?.canonicalize().ok()?;
        Some(tree.strip_prefix(workspace).ok()?.to_owned())
    });
    match below {
        Some(below) if !below.as_os_str().is_empty() => {
            String::from_utf8_lossy(&git_path(&below.join(path))).into_owned()
        }
        Some(_) | None => path.to_owned(),
    }
}

/// Fetches the chain and what is pending; whether the remote has the chain.
fn fetch(stage: &Stage<'_>, subject: &Subject, names: &Config, place: &Place) -> Result<bool, Error> {
    let remote = GitRemote::new(subject.ground.repository()?, "origin")?;
    if remote.find(&[&place.reference])?.is_empty() {
        return missing(stage, &remote, place).map(|()| false);
    }
    let copy = place.fetched(remote.name());
    remote.fetch_each(&[(place.reference.clone(), copy)], Depth::Whole)?;
    let pending = place.pending();
    let copies = Prefix::new(&names.store_prefix).fetched_copy(&pending, remote.name());
    remote.fetch(&[(pending, copies)])?;
    Ok(true)
}

/// The remote answered, and has no such baseline: an error, unless the workflow allows that and it has none
/// of any name, which a pull request could otherwise hide behind.
fn missing(stage: &Stage<'_>, remote: &GitRemote<'_>, place: &Place) -> Result<(), Error> {
    let error = Error::input(format!("{} has no baseline {}", remote.name(), place.title())).hint(format!(
        "accept the first one on the target branch: {}",
        suggest::command(
            stage.global,
            &format!("{} --push", suggest::first_acceptance("HEAD", &place.name, stage.env))
        )
    ));
    let others = remote.baselines()?;
    if !others.is_empty() {
        return Err(error.details(others.iter().map(|other| format!("it holds {other}"))));
    }
    if stage.asked.inputs.allow_missing_baseline { Ok(()) } else { Err(error) }
}
