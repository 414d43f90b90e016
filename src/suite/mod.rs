//! LOAD: what a team keeps in its repository, read whole or refused whole.
//!
//! Cases and settings are read strictly, and every problem is collected with its file, line,
//! case and field. Traces are read one at a time and dropped. Nothing here knows what a
//! check is, or what git is: a suite comes out of a [`source::Source`].
//! Spec: evaluation.md sections 1 and 2.

mod case;
pub mod config;
mod expectations;
pub mod folder;
pub(crate) mod json;
pub mod lint;
mod load;
pub(crate) mod nearest;
pub mod pieces;
mod problem;
pub mod source;
pub mod text;
pub mod trace;

pub use config::Config;
pub use expectations::Expectations;
pub use load::{load, load_config};
pub use problem::{LoadError, Problem};

use std::sync::Arc;

use crate::ids::{CaseId, Digest, ObjectId};
use crate::text::Text;
use source::Part;

/// A suite that was read whole: at least one case, no problem.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The settings, defaults filled in.
    pub config: Config,
    /// The bytes of `diag-gate.toml`, where there is one.
    pub config_file: Option<Vec<u8>>,
    /// In suite order: case files by the bytes of their paths, cases by position.
    pub cases: Vec<Case>,
    /// What was read, settings and case files: part, path below it, blob id.
    pub files: Vec<(Part, Vec<u8>, ObjectId)>,
}

/// One situation to diagnose, and what its answer must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Unique in the suite.
    pub id: CaseId,
    /// For people; the id where the case gives none.
    pub title: Text,
    /// The question that the agent was asked; never sent anywhere.
    pub question: Option<String>,
    /// The `/`-separated path of the trace below the traces folder, already validated.
    pub trace_fixture: String,
    /// What the case asks; shared with its results.
    pub expectations: Arc<Expectations>,
    /// The digest of `expectations`.
    pub digest: Digest,
    /// Where the case stands.
    pub place: Place,
}

/// Where something stands in the suite folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The `/`-separated path below the suite folder, shown lossily where it is not UTF-8; shared by all that
    /// stands in the file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

impl Place {
    /// Whether this is the case file at the path below the folder of the cases.
    pub(crate) fn is_in(&self, path: &[u8]) -> bool {
        *self.file == load::shown(path)
    }
}

/// How answers are searched: recorded in every report (evaluation.md section 3).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Matching {
    /// How expected keywords are compared.
    pub expected: ExpectedForm,
    /// Markers beside the four built in: distinct, in the configuration's order.
    pub protocol_markers: Vec<String>,
}

/// The form in which an expected keyword must stand in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ExpectedForm {
    /// Unicode NFC; case and width count.
    #[default]
    Exact,
    /// Case, width and invisible characters do not count.
    Folded,
}
