//! The decision table whole, waivers, acceptances, proposals of other settings, and the laws of the gate.

mod acceptances;
mod laws;
mod proposals;
mod table;

use jiff::civil::{Date, date};

use crate::diff::model::{Run, good_run, report};
use crate::diff::{Diff, diff};
use crate::gate::{Gate, decide};
use crate::ids::ObjectId;
use crate::kind::Kind;
use crate::report::Report;
use crate::suite::Expectations;
use crate::suite::config::{GateConfig, Waiver};

pub(super) const TODAY: Date = date(2026, 7, 1);

pub(super) fn waiver(case: &str, kinds: &[Kind], expires: Date) -> Waiver {
    Waiver { case: case.to_owned(), kinds: kinds.to_vec(), reason: "known".to_owned(), expires, line: 1 }
}

pub(super) fn of(baseline: &Report, current: &Report, policy: &GateConfig) -> Diff {
    diff(baseline, current, &policy.thresholds).unwrap()
}

pub(super) fn judged(baseline: &Report, current: &Report, policy: &GateConfig) -> Gate {
    decide(of(baseline, current, policy), policy, TODAY, Vec::new())
}

/// Two cases `pay-1` and `pay-2`; before both pass, now the first fails and the second is slower.
pub(super) fn worse() -> (Report, Report) {
    let asked = Expectations { allowed_verdicts: vec!["PASS".into()], ..Expectations::default() };
    let bad = Run { verdict: Some("LOW"), ..good_run() };
    let slow = Run { duration: Some(9000.0), ..good_run() };
    let before = report(vec![good_run().result("pay-1", &asked), good_run().result("pay-2", &asked)]);
    let after = report(vec![bad.result("pay-1", &asked), slow.result("pay-2", &asked)]);
    (before, after)
}

pub(super) fn commit(digit: char) -> ObjectId {
    ObjectId::parse(&digit.to_string().repeat(40)).unwrap()
}
