//! The plans as a whole, over a store in memory.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::date;
use proptest::prelude::*;

use super::memory::Memory;
use super::*;
use crate::diff::{diff, model};
use crate::evaluate::RULES_VERSION;
use crate::gate::{EntryLevel, Gate, UnderTest, cover, decide};
use crate::ids::{CaseId, HashKind, Name, ObjectId};
use crate::report::{self, Evaluator, Origin, Report, SourceState, suite_digest};
use crate::suite::{Config, Expectations, Matching, config};

const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Case by case, in suite order: which recording it has. Every third one is bad.
type Content = Vec<(&'static str, u8)>;

fn place() -> Place {
    let name = |text| Name::parse(text).unwrap();
    Prefix::new("refs/diag-gate").place(&name("default"), &name("main"))
}

fn report_of(content: &Content, commit: u32) -> Report {
    let asked = Expectations { forbidden_answer_keywords: vec!["oops!".into()], ..Expectations::default() };
    let result = |(id, recording): &(&'static str, u8)| {
        let bad = if recording % 3 == 2 { "oops!" } else { "" };
        model::Run { answer: format!("超时 {recording} {bad}"), ..model::good_run() }.result(id, &asked)
    };
    let results: Vec<_> = content.iter().map(result).collect();
    let matching = Matching::default();
    let commit = ObjectId::of_blob(HashKind::Sha1, &commit.to_be_bytes());
    let origin = Origin {
        suite: Name::parse("default").unwrap(),
        source: SourceState { commit: Some(commit), dirty: false },
        suite_digest: suite_digest(&results, &matching, Config::default().max_trace_bytes),
        evaluator: Evaluator { rules_version: RULES_VERSION.to_owned(), matching },
    };
    Report::new(Some(origin), results)
}

fn content() -> impl Strategy<Value = Content> {
    prop::sample::subsequence(IDS.to_vec(), 1..=IDS.len()).prop_flat_map(|ids| {
        let recordings = prop::collection::vec(0..6_u8, ids.len());
        (Just(ids).prop_shuffle(), recordings)
            .prop_map(|(ids, recordings)| ids.into_iter().zip(recordings).collect())
    })
}

fn acceptance<'a>(
    place: &'a Place,
    expected: Option<&'a ObjectId>,
    report: &'a Report,
    policy: &'a [u8],
) -> Acceptance<'a> {
    let (entries, cases, tool) = (Vec::new(), Vec::new(), "0.1.0");
    Acceptance { place, expected, report, policy, signers: None, reason: Some("why"), entries, cases, tool }
}

fn act(store: &Memory, name: &str, time: i64) {
    name.clone_into(&mut store.runner.borrow_mut());
    store.now.set(time);
}

fn ids(report: &Report) -> Vec<&str> {
    report.results.iter().map(|result| result.case_id.as_str()).collect()
}

fn judged(baseline: &Baseline, report: &Report, config: &Config, pending: &[Pending]) -> Option<Gate> {
    let moved = diff(&baseline.report, report, &baseline.policy.gate.thresholds).ok()?;
    let acceptances: Vec<_> = pending.iter().map(Pending::acceptance).collect();
    let accepted = cover(&moved.entries, UnderTest { report, config }, &acceptances);
    Some(decide(moved, &baseline.policy.gate, date(2026, 1, 1), accepted))
}

fn chain(store: &Memory) -> Vec<Baseline> {
    let place = place();
    let mut links = Vec::new();
    let mut next = store.tip(&place.reference).unwrap();
    while let Some(id) = next {
        let link = read_at(store, &place, &id).unwrap();
        next = link.link.parent.clone();
        links.push(link);
    }
    links
}

