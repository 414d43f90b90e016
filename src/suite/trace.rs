//! One saved agent run, reduced to the fields that rules read.
//!
//! Everything else in the file is skipped, whatever it holds. Whether a field has the right
//! JSON type is settled here; what its value means is settled by the checks.
//! Spec: evaluation.md section 2.

use crate::number::Number;

/// The fields of a trace that rules read. A field that is absent, `null` or of the wrong type is
/// `None`; in the last case its JSON pointer stands in `wrong_types`.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// `session.answer`, as it stands.
    pub answer: Option<String>,
    /// `session.totalDurationMs`, in milliseconds.
    pub duration_ms: Option<Number>,
    /// The Verifier's verdict; `None` where blank, too.
    pub verdict: Option<String>,
    /// `gatekeeper_result`.
    pub gatekeeper: Option<Gatekeeper>,
    /// `claim_checks`; an entry that is no object has nothing in it.
    pub claim_checks: Option<Vec<ClaimCheck>>,
    /// `composer_output`.
    pub composer: Option<Composer>,
    /// `executor_structured_output`.
    pub executor: Option<Executor>,
    /// The tool names of `tool_trace_summary`, one place an entry.
    pub tool_trace_summary: Option<Vec<Option<String>>>,
    /// The tool names of `toolInvocations`, one place an entry.
    pub tool_invocations: Option<Vec<Option<String>>>,
    /// JSON pointers of fields of the wrong type, in the order of the list in section 2.
    pub wrong_types: Vec<String>,
}

/// The Gatekeeper's record.
#[derive(Clone, Debug, Default)]
pub struct Gatekeeper {
    /// `None` where blank, too.
    pub status: Option<String>,
    /// `None` where blank, too.
    pub rule_set_version: Option<String>,
}

/// One entry of `claim_checks`.
#[derive(Clone, Debug, Default)]
pub struct ClaimCheck {
    /// Whether `claim_id` is a non-blank string or a number.
    pub has_claim_id: bool,
    /// `verification` where it is a non-blank string.
    pub verification: Option<String>,
    /// Whether `detail` stands and is no blank string.
    pub has_detail: bool,
}

/// The Composer's record.
#[derive(Clone, Debug, Default)]
pub struct Composer {
    /// `None` where blank, too.
    pub status: Option<String>,
}

/// The Executor's structured output.
#[derive(Clone, Debug, Default)]
pub struct Executor {
    /// For each claim how many evidence bindings it has; 0 where they are missing.
    pub claims: Option<Vec<usize>>,
}

/// Why a trace cannot be judged: the subject of check `trace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// No such file.
    Missing,
    /// A link, submodule or folder, or a link on the way.
    NotAFile,
    /// Above `limits.max_trace_bytes`.
    TooLarge,
    /// A Git LFS pointer in place of the file.
    LfsPointer,
    /// Not UTF-8, no JSON object, a field twice, half a surrogate pair.
    Unreadable,
}

impl Fault {
    /// The reason as it stands in `subjects`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::NotAFile => "not-a-file",
            Self::TooLarge => "too-large",
            Self::LfsPointer => "lfs-pointer",
            Self::Unreadable => "unreadable",
        }
    }
}
