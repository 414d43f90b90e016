//! `verify`: what is accepted can be proved, and what is forged is found.

use crate::{MAIN, World};

/// Puts another link in place of the tip: the same commit with one file replaced by `edit`.
fn forge(world: &World, file: &str, edit: impl Fn(&str) -> String) {
    let a = world.a();
    let text = world.git(a, &["show", &format!("{MAIN}:{file}")]) + "\n";
    let forged = edit(&text);
    assert_ne!(forged, text, "the forgery changes something");
    let path = world.first.base().join("forged");
    std::fs::write(&path, forged).unwrap();
    let blob = world.git(a, &["hash-object", "-w", "--no-filters", path.to_str().unwrap()]);
    let index = world.first.base().join("forged-index");
    let index = format!("GIT_INDEX_FILE={}", index.display());
    let script = format!(
        "export {}; git read-tree {MAIN} && git update-index --cacheinfo 100644,{blob},{file} && git write-tree",
        shell(&index)
    );
    let tree = sh(world, &script);
    let script = format!(
        "git cat-file commit {MAIN} | sed '1s/.*/tree {tree}/' | git hash-object -t commit -w --stdin"
    );
    let commit = sh(world, &script);
    world.git(a, &["update-ref", MAIN, &commit]);
    world.git(a, &["update-ref", "-d", "refs/diag-gate/seen/default/main"]);
}

fn shell(word: &str) -> String {
    let (name, value) = word.split_once('=').unwrap();
    format!("{name}='{value}'")
}

fn sh(world: &World, script: &str) -> String {
    let mut command = std::process::Command::new("sh");
    command.env_clear().envs(world.first.variables()).current_dir(world.a()).args(["-c", script]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn accepted() -> World {
    let world = World::new();
    world.succeed(world.a(), &["accept", "--yes"]);
    world.change(world.a(), "one", "one is lost");
    world.succeed(world.a(), &["accept", "--yes", "-m", "known"]);
    world
}

#[test]
fn an_accepted_report_is_proved() {
    let world = accepted();
    let newest = world.succeed(world.a(), &["verify"]);
    assert_eq!(newest.out.matches("PROVED ").count(), 1, "{}", newest.out);
    world.change(world.a(), "two", "two is lost");
    world.succeed(world.a(), &["accept", "--yes", "--case", "two", "-m", "known, too"]);
    let all = world.succeed(world.a(), &["verify", "--all", "--baseline", "main"]);
    assert_eq!(all.out.matches("PROVED ").count(), 3, "{}", all.out);
    assert_eq!(world.run(world.a(), &["verify", "--baseline", "other"]).status, 2);
}

#[test]
fn a_forged_report_is_found() {
    // Careful: every total fits.
    let world = accepted();
    forge(&world, "report.json", |text| {
        text.replace("\"toolCallCount\":0", "\"toolCallCount\":3")
            .replace("\"averageToolCallCount\": 0.0", "\"averageToolCallCount\": 3.0")
    });
    let found = world.run(world.a(), &["verify"]);
    assert_eq!(found.status, 1, "{}", found.all());
    assert!(found.out.contains("case one: field toolCallCount"), "{}", found.out);
    // Careless: nothing fits.
    let world = accepted();
    forge(&world, "report.json", |text| text.replace("\"passed\":false", "\"passed\":true"));
    let found = world.run(world.a(), &["verify"]);
    assert_eq!(found.status, 1, "{}", found.all());
    assert!(found.out.contains("case one: field passed"), "{}", found.out);
    // White space alone.
    let world = accepted();
    forge(&world, "report.json", |text| text.replace(": ", ":  "));
    assert_eq!(world.run(world.a(), &["verify"]).status, 1);
}

#[test]
fn a_forged_configuration_is_found() {
    let world = accepted();
    forge(&world, "policy.toml", |text| format!("{text}[gate]\nmin_pass_rate = 0.1\n"));
    let found = world.run(world.a(), &["verify"]);
    assert_eq!(found.status, 1, "{}", found.all());
    assert!(found.out.contains("policy.toml"), "{}", found.out);
}

#[test]
fn a_partial_link_is_proved_case_by_case() {
    let world = accepted();
    world.change(world.a(), "two", "two is lost");
    world.change(world.a(), "three", "three is lost");
    world.succeed(world.a(), &["accept", "--yes", "--case", "two", "-m", "known, too"]);
    // A case that the link does not take is changed.
    forge(&world, "report.json", |text| text.replace("\"title\":\"three\"", "\"title\":\"drei\""));
    let found = world.run(world.a(), &["verify"]);
    assert_eq!(found.status, 1, "{}", found.all());
    assert!(found.out.contains("case three: field title"), "{}", found.out);
}

#[test]
fn what_cannot_be_told_is_not_proved() {
    let world = accepted();
    forge(&world, "report.json", |text| text.replace("\"rulesVersion\":\"", "\"rulesVersion\":\"0-"));
    let other = world.run(world.a(), &["verify"]);
    assert_eq!(other.status, 2, "{}", other.all());
    assert!(other.out.contains("UNPROVED"), "{}", other.out);

    let world = accepted();
    world.succeed(world.a(), &["sync"]);
    world.git(world.a(), &["push", "-q", "origin", "main"]);
    world.change(world.a(), "one", "later");
    world.git(world.a(), &["push", "-q", "origin", "main"]);
    let shallow = world.clone("c", &["--depth", "1"]);
    world.succeed(&shallow, &["sync"]);
    let cut = world.run(&shallow, &["verify"]);
    assert_eq!(cut.status, 2, "{}", cut.all());
    // A mismatch is a finding that no doubt takes back.
    let world = accepted();
    forge(&world, "report.json", |text| text.replace("\"passed\":false", "\"passed\":true"));
    assert_eq!(world.run(world.a(), &["verify", "--all"]).status, 1);
}
