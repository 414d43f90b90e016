//! The one comment of a key on a pull request: which comments are our own, and what is to be done so that
//! exactly one stands and says what is wanted. Pure; `publish.rs` does it.

use super::model::{Comment, User};
use super::stamp::Stamp;

/// Tells comments of several jobs on one pull request apart (github.md, 1): up to 64 of `a` to `z`, digits
/// and `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(String);

impl Key {
    /// What a key may be, in words for a message.
    pub const RULE: &'static str = "1 to 64 of the characters `a` to `z`, `0` to `9` and `-`";

    /// Reads a key; `None` where [`Key::RULE`] does not hold.
    pub fn parse(text: &str) -> Option<Self> {
        let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        ((1..=64).contains(&text.len()) && text.bytes().all(good)).then(|| Self(text.to_owned()))
    }

    /// The key; it holds nothing that any sink could take for more than text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first line of every comment of this key, without a line end.
    pub fn marker(&self) -> String {
        format!("<!-- diag-gate:v1 key={} -->", self.0)
    }
}

/// Whose comments are our own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// The account with this number.
    Account(u64),
    /// GitHub does not say: the bot of a workflow's token.
    ActionsBot,
}

impl Viewer {
    /// Whether this account is the viewer.
    pub fn is(&self, user: &User) -> bool {
        match self {
            Self::Account(id) => user.id == *id,
            Self::ActionsBot => user.login == "github-actions[bot]" && user.kind == "Bot",
        }
    }
}

/// When there is to be a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Where there is something to tell; an older comment is brought up to date in any case.
    Auto,
    /// Always.
    Always,
    /// Never; an older comment stays as it is.
    Never,
}

impl Mode {
    /// The names of the input `comment`.
    pub const NAMES: [&'static str; 3] = ["auto", "always", "never"];

    /// Reads a name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "always" => Some(Self::Always),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

/// What a comment is to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Whose comment it is.
    pub key: Key,
    /// When there is to be one.
    pub mode: Mode,
    /// Whether the diff has no entry at all.
    pub clean: bool,
    /// Which run judged which head; its [line](Stamp::line) stands in the body.
    pub stamp: Stamp,
    body: String,
}

impl Wanted {
    /// Takes a body. The marker is put in front where it is not the first line already.
    pub fn new(key: Key, mode: Mode, clean: bool, stamp: Stamp, body: &str) -> Self {
        let marker = key.marker();
        let body = if first_line(body) == marker { body.to_owned() } else { format!("{marker}\n{body}") };
        Self { key, mode, clean, stamp, body }
    }

    /// The whole body, the marker on its first line.
    pub fn body(&self) -> &str {
        &self.body
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The one thing.
    pub action: Action,
    /// Own comments beside the one that stays.
    pub delete: Vec<u64>,
}

/// The one thing to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// No comment is wanted.
    Disabled,
    /// There is nothing to tell and no comment to bring up to date.
    Clean,
    /// A newer run has told about the same head in this comment.
    Stale(u64),
    /// This comment says it already.
    Unchanged(u64),
    /// A new comment.
    Create,
    /// This comment gets the body.
    Update(u64),
}

/// Plans from all comments of the conversation, in any order. The oldest own comment stays, so that runs
/// that write at the same time agree without a lock (github.md, 4 and 5).
pub fn plan(comments: &[Comment], viewer: &Viewer, wanted: &Wanted) -> Plan {
    let only = |action| Plan { action, delete: Vec::new() };
    if wanted.mode == Mode::Never {
        return only(Action::Disabled);
    }
    let mut own: Vec<&Comment> =
        comments.iter().filter(|comment| is_own(comment, viewer, &wanted.key)).collect();
    own.sort_by_key(|comment| comment.id);
    let Some((oldest, others)) = own.split_first() else {
        return only(if wanted.clean && wanted.mode == Mode::Auto { Action::Clean } else { Action::Create });
    };
    if let Some(newer) = own.iter().find(|comment| is_newer(comment, &wanted.stamp)) {
        return only(Action::Stale(newer.id));
    }
    let action = if same_body(&oldest.body, &wanted.body) {
        Action::Unchanged(oldest.id)
    } else {
        Action::Update(oldest.id)
    };
    Plan { action, delete: others.iter().map(|comment| comment.id).collect() }
}

/// Whether a comment is our own: the marker is its first line, the viewer wrote it, nobody hid it
/// (github.md, 2).
pub fn is_own(comment: &Comment, viewer: &Viewer, key: &Key) -> bool {
    !comment.minimized
        && first_line(&comment.body) == key.marker()
        && comment.user.as_ref().is_some_and(|user| viewer.is(user))
}

/// Whether two bodies say the same: run and attempt of the stamp, kinds of line ends and blanks at the end
/// are left out, the head is not (github.md, 6).
pub fn same_body(one: &str, other: &str) -> bool {
    let essence = |body: &str| {
        let lines: Vec<String> = body
            .trim_end()
            .lines()
            .map(|line| Stamp::of_line(line).map_or_else(|| line.to_owned(), |stamp| stamp.head_alone()))
            .collect();
        lines
    };
    essence(one) == essence(other)
}

fn is_newer(comment: &Comment, ours: &Stamp) -> bool {
    Stamp::read(&comment.body).is_some_and(|theirs| {
        theirs.head == ours.head && (theirs.run_id, theirs.run_attempt) > (ours.run_id, ours.run_attempt)
    })
}

/// Without its line end, of either kind.
fn first_line(body: &str) -> &str {
    let line = body.split('\n').next().unwrap_or_default();
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests;
