//! What is wrong with a suite: collected, never only the first.

use crate::suite::source::SourceError;

/// One fault of a suite, with all that a person needs to find it. Untrusted text inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The `/`-separated path below the suite folder, shown lossily where it is not UTF-8.
    pub file: String,
    /// The line, from 1, where there is one.
    pub line: Option<u32>,
    /// The column in characters, from 1, where the file is no JSON or TOML at all.
    pub column: Option<u32>,
    /// The id of the case, or `#INDEX` (from 0) where it has none that can be read.
    pub case: Option<String>,
    /// The field.
    pub field: Option<String>,
    /// What is wrong, and what to do: a lower-case fragment without a final period.
    pub message: String,
}

impl Problem {
    /// `cases/a.json:13: case `t1`: field `x`: unknown field`. Untrusted text.
    pub fn line_of_text(&self) -> String {
        let mut line = self.file.clone();
        for number in [self.line, self.column].into_iter().flatten() {
            line.push_str(&format!(":{number}"));
        }
        if let Some(case) = &self.case {
            line.push_str(&format!(": case `{case}`"));
        }
        if let Some(field) = &self.field {
            line.push_str(&format!(": field `{field}`"));
        }
        format!("{line}: {}", self.message)
    }
}

/// Why no suite was read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The suite is at fault.
    #[error("the suite is at fault")]
    Problems(Vec<Problem>),
    /// The surroundings failed.
    #[error(transparent)]
    Source(#[from] SourceError),
}
