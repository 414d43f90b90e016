//! Laws over generated reports.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::diff::model::{imported, report, two_reports};
use crate::diff::{Diff, Entry, Severity, diff};
use crate::kind::Kind;
use crate::report::Report;
use crate::suite::config::Thresholds;

fn of(baseline: &Report, current: &Report) -> Option<Diff> {
    diff(baseline, current, &Thresholds::default()).ok()
}

fn json(value: &crate::diff::Value) -> String {
    serde_json::to_string(value).unwrap()
}

/// The kind of the exchanged reports; `None` for kinds with a direction of their own.
fn mirrored(kind: Kind) -> Option<Kind> {
    let pairs = [
        (Kind::PassRateFell, Kind::PassRateRose),
        (Kind::AverageToolCallsRose, Kind::AverageToolCallsFell),
        (Kind::AverageDurationRose, Kind::AverageDurationFell),
        (Kind::CaseRegressed, Kind::CaseFixed),
        (Kind::ChecksLost, Kind::ChecksRecovered),
        (Kind::EvidenceLost, Kind::EvidenceGained),
        (Kind::KeywordsLost, Kind::KeywordsGained),
        (Kind::ToolCallsRose, Kind::ToolCallsFell),
        (Kind::DurationRose, Kind::DurationFell),
        (Kind::VerdictWorsened, Kind::VerdictImproved),
        (Kind::CaseAdded, Kind::CaseRemoved),
    ];
    let own =
        [Kind::CaseUnjudged, Kind::ExpectationWeakened, Kind::ExpectationTightened, Kind::PolicyChanged];
    if own.contains(&kind) {
        return None;
    }
    let other = pairs
        .into_iter()
        .find_map(|(one, other)| if kind == one { Some(other) } else { (kind == other).then_some(one) });
    Some(other.unwrap_or(kind))
}

