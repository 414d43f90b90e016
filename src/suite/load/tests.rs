use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::ids::HashKind;

/// A suite in memory: path below the suite folder, kind, bytes.
#[derive(Default)]
struct Memory(BTreeMap<String, (EntryKind, Vec<u8>)>);

impl Memory {
    fn of(files: &[(&str, &str)]) -> Self {
        let file =
            |(path, text): &(&str, &str)| (path.to_string(), (EntryKind::File, text.as_bytes().to_vec()));
        Self(files.iter().map(file).collect())
    }

    fn and(mut self, path: &str, kind: EntryKind) -> Self {
        self.0.insert(path.to_owned(), (kind, Vec::new()));
        self
    }
}

fn root_of(part: Part) -> &'static str {
    match part {
        Part::Config => "diag-gate.toml",
        Part::Cases => "cases",
        Part::Traces => "fixtures",
    }
}

impl Source for Memory {
    fn hash_kind(&self) -> HashKind {
        HashKind::Sha1
    }

    fn list(&self, part: Part) -> Result<Vec<Entry>, SourceError> {
        let below = self.0.iter().filter_map(|(path, (kind, _))| {
            let rest = path.strip_prefix(root_of(part))?;
            Some(Entry { path: rest.trim_start_matches('/').into(), kind: *kind, id: None })
        });
        Ok(below.collect())
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError> {
        Ok(Box::new(MemoryReader(self)))
    }
}

struct MemoryReader<'a>(&'a Memory);

impl Reader for MemoryReader<'_> {
    fn read(
        &mut self,
        part: Part,
        entry: &Entry,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError> {
        let below = String::from_utf8(entry.path.clone()).unwrap();
        let path = format!("{}/{below}", root_of(part));
        buffer.clone_from(&self.0.0[path.trim_end_matches('/')].1);
        let id = ObjectId::of_blob(HashKind::Sha1, buffer);
        // Stands for more bytes than a test should hold.
        if buffer == b"huge" {
            return Ok(Content::TooLarge { id, size: limit + 1 });
        }
        Ok(Content::Read(id))
    }
}

