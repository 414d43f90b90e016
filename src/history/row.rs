//! What there is to say of one commit.

use std::sync::Arc;

use crate::history::{Commit, Counts, Outcome};
use crate::ids::{CaseId, Digest, ObjectId};

/// All commits of a range, newest first as `git log` orders them.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name of the suite, as the newest commit that could be evaluated has it.
    pub suite: String,
    /// The range as it was asked for. Untrusted text.
    pub range: String,
    /// Whether merges lead to all their parents.
    pub all_parents: bool,
    /// The commits.
    pub rows: Vec<Row>,
}

/// A commit, and how its suite fared.
#[derive(Clone, Debug)]
pub struct Row {
    /// The commit.
    pub commit: Commit,
    /// How its suite fared.
    pub state: State,
    /// The accepted baselines that evaluated this commit, the newest first.
    pub marks: Vec<Mark>,
}

/// How the suite of a commit fared.
#[derive(Clone, Debug)]
pub enum State {
    /// The commit holds no suite.
    Absent,
    /// Its suite is at fault.
    Invalid {
        /// The first fault, and how many more there are. Untrusted text.
        error: String,
    },
    /// It was evaluated.
    Evaluated(Numbers),
}

/// How many cases passed, and what is otherwise than it was.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Equal digests, equal outcomes.
    pub suite_digest: Digest,
    /// The cases that count.
    pub counts: Counts,
    /// What it is compared with: the nearest older commit on the line of first parents whose suite could
    /// be evaluated; `None`: there is none, or it was cut off.
    pub base: Option<ObjectId>,
    /// The cases that passed there and fail here, with the checks that fail.
    pub broke: Vec<(CaseId, Arc<Outcome>)>,
    /// The cases that failed there and pass here, with the checks that failed.
    pub fixed: Vec<(CaseId, Arc<Outcome>)>,
    /// The cases that are not there.
    pub added: Vec<(CaseId, Arc<Outcome>)>,
    /// The cases that are there alone.
    pub removed: Vec<CaseId>,
}

/// An accepted baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The link.
    pub id: ObjectId,
    /// The name of its chain.
    pub name: String,
    /// Who accepted. Untrusted text.
    pub by: String,
    /// Why. Untrusted text.
    pub reason: Option<String>,
    /// When, in seconds since the beginning of 1970.
    pub at: i64,
}

impl State {
    /// The name in JSON and CSV.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Invalid { .. } => "invalid",
            Self::Evaluated(_) => "evaluated",
        }
    }
}

impl Numbers {
    /// From 0.0 to 1.0; `None` where no case counts.
    pub fn pass_rate(&self) -> Option<f64> {
        let Counts { total, passed, .. } = self.counts;
        (total > 0).then(|| passed as f64 / total as f64)
    }

    /// Whether anything is otherwise than before.
    pub fn is_quiet(&self) -> bool {
        self.broke.is_empty() && self.fixed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

impl Row {
    /// The numbers, where the suite was evaluated.
    pub fn numbers(&self) -> Option<&Numbers> {
        match &self.state {
            State::Evaluated(numbers) => Some(numbers),
            State::Absent | State::Invalid { .. } => None,
        }
    }

    /// Whether the commit is a merge.
    pub fn is_merge(&self) -> bool {
        self.commit.parents.len() > 1
    }
}
