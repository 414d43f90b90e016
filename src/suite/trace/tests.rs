//! Traces as files hold them, and a slow reader over a tree of values as the oracle.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::suite::text::is_blank;

const VERIFIER: &str = "/session/selfEvaluation/verifier_evaluation";

fn read(text: &str) -> Trace {
    parse(text.as_bytes()).unwrap()
}

fn verifier(fields: &str) -> String {
    format!(r#"{{"session":{{"selfEvaluation":{{"verifier_evaluation":{{{fields}}}}}}}}}"#)
}

fn unreadable(text: impl AsRef<[u8]>) -> Unreadable {
    parse(text.as_ref()).unwrap_err()
}

#[test]
fn an_empty_object_is_a_trace_in_which_all_is_missing() {
    let trace = read("\u{feff} {}\r\n");
    assert!(trace.answer.is_none() && trace.tool_invocations.is_none() && trace.verdict.is_none());
    assert!(trace.wrong_types.is_empty());
}

#[test]
fn null_is_missing_and_no_wrong_type() {
    let trace = read(
        r#"{"session":{"answer":null,"totalDurationMs":null,"selfEvaluation":{"verifier_evaluation":
        {"verdict":null,"gatekeeper_result":null,"claim_checks":null,"composer_output":{"status":null},
        "executor_structured_output":{"claims":null},"tool_trace_summary":[{"tool_name":null}]}}},"toolInvocations":null}"#,
    );
    assert!(trace.wrong_types.is_empty());
    assert!(trace.gatekeeper.is_none() && trace.claim_checks.is_none());
    assert!(trace.composer.unwrap().status.is_none());
    assert!(trace.executor.unwrap().claims.is_none());
    assert_eq!(trace.tool_trace_summary, Some(vec![None]));
    assert!(read(r#"{"session":null}"#).wrong_types.is_empty());
}

#[test]
fn wrong_types_stand_in_the_order_of_the_list_whatever_the_order_of_the_file() {
    let trace = read(
        r#"{"toolInvocations":[{"toolName":1},[],{"toolName":"t"}],"session":{"selfEvaluation":{"verifier_evaluation":{
        "tool_trace_summary":[null,{"tool_name":{}}],
        "executor_structured_output":{"claims":[{"evidence_bindings":3},1,{"evidence_bindings":["x",{}]}]},
        "composer_output":{"status":[]},"claim_checks":["x",{"claim_id":1},null],
        "gatekeeper_result":{"rule_set_version":1,"status":false},"verdict":{}}},
        "totalDurationMs":-1,"answer":[]}}"#,
    );
    let expected = [
        "/session/answer",
        "/session/totalDurationMs",
        "V/verdict",
        "V/gatekeeper_result/status",
        "V/gatekeeper_result/rule_set_version",
        "V/claim_checks/0",
        "V/claim_checks/2",
        "V/composer_output/status",
        "V/executor_structured_output/claims/0/evidence_bindings",
        "V/executor_structured_output/claims/1",
        "V/tool_trace_summary/0",
        "V/tool_trace_summary/1/tool_name",
        "/toolInvocations/0/toolName",
        "/toolInvocations/1",
    ];
    assert_eq!(trace.wrong_types, expected.map(|pointer| pointer.replacen('V', VERIFIER, 1)));
    assert_eq!(trace.claim_checks.unwrap().len(), 3);
    assert_eq!(trace.executor.unwrap().claims, Some(vec![0, 0, 2]));
    assert_eq!(trace.tool_invocations, Some(vec![None, None, Some("t".to_owned())]));
}

