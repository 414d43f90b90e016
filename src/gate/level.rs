//! The decision table: which severities a kind can have, and what a policy makes of each.

use serde::{Serialize, Serializer};

use crate::diff::Severity;
use crate::kind::Kind;
use crate::suite::config::{GateConfig, Level};

/// What a policy makes of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryLevel {
    /// An improvement or a change: told, counted nowhere.
    Info,
    /// Told, counted nowhere, because the policy says so.
    Ignore,
    /// Told and counted.
    Warn,
    /// Stops the merge.
    Block,
}

impl EntryLevel {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Ignore => "ignore",
            Self::Warn => "warn",
            Self::Block => "block",
        }
    }
}

impl From<Level> for EntryLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Ignore => Self::Ignore,
            Level::Warn => Self::Warn,
            Level::Block => Self::Block,
        }
    }
}

impl Serialize for EntryLevel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What this policy makes of an entry: what it sets for the kind, otherwise the default.
pub fn level_of(policy: &GateConfig, kind: Kind, severity: Severity) -> EntryLevel {
    policy.levels.get(&kind).map_or_else(|| default_level(kind, severity), |level| EntryLevel::from(*level))
}

/// What a policy that says nothing makes of an entry (diff-and-gate.md section 3).
pub const fn default_level(kind: Kind, severity: Severity) -> EntryLevel {
    match severity {
        Severity::Improvement | Severity::Change => EntryLevel::Info,
        Severity::Regression => match kind {
            Kind::CaseRegressed
            | Kind::ChecksLost
            | Kind::EvidenceLost
            | Kind::PassRateFell
            | Kind::CaseRemoved
            | Kind::CaseUnjudged
            | Kind::CaseAdded
            | Kind::ExpectationWeakened
            | Kind::PolicyChanged => EntryLevel::Block,
            Kind::PassRateRose
            | Kind::VerdictDistributionChanged
            | Kind::AverageToolCallsRose
            | Kind::AverageToolCallsFell
            | Kind::AverageDurationRose
            | Kind::AverageDurationFell
            | Kind::EvaluatorChanged
            | Kind::CaseFixed
            | Kind::ChecksRecovered
            | Kind::EvidenceGained
            | Kind::KeywordsLost
            | Kind::KeywordsGained
            | Kind::ToolCallsRose
            | Kind::ToolCallsFell
            | Kind::DurationRose
            | Kind::DurationFell
            | Kind::VerdictWorsened
            | Kind::VerdictImproved
            | Kind::VerdictChanged
            | Kind::AuditChanged
            | Kind::ExpectationTightened
            | Kind::CaseRenamed => EntryLevel::Warn,
        },
    }
}

/// The severities that an entry of this kind can have.
pub const fn severities(kind: Kind) -> &'static [Severity] {
    match kind {
        Kind::PassRateFell
        | Kind::AverageToolCallsRose
        | Kind::AverageDurationRose
        | Kind::CaseRegressed
        | Kind::ChecksLost
        | Kind::EvidenceLost
        | Kind::KeywordsLost
        | Kind::ToolCallsRose
        | Kind::DurationRose
        | Kind::VerdictWorsened
        | Kind::CaseUnjudged
        | Kind::ExpectationWeakened
        | Kind::CaseRemoved => &[Severity::Regression],
        Kind::PassRateRose
        | Kind::AverageToolCallsFell
        | Kind::AverageDurationFell
        | Kind::CaseFixed
        | Kind::ChecksRecovered
        | Kind::EvidenceGained
        | Kind::KeywordsGained
        | Kind::ToolCallsFell
        | Kind::DurationFell
        | Kind::VerdictImproved => &[Severity::Improvement],
        Kind::EvaluatorChanged
        | Kind::VerdictChanged
        | Kind::AuditChanged
        | Kind::ExpectationTightened
        | Kind::CaseRenamed => &[Severity::Change],
        Kind::PolicyChanged | Kind::CaseAdded => &[Severity::Regression, Severity::Change],
        Kind::VerdictDistributionChanged => &[Severity::Regression, Severity::Improvement, Severity::Change],
    }
}
