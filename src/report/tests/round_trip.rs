//! One report, one text.

use proptest::prelude::*;

use super::super::{Report, read, suite_digest, to_json};
use super::{passing, report, strategy, unjudged};
use crate::evaluate::CaseResult;
use crate::ids::{CaseId, ObjectId};
use crate::number::Number;
use crate::suite::trace::Fault;
use crate::suite::{ExpectedForm, Matching};

#[test]
fn the_canonical_text_is_this_one() {
    let text = to_json(&report(vec![passing("b"), unjudged("a", Fault::Missing)]));
    assert_eq!(text, include_str!("../../../tests/compat/v1/report.json"));
}

#[test]
fn totals_follow_from_the_results() {
    let mut slow = passing("slow");
    slow.duration_ms = Some(Number::Float(0.5));
    slow.tool_call_count = Some(4);
    slow.verdict = Some("(missing)".into());
    let mut silent = passing("silent");
    silent.duration_ms = None;
    silent.tool_call_count = Some(3);
    let totals = report(vec![passing("a"), slow, silent, unjudged("u", Fault::TooLarge)]).totals;
    assert_eq!((totals.total_cases, totals.passed_cases, totals.unjudged_cases), (4, 3, 1));
    assert_eq!(totals.pass_rate, 0.75);
    assert_eq!(totals.average_tool_call_count, Some(10.0 / 3.0));
    assert_eq!(totals.average_duration_ms, Some(600.25));
    let counts: Vec<_> = totals.verdict_distribution.into_iter().collect();
    assert_eq!(counts, [("(missing)".to_owned(), 2), ("PASS".to_owned(), 2)]);
}

#[test]
fn without_a_readable_trace_there_is_no_mean() {
    let totals = report(vec![unjudged("u", Fault::Unreadable)]).totals;
    assert_eq!((totals.average_tool_call_count, totals.average_duration_ms), (None, None));
    let text = to_json(&report(vec![unjudged("u", Fault::Unreadable)]));
    assert!(text.contains("\n  \"averageToolCallCount\": null,\n  \"averageDurationMs\": null,\n"));
}

#[test]
fn a_byte_order_mark_and_crlf_read_as_if_they_were_not_there() {
    let text = to_json(&report(vec![passing("a")]));
    let rewritten = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(to_json(&read(rewritten.as_bytes()).unwrap()), text);
}

#[test]
fn sorted_keys_and_other_white_space_read_as_the_same_report() {
    let text = to_json(&report(vec![passing("b"), unjudged("a", Fault::Missing)]));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    assert_ne!(pretty, text);
    assert_eq!(to_json(&read(pretty.as_bytes()).unwrap()), text);
}

fn digest_of(results: &[CaseResult]) -> String {
    suite_digest(results, &Matching::default(), 100).as_str().to_owned()
}

#[test]
fn the_suite_digest_is_of_the_documented_text() {
    let (a, b) = (passing("a"), unjudged("b", Fault::Missing));
    let case = a.case_digest.clone().unwrap();
    let text = format!(
        r#"{{"cases":[["a","{0}","{1}"],["b","{0}",{{"fault":"missing"}}]],"matching":{{"expected":"exact","protocolMarkers":[]}},"maxTraceBytes":100}}"#,
        case.as_str(),
        "ab".repeat(20)
    );
    assert_eq!(digest_of(&[b, a]), crate::ids::Digest::of(text.as_bytes()).as_str());
}

