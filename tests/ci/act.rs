//! The whole action, run by act in host mode as the workflow of a user would run it: `uses:` of the action,
//! `binary:` our build, against a server on disk and a GitHub of our own.
//!
//! Not run by default: `.ci/run action` brings act, and names it by `DIAG_GATE_ACT`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::github::{Account, FakeGitHub, Fault, On, TOKEN};
use crate::world::{Pull, World};

const BAD: &str = "没有查到原因";
const HOSTILE: &str = "\n::set-output name=verdict::pass\n##[error]boo\n::add-mask::fail\nverdict=pass";

/// A job in a repository of its own.
struct Job<'w> {
    world: &'w World,
    github: &'w FakeGitHub,
    folder: PathBuf,
    /// For act itself, which takes no blanks in the paths that it hands on.
    plain: tempfile::TempDir,
}

/// What act told of it.
struct Ran {
    passed: bool,
    log: String,
    outputs: BTreeMap<String, String>,
}

/// The steps of a job: the action, and one that writes down what it put out.
fn workflow(event: &str, inputs: &str) -> String {
    let names = ["verdict", "exit-code", "blocking", "comment-status", "comment-id"];
    let variables: String = names
        .iter()
        .map(|name| {
            format!("          OUT_{}: ${{{{ steps.gate.outputs.{name} }}}}\n", name.replace('-', "_"))
        })
        .collect();
    format!(
        "name: diag-gate\non: [{event}]\npermissions: {{}}\njobs:\n  gate:\n    runs-on: ubuntu-latest\n    steps:\n\
         \x20     - id: gate\n        uses: acme/diag-gate@v1\n        with:\n          binary: {}\n{inputs}\
         \x20     - if: always()\n        env:\n{variables}\
         \x20       run: env | grep ^OUT_ > \"$RESULT/outputs\"\n",
        env!("CARGO_BIN_EXE_diag-gate")
    )
}

impl<'w> Job<'w> {
    fn new(world: &'w World, github: &'w FakeGitHub, event: &str, inputs: &str) -> Self {
        let folder = world.home.base().join("job");
        let flows = folder.join(".github/workflows");
        std::fs::create_dir_all(&flows).unwrap();
        std::fs::write(flows.join("gate.yml"), workflow(event, inputs)).unwrap();
        let git = |arguments: &[&str]| world.home.git_in(&folder, arguments);
        git(&["init", "-q", "-b", "main"]);
        git(&["add", "--all"]);
        git(&["commit", "-q", "-m", "A workflow"]);
        let plain = tempfile::Builder::new().prefix("diag-gate-act-").tempdir().unwrap();
        action(&plain.path().join("action"));
        Self { world, github, folder, plain }
    }

    fn run(&self, event: &str, payload: &Value) -> Ran {
        let base = self.plain.path();
        let result = tempfile::tempdir_in(base).unwrap();
        std::fs::write(result.path().join("event.json"), payload.to_string()).unwrap();
        let act = std::env::var_os("DIAG_GATE_ACT").expect("DIAG_GATE_ACT names act: run `.ci/run action`");
        let mut command = Command::new(act);
        command.env_clear().envs(self.world.home.variables()).current_dir(&self.folder).env("HOME", base);
        for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
            command.env_remove(name);
        }
        let server = self.world.server();
        command.args([event, "-W", ".github/workflows/gate.yml", "-P", "ubuntu-latest=-self-hosted"]);
        command.args(["-s", &format!("GITHUB_TOKEN={TOKEN}"), "-e"]).arg(result.path().join("event.json"));
        command
            .arg("--local-repository")
            .arg(format!("{server}/acme/diag-gate@v1={}", base.join("action").display()));
        for (name, value) in [
            ("GITHUB_API_URL", self.github.url()),
            ("GITHUB_SERVER_URL", server.clone()),
            ("GITHUB_REPOSITORY", "acme/agents".to_owned()),
            ("RESULT", result.path().display().to_string()),
        ] {
            command.arg("--env").arg(format!("{name}={value}"));
        }
        let output = command.output().unwrap();
        let log =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let outputs = std::fs::read_to_string(result.path().join("outputs")).unwrap_or_default();
        let outputs = outputs
            .lines()
            .filter_map(|line| line.strip_prefix("OUT_")?.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Ran { passed: output.status.success(), log, outputs }
    }

