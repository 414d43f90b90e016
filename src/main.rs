//! The program: reads the environment once, runs the command line, ends the process.

use std::process::ExitCode;

use diag_gate::cli;
use diag_gate::env::Env;

#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let exit = cli::run(std::env::args_os(), &Env::read());
    ExitCode::from(exit.status())
}
