//! What happened on GitHub: the event that a workflow runs for, out of its payload. Pure.
//!
//! Spec: github.md, "`diag-gate ci`". A payload is untrusted: ids are checked here, texts stay texts.

use serde::Deserialize;

use crate::ids::ObjectId;

/// The largest payload that is read, in bytes.
pub const MAX_PAYLOAD_BYTES: u64 = 5_000_000;

/// An event that is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A pull request, in its own surroundings: read-only where it comes from a fork.
    PullRequest(PullEvent),
    /// A pull request, in the surroundings of the target branch: nothing of it may run.
    PullRequestTarget(PullEvent),
    /// A group of pull requests that the merge queue is about to merge.
    MergeGroup(MergeGroup),
    /// Something was pushed.
    Push(Push),
    /// A comment on an issue or a pull request.
    IssueComment(IssueComment),
    /// Started by a person, or by the clock.
    Other,
}

/// A pull request, as its event tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullEvent {
    /// Its number.
    pub number: u64,
    /// The newest commit of it.
    pub head: ObjectId,
    /// The branch that it is to be merged into. Untrusted text.
    pub base_branch: String,
    /// That branch's commit when the event came about.
    pub base: ObjectId,
    /// Whether it comes from another repository, or from one that is gone.
    pub is_fork: bool,
}

/// What a merge queue is about to merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeGroup {
    /// The commit that the branch would come to.
    pub head: ObjectId,
    /// What it is put on.
    pub base: ObjectId,
    /// The target branch, as a full ref. Untrusted text.
    pub base_ref: String,
}

/// Something was pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The full name of the ref. Untrusted text.
    pub reference: String,
    /// The ref's new commit; `None` where it was deleted.
    pub after: Option<ObjectId>,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueComment {
    /// Its id.
    pub id: u64,
    /// The number of the issue or the pull request.
    pub number: u64,
    /// Whether it stands on a pull request.
    pub on_pull_request: bool,
    /// Whether it was just written: not edited, not deleted.
    pub is_new: bool,
    /// Its text. Untrusted.
    pub body: String,
    /// Who wrote it: the login. Untrusted text.
    pub login: String,
    /// Who wrote it: the number of the account.
    pub user: u64,
}

/// An event that cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// The event is not among [`Event::NAMES`].
    #[error("the event `{name}` is not one that `diag-gate ci` judges")]
    Unknown {
        /// The event.
        name: String,
    },
    /// The payload is not the JSON of this event.
    #[error("the payload of the event `{name}` cannot be read")]
    Payload {
        /// The event.
        name: String,
        /// Where it went wrong.
        source: serde_json::Error,
    },
    /// The payload holds something that it cannot hold.
    #[error("the payload of the event `{name}` says of `{field}` what that cannot be")]
    Field {
        /// The event.
        name: String,
        /// Which field.
        field: &'static str,
    },
}

impl Event {
    /// The names of the events that are judged.
    pub const NAMES: [&str; 7] = [
        "pull_request",
        "pull_request_target",
        "merge_group",
        "push",
        "issue_comment",
        "workflow_dispatch",
        "schedule",
    ];

    /// Reads an event from its name and payload. `repository` is the one that the workflow runs in,
    /// `OWNER/NAME`.
    ///
    /// # Errors
    /// The event is not known, or the payload is not one of it.
    pub fn read(name: &str, payload: &[u8], repository: &str) -> Result<Self, EventError> {
        let reading = Reading { name, payload };
        match name {
            "pull_request" => Ok(Self::PullRequest(reading.pull_request(repository)?)),
            "pull_request_target" => Ok(Self::PullRequestTarget(reading.pull_request(repository)?)),
            "merge_group" => Ok(Self::MergeGroup(reading.merge_group()?)),
            "push" => Ok(Self::Push(reading.push()?)),
            "issue_comment" => Ok(Self::IssueComment(reading.comment()?)),
            "workflow_dispatch" | "schedule" => Ok(Self::Other),
            other => Err(EventError::Unknown { name: other.to_owned() }),
        }
    }

