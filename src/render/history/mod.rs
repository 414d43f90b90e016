//! History in several formats, from one series.

mod bisection;
mod csv;
mod text;

pub use bisection::bisection;
pub use csv::csv;
pub use text::text;
