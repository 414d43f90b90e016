//! Ref writes and identities through the git program.

use std::os::unix::fs::PermissionsExt as _;

use diag_gate::error::Error;
use diag_gate::git::{Call, GitEnvironment, GitError, Repository, Update};

use crate::support::TestRepo;

const REF: &str = "refs/diag-gate/baselines/default/main";

#[test]
fn a_ref_moves_only_from_what_was_expected() {
    let repo = TestRepo::new();
    let first = repo.commit("first");
    let second = repo.commit("second");
    let opened = repo.open();
    let program = opened.program();
    assert_eq!(program.update_ref(REF, &first, Some(&second), "x").unwrap(), Update::Moved);
    assert_eq!(program.update_ref(REF, &first, None, "made").unwrap(), Update::Updated);
    assert_eq!(program.update_ref(REF, &second, None, "x").unwrap(), Update::Moved);
    assert_eq!(program.update_ref(REF, &first, Some(&second), "x").unwrap(), Update::Moved);
    assert_eq!(repo.id(REF), first);
    assert_eq!(program.update_ref(REF, &second, Some(&first), "moved on").unwrap(), Update::Updated);
    assert_eq!(repo.id(REF), second);
    let reflog = repo.git(&["reflog", "show", "--format=%gs", REF]);
    assert_eq!(reflog, "moved on\nmade");
}

#[test]
fn a_lock_left_behind_is_named_and_stays() {
    let repo = TestRepo::new();
    let first = repo.commit("first");
    let opened = repo.open();
    opened.program().update_ref(REF, &first, None, "made").unwrap();
    let lock = repo.root().join(".git").join(format!("{REF}.lock"));
    std::fs::write(&lock, "").unwrap();
    let second = repo.commit("second");
    let error = opened.program().update_ref(REF, &second, Some(&first), "x").unwrap_err();
    assert!(matches!(&error, GitError::Locked { file, age: Some(_), .. } if *file == lock), "{error}");
    let told = Error::from(error);
    assert!(told.message.contains("seconds old"), "{}", told.message);
    assert!(lock.exists());
    assert_eq!(repo.id(REF), first);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error() {
    let repo = TestRepo::new();
    let first = repo.commit("first");
    // A file where the folder of the ref belongs: no write gets through, for root neither.
    repo.write(".git/refs/diag-gate", "");
    let opened = repo.open();
    let error = opened.program().update_ref(REF, &first, None, "x").unwrap_err();
    assert!(matches!(error, GitError::Program { .. }), "{error}");
    assert!(!Error::from(error).causes.is_empty());
}

#[test]
fn the_identity_is_the_one_that_git_would_choose() {
    let repo = TestRepo::new();
    let (author, committer) = repo.open().program().identities().unwrap();
    assert_eq!(author.person.name, "Ann Author");
    assert_eq!((author.at.seconds, author.at.offset_minutes), (1_700_000_000, 480));
    assert_eq!(committer.person.email, "cem@example.com");

    let nobody = repo.variables().into_iter().filter(|(name, _)| {
        !["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]
            .iter()
            .any(|known| name == known)
    });
    repo.git(&["config", "user.useConfigOnly", "true"]);
    let environment = GitEnvironment::new(nobody, repo.base());
    let opened = Repository::discover(repo.root(), &environment).unwrap().unwrap();
    let told = Error::from(opened.program().identities().unwrap_err());
    assert!(told.message.contains("who you are"));
    assert!(told.hints[0].contains("git config user.name"), "{:?}", told.hints);
}

#[test]
fn a_program_that_is_missing_or_too_old_says_so() {
    let repo = TestRepo::new();
    let bin = repo.base().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let open = || {
        let others = repo.variables().into_iter().filter(|(name, _)| name != "PATH");
        let path = ("PATH".into(), bin.clone().into_os_string());
        let environment = GitEnvironment::new(others.chain([path]), repo.base());
        Repository::discover(repo.root(), &environment).unwrap().unwrap()
    };
    let error = open().program().run(Call::new(&["version"])).unwrap_err();
    assert!(matches!(error, GitError::ProgramMissing { .. }), "{error}");
    std::fs::write(bin.join("git"), "#!/bin/sh\necho git version 2.35.9\n").unwrap();
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let error = open().program().run(Call::new(&["version"])).unwrap_err();
    assert!(error.to_string().contains("2.35.9") && error.to_string().contains("2.36"), "{error}");
}

#[test]
fn large_input_and_output_do_not_wait_for_one_another() {
    let repo = TestRepo::new();
    let opened = repo.open();
    let lines = "no-such-object\n".repeat(200_000);
    let call = Call::new(&["cat-file", "--batch-check"]).input(lines.into_bytes());
    let printed = opened.program().run(call).unwrap();
    assert_eq!(printed, "no-such-object missing\n".repeat(200_000).into_bytes());
}
