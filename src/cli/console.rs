//! The only writer of standard output, standard error and result files.
//!
//! Standard output carries what was asked for, standard error all talk. A closed pipe ends the
//! output quietly and changes no exit status.

pub(super) mod bar;

use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, Write};
use std::path::Path;

use anstream::AutoStream;
use owo_colors::OwoColorize as _;

use crate::cli::args::ColorWhen;
use crate::cli::console::bar::Bar;
use crate::error::Error;
use crate::render::escape::terminal;

/// What was asked for.
pub(super) enum Page {
    /// For people, with colours: a sink that has none is spared them.
    Text(String),
    /// For programs: every byte counts, whatever the sink.
    Document(String),
}

/// Where the program speaks.
pub(super) struct Console {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
    quiet: bool,
    closed: bool,
}

impl Console {
    /// A console on the standard streams. `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` are honoured
    /// where `color` is `auto`.
    pub(super) fn new(color: ColorWhen, quiet: bool) -> Self {
        let choice = match color {
            ColorWhen::Auto => anstream::ColorChoice::Auto,
            ColorWhen::Always => anstream::ColorChoice::Always,
            ColorWhen::Never => anstream::ColorChoice::Never,
        };
        Self {
            out: AutoStream::new(io::stdout(), choice),
            err: AutoStream::new(io::stderr(), choice),
            quiet,
            closed: false,
        }
    }

    /// A console that says nothing, for work whose words belong elsewhere.
    pub(super) fn silent() -> Self {
        Self { closed: true, ..Self::new(ColorWhen::Never, true) }
    }

    /// A progress bar, for a terminal alone and not under `--quiet`.
    pub(super) fn bar(&self) -> Bar {
        Bar::new(!self.quiet && io::stderr().is_terminal())
    }

    /// Writes text with colours to standard output.
    ///
    /// # Errors
    /// Standard output cannot take it; a closed pipe is none.
    pub(super) fn data(&mut self, text: &str) -> Result<(), Error> {
        if self.closed {
            return Ok(());
        }
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        self.written(written)
    }

    fn written(&mut self, outcome: io::Result<()>) -> Result<(), Error> {
        match outcome {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(error) => Err(Error::surroundings("cannot write to standard output").because(&error)),
        }
    }

    /// Writes what was asked for to a file, whole or not at all, without colours; to standard
    /// output where no file is named.
    ///
    /// # Errors
    /// The file cannot be written; what stood there before still does.
    pub(super) fn result(&mut self, page: &Page, file: Option<&Path>) -> Result<(), Error> {
        match (page, file) {
            (Page::Text(text), None) => self.data(text),
            (Page::Text(text), Some(path)) => write_whole(path, |sink| {
                anstream::adapter::strip_str(text).try_for_each(|piece| sink.write_all(piece.as_bytes()))
            }),
            (Page::Document(text), file) => self.document(file, |sink| sink.write_all(text.as_bytes())),
        }
    }