#[test]
fn cases_that_ask_the_same_share_what_they_ask() {
    let case = |id: &str, word: &str| {
        format!(r#"{{"id": "{id}", "traceFixture": "t.json", "expectedRootCauseKeywords": ["{word}"]}}"#)
    };
    let one = format!("[{}, {}]", case("a", "x"), case("b", "y"));
    let suite = Memory::of(&[("cases/a.json", &one), ("cases/b.json", &format!("[{}]", case("c", "x")))]);
    let cases = load(&suite).unwrap().cases;
    assert!(Arc::ptr_eq(&cases[0].expectations, &cases[2].expectations));
    assert_ne!(cases[0].expectations, cases[1].expectations);
    assert_eq!(cases[0].digest, cases[2].digest);
    assert!(cases.iter().all(|case| case.digest == case.expectations.digest()));
}

#[test]
fn files_beyond_any_measure_are_faults_beside_all_others() {
    let suite = Memory::of(&[("diag-gate.toml", "huge"), ("cases/a.json", "huge"), ("cases/b.json", "[{}]")]);
    let told = problems(&suite);
    let files: Vec<&str> = told.iter().map(|(file, ..)| file.as_str()).collect();
    assert!(files.starts_with(&["cases/a.json", "cases/b.json"]) && files.ends_with(&["diag-gate.toml"]));
    assert!(told[0].2.contains("268435457 bytes, at most 268435456"), "{}", told[0].2);
}

/// File, line and message of each problem.
fn problems(suite: &Memory) -> Vec<(String, Option<u32>, String)> {
    match load(suite) {
        Ok(_) => Vec::new(),
        Err(LoadError::Problems(problems)) => {
            problems.into_iter().map(|problem| (problem.file, problem.line, problem.message)).collect()
        }
        Err(LoadError::Source(error)) => panic!("{error}"),
    }
}

fn only(suite: &Memory) -> (String, Option<u32>, String) {
    let mut found = problems(suite);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn case(id: &str) -> String {
    format!("[{{\"id\":\"{id}\",\"traceFixture\":\"t.json\"}}]")
}

#[test]
fn a_sound_suite_is_read_in_suite_order() {
    let (a, b, c) = (case("a"), case("b"), case("c"));
    let files = [
        ("cases/z.json", a.as_str()),
        ("cases/b/x.json", b.as_str()),
        ("cases/b-.json", c.as_str()),
        ("cases/notes.txt", "["),
        ("cases/none.JSON", "["),
        ("diag-gate.toml", "name = \"n\""),
    ];
    let suite = load(&Memory::of(&files).and("cases/socket", EntryKind::Other)).unwrap();
    assert_eq!(suite.cases.iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["c", "b", "a"]);
    assert_eq!(suite.config.name.as_str(), "n");
    assert_eq!(suite.config_file.as_deref(), Some(b"name = \"n\"".as_slice()));
    let read: Vec<(Part, &[u8])> =
        suite.files.iter().map(|(part, path, _)| (*part, path.as_slice())).collect();
    let expected = [
        (Part::Config, &b""[..]),
        (Part::Cases, b"b-.json"),
        (Part::Cases, b"b/x.json"),
        (Part::Cases, b"z.json"),
    ];
    assert_eq!(read, expected);
    assert_eq!(suite.files[3].2, ObjectId::of_blob(HashKind::Sha1, a.as_bytes()));
    assert_eq!(suite.cases[1].place, Place { file: "cases/b/x.json".into(), line: 1 });
}

#[test]
fn a_suite_without_a_case_says_why() {
    for (suite, why) in [
        (Memory::default(), "suite folder is absent"),
        (Memory::of(&[("diag-gate.toml", "")]), "`cases` folder is absent"),
        (Memory::of(&[("cases/a.txt", "")]), "ends in `.json`"),
        (Memory::of(&[("cases/a.json", "[]"), ("cases/b.json", "{\"cases\":[]}")]), "hold none"),
    ] {
        let (file, line, message) = only(&suite);
        assert_eq!((file.as_str(), line), ("cases", None));
        assert!(message.contains(why), "{message}");
    }
    let broken = Memory::of(&[("cases/a.json", "[")]);
    assert_eq!(only(&broken).0, "cases/a.json");
}

#[test]
fn an_id_is_unique_across_files_also_when_folded_and_trimmed() {
    for (first, second, alike) in [
        ("a", "a", true),
        ("Order", "order", true),
        ("a", " a\u{3000}", true),
        ("Straße", "STRASSE", true),
        ("a\u{200b}b", "ab", true),
        ("Ａ", "a", true),
        ("a b", "ab", false),
        ("a", "á", false),
    ] {
        let (one, two) = (case(first), format!("\n{}", case(second)));
        let suite = Memory::of(&[("cases/1.json", &one), ("cases/2.json", &two)]);
        assert_eq!(problems(&suite).is_empty(), !alike, "{first} {second}");
        if alike {
            let (file, line, message) = only(&suite);
            assert_eq!((file.as_str(), line), ("cases/2.json", Some(2)));
            assert!(message.contains("cases/1.json on line 1") && message.contains(second), "{message}");
        }
    }
}

#[test]
fn an_id_is_compared_also_where_its_case_is_at_fault() {
    let suite = Memory::of(&[("cases/1.json", "[{\"id\":\"a\"},\n{\"id\":\"a\"}]")]);
    let lines: Vec<_> = problems(&suite).into_iter().map(|(_, line, _)| line).collect();
    assert_eq!(lines, [Some(1), Some(2), Some(2)]);
}

#[test]
fn what_would_lose_cases_or_settings_in_silence_is_a_fault() {
    let good = case("a");
    let suite = || Memory::of(&[("cases/good.json", good.as_str())]);
    for (path, kind) in [
        ("cases/l.json", EntryKind::Link),
        ("cases/folder", EntryKind::Link),
        ("cases", EntryKind::Link),
        ("cases/sub", EntryKind::Submodule),
        ("cases/pipe.json", EntryKind::Other),
        ("cases", EntryKind::File),
        ("diag-gate.toml", EntryKind::Link),
        ("diag-gate.toml", EntryKind::Other),
        ("diag-gate.toml", EntryKind::Submodule),
    ] {
        let (file, _, message) = only(&suite().and(path, kind));
        assert_eq!(file, path, "{message}");
    }
}

#[test]
fn all_problems_are_told_together_by_file_and_line() {
    let suite = Memory::of(&[
        ("diag-gate.toml", "nam = 1\n[gate]\nmin_pass_rate = 2"),
        ("cases/b.json", "[{\"id\":\"a\",\n\"x\":1}]"),
        ("cases/a.json", "[\n{\"id\":\"a\",\"traceFixture\":\"t\",\"allowedVerdicts\":[]}]"),
    ])
    .and("cases/c.json", EntryKind::Link);
    let places: Vec<_> = problems(&suite).into_iter().map(|(file, line, _)| (file, line)).collect();
    let expected = [
        ("cases/a.json", Some(2)),
        ("cases/b.json", Some(1)),
        ("cases/b.json", Some(1)),
        ("cases/b.json", Some(2)),
        ("cases/c.json", None),
        ("diag-gate.toml", Some(1)),
        ("diag-gate.toml", Some(3)),
    ];
    assert_eq!(places, expected.map(|(file, line)| (file.to_owned(), line)));
}

proptest! {
    #[test]
    fn loading_never_panics_and_never_reads_an_empty_suite(
        config in prop::option::of(prop::collection::vec(any::<u8>(), 0..20)),
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        text in r#"\[(\{|\}|"id":|"traceFixture":|"a"|"b"|,|null|1){0,12}\]"#,
    ) {
        let mut suite = Memory::of(&[("cases/a.json", &text)]);
        suite.0.insert("cases/b.json".to_owned(), (EntryKind::File, bytes));
        suite.0.extend(config.map(|config| ("diag-gate.toml".to_owned(), (EntryKind::File, config))));
        match load(&suite) {
            Ok(suite) => prop_assert!(!suite.cases.is_empty()),
            Err(LoadError::Problems(problems)) => prop_assert!(!problems.is_empty()),
            Err(LoadError::Source(error)) => return Err(TestCaseError::fail(error.to_string())),
        }
    }
}
