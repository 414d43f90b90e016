//! Compares a report with the accepted baseline and applies the accepted policy: what `check`
//! decides and what `accept` shows.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::baseline::{self, Baseline, Moment, Pending, Place, Prefix, Revision, Rule, Selection, WhyTip};
use crate::cli::args::Global;
use crate::cli::evaluation::Evaluation;
use crate::cli::ground::Ground;
use crate::cli::reread;
use crate::diff::{Cause, Refusal, diff};
use crate::error::Error;
use crate::gate::{self, Gate, UnderTest, cover, decide, policy_change};
use crate::git::{GitStore, Repository};
use crate::ids::Name;
use crate::kind::Kind;
use crate::render::Places;
use crate::render::escape::Untrusted;
use crate::render::view::{Background, BaselineNote, View};
use crate::report::Origin;
use crate::suite::Config;

/// The baseline that a revision is compared with, and why this one.
pub(super) struct Chosen {
    /// The baseline.
    pub(super) baseline: Baseline,
    /// The rule.
    pub(super) rule: Rule,
    /// The ref that the chain was read from: the local one or a fetched copy.
    pub(super) reference: String,
}

/// What is compared with: a baseline, and what was accepted beside it.
#[derive(Clone, Copy)]
pub(super) struct Against<'a> {
    /// The baseline.
    pub(super) baseline: &'a Baseline,
    /// Acceptances of content that has not landed yet, which cover what they hold.
    pub(super) pending: &'a [Pending],
}

/// The chain that a command is about.
///
/// # Errors
/// The name is none.
pub(super) fn place(config: &Config, name: &str) -> Result<Place, Error> {
    let name = Name::parse(name).ok_or_else(|| {
        Error::input(format!("`{name}` is no name of a baseline")).hint(format!("a name is {}", Name::RULE))
    })?;
    Ok(Prefix::new(&config.store_prefix).place(&config.name, &name))
}

/// Chooses the baseline of what was evaluated; `None` only where no place holds the chain.
///
/// # Errors
/// A baseline stands but cannot be read or believed.
pub(super) fn choose(
    repository: &Repository,
    place: &Place,
    evaluation: &Evaluation,
) -> Result<Option<Chosen>, Error> {
    let origin = evaluation.report.origin.as_ref().expect("what was evaluated here has an origin");
    choose_for(repository, place, origin)
}

/// Sees to it that a chain stands where it can be believed.
///
/// # Errors
/// It cannot be read, was rewritten, or is not signed as it must be.
pub(super) fn look(repository: &Repository, place: &Place) -> Result<(), Error> {
    let store = GitStore::new(repository);
    match baseline::stand(&store, place)?.newest {
        Some(newest) => Ok(baseline::check_signatures(&store, &newest.reference, &newest.id)?),
        None => Ok(()),
    }
}

/// Chooses the baseline of what is about to be evaluated: what it is, is known before it is judged.
///
/// # Errors
/// As [`choose`].
pub(super) fn choose_for(
    repository: &Repository,
    place: &Place,
    origin: &Origin,
) -> Result<Option<Chosen>, Error> {
    let store = GitStore::new(repository);
    let standing = baseline::stand(&store, place)?;
    let Some(newest) = &standing.newest else { return Ok(None) };
    // Looked at before the tip is noted as seen.
    baseline::check_signatures(&store, &newest.reference, &newest.id)?;
    let commit = if origin.source.dirty { None } else { origin.source.commit.as_ref() };
    let revision = Revision { commit, suite_digest: &origin.suite_digest };
    let history = store.history(place);
    let Selection { link, rule } = baseline::select(&history, &newest.id, revision)?;
    let baseline = baseline::read_at(&store, place, &link.id)?;
    baseline::note_seen(&store, place, &standing);
    Ok(Some(Chosen { baseline, rule, reference: newest.reference.clone() }))
}

/// Writes down which tip was seen, as best it can be.
pub(super) fn note_seen(store: &GitStore<'_>, place: &Place) {
    if let Ok(standing) = baseline::stand(store, place) {
        baseline::note_seen(store, place, &standing);
    }
}

/// The baselines that stand in this repository under any prefix, suite and name: where there is one, a
/// missing baseline is not let through, since a revision under test could rename its way out.
///
/// # Errors
/// The refs cannot be read.
pub(super) fn other_baselines(repository: &Repository) -> Result<Vec<String>, Error> {
    // By name alone: what else the refs of a repository hold is no concern of this.
    let names = repository.reference_names_under("refs")?;
    Ok(names.into_iter().filter(|name| is_baseline(name)).collect())
}

/// `ANYTHING/baselines/SUITE/NAME`.
fn is_baseline(reference: &str) -> bool {
    let parts: Vec<&str> = reference.split('/').collect();
    parts.len() >= 4 && parts[parts.len() - 3] == "baselines"
}

