//! `doctor`.

use crate::World;

#[test]
fn each_finding_names_what_mends_it() {
    let world = World::new();
    let said = world.run(world.a(), &["doctor"]);
    assert_eq!(said.status, 0, "{}", said.all());
    for word in ["git version", "SHA-1, refs as files", "whole history", "there is no default/main", "origin"]
    {
        assert!(said.out.contains(word), "{word}: {}", said.out);
    }
    assert!(said.out.contains("mend it: `diag-gate sync origin`"), "{}", said.out);
    let with = world.run_with(world.a(), &["doctor"], &[("GITHUB_TOKEN", "secret-of-a-test")]);
    assert!(with.out.contains("GITHUB_TOKEN is set") && !with.all().contains("secret-of-a-test"));
    let shallow = world.clone("c", &["--depth", "1"]);
    assert!(world.run(&shallow, &["doctor"]).out.contains("`git fetch --unshallow`"));
}

#[test]
fn what_fails_is_told_by_the_exit_status() {
    let world = World::new();
    world.git(world.a(), &["remote", "set-url", "origin", "/nonexistent/remote.git"]);
    let said = world.run(world.a(), &["doctor"]);
    assert_eq!(said.status, 3, "{}", said.all());
    assert!(said.out.contains("fail"), "{}", said.out);
    let outside = world.first.base().join("home");
    assert_eq!(world.run(&outside, &["doctor"]).status, 3);
}

#[test]
fn doctor_writes_nothing() {
    let world = World::new();
    world.succeed(world.a(), &["accept", "--yes"]);
    let refs = |clone: &std::path::Path| world.git(clone, &["for-each-ref"]);
    let before = (refs(world.a()), refs(&world.remote()));
    world.succeed(world.a(), &["doctor"]);
    assert_eq!((refs(world.a()), refs(&world.remote())), before);
}
