//! The calls that are made to GitHub, each one request or a walk over pages. How they are sent stands in
//! `client.rs`.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::address::{next_link, segment};
use super::client::{Answer, Client, Fault, Repeat, Request};
use super::comment::Viewer;
use super::error::{GitHubError, RequestName, shortened};
use super::model::{CheckRun, Comment, Made, Permission, PullRequest, Reaction, User};

/// The most pages of comments that are read.
const PAGES: usize = 300;

/// What GitHub takes of annotations in one request (github.md, 34).
const ANNOTATIONS: usize = 50;

/// What GitHub takes of a summary, in bytes; it counts characters, which are never more (github.md, 34).
const SUMMARY: usize = 65_535;

const COMMENTS: &str = "pull-requests: write";
const READ_PULLS: &str = "pull-requests: read";
const READ: &str = "contents: read";
const CHECKS: &str = "checks: write";

impl Client {
    /// Whose comments are our own: the account of the token, or the bot of Actions where GitHub refuses to
    /// say (403), as it does to a workflow's token (github.md, 2). Asked once.
    ///
    /// # Errors
    /// [`GitHubError::NoToken`], or a failure that is no refusal.
    pub fn viewer(&self) -> Result<Viewer, GitHubError> {
        if let Some(known) = self.viewer.get() {
            return Ok(known.clone());
        }
        let request = self.get("/user", READ);
        if !self.has_token() {
            return Err(GitHubError::NoToken { request: request.name });
        }
        let viewer = match self.read::<User>(&request) {
            Ok(user) => Viewer::Account(user.id),
            Err(GitHubError::MissingPermission { .. } | GitHubError::Forbidden { .. }) => Viewer::ActionsBot,
            Err(error) => return Err(error),
        };
        Ok(self.viewer.get_or_init(|| viewer).clone())
    }

    /// All comments in the conversation of a pull request or an issue, oldest first, over all pages
    /// (github.md, 3).
    ///
    /// # Errors
    /// As of any request; also where one of the pages cannot be read, since half a list is none.
    pub fn comments(&self, number: u64) -> Result<Vec<Comment>, GitHubError> {
        let mut request = self.get(&self.repo(&format!("/issues/{number}/comments")), COMMENTS);
        request.query = "?per_page=100".to_owned();
        let mut found: Vec<Comment> = Vec::new();
        for _ in 0..PAGES {
            let answer = self.send(&request)?;
            found.extend(parse::<Vec<Comment>>(&request.name, &answer)?);
            let Some(link) = answer.link.as_deref().and_then(next_link) else {
                found.sort_by_key(|comment| comment.id);
                found.dedup_by_key(|comment| comment.id);
                return Ok(found);
            };
            request.target = Some(self.follow(&request.name, &answer, link)?);
        }
        Err(GitHubError::Unreadable { request: request.name, why: format!("more than {PAGES} pages") })
    }

    /// One comment.
    ///
    /// # Errors
    /// As of any request.
    pub fn comment(&self, id: u64) -> Result<Comment, GitHubError> {
        self.read(&self.get(&self.repo(&format!("/issues/comments/{id}")), READ_PULLS))
    }

    /// Writes a new comment. It is sent again only where a limit turned it away: after any other fault it may
    /// have been stored. [`publish`](super::publish()) looks, and then tries again.
    ///
    /// # Errors
    /// As of any request.
    pub fn create_comment(&self, number: u64, body: &str) -> Result<Comment, GitHubError> {
        let request = self.new_comment(number, body, Repeat::WhenTurnedAway);
        parse(&request.name, &self.send(&request)?)
    }

    /// Writes a new comment, once; the caller looks before it tries again.
    pub(super) fn try_to_create(&self, number: u64, body: &str, tried: u32) -> Result<Comment, Box<Fault>> {
        let request = self.new_comment(number, body, Repeat::Never);
        let answer = self.attempt(&request, tried)?;
        parse(&request.name, &answer).map_err(|error| Box::new(Fault { error, again: None }))
    }

    /// Gives a comment another text.
    ///
    /// # Errors
    /// As of any request.
    pub fn update_comment(&self, id: u64, body: &str) -> Result<Comment, GitHubError> {
        let path = self.repo(&format!("/issues/comments/{id}"));
        self.read(&write("PATCH", path, COMMENTS, Some(json!({ "body": body }))))
    }

