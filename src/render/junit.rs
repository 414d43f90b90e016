//! JUnit XML, for dashboards that know no other.
//!
//! Of a report, a failed case is a failure, and one that could not be judged an error. Of a decision, what
//! blocks is a failure: dashboards shall be red exactly where the gate is.

use std::collections::BTreeMap;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use super::escape::{Untrusted, xml};
use super::row::Row;
use super::view::{Group, View};
use super::words;
use crate::evaluate::{CaseResult, FailedChecks};
use crate::kind::Kind;
use crate::report::Report;

/// The report as one test suite. The XML holds no clock time: durations are those of the traces.
pub fn junit(report: &Report) -> String {
    let name = report.origin.as_ref().map_or("imported", |origin| origin.suite.as_str());
    let mut suite = TestSuite::new(name);
    suite.add_test_cases(report.results.iter().map(|result| test_case(name, result)));
    document([suite])
}

/// The decision: a test suite with one test case a case, and one with what is of the whole suite.
pub fn junit_decision(view: &View) -> String {
    let name = view.suite.as_ref().map_or_else(|| "imported".to_owned(), Untrusted::xml);
    let mut rows: BTreeMap<&Untrusted, Vec<(Group, &Row)>> = BTreeMap::new();
    let mut whole = Vec::new();
    for (group, row) in view.rows() {
        match &row.case {
            Some(case) => rows.entry(case).or_default().push((group, row)),
            None => whole.push((group, row)),
        }
    }
    let mut cases = TestSuite::new(name.clone());
    facts(view).into_iter().for_each(|(name, value)| {
        cases.add_property((name, value.as_str()));
    });
    for case in &view.cases {
        let rows = rows.remove(&case.id).unwrap_or_default();
        cases.add_test_case(timed(decided(&name, case.id.xml(), &rows), case.duration_ms));
    }
    // What is left is of cases that are gone, in the order of the diff.
    for (_, row) in view.rows() {
        if let Some(rows) = row.case.as_ref().and_then(|case| rows.remove(case)) {
            let id = row.case.as_ref().map_or_else(String::new, Untrusted::xml);
            cases.add_test_case(decided(&name, id, &rows));
        }
    }
    document([cases, whole_suite(view, &name, &whole)])
}

fn document(suites: impl IntoIterator<Item = TestSuite>) -> String {
    let mut document = Document::new("diag-gate");
    for suite in suites {
        document.add_test_suite(suite);
    }
    let text = document.to_string().expect("writing XML to memory cannot fail");
    // Nothing is ever skipped, and the schema of Jenkins does not know that attribute of the outermost
    // element, which stands before any text of others.
    text.replacen(" skipped=\"0\"", "", 1)
}

fn test_case(suite: &str, result: &CaseResult) -> TestCase {
    let mut case = TestCase::new(xml(result.case_id.as_str()), status(result));
    case.set_classname(suite);
    timed(case, result.duration_ms.map(|duration| duration.as_f64()))
}

fn timed(mut case: TestCase, milliseconds: Option<f64>) -> TestCase {
    if let Ok(time) = Duration::try_from_secs_f64(milliseconds.unwrap_or(0.0) / 1000.0) {
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
    status.set_type(xml(&result.failed_checks.names().join(", ")));
    let lines = lines(result);
    status.set_message(lines.first().map_or("", String::as_str));
    status.set_description(lines.join("\n"));
    status
}

fn lines(result: &CaseResult) -> Vec<String> {
    match &result.failed_checks {
        FailedChecks::Checks(checks) => checks
            .iter()
            .map(|failed| format!("{}: {}", failed.check.as_str(), xml(&failed.message)))
            .collect(),
        FailedChecks::Plain(texts) => texts.iter().map(|text| xml(text)).collect(),
    }
}

/// What a decision says beside its entries.
fn facts(view: &View) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("outcome", view.outcome.as_str().to_owned()),
        ("headline", xml(&view.headline)),
        ("counted", words::COUNTED.to_owned()),
    ];
    if let Some(note) = &view.baseline {
        let [title, commit, by] = [&note.title, &note.commit, &note.by].map(Untrusted::xml);
        let [age, evaluated, rule] = [&note.age, &note.evaluated, &note.rule].map(Untrusted::xml);
        let told = format!("{title} {commit}, accepted {age} by {by}, of commit {evaluated} ({rule})");
        facts.push(("baseline", told));
    }
    facts.extend(
        view.totals.iter().map(|(label, before, now)| (*label, format!("{before} before, {now} now"))),
    );
    facts.extend(view.stale_waivers.iter().map(|waiver| ("stale waiver", waiver.xml())));
    if let Some(commands) = &view.commands {
        facts.push(("reproduce", commands.reproduce.xml()));
        facts.extend(commands.accept.iter().map(|accept| ("accept", accept.xml())));
    }
    facts
}

/// One test case an entry, and one for the minimum that was missed.
fn whole_suite(view: &View, name: &str, rows: &[(Group, &Row)]) -> TestSuite {
    let name = format!("{name} (whole suite)");
    let mut suite = TestSuite::new(name.clone());
    if let Some(told) = &view.below_minimum {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type("below-minimum");
        status.set_message(xml(told));
        let mut case = TestCase::new("below-minimum", status);
        case.set_classname(name.clone());
        suite.add_test_case(case);
    }
    for row in rows {
        suite.add_test_case(decided(&name, row.1.kind.as_str().to_owned(), std::slice::from_ref(row)));
    }
    suite
}

/// A case with what blocks as its failure, and the rest as what it printed.
fn decided(suite: &str, name: String, rows: &[(Group, &Row)]) -> TestCase {
    let (blocking, told): (Vec<_>, Vec<_>) = rows.iter().partition(|(group, _)| *group == Group::Blocking);
    let status = match blocking.first() {
        None => TestCaseStatus::success(),
        Some((_, first)) => {
            let unjudged = blocking.iter().any(|(_, row)| row.kind == Kind::CaseUnjudged);
            let kind = if unjudged { NonSuccessKind::Error } else { NonSuccessKind::Failure };
            let mut status = TestCaseStatus::non_success(kind);
            let kinds: Vec<&str> = blocking.iter().map(|(_, row)| row.kind.as_str()).collect();
            status.set_type(kinds.join(", "));
            status.set_message(first.message.xml());
            status.set_description(all_told(&blocking));
            status
        }
    };
    let mut case = TestCase::new(name, status);
    case.set_classname(suite);
    if !told.is_empty() {
        case.set_system_out(all_told(&told));
    }
    case
}

fn all_told(rows: &[(Group, &Row)]) -> String {
    rows.iter().flat_map(|(group, row)| told(*group, row)).collect::<Vec<_>>().join("\n")
}

fn told(group: Group, row: &Row) -> Vec<String> {
    let cause = row.cause_words().map(|cause| format!(" [{cause}]")).unwrap_or_default();
    let weight = words::weight(row.severity, row.level);
    let group = group.title().to_lowercase();
    let mut lines = vec![format!("{} ({group}; {weight}): {}{cause}", row.kind.as_str(), row.message.xml())];
    let title = row.title.iter().map(|title| format!("  title: {}", title.xml()));
    let rest = row.evidence.iter().chain(&row.covers).map(|line| format!("  {}", line.xml()));
    lines.extend(title.chain(rest));
    if let Some(spot) = &row.spot {
        lines.push(format!("  at {}:{}", spot.file.xml(), spot.line));
    }
    lines
}
