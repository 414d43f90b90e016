//! HISTORY: the pass rate over commits, and the commit at which a case turned. A port: pure over a [`Past`],
//! which says which commits there are, what each holds, and what changed between two.
//!
//! To evaluate is a pure function of what a commit holds: nothing is stored, any commit can be judged now, and
//! what two commits have in common is judged once. Spec: cli.md, "`history` and `bisect`".

mod bisect;
mod current;
mod draft;
mod marks;
mod outcome;
mod past;
mod row;
mod series;
mod wire;

pub use bisect::{Bisection, Flip, bisect, bisection_json};
pub use current::{Counts, Selects};
pub use marks::mark;
pub use outcome::Outcome;
pub use past::{Change, Commit, Folder, Parts, Past, Spot, SpotKind, entry};
pub use row::{Mark, Numbers, Row, Series, State};
pub use series::{Definitions, Progress, Walk};
pub use wire::write_json;

use crate::baseline::Person;
use crate::error::Error;
use crate::suite::source::SourceError;

/// The surroundings failed while a suite was read.
fn unreadable(error: SourceError) -> Error {
    Error::surroundings(error.to_string())
        .because(error.source.as_ref())
        .hint("look at the repository with `git fsck`; `git fetch` brings what is missing")
}

/// `Ann Author <ann@example.com>`. Untrusted text.
pub fn person(person: &Person) -> String {
    format!("{} <{}>", person.name, person.email)
}
