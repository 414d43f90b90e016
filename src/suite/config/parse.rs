//! Reads `diag-gate.toml` strictly: every key known, every value good, all faults together.
//!
//! Spec: cli.md, "Configuration".

use globset::Glob;
use jiff::civil::Date;
use toml::de::DeTable;

use super::settings::{Problems, Section, Setting};
use super::{BaselineConfig, Config, GateConfig, Level, Threshold, Thresholds, Waiver};
use crate::ids::Name;
use crate::kind::Kind;
use crate::suite::json::{FaultKind, JsonFault, Lines, conflict, plain_text};
use crate::suite::nearest::unknown;
use crate::suite::text::{exact, folded, is_blank};
use crate::suite::{ExpectedForm, Matching, Problem};

/// The protocol markers that need no configuration (evaluation.md section 4, `protocol-leak`).
const BUILT_IN_MARKERS: [&str; 4] =
    ["executor_evidence_v2", "answer_version", "evidence_bindings", "claim_id"];

const LEVELS: [(&str, Level); 3] =
    [("block", Level::Block), ("warn", Level::Warn), ("ignore", Level::Ignore)];

/// Reads the bytes of `diag-gate.toml`; `file` is its path below the suite folder, for messages.
///
/// # Errors
/// All faults of the file, by their lines.
pub fn parse(bytes: &[u8], file: &str) -> Result<Config, Vec<Problem>> {
    let (text, lines) = plain_text(bytes).map_err(|fault| vec![no_settings(file, &fault)])?;
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut problems = Problems { file, lines, found: Vec::new() };
    let config = config(root.get_ref(), &mut problems);
    let broken: Vec<Problem> = syntax(text, file, &problems.lines, &errors);
    // What a broken line left behind says nothing of its own.
    problems.found.retain(|problem| broken.iter().all(|syntax| syntax.line != problem.line));
    let mut found = problems.found;
    found.extend(broken);
    found.sort_by_key(|problem| problem.line);
    if found.is_empty() { Ok(config) } else { Err(found) }
}

fn no_settings(file: &str, fault: &JsonFault) -> Problem {
    Problem {
        file: file.to_owned(),
        line: Some(fault.line),
        column: fault.column,
        case: None,
        field: None,
        message: fault.kind.to_string(),
    }
}

/// What the parser says of a text that is no TOML; one problem a line.
fn syntax(text: &str, file: &str, lines: &Lines, errors: &[toml::de::Error]) -> Vec<Problem> {
    let fault = |kind: FaultKind, offset: usize| {
        no_settings(file, &JsonFault::with_column(kind, offset, text, lines))
    };
    if let (false, Some(offset)) = (errors.is_empty(), conflict(text)) {
        return vec![fault(FaultKind::ConflictMarkers, offset)];
    }
    let mut found: Vec<Problem> = Vec::new();
    for error in errors {
        let offset = error.span().map_or(0, |span| span.start.min(text.len()));
        let mut problem = fault(FaultKind::NotUtf8, offset);
        problem.message = format!("no TOML: {}", error.message().replace('\n', "; "));
        if found.iter().all(|other| other.line != problem.line) {
            found.push(problem);
        }
    }
    found
}

fn config(root: &DeTable<'_>, problems: &mut Problems<'_>) -> Config {
    let known = ["name", "matching", "limits", "gate", "baseline", "store"];
    let root = Section::new(root, "", &known, problems);
    let standard = Config::default();
    Config {
        name: root
            .get("name", problems)
            .and_then(|name| suite_name(&name, problems))
            .unwrap_or(standard.name),
        matching: matching(&root, problems),
        max_trace_bytes: max_trace_bytes(&root, problems).unwrap_or(standard.max_trace_bytes),
        gate: gate(&root, problems),
        baseline: baseline(&root, problems),
        store_prefix: store_prefix(&root, problems).unwrap_or(standard.store_prefix),
    }
}

fn suite_name(setting: &Setting<'_>, problems: &mut Problems<'_>) -> Option<Name> {
    let text = setting.string("a name", problems)?;
    let name = Name::parse(text);
    if name.is_none() {
        setting.fault(problems, format!("`{text}` is no name: {}", Name::RULE));
    }
    name
}

fn matching(root: &Section<'_>, problems: &mut Problems<'_>) -> Matching {
    let Some(section) = root.section("matching", &["expected", "protocol_markers"], problems) else {
        return Matching::default();
    };
    let forms = [("exact", ExpectedForm::Exact), ("folded", ExpectedForm::Folded)];
    let expected = section.get("expected", problems).and_then(|form| choice(&form, &forms, problems));
    let markers = section.get("protocol_markers", problems);
    Matching {
        expected: expected.unwrap_or_default(),
        protocol_markers: markers.map(|markers| protocol_markers(&markers, problems)).unwrap_or_default(),
    }
}

