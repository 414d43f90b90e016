//! The slow way: every commit is evaluated for itself, by `run --rev`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::TestRepo;

/// What `run --rev` says of a commit.
#[derive(Clone)]
enum Judged {
    Absent,
    Invalid(String),
    Evaluated(Value),
}

pub(crate) struct Oracle<'r> {
    repo: &'r TestRepo,
    known: RefCell<BTreeMap<String, Judged>>,
}

impl<'r> Oracle<'r> {
    pub(crate) fn new(repo: &'r TestRepo) -> Self {
        Self { repo, known: RefCell::default() }
    }

    fn judged(&self, commit: &str, glob: Option<&str>) -> Judged {
        let key = format!("{commit} {glob:?}");
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let mut arguments = vec!["run", "--rev", commit, "--format", "json"];
        arguments.extend(glob.into_iter().flat_map(|glob| ["--case", glob]));
        let told = self.repo.gate(&arguments);
        let judged = match told.status {
            0 | 1 => Judged::Evaluated(serde_json::from_str(&told.stdout).unwrap()),
            2 if told.stderr.contains("there is no suite folder") => Judged::Absent,
            2 if told.stderr.contains("matches no case") => Judged::Evaluated(json!({
                "totalCases": 0, "passedCases": 0, "unjudgedCases": 0, "passRate": null, "results": []
            })),
            2 => Judged::Invalid(told.stderr),
            status => panic!("{status}: {}", told.stderr),
        };
        self.known.borrow_mut().insert(key, judged.clone());
        judged
    }

    /// Outcomes by case.
    fn outcomes(&self, commit: &str, glob: Option<&str>) -> Option<BTreeMap<String, bool>> {
        match self.judged(commit, glob) {
            Judged::Evaluated(report) => Some(outcomes(&report)),
            Judged::Absent | Judged::Invalid(_) => None,
        }
    }

    fn parents(&self, commit: &str) -> Vec<String> {
        let line = self.repo.git(&["rev-list", "--parents", "-n", "1", commit]);
        line.split(' ').skip(1).map(str::to_owned).collect()
    }

    /// The outcomes of the nearest older commit that can be evaluated.
    fn base(&self, commit: &str, glob: Option<&str>) -> Option<BTreeMap<String, bool>> {
        let parent = self.parents(commit).into_iter().next()?;
        self.outcomes(&parent, glob).or_else(|| self.base(&parent, glob))
    }

    /// Asserts that a history lists these commits with the numbers that they have.
    /// Gives how many rows there were of each kind: absent, invalid, evaluated, and those with something
    /// broken, fixed, added and removed.
    pub(crate) fn holds(&self, history: &[&str], listed: &[&str], glob: Option<&str>) -> [usize; 7] {
        let json = [history, &["--format", "json"]].concat();
        let told = self.repo.gate(&json).ends(0);
        let found: Value = serde_json::from_str(&told.stdout).unwrap();
        let commits: Vec<String> = self.repo.git(listed).lines().map(str::to_owned).collect();
        let rows = found["commits"].as_array().unwrap();
        let ids: Vec<&str> = rows.iter().map(|row| row["commit"].as_str().unwrap()).collect();
        assert_eq!(ids, commits, "{history:?}");
        for row in rows {
            self.row(row, glob);
        }
        let state = |name: &str| rows.iter().filter(|row| row["state"] == name).count();
        let list = |name: &str| rows.iter().filter(|row| row[name] != json!([])).count();
        let [absent, invalid, evaluated] = ["absent", "invalid", "evaluated"].map(state);
        let [broke, fixed, added, removed] = ["broke", "fixed", "added", "removed"].map(list);
        [absent, invalid, evaluated, broke, fixed, added, removed]
    }

    fn row(&self, row: &Value, glob: Option<&str>) {
        let commit = row["commit"].as_str().unwrap();
        assert_eq!(row["parents"], json!(self.parents(commit)));
        match self.judged(commit, glob) {
            Judged::Absent => {
                assert_eq!(row["state"], "absent", "{row}");
                assert_eq!((&row["totalCases"], &row["suiteDigest"]), (&Value::Null, &Value::Null));
            }
            Judged::Invalid(words) => {
                assert_eq!(row["state"], "invalid", "{row}: {words}");
                let error = row["error"].as_str().unwrap();
                let first = error.split(" (and ").next().unwrap();
                assert!(words.contains(first), "{first}: {words}");
                assert_eq!(row["passRate"], Value::Null);
            }
            Judged::Evaluated(report) => {
                assert_eq!(row["state"], "evaluated", "{row}");
                assert_eq!(row["error"], Value::Null);
                for name in ["totalCases", "passedCases", "unjudgedCases", "passRate"] {
                    assert_eq!(row[name], report[name], "{name}: {row}");
                }
                if report["totalCases"] != 0 {
                    assert_eq!(row["suiteDigest"], report["suiteDigest"], "{row}");
                }
                self.lists(row, &outcomes(&report), self.base(commit, glob));
            }
        }
    }

