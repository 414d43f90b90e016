//! Hostile text as ids, titles, keywords and verdicts, through every format: each is read back by a
//! reader of that format that we did not write, and must be text and nothing more.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use scraper::{Html, Selector};
use serde_json::{Value, json};

const HOSTILE: [&str; 20] = [
    "</td></tr></table><h1>PASSED</h1>",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a | b | c",
    "`code` ``` fence",
    "[link](https://example.org/x)",
    "![image](https://example.org/x.png)",
    "https://example.org/auto www.example.org a@example.org",
    "@everyone @org/team #1 org/repo#2 GH-3",
    "::error::forged",
    "::set-output name=verdict::pass",
    "##[error]forged",
    "%0A::add-mask::fail",
    "<!-- diag-gate:report --> --> ]]>",
    "\u{202e}txt.exe\u{202c} \u{200b}zero",
    "esc \u{1b}[2J\u{1b}]8;;https://example.org\u{7}link",
    "# heading\n\n- list\n> quote",
    "$(touch pwned) `touch pwned` ; touch pwned",
    "=cmd|' /C calc'!A0",
    "</details></code></pre>&lt;b&gt; \"'><svg onload=alert(1)>",
];

#[test]
fn a_page_holds_hostile_text_as_text_alone() {
    let page = Html::parse_document(&shown("html"));
    for forbidden in ["script", "img", "svg", "h2", "a", "iframe", "form", "*[onerror]", "*[onload]"] {
        assert_eq!(page.select(&Selector::parse(forbidden).unwrap()).count(), 0, "{forbidden}");
    }
    assert_eq!(page.select(&Selector::parse("h1").unwrap()).count(), 1);
    let text: String = page.root_element().text().collect();
    for hostile in HOSTILE.iter().filter(|text| text.is_ascii() && !text.contains(['\n', '\u{1b}'])) {
        assert!(text.contains(hostile), "{hostile}");
    }
}

#[test]
fn markdown_holds_hostile_text_as_text_alone() {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.strikethrough = true;
    options.render.r#unsafe = true;
    let page = Html::parse_fragment(&comrak::markdown_to_html(&shown("markdown"), &options));
    let tags: BTreeSet<&str> =
        page.select(&Selector::parse("*").unwrap()).map(|element| element.value().name()).collect();
    let known = [
        "br", "code", "details", "em", "h3", "h4", "html", "p", "summary", "table", "tbody", "td", "th", "tr",
    ];
    assert!(tags.iter().all(|tag| known.contains(tag)), "{tags:?}");
    for row in page.select(&Selector::parse("details table tr, h4 + table tr").unwrap()) {
        let cells = row.select(&Selector::parse("td, th").unwrap()).count();
        assert!(cells == 3 || cells == 1, "{cells} cells in {}", row.html());
    }
}

#[test]
fn annotations_are_the_only_workflow_commands() {
    let text = shown("github");
    for line in text.lines().skip(1) {
        let known = ["::error ", "::warning ", "::notice "].iter().any(|start| line.starts_with(start));
        assert!(known && line.matches("::").count() == 2 && !line.contains("##["), "{line}");
    }
    let levels = |level: &str| text.lines().filter(|line| line.starts_with(level)).count();
    assert!(levels("::error ") <= 10 && levels("::warning ") <= 10 && levels("::notice ") <= 10);
}

#[test]
fn junit_and_sarif_stay_well_formed() {
    let xml = shown("junit");
    let mut reader = quick_xml::Reader::from_str(&xml);
    let mut names = BTreeSet::new();
    loop {
        let event = reader.read_event().unwrap();
        if let quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag) = &event {
            names.insert(String::from_utf8(tag.name().as_ref().to_vec()).unwrap());
        }
        if matches!(event, quick_xml::events::Event::Eof) {
            break;
        }
    }
    let known =
        ["error", "failure", "properties", "property", "system-out", "testcase", "testsuite", "testsuites"];
    assert!(names.iter().all(|name| known.contains(&name.as_str())), "{names:?}");
    let sarif: Value = serde_json::from_str(&shown("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() >= HOSTILE.len(), "{}", results.len());
}

#[test]
fn a_terminal_is_sent_nothing_that_it_obeys() {
    for format in ["text", "github", "markdown", "html", "junit"] {
        let text = shown(format);
        let obeyed = |character: char| {
            (character.is_control() && character != '\n') || matches!(character, '\u{202a}'..='\u{202e}')
        };
        assert!(!text.chars().any(obeyed), "{format}");
    }
}

/// The diff of two reports in which every case has hostile text and falls, in a format.
fn shown(format: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let sides = [report(folder.path(), "before", true), report(folder.path(), "after", false)];
    let output = Command::new(env!("CARGO_BIN_EXE_diag-gate"))
        .args(["--color", "never", "diff", "--format", format])
        .args(&sides)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A report as the older harness writes it, which may hold any text.
fn report(folder: &Path, name: &str, passed: bool) -> PathBuf {
    let results: Vec<Value> = HOSTILE
        .iter()
        .enumerate()
        .map(|(index, text)| {
            json!({
                "caseId": format!("{index} {}", text.replace(|c: char| c.is_control(), "")),
                "title": text,
                "passed": passed,
                "failedChecks": if passed { vec![] } else { vec![*text] },
                "verdict": if passed { "PASS" } else { text },
                "matchedKeywordCount": 0,
                "requiredKeywordCount": 0,
                "evidenceCoverage": {*text: passed},
                "toolCallCount": 1,
            })
        })
        .collect();
    let passing = if passed { results.len() } else { 0 };
    let whole = json!({"totalCases": results.len(), "passedCases": passing, "results": results});
    let file = folder.join(format!("{name}.json"));
    fs::write(&file, serde_json::to_vec(&whole).unwrap()).unwrap();
    file
}
