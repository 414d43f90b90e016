//! What can be typed to look at the past.

use clap::{Args, ValueEnum};

use super::OutputArgs;

/// Arguments of `history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// A range `A..B` of commits, or one revision with all that led to it
    #[arg(long, value_name = "RANGE", default_value = "HEAD")]
    pub rev: String,
    /// The newest N commits alone
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// Count only cases whose id matches; may be repeated
    #[arg(long = "case", value_name = "GLOB")]
    pub cases: Vec<String>,
    /// Follow all parents of merges, not the first ones alone
    #[arg(long)]
    pub all_parents: bool,
    /// Judge the traces of all commits by the cases and settings of this revision
    #[arg(long, value_name = "REV")]
    pub cases_from: Option<String>,
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: HistoryFormat,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The formats of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HistoryFormat {
    /// For people
    Text,
    /// Every number, a commit a line
    Json,
    /// The same for spreadsheets
    Csv,
    /// One self-contained page
    Html,
}

/// Arguments of `bisect`.
#[derive(Debug, Args)]
pub struct BisectArgs {
    /// The id of the case
    #[arg(value_name = "CASE")]
    pub case: String,
    /// Look back from this revision
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub rev: String,
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: BisectFormat,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The formats of a bisection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BisectFormat {
    /// For people
    Text,
    /// With all commits at which the outcome turned
    Json,
}
