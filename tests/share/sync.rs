//! `sync`: two clones and what lies between them.

use crate::{MAIN, World};

const COPY: &str = "refs/diag-gate/remotes/origin/baselines/default/main";

/// Two clones that share one accepted baseline.
fn shared() -> (World, std::path::PathBuf) {
    let world = World::new();
    world.succeed(world.a(), &["accept", "--yes", "-m", "first"]);
    world.succeed(world.a(), &["sync"]);
    let b = world.clone("b", &[]);
    world.succeed(&b, &["sync"]);
    (world, b)
}

#[test]
fn a_baseline_travels_from_one_clone_to_the_other() {
    let world = World::new();
    let nothing = world.succeed(world.a(), &["sync"]);
    assert!(nothing.out.contains("no baseline here or on origin"), "{}", nothing.out);
    world.succeed(world.a(), &["accept", "--yes"]);
    let tip = world.value(world.a(), MAIN);
    let pushed = world.succeed(world.a(), &["sync"]);
    assert!(pushed.out.contains("pushed"), "{}", pushed.out);
    assert_eq!(world.value(&world.remote(), MAIN), tip);
    assert_eq!(world.value(world.a(), COPY), tip);
    let b = world.clone("b", &[]);
    let fetched = world.succeed(&b, &["sync", "origin"]);
    assert!(fetched.out.contains("fetched"), "{}", fetched.out);
    assert_eq!(world.value(&b, MAIN), tip);
    let same = world.succeed(&b, &["sync"]);
    assert!(same.out.contains("up to date"), "{}", same.out);
    world.succeed(&b, &["check"]);
    // What was seen in a clone, and what was fetched into it, stay there.
    let there = world.git(&world.remote(), &["for-each-ref", "--format=%(refname)", "refs/diag-gate"]);
    assert_eq!(there, MAIN);
}

#[test]
fn a_clone_that_is_behind_moves_forward() {
    let (world, b) = shared();
    world.change(&b, "one", "the pool again");
    world.succeed(&b, &["accept", "--yes", "-m", "newer"]);
    world.succeed(&b, &["sync"]);
    let tip = world.value(&b, MAIN);
    world.succeed(world.a(), &["sync"]);
    assert_eq!(world.value(world.a(), MAIN), tip);
}

#[test]
fn the_same_content_accepted_twice_is_no_conflict() {
    let (world, b) = shared();
    for clone in [world.a(), b.as_path()] {
        world.change(clone, "one", "another pool");
        let name = if clone == b { "Bea" } else { "Ann" };
        assert_eq!(world.run_as(clone, name, &["accept", "--yes", "-m", "why"]).status, 0);
    }
    world.succeed(world.a(), &["sync"]);
    let theirs = world.value(world.a(), MAIN);
    let held = world.succeed(&b, &["sync"]);
    assert!(held.out.contains("holds what was accepted here"), "{}", held.out);
    assert_eq!(world.value(&b, MAIN), theirs);
    assert_eq!(world.value(&world.remote(), MAIN), theirs);
    world.succeed(&b, &["check"]);
}

#[test]
fn acceptances_of_other_cases_are_made_again_on_top() {
    let (world, b) = shared();
    world.change(world.a(), "one", "one is lost");
    assert_eq!(
        world.run_as(world.a(), "Ann", &["accept", "--yes", "--case", "one", "-m", "one is known"]).status,
        0
    );
    world.succeed(world.a(), &["sync"]);
    world.change(&b, "two", "two is lost");
    let ours = [("GIT_AUTHOR_NAME", "Bea"), ("GIT_AUTHOR_DATE", "1710000000 +0100")];
    let accepted = world.run_with(&b, &["accept", "--yes", "--case", "two", "-m", "two is known"], &ours);
    assert_eq!(accepted.status, 0, "{}", accepted.all());
    world.succeed(&b, &["check"]);
    let remade = world.succeed(&b, &["sync"]);
    assert!(remade.out.contains("made 1 acceptance again"), "{}", remade.out);
    let log = world.git(&world.remote(), &["log", "--format=%an|%ad|%s|%b", "--date=raw", "-2", MAIN]);
    assert!(log.starts_with("Bea|1710000000 +0100|accept default/main: 1/3 passed"), "{log}");
    assert!(log.contains("two is known"), "{log}");
    assert!(log.contains("Diag-Gate-Case: two"), "{log}");
    assert!(log.contains("Ann|") && log.contains("one is known"), "{log}");
    assert_eq!(world.links(&world.remote(), MAIN), 3);
    assert_eq!(world.value(&b, MAIN), world.value(&world.remote(), MAIN));
    world.succeed(&b, &["check"]);
    world.succeed(world.a(), &["sync"]);
    // Each of the links can be proved, where both histories are there.
    world.git(&b, &["fetch", "-q", world.a().to_str().unwrap(), "main"]);
    let proved = world.succeed(&b, &["verify", "--all"]);
    assert_eq!(proved.out.matches("PROVED ").count(), 3, "{}", proved.out);
}

