//! The comment and the summary, as a reader of GitHub's Markdown sees them: hostile text stays text, the
//! number of bytes holds, and what is left out is counted.

#![expect(clippy::unwrap_used, reason = "a test may")]

#[path = "renderers/views.rs"]
mod views;

use std::collections::BTreeSet;

use diag_gate::gate::Outcome;
use diag_gate::kind::Kind;
use diag_gate::render::escape::Untrusted;
use diag_gate::render::view::{CaseLine, Group, View};
use diag_gate::render::{COMMENT_BYTES, Frame, Note, Row, Spot, comment, could_not_judge, github, summary};
use proptest::prelude::*;
use scraper::{ElementRef, Html, Selector};
use views::{HOSTILE, MARKER, RUN, STAMP, fallen, frame, hostile, hostile_frame, regressed, row, view};

const TAGS: [&str; 15] = [
    "a", "br", "code", "details", "em", "h3", "h4", "html", "p", "summary", "table", "tbody", "td", "th",
    "tr",
];

#[test]
fn hostile_text_is_text_in_every_place_of_every_page() {
    let problems: Vec<Untrusted> = HOSTILE.iter().map(|text| Untrusted::new(*text)).collect();
    for (page, rows) in [
        (comment(&hostile(), &hostile_frame(), usize::MAX), 3 + 5 * HOSTILE.len() + 5),
        (summary(&hostile(), &hostile_frame(), usize::MAX), 3 + 5 * HOSTILE.len() + 5),
        (could_not_judge(&hostile_frame(), &problems, &problems, usize::MAX), 2 * HOSTILE.len() + 2),
    ] {
        let html = read(&page);
        assert_eq!(html.select(&selector("tr")).count(), rows);
        let text: String = html.root_element().text().collect();
        let plain = |text: &&&str| text.is_ascii() && text.chars().all(|character| !character.is_control());
        for hostile in HOSTILE.iter().filter(plain) {
            assert!(text.contains(hostile), "{hostile}");
        }
        assert_eq!(page.matches("<!--").count(), usize::from(page.starts_with(MARKER)));
    }
}

#[test]
fn what_stands_first_is_the_marker_then_the_answer_then_the_stamp() {
    let page = comment(&hostile(), &frame(), COMMENT_BYTES);
    let lines: Vec<&str> = page.lines().take(3).collect();
    assert_eq!(lines[0], MARKER);
    assert!(lines[1].starts_with("### ❌ BLOCKED: 30 entries block"), "{}", lines[1]);
    assert_eq!(lines[2], STAMP);
    let last = page.lines().last().unwrap();
    assert!(last.contains("Reproduce: <code>") && last.contains("Accept: <code>"), "{last}");
    let baseline = page.find("<p>Baseline").unwrap();
    assert!(baseline < page.find("<table>").unwrap());
}

#[test]
fn without_an_entry_two_lines_stand_beside_the_marker() {
    let clean = view(Vec::new(), vec![("a".to_owned(), true)]);
    let page = comment(&clean, &frame(), COMMENT_BYTES);
    let told = "### ✅ PASSED: nothing blocks: 1 of 1 passed, 1 of 1 before";
    assert_eq!(page, format!("{MARKER}\n{told}\n{STAMP}"));
    let noted = Frame { notes: vec![Note::plain("its head was judged")], ..frame() };
    let stale = View { stale_waivers: vec![Untrusted::new("@x")], ..clean.clone() };
    let page = comment(&stale, &noted, COMMENT_BYTES);
    assert_eq!(page, format!("{MARKER}\n{told} · ⚠️ its head was judged · 1 stale waiver\n{STAMP}"));
    // A minimum that was missed is no entry, and blocks.
    let below = View { outcome: Outcome::Block, ..clean };
    assert!(comment(&below, &frame(), COMMENT_BYTES).contains("<table>"));
}

