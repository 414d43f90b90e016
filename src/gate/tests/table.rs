//! Levels, waivers, the minimum, and the JSON form.

use jiff::civil::date;

use super::{TODAY, commit, judged, of, waiver, worse};
use crate::diff::Severity::{Change, Improvement, Regression};
use crate::gate::{
    Accepted, EntryLevel, Outcome, Stale, decide, default_level, level_of, severities, to_json,
};
use crate::kind::Kind;
use crate::suite::config::{GateConfig, Level};

#[test]
fn the_decision_table_whole() {
    use EntryLevel::{Block, Info, Warn};
    let table = [
        ("pass-rate-fell", Regression, Block),
        ("pass-rate-rose", Improvement, Info),
        ("verdict-distribution-changed", Regression, Warn),
        ("verdict-distribution-changed", Improvement, Info),
        ("verdict-distribution-changed", Change, Info),
        ("average-tool-calls-rose", Regression, Warn),
        ("average-tool-calls-fell", Improvement, Info),
        ("average-duration-rose", Regression, Warn),
        ("average-duration-fell", Improvement, Info),
        ("policy-changed", Regression, Block),
        ("policy-changed", Change, Info),
        ("evaluator-changed", Change, Info),
        ("case-regressed", Regression, Block),
        ("case-fixed", Improvement, Info),
        ("checks-lost", Regression, Block),
        ("checks-recovered", Improvement, Info),
        ("evidence-lost", Regression, Block),
        ("evidence-gained", Improvement, Info),
        ("keywords-lost", Regression, Warn),
        ("keywords-gained", Improvement, Info),
        ("tool-calls-rose", Regression, Warn),
        ("tool-calls-fell", Improvement, Info),
        ("duration-rose", Regression, Warn),
        ("duration-fell", Improvement, Info),
        ("verdict-worsened", Regression, Warn),
        ("verdict-improved", Improvement, Info),
        ("verdict-changed", Change, Info),
        ("case-unjudged", Regression, Block),
        ("audit-changed", Change, Info),
        ("expectation-weakened", Regression, Block),
        ("expectation-tightened", Change, Info),
        ("case-added", Regression, Block),
        ("case-added", Change, Info),
        ("case-removed", Regression, Block),
        ("case-renamed", Change, Info),
    ];
    let found: Vec<_> = Kind::ALL
        .iter()
        .flat_map(|kind| severities(*kind).iter().map(|severity| (kind.as_str(), *severity)))
        .map(|(kind, severity)| (kind, severity, default_level(Kind::parse(kind).unwrap(), severity)))
        .collect();
    assert_eq!(found, table);
}

#[test]
fn a_policy_can_set_any_kind_to_any_level() {
    for kind in Kind::ALL {
        for (level, expected) in [
            (Level::Block, EntryLevel::Block),
            (Level::Warn, EntryLevel::Warn),
            (Level::Ignore, EntryLevel::Ignore),
        ] {
            let policy = GateConfig { levels: [(*kind, level)].into(), ..GateConfig::default() };
            for severity in severities(*kind) {
                assert_eq!(level_of(&policy, *kind, *severity), expected, "{}", kind.as_str());
            }
        }
    }
}

#[test]
fn counts_are_of_entries_and_an_ignored_one_counts_nowhere() {
    let (before, after) = worse();
    let gate = judged(&before, &after, &GateConfig::default());
    // Blocking: pass-rate-fell, case-regressed. Warnings: the distribution, the average, the verdict, the duration.
    assert_eq!((gate.outcome, gate.blocking, gate.warnings), (Outcome::Block, 2, 4));
    let levels = [
        (Kind::PassRateFell, Level::Ignore),
        (Kind::CaseRegressed, Level::Warn),
        (Kind::DurationRose, Level::Ignore),
    ];
    let gate = judged(&before, &after, &GateConfig { levels: levels.into(), ..GateConfig::default() });
    assert_eq!((gate.outcome, gate.blocking, gate.warnings), (Outcome::Pass, 0, 4));
}

