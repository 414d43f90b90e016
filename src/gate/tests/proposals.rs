//! Which proposed settings let through what the accepted ones block.

use jiff::civil::date;

use super::waiver;
use crate::diff::Severity;
use crate::gate::{policy_change, same_settings};
use crate::ids::Name;
use crate::kind::Kind;
use crate::suite::config::{Level, Threshold};
use crate::suite::{Config, ExpectedForm};

const WEAKER: Severity = Severity::Regression;
const OTHER: Severity = Severity::Change;

/// The severity of the proposal that `edit` makes of the accepted settings, and the settings that differ.
fn proposal(accepted: &Config, edit: impl FnOnce(&mut Config)) -> Option<(Severity, Vec<String>)> {
    let mut proposed = accepted.clone();
    edit(&mut proposed);
    assert_eq!(same_settings(accepted, &proposed), policy_change(accepted, &proposed).is_none());
    policy_change(accepted, &proposed).map(|entry| (entry.severity, entry.subjects))
}

#[track_caller]
fn expect(accepted: &Config, edit: impl FnOnce(&mut Config), severity: Severity, setting: &str) {
    assert_eq!(proposal(accepted, edit), Some((severity, vec![setting.to_owned()])));
}

fn with(edit: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    edit(&mut config);
    config
}

#[test]
fn the_same_settings_give_no_entry() {
    assert_eq!(proposal(&Config::default(), |_| ()), None);
}

#[test]
fn levels_are_weaker_where_a_kind_no_longer_blocks_in_some_severity() {
    let plain = Config::default();
    let level = |kind, level| {
        move |config: &mut Config| {
            config.gate.levels.insert(kind, level);
        }
    };
    expect(&plain, level(Kind::CaseRegressed, Level::Warn), WEAKER, "gate.levels.case-regressed");
    expect(&plain, level(Kind::CaseRegressed, Level::Block), OTHER, "gate.levels.case-regressed");
    expect(&plain, level(Kind::KeywordsLost, Level::Ignore), OTHER, "gate.levels.keywords-lost");
    expect(&plain, level(Kind::KeywordsLost, Level::Block), OTHER, "gate.levels.keywords-lost");
    expect(&plain, level(Kind::CaseAdded, Level::Warn), WEAKER, "gate.levels.case-added");
    expect(&plain, level(Kind::PolicyChanged, Level::Ignore), WEAKER, "gate.levels.policy-changed");
    expect(&plain, level(Kind::CaseAdded, Level::Block), OTHER, "gate.levels.case-added");
    let strict = with(level(Kind::CaseAdded, Level::Block));
    expect(&strict, |it| it.gate.levels.clear(), WEAKER, "gate.levels.case-added");
    let strict = with(level(Kind::CaseFixed, Level::Block));
    expect(&strict, |it| it.gate.levels.clear(), WEAKER, "gate.levels.case-fixed");
    let lax = with(level(Kind::CaseRegressed, Level::Warn));
    expect(&lax, |it| it.gate.levels.clear(), OTHER, "gate.levels.case-regressed");
}

#[test]
fn thresholds_are_weaker_where_a_bound_grows_and_the_kind_blocks() {
    let plain = Config::default();
    let bounds = |relative, absolute| {
        move |it: &mut Config| it.gate.thresholds.duration = Threshold { relative, absolute }
    };
    expect(&plain, bounds(2.0, 1000.0), OTHER, "gate.thresholds.duration.relative");
    for kind in [Kind::DurationRose, Kind::DurationFell] {
        let strict = with(|it| {
            it.gate.levels.insert(kind, Level::Block);
        });
        expect(&strict, bounds(2.0, 1000.0), WEAKER, "gate.thresholds.duration.relative");
        expect(&strict, bounds(1.0, 1001.0), WEAKER, "gate.thresholds.duration.absolute");
        expect(&strict, bounds(0.5, 1000.0), OTHER, "gate.thresholds.duration.relative");
        let both = proposal(&strict, bounds(0.5, 2000.0)).unwrap();
        assert_eq!((both.0, both.1.len()), (WEAKER, 2));
    }
}

#[test]
fn a_minimum_is_weaker_when_lower_or_gone() {
    let half = with(|it| it.gate.min_pass_rate = Some(0.5));
    expect(&half, |it| it.gate.min_pass_rate = None, WEAKER, "gate.min_pass_rate");
    expect(&half, |it| it.gate.min_pass_rate = Some(0.4), WEAKER, "gate.min_pass_rate");
    expect(&half, |it| it.gate.min_pass_rate = Some(0.6), OTHER, "gate.min_pass_rate");
    expect(&Config::default(), |it| it.gate.min_pass_rate = Some(0.6), OTHER, "gate.min_pass_rate");
    let zero = with(|it| it.gate.min_pass_rate = Some(0.0));
    expect(&zero, |it| it.gate.min_pass_rate = None, OTHER, "gate.min_pass_rate");
}

