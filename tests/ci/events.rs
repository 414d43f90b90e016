//! What is judged for which event.

use serde_json::json;

use crate::world::World;

const BAD: &str = "没有查到原因";

#[test]
fn a_pull_request_is_judged_as_it_would_be_merged() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write_answer("one", BAD));
    let workspace = world.checkout(&pull.merge, "ws");
    let done = world.step("pull_request", pull.payload("acme/agents"), workspace.clone()).run().ends(1);
    assert_eq!(done.output("verdict"), "fail");
    assert_eq!((done.output("regressions"), done.output("blocking")), ("3", "2"));
    assert_eq!((done.output("improvements"), done.output("changes")), ("0", "0"));
    assert!(done.told.stdout.contains("::error file=eval/cases/all.json,line="), "{}", done.told.stdout);
    assert!(done.summary.contains("one"), "{}", done.summary);
    assert_eq!(done.diff["gate"]["outcome"], "block");
    assert_eq!(done.diff["current"]["source"]["commit"], pull.merge.as_str());
    assert_eq!(done.report["source"]["commit"], pull.merge.as_str());
    // Without a token there is no comment, and that changes nothing.
    assert_eq!(done.output("comment-status"), "failed");
    let advisory =
        world.step("pull_request", pull.payload("acme/agents"), workspace).with("INPUT_ADVISORY", "true");
    let done = advisory.run().ends(0);
    assert_eq!(done.output("verdict"), "fail");
}

#[test]
fn a_pull_request_that_changes_nothing_of_the_suite_passes() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write("README.md", "hello"));
    let workspace = world.checkout(&pull.merge, "ws");
    let done = world.step("pull_request", pull.payload("acme/agents"), workspace).run().ends(0);
    assert_eq!((done.output("verdict"), done.output("blocking")), ("pass", "0"));
    assert_eq!(done.diff["baseline"]["rule"], "content");
}

#[test]
fn a_remote_without_the_baseline_and_one_that_does_not_answer_end_differently() {
    let world = World::without_baseline();
    let pull = world.pull(7, |repo| repo.write("README.md", "hello"));
    let workspace = world.checkout(&pull.merge, "ws");
    let step = || world.step("pull_request", pull.payload("acme/agents"), workspace.clone());
    let done = step().run().ends(2);
    assert_eq!(done.output("verdict"), "error");
    assert!(done.told.stdout.contains("::error title=diag-gate::"), "{}", done.told.stdout);
    assert!(done.summary.contains("origin has no baseline default/main"), "{}", done.summary);
    let done = step().with("INPUT_ALLOW_MISSING_BASELINE", "true").run().ends(0);
    assert_eq!(done.output("verdict"), "pass");
    assert!(done.summary.contains("nothing was compared"), "{}", done.summary);
    std::fs::rename(world.remote(), world.home.base().join("gone")).unwrap();
    let done = step().with("INPUT_ALLOW_MISSING_BASELINE", "true").run().ends(3);
    assert_eq!(done.output("verdict"), "error");
}

#[test]
fn a_missing_baseline_is_not_let_through_where_another_one_stands() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write("eval/diag-gate.toml", "name = \"elsewhere\"\n"));
    let workspace = world.checkout(&pull.merge, "ws");
    // At depth 1 nobody but the revision can name the suite.
    let step = world.step("pull_request", pull.payload("acme/agents"), workspace);
    let done = step.with("INPUT_ALLOW_MISSING_BASELINE", "true").run().ends(2);
    assert!(done.summary.contains("refs/diag-gate/baselines/default/main"), "{}", done.summary);
}

