//! Repositories that libgit2 cannot read, and the same content through libgit2 and the program.

use std::os::unix::fs::PermissionsExt as _;

use diag_gate::baseline::Store as _;
use diag_gate::error::{Error, ErrorKind};
use diag_gate::git::{
    CommitSource, GitEnvironment, GitError, GitStore, ObjectFault, ObjectKind, Repository,
    verify_object_hashes,
};
use diag_gate::ids::{HashKind, ObjectId};
use diag_gate::report;
use diag_gate::suite::source::{Content, Part, Source as _};

use crate::baseline::{accept, commit_suite, evaluate, place, read};
use crate::support::TestRepo;

/// What `git init` is asked for, and the hash that names objects then.
pub(crate) const KINDS: [(&[&str], HashKind); 4] = [
    (&[], HashKind::Sha1),
    (&["--object-format=sha256"], HashKind::Sha256),
    (&["--ref-format=reftable"], HashKind::Sha1),
    (&["--object-format=sha256", "--ref-format=reftable"], HashKind::Sha256),
];

fn by_program(repo: &TestRepo) -> Repository {
    Repository::discover_by_program(repo.root(), &repo.environment()).unwrap().expect("there is one")
}

fn both(repo: &TestRepo) -> [Repository; 2] {
    [repo.open(), by_program(repo)]
}

fn object_file(repo: &TestRepo, id: &ObjectId) -> std::path::PathBuf {
    repo.root().join(".git/objects").join(&id.as_str()[..2]).join(&id.as_str()[2..])
}

#[test]
fn this_git_knows_every_kind_of_repository_that_is_tested() {
    // Nothing here is skipped where git is too old: it fails.
    for (options, _) in KINDS {
        TestRepo::with(options);
    }
}

#[test]
fn every_kind_of_repository_holds_suites_and_baselines() {
    for (options, hash) in KINDS {
        let repo = TestRepo::with(options);
        let first = commit_suite(&repo, "one");
        repo.write("eval/fixtures/x.json", "{\"session\": {}}");
        repo.write("eval/cases/b.json", "[{\"id\": \"b\", \"title\": \"t\", \"traceFixture\": \"x.json\"}]");
        let second = repo.commit("two");
        let opened = repo.open();
        assert_eq!(opened.hash_kind(), hash, "{options:?}");
        assert_eq!(opened.head_commit().unwrap().as_ref(), Some(&second), "{options:?}");
        assert_eq!(opened.resolve("HEAD~1").unwrap(), first, "{options:?}");
        assert!(opened.objects().is_ancestor(&first, &second).unwrap());
        assert!(!opened.objects().is_ancestor(&second, &first).unwrap());
        assert!(read(&repo).unwrap().is_none(), "{options:?}");

        let evaluated = evaluate(&opened, &second);
        let trace = ObjectId::of_blob(hash, b"{\"session\": {}}");
        assert!(evaluated.results.iter().any(|result| result.trace_id.as_ref() == Some(&trace)));
        let link = accept(&repo, &evaluate(&opened, &first));
        let next = accept(&repo, &evaluated);
        let found = read(&repo).unwrap().unwrap();
        assert_eq!((&found.link.id, found.link.parent.as_ref()), (&next, Some(&link)), "{options:?}");
        assert_eq!(report::to_json(&found.report), report::to_json(&evaluated), "{options:?}");
        let refs = GitStore::new(&opened).refs_under("refs/diag-gate").unwrap();
        assert!(refs.contains(&(place().reference, next)), "{options:?}: {refs:?}");
        repo.git(&["fsck", "--strict"]);
    }
}

