//! `accept`: makes the report of a commit the baseline, after showing what that takes along.

use crate::baseline::{self, Acceptance, Accepted, AcceptedEntry, Baseline, Place};
use crate::cli::args::{AcceptArgs, Global};
use crate::cli::console::Console;
use crate::cli::evaluation::{self, Choice, Evaluation};
use crate::cli::ground::Ground;
use crate::cli::judgement;
use crate::cli::suggest;
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::gate::Gate;
use crate::git::GitStore;
use crate::ids::ObjectId;
use crate::render;
use crate::render::report::Detail;
use crate::report::percent;

/// How often an acceptance that lost a race is decided again.
const TRIES: u32 = 200;

/// What a decision is made on.
struct Present {
    tip: Option<ObjectId>,
    judged: Option<(Baseline, Gate)>,
}

pub(super) fn run(
    arguments: &AcceptArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    if global.config.is_some() {
        return Err(Error::input("accept takes the settings of the accepted commit").hint(
            "leave out `--config`, and commit the settings as `diag-gate.toml` in the suite's folder",
        ));
    }
    let ground = Ground::new(global, env, console)?;
    let commit = ground.repository()?.resolve(&arguments.rev)?;
    let evaluation = evaluation::of_commit(&ground, global, &commit, Choice::default())?;
    let place = judgement::place(&evaluation.suite.config, &arguments.baseline)?;
    for attempt in 0..TRIES {
        let present = present(&ground, global, &place, &evaluation, env)?;
        refuse(arguments, global, &present, &evaluation)?;
        if attempt == 0 || env.interactive {
            show(&present, &evaluation, env, console)?;
        }
        if arguments.dry_run {
            console.data("\nNothing was written: this was a dry run.\n")?;
            return Ok(Exit::Passed);
        }
        if !confirmed(arguments, global, env, &place, console)? {
            console.notice("nothing was accepted");
            return Ok(Exit::Blocked);
        }
        let store = GitStore::new(ground.repository()?);
        let acceptance = acceptance(arguments, &present, &evaluation, &place);
        match baseline::accept(&store, acceptance)? {
            Accepted::Written(link) => return written(&link, &place, &evaluation, console),
            Accepted::Already(link) => {
                let told = format!("{} {} holds this already.", place.title(), link.short());
                console.data(&format!("\n{}", render::sentence(&told)))?;
                return Ok(Exit::Passed);
            }
            Accepted::Moved => console.notice("another acceptance came first: deciding again"),
        }
        std::thread::sleep(std::time::Duration::from_millis(pause(attempt)));
    }
    Err(Error::surroundings(format!("{TRIES} other acceptances came first; nothing was written"))
        .hint(format!("try again: {}", suggest::command(global, &suggest::acceptance(arguments, "")))))
}

/// A little longer each time, and not the same for two processes that race.
fn pause(attempt: u32) -> u64 {
    u64::from(std::process::id() % 7 + 1) * u64::from(attempt.min(10) + 1)
}

fn present(
    ground: &Ground,
    global: &Global,
    place: &Place,
    evaluation: &Evaluation,
    env: &Env,
) -> Result<Present, Error> {
    let repository = ground.repository()?;
    let Some(baseline) = baseline::read(&GitStore::new(repository), place)? else {
        return Ok(Present { tip: None, judged: None });
    };
    let tip = Some(baseline.link.id.clone());
    let gate = judgement::judge(&baseline, evaluation, ground, global, judgement::today(env.now))?;
    Ok(Present { tip, judged: Some((baseline, gate)) })
}