type Shape = (Kind, Option<String>, Option<&'static str>, BTreeSet<String>, String, String);

fn shape(entry: &Entry, kind: Kind, ids: &BTreeMap<String, String>) -> Shape {
    let id = entry.case_id.as_ref().map(|id| id.as_str().to_owned());
    let one_side = matches!(kind, Kind::CaseAdded | Kind::CaseRemoved);
    let subjects = if one_side { BTreeSet::new() } else { entry.subjects.iter().cloned().collect() };
    (
        kind,
        id.map(|id| ids.get(&id).cloned().unwrap_or(id)),
        entry.cause.map(crate::diff::Cause::as_str),
        subjects,
        json(&entry.before),
        json(&entry.after),
    )
}

fn all(diff: &Diff) -> Vec<(Shape, Severity)> {
    let none = BTreeMap::new();
    let mut all: Vec<_> =
        diff.entries.iter().map(|entry| (shape(entry, entry.kind, &none), entry.severity)).collect();
    all.sort();
    all
}

fn mirror_holds(baseline: &Report, current: &Report) -> Result<(), TestCaseError> {
    let (Some(there), Some(back)) = (of(baseline, current), of(current, baseline)) else {
        prop_assert!(of(baseline, current).is_none() && of(current, baseline).is_none());
        return Ok(());
    };
    let ids: BTreeMap<String, String> = there
        .entries
        .iter()
        .filter(|entry| entry.kind == Kind::CaseRenamed)
        .map(|entry| {
            let old = json(&entry.before).trim_matches('"').to_owned();
            (entry.case_id.as_ref().unwrap().as_str().to_owned(), old)
        })
        .collect();
    let mut expected: Vec<Shape> = there
        .entries
        .iter()
        .filter_map(|entry| Some(shape(entry, mirrored(entry.kind)?, &ids)))
        .map(|(kind, id, cause, subjects, before, after)| (kind, id, cause, subjects, after, before))
        .collect();
    let none = BTreeMap::new();
    let mut found: Vec<Shape> = back
        .entries
        .iter()
        .filter(|entry| mirrored(entry.kind).is_some())
        .map(|entry| shape(entry, entry.kind, &none))
        .collect();
    expected.sort();
    found.sort();
    prop_assert_eq!(expected, found);
    Ok(())
}

fn has_twins(report: &Report) -> bool {
    let content: BTreeSet<_> =
        report.results.iter().map(|result| (result.case_digest.clone(), result.trace_id.clone())).collect();
    content.len() < report.results.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_report_and_itself_differ_in_nothing_but_what_cannot_be_judged((one, _) in two_reports()) {
        for report in [&one, &imported(&one)] {
            let diff = of(report, report).unwrap();
            let unjudged: Vec<_> =
                report.results.iter().filter(|it| it.unjudged().is_some()).map(|it| &it.case_id).collect();
            let found: Vec<_> = diff.entries.iter().map(|entry| entry.case_id.as_ref().unwrap()).collect();
            prop_assert_eq!(found, unjudged);
            prop_assert!(diff.entries.iter().all(|entry| entry.kind == Kind::CaseUnjudged && entry.cause.is_none()));
        }
    }

    #[test]
    fn exchanged_reports_mirror((one, other) in two_reports()) {
        mirror_holds(&one, &other)?;
        mirror_holds(&imported(&one), &other)?;
        mirror_holds(&imported(&one), &imported(&other))?;
    }

    #[test]
    fn the_order_of_the_results_never_changes_what_is_found((one, other) in two_reports()) {
        // Of several candidates for one renaming the order decides which pair.
        if has_twins(&one) || has_twins(&other) {
            return Ok(());
        }
        let turned = |report_in: &Report| report(report_in.results.iter().rev().cloned().collect());
        let found = of(&one, &other).map(|diff| all(&diff));
        prop_assert_eq!(of(&turned(&one), &turned(&other)).map(|diff| all(&diff)), found.clone());
        prop_assert_eq!(of(&turned(&one), &other).map(|diff| all(&diff)), found);
    }

    #[test]
    fn entries_stand_in_the_order_of_the_tables((one, other) in two_reports()) {
        if let Some(diff) = of(&one, &other) {
            let mut ids: Vec<&str> = other.results.iter().map(|it| it.case_id.as_str()).collect();
            ids.extend(one.results.iter().map(|it| it.case_id.as_str()).filter(|id| {
                !other.results.iter().any(|it| it.case_id.as_str() == *id)
            }));
            let key = |entry: &Entry| {
                let place = entry.case_id.as_ref().map(|id| ids.iter().position(|it| *it == id.as_str()).unwrap());
                (place, entry.kind)
            };
            let keys: Vec<_> = diff.entries.iter().map(key).collect();
            prop_assert!(keys.is_sorted_by(|one, other| one < other), "{:?}", keys);
        }
    }

    #[test]
    fn an_entry_is_one_line_and_has_a_severity_of_its_kind((one, other) in two_reports()) {
        if let Some(diff) = of(&one, &other) {
            for entry in &diff.entries {
                prop_assert!(!entry.message.is_empty() && !entry.message.contains('\n'));
                prop_assert!(crate::gate::severities(entry.kind).contains(&entry.severity), "{}", entry.kind.as_str());
            }
        }
    }

    #[test]
    fn like_for_like_and_removals_leave_no_case_out((one, other) in two_reports()) {
        if let Some(diff) = of(&one, &other) {
            let count = |kind| diff.entries.iter().filter(|entry| entry.kind == kind).count();
            let cases = usize::try_from(diff.like_for_like.cases).unwrap();
            prop_assert_eq!(cases + count(Kind::CaseAdded), other.results.len());
            prop_assert_eq!(cases + count(Kind::CaseRemoved), one.results.len());
            let net = diff.like_for_like.baseline_passed + count(Kind::CaseFixed) as u64;
            prop_assert_eq!(diff.like_for_like.current_passed + count(Kind::CaseRegressed) as u64, net);
        }
    }
}