#[test]
fn both_ways_read_the_same() {
    let repo = TestRepo::new();
    repo.write("eval/fixtures/a/深.json", "{\"session\": {\"answer\": \"x\"}}");
    repo.write("eval/fixtures/large.json", "y".repeat(300_000));
    repo.write("eval/fixtures/empty.json", "");
    repo.write("eval/diag-gate.toml", "name = \"default\"\n");
    std::os::unix::fs::symlink("a", repo.root().join("eval/fixtures/link")).unwrap();
    let first = commit_suite(&repo, "a");
    repo.git(&["tag", "-a", "-m", "tag", "v1"]);
    accept(&repo, &evaluate(&repo.open(), &first));
    repo.git(&["gc", "-q"]);
    let second = commit_suite(&repo, "b");
    repo.git(&["branch", "side", "HEAD~1"]);
    let [library, program] = both(&repo);
    assert_eq!(library.work_tree(), program.work_tree());
    assert_eq!(library.git_dir().canonicalize().unwrap(), program.git_dir().canonicalize().unwrap());
    assert_eq!(library.common_dir().canonicalize().unwrap(), program.common_dir().canonicalize().unwrap());
    assert_eq!(library.hash_kind(), program.hash_kind());
    for revision in ["HEAD", "@", "v1", "side", "refs/tags/v1", "refs/heads/side", "main^", second.short()] {
        assert_eq!(library.resolve(revision).unwrap(), program.resolve(revision).unwrap(), "{revision}");
    }
    for revision in ["none", "refs/heads/none", "refs/heads/*", "refs/heads", "HEAD^{tree}", "", "-h"] {
        let words = |repository: &Repository| Error::from(repository.resolve(revision).unwrap_err());
        let (one, other) = (words(&library), words(&program));
        assert_eq!((one.kind, one.message), (other.kind, other.message), "{revision}");
    }
    assert_eq!(library.commit_info(&first).unwrap(), program.commit_info(&first).unwrap());
    let told = |repository: &Repository| {
        (evaluate(repository, &second), GitStore::new(repository).refs_under("refs").unwrap())
    };
    let ((one, one_refs), (other, other_refs)) = (told(&library), told(&program));
    assert_eq!(report::to_json(&one), report::to_json(&other));
    assert_eq!(one_refs, other_refs);
    assert!(!one_refs.is_empty());
    let all: Vec<_> =
        [&library, &program].into_iter().map(|repository| everything(repository, &second)).collect();
    assert_eq!(all[0], all[1]);
}

type Everything = Vec<(Vec<u8>, Content, Vec<u8>)>;

/// Every file of a suite, and what came of those that are no files.
fn everything(repository: &Repository, commit: &ObjectId) -> Everything {
    let source = CommitSource::new(repository, commit, b"eval").unwrap();
    let mut reader = source.reader().unwrap();
    let mut all = Vec::new();
    for part in [Part::Config, Part::Cases, Part::Traces] {
        for entry in source.list(part).unwrap() {
            let mut buffer = Vec::new();
            if let Ok(content) = reader.read(part, &entry, 100_000, &mut buffer) {
                all.push((entry.path, content, buffer));
            } else {
                all.push((entry.path, Content::TooLarge { id: commit.clone(), size: 0 }, Vec::new()));
            }
        }
    }
    all
}

#[test]
fn missing_and_damaged_objects_are_named_both_ways() {
    for options in [&[][..], &["--object-format=sha256"]] {
        for damage in [None, Some(&b"not zlib at all"[..]), Some(b"")] {
            let repo = TestRepo::with(options);
            repo.write("fixtures/t.json", "some bytes");
            repo.commit("first");
            let id = repo.id("HEAD:fixtures/t.json");
            let file = object_file(&repo, &id);
            std::fs::remove_file(&file).unwrap();
            if let Some(bytes) = damage {
                std::fs::write(&file, bytes).unwrap();
            }
            for repository in both(&repo) {
                let objects = repository.objects();
                assert_eq!(objects.holds(&id).unwrap(), damage.is_some());
                let mut buffer = Vec::new();
                for error in [
                    objects.header(&id).unwrap_err(),
                    objects.read(&id, ObjectKind::Blob, &mut buffer).unwrap_err(),
                ] {
                    assert!(error.to_string().contains(id.as_str()), "{error}");
                    assert_eq!(error.is_missing_object(), damage.is_none(), "{error}");
                }
                // The reader goes on behind an object that it cannot read.
                let tree = repo.id("HEAD:fixtures");
                assert_eq!(objects.tree(&tree).unwrap().len(), 1);
            }
        }
    }
}

#[test]
fn an_object_cut_short_is_damaged_and_no_shorter_one() {
    let repo = TestRepo::with(&["--object-format=sha256"]);
    let text: String = (0..200_000).map(|number| format!("{number},")).collect();
    repo.write("large", &text);
    repo.commit("first");
    let id = repo.id("HEAD:large");
    let file = object_file(&repo, &id);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let error = repo.open().objects().read(&id, ObjectKind::Blob, &mut Vec::new()).unwrap_err();
    assert!(
        matches!(&error, GitError::Object { id: named, fault: ObjectFault::Damaged(_) } if *named == id),
        "{error}"
    );
}

