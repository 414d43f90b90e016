use proptest::prelude::*;

use super::*;

fn good(text: &str) -> Config {
    parse(text.as_bytes(), "diag-gate.toml").unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
}

/// Line, field and message of each problem.
fn faults(text: &str) -> Vec<(u32, Option<String>, String)> {
    let problems = parse(text.as_bytes(), "diag-gate.toml").err().unwrap_or_default();
    assert!(problems.iter().all(|problem| problem.file == "diag-gate.toml" && problem.case.is_none()));
    problems.into_iter().map(|problem| (problem.line.unwrap(), problem.field, problem.message)).collect()
}

fn only(text: &str) -> (u32, Option<String>, String) {
    let mut found = faults(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0)
}

#[test]
fn an_empty_file_is_all_defaults() {
    for text in [
        "",
        "# nothing\r\n",
        "\u{feff}",
        "[matching]\n[limits]\n[gate]\n[gate.levels]\n[baseline]\n[store]\n",
    ] {
        assert_eq!(good(text), Config::default(), "{text}");
    }
}

#[test]
fn every_setting_is_read() {
    let config = good(concat!(
        "\u{feff}name = \"checkout\"\r\n[matching]\r\nexpected = \"folded\"\r\n",
        "protocol_markers = [\"x_y\", \"Claim_ID\", \"cl\\u00adaim_id\", \"x_y\", \"X_Y\", \"\\u00e9\", \"e\\u0301\"]\r\n",
        "[limits]\r\nmax_trace_bytes = 1_000\r\n[gate]\r\nmin_pass_rate = 1\r\n",
        "[gate.levels]\r\n\"keywords-lost\" = \"block\"\r\ncase-added = \"ignore\"\r\n",
        "[gate.thresholds.duration]\r\nrelative = 0\r\n[gate.thresholds.average_tool_calls]\r\nabsolute = 2.5\r\n",
        "[[gate.waivers]]\r\ncase = \"checkout-*\"\r\nkinds = [\"duration-rose\", \"duration-rose\"]\r\n",
        "reason = \"slower hardware\"\r\nexpires = 2026-12-31\r\n",
        "[[gate.waivers]]\r\ncase = \"a\"\r\nkinds = [\"case-added\"]\r\nreason = \"r\"\r\nexpires = \"2027-01-02\"\r\n",
        "[baseline]\r\nratchet = true\r\nrequire_signed = true\r\n[store]\r\nprefix = \"refs/heads/diag-gate/\"\r\n",
    ));
    assert_eq!(config.name.as_str(), "checkout");
    assert_eq!(config.matching.expected, ExpectedForm::Folded);
    assert_eq!(config.matching.protocol_markers, ["x_y", "X_Y", "\u{e9}"]);
    assert_eq!(config.max_trace_bytes, 1000);
    assert_eq!(config.gate.min_pass_rate, Some(1.0));
    let levels: Vec<_> = config.gate.levels.into_iter().collect();
    assert_eq!(levels, [(Kind::KeywordsLost, Level::Block), (Kind::CaseAdded, Level::Ignore)]);
    assert_eq!(config.gate.thresholds.duration, Threshold { relative: 0.0, absolute: 1000.0 });
    assert_eq!(config.gate.thresholds.average_tool_calls, Threshold { relative: 0.5, absolute: 2.5 });
    let [first, second] = &config.gate.waivers[..] else { panic!("two waivers") };
    assert_eq!(
        (first.case.as_str(), &first.kinds[..], first.line),
        ("checkout-*", &[Kind::DurationRose][..], 16)
    );
    assert_eq!((first.reason.as_str(), first.expires), ("slower hardware", Date::constant(2026, 12, 31)));
    assert_eq!((second.expires, second.line), (Date::constant(2027, 1, 2), 21));
    assert_eq!(config.baseline, BaselineConfig { ratchet: true, require_signed: true });
    assert_eq!(config.store_prefix, "refs/heads/diag-gate");
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_one_at_every_level() {
    for (text, line, path, meant) in [
        ("\nnam = 1", 2, "nam", "name"),
        ("[gates]\nx = 1", 1, "gates", "gate"),
        ("[matching]\nexpect = 1", 2, "matching.expect", "expected"),
        ("[matching]\nprotocol-markers = []", 2, "matching.protocol-markers", "protocol_markers"),
        ("[limits]\nmax_trace_byte = 1", 2, "limits.max_trace_byte", "max_trace_bytes"),
        ("[gate]\nmin_passrate = 1", 2, "gate.min_passrate", "min_pass_rate"),
        ("gate.waiver = []", 1, "gate.waiver", "waivers"),
        ("[gate.levels]\nkeyword-lost = \"warn\"", 2, "gate.levels.keyword-lost", "keywords-lost"),
        ("[gate.thresholds]\ntool_call = {}", 2, "gate.thresholds.tool_call", "tool_calls"),
        ("[gate.thresholds.duration]\nrelativ = 1", 2, "gate.thresholds.duration.relativ", "relative"),
        ("[baseline]\nrachet = true", 2, "baseline.rachet", "ratchet"),
        ("[store]\nprefx = \"\"", 2, "store.prefx", "prefix"),
    ] {
        let (found, field, message) = only(text);
        assert_eq!((found, field.as_deref()), (line, Some(path)), "{text}");
        assert!(message.contains(&format!("did you mean `{meant}`?")), "{message}");
    }
}

#[test]
fn a_wrong_type_or_a_bad_value_is_told_with_line_and_path() {
    for (text, path) in [
        ("name = 1", "name"),
        ("name = \"\"", "name"),
        ("name = \"a/b\"", "name"),
        ("matching = 1", "matching"),
        ("matching.expected = \"Exact\"", "matching.expected"),
        ("matching.expected = true", "matching.expected"),
        ("matching.protocol_markers = \"x\"", "matching.protocol_markers"),
        ("matching.protocol_markers = [1]", "matching.protocol_markers[0]"),
        ("matching.protocol_markers = [\"x\", \" \\u200b\"]", "matching.protocol_markers[1]"),
        ("limits.max_trace_bytes = 0", "limits.max_trace_bytes"),
        ("limits.max_trace_bytes = -1", "limits.max_trace_bytes"),
        ("limits.max_trace_bytes = 1.0", "limits.max_trace_bytes"),
        ("limits.max_trace_bytes = \"1\"", "limits.max_trace_bytes"),
        ("gate = []", "gate"),
        ("gate.min_pass_rate = 1.01", "gate.min_pass_rate"),
        ("gate.min_pass_rate = 90", "gate.min_pass_rate"),
        ("gate.min_pass_rate = -0.1", "gate.min_pass_rate"),
        ("gate.min_pass_rate = nan", "gate.min_pass_rate"),
        ("gate.min_pass_rate = \"0.9\"", "gate.min_pass_rate"),
        ("gate.levels = \"block\"", "gate.levels"),
        ("gate.levels.case-added = \"error\"", "gate.levels.case-added"),
        ("gate.levels.case-added = 1", "gate.levels.case-added"),
        ("gate.thresholds.duration = 1", "gate.thresholds.duration"),
        ("gate.thresholds.duration.relative = -1", "gate.thresholds.duration.relative"),
        ("gate.thresholds.duration.relative = inf", "gate.thresholds.duration.relative"),
        ("gate.thresholds.tool_calls.absolute = true", "gate.thresholds.tool_calls.absolute"),
        ("gate.thresholds.tool_calls.absolute = 1e999", "gate.thresholds.tool_calls.absolute"),
        ("gate.waivers = {}", "gate.waivers"),
        ("gate.waivers = [1]", "gate.waivers[0]"),
        ("baseline.ratchet = 1", "baseline.ratchet"),
        ("baseline.require_signed = \"true\"", "baseline.require_signed"),
        ("store = true", "store"),
        ("store.prefix = 1", "store.prefix"),
    ] {
        let (line, field, message) = only(&format!("\n{text}"));
        assert_eq!((line, field.as_deref()), (2, Some(path)), "{text}: {message}");
        assert!(message.contains("must") || message.contains("is no"), "{message}");
    }
}

#[test]
fn a_waiver_needs_all_that_it_has() {
    let whole = ["case = \"a\"", "kinds = [\"case-added\"]", "reason = \"r\"", "expires = 2026-01-31"];
    for (index, key) in ["case", "kinds", "reason", "expires"].iter().enumerate() {
        let rest: Vec<&str> =
            whole.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, line)| *line).collect();
        let (line, field, _) = only(&format!("\n[[gate.waivers]]\n{}", rest.join("\n")));
        assert_eq!((line, field.unwrap()), (2, format!("gate.waivers[0].{key}")));
    }
    for (index, line) in [
        (0, "case = \"\""),
        (0, "case = \"[a\""),
        (0, "case = 1"),
        (1, "kinds = []"),
        (1, "kinds = \"case-added\""),
        (2, "reason = \" \""),
        (2, "reason = 1"),
        (3, "expires = 2026-01-31T10:00:00"),
        (3, "expires = 2026-01-31T10:00:00Z"),
        (3, "expires = 10:00:00"),
        (3, "expires = \"2026-02-30\""),
        (3, "expires = \"31.1.2026\""),
        (3, "expires = \"20260131\""),
        (3, "expires = \"\""),
        (3, "expires = 20260131"),
    ] {
        let mut lines = whole;
        lines[index] = line;
        let (found, field, _) = only(&format!("[[gate.waivers]]\n{}", lines.join("\n")));
        let key = line.split_once(' ').unwrap().0;
        assert_eq!((found as usize, field.unwrap()), (index + 2, format!("gate.waivers[0].{key}")), "{line}");
    }
    let (_, field, message) =
        only("[[gate.waivers]]\ncase = \"a\"\nkinds = [\"case-aded\"]\nreason = \"r\"\nexpires = 2026-01-31");
    assert_eq!(field.as_deref(), Some("gate.waivers[0].kinds[0]"));
    assert!(message.contains("did you mean `case-added`?"), "{message}");
}