#[test]
fn whole_acceptances_that_touch_other_cases_are_made_again_too() {
    let (world, b) = shared();
    world.change(world.a(), "one", "one is lost");
    world.succeed(world.a(), &["accept", "--yes", "-m", "one is known"]);
    world.succeed(world.a(), &["sync"]);
    world.change(&b, "two", "two is lost");
    world.succeed(&b, &["accept", "--yes", "-m", "two is known"]);
    world.succeed(&b, &["sync"]);
    let report = world.git(&b, &["show", &format!("{MAIN}:report.json")]);
    assert!(report.contains("\"passedCases\": 1"), "{report}");
    assert!(world.git(&b, &["log", "-1", "--format=%b", MAIN]).contains("Diag-Gate-Case: two"));
}

#[test]
fn one_case_accepted_differently_is_a_conflict_that_changes_nothing() {
    let (world, b) = shared();
    for (clone, name) in [(world.a(), "Ann"), (b.as_path(), "Bea")] {
        world.change(clone, "one", &format!("lost by {name}"));
        let reason = format!("{name} says so");
        let said = world.run_as(clone, name, &["accept", "--yes", "--case", "one", "-m", &reason]);
        assert_eq!(said.status, 0, "{}", said.all());
    }
    world.succeed(world.a(), &["sync"]);
    let (ours, theirs) = (world.value(&b, MAIN), world.value(&world.remote(), MAIN));
    let conflict = world.run(&b, &["sync"]);
    assert_eq!(conflict.status, 2, "{}", conflict.all());
    for word in ["case one", "Ann", "Bea", "Ann says so", "Bea says so"] {
        assert!(conflict.err.contains(word), "{word}: {}", conflict.err);
    }
    assert_eq!((world.value(&b, MAIN), world.value(&world.remote(), MAIN)), (ours, theirs));
}

#[test]
fn a_rewritten_chain_is_refused_until_it_is_taken_over_by_its_id() {
    let (world, b) = shared();
    let old = world.value(&b, MAIN);
    // Another first link, forced onto the remote.
    world.git(world.a(), &["update-ref", "-d", MAIN]);
    world.git(world.a(), &["update-ref", "-d", COPY]);
    world.git(world.a(), &["update-ref", "-d", "refs/diag-gate/seen/default/main"]);
    world.change(world.a(), "one", "quite another");
    world.succeed(world.a(), &["accept", "--yes", "-m", "again from the start"]);
    world.git(world.a(), &["push", "-q", "--force", "origin", MAIN]);
    let new = world.value(world.a(), MAIN);
    for _ in 0..2 {
        let refused = world.run(&b, &["sync"]);
        assert_eq!(refused.status, 2, "{}", refused.all());
        assert!(refused.err.contains("rewritten") && refused.err.contains(&new), "{}", refused.err);
        assert_eq!(world.value(&b, MAIN), old);
        assert_eq!(world.value(&world.remote(), MAIN), new);
    }
    assert_eq!(world.run(&b, &["sync", "--accept-rewritten", &new[..12]]).status, 2);
    assert_eq!(world.run(&b, &["sync", "--accept-rewritten", &old]).status, 2);
    let taken = world.succeed(&b, &["sync", "--accept-rewritten", &new]);
    assert!(taken.out.contains(&old), "{}", taken.out);
    assert_eq!(world.value(&b, MAIN), new);
    assert_eq!(world.value(&b, "refs/diag-gate/seen/default/main"), new);
    world.succeed(&b, &["sync"]);
    assert_eq!(world.run(&b, &["check"]).status, 0);
}

