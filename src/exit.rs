//! The exit statuses, and nothing else: what a caller of the program may rely on.
//!
//! Spec: diff-and-gate.md section 3. A failure to judge outranks a decision and never reads as a pass.

/// How a run of the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The command did what was asked; where it judged, the answer is yes.
    Passed,
    /// The suite was judged, and the answer is no.
    Blocked,
    /// An input is at fault: command line, settings, suite or baseline.
    Input,
    /// The surroundings failed: git, disk, network or GitHub.
    Surroundings,
}

/// The status of [`Exit::Passed`].
pub const PASSED: u8 = 0;
/// The status of [`Exit::Blocked`].
pub const BLOCKED: u8 = 1;
/// The status of [`Exit::Input`].
pub const INPUT: u8 = 2;
/// The status of [`Exit::Surroundings`].
pub const SURROUNDINGS: u8 = 3;

impl Exit {
    /// The number that the process ends with.
    pub const fn status(self) -> u8 {
        match self {
            Self::Passed => PASSED,
            Self::Blocked => BLOCKED,
            Self::Input => INPUT,
            Self::Surroundings => SURROUNDINGS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_its_own_number() {
        let numbers = [Exit::Passed, Exit::Blocked, Exit::Input, Exit::Surroundings].map(Exit::status);
        assert_eq!(numbers, [0, 1, 2, 3]);
    }
}