#[test]
fn an_id_of_the_other_length_names_nothing() {
    let repo = TestRepo::with(&["--object-format=sha256"]);
    let head = repo.commit("first");
    let short = ObjectId::parse(&head.as_str()[..40]).unwrap();
    let opened = repo.open();
    assert!(!opened.objects().holds(&short).unwrap());
    assert!(opened.objects().header(&short).unwrap_err().is_missing_object());
    assert!(
        opened.objects().read(&short, ObjectKind::Commit, &mut Vec::new()).unwrap_err().is_missing_object()
    );
}

#[test]
fn an_object_of_another_kind_is_told_and_the_next_is_read() {
    let repo = TestRepo::with(&["--object-format=sha256"]);
    repo.write("large", "z".repeat(2_000_000));
    let head = repo.commit("first");
    let opened = repo.open();
    let blob = repo.id("HEAD:large");
    let error = opened.objects().tree(&blob).unwrap_err();
    assert!(
        matches!(
            &error,
            GitError::Object { fault: ObjectFault::WrongKind { expected: "tree", found: "blob" }, .. }
        ),
        "{error}"
    );
    assert_eq!(opened.commit_info(&head).unwrap().subject(), "first");
}

#[test]
fn bytes_that_are_not_those_of_an_id_are_found_where_they_are_hashed() {
    let repo = TestRepo::new();
    repo.write("a", "honest bytes");
    repo.write("b", "forged bytes");
    repo.commit("first");
    let (honest, forged) = (repo.id("HEAD:a"), repo.id("HEAD:b"));
    let file = object_file(&repo, &honest);
    std::fs::remove_file(&file).unwrap();
    std::fs::copy(object_file(&repo, &forged), &file).unwrap();
    verify_object_hashes(true);
    for repository in both(&repo) {
        let error = repository.objects().read(&honest, ObjectKind::Blob, &mut Vec::new()).unwrap_err();
        assert!(!error.is_missing_object() && error.to_string().contains(honest.as_str()), "{error}");
        let head = repository.head_commit().unwrap().unwrap();
        assert_eq!(repository.commit_info(&head).unwrap().subject(), "first");
    }
    verify_object_hashes(false);
}

/// A git in front of the real one, which does something else for `cat-file --batch-command`.
fn with_odd_reader(repo: &TestRepo, instead: &str) -> Repository {
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|git| git.is_file())
        .unwrap();
    let bin = repo.base().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *--batch-command*) {instead} ;; esac\nexec {} \"$@\"\n",
        real.display()
    );
    std::fs::write(bin.join("git"), script).unwrap();
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let others = repo.variables().into_iter().filter(|(name, _)| name != "PATH");
    let path = std::env::join_paths([bin, "/usr/bin".into(), "/bin".into()]).unwrap();
    let environment = GitEnvironment::new(others.chain([("PATH".into(), path)]), repo.base());
    Repository::discover_by_program(repo.root(), &environment).unwrap().unwrap()
}

#[test]
fn a_reader_that_dies_or_talks_nonsense_is_an_error_and_no_end_of_data() {
    for (instead, is_of_object) in [
        ("exit 3", false),
        ("exit 0", false),
        ("kill -9 $$", false),
        ("read line; set -- $line; echo \"$2 blob 9\"; printf half; exit 1", false),
        ("read line; set -- $line; echo \"$2 blob 9\"; printf half; kill -9 $$", false),
        ("read line; set -- $line; echo \"$2 blob 9\"; printf half; echo fatal: no >&2; exit 128", true),
        ("read line; set -- $line; echo \"$2 blob\"; cat >/dev/null; exit 0", true),
        ("read line; echo nonsense; cat >/dev/null; exit 0", true),
        // What it started outlives it, and holds its pipes open.
        ("sleep 5 >/dev/null & read line; exit 3", false),
        ("(sleep 5 >/dev/null) & read line; echo nonsense; sleep 5", true),
    ] {
        let repo = TestRepo::new();
        repo.write("file", "nine byte");
        repo.commit("first");
        let blob = repo.id("HEAD:file");
        let opened = with_odd_reader(&repo, instead);
        let mut buffer = Vec::new();
        let before = std::time::Instant::now();
        let error = opened.objects().read(&blob, ObjectKind::Blob, &mut buffer).unwrap_err();
        assert!(before.elapsed().as_secs() < 4, "{instead}");
        assert!(!error.is_missing_object(), "{instead}: {error}");
        assert_eq!(matches!(&error, GitError::Object { .. }), is_of_object, "{instead}: {error}");
        assert_eq!(Error::from(error).kind, ErrorKind::Surroundings);
    }
}

