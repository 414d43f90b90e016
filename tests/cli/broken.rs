//! Faults of suites and of traces, of every kind, from a commit and from the files alike: a fault of
//! the suite stops everything, a fault of a trace fails its own case.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::TestRepo;
use crate::support::suite::{case, trace};

/// Commits what stands and asserts that HEAD and the files are refused alike, with all these words.
#[track_caller]
fn refused(repo: &TestRepo, words: &[&str]) {
    repo.commit("A fault");
    let before = repo.state();
    let head = repo.gate(&["run"]).ends(2).shows_nothing().says(words);
    let files = repo.gate(&["run", "--worktree"]).ends(2).shows_nothing().says(words);
    assert_eq!(head.stderr, files.stderr);
    for command in [&["check"][..], &["accept", "--yes"], &["lint"]] {
        repo.gate(command).ends(2).shows_nothing().says(words);
    }
    assert_eq!(repo.state(), before);
}

/// Commits what stands and asserts that of two cases `a` alone fails, at check `trace`, so.
#[track_caller]
fn unjudged(repo: &TestRepo, reason: &str) {
    repo.commit("A fault");
    for content in ["--rev=HEAD", "--worktree"] {
        let told = repo.gate(&["run", content, "--format", "json"]).ends(1);
        let report: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
        assert_eq!(report["unjudgedCases"], 1, "{reason} {content}: {}", told.stdout);
        let [first, second] = [&report["results"][0], &report["results"][1]];
        assert_eq!(second["passed"], true, "{reason} {content}");
        assert_eq!(first["failedChecks"][0]["check"], "trace");
        assert_eq!(first["failedChecks"][0]["subjects"][0], reason, "{content}");
        assert_eq!(first["failedChecks"].as_array().unwrap().len(), 1);
        assert_eq!(report["source"]["dirty"], false, "{reason} {content}");
    }
}

fn with(field: &str) -> String {
    format!("[{}]", case("a", &format!(", {field}")))
}

