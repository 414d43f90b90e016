//! Decisions to be laid out: hostile, large, and such as people see every day.

use diag_gate::diff::{Cause, Severity};
use diag_gate::gate::{EntryLevel, Outcome};
use diag_gate::kind::Kind;
use diag_gate::render::escape::Untrusted;
use diag_gate::render::view::{BaselineNote, CaseLine, Commands, Group, View};
use diag_gate::render::{Frame, Note, Row};

/// What the run says of itself.
pub(crate) const MARKER: &str = "<!-- diag-gate:v1 key=gate -->";
/// The only address that may stand in a page.
pub(crate) const RUN: &str = "https://git.example/acme/agent/actions/runs/7";
/// Who judged what.
pub(crate) const STAMP: &str =
    "Judged `1a2b3c4d5e6f` in [run 7, attempt 1](https://git.example/acme/agent/actions/runs/7).";

/// What text of a pull request may hold.
pub(crate) const HOSTILE: [&str; 30] = [
    "a | b | c",
    "back`tick ``` fence",
    "@user @org/team",
    "#1 GH-2 o/r#3 0123456789abcdef0123456789abcdef01234567",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "![image](https://example.org/x.png)",
    "[link](https://example.org/x) https://example.org/y www.example.org a@example.org",
    "</code></td></tr></table><h1>PASSED</h1>",
    "&commat;x &#64;x &lt;b&gt;",
    "\u{202e}txt.exe\u{202c} \u{200b}zero \u{e0041}tag",
    "blank\n\n\nlines\r\n::error::forged",
    "<!-- diag-gate:v1 key=gate --> -->",
    "\\@x \\| \\`",
    "*emphasis* __strong__ $x^2$ :tada: [^1] > [!WARNING]",
    "- [ ] task",
    "<details><summary>x</summary>",
    "    leading space",
    "long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 long 长 ",
    "~~~\nfence\n~~~",
    "主库故障 👩\u{200d}🔧 é e\u{301}",
    "::set-output name=verdict::pass",
    "##[error]forged x##[group]",
    "%0A::add-mask::fail",
    "esc \u{1b}[2J\u{1b}]8;;https://example.org\u{7}link",
    "# heading\n\n- list\n> quote",
    "$(touch pwned) `touch pwned` ; touch pwned",
    "=cmd|' /C calc'!A0",
    "\"'><svg onload=alert(1)></details></details></details>",
    "<![CDATA[x]]> <?php ?> <!DOCTYPE x>",
    "ends with colon:",
];

/// A row that blocks: the case `id` regressed.
pub(crate) fn regressed(id: &str, title: &str, found: &str) -> Row {
    Row {
        kind: Kind::CaseRegressed,
        severity: Severity::Regression,
        level: EntryLevel::Block,
        case: Some(Untrusted::new(id)),
        title: Some(Untrusted::new(title)),
        cause: Some(Cause::Trace),
        under_old_expectation: None,
        subjects: vec![Untrusted::new(found)],
        before: Some(Untrusted::new("true")),
        after: Some(Untrusted::new("false")),
        numbers: None,
        message: Untrusted::new(format!("passed before, fails now: root-cause-keywords ({found})")),
        evidence: vec![Untrusted::new(format!("root-cause-keywords: 1 of 3 matched, missing {found}"))],
        covers: Vec::new(),
        spot: None,
    }
}

/// A row of any kind.
pub(crate) fn row(kind: Kind, case: Option<&str>, message: &str) -> Row {
    Row {
        kind,
        case: case.map(Untrusted::new),
        title: None,
        message: Untrusted::new(message),
        evidence: Vec::new(),
        cause: case.map(|_| Cause::Trace),
        ..regressed("", "", "")
    }
}