#[test]
fn a_chain_that_was_rolled_back_is_a_rewritten_one() {
    let (world, b) = shared();
    let first = world.value(&b, MAIN);
    world.change(&b, "one", "one is lost");
    world.succeed(&b, &["accept", "--yes", "-m", "known"]);
    world.succeed(&b, &["sync"]);
    world.git(&world.remote(), &["update-ref", MAIN, &first]);
    for _ in 0..2 {
        assert_eq!(world.run(&b, &["sync"]).status, 2);
        assert_eq!(world.value(&world.remote(), MAIN), first);
    }
}

#[test]
fn no_answer_is_not_an_answer_without_refs() {
    let world = World::new();
    world.succeed(world.a(), &["accept", "--yes"]);
    world.git(world.a(), &["remote", "add", "gone", "/nonexistent/remote.git"]);
    let said = world.run(world.a(), &["sync", "gone"]);
    assert_eq!(said.status, 3, "{}", said.all());
    assert_eq!(world.run(world.a(), &["sync", "unknown"]).status, 2);
    for odd in ["-x", "../x", "a b"] {
        assert_eq!(world.run(world.a(), &["sync", "--", odd]).status, 2, "{odd}");
    }
}

#[test]
fn a_hook_that_refuses_is_told_and_nothing_moves() {
    let (world, b) = shared();
    let there = world.value(&world.remote(), MAIN);
    world.hook("echo 'the ledger is closed' >&2; echo 'hint: ask Ann' >&2; exit 1");
    world.change(&b, "one", "one is lost");
    world.succeed(&b, &["accept", "--yes", "-m", "known"]);
    let refused = world.run(&b, &["sync"]);
    assert_eq!(refused.status, 3, "{}", refused.all());
    for line in ["\n           remote: the ledger is closed\n", "\n           remote: hint: ask Ann\n"] {
        assert!(refused.err.contains(line), "{}", refused.err);
    }
    assert!(!refused.err.contains("grafts"), "{}", refused.err);
    assert_eq!(world.value(&world.remote(), MAIN), there);
}

#[test]
fn a_shallow_clone_shares_and_a_full_one_stays_full() {
    let (world, b) = shared();
    let shallow = world.clone("c", &["--depth", "1"]);
    world.succeed(&shallow, &["sync"]);
    world.succeed(&shallow, &["check"]);
    world.change(&shallow, "one", "one is lost");
    world.succeed(&shallow, &["accept", "--yes", "-m", "known"]);
    world.succeed(&shallow, &["sync"]);
    world.succeed(&b, &["sync"]);
    assert_eq!(world.value(&b, MAIN), world.value(&shallow, MAIN));
    assert_eq!(world.git(&b, &["rev-parse", "--is-shallow-repository"]), "false");
}

#[test]
fn a_chain_of_depth_1_is_enough_for_a_check() {
    let (world, b) = shared();
    world.change(&b, "one", "one is lost");
    world.succeed(&b, &["accept", "--yes", "--push", "-m", "known"]);
    world.git(&b, &["push", "-q", "origin", "main"]);
    let shallow = world.clone("c", &["--depth", "1"]);
    world.git(&shallow, &["fetch", "-q", "--depth", "1", "origin", &format!("{MAIN}:{MAIN}")]);
    assert_eq!(world.links(&shallow, MAIN), 1);
    world.succeed(&shallow, &["check"]);
    world.succeed(&shallow, &["sync"]);
    world.change(&shallow, "two", "two is lost");
    world.succeed(&shallow, &["accept", "--yes", "--push", "-m", "known, too"]);
    world.succeed(&b, &["sync"]);
    assert_eq!(world.links(&b, MAIN), 3);
}

