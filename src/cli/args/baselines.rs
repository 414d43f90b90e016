//! What can be typed to accept, to look at and to share baselines.

use clap::Args;

/// Arguments of `accept`.
#[derive(Debug, Args)]
pub struct AcceptArgs {
    /// Accept this revision
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub rev: String,
    /// The baseline to write
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub baseline: String,
    /// Accept these cases alone, the rest stays as it was accepted; may be repeated
    #[arg(long = "case", value_name = "GLOB")]
    pub cases: Vec<String>,
    /// Accept this content before it has landed; the baseline stays until `promote`
    #[arg(long, conflicts_with = "cases")]
    pub pending: bool,
    /// Why; required as soon as something that blocks is accepted
    #[arg(short = 'm', long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// Show what would be accepted; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Push it in the same act, to `origin` unless another remote is named
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, default_missing_value = "origin")]
    pub push: Option<String>,
    /// Sign it, with git's own set-up
    #[arg(long)]
    pub sign: bool,
    /// Accept although traces could not be judged
    #[arg(long)]
    pub allow_unjudged: bool,
    /// Accept although the suite shrank by more than a fifth
    #[arg(long)]
    pub allow_shrunk: bool,
    /// Accept a first baseline in which nothing passes
    #[arg(long)]
    pub allow_none_passing: bool,
}

/// Arguments of `review`.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// Review this revision
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub rev: String,
    /// The baseline to compare with, and to write
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub baseline: String,
    /// Push it in the same act, to `origin` unless another remote is named
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, default_missing_value = "origin")]
    pub push: Option<String>,
    /// Sign it, with git's own set-up
    #[arg(long)]
    pub sign: bool,
}

/// Arguments of `promote`.
#[derive(Debug, Args)]
pub struct PromoteArgs {
    /// What has landed
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub rev: String,
    /// The baseline that advances
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub baseline: String,
    /// Push it in the same act, to `origin` unless another remote is named
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, default_missing_value = "origin")]
    pub push: Option<String>,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The baseline
    #[arg(default_value = "main")]
    pub name: String,
    /// The same, as other commands take it
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    pub baseline: Option<String>,
}

/// Arguments of `sync`.
#[derive(Debug, Args)]
pub struct SyncArgs {
    /// The remote
    #[arg(value_name = "REMOTE", default_value = "origin")]
    pub remote: String,
    /// Take over a chain that was rewritten there, by the full id of its tip
    #[arg(long, value_name = "TIP")]
    pub accept_rewritten: Option<String>,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The baseline
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub baseline: String,
    /// Every link of its chain, not the newest alone
    #[arg(long)]
    pub all: bool,
}

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The remote that baselines are shared with
    #[arg(value_name = "REMOTE", default_value = "origin")]
    pub remote: String,
}
