//! The names of the checks, in the order in which a result lists them.

use serde::{Serialize, Serializer};

macro_rules! check_names {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A check, named as in `failedChecks` (evaluation.md section 4); the order is that of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum CheckName {
            $($(#[$doc])* $variant,)*
        }

        impl CheckName {
            /// All of them, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name in reports.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

check_names! {
    /// The trace can be used at all.
    Trace = "trace",
    /// Fields that rules read have the right JSON type.
    TraceShape = "trace-shape",
    /// There is an answer.
    Answer = "answer",
    /// The answer holds enough of the expected keywords.
    RootCauseKeywords = "root-cause-keywords",
    /// The required tools were used.
    EvidenceTools = "evidence-tools",
    /// There is a verdict, and it is allowed.
    Verdict = "verdict",
    /// The answer holds no forbidden word.
    ForbiddenAnswer = "forbidden-answer",
    /// The three audit fields stand.
    AuditClosure = "audit-closure",
    /// A failing Gatekeeper does not stand beside a passing verdict.
    GatekeeperVerdict = "gatekeeper-verdict",
    /// Claim checks are whole.
    ClaimChecks = "claim-checks",
    /// The Composer's record stands, with a status.
    ComposerOutput = "composer-output",
    /// The Gatekeeper's status is allowed.
    GatekeeperStatus = "gatekeeper-status",
    /// The Gatekeeper used the expected rule set.
    GatekeeperRuleSet = "gatekeeper-rule-set",
    /// The Composer's status is allowed.
    ComposerStatus = "composer-status",
    /// Each claim is bound to evidence.
    EvidenceBindings = "evidence-bindings",
    /// The answer shows no marker of the inner protocol.
    ProtocolLeak = "protocol-leak",
    /// The answer holds no unproved conclusion.
    ForbiddenClaim = "forbidden-claim",
}

impl CheckName {
    /// The check of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|check| check.as_str() == name)
    }
}

impl Serialize for CheckName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