    /// As [`Console::result`], for what a machine reads: not held as a whole, and every byte as `write`
    /// writes it, where text for people loses what a terminal would not show.
    ///
    /// # Errors
    /// As [`Console::data`] and [`Console::result`].
    pub(super) fn document(
        &mut self,
        file: Option<&Path>,
        write: impl FnOnce(&mut Sink<'_>) -> io::Result<()>,
    ) -> Result<(), Error> {
        match file {
            Some(path) => write_whole(path, write),
            None if self.closed => Ok(()),
            None => {
                let mut out: Sink<'_> = BufWriter::new(Box::new(io::stdout().lock()));
                let outcome = write(&mut out).and_then(|()| out.flush());
                // What a failed write left over must not be tried again.
                drop(out.into_parts());
                self.written(outcome)
            }
        }
    }

    /// Tells something that is worth knowing and no fault; silent under `--quiet`. Escaped here.
    pub(super) fn notice(&mut self, text: &str) {
        if !self.quiet {
            self.talk(&format!("{} {}", "note:".cyan().bold(), terminal(text)));
        }
    }

    /// Tells an error with its causes and hints. Escaped here.
    pub(super) fn error(&mut self, error: &Error) {
        self.talk(&format!("{} {}", "error:".red().bold(), terminal(&error.message)));
        for detail in &error.details {
            self.talk(&format!("  {}", terminal(detail)));
        }
        for cause in &error.causes {
            // What git says may have lines; below the first they are set off, so that none passes for one of ours.
            let lines = cause.lines().map(str::trim_end).filter(|line| !line.is_empty());
            let told = lines.map(terminal).collect::<Vec<_>>().join("\n           ");
            self.talk(&format!("{} {told}", "caused by:".bold()));
        }
        for hint in &error.hints {
            self.talk(&format!("{} {}", "hint:".cyan().bold(), terminal(hint)));
        }
    }

    /// Asks a person for a yes; anything else is a no.
    ///
    /// # Errors
    /// Standard input cannot be read.
    pub(super) fn confirm(&mut self, question: &str) -> Result<bool, Error> {
        let answer = self.ask(&format!("{question} [y/N]"))?;
        Ok(matches!(answer.as_deref(), Some("y" | "Y" | "yes")))
    }

    /// Asks a person for a line; `None` where there is none any more. Escaped here.
    ///
    /// # Errors
    /// Standard input cannot be read.
    pub(super) fn ask(&mut self, question: &str) -> Result<Option<String>, Error> {
        // A terminal that went away while it was asked gives no answer.
        let _ = write!(self.err, "{} ", terminal(question)).and_then(|()| self.err.flush());
        let mut answer = String::new();
        let read = io::stdin()
            .read_line(&mut answer)
            .map_err(|error| Error::surroundings("cannot read the answer").because(&error))?;
        Ok((read > 0).then(|| answer.trim().to_owned()))
    }

    /// Writes a line of talk that is escaped already.
    pub(super) fn talk(&mut self, line: &str) {
        // Nobody listens any more: that must not change what the program decides.
        let _ = writeln!(self.err, "{line}");
    }
}

/// Takes a document in pieces.
pub(super) type Sink<'a> = BufWriter<Box<dyn Write + 'a>>;

fn write_whole(named: &Path, write: impl FnOnce(&mut Sink<'_>) -> io::Result<()>) -> Result<(), Error> {
    let fault = |error: &dyn std::error::Error| {
        Error::surroundings(format!("cannot write {}", named.display()))
            .because(error)
            .hint("name another file with `-o FILE`")
    };
    // A link stays what it is: the file that it leads to is written.
    let target = named.canonicalize();
    let path = target.as_deref().unwrap_or(named);
    if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        // A device or a pipe takes the bytes; putting a file in its place would destroy it.
        let file = std::fs::OpenOptions::new().write(true).open(path).map_err(|error| fault(&error))?;
        let mut sink: Sink<'_> = BufWriter::new(Box::new(file));
        let written = write(&mut sink).and_then(|()| sink.flush());
        drop(sink.into_parts());
        return written.map_err(|error| fault(&error));
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    };
    let file =
        tempfile::Builder::new().prefix(".diag-gate-").tempfile_in(folder).map_err(|error| fault(&error))?;
    let mut sink: Sink<'_> = BufWriter::new(Box::new(file.as_file()));
    let written = write(&mut sink).and_then(|()| sink.flush());
    drop(sink.into_parts());
    written.and_then(|()| file.as_file().sync_all()).map_err(|error| fault(&error))?;
    open_to_readers(&file).map_err(|error| fault(&error))?;
    file.persist(path).map_err(|error| fault(&error.error))?;
    Ok(())
}

/// A temporary file is for its owner alone; a result is for whoever may read the folder.
#[cfg(unix)]
fn open_to_readers(file: &tempfile::NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_to_readers(_file: &tempfile::NamedTempFile) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "looks at the files that were written")]
mod tests {
    use super::*;

    #[test]
    fn a_document_keeps_every_byte_and_text_loses_what_no_terminal_shows() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("result");
        let mut console = Console::new(ColorWhen::Never, true);
        let text = "\"a\u{7f}b\u{9b}c\"\n";
        console.document(Some(&file), |sink| sink.write_all(text.as_bytes())).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        console.result(&Page::Text("a\u{1b}[31mb\n".to_owned()), Some(&file)).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "ab\n");
    }

    #[test]
    fn a_document_that_fails_on_the_way_changes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("result");
        std::fs::write(&file, "old").unwrap();
        let mut console = Console::new(ColorWhen::Never, true);
        let failing = |sink: &mut Sink<'_>| {
            sink.write_all(b"half")?;
            Err(io::Error::other("no more"))
        };
        assert!(console.document(Some(&file), failing).is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }
}
