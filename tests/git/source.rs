//! A suite folder read out of a commit.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

use diag_gate::git::{CommitSource, GitError};
use diag_gate::ids::{HashKind, ObjectId};
use diag_gate::suite::source::{Content, Entry, EntryKind, Part, Source};
use proptest::prelude::*;

use crate::support::TestRepo;

fn paths(entries: &[Entry]) -> Vec<(&[u8], EntryKind)> {
    entries.iter().map(|entry| (entry.path.as_slice(), entry.kind)).collect()
}

fn source(repo: &TestRepo, folder: &str) -> CommitSource {
    let opened = repo.open();
    CommitSource::new(&opened, &opened.head_commit().unwrap().unwrap(), folder.as_bytes()).unwrap()
}

fn failure(repo: &TestRepo, folder: &str) -> GitError {
    let opened = repo.open();
    let head = opened.head_commit().unwrap().unwrap();
    match CommitSource::new(&opened, &head, folder.as_bytes()) {
        Ok(_) => panic!("this should have failed"),
        Err(error) => error,
    }
}

#[test]
fn parts_are_listed_in_the_order_of_their_whole_paths() {
    let repo = TestRepo::new();
    // git lists `a` behind `a.json` and `a-b`, since it is a folder.
    for path in ["a/x.json", "a.json", "a-b", "-dash", "空 格/\n.json", "a0/y"] {
        repo.write(format!("eval/cases/{path}"), path);
    }
    repo.write("eval/diag-gate.toml", "name = \"x\"");
    repo.write("eval/fixtures/t.json", "{}");
    repo.write("eval/other", "");
    repo.commit("first");
    let source = source(&repo, "eval");
    assert!(source.exists());
    let mut expected: Vec<&[u8]> =
        vec![b"-dash", b"a-b", b"a.json", b"a/x.json", b"a0/y", "空 格/\n.json".as_bytes()];
    expected.sort_unstable();
    let cases = source.list(Part::Cases).unwrap();
    assert_eq!(cases.iter().map(|entry| entry.path.as_slice()).collect::<Vec<_>>(), expected);
    assert_eq!(paths(&source.list(Part::Config).unwrap()), [(&b""[..], EntryKind::File)]);
    assert_eq!(paths(&source.list(Part::Traces).unwrap()), [(&b"t.json"[..], EntryKind::File)]);
    let mut reader = source.reader().unwrap();
    let mut buffer = Vec::new();
    for entry in &cases {
        let content = reader.read(Part::Cases, entry, 100, &mut buffer).unwrap();
        assert_eq!(content, Content::Read(ObjectId::of_blob(HashKind::Sha1, &buffer)));
        assert_eq!(buffer, entry.path);
    }
}

#[test]
fn an_absent_folder_lists_nothing_and_says_so() {
    let repo = TestRepo::new();
    repo.write("file", "x");
    repo.commit("first");
    let absent = source(&repo, "eval/deep");
    assert!(!absent.exists());
    for part in [Part::Config, Part::Cases, Part::Traces] {
        assert_eq!(absent.list(part).unwrap(), []);
    }
    let root = source(&repo, "");
    assert!(root.exists());
    assert_eq!(root.list(Part::Cases).unwrap(), []);
}

#[test]
fn what_is_no_folder_on_the_way_is_an_error_that_names_it() {
    let repo = TestRepo::new();
    repo.write("real/eval/cases/a.json", "[]");
    repo.write("file", "x");
    symlink("real", repo.root().join("link")).unwrap();
    repo.commit("first");
    let id = repo.id("HEAD");
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},module", id.as_str())]);
    repo.git(&["commit", "-q", "-m", "second"]);
    for (folder, found) in
        [("link/eval", "a link"), ("link", "a link"), ("file/x", "a file"), ("module/eval", "a submodule")]
    {
        let error = failure(&repo, folder);
        let first = folder.split('/').next().unwrap();
        assert!(
            matches!(&error, GitError::OnTheWay { path, found: what, .. } if path == first && *what == found),
            "{error}"
        );
    }
    assert!(matches!(failure(&repo, "real/../real/eval"), GitError::OutsideRepository { .. }));
    assert_eq!(source(&repo, "./real//eval/").list(Part::Cases).unwrap().len(), 1);
}

#[test]
fn links_and_submodules_in_a_part_are_listed_and_not_entered() {
    let repo = TestRepo::new();
    repo.write("cases/a.json", "[]");
    symlink("/etc", repo.root().join("cases/out")).unwrap();
    symlink("cases", repo.root().join("fixtures")).unwrap();
    repo.write("diag-gate.toml/file", "");
    repo.commit("first");
    let id = repo.id("HEAD");
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},cases/sub", id.as_str())]);
    repo.git(&["commit", "-q", "-m", "second"]);
    let source = source(&repo, "");
    let cases = source.list(Part::Cases).unwrap();
    assert_eq!(
        paths(&cases),
        [(&b"a.json"[..], EntryKind::File), (b"out", EntryKind::Link), (b"sub", EntryKind::Submodule)]
    );
    assert_eq!(paths(&source.list(Part::Traces).unwrap()), [(&b""[..], EntryKind::Link)]);
    assert_eq!(paths(&source.list(Part::Config).unwrap()), [(&b""[..], EntryKind::Other)]);
    let mut reader = source.reader().unwrap();
    assert!(reader.read(Part::Cases, &cases[1], 100, &mut Vec::new()).is_err());
}

