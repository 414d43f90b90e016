//! What GitHub answers, as far as it is used: more fields than these are allowed, and where GitHub gives
//! `null` so may these. All texts are untrusted.

use serde::{Deserialize, Deserializer, Serialize};

use crate::ids::ObjectId;

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct User {
    /// Its number, which no one else gets.
    pub id: u64,
    /// Its name of letters, digits and `-`; bots end in `[bot]`.
    pub login: String,
    /// `User`, `Bot` or `Organization`.
    #[serde(rename = "type", default)]
    pub kind: String,
    /// What a person calls himself; untrusted, and often absent.
    #[serde(default)]
    pub name: Option<String>,
}

/// A comment in the conversation of a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Comment {
    /// Its number; an older comment has a lower one.
    pub id: u64,
    /// Its text.
    #[serde(default, deserialize_with = "or_default")]
    pub body: String,
    /// Where a person reads it.
    #[serde(rename = "html_url", default)]
    pub url: String,
    /// Who wrote it; `None` where the account is gone.
    #[serde(default)]
    pub user: Option<User>,
    /// Whether someone hid it.
    #[serde(default, deserialize_with = "is_there")]
    pub minimized: bool,
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "PullRequestWire")]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// Whether it is open; what is not known as open is not.
    pub open: bool,
    /// Whether its conversation is locked.
    pub locked: bool,
    /// Its current head.
    pub head_sha: ObjectId,
    /// `owner/repo` that the head lies in; `None` where that repository is gone.
    pub head_repository: Option<String>,
    /// The branch that it goes to, without `refs/heads/`.
    pub base_ref: String,
    /// The tip of that branch when GitHub last looked.
    pub base_sha: ObjectId,
    /// The test merge while it is open; `None` while GitHub has not made it.
    pub merge_commit_sha: Option<ObjectId>,
    /// Who opened it; `None` where the account is gone.
    pub author: Option<User>,
    /// Whether it merges without conflict; `None` while GitHub has not tried.
    pub mergeable: Option<bool>,
}

impl PullRequest {
    /// Whether the head lies in another repository than this one, or in none.
    pub fn is_from_fork(&self, repository: &super::RepoName) -> bool {
        !self.head_repository.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(repository.as_str()))
    }
}

/// What someone may do in the repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Permission {
    /// `admin`, `write`, `read` or `none`.
    pub permission: String,
    /// The finer role: `maintain`, `triage`, or one that an organization made.
    #[serde(default)]
    pub role_name: Option<String>,
    /// Who was asked about.
    #[serde(default)]
    pub user: Option<User>,
}

impl Permission {
    /// Whether it allows writing: `write`, `maintain` or `admin` (github.md, 37). `permission` decides; a role
    /// that GitHub itself defines as less than that contradicts it, and counts.
    pub fn may_write(&self) -> bool {
        let less = ["none", "read", "triage"];
        ["write", "maintain", "admin"].contains(&self.permission.as_str())
            && !self.role_name.as_deref().is_some_and(|role| less.contains(&role))
    }
}

/// A reaction to a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Reaction {
    /// Seen.
    #[serde(rename = "eyes")]
    Eyes,
    /// Done.
    #[serde(rename = "+1")]
    Up,
    /// Not done.
    #[serde(rename = "-1")]
    Down,
}

impl Reaction {
    /// The name that GitHub gives it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eyes => "eyes",
            Self::Up => "+1",
            Self::Down => "-1",
        }
    }
}

/// How a check run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Conclusion {
    /// The gate passed.
    Success,
    /// The gate blocked.
    Failure,
    /// Nothing was decided.
    Neutral,
}

/// A check run to be made on a commit (github.md, 34).
#[derive(Clone, Copy, Debug)]
pub struct CheckRun<'a> {
    /// The head of the pull request, not its test merge.
    pub head: &'a ObjectId,
    /// Whose it is: the name is `diag-gate (KEY)`.
    pub key: &'a super::Key,
    /// How it ended.
    pub conclusion: Conclusion,
    /// The headline.
    pub title: &'a str,
    /// Markdown; cut at a line's end to 65,535 bytes.
    pub summary: &'a str,
    /// Any number; they go out fifty a request.
    pub annotations: &'a [CheckAnnotation],
}

/// One remark at a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckAnnotation {
    /// The path from the root of the repository.
    pub path: String,
    /// The first line, from 1.
    pub start_line: u64,
    /// The last line.
    pub end_line: u64,
    /// How bad it is.
    #[serde(rename = "annotation_level")]
    pub level: AnnotationLevel,
    /// The headline.
    pub title: String,
    /// The text.
    pub message: String,
}

/// How bad an annotation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationLevel {
    /// For information.
    Notice,
    /// A warning.
    Warning,
    /// An error.
    Failure,
}

/// A thing that was made and has a number.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Made {
    /// Its number.
    pub id: u64,
    /// Where a person sees it; empty where there is no such place.
    #[serde(rename = "html_url", default, deserialize_with = "or_default")]
    pub url: String,
}

#[derive(Deserialize)]
struct PullRequestWire {
    number: u64,
    state: String,
    #[serde(default)]
    locked: bool,
    head: SideWire,
    base: SideWire,
    #[serde(default, deserialize_with = "optional_id")]
    merge_commit_sha: Option<ObjectId>,
    #[serde(default)]
    user: Option<User>,
    #[serde(default)]
    mergeable: Option<bool>,
}

