//! A suite in shards: `merge` gives the bytes of a single run, or refuses what does not belong together.

use std::fs;

use crate::support::TestRepo;
use crate::support::suite::trace;

const IDS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// Traces of very different sizes, one that fails and one that is not there.
fn suite() -> TestRepo {
    let repo = TestRepo::with_cases(&IDS);
    repo.write("eval/fixtures/b.json", format!("{}{}", trace("磁盘满"), " ".repeat(100_000)));
    repo.write_answer("e", "谁知道");
    fs::remove_file(repo.root().join("eval/fixtures/f.json")).unwrap();
    repo.commit("traces");
    repo
}

/// Writes the reports of all shards; gives their names.
fn shards(repo: &TestRepo, number: u32, more: &[&str]) -> Vec<String> {
    let write = |index: u32| {
        let (shard, file) = (format!("{index}/{number}"), format!("{index}.json"));
        let arguments = ["run", "--shard", &shard, "--format", "json", "-o", &file];
        let told = repo.gate(&[&arguments[..], more].concat());
        assert!(told.status < 2, "{}", told.page());
        file
    };
    (1..=number).map(write).collect()
}

fn merge(repo: &TestRepo, files: &[String]) -> crate::support::program::Told {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    repo.gate(&[&["merge"][..], &files].concat())
}

#[test]
fn merged_shards_are_the_single_run() {
    let repo = suite();
    for more in [&[][..], &["--case", "[b-f]"], &["--worktree", "--traces", "eval/fixtures"]] {
        let single = repo.gate(&[&["run", "--format", "json"][..], more].concat()).ends(1).stdout;
        for number in [1, 2, 4, 11] {
            let mut files = shards(&repo, number, more);
            files.reverse();
            assert_eq!(merge(&repo, &files).ends(0).stdout, single, "{number} {more:?}");
        }
    }
    let files = shards(&repo, 3, &[]);
    let text = [&["merge", "--format", "text"][..], &files.iter().map(String::as_str).collect::<Vec<_>>()];
    assert_eq!(repo.gate(&text.concat()).stdout, repo.gate(&["run"]).stdout);
}

#[test]
fn a_shard_says_which_it_is() {
    let repo = suite();
    repo.gate(&["run", "--shard", "1/7"]).ends(0).says(&["shard 1 of 7 alone"]);
    let text = repo.gate(&["run", "--shard", "2/4", "--format", "json"]).stdout;
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["shard"], serde_json::json!({"index": 2, "of": 4, "maxTraceBytes": 67_108_864}));
    let whole = repo.gate(&["run", "--format", "json"]).stdout;
    let whole: serde_json::Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(report["suiteDigest"], whole["suiteDigest"]);
    assert!(whole.get("shard").is_none());
    for bad in ["0/4", "5/4", "1", "a/b", "1/0"] {
        repo.gate(&["run", "--shard", bad]).ends(2).says(&["I/N"]);
    }
    repo.gate(&["run", "--shard", "1/2", "--note"]).ends(2);
}

#[test]
fn a_shard_passes_for_no_report() {
    let repo = TestRepo::with_cases(&IDS);
    repo.gate(&["accept", "--yes"]).ends(0);
    shards(&repo, 2, &[]);
    let refused = &["shard 1 of 2", "diag-gate merge"];
    repo.gate(&["check", "--report", "1.json"]).ends(2).says(refused);
    repo.gate(&["diff", "1.json", "HEAD"]).ends(2).says(refused);
    repo.gate(&["diff", "baseline", "1.json"]).ends(2).says(refused);
    repo.gate(&["merge", "1.json", "2.json", "-o", "whole.json"]).ends(0).shows_nothing();
    repo.gate(&["check", "--report", "whole.json"]).ends(0);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let repo = suite();
    let files = shards(&repo, 3, &[]);
    merge(&repo, &files[1..])
        .ends(2)
        .says(&["missing: 1", "`diag-gate run --shard 1/3 --format json -o FILE`"])
        .shows_nothing();
    let twice = [files.clone(), vec![files[1].clone()]].concat();
    merge(&repo, &twice).ends(2).says(&["shard 2 of 3 is given twice"]).shows_nothing();
    fs::rename(repo.root().join("3.json"), repo.root().join("old.json")).unwrap();
    repo.commit("the same content");
    shards(&repo, 3, &[]);
    let old = vec!["1.json".to_owned(), "2.json".to_owned(), "old.json".to_owned()];
    merge(&repo, &old).ends(2).says(&["another commit"]).shows_nothing();
    repo.gate(&["run", "--format", "json", "-o", "whole.json"]).ends(1);
    merge(&repo, &["whole.json".to_owned()])
        .ends(2)
        .says(&["no report of a shard", "diag-gate run --shard 1/2"])
        .shows_nothing();
    let text = fs::read_to_string(repo.root().join("2.json")).unwrap();
    repo.write("2.json", text.replace("\"title\":", "\"titel\":"));
    merge(&repo, &["1.json".to_owned(), "2.json".to_owned(), "3.json".to_owned()]).ends(2).says(&["2.json"]);
    merge(&repo, &["none.json".to_owned()]).ends(2).says(&["none.json"]);
}
