//! GATE: what a policy makes of a diff. Pure: the date is an argument, and so is what was accepted.
//!
//! A blocked gate is a value, never an error. Spec: diff-and-gate.md section 3.

mod accepted;
mod json;
mod level;
mod minimum;
mod policy_change;
mod read;
mod waiver;

#[cfg(test)]
mod tests;

pub use accepted::{Acceptance, UnderTest, cover};
pub use json::{document, to_json};
pub use level::{EntryLevel, default_level, level_of, severities};
pub use minimum::BelowMinimum;
pub use policy_change::{policy_change, same_settings};
pub use read::{ReadGateError, SavedGate, SavedLink, read};
pub use waiver::{Stale, StaleWaiver, Waived};

use jiff::civil::Date;

use crate::diff::{Diff, Entry, Head, LikeForLike};
use crate::ids::ObjectId;
use crate::suite::config::GateConfig;

/// A diff, judged.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The head of the accepted report.
    pub baseline: Head,
    /// The head of the report under test.
    pub current: Head,
    /// The totals of the cases on both sides.
    pub like_for_like: LikeForLike,
    /// The entries of the diff, in its order.
    pub entries: Vec<Judged>,
    /// The answer.
    pub outcome: Outcome,
    /// How many entries block, accepted and waived ones left out. Entries, not causes: one broken
    /// case can give several.
    pub blocking: u64,
    /// How many entries warn, accepted and waived ones left out.
    pub warnings: u64,
    /// The minimum that was missed. It is no entry, and blocks even where `blocking` is 0.
    pub below_minimum: Option<BelowMinimum>,
    /// Waivers that have expired, or that no entry needs, in the order of the settings.
    pub stale_waivers: Vec<StaleWaiver>,
}

/// An entry with what the policy makes of it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What moved.
    pub entry: Entry,
    /// What the policy makes of its kind. It stays as it is where the entry is accepted or waived.
    pub level: EntryLevel,
    /// Who accepted it.
    pub accepted: Option<Accepted>,
    /// The exception that covers it.
    pub waived: Option<Waived>,
}

/// Who took responsibility for an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The author of the acceptance. Untrusted text.
    pub by: String,
    /// Why; `None` where the author gave no reason. Untrusted text.
    pub reason: Option<String>,
    /// The commit of the acceptance.
    pub commit: ObjectId,
}

/// Whether a merge may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It may.
    Pass,
    /// It may not.
    Block,
}

impl Outcome {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Block => "block",
        }
    }
}

impl Judged {
    /// Whether the entry counts: it is neither accepted nor waived.
    pub fn counts(&self) -> bool {
        self.accepted.is_none() && self.waived.is_none()
    }

    /// Whether the entry stops the merge.
    pub fn blocks(&self) -> bool {
        self.level == EntryLevel::Block && self.counts()
    }

    /// Whether the entry is counted as a warning.
    pub fn warns(&self) -> bool {
        self.level == EntryLevel::Warn && self.counts()
    }
}

/// Applies the policy in force. `accepted` has one place an entry (see [`cover`]); where it is
/// shorter, the rest is not accepted. A waiver holds through its last day.
pub fn decide(diff: Diff, policy: &GateConfig, today: Date, accepted: Vec<Option<Accepted>>) -> Gate {
    let mut waivers = waiver::Waivers::new(&policy.waivers, today);
    let accepted = accepted.into_iter().chain(std::iter::repeat(None));
    let entries: Vec<Judged> = diff
        .entries
        .into_iter()
        .zip(accepted)
        .map(|(entry, accepted)| Judged {
            level: level_of(policy, entry.kind, entry.severity),
            waived: waivers.take(&entry),
            accepted,
            entry,
        })
        .collect();
    let blocking = entries.iter().filter(|judged| judged.blocks()).count() as u64;
    let warnings = entries.iter().filter(|judged| judged.warns()).count() as u64;
    let below_minimum = BelowMinimum::of(&diff.current, policy.min_pass_rate);
    let blocked = blocking > 0 || below_minimum.is_some();
    Gate {
        baseline: diff.baseline,
        current: diff.current,
        like_for_like: diff.like_for_like,
        entries,
        outcome: if blocked { Outcome::Block } else { Outcome::Pass },
        blocking,
        warnings,
        below_minimum,
        stale_waivers: waivers.stale(),
    }
}
