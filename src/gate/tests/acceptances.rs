//! What an acceptance covers: this very content, and no more.

use super::{TODAY, commit, of, worse};
use crate::diff::Diff;
use crate::diff::model::{Run, good_run, report};
use crate::gate::{Acceptance, Accepted, Outcome, UnderTest, cover, decide, policy_change};
use crate::kind::Kind;
use crate::report::Report;
use crate::suite::config::{GateConfig, Level};
use crate::suite::{Config, Expectations};

fn by(name: &str, digit: char) -> Accepted {
    Accepted { by: name.to_owned(), reason: Some("why".to_owned()), commit: commit(digit) }
}

/// The kinds that are covered, by whom.
fn covered(
    diff: &Diff,
    under_test: (&Report, &Config),
    held: &[(&Accepted, &Report, &Config)],
) -> Vec<(Kind, String)> {
    let (report, config) = under_test;
    let acceptances: Vec<Acceptance<'_>> =
        held.iter().map(|(accepted, report, config)| Acceptance { accepted, report, config }).collect();
    let accepted = cover(&diff.entries, UnderTest { report, config }, &acceptances);
    assert_eq!(accepted.len(), diff.entries.len());
    diff.entries
        .iter()
        .zip(accepted)
        .filter_map(|(entry, accepted)| Some((entry.kind, accepted?.by)))
        .collect()
}

#[test]
fn whole_content_covers_every_entry_and_the_gate_passes() {
    let (before, after) = worse();
    let (ann, config) = (by("Ann", 'a'), Config::default());
    let diff = of(&before, &after, &config.gate);
    assert_eq!(covered(&diff, (&after, &config), &[(&ann, &after, &config)]).len(), diff.entries.len());
    let under_test = UnderTest { report: &after, config: &config };
    let held = [Acceptance { accepted: &ann, report: &after, config: &config }];
    let accepted = cover(&diff.entries, under_test, &held);
    let gate = decide(diff, &config.gate, TODAY, accepted);
    assert_eq!((gate.outcome, gate.blocking, gate.warnings), (Outcome::Pass, 0, 0));
}

#[test]
fn whole_content_counts_only_under_the_same_settings() {
    let (before, after) = worse();
    let (ann, accepted) = (by("Ann", 'a'), Config::default());
    let mut weaker = accepted.clone();
    weaker.gate.levels.insert(Kind::CaseRemoved, Level::Ignore);
    let mut diff = of(&before, &after, &GateConfig::default());
    diff.add(policy_change(&accepted, &weaker).unwrap());
    let found = covered(&diff, (&after, &weaker), &[(&ann, &after, &accepted)]);
    let kinds: Vec<Kind> = found.into_iter().map(|(kind, _)| kind).collect();
    assert!(kinds.contains(&Kind::CaseRegressed) && kinds.contains(&Kind::PassRateFell));
    assert!(!kinds.contains(&Kind::PolicyChanged));
}

#[test]
fn a_case_is_covered_with_the_same_definition_trace_and_outcome_only() {
    let (before, after) = worse();
    let config = Config::default();
    let diff = of(&before, &after, &config.gate);
    let ann = by("Ann", 'a');
    let kinds = |held: &Report| -> Vec<Kind> {
        covered(&diff, (&after, &config), &[(&ann, held, &config)])
            .into_iter()
            .map(|(kind, _)| kind)
            .collect()
    };
    let first = report(vec![after.results[0].clone()]);
    assert_eq!(kinds(&first), [Kind::PassRateFell, Kind::CaseRegressed, Kind::VerdictWorsened]);
    let second = report(vec![after.results[1].clone()]);
    assert_eq!(kinds(&second), [Kind::DurationRose]);
    let mut other = first.clone();
    other.results[0].trace_id = Some(commit('b'));
    assert_eq!(kinds(&other), []);
    let mut other = first.clone();
    other.results[0].passed = true;
    assert_eq!(kinds(&other), []);
    let mut other = first.clone();
    other.results[0].case_digest = Some(Expectations::default().digest());
    assert_eq!(kinds(&other), []);
    let mut other = first;
    other.results[0].case_digest = None;
    assert_eq!(kinds(&other), []);
}

#[test]
fn the_pass_rate_is_covered_when_every_case_that_fell_is() {
    let asked = Expectations { allowed_verdicts: vec!["PASS".into()], ..Expectations::default() };
    let bad = |verdict| Run { verdict: Some(verdict), ..good_run() };
    let before = report(vec![good_run().result("a", &asked), good_run().result("b", &asked)]);
    let after = report(vec![bad("X").result("a", &asked), bad("Y").result("b", &asked)]);
    let config = Config::default();
    let diff = of(&before, &after, &config.gate);
    let (ann, bob) = (by("Ann", 'a'), by("Bob", 'b'));
    let (one, other) = (report(vec![after.results[0].clone()]), report(vec![after.results[1].clone()]));
    let rate = |held: &[(&Accepted, &Report, &Config)]| {
        covered(&diff, (&after, &config), held).into_iter().find(|(kind, _)| *kind == Kind::PassRateFell)
    };
    assert_eq!(rate(&[(&ann, &one, &config)]), None);
    assert_eq!(rate(&[(&bob, &other, &config)]), None);
    let both = rate(&[(&bob, &other, &config), (&ann, &one, &config)]);
    assert_eq!(both, Some((Kind::PassRateFell, "Ann".to_owned())));
}

#[test]
fn a_proposal_is_covered_by_the_same_settings_however_they_are_written() {
    let (before, after) = worse();
    let accepted = Config::default();
    let mut proposed = accepted.clone();
    proposed.gate.waivers.push(super::waiver("pay-1", &[Kind::CaseRegressed], TODAY));
    let mut moved = proposed.clone();
    moved.gate.waivers[0].line = 99;
    let mut diff = of(&before, &after, &accepted.gate);
    diff.add(policy_change(&accepted, &proposed).unwrap());
    let ann = by("Ann", 'a');
    let unrelated = report(vec![good_run().result("z", &Expectations::default())]);
    let found = covered(&diff, (&after, &proposed), &[(&ann, &unrelated, &moved)]);
    assert_eq!(found, [(Kind::PolicyChanged, "Ann".to_owned())]);
    assert!(covered(&diff, (&after, &proposed), &[(&ann, &unrelated, &accepted)]).is_empty());
}

#[test]
fn a_removed_case_is_covered_by_whole_content_alone() {
    let (before, _) = worse();
    let config = Config::default();
    let after = report(vec![before.results[0].clone()]);
    let diff = of(&before, &after, &config.gate);
    let ann = by("Ann", 'a');
    assert!(covered(&diff, (&after, &config), &[(&ann, &before, &config)]).is_empty());
    let found = covered(&diff, (&after, &config), &[(&ann, &after, &config)]);
    assert_eq!(found, [(Kind::CaseRemoved, "Ann".to_owned())]);
}

#[test]
fn nothing_accepted_covers_nothing() {
    let (before, after) = worse();
    let config = Config::default();
    let diff = of(&before, &after, &config.gate);
    assert!(covered(&diff, (&after, &config), &[]).is_empty());
}