/// A decision with these groups; its headline counts them.
pub(crate) fn view(groups: Vec<(Group, Vec<Row>)>, cases: Vec<(String, bool)>) -> View {
    let blocking: usize =
        groups.iter().filter(|(group, _)| *group == Group::Blocking).map(|(_, rows)| rows.len()).sum();
    let passed = cases.iter().filter(|(_, passed)| *passed).count();
    let of = |passed: usize| format!("{passed} of {}", cases.len());
    View {
        suite: Some(Untrusted::new("incidents")),
        outcome: if blocking > 0 { Outcome::Block } else { Outcome::Pass },
        headline: match blocking {
            0 => format!("nothing blocks: {} passed, {} before", of(passed), of(cases.len())),
            _ => format!("{blocking} entries block: {} passed, {} before", of(passed), of(cases.len())),
        },
        below_minimum: None,
        baseline: Some(BaselineNote {
            title: Untrusted::new("incidents/main"),
            commit: Untrusted::new("9f8e7d6c5b4a"),
            evaluated: Untrusted::new("0011aabbccdd"),
            by: Untrusted::new("Lin Wei"),
            age: Untrusted::new("3 days ago"),
            rule: Untrusted::new("its commit is this one or an ancestor of it"),
        }),
        totals: vec![
            ("all cases", of(cases.len()), of(passed)),
            ("on both sides", of(cases.len()), of(passed)),
        ],
        groups,
        stale_waivers: Vec::new(),
        cases: cases
            .into_iter()
            .map(|(id, passed)| CaseLine { id: Untrusted::new(id), duration_ms: None, passed })
            .collect(),
        commands: Some(Commands {
            reproduce: Untrusted::new("diag-gate check --rev 1a2b3c4d5e6f"),
            accept: Some(Untrusted::new("diag-gate accept --rev 1a2b3c4d5e6f --reason REASON")),
        }),
    }
}

/// What a run gives beside the decision.
pub(crate) fn frame() -> Frame<'static> {
    Frame { marker: MARKER, stamp: STAMP, summary: Some(RUN), ..Frame::default() }
}

/// Every text hostile, in every place that takes one.
pub(crate) fn hostile() -> View {
    let cases = HOSTILE.iter().map(|text| ((*text).to_owned(), false)).collect();
    let rows: Vec<Row> = HOSTILE
        .iter()
        .map(|text| Row { message: Untrusted::new(*text), ..regressed(text, text, text) })
        .collect();
    let covered = rows
        .iter()
        .zip(HOSTILE)
        .map(|(row, text)| Row { covers: vec![Untrusted::new(text)], ..row.clone() })
        .collect();
    let mut view = view(
        vec![(Group::Blocking, rows.clone()), (Group::Accepted, covered), (Group::Changes, rows)],
        cases,
    );
    // Cases without an entry, of which some fail.
    view.cases.extend(HOSTILE.iter().map(|text| CaseLine {
        id: Untrusted::new(format!("still {text}")),
        duration_ms: None,
        passed: false,
    }));
    view.stale_waivers = HOSTILE.iter().map(|text| Untrusted::new(*text)).collect();
    let text = || Untrusted::new(HOSTILE.join(" "));
    view.baseline = Some(BaselineNote {
        title: text(),
        commit: text(),
        evaluated: text(),
        by: text(),
        age: text(),
        rule: text(),
    });
    view.commands = Some(Commands { reproduce: text(), accept: Some(text()) });
    view
}

/// A frame whose notes speak of hostile names.
pub(crate) fn hostile_frame() -> Frame<'static> {
    let notes = HOSTILE
        .iter()
        .map(|text| Note { words: "the target branch is called", of: Some(Untrusted::new(*text)) });
    Frame { notes: notes.collect(), ..frame() }
}

/// So many cases, all fallen, with long Chinese titles.
pub(crate) fn fallen(number: usize) -> View {
    let title = "支付服务在高峰期间连接池耗尽导致订单超时，下游库存扣减失败并触发重试风暴；".repeat(6);
    let rate = row(Kind::PassRateFell, None, "fewer of the cases on both sides pass");
    let rows = (0..number).map(|index| regressed(&format!("订单超时-{index:05}"), &title, "连接池耗尽"));
    let rows: Vec<Row> = [rate].into_iter().chain(rows).collect();
    let slower = (0..number).map(|index| {
        row(Kind::DurationRose, Some(&format!("订单超时-{index:05}")), "1200 before, 9400 now (+8200 ms)")
    });
    let cases = (0..number).map(|index| (format!("订单超时-{index:05}"), false)).collect();
    view(vec![(Group::Blocking, rows), (Group::Warnings, slower.collect())], cases)
}
