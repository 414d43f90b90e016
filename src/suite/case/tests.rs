use proptest::prelude::*;

use super::*;

/// Reads one case with the given fields beside a good id and trace, each on a line of its own from line 2.
fn with(fields: &str) -> CaseFile {
    read("cases/c.json", format!("[{{\"id\":\"a\",\"traceFixture\":\"t.json\"{fields}}}]").as_bytes())
}

fn good(fields: &str) -> Case {
    let mut file = with(fields);
    assert_eq!(file.problems, [], "{fields}");
    file.cases.remove(0)
}

/// The only problem: line, case, field, message.
fn fault(file: CaseFile) -> (u32, Option<String>, Option<String>, String) {
    assert_eq!(file.problems.len(), 1, "{:?}", file.problems);
    let problem = file.problems.into_iter().next().unwrap();
    assert_eq!(problem.file, "cases/c.json");
    (problem.line.unwrap(), problem.case, problem.field, problem.message)
}

#[test]
fn every_field_of_a_case_is_read() {
    let case = good(
        r#","title":"T","question":"q?","expectedRootCauseKeywords":["k1","k2"],"minKeywordMatches":1,
        "requiredEvidenceTools":["logs","logs","Logs"],"allowedVerdicts":["PASS"],"forbiddenAnswerKeywords":["f"],
        "requireV2AuditClosure":true,"requireClaimChecks":false,"requireComposerOutput":true,
        "expectedGatekeeperStatuses":["pass"],"expectedGatekeeperRuleSetVersion":"v1",
        "expectedComposerStatuses":["valid"],"forbiddenConfirmedClaimKeywords":["c"]"#,
    );
    assert_eq!((case.id.as_str(), case.title.as_str(), case.question.as_deref()), ("a", "T", Some("q?")));
    assert_eq!(case.place, Place { file: "cases/c.json".into(), line: 1 });
    let asked = &case.expectations;
    assert_eq!(asked.min_keyword_matches, Some(1));
    assert_eq!(asked.required_evidence_tools, ["logs", "Logs"]);
    assert_eq!((asked.require_v2_audit_closure, asked.require_claim_checks), (true, false));
    assert_eq!(asked.expected_gatekeeper_rule_set_version.as_deref(), Some("v1"));
    assert_eq!(asked.forbidden_confirmed_claim_keywords, ["c"]);
    assert_eq!(case.digest, asked.digest());
}

#[test]
fn null_and_absent_ask_nothing() {
    let nothing: String = KNOWN[1..]
        .iter()
        .filter(|name| **name != "traceFixture")
        .map(|name| format!(",\"{name}\":null"))
        .collect();
    let case = good(&nothing);
    assert_eq!(*case.expectations, crate::suite::Expectations::default());
    assert_eq!((case.title.as_str(), case.question), ("a", None));
    let empty = r#","expectedRootCauseKeywords":[],"requiredEvidenceTools":[],"forbiddenAnswerKeywords":[],
        "forbiddenConfirmedClaimKeywords":[],"tags":[]"#;
    assert_eq!(*good(empty).expectations, crate::suite::Expectations::default());
}

