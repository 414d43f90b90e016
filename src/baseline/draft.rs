//! What every new link is made from, and what must hold for it to be read back.

use std::collections::BTreeMap;

use crate::baseline::error::BaselineError;
use crate::baseline::link::{FORMAT_FILE, POLICY_FILE, REPORT_FILE, SIGNERS_FILE};
use crate::baseline::message::{self, AcceptedEntry, Message, Trailers};
use crate::baseline::place::Place;
use crate::baseline::store::{NewLink, Signature, Store};
use crate::ids::{CaseId, ObjectId};
use crate::report::{self, Origin, Report};
use crate::suite::config;

/// A link to be written.
pub(super) struct Draft<'a> {
    pub(super) place: &'a Place,
    pub(super) parent: Option<ObjectId>,
    /// Who accepted; `None`: who runs the program.
    pub(super) author: Option<Signature>,
    pub(super) report: &'a Report,
    pub(super) policy: &'a [u8],
    /// Who may sign the next link, where that is required.
    pub(super) signers: Option<&'a [u8]>,
    pub(super) reason: Option<&'a str>,
    pub(super) entries: Vec<AcceptedEntry>,
    pub(super) cases: Vec<CaseId>,
    pub(super) tool: &'a str,
}

/// A link that was written, and that no ref names yet.
pub(super) struct Drafted {
    pub(super) id: ObjectId,
    /// For the reflog.
    pub(super) subject: String,
}

impl Draft<'_> {
    /// Writes the objects.
    pub(super) fn write(self, store: &dyn Store) -> Result<Drafted, BaselineError> {
        let (origin, evaluated) = acceptable(self.place, self.report, self.policy)?;
        let totals = &self.report.totals;
        let percent = report::percent(totals.passed_cases, totals.total_cases);
        let Place { suite, name, .. } = self.place;
        let message = Message {
            subject: message::subject(suite, name, totals.passed_cases, totals.total_cases, &percent),
            reason: self.reason.and_then(message::clean_reason),
            trailers: Trailers {
                evaluated: evaluated.clone(),
                suite_digest: origin.suite_digest.clone(),
                accepted: self.entries,
                cases: self.cases,
                tool: self.tool.to_owned(),
            },
        };
        let (runner, committer) = store.identities()?;
        let mut files = BTreeMap::from([
            (FORMAT_FILE.to_owned(), Vec::new()),
            (REPORT_FILE.to_owned(), report::to_json(self.report).into_bytes()),
            (POLICY_FILE.to_owned(), self.policy.to_vec()),
        ]);
        files.extend(self.signers.map(|signers| (SIGNERS_FILE.to_owned(), signers.to_vec())));
        let author = self.author.unwrap_or(runner);
        let link = NewLink { parent: self.parent, author, committer, message: message.write(), files };
        Ok(Drafted { id: store.write(&link)?, subject: message.subject })
    }
}

/// What would be written must be what [`crate::baseline::read_at`] takes.
pub(super) fn acceptable<'r>(
    place: &Place,
    report: &'r Report,
    policy: &[u8],
) -> Result<(&'r Origin, &'r ObjectId), BaselineError> {
    let refused = |why: &str| BaselineError::NotAcceptable { why: why.to_owned() };
    let origin = report.origin.as_ref();
    let origin = origin.ok_or_else(|| refused("it was not made by diag-gate"))?;
    if origin.suite != place.suite {
        return Err(refused("it is of another suite"));
    }
    if origin.source.dirty {
        return Err(refused("it is of a working tree that differs from its commit"));
    }
    let policy = config::parse(policy, POLICY_FILE).ok().filter(|policy| policy.name == place.suite);
    let policy = policy.ok_or_else(|| refused("its configuration cannot be read, or is of another suite"))?;
    let matching = &origin.evaluator.matching;
    if *matching != policy.matching
        || origin.suite_digest != report::suite_digest(&report.results, matching, policy.max_trace_bytes)
    {
        return Err(refused("it was not judged under its configuration"));
    }
    let evaluated = origin.source.commit.as_ref();
    Ok((origin, evaluated.ok_or_else(|| refused("it is of no commit"))?))
}
