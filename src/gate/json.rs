//! The JSON form of a judged diff (diff-and-gate.md section 1): every key always stands.

use serde::{Serialize, Serializer};

use crate::diff::{Cause, Head, Severity, Value};
use crate::gate::{Accepted, EntryLevel, Gate, Judged, StaleWaiver, Waived};
use crate::ids::{CaseId, Digest, ObjectId};
use crate::kind::Kind;

/// The version of the form.
const SCHEMA_VERSION: u32 = 1;

/// The document. `link` adds its own keys to `baseline`, after those of every diff: which accepted
/// baseline was compared, where one was (baseline.md section 3). It must serialize as an object.
pub fn document<'a, L: Serialize>(gate: &'a Gate, link: Option<&'a L>) -> impl Serialize + 'a {
    Document {
        schema_version: SCHEMA_VERSION,
        baseline: Baseline { head: HeadJson::of(&gate.baseline), link },
        current: HeadJson::of(&gate.current),
        like_for_like: LikeForLikeJson {
            cases: gate.like_for_like.cases,
            baseline_passed: gate.like_for_like.baseline_passed,
            current_passed: gate.like_for_like.current_passed,
        },
        entries: gate.entries.iter().map(EntryJson::of).collect::<Vec<_>>(),
        gate: GateJson {
            outcome: gate.outcome.as_str(),
            blocking: gate.blocking,
            warnings: gate.warnings,
            stale_waivers: gate.stale_waivers.iter().map(StaleJson::of).collect(),
        },
    }
}

/// The document of two reports that no baseline stands behind, as text with a final line feed.
pub fn to_json(gate: &Gate) -> String {
    let document = document(gate, None::<&()>);
    let mut text =
        serde_json::to_string_pretty(&document).expect("texts, numbers and lists always serialize");
    text.push('\n');
    text
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a, L: Serialize> {
    schema_version: u32,
    baseline: Baseline<'a, L>,
    current: HeadJson<'a>,
    like_for_like: LikeForLikeJson,
    entries: Vec<EntryJson<'a>>,
    gate: GateJson<'a>,
}

#[derive(Serialize)]
struct Baseline<'a, L: Serialize> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    #[serde(flatten)]
    link: Option<&'a L>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HeadJson<'a> {
    source: Option<SourceJson<'a>>,
    suite_digest: Option<&'a Digest>,
    total_cases: u64,
    passed_cases: u64,
    pass_rate: f64,
}

#[derive(Serialize)]
struct SourceJson<'a> {
    commit: Option<&'a ObjectId>,
    dirty: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LikeForLikeJson {
    cases: u64,
    baseline_passed: u64,
    current_passed: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryJson<'a> {
    kind: Kind,
    severity: Severity,
    level: EntryLevel,
    case_id: Option<&'a CaseId>,
    title: Option<&'a str>,
    cause: Option<Cause>,
    under_old_expectation: Option<bool>,
    subjects: &'a [String],
    before: &'a Value,
    after: &'a Value,
    accepted: Option<AcceptedJson<'a>>,
    waived: Option<WaivedJson<'a>>,
    message: &'a str,
}

#[derive(Serialize)]
struct AcceptedJson<'a> {
    by: &'a str,
    reason: Option<&'a str>,
    commit: &'a ObjectId,
}

#[derive(Serialize)]
struct WaivedJson<'a> {
    reason: &'a str,
    #[serde(serialize_with = "as_text")]
    expires: jiff::civil::Date,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GateJson<'a> {
    outcome: &'static str,
    blocking: u64,
    warnings: u64,
    stale_waivers: Vec<StaleJson<'a>>,
}

#[derive(Serialize)]
struct StaleJson<'a> {
    case: &'a str,
    kinds: &'a [Kind],
    reason: &'a str,
    #[serde(serialize_with = "as_text")]
    expires: jiff::civil::Date,
    why: &'static str,
}

fn as_text<S: Serializer>(date: &jiff::civil::Date, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(date)
}

impl<'a> HeadJson<'a> {
    fn of(head: &'a Head) -> Self {
        let source = head.source.as_ref();
        Self {
            source: source.map(|source| SourceJson { commit: source.commit.as_ref(), dirty: source.dirty }),
            suite_digest: head.suite_digest.as_ref(),
            total_cases: head.total_cases,
            passed_cases: head.passed_cases,
            pass_rate: head.pass_rate,
        }
    }
}

impl<'a> EntryJson<'a> {
    fn of(judged: &'a Judged) -> Self {
        let entry = &judged.entry;
        Self {
            kind: entry.kind,
            severity: entry.severity,
            level: judged.level,
            case_id: entry.case_id.as_ref(),
            title: entry.title.as_deref(),
            cause: entry.cause,
            under_old_expectation: entry.under_old_expectation,
            subjects: &entry.subjects,
            before: &entry.before,
            after: &entry.after,
            accepted: judged.accepted.as_ref().map(AcceptedJson::of),
            waived: judged.waived.as_ref().map(WaivedJson::of),
            message: &entry.message,
        }
    }
}

impl<'a> AcceptedJson<'a> {
    fn of(accepted: &'a Accepted) -> Self {
        Self { by: &accepted.by, reason: accepted.reason.as_deref(), commit: &accepted.commit }
    }
}

impl<'a> WaivedJson<'a> {
    fn of(waived: &'a Waived) -> Self {
        Self { reason: &waived.reason, expires: waived.expires }
    }
}

impl<'a> StaleJson<'a> {
    fn of(stale: &'a StaleWaiver) -> Self {
        let waiver = &stale.waiver;
        Self {
            case: &waiver.case,
            kinds: &waiver.kinds,
            reason: &waiver.reason,
            expires: waiver.expires,
            why: stale.why.as_str(),
        }
    }
}
