//! RENDER: from the model to text. Pure: no disk, no colours detected, no clock.
//!
//! Text comes out with colours; the console takes them out where the sink has none.

mod comment;
pub mod decision;
pub mod escape;
pub mod explain;
mod facts;
mod fit;
mod github;
pub mod history;
mod html;
mod junit;
mod layout;
mod markdown;
mod places;
pub mod report;
mod row;
mod sarif;
pub mod view;
mod words;

pub use comment::{COMMENT_BYTES, Frame, Note, comment, could_not_judge, nothing_compared, summary};
pub use facts::{Facts, facts, sentence, warnings};
pub use github::github;
pub use html::page as html;
pub use junit::{junit, junit_decision};
pub use layout::count;
pub use markdown::markdown;
pub use places::{Places, Spot};
pub use row::Row;
pub use sarif::sarif;