#[test]
fn each_container_of_the_wrong_type_is_named_and_missing() {
    for (text, pointer) in [
        (r#"{"session":[]}"#.to_owned(), "/session"),
        (r#"{"session":"\ud83d"}"#.to_owned(), "/session"),
        (r#"{"session":1e400}"#.to_owned(), "/session"),
        (r#"{"session":{"selfEvaluation":true}}"#.to_owned(), "/session/selfEvaluation"),
        (r#"{"session":{"selfEvaluation":{"verifier_evaluation":1}}}"#.to_owned(), VERIFIER),
        (r#"{"toolInvocations":{}}"#.to_owned(), "/toolInvocations"),
        (verifier(r#""gatekeeper_result":"pass""#), &format!("{VERIFIER}/gatekeeper_result")),
        (verifier(r#""claim_checks":{}"#), &format!("{VERIFIER}/claim_checks")),
        (verifier(r#""composer_output":[]"#), &format!("{VERIFIER}/composer_output")),
        (verifier(r#""executor_structured_output":0"#), &format!("{VERIFIER}/executor_structured_output")),
        (
            verifier(r#""executor_structured_output":{"claims":"c"}"#),
            &format!("{VERIFIER}/executor_structured_output/claims"),
        ),
        (verifier(r#""tool_trace_summary":"t""#), &format!("{VERIFIER}/tool_trace_summary")),
    ] {
        assert_eq!(read(&text).wrong_types, [pointer], "{text}");
    }
}

#[test]
fn durations_are_exact_or_the_nearest_double_or_of_the_wrong_type() {
    let duration = |number: &str| read(&format!(r#"{{"session":{{"totalDurationMs":{number}}}}}"#));
    for (number, expected) in [
        ("18446744073709551615", Number::Int(u64::MAX)),
        ("1200.5", Number::Float(1200.5)),
        ("-0", Number::Int(0)),
        ("1.2e3", Number::Int(1200)),
        ("1e-999", Number::Int(0)),
    ] {
        assert_eq!(duration(number).duration_ms, Some(expected), "{number}");
        assert!(duration(number).wrong_types.is_empty(), "{number}");
    }
    for number in ["-1", "-0.5", "1e999", "-1e999", "\"12\"", "true", "[1]"] {
        assert!(duration(number).duration_ms.is_none(), "{number}");
        assert_eq!(duration(number).wrong_types, ["/session/totalDurationMs"], "{number}");
    }
}

#[test]
fn blank_verdicts_statuses_and_versions_are_missing_and_an_answer_is_kept_as_it_stands() {
    let trace = read(&verifier(
        r#""verdict":" \u200b","gatekeeper_result":{"status":"","rule_set_version":"\u3000"},"composer_output":{"status":"\n"}"#,
    ));
    assert!(trace.wrong_types.is_empty() && trace.verdict.is_none());
    let gatekeeper = trace.gatekeeper.unwrap();
    assert!(gatekeeper.status.is_none() && gatekeeper.rule_set_version.is_none());
    assert!(trace.composer.unwrap().status.is_none());
    assert_eq!(read(r#"{"session":{"answer":" "}}"#).answer.as_deref(), Some(" "));
    assert_eq!(read(&verifier(r#""verdict":" PASS ""#)).verdict.as_deref(), Some(" PASS "));
}

#[test]
fn claim_checks_say_what_stands_and_never_have_a_wrong_type() {
    let entry = |fields: &str| {
        let trace = read(&verifier(&format!(r#""claim_checks":[{{{fields}}}]"#)));
        assert!(trace.wrong_types.is_empty(), "{fields}");
        trace.claim_checks.unwrap().remove(0)
    };
    for (value, stands) in [
        ("\"c\"", true),
        ("0", true),
        ("-1.5", true),
        ("1e308", true),
        ("1e400", false),
        ("\" \"", false),
        ("null", false),
    ] {
        assert_eq!(entry(&format!(r#""claim_id":{value}"#)).has_claim_id, stands, "{value}");
    }
    for value in ["true", "[1]", r#"{"a":1}"#] {
        assert!(!entry(&format!(r#""claim_id":{value}"#)).has_claim_id, "{value}");
        assert!(entry(&format!(r#""verification":{value}"#)).verification.is_none(), "{value}");
        assert!(entry(&format!(r#""detail":{value}"#)).has_detail, "{value}");
    }
    for (value, stands) in
        [("\"d\"", true), ("1e400", true), ("[]", true), ("\"\\u200b\"", false), ("null", false)]
    {
        assert_eq!(entry(&format!(r#""detail":{value}"#)).has_detail, stands, "{value}");
    }
    assert_eq!(entry(r#""verification":"Other""#).verification.as_deref(), Some("Other"));
    assert!(entry(r#""verification":1e400"#).verification.is_none());
    assert!(!entry("").has_claim_id && !entry("").has_detail);
}

#[test]
fn a_field_that_is_read_must_not_stand_twice() {
    let twice = [
        r#"{"session":{},"session":{}}"#.to_owned(),
        r#"{"session":null,"\u0073ession":null}"#.to_owned(),
        r#"{"session":5,"session":{}}"#.to_owned(),
        r#"{"toolInvocations":[],"toolInvocations":[]}"#.to_owned(),
        r#"{"toolInvocations":[{"toolName":"a","toolName":"a"}]}"#.to_owned(),
        r#"{"session":{"answer":"a","answer":"a"}}"#.to_owned(),
        r#"{"session":{"totalDurationMs":1,"totalDurationMs":1}}"#.to_owned(),
        r#"{"session":{"selfEvaluation":{},"selfEvaluation":"{}"}}"#.to_owned(),
        r#"{"session":{"selfEvaluation":{"verifier_evaluation":{},"verifier_evaluation":{}}}}"#.to_owned(),
        verifier(r#""verdict":"PASS","verdict":"PASS""#),
        verifier(r#""gatekeeper_result":{},"gatekeeper_result":{}"#),
        verifier(r#""gatekeeper_result":{"status":"a","status":"a"}"#),
        verifier(r#""gatekeeper_result":{"rule_set_version":"a","rule_set_version":"a"}"#),
        verifier(r#""claim_checks":[],"claim_checks":[]"#),
        verifier(r#""claim_checks":[{"claim_id":1,"claim_id":1}]"#),
        verifier(r#""claim_checks":[{"verification":"a","verification":"a"}]"#),
        verifier(r#""claim_checks":[{"detail":1,"detail":1}]"#),
        verifier(r#""composer_output":{},"composer_output":{}"#),
        verifier(r#""composer_output":{"status":null,"status":"valid"}"#),
        verifier(r#""executor_structured_output":{},"executor_structured_output":{}"#),
        verifier(r#""executor_structured_output":{"claims":[],"claims":[]}"#),
        verifier(
            r#""executor_structured_output":{"claims":[{"evidence_bindings":[],"evidence_bindings":[]}]}"#,
        ),
        verifier(r#""tool_trace_summary":[],"tool_trace_summary":[]"#),
        verifier(r#""tool_trace_summary":[{"tool_name":"a","tool_name":"a"}]"#),
    ];
    for text in twice {
        assert!(unreadable(&text).message.contains("a second value for the field"), "{text}");
    }
}

#[test]
fn fields_that_no_rule_reads_may_stand_twice_and_hold_anything() {
    let trace = read(
        r#"{"\ud83d":"\ud83d","x":1e400,"x":-1e400,"answer":5,"answer":6,"toolName":1,"toolName":2,
        "toolInvocations":[{"success":1,"success":"\ud83d","tool_name":1,"tool_name":2}],
        "session":{"\ude00":[],"verdict":1,"verdict":2,"answer":"a","selfEvaluation":{"x":[[[]]],"x":{}}}}"#,
    );
    assert!(trace.wrong_types.is_empty());
    assert_eq!(trace.answer.as_deref(), Some("a"));
    let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(200_000), "]".repeat(200_000));
    assert!(read(&deep).wrong_types.is_empty());
    let deep = format!(r#"{{"session":{}{}}}"#, "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(read(&deep).wrong_types, ["/session"]);
}

#[test]
fn half_a_surrogate_pair_in_a_string_that_is_read_is_unreadable() {
    for text in [
        r#"{"session":{"answer":"\ud83d"}}"#.to_owned(),
        r#"{"session":{"answer":"\ude00\ud83d"}}"#.to_owned(),
        r#"{"session":{"selfEvaluation":"{\"x\": \"\ud83d\"}"}}"#.to_owned(),
        r#"{"session":{"selfEvaluation":"{\"verifier_evaluation\":{\"verdict\":\"\\ud83d\"}}"}}"#.to_owned(),
        r#"{"toolInvocations":[{"toolName":"\ud83dx"}]}"#.to_owned(),
        verifier(r#""claim_checks":[{"claim_id":"\ud83d"}]"#),
        verifier(r#""claim_checks":[{"verification":"\ud83d"}]"#),
        verifier(r#""claim_checks":[{"detail":"\ud83d"}]"#),
        verifier(r#""tool_trace_summary":[{"tool_name":"\udfff"}]"#),
    ] {
        assert!(unreadable(&text).message.contains("half a surrogate pair"), "{text}");
    }
    assert_eq!(read(r#"{"session":{"answer":"\ud83d\ude00"}}"#).answer.as_deref(), Some("😀"));
    let unread = r#"{"session":{"selfEvaluation":"{\"x\": \"\\ud83d\"}"}}"#;
    assert!(read(unread).wrong_types.is_empty());
}

#[test]
fn what_is_no_json_object_is_unreadable() {
    for text in [
        "",
        " ",
        "[]",
        "5",
        "null",
        "\"{}\"",
        "{",
        "{}x",
        "{}{}",
        "{\"a\":NaN}",
        "{\"a\":1,}",
        "{'a':1}",
        "\u{feff}\u{feff}{}",
        "<<<<<<< a\n{}",
        "{\"session\":{\"answer\":\"a\"}",
        "{\"a\":01}",
        "\0{}",
    ] {
        assert!(parse(text.as_bytes()).is_err(), "{text}");
    }
    for bytes in [&b"{\"a\":\"\xff\"}"[..], b"{\"a\":\"\xed\xa0\xbd\"}", b"\xff\xfe{\0}\0", b"{}\xc3"] {
        assert!(unreadable(bytes).message.contains("UTF-8"));
    }
}

#[test]
fn errors_say_line_and_column() {
    let place = |bytes: &[u8]| {
        let error = unreadable(bytes);
        (error.line, error.column)
    };
    assert_eq!(place("{\n\"数\": x}".as_bytes()), (Some(2), Some(6)));
    assert_eq!(place("\u{feff}x".as_bytes()), (Some(1), Some(1)));
    assert_eq!(place(b"{\n \xff"), (Some(2), Some(2)));
    assert_eq!(place(b"{\"session\":{\n\"answer\":\"\",\"answer\":1}}"), (Some(2), Some(22)));
    let text = "{\"session\":\n{\"selfEvaluation\": \"{\\\"verifier_evaluation\\\":1,\\\"verifier_evaluation\\\":1}\"}}";
    assert_eq!(place(text.as_bytes()), (Some(2), Some(20)));
}

#[test]
fn evaluations_given_as_text_are_read_as_the_objects_in_them() {
    let inner = json!({"verdict": "PASS", "claim_checks": [1]}).to_string();
    let middle = json!({ "verifier_evaluation": inner }).to_string();
    for text in [
        json!({"session": {"selfEvaluation": middle}}),
        json!({"session": {"selfEvaluation": {"verifier_evaluation": inner}}}),
        json!({"session": {"selfEvaluation": format!("\u{feff}\r\n{middle} ")}}),
    ] {
        let trace = read(&text.to_string());
        assert_eq!(trace.verdict.as_deref(), Some("PASS"), "{text}");
        assert_eq!(trace.wrong_types, [format!("{VERIFIER}/claim_checks/0")], "{text}");
    }
}

#[test]
fn text_that_is_no_json_object_is_of_the_wrong_type() {
    for text in [
        "",
        "null",
        "[]",
        "PASS",
        "5",
        "{",
        "{}x",
        "{\"a\":NaN}",
        "\"{}\"",
        "{\"verifier_evaluation\":1,\"verifier_evaluation\":",
    ] {
        let trace = read(&json!({"session": {"selfEvaluation": text}}).to_string());
        assert_eq!(trace.wrong_types, ["/session/selfEvaluation"], "{text}");
        let trace = read(&json!({"session": {"selfEvaluation": {"verifier_evaluation": text}}}).to_string());
        assert_eq!(trace.wrong_types, [VERIFIER], "{text}");
    }
    for text in [
        r#"{"verifier_evaluation":1,"verifier_evaluation":1}"#,
        r#"{"verifier_evaluation":"{\"verdict\":1,\"verdict\":1}"}"#,
    ] {
        let error = unreadable(json!({"session": {"selfEvaluation": text}}).to_string());
        assert!(error.message.contains("a second value"), "{text}");
    }
}

#[test]
fn pointers_of_git_lfs_are_known_by_their_first_bytes() {
    assert!(is_lfs_pointer(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"));
    assert!(!is_lfs_pointer(b"{\"version\": \"https://git-lfs.github.com/spec/v1\"}"));
    assert!(!is_lfs_pointer(b""));
}

/// The oracle: the same rules over a whole tree of values, container by container.
#[derive(Default)]
struct Slow {
    wrong: Vec<String>,
}

impl Slow {
    fn wrong<T>(&mut self, pointer: &str) -> Option<T> {
        self.wrong.push(pointer.to_owned());
        None
    }

    fn object(&mut self, value: &Value, pointer: &str) -> Option<Map<String, Value>> {
        value.as_object().cloned().or_else(|| self.wrong_unless_null(value, pointer))
    }

    fn object_or_text(&mut self, value: &Value, pointer: &str) -> Option<Map<String, Value>> {
        let inner = value.as_str().and_then(|text| serde_json::from_str(text).ok());
        inner.or_else(|| self.object(value, pointer))
    }

    fn string(&mut self, value: &Value, pointer: &str) -> Option<String> {
        value.as_str().map(str::to_owned).or_else(|| self.wrong_unless_null(value, pointer))
    }

    fn entries(&mut self, value: &Value, pointer: &str) -> Option<Vec<Value>> {
        value.as_array().cloned().or_else(|| self.wrong_unless_null(value, pointer))
    }

    fn wrong_unless_null<T>(&mut self, value: &Value, pointer: &str) -> Option<T> {
        if value.is_null() { None } else { self.wrong(pointer) }
    }

    fn tools(&mut self, value: &Value, pointer: &str, name: &str) -> Option<Vec<Option<String>>> {
        let entries = self.entries(value, pointer)?;
        let mut names = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let at = format!("{pointer}/{index}");
            names.push(if entry.is_object() {
                self.string(&entry[name], &format!("{at}/{name}"))
            } else {
                self.wrong(&at)
            });
        }
        Some(names)
    }
}

/// Verdict, answer, tools and wrong types as the oracle reads them.
type Summary = (Option<String>, Option<String>, Option<usize>, Option<Vec<Option<String>>>, Vec<String>);

fn slow_summary(root: &Value) -> Summary {
    let mut slow = Slow::default();
    let (mut verdict, mut answer, mut claims) = (None, None, None);
    if let Some(session) = slow.object(&root["session"], "/session") {
        let session = Value::Object(session);
        answer = slow.string(&session["answer"], "/session/answer");
        let duration = &session["totalDurationMs"];
        if !duration.is_null() && duration.as_f64().is_none_or(|double| double < 0.0) {
            slow.wrong::<()>("/session/totalDurationMs");
        }
        let evaluation = slow.object_or_text(&session["selfEvaluation"], "/session/selfEvaluation");
        let evaluation = evaluation.map_or(Value::Null, Value::Object);
        if let Some(verifier) = slow.object_or_text(&evaluation["verifier_evaluation"], VERIFIER) {
            let verifier = Value::Object(verifier);
            verdict = slow
                .string(&verifier["verdict"], &format!("{VERIFIER}/verdict"))
                .filter(|text| !is_blank(text));
            claims =
                slow.entries(&verifier["claim_checks"], &format!("{VERIFIER}/claim_checks")).map(|entries| {
                    for (index, entry) in entries.iter().enumerate() {
                        if !entry.is_object() {
                            slow.wrong::<()>(&format!("{VERIFIER}/claim_checks/{index}"));
                        }
                    }
                    entries.len()
                });
            slow.tools(
                &verifier["tool_trace_summary"],
                &format!("{VERIFIER}/tool_trace_summary"),
                "tool_name",
            );
        }
    }
    let tools = slow.tools(&root["toolInvocations"], "/toolInvocations", "toolName");
    (verdict, answer, claims, tools, slow.wrong)
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => Just(Value::Null), 1 => Just(json!(true)), 1 => Just(json!(-1)), 2 => Just(json!(12)), 1 => Just(json!([])),
        1 => Just(json!({})), 1 => Just(json!([null, {}, 3])), 1 => Just(json!("{}")), 2 => "[ a\u{200b}\n\"]{0,3}".prop_map(Value::from),
    ]
}

fn some_of(fields: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let each: Vec<_> = fields
        .into_iter()
        .map(|(name, value)| {
            prop_oneof![1 => any_value().boxed(), 6 => value].prop_map(move |value| (name.to_owned(), value))
        })
        .collect();
    (each.prop_shuffle(), any::<prop::sample::Index>())
        .prop_map(|(fields, count)| {
            let count = count.index(fields.len() + 1);
            Value::Object(fields.into_iter().skip(count / 2).collect())
        })
        .boxed()
}

fn any_trace() -> impl Strategy<Value = Value> {
    let tools = |name: &'static str| {
        prop::collection::vec(some_of(vec![(name, any_value().boxed()), ("x", any_value().boxed())]), 0..4)
            .prop_map(Value::from)
            .boxed()
    };
    let text_or_not = |value: BoxedStrategy<Value>| {
        (value, any::<bool>())
            .prop_map(|(value, text)| if text { Value::from(value.to_string()) } else { value })
            .boxed()
    };
    let verifier = some_of(vec![
        ("verdict", any_value().boxed()),
        ("claim_checks", tools("claim_id")),
        ("tool_trace_summary", tools("tool_name")),
        ("spare", any_value().boxed()),
    ]);
    let evaluation =
        some_of(vec![("verifier_evaluation", text_or_not(verifier)), ("y", any_value().boxed())]);
    let session = some_of(vec![
        ("answer", any_value().boxed()),
        ("totalDurationMs", any_value().boxed()),
        ("selfEvaluation", text_or_not(evaluation)),
    ]);
    some_of(vec![("session", session), ("toolInvocations", tools("toolName"))])
}

proptest! {
    #[test]
    fn a_trace_reads_as_the_slow_reader_reads_it(root in any_trace()) {
        let trace = read(&root.to_string());
        let found =
            (trace.verdict, trace.answer, trace.claim_checks.map(|entries| entries.len()), trace.tool_invocations, trace.wrong_types);
        prop_assert_eq!(found, slow_summary(&root), "{}", root);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let as_json = serde_json::from_slice::<Map<String, Value>>(&bytes);
        prop_assert!(as_json.is_err() || parse(&bytes).is_ok());
    }

    #[test]
    fn a_damaged_trace_never_panics(root in any_trace(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = root.to_string().into_bytes();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
            prop_assert!(parse(&bytes).is_err());
        } else {
            bytes[at] = byte;
            let json = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
            prop_assert!(json || parse(&bytes).is_err());
        }
    }
}
