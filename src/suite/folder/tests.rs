#![expect(clippy::disallowed_methods, reason = "tests write the files that they read")]

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn put(root: &Path, file: &str, bytes: &[u8]) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn folder(root: &tempfile::TempDir) -> Folder {
    Folder::new(root.path().to_owned(), HashKind::Sha1)
}

fn listed(source: &dyn Source, part: Part) -> Vec<(String, EntryKind)> {
    let entries = source.list(part).unwrap();
    entries.into_iter().map(|entry| (String::from_utf8(entry.path).unwrap(), entry.kind)).collect()
}

fn read(source: &dyn Source, part: Part, path: &str, limit: u64) -> (Result<Content, SourceError>, Vec<u8>) {
    let mut buffer = b"old".to_vec();
    let entry = entry(path.as_bytes().to_vec(), EntryKind::File);
    let content = source.reader().unwrap().read(part, &entry, limit, &mut buffer);
    (content, buffer)
}

#[test]
fn what_is_absent_lists_nothing() {
    let root = tempfile::tempdir().unwrap();
    for part in [Part::Config, Part::Cases, Part::Traces] {
        assert_eq!(listed(&folder(&root), part), []);
        let nowhere = Folder::new(root.path().join("x/y"), HashKind::Sha1);
        assert_eq!(listed(&nowhere, part), []);
    }
}

#[test]
fn files_stand_in_the_order_of_the_bytes_of_their_paths() {
    let root = tempfile::tempdir().unwrap();
    for file in ["b/c.json", "b.json", "b-.json", "a/é.json", "a/z.json", "B.json"] {
        put(root.path(), &format!("cases/{file}"), b"");
    }
    fs::create_dir(root.path().join("cases/empty")).unwrap();
    let paths: Vec<String> = listed(&folder(&root), Part::Cases).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["B.json", "a/z.json", "a/é.json", "b-.json", "b.json", "b/c.json"]);
}

#[cfg(unix)]
#[test]
fn links_are_listed_and_never_followed() {
    use std::os::unix::fs::symlink;
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "else/x.json", b"");
    put(root.path(), "cases/a.json", b"");
    symlink(root.path().join("else"), root.path().join("cases/l")).unwrap();
    symlink("nowhere", root.path().join("cases/m.json")).unwrap();
    symlink("else", root.path().join("fixtures")).unwrap();
    symlink("else/x.json", root.path().join("diag-gate.toml")).unwrap();
    let folder = folder(&root);
    let link = |path: &str| (path.to_owned(), EntryKind::Link);
    assert_eq!(
        listed(&folder, Part::Cases),
        [("a.json".to_owned(), EntryKind::File), link("l"), link("m.json")]
    );
    assert_eq!(listed(&folder, Part::Traces), [link("")]);
    assert_eq!(listed(&folder, Part::Config), [link("")]);
    assert!(read(&folder, Part::Cases, "m.json", 9).0.is_err());
}

#[test]
fn a_repository_below_is_a_submodule_and_what_is_gits_is_not_listed() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), ".git/HEAD", b"");
    put(root.path(), "cases/sub/.git", b"gitdir: x");
    put(root.path(), "cases/sub/a.json", b"");
    put(root.path(), "fixtures/.git/HEAD", b"");
    put(root.path(), "fixtures/a.json", b"");
    let folder = folder(&root);
    assert_eq!(listed(&folder, Part::Cases), [("sub".to_owned(), EntryKind::Submodule)]);
    assert_eq!(listed(&folder, Part::Traces), [(String::new(), EntryKind::Submodule)]);
    let fresh = FreshTraces::new(&folder, root.path().join("fixtures"));
    assert_eq!(listed(&fresh, Part::Traces), [("a.json".to_owned(), EntryKind::File)]);
}

#[test]
fn a_file_where_a_folder_belongs_has_an_empty_path_and_the_reverse() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "cases", b"");
    put(root.path(), "diag-gate.toml/x", b"");
    assert_eq!(listed(&folder(&root), Part::Cases), [(String::new(), EntryKind::File)]);
    assert_eq!(listed(&folder(&root), Part::Config), [(String::new(), EntryKind::Other)]);
}

#[test]
fn a_file_is_read_up_to_the_limit_and_hashed_beyond() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "fixtures/a/b.json", b"hello\n");
    put(root.path(), "diag-gate.toml", b"");
    for hash in [HashKind::Sha1, HashKind::Sha256] {
        let folder = Folder::new(root.path().to_owned(), hash);
        let id = ObjectId::of_blob(hash, b"hello\n");
        for limit in [6, 7, u64::MAX] {
            let (content, buffer) = read(&folder, Part::Traces, "a/b.json", limit);
            assert_eq!(
                (content.unwrap(), buffer.as_slice()),
                (Content::Read(id.clone()), b"hello\n".as_slice())
            );
        }
        for limit in [0, 5] {
            let (content, buffer) = read(&folder, Part::Traces, "a/b.json", limit);
            assert_eq!((content.unwrap(), buffer.len()), (Content::TooLarge { id: id.clone(), size: 6 }, 0));
        }
    }
    assert_eq!(read(&folder(&root), Part::Config, "", 0).1, b"");
    let gone = read(&folder(&root), Part::Traces, "gone", 9).0.unwrap_err();
    assert!(gone.to_string().ends_with("gone"), "{gone}");
}

#[test]
fn fresh_traces_stand_in_for_those_of_the_suite() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "cases/c.json", b"cases");
    put(root.path(), "fixtures/old.json", b"old");
    put(root.path(), "fresh/new.json", b"new");
    let folder = folder(&root);
    let fresh = FreshTraces::new(&folder, root.path().join("fresh"));
    assert_eq!(listed(&fresh, Part::Traces), [("new.json".to_owned(), EntryKind::File)]);
    assert_eq!(listed(&fresh, Part::Cases), listed(&folder, Part::Cases));
    assert_eq!(read(&fresh, Part::Traces, "new.json", 9).1, b"new");
    assert_eq!(read(&fresh, Part::Cases, "c.json", 9).1, b"cases");
    assert!(FreshTraces::new(&folder, root.path().join("typo")).list(Part::Traces).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_file_is_listed_once_in_order(names in prop::collection::btree_set("[a-c]{1,2}(/[a-c]{1,2}){0,2}\\.[jx]", 0..8)) {
        let root = tempfile::tempdir().unwrap();
        for name in &names {
            put(root.path(), &format!("cases/{name}"), b"");
        }
        let paths: Vec<String> = listed(&folder(&root), Part::Cases).into_iter().map(|(path, _)| path).collect();
        prop_assert!(paths.is_sorted());
        prop_assert_eq!(paths.into_iter().collect::<BTreeSet<_>>(), names);
    }
}