    /// The pull request that is judged; `None` where there is none.
    pub fn pull_request(&self) -> Option<&PullEvent> {
        match self {
            Self::PullRequest(pull) | Self::PullRequestTarget(pull) => Some(pull),
            Self::MergeGroup(_) | Self::Push(_) | Self::IssueComment(_) | Self::Other => None,
        }
    }
}

struct Reading<'a> {
    name: &'a str,
    payload: &'a [u8],
}

impl Reading<'_> {
    fn payload<'de, T: Deserialize<'de>>(&'de self) -> Result<T, EventError> {
        serde_json::from_slice(self.payload)
            .map_err(|source| EventError::Payload { name: self.name.to_owned(), source })
    }

    fn id(&self, field: &'static str, text: &str) -> Result<ObjectId, EventError> {
        ObjectId::parse(text).ok_or_else(|| EventError::Field { name: self.name.to_owned(), field })
    }

    fn pull_request(&self, repository: &str) -> Result<PullEvent, EventError> {
        let payload: PullRequestPayload = self.payload()?;
        let pull = payload.pull_request;
        let home = pull.head.repo.is_some_and(|repo| repo.full_name.eq_ignore_ascii_case(repository));
        Ok(PullEvent {
            number: pull.number,
            head: self.id("pull_request.head.sha", &pull.head.sha)?,
            base_branch: pull.base.r#ref,
            base: self.id("pull_request.base.sha", &pull.base.sha)?,
            is_fork: !home,
        })
    }

    fn merge_group(&self) -> Result<MergeGroup, EventError> {
        let payload: MergeGroupPayload = self.payload()?;
        let group = payload.merge_group;
        Ok(MergeGroup {
            head: self.id("merge_group.head_sha", &group.head_sha)?,
            base: self.id("merge_group.base_sha", &group.base_sha)?,
            base_ref: group.base_ref,
        })
    }

    fn push(&self) -> Result<Push, EventError> {
        let payload: PushPayload = self.payload()?;
        let after = self.id("after", &payload.after)?;
        let gone = payload.deleted || after.as_str().bytes().all(|byte| byte == b'0');
        Ok(Push { reference: payload.r#ref, after: (!gone).then_some(after) })
    }

    fn comment(&self) -> Result<IssueComment, EventError> {
        let payload: CommentPayload = self.payload()?;
        Ok(IssueComment {
            id: payload.comment.id,
            number: payload.issue.number,
            on_pull_request: payload.issue.pull_request.is_some(),
            is_new: payload.action == "created",
            body: payload.comment.body.unwrap_or_default(),
            login: payload.comment.user.login,
            user: payload.comment.user.id,
        })
    }
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct PullRequestPayload {
    pull_request: PullPayload,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct PullPayload {
    number: u64,
    head: SidePayload,
    base: SidePayload,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct SidePayload {
    sha: String,
    r#ref: String,
    repo: Option<RepositoryPayload>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct RepositoryPayload {
    full_name: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct MergeGroupPayload {
    merge_group: GroupPayload,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct GroupPayload {
    head_sha: String,
    base_sha: String,
    base_ref: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct PushPayload {
    r#ref: String,
    after: String,
    #[serde(default)]
    deleted: bool,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct CommentPayload {
    action: String,
    issue: IssuePayload,
    comment: CommentBodyPayload,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct IssuePayload {
    number: u64,
    pull_request: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct CommentBodyPayload {
    id: u64,
    body: Option<String>,
    user: UserPayload,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct UserPayload {
    login: String,
    id: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "1111111111111111111111111111111111111111";
    const BASE: &str = "2222222222222222222222222222222222222222";

    fn pull(repo: &str) -> String {
        format!(
            r#"{{"action": "opened", "number": 7, "pull_request": {{"number": 7, "user": {{"login": "x"}},
                "head": {{"sha": "{HEAD}", "ref": "topic", "repo": {repo}}},
                "base": {{"sha": "{BASE}", "ref": "main", "repo": {{"full_name": "acme/agent"}}}}}}}}"#
        )
    }

    fn read(name: &str, payload: &str) -> Result<Event, EventError> {
        Event::read(name, payload.as_bytes(), "acme/agent")
    }

    #[test]
    fn a_payload_of_another_shape_is_told_in_words_of_json() {
        let error = read("pull_request", r#"{"pull_request": 7}"#).unwrap_err();
        let EventError::Payload { source, .. } = error else { panic!("another error") };
        assert_eq!(source.to_string(), "invalid type: integer `7`, expected an object at line 1 column 18");
    }

    #[test]
    fn a_pull_request_is_a_fork_where_its_head_lies_in_another_repository() {
        let own = read("pull_request", &pull(r#"{"full_name": "Acme/Agent"}"#)).unwrap();
        let Event::PullRequest(own) = own else { panic!("another event") };
        assert_eq!((own.number, own.is_fork), (7, false));
        assert_eq!((own.head.as_str(), own.base.as_str(), own.base_branch.as_str()), (HEAD, BASE, "main"));
        for repo in [r#"{"full_name": "eve/agent"}"#, "null"] {
            let event = read("pull_request_target", &pull(repo)).unwrap();
            assert!(event.pull_request().is_some_and(|pull| pull.is_fork), "{repo}");
        }
    }

    #[test]
    fn a_merge_group_has_a_head_and_a_base() {
        let payload = format!(
            r#"{{"action": "checks_requested", "merge_group": {{"head_sha": "{HEAD}",
                "head_ref": "refs/heads/gh-readonly-queue/main/pr-7", "base_sha": "{BASE}",
                "base_ref": "refs/heads/main"}}}}"#
        );
        let Event::MergeGroup(group) = read("merge_group", &payload).unwrap() else {
            panic!("another event")
        };
        assert_eq!((group.head.as_str(), group.base.as_str()), (HEAD, BASE));
        assert_eq!(group.base_ref, "refs/heads/main");
    }

    #[test]
    fn a_push_that_deletes_has_no_commit() {
        let payload =
            |after: &str, more: &str| format!(r#"{{"ref": "refs/heads/main", "after": "{after}"{more}}}"#);
        let after = |payload: String| {
            let Event::Push(push) = read("push", &payload).unwrap() else { panic!("another event") };
            push.after
        };
        assert_eq!(after(payload(HEAD, "")), ObjectId::parse(HEAD));
        assert_eq!(after(payload(HEAD, r#", "deleted": true"#)), None);
        assert_eq!(after(payload(&"0".repeat(40), "")), None);
    }

    #[test]
    fn a_comment_says_whether_it_is_new_and_on_a_pull_request() {
        let payload = |action: &str, pull: &str| {
            format!(
                r#"{{"action": "{action}", "issue": {{"number": 7{pull}}},
                    "comment": {{"id": 9, "body": "hello", "user": {{"login": "ann", "id": 3}}}}}}"#
            )
        };
        let comment = |payload: String| {
            let read = read("issue_comment", &payload).unwrap();
            let Event::IssueComment(comment) = read else { panic!("another event") };
            comment
        };
        let new = comment(payload("created", r#", "pull_request": {"url": "x"}"#));
        assert!(new.is_new && new.on_pull_request);
        assert_eq!((new.id, new.number, new.user, new.login.as_str()), (9, 7, 3, "ann"));
        let old = comment(payload("edited", r#", "pull_request": null"#));
        assert!(!old.is_new && !old.on_pull_request);
    }

    #[test]
    fn what_is_no_event_is_an_error() {
        assert!(matches!(read("release", "{}"), Err(EventError::Unknown { .. })));
        assert!(matches!(read("push", "no JSON"), Err(EventError::Payload { .. })));
        assert!(matches!(read("pull_request", "{}"), Err(EventError::Payload { .. })));
        let evil = pull("null").replace(HEAD, "--upload-pack=touch /tmp/x");
        assert!(
            matches!(read("pull_request", &evil), Err(EventError::Field { field, .. }) if field == "pull_request.head.sha")
        );
        for name in Event::NAMES {
            assert!(!matches!(read(name, "{}"), Err(EventError::Unknown { .. })), "{name}");
        }
    }
}
