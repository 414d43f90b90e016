//! The settings of a suite, `diag-gate.toml` (cli.md, "Configuration").

mod parse;
mod settings;

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::ids::Name;
use crate::kind::Kind;
use crate::suite::Matching;

pub use parse::parse;

/// All settings; every one has a default.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The suite's name in refs, notes and comments.
    pub name: Name,
    /// How answers are searched.
    pub matching: Matching,
    /// The most bytes that a trace may have.
    pub max_trace_bytes: u64,
    /// What the gate lets through.
    pub gate: GateConfig,
    /// How baselines are accepted.
    pub baseline: BaselineConfig,
    /// The tree of refs that holds baselines, without a final `/`.
    pub store_prefix: String,
}

/// What the gate lets through.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct GateConfig {
    /// Below this rate, from 0.0 to 1.0, the gate blocks whatever the baseline says.
    pub min_pass_rate: Option<f64>,
    /// Kinds whose level is not the default one.
    pub levels: BTreeMap<Kind, Level>,
    /// When a number has moved.
    pub thresholds: Thresholds,
    /// Dated exceptions, in the file's order.
    pub waivers: Vec<Waiver>,
}

/// What a policy makes of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Told, counted nowhere.
    Ignore,
    /// Told and counted.
    Warn,
    /// Stops the merge.
    Block,
}

/// When a number has moved: both bounds must be passed (diff-and-gate.md, "Thresholds").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// As a share of the smaller value; 1.0 is +100 %.
    pub relative: f64,
    /// In the unit of the value.
    pub absolute: f64,
}

/// The four thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Of one case, in milliseconds.
    pub duration: Threshold,
    /// Of one case, in calls.
    pub tool_calls: Threshold,
    /// Of the suite, in milliseconds.
    pub average_duration: Threshold,
    /// Of the suite, in calls.
    pub average_tool_calls: Threshold,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            duration: Threshold { relative: 1.0, absolute: 1000.0 },
            tool_calls: Threshold { relative: 0.5, absolute: 2.0 },
            average_duration: Threshold { relative: 0.5, absolute: 500.0 },
            average_tool_calls: Threshold { relative: 0.5, absolute: 1.0 },
        }
    }
}

/// A dated exception to the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// A glob over case ids.
    pub case: String,
    /// The kinds that it covers; never empty.
    pub kinds: Vec<Kind>,
    /// Why.
    pub reason: String,
    /// The last day on which it holds.
    pub expires: Date,
    /// The line of its table in the file, from 1.
    pub line: u32,
}

/// How baselines are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BaselineConfig {
    /// Whether a promotion may advance the baseline where nothing blocks.
    pub ratchet: bool,
    /// Whether a link counts only when signed.
    pub require_signed: bool,
}

/// The limit where none is configured: 64 MiB.
pub const DEFAULT_MAX_TRACE_BYTES: u64 = 64 * 1024 * 1024;

/// The tree of refs where none is configured.
pub const DEFAULT_STORE_PREFIX: &str = "refs/diag-gate";

impl Default for Config {
    fn default() -> Self {
        Self {
            name: Name::parse("default").expect("the default name follows the rule"),
            matching: Matching::default(),
            max_trace_bytes: DEFAULT_MAX_TRACE_BYTES,
            gate: GateConfig::default(),
            baseline: BaselineConfig::default(),
            store_prefix: DEFAULT_STORE_PREFIX.to_owned(),
        }
    }
}
