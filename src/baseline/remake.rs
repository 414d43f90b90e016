//! Two chains that grew apart: ours is made again on top of theirs, or the two contradict each other
//! (baseline.md section 5). Links are written; no ref is moved.

use std::collections::{BTreeMap, BTreeSet};

use crate::baseline::chain::{Chain, by_id};
use crate::baseline::error::BaselineError;
use crate::baseline::link::{Baseline, FORMAT_FILE, Link, POLICY_FILE, REPORT_FILE, SIGNERS_FILE};
use crate::baseline::message::{self, Message};
use crate::baseline::partial::take_cases;
use crate::baseline::read::read_at;
use crate::baseline::store::NewLink;
use crate::baseline::sync::SyncError;
use crate::evaluate::CaseResult;
use crate::ids::{CaseId, ObjectId};
use crate::report::{self, Report};
use crate::suite::Config;

/// What our part came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Remade {
    /// Theirs holds all of it already.
    Held,
    /// So many links on top of theirs, with this tip.
    OnTop(ObjectId, usize),
}

/// The two ends, and what both have.
#[derive(Clone, Copy)]
pub(super) struct Apart<'a> {
    pub(super) base: Option<&'a ObjectId>,
    pub(super) ours: &'a ObjectId,
    pub(super) theirs: &'a ObjectId,
}

/// The last change of a case, and the link that made it.
type Changes = BTreeMap<CaseId, (Option<CaseResult>, Link)>;

/// Makes our links again on top of theirs, with their own authors, dates and reasons.
///
/// # Errors
/// [`SyncError::Conflict`] where one case, or the configuration, was accepted differently; nothing was
/// written then. Also where a link cannot be read or written.
pub(super) fn remake(chain: Chain<'_>, apart: Apart<'_>) -> Result<Remade, SyncError> {
    let theirs = chain.above(apart.theirs, apart.base)?;
    let held = theirs.iter().map(|link| chain.content(&link.id)).collect::<Result<BTreeSet<_>, _>>()?;
    let mut ours = Vec::new();
    for link in chain.above(apart.ours, apart.base)? {
        if !held.contains(&chain.content(&link.id)?) {
            ours.push(link);
        }
    }
    if ours.is_empty() {
        return Ok(Remade::Held);
    }
    let conflicts = conflicts(&changes(chain, &ours)?, &changes(chain, &theirs)?);
    if !conflicts.is_empty() {
        return Err(SyncError::Conflict { title: chain.place.title(), details: conflicts });
    }
    let mut on_top = OnTop::new(chain, apart, &theirs)?;
    for link in &ours {
        on_top.check_settings(link)?;
    }
    let mut number = 0;
    for link in &ours {
        number += usize::from(on_top.add(link)?);
    }
    Ok(if number == 0 { Remade::Held } else { Remade::OnTop(on_top.tip.link.id, number) })
}

fn changes(chain: Chain<'_>, links: &[Link]) -> Result<Changes, BaselineError> {
    let mut all = Changes::new();
    for link in links {
        let changed = chain.changes(link)?.into_iter();
        all.extend(changed.map(|(case, result)| (case, (result, link.clone()))));
    }
    Ok(all)
}

fn conflicts(ours: &Changes, theirs: &Changes) -> Vec<String> {
    let mut told = Vec::new();
    for (case, (our_result, our_link)) in ours {
        let Some((their_result, their_link)) = theirs.get(case) else { continue };
        if our_result != their_result {
            told.push(format!("case {}:", case.as_str()));
            told.push(format!("  here {}", who(our_link)));
            told.push(format!("  there {}", who(their_link)));
        }
    }
    told
}

/// `by NAME <MAIL> (LINK): REASON`.
pub(super) fn who(link: &Link) -> String {
    let reason = link.reason.as_deref().unwrap_or("no reason given").replace('\n', " ");
    format!("by {} <{}> ({}): {reason}", link.by.name, link.by.email, link.id.short())
}

/// The chain as it grows.
struct OnTop<'a> {
    chain: Chain<'a>,
    tip: Baseline,
    /// The configuration of the base, and the newest of theirs.
    base_policy: Option<Vec<u8>>,
    their_policy: Vec<u8>,
    their_link: Link,
}

impl<'a> OnTop<'a> {
    fn new(chain: Chain<'a>, apart: Apart<'_>, theirs: &[Link]) -> Result<Self, SyncError> {
        let tip = read_at(chain.store, chain.place, apart.theirs)?;
        let base = apart.base.map(|base| read_at(chain.store, chain.place, base)).transpose()?;
        let base_policy = base.map(|base| base.policy_text);
        let their_policy = tip.policy_text.clone();
        let mut their_link = tip.link.clone();
        for link in theirs.iter().rev() {
            let policy = read_at(chain.store, chain.place, &link.id)?.policy_text;
            if policy != their_policy {
                break;
            }
            their_link = link.clone();
        }
        Ok(Self { chain, tip, base_policy, their_policy, their_link })
    }

