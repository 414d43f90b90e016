//! The only writer of standard output, standard error and result files.
//!
//! Standard output carries what was asked for, standard error all talk. A closed pipe ends the
//! output quietly and changes no exit status.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use anstream::AutoStream;
use owo_colors::OwoColorize as _;

use crate::cli::args::ColorWhen;
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

    /// Writes a document to standard output, byte for byte.
    ///
    /// # Errors
    /// As [`Console::data`].
    pub(super) fn document(&mut self, text: &str) -> Result<(), Error> {
        if self.closed {
            return Ok(());
        }
        // Not through the stream that takes colours out: it would also take out characters that
        // belong to the document.
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        self.written(written)
    }

    fn written(&mut self, written: io::Result<()>) -> Result<(), Error> {
        match written {
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
            (Page::Text(text), Some(path)) => {
                write_whole(path, &anstream::adapter::strip_str(text).to_string())
            }
            (Page::Document(text), Some(path)) => write_whole(path, text),
            (Page::Text(text), None) => self.data(text),
            (Page::Document(text), None) => self.document(text),
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
            self.talk(&format!("{} {}", "caused by:".bold(), terminal(cause)));
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
        // A terminal that went away while it was asked gives no answer, which is a no.
        let _ = write!(self.err, "{} [y/N] ", terminal(question)).and_then(|()| self.err.flush());
        let mut answer = String::new();
        io::stdin()
            .read_line(&mut answer)
            .map_err(|error| Error::surroundings("cannot read the answer").because(&error))?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
    }

    /// Writes a line of talk that is escaped already.
    pub(super) fn talk(&mut self, line: &str) {
        // Nobody listens any more: that must not change what the program decides.
        let _ = writeln!(self.err, "{line}");
    }
}

fn write_whole(named: &Path, text: &str) -> Result<(), Error> {
    let fault = |error: &dyn std::error::Error| {
        Error::surroundings(format!("cannot write {}", named.display())).because(error)
    };
    // A link stays what it is: the file that it leads to is written.
    let target = named.canonicalize();
    let path = target.as_deref().unwrap_or(named);
    if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        // A device or a pipe takes the bytes; putting a file in its place would destroy it.
        let mut sink = std::fs::OpenOptions::new().write(true).open(path).map_err(|error| fault(&error))?;
        return sink.write_all(text.as_bytes()).map_err(|error| fault(&error));
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    };
    let mut file =
        tempfile::Builder::new().prefix(".diag-gate-").tempfile_in(folder).map_err(|error| fault(&error))?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.as_file().sync_all())
        .map_err(|error| fault(&error))?;
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
