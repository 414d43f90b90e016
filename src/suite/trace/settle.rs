//! From what stands in a file to a trace: what is of the wrong type counts as missing and is listed,
//! in the order of the list in evaluation.md section 2.

use super::shape::{
    Claim, ComposerOutput, Document, ExecutorOutput, Field, GatekeeperResult, Session, Slot, Tool, Verifier,
};
use super::{ClaimCheck, Composer, Executor, Gatekeeper, Trace};
use crate::suite::text::is_blank;

const SESSION: &str = "/session";
const SELF_EVALUATION: &str = "/session/selfEvaluation";
const VERIFIER: &str = "/session/selfEvaluation/verifier_evaluation";

/// The trace in a document.
pub(super) fn settle(document: Document) -> Trace {
    let mut trace = Trace::default();
    let mut wrong = WrongTypes::default();
    if let Some(session) = wrong.take(document.session, "", SESSION) {
        settle_session(session, &mut trace, &mut wrong);
    }
    trace.tool_invocations = wrong.tools(document.tool_invocations, "/toolInvocations", "/toolName");
    trace.wrong_types = wrong.0;
    trace
}

fn settle_session(session: Session, trace: &mut Trace, wrong: &mut WrongTypes) {
    trace.answer = wrong.take(session.answer, SESSION, "/answer");
    trace.duration_ms = wrong.take(session.duration_ms, SESSION, "/totalDurationMs");
    let Some(evaluation) = wrong.take(session.self_evaluation, "", SELF_EVALUATION) else { return };
    if let Some(verifier) = wrong.take(evaluation.verifier, "", VERIFIER) {
        settle_verifier(verifier, trace, wrong);
    }
}

fn settle_verifier(verifier: Verifier, trace: &mut Trace, wrong: &mut WrongTypes) {
    trace.verdict = wrong.name(verifier.verdict, VERIFIER, "/verdict");
    trace.gatekeeper = settle_gatekeeper(verifier.gatekeeper, wrong);
    trace.claim_checks = wrong
        .take(verifier.claim_checks, VERIFIER, "/claim_checks")
        .map(|entries| settle_claim_checks(entries, wrong));
    trace.composer = settle_composer(verifier.composer, wrong);
    trace.executor = settle_executor(verifier.executor, wrong);
    let summary = format!("{VERIFIER}/tool_trace_summary");
    trace.tool_trace_summary = wrong.tools(verifier.tool_trace_summary, &summary, "/tool_name");
}

fn settle_gatekeeper(result: Field<GatekeeperResult>, wrong: &mut WrongTypes) -> Option<Gatekeeper> {
    let result = wrong.take(result, VERIFIER, "/gatekeeper_result")?;
    Some(Gatekeeper {
        status: wrong.name(result.status, VERIFIER, "/gatekeeper_result/status"),
        rule_set_version: wrong.name(
            result.rule_set_version,
            VERIFIER,
            "/gatekeeper_result/rule_set_version",
        ),
    })
}

fn settle_claim_checks(entries: Vec<Slot<ClaimCheck>>, wrong: &mut WrongTypes) -> Vec<ClaimCheck> {
    let settle_entry = |(index, entry)| {
        wrong.entry(entry, || format!("{VERIFIER}/claim_checks/{index}")).unwrap_or_default()
    };
    entries.into_iter().enumerate().map(settle_entry).collect()
}

fn settle_composer(output: Field<ComposerOutput>, wrong: &mut WrongTypes) -> Option<Composer> {
    let output = wrong.take(output, VERIFIER, "/composer_output")?;
    Some(Composer { status: wrong.name(output.status, VERIFIER, "/composer_output/status") })
}

fn settle_executor(output: Field<ExecutorOutput>, wrong: &mut WrongTypes) -> Option<Executor> {
    let output = wrong.take(output, VERIFIER, "/executor_structured_output")?;
    let claims = wrong.take(output.claims, VERIFIER, "/executor_structured_output/claims");
    Some(Executor { claims: claims.map(|entries| settle_claims(entries, wrong)) })
}

fn settle_claims(entries: Vec<Slot<Claim>>, wrong: &mut WrongTypes) -> Vec<usize> {
    let settle_entry = |(index, entry)| {
        let pointer = || format!("{VERIFIER}/executor_structured_output/claims/{index}");
        let claim: Claim = wrong.entry(entry, pointer)?;
        wrong.field(claim.bindings, || format!("{}/evidence_bindings", pointer()))
    };
    entries.into_iter().enumerate().map(settle_entry).map(|count| count.unwrap_or(0)).collect()
}

/// The JSON pointers of what is of the wrong type. None needs an escape: all keys are our own.
#[derive(Default)]
struct WrongTypes(Vec<String>);

impl WrongTypes {
    fn take<T>(&mut self, field: Field<T>, parent: &str, name: &str) -> Option<T> {
        self.field(field, || format!("{parent}{name}"))
    }

    /// A verdict, status or version: missing where blank.
    fn name(&mut self, field: Field<String>, parent: &str, name: &str) -> Option<String> {
        self.take(field, parent, name).filter(|text| !is_blank(text))
    }

    fn field<T>(&mut self, field: Field<T>, pointer: impl FnOnce() -> String) -> Option<T> {
        match field? {
            Slot::Is(value) => Some(value),
            Slot::Null => None,
            Slot::Wrong => {
                self.0.push(pointer());
                None
            }
        }
    }

    /// An entry of an array of objects, where `null` is of the wrong type, too.
    fn entry<T>(&mut self, entry: Slot<T>, pointer: impl FnOnce() -> String) -> Option<T> {
        match entry {
            Slot::Is(value) => Some(value),
            Slot::Null | Slot::Wrong => {
                self.0.push(pointer());
                None
            }
        }
    }

    fn tools(
        &mut self,
        field: Field<Vec<Slot<Tool>>>,
        pointer: &str,
        name: &str,
    ) -> Option<Vec<Option<String>>> {
        let entries = self.take(field, "", pointer)?;
        let settle_entry = |(index, entry)| {
            let tool: Tool = self.entry(entry, || format!("{pointer}/{index}"))?;
            self.field(tool.name, || format!("{pointer}/{index}{name}"))
        };
        Some(entries.into_iter().enumerate().map(settle_entry).collect())
    }
}
