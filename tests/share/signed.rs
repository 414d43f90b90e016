//! Links that must be signed, with real SSH keys.

use std::path::Path;
use std::process::Command;

use crate::{MAIN, World};

/// Makes a key; gives its path and its line for a file of signers.
fn key(world: &World, name: &str) -> (String, String) {
    let path = world.first.base().join(name);
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"])
        .arg(&path)
        .status()
        .expect("these tests need `ssh-keygen`: install the OpenSSH client");
    assert!(made.success());
    let public = std::fs::read_to_string(path.with_extension("pub")).unwrap();
    (format!("{}.pub", path.display()), format!("{name}@example.com {public}"))
}

/// Signs as the owner of a key from now on.
fn sign_as(world: &World, clone: &Path, key: &str) {
    world.git(clone, &["config", "gpg.format", "ssh"]);
    world.git(clone, &["config", "user.signingKey", key]);
}

/// A suite that requires signatures, of Ann alone; accepted by her.
fn required() -> (World, String, String) {
    let world = World::new();
    let (ann, line) = key(&world, "ann");
    world.write(world.a(), "eval/diag-gate.toml", "[baseline]\nrequire_signed = true\n");
    world.write(world.a(), "eval/allowed_signers", &line);
    world.commit(world.a(), "require signatures");
    sign_as(&world, world.a(), &ann);
    world.succeed(world.a(), &["accept", "--yes", "--sign"]);
    (world, ann, line)
}

#[test]
fn a_signed_link_counts_and_an_unsigned_one_does_not() {
    let (world, _, line) = required();
    assert_eq!(world.git(world.a(), &["show", &format!("{MAIN}:allowed_signers")]) + "\n", line);
    world.succeed(world.a(), &["check"]);
    world.change(world.a(), "one", "one is lost");
    let before = world.value(world.a(), MAIN);
    let refused = world.run(world.a(), &["accept", "--yes", "-m", "known"]);
    assert_eq!(refused.status, 2, "{}", refused.all());
    assert!(refused.err.contains("--sign"), "{}", refused.err);
    assert_eq!(world.value(world.a(), MAIN), before);
    world.succeed(world.a(), &["accept", "--yes", "--sign", "-m", "known"]);
    world.succeed(world.a(), &["check"]);
    world.succeed(world.a(), &["verify", "--all"]);

    // The same link without its signature.
    let tree = world.git(world.a(), &["rev-parse", &format!("{MAIN}^{{tree}}")]);
    let message = world.git(world.a(), &["log", "-1", "--format=%B", MAIN]);
    let unsigned = world.git(world.a(), &["commit-tree", &tree, "-p", &before, "-m", message.trim_end()]);
    world.git(world.a(), &["update-ref", MAIN, &unsigned]);
    world.git(world.a(), &["update-ref", "-d", "refs/diag-gate/seen/default/main"]);
    for words in [&["check"][..], &["accept", "--yes", "--sign", "-m", "x"], &["sync"]] {
        let said = world.run(world.a(), words);
        assert_eq!(said.status, 2, "{words:?}: {}", said.all());
        assert!(said.err.contains("does not count"), "{words:?}: {}", said.err);
    }
    assert_eq!(world.run(world.a(), &["verify"]).status, 1);
}

#[test]
fn an_unsigned_link_does_not_hide_below_others() {
    let (world, _, _) = required();
    let first = world.value(world.a(), MAIN);
    // A forged link that requires nothing, and one more on top, which nothing then asks to be signed.
    world.write(world.a(), "eval/diag-gate.toml", "");
    world.commit(world.a(), "no signatures");
    world.succeed(world.a(), &["accept", "--yes", "--sign", "-m", "let it go"]);
    let tree = world.git(world.a(), &["rev-parse", &format!("{MAIN}^{{tree}}")]);
    let message = world.git(world.a(), &["log", "-1", "--format=%B", MAIN]);
    let forged = world.git(world.a(), &["commit-tree", &tree, "-p", &first, "-m", message.trim_end()]);
    let top = world.git(world.a(), &["commit-tree", &tree, "-p", &forged, "-m", message.trim_end()]);
    world.succeed(world.a(), &["check"]);
    world.git(world.a(), &["update-ref", "-d", "refs/diag-gate/seen/default/main"]);
    world.git(world.a(), &["update-ref", MAIN, &top]);
    let said = world.run(world.a(), &["check"]);
    assert_eq!(said.status, 2, "{}", said.all());
    assert!(said.err.contains(&forged[..12]), "{}", said.err);
}

