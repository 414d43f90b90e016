use super::*;
use crate::suite::Config;
use crate::suite::case;

fn suite(cases: &str) -> Suite {
    let file = case::read("cases/c.json", format!("[{cases}]").as_bytes());
    assert_eq!(file.problems, []);
    Suite { config: Config::default(), config_file: None, cases: file.cases, files: Vec::new() }
}

fn warnings(cases: &str, traces: &[&str]) -> Vec<(String, Option<String>, Option<String>, String)> {
    let entry = |path: &&str| Entry { path: path.as_bytes().to_vec(), kind: EntryKind::File, id: None };
    let found = lint(&suite(cases), &traces.iter().map(entry).collect::<Vec<_>>());
    found.into_iter().map(|warning| (warning.file, warning.case, warning.field, warning.message)).collect()
}

const SOUND: &str =
    r#"{"id":"a","traceFixture":"a.json","question":"why?","expectedRootCauseKeywords":["k"]}"#;

#[test]
fn a_sound_suite_has_no_warnings() {
    assert_eq!(warnings(SOUND, &["a.json", "README.md", ".gitkeep"]), []);
}

#[test]
fn a_trace_that_no_case_uses_is_told() {
    let found = warnings(SOUND, &["a.json", "b/a.json", "README.md"]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "fixtures/b/a.json");
    let other_ending = SOUND.replace("a.json", "a.trace");
    assert_eq!(warnings(&other_ending, &["a.trace", "b.trace", "c.txt"])[0].0, "fixtures/b.trace");
    let link = Entry { path: b"l.json".to_vec(), kind: EntryKind::Link, id: None };
    assert_eq!(lint(&suite(SOUND), &[link]), []);
}

#[test]
fn a_minimum_of_0_beside_keywords_is_told() {
    let found = warnings(
        r#"{"id":"a","traceFixture":"a","expectedRootCauseKeywords":["k"],"minKeywordMatches":0,"allowedVerdicts":["PASS"]}"#,
        &[],
    );
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].1.as_deref(), found[0].2.as_deref()), (Some("a"), Some("minKeywordMatches")));
}

#[test]
fn a_case_that_asks_nothing_is_told() {
    for nothing in ["", r#","allowedVerdicts":null,"requireClaimChecks":false,"tags":["x"]"#] {
        let found = warnings(&format!("{{\"id\":\"a\",\"traceFixture\":\"a\"{nothing}}}"), &[]);
        assert_eq!(found.len(), 1);
        assert!(found[0].3.contains("asks nothing"));
    }
    let zero = r#"{"id":"a","traceFixture":"a","expectedRootCauseKeywords":["k"],"minKeywordMatches":0}"#;
    assert_eq!(warnings(zero, &[]).len(), 2);
}

#[test]
fn a_forbidden_word_in_the_question_is_told_however_it_is_written() {
    for (question, field, word, told) in [
        ("is the disk full", "forbiddenAnswerKeywords", "DISK", true),
        ("is the disk full", "forbiddenConfirmedClaimKeywords", "di\\u200bsk", true),
        ("主库故障", "forbiddenAnswerKeywords", "故障", true),
        ("is the disk full", "forbiddenAnswerKeywords", "disc", false),
    ] {
        let cases =
            format!(r#"{{"id":"a","traceFixture":"a","question":"{question}","{field}":["{word}"]}}"#);
        let fields: Vec<_> =
            warnings(&cases, &[]).into_iter().map(|(_, _, field, _)| field.unwrap()).collect();
        assert_eq!(fields, if told { vec![field] } else { vec![] }, "{cases}");
    }
}

#[test]
fn cases_with_the_same_content_are_told_with_the_first() {
    let second = SOUND.replace("\"a\"", "\"b\"");
    let other_trace = SOUND.replace("\"a\"", "\"c\"").replace("a.json", "c.json");
    let other_words = SOUND.replace("\"a\"", "\"d\"").replace("[\"k\"]", "[\"l\"]");
    let found = warnings(&[SOUND, &second, &other_trace, &other_words].join(",\n"), &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1.as_deref(), Some("b"));
    assert!(found[0].3.contains("case `a` in cases/c.json on line 1"), "{}", found[0].3);
}
