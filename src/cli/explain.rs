//! `explain`: one case, check by check, before and now, with the piece of the answer that decides it.

use crate::baseline::Baseline;
use crate::cli::args::{ExplainArgs, Global};
use crate::cli::console::{Console, Page};
use crate::cli::evaluation::{self, Choice, Evaluation};
use crate::cli::ground::Ground;
use crate::cli::reread;
use crate::cli::{judgement, suggest};
use crate::env::Env;
use crate::error::Error;
use crate::evaluate::CaseResult;
use crate::exit::Exit;
use crate::render;
use crate::render::explain::Explained;
use crate::suite::Case;
use crate::suite::nearest::nearest;

pub(super) fn run(
    arguments: &ExplainArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let evaluation = match evaluation::revision(&ground, &arguments.content)? {
        Some(commit) => evaluation::of_commit(&ground, global, &commit, Choice::default())?,
        None => evaluation::of_working_tree(&ground, global, Choice::default())?,
    };
    let (case, now) = find(&arguments.case, &evaluation)?;
    let chosen = baseline(arguments, &ground, &evaluation)?;
    let before = chosen.as_ref().and_then(|baseline| result(baseline, &arguments.case));
    let folder = global.suite.display();
    let trace = match &now.trace_id {
        Some(id) => format!("{folder}/fixtures/{} (blob {})", case.trace_fixture, id.as_str()),
        None => format!("{folder}/fixtures/{}", case.trace_fixture),
    };
    let explanation = reread::explanation(&ground, global, &evaluation, case, now)?;
    let page = render::explain::text(&Explained {
        now,
        before,
        baseline: told(chosen.as_ref(), before, global),
        rule: format!("{folder}/{}:{}", case.place.file, case.place.line),
        trace,
        matches: explanation.matches,
        lines: explanation.lines,
    });
    console.result(&Page::Text(page), None)?;
    Ok(Exit::Passed)
}

fn find<'a>(id: &str, evaluation: &'a Evaluation) -> Result<(&'a Case, &'a CaseResult), Error> {
    let cases = evaluation.suite.cases.iter().zip(&evaluation.report.results);
    cases
        .clone()
        .find(|(case, _)| case.id.as_str() == id)
        .ok_or_else(|| unknown(id, cases.map(|(case, _)| case.id.as_str())))
}

/// A case that the suite does not have, among those that it has.
pub(super) fn unknown<'a>(id: &str, ids: impl Iterator<Item = &'a str>) -> Error {
    let error = Error::input(format!("the suite has no case `{id}`"));
    match nearest(id, ids) {
        Some(near) => error.hint(format!("did you mean {}?", suggest::quoted(near))),
        None => error.hint("`diag-gate run --verbose` lists the ids"),
    }
}

fn baseline(
    arguments: &ExplainArgs,
    ground: &Ground,
    evaluation: &Evaluation,
) -> Result<Option<Baseline>, Error> {
    let Some(repository) = &ground.repository else { return Ok(None) };
    let place = judgement::place(&evaluation.suite.config, &arguments.baseline)?;
    Ok(judgement::choose(repository, &place, evaluation)?.map(|chosen| chosen.baseline))
}

fn result<'a>(baseline: &'a Baseline, id: &str) -> Option<&'a CaseResult> {
    baseline.report.results.iter().find(|result| result.case_id.as_str() == id)
}

fn told(baseline: Option<&Baseline>, before: Option<&CaseResult>, global: &Global) -> String {
    match (baseline, before) {
        (None, _) => format!("none; {} makes one", suggest::command(global, "accept")),
        (Some(baseline), None) => {
            format!("{} {}, which does not hold this case", baseline.place.title(), baseline.link.id.short())
        }
        (Some(baseline), Some(_)) => format!("{} {}", baseline.place.title(), baseline.link.id.short()),
    }
}