fn protocol_markers(setting: &Setting<'_>, problems: &mut Problems<'_>) -> Vec<String> {
    let mut markers: Vec<String> = Vec::new();
    for entry in setting.entries("an array of strings", problems).unwrap_or_default() {
        let Some(marker) = entry.string("a string", problems) else {
            continue;
        };
        if is_blank(marker) {
            entry.fault(problems, "must not be blank: it would stand in every answer".to_owned());
        } else if !BUILT_IN_MARKERS.contains(&folded(marker).as_str())
            && markers.iter().all(|other| exact(other) != exact(marker))
        {
            markers.push(marker.to_owned());
        }
    }
    markers
}

fn max_trace_bytes(root: &Section<'_>, problems: &mut Problems<'_>) -> Option<u64> {
    let limits = root.section("limits", &["max_trace_bytes"], problems)?;
    limits.get("max_trace_bytes", problems)?.positive(problems)
}

fn gate(root: &Section<'_>, problems: &mut Problems<'_>) -> GateConfig {
    let known = ["min_pass_rate", "levels", "thresholds", "waivers"];
    let Some(section) = root.section("gate", &known, problems) else {
        return GateConfig::default();
    };
    let rate = section.get("min_pass_rate", problems);
    let waivers = section.get("waivers", problems);
    GateConfig {
        min_pass_rate: rate.and_then(|rate| rate.number(1.0, "a number from 0 to 1", problems)),
        levels: levels(&section, problems),
        thresholds: thresholds(&section, problems),
        waivers: waivers.map(|waivers| self::waivers(&waivers, problems)).unwrap_or_default(),
    }
}

fn levels(gate: &Section<'_>, problems: &mut Problems<'_>) -> std::collections::BTreeMap<Kind, Level> {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    let Some(section) = gate.section("levels", &kinds, problems) else {
        return Default::default();
    };
    let settings = section.settings(problems);
    let known = settings.into_iter().filter_map(|(name, setting)| Some((Kind::parse(name)?, setting)));
    known.filter_map(|(kind, setting)| Some((kind, choice(&setting, &LEVELS, problems)?))).collect()
}

fn thresholds(gate: &Section<'_>, problems: &mut Problems<'_>) -> Thresholds {
    let mut thresholds = Thresholds::default();
    let known = ["duration", "tool_calls", "average_duration", "average_tool_calls"];
    if let Some(section) = gate.section("thresholds", &known, problems) {
        threshold(&section, "duration", &mut thresholds.duration, problems);
        threshold(&section, "tool_calls", &mut thresholds.tool_calls, problems);
        threshold(&section, "average_duration", &mut thresholds.average_duration, problems);
        threshold(&section, "average_tool_calls", &mut thresholds.average_tool_calls, problems);
    }
    thresholds
}

fn threshold(all: &Section<'_>, key: &str, threshold: &mut Threshold, problems: &mut Problems<'_>) {
    let Some(section) = all.section(key, &["relative", "absolute"], problems) else {
        return;
    };
    for (key, bound) in [("relative", &mut threshold.relative), ("absolute", &mut threshold.absolute)] {
        let given = section.get(key, problems);
        let number =
            given.and_then(|given| given.number(f64::MAX, "a number that is not negative", problems));
        *bound = number.unwrap_or(*bound);
    }
}

fn waivers(setting: &Setting<'_>, problems: &mut Problems<'_>) -> Vec<Waiver> {
    let entries = setting.entries("an array of tables", problems).unwrap_or_default();
    entries.iter().filter_map(|entry| waiver(entry, problems)).collect()
}

fn waiver(entry: &Setting<'_>, problems: &mut Problems<'_>) -> Option<Waiver> {
    let section = entry.section(&["case", "kinds", "reason", "expires"], problems)?;
    let mut required = |key: &str| {
        let setting = section.get(key, problems);
        if setting.is_none() {
            let path = format!("{}.{key}", entry.path);
            problems.add(entry.line, &path, format!("a waiver needs `{key}`"));
        }
        setting
    };
    let (case, kinds, reason, expires) =
        (required("case"), required("kinds"), required("reason"), required("expires"));
    let case = case.and_then(|case| glob(&case, problems));
    let kinds = kinds.and_then(|kinds| waived_kinds(&kinds, problems));
    let reason = reason.and_then(|reason| said(&reason, problems));
    let expires = expires.and_then(|expires| date(&expires, problems));
    Some(Waiver { case: case?, kinds: kinds?, reason: reason?, expires: expires?, line: entry.line })
}

