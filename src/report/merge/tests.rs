//! Any suite in any number of parts comes back as it was; whatever does not belong together is refused.

use proptest::prelude::*;

use super::*;
use crate::report::tests::{self, strategy};
use crate::report::{ReadError, read, read_part, to_json};

const LIMIT: u64 = 100;

/// A report whose digest is that of its results.
fn honest(report: Report) -> Report {
    let origin = report.origin.unwrap();
    let suite_digest = suite_digest(&report.results, &origin.evaluator.matching, LIMIT);
    Report::new(Some(Origin { suite_digest, ..origin }), report.results)
}

/// The parts of a report, each written and read back.
fn parts(report: &Report, of: u32, sizes: &[u64]) -> Vec<Report> {
    let part = |index| {
        let shard = Shard::new(index, of).unwrap();
        let results = report.results[shard.cases(sizes)].to_vec();
        let part = Some(Part { shard, max_trace_bytes: LIMIT });
        read_part(to_json(&Report { part, ..Report::new(report.origin.clone(), results) }).as_bytes())
            .unwrap()
    };
    (1..=of).map(part).collect()
}

fn of(index: u32, of: u32) -> Shard {
    Shard::new(index, of).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn all_parts_in_any_order_are_the_whole(
        report in strategy::report(),
        number in 1..9_u32,
        sizes in prop::collection::vec(0..100_000_u64, 16),
        turn in 0..9_usize,
    ) {
        let report = honest(report);
        let sizes: Vec<u64> = sizes.into_iter().cycle().take(report.results.len()).collect();
        let mut parts = parts(&report, number, &sizes);
        parts.rotate_left(turn % number as usize);
        prop_assert_eq!(to_json(&merge(parts.clone()).unwrap()), to_json(&report));
        let lost = parts.pop().unwrap().part.unwrap().shard;
        let missing = MergeError::Missing { missing: vec![lost.index()], of: number };
        let expected = if number == 1 { MergeError::Nothing } else { missing };
        prop_assert_eq!(merge(parts).unwrap_err(), expected);
    }
}

/// Three cases in three parts.
fn three() -> Vec<Report> {
    let report = tests::report(["a", "b", "c"].map(tests::passing).into());
    parts(&honest(report), 3, &[0, 0, 0])
}

#[test]
fn gaps_and_overlaps_are_refused() {
    let parts = three();
    assert_eq!(merge(Vec::new()).unwrap_err(), MergeError::Nothing);
    let twice = vec![parts[0].clone(), parts[1].clone(), parts[1].clone()];
    assert_eq!(merge(twice).unwrap_err(), MergeError::Twice(of(2, 3)));
    let missing = MergeError::Missing { missing: vec![1, 3], of: 3 };
    assert_eq!(merge(vec![parts[1].clone()]).unwrap_err(), missing);
    assert_eq!(missing.to_string(), "of 3 parts these are missing: 1, 3");
    let mut other = parts.clone();
    other[2].part = Some(Part { shard: of(3, 4), max_trace_bytes: LIMIT });
    let division = MergeError::OtherDivision { one: of(1, 3), other: of(3, 4) };
    assert_eq!(merge(other).unwrap_err(), division);
    let mut overlapping = parts.clone();
    overlapping[2].results.push(parts[0].results[0].clone());
    assert!(matches!(merge(overlapping).unwrap_err(), MergeError::RepeatedCase { .. }));
    let mut whole = parts;
    whole[0].part = None;
    assert_eq!(merge(whole).unwrap_err(), MergeError::NoPart);
}

#[test]
fn parts_of_different_evaluations_are_refused() {
    type Change = fn(&mut Report);
    fn origin(report: &mut Report) -> &mut Origin {
        report.origin.as_mut().unwrap()
    }
    let changes: [(&str, Change); 6] = [
        ("suite", |part| origin(part).suite = crate::ids::Name::parse("other").unwrap()),
        ("commit", |part| origin(part).source.dirty ^= true),
        ("rules", |part| origin(part).evaluator.rules_version = "0".to_owned()),
        ("matching", |part| origin(part).evaluator.matching.protocol_markers.push("m".to_owned())),
        ("max_trace_bytes", |part| part.part.as_mut().unwrap().max_trace_bytes += 1),
        ("content", |part| origin(part).suite_digest = crate::ids::Digest::of(b"other")),
    ];
    for (word, change) in changes {
        let mut parts = three();
        change(&mut parts[1]);
        let error = merge(parts).unwrap_err();
        assert!(matches!(error, MergeError::Differs { other, .. } if other == of(2, 3)), "{word}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn a_part_that_lost_a_result_is_refused_although_it_agrees_with_itself() {
    let mut parts = three();
    let origin = parts[1].origin.clone();
    parts[1] = Report { part: parts[1].part, ..Report::new(origin, Vec::new()) };
    assert_eq!(merge(parts).unwrap_err(), MergeError::OtherContent);
}

#[test]
fn a_part_is_no_report_and_a_report_no_part() {
    let parts = three();
    let text = to_json(&parts[1]);
    assert!(text.contains("\n  \"shard\": {\"index\":2,\"of\":3,\"maxTraceBytes\":100},\n"), "{text}");
    let error = read(text.as_bytes()).unwrap_err();
    assert_eq!(error, ReadError::Part { shard: of(2, 3) });
    let whole = to_json(&merge(parts).unwrap());
    assert!(!whole.contains("shard"));
    assert_eq!(read_part(whole.as_bytes()).unwrap_err(), ReadError::NoPart);
    let other = text.replace("\"index\":2", "\"index\":4");
    assert_eq!(read_part(other.as_bytes()).unwrap_err(), ReadError::NoSuchPart);
    for bad in ["null", "[2,3,100]", "{\"index\":2,\"of\":3}"] {
        let text = text.replace("{\"index\":2,\"of\":3,\"maxTraceBytes\":100}", bad);
        assert!(matches!(read_part(text.as_bytes()).unwrap_err(), ReadError::Malformed { .. }), "{bad}");
    }
}
