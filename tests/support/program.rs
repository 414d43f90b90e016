//! The program itself, run in a test's repository, and what holds for everything that it says: the
//! terminal is told nothing that it obeys, and every command that is suggested can be typed.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use clap::Parser as _;
use diag_gate::cli::args::Cli;

use super::TestRepo;

/// What a run of the program came to.
pub(crate) struct Told {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    base: String,
}

impl TestRepo {
    /// The program with these arguments, in the root of the repository, with the variables of the
    /// test and no others. What is accepted is dated in the future, so that its age is always the same.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diag-gate"));
        command.env_clear().envs(self.variables()).current_dir(self.root()).args(arguments);
        command.env("GIT_AUTHOR_DATE", "4000000000 +0000").stdin(Stdio::null());
        command
    }

    /// Runs the program in the root of the repository.
    pub(crate) fn gate(&self, arguments: &[&str]) -> Told {
        self.told(self.command(arguments).output().unwrap())
    }

    /// Runs the program in another folder.
    pub(crate) fn gate_in(&self, folder: &Path, arguments: &[&str]) -> Told {
        self.told(self.command(arguments).current_dir(folder).output().unwrap())
    }

    /// Runs the program with more variables.
    pub(crate) fn gate_with(&self, variables: &[(&str, &OsStr)], arguments: &[&str]) -> Told {
        self.told(self.command(arguments).envs(variables.iter().copied()).output().unwrap())
    }

    /// What a run came to, once it has been held against what every run must hold.
    pub(crate) fn told(&self, output: Output) -> Told {
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        let told = Told {
            status: output.status.code().expect("the program ends by itself"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            base: self.base().to_str().unwrap().to_owned(),
        };
        assert!((0..=3).contains(&told.status), "status {}: {}", told.status, told.stderr);
        told.obeys_no_terminal();
        for suggested in told.suggested() {
            assert_parses(&suggested);
        }
        told
    }

    /// A text without the temporary folder, ids and the version.
    pub(crate) fn scrubbed(&self, text: &str) -> String {
        scrubbed(text, self.base().to_str().unwrap())
    }

    /// All refs with their values, and the number of all objects: what a command that writes nothing
    /// leaves as it is.
    pub(crate) fn state(&self) -> String {
        format!("{}\n{}", self.git(&["for-each-ref"]), self.git(&["count-objects", "-v"]))
    }
}

impl Told {
    /// Asserts how the run ended; gives it back.
    #[track_caller]
    pub(crate) fn ends(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}", self.page());
        self
    }

    /// Asserts that the words stand in what was said, however it is folded; gives the run back.
    #[track_caller]
    pub(crate) fn says(self, words: &[&str]) -> Self {
        let unfolded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (stdout, stderr) = (unfolded(&self.stdout), unfolded(&self.stderr));
        for word in words {
            let said = stdout.contains(word) || stderr.contains(word);
            assert!(said, "`{word}` is not said: {}", self.page());
        }
        self
    }

    /// Asserts that standard output is empty; gives the run back.
    #[track_caller]
    pub(crate) fn shows_nothing(self) -> Self {
        assert_eq!(self.stdout, "", "{}", self.page());
        self
    }

    /// All of a run on one page, without what differs from run to run.
    pub(crate) fn page(&self) -> String {
        let whole = format!(
            "status: {}\n--- stdout\n{}--- stderr\n{}",
            self.status,
            scrubbed(&self.stdout, &self.base),
            scrubbed(&self.stderr, &self.base)
        );
        whole.trim_end().to_owned()
    }

    /// The commands of this program that stand in back quotes.
    pub(crate) fn suggested(&self) -> Vec<String> {
        let quoted = |text: &str| {
            let between: Vec<String> = text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            between
        };
        let mut found = quoted(&self.stderr);
        if !self.stdout.starts_with('{') {
            found.extend(quoted(&self.stdout));
        }
        found.retain(|command| command.starts_with("diag-gate "));
        found
    }

    fn obeys_no_terminal(&self) {
        let obeyed = |character: char| {
            (character.is_control() && character != '\n')
                || matches!(character, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert!(!self.stderr.contains(obeyed), "{:?}", self.stderr);
        let is_document = self.stdout.starts_with('{') || self.stdout.starts_with("<?xml");
        let is_coloured = self.stdout.contains("\u{1b}[0m");
        assert!(is_document || is_coloured || !self.stdout.contains(obeyed), "{:?}", self.stdout);
    }
}

/// Asserts that a suggested command is one.
fn assert_parses(command: &str) {
    let words = shell_words(command);
    let parsed = Cli::try_parse_from(&words);
    assert!(parsed.is_ok(), "`{command}` is suggested, but: {}", parsed.err().unwrap());
    let mut help = Command::new(env!("CARGO_BIN_EXE_diag-gate"));
    let output = help.env_clear().args(&words[1..]).arg("--help").output().unwrap();
    assert!(output.status.success(), "`{command} --help`");
}

/// The words of a command line as a shell reads them, single quotes included.
pub(crate) fn shell_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' => words.extend(word.take()),
            '\'' => word.get_or_insert_default().extend(characters.by_ref().take_while(|c| *c != '\'')),
            '\\' => word.get_or_insert_default().extend(characters.next()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

/// A text without the temporary folder, ids and the version.
fn scrubbed(text: &str, base: &str) -> String {
    let text = text.replace(base, "[BASE]").replace(env!("CARGO_PKG_VERSION"), "[VERSION]");
    let mut page = String::new();
    let mut word = String::new();
    for character in text.chars().chain(['\n']) {
        if character.is_ascii_alphanumeric() {
            word.push(character);
            continue;
        }
        let is_id = word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit() && !c.is_ascii_uppercase());
        page.push_str(if is_id { "[ID]" } else { &word });
        word.clear();
        page.push(character);
    }
    page.pop();
    page
}