#[test]
fn what_could_not_be_judged_never_reads_as_a_pass() {
    let problems = [Untrusted::new("cases/a.json:3: no such field")];
    let page = could_not_judge(&frame(), &problems, &[], COMMENT_BYTES);
    assert!(page.starts_with(&format!("{MARKER}\n### ⚠️ COULD NOT JUDGE: 1 problem, ")), "{page}");
    assert!(page.contains("<code>cases/a.json:3: no such field</code>") && !page.contains("PASSED"));
    assert!(!page.contains("Accept"));
    let many: Vec<Untrusted> = (0..10_000).map(|_| Untrusted::new("长".repeat(300))).collect();
    let page = could_not_judge(&frame(), &many, &problems, COMMENT_BYTES);
    assert!(page.len() <= COMMENT_BYTES && page.contains("Problems (10,000)"), "{}", page.len());
    let told = page.matches("<tr><td><code>长").count();
    assert!(page.contains(&format!(">{} more, see <a", grouped(10_000 - told))), "{told}");
    read(&page);
}

#[test]
fn accepted_and_waived_entries_say_who_and_why() {
    let accepted = Row {
        covers: vec![Untrusted::new("accepted by Ana: renamed (4d5e)")],
        ..row(Kind::EvidenceLost, Some("a"), "lost: logs")
    };
    let page = comment(&view(vec![(Group::Accepted, vec![accepted])], Vec::new()), &frame(), COMMENT_BYTES);
    assert!(page.contains("<summary>Accepted (1 entry)</summary>"));
    assert!(page.contains("<em>covered:</em> <code>accepted by Ana: renamed (4d5e)</code>"));
    assert!(!page.contains("Accept: "), "nothing blocks");
}

#[test]
fn a_comment_tells_one_line_of_evidence_and_a_summary_all() {
    let evidence = ["first", "second", "third"].map(Untrusted::new).to_vec();
    let shown = view(
        vec![(Group::Blocking, vec![Row { evidence, ..regressed("a", "t", "f") }])],
        vec![("a".to_owned(), false), ("b".to_owned(), false), ("c".to_owned(), true)],
    );
    let page = comment(&shown, &frame(), COMMENT_BYTES);
    assert!(page.contains("<code>first</code> and 2 more") && !page.contains("second"));
    assert!(page.contains("Without an entry (2 cases: 1 pass, 1 fail as before)"));
    assert!(page.contains("<code>b</code></td><td>fails") && !page.contains("<code>c</code>"));
    let page = summary(&shown, &frame(), usize::MAX);
    assert!(page.contains("third") && page.contains("<code>c</code></td><td>passes"));
    assert!(!page.contains(MARKER) && page.starts_with("###"));
}

#[test]
fn details_go_before_entries_and_those_of_what_weighs_least_go_first() {
    let rows = |name: &str| {
        (0..20).map(|index| regressed(&format!("{name}{index:02}"), "题".repeat(60).as_str(), "x")).collect()
    };
    let groups = vec![(Group::Blocking, rows("b")), (Group::Changes, rows("c"))];
    let mut shown = view(groups, Vec::new());
    shown.cases = (0..20)
        .map(|index| CaseLine {
            id: Untrusted::new(format!("u{index:02}")),
            duration_ms: None,
            passed: false,
        })
        .collect();
    let titles = |page: &str, name: &str| {
        page.lines().filter(|line| line.contains(&format!("<code>{name}")) && line.contains('题')).count()
    };
    let told = |page: &str, name: &str| {
        page.lines().filter(|line| line.contains(&format!("<td><code>{name}"))).count()
    };
    let mut states = BTreeSet::new();
    let whole = comment(&shown, &frame(), usize::MAX).len();
    for bytes in (2_000..=whole).rev().step_by(41) {
        let page = comment(&shown, &frame(), bytes);
        assert!(page.len() <= bytes);
        let (b, c, u) = (told(&page, "b"), told(&page, "c"), told(&page, "u"));
        let (title_b, title_c) = (titles(&page, "b"), titles(&page, "c"));
        assert!(u == 20 || u == 0);
        assert!(u == 0 || (title_b, title_c) == (20, 20), "background outlives details");
        assert!(title_c == 0 || title_b == 20, "details of changes outlive those of what blocks");
        assert!((b, c) == (20, 20) || (u, title_b, title_c) == (0, 0, 0), "entries go before details");
        assert!(c == 0 || b == 20, "the worst stands first");
        states.insert((u > 0, title_c > 0, title_b > 0, c == 20, c > 0, b == 20));
    }
    assert!(states.len() >= 6, "{states:?}");
}

