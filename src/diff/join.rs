//! Which results of two reports belong together: by id, and where one was renamed by its content.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::evaluate::{CaseResult, CheckName};
use crate::ids::{CaseId, Digest, ObjectId};

/// A case on both sides.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) before: &'a CaseResult,
    pub(super) after: &'a CaseResult,
}

/// A case of the report under test.
pub(super) enum Side<'a> {
    /// On both sides, perhaps under another id.
    Both(Pair<'a>),
    /// Only in current.
    Added(&'a CaseResult),
}

/// All cases of two reports.
pub(super) struct Joined<'a> {
    /// In current's order.
    pub(super) current: Vec<Side<'a>>,
    /// Only in baseline, in its order.
    pub(super) removed: Vec<&'a CaseResult>,
}

/// What makes two cases of different ids the same: neither part may be missing.
type Content<'a> = (&'a Digest, &'a ObjectId);

impl<'a> Joined<'a> {
    /// Joins by id, then pairs what was removed and what was added with one content, in order.
    pub(super) fn of(baseline: &'a [CaseResult], current: &'a [CaseResult]) -> Self {
        let before: HashMap<&CaseId, &CaseResult> =
            baseline.iter().map(|case| (&case.case_id, case)).collect();
        let after: HashSet<&CaseId> = current.iter().map(|case| &case.case_id).collect();
        let mut gone: HashMap<Content<'_>, VecDeque<&CaseResult>> = HashMap::new();
        for case in baseline.iter().filter(|case| !after.contains(&case.case_id)) {
            if let Some(content) = content(case) {
                gone.entry(content).or_default().push_back(case);
            }
        }
        let mut renamed: HashSet<&CaseId> = HashSet::new();
        let current = current
            .iter()
            .map(|case| {
                if let Some(&before) = before.get(&case.case_id) {
                    return Side::Both(Pair { before, after: case });
                }
                let old = content(case).and_then(|content| gone.get_mut(&content)?.pop_front());
                old.map_or(Side::Added(case), |before| {
                    renamed.insert(&before.case_id);
                    Side::Both(Pair { before, after: case })
                })
            })
            .collect();
        let is_removed =
            |case: &&CaseResult| !after.contains(&case.case_id) && !renamed.contains(&case.case_id);
        Self { current, removed: baseline.iter().filter(is_removed).collect() }
    }

    /// The cases on both sides, in current's order.
    pub(super) fn pairs(&self) -> Vec<Pair<'a>> {
        self.current
            .iter()
            .filter_map(|side| match side {
                Side::Both(pair) => Some(*pair),
                Side::Added(_) => None,
            })
            .collect()
    }
}

impl Pair<'_> {
    /// Whether the case has another id now.
    pub(super) fn renamed(&self) -> bool {
        self.before.case_id != self.after.case_id
    }

    /// Whether both traces could be judged: otherwise nothing that is read from them is compared.
    pub(super) fn judged(&self) -> bool {
        let judged = |case: &CaseResult| case.failed_checks.get(CheckName::Trace).is_none();
        judged(self.before) && judged(self.after)
    }
}

fn content(case: &CaseResult) -> Option<Content<'_>> {
    Some((case.case_digest.as_ref()?, case.trace_id.as_ref()?))
}
