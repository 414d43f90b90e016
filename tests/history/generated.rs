//! Histories out of a seed: breaks and repairs, merges, renamed cases, broken suites, empty stretches.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::oracle::Oracle;
use crate::support::TestRepo;

/// What stands at a path.
#[derive(Clone)]
enum File {
    Bytes(String),
    Link(String),
}

type Tree = BTreeMap<String, File>;

/// SplitMix64: the same history for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

const FILES: [&str; 3] = ["a.json", "b/c.json", "d.json"];
const FIXTURES: [&str; 6] =
    ["t0.json", "t1.json", "deep/t2.json", "deep/t3.json", "deep", "订单/超时 1.json"];

fn trace(random: &mut Random) -> String {
    match random.below(8) {
        0 => "{".to_owned(),
        1..=3 => crate::support::suite::trace("no cause here"),
        4 => crate::support::suite::trace(&format!("磁盘满 {}", "x".repeat(300))),
        _ => crate::support::suite::trace("磁盘满 ＡＢ"),
    }
}

fn case(id: u64, random: &mut Random) -> String {
    let fixture = FIXTURES[random.below(6) as usize];
    let word = ["磁盘满", "ab", "missing word"][random.below(3) as usize];
    format!(
        r#"{{"id": "case-{id}", "traceFixture": "{fixture}", "expectedRootCauseKeywords": ["{word}"], "allowedVerdicts": ["PASS"]}}"#
    )
}

/// Changes something at random.
fn change(tree: &mut Tree, random: &mut Random) {
    let fixture = format!("eval/fixtures/{}", FIXTURES[random.below(6) as usize]);
    let cases = format!("eval/cases/{}", FILES[random.below(3) as usize]);
    match random.below(20) {
        0..=5 => put(tree, &fixture, File::Bytes(trace(random))),
        6 => put(tree, &fixture, File::Link("t0.json".to_owned())),
        7 => drop(tree.remove(&fixture)),
        8..=11 => {
            let first = random.below(8);
            let number = 1 + random.below(3);
            let list: Vec<String> = (first..first + number).map(|id| case(id, random)).collect();
            put(tree, &cases, File::Bytes(format!("[{}]", list.join(","))));
        }
        12 => drop(tree.remove(&cases)),
        13 => put(tree, &cases, File::Bytes("[{\"id\": 3}]".to_owned())),
        14 => {
            let settings = [
                "name = \"other\"",
                "[matching]\nexpected = \"folded\"",
                "[limits]\nmax_trace_bytes = 200",
                "nonsense = 1",
            ];
            let text = settings[random.below(4) as usize];
            put(tree, "eval/diag-gate.toml", File::Bytes(text.to_owned()));
        }
        15 => drop(tree.remove("eval/diag-gate.toml")),
        16 => tree.retain(|path, _| !path.starts_with("eval/fixtures") || random.below(2) == 0),
        17 if random.below(2) == 0 => tree.retain(|path, _| !path.starts_with("eval")),
        18 if random.below(4) == 0 => put(tree, "eval", File::Bytes("no folder".to_owned())),
        19 if random.below(3) == 0 => put(tree, "eval/cases/link.json", File::Link("a.json".to_owned())),
        _ => put(tree, "README", File::Bytes(random.below(1000).to_string())),
    }
}

/// Puts a thing at a path, in place of what stood there, on the way or below.
fn put(tree: &mut Tree, path: &str, file: File) {
    tree.retain(|known, _| {
        !path.starts_with(&format!("{known}/")) && !known.starts_with(&format!("{path}/"))
    });
    tree.insert(path.to_owned(), file);
}

/// A sound suite of some cases.
fn mend(tree: &mut Tree, random: &mut Random) {
    tree.retain(|path, _| !path.starts_with("eval"));
    for (index, file) in FILES.iter().enumerate() {
        let list: Vec<String> = (0..2).map(|id| case(index as u64 * 2 + id, random)).collect();
        put(tree, &format!("eval/cases/{file}"), File::Bytes(format!("[{}]", list.join(","))));
    }
    for fixture in ["t0.json", "t1.json", "deep/t2.json"] {
        put(tree, &format!("eval/fixtures/{fixture}"), File::Bytes(trace(random)));
    }
}

