//! The kinds of entries that a diff holds: their names, and what each is by nature.
//!
//! A leaf, since the settings name kinds before any diff exists. Spec: diff-and-gate.md section 1.

use serde::{Serialize, Serializer};

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The kind of an entry, in the order of the tables of diff-and-gate.md: whole suite, then case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $variant,)*
        }

        impl Kind {
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name in settings and in JSON.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// Fewer of the cases on both sides pass.
    PassRateFell = "pass-rate-fell",
    /// More of the cases on both sides pass.
    PassRateRose = "pass-rate-rose",
    /// The count of a verdict is another.
    VerdictDistributionChanged = "verdict-distribution-changed",
    /// The mean number of tool calls rose beyond the threshold.
    AverageToolCallsRose = "average-tool-calls-rose",
    /// The mean number of tool calls fell beyond the threshold.
    AverageToolCallsFell = "average-tool-calls-fell",
    /// The mean duration rose beyond the threshold.
    AverageDurationRose = "average-duration-rose",
    /// The mean duration fell beyond the threshold.
    AverageDurationFell = "average-duration-fell",
    /// The configuration under test differs from the accepted one.
    PolicyChanged = "policy-changed",
    /// Rules or matching options differ.
    EvaluatorChanged = "evaluator-changed",
    /// Passed before, fails now.
    CaseRegressed = "case-regressed",
    /// Failed before, passes now.
    CaseFixed = "case-fixed",
    /// A check fails that did not.
    ChecksLost = "checks-lost",
    /// A check no longer fails.
    ChecksRecovered = "checks-recovered",
    /// A required tool is no longer used.
    EvidenceLost = "evidence-lost",
    /// A required tool is used now.
    EvidenceGained = "evidence-gained",
    /// An expected keyword no longer matches.
    KeywordsLost = "keywords-lost",
    /// An expected keyword matches now.
    KeywordsGained = "keywords-gained",
    /// More tool calls, beyond the threshold.
    ToolCallsRose = "tool-calls-rose",
    /// Fewer tool calls, beyond the threshold.
    ToolCallsFell = "tool-calls-fell",
    /// Slower, beyond the threshold.
    DurationRose = "duration-rose",
    /// Faster, beyond the threshold.
    DurationFell = "duration-fell",
    /// A good verdict became one that is not.
    VerdictWorsened = "verdict-worsened",
    /// A verdict became good.
    VerdictImproved = "verdict-improved",
    /// Any other move of the verdict.
    VerdictChanged = "verdict-changed",
    /// The trace cannot be judged.
    CaseUnjudged = "case-unjudged",
    /// An audit field is another.
    AuditChanged = "audit-changed",
    /// The new definition does not imply the old one.
    ExpectationWeakened = "expectation-weakened",
    /// The new definition implies the old one and more.
    ExpectationTightened = "expectation-tightened",
    /// The case is new.
    CaseAdded = "case-added",
    /// The case is gone.
    CaseRemoved = "case-removed",
    /// The same case under another id.
    CaseRenamed = "case-renamed",
}

impl Kind {
    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
