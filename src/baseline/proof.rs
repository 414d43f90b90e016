//! Whether a link holds what an evaluation gives: an accepted report can be proved, and a forged one is
//! found (baseline.md section 6). Pure over a store; who evaluates again hands over what came of it.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::baseline::error::BaselineError;
use crate::baseline::link::{Link, POLICY_FILE, REPORT_FILE, SIGNERS_FILE};
use crate::baseline::message;
use crate::baseline::place::Place;
use crate::baseline::read::read_head;
use crate::baseline::store::Store;
use crate::evaluate::{CaseResult, RULES_VERSION};
use crate::ids::{CaseId, ObjectId};
use crate::report::{self, Evaluator, Origin, Report, SourceState, suite_digest};
use crate::suite::{Config, config};

/// A link as it stands: only what its commit says has been read, nothing in its files.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What its commit says.
    pub link: Link,
    /// The bytes of its configuration.
    pub policy: Vec<u8>,
    report: Vec<u8>,
    signers: Option<Vec<u8>>,
}

/// What the recorded commit gives when it is evaluated again under the recorded configuration.
#[derive(Clone, Debug)]
pub struct Again {
    /// The results of all its cases, in suite order.
    pub results: Vec<CaseResult>,
    /// The bytes of the configuration that the commit itself holds.
    pub policy: Option<Vec<u8>>,
    /// The bytes of the signers that the commit itself holds.
    pub signers: Option<Vec<u8>>,
}

/// What is known of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It holds what the evaluation gives, byte for byte.
    Proved,
    /// It does not: where, and what.
    Mismatch(Vec<String>),
    /// It could not be told, and why.
    Unproved(String),
}

/// Reads a link without believing what it holds.
///
/// # Errors
/// It is no link, or an object is missing or damaged.
pub fn recorded(store: &dyn Store, place: &Place, id: &ObjectId) -> Result<Recorded, BaselineError> {
    let link = read_head(store, place, id)?;
    let entries = store.link(id)?.map(|raw| raw.entries).unwrap_or_default();
    let file = |name: &str| {
        let entry = entries.get(name.as_bytes()).filter(|entry| entry.is_file);
        entry.map(|entry| store.file(&entry.id)).transpose()
    };
    let damaged = |name: &str| BaselineError::Damaged {
        reference: place.reference.clone(),
        link: id.clone(),
        what: format!("it has no {name}"),
        details: Vec::new(),
    };
    Ok(Recorded {
        policy: file(POLICY_FILE)?.ok_or_else(|| damaged(POLICY_FILE))?,
        report: file(REPORT_FILE)?.ok_or_else(|| damaged(REPORT_FILE))?,
        signers: file(SIGNERS_FILE)?,
        link,
    })
}

impl Recorded {
    /// Why no evaluation by this program can prove this link; `None` where one can.
    pub fn not_provable(&self) -> Option<String> {
        let value: Value = serde_json::from_slice(&self.report).ok()?;
        if value.get("schemaVersion").is_none() {
            return Some("its report was made by another program".to_owned());
        }
        let rules = value.pointer("/evaluator/rulesVersion").and_then(Value::as_str);
        match rules {
            Some(RULES_VERSION) | None => None,
            Some(other) => Some(format!(
                "it was judged by the rules {other}, and this program has the rules {RULES_VERSION}"
            )),
        }
    }
}

/// Compares a link with what the evaluation of its commit gives; of a partial one, the cases that were
/// taken with that, and all others with the link before it.
///
/// # Errors
/// The link before it cannot be read.
pub fn prove(
    store: &dyn Store,
    place: &Place,
    recorded: &Recorded,
    again: &Again,
) -> Result<Proof, BaselineError> {
    if let Some(why) = recorded.not_provable() {
        return Ok(Proof::Unproved(why));
    }
    let parent = recorded.link.parent.as_ref().map(|id| self::recorded(store, place, id)).transpose()?;
    let Ok(policy) = config::parse(&recorded.policy, POLICY_FILE) else {
        return Ok(Proof::Mismatch(vec![format!("{POLICY_FILE}: it cannot be read")]));
    };
    let is_partial = !recorded.link.trailers.cases.is_empty();
    let mut faults = settings_faults(recorded, again, parent.as_ref(), &policy);
    let results = match is_partial {
        false => Ok(again.results.clone()),
        true => match partial(recorded, again, parent.as_ref()) {
            Err(Unclear::Unproved(why)) => return Ok(Proof::Unproved(why)),
            Err(Unclear::Mismatch(fault)) => Err(fault),
            Ok(results) => Ok(results),
        },
    };
    match results {
        Ok(results) => faults.extend(report_faults(place, recorded, results, &policy)),
        Err(fault) => faults.push(fault),
    }
    Ok(if faults.is_empty() { Proof::Proved } else { Proof::Mismatch(faults) })
}

fn settings_faults(
    recorded: &Recorded,
    again: &Again,
    parent: Option<&Recorded>,
    policy: &Config,
) -> Vec<String> {
    let mut faults = Vec::new();
    let is_partial = !recorded.link.trailers.cases.is_empty();
    let parent = parent.filter(|_| is_partial);
    let own = again.policy.as_deref().unwrap_or_default();
    if recorded.policy != own && parent.is_none_or(|parent| parent.policy != recorded.policy) {
        faults.push(format!("{POLICY_FILE}: it is not the `diag-gate.toml` of the evaluated commit"));
    }
    let kept = parent.is_some_and(|parent| parent.signers == recorded.signers);
    if policy.baseline.require_signed && recorded.signers != again.signers && !kept {
        faults.push(format!("{SIGNERS_FILE}: it is not that of the evaluated commit"));
    }
    faults
}

