//! Reports of every released version must still load. The files are as they were written then: a new
//! version adds a folder and changes none.

use diag_gate::report::{read, to_json};

#[test]
fn a_report_of_version_1_loads_and_is_written_with_the_same_bytes() {
    let bytes = include_bytes!("compat/v1/report.json");
    let report = read(bytes).expect("a released report loads");
    assert_eq!(report.results.len(), 2);
    assert_eq!(report.origin.as_ref().map(|origin| origin.suite.as_str()), Some("default"));
    assert_eq!(to_json(&report).as_bytes(), bytes);
}

#[test]
fn a_report_of_the_seed_harness_loads() {
    let report =
        read(include_bytes!("compat/seed/report.json")).expect("a report of the older harness loads");
    assert!(report.origin.is_none());
    assert_eq!((report.totals.total_cases, report.totals.passed_cases), (3, 2));
    assert_eq!(report.totals.average_tool_call_count, Some(5.0 / 3.0));
    assert_eq!(report.results[1].gatekeeper_status, Some(None));
    assert_eq!(report.results[2].gatekeeper_status, None);
}