#[test]
fn a_waiver_that_is_new_wider_or_longer_is_weaker_over_a_kind_that_blocks() {
    let (may, june) = (date(2026, 5, 1), date(2026, 6, 1));
    let set = |case: &'static str, kinds: &'static [Kind], expires| {
        move |it: &mut Config| it.gate.waivers = vec![waiver(case, kinds, expires)]
    };
    let name = "gate.waivers";
    let plain = Config::default();
    expect(&plain, set("a", &[Kind::CaseRegressed], may), WEAKER, name);
    expect(&plain, set("a", &[Kind::DurationRose], may), OTHER, name);
    expect(&plain, set("*", &[Kind::PassRateFell], may), OTHER, name);
    let held = with(set("pay-*", &[Kind::CaseRegressed], may));
    expect(&held, set("pay-*", &[Kind::CaseRegressed], june), WEAKER, name);
    expect(&held, set("pay-*", &[Kind::CaseRegressed, Kind::EvidenceLost], may), WEAKER, name);
    expect(&held, set("pay-*", &[Kind::CaseRegressed, Kind::DurationRose], may), OTHER, name);
    expect(&held, set("*", &[Kind::CaseRegressed], may), WEAKER, name);
    expect(&held, set("pay-1", &[Kind::CaseRegressed], may), OTHER, name);
    expect(&held, set("pay-[12]", &[Kind::CaseRegressed], may), WEAKER, name);
    expect(&held, |it| it.gate.waivers.clear(), OTHER, name);
    expect(&held, |it| it.gate.waivers[0].reason = "other".to_owned(), OTHER, name);
    let all = with(set("*", &[Kind::CaseRegressed], june));
    expect(&all, set("pay-[12]", &[Kind::CaseRegressed], may), OTHER, name);
    assert_eq!(proposal(&held, |it| it.gate.waivers[0].line = 7), None);
}

#[test]
fn what_chooses_or_proves_the_baseline_blocks_and_what_the_evaluator_reads_is_a_change() {
    let plain = Config::default();
    expect(&plain, |it| it.name = Name::parse("other").unwrap(), WEAKER, "name");
    expect(&plain, |it| it.store_prefix = "refs/heads/x".to_owned(), WEAKER, "store.prefix");
    expect(&plain, |it| it.matching.expected = ExpectedForm::Folded, OTHER, "matching.expected");
    expect(
        &plain,
        |it| it.matching.protocol_markers.push("m".to_owned()),
        OTHER,
        "matching.protocol_markers",
    );
    expect(&plain, |it| it.max_trace_bytes = 1, OTHER, "limits.max_trace_bytes");
    expect(&plain, |it| it.baseline.ratchet = true, OTHER, "baseline.ratchet");
    expect(&plain, |it| it.baseline.require_signed = true, OTHER, "baseline.require_signed");
    let signed = with(|it| it.baseline.require_signed = true);
    expect(&signed, |it| it.baseline.require_signed = false, WEAKER, "baseline.require_signed");
}

#[test]
fn the_entry_shows_all_settings_that_differ_and_names_the_weaker_ones() {
    let accepted = with(|it| it.gate.min_pass_rate = Some(0.9));
    let mut proposed = with(|it| it.baseline.ratchet = true);
    proposed.gate.levels.insert(Kind::CaseRemoved, Level::Warn);
    let entry = policy_change(&accepted, &proposed).unwrap();
    let json = |value| serde_json::to_string(value).unwrap();
    let settings = ["gate.min_pass_rate", "gate.levels.case-removed", "baseline.ratchet"];
    assert_eq!(entry.subjects, settings);
    assert_eq!(
        json(&entry.before),
        r#"{"gate.min_pass_rate":0.9,"gate.levels.case-removed":null,"baseline.ratchet":false}"#
    );
    assert_eq!(
        json(&entry.after),
        r#"{"gate.min_pass_rate":null,"gate.levels.case-removed":"warn","baseline.ratchet":true}"#
    );
    assert!(
        entry.message.ends_with("block: gate.min_pass_rate, gate.levels.case-removed"),
        "{}",
        entry.message
    );
}
