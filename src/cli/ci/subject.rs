//! What a run judges: a commit, the repository that holds it, and who names the baseline.
//!
//! Nothing of a pull request is ever checked out. What the repository lacks is fetched to refs of our own, and
//! read as data. Spec: github.md, "`diag-gate ci`".

use std::path::Path;
use std::time::Duration;

use crate::cli::args::Global;
use crate::cli::ci::Stage;
use crate::cli::console::Console;
use crate::cli::evaluation;
use crate::cli::ground::Ground;
use crate::env::Env;
use crate::error::Error;
use crate::git::{Depth, GitRemote, Repository, is_reference_name};
use crate::github::{Event, MergeGroup, PullEvent};
use crate::ids::ObjectId;
use crate::suite::Config;

/// How long GitHub may take to make the test merge of a pull request's newest commit.
const MERGE_WAIT: Duration = Duration::from_secs(30);
/// How long it is left alone between two looks.
const MERGE_PAUSE: Duration = Duration::from_secs(3);

/// The refs here that what is fetched goes to.
const FETCHED: &str = "refs/diag-gate/ci";

/// What a run judges.
pub(super) struct Subject {
    /// Where it is read.
    pub(super) ground: Ground,
    /// The commit.
    pub(super) commit: ObjectId,
    /// The settings of the target branch, where these name the suite and its refs.
    pub(super) target: Option<Config>,
    /// What a reader should know of the commit.
    pub(super) note: Option<&'static str>,
    /// A repository that was made for this run; it goes with it.
    _room: Option<tempfile::TempDir>,
}

/// A repository for the run.
pub(super) struct Room {
    ground: Ground,
    depth: Depth,
    made: Option<tempfile::TempDir>,
}

impl Room {
    /// The repository of the checkout, or, where there is none, one that is made for this run alone.
    ///
    /// # Errors
    /// The checkout cannot be read, or the folder for files of this run cannot be written to.
    pub(super) fn find(stage: &Stage<'_>, start: &Path, console: &mut Console) -> Result<Self, Error> {
        let at = |folder: &Path, env: &Env, console: &mut Console| {
            let global = Global { start: Some(folder.to_owned()), ..stage.global.clone() };
            Ground::new(&global, env, console)
        };
        let ground = at(start, stage.beneath, console)?;
        if let Some(repository) = &ground.repository {
            let depth = if repository.is_shallow() { Depth::One } else { Depth::Whole };
            return Ok(Self { ground, depth, made: None });
        }
        let made = tempfile::Builder::new()
            .prefix("diag-gate-")
            .suffix(".git")
            .tempdir_in(&stage.runner.temp)
            .map_err(|error| {
                Error::surroundings(format!("cannot make a folder in {}", stage.runner.temp.display()))
                    .because(&error)
            })?;
        let server = stage.runner.server.trim_end_matches('/');
        Repository::make_bare(made.path(), &format!("{server}/{}", stage.asked.repository.as_str()))?;
        let ground = at(made.path(), stage.beneath, console)?;
        Ok(Self { ground, depth: Depth::One, made: Some(made) })
    }

    fn repository(&self) -> Result<&Repository, Error> {
        self.ground.repository()
    }

    fn remote(&self) -> Result<GitRemote<'_>, Error> {
        Ok(GitRemote::new(self.repository()?, "origin")?)
    }

    /// The commit of a revision that the checkout should hold: it is fetched where it does not.
    fn bring(&self, id: &ObjectId, reference: &str) -> Result<ObjectId, Error> {
        if !self.repository()?.holds_commit(id)? {
            let place = format!("{FETCHED}/{reference}");
            self.remote()?.fetch_each(&[(id.as_str().to_owned(), place)], self.depth)?;
        }
        Ok(self.repository()?.resolve(id.as_str())?)
    }

    /// The settings of a suite as they stand in a commit; the default ones where it has none.
    fn settings(&self, global: &Global, commit: &ObjectId) -> Result<Config, Error> {
        evaluation::settings_at(&self.ground, global, commit)
    }

    fn subject(self, commit: ObjectId, target: Option<Config>, note: Option<&'static str>) -> Subject {
        Subject { ground: self.ground, commit, target, note, _room: self.made }
    }
}

impl Subject {
    /// Finds out what an event is about.
    ///
    /// # Errors
    /// The repository or the remote cannot be read, or GitHub has no test merge of the newest commit.
    pub(super) fn of_event(stage: &Stage<'_>, start: &Path, console: &mut Console) -> Result<Self, Error> {
        let room = Room::find(stage, start, console)?;
        let is_made = room.made.is_some();
        match &stage.asked.event {
            Event::PullRequest(pull) if !is_made => Self::of_checkout(room, pull, stage.global),
            Event::PullRequest(pull) | Event::PullRequestTarget(pull) => {
                Self::of_pull_request(room, pull, stage)
            }
            Event::MergeGroup(group) => Self::of_merge_group(room, group, stage.global),
            Event::Push(_) | Event::Other | Event::IssueComment(_) => {
                let commit = if is_made { room.bring(&stage.sha()?, "head")? } else { head(&room)? };
                Ok(room.subject(commit, None, None))
            }
        }
    }

