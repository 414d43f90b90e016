//! `/diag-gate accept SHA reason`: who may, what, and when.

use crate::github::{Account, FakeGitHub, Fault, On};
use crate::world::{Done, Pull, World};

const BAD: &str = "没有查到原因";
const BEA: (&str, u64) = ("bea", 4);

/// A pull request by `ann` that breaks a case; `bea` may write.
struct Scene {
    world: World,
    pull: Pull,
    github: FakeGitHub,
}

impl Scene {
    fn new(from: &str) -> Self {
        let world = World::new();
        let pull = world.pull(7, |repo| repo.write_answer("one", BAD));
        let github = FakeGitHub::start();
        pull.stands_on(&github, from);
        let mut store = github.store();
        for (login, role) in [("bea", "write"), ("ann", "admin"), ("eve", "read")] {
            store.permissions.insert(login.to_owned(), (role.to_owned(), role.to_owned()));
        }
        store.users.push(Account { name: Some("Bea B.".to_owned()), ..Account::person("bea", 4) });
        drop(store);
        Self { world, pull, github }
    }

    fn command(&self, reason: &str) -> String {
        format!("/diag-gate accept {}{reason}", self.pull.head.as_str())
    }

    /// Somebody comments; gives what came of it, and the reactions to the comment.
    fn comment(&self, body: &str, who: (&str, u64), inputs: &[(&str, &str)]) -> (Done, Vec<String>) {
        let id = self.github.store().comment(7, Account::person(who.0, who.1), body);
        let payload = self.pull.comment(id, body, who);
        let step = self.world.step("issue_comment", payload, self.world.workspace("empty")).on(&self.github);
        let step = inputs.iter().fold(step, |step, (name, value)| step.with(name, value));
        let done = step.run();
        let reactions = self.github.store().comments[&id].reactions.clone();
        (done, reactions)
    }

    fn pending(&self) -> Vec<String> {
        self.world.refs("refs/diag-gate/pending")
    }
}

#[test]
fn a_maintainer_accepts_and_the_comment_says_who_and_why() {
    let scene = Scene::new("acme/agents");
    let judge = || {
        let payload = scene.pull.payload("acme/agents");
        scene
            .world
            .step("pull_request_target", payload, scene.world.workspace("empty"))
            .on(&scene.github)
            .run()
    };
    judge().ends(1);
    let (done, reactions) = scene.comment(&scene.command("  the new model is quieter"), BEA, &[]);
    let done = done.ends(0);
    assert_eq!(reactions, ["eyes", "+1"]);
    assert_eq!((done.output("verdict"), done.output("comment-status")), ("pass", "updated"));
    let pending = scene.pending();
    assert_eq!(pending.len(), 1);
    let log = scene
        .world
        .home
        .git_in(&scene.world.remote(), &["log", "-1", "--format=%an|%ae|%cn|%ce|%b", &pending[0]]);
    assert!(
        log.starts_with(
            "Bea B. (bea)|4+bea@users.noreply."
        ) && log.contains("|github-actions[bot]|41898282+github-actions[bot]@users.noreply.github.com|the new model is quieter"),
        "{log}"
    );
    assert!(log.contains(&format!("Diag-Gate-Commit: {}", scene.pull.merge.as_str())), "{log}");
    let body = scene.github.store().own_comments(7).remove(0).body;
    assert!(body.contains("Bea B.") && body.contains("the new model is quieter"), "{body}");
    // From now on the same content passes.
    judge().ends(0);
}

#[test]
fn what_is_no_command_is_passed_over_in_silence() {
    let scene = Scene::new("acme/agents");
    for body in ["nice work", "please\n/diag-gate accept 1", "/diag-gate accept HEAD because"] {
        let (done, reactions) = scene.comment(body, BEA, &[]);
        assert_eq!((done.told.status, done.told.stdout.as_str(), done.told.stderr.as_str()), (0, "", ""));
        assert!(reactions.is_empty() && done.outputs.is_empty() && done.summary.is_empty());
    }
    let id = scene.github.store().comment(7, Account::person("bea", 4), "x");
    for (field, value) in
        [("action", serde_json::json!("edited")), ("issue", serde_json::json!({"number": 7}))]
    {
        let mut payload = scene.pull.comment(id, &scene.command(" why"), BEA);
        payload[field] = value;
        let step =
            scene.world.step("issue_comment", payload, scene.world.workspace("empty")).on(&scene.github);
        let done = step.run();
        assert_eq!((done.told.status, done.told.stdout.as_str()), (0, ""), "{field}");
    }
    assert!(scene.pending().is_empty());
    assert!(scene.github.requests().is_empty());
}

