//! Lent results are those that an evaluation gives, whatever changed; what is lent is never read.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::evaluate::support::{MemorySource, case, id_of};
use crate::evaluate::{FailedChecks, Matcher, TraceIndex};
use crate::ids::Name;
use crate::report::{Evaluator, Origin, SourceState, content_digest, read, suite_digest, to_json};
use crate::suite::source::{Entry, EntryKind};
use crate::suite::{ExpectedForm, Matching};

/// What one case and the file at the path of its trace are.
#[derive(Clone, Copy, Debug)]
struct Picked {
    asked: usize,
    path: usize,
    trace: usize,
    kind: usize,
    retitled: bool,
}

fn picked() -> impl Strategy<Value = Picked> {
    (0..3_usize, 0..8_usize, 0..6_usize, 0..12_usize, any::<bool>())
        .prop_map(|(asked, path, trace, kind, retitled)| Picked { asked, path, trace, kind, retitled })
}

/// A path below the traces folder, and what stands there.
type File = (String, EntryKind, Vec<u8>);

fn asked(pick: usize) -> Value {
    match pick {
        0 => json!({}),
        1 => json!({ "expectedRootCauseKeywords": ["a", "超时"], "minKeywordMatches": 1 }),
        _ => json!({ "forbiddenAnswerKeywords": ["B"], "requiredEvidenceTools": ["logs"] }),
    }
}

