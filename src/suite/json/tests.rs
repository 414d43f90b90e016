use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn faults(bytes: &[u8]) -> Vec<(u32, Option<u32>, String)> {
    match Document::parse(bytes) {
        Ok(_) => Vec::new(),
        Err(faulty) => {
            faulty.faults.into_iter().map(|fault| (fault.line, fault.column, fault.to_string())).collect()
        }
    }
}

fn only(text: &str) -> (u32, Option<u32>, String) {
    let mut faults = faults(text.as_bytes());
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

#[test]
fn what_is_no_json_is_told_with_line_and_column() {
    for (text, line, column, words) in [
        ("", 1, 1, "no JSON: the file is empty"),
        (" \n ", 2, 1, "no JSON: the file is empty"),
        ("[1,\n  2", 2, 3, "no JSON: the file ends within a list"),
        ("[1,\r\n  x]", 2, 3, "no JSON: expected value"),
        ("[\"故障\" x]", 1, 7, "no JSON: expected `,` or `]`"),
        ("[NaN]", 1, 2, "no JSON: expected value"),
        ("[01]", 1, 3, "no JSON: invalid number"),
        ("{} {}", 1, 4, "no JSON: trailing characters"),
        ("[1,]", 1, 4, "no JSON: expected value"),
        ("{'a':1}", 1, 2, "no JSON: key must be a string"),
        ("[\"\\ud8zz\"]", 1, 8, "no JSON: invalid escape"),
    ] {
        let (found_line, found_column, message) = only(text);
        assert_eq!((found_line, message.as_str()), (line, words), "{text}");
        assert!(found_column.is_some_and(|found| found.abs_diff(column) <= 1), "{text}: {found_column:?}");
    }
}

#[test]
fn merge_conflict_markers_are_called_by_their_name() {
    let text = "[\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> side\n]";
    assert_eq!(only(text), (2, Some(1), FaultKind::ConflictMarkers.to_string()));
    assert_eq!(only("[1]\n>>>>>>> x").0, 2);
    assert!(only("[\n=======\n]").2.starts_with("no JSON"));
    assert!(faults(b"[\"<<<<<<< HEAD\"]").is_empty());
}

#[test]
fn a_byte_order_mark_is_skipped_once_and_carriage_returns_are_space() {
    assert!(faults(b"\xef\xbb\xbf[1,\r\n2]\r\n").is_empty());
    assert_eq!(faults(b"\xef\xbb\xbf\xef\xbb\xbf[1]").len(), 1);
    assert_eq!(Document::parse(b"\xef\xbb\xbf[1]").unwrap().root().raw, "[1]");
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    assert_eq!(faults(b"[\"ab\",\n\"\xe4\xba\x91\xff\"]"), [(2, Some(3), "not UTF-8".to_owned())]);
    assert_eq!(faults(b"\xff\xfe[\0]\0")[0].2, "not UTF-8");
}

#[test]
fn a_pointer_of_git_lfs_is_called_by_its_name() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    assert!(faults(pointer)[0].2.contains("git lfs pull"));
}

#[test]
fn a_field_twice_in_one_object_names_both_lines_at_any_depth() {
    let text = "{\n\"a\": [{\"x\": 1},\n {\"x\": {\"b\": 1,\n \"c\": {}, \"b\": 2}}]}";
    assert_eq!(
        only(text),
        (4, None, "the field `b` stands twice in one object, first on line 3: keep one of them".to_owned())
    );
    assert_eq!(only("{\"a\":1,\"\\u0061\":2}").0, 1);
    assert_eq!(faults(b"{\"a\":1,\n\"a\":2,\n\"a\":3}").len(), 2);
    assert!(faults(b"{\"a\":\"a\",\"b\":[\"a\",\"a\"],\"c\":{\"a\":1}}").is_empty());
}