#[derive(Deserialize)]
struct SideWire {
    #[serde(deserialize_with = "id")]
    sha: ObjectId,
    #[serde(rename = "ref")]
    branch: String,
    #[serde(default)]
    repo: Option<RepositoryWire>,
}

#[derive(Deserialize)]
struct RepositoryWire {
    full_name: String,
}

impl From<PullRequestWire> for PullRequest {
    fn from(wire: PullRequestWire) -> Self {
        Self {
            number: wire.number,
            open: wire.state == "open",
            locked: wire.locked,
            head_sha: wire.head.sha,
            head_repository: wire.head.repo.map(|repository| repository.full_name),
            base_ref: wire.base.branch,
            base_sha: wire.base.sha,
            merge_commit_sha: wire.merge_commit_sha,
            author: wire.user,
            mergeable: wire.mergeable,
        }
    }
}

fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ObjectId, D::Error> {
    ObjectId::parse(&String::deserialize(deserializer)?)
        .ok_or_else(|| serde::de::Error::custom("a commit id is not 40 or 64 lower-case hex digits"))
}

fn optional_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ObjectId>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.as_deref().and_then(ObjectId::parse))
}

fn or_default<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.unwrap_or_default())
}

/// `null` and `false` say no, anything else says yes: GitHub gives an object with the reason.
fn is_there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(!matches!(value, serde_json::Value::Null | serde_json::Value::Bool(false)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn comment(minimized: serde_json::Value) -> Comment {
        serde_json::from_value(
            json!({"id": 1, "body": null, "user": null, "new": [], "minimized": minimized}),
        )
        .unwrap()
    }

    #[test]
    fn a_comment_is_minimized_where_github_gives_any_reason() {
        assert!(!comment(json!(null)).minimized);
        assert!(!comment(json!(false)).minimized);
        assert!(comment(json!(true)).minimized);
        assert!(comment(json!({"reason": null})).minimized);
        assert!(comment(json!({"reason": "OUTDATED"})).minimized);
        let bare: Comment = serde_json::from_value(json!({"id": 1})).unwrap();
        assert!(!bare.minimized && bare.body.is_empty() && bare.user.is_none());
    }

    fn pull(change: impl FnOnce(&mut serde_json::Value)) -> Result<PullRequest, serde_json::Error> {
        let sha = "a".repeat(40);
        let mut value = json!({
            "number": 7, "state": "open", "extra": {},
            "head": {"sha": sha, "ref": "topic", "repo": {"full_name": "Fork/Repo"}},
            "base": {"sha": sha, "ref": "main", "repo": null},
        });
        change(&mut value);
        serde_json::from_value(value)
    }

    #[test]
    fn a_pull_request_may_lack_its_fork_its_author_and_its_merge() {
        let found = pull(|value| value["head"]["repo"] = json!(null)).unwrap();
        assert_eq!(found.head_repository, None);
        assert_eq!((found.author, found.mergeable, found.merge_commit_sha), (None, None, None));
        assert!(!found.locked);
    }

    #[test]
    fn only_open_is_open() {
        assert!(pull(|_| {}).unwrap().open);
        assert!(!pull(|value| value["state"] = json!("closed")).unwrap().open);
        assert!(!pull(|value| value["state"] = json!("new state")).unwrap().open);
    }

    #[test]
    fn a_head_that_is_no_commit_id_cannot_be_read() {
        assert!(pull(|value| value["head"]["sha"] = json!("main")).is_err());
        assert!(pull(|value| value["head"]["sha"] = json!(null)).is_err());
        assert!(pull(|value| value["head"] = json!(null)).is_err());
    }

    #[test]
    fn a_head_in_no_known_repository_comes_from_a_fork() {
        let here = super::super::RepoName::parse("fork/repo").unwrap();
        assert!(!pull(|_| {}).unwrap().is_from_fork(&here));
        assert!(
            pull(|value| value["head"]["repo"]["full_name"] = json!("other/repo"))
                .unwrap()
                .is_from_fork(&here)
        );
        assert!(pull(|value| value["head"]["repo"] = json!(null)).unwrap().is_from_fork(&here));
    }

    #[test]
    fn write_maintain_and_admin_may_write_and_nobody_else() {
        let may = |permission: &str, role: Option<&str>| {
            Permission { permission: permission.to_owned(), role_name: role.map(str::to_owned), user: None }
                .may_write()
        };
        assert!(may("write", None) && may("admin", Some("admin")) && may("maintain", None));
        assert!(may("write", Some("maintain")) && may("write", Some("our own role")));
        for permission in ["read", "none", "triage", "", "WRITE", "write "] {
            assert!(!may(permission, None), "{permission}");
            assert!(!may(permission, Some("admin")), "{permission}");
        }
        assert!(!may("read", Some("our own role")));
        assert!(!may("write", Some("triage")));
    }

    #[test]
    fn reactions_are_sent_by_the_names_that_github_gives_them() {
        for reaction in [Reaction::Eyes, Reaction::Up, Reaction::Down] {
            assert_eq!(serde_json::to_value(reaction).unwrap(), json!(reaction.as_str()));
        }
    }
}
