//! One case file, read strictly: every fault is told, with its line, case and field.
//!
//! Spec: evaluation.md section 1.

mod fields;
mod number;
mod rules;

use std::sync::Arc;

use super::json::{Document, Faulty, JsonFault, Member, Shape, Value};
use super::text::is_blank;
use super::{Case, Place, Problem};
use crate::ids::CaseId;
use fields::{Fields, Problems};

/// What a case file holds.
#[derive(Debug, Default)]
pub(super) struct CaseFile {
    /// The cases that could be read; whole only where there are no problems.
    pub(super) cases: Vec<Case>,
    /// The ids that could be read, also of cases at fault, with the places of their fields.
    pub(super) ids: Vec<(CaseId, Place)>,
    /// What is wrong, in no order.
    pub(super) problems: Vec<Problem>,
}

/// The fields of a case that mean something.
const KNOWN: [&str; 16] = [
    "id",
    "title",
    "question",
    "traceFixture",
    "expectedRootCauseKeywords",
    "minKeywordMatches",
    "requiredEvidenceTools",
    "allowedVerdicts",
    "forbiddenAnswerKeywords",
    "requireV2AuditClosure",
    "requireClaimChecks",
    "requireComposerOutput",
    "expectedGatekeeperStatuses",
    "expectedGatekeeperRuleSetVersion",
    "expectedComposerStatuses",
    "forbiddenConfirmedClaimKeywords",
];

/// Reads a case file; `file` is its path below the suite folder, for messages.
pub(super) fn read(file: &str, bytes: &[u8]) -> CaseFile {
    let (document, faults) = match Document::parse(bytes) {
        Ok(document) => (document, Vec::new()),
        Err(Faulty { faults, document: Some(document) }) => (document, faults),
        Err(Faulty { faults, document: None }) => {
            let problems = faults.iter().map(|fault| hopeless(file, fault)).collect();
            return CaseFile { problems, ..CaseFile::default() };
        }
    };
    let file: Arc<str> = file.into();
    let mut reader = FileReader { file: &file, document: &document, faults, found: CaseFile::default() };
    reader.file();
    reader.found
}

struct FileReader<'a> {
    file: &'a Arc<str>,
    document: &'a Document<'a>,
    /// Those that no case has claimed yet.
    faults: Vec<JsonFault>,
    found: CaseFile,
}

impl<'a> FileReader<'a> {
    fn file(&mut self) {
        let root = self.document.root();
        let shape = root.shape();
        let words = shape.words();
        match shape {
            Shape::Array(cases) => self.cases(&cases),
            Shape::Object(members) => self.object(root.offset, members),
            Shape::Null | Shape::Bool(_) | Shape::Number(_) | Shape::String(_) => {
                let message = format!(
                    "a case file is an array of cases, or an object with `cases`, but this is {words}"
                );
                self.problems(None).add(root.offset, None, message);
            }
        }
        for fault in std::mem::take(&mut self.faults) {
            self.problems(None).add(fault.offset, None, fault.to_string());
        }
    }

    fn object(&mut self, offset: usize, members: Vec<Member<'a>>) {
        let cases = members.iter().find(|member| member.name == "cases").cloned();
        Fields::new(members, offset, self.problems(None)).refuse_unknown(&["cases"]);
        let Some(member) = cases else {
            let message = "an object is a case file only with the field `cases`, an array of cases";
            self.problems(None).add(offset, Some("cases"), message.to_owned());
            return;
        };
        let shape = member.value.shape();
        let Shape::Array(cases) = shape else {
            let message = format!("must be an array of cases, but is {}", shape.words());
            self.problems(None).add(member.offset, Some("cases"), message);
            return;
        };
        self.cases(&cases);
    }

    fn cases(&mut self, cases: &[Value<'a>]) {
        for (index, case) in cases.iter().enumerate() {
            self.case(index, *case);
        }
    }

    fn case(&mut self, index: usize, value: Value<'a>) {
        let faults = self.claim(value);
        let line = self.document.line(value.offset);
        let shape = value.shape();
        let words = shape.words();
        let (members, is_object) =
            if let Shape::Object(members) = shape { (members, true) } else { (Vec::new(), false) };
        let label = label(&members).unwrap_or_else(|| format!("#{index}"));
        let mut fields = Fields::new(members, value.offset, self.problems(Some(label)));
        for fault in &faults {
            fields.json_fault(fault);
        }
        if !is_object {
            fields.whole(format!("a case is an object, but this is {words}"));
            return;
        }
        fields.refuse_unknown(&KNOWN);
        let id = fields.id().map(CaseId::new);
        let id_place = fields.place("id");
        let case = rules::case(&mut fields, id.clone(), line);
        self.found.ids.extend(id.zip(id_place));
        self.found.cases.extend(case);
    }

    /// The faults of the text that stand inside a value.
    fn claim(&mut self, value: Value<'_>) -> Vec<JsonFault> {
        let (inside, outside) = std::mem::take(&mut self.faults)
            .into_iter()
            .partition(|fault| (value.offset..value.end()).contains(&fault.offset));
        self.faults = outside;
        inside
    }

    fn problems(&mut self, case: Option<String>) -> Problems<'_, 'a> {
        Problems { file: self.file, document: self.document, case, found: &mut self.found.problems }
    }
}

/// The id of a case for messages, where it has one that says anything.
fn label(members: &[Member<'_>]) -> Option<String> {
    let id = members.iter().find(|member| member.name == "id")?;
    let Shape::String(id) = id.value.shape() else {
        return None;
    };
    (!is_blank(&id)).then(|| id.into_owned())
}

fn hopeless(file: &str, fault: &JsonFault) -> Problem {
    Problem {
        file: file.to_owned(),
        line: Some(fault.line),
        column: fault.column,
        case: None,
        field: None,
        message: fault.to_string(),
    }
}

#[cfg(test)]
mod tests;
