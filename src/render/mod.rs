//! RENDER: from the model to text. Pure: no disk, no colours detected, no clock.
//!
//! Text comes out with colours; the console takes them out where the sink has none.

pub mod decision;
pub mod escape;
pub mod explain;
mod facts;
mod junit;
mod layout;
pub mod report;
pub mod view;

pub use facts::{Facts, facts, sentence, warnings};
pub use junit::junit;
pub use layout::count;
