//! BASELINE: what an accepted baseline is, how it is chosen, and how a next one is accepted. A port:
//! pure plans over a [`Store`]. Nothing here knows how git is asked.
//! Spec: baseline.md sections 1 to 5.

mod accept;
mod chain;
mod draft;
mod error;
mod link;
mod message;
mod partial;
mod pending;
mod place;
mod promote;
mod proof;
mod read;
mod remake;
mod remote;
mod select;
mod signatures;
mod stand;
mod store;
pub mod sync;

#[cfg(test)]
mod memory;
#[cfg(test)]
mod tests;

pub use accept::{Acceptance, Accepted, accept, accept_pending};
pub use error::BaselineError;
pub use link::{Baseline, FORMAT_FILE, Link, POLICY_FILE, REPORT_FILE, SIGNERS_FILE};
pub use message::{AcceptedEntry, Message, Trailers};
pub use partial::take_cases;
pub use pending::{Pending, pending};
pub use place::{Place, Prefix};
pub use promote::{Landed, Plan, Promotion, Used, decide_promotion, plan_promotion};
pub use proof::{Again, Proof, Recorded, prove, recorded};
pub use read::{read, read_at, read_head, tip};
pub use remote::{Push, Remote};
pub use select::{History, Lineage, Revision, Rule, Selection, WhyTip, select};
pub use signatures::{check_signature, check_signatures, must_be_signed};
pub use stand::{Held, Newest, Standing, holds, note_seen, stand};
pub use store::{Moment, NewLink, Person, RawEntry, RawLink, RefMove, Signature, Store, Written};