    fn lists(&self, row: &Value, now: &BTreeMap<String, bool>, base: Option<BTreeMap<String, bool>>) {
        let base = base.unwrap_or_default();
        let both = |before: bool, after: bool| -> Vec<&String> {
            let is_so = |id: &&String| now[*id] == after && base.get(*id) == Some(&before);
            now.keys().filter(is_so).collect()
        };
        assert_eq!(row["broke"], json!(both(true, false)), "{row}");
        assert_eq!(row["fixed"], json!(both(false, true)), "{row}");
        let (ids, old): (BTreeSet<_>, BTreeSet<_>) = (now.keys().collect(), base.keys().collect());
        assert_eq!(row["added"], json!(ids.difference(&old).collect::<Vec<_>>()), "{row}");
        assert_eq!(row["removed"], json!(old.difference(&ids).collect::<Vec<_>>()), "{row}");
    }

    /// Asserts what a bisection of every case at HEAD finds.
    pub(crate) fn bisects(&self) {
        let head = self.repo.git(&["rev-parse", "HEAD"]);
        let Some(present) = self.outcomes(&head, None) else {
            self.repo.gate(&["bisect", "case-0"]).ends(2);
            return;
        };
        for (case, passed) in present {
            let told = self.repo.gate(&["bisect", &case, "--format", "json"]).ends(0);
            let found: Value = serde_json::from_str(&told.stdout).unwrap();
            assert_eq!((&found["caseId"], &found["passed"]), (&json!(case), &json!(passed)));
            let (commit, flips) = self.turns(&case);
            assert_eq!(found["commit"], json!(commit), "{case}: {found}");
            assert_eq!(found["flips"], json!(flips), "{case}");
            assert_eq!(found["parent"], json!(self.parents(&commit).first()));
        }
    }

    /// The commit at which a case came to its present outcome, and all turns, newest first.
    fn turns(&self, case: &str) -> (String, Vec<Value>) {
        let line = self.repo.git(&["rev-list", "--first-parent", "--reverse", "HEAD"]);
        let (mut last, mut known, mut arrival, mut flips) = (None, None, String::new(), Vec::new());
        for commit in line.lines() {
            let Some(outcomes) = self.outcomes(commit, None) else { continue };
            let now = outcomes.get(case).copied();
            if now != last && now.is_some() {
                commit.clone_into(&mut arrival);
            }
            if let (Some(now), Some(known)) = (now, known)
                && now != known
            {
                flips.push(json!({ "commit": commit, "passed": now }));
            }
            (last, known) = (now, now.or(known));
        }
        flips.reverse();
        (arrival, flips)
    }

    /// Asserts that `--cases-from` gives what commits with the one's cases and the other's traces give.
    pub(crate) fn judges_by_one(&self) {
        let line = self.repo.git(&["rev-list", "--first-parent", "HEAD"]);
        let sound = line.lines().find(|commit| self.outcomes(commit, None).is_some()).unwrap();
        let told = self.repo.gate(&["history", "--cases-from", sound, "--format", "json"]).ends(0);
        let found: Value = serde_json::from_str(&told.stdout).unwrap();
        for row in found["commits"].as_array().unwrap() {
            let commit = row["commit"].as_str().unwrap();
            let Some(mixed) = self.mixed(sound, commit) else {
                assert_ne!(row["state"], "evaluated");
                continue;
            };
            let Judged::Evaluated(report) = self.judged(&mixed, None) else { panic!("{sound} is sound") };
            for name in ["totalCases", "passedCases", "unjudgedCases", "suiteDigest"] {
                assert_eq!(row[name], report[name], "{name}: {row}");
            }
        }
    }

    /// A commit with the definitions of one and the traces of another.
    fn mixed(&self, definitions: &str, traces: &str) -> Option<String> {
        let repo = self.repo;
        let kind = repo.git(&["ls-tree", traces, "eval"]);
        if !kind.contains(" tree ") {
            return None;
        }
        let of = |commit: &str| repo.git(&["ls-tree", &format!("{commit}:eval")]);
        let (one, other) = (of(definitions), of(traces));
        let is_traces = |line: &&str| line.ends_with("\tfixtures");
        let lines = one.lines().filter(|line| !is_traces(line)).chain(other.lines().filter(is_traces));
        let folder = make(repo, &lines.map(|line| format!("{line}\n")).collect::<String>());
        let root = make(repo, &format!("040000 tree {folder}\teval\n"));
        Some(repo.git(&["commit-tree", "-m", "mixed", &root]))
    }
}

fn make(repo: &TestRepo, listing: &str) -> String {
    repo.write("../listing", listing);
    let file = std::fs::File::open(repo.root().join("../listing")).unwrap();
    let mut command = std::process::Command::new("git");
    command.env_clear().envs(repo.variables()).current_dir(repo.root());
    let output = command.arg("mktree").stdin(file).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn outcomes(report: &Value) -> BTreeMap<String, bool> {
    let results = report["results"].as_array().unwrap().iter();
    results
        .map(|result| (result["caseId"].as_str().unwrap().to_owned(), result["passed"].as_bool().unwrap()))
        .collect()
}
