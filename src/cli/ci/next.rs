//! What a reader of a result can do next: decide again elsewhere, and accept what blocks.

use crate::cli::args::Global;
use crate::cli::ci::Stage;
use crate::cli::ci::subject::Subject;
use crate::cli::suggest;
use crate::gate::Gate;
use crate::github::PullEvent;
use crate::render::escape::Untrusted;
use crate::render::view::{Commands, View};

/// How to decide again elsewhere, and how to accept what blocks.
pub(super) fn commands(
    stage: &Stage<'_>,
    subject: &Subject,
    gate: &Gate,
    pull: Option<&PullEvent>,
) -> Commands {
    let global = Global { start: None, ..stage.global.clone() };
    let baseline = match stage.baseline() {
        "main" => String::new(),
        name => format!(" --baseline {}", suggest::quoted(name)),
    };
    let (fetch, rev) = match pull {
        Some(pull) => {
            let side = if subject.note.is_some() { "head" } else { "merge" };
            (format!("git fetch origin refs/pull/{}/{side} && ", pull.number), "FETCH_HEAD")
        }
        None => (String::new(), subject.commit.as_str()),
    };
    let command = |rest: &str| {
        let command = suggest::command(&global, &format!("{rest} --rev {rev}{baseline}"));
        Untrusted::new(format!("{fetch}{}", command.trim_matches('`')))
    };
    Commands {
        reproduce: command("check"),
        accept: (gate.blocking > 0).then(|| command("accept --pending --push --reason 'WHY'")),
    }
}

/// How to accept what blocks: from a comment, where the workflow takes one, and from a terminal.
pub(super) fn ways(stage: &Stage<'_>, view: &View, pull: Option<&PullEvent>) -> Vec<Untrusted> {
    let Some(command) = view.commands.as_ref().and_then(|commands| commands.accept.clone()) else {
        return Vec::new();
    };
    let from_comment = pull.filter(|pull| !pull.is_fork || stage.asked.inputs.accept_forks);
    let comment =
        from_comment.map(|pull| Untrusted::new(format!("/diag-gate accept {} WHY", pull.head.as_str())));
    comment.into_iter().chain([command]).collect()
}
