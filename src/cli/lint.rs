//! `lint`: what is wrong or odd about a suite, without evaluating it.

use crate::cli::args::{Global, LintArgs};
use crate::cli::console::Console;
use crate::cli::evaluation;
use crate::cli::ground::Ground;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::render;
use crate::suite::lint::lint;

pub(super) fn run(
    arguments: &LintArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let (suite, traces) = evaluation::suite_with_traces(&ground, global, &arguments.content)?;
    let warnings: Vec<String> = lint(&suite, &traces).iter().map(evaluation::problem).collect();
    console.data(&render::warnings(suite.cases.len() as u64, &warnings))?;
    Ok(Exit::Passed)
}