fn glob(setting: &Setting<'_>, problems: &mut Problems<'_>) -> Option<String> {
    let text = said(setting, problems)?;
    match Glob::new(&text) {
        Ok(_) => Some(text),
        Err(error) => {
            setting.fault(problems, format!("`{text}` is no glob over case ids: {}", error.kind()));
            None
        }
    }
}

fn waived_kinds(setting: &Setting<'_>, problems: &mut Problems<'_>) -> Option<Vec<Kind>> {
    let entries = setting.entries("an array of kinds of entries", problems)?;
    if entries.is_empty() {
        setting.fault(problems, "must name at least one kind of entry".to_owned());
        return None;
    }
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    let mut kinds = Vec::new();
    for entry in entries {
        let Some(name) = entry.string("a kind of entry", problems) else {
            continue;
        };
        match Kind::parse(name) {
            None => entry.fault(problems, unknown("kind", name, &names)),
            Some(kind) if kinds.contains(&kind) => {}
            Some(kind) => kinds.push(kind),
        }
    }
    Some(kinds)
}

/// A string that is not blank.
fn said(setting: &Setting<'_>, problems: &mut Problems<'_>) -> Option<String> {
    let text = setting.string("a string", problems)?;
    if is_blank(text) {
        setting.fault(problems, "must not be blank".to_owned());
        return None;
    }
    Some(text.to_owned())
}

/// A date without a time, as TOML writes it or the same in a string.
fn date(setting: &Setting<'_>, problems: &mut Problems<'_>) -> Option<Date> {
    const ALLOWED: &str = "a date like 2026-12-31";
    let day = match setting.datetime() {
        Some(moment) if moment.time.is_none() && moment.offset.is_none() => moment.to_string(),
        Some(moment) => {
            setting.fault(problems, format!("must be {ALLOWED} without a time, but is {moment}"));
            return None;
        }
        None => setting.string(ALLOWED, problems)?.to_owned(),
    };
    let shape = day.len() == 10
        && day.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let date = if shape { day.parse().ok() } else { None };
    if date.is_none() {
        setting.fault(problems, format!("must be {ALLOWED}, but is `{day}`"));
    }
    date
}

fn baseline(root: &Section<'_>, problems: &mut Problems<'_>) -> BaselineConfig {
    let Some(section) = root.section("baseline", &["ratchet", "require_signed"], problems) else {
        return BaselineConfig::default();
    };
    let mut switch =
        |key| section.get(key, problems).and_then(|switch| switch.switch(problems)).unwrap_or(false);
    BaselineConfig { ratchet: switch("ratchet"), require_signed: switch("require_signed") }
}

fn store_prefix(root: &Section<'_>, problems: &mut Problems<'_>) -> Option<String> {
    let setting = root.section("store", &["prefix"], problems)?.get("prefix", problems)?;
    let text = setting.string("the beginning of a ref name", problems)?;
    let prefix = text.strip_suffix('/').unwrap_or(text);
    match ref_fault(prefix) {
        None => Some(prefix.to_owned()),
        Some(fault) => {
            setting.fault(problems, format!("`{text}` is no tree of refs: {fault}"));
            None
        }
    }
}

/// Why a text is no beginning of ref names, by the rules of `git check-ref-format`.
fn ref_fault(prefix: &str) -> Option<&'static str> {
    let Some(below) = prefix.strip_prefix("refs/") else {
        return Some("it must begin with `refs/`");
    };
    let forbidden = |letter: char| letter.is_ascii_control() || " ~^:?*[\\".contains(letter);
    let mut parts = below.split('/');
    if prefix.contains(forbidden) {
        Some("it must not hold spaces, control characters or any of `~^:?*[\\`")
    } else if prefix.contains("..") || prefix.contains("@{") {
        Some("it must not hold `..` or `@{`")
    } else if parts.clone().any(str::is_empty) {
        Some("no part between `/` may be empty")
    } else if parts.any(|part| part.starts_with('.') || part.ends_with('.') || part.ends_with(".lock")) {
        Some("no part between `/` may begin with `.` or end in `.` or `.lock`")
    } else {
        None
    }
}

/// One of several words.
fn choice<T: Copy>(setting: &Setting<'_>, words: &[(&str, T)], problems: &mut Problems<'_>) -> Option<T> {
    let names: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    let allowed = format!("one of {}", names.join(", "));
    let text = setting.string(&allowed, problems)?;
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
    if found.is_none() {
        setting.fault(problems, format!("must be {allowed}, but is `{text}`"));
    }
    found
}

#[cfg(test)]
mod tests;