    /// The test merge that was checked out. What it is merged into names the suite, where it is at hand.
    fn of_checkout(room: Room, pull: &PullEvent, global: &Global) -> Result<Self, Error> {
        let commit = head(&room)?;
        let repository = room.repository()?;
        let parents = repository.commit_info(&commit)?.parents;
        let base = match parents.as_slice() {
            [base, head] if *head == pull.head => base.clone(),
            _other => pull.base.clone(),
        };
        let target = if repository.holds_commit(&base)? { Some(room.settings(global, &base)?) } else { None };
        Ok(room.subject(commit, target, None))
    }

    /// The test merge, out of what the remote holds; the head alone where the two cannot be merged.
    ///
    /// # Errors
    /// As [`Subject::of_event`].
    pub(super) fn of_pull_request(room: Room, pull: &PullEvent, stage: &Stage<'_>) -> Result<Self, Error> {
        let base_ref = format!("refs/heads/{}", pull.base_branch);
        if !is_reference_name(&base_ref) {
            return Err(Error::input("the name of the target branch is none that git knows"));
        }
        let base_place = format!("{FETCHED}/base");
        room.remote()?.fetch_each(&[(base_ref, base_place.clone())], room.depth)?;
        let base = room.repository()?.resolve(&base_place)?;
        let target = room.settings(stage.global, &base)?;
        let mut waited = Duration::ZERO;
        loop {
            let found = test_merge(&room, pull)?;
            if let Merge::Made(commit) = found {
                return Ok(room.subject(commit, Some(target), None));
            }
            let is_over = waited >= MERGE_WAIT;
            let conflict = match (found, stage.mergeable(pull.number)) {
                (_, Mergeable::No) | (Merge::None, Mergeable::NotAsked) => true,
                (Merge::None, Mergeable::Yes | Mergeable::Unknown) => is_over,
                (Merge::Made(_) | Merge::Other, _) => false,
            };
            if conflict {
                let commit = room.bring(&pull.head, "head")?;
                return Ok(room.subject(commit, Some(target), Some(CONFLICT)));
            }
            if is_over {
                return Err(no_test_merge(pull));
            }
            std::thread::sleep(MERGE_PAUSE);
            waited += MERGE_PAUSE;
        }
    }

    fn of_merge_group(room: Room, group: &MergeGroup, global: &Global) -> Result<Self, Error> {
        let commit = room.bring(&group.head, "head")?;
        let base = room.bring(&group.base, "base")?;
        let target = room.settings(global, &base)?;
        Ok(room.subject(commit, Some(target), None))
    }
}

const CONFLICT: &str =
    "The pull request cannot be merged as it is: its own newest commit was judged, not a merge.";

/// What GitHub says of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mergeable {
    /// It can be made.
    Yes,
    /// It cannot: there is a conflict.
    No,
    /// GitHub has not found out yet.
    Unknown,
    /// GitHub could not be asked.
    NotAsked,
}

fn no_test_merge(pull: &PullEvent) -> Error {
    Error::surroundings(format!(
        "GitHub has no test merge of the commit {} of pull request {}",
        pull.head.short(),
        pull.number
    ))
    .hint("a newer commit has a run of its own; otherwise run the job again")
}

enum Merge {
    /// Of the commit that the event is about.
    Made(ObjectId),
    /// Of another commit: it is not done yet, or the pull request moved on.
    Other,
    /// There is none.
    None,
}

fn test_merge(room: &Room, pull: &PullEvent) -> Result<Merge, Error> {
    let there = format!("refs/pull/{}/merge", pull.number);
    let remote = room.remote()?;
    if remote.find(&[&there])?.is_empty() {
        return Ok(Merge::None);
    }
    let here = format!("{FETCHED}/merge");
    remote.fetch_each(&[(there, here.clone())], room.depth)?;
    let commit = room.repository()?.resolve(&here)?;
    let parents = room.repository()?.commit_info(&commit)?.parents;
    Ok(if parents.get(1) == Some(&pull.head) { Merge::Made(commit) } else { Merge::Other })
}

fn head(room: &Room) -> Result<ObjectId, Error> {
    let head = room.repository()?.head_commit()?;
    head.ok_or_else(|| Error::input("the checkout has no commit").hint("check the repository out first"))
}