#[test]
fn a_merge_group_is_judged_by_what_it_is_merged_into() {
    let world = World::new();
    let pull = world.pull(7, |repo| {
        repo.write("eval/diag-gate.toml", "name = \"elsewhere\"\n");
        repo.write_answer("one", BAD);
    });
    let payload = json!({
        "action": "checks_requested",
        "merge_group": {
            "head_sha": pull.merge.as_str(),
            "head_ref": "refs/heads/gh-readonly-queue/main/pr-7",
            "base_sha": pull.base.as_str(),
            "base_ref": "refs/heads/main",
        },
    });
    let workspace = world.checkout(&pull.merge, "ws");
    let done = world.step("merge_group", payload, workspace).run().ends(1);
    assert_eq!(done.output("comment-status"), "skipped-no-pr");
    let kinds: Vec<&str> =
        done.diff["entries"].as_array().unwrap().iter().filter_map(|entry| entry["kind"].as_str()).collect();
    assert_eq!(kinds, ["pass-rate-fell", "policy-changed", "case-regressed", "keywords-lost"]);
    assert_eq!(done.diff["entries"][1]["level"], "block");
    assert_eq!(done.diff["baseline"]["ref"], "refs/diag-gate/remotes/origin/baselines/default/main");
}

#[test]
fn a_push_promotes_what_was_accepted_and_writes_the_run_note() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write_answer("one", BAD));
    world.home.git(&["checkout", "-q", pull.head.as_str()]);
    world.home.gate(&["accept", "--pending", "--yes", "--push", "--reason", "a new model"]).ends(0);
    world.home.git(&["checkout", "-q", "main"]);
    world.home.git(&["merge", "-q", "--squash", pull.head.as_str()]);
    let landed = world.home.commit("Squashed");
    world.home.git(&["push", "-q", "origin", "main"]);
    let payload = json!({"ref": "refs/heads/main", "after": landed.as_str(), "deleted": false});
    let workspace = world.checkout(&landed, "ws");
    let step = || world.step("push", payload.clone(), workspace.clone());
    let before = world.refs("refs/diag-gate/pending");
    assert_eq!(before.len(), 1);
    let done = step().run().ends(0);
    assert_eq!(done.output("verdict"), "pass");
    assert_eq!(world.refs("refs/diag-gate/pending"), before);
    step().with("INPUT_PROMOTE", "true").run().ends(0);
    assert!(world.refs("refs/diag-gate/pending").is_empty());
    let remote = world.remote();
    let tip = world
        .home
        .git_in(&remote, &["log", "-1", "--format=%an|%cn|%b", "refs/diag-gate/baselines/default/main"]);
    assert!(tip.starts_with("Ann Author|github-actions[bot]|a new model"), "{tip}");
    let note =
        world.home.git_in(&remote, &["notes", "--ref=refs/notes/diag-gate/default", "show", landed.as_str()]);
    assert!(note.contains("1/2 passed"), "{note}");
    // Once more: nothing is left to do.
    step().with("INPUT_PROMOTE", "true").run().ends(0);
}

#[test]
fn a_push_of_what_nobody_accepted_ends_with_1_and_changes_nothing() {
    let world = World::new();
    world.home.write_answer("one", BAD);
    let landed = world.home.commit("Worse");
    world.home.git(&["push", "-q", "origin", "main"]);
    let before = world.refs("refs/diag-gate");
    let payload = json!({"ref": "refs/heads/main", "after": landed.as_str()});
    let step = world.step("push", payload, world.checkout(&landed, "ws"));
    let done = step.with("INPUT_PROMOTE", "true").run().ends(1);
    assert_eq!(done.output("verdict"), "fail");
    assert_eq!(world.refs("refs/diag-gate"), before);
}

#[test]
fn what_runs_by_the_clock_or_by_hand_is_checked_without_a_comment() {
    let world = World::new();
    for event in ["schedule", "workflow_dispatch"] {
        let workspace = world.checkout(&world.home.id("main"), event);
        let done = world.step(event, json!({"schedule": "0 0 * * *"}), workspace).run().ends(0);
        assert_eq!((done.output("verdict"), done.output("comment-status")), ("pass", "skipped-no-pr"));
    }
    // Without a checkout, the commit that the run is for is fetched.
    let head = world.home.id("main");
    let step = world.step("schedule", json!({}), world.workspace("empty"));
    let done = step.with("GITHUB_SHA", head.as_str()).run().ends(0);
    assert_eq!(done.diff["current"]["source"]["commit"], head.as_str());
}