#[test]
fn a_signer_does_not_let_himself_in() {
    let (world, ann, line) = required();
    let (eve, eves_line) = key(&world, "eve");
    world.write(world.a(), "eval/allowed_signers", &format!("{line}{eves_line}"));
    world.commit(world.a(), "Eve may sign");
    sign_as(&world, world.a(), &eve);
    let before = world.value(world.a(), MAIN);
    let refused = world.run(world.a(), &["accept", "--yes", "--sign", "-m", "me too"]);
    assert_eq!(refused.status, 2, "{}", refused.all());
    assert_eq!(world.value(world.a(), MAIN), before);
    // Ann lets her in, though nothing else has changed; from then on she may.
    sign_as(&world, world.a(), &ann);
    world.succeed(world.a(), &["accept", "--yes", "--sign", "-m", "Eve may sign"]);
    assert_ne!(world.value(world.a(), MAIN), before);
    sign_as(&world, world.a(), &eve);
    world.change(world.a(), "one", "one is lost");
    world.succeed(world.a(), &["accept", "--yes", "--sign", "-m", "known"]);
    world.succeed(world.a(), &["check"]);
    world.succeed(world.a(), &["verify", "--all"]);
}

#[test]
fn signatures_that_nobody_could_give_are_not_required() {
    let world = World::new();
    world.write(world.a(), "eval/diag-gate.toml", "[baseline]\nrequire_signed = true\n");
    world.commit(world.a(), "require signatures of nobody");
    let refused = world.run(world.a(), &["accept", "--yes"]);
    assert_eq!(refused.status, 2, "{}", refused.all());
    assert!(refused.err.contains("allowed_signers"), "{}", refused.err);
}

#[test]
fn a_remade_acceptance_is_signed_again() {
    let (world, ann, _) = required();
    world.git(world.a(), &["push", "-q", "origin", "main"]);
    world.succeed(world.a(), &["sync"]);
    let b = world.clone("b", &[]);
    sign_as(&world, &b, &ann);
    world.succeed(&b, &["sync"]);
    world.change(world.a(), "one", "one is lost");
    world.succeed(world.a(), &["accept", "--sign", "--push", "--yes", "--case", "one", "-m", "known"]);
    world.change(&b, "two", "two is lost");
    world.succeed(&b, &["accept", "--sign", "--yes", "--case", "two", "-m", "known"]);
    world.succeed(&b, &["sync"]);
    world.succeed(&b, &["check"]);
    assert_eq!(world.links(&world.remote(), MAIN), 3);
}

#[test]
fn a_chain_that_was_cut_off_cannot_be_told_to_be_signed() {
    let (world, _, _) = required();
    world.change(world.a(), "one", "one is lost");
    world.succeed(world.a(), &["accept", "--yes", "--sign", "--push", "-m", "known"]);
    world.git(world.a(), &["push", "-q", "origin", "main"]);
    let shallow = world.clone("c", &["--depth", "1"]);
    world.git(&shallow, &["fetch", "-q", "--depth", "1", "origin", &format!("{MAIN}:{MAIN}")]);
    let refused = world.run(&shallow, &["check"]);
    assert_eq!(refused.status, 2, "{}", refused.all());
    assert_eq!(world.run(&shallow, &["verify"]).status, 2);
    // Where the whole chain was fetched, depth 1 of the rest is enough.
    let whole = world.clone("d", &["--depth", "1"]);
    world.git(&whole, &["fetch", "-q", "origin", &format!("{MAIN}:{MAIN}")]);
    world.succeed(&whole, &["check"]);
}
