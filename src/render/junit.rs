//! A report as JUnit XML, for dashboards that know no other: a failed case is a failure, a case
//! that could not be judged an error.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use super::escape::terminal;
use crate::evaluate::{CaseResult, FailedChecks};
use crate::report::Report;

/// The report as one test suite. The XML holds no clock time: durations are those of the traces.
pub fn junit(report: &Report) -> String {
    let name = report.origin.as_ref().map_or("imported", |origin| origin.suite.as_str());
    let mut suite = TestSuite::new(name);
    suite.add_test_cases(report.results.iter().map(|result| test_case(name, result)));
    let mut document = Document::new("diag-gate");
    document.add_test_suite(suite);
    document.to_string().expect("writing XML to memory cannot fail")
}

fn test_case(suite: &str, result: &CaseResult) -> TestCase {
    let mut case = TestCase::new(terminal(result.case_id.as_str()), status(result));
    case.set_classname(suite);
    let milliseconds = result.duration_ms.map_or(0.0, |duration| duration.as_f64());
    if let Ok(time) = Duration::try_from_secs_f64(milliseconds / 1000.0) {
        case.set_time(time);
    }
    case
}

fn status(result: &CaseResult) -> TestCaseStatus {
    if result.passed {
        return TestCaseStatus::success();
    }
    let kind = if result.unjudged().is_some() { NonSuccessKind::Error } else { NonSuccessKind::Failure };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(terminal(&result.failed_checks.names().join(", ")));
    let lines = lines(result);
    status.set_message(lines.first().map_or("", String::as_str));
    status.set_description(lines.join("\n"));
    status
}

fn lines(result: &CaseResult) -> Vec<String> {
    match &result.failed_checks {
        FailedChecks::Checks(checks) => checks
            .iter()
            .map(|failed| format!("{}: {}", failed.check.as_str(), terminal(&failed.message)))
            .collect(),
        FailedChecks::Plain(texts) => texts.iter().map(|text| terminal(text)).collect(),
    }
}