#[test]
fn no_reader_is_left_behind() {
    let repo = TestRepo::with(&["--object-format=sha256"]);
    let head = repo.commit("first");
    let marker = repo.root().join(".git").to_string_lossy().into_owned();
    let running = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
        lines.filter(|line| String::from_utf8_lossy(line).contains(&marker)).count()
    };
    let opened = repo.open();
    opened.commit_info(&head).unwrap();
    assert_eq!(running(), 1);
    drop(opened);
    assert_eq!(running(), 0);
}

#[test]
fn a_ref_that_cannot_be_read_is_never_absent() {
    let baseline = place().reference;
    for options in [&[][..], &["--object-format=sha256"]] {
        for spoiled in ["garbage\n", "", "ref: refs/heads/none\n", "ref: refs/heads/main\n"] {
            let repo = TestRepo::with(options);
            repo.commit("first");
            repo.write(format!(".git/{baseline}"), spoiled);
            for repository in both(&repo) {
                let store = GitStore::new(&repository);
                assert!(store.tip(&baseline).is_err(), "{options:?} {spoiled:?}");
                assert!(store.refs_under("refs/diag-gate").is_err(), "{options:?} {spoiled:?}");
                assert_eq!(store.tip("refs/diag-gate/none").unwrap(), None);
            }
        }
    }
    let repo = TestRepo::with(&["--ref-format=reftable"]);
    repo.commit("first");
    for target in ["refs/heads/main", "refs/heads/none"] {
        repo.git(&["symbolic-ref", &baseline, target]);
        assert!(GitStore::new(&repo.open()).tip(&baseline).is_err(), "{target}");
    }
}

