//! What can be typed. The doc comments are the help.

mod baselines;
mod history;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::report::Shard;
use crate::schema::Document;

pub use baselines::{AcceptArgs, DoctorArgs, PromoteArgs, ReviewArgs, ShowArgs, SyncArgs, VerifyArgs};
pub use history::{BisectArgs, BisectFormat, HistoryArgs, HistoryFormat};

/// A pre-merge gate for AI agents that diagnose incidents.
///
/// Judges the suite of a commit by deterministic rules, compares it with the accepted baseline,
/// and says whether the change may pass. Everything is read out of git objects.
#[derive(Debug, Parser)]
#[command(name = "diag-gate", version, max_term_width = 100, after_long_help = EXIT_STATUSES)]
pub struct Cli {
    /// What holds for every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_STATUSES: &str = "Exit statuses:
  0  passed
  1  blocked: the suite was judged, and the answer is no
  2  an input is at fault: command line, settings, suite or baseline
  3  the surroundings failed: git, disk, network or GitHub";

/// Options that every command takes, before or after its name.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// Start in DIR instead of the working folder
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub start: Option<PathBuf>,
    /// The suite's folder, from the root of the repository (`./x` and absolute paths: from here)
    #[arg(long, value_name = "DIR", global = true, default_value = "eval")]
    pub suite: PathBuf,
    /// Settings to use in place of the suite's `diag-gate.toml`
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    pub color: ColorWhen,
    /// Only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also what passed and did not change
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal that can show them.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorWhen {
    /// As it is typed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Evaluate the suite and print the report
    Run(RunArgs),
    /// Judge a revision against the accepted baseline: the gate
    Check(CheckArgs),
    /// Compare any two reports: files, revisions, baselines
    Diff(DiffArgs),
    /// One case, check by check, before and now
    Explain(ExplainArgs),
    /// Make a revision's report the baseline
    Accept(AcceptArgs),
    /// Step through what moved at a terminal, and accept what you choose
    Review(ReviewArgs),
    /// After a merge: let the baseline advance to what was accepted with `accept --pending`
    Promote(PromoteArgs),
    /// Show the accepted baseline: when, who, why, numbers
    Show(ShowArgs),
    /// Join the reports of all shards of a suite into one
    Merge(MergeArgs),
    /// The pass rate over commits: what broke, what was fixed, what was accepted
    History(HistoryArgs),
    /// The commit at which a case came to its present outcome
    Bisect(BisectArgs),
    /// Look for faults and oddities of the suite, without evaluating it
    Lint(LintArgs),
    /// Share baselines and pending acceptances with a remote
    Sync(SyncArgs),
    /// Evaluate what was accepted again, and compare byte for byte
    Verify(VerifyArgs),
    /// Tell what this repository and its surroundings allow, and how to mend what they do not
    Doctor(DoctorArgs),
    /// Post a saved decision as the comment of a pull request
    Comment(CommentArgs),
    /// The gate on GitHub Actions: judge what a workflow runs for, and publish
    Ci,
    /// Write a small suite that works, with every setting explained; overwrites nothing
    Init(InitArgs),
    /// See the gate at work on the suite at HEAD, in a scratch repository
    Demo,
    /// Print the JSON Schema of a document
    Schema {
        /// Which document
        document: SchemaOf,
    },
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

/// The documents that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// A case file
    Case,
    /// A trace
    Trace,
    /// A report
    Report,
    /// A diff
    Diff,
    /// The settings
    Config,
}

impl From<SchemaOf> for Document {
    fn from(document: SchemaOf) -> Self {
        match document {
            SchemaOf::Case => Self::Case,
            SchemaOf::Trace => Self::Trace,
            SchemaOf::Report => Self::Report,
            SchemaOf::Diff => Self::Diff,
            SchemaOf::Config => Self::Config,
        }
    }
}

/// Which content to read.
#[derive(Debug, Args)]
pub struct ContentArgs {
    /// Evaluate this revision
    #[arg(long, value_name = "REV", default_value = "HEAD", conflicts_with = "worktree")]
    pub rev: String,
    /// Evaluate the files of the working tree as they are
    #[arg(long)]
    pub worktree: bool,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Which content.
    #[command(flatten)]
    pub content: ContentArgs,
    /// Take the traces from DIR in place of the suite's `fixtures`
    #[arg(long, value_name = "DIR")]
    pub traces: Option<PathBuf>,
    /// Only cases whose id matches; may be repeated
    #[arg(long = "case", value_name = "GLOB")]
    pub cases: Vec<String>,
    /// Evaluate part I of N alone, as equal in bytes as they can be; `merge` joins the reports
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// Write the run note of the commit, one line for `git log --notes`
    #[arg(long, conflicts_with_all = ["worktree", "traces", "cases", "shard"])]
    pub note: bool,
    /// How to print the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: RunFormat,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// What `run --shard I/N --format json` printed: the report of each shard, in any order
    #[arg(value_name = "REPORT", required = true)]
    pub reports: Vec<PathBuf>,
    /// How to print the report
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub format: RunFormat,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

fn shard(text: &str) -> Result<Shard, String> {
    Shard::parse(text)
        .ok_or_else(|| format!("a shard is `I/N`: the part I of N, from `1/1` to `{0}/{0}`", Shard::MOST))
}

/// Where a result goes.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Write to FILE, whole or not at all, instead of standard output
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// The formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// For people
    Text,
    /// The report itself
    Json,
    /// For test dashboards
    Junit,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Which content.
    #[command(flatten)]
    pub content: ContentArgs,
    /// Judge a saved report instead of evaluating
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rev", "worktree"])]
    pub report: Option<PathBuf>,
    /// The baseline to compare with
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub baseline: String,
    /// How to print the decision
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: CheckFormat,
    /// Pass, with a notice, where no baseline was ever accepted
    #[arg(long)]
    pub allow_missing_baseline: bool,
    /// Tell the decision, but end with 0 where it is no
    #[arg(long)]
    pub advisory: bool,
    /// Evaluate every case again, also where the baseline holds its result; the outcome is the same
    #[arg(long)]
    pub no_reuse: bool,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The formats of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people
    Text,
    /// Entries and decision
    Json,
    /// GitHub-flavoured Markdown, for a summary or a comment
    Markdown,
    /// For test dashboards
    Junit,
    /// Workflow annotations
    Github,
    /// For code scanning
    Sarif,
    /// One self-contained page
    Html,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The older side: a report file (`./FILE` where a revision has that name), a revision,
    /// `baseline`, `baseline:NAME`, or `baseline~1` for the one before
    #[arg(value_name = "A")]
    pub before: String,
    /// The newer side
    #[arg(value_name = "B")]
    pub after: String,
    /// End with 1 where the gate would block
    #[arg(long)]
    pub exit_code: bool,
    /// How to print the diff
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: CheckFormat,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `comment`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("saved").required(true))]
pub struct CommentArgs {
    /// The decision, as `check --format json` wrote it
    #[arg(long, value_name = "FILE", group = "saved")]
    pub diff: Option<PathBuf>,
    /// A report, as `run --format json` wrote it: judged here, against the accepted baseline
    #[arg(long, value_name = "FILE", group = "saved")]
    pub report: Option<PathBuf>,
    /// The number of the pull request
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub pr: u64,
    /// The newest commit of the pull request that was judged; a newer one keeps its comment
    #[arg(long, value_name = "SHA")]
    pub head: Option<String>,
    /// Tells the comments of several gates on one pull request apart
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// The baseline to compare a report with
    #[arg(long, value_name = "NAME", default_value = "main", conflicts_with = "diff")]
    pub baseline: String,
    /// Print the comment; send nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The id of the case
    #[arg(value_name = "CASE")]
    pub case: String,
    /// Which content.
    #[command(flatten)]
    pub content: ContentArgs,
    /// The baseline to compare with
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub baseline: String,
}

/// Arguments of `init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Write the workflow for GitHub Actions too
    #[arg(long)]
    pub ci: bool,
}

/// Arguments of `lint`.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Which content.
    #[command(flatten)]
    pub content: ContentArgs,
}

/// How many threads evaluate: one a core.
pub fn threads() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
