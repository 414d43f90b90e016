//! Which repository is found, and what its revisions name.

use std::path::Path;

use diag_gate::error::{Error, ErrorKind};
use diag_gate::git::{GitEnvironment, GitError, Repository};
use diag_gate::ids::HashKind;

use crate::support::TestRepo;

fn discover(repo: &TestRepo, start: &Path, extra: &[(&str, &Path)]) -> Result<Option<Repository>, GitError> {
    Repository::discover(start, &environment(repo, extra))
}

fn environment(repo: &TestRepo, extra: &[(&str, &Path)]) -> GitEnvironment {
    let mut variables = repo.variables();
    variables.extend(extra.iter().map(|(name, value)| (name.into(), value.into())));
    GitEnvironment::new(variables, repo.base())
}

fn failure<T>(result: Result<T, GitError>) -> GitError {
    match result {
        Ok(_) => panic!("this should have failed"),
        Err(error) => error,
    }
}

#[test]
fn a_repository_is_found_from_below() {
    let repo = TestRepo::new();
    repo.write("a/b/file", "x");
    let head = repo.commit("first");
    let found = repo.open_at(&repo.root().join("a/b"));
    assert_eq!(found.work_tree(), Some(repo.root()));
    assert_eq!(found.hash_kind(), HashKind::Sha1);
    assert_eq!(found.head_commit().unwrap(), Some(head));
    assert!(!found.is_bare() && !found.is_shallow() && !found.is_from_environment());
}

#[test]
fn outside_of_a_repository_there_is_none() {
    let repo = TestRepo::new();
    let outside = repo.base().join("home");
    let ceiling = repo.base().parent().unwrap().to_owned();
    let found = discover(&repo, &outside, &[("GIT_CEILING_DIRECTORIES", &ceiling)]).unwrap();
    assert!(found.is_none());
    let error = failure(discover(&repo, &repo.base().join("no such folder"), &[]));
    assert!(matches!(error, GitError::NoFolder { .. }), "{error}");
}

#[test]
fn a_repository_that_is_broken_is_never_none() {
    let repo = TestRepo::new();
    std::fs::remove_file(repo.root().join(".git/HEAD")).unwrap();
    let error = failure(discover(&repo, repo.root(), &[]));
    assert!(matches!(error, GitError::Broken { .. }), "{error}");
    std::fs::remove_dir_all(repo.root().join(".git")).unwrap();
    repo.write(".git", "gitdir: ../gone\n");
    failure(discover(&repo, repo.root(), &[]));
}

#[test]
fn bare_repositories_and_linked_worktrees_are_read() {
    let repo = TestRepo::new();
    let head = repo.commit("first");
    let bare = repo.base().join("bare");
    repo.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let opened = repo.open_at(&bare);
    assert!(opened.is_bare());
    assert_eq!(opened.head_commit().unwrap(), Some(head.clone()));

    let linked = repo.base().join("-linked 树");
    repo.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    std::fs::write(linked.join("new"), "x").unwrap();
    repo.git_in(&linked, &["add", "--all"]);
    repo.git_in(&linked, &["commit", "-q", "-m", "second"]);
    let opened = repo.open_at(&linked);
    assert_eq!(opened.work_tree(), Some(linked.as_path()));
    assert_eq!(opened.common_dir().canonicalize().unwrap(), repo.root().join(".git"));
    let second = opened.head_commit().unwrap().unwrap();
    assert_eq!(opened.commit_info(&second).unwrap().parents, [head]);
    assert_eq!(opened.resolve("HEAD~1").unwrap(), repo.id("main"));
}

