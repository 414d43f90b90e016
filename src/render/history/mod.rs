//! History in several formats, from one series.

mod bisection;
mod csv;
mod curve;
mod data;
mod fold;
mod page;
mod text;

pub use bisection::bisection;
pub use csv::csv;
pub use page::page as html;
pub use text::text;