#[test]
fn a_suite_in_another_folder_and_another_baseline_are_found() {
    let world = World::new();
    world.home.git(&["mv", "eval", "mvp"]);
    let moved = world.home.commit("Move the suite");
    world.home.git(&["push", "-q", "origin", "main"]);
    world.home.gate(&["--suite", "mvp", "accept", "--baseline", "release-1", "--yes", "--push"]).ends(0);
    let workspace = world.workspace("outer");
    let inner = world.checkout(&moved, "outer/inner");
    assert!(inner.starts_with(&workspace));
    let step = |world: &World| -> crate::world::Done {
        world
            .step("workflow_dispatch", json!({}), workspace.clone())
            .with("INPUT_WORKING_DIRECTORY", "inner")
            .with("INPUT_SUITE", "mvp")
            .with("INPUT_BASELINE", "release-1")
            .run()
    };
    let done = step(&world).ends(0);
    assert_eq!(done.diff["baseline"]["name"], "release-1");
}

#[test]
fn what_is_at_fault_in_the_workflow_is_named() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write("README.md", "hello"));
    let workspace = world.checkout(&pull.merge, "ws");
    let step = |event: &'static str| world.step(event, pull.payload("acme/agents"), workspace.clone());
    for (done, words) in [
        (step("pull_request").with("INPUT_COMMENT", "sometimes").run(), "the input `comment` is `sometimes`"),
        (step("pull_request").with("INPUT_WORKING_DIRECTORY", "nowhere").run(), "is not a folder"),
        (step("release").run(), "the event `release` is not one"),
        (step("push").run(), "the payload of the event `push` cannot be read"),
        (step("pull_request").with("GITHUB_REPOSITORY", "a/../b").run(), "a/../b"),
        (step("pull_request").with("GITHUB_EVENT_PATH", "/nowhere").run(), "/nowhere"),
        (step("pull_request").with("INPUT_SUITE", "nothing-here").run(), "nothing-here"),
    ] {
        let done = done.ends(2);
        assert_eq!(done.output("verdict"), "error", "{words}");
        let said = format!("{}{}", done.told.stdout, done.summary);
        assert!(said.contains(words) || said.contains(&words.replace('`', "&#96;")), "{words}: {said}");
    }
}

#[test]
fn off_actions_the_report_is_printed_as_check_prints_it() {
    let world = World::new();
    let here = world.home.gate(&["ci"]).ends(0);
    let check = world.home.gate(&["check"]).ends(0);
    assert_eq!(here.stdout, check.stdout);
    here.says(&["this is no run of GitHub Actions"]);
}

#[test]
fn a_saved_decision_is_shown_as_the_comment_that_it_would_be() {
    let world = World::new();
    world.home.write_answer("one", BAD);
    world.home.commit("Worse");
    world.home.gate(&["check", "--format", "json", "-o", "decision.json"]).ends(1);
    world.home.gate(&["run", "--format", "json", "-o", "report.json"]).ends(1);
    for saved in [["--diff", "decision.json"], ["--report", "report.json"]] {
        let told = world.home.gate(&["comment", saved[0], saved[1], "--pr", "7", "--dry-run"]).ends(0);
        assert!(told.stdout.starts_with("<!-- diag-gate:v1 key=diag-gate -->\n"), "{}", told.stdout);
        told.says(&["It was not verified", "case-regressed", "default/main"]);
    }
    world.home.write("decision.json", "{}");
    world.home.gate(&["comment", "--diff", "decision.json", "--pr", "7", "--dry-run"]).ends(2);
    world.home.gate(&["comment", "--diff", "nowhere.json", "--pr", "7", "--dry-run"]).ends(2);
    world.home.gate(&["comment", "--pr", "7", "--dry-run"]).ends(2);
    world.home.gate(&["comment", "--diff", "report.json", "--pr", "0", "--dry-run"]).ends(2);
    world
        .home
        .gate(&["comment", "--report", "report.json", "--pr", "7"])
        .ends(2)
        .says(&["GITHUB_REPOSITORY"]);
}