proptest! {
    #[test]
    fn single_cases_are_taken_and_the_rest_stays(
        old in content(),
        new in content(),
        taken in prop::sample::subsequence(IDS.to_vec(), 0..=IDS.len()),
    ) {
        let (accepted, current) = (report_of(&old, 1), report_of(&new, 2));
        let cases: BTreeSet<CaseId> = taken.iter().map(|id| CaseId::new(*id)).collect();
        let limit = Config::default().max_trace_bytes;
        let (before, now): (BTreeMap<_, _>, BTreeMap<_, _>) =
            (old.iter().copied().collect(), new.iter().copied().collect());
        let expected: BTreeMap<&str, u8> = IDS
            .iter()
            .filter_map(|id| {
                let side = if taken.contains(id) { &now } else { &before };
                side.get(id).map(|recording| (*id, *recording))
            })
            .collect();
        let Ok(merged) = take_cases(&accepted, &current, &cases, limit) else {
            prop_assert!(expected.is_empty());
            return Ok(());
        };
        // The results are those of a suite that holds exactly these cases, and the digest is its own.
        let order: Content = ids(&merged).into_iter().map(|id| {
            let (id, recording) = expected.get_key_value(id).unwrap();
            (*id, *recording)
        }).collect();
        prop_assert_eq!(order.len(), expected.len());
        prop_assert_eq!(report::to_json(&merged), report::to_json(&report_of(&order, 2)));
        // What stood before keeps its order.
        let stays: Vec<&str> = ids(&accepted).into_iter().filter(|id| expected.contains_key(id)).collect();
        let kept: Vec<&str> = ids(&merged).into_iter().filter(|id| before.contains_key(id)).collect();
        prop_assert_eq!(stays, kept);
        let again = take_cases(&merged, &current, &cases, limit).unwrap();
        prop_assert_eq!(report::to_json(&again), report::to_json(&merged));
        // Taken in several steps, the results are the same.
        let mut by_steps = accepted;
        for case in &cases {
            match take_cases(&by_steps, &current, &BTreeSet::from([case.clone()]), limit) {
                Ok(step) => by_steps = step,
                Err(_) => return Ok(()),
            }
        }
        let digest = |report: &Report| report.origin.as_ref().map(|origin| origin.suite_digest.clone());
        if !cases.is_empty() {
            prop_assert_eq!(digest(&by_steps), digest(&merged));
        }
    }

    #[test]
    fn what_is_promoted_was_accepted_and_nothing_else_moves(
        old in content(),
        proposed in prop::collection::vec((content(), prop::bool::weighted(0.2)), 0..4),
        landed in prop_oneof![content().prop_map(Some), Just(None)],
        weaker in prop::bool::weighted(0.2),
        ratchet in any::<bool>(),
        lost in 0..2_u32,
    ) {
        let (store, place) = (Memory::default(), place());
        let base: &[u8] = if ratchet { b"[baseline]\nratchet = true\n" } else { b"" };
        let other: &[u8] = b"[gate]\nmin_pass_rate = 0.0\n[gate.levels]\n\"case-regressed\" = \"warn\"\n";
        let policy = |weak: bool| if weak { other } else { base };
        act(&store, "first", 0);
        let first = report_of(&old, 0);
        prop_assume!(matches!(accept(&store, acceptance(&place, None, &first, base)), Ok(Accepted::Written(_))));
        let tip = store.tip(&place.reference).unwrap();
        for (number, (content, weak)) in proposed.iter().enumerate() {
            let number = u32::try_from(number).unwrap();
            act(&store, &format!("person-{number}"), i64::from(number) + 1);
            let report = report_of(content, number + 10);
            let result = accept_pending(&store, acceptance(&place, tip.as_ref(), &report, policy(*weak))).unwrap();
            prop_assert!(result != Accepted::Moved);
        }
        prop_assert_eq!(&store.tip(&place.reference).unwrap(), &tip);
        let all = pending(&store, &place).unwrap();
        act(&store, "robot", 100);
        let content = landed.unwrap_or_else(|| proposed.last().map_or(old, |(content, _)| content.clone()));
        let report = report_of(&content, 99);
        let settings = config::parse(policy(weaker), "x").unwrap();
        let baseline = read(&store, &place).unwrap().unwrap();
        let Some(gate) = judged(&baseline, &report, &settings, &all) else { return Ok(()) };
        let landed = Landed { place: &place, report: &report, config: &settings, policy: policy(weaker), signers: None };
        let promotion = decide_promotion(Some((&baseline, &gate)), landed, &all);

        let before = store.refs();
        let plan = plan_promotion(&store, landed, &promotion, tip.as_ref(), "0.1.0").unwrap().unwrap();
        prop_assert_eq!(store.refs(), before.clone(), "a plan moves nothing");
        store.lost.set(lost);
        for _ in 0..lost {
            prop_assert!(plan.moves.is_empty() || plan.carry_out(&store).unwrap() == Written::Moved);
            prop_assert_eq!(store.refs(), before.clone());
        }
        store.lost.set(0);
        prop_assert_eq!(plan.carry_out(&store).unwrap(), Written::Done);

        let unaccepted = gate
            .entries
            .iter()
            .any(|judged| judged.level == EntryLevel::Block && judged.accepted.is_none());
        let links = chain(&store);
        let added = &links[..links.len() - 1];
        let used = promotion.used();
        let mut after = before;
        match &promotion {
            Promotion::Accepted(_) => {
                prop_assert!(!unaccepted && !used.is_empty());
                let authors: Vec<_> = added.iter().rev().map(|it| (&it.link.by, it.link.accepted_at)).collect();
                let expected: Vec<_> =
                    used.iter().map(|it| (&it.baseline.link.by, it.baseline.link.accepted_at)).collect();
                prop_assert_eq!(authors, expected);
            }
            Promotion::Ratchet => {
                prop_assert!(!unaccepted && ratchet);
                prop_assert_eq!(added.len(), 1);
                prop_assert_eq!(&added[0].link.by.name, "robot");
            }
            Promotion::Nothing => prop_assert!(!unaccepted && !ratchet && added.is_empty()),
            Promotion::Worse => prop_assert!(unaccepted && added.is_empty() && used.is_empty()),
            Promotion::Held(_) => {
                prop_assert!(added.is_empty());
                prop_assert_eq!(&baseline.link.trailers.suite_digest, &report.origin.as_ref().unwrap().suite_digest);
            }
            Promotion::NoBaseline => prop_assert!(false),
        }
        for link in added {
            prop_assert_eq!(report::to_json(&link.report), report::to_json(&report));
            prop_assert_eq!(link.policy_text.as_slice(), policy(weaker));
            after.insert(place.reference.clone(), added[0].link.id.clone());
        }
        for gone in used {
            after.remove(&gone.references[0]);
        }
        prop_assert_eq!(store.refs(), after);
    }

    #[test]
    fn the_place_that_holds_the_others_counts(
        parents in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
        local in prop::option::of(any::<prop::sample::Index>()),
        copies in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        seen in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (store, place) = (Memory::default(), place());
        // A tree of links: each follows an earlier one.
        let mut links: Vec<(ObjectId, Vec<usize>)> = Vec::new();
        for (number, parent) in parents.iter().enumerate() {
            let parent = (number > 0).then(|| parent.index(number));
            let report = report_of(&vec![("a", u8::try_from(number).unwrap())], 1);
            store.delete(&place.reference);
            if let Some(parent) = parent {
                store.set(&place.reference, &links[parent].0);
            }
            let expected = parent.map(|parent| links[parent].0.clone());
            act(&store, "x", i64::try_from(number).unwrap());
            let Accepted::Written(id) =
                accept(&store, acceptance(&place, expected.as_ref(), &report, b"")).unwrap()
            else {
                panic!("each is another content")
            };
            let mut held = parent.map_or(Vec::new(), |parent| links[parent].1.clone());
            held.push(number);
            links.push((id, held));
        }
        store.delete(&place.reference);
        let at = |index: &prop::sample::Index| index.index(links.len());
        let mut places: Vec<usize> = local.iter().map(at).collect();
        for number in &places {
            store.set(&place.reference, &links[*number].0);
        }
        for (number, copy) in copies.iter().enumerate() {
            store.set(&place.fetched(&format!("remote/{number}")), &links[at(copy)].0);
            places.push(at(copy));
        }
        let seen = seen.as_ref().map(at);
        if let Some(seen) = seen {
            store.set(&place.seen(), &links[seen].0);
        }
        let newest = places.iter().find(|one| places.iter().all(|other| links[**one].1.contains(other)));
        let found = stand(&store, &place);
        match (places.is_empty(), newest, seen) {
            (true, _, None) => prop_assert!(found.unwrap().newest.is_none()),
            (true, _, Some(_)) => prop_assert!(matches!(found, Err(BaselineError::Gone { .. })), "not told"),
            (false, None, _) => prop_assert!(matches!(found, Err(BaselineError::Diverged { .. })), "not told"),
            (false, Some(newest), Some(seen)) if !links[*newest].1.contains(&seen) => {
                prop_assert!(matches!(found, Err(BaselineError::Rewritten { .. })), "not told");
            }
            (false, Some(newest), _) => {
                let standing = found.unwrap();
                prop_assert_eq!(standing.tip(), Some(&links[*newest].0));
                note_seen(&store, &place, &standing);
                let noted = store.tip(&place.seen()).unwrap();
                prop_assert_eq!(noted.as_ref(), standing.tip());
                prop_assert!(stand(&store, &place).is_ok());
            }
        }
    }
}