#[test]
fn half_a_surrogate_pair_is_a_fault_in_strings_and_in_names() {
    for bad in [
        r#"["\ud83d"]"#,
        r#"["\ude00"]"#,
        r#"["\ud83d\ud83d\ude00"]"#,
        r#"["\ude00\ud83d"]"#,
        r#"["\ud83dx\ude00"]"#,
        r#"["\ud83d\n"]"#,
        r#"{"\uDBFF":1}"#,
    ] {
        assert_eq!(only(bad).2, FaultKind::HalfSurrogate.to_string(), "{bad}");
    }
    for good in [r#"["\ud83d\ude00"]"#, r#"["\\ud83d"]"#, r#"["\ud7ff\ue000"]"#, r#"{"\\":"\\"}"#] {
        assert!(faults(good.as_bytes()).is_empty(), "{good}");
    }
}

#[test]
fn faults_stand_in_the_order_of_their_places_beside_the_document() {
    let text = b"{\"a\":1,\n\"a\":{\"b\":\"\\ud800\",\n\"b\":1}}";
    let faulty = Document::parse(text).unwrap_err();
    assert_eq!(faulty.faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [2, 2, 3]);
    assert!(faulty.document.is_some());
    assert!(faulty.to_string().contains("`a`"));
    assert!(Document::parse(b"[").unwrap_err().document.is_none());
}

#[test]
fn nesting_may_be_as_deep_as_it_likes() {
    let depth = 300_000;
    let arrays = format!("{{\"x\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let objects = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    for text in [&arrays, &objects] {
        let document = Document::parse(text.as_bytes()).unwrap();
        let Shape::Object(members) = document.root().shape() else { panic!("an object") };
        assert_eq!(members[0].value.end() + 1, text.len());
    }
    let twice = format!("{}{{\"b\":1,\"b\":2}}{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    assert_eq!(faults(twice.as_bytes()).len(), 1);
}

#[test]
fn values_are_read_one_level_at_a_time_with_their_places() {
    let text = " { \"a\\n\" : [ 1.50 , null,\ttrue ,false, \"x\\\"}\\\\\" ] ,\n\"b\":{},\"c\":[] } ";
    let document = Document::parse(text.as_bytes()).unwrap();
    let Shape::Object(members) = document.root().shape() else { panic!("an object") };
    assert_eq!(members.iter().map(|member| member.name.as_ref()).collect::<Vec<_>>(), ["a\n", "b", "c"]);
    assert_eq!(members.iter().map(|member| document.line(member.offset)).collect::<Vec<_>>(), [1, 2, 2]);
    let Shape::Array(entries) = members[0].value.shape() else { panic!("an array") };
    let shapes: Vec<_> = entries.iter().map(|entry| entry.shape().words()).collect();
    assert_eq!(shapes, ["a number", "`null`", "`true`", "`false`", "a string"]);
    assert_eq!(entries[0].raw, "1.50");
    assert!(matches!(entries[4].shape(), Shape::String(text) if text == "x\"}\\"));
    for entry in &entries {
        assert_eq!(&text[entry.offset..entry.end()], entry.raw);
    }
    assert!(matches!(members[1].value.shape(), Shape::Object(inside) if inside.is_empty()));
    assert!(matches!(members[2].value.shape(), Shape::Array(inside) if inside.is_empty()));
}

/// JSON as a tree whose strings are written raw, so that names may repeat and halves may stand alone.
#[derive(Clone, Debug)]
enum Tree {
    Text(String),
    Scalar(&'static str),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

fn raw_string() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        "b",
        "\\u0061",
        "\\n",
        "\\\\",
        "\\\"",
        "\\ud83d",
        "\\uDE00",
        "\\ud83d\\ude00",
        "{",
        "]",
        ",",
        "é",
    ]);
    prop::collection::vec(pieces, 0..3).prop_map(|pieces| pieces.concat())
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        raw_string().prop_map(Tree::Text),
        prop::sample::select(vec!["null", "true", "false", "0", "-1.5e3"]).prop_map(Tree::Scalar),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::Array),
            prop::collection::vec((raw_string(), inner), 0..4).prop_map(Tree::Object),
        ]
    })
}

