//! What the two commands take, refuse and print.

use serde_json::Value;

use crate::support::TestRepo;

fn rows(stdout: &str) -> Vec<Value> {
    let found: Value = serde_json::from_str(stdout).unwrap();
    found["commits"].as_array().unwrap().clone()
}

/// Three commits: all pass, one fails, all pass.
fn repo_of(repo: TestRepo) -> TestRepo {
    repo.write_cases(&["a", "b"]);
    repo.commit("One");
    repo.write_answer("a", "no idea");
    repo.commit("Two");
    repo.write_answer("a", "磁盘满");
    repo.commit("Three");
    repo
}

#[test]
fn what_selects_nothing_or_names_nothing_is_an_input_at_fault() {
    let repo = repo_of(TestRepo::new());
    repo.gate(&["history", "--case", "zzz*"]).ends(2).shows_nothing().says(&["matches no case"]);
    repo.gate(&["history", "--case", "a", "--case", "zzz"]).ends(2).shows_nothing();
    repo.gate(&["history", "--case", "["]).ends(2).shows_nothing();
    repo.gate(&["history", "--rev", "nowhere"]).ends(2).shows_nothing();
    repo.gate(&["history", "--rev", "HEAD...HEAD~1"]).ends(2).shows_nothing();
    repo.gate(&["history", "--limit", "0"]).ends(2).shows_nothing();
    repo.gate(&["history", "--suite", "nowhere", "--case", "a"]).ends(2).shows_nothing();
    repo.gate(&["bisect", "aa"]).ends(2).shows_nothing().says(&["did you mean a?"]);
    repo.gate(&["bisect", "a", "--rev", "nowhere"]).ends(2).shows_nothing();
    repo.gate(&["bisect", "a", "--suite", "nowhere"]).ends(2).shows_nothing();
    TestRepo::new().gate(&["history"]).ends(2).shows_nothing();
}

