//! The digest of a suite's content: equal digests, equal results.

use serde::Serialize;

use super::wire::WireMatching;
use crate::evaluate::{CaseResult, Found};
use crate::ids::{CaseId, Digest, ObjectId};
use crate::suite::trace::Fault;
use crate::suite::{Case, Config, Matching};

/// The `suiteDigest` (evaluation.md section 6): SHA-256 of this JSON text, in UTF-8 and without white space:
///
/// ```json
/// {"cases":[["CASE_ID","CASE_DIGEST","TRACE_ID"]],
///  "matching":{"expected":"exact","protocolMarkers":[]},"maxTraceBytes":67108864}
/// ```
///
/// The cases are sorted by the bytes of their ids. In place of a trace id that is `null` stands
/// `{"fault":"missing"}` with the reason of check `trace`, so that no id can be taken for it and two ways of
/// being absent differ. `{"fault":"not-a-file","traceId":"…"}` stands where a link's own bytes have an id: a
/// file of the same bytes would be judged otherwise. Every other fault follows from bytes and limit.
pub fn suite_digest(results: &[CaseResult], matching: &Matching, max_trace_bytes: u64) -> Digest {
    digest(results.iter().map(row).collect(), matching, max_trace_bytes)
}

/// The same digest before anything is evaluated: of the cases, and of what stands where their traces should
/// stand.
pub fn content_digest(cases: &[Case], found: &[Found], config: &Config) -> Digest {
    let rows = cases
        .iter()
        .zip(found)
        .map(|(case, found)| (&case.id, &case.digest, found.as_ref().map_err(|fault| *fault)));
    suite_digest_of(rows, &config.matching, config.max_trace_bytes)
}

/// The same of cases whose traces were looked up and not necessarily judged: each with its digest, and its
/// trace or why there are no bytes to judge.
pub fn suite_digest_of<'a>(
    cases: impl Iterator<Item = (&'a CaseId, &'a Digest, Result<&'a ObjectId, Fault>)>,
    matching: &Matching,
    max_trace_bytes: u64,
) -> Digest {
    let rows = cases.map(|(id, case, trace)| {
        let state = match trace {
            Ok(id) => TraceState::Bytes(id),
            Err(fault) => TraceState::Fault { fault: fault.as_str(), trace_id: None },
        };
        (id, Some(case), state)
    });
    digest(rows.collect(), matching, max_trace_bytes)
}

fn digest(mut cases: Vec<Row<'_>>, matching: &Matching, max_trace_bytes: u64) -> Digest {
    cases.sort_unstable();
    let content = Content { cases, matching: WireMatching::of(matching), max_trace_bytes };
    Digest::of_written(|writer| serde_json::to_writer(writer, &content))
        .expect("texts, numbers and lists always serialize")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Content<'a> {
    cases: Vec<Row<'a>>,
    matching: WireMatching<'a>,
    max_trace_bytes: u64,
}

type Row<'a> = (&'a CaseId, Option<&'a Digest>, TraceState<'a>);

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(untagged)]
enum TraceState<'a> {
    Bytes(&'a ObjectId),
    Fault {
        fault: &'a str,
        #[serde(rename = "traceId", skip_serializing_if = "Option::is_none")]
        trace_id: Option<&'a ObjectId>,
    },
}

fn row(result: &CaseResult) -> Row<'_> {
    let state = match (result.trace_id.as_ref(), result.unjudged()) {
        (Some(id), fault) if fault != Some(Fault::NotAFile.as_str()) => TraceState::Bytes(id),
        (trace_id, fault) => TraceState::Fault { fault: fault.unwrap_or_default(), trace_id },
    };
    (&result.case_id, result.case_digest.as_ref(), state)
}
