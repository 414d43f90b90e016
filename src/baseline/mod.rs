//! BASELINE: what an accepted baseline is, how it is chosen, and how a next one is accepted. A port:
//! pure plans over a [`Store`]. Nothing here knows how git is asked.
//! Spec: baseline.md sections 1 to 5.

mod accept;
mod error;
mod link;
mod message;
mod place;
mod read;
mod select;
mod store;

pub use accept::{Acceptance, Accepted, accept};
pub use error::BaselineError;
pub use link::{Baseline, FORMAT_FILE, Link, POLICY_FILE, REPORT_FILE};
pub use message::{AcceptedEntry, Message, Trailers};
pub use place::{Place, Prefix};
pub use read::{read, read_at, read_head, tip};
pub use select::{History, Lineage, Revision, Rule, Selection, WhyTip, select};
pub use store::{Moment, NewLink, Person, RawEntry, RawLink, Signature, Store, Written};