#[test]
fn a_waiver_covers_its_kinds_of_its_cases_through_its_last_day() {
    let (before, after) = worse();
    let policy = |waivers| GateConfig { waivers, ..GateConfig::default() };
    let gate = judged(&before, &after, &policy(vec![waiver("pay-*", &[Kind::CaseRegressed], TODAY)]));
    let regressed = gate.entries.iter().find(|it| it.entry.kind == Kind::CaseRegressed).unwrap();
    assert_eq!(regressed.waived.as_ref().unwrap().reason, "known");
    assert_eq!(regressed.level, EntryLevel::Block);
    assert_eq!((gate.blocking, gate.outcome), (1, Outcome::Block));
    assert!(gate.stale_waivers.is_empty());
    let yesterday = date(2026, 6, 30);
    let gate = judged(&before, &after, &policy(vec![waiver("pay-*", &[Kind::CaseRegressed], yesterday)]));
    assert_eq!(gate.blocking, 2);
    assert_eq!(gate.stale_waivers[0].why, Stale::Expired);
}

#[test]
fn a_waiver_that_no_entry_needs_is_stale() {
    let (before, after) = worse();
    let never = date(2027, 1, 1);
    let waivers = vec![
        waiver("PAY-1", &[Kind::CaseRegressed], never),
        waiver("*", &[Kind::PassRateFell], never),
        waiver("pay-2", &[Kind::CaseRegressed, Kind::DurationRose], never),
        waiver("[", &[Kind::CaseRegressed], never),
        waiver("pay-?", &[Kind::DurationRose], never),
    ];
    let gate = judged(&before, &after, &GateConfig { waivers, ..GateConfig::default() });
    let stale: Vec<_> = gate.stale_waivers.iter().map(|it| (it.waiver.case.as_str(), it.why)).collect();
    assert_eq!(stale, [("PAY-1", Stale::Unused), ("*", Stale::Unused), ("[", Stale::Unused)]);
    assert_eq!(gate.blocking, 2, "an entry of the whole suite is never waived");
}

#[test]
fn below_the_minimum_the_gate_blocks_whatever_the_baseline_says() {
    let (_, after) = worse();
    let policy = |rate| GateConfig { min_pass_rate: Some(rate), ..GateConfig::default() };
    let gate = judged(&after, &after, &policy(0.51));
    assert_eq!((gate.outcome, gate.blocking), (Outcome::Block, 0));
    assert_eq!(gate.below_minimum.unwrap().told(), "1 of 2 passed (50 %), the minimum is 51 %");
    let gate = judged(&after, &after, &policy(0.5));
    assert_eq!((gate.outcome, gate.below_minimum), (Outcome::Pass, None));
}

#[test]
fn the_json_form_has_every_key_in_its_order() {
    let (before, after) = worse();
    let waivers = vec![
        waiver("pay-2", &[Kind::DurationRose], date(2026, 12, 31)),
        waiver("gone", &[Kind::DurationRose], date(2026, 12, 31)),
    ];
    let policy = GateConfig { waivers, ..GateConfig::default() };
    let diff = of(&before, &after, &policy);
    let accepted = Accepted { by: "a".to_owned(), reason: None, commit: commit('a') };
    let places = vec![Some(accepted); 1];
    let text = to_json(&decide(diff, &policy, TODAY, places));
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let keys: Vec<&str> =
        lines.iter().filter_map(|line| line.split_once("\": ").map(|(key, _)| key)).collect();
    let head =
        ["\"source", "\"commit", "\"dirty", "\"suiteDigest", "\"totalCases", "\"passedCases", "\"passRate"];
    let mut expected = vec!["\"schemaVersion", "\"baseline"];
    expected.extend(head);
    expected.push("\"current");
    expected.extend(head);
    expected.extend([
        "\"likeForLike",
        "\"cases",
        "\"baselinePassed",
        "\"currentPassed",
        "\"entries",
        "\"kind",
    ]);
    expected.extend([
        "\"severity",
        "\"level",
        "\"caseId",
        "\"title",
        "\"cause",
        "\"underOldExpectation",
        "\"subjects",
    ]);
    expected.extend([
        "\"before",
        "\"passed",
        "\"cases",
        "\"after",
        "\"passed",
        "\"cases",
        "\"accepted",
        "\"by",
    ]);
    expected.extend(["\"reason", "\"commit", "\"waived", "\"message", "\"kind"]);
    assert_eq!(keys[..expected.len()], expected);
    let end = [
        "\"gate",
        "\"outcome",
        "\"blocking",
        "\"warnings",
        "\"staleWaivers",
        "\"case",
        "\"kinds",
        "\"reason",
    ];
    let end = [end.as_slice(), &["\"expires", "\"why"]].concat();
    assert_eq!(keys[keys.len() - end.len()..], end);
    assert!(text.contains(
        "\"waived\": {\n        \"reason\": \"known\",\n        \"expires\": \"2026-12-31\"\n      }"
    ));
    assert!(text.ends_with("}\n"));
}
