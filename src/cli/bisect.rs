//! `bisect`: the commit at which a case came to its present outcome.

use crate::cli::args::{BisectArgs, BisectFormat, Global, threads};
use crate::cli::console::{Console, Page};
use crate::cli::ground::Ground;
use crate::cli::{evaluation, explain, history, suggest};
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::history::{Walk, bisect, bisection_json};
use crate::ids::CaseId;
use crate::render;
use crate::suite::folder::ChosenConfig;
use crate::suite::load;
use crate::suite::source::Source;

pub(super) fn run(
    arguments: &BisectArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    let ground = Ground::new(global, env, console)?;
    let repository = ground.repository()?;
    let tip = repository.resolve(&arguments.rev)?;
    let past = history::past(&ground, global)?;
    let definitions = history::definitions(&ground, global, &past, None)?;
    let case = CaseId::new(&arguments.case);
    let source = evaluation::commit_source(&ground, global, &tip)?;
    let overlay = definitions.config.as_ref().map(|(_, bytes)| ChosenConfig::new(&source, bytes.clone()));
    let source = overlay.as_ref().map_or(&source as &dyn Source, |overlay| overlay as &dyn Source);
    let suite = load(source).map_err(|error| evaluation::load_error(global, error))?;
    let unknown = || explain::unknown(&arguments.case, suite.cases.iter().map(|case| case.id.as_str()));
    if !suite.cases.iter().any(|known| known.id == case) {
        return Err(unknown());
    }
    let selects = |id: &CaseId| *id == case;
    let mut walk = Walk::new(&past, &selects, definitions, threads());
    let found = bisect(&mut walk, &past, &case, &tip, &mut |_, _| {})?.ok_or_else(unknown)?;
    if repository.is_shallow() {
        console.notice("this clone is shallow: what is older is not here; `git fetch --unshallow` brings it");
    }
    let file = arguments.output.file.as_deref().map(|file| ground.path(file));
    let page = match arguments.format {
        BisectFormat::Json => Page::Document(bisection_json(&found)),
        BisectFormat::Text => {
            let rest =
                format!("explain --rev={} {}", found.commit.id.short(), suggest::quoted(&arguments.case));
            Page::Text(render::history::bisection(&found, &suggest::command(global, &rest)))
        }
    };
    console.result(&page, file.as_deref())?;
    Ok(Exit::Passed)
}
