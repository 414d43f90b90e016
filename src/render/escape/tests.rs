//! No escaper can be closed by its input.

use proptest::prelude::*;

use super::*;

#[test]
fn a_terminal_is_shown_no_control_and_no_reordering() {
    assert_eq!(terminal("a\u{1b}[31mb"), "a\\u{1b}[31mb");
    assert_eq!(terminal("a\nb\r\tc"), "a\\nb\\r\\tc");
    assert_eq!(terminal("x\u{202e}y\u{9b}2J"), "x\\u{202e}y\\u{9b}2J");
    assert_eq!(terminal("主库故障 (ü) 👩‍🔧"), "主库故障 (ü) 👩‍🔧");
}

#[test]
fn html_shows_what_was_written() {
    assert_eq!(html("</td><b a='1'>&amp;"), "&#60;/td&#62;&#60;b a&#61;&#39;1&#39;&#62;&#38;amp;");
    assert_eq!(html("a\nb\u{200d}c\u{202e}d\u{fe0f}"), "a b\\u{200d}c\\u{202e}d\\u{fe0f}");
    assert_eq!(html("主库 | *x*"), "主库 | *x*");
    assert_eq!(markdown("@team"), "<code>&#64;team</code>");
}

#[test]
fn workflow_commands_keep_one_line_and_one_command() {
    assert_eq!(command_data("100%\n::add-mask::x"), "100%25\\n: :add-mask: :x");
    assert_eq!(command_data(":::##[error]x"), ": : :## [error]x");
    assert_eq!(command_property("a,b:c::d%"), "a%2Cb%3Ac%3A %3Ad%25");
}

#[test]
fn paths_are_plain_uri_references() {
    assert_eq!(uri_path("eval/cases/a b.json"), "eval/cases/a%20b.json");
    assert_eq!(uri_path("eval/评?#%.json"), "eval/%E8%AF%84%3F%23%25.json");
    assert_eq!(uri_path("javascript:alert(1)"), "javascript%3Aalert%281%29");
}

#[test]
fn paths_that_leave_the_repository_are_told_from_those_that_stay() {
    let inside = |path: &str| Untrusted::new(path).is_path_inside();
    assert!(inside("eval/cases/a b.json") && inside("eval/..a/评.json") && inside("x"));
    for path in
        ["", "/etc/passwd", "../x", "a/../../x", "a/..", "./a", "a//b", "a/", "C:/x", "C:x", "a\\..\\b"]
    {
        assert!(!inside(path), "{path}");
    }
}

#[test]
fn prose_is_prose_only_where_it_is_words() {
    let prose = |text: &str| Untrusted::new(text).prose();
    assert_eq!(prose("3 days ago"), "3 days ago");
    assert_eq!(prose("the newest: commit 1a2b is not here"), "the newest: commit 1a2b is not here");
    for text in ["@team", "#1", "a.b", "<b>", "x/y", "主", "a_b", "[a]"] {
        assert_eq!(prose(text), markdown(text));
    }
}

#[test]
fn long_texts_are_cut_between_characters() {
    let long = Untrusted::new("长".repeat(201));
    assert_eq!(long.short(), Untrusted::new(format!("{}…", "长".repeat(200))));
    let fits = Untrusted::new("长".repeat(200));
    assert_eq!(fits.short(), fits);
}

/// Text in which what sinks obey is frequent.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<",
        ">",
        "&",
        "\"",
        "'",
        "`",
        "@",
        "#",
        ":",
        "::",
        "##[",
        "[",
        "]",
        "%",
        "%3A",
        ",",
        "|",
        "\n",
        "\r",
        "\u{1b}",
        "\u{202e}",
        "\u{200d}",
        "\u{ffff}",
        "-->",
        "</code>",
        "]]>",
        "stop-commands",
        "&#60;",
        "\\",
        "=",
        " ",
        "a",
        "主",
    ]);
    let built = prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => built, 1 => any::<String>()]
}

/// What a reader of HTML makes of text with numeric entities; `None` where it would see more than text.
fn read_html(html: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '>', '&', '"', '\'']) {
        text.push_str(&rest[..at]);
        let entity = rest[at..].strip_prefix("&#")?;
        let (number, after) = entity.split_once(';')?;
        text.push(char::from_u32(number.parse().ok()?)?);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

proptest! {
    #[test]
    fn nothing_that_a_terminal_obeys_is_left(text in hostile()) {
        prop_assert!(!terminal(&text).chars().any(is_deceptive));
    }

    #[test]
    fn html_holds_text_alone(text in hostile()) {
        let read = read_html(&html(&text));
        prop_assert!(read.is_some(), "{}", html(&text));
        let expected: String = text
            .chars()
            .map(|character| match character {
                '\n' | '\r' | '\t' => " ".to_owned(),
                _ if is_invisible(character) => format!("\\u{{{:x}}}", u32::from(character)),
                _ => character.to_string(),
            })
            .collect();
        prop_assert_eq!(read.unwrap(), expected);
    }

    #[test]
    fn markdown_is_one_line_of_code(text in hostile()) {
        let escaped = markdown(&text);
        let inside = escaped.strip_prefix("<code>").and_then(|rest| rest.strip_suffix("</code>")).unwrap();
        prop_assert!(!inside.contains(['<', '>', '@', '\n', '\r', '`']));
        prop_assert!(!escaped.chars().any(is_invisible));
    }

    #[test]
    fn no_text_opens_a_workflow_command(text in hostile()) {
        let data = command_data(&text);
        prop_assert!(!data.contains("::") && !data.contains("##[") && !data.contains("#["));
        prop_assert!(!data.contains(['\n', '\r']));
        // What the runner makes of it again, and once more for a log that is read twice.
        let read = data.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
        prop_assert!(!read.contains(['\n', '\r']));
        let property = command_property(&text);
        prop_assert!(!property.contains([':', ',', '\n', '\r']));
    }

    #[test]
    fn xml_holds_allowed_characters_alone(text in hostile()) {
        let allowed = |character| {
            matches!(character, '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
        };
        prop_assert!(xml(&text).chars().all(allowed));
    }

    #[test]
    fn uri_paths_have_no_scheme_query_or_fragment(text in hostile()) {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
        prop_assert!(uri_path(&text).bytes().all(allowed));
    }
}