/// What is refused without an explicit switch (baseline.md section 4).
fn refuse(
    arguments: &AcceptArgs,
    global: &Global,
    present: &Present,
    evaluation: &Evaluation,
) -> Result<(), Error> {
    let totals = &evaluation.report.totals;
    let again = |switch: &str| {
        format!("if that is meant: {}", suggest::command(global, &suggest::acceptance(arguments, switch)))
    };
    if totals.unjudged_cases > 0 && !arguments.allow_unjudged {
        return Err(Error::input(format!(
            "{} could not be judged; nothing was accepted",
            render::count(totals.unjudged_cases, "case")
        ))
        .details(unjudged(evaluation))
        .hint(again("--allow-unjudged")));
    }
    match &present.judged {
        None if totals.passed_cases == 0 && !arguments.allow_none_passing => {
            Err(Error::input("nothing passes, so that this would guard nothing; nothing was accepted")
                .hint(format!("see what fails: {}", suggest::command(global, "run")))
                .hint(again("--allow-none-passing")))
        }
        Some((baseline, _)) if shrunk(baseline, evaluation) && !arguments.allow_shrunk => {
            let before = baseline.report.totals.total_cases;
            Err(Error::input(format!(
                "the suite shrank from {before} to {}, by more than a fifth; nothing was accepted",
                render::count(totals.total_cases, "case")
            ))
            .hint(again("--allow-shrunk")))
        }
        Some((_, gate)) if gate.blocking > 0 && blank(arguments.reason.as_deref()) => {
            let number = gate.blocking;
            Err(Error::input(format!(
                "accepting what blocks ({number} in number) takes a reason; nothing was accepted"
            ))
            .details(gate.entries.iter().filter(|judged| judged.blocks()).map(|judged| {
                let case = judged.entry.case_id.as_ref().map_or("whole suite", |id| id.as_str());
                format!("{} {case}: {}", judged.entry.kind.as_str(), judged.entry.message)
            }))
            .hint(again("--reason 'WHY'")))
        }
        None | Some(_) => Ok(()),
    }
}

fn blank(reason: Option<&str>) -> bool {
    reason.is_none_or(crate::suite::text::is_blank)
}

fn shrunk(baseline: &Baseline, evaluation: &Evaluation) -> bool {
    evaluation.report.totals.total_cases * 5 < baseline.report.totals.total_cases * 4
}

fn unjudged(evaluation: &Evaluation) -> Vec<String> {
    let results = evaluation.report.results.iter();
    let told =
        results.filter_map(|result| Some(format!("{}: {}", result.case_id.as_str(), result.unjudged()?)));
    told.collect()
}

/// The diff to the present baseline, or the whole report where there is none.
fn show(present: &Present, evaluation: &Evaluation, env: &Env, console: &mut Console) -> Result<(), Error> {
    let page = match &present.judged {
        Some((baseline, gate)) => {
            let rule = "the newest, which this one would follow".to_owned();
            render::decision::text(&judgement::view(gate, evaluation, baseline, rule, env.now))
        }
        None => render::report::text(&evaluation.report, Detail::Brief),
    };
    console.data(&page)
}

fn confirmed(
    arguments: &AcceptArgs,
    global: &Global,
    env: &Env,
    place: &Place,
    console: &mut Console,
) -> Result<bool, Error> {
    if arguments.yes {
        return Ok(true);
    }
    if env.interactive {
        return console.confirm(&format!("Make this the baseline {}?", place.title()));
    }
    Err(Error::input("nobody can be asked here; nothing was accepted").hint(format!(
        "say yes on the command line: {}",
        suggest::command(global, &suggest::acceptance(arguments, "--yes"))
    )))
}

fn acceptance<'a>(
    arguments: &'a AcceptArgs,
    present: &'a Present,
    evaluation: &'a Evaluation,
    place: &'a Place,
) -> Acceptance<'a> {
    let blocking = present.judged.iter().flat_map(|(_, gate)| &gate.entries).filter(|judged| judged.blocks());
    Acceptance {
        place,
        expected: present.tip.as_ref(),
        report: &evaluation.report,
        policy: evaluation.suite.config_file.as_deref().unwrap_or_default(),
        reason: arguments.reason.as_deref(),
        entries: blocking
            .map(|judged| AcceptedEntry { kind: judged.entry.kind, case: judged.entry.case_id.clone() })
            .collect(),
        cases: Vec::new(),
        tool: env!("CARGO_PKG_VERSION"),
    }
}

fn written(
    link: &ObjectId,
    place: &Place,
    evaluation: &Evaluation,
    console: &mut Console,
) -> Result<Exit, Error> {
    let totals = &evaluation.report.totals;
    let told = format!(
        "Accepted {} {}: {}/{} passed ({}).",
        place.title(),
        link.short(),
        totals.passed_cases,
        totals.total_cases,
        percent(totals.passed_cases, totals.total_cases)
    );
    console.data(&format!("\n{}", render::sentence(&told)))?;
    Ok(Exit::Passed)
}
