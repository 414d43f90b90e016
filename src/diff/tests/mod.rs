//! Rows of the tables, one by one, and the laws of the diff over generated reports.

mod laws;
mod rows;
