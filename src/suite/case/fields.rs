//! The fields of one object, taken one by one; each that is no good becomes a problem.

use std::sync::Arc;

use crate::suite::json::{Document, JsonFault, Member, Shape};
use crate::suite::nearest::unknown;
use crate::suite::text::is_blank;
use crate::suite::{Place, Problem};

/// Free for the user's own data, beside names that begin with `x-` or `_`.
const FREE: [&str; 4] = ["tags", "metadata", "description", "$schema"];

/// Whether a name is free for the user's own data.
fn is_free(name: &str) -> bool {
    FREE.contains(&name) || name.starts_with("x-") || name.starts_with('_')
}

/// Where problems of one case, or of a file beside its cases, are collected.
pub(super) struct Problems<'p, 'a> {
    pub(super) file: &'p Arc<str>,
    pub(super) document: &'p Document<'a>,
    pub(super) case: Option<String>,
    pub(super) found: &'p mut Vec<Problem>,
}

impl Problems<'_, '_> {
    /// Adds a problem at an offset of the file.
    pub(super) fn add(&mut self, offset: usize, field: Option<&str>, message: String) {
        self.found.push(Problem {
            file: self.file.to_string(),
            line: Some(self.document.line(offset)),
            column: None,
            case: self.case.clone(),
            field: field.map(str::to_owned),
            message,
        });
    }
}

/// What an empty list means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Empty {
    /// Nothing is asked.
    AsksNothing,
    /// Nothing is allowed: a fault.
    AllowsNothing,
}

/// The fields of one object.
pub(super) struct Fields<'p, 'a> {
    members: Vec<Member<'a>>,
    offset: usize,
    problems: Problems<'p, 'a>,
}

impl<'p, 'a> Fields<'p, 'a> {
    /// The fields of the object at `offset`.
    pub(super) const fn new(members: Vec<Member<'a>>, offset: usize, problems: Problems<'p, 'a>) -> Self {
        Self { members, offset, problems }
    }

    /// The place of a field that stands here.
    pub(super) fn place(&self, name: &str) -> Option<Place> {
        let member = self.members.iter().find(|member| member.name == name)?;
        Some(Place { file: self.file(), line: self.problems.document.line(member.offset) })
    }

    /// The file, for places.
    pub(super) fn file(&self) -> Arc<str> {
        Arc::clone(self.problems.file)
    }

    /// Adds a problem of a field that stands here.
    pub(super) fn fault(&mut self, member: &Member<'_>, message: String) {
        self.problems.add(member.offset, Some(&member.name), message);
    }

    /// Adds a problem of the object itself.
    pub(super) fn whole(&mut self, message: String) {
        self.problems.add(self.offset, None, message);
    }

    /// Adds a fault of the text, under the field that holds it.
    pub(super) fn json_fault(&mut self, fault: &JsonFault) {
        let holds = |member: &&Member<'_>| (member.offset..member.value.end()).contains(&fault.offset);
        let field = self.members.iter().find(holds).map(|member| member.name.clone().into_owned());
        self.problems.add(fault.offset, field.as_deref(), fault.to_string());
    }

    /// Refuses every field that is neither known nor free.
    pub(super) fn refuse_unknown(&mut self, known: &[&str]) {
        for index in 0..self.members.len() {
            let name = &self.members[index].name;
            if known.contains(&name.as_ref()) {
                continue;
            }
            let member = self.members[index].clone();
            if is_free(&member.name) {
                self.free(&member);
            } else {
                let all: Vec<&str> = known.iter().copied().chain(FREE).collect();
                self.fault(&member, unknown("field", &member.name, &all));
            }
        }
    }

    /// Looks at a free field: only `tags` has a type.
    fn free(&mut self, member: &Member<'a>) {
        if member.name == "tags" && !member.value.is_null() {
            self.strings(member);
        }
    }

    /// A field that stands here and is not `null`.
    pub(super) fn given(&self, name: &str) -> Option<Member<'a>> {
        self.members.iter().find(|member| member.name == name && !member.value.is_null()).cloned()
    }

    /// The required `id`: not blank, no control characters.
    pub(super) fn id(&mut self) -> Option<String> {
        let id = self.required("id")?;
        let member = self.given("id")?;
        if is_blank(&id) {
            self.fault(&member, "must not be blank".to_owned());
            return None;
        }
        if id.chars().any(char::is_control) {
            self.fault(&member, "must not hold control characters".to_owned());
            return None;
        }
        Some(id)
    }

    /// A required string.
    pub(super) fn required(&mut self, name: &str) -> Option<String> {
        if self.given(name).is_none() {
            let offset = self.members.iter().find(|member| member.name == name).map(|member| member.offset);
            let message = format!("the required field `{name}` is missing");
            self.problems.add(offset.unwrap_or(self.offset), Some(name), message);
            return None;
        }
        self.string(name)
    }

    /// An optional string.
    pub(super) fn string(&mut self, name: &str) -> Option<String> {
        let member = self.given(name)?;
        let shape = member.value.shape();
        let Shape::String(text) = shape else {
            self.fault(&member, format!("must be a string, but is {}", shape.words()));
            return None;
        };
        Some(text.into_owned())
    }

    /// An optional switch; off where it is not given.
    pub(super) fn switch(&mut self, name: &str) -> bool {
        let Some(member) = self.given(name) else {
            return false;
        };
        let shape = member.value.shape();
        let Shape::Bool(switch) = shape else {
            self.fault(&member, format!("must be `true` or `false`, but is {}", shape.words()));
            return false;
        };
        switch
    }

    /// An optional array of strings, repetitions and all; empty where it is not given.
    pub(super) fn list(&mut self, name: &str, empty: Empty) -> Vec<String> {
        let Some(member) = self.given(name) else {
            return Vec::new();
        };
        let Some(texts) = self.strings(&member) else {
            return Vec::new();
        };
        if texts.is_empty() && empty == Empty::AllowsNothing && member.value.is_empty_array() {
            let message = "`[]` allows nothing, so that no answer could pass: name what is allowed, or leave the field out";
            self.fault(&member, message.to_owned());
        }
        texts
    }

    /// The good strings of an array of strings; nothing where it is no array.
    fn strings(&mut self, member: &Member<'a>) -> Option<Vec<String>> {
        let shape = member.value.shape();
        let Shape::Array(entries) = shape else {
            self.fault(member, format!("must be an array of strings, but is {}", shape.words()));
            return None;
        };
        let mut texts = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let shape = entry.shape();
            let Shape::String(text) = shape else {
                let message = format!("entry {index} (from 0) must be a string, but is {}", shape.words());
                self.fault(member, message);
                continue;
            };
            if is_blank(&text) {
                self.fault(member, format!("entry {index} (from 0) must not be blank"));
            } else {
                texts.push(text.into_owned());
            }
        }
        Some(texts)
    }

    /// How many problems were found so far.
    pub(super) fn problem_count(&self) -> usize {
        self.problems.found.len()
    }
}