#[test]
fn a_reftable_of_the_oldest_format_is_no_repository_without_refs() {
    let repo = TestRepo::with(&["--ref-format=reftable"]);
    repo.commit("first");
    repo.git(&["config", "core.repositoryFormatVersion", "0"]);
    let Err(error) = Repository::discover(repo.root(), &repo.environment()) else { panic!("it was opened") };
    assert!(matches!(&error, GitError::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("refstorage"), "{error}");
}

#[test]
fn an_extension_that_git_does_not_know_is_refused_in_its_words() {
    let repo = TestRepo::new();
    repo.commit("first");
    repo.git(&["config", "core.repositoryFormatVersion", "1"]);
    repo.git(&["config", "extensions.fromTheFuture", "true"]);
    let Err(error) = Repository::discover(repo.root(), &repo.environment()) else { panic!("it was opened") };
    let told = Error::from(error);
    assert_eq!(told.kind, ErrorKind::Surroundings);
    assert!(told.message.contains("fromthefuture"), "{}", told.message);
}

#[test]
fn replaced_and_grafted_commits_are_read_as_they_are_through_the_program() {
    let repo = TestRepo::with(&["--object-format=sha256"]);
    let first = repo.commit("first");
    let second = repo.commit("second");
    let third = repo.commit("third");
    repo.git(&["replace", second.as_str(), first.as_str()]);
    repo.write(".git/info/grafts", format!("{}\n", third.as_str()));
    let opened = repo.open();
    assert_eq!(opened.commit_info(&second).unwrap().subject(), "second");
    assert_eq!(opened.commit_info(&third).unwrap().parents, std::slice::from_ref(&second));
    assert_eq!(opened.resolve("main~2").unwrap(), first);
    assert!(opened.objects().is_ancestor(&first, &third).unwrap());
    assert!(!opened.objects().is_ancestor(&third, &first).unwrap());
}

#[test]
fn a_missing_commit_on_the_way_is_an_error_and_no_answer() {
    for repository in [0, 1] {
        let repo = TestRepo::new();
        let first = repo.commit("first");
        let second = repo.commit("second");
        let third = repo.commit("third");
        std::fs::remove_file(object_file(&repo, &second)).unwrap();
        let opened = both(&repo).into_iter().nth(repository).unwrap();
        assert!(opened.objects().is_ancestor(&first, &third).is_err());
    }
}

#[test]
fn an_unborn_head_is_told_from_a_broken_one() {
    for (options, _) in KINDS {
        let repo = TestRepo::with(options);
        for repository in both(&repo) {
            assert_eq!(repository.head_commit().unwrap(), None, "{options:?}");
            let error = repository.resolve("HEAD").unwrap_err();
            assert!(
                matches!(&error, GitError::Unborn { branch } if branch == "main"),
                "{options:?}: {error}"
            );
        }
    }
    for options in [&[][..], &["--object-format=sha256"]] {
        let repo = TestRepo::with(options);
        repo.commit("first");
        repo.write(".git/refs/heads/main", "garbage\n");
        for repository in both(&repo) {
            assert!(repository.head_commit().is_err(), "{options:?}");
        }
    }
}

#[test]
fn changes_in_the_work_tree_are_seen_both_ways() {
    let repo = TestRepo::new();
    repo.write("eval[1]/a", "x");
    repo.write("other/b", "x");
    repo.commit("first");
    let folder = std::path::Path::new("eval[1]");
    let differs = || both(&repo).map(|repository| repository.differs_below(folder).unwrap());
    assert_eq!(differs(), [false, false]);
    repo.write("other/b", "y");
    repo.write("eval1/c", "y");
    assert_eq!(differs(), [false, false]);
    let root = both(&repo).map(|repository| repository.differs_below("".as_ref()).unwrap());
    assert_eq!(root, [true, true]);
    repo.write("eval[1]/new", "y");
    assert_eq!(differs(), [true, true]);
    std::fs::remove_file(repo.root().join("eval[1]/new")).unwrap();
    repo.write("eval[1]/a", "another");
    assert_eq!(differs(), [true, true]);
    repo.git(&["add", "--all"]);
    assert_eq!(differs(), [true, true]);
}

#[test]
fn work_trees_are_found_from_wherever_one_stands() {
    for (options, _) in KINDS {
        let repo = TestRepo::with(options);
        repo.write("a/b/file", "x");
        let head = repo.commit("first");
        let linked = repo.base().join("-linked 树\n");
        repo.git(&["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
        let linked_dir = repo.git_in(&linked, &["rev-parse", "--absolute-git-dir"]);
        for (start, tree) in [
            (repo.root().to_owned(), repo.root()),
            (repo.root().join("a/b"), repo.root()),
            (repo.root().join(".git"), repo.root()),
            (linked.clone(), linked.as_path()),
            (linked.join("a"), linked.as_path()),
            (linked_dir.clone().into(), linked.as_path()),
        ] {
            let environment = repo.environment();
            for found in [
                Repository::discover(&start, &environment).unwrap().unwrap(),
                Repository::discover_by_program(&start, &environment).unwrap().unwrap(),
            ] {
                let is_found = found.work_tree().map(|tree| tree.canonicalize().unwrap());
                assert_eq!(is_found.as_deref(), Some(tree), "{options:?} {}", start.display());
                assert_eq!(found.head_commit().unwrap().as_ref(), Some(&head));
                assert_eq!(found.common_dir().canonicalize().unwrap(), repo.root().join(".git"));
            }
        }
    }
}

#[test]
fn the_environment_names_repositories_of_every_kind() {
    for (options, _) in KINDS {
        let repo = TestRepo::with(options);
        let head = repo.commit("first");
        let named = |extra: Vec<(&str, std::path::PathBuf)>| {
            let mut variables = repo.variables();
            variables.extend(extra.into_iter().map(|(name, path)| (name.into(), path.into())));
            GitEnvironment::new(variables, repo.base())
        };
        let git_dir = repo.root().join(".git");
        let home = repo.base().join("home");
        let environment = named(vec![("GIT_DIR", git_dir.clone()), ("GIT_INDEX_FILE", "x".into())]);
        let found = Repository::discover(&home, &environment).unwrap().unwrap();
        assert!(found.is_from_environment());
        assert_eq!(found.head_commit().unwrap(), Some(head));
        assert_eq!(found.work_tree().map(|tree| tree.canonicalize().unwrap()).as_deref(), Some(repo.root()));
        let Err(error) = Repository::discover(&home, &environment.with_chosen_folder()) else {
            panic!("{options:?}: they disagree")
        };
        assert!(matches!(error, GitError::Disagree { .. }), "{error}");
        let chosen = named(vec![("GIT_DIR", git_dir)]).with_chosen_folder();
        assert!(Repository::discover(repo.root(), &chosen).unwrap().is_some());
        let bad = named(vec![("GIT_DIR", home.clone())]);
        assert!(matches!(Repository::discover(&home, &bad), Err(GitError::Broken { .. })));
    }
}
