//! One input, every format: each folder of `tests/golden` holds two reports and what their diff looks
//! like. `UPDATE_GOLDEN=1 cargo nextest run --test golden` writes the files anew, to be looked at.

#![expect(clippy::disallowed_methods, reason = "a test may")]

use std::fs;
use std::path::Path;
use std::process::Command;

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut folders: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() >= 2);
    let mut differing = Vec::new();
    for folder in folders {
        for (format, end) in FORMATS {
            let output = Command::new(env!("CARGO_BIN_EXE_diag-gate"))
                .args(["--color", "never", "diff", "--format", format, "baseline.json", "current.json"])
                .current_dir(&folder)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let file = folder.join(format!("expected.{end}"));
            // The version of the program is no matter of the format.
            let shown = String::from_utf8(output.stdout).unwrap().replace(
                &format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION")),
                "\"version\": \"VERSION\"",
            );
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                fs::write(&file, &shown).unwrap();
            }
            if fs::read_to_string(&file).unwrap_or_default() != shown {
                differing.push(file);
            }
        }
    }
    assert!(differing.is_empty(), "{differing:?}");
}
