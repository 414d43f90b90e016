//! One history in every format, whole. `UPDATE_GOLDEN=1 cargo nextest run --test history formats` writes the
//! files anew, to be looked at.

use std::path::Path;

use scraper::{Html, Selector};
use serde_json::{Value, json};

use crate::support::TestRepo;
use crate::support::suite::{case, trace};

const HOSTILE: &str = "</script><img src=x onerror=alert(1)> \u{202e}";

/// Each kind of row once: no suite, a first one, a break, a mending, a rename, a slip, a merge, a baseline.
fn story() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("README", "An agent");
    repo.commit("Begin");
    repo.write_cases(&["order-timeout", "redis", "订单超时"]);
    repo.commit("Add the suite");
    repo.gate(&["accept", "--yes", "-m", "The first <baseline>"]).ends(0);
    repo.write_answer("redis", "no idea");
    repo.commit("Switch the model");
    repo.write("README", "An agent, described");
    repo.commit("Describe it");
    repo.write("README", "An agent, described well");
    repo.commit("Describe it well");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write_answer("redis", "磁盘满, at last");
    repo.commit("Let it read the logs");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "Merge the logs", "side"]);
    repo.write("eval/cases/all.json", "[{]");
    repo.commit("A slip");
    repo.write_cases(&["order-timeout", "redis-memory", "订单超时"]);
    repo.commit(&format!("=Rename {HOSTILE}"));
    repo
}

#[test]
fn every_format_shows_the_same_history_as_before() {
    let repo = story();
    let mut differing = Vec::new();
    for (arguments, name) in [
        (&["history"][..], "history.txt"),
        (&["history", "--verbose", "--all-parents"], "history-all.txt"),
        (&["history", "--format", "json"], "history.json"),
        (&["history", "--format", "csv"], "history.csv"),
        (&["history", "--format", "html"], "history.html"),
        (&["bisect", "订单超时"], "bisect.txt"),
        (&["bisect", "订单超时", "--format", "json"], "bisect.json"),
        (&["bisect", "redis", "--rev", "HEAD~2"], "bisect-merge.txt"),
        (&["bisect", "redis", "--rev", "HEAD~2", "--format", "json"], "bisect-merge.json"),
    ] {
        let told = repo.gate(arguments).ends(0);
        let shown = repo.scrubbed(&told.stdout);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/history/golden").join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, &shown).unwrap();
        }
        if std::fs::read_to_string(&file).unwrap_or_default() != shown {
            differing.push(name);
        }
    }
    assert!(differing.is_empty(), "{differing:?}");
}

#[test]
fn the_page_holds_hostile_text_as_text_alone_and_asks_for_nothing() {
    let repo = story();
    let id = format!("a {}", HOSTILE.trim_end_matches(" \u{202e}"));
    let named = case("t", "").replacen("\"t\"", &json!(id).to_string(), 1);
    repo.write("eval/cases/all.json", format!("[{named}]"));
    repo.write("eval/fixtures/t.json", trace("no idea"));
    repo.commit("A hostile id");
    let text = repo.gate(&["history", "--format", "html"]).ends(0).stdout;
    let page = Html::parse_document(&text);
    let all = |selector: &str| page.select(&Selector::parse(selector).unwrap()).count();
    assert_eq!((all("script"), all("style"), all("h1")), (2, 1, 1));
    for forbidden in ["img", "a", "iframe", "*[src]", "*[onerror]", "*[onclick]", "link[rel=stylesheet]"] {
        assert_eq!(all(forbidden), 0, "{forbidden}");
    }
    assert!(!text.contains('\u{202e}'));
    let data = page.select(&Selector::parse("#data").unwrap()).next().unwrap();
    let data: Value = serde_json::from_str(&data.text().collect::<String>()).unwrap();
    assert!(data["cases"].as_array().unwrap().contains(&json!(id)), "{}", data["cases"]);
    // The policy allows the one script by its digest, which is that of the script that stands there.
    let script = page.select(&Selector::parse("script:not([type])").unwrap()).next().unwrap();
    let mut sha = std::process::Command::new("sha256sum");
    let file = repo.root().join("../script");
    std::fs::write(&file, script.text().collect::<String>()).unwrap();
    let digest = String::from_utf8(sha.arg(&file).output().unwrap().stdout).unwrap();
    let hex = digest.split(' ').next().unwrap();
    let allowed = text.split("'sha256-").nth(1).unwrap().split('\'').next().unwrap();
    assert_eq!(hex_of_base64(allowed), hex);
}

fn hex_of_base64(text: &str) -> String {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits = String::new();
    for character in text.trim_end_matches('=').chars() {
        bits.push_str(&format!("{:06b}", DIGITS.find(character).unwrap()));
    }
    let bytes = bits.as_bytes().chunks_exact(8).map(|byte| std::str::from_utf8(byte).unwrap());
    bytes.map(|byte| format!("{:02x}", u8::from_str_radix(byte, 2).unwrap())).collect()
}