#[test]
fn all_faults_of_a_suite_are_told_together() {
    let repo = TestRepo::new();
    repo.write("eval/diag-gate.toml", "naem = \"x\"\n[gate]\nmin_pass_rate = 2\n");
    repo.write("eval/cases/a.json", "[{\"id\": \"a\",\n\"traceFixture\": \"../a.json\",\n\"minKeywordMatches\": 1},\n{\"id\": \"A\", \"traceFixture\": \"x.json\", \"titel\": 1}]");
    repo.write(
        "eval/cases/b/深.json",
        "[{\"id\": \"a\", \"traceFixture\": \"\"}, {\"title\": \"\\u001b[31m\"}]",
    );
    repo.write("eval/cases/c.json", "{\"cases\": [");
    repo.commit("Faults");
    let told = repo.gate(&["run"]).ends(2).shows_nothing();
    insta::assert_snapshot!(told.page(), @r#"
    status: 2
    --- stdout
    --- stderr
    error: the suite eval has 11 problems; nothing was evaluated
      cases/a.json:2: case `a`: field `traceFixture`: must be a path below the traces folder, but one of its parts is `.` or `..`
      cases/a.json:3: case `a`: field `minKeywordMatches`: asks for 1 of 0 distinct keywords in `expectedRootCauseKeywords`: no answer can pass
      cases/a.json:4: case `A`: field `titel`: unknown field `titel`; did you mean `title`?
      cases/a.json:4: case `A`: field `id`: the id `A` is too like `a` in cases/a.json on line 1: files named after them collide on common disks; rename one of them
      cases/b/深.json:1: case `a`: field `traceFixture`: must be a path below the traces folder, but it is empty
      cases/b/深.json:1: case `#1`: field `id`: the required field `id` is missing
      cases/b/深.json:1: case `#1`: field `traceFixture`: the required field `traceFixture` is missing
      cases/b/深.json:1: case `a`: field `id`: the id `a` stands twice, first in cases/a.json on line 1: rename one of them
      cases/c.json:1:11: no JSON: the file ends within a list
      diag-gate.toml:1: field `naem`: unknown key `naem`; did you mean `name`?
      diag-gate.toml:3: field `gate.min_pass_rate`: must be a number from 0 to 1, but is 2
    hint: mend the files, then look at them again: `diag-gate lint --worktree`
    "#);
    refused(&repo, &["diag-gate.toml:1", "cases/a.json", "cases/b/深.json", "cases/c.json"]);
}

#[test]
fn faults_of_case_files_stop_everything() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    let good = format!("[{}]", case("a", ""));
    for (content, word) in [
        ("".to_owned(), "cases/all.json"),
        ("[".to_owned(), "cases/all.json:1"),
        ("[]".to_owned(), "no case at all"),
        ("{\"cases\": []}".to_owned(), "no case at all"),
        ("{\"cases\": [], \"case\": 1}".to_owned(), "`case`"),
        ("\"x\"".to_owned(), "cases/all.json"),
        ("[1]".to_owned(), "cases/all.json"),
        (format!("{good} x"), "cases/all.json:1"),
        (format!("<<<<<<< ours\n{good}\n=======\n{good}\n>>>>>>> theirs\n"), "merge"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n".to_owned(), "LFS"),
        (with(r#""id": "b""#), "twice"),
        (with(r#""title": "\ud800""#), "surrogate"),
        (with(r#""_x": {"a": 1, "a": 2}"#), "twice"),
        (with(r#""minKeywordMatches": 2"#), "minKeywordMatches"),
        (with(r#""minKeywordMatches": 1e400"#), "minKeywordMatches"),
        (with(r#""minKeywordMatches": 0.5"#), "minKeywordMatches"),
        (with(r#""minKeywordMatches": -1"#), "minKeywordMatches"),
        (with(r#""expectedGatekeeperStatuses": []"#), "expectedGatekeeperStatuses"),
        (with(r#""requiredEvidenceTools": [" "]"#), "requiredEvidenceTools"),
        (with(r#""requiredEvidenceTools": [null]"#), "requiredEvidenceTools"),
        (with(r#""requireClaimChecks": "true""#), "requireClaimChecks"),
        (with(r#""expectedGatekeeperRuleSetVersion": "\u200b""#), "expectedGatekeeperRuleSetVersion"),
        (with(r#""forbiddenAnswerKeyword": ["x"]"#), "did you mean `forbiddenAnswerKeywords`"),
        (with(r#""forbiddenAnswerKeywords": ["磁盘"]"#), "forbid"),
        (with(r#""tags": "x""#), "tags"),
        (case_of(r#""id": " ", "traceFixture": "a.json""#), "id"),
        (case_of(r#""id": "a\u0007", "traceFixture": "a.json""#), "id"),
        (case_of(r#""traceFixture": "a.json""#), "id"),
        (case_of(r#""id": "a""#), "traceFixture"),
        (case_of(r#""id": "a", "traceFixture": "/a.json""#), "traceFixture"),
        (case_of(r#""id": "a", "traceFixture": "a\\b.json""#), "traceFixture"),
        (case_of(r#""id": "a", "traceFixture": "C:a.json""#), "traceFixture"),
        (case_of(r#""id": "a", "traceFixture": "a/./b""#), "traceFixture"),
        (case_of(r#""id": "a", "traceFixture": "a\u0000""#), "traceFixture"),
        (case_of(r#""id": "a", "traceFixture": 1"#), "traceFixture"),
    ] {
        repo.write("eval/cases/all.json", &content);
        repo.commit("A fault");
        for place in ["--rev=HEAD", "--worktree"] {
            repo.gate(&["run", place]).ends(2).shows_nothing().says(&[word]);
        }
    }
    repo.write("eval/cases/all.json", b"[{\"id\": \"\xff\", \"traceFixture\": \"a.json\"}]");
    refused(&repo, &["cases/all.json"]);
    repo.write("eval/cases/all.json", format!("\u{feff}{}", good.replace(", ", ",\r\n")));
    repo.commit("A byte-order mark and CRLF");
    repo.gate(&["run"]).ends(0);
    repo.write("eval/cases/all.json", format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)));
    refused(&repo, &["cases/all.json"]);
    repo.write(
        "eval/cases/all.json",
        with(&format!("\"x-y\": {}{}", "[".repeat(100_000), "]".repeat(100_000))),
    );
    repo.commit("Deep, but free");
    repo.gate(&["run"]).ends(0);
    repo.gate(&["run", "--worktree"]).ends(0);
}

fn case_of(fields: &str) -> String {
    format!("[{{{fields}}}]")
}

#[test]
fn faults_of_settings_stop_everything() {
    let repo = TestRepo::with_cases(&["a"]);
    for (content, word) in [
        ("name = \n", "diag-gate.toml:1"),
        ("[gate", "diag-gate.toml:1"),
        ("name = 1\n", "name"),
        ("name = \"a/b\"\n", "name"),
        ("name = \"x.lock\"\n", "name"),
        ("name = \"x\"\nname = \"y\"\n", "diag-gate.toml:2"),
        ("matchin = 1\n", "`matching`"),
        ("[matching]\nexpected = \"loose\"\n", "expected"),
        ("[matching]\nprotocol_markers = [\" \"]\n", "protocol_markers"),
        ("[matching]\nprotocol_markers = \"x\"\n", "protocol_markers"),
        ("[limits]\nmax_trace_bytes = -1\n", "max_trace_bytes"),
        ("[limits]\nmax_trace_bytes = 1.5\n", "max_trace_bytes"),
        ("[gate]\nmin_pass_rate = 90\n", "min_pass_rate"),
        ("[gate]\nmin_pass_rate = nan\n", "min_pass_rate"),
        ("[gate.levels]\ncase-regresed = \"warn\"\n", "case-regressed"),
        ("[gate.levels]\ncase-regressed = \"off\"\n", "case-regressed"),
        ("[gate.thresholds.duration]\nrelative = -1.0\n", "relative"),
        ("[gate.thresholds.durations]\nrelative = 1.0\n", "`duration`"),
        ("[[gate.waivers]]\ncase = \"*\"\nkinds = [\"duration-rose\"]\nreason = \"x\"\n", "expires"),
        ("[[gate.waivers]]\ncase = \"*\"\nkinds = []\nreason = \"x\"\nexpires = 2026-12-31\n", "kinds"),
        (
            "[[gate.waivers]]\ncase = \"*\"\nkinds = [\"duration-rose\"]\nreason = \" \"\nexpires = 2026-12-31\n",
            "reason",
        ),
        (
            "[[gate.waivers]]\ncase = \"[\"\nkinds = [\"duration-rose\"]\nreason = \"x\"\nexpires = 2026-12-31\n",
            "case",
        ),
        ("[baseline]\nratchet = \"yes\"\n", "ratchet"),
        ("[store]\nprefix = \"refs/../x\"\n", "prefix"),
        ("[store]\nprefix = \"HEAD\"\n", "prefix"),
    ] {
        repo.write("eval/diag-gate.toml", content);
        repo.commit("A fault");
        for command in [&["run"][..], &["run", "--worktree"], &["check"], &["show"], &["lint"]] {
            repo.gate(command).ends(2).shows_nothing().says(&["diag-gate.toml", word]);
        }
        let named = repo.gate(&["run", "--rev", "HEAD~1", "--config", "eval/diag-gate.toml"]);
        named.ends(2).shows_nothing().says(&[word]);
    }
    repo.write("eval/diag-gate.toml", b"name = \"\xff\"\n");
    refused(&repo, &["diag-gate.toml"]);
    repo.gate(&["run", "--config", "nowhere.toml"]).ends(2).shows_nothing().says(&["nowhere.toml"]);
    repo.write("slip.toml", "naem = \"x\"\n");
    for command in [&["run"][..], &["check"], &["diff", "HEAD", "HEAD"], &["history"], &["show"]] {
        let told = repo.gate(&[command, &["--config", "slip.toml"]].concat()).ends(2).shows_nothing();
        told.says(&[
            "the settings slip.toml have 1 problem",
            "slip.toml:1: field `naem`",
            "leave out `--config`",
        ]);
    }
}

#[test]
fn links_and_repositories_in_a_suite_stop_everything() {
    let link = |repo: &TestRepo, target: &str, name: &str| {
        let path = repo.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    };
    let repo = TestRepo::with_cases(&["a"]);
    link(&repo, "all.json", "eval/cases/linked.json");
    refused(&repo, &["cases/linked.json", "symbolic link"]);
    let repo = TestRepo::with_cases(&["a"]);
    repo.write("more/b.json", "[]");
    link(&repo, "../../more", "eval/cases/folder");
    refused(&repo, &["cases/folder", "symbolic link"]);
    let repo = TestRepo::with_cases(&["a"]);
    fs::rename(repo.root().join("eval/cases"), repo.root().join("eval/real")).unwrap();
    link(&repo, "real", "eval/cases");
    refused(&repo, &["cases", "symbolic link"]);
    let repo = TestRepo::with_cases(&["a"]);
    repo.write("other.toml", "");
    link(&repo, "../other.toml", "eval/diag-gate.toml");
    refused(&repo, &["diag-gate.toml", "symbolic link"]);
    let repo = TestRepo::with_cases(&["a"]);
    fs::rename(repo.root().join("eval"), repo.root().join("real")).unwrap();
    link(&repo, "real", "eval");
    repo.commit("A link on the way");
    for command in [&["run"][..], &["run", "--worktree"], &["check"], &["accept", "--yes"], &["lint"]] {
        repo.gate(command).ends(2).shows_nothing().says(&["link"]);
    }
}

#[test]
fn a_suite_that_is_not_there_is_told() {
    let repo = TestRepo::with_cases(&["a"]);
    for suite in ["nowhere", "eval/cases/all.json", "..", "/", "eval/cases", ""] {
        for place in ["--rev=HEAD", "--worktree"] {
            repo.gate(&["run", place, "--suite", suite]).ends(2).shows_nothing();
        }
        repo.gate(&["check", "--suite", suite]).ends(2).shows_nothing();
    }
}

#[test]
fn faults_of_a_trace_fail_its_own_case() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    let path = "eval/fixtures/a.json";
    let good = trace("磁盘满");
    for (content, reason) in [
        (String::new(), "unreadable"),
        ("[]".to_owned(), "unreadable"),
        ("null".to_owned(), "unreadable"),
        (good[..good.len() - 1].to_owned(), "unreadable"),
        (format!("{good}{good}"), "unreadable"),
        (good.replacen("\"PASS\"", "NaN", 1), "unreadable"),
        (good.replacen("\"verdict\"", "\"verdict\": \"FAIL\", \"verdict\"", 1), "unreadable"),
        (good.replacen("磁盘满", "磁盘满\\ud800", 1), "unreadable"),
        (format!("<<<<<<< ours\n{good}"), "unreadable"),
        ("[".repeat(100_000), "unreadable"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n".to_owned(), "lfs-pointer"),
    ] {
        repo.write(path, content);
        unjudged(&repo, reason);
    }
    repo.write(path, b"{\"session\": {\"answer\": \"\xff\"}}");
    unjudged(&repo, "unreadable");
    fs::remove_file(repo.root().join(path)).unwrap();
    unjudged(&repo, "missing");
    symlink("b.json", repo.root().join(path)).unwrap();
    unjudged(&repo, "not-a-file");
    fs::remove_file(repo.root().join(path)).unwrap();
    repo.write("eval/fixtures/a.json/inner.json", "{}");
    unjudged(&repo, "not-a-file");
    fs::remove_dir_all(repo.root().join(path)).unwrap();
    repo.write(path, &good);
    repo.write("eval/diag-gate.toml", "[limits]\nmax_trace_bytes = 200\n");
    repo.write(path, format!("{good}{}", " ".repeat(200)));
    unjudged(&repo, "too-large");
}

#[test]
fn a_link_or_a_repository_on_the_way_to_a_trace_is_not_followed() {
    let repo = TestRepo::with_cases(&["a", "b"]);
    let all = format!("[{}, {}]", case("sub/a", ""), case("b", ""));
    repo.write("eval/cases/all.json", all);
    repo.write("elsewhere/a.json", trace("磁盘满"));
    symlink("../../elsewhere", repo.root().join("eval/fixtures/sub")).unwrap();
    unjudged(&repo, "not-a-file");
    fs::remove_file(repo.root().join("eval/fixtures/sub")).unwrap();
    submodule(&repo, &repo.root().join("eval/fixtures/sub"));
    unjudged(&repo, "not-a-file");
}

/// A repository of its own in this folder, which git then records as a gitlink.
fn submodule(repo: &TestRepo, folder: &Path) {
    fs::create_dir(folder).unwrap();
    repo.git_in(folder, &["init", "-q"]);
    fs::write(folder.join("a.json"), trace("磁盘满")).unwrap();
    repo.git_in(folder, &["add", "--all"]);
    repo.git_in(folder, &["commit", "-q", "-m", "Inner"]);
}

#[test]
fn what_no_rule_reads_is_ignored() {
    let repo = TestRepo::with_cases(&["a"]);
    let deep = format!("{}{}", "{\"x\": [".repeat(50_000), "]}".repeat(50_000));
    let odd =
        format!("{{\"deep\": {deep}, \"half\": \"\\ud800\", \"big\": 1e400, \"twice\": 1, \"twice\": 2, ");
    repo.write(
        "eval/fixtures/a.json",
        format!("\u{feff}{}", trace("磁盘满").replacen('{', &odd, 1).replace(", ", ",\r\n")),
    );
    repo.commit("Odd, but unread");
    repo.gate(&["run"]).ends(0);
    repo.gate(&["run", "--worktree"]).ends(0);
}
