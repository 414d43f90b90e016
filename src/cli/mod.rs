//! The command line: arguments, console, and one file a command. Glue, and nothing else: what is
//! decided is decided in the modules that this one calls.

mod accept;
pub mod args;
mod bisect;
mod check;
mod ci;
mod comment;
mod console;
mod demo;
mod diff;
mod doctor;
mod evaluation;
mod explain;
mod globs;
mod ground;
mod history;
mod init;
mod judgement;
mod lint;
mod man;
mod merge;
mod partial;
mod present;
mod progress;
mod promote;
mod reread;
mod reuse;
mod review;
mod run;
mod share;
mod show;
mod suggest;
mod sync;
mod verify;

use std::ffi::OsString;
use std::io::Write as _;

use clap::{CommandFactory as _, Parser as _};

use crate::env::Env;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::render::escape::terminal;
use crate::schema;
use args::{Cli, ColorWhen, Command, Global};
use console::{Console, Page};

/// Runs one command line. Everything that it says goes to the standard streams.
pub fn run(arguments: impl IntoIterator<Item = OsString>, env: &Env) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&readable(error, &arguments)),
    };
    let mut console = Console::new(cli.global.color, cli.global.quiet);
    finish(dispatch(&cli.global, &cli.command, env, &mut console), &mut console)
}

fn dispatch(global: &Global, command: &Command, env: &Env, console: &mut Console) -> Result<Exit, Error> {
    match command {
        Command::Run(arguments) => run::run(arguments, global, env, console),
        Command::Check(arguments) => check::run(arguments, global, env, console),
        Command::Diff(arguments) => diff::run(arguments, global, env, console),
        Command::Explain(arguments) => explain::run(arguments, global, env, console),
        Command::Accept(arguments) => accept::run(arguments, global, env, console),
        Command::Review(arguments) => review::run(arguments, global, env, console),
        Command::Promote(arguments) => promote::run(arguments, global, env, console),
        Command::Show(arguments) => show::run(arguments, global, env, console),
        Command::Merge(arguments) => merge::run(arguments, global, env, console),
        Command::History(arguments) => history::run(arguments, global, env, console),
        Command::Bisect(arguments) => bisect::run(arguments, global, env, console),
        Command::Lint(arguments) => lint::run(arguments, global, env, console),
        Command::Sync(arguments) => sync::run(arguments, global, env, console),
        Command::Verify(arguments) => verify::run(arguments, global, env, console),
        Command::Doctor(arguments) => doctor::run(arguments, global, env, console),
        Command::Comment(arguments) => comment::run(arguments, global, env, console),
        Command::Ci => ci::run(global, env, console),
        Command::Init(arguments) => init::run(arguments, global, env, console),
        Command::Man => man::run(console),
        Command::Demo => demo::run(global, env, console),
        Command::Schema { document } => {
            console.result(&Page::Document(schema::schema((*document).into())), None)?;
            Ok(Exit::Passed)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "diag-gate", &mut script);
            console.document(None, |sink| sink.write_all(&script))?;
            Ok(Exit::Passed)
        }
    }
}

/// A failure to judge outranks a decision, and never reads as a pass.
fn finish(outcome: Result<Exit, Error>, console: &mut Console) -> Exit {
    match outcome {
        Ok(exit) => exit,
        Err(error) => failed(&error, console),
    }
}

/// Tells an error, and gives the exit status that it ends with.
fn failed(error: &Error, console: &mut Console) -> Exit {
    console.error(error);
    match error.kind {
        ErrorKind::Input => Exit::Input,
        ErrorKind::Surroundings => Exit::Surroundings,
    }
}

/// Help and version are what was asked for; anything else is a fault of the command line.
fn usage(error: &clap::Error) -> Exit {
    let mut console = Console::new(ColorWhen::Auto, false);
    if error.use_stderr() {
        console.talk(error.render().ansi().to_string().trim_end());
        return Exit::Input;
    }
    finish(console.data(&error.render().ansi().to_string()).map(|()| Exit::Passed), &mut console)
}

/// The fault of a command line without anything that a terminal obeys: where the arguments hold
/// such, it is the fault of what they look like.
fn readable(error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let shown: Vec<String> = arguments.iter().map(|argument| terminal(&argument.to_string_lossy())).collect();
    if arguments.iter().zip(&shown).all(|(argument, shown)| argument.to_str() == Some(shown)) {
        return error;
    }
    let kind = error.kind();
    Cli::try_parse_from(shown).err().unwrap_or_else(|| Cli::command().error(kind, "an argument is at fault"))
}

/// Reads a file that was named on the command line.
#[expect(clippy::disallowed_methods, reason = "the command line names it")]
fn read_file(path: &std::path::Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path)
        .map_err(|error| Error::input(format!("cannot read {}", path.display())).because(&error))
}