#[test]
fn a_prefix_is_a_tree_of_refs() {
    for good_prefix in ["refs/diag-gate", "refs/heads/a/b", "refs/x/", "refs/é"] {
        let config = good(&format!("store.prefix = \"{good_prefix}\""));
        assert_eq!(config.store_prefix, good_prefix.trim_end_matches('/'));
    }
    for bad in [
        "",
        "refs",
        "refs/",
        "heads/x",
        "/refs/x",
        "refs//x",
        "refs/x//",
        "refs/a b",
        "refs/a~",
        "refs/a^",
        "refs/a:b",
        "refs/a?",
        "refs/a*",
        "refs/[a",
        "refs/a\\\\b",
        "refs/a..b",
        "refs/.a",
        "refs/a.lock/b",
        "refs/a@{b",
        "refs/a.",
        "refs/a\\tb",
        "refs/a\\u007f",
    ] {
        assert_eq!(only(&format!("store.prefix = \"{bad}\"")).1.as_deref(), Some("store.prefix"), "{bad}");
    }
}

#[test]
fn all_faults_are_told_together_by_their_lines() {
    let found = faults("nam = 1\n[limits]\nmax_trace_bytes = 0\n[gate\n[baseline]\nratchet = 1\n");
    let lines: Vec<u32> = found.iter().map(|(line, _, _)| *line).collect();
    assert_eq!(lines, [1, 3, 4, 6], "{found:?}");
    assert!(found[2].2.starts_with("no TOML"), "{}", found[2].2);
}