#[test]
fn a_linked_worktree_of_a_shallow_clone_is_shallow() {
    let repo = TestRepo::new();
    repo.commit("first");
    repo.commit("second");
    let clone = repo.base().join("clone");
    let url = format!("file://{}", repo.root().display());
    repo.git(&["clone", "-q", "--depth", "1", &url, clone.to_str().unwrap()]);
    assert!(repo.open_at(&clone).is_shallow());
    let linked = repo.base().join("linked");
    repo.git_in(&clone, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    assert!(repo.open_at(&linked).is_shallow());
}

#[test]
fn repositories_of_a_kind_that_cannot_be_read_say_so() {
    for (option, word) in [("--object-format=sha256", "SHA-256"), ("--ref-format=reftable", "reftable")] {
        let repo = TestRepo::with(&[option]);
        repo.write("file", "x");
        repo.git(&["add", "--all"]);
        repo.git(&["commit", "-q", "-m", "first"]);
        let error = Error::from(failure(discover(&repo, repo.root(), &[])));
        assert_eq!(error.kind, ErrorKind::Surroundings);
        assert!(error.message.contains(word), "{}", error.message);
    }
}

#[test]
fn the_environment_names_the_repository_unless_a_folder_was_asked_for() {
    let one = TestRepo::new();
    one.commit("one");
    let other = TestRepo::new();
    let head = other.commit("other");
    let named = [("GIT_DIR", other.root().join(".git"))];
    let named: Vec<(&str, &Path)> = named.iter().map(|(name, path)| (*name, path.as_path())).collect();

    let found = discover(&one, one.root(), &named).unwrap().unwrap();
    assert!(found.is_from_environment());
    assert_eq!(found.head_commit().unwrap(), Some(head));

    let chosen = environment(&one, &named).with_chosen_folder();
    let error = Error::from(failure(Repository::discover(one.root(), &chosen)));
    assert_eq!(error.kind, ErrorKind::Input);
    assert!(error.message.contains("GIT_DIR"), "{}", error.message);
    assert!(Repository::discover(other.root(), &chosen).unwrap().is_some());

    let bad = one.base().join("home");
    let error = failure(discover(&one, one.root(), &[("GIT_DIR", &bad)]));
    assert!(matches!(error, GitError::Broken { .. }), "{error}");
}

#[test]
fn a_chosen_folder_in_the_work_tree_of_the_environment_agrees() {
    let repo = TestRepo::new();
    repo.commit("first");
    let tree = repo.base().join("tree");
    std::fs::create_dir_all(tree.join("below")).unwrap();
    let git_dir = repo.root().join(".git");
    let ceiling = repo.base().parent().unwrap().to_owned();
    let named: [(&str, &Path); 3] =
        [("GIT_DIR", &git_dir), ("GIT_WORK_TREE", &tree), ("GIT_CEILING_DIRECTORIES", &ceiling)];
    let environment = environment(&repo, &named).with_chosen_folder();
    let found = Repository::discover(&tree.join("below"), &environment).unwrap().unwrap();
    assert_eq!(found.work_tree(), Some(tree.as_path()));
    assert!(Repository::discover(&repo.base().join("home"), &environment).is_err());
}

#[test]
fn objects_of_a_receiving_hook_are_read() {
    let repo = TestRepo::new();
    repo.commit("first");
    let clone = repo.base().join("clone");
    repo.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    std::fs::write(clone.join("new"), "x").unwrap();
    repo.git_in(&clone, &["add", "--all"]);
    repo.git_in(&clone, &["commit", "-q", "-m", "second"]);
    let pushed = repo.git_in(&clone, &["rev-parse", "HEAD"]);
    let quarantine = clone.join(".git/objects");
    let git_dir = repo.root().join(".git");
    assert!(repo.open().resolve(&pushed).is_err());
    let named: [(&str, &Path); 2] = [("GIT_DIR", &git_dir), ("GIT_OBJECT_DIRECTORY", &quarantine)];
    let found = discover(&repo, repo.root(), &named).unwrap().unwrap();
    let id = found.resolve(&pushed).unwrap();
    assert_eq!(found.commit_info(&id).unwrap().subject(), "second");
}

#[test]
fn an_unborn_head_is_an_error_of_its_own() {
    let repo = TestRepo::new();
    let opened = repo.open();
    assert_eq!(opened.head_commit().unwrap(), None);
    let error = failure(opened.resolve("HEAD"));
    assert!(matches!(&error, GitError::Unborn { branch } if branch == "main"), "{error}");
}

#[test]
fn revisions_name_what_git_says() {
    let repo = TestRepo::new();
    let first = repo.commit("first");
    let second = repo.commit("second: find me");
    repo.git(&["tag", "-a", "-m", "tag", "v1", "HEAD~1"]);
    repo.git(&["tag", "-a", "-m", "tag of a tag", "v2", "v1"]);
    repo.git(&["branch", "分支/x y".replace(' ', "-").as_str(), "HEAD~1"]);
    let opened = repo.open();
    for (revision, expected) in [
        ("HEAD", &second),
        ("@", &second),
        ("main", &second),
        ("refs/heads/main", &second),
        ("HEAD^", &first),
        ("v1", &first),
        ("v2", &first),
        ("refs/tags/v2", &first),
        ("分支/x-y", &first),
        (":/find me", &second),
        (second.short(), &second),
        (first.as_str(), &first),
    ] {
        assert_eq!(&opened.resolve(revision).unwrap(), expected, "{revision}");
    }
    let tag = repo.id("v2");
    assert_eq!(opened.resolve(tag.as_str()).unwrap(), first);
}

#[test]
fn a_tag_and_a_branch_of_one_name_are_told_apart_by_full_names() {
    let repo = TestRepo::new();
    let first = repo.commit("first");
    let second = repo.commit("second");
    repo.git(&["branch", "both", "HEAD"]);
    repo.git(&["tag", "both", "HEAD~1"]);
    let opened = repo.open();
    assert_eq!(opened.resolve("refs/heads/both").unwrap(), second);
    assert_eq!(opened.resolve("refs/tags/both").unwrap(), first);
    assert_eq!(opened.resolve("both").unwrap(), first);
}

#[test]
fn odd_revisions_name_nothing_and_do_nothing() {
    let repo = TestRepo::new();
    repo.write("file", "x");
    repo.commit("first");
    let opened = repo.open();
    let zero = "0".repeat(40);
    let long = "a".repeat(64);
    for revision in [
        "",
        "-h",
        "--all",
        "--help",
        "--git-dir=/",
        "-",
        "^main",
        "main..main",
        "a\0b",
        "main\nmain",
        "no such",
        "refs/heads/none",
        "HEAD^9",
        &zero,
        &long,
        "..",
        "'",
        "$(touch x)",
        "%",
        "--end-of-options",
    ] {
        let error = failure(opened.resolve(revision));
        assert!(matches!(error, GitError::UnknownRevision { .. }), "{revision}: {error}");
        assert_eq!(Error::from(error).kind, ErrorKind::Input);
    }
    let error = failure(opened.resolve(":file"));
    assert!(matches!(error, GitError::NotACommit { kind: "blob", .. }), "{error}");
    let tree = repo.id("HEAD^{tree}");
    assert!(matches!(failure(opened.resolve(tree.as_str())), GitError::NotACommit { kind: "tree", .. }));
}

#[test]
fn replaced_and_grafted_commits_are_read_as_they_are() {
    let repo = TestRepo::new();
    let first = repo.commit("first");
    let second = repo.commit("second");
    let third = repo.commit("third");
    repo.git(&["replace", second.as_str(), first.as_str()]);
    std::fs::create_dir_all(repo.root().join(".git/info")).unwrap();
    std::fs::write(repo.root().join(".git/info/grafts"), format!("{}\n", third.as_str())).unwrap();
    let opened = repo.open();
    assert_eq!(opened.commit_info(&second).unwrap().subject(), "second");
    assert_eq!(opened.commit_info(&third).unwrap().parents, std::slice::from_ref(&second));
    assert_eq!(opened.resolve("main~1").unwrap(), second);
    assert_eq!(opened.resolve("main~2").unwrap(), first);
    assert!(opened.objects().is_ancestor(&first, &third).unwrap());
    assert!(!opened.objects().is_ancestor(&third, &first).unwrap());
}

#[test]
fn a_commit_tells_who_when_and_what() {
    let repo = TestRepo::new();
    let id = repo.commit("主题\n\nbody");
    let info = repo.open().commit_info(&id).unwrap();
    assert_eq!(info.subject(), "主题");
    assert_eq!(
        (info.author.person.name.as_str(), info.author.person.email.as_str()),
        ("Ann Author", "ann@example.com")
    );
    assert_eq!((info.author.at.seconds, info.author.at.offset_minutes), (1_700_000_000, 480));
    assert_eq!(info.committer.person.name, "Cem Committer");
}

#[test]
fn an_owner_that_is_not_trusted_is_refused_in_the_words_of_git() {
    let repo = TestRepo::new();
    repo.commit("first");
    let given_away = [".", ".git"]
        .iter()
        .all(|path| std::os::unix::fs::chown(repo.root().join(path), Some(1234), None).is_ok());
    if !given_away {
        // Only root may give a folder away; as anyone else there is nobody to distrust.
        assert!(discover(&repo, repo.root(), &[]).is_ok());
        return;
    }
    let told = Error::from(failure(discover(&repo, repo.root(), &[])));
    assert_eq!(told.kind, ErrorKind::Surroundings);
    let exception = format!("safe.directory '{}'", repo.root().display());
    assert!(told.causes.concat().contains("fatal: detected dubious ownership"), "{told:?}");
    assert!(told.causes.concat().contains(&exception), "{told:?}");

    let trusted: [(&str, &Path); 3] = [
        ("GIT_CONFIG_COUNT", Path::new("1")),
        ("GIT_CONFIG_KEY_0", Path::new("safe.directory")),
        ("GIT_CONFIG_VALUE_0", Path::new("*")),
    ];
    let told = Error::from(failure(discover(&repo, repo.root(), &trusted)));
    assert!(told.causes.concat().contains(&exception), "{told:?}");
}