#[test]
fn two_contents_under_the_same_digits_are_an_error() {
    let (store, place) = (Memory::default(), place());
    act(&store, "x", 0);
    let report = report_of(&vec![("a", 0)], 1);
    let written = accept_pending(&store, acceptance(&place, None, &report, b"")).unwrap();
    let Accepted::Written(id) = written else { panic!("nothing was pending") };
    // No two digests that begin alike can be made here: one is put under the name of another content.
    let other = report_of(&vec![("a", 1)], 1);
    let digest = &other.origin.as_ref().unwrap().suite_digest;
    store.set(&place.pending_of(digest), &id);
    let error = pending(&store, &place).unwrap_err();
    assert!(matches!(error, BaselineError::Damaged { .. }), "{error}");
    let before = store.refs();
    assert!(accept_pending(&store, acceptance(&place, None, &other, b"")).is_err());
    assert_eq!(store.refs(), before);

    store.delete(&place.pending_of(digest));
    let all = pending(&store, &place).unwrap();
    let alike = format!("{}{}", &all[0].digest().as_str()[..16], "0".repeat(48));
    let alike = crate::ids::Digest::parse(&alike).unwrap();
    let refused = super::pending::check_digits(&all, "refs/x", &alike);
    assert!(matches!(refused, Err(BaselineError::SameDigits { .. })));
}

