//! `accept --push`: one act.

use crate::{MAIN, World};

#[test]
fn an_acceptance_and_its_push_are_one_act() {
    let world = World::new();
    world.succeed(world.a(), &["accept", "--yes", "--push"]);
    let tip = world.value(world.a(), MAIN);
    assert_eq!(world.value(&world.remote(), MAIN), tip);
    // The next one follows what others pushed meanwhile, without a sync in between.
    let b = world.clone("b", &[]);
    world.change(&b, "one", "one is lost");
    world.succeed(&b, &["accept", "--yes", "--push", "origin", "-m", "known"]);
    assert_eq!(world.git(&b, &["rev-parse", &format!("{MAIN}~1")]), tip);
    assert_eq!(world.value(&world.remote(), MAIN), world.value(&b, MAIN));
    let again = world.succeed(&b, &["accept", "--yes", "--push", "-m", "known"]);
    assert!(again.out.contains("holds this already"), "{}", again.out);
}

#[test]
fn where_the_push_fails_the_baseline_is_put_back() {
    let world = World::new();
    world.hook("exit 1");
    let refused = world.run(world.a(), &["accept", "--yes", "--push"]);
    assert_eq!(refused.status, 3, "{}", refused.all());
    assert!(refused.err.contains("nothing was accepted"), "{}", refused.err);
    assert_eq!(world.value(world.a(), MAIN), "");
    assert_eq!(world.value(world.a(), "refs/diag-gate/seen"), "");
    std::fs::remove_file(world.remote().join("hooks/pre-receive")).unwrap();
    world.succeed(world.a(), &["accept", "--yes", "--push"]);
    let tip = world.value(world.a(), MAIN);
    world.hook("exit 1");
    world.change(world.a(), "one", "one is lost");
    for more in [&["--pending"][..], &[]] {
        let words = [&["accept", "--yes", "--push", "-m", "known"], more].concat();
        assert_eq!(world.run(world.a(), &words).status, 3);
        assert_eq!(world.value(world.a(), MAIN), tip);
        assert_eq!(world.value(world.a(), "refs/diag-gate/seen/default/main"), tip);
        assert_eq!(world.value(world.a(), "refs/diag-gate/pending"), "");
    }
    // A remote that does not answer: nothing is even begun.
    world.git(world.a(), &["remote", "set-url", "origin", "/nonexistent/remote.git"]);
    assert_eq!(world.run(world.a(), &["accept", "--yes", "--push", "-m", "known"]).status, 3);
    assert_eq!(world.value(world.a(), MAIN), tip);
}

#[test]
fn a_pending_acceptance_is_pushed_alone() {
    let world = World::new();
    world.succeed(world.a(), &["accept", "--yes"]);
    world.change(world.a(), "one", "one is lost");
    world.succeed(world.a(), &["accept", "--yes", "--pending", "--push", "-m", "known"]);
    let there = world.git(&world.remote(), &["for-each-ref", "--format=%(refname)", "refs/diag-gate"]);
    assert!(
        there.starts_with("refs/diag-gate/pending/default/main/") && there.lines().count() == 1,
        "{there}"
    );
}