fn trace(pick: usize) -> Vec<u8> {
    match pick {
        0 => br#"{"session":{"answer":"a"}}"#.to_vec(),
        1 => r#"{"session":{"answer":"超时 b","totalDurationMs":12.50},"toolInvocations":[{"toolName":"logs"}]}"#.into(),
        2 => b"{".to_vec(),
        3 => b"version https://git-lfs.github.com/spec/v1\n".to_vec(),
        4 => [br#"{"session":{"answer":"a"}}"#.to_vec(), vec![b' '; 90]].concat(),
        _ => br#"{"session":{"answer":7}}"#.to_vec(),
    }
}

/// A suite of these cases, and the files behind them: the first case that names a path decides on it.
fn suite(picks: &[Picked]) -> (Vec<Case>, Vec<File>) {
    let mut cases = Vec::new();
    let mut files: Vec<File> = Vec::new();
    for (index, pick) in picks.iter().enumerate() {
        let path = format!("{}.json", pick.path);
        let mut made = case(&format!("c{index}"), &path, &asked(pick.asked));
        if pick.retitled {
            made.title = format!("{}!", made.title.as_str()).into();
        }
        cases.push(made);
        let kind = match pick.kind {
            0 => continue,
            1 => EntryKind::Link,
            _ => EntryKind::File,
        };
        if files.iter().all(|(known, ..)| *known != path) {
            files.push((path, kind, trace(pick.trace)));
        }
    }
    files.sort_by(|one, other| one.0.cmp(&other.0));
    (cases, files)
}

fn index(files: &[File]) -> TraceIndex {
    let entries = files.iter().map(|(path, kind, bytes)| Entry {
        path: path.clone().into_bytes(),
        kind: *kind,
        id: (*kind == EntryKind::File).then(|| id_of(bytes)),
    });
    TraceIndex::new(entries.collect())
}

fn config() -> Config {
    Config { max_trace_bytes: 100, ..Config::default() }
}

/// The report of an evaluation, as it is read back.
fn report(results: Vec<CaseResult>, config: &Config) -> Report {
    let origin = Origin {
        suite: Name::parse("default").unwrap(),
        source: SourceState { commit: None, dirty: false },
        evaluator: Evaluator { rules_version: RULES_VERSION.to_owned(), matching: config.matching.clone() },
        suite_digest: suite_digest(&results, &config.matching, config.max_trace_bytes),
    };
    read(to_json(&Report::new(Some(origin), results)).as_bytes()).unwrap()
}

/// Evaluates under these settings; `broken` are paths that cannot be read, `lent` what need not be.
fn evaluate(
    picks: &[Picked],
    config: &Config,
    lent: Option<&Lent<'_>>,
    broken: Vec<String>,
) -> Result<Report, SourceError> {
    let (cases, files) = suite(picks);
    let mut source = MemorySource::new(files.clone());
    source.broken = broken;
    let evaluation = Evaluation {
        source: &source,
        matcher: &Matcher::new(&config.matching),
        max_trace_bytes: config.max_trace_bytes,
    };
    let threads = NonZeroUsize::new(2).unwrap();
    let placed = index(&files).place(&cases);
    let found = evaluation.found(&placed, threads).unwrap();
    let results = evaluate_rest(&evaluation, &placed, &found, lent, threads)?;
    let digest = suite_digest(&results, &config.matching, config.max_trace_bytes);
    assert_eq!(content_digest(&cases, &found, config), digest);
    Ok(report(results, config))
}

/// Whether the trace of a case can be read, and is the one that it was, at the same place.
fn kept(before: &[Picked], after: &[Picked]) -> Vec<String> {
    let ((old, were), (new, are)) = (suite(before), suite(after));
    let find = |files: &[File], path: &str| {
        files.iter().find(|file| file.0 == path && file.1 == EntryKind::File).cloned()
    };
    let is_kept = |path: &str| {
        let asked = new.iter().enumerate().filter(|(_, case)| case.trace_fixture == path);
        find(&are, path).is_some()
            && asked.into_iter().all(|(at, case)| {
                old.get(at).is_some_and(|old| old.digest == case.digest && old.trace_fixture == path)
                    && find(&were, path) == find(&are, path)
            })
    };
    (0..8).map(|path| format!("{path}.json")).filter(|path| is_kept(path)).collect()
}

proptest! {
    #[test]
    fn whatever_changed_the_report_is_that_of_a_full_evaluation(
        before in prop::collection::vec(picked(), 1..12),
        changes in prop::collection::vec((any::<prop::sample::Index>(), picked()), 0..5),
        more in prop::collection::vec(picked(), 0..3),
    ) {
        let config = config();
        let accepted = evaluate(&before, &config, None, Vec::new()).unwrap();
        let mut after = before.clone();
        for (at, change) in changes {
            *at.get_mut::<Picked>(&mut after) = change;
        }
        after.extend(more);
        let full = evaluate(&after, &config, None, Vec::new()).unwrap();
        let lent = Lent::of(&accepted, &config, &config).unwrap();
        let reused = evaluate(&after, &config, Some(&lent), kept(&before, &after)).unwrap();
        prop_assert_eq!(to_json(&reused), to_json(&full));
    }
}

const PASSING: Picked = Picked { asked: 0, path: 0, trace: 0, kind: 5, retitled: false };

#[test]
fn nothing_is_lent_under_other_rules_options_or_limits() {
    let accepted = evaluate(&[PASSING], &config(), None, Vec::new()).unwrap();
    assert!(Lent::of(&accepted, &config(), &config()).is_some());
    let folded = Matching { expected: ExpectedForm::Folded, ..Matching::default() };
    assert!(Lent::of(&accepted, &config(), &Config { matching: folded, ..config() }).is_none());
    let limited = Config { max_trace_bytes: 99, ..config() };
    assert!(Lent::of(&accepted, &config(), &limited).is_none());
    assert!(Lent::of(&accepted, &limited, &config()).is_none());
    let mut older = accepted.clone();
    older.origin.as_mut().unwrap().evaluator.rules_version = "0".to_owned();
    assert!(Lent::of(&older, &config(), &config()).is_none());
    assert!(Lent::of(&Report { origin: None, ..accepted }, &config(), &config()).is_none());
}

#[test]
fn a_result_that_does_not_follow_from_the_bytes_at_that_path_is_not_lent() {
    let unreadable = Picked { trace: 2, ..PASSING };
    let accepted = evaluate(&[unreadable], &config(), None, Vec::new()).unwrap();
    let lent = Lent::of(&accepted, &config(), &config()).unwrap();
    let id = id_of(&trace(2));
    let here = case("c0", "0.json", &asked(0));
    assert!(lent.result(&here, &id).is_some());
    assert!(lent.result(&here, &id_of(b"other")).is_none());
    assert!(lent.result(&case("c0", "1.json", &asked(0)), &id).is_none());
    assert!(lent.result(&case("c0", "0.json", &asked(1)), &id).is_none());
    assert!(lent.result(&case("c1", "0.json", &asked(0)), &id).is_none());
    // A link may have an id in a report of other make: a file of the same bytes is judged.
    let mut linked = accepted.clone();
    let FailedChecks::Checks(checks) = &mut linked.results[0].failed_checks else { unreachable!() };
    checks[0].subjects = vec![Fault::NotAFile.as_str().to_owned()];
    assert!(Lent::of(&linked, &config(), &config()).unwrap().result(&here, &id).is_none());
}

#[test]
fn a_trace_that_cannot_be_read_is_told_where_it_has_to_be_read() {
    let accepted = evaluate(&[PASSING], &config(), None, Vec::new()).unwrap();
    let lent = Lent::of(&accepted, &config(), &config()).unwrap();
    let broken = || vec!["0.json".to_owned()];
    assert!(evaluate(&[PASSING], &config(), Some(&lent), broken()).is_ok());
    assert_eq!(evaluate(&[PASSING], &config(), None, broken()).unwrap_err().what, "0.json");
    let changed = [Picked { trace: 1, ..PASSING }];
    assert_eq!(evaluate(&changed, &config(), Some(&lent), broken()).unwrap_err().what, "0.json");
}

#[test]
fn a_trace_that_changes_meanwhile_is_an_error() {
    let (cases, files) = suite(&[PASSING]);
    let source = MemorySource::new(files.clone());
    let evaluation =
        Evaluation { source: &source, matcher: &Matcher::new(&Matching::default()), max_trace_bytes: 100 };
    let threads = NonZeroUsize::MIN;
    let other = [Ok(id_of(b"other"))];
    let placed = index(&files).place(&cases);
    let error = evaluate_rest(&evaluation, &placed, &other, None, threads).unwrap_err();
    assert_eq!(error.what, "fixtures/0.json");
}