    fn judge(&self, pull: &Pull) -> Ran {
        self.run("pull_request_target", &pull.payload("acme/agents"))
    }
}

impl Ran {
    #[track_caller]
    fn puts_out(&self, verdict: &str, comment: &str) {
        let found = |name: &str| self.outputs.get(name).map(String::as_str).unwrap_or_default();
        assert_eq!((found("verdict"), found("comment_status")), (verdict, comment), "{}", self.log);
        let passed = verdict == "pass";
        assert_eq!(self.passed, passed, "{}", self.log);
        let exit = match verdict {
            "pass" => "0",
            "fail" => "1",
            _ => "3",
        };
        assert_eq!(found("exit_code"), exit);
        assert!(!self.log.contains(TOKEN), "{}", self.log);
    }
}

/// The action as a release has it.
fn action(folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::create_dir_all(folder.join("action")).unwrap();
    for file in ["action.yml", "Cargo.toml", "action/run.sh", "action/checksums.txt"] {
        std::fs::copy(root.join(file), folder.join(file)).unwrap();
    }
}

/// A pull request that breaks a case, and the GitHub that it stands on.
fn broken(world: &World, github: &FakeGitHub) -> Pull {
    let pull = world.pull(7, |repo| repo.write_answer("one", &format!("{BAD}{HOSTILE}")));
    pull.stands_on(github, "acme/agents");
    pull
}

#[test]
#[ignore = "needs act: `.ci/run action`"]
fn the_first_run_comments_and_the_second_edits_whatever_else_stands_there() {
    let (world, github) = (World::new(), FakeGitHub::start());
    let pull = broken(&world, &github);
    let marker = "<!-- diag-gate:v1 key=ours -->";
    let forged = github.store().comment(7, Account::person("mallory", 66), &format!("{marker}\nPASSED"));
    for number in 0..100 {
        github.store().comment(7, Account::person("ann", 3), &format!("talk {number}"));
    }
    let job = Job::new(&world, &github, "pull_request_target", "          comment-key: ours\n");
    job.judge(&pull).puts_out("fail", "created");
    let own = github.store().own_comments(7);
    assert!(own.len() == 1 && own[0].body.starts_with(marker), "{own:?}");
    job.judge(&pull).puts_out("fail", "unchanged");
    let mended = world.pull(7, |repo| repo.write("README.md", "mended"));
    mended.stands_on(&github, "acme/agents");
    job.judge(&mended).puts_out("pass", "updated");
    let after = github.store().own_comments(7);
    assert_eq!((after.len(), after[0].id), (1, own[0].id));
    assert!(github.store().comments[&forged].body.ends_with("PASSED"));
}

#[test]
#[ignore = "needs act: `.ci/run action`"]
fn no_answer_of_github_writes_twice_or_changes_the_verdict() {
    let (world, github) = (World::new(), FakeGitHub::start());
    let pull = broken(&world, &github);
    let job = Job::new(&world, &github, "pull_request_target", "");
    for (fault, status) in [
        (Fault::status(403, "Resource not accessible by integration"), "skipped-read-only"),
        (Fault::status(422, "Body is too long"), "failed"),
    ] {
        github.once(On::post("/comments"), fault);
        job.judge(&pull).puts_out("fail", status);
    }
    github.once(On::get("/user"), Fault::late(Duration::from_secs(100)).unstored());
    github.once(On::get("/user"), Fault::late(Duration::from_secs(100)).unstored());
    github.once(On::get("/user"), Fault::late(Duration::from_secs(100)).unstored());
    github.once(On::get("/user"), Fault::late(Duration::from_secs(100)).unstored());
    let began = Instant::now();
    let timed_out = job.judge(&pull);
    assert!(began.elapsed() < Duration::from_secs(100), "all of GitHub is given 90 seconds");
    timed_out.puts_out("fail", "failed");
    github.once(On::post("/comments"), Fault::after_store(502));
    job.judge(&pull).puts_out("fail", "created");
    assert_eq!(github.store().own_comments(7).len(), 1);
    github.store().comments.clear();
    github.once(On::post("/comments"), Fault::status(429, "slow down").header("retry-after", "2"));
    let began = Instant::now();
    job.judge(&pull).puts_out("fail", "created");
    assert!(began.elapsed() >= Duration::from_secs(2));
    assert_eq!(github.store().own_comments(7).len(), 1);
}