/// Why there is nothing to compare a report with.
enum Unclear {
    Unproved(String),
    Mismatch(String),
}

/// The results that a partial link must hold, in the order in which it holds its cases.
fn partial(
    recorded: &Recorded,
    again: &Again,
    parent: Option<&Recorded>,
) -> Result<Vec<CaseResult>, Unclear> {
    let fault = |what: &str| Unclear::Mismatch(what.to_owned());
    let parent = parent.ok_or_else(|| fault("Diag-Gate-Case: there is no link before it"))?;
    let before = report::read(&parent.report)
        .map_err(|error| Unclear::Unproved(format!("the report before it cannot be read: {error}")))?;
    let taken: HashSet<&CaseId> = recorded.link.trailers.cases.iter().collect();
    let now = again.results.iter().filter(|result| taken.contains(&result.case_id));
    let kept = before.results.iter().filter(|result| !taken.contains(&result.case_id));
    let mut due: HashMap<&str, &CaseResult> =
        kept.chain(now).map(|result| (result.case_id.as_str(), result)).collect();
    let ids =
        case_ids(&recorded.report).ok_or_else(|| fault("report.json: it is not how a report is written"))?;
    let mut results = Vec::new();
    for id in &ids {
        let result = due.remove(id.as_str());
        let result = result.ok_or_else(|| fault(&format!("case {id}: no evaluation gave it")))?;
        results.push(result.clone());
    }
    match due.keys().min() {
        None => Ok(results),
        Some(missing) => Err(fault(&format!("case {missing}: it is missing"))),
    }
}

fn case_ids(report: &[u8]) -> Option<Vec<String>> {
    let value: Value = serde_json::from_slice(report).ok()?;
    let results = value.get("results")?.as_array()?;
    results.iter().map(|result| result.get("caseId")?.as_str().map(str::to_owned)).collect()
}

/// What in the report and in the trailers is not what it must be.
fn report_faults(
    place: &Place,
    recorded: &Recorded,
    results: Vec<CaseResult>,
    policy: &Config,
) -> Vec<String> {
    let trailers = &recorded.link.trailers;
    let digest = suite_digest(&results, &policy.matching, policy.max_trace_bytes);
    let matching = policy.matching.clone();
    let origin = Origin {
        suite: place.suite.clone(),
        source: SourceState { commit: Some(trailers.evaluated.clone()), dirty: false },
        suite_digest: digest.clone(),
        evaluator: Evaluator { rules_version: RULES_VERSION.to_owned(), matching },
    };
    let expected = Report::new(Some(origin), results);
    let text = report::to_json(&expected);
    let mut faults = Vec::new();
    if text.as_bytes() != recorded.report {
        faults.extend(differences(text.as_bytes(), &recorded.report));
    }
    if trailers.suite_digest != digest {
        faults.push("Diag-Gate-Suite-Digest: it is not that of the evaluated content".to_owned());
    }
    let (passed, total) = (expected.totals.passed_cases, expected.totals.total_cases);
    let percent = report::percent(passed, total);
    if recorded.link.subject != message::subject(&place.suite, &place.name, passed, total, &percent) {
        faults.push("the subject: it does not tell the counts of the report".to_owned());
    }
    faults
}

/// Where two reports differ, case by case and field by field; never empty.
fn differences(expected: &[u8], found: &[u8]) -> Vec<String> {
    let values = (serde_json::from_slice::<Value>(expected), serde_json::from_slice::<Value>(found));
    let (Ok(Value::Object(expected)), Ok(Value::Object(found))) = values else {
        return vec!["report.json: it is not how a report is written".to_owned()];
    };
    let mut faults = Vec::new();
    for field in fields(&expected, &found).filter(|field| *field != "results") {
        faults.push(format!("field {field} of the report"));
    }
    let (old, new) = (by_case(found.get("results")), by_case(expected.get("results")));
    let ids = old.keys().chain(new.keys()).collect::<std::collections::BTreeSet<_>>();
    for id in ids {
        match (old.get(id), new.get(id)) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                faults.extend(fields(old, new).map(|field| format!("case {id}: field {field}")));
            }
            (Some(_), Some(_)) => faults.push(format!("case {id}: it is no result")),
            (Some(_), None) => faults.push(format!("case {id}: no evaluation gave it")),
            (None, _) => faults.push(format!("case {id}: it is missing")),
        }
    }
    if faults.is_empty() {
        faults.push("report.json: its order or its white space is not that of a report".to_owned());
    }
    faults
}

/// The names of the fields that differ, in order.
fn fields<'a>(
    one: &'a serde_json::Map<String, Value>,
    other: &'a serde_json::Map<String, Value>,
) -> impl Iterator<Item = &'a String> {
    let names: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name))
}

fn by_case(results: Option<&Value>) -> BTreeMap<&str, &Value> {
    let results = results.and_then(Value::as_array).into_iter().flatten();
    results.filter_map(|result| Some((result.get("caseId")?.as_str()?, result))).collect()
}