#[test]
fn who_may_not_or_what_has_changed_is_refused() {
    let scene = Scene::new("acme/agents");
    let refused = |body: &str, who: (&str, u64), words: &str| {
        let (done, reactions) = scene.comment(body, who, &[]);
        let done = done.ends(1);
        assert_eq!(reactions, ["eyes", "-1"], "{words}");
        let warnings: Vec<&str> =
            done.told.stdout.lines().filter(|line| line.starts_with("::warning")).collect();
        assert_eq!(warnings.len(), 1, "{}", done.told.stdout);
        assert!(warnings[0].contains(words), "{words}: {}", warnings[0]);
        assert!(scene.pending().is_empty(), "{words}");
    };
    refused(&scene.command(" why"), ("eve", 5), "may not write");
    refused(&scene.command(" why"), ("stranger", 6), "may not write");
    refused(&scene.command(" why"), ("ann", 3), "accept-own");
    refused(&scene.command(""), BEA, "say why");
    refused(&format!("/diag-gate accept {} why", "3".repeat(40)), BEA, "newest commit");
    scene.github.store().pull().state = "closed".to_owned();
    refused(&scene.command(" why"), BEA, "not open");
}

#[test]
fn a_head_that_moves_while_it_is_looked_at_is_not_accepted() {
    let scene = Scene::new("acme/agents");
    // The second look at the pull request finds another head.
    scene.github.once(On::get("/pulls/7"), Fault::with_header("x-first", "look"));
    scene.github.once(On::get("/pulls/7"), Fault::race(|store| store.pull().head_sha = "4".repeat(40)));
    let (done, reactions) = scene.comment(&scene.command(" why"), BEA, &[]);
    done.ends(1);
    assert_eq!(reactions, ["eyes", "-1"]);
    assert!(scene.pending().is_empty());
}

#[test]
fn own_pull_requests_and_forks_are_accepted_where_the_workflow_says_so() {
    let scene = Scene::new("eve/agents");
    let (done, _) = scene.comment(&scene.command(" why"), BEA, &[]);
    let done = done.ends(1);
    assert!(done.told.stdout.contains("accept-forks"), "{}", done.told.stdout);
    let (done, _) = scene.comment(&scene.command(" why"), BEA, &[("INPUT_ACCEPT_FORKS", "true")]);
    done.ends(0);
    assert_eq!(scene.pending().len(), 1);
    let scene = Scene::new("acme/agents");
    let (done, _) = scene.comment(&scene.command(" why"), ("ann", 3), &[("INPUT_ACCEPT_OWN", "true")]);
    done.ends(0);
    assert_eq!(scene.pending().len(), 1);
}

#[test]
fn what_cannot_be_told_ends_with_3() {
    let scene = Scene::new("acme/agents");
    let undecided = |fault: Fault, on: On| {
        scene.github.once(on, fault);
        let (done, reactions) = scene.comment(&scene.command(" why"), BEA, &[]);
        let done = done.ends(3);
        assert_eq!((reactions.last().map(String::as_str), done.output("verdict")), (Some("-1"), "error"));
        assert!(scene.pending().is_empty());
    };
    undecided(Fault::status(403, "Resource not accessible by integration"), On::get("/permission"));
    undecided(Fault::text("{}"), On::get("/pulls/7"));
    // Nothing on the server to judge.
    let broken = Scene::new("acme/agents");
    std::fs::rename(broken.world.remote(), broken.world.home.base().join("gone")).unwrap();
    let (done, reactions) = broken.comment(&broken.command(" why"), BEA, &[]);
    done.ends(3);
    assert_eq!(reactions, ["eyes", "-1"]);
}

#[test]
fn an_acceptance_goes_by_the_names_of_the_target_branch() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write("eval/diag-gate.toml", "name = \"mine\"\n"));
    let github = FakeGitHub::start();
    pull.stands_on(&github, "acme/agents");
    github.store().permissions.insert("bea".to_owned(), ("write".to_owned(), "write".to_owned()));
    let scene = Scene { world, pull, github };
    let (done, _) = scene.comment(&scene.command(" why"), BEA, &[]);
    let done = done.ends(1);
    assert!(done.told.stdout.contains("the name of the suite"), "{}", done.told.stdout);
    assert!(scene.pending().is_empty());
}
