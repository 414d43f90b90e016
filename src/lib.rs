//! A pre-merge gate for AI agents that diagnose incidents.
//!
//! Data flows one way: **load → evaluate → report → diff → gate → render**. A module
//! imports only what stands left of it; `tests/architecture.rs` holds that.
//!
//! | module | step | what it does |
//! |---|---|---|
//! | [`suite`] | load | cases, settings and traces, out of a commit or a folder |
//! | [`evaluate`] | evaluate | the checks of one case over its trace: pure |
//! | [`report`] | report | all results with their totals; the versioned wire format |
//! | [`diff`] | diff | what moved between two reports, as a list of entries: pure |
//! | [`gate`] | gate | what the accepted policy makes of these entries: pure |
//! | [`baseline`] | port | what an accepted baseline is, and where it is kept |
//! | [`history`] | port | the pass rate over commits, and where a case turned: pure |
//! | [`render`] | render | from the model to text, one escaper a sink: pure |
//! | [`schema`] | render | the JSON Schemas of all that is read and written: pure |
//! | [`git`] | edge | the only place that speaks to git |
//! | [`github`] | edge | the only place that speaks to GitHub |
//! | [`cli`] | glue | arguments, console, one file a command |

pub mod baseline;
pub mod cli;
pub mod diff;
pub mod env;
pub mod error;
pub mod evaluate;
pub mod exit;
pub mod gate;
pub mod git;
pub mod github;
pub mod history;
pub mod ids;
pub mod kind;
pub mod number;
pub mod render;
pub mod report;
pub mod schema;
pub mod suite;
pub mod text;