/// A repository with so many commits, merges among them.
fn history(seed: u64, commits: usize) -> TestRepo {
    let mut random = Random(seed);
    let mut trees: Vec<Tree> = Vec::new();
    let mut stream = String::new();
    // The branch that is built on, and a side branch, by the marks of their tips.
    let (mut main, mut side): (Option<usize>, Option<usize>) = (None, None);
    for mark in 1..=commits {
        let on_side = side.is_some() && random.below(3) == 0;
        let parent = if on_side { side } else { main };
        let mut tree = parent.map(|parent| trees[parent - 1].clone()).unwrap_or_default();
        let merged = side.filter(|_| !on_side && mark > 3 && random.below(4) == 0);
        if let Some(merged) = merged {
            for (path, file) in trees[merged - 1].clone() {
                if random.below(2) == 0 {
                    put(&mut tree, &path, file);
                }
            }
        } else if mark % 12 == 7 {
            tree.retain(|path, _| !path.starts_with("eval"));
        } else if mark == 3 || random.below(6) == 0 {
            mend(&mut tree, &mut random);
        } else {
            (0..=random.below(2)).for_each(|_| change(&mut tree, &mut random));
        }
        write_commit(&mut stream, mark, (parent, merged), &tree);
        trees.push(tree);
        if merged.is_some() {
            side = None;
        }
        if on_side {
            side = Some(mark)
        } else {
            main = Some(mark)
        }
        if side.is_none() && random.below(2) == 0 {
            side = main;
        }
    }
    let tip = main.unwrap();
    write!(stream, "reset refs/heads/main\nfrom :{tip}\n\n").unwrap();
    let repo = TestRepo::new();
    import(&repo, &stream);
    repo.git(&["reset", "--quiet", "--hard"]);
    repo
}

fn write_commit(stream: &mut String, mark: usize, parents: (Option<usize>, Option<usize>), tree: &Tree) {
    let data = |text: &str| format!("data {}\n{text}\n", text.len());
    write!(
        stream,
        "commit refs/heads/build-{mark}\nmark :{mark}\ncommitter Ann <ann@example.com> {} +0000\n{}",
        1_700_000_000 + mark * 60,
        data(&format!("commit {mark}"))
    )
    .unwrap();
    if let Some(parent) = parents.0 {
        writeln!(stream, "from :{parent}").unwrap();
    }
    if let Some(merged) = parents.1 {
        writeln!(stream, "merge :{merged}").unwrap();
    }
    stream.push_str("deleteall\n");
    for (path, file) in tree {
        let (mode, text) = match file {
            File::Bytes(text) => ("100644", text),
            File::Link(text) => ("120000", text),
        };
        write!(stream, "M {mode} inline {path}\n{}", data(text)).unwrap();
    }
    stream.push('\n');
}

/// Feeds `git fast-import`.
pub(crate) fn import(repo: &TestRepo, stream: &str) {
    let mut command = Command::new("git");
    command.env_clear().envs(repo.variables()).current_dir(repo.root());
    let mut child =
        command.args(["fast-import", "--quiet", "--force"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn every_row_is_what_an_evaluation_of_that_commit_alone_gives() {
    let mut seen = [0; 7];
    for seed in 1..=3 {
        let repo = history(seed, 32);
        let oracle = Oracle::new(&repo);
        oracle.holds(&["history"], &["rev-list", "--first-parent", "HEAD"], None);
        let found = oracle.holds(&["history", "--all-parents"], &["rev-list", "HEAD"], None);
        seen = std::array::from_fn(|kind| seen[kind] + found[kind]);
        oracle.holds(
            &["history", "--rev", "HEAD~6..HEAD~2"],
            &["rev-list", "--first-parent", "HEAD~2", "^HEAD~6"],
            None,
        );
        oracle.holds(&["history", "--limit", "3"], &["rev-list", "--first-parent", "-n", "3", "HEAD"], None);
        oracle.holds(
            &["history", "--all-parents", "--case", "case-[0-2]"],
            &["rev-list", "HEAD"],
            Some("case-[0-2]"),
        );
    }
    assert!(seen.iter().all(|number| *number >= 3), "the histories hold every kind of row: {seen:?}");
}

#[test]
fn bisection_finds_what_an_evaluation_of_every_commit_finds() {
    for seed in 1..=6 {
        let repo = history(seed, 36);
        Oracle::new(&repo).bisects();
    }
}

#[test]
fn all_commits_are_judged_by_the_definitions_of_one() {
    for seed in [2, 5] {
        let repo = history(seed, 24);
        Oracle::new(&repo).judges_by_one();
    }
}