#[test]
fn a_chain_that_is_cut_off_is_not_told_to_be_rewritten() {
    let (store, place) = (Memory::default(), place());
    act(&store, "x", 0);
    let mut ids = Vec::new();
    for number in 0..3_u8 {
        let report = report_of(&vec![("a", number)], 1);
        let written = accept(&store, acceptance(&place, ids.last(), &report, b"")).unwrap();
        let Accepted::Written(id) = written else { panic!("each is another content") };
        ids.push(id);
    }
    store.set(&place.seen(), &ids[0]);
    store.cut.borrow_mut().push(ids[1].clone());
    let standing = stand(&store, &place).unwrap();
    assert_eq!(standing.tip(), Some(&ids[2]));
    note_seen(&store, &place, &standing);
    assert_eq!(store.tip(&place.seen()).unwrap().as_ref(), Some(&ids[0]));
    // Two places of which nothing can be told are never chosen between.
    store.set(&place.fetched("origin"), &ids[0]);
    assert!(matches!(stand(&store, &place), Err(BaselineError::Diverged { .. })));
}

#[test]
fn a_report_that_lies_about_its_content_is_refused() {
    let (store, place) = (Memory::default(), place());
    act(&store, "x", 0);
    let mut report = report_of(&vec![("a", 2)], 1);
    let good = report_of(&vec![("a", 0)], 1);
    report.origin = good.origin.clone();
    for policy in [&b""[..], b"[matching]\nexpected = \"folded\"\n"] {
        let refused = accept(&store, acceptance(&place, None, &report, policy));
        assert!(matches!(refused, Err(BaselineError::NotAcceptable { .. })));
        let refused = accept_pending(&store, acceptance(&place, None, &report, policy));
        assert!(matches!(refused, Err(BaselineError::NotAcceptable { .. })));
    }
    // Forged past this program, it is not believed either.
    let written = accept(&store, acceptance(&place, None, &good, b"")).unwrap();
    let Accepted::Written(id) = written else { panic!("nothing was there") };
    let raw = store.link(&id).unwrap().unwrap();
    let files = BTreeMap::from([
        (FORMAT_FILE.to_owned(), Vec::new()),
        (POLICY_FILE.to_owned(), Vec::new()),
        (REPORT_FILE.to_owned(), report::to_json(&report).into_bytes()),
    ]);
    let message = String::from_utf8(raw.message).unwrap();
    let link = NewLink { parent: None, author: raw.author, committer: raw.committer, message, files };
    let forged = store.write(&link).unwrap();
    store.set(&place.reference, &forged);
    assert!(matches!(read_at(&store, &place, &forged), Err(BaselineError::Damaged { .. })));
}