#[test]
fn what_is_no_toml_is_told_with_line_and_column() {
    let problems = parse(b"name = \"a\"\nname = \"b\"\n", "diag-gate.toml").unwrap_err();
    assert_eq!((problems.len(), problems[0].line, problems[0].column), (1, Some(2), Some(1)));
    assert!(problems[0].message.contains("duplicate key"), "{}", problems[0].message);
    let conflict = "name = \"a\"\n<<<<<<< HEAD\n=======\n>>>>>>> x\n";
    assert_eq!((only(conflict).0, only(conflict).2), (2, FaultKind::ConflictMarkers.to_string()));
    assert_eq!(parse(b"a\xff", "f").unwrap_err()[0].message, "not UTF-8");
    let pointer = parse(b"version https://git-lfs.github.com/spec/v1\n", "f").unwrap_err();
    assert!(pointer[0].message.contains("git lfs pull"));
    assert!(!faults(&format!("x = {}", "[".repeat(100_000))).is_empty());
    assert!(!faults(&format!("{}x = 1", "a.".repeat(100_000))).is_empty());
}

proptest! {
    #[test]
    fn reading_never_panics(text in r#"(\[|\]|\{|\}|=|\.|,|\n|"a"|gate|waivers|levels|name|case|1|2026-01-01|'|"|# |-){0,24}"#) {
        let read = parse(text.as_bytes(), "diag-gate.toml");
        prop_assert!(read.is_ok() || read.is_err_and(|problems| !problems.is_empty()));
    }

    #[test]
    fn what_is_no_toml_never_reads(text in "[ -~\n]{0,40}") {
        let valid = DeTable::parse(&text).is_ok();
        prop_assert!(valid || parse(text.as_bytes(), "diag-gate.toml").is_err());
    }
}