#[test]
fn whatever_can_change_a_result_changes_the_suite_digest() {
    let with_id = |fault, id: &str| CaseResult { trace_id: ObjectId::parse(id), ..unjudged("a", fault) };
    let id = "ab".repeat(20);
    let folded = Matching { expected: ExpectedForm::Folded, protocol_markers: Vec::new() };
    let marked = Matching { expected: ExpectedForm::Exact, protocol_markers: vec!["x".to_owned()] };
    let cases = [passing("a")];
    let digests = [
        digest_of(&cases),
        digest_of(&[passing("b")]),
        digest_of(&[passing("a"), passing("b")]),
        digest_of(&[CaseResult { trace_id: ObjectId::parse(&"ac".repeat(20)), ..passing("a") }]),
        digest_of(&[CaseResult { case_digest: Some(crate::ids::Digest::of(b"")), ..passing("a") }]),
        digest_of(&[unjudged("a", Fault::Missing)]),
        digest_of(&[unjudged("a", Fault::NotAFile)]),
        digest_of(&[with_id(Fault::NotAFile, &id)]),
        suite_digest(&cases, &folded, 100).as_str().to_owned(),
        suite_digest(&cases, &marked, 100).as_str().to_owned(),
        suite_digest(&cases, &Matching::default(), 101).as_str().to_owned(),
    ];
    let distinct: std::collections::BTreeSet<_> = digests.iter().collect();
    assert_eq!(distinct.len(), digests.len());
    // What follows from bytes and limit needs no reason beside them.
    assert_eq!(digest_of(&[with_id(Fault::Unreadable, &id)]), digest_of(&cases));
}

#[test]
fn an_id_is_never_taken_for_more_than_a_text() {
    let forged = r#"a","x","y"],["b"#;
    assert_ne!(digest_of(&[passing(forged)]), digest_of(&[passing("a"), passing("b")]));
    let mut result = passing("a");
    result.case_id = CaseId::new("z");
    assert_ne!(digest_of(&[result]), digest_of(&[passing("a")]));
}

/// What a report says, to compare two of them.
fn content(report: &Report) -> String {
    format!("{report:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_was_written_reads_as_it_was_and_writes_the_same_bytes(report in strategy::report()) {
        let text = to_json(&report);
        let again = read(text.as_bytes()).unwrap();
        prop_assert_eq!(content(&again), content(&report));
        prop_assert_eq!(to_json(&again), text);
    }

    #[test]
    fn an_imported_report_keeps_what_it_has_and_lacks_what_it_lacked(report in strategy::imported()) {
        let text = to_json(&report);
        let again = read(text.as_bytes()).unwrap();
        prop_assert_eq!(content(&again), content(&report));
        prop_assert_eq!(to_json(&again), text);
    }

    #[test]
    fn a_result_takes_one_line_and_the_head_one_a_field(report in strategy::report()) {
        let text = to_json(&report);
        let is_closed = text.ends_with("\n  ]\n}\n");
        prop_assert!(is_closed && !text.contains('\r'));
        let lines: Vec<&str> = text.lines().collect();
        prop_assert_eq!(lines.len(), 1 + 12 + 1 + report.results.len() + 2);
        prop_assert_eq!(lines[13], "  \"results\": [");
        for (line, result) in lines[14..].iter().zip(&report.results) {
            let start = format!("    {{\"caseId\":{},", serde_json::to_string(result.case_id.as_str()).unwrap());
            prop_assert!(line.starts_with(&start), "{}", line);
        }
    }

    #[test]
    fn the_suite_digest_asks_for_no_order(results in strategy::results()) {
        let mut reversed = results.clone();
        reversed.reverse();
        prop_assert_eq!(digest_of(&reversed), digest_of(&results));
    }

    #[test]
    fn no_bytes_bring_the_reader_down(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&bytes).is_err());
    }

    #[test]
    fn a_report_cut_short_or_changed_in_one_byte_never_reads_as_another(
        report in strategy::report(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let text = to_json(&report);
        let cut = at.index(text.len() - 1);
        prop_assert!(read(&text.as_bytes()[..cut]).is_err());
        let mut changed = text.clone().into_bytes();
        changed[cut] = byte;
        // Where it still reads, what it says is what is written again: nothing was dropped in silence.
        if let Ok(again) = read(&changed) {
            let value: serde_json::Value = serde_json::from_slice(&changed).unwrap();
            let written: serde_json::Value = serde_json::from_str(&to_json(&again)).unwrap();
            prop_assert_eq!(written, value);
        }
    }
}