    /// Deletes a comment; one that is gone already is no failure.
    ///
    /// # Errors
    /// As of any request.
    pub fn delete_comment(&self, id: u64) -> Result<(), GitHubError> {
        let path = self.repo(&format!("/issues/comments/{id}"));
        match self.send(&write("DELETE", path, COMMENTS, None)) {
            Err(error) if !error.is_absent() => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// A pull request as it stands now.
    ///
    /// # Errors
    /// As of any request.
    pub fn pull_request(&self, number: u64) -> Result<PullRequest, GitHubError> {
        self.read(&self.get(&self.repo(&format!("/pulls/{number}")), READ_PULLS))
    }

    /// What an account may do in the repository (github.md, 37).
    ///
    /// # Errors
    /// As of any request; also where GitHub answers about somebody else.
    pub fn permission(&self, login: &str) -> Result<Permission, GitHubError> {
        let path = self.repo(&format!("/collaborators/{}/permission", segment(login)));
        let request = self.get(&path, READ);
        let found: Permission = self.read(&request)?;
        if found.user.as_ref().is_some_and(|user| !user.login.eq_ignore_ascii_case(login)) {
            let why = "it is about somebody else".to_owned();
            return Err(GitHubError::Unreadable { request: request.name, why });
        }
        Ok(found)
    }

    /// An account by its login.
    ///
    /// # Errors
    /// As of any request.
    pub fn user(&self, login: &str) -> Result<User, GitHubError> {
        self.read(&self.get(&format!("/users/{}", segment(login)), READ))
    }

    /// Adds a reaction to a comment (github.md, 40).
    ///
    /// # Errors
    /// As of any request.
    pub fn react(&self, comment: u64, reaction: Reaction) -> Result<(), GitHubError> {
        let path = self.repo(&format!("/issues/comments/{comment}/reactions"));
        self.send(&write("POST", path, COMMENTS, Some(json!({ "content": reaction }))))?;
        Ok(())
    }

    /// Makes a check run with all its annotations, fifty a request (github.md, 34).
    ///
    /// # Errors
    /// As of any request; the run may then lack some of its annotations.
    pub fn create_check_run(&self, run: &CheckRun<'_>) -> Result<Made, GitHubError> {
        let mut groups = run.annotations.chunks(ANNOTATIONS);
        let first = groups.next().unwrap_or_default();
        let summary = cut(run.summary);
        let output =
            |annotations| json!({ "title": run.title, "summary": summary, "annotations": annotations });
        let body = json!({
            "name": format!("diag-gate ({})", run.key.as_str()),
            "head_sha": run.head.as_str(),
            "status": "completed",
            "conclusion": run.conclusion,
            "output": output(first),
        });
        let made: Made = self.read(&write("POST", self.repo("/check-runs"), CHECKS, Some(body)))?;
        for group in groups {
            let path = self.repo(&format!("/check-runs/{}", made.id));
            self.send(&write("PATCH", path, CHECKS, Some(json!({ "output": output(group) }))))?;
        }
        Ok(made)
    }

    fn new_comment(&self, number: u64, body: &str, repeat: Repeat) -> Request {
        let path = self.repo(&format!("/issues/{number}/comments"));
        Request { repeat, ..write("POST", path, COMMENTS, Some(json!({ "body": body }))) }
    }

    fn read<T: DeserializeOwned>(&self, request: &Request) -> Result<T, GitHubError> {
        parse(&request.name, &self.send(request)?)
    }

    fn get(&self, path: &str, permission: &'static str) -> Request {
        Request { repeat: Repeat::Freely, ..write("GET", path.to_owned(), permission, None) }
    }

    fn repo(&self, path: &str) -> String {
        format!("/repos/{}{path}", self.repository.as_str())
    }
}

fn write(method: &'static str, path: String, permission: &'static str, body: Option<Value>) -> Request {
    let repeat = if method == "POST" { Repeat::WhenTurnedAway } else { Repeat::Freely };
    let name = RequestName { method, path, permission };
    Request { name, query: String::new(), body, repeat, target: None }
}

fn parse<T: DeserializeOwned>(name: &RequestName, answer: &Answer) -> Result<T, GitHubError> {
    serde_json::from_str(&answer.text).map_err(|error| GitHubError::Unreadable {
        request: name.clone(),
        why: shortened(&error.to_string()),
    })
}

/// The lines that fit.
fn cut(summary: &str) -> &str {
    if summary.len() <= SUMMARY {
        return summary;
    }
    let end = (0..=SUMMARY).rev().find(|at| summary.is_char_boundary(*at)).unwrap_or(0);
    let head = &summary[..end];
    head.rfind('\n').map_or(head, |at| &head[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_cut_at_the_end_of_a_line() {
        let fits = "x".repeat(SUMMARY);
        assert_eq!(cut(&fits), fits);
        let lines = "字字字\n".repeat(20_000);
        let short = cut(&lines);
        assert!(short.len() <= SUMMARY && short.ends_with('字'), "{}", short.len());
        assert!(short.len() > SUMMARY - 20);
        assert!(cut(&"字".repeat(30_000)).len() <= SUMMARY);
    }
}
