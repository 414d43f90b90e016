//! One error with its causes and hints: what "could not decide" looks like to a person.
//!
//! Modules have typed errors of their own; each turns into this one in a single place. A
//! blocked gate is no error but a value.

use std::error::Error as StdError;

/// Which exit status an error ends with (diff-and-gate.md section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An input is at fault: command line, settings, suite, baseline or report file.
    Input,
    /// The surroundings failed: git, disk, network or GitHub.
    Surroundings,
}

/// A failure to judge, told for people: what is wrong and where, why, and the next command to type.
#[derive(Debug)]
pub struct Error {
    /// Decides the exit status.
    pub kind: ErrorKind,
    /// What is wrong and where: a lower-case fragment without a final period. Untrusted text inside.
    pub message: String,
    /// Further lines that belong to the message, one finding each (a suite's problems). Untrusted text inside.
    pub details: Vec<String>,
    /// Why, outermost first, each not repeated in the one before. Untrusted text inside.
    pub causes: Vec<String>,
    /// What to do next; a command in back quotes exists.
    pub hints: Vec<String>,
}

impl Error {
    /// An input is at fault (exit status 2).
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, message.into())
    }

    /// The surroundings failed (exit status 3).
    pub fn surroundings(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Surroundings, message.into())
    }

    fn new(kind: ErrorKind, message: String) -> Self {
        Self { kind, message, details: Vec::new(), causes: Vec::new(), hints: Vec::new() }
    }

    /// Adds what lies beneath, with its own causes.
    #[must_use]
    pub fn because(mut self, cause: &dyn StdError) -> Self {
        let mut next = Some(cause);
        while let Some(error) = next {
            self.causes.push(error.to_string());
            next = error.source();
        }
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds lines that belong to the message.
    #[must_use]
    pub fn details(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }
}