#[test]
fn a_file_above_the_limit_is_told_with_its_size_and_not_read() {
    let repo = TestRepo::new();
    repo.write("fixtures/t.json", "12345678");
    repo.commit("first");
    let source = source(&repo, "");
    let entries = source.list(Part::Traces).unwrap();
    let mut reader = source.reader().unwrap();
    let mut buffer = b"kept".to_vec();
    let id = ObjectId::of_blob(HashKind::Sha1, b"12345678");
    let content = reader.read(Part::Traces, &entries[0], 7, &mut buffer).unwrap();
    assert_eq!(content, Content::TooLarge { id: id.clone(), size: 8 });
    assert_eq!(buffer, b"kept");
    assert_eq!(reader.read(Part::Traces, &entries[0], 8, &mut buffer).unwrap(), Content::Read(id));
    assert_eq!(buffer, b"12345678");
}

#[test]
fn missing_and_damaged_objects_are_errors_that_name_path_and_id() {
    for damage in [None, Some(&b"not zlib at all"[..]), Some(b"")] {
        let repo = TestRepo::new();
        repo.write("fixtures/t.json", "some bytes");
        repo.commit("first");
        let source = source(&repo, "");
        let entries = source.list(Part::Traces).unwrap();
        let id = entries[0].id.clone().unwrap();
        let object = repo.root().join(".git/objects").join(&id.as_str()[..2]).join(&id.as_str()[2..]);
        std::fs::remove_file(&object).unwrap();
        if let Some(bytes) = damage {
            std::fs::write(&object, bytes).unwrap();
        }
        let mut reader = source.reader().unwrap();
        let error = reader.read(Part::Traces, &entries[0], 100, &mut Vec::new()).unwrap_err();
        assert!(error.what.contains("fixtures/t.json"), "{error}");
        assert!(error.source.to_string().contains(id.as_str()), "{}", error.source);
    }
}

#[test]
fn a_missing_folder_object_is_an_error_and_no_empty_listing() {
    let repo = TestRepo::new();
    repo.write("cases/deep/a.json", "[]");
    repo.commit("first");
    let source = source(&repo, "");
    let tree = repo.id("HEAD:cases/deep");
    let object = repo.root().join(".git/objects").join(&tree.as_str()[..2]).join(&tree.as_str()[2..]);
    std::fs::remove_file(object).unwrap();
    let error = source.list(Part::Cases).unwrap_err();
    assert!(error.what.contains("cases/deep"), "{error}");
}

#[test]
fn bytes_come_as_they_were_committed() {
    let repo = TestRepo::new();
    repo.write("fixtures/t.json", "a\nb $Id$\n");
    repo.commit("first");
    repo.write(".gitattributes", "*.json text eol=crlf ident filter=lfs working-tree-encoding=UTF-16\n");
    repo.git(&["add", ".gitattributes"]);
    repo.git(&["commit", "-q", "-m", "attributes"]);
    let source = source(&repo, "");
    let entries = source.list(Part::Traces).unwrap();
    let mut buffer = Vec::new();
    source.reader().unwrap().read(Part::Traces, &entries[0], 100, &mut buffer).unwrap();
    assert_eq!(buffer, b"a\nb $Id$\n");
}

#[test]
fn packed_objects_are_read_in_several_threads() {
    let repo = TestRepo::new();
    for number in 0..40 {
        repo.write(format!("fixtures/{number}.json"), format!("common text of all {number}").repeat(20));
    }
    repo.commit("first");
    repo.git(&["gc", "-q"]);
    let source = source(&repo, "");
    let entries = source.list(Part::Traces).unwrap();
    let read = |half: &[Entry]| {
        let mut reader = source.reader().unwrap();
        let mut buffer = Vec::new();
        for entry in half {
            let content = reader.read(Part::Traces, entry, 10_000, &mut buffer).unwrap();
            assert_eq!(content, Content::Read(ObjectId::of_blob(HashKind::Sha1, &buffer)));
        }
        half.len()
    };
    let read = &read;
    let total: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = entries.chunks(10).map(|part| scope.spawn(move || read(part))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(total, 40);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn any_folder_is_listed_as_it_was_written(
        names in prop::collection::btree_set("[a-c./ \n*\u{4e00}-\u{4e05}-]{1,6}", 1..12)
    ) {
        let repo = TestRepo::new();
        let mut written = BTreeSet::new();
        for name in names {
            let steps = name.split('/').filter(|step| !matches!(*step, "" | "." | ".."));
            let path = steps.collect::<Vec<_>>().join("/");
            let target = repo.root().join("s/cases").join(&path);
            let fits = !path.is_empty() && std::fs::create_dir_all(target.parent().unwrap()).is_ok();
            if fits && !target.is_dir() && std::fs::write(&target, &path).is_ok() {
                written.insert(path.into_bytes());
            }
        }
        repo.commit("first");
        let listed = source(&repo, "s").list(Part::Cases).unwrap();
        let listed: Vec<Vec<u8>> = listed.into_iter().map(|entry| entry.path).collect();
        prop_assert_eq!(listed, written.into_iter().collect::<Vec<_>>());
    }
}