/// Compares and decides. The policy is the accepted one; a change that is proposed is an entry, and what
/// was accepted before it has landed is covered.
///
/// # Errors
/// The two reports do not belong together, or the surroundings failed.
pub(super) fn judge(
    against: Against<'_>,
    evaluation: &Evaluation,
    ground: &Ground,
    global: &Global,
    today: Date,
) -> Result<Gate, Error> {
    let Against { baseline, pending } = against;
    let policy = &baseline.policy;
    let mut moved = diff(&baseline.report, &evaluation.report, &policy.gate.thresholds)
        .map_err(|refusal| refused(&refusal, baseline))?;
    if let Some(entry) = policy_change(policy, &evaluation.suite.config) {
        moved.add(entry);
    }
    let both: Vec<_> = moved
        .entries
        .iter_mut()
        .filter(|entry| entry.kind == Kind::CaseRegressed && entry.cause == Some(Cause::Both))
        .collect();
    if !both.is_empty() {
        reread::under_old_expectations(both, baseline, evaluation, ground, global)?;
    }
    let acceptances: Vec<gate::Acceptance<'_>> = pending.iter().map(Pending::acceptance).collect();
    let under_test = UnderTest { report: &evaluation.report, config: &evaluation.suite.config };
    let accepted = cover(&moved.entries, under_test, &acceptances);
    Ok(decide(moved, &policy.gate, today, accepted))
}

/// A diff that was refused, as an error.
pub(super) fn refused(refusal: &Refusal, baseline: &Baseline) -> Error {
    Error::input(format!("the baseline {} cannot be compared with this suite", baseline.place.title()))
        .because(refusal)
        .hint("choose another baseline with `--baseline NAME`, or look at this one with `diag-gate show`")
}

/// The decision, ready to be laid out.
/// `rule` says in words why it is compared with this baseline.
pub(super) fn view(
    gate: &Gate,
    evaluation: &Evaluation,
    baseline: &Baseline,
    rule: String,
    now: Timestamp,
) -> View {
    let background = Background {
        current: &evaluation.report,
        places: Places::of(&evaluation.folder, &evaluation.suite),
        baseline: Some(note(baseline, rule, now)),
        commands: None,
    };
    View::new(gate, background)
}

fn note(baseline: &Baseline, rule: String, now: Timestamp) -> BaselineNote {
    let link = &baseline.link;
    BaselineNote {
        title: Untrusted::new(baseline.place.title()),
        commit: Untrusted::new(link.id.short()),
        evaluated: Untrusted::new(link.trailers.evaluated.short()),
        by: Untrusted::new(link.by.name.clone()),
        age: Untrusted::new(age(link.accepted_at.seconds, now)),
        rule: Untrusted::new(rule),
    }
}

/// Why a baseline was chosen, in words.
pub(super) fn words(rule: &Rule) -> String {
    match rule {
        Rule::Ancestor => "its commit is this one or an ancestor of it".to_owned(),
        Rule::Content => "it has the same content".to_owned(),
        Rule::Tip(WhyTip::Absent(commit)) => {
            format!("the newest: commit {} is not in this repository", commit.short())
        }
        Rule::Tip(WhyTip::Shallow) => "the newest: the repository is shallow".to_owned(),
        Rule::Tip(WhyTip::NoCommit) => "the newest: what is judged is no commit".to_owned(),
        Rule::Tip(WhyTip::NoneFits) => {
            "the newest: none was accepted on an ancestor of this commit".to_owned()
        }
    }
}

/// `3 days ago`: how long something is past.
pub(super) fn age(seconds: i64, now: Timestamp) -> String {
    let past = now.as_second().saturating_sub(seconds);
    let (number, unit) = match past {
        ..60 => return "just now".to_owned(),
        60..3_600 => (past / 60, "minute"),
        3_600..86_400 => (past / 3_600, "hour"),
        86_400.. => (past / 86_400, "day"),
    };
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural} ago")
}

/// The day that waivers are held against, in UTC.
pub(super) fn today(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

/// What the JSON of a check says of the baseline beside its report.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinkJson<'a> {
    name: &'a Name,
    r#ref: &'a str,
    commit: &'a str,
    evaluated: &'a str,
    accepted_at: String,
    by: String,
    rule: &'static str,
}

impl<'a> LinkJson<'a> {
    /// Of a chosen baseline.
    pub(super) fn of(chosen: &'a Chosen) -> Self {
        let Baseline { place, link, .. } = &chosen.baseline;
        Self {
            name: &place.name,
            r#ref: &chosen.reference,
            commit: link.id.as_str(),
            evaluated: link.trailers.evaluated.as_str(),
            accepted_at: moment(link.accepted_at.seconds),
            by: format!("{} <{}>", link.by.name, link.by.email),
            rule: chosen.rule.as_str(),
        }
    }
}

/// `2026-11-30T23:38:02Z`.
pub(super) fn moment(seconds: i64) -> String {
    Moment { seconds, offset_minutes: 0 }.utc()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_read_like_prose() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        assert_eq!(age(1_000_000, now), "just now");
        assert_eq!(age(2_000_000, now), "just now");
        assert_eq!(age(1_000_000 - 60, now), "1 minute ago");
        assert_eq!(age(1_000_000 - 7_200, now), "2 hours ago");
        assert_eq!(age(1_000_000 - 3 * 86_400, now), "3 days ago");
        assert_eq!(moment(0), "1970-01-01T00:00:00Z");
    }
}
