//! Writes pages as they are published into a folder, to be looked at and to be rendered by others.
//!
//! `cargo run --example pages -- DIR`

#![expect(clippy::disallowed_methods, reason = "an example may")]

mod views;

use std::error::Error;
use std::path::Path;

use diag_gate::diff::Cause;
use diag_gate::kind::Kind;
use diag_gate::render::escape::Untrusted;
use diag_gate::render::view::{Group, View};
use diag_gate::render::{COMMENT_BYTES, Frame, Note, Row, comment, could_not_judge, summary};
use views::{HOSTILE, fallen, frame, hostile, hostile_frame, regressed, row, view};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: pages DIR")?;
    std::fs::create_dir_all(&folder)?;
    let problems: Vec<Untrusted> = HOSTILE.iter().map(|text| Untrusted::new(*text)).collect();
    let accept = [
        "/diag-gate accept 1a2b3c4d5e6f1a2b3c4d5e6f1a2b3c4d5e6f1a2b REASON",
        "diag-gate accept --pending --push",
    ];
    let frame = Frame { accept: accept.map(Untrusted::new).to_vec(), ..frame() };
    let pages = [
        ("hostile", comment(&hostile(), &hostile_frame(), COMMENT_BYTES)),
        ("hostile-summary", summary(&hostile(), &hostile_frame(), 1_000_000)),
        ("hostile-problems", could_not_judge(&hostile_frame(), &problems, &problems, COMMENT_BYTES)),
        ("blocked", comment(&blocked(), &frame, COMMENT_BYTES)),
        ("blocked-summary", summary(&blocked(), &frame, 1_000_000)),
        ("passed", comment(&improved(), &frame, COMMENT_BYTES)),
        ("clean", comment(&view(Vec::new(), cases()), &frame, COMMENT_BYTES)),
        ("could-not-judge", not_judged(&frame)),
        ("fallen", comment(&fallen(10_000), &frame, COMMENT_BYTES)),
    ];
    for (name, page) in pages {
        std::fs::write(Path::new(&folder).join(format!("{name}.md")), page)?;
    }
    Ok(())
}

fn cases() -> Vec<(String, bool)> {
    (1..=12).map(|index| (format!("checkout-{index:02}"), index > 2)).collect()
}

fn blocked() -> View {
    let title = "结账服务在促销高峰期间超时";
    let both = Row {
        cause: Some(Cause::Both),
        under_old_expectation: Some(true),
        ..regressed("checkout-02", "login errors after a certificate expired", "certificate expired")
    };
    let weakened = Row {
        cause: Some(Cause::Case),
        ..row(
            Kind::ExpectationWeakened,
            Some("checkout-02"),
            "the new definition lets through what the old one did not: forbiddenAnswerKeywords (without 已经确认)",
        )
    };
    let blocking = vec![
        row(Kind::PassRateFell, None, "fewer of the cases on both sides pass: 12 of 12 before, 10 of 12 now"),
        regressed("checkout-01", title, "连接池耗尽, thread pool"),
        row(Kind::EvidenceLost, Some("checkout-01"), "a required tool is no longer used: query_metrics"),
        both,
        weakened,
    ];
    let warnings = vec![
        row(
            Kind::VerdictWorsened,
            Some("checkout-01"),
            "the verdict was PASS, is LOW_CONFIDENCE, which is not good here",
        ),
        row(Kind::ToolCallsRose, Some("checkout-07"), "4 before, 9 now (+5)"),
    ];
    let accepted = Row {
        covers: vec![Untrusted::new("accepted by Ana Ruiz: the tool was renamed upstream (4d5e6f)")],
        ..row(Kind::EvidenceLost, Some("checkout-09"), "a required tool is no longer used: query_traces")
    };
    let waived = Row {
        covers: vec![Untrusted::new("waived until 2026-12-31: flaky recording, see OPS-12")],
        ..row(Kind::DurationRose, Some("checkout-10"), "1200 before, 9400 now (+8200 ms)")
    };
    let fixed = row(Kind::CaseFixed, Some("checkout-04"), "failed before, passes now: evidence-tools");
    view(
        vec![
            (Group::Blocking, blocking),
            (Group::Warnings, warnings),
            (Group::Accepted, vec![accepted]),
            (Group::Waived, vec![waived]),
            (Group::Improvements, vec![fixed]),
        ],
        cases(),
    )
}

fn improved() -> View {
    let rows = vec![
        row(Kind::PassRateRose, None, "more of the cases on both sides pass: 10 of 12 before, 12 of 12 now"),
        row(Kind::CaseFixed, Some("checkout-04"), "failed before, passes now: evidence-tools"),
        row(Kind::KeywordsGained, Some("checkout-04"), "an expected keyword matches now: 连接池耗尽"),
    ];
    view(vec![(Group::Improvements, rows)], cases())
}

fn not_judged(frame: &Frame<'_>) -> String {
    let frame = Frame {
        notes: vec![Note::plain("the pull request has a conflict: its head was judged")],
        reproduce: Some(Untrusted::new("diag-gate check --rev 1a2b3c4d5e6f")),
        ..frame.clone()
    };
    let problems = [
        "eval/cases/checkout.json:14: `traceFixture`: there is no file `fixtures/checkout-14.json`",
        "eval/cases/checkout.json:31: `requiredKeywords`: no such field; did you mean `expectedRootCauseKeywords`?",
    ];
    let hints = ["diag-gate lint eval"];
    could_not_judge(&frame, &problems.map(Untrusted::new), &hints.map(Untrusted::new), COMMENT_BYTES)
}
