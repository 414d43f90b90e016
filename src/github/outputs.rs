//! The outputs of the action: single lines, out of closed sets or numbers (github.md, "Outputs"). Pure.

use std::path::Path;

use crate::exit::Exit;

/// What came of the judging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The gate passed.
    Pass,
    /// The gate blocked.
    Fail,
    /// It could not be judged.
    Error,
}

impl Verdict {
    /// As it is put out.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Error => "error",
        }
    }
}

/// The lines of the file that the runner reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    lines: Vec<(&'static str, String)>,
}

impl Outputs {
    /// Puts out what was decided and how the program ends.
    pub fn decided(&mut self, verdict: Verdict, exit: Exit) {
        self.lines.push(("verdict", verdict.as_str().to_owned()));
        self.lines.push(("exit-code", exit.status().to_string()));
    }

    /// Puts out a number.
    pub fn number(&mut self, name: &'static str, number: u64) {
        self.lines.push((name, number.to_string()));
    }

    /// Puts out a word of a closed set.
    pub fn word(&mut self, name: &'static str, word: &'static str) {
        self.lines.push((name, word.to_owned()));
    }

    /// Puts out where a file stands; left out where its name is no single line.
    pub fn path(&mut self, name: &'static str, path: &Path) {
        let shown = path.to_str().filter(|shown| !shown.chars().any(char::is_control));
        self.lines.extend(shown.map(|shown| (name, shown.to_owned())));
    }

    /// Puts out an address; left out where it holds anything but what addresses are written with.
    pub fn address(&mut self, name: &'static str, url: &str) {
        let plain = |byte: u8| byte.is_ascii_graphic();
        if url.starts_with("http") && url.bytes().all(plain) {
            self.lines.push((name, url.to_owned()));
        }
    }

    /// `NAME=VALUE`, a line each.
    pub fn to_text(&self) -> String {
        self.lines.iter().map(|(name, value)| format!("{name}={value}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_output_is_one_line() {
        let mut outputs = Outputs::default();
        outputs.decided(Verdict::Fail, Exit::Blocked);
        outputs.number("regressions", 3);
        outputs.word("comment-status", "created");
        outputs.path("report-path", Path::new("/tmp/a b/report.json"));
        outputs.path("diff-path", Path::new("/tmp/x\nverdict=pass"));
        outputs.address("comment-url", "https://github.com/a/b/pull/7#issuecomment-9");
        outputs.address("comment-url", "https://x\nverdict=pass");
        outputs.address("comment-url", "javascript:alert(1)");
        let text = "verdict=fail\nexit-code=1\nregressions=3\ncomment-status=created\n\
                    report-path=/tmp/a b/report.json\n\
                    comment-url=https://github.com/a/b/pull/7#issuecomment-9\n";
        assert_eq!(outputs.to_text(), text);
    }
}
