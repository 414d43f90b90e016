//! The invariants of `ARCHITECTURE.md`, read off the sources: which module may import which, and
//! which folder alone may touch an outside crate or the world.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may")]

use std::fs;
use std::path::{Path, PathBuf};

/// The modules in the order of the flow: each may import itself and what stands before it.
const FLOW: [&str; 14] = [
    "exit", "error", "ids", "kind", "number", "text", "env", "suite", "evaluate", "report", "diff", "gate",
    "baseline", "history",
];

/// Ends of the flow, which import from it and not from one another.
const ENDS: [&str; 4] = ["render", "schema", "git", "github"];

/// Who alone may name what.
const OWNERS: [(&str, &[&str]); 9] = [
    ("git2", &["git"]),
    ("gix_diff", &["git"]),
    ("gix_hash", &["git"]),
    ("gix_object", &["git"]),
    ("indicatif", &["cli"]),
    ("octocrab", &["github"]),
    ("tokio", &["github"]),
    ("clap", &["cli"]),
    ("std::process::Command", &["git"]),
];

#[test]
fn a_module_imports_only_what_stands_before_it() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        let module = module_of(&path);
        for imported in imports(&text) {
            if !may_import(&module, &imported) {
                faults.push(format!("{} ({module}) imports {imported}", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn each_outside_crate_has_one_owner() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        let module = module_of(&path);
        for (name, owners) in OWNERS {
            let named = production(&text).any(|line| {
                line.contains(&format!("{name}::"))
                    || line.contains(&format!("use {name};"))
                    || line.contains(&format!("use {name} "))
            });
            if named && !owners.contains(&module.as_str()) {
                faults.push(format!("{} names {name}", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_network_is_named_in_one_file() {
    let mut named: Vec<String> = sources()
        .into_iter()
        .filter(|(_, text)| production(text).any(|line| line.contains("octocrab") || line.contains("tokio")))
        .map(|(path, _)| path.strip_prefix(root()).unwrap().display().to_string())
        .collect();
    named.sort();
    assert_eq!(named, ["github/client.rs"]);
}

#[test]
fn the_program_itself_is_thin() {
    let main = fs::read_to_string(root().join("main.rs")).unwrap();
    assert!(main.lines().count() < 40, "main.rs has {} lines", main.lines().count());
}

#[test]
fn the_rules_can_break() {
    assert!(!may_import("evaluate", "report"));
    assert!(!may_import("render", "git"));
    assert!(may_import("report", "evaluate"));
    let found: Vec<String> = imports("use crate::git::Repository;\nlet x = crate::cli::run();").collect();
    assert_eq!(found, ["git", "cli"]);
}

fn may_import(module: &str, imported: &str) -> bool {
    if module == imported || ["cli", "main", "lib"].contains(&module) {
        return true;
    }
    let place = |name: &str| FLOW.iter().position(|known| *known == name);
    match (place(module), place(imported)) {
        (Some(from), Some(to)) => to < from,
        (None, Some(_)) => ENDS.contains(&module),
        (Some(_) | None, None) => false,
    }
}

/// The modules that a text names behind `crate::`, outside its tests.
fn imports(text: &str) -> impl Iterator<Item = String> {
    production(text)
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| {
            rest.chars()
                .take_while(|character| character.is_ascii_lowercase() || *character == '_')
                .collect::<String>()
        })
        .filter(|name| !name.is_empty())
        .collect::<Vec<_>>()
        .into_iter()
}

/// The lines before the tests that stand in the same file, without comments.
fn production(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .filter(|line| !line.trim_start().starts_with("//"))
}

/// `suite` for `src/suite/json.rs`, `ids` for `src/ids.rs`.
fn module_of(path: &Path) -> String {
    let below = path.strip_prefix(root()).unwrap();
    let first = below.components().next().unwrap().as_os_str().to_str().unwrap();
    first.strip_suffix(".rs").unwrap_or(first).to_owned()
}

/// Every source file with its text; files that hold tests alone are left out.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("tests") {
                folders.push(path);
            } else if path.is_file()
                && path.extension().is_some_and(|end| end == "rs")
                && !path.ends_with("tests.rs")
            {
                found.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(found.len() > 20, "only {} sources found", found.len());
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}
