//! One input, every format: each folder of `tests/golden` holds two reports and what their diff looks
//! like. `UPDATE_GOLDEN=1 cargo nextest run --test golden` writes the files anew, to be looked at.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use diag_gate::diff::diff;
use diag_gate::gate::decide;
use diag_gate::render::escape::Untrusted;
use diag_gate::render::view::{Background, View};
use diag_gate::render::{self, COMMENT_BYTES, Frame, Note, Places};
use diag_gate::report;
use diag_gate::suite::config::GateConfig;

const FORMATS: [(&str, &str); 7] = [
    ("text", "txt"),
    ("json", "json"),
    ("markdown", "md"),
    ("junit", "xml"),
    ("github", "annotations"),
    ("sarif", "sarif"),
    ("html", "html"),
];

#[test]
fn every_format_shows_the_same_diff_as_before() {
    let mut differing = Vec::new();
    for folder in folders() {
        for (format, end) in FORMATS {
            let output = Command::new(env!("CARGO_BIN_EXE_diag-gate"))
                .args(["--color", "never", "diff", "--format", format, "baseline.json", "current.json"])
                .current_dir(&folder)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            // The version of the program is no matter of the format.
            let shown = String::from_utf8(output.stdout).unwrap().replace(
                &format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION")),
                "\"version\": \"VERSION\"",
            );
            differing.extend(differs(folder.join(format!("expected.{end}")), &shown));
        }
    }
    assert!(differing.is_empty(), "{differing:?}");
}

#[test]
fn comment_and_summary_show_the_same_diff_as_before() {
    let mut differing = Vec::new();
    for folder in folders() {
        let read = |name| report::read(&fs::read(folder.join(name)).unwrap()).unwrap();
        let (before, current) = (read("baseline.json"), read("current.json"));
        let policy = GateConfig::default();
        let moved = diff(&before, &current, &policy.thresholds).unwrap();
        let gate = decide(moved, &policy, "2026-01-01".parse().unwrap(), Vec::new());
        let background =
            Background { current: &current, places: Places::default(), baseline: None, commands: None };
        let view = View::new(&gate, background);
        let frame = Frame {
            marker: "<!-- diag-gate:v1 key=gate -->",
            stamp: "Judged `0123456` in [run 7, attempt 1](https://git.example/acme/agent/actions/runs/7).",
            notes: vec![Note::plain("reported by the run, not verified")],
            summary: Some("https://git.example/acme/agent/actions/runs/7"),
            reproduce: Some(Untrusted::new("diag-gate check --rev 0123456")),
            accept: vec![Untrusted::new("/diag-gate accept 0123456 REASON")],
        };
        for (end, shown) in [
            ("comment.md", render::comment(&view, &frame, COMMENT_BYTES) + "\n"),
            ("summary.md", render::summary(&view, &frame, usize::MAX)),
        ] {
            differing.extend(differs(folder.join(format!("expected.{end}")), &shown));
        }
    }
    assert!(differing.is_empty(), "{differing:?}");
}

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut folders: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() >= 2);
    folders
}

/// The file where it holds something else.
fn differs(file: PathBuf, shown: &str) -> Option<PathBuf> {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, shown).unwrap();
    }
    (fs::read_to_string(&file).unwrap_or_default() != shown).then_some(file)
}