#[test]
fn ten_thousand_fallen_cases_fit_and_are_counted() {
    let page = comment(&fallen(10_000), &frame(), COMMENT_BYTES);
    assert!(page.len() <= COMMENT_BYTES && page.len() > COMMENT_BYTES - 2_000, "{}", page.len());
    assert!(page.contains("Blocking (10,001 entries)") && page.contains("Warnings (10,000 entries)"));
    let html = read(&page);
    let cases: Vec<String> = html
        .select(&selector("h4 + table td:nth-child(2) code"))
        .map(|element| element.text().collect())
        .collect();
    assert!(cases.len() > 100 && cases.is_sorted(), "{}", cases.len());
    let left_out = format!(">{} more, see <a", grouped(10_000 - cases.len()));
    assert!(page.contains(&left_out), "{left_out}");
    assert!(
        page.contains(">10,000 more, see <a"),
        "no warning is told while entries that block are left out"
    );
    assert!(page.lines().last().unwrap().contains("Accept: "));
}

#[test]
fn a_text_shows_two_hundred_characters() {
    let long = "长".repeat(201);
    let shown =
        view(vec![(Group::Blocking, vec![regressed(&long, &long, &long)])], vec![(long.clone(), false)]);
    for page in [comment(&shown, &frame(), COMMENT_BYTES), summary(&shown, &frame(), usize::MAX)] {
        assert!(page.contains(&format!("{}…", "长".repeat(200))) && !page.contains(&long));
    }
}

#[test]
fn annotations_hold_ids_and_our_words_alone() {
    let text = github(&hostile());
    assert!(text.lines().skip(1).all(|line| line.matches("::").count() == 2), "{text}");
    assert!(!text.contains("##[") && !text.contains("matched"), "{text}");
    assert!(text.contains("(+20 more)"));
    assert!(text.lines().all(|line| line.chars().count() <= 4_096));
    let spot = |file: &str| Row {
        spot: Some(Spot { file: Untrusted::new(file), line: 3 }),
        numbers: Some("4 before, 9 now".to_owned()),
        ..regressed("a", "secret", "secret")
    };
    let of = |file: &str| github(&view(vec![(Group::Blocking, vec![spot(file)])], Vec::new()));
    let told = "::error file=eval/a%2Cb.json,line=3,title=case-regressed::case `a`: passed before, fails now (4 before, 9 now) [the agent changed]";
    assert_eq!(of("eval/a,b.json").lines().nth(1), Some(told));
    for outside in ["/etc/passwd", "../x.json", "a/../../x.json", "C:\\x.json"] {
        assert!(of(outside).contains("::error title="), "{}", of(outside));
    }
}

fn texts() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(HOSTILE.to_vec()).prop_map(str::to_owned);
    let twice =
        prop::collection::vec(prop::sample::select(HOSTILE.to_vec()), 0..4).prop_map(|all| all.concat());
    prop_oneof![2 => hostile, 2 => twice, 1 => any::<String>(), 1 => "[一-龥]{0,300}"]
}

fn any_row() -> impl Strategy<Value = Row> {
    let kind = prop::sample::select(Kind::ALL.to_vec());
    (kind, prop::option::of(texts()), texts(), prop::collection::vec(texts(), 0..3)).prop_map(
        |(kind, case, text, more)| Row {
            title: case.as_ref().map(|_| Untrusted::new(text.clone())),
            evidence: more.iter().map(Untrusted::new).collect(),
            covers: more.iter().skip(1).map(Untrusted::new).collect(),
            ..row(kind, case.as_deref(), &text)
        },
    )
}

