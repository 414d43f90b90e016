//! A GitHub on disk: a bare repository for `acme/agents` with the refs of pull requests, workspaces as a runner
//! has them, and the program run as a step of a job.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use diag_gate::ids::ObjectId;
use serde_json::{Value, json};

use crate::github::{Account, FakeGitHub, TOKEN};
use crate::support::TestRepo;
use crate::support::program::Told;

/// The repository on the server, and the clone of somebody who may do anything.
pub(crate) struct World {
    /// The clone: two cases, `one` and `two`, which pass and are accepted.
    pub(crate) home: TestRepo,
}

/// A pull request, as the server holds it.
pub(crate) struct Pull {
    pub(crate) number: u64,
    pub(crate) head: ObjectId,
    pub(crate) base: ObjectId,
    /// The test merge; the head itself where there is none.
    pub(crate) merge: ObjectId,
}

/// A step of a job.
pub(crate) struct Step<'w> {
    world: &'w World,
    event: &'static str,
    payload: Value,
    workspace: PathBuf,
    variables: BTreeMap<String, String>,
}

/// What came of a step.
pub(crate) struct Done {
    pub(crate) told: Told,
    pub(crate) outputs: BTreeMap<String, String>,
    pub(crate) summary: String,
    /// The file at `diff-path`; null where there is none.
    pub(crate) diff: Value,
    /// The file at `report-path`; null where there is none.
    pub(crate) report: Value,
}

impl World {
    /// Two cases that pass and are accepted.
    pub(crate) fn new() -> Self {
        let world = Self::without_baseline();
        world.home.gate(&["accept", "--yes", "--push"]).ends(0);
        world
    }

    /// The same, and nothing was ever accepted.
    pub(crate) fn without_baseline() -> Self {
        let home = TestRepo::with_cases(&["one", "two"]);
        let base = home.base();
        std::fs::create_dir_all(base.join("server/acme")).unwrap();
        std::fs::create_dir_all(base.join("runner")).unwrap();
        home.git_in(&base, &["init", "-q", "--bare", "-b", "main", "server/acme/agents"]);
        let world = Self { home };
        world.home.git(&["remote", "add", "origin", &world.url()]);
        world.home.git(&["push", "-q", "origin", "main"]);
        world
    }

    /// The host, as the runner is told it.
    pub(crate) fn server(&self) -> String {
        format!("file://{}", self.home.base().join("server").display())
    }

    fn url(&self) -> String {
        format!("{}/acme/agents", self.server())
    }

    /// The repository on the server.
    pub(crate) fn remote(&self) -> PathBuf {
        self.home.base().join("server/acme/agents")
    }

    /// The refs on the server below a prefix.
    pub(crate) fn refs(&self, prefix: &str) -> Vec<String> {
        let listed = self.home.git_in(&self.remote(), &["for-each-ref", "--format=%(refname)", prefix]);
        listed.lines().map(str::to_owned).collect()
    }

    /// Opens a pull request with what `change` writes; the server makes the test merge.
    pub(crate) fn pull(&self, number: u64, change: impl FnOnce(&TestRepo)) -> Pull {
        let git = |arguments: &[&str]| self.home.git(arguments);
        let base = self.home.id("main");
        git(&["checkout", "-q", "-B", &format!("topic-{number}"), "main"]);
        change(&self.home);
        let head = self.home.commit("A change");
        git(&["checkout", "-q", "--detach", "main"]);
        git(&["merge", "-q", "--no-ff", "-m", "Merge", head.as_str()]);
        let merge = self.home.id("HEAD");
        git(&["push", "-q", "origin", &format!("+{}:refs/pull/{number}/head", head.as_str())]);
        git(&["push", "-q", "origin", &format!("+{}:refs/pull/{number}/merge", merge.as_str())]);
        git(&["checkout", "-q", "main"]);
        Pull { number, head, base, merge }
    }

    /// A workspace as `actions/checkout` leaves it: one commit, no history, no credentials.
    pub(crate) fn checkout(&self, commit: &ObjectId, name: &str) -> PathBuf {
        let folder = self.workspace(name);
        let git = |arguments: &[&str]| self.home.git_in(&folder, arguments);
        git(&["init", "-q", "-b", "main"]);
        git(&["remote", "add", "origin", &self.url()]);
        git(&["fetch", "-q", "--depth=1", "origin", commit.as_str()]);
        git(&["checkout", "-q", "--detach", "FETCH_HEAD"]);
        folder
    }