#[test]
fn what_vanished_there_is_pruned_here_and_put_back_there() {
    let (world, b) = shared();
    let tip = world.value(&b, MAIN);
    world.git(&world.remote(), &["update-ref", "-d", MAIN]);
    world.succeed(&b, &["sync"]);
    assert_eq!(world.value(&world.remote(), MAIN), tip);
    world.git(
        &b,
        &["update-ref", "refs/diag-gate/remotes/origin/pending/default/main/0123456789abcdef", "HEAD"],
    );
    world.succeed(&b, &["sync"]);
    assert_eq!(world.value(&b, "refs/diag-gate/remotes/origin/pending"), "");
}

#[test]
fn pending_acceptances_are_shared_until_they_have_landed() {
    let (world, b) = shared();
    world.change(world.a(), "one", "one is lost");
    let pending = world.run_as(world.a(), "Ann", &["accept", "--pending", "--yes", "-m", "it is known"]);
    assert_eq!(pending.status, 0, "{}", pending.all());
    let pushed = world.succeed(world.a(), &["sync"]);
    assert!(pushed.out.contains("pending"), "{}", pushed.out);
    let below = "refs/diag-gate/pending/";
    let there = |clone: &std::path::Path| world.git(clone, &["for-each-ref", "--format=%(refname)", below]);
    let reference = there(&world.remote());
    assert!(reference.starts_with("refs/diag-gate/pending/default/main/"), "{reference}");
    // The same content passes in the other clone.
    world.change(&b, "one", "one is lost");
    assert_eq!(world.run(&b, &["check"]).status, 1);
    world.succeed(&b, &["sync"]);
    world.succeed(&b, &["check"]);
    // It lands, is promoted in `a`, and is not brought back by anyone.
    world.succeed(world.a(), &["promote", "--push"]);
    assert_eq!(there(&world.remote()), "");
    assert_eq!(world.links(&world.remote(), MAIN), 2);
    world.succeed(&b, &["sync"]);
    world.succeed(world.a(), &["sync"]);
    for clone in [world.remote().as_path(), &b, world.a()] {
        assert_eq!(there(clone), "");
    }
}

#[test]
fn a_pending_acceptance_that_the_chain_holds_is_dropped_and_not_pushed() {
    let (world, b) = shared();
    world.change(world.a(), "one", "one is lost");
    world.succeed(world.a(), &["accept", "--pending", "--yes", "-m", "it is known"]);
    world.change(&b, "one", "one is lost");
    world.succeed(&b, &["accept", "--yes", "-m", "accepted straight away"]);
    world.succeed(&b, &["sync"]);
    let dropped = world.succeed(world.a(), &["sync"]);
    assert!(dropped.out.contains("dropped"), "{}", dropped.out);
    for clone in [world.a(), &world.remote()] {
        assert_eq!(world.git(clone, &["for-each-ref", "refs/diag-gate/pending"]), "");
    }
}

#[test]
fn two_clones_that_race_lose_nothing() {
    let (world, b) = shared();
    for round in 0..20 {
        let before = world.links(&world.remote(), MAIN);
        world.change(world.a(), "one", &format!("round {round} of one"));
        world.change(&b, "two", &format!("round {round} of two"));
        let start = |clone, case, name| {
            let words = ["accept", "--push", "--yes", "--case", case, "-m", name];
            world
                .command(clone, &words, &[("GIT_AUTHOR_NAME", name)])
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        };
        let (one, two) = (start(world.a(), "one", "Ann"), start(&b, "two", "Bea"));
        for child in [one, two] {
            let said = crate::Said::of(child.wait_with_output().unwrap());
            assert_eq!(said.status, 0, "round {round}: {}", said.all());
        }
        let parents = world.git(&world.remote(), &["rev-list", "--parents", MAIN]);
        assert!(parents.lines().all(|line| line.split(' ').count() <= 2), "the chain is linear");
        assert_eq!(world.links(&world.remote(), MAIN), before + 2, "round {round}");
        let authors = world.git(&world.remote(), &["log", "-2", "--format=%an", MAIN]);
        assert!(authors.contains("Ann") && authors.contains("Bea"), "round {round}: {authors}");
    }
    world.succeed(world.a(), &["sync"]);
    world.succeed(&b, &["sync"]);
    assert_eq!(world.value(world.a(), MAIN), world.value(&b, MAIN));
}
