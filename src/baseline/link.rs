//! A link of a chain, and the baseline that it holds.

use crate::baseline::message::Trailers;
use crate::baseline::place::Place;
use crate::baseline::store::{Moment, Person};
use crate::ids::ObjectId;
use crate::report::Report;
use crate::suite::Config;

/// The empty file whose name says how the tree is to be read.
pub const FORMAT_FILE: &str = "format-1";
/// The accepted report, canonical.
pub const REPORT_FILE: &str = "report.json";
/// The accepted configuration, whole; empty where the suite had none.
pub const POLICY_FILE: &str = "policy.toml";
/// Who may sign the next link, as git's `gpg.ssh.allowedSignersFile`; where signatures are required.
pub const SIGNERS_FILE: &str = "allowed_signers";

/// What the commit of a baseline says, its report aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The commit of the baseline itself.
    pub id: ObjectId,
    /// The previous link.
    pub parent: Option<ObjectId>,
    /// Who accepted. Untrusted text.
    pub by: Person,
    /// When.
    pub accepted_at: Moment,
    /// `accept SUITE/NAME: COUNTS`. Untrusted text.
    pub subject: String,
    /// Why. Untrusted text.
    pub reason: Option<String>,
    /// The evaluated commit and its content, and what was accepted.
    pub trailers: Trailers,
}

/// An accepted baseline that was read whole.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The chain that it was read from.
    pub place: Place,
    /// What its commit says.
    pub link: Link,
    /// The accepted report, whose suite, commit and digest are those of the link.
    pub report: Report,
    /// The accepted configuration, which is the one in force.
    pub policy: Config,
    /// The bytes of that configuration.
    pub policy_text: Vec<u8>,
}

impl Baseline {
    /// The commit that was evaluated when it was accepted.
    pub fn evaluated(&self) -> &ObjectId {
        &self.link.trailers.evaluated
    }
}
