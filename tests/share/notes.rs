//! `run --note`.

use crate::World;

const NOTES: &str = "refs/notes/diag-gate/default";

#[test]
fn a_run_note_shows_in_the_log_and_replaces_the_one_before() {
    let world = World::new();
    world.succeed(world.a(), &["run", "--note"]);
    let shown = || world.git(world.a(), &["log", "-1", "--format=%N", "--notes=diag-gate/default"]);
    assert!(
        shown().starts_with("diag-gate default: 3/3 passed (100 %), 0 unjudged, content "),
        "{}",
        shown()
    );
    world.git(world.a(), &["notes", "--ref", NOTES, "append", "-m", "seen by Bea"]);
    let before = shown();
    world.succeed(world.a(), &["run", "--note"]);
    assert_eq!(shown(), before);
    let tip = world.value(world.a(), NOTES);
    world.succeed(world.a(), &["run", "--note"]);
    assert_eq!(world.value(world.a(), NOTES), tip, "what stands already is not written again");
    assert_eq!(world.git(world.a(), &["for-each-ref", "refs/notes/diag-gate-scratch"]), "");
    assert_eq!(world.run(world.a(), &["run", "--note", "--worktree"]).status, 2);
    assert_eq!(world.run(world.a(), &["run", "--note", "--case", "one"]).status, 2);
}

#[test]
fn writers_at_the_same_time_lose_no_note() {
    let world = World::new();
    let commits: Vec<String> =
        (0..12).map(|number| world.change(world.a(), "one", &format!("pool {number}"))).collect();
    let started: Vec<_> = commits
        .iter()
        .map(|commit| {
            let mut command = world.command(world.a(), &["run", "--note", "--rev", commit], &[]);
            command.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in started {
        assert!(child.wait().unwrap().success());
    }
    let noted = world.git(world.a(), &["notes", "--ref", NOTES, "list"]);
    assert_eq!(noted.lines().count(), commits.len());
}