    /// Both sides cannot change the settings in two ways, and results of unlike rules do not mix.
    fn check_settings(&self, link: &Link) -> Result<(), SyncError> {
        let ours = read_at(self.chain.store, self.chain.place, &link.id)?;
        let base = self.base_policy.as_ref();
        let both = Some(&ours.policy_text) != base && Some(&self.their_policy) != base;
        let differ = ours.policy_text != self.their_policy;
        let rules = |report: &Report| report.origin.as_ref().map(|origin| origin.evaluator.clone());
        let unlike = judging(&ours.policy) != judging(&self.tip.policy)
            || rules(&ours.report) != rules(&self.tip.report);
        if (both && differ) || unlike {
            return Err(self.settings_conflict(link));
        }
        Ok(())
    }

    fn settings_conflict(&self, link: &Link) -> SyncError {
        let details = vec![
            "the settings (policy.toml):".to_owned(),
            format!("  here {}", who(link)),
            format!("  there {}", who(&self.their_link)),
        ];
        SyncError::Conflict { title: self.chain.place.title(), details }
    }

    /// Adds one link; `false` where it would change nothing.
    fn add(&mut self, link: &Link) -> Result<bool, SyncError> {
        let Chain { store, place } = self.chain;
        let own = read_at(store, place, &link.id)?;
        let parent = link.parent.as_ref().map(|parent| read_at(store, place, parent)).transpose()?;
        let taken = self.chain.changes(link)?;
        let cases: BTreeSet<CaseId> = taken.keys().cloned().collect();
        let limit = self.tip.policy.max_trace_bytes;
        let merged = take_cases(&self.tip.report, &own.report, &cases, limit)?;
        let new_settings = parent.is_none_or(|parent| parent.policy_text != own.policy_text);
        let signers = self.signers(link)?;
        if merged.results == self.tip.report.results
            && (!new_settings || own.policy_text == self.tip.policy_text)
            && signers == file(self.chain, &self.tip.link.id)?
        {
            return Ok(false);
        }
        let whole = link.trailers.cases.is_empty() && same_results(&merged.results, &own.report.results);
        if !whole && taken.is_empty() {
            return Err(self.settings_conflict(link));
        }
        let policy_text = if new_settings { own.policy_text } else { self.tip.policy_text.clone() };
        let cases = if whole { Vec::new() } else { cases.into_iter().collect() };
        let report = if whole { own.report } else { merged };
        let message = remade_message(self.chain, link, &report, cases);
        let mut files = BTreeMap::from([
            (FORMAT_FILE.to_owned(), Vec::new()),
            (REPORT_FILE.to_owned(), report::to_json(&report).into_bytes()),
            (POLICY_FILE.to_owned(), policy_text),
        ]);
        files.extend(signers.map(|bytes| (SIGNERS_FILE.to_owned(), bytes)));
        let author = store.link(&link.id)?.map(|raw| raw.author);
        let (someone, committer) = store.identities()?;
        let parent = Some(self.tip.link.id.clone());
        let author = author.unwrap_or(someone);
        let id = store.write(&NewLink { parent, author, committer, message, files })?;
        self.tip = read_at(store, place, &id)?;
        Ok(true)
    }

    /// The signers that the new link names: the link's own where it changed them.
    fn signers(&self, link: &Link) -> Result<Option<Vec<u8>>, SyncError> {
        let own = file(self.chain, &link.id)?;
        let before = link.parent.as_ref().map(|parent| file(self.chain, parent)).transpose()?.flatten();
        if own != before { Ok(own) } else { file(self.chain, &self.tip.link.id) }
    }
}

fn remade_message(chain: Chain<'_>, link: &Link, report: &Report, cases: Vec<CaseId>) -> String {
    let totals = &report.totals;
    let (passed, total) = (totals.passed_cases, totals.total_cases);
    let percent = report::percent(passed, total);
    let subject = message::subject(&chain.place.suite, &chain.place.name, passed, total, &percent);
    let mut trailers = link.trailers.clone();
    trailers.cases = cases;
    if let Some(origin) = &report.origin {
        trailers.suite_digest = origin.suite_digest.clone();
    }
    Message { subject, reason: link.reason.clone(), trailers }.write()
}

fn file(chain: Chain<'_>, id: &ObjectId) -> Result<Option<Vec<u8>>, SyncError> {
    let raw = chain.store.link(id)?;
    let entry = raw.and_then(|raw| raw.entries.get(SIGNERS_FILE.as_bytes()).cloned());
    Ok(entry.map(|entry| chain.store.file(&entry.id)).transpose()?)
}

/// What decides results beside content.
fn judging(policy: &Config) -> (&crate::suite::Matching, u64) {
    (&policy.matching, policy.max_trace_bytes)
}

fn same_results(one: &[CaseResult], other: &[CaseResult]) -> bool {
    one.len() == other.len() && by_id(one) == by_id(other)
}
