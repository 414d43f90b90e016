//! The life of the comment: look up, plan, write, and look again (github.md, 3 to 11). It never fails the
//! gate: what goes wrong becomes a warning.

use super::client::{Client, Fault};
use super::comment::{Action, Mode, Plan, Viewer, Wanted, is_own, plan};
use super::error::GitHubError;
use super::model::Comment;
use super::wait::TRIES;

/// What became of the comment, as the output `comment-status` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentStatus {
    /// There is a new one.
    Created,
    /// The old one says something new.
    Updated,
    /// The old one said it already.
    Unchanged,
    /// There is nothing to tell, and there was no comment.
    SkippedClean,
    /// A newer run or a newer head makes this result an old one.
    SkippedStale,
    /// The token may not write.
    SkippedReadOnly,
    /// There is no pull request to comment on.
    SkippedNoPr,
    /// No comment is wanted.
    SkippedDisabled,
    /// It did not work; a warning says why.
    Failed,
}

impl CommentStatus {
    /// The value of the output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::SkippedClean => "skipped-clean",
            Self::SkippedStale => "skipped-stale",
            Self::SkippedReadOnly => "skipped-read-only",
            Self::SkippedNoPr => "skipped-no-pr",
            Self::SkippedDisabled => "skipped-disabled",
            Self::Failed => "failed",
        }
    }
}

/// What became of the comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// In one word.
    pub status: CommentStatus,
    /// The comment that stands, where it is known.
    pub id: Option<u64>,
    /// Where a person reads it. Untrusted text.
    pub url: Option<String>,
    /// What went wrong, one sentence each, without final periods. Untrusted text inside.
    pub warnings: Vec<String>,
}

impl Published {
    /// Nothing was done, and why; also for callers that do not get as far as [`publish`].
    pub fn nothing(status: CommentStatus) -> Self {
        Self { status, id: None, url: None, warnings: Vec::new() }
    }

    fn about(status: CommentStatus, comment: Option<&Comment>) -> Self {
        let url = comment.map(|comment| comment.url.clone()).filter(|url| !url.is_empty());
        Self { status, id: comment.map(|comment| comment.id), url, warnings: Vec::new() }
    }
}

/// Brings the comment of a pull request up to date. Nothing is sent where no comment is wanted.
pub fn publish(client: &Client, number: u64, wanted: &Wanted) -> Published {
    if wanted.mode == Mode::Never {
        return Published::nothing(CommentStatus::SkippedDisabled);
    }
    let mut run = Publication { client, number, wanted, warnings: Vec::new() };
    let mut published = run.publish().unwrap_or_else(|error| run.failed(&error));
    published.warnings = run.warnings;
    published
}

struct Publication<'a> {
    client: &'a Client,
    number: u64,
    wanted: &'a Wanted,
    warnings: Vec<String>,
}