fn any_view() -> impl Strategy<Value = View> {
    let rows = || prop::collection::vec(any_row(), 1..12);
    let groups = (prop::option::of(rows()), prop::option::of(rows()), prop::option::of(rows()));
    (groups, prop::collection::vec(texts(), 0..3), prop::collection::vec((texts(), any::<bool>()), 0..6))
        .prop_map(|((blocking, waived, changes), stale, cases)| {
            let groups = [(Group::Blocking, blocking), (Group::Waived, waived), (Group::Changes, changes)];
            let groups = groups.into_iter().filter_map(|(group, rows)| Some((group, rows?)));
            let stale_waivers = stale.into_iter().map(Untrusted::new).collect();
            View { stale_waivers, ..view(groups.collect(), cases) }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_decision_is_laid_out_whole_within_its_bytes(shown in any_view(), bytes in 0_usize..12_000) {
        let page = comment(&shown, &frame(), bytes);
        let least = comment(&shown, &frame(), 0);
        prop_assert!(page.len() <= bytes.max(least.len()), "{} of {bytes}", page.len());
        prop_assert!(least.len() < 1_000);
        prop_assert_eq!(page.lines().next(), Some(MARKER));
        let html = read(&page);
        if !shown.groups.is_empty() {
            for (label, before, now) in &shown.totals {
                let total = format!("<td>{label}</td><td>{before}</td><td>{now}</td>");
                prop_assert!(page.contains(&total));
            }
        }
        // What is told and what is counted as left out are all that there is.
        for (group, rows) in shown.groups.iter().filter(|_| html.select(&selector("h4, details")).count() > 0) {
            let heading = format!("{} ({} ", group.title(), rows.len());
            prop_assert!(page.contains(&heading), "{}", heading);
            let section = page.split(&heading).nth(1).unwrap().split("</table>").next().unwrap();
            let told = section.matches("<tr><td>").count();
            let more = section.split("<tr><td colspan=\"3\">").nth(1);
            let more: usize = more.map_or(0, |text| text.split(' ').next().unwrap().parse().unwrap());
            prop_assert_eq!(told + more, rows.len());
        }
        let whole = summary(&shown, &frame(), bytes);
        prop_assert!(whole.len() <= bytes && !whole.contains("<!--"));
        read(&whole);
        let annotations = github(&shown);
        let kept = |line: &str| {
            line.matches("::").count() == 2 && !line.contains("##[") && line.chars().count() <= 4_096
        };
        prop_assert!(annotations.lines().skip(1).all(kept));
    }
}

/// The page as HTML; holds that its tags balance, are known, hold whole rows and lead nowhere else.
fn read(page: &str) -> Html {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.alerts = true;
    options.render.r#unsafe = true;
    let rendered = comrak::markdown_to_html(page, &options);
    for tag in TAGS.iter().filter(|tag| !["html", "br", "tbody"].contains(tag)) {
        let opened =
            rendered.matches(&format!("<{tag}>")).count() + rendered.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, rendered.matches(&format!("</{tag}>")).count(), "{tag} in {rendered}");
    }
    let html = Html::parse_fragment(&rendered);
    for element in html.select(&selector("*")) {
        let value = element.value();
        assert!(TAGS.contains(&value.name()), "{}", value.name());
        let known = |(name, value): (&str, &str)| (name == "href" && value == RUN) || name == "colspan";
        assert!(value.attrs().all(known), "{}", element.html());
    }
    for table in html.select(&selector("table")) {
        let rows: Vec<usize> = table.select(&selector("tr")).map(cells).collect();
        assert!(rows.iter().all(|cells| *cells == rows[0]), "{rows:?} in {}", table.html());
    }
    html
}

fn cells(row: ElementRef<'_>) -> usize {
    let span = |cell: ElementRef<'_>| cell.attr("colspan").map_or(1, |span| span.parse().unwrap());
    row.select(&selector("td, th")).map(span).sum()
}

fn selector(text: &str) -> Selector {
    Selector::parse(text).unwrap()
}

fn grouped(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}