    /// An empty workspace.
    pub(crate) fn workspace(&self, name: &str) -> PathBuf {
        let folder = self.home.base().join("runner").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// A step that runs for an event.
    pub(crate) fn step(&self, event: &'static str, payload: Value, workspace: PathBuf) -> Step<'_> {
        Step { world: self, event, payload, workspace, variables: BTreeMap::new() }
    }
}

impl Pull {
    /// Makes it pull request 7 of a GitHub, by the account `ann`.
    pub(crate) fn stands_on(&self, github: &FakeGitHub, from: &str) {
        let mut store = github.store();
        let pull = store.pull();
        pull.head_sha = self.head.as_str().to_owned();
        pull.head_repository = Some(from.to_owned());
        pull.base_ref = "main".to_owned();
        pull.base_sha = self.base.as_str().to_owned();
        pull.mergeable = Some(true);
        pull.author = Account::person("ann", 3);
    }

    /// The payload of its events; `from`: the repository that its head lies in.
    pub(crate) fn payload(&self, from: &str) -> Value {
        json!({
            "action": "synchronize",
            "number": self.number,
            "pull_request": {
                "number": self.number,
                "head": {"sha": self.head.as_str(), "ref": "topic", "repo": {"full_name": from}},
                "base": {"sha": self.base.as_str(), "ref": "main", "repo": {"full_name": "acme/agents"}},
            },
        })
    }

    /// The payload of a comment on it, by the account `login` with the number `user`.
    pub(crate) fn comment(&self, id: u64, body: &str, (login, user): (&str, u64)) -> Value {
        json!({
            "action": "created",
            "issue": {"number": self.number, "pull_request": {"url": "x"}},
            "comment": {"id": id, "body": body, "user": {"login": login, "id": user, "type": "User"}},
        })
    }
}

impl Step<'_> {
    /// Sets a variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Gives it a token, and this GitHub.
    pub(crate) fn on(self, github: &FakeGitHub) -> Self {
        self.with("GITHUB_TOKEN", TOKEN).with("GITHUB_API_URL", &github.url())
    }

    /// Runs `diag-gate ci`.
    pub(crate) fn run(self) -> Done {
        self.run_with(&["ci"])
    }

    /// Runs the program with these arguments.
    pub(crate) fn run_with(self, arguments: &[&str]) -> Done {
        let temp = tempfile::tempdir_in(self.world.home.base()).unwrap();
        let file = |name: &str| temp.path().join(name);
        std::fs::write(file("event.json"), self.payload.to_string()).unwrap();
        let mut command = self.world.home.command(arguments);
        command.env_remove("GIT_AUTHOR_NAME").env_remove("GIT_AUTHOR_EMAIL");
        command.env_remove("GIT_COMMITTER_NAME").env_remove("GIT_COMMITTER_EMAIL");
        let fixed: [(&str, &OsStr); 12] = [
            ("GITHUB_ACTIONS", "true".as_ref()),
            ("GITHUB_EVENT_NAME", self.event.as_ref()),
            ("GITHUB_EVENT_PATH", file("event.json").as_os_str().to_owned().leak()),
            ("GITHUB_REPOSITORY", "acme/agents".as_ref()),
            ("GITHUB_RUN_ID", "17".as_ref()),
            ("GITHUB_RUN_ATTEMPT", "1".as_ref()),
            ("GITHUB_WORKFLOW", "diag-gate".as_ref()),
            ("GITHUB_JOB", "gate".as_ref()),
            ("GITHUB_API_URL", "http://127.0.0.1:9".as_ref()),
            ("GITHUB_OUTPUT", file("output").as_os_str().to_owned().leak()),
            ("GITHUB_STEP_SUMMARY", file("summary").as_os_str().to_owned().leak()),
            ("RUNNER_TEMP", temp.path().as_os_str()),
        ];
        command.envs(fixed).env("GITHUB_SERVER_URL", self.world.server());
        command.env("GITHUB_WORKSPACE", &self.workspace).current_dir(&self.workspace).envs(&self.variables);
        let told = self.world.home.told(command.output().unwrap());
        let read = |name: &str| std::fs::read_to_string(file(name)).unwrap_or_default();
        let outputs: BTreeMap<String, String> = read("output")
            .lines()
            .map(|line| line.split_once('=').expect("NAME=VALUE"))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        assert!(left_nothing(temp.path()), "a repository was left behind");
        let document = |name: &str| {
            let text = outputs.get(name).map(|file| std::fs::read_to_string(file).unwrap());
            text.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap())
        };
        let (diff, report) = (document("diff-path"), document("report-path"));
        Done { told, outputs, summary: read("summary"), diff, report }
    }
}

/// Whether no repository that was made for a run is left.
fn left_nothing(temp: &Path) -> bool {
    let names = temp.read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    !names.map(|name| name.to_string_lossy().into_owned()).any(|name| name.ends_with(".git"))
}

impl Done {
    /// Asserts how it ended, which the outputs say, too.
    #[track_caller]
    pub(crate) fn ends(self, status: i32) -> Self {
        assert_eq!(self.told.status, status, "{}\n{}", self.told.page(), self.summary);
        assert_eq!(self.output("exit-code"), status.to_string());
        self
    }

    /// One of the outputs; empty where there is none.
    pub(crate) fn output(&self, name: &str) -> &str {
        self.outputs.get(name).map_or("", String::as_str)
    }
}