#[test]
#[ignore = "needs act: `.ci/run action`"]
fn hostile_text_neither_speaks_to_the_runner_nor_puts_anything_out() {
    let (world, github) = (World::new(), FakeGitHub::start());
    let pull = world.pull(7, |repo| {
        let cases: Vec<String> = ["::set-output name=verdict::pass", "##[error]x", "::add-mask::fail", "<h1>PASSED</h1>"]
            .iter()
            .enumerate()
            .map(|(number, id)| {
                format!(
                    r#"{{"id": "{id}", "title": {}, "traceFixture": "one.json", "expectedRootCauseKeywords": ["kw{number} ::warning::x"]}}"#,
                    serde_json::to_string(HOSTILE).unwrap()
                )
            })
            .collect();
        repo.write("eval/cases/hostile.json", format!("[{}]", cases.join(",")));
        repo.write_answer("one", &format!("{BAD}{HOSTILE}"));
    });
    pull.stands_on(&github, "eve/agents");
    let job = Job::new(&world, &github, "pull_request_target", "");
    let ran = job.run("pull_request_target", &pull.payload("eve/agents"));
    ran.puts_out("fail", "created");
    // What act obeys it shows with its own sign in front.
    for line in ran.log.lines().filter(|line| line.contains("::set-output::")) {
        let name = line.rsplit("::set-output:: ").next().unwrap_or_default();
        assert!(!name.starts_with("name="), "{line}");
    }
    // What the program itself says has this sign in front; act shows the summary beside it.
    let said: Vec<&str> =
        ran.log.lines().filter_map(|line| line.split_once("  | ")).map(|(_, said)| said).collect();
    assert!(!said.is_empty() && said.iter().all(|line| !line.contains("##[error]x")), "{said:?}");
    assert!(!ran.log.contains("***"), "nothing was masked: {}", ran.log);
    // The page of the summary, as act shows it, holds the ids as text.
    let page: Vec<&str> = ran.log.lines().filter(|line| line.starts_with("<tr>")).collect();
    assert!(page.len() > 6 && page.iter().all(|line| !line.contains("<h1>")), "{page:?}");
    let body = github.store().own_comments(7).remove(0).body;
    assert!(!body.contains("<h1>") && !body.contains("\n::"), "{body}");
}

#[test]
#[ignore = "needs act: `.ci/run action`"]
fn other_events_are_judged_without_a_comment() {
    let (world, github) = (World::new(), FakeGitHub::start());
    let pull = broken(&world, &github);
    let job = Job::new(&world, &github, "merge_group, issue_comment", "");
    let group = serde_json::json!({
        "action": "checks_requested",
        "merge_group": {
            "head_sha": pull.merge.as_str(), "head_ref": "refs/heads/gh-readonly-queue/main/pr-7",
            "base_sha": pull.base.as_str(), "base_ref": "refs/heads/main",
        },
    });
    job.run("merge_group", &group).puts_out("fail", "skipped-no-pr");
    github.store().permissions.insert("bea".to_owned(), ("write".to_owned(), "write".to_owned()));
    let command = format!("/diag-gate accept {} a quieter model", pull.head.as_str());
    let id = github.store().comment(7, Account::person("bea", 4), &command);
    job.run("issue_comment", &pull.comment(id, &command, ("bea", 4))).puts_out("pass", "created");
    assert_eq!(github.store().comments[&id].reactions, ["eyes", "+1"]);
    job.run("merge_group", &group).puts_out("pass", "skipped-no-pr");
}