#[test]
fn a_blank_title_falls_back_to_the_id() {
    assert_eq!(good(r#","title":" \u200b""#).title, "a");
    assert_eq!(good(r#","title":" x ""#).title, " x ");
}

#[test]
fn free_fields_hold_what_they_like() {
    let deep = format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000));
    good(&format!(
        r#","metadata":{deep},"description":1e999,"$schema":false,"x-":{{"id":1}},"x-y":[],"_":null,"_z":"","tags":["t"]"#
    ));
}

#[test]
fn tags_are_strings() {
    for bad in [r#","tags":"t""#, r#","tags":[1]"#, r#","tags":[null]"#, r#","tags":[" "]"#] {
        assert_eq!(fault(with(bad)).2.as_deref(), Some("tags"), "{bad}");
    }
}

#[test]
fn an_unknown_field_is_told_with_the_nearest_known_one() {
    let (line, case, field, message) = fault(with(",\n\n\"forbiddenAnswerKeyword\":[\"x\"]"));
    assert_eq!((line, case.as_deref(), field.as_deref()), (3, Some("a"), Some("forbiddenAnswerKeyword")));
    assert!(message.contains("did you mean `forbiddenAnswerKeywords`?"), "{message}");
    for bad in ["X-a", "Tags", "", "tag", "expectations", "minkeywordmatches"] {
        assert_eq!(fault(with(&format!(",\"{bad}\":null"))).2.as_deref(), Some(bad));
    }
}

#[test]
fn an_id_is_required_and_must_say_something() {
    for (text, case, line) in [
        ("[\n{\"traceFixture\":\"t\"}]", "#0", 2),
        ("[\n{\n\"traceFixture\":\"t\",\n\"id\":null}]", "#0", 4),
        ("[{\"traceFixture\":\"t\",\n\"id\":\"\"}]", "#0", 2),
        ("[{\"traceFixture\":\"t\",\n\"id\":\" \\u00ad\"}]", "#0", 2),
        ("[{\"traceFixture\":\"t\",\n\"id\":7}]", "#0", 2),
        ("[{\"traceFixture\":\"t\",\n\"id\":\"a\\u0000\"}]", "a\0", 2),
        ("[{\"traceFixture\":\"t\",\n\"id\":\"a\\u0085\"}]", "a\u{85}", 2),
    ] {
        let file = read("cases/c.json", text.as_bytes());
        assert!(file.cases.is_empty() && file.ids.is_empty(), "{text}");
        let (found_line, found_case, field, _) = fault(file);
        assert_eq!(
            (found_line, found_case.as_deref(), field.as_deref()),
            (line, Some(case), Some("id")),
            "{text}"
        );
    }
}

#[test]
fn a_trace_is_required_and_stays_below_its_folder() {
    for bad in ["", ",\"traceFixture\":null", ",\"traceFixture\":1", ",\"traceFixture\":\"../x\""] {
        let file = read("cases/c.json", format!("[{{\"id\":\"a\"{bad}}}]").as_bytes());
        assert_eq!(file.ids.len(), 1);
        let (_, case, field, _) = fault(file);
        assert_eq!((case.as_deref(), field.as_deref()), (Some("a"), Some("traceFixture")), "{bad}");
    }
}

#[test]
fn a_wrong_type_names_line_case_and_field() {
    for (name, value) in [
        ("title", "1"),
        ("question", "[]"),
        ("expectedRootCauseKeywords", "\"k\""),
        ("expectedRootCauseKeywords", "[1]"),
        ("expectedRootCauseKeywords", "[null]"),
        ("expectedRootCauseKeywords", "[\" \"]"),
        ("requiredEvidenceTools", "{}"),
        ("requiredEvidenceTools", "[[]]"),
        ("requiredEvidenceTools", "[\"\"]"),
        ("allowedVerdicts", "[]"),
        ("allowedVerdicts", "[\"\\u3000\"]"),
        ("allowedVerdicts", "true"),
        ("expectedGatekeeperStatuses", "[ ]"),
        ("expectedComposerStatuses", "[\n]"),
        ("forbiddenAnswerKeywords", "[\"\\u200b\"]"),
        ("forbiddenConfirmedClaimKeywords", "[false]"),
        ("requireV2AuditClosure", "\"true\""),
        ("requireClaimChecks", "1"),
        ("requireComposerOutput", "[]"),
        ("expectedGatekeeperRuleSetVersion", "\"\""),
        ("expectedGatekeeperRuleSetVersion", "2"),
        ("minKeywordMatches", "\"1\""),
        ("minKeywordMatches", "-1"),
        ("minKeywordMatches", "0.5"),
        ("minKeywordMatches", "1"),
        ("minKeywordMatches", "1e99"),
    ] {
        let (line, case, field, message) = fault(with(&format!(",\n\"_\":null,\n\"{name}\":{value}")));
        assert_eq!(
            (case.as_deref(), field.as_deref(), line),
            (Some("a"), Some(name), 3),
            "{value}: {message}"
        );
        assert!(message.starts_with(|first: char| first.is_lowercase() || first == '`'), "{message}");
        assert!(!message.ends_with('.'), "{message}");
    }
}

#[test]
fn the_minimum_is_all_unless_a_whole_number_within_reach_is_given() {
    let minimum = |text: &str| {
        good(&format!(",\"expectedRootCauseKeywords\":[\"a\",\"b\",\"b\"]{text}"))
            .expectations
            .min_keyword_matches
    };
    assert_eq!(minimum(""), Some(2));
    assert_eq!(minimum(",\"minKeywordMatches\":null"), Some(2));
    assert_eq!(minimum(",\"minKeywordMatches\":0"), Some(0));
    assert_eq!(minimum(",\"minKeywordMatches\":1.0"), Some(1));
    assert_eq!(minimum(",\"minKeywordMatches\":2e0"), Some(2));
    assert_eq!(good(",\"minKeywordMatches\":0").expectations.min_keyword_matches, None);
    let over = with(",\"expectedRootCauseKeywords\":[\"a\",\"b\",\"b\"],\"minKeywordMatches\":3");
    assert_eq!(fault(over).2.as_deref(), Some("minKeywordMatches"));
}

#[test]
fn keywords_are_the_same_in_exact_form_and_the_first_spelling_stays() {
    let case = good(r#","expectedRootCauseKeywords":["e\u0301","é","É","Ｅ"]"#);
    assert_eq!(case.expectations.expected_root_cause_keywords, ["e\u{301}", "É", "Ｅ"]);
    assert_eq!(case.expectations.min_keyword_matches, Some(3));
    let names = good(r#","requiredEvidenceTools":["e\u0301","é"]"#);
    assert_eq!(names.expectations.required_evidence_tools.len(), 2);
}

#[test]
fn a_minimum_out_of_reach_of_allowed_words_is_a_contradiction() {
    for (fields, contradicts) in [
        (r#""forbiddenAnswerKeywords":["故障"],"expectedRootCauseKeywords":["主库故障","超时"]"#, true),
        (r#""forbiddenConfirmedClaimKeywords":["故障"],"expectedRootCauseKeywords":["主库故障"]"#, true),
        (r#""forbiddenAnswerKeywords":["DISK"],"expectedRootCauseKeywords":["disk full"]"#, true),
        (r#""forbiddenAnswerKeywords":["d\u200bisk"],"expectedRootCauseKeywords":["Ｄisk"]"#, true),
        (r#""forbiddenAnswerKeywords":["disk full"],"expectedRootCauseKeywords":["disk"]"#, false),
        (
            r#""forbiddenAnswerKeywords":["a"],"expectedRootCauseKeywords":["a","b"],"minKeywordMatches":1"#,
            false,
        ),
        (
            r#""forbiddenAnswerKeywords":["a"],"expectedRootCauseKeywords":["a","b"],"minKeywordMatches":2"#,
            true,
        ),
        (r#""forbiddenAnswerKeywords":["a"],"expectedRootCauseKeywords":["a"],"minKeywordMatches":0"#, false),
    ] {
        let file = with(&format!(",{fields}"));
        assert_eq!(!file.problems.is_empty(), contradicts, "{fields}");
        if contradicts {
            assert_eq!(fault(file).2.as_deref(), Some("expectedRootCauseKeywords"));
        }
    }
}

#[test]
fn a_file_is_an_array_or_an_object_with_cases() {
    let case = r#"{"id":"a","traceFixture":"t"}"#;
    for text in [
        format!("[{case}]"),
        format!("{{\"cases\":[{case}]}}"),
        format!(
            "{{\"$schema\":\"s\",\"tags\":[\"x\"],\"_c\":1,\"x-d\":[],\"cases\":[{case}],\"metadata\":{{}}}}"
        ),
        format!("\u{feff}[\r\n{case}\r\n]\r\n"),
    ] {
        let file = read("cases/c.json", text.as_bytes());
        assert_eq!(file.problems, [], "{text}");
        assert_eq!(file.cases.len(), 1);
    }
    for (text, line, field) in [
        ("{}", 1, Some("cases")),
        ("{\n\"cases\":null}", 2, Some("cases")),
        ("{\n\"cases\":{}}", 2, Some("cases")),
        ("{\"cases\":[],\n\"case\":[]}", 2, Some("case")),
        ("{\"cases\":[],\n\"tags\":1}", 2, Some("tags")),
        ("\n7", 2, None),
        ("null", 1, None),
        ("\"x\"", 1, None),
    ] {
        let (found, case, found_field, _) = fault(read("cases/c.json", text.as_bytes()));
        assert_eq!((found, case, found_field.as_deref()), (line, None, field), "{text}");
    }
}

#[test]
fn what_is_no_object_is_no_case() {
    for other in ["null", "1", "[]", "\"a\""] {
        let text = format!("[{{\"id\":\"a\",\"traceFixture\":\"t\"}},\n{other}]");
        let (line, case, field, _) = fault(read("cases/c.json", text.as_bytes()));
        assert_eq!((line, case.as_deref(), field), (2, Some("#1"), None));
    }
}

#[test]
fn faults_of_the_text_are_told_beside_all_others_with_their_case_and_field() {
    let text = "[{\"id\":\"a\",\"traceFixture\":\"t\",\n\"title\":\"x\",\n\"title\":\"y\"},\n{\"id\":\"b\",\n\"metadata\":{\"m\":\"\\ud800\"},\"nope\":1}]";
    let file = read("cases/c.json", text.as_bytes());
    let mut found: Vec<_> = file
        .problems
        .iter()
        .map(|problem| {
            (problem.line.unwrap(), problem.case.as_deref().unwrap(), problem.field.as_deref().unwrap())
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(3, "a", "title"), (4, "b", "traceFixture"), (5, "b", "metadata"), (5, "b", "nope")]);
    assert!(file.problems.iter().any(|problem| problem.message.contains("first on line 2")));
    let beside = read("cases/c.json", b"{\"cases\":[],\n\"cases\":[{\"id\":1}]}");
    assert!(beside.problems.iter().any(|problem| problem.line == Some(2) && problem.case.is_none()));
}

#[test]
fn a_file_that_is_no_json_has_one_problem_with_line_and_column() {
    let file = read("cases/c.json", b"[{\"id\": \"gamma\",]");
    assert_eq!((file.problems[0].line, file.problems[0].column.is_some()), (Some(1), true));
    assert_eq!(file.problems.len(), 1);
}

proptest! {
    #[test]
    fn reading_never_panics(text in r#"(\[|\{|\}|\]|,|:|"id"|"cases"|"a"|"traceFixture"|"tags"|"minKeywordMatches"|1|-0\.5e3|null|"\\ud800"|\n){0,24}"#) {
        let file = read("cases/c.json", text.as_bytes());
        prop_assert!(file.cases.len() <= file.ids.len());
        prop_assert!(file.problems.iter().all(|problem| problem.line.is_some()));
    }

    #[test]
    fn one_slip_in_a_known_name_is_always_found(index in 0..KNOWN.len(), cut in any::<prop::sample::Index>()) {
        let name = KNOWN[index];
        let mut slip = name.to_owned();
        slip.remove(cut.index(name.len()));
        prop_assume!(slip.len() > 1);
        let file = with(&format!(",\"{slip}\":null"));
        prop_assert_eq!(file.problems.len(), 1);
        prop_assert!(file.problems[0].message.contains(&format!("did you mean `{name}`?")), "{}", file.problems[0].message);
    }
}
