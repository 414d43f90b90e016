//! What comes from strangers: judged as data, by what was accepted, and inert wherever it is shown.

use crate::world::World;

const BAD: &str = "没有查到原因";

#[test]
fn a_fork_is_judged_without_a_checkout_and_leaves_nothing_behind() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write_answer("one", BAD));
    let workspace = world.workspace("empty");
    let done = world.step("pull_request_target", pull.payload("eve/agents"), workspace.clone()).run().ends(1);
    assert_eq!(done.diff["current"]["source"]["commit"], pull.merge.as_str());
    assert_eq!(done.diff["baseline"]["name"], "main");
    assert_eq!(workspace.read_dir().unwrap().count(), 0, "nothing was checked out");
}

#[test]
fn a_fork_cannot_choose_its_judge() {
    let world = World::new();
    let pull = world.pull(7, |repo| {
        repo.write_answer("one", BAD);
        repo.write(
            "eval/diag-gate.toml",
            "name = \"mine\"\n[gate.levels]\n\"case-regressed\" = \"ignore\"\n[store]\nprefix = \"refs/mine\"\n",
        );
    });
    // Whatever it brings along under the names that it chose.
    world.home.git(&["push", "-q", "origin", "main:refs/mine/baselines/mine/main"]);
    let step = world.step("pull_request_target", pull.payload("eve/agents"), world.workspace("empty"));
    let done = step.run().ends(1);
    let blocking: Vec<&str> = done.diff["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["level"] == "block")
        .filter_map(|entry| entry["kind"].as_str())
        .collect();
    assert_eq!(blocking, ["pass-rate-fell", "policy-changed", "case-regressed"]);
    let changed = done.diff["entries"][1]["subjects"].to_string();
    assert!(changed.contains("\"name\"") && changed.contains("store.prefix"), "{changed}");
}

#[test]
fn a_conflict_is_judged_by_the_head_and_says_so() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write_answer("one", BAD));
    world.home.git_in(&world.remote(), &["update-ref", "-d", "refs/pull/7/merge"]);
    let step = world.step("pull_request_target", pull.payload("acme/agents"), world.workspace("empty"));
    let done = step.run().ends(1);
    assert_eq!(done.diff["current"]["source"]["commit"], pull.head.as_str());
    assert!(done.summary.contains("cannot be merged"), "{}", done.summary);
}

#[test]
fn a_test_merge_of_another_commit_is_waited_for_and_never_judged() {
    let world = World::new();
    let pull = world.pull(7, |repo| repo.write("README.md", "one"));
    let newer = world.pull(7, |repo| repo.write("README.md", "two"));
    let step = world.step("pull_request_target", pull.payload("eve/agents"), world.workspace("empty"));
    let done = step.run().ends(3);
    assert_eq!(done.output("verdict"), "error");
    assert!(done.summary.contains("no test merge"), "{}", done.summary);
    let step = world.step("pull_request_target", newer.payload("eve/agents"), world.workspace("empty"));
    step.run().ends(0);
}

#[test]
fn what_a_fork_plants_is_contained_and_named() {
    let world = World::new();
    let pull = world.pull(7, |repo| {
        repo.write("eval/diag-gate.toml", "[gate.levels]\n\"case-regressed\" = \"ignore\"\n");
        let case = |id: &str, trace: &str| {
            format!(r#"{{"id": "{id}", "traceFixture": "{trace}", "expectedRootCauseKeywords": ["磁盘满"]}}"#)
        };
        let planted = [
            case("::set-output name=verdict::pass", "one.json"),
            case("link", "link.json"),
            case("huge", "huge.json"),
        ];
        repo.write("eval/cases/planted.json", format!("[{}]", planted.join(",")));
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", repo.root().join("eval/fixtures/link.json")).unwrap();
        // Compresses to nearly nothing, as an attacker would have it.
        std::fs::File::create(repo.root().join("eval/fixtures/huge.json")).unwrap().set_len(1 << 28).unwrap();
        repo.write_answer("two", BAD);
    });
    let step = world.step("pull_request_target", pull.payload("eve/agents"), world.workspace("empty"));
    let done = step.run().ends(1);
    assert_eq!(done.output("verdict"), "fail");
    let results = done.report["results"].as_array().unwrap();
    let unjudged = |id: &str| {
        let result = results.iter().find(|result| result["caseId"] == id).unwrap();
        assert_eq!(result["passed"], false, "{id}");
        result.to_string()
    };
    assert!(unjudged("link").contains("not-a-file"));
    assert!(unjudged("huge").contains("too-large"));
    for line in done.told.stdout.lines() {
        let inert = !line.contains("::set-output") && !line.contains("##[");
        assert!(inert, "{line}");
        let is_ours = !line.trim_start().starts_with("::")
            || ["::error ", "::warning ", "::notice "].iter().any(|own| line.starts_with(own));
        assert!(is_ours, "{line}");
    }
    assert!(!done.told.stdout.contains("root:"), "nothing of the link's target");
}

#[test]
fn the_words_of_a_pull_request_do_not_reach_the_log() {
    let world = World::new();
    let pull = world.pull(7, |repo| {
        let answer = "SECRETWORD ::add-mask::fail ##[error]boo";
        repo.write_answer("one", answer);
        repo.write(
            "eval/cases/more.json",
            r#"[{"id": "more", "title": "SECRETWORD", "traceFixture": "one.json", "expectedRootCauseKeywords": ["SECRETWORD2"]}]"#,
        );
    });
    let step = || world.step("pull_request_target", pull.payload("eve/agents"), world.workspace("empty"));
    let done = step().run().ends(1);
    let log = format!("{}{}", done.told.stdout, done.told.stderr);
    assert!(!log.contains("SECRETWORD"), "{log}");
    assert!(done.summary.contains("SECRETWORD"), "{}", done.summary);
    // Asked for, it is between a stop and a resume that nobody can guess, and broken up.
    let done = step().run_with(&["--verbose", "ci"]).ends(1);
    let log = &done.told.stdout;
    assert!(log.contains("SECRETWORD"), "{log}");
    let token =
        log.lines().find_map(|line| line.strip_prefix("::stop-commands::")).expect("a stop").to_owned();
    assert!(token.len() >= 32, "{token}");
    let (_, stopped) = log.split_once(&format!("::stop-commands::{token}\n")).unwrap();
    let (stopped, _) = stopped.split_once(&format!("::{token}::\n")).expect("a resume");
    assert!(!stopped.contains("::") && !stopped.contains("##["), "{stopped}");
}

#[test]
fn a_broken_suite_is_an_error_whose_words_stay_out_of_the_log() {
    let world = World::new();
    let pull =
        world.pull(7, |repo| repo.write("eval/cases/all.json", "[{\"id\": \"SECRETWORD ::warning::x\"}]"));
    let step = world.step("pull_request_target", pull.payload("eve/agents"), world.workspace("empty"));
    let done = step.run().ends(2);
    assert_eq!(done.output("verdict"), "error");
    let log = format!("{}{}", done.told.stdout, done.told.stderr);
    assert!(!log.contains("SECRETWORD"), "{log}");
    assert!(
        done.summary.contains("SECRETWORD") && done.summary.contains("cases/all.json"),
        "{}",
        done.summary
    );
}