#[test]
fn ranges_and_limits_are_those_of_git() {
    let repo = repo_of(TestRepo::new());
    let commits = |arguments: &[&str]| -> Vec<String> {
        let told = repo.gate(&[&["history", "--format", "json"], arguments].concat()).ends(0);
        rows(&told.stdout).iter().map(|row| row["subject"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(commits(&[]), ["Three", "Two", "One"]);
    assert_eq!(commits(&["--limit", "2"]), ["Three", "Two"]);
    assert_eq!(commits(&["--rev", "HEAD~2.."]), ["Three", "Two"]);
    assert_eq!(commits(&["--rev", "HEAD~2..HEAD~1"]), ["Two"]);
    assert_eq!(commits(&["--rev", "HEAD~1"]), ["Two", "One"]);
    assert_eq!(commits(&["--rev", "HEAD..HEAD"]), Vec::<String>::new());
    let told = repo.gate(&["history", "--format", "json", "--limit", "1"]).ends(0);
    // What is compared with may lie outside the range.
    assert_eq!(rows(&told.stdout)[0]["fixed"], serde_json::json!(["a"]));
    let none = repo.gate(&["history", "--rev", "HEAD..HEAD"]).ends(0);
    assert_eq!(none.stdout.trim_end(), "suite default: no commit in `HEAD..HEAD`");
    repo.gate(&["history", "--rev", "HEAD~99"]).ends(2).shows_nothing().says(&["caused by: fatal:"]);
}

#[test]
fn settings_that_are_chosen_hold_for_every_commit() {
    let repo = repo_of(TestRepo::new());
    repo.write("../strict.toml", "[limits]\nmax_trace_bytes = 1\n");
    let told = repo.gate(&["history", "--format", "json", "--config", "../strict.toml"]).ends(0);
    for row in rows(&told.stdout) {
        assert_eq!((&row["unjudgedCases"], &row["passedCases"]), (&2.into(), &0.into()));
    }
}

#[test]
fn both_ways_to_read_a_repository_say_the_same() {
    let said = |repo: &TestRepo| {
        let told = repo.gate(&["history", "--all-parents", "--format", "json"]).ends(0);
        rows(&told.stdout)
            .iter()
            .map(|row| {
                let numbers = ["subject", "state", "passedCases", "broke", "fixed", "added", "removed"];
                numbers.map(|name| row[name].to_string()).join(" ")
            })
            .collect::<Vec<_>>()
    };
    let plain = said(&repo_of(TestRepo::new()));
    assert_eq!(plain.len(), 3);
    for options in [&["--object-format=sha256"][..], &["--ref-format=reftable"]] {
        let repo = repo_of(TestRepo::with(options));
        assert_eq!(said(&repo), plain, "{options:?}");
        let told = repo.gate(&["bisect", "a"]).ends(0);
        told.says(&["PASSES a since"]);
    }
}

#[test]
fn a_shallow_clone_shows_what_is_there_and_says_so() {
    let repo = repo_of(TestRepo::new());
    let url = format!("file://{}", repo.root().display());
    repo.git_in(&repo.base(), &["clone", "-q", "--depth", "2", &url, "shallow"]);
    let folder = repo.base().join("shallow");
    let told = repo.gate_in(&folder, &["history", "--format", "json"]).ends(0).says(&["shallow"]);
    let found = rows(&told.stdout);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1]["added"], serde_json::json!([]), "what came before cannot be told");
    assert_eq!(found[0]["fixed"], serde_json::json!(["a"]));
    repo.gate_in(&folder, &["bisect", "a"]).ends(0).says(&["shallow", "PASSES a since"]);
    repo.gate_in(&folder, &["bisect", "b"]).ends(0).says(&["as far back as history is here"]);
}

#[test]
fn a_partial_clone_fetches_what_it_lacks_in_one_request() {
    let repo = repo_of(TestRepo::new());
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    repo.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let url = format!("file://{}", repo.root().display());
    repo.git_in(&repo.base(), &["clone", "-q", "--bare", "--filter=blob:none", &url, "partial"]);
    let folder = repo.base().join("partial");
    let packs = || std::fs::read_dir(folder.join("objects/pack")).unwrap().count();
    let before = packs();
    let told = repo.gate_in(&folder, &["history", "--format", "json"]).ends(0);
    assert_eq!(rows(&told.stdout).len(), 3);
    assert!(packs() - before <= 4, "one pack with its companions, not {}", packs() - before);
}

#[test]
fn hostile_text_stays_text_in_every_format() {
    let repo = TestRepo::new();
    let id = "=cmd|' /C calc'!A0,\"</script><img src=x onerror=alert(1)>";
    let case = serde_json::json!([{
        "id": id, "traceFixture": "t.json", "expectedRootCauseKeywords": ["磁盘满"], "allowedVerdicts": ["PASS"]
    }]);
    repo.write("eval/cases/all.json", case.to_string());
    repo.write("eval/fixtures/t.json", crate::support::suite::trace("磁盘满"));
    repo.commit("=1+1 <script>alert(2)</script> \u{1b}[31m \u{202e}");
    let csv = repo.gate(&["history", "--format", "csv"]).ends(0).stdout;
    assert!(csv.contains("\"'=cmd|' /C calc'!A0,\"\"</script>"), "{csv}");
    assert!(csv.contains("\"'=1+1 "), "{csv}");
    let text = repo.gate(&["history"]).ends(0).stdout;
    assert!(text.contains("=1+1"), "{text}");
    let json = repo.gate(&["history", "--format", "json"]).ends(0).stdout;
    assert_eq!(rows(&json)[0]["added"][0], id);
}

#[test]
fn csv_has_the_names_of_the_json_and_the_same_numbers() {
    let repo = repo_of(TestRepo::new());
    let csv = repo.gate(&["history", "--format", "csv"]).ends(0).stdout;
    let lines: Vec<&str> = csv.split('\n').collect();
    let names: Vec<&str> = lines[0].split(',').collect();
    let json = rows(&repo.gate(&["history", "--format", "json"]).ends(0).stdout);
    assert_eq!(lines.len(), 5, "a head, three rows, and nothing behind the last end of line");
    for (line, row) in lines[1..4].iter().zip(&json) {
        let cells: Vec<&str> = line.split(',').collect();
        for name in ["commit", "state", "totalCases", "passedCases", "passRate", "suiteDigest"] {
            let column = names.iter().position(|known| *known == name).unwrap();
            let expected = row[name].to_string();
            assert_eq!(cells[column], expected.trim_matches('"'), "{name}");
        }
    }
}