impl Publication<'_> {
    fn publish(&mut self) -> Result<Published, GitHubError> {
        let viewer = self.client.viewer()?;
        match self.settle(&viewer) {
            // Someone deleted the comment between our look and our write.
            Err(error) if error.is_absent_update() => self.settle(&viewer),
            settled => settled,
        }
    }

    /// Looks and writes.
    fn settle(&mut self, viewer: &Viewer) -> Result<Published, GitHubError> {
        let comments = self.client.comments(self.number)?;
        let plan = plan(&comments, viewer, self.wanted);
        let known = |id: u64| comments.iter().find(|comment| comment.id == id);
        let published = match plan.action {
            Action::Disabled => return Ok(Published::nothing(CommentStatus::SkippedDisabled)),
            Action::Clean => return Ok(Published::nothing(CommentStatus::SkippedClean)),
            Action::Stale(id) => return Ok(Published::about(CommentStatus::SkippedStale, known(id))),
            Action::Unchanged(id) => Published::about(CommentStatus::Unchanged, known(id)),
            Action::Create => {
                if self.head_moved()? {
                    return Ok(Published::nothing(CommentStatus::SkippedStale));
                }
                return self.create(viewer);
            }
            Action::Update(id) => {
                if self.head_moved()? {
                    return Ok(Published::about(CommentStatus::SkippedStale, known(id)));
                }
                let updated = self.client.update_comment(id, self.wanted.body())?;
                Published::about(CommentStatus::Updated, Some(&updated))
            }
        };
        self.delete(&plan);
        Ok(published)
    }

    /// Writes a new comment. After a fault that may have come behind the storing, a look tells whether it was
    /// stored, before another is written (github.md, 10).
    fn create(&mut self, viewer: &Viewer) -> Result<Published, GitHubError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let tried_once = self.client.try_to_create(self.number, self.wanted.body(), tried);
            let Fault { error, again } = match tried_once {
                Ok(made) => return self.after_create(viewer, &made),
                Err(fault) => *fault,
            };
            let Some(again) = again.filter(|_| tried < TRIES) else { return self.look_once(viewer, error) };
            self.client.pause(again.wait(), &error.to_string())?;
            if let Some(made) = self.stored(viewer)? {
                return self.after_create(viewer, &made);
            }
            if self.head_moved()? {
                return Ok(Published::nothing(CommentStatus::SkippedStale));
            }
        }
    }

    /// The last fault stands, unless the comment does.
    fn look_once(&mut self, viewer: &Viewer, error: GitHubError) -> Result<Published, GitHubError> {
        if !error.may_be_done() {
            return Err(error);
        }
        match self.stored(viewer) {
            Ok(Some(made)) => self.after_create(viewer, &made),
            Ok(None) | Err(_) => Err(error),
        }
    }

    /// The newest own comment with our body.
    fn stored(&self, viewer: &Viewer) -> Result<Option<Comment>, GitHubError> {
        let comments = self.client.comments(self.number)?;
        Ok(comments.into_iter().rev().find(|comment| {
            is_own(comment, viewer, &self.wanted.key)
                && comment.body.trim_end() == self.wanted.body().trim_end()
        }))
    }

    /// Two runs may have written at once: the oldest comment stays and is brought up to date, ours goes
    /// (github.md, 5).
    fn after_create(&mut self, viewer: &Viewer, made: &Comment) -> Result<Published, GitHubError> {
        let created = Published::about(CommentStatus::Created, Some(made));
        let mut comments = match self.client.comments(self.number) {
            Ok(comments) => comments,
            Err(error) => {
                self.warnings.push(format!("whether the comment is the only one could not be seen: {error}"));
                return Ok(created);
            }
        };
        comments.retain(|comment| comment.id < made.id);
        // Whoever wrote it is us, also where GitHub did not say so before: the bot of some other app.
        let author = made.user.as_ref().map_or_else(|| viewer.clone(), |user| Viewer::Account(user.id));
        let older = plan(&comments, &author, self.wanted);
        let known = |id: u64| comments.iter().find(|comment| comment.id == id);
        let published = match older.action {
            Action::Disabled | Action::Clean | Action::Create => return Ok(created),
            Action::Stale(id) => Published::about(CommentStatus::SkippedStale, known(id)),
            Action::Unchanged(id) => Published::about(CommentStatus::Unchanged, known(id)),
            Action::Update(id) => match self.client.update_comment(id, self.wanted.body()) {
                Ok(updated) => Published::about(CommentStatus::Updated, Some(&updated)),
                Err(error) if error.is_absent() => return Ok(created),
                Err(error) => {
                    self.warnings
                        .push(format!("an older comment of ours could not be brought up to date: {error}"));
                    return Ok(created);
                }
            },
        };
        self.drop_comments(&older.delete);
        self.drop_comments(&[made.id]);
        Ok(published)
    }

    /// Whether the pull request has another head by now than the one that was judged (github.md, 7).
    fn head_moved(&self) -> Result<bool, GitHubError> {
        Ok(self.client.pull_request(self.number)?.head_sha != self.wanted.stamp.head)
    }

    fn delete(&mut self, plan: &Plan) {
        if plan.delete.is_empty() {
            return;
        }
        self.warnings.push(format!(
            "{} comments of ours had the same key: the oldest stays, the others are deleted",
            plan.delete.len() + 1
        ));
        self.drop_comments(&plan.delete);
    }

    fn drop_comments(&mut self, ids: &[u64]) {
        for id in ids {
            if let Err(error) = self.client.delete_comment(*id) {
                self.warnings.push(format!("a comment too many could not be deleted: {error}"));
            }
        }
    }

    fn failed(&mut self, error: &GitHubError) -> Published {
        self.warnings.push(format!("the comment could not be written: {error}"));
        let read_only = error.is_read_only();
        Published::nothing(if read_only { CommentStatus::SkippedReadOnly } else { CommentStatus::Failed })
    }
}
