//! Where the rule and the trace behind an entry stand in the repository.

use std::collections::HashMap;

use super::escape::Untrusted;
use crate::diff::Entry;
use crate::ids::CaseId;
use crate::kind::Kind;
use crate::suite::Suite;

/// A line of a file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The `/`-separated path from the root of the repository.
    pub file: Untrusted,
    /// The line, from 1.
    pub line: u32,
}

impl Spot {
    /// The spot, if its file lies inside the repository by its path alone.
    pub(super) fn inside(&self) -> Option<&Self> {
        self.file.is_path_inside().then_some(self)
    }
}

/// Where the cases of a suite stand, and their traces.
#[derive(Clone, Debug, Default)]
pub struct Places {
    cases: HashMap<CaseId, CasePlaces>,
    settings: Option<Spot>,
}

#[derive(Clone, Debug)]
struct CasePlaces {
    rule: Spot,
    trace: Spot,
}

impl Places {
    /// Of a suite whose folder has this `/`-separated path in the repository; empty for its root.
    pub fn of(folder: &str, suite: &Suite) -> Self {
        let spot = |path: &str, line| {
            let file = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
            Spot { file: Untrusted::new(file), line }
        };
        let cases = suite.cases.iter().map(|case| {
            let rule = spot(&case.place.file, case.place.line);
            let trace = spot(&format!("fixtures/{}", case.trace_fixture), 1);
            (case.id.clone(), CasePlaces { rule, trace })
        });
        let settings = suite.config_file.is_some().then(|| spot("diag-gate.toml", 1));
        Self { cases: cases.collect(), settings }
    }

    /// The line of the rule that an entry is about, or the trace where no rule is: `None` for a case
    /// that is gone, and for most of what is of the whole suite. `has_trace`: whether its file stands.
    pub(super) fn spot(&self, entry: &Entry, has_trace: bool) -> Option<Spot> {
        let Some(id) = &entry.case_id else {
            return self.settings.clone().filter(|_| entry.kind == Kind::PolicyChanged);
        };
        let places = self.cases.get(id)?;
        let spot = if has_trace && is_of_trace(entry.kind) { &places.trace } else { &places.rule };
        Some(spot.clone())
    }
}

/// Whether an entry is about a value of the trace that the definition asks nothing of.
fn is_of_trace(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::CaseUnjudged
            | Kind::ToolCallsRose
            | Kind::ToolCallsFell
            | Kind::DurationRose
            | Kind::DurationFell
            | Kind::AuditChanged
    )
}