fn write(tree: &Tree, text: &mut String) {
    match tree {
        Tree::Text(raw) => text.push_str(&format!("\"{raw}\"")),
        Tree::Scalar(raw) => text.push_str(raw),
        Tree::Array(entries) => {
            text.push('[');
            for (index, entry) in entries.iter().enumerate() {
                text.push_str(if index == 0 { " " } else { " ,\n" });
                write(entry, text);
            }
            text.push(']');
        }
        Tree::Object(members) => {
            text.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                text.push_str(&format!("\"{name}\" :\n"));
                write(value, text);
            }
            text.push('}');
        }
    }
}

/// The slow way: the standard library decodes the UTF-16 of a string; names are compared in pairs.
fn decoded(raw: &str) -> Option<String> {
    let halved = serde_json::from_str::<String>(&format!("\"{raw}\""));
    halved.ok()
}

/// How often a name stands again, and how many strings hold a half.
fn count(tree: &Tree) -> (usize, usize) {
    match tree {
        Tree::Text(raw) => (0, usize::from(decoded(raw).is_none())),
        Tree::Scalar(_) => (0, 0),
        Tree::Array(entries) => entries.iter().map(count).fold((0, 0), sum),
        Tree::Object(members) => {
            let mut seen = BTreeSet::new();
            members.iter().fold((0, 0), |total, (name, value)| {
                let here = match decoded(name) {
                    None => (0, 1),
                    Some(name) => (usize::from(!seen.insert(name)), 0),
                };
                sum(sum(total, here), count(value))
            })
        }
    }
}

fn sum(left: (usize, usize), right: (usize, usize)) -> (usize, usize) {
    (left.0 + right.0, left.1 + right.1)
}

/// The tree again, through the reader.
fn read(value: Value<'_>) -> serde_json::Value {
    match value.shape() {
        Shape::Null => serde_json::Value::Null,
        Shape::Bool(switch) => switch.into(),
        Shape::Number(raw) => serde_json::from_str(raw).unwrap(),
        Shape::String(text) => text.into_owned().into(),
        Shape::Array(entries) => entries.into_iter().map(read).collect(),
        Shape::Object(members) => {
            members.into_iter().map(|member| (member.name.into_owned(), read(member.value))).collect()
        }
    }
}

proptest! {
    #[test]
    fn the_scan_finds_what_a_slow_search_finds(tree in tree()) {
        let mut text = String::new();
        write(&tree, &mut text);
        let (twice, halves) = count(&tree);
        let found = match Document::parse(text.as_bytes()) {
            Ok(document) => {
                prop_assert_eq!(read(document.root()), serde_json::from_str::<serde_json::Value>(&text).unwrap());
                Vec::new()
            }
            Err(faulty) => faulty.faults,
        };
        let found_halves = found.iter().filter(|fault| fault.kind == FaultKind::HalfSurrogate).count();
        prop_assert_eq!((found.len() - found_halves, found_halves), (twice, halves), "{}", text);
        for fault in found {
            prop_assert_eq!(fault.line as usize, text[..fault.offset].matches('\n').count() + 1);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let valid = std::str::from_utf8(&bytes).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
        prop_assert!(!valid || Document::parse(&bytes).map_or_else(|faulty| faulty.document.is_some(), |_| true));
    }

    #[test]
    fn any_text_of_json_letters_is_read_or_refused(text in "[\\[\\]{}:,\"\\\\ud8a01 \n]{0,30}") {
        let valid = serde_json::from_str::<IgnoredAny>(&text).is_ok();
        let read = Document::parse(text.as_bytes()).map_or_else(|faulty| faulty.document.is_some(), |_| true);
        prop_assert_eq!(read, valid);
    }
}
