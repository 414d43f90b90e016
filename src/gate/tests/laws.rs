//! Laws over generated reports and policies.

use jiff::civil::date;
use proptest::prelude::*;

use super::{TODAY, waiver};
use crate::diff::diff;
use crate::diff::model::two_reports;
use crate::gate::{EntryLevel, Outcome, decide, level_of, policy_change, severities};
use crate::kind::Kind;
use crate::report::Report;
use crate::suite::Config;
use crate::suite::config::{GateConfig, Level, Threshold, Thresholds};

fn level() -> impl Strategy<Value = Level> {
    prop::sample::select(vec![Level::Ignore, Level::Warn, Level::Block])
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(Kind::ALL.to_vec())
}

fn policy() -> impl Strategy<Value = GateConfig> {
    let levels = prop::collection::btree_map(kind(), level(), 0..8);
    let minimum = prop::option::of(prop::sample::select(vec![0.0, 0.3, 0.5, 1.0]));
    let waivers = prop::collection::vec(
        (prop::sample::select(vec!["*", "a", "[ab]", "b*"]), prop::collection::vec(kind(), 1..4), 29..=31_i8),
        0..3,
    );
    let bound = || prop::sample::select(vec![0.0, 0.5, 1.0, 3.0]);
    (levels, minimum, waivers, bound(), bound()).prop_map(
        |(levels, min_pass_rate, waivers, relative, absolute)| {
            let threshold = Threshold { relative, absolute };
            let waivers = waivers
                .into_iter()
                .map(|(case, kinds, day)| {
                    waiver(case, &kinds, if day == 31 { TODAY } else { date(2026, 6, day) })
                })
                .collect();
            let thresholds =
                Thresholds { tool_calls: threshold, average_tool_calls: threshold, ..Thresholds::default() };
            GateConfig { min_pass_rate, levels, thresholds, waivers }
        },
    )
}

fn outcome(reports: &(Report, Report), policy: &GateConfig) -> Option<Outcome> {
    let diff = diff(&reports.0, &reports.1, &policy.thresholds).ok()?;
    Some(decide(diff, policy, TODAY, Vec::new()).outcome)
}

/// Every level at least that of the old policy, in every severity; nothing else weaker.
fn stricter(policy: &GateConfig, raised: &[(Kind, Level)], rate: f64) -> GateConfig {
    let mut stricter = policy.clone();
    for (kind, level) in raised {
        let old = severities(*kind).iter().map(|severity| level_of(policy, *kind, *severity)).max().unwrap();
        if EntryLevel::from(*level) >= old {
            stricter.levels.insert(*kind, *level);
        }
    }
    stricter.min_pass_rate = Some(policy.min_pass_rate.unwrap_or(0.0).max(rate));
    stricter.waivers.truncate(1);
    stricter
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_stricter_policy_never_turns_block_into_pass(
        reports in two_reports(), policy in policy(),
        raised in prop::collection::vec((kind(), level()), 0..8), rate in 0.0..1.0_f64,
    ) {
        let stricter = stricter(&policy, &raised, rate);
        let (before, after) = (outcome(&reports, &policy), outcome(&reports, &stricter));
        prop_assert!(before <= after, "{:?} {:?}", before, after);
    }

    #[test]
    fn a_proposal_that_is_no_regression_lets_nothing_through_that_was_blocked(
        reports in two_reports(), accepted in policy(), proposed in policy(), part in 0..5_usize,
    ) {
        let mut edited = accepted.clone();
        match part {
            0 => edited.levels = proposed.levels,
            1 => edited.min_pass_rate = proposed.min_pass_rate,
            2 => edited.waivers = proposed.waivers,
            3 => edited.thresholds = proposed.thresholds,
            _ => edited = proposed,
        }
        let config = |gate: &GateConfig| Config { gate: gate.clone(), ..Config::default() };
        let change = policy_change(&config(&accepted), &config(&edited));
        let weaker = change.is_some_and(|entry| entry.severity == crate::diff::Severity::Regression);
        if !weaker {
            let (before, after) = (outcome(&reports, &accepted), outcome(&reports, &edited));
            prop_assert!(before <= after, "{:?} {:?}", before, after);
        }
    }

    #[test]
    fn the_counts_are_those_of_the_entries_and_decide(reports in two_reports(), policy in policy()) {
        let Ok(diff) = diff(&reports.0, &reports.1, &policy.thresholds) else { return Ok(()) };
        let gate = decide(diff, &policy, TODAY, Vec::new());
        let count = |level| {
            gate.entries.iter().filter(|it| it.level == level && it.waived.is_none()).count() as u64
        };
        prop_assert_eq!((gate.blocking, gate.warnings), (count(EntryLevel::Block), count(EntryLevel::Warn)));
        let blocked = gate.blocking > 0 || gate.below_minimum.is_some();
        prop_assert_eq!(gate.outcome == Outcome::Block, blocked);
        prop_assert!(gate.entries.iter().all(|it| it.waived.is_none() || it.entry.case_id.is_some()));
    }
}
