//! `verify`: evaluates what a baseline was accepted on again, and compares byte for byte.

use crate::baseline::{self, Again, BaselineError, Place, Proof, Recorded, SIGNERS_FILE, recorded};
use crate::cli::args::{Global, VerifyArgs};
use crate::cli::console::Console;
use crate::cli::ground::Ground;
use crate::cli::{evaluation, judgement, suggest};
use crate::env::Env;
use crate::error::Error;
use crate::exit::Exit;
use crate::git::{GitStore, verify_object_hashes};
use crate::ids::ObjectId;

pub(super) fn run(
    arguments: &VerifyArgs,
    global: &Global,
    env: &Env,
    console: &mut Console,
) -> Result<Exit, Error> {
    if global.config.is_some() {
        return Err(Error::input("verify takes the settings that were accepted")
            .hint(format!("leave out `--config`: {}", suggest::command(global, "verify"))));
    }
    verify_object_hashes(true);
    let ground = Ground::new(global, env, console)?;
    let config = evaluation::settings(&ground, global)?;
    let place = judgement::place(&config, &arguments.baseline)?;
    let store = GitStore::new(ground.repository()?);
    let tip = baseline::tip(&store, &place)?.ok_or_else(|| {
        Error::input(format!("there is no baseline {}", place.title()))
            .hint(format!("accept the first one: {}", suggest::command(global, "accept")))
    })?;
    let verifier = Verifier { ground: &ground, global, store, place: &place };
    let mut exit = Exit::Passed;
    let mut next = Some(tip);
    while let Some(id) = next {
        let (proof, parent) = verifier.link(&id);
        tell(&place, &id, &proof, console)?;
        exit = worse(exit, &proof);
        next = parent.filter(|_| arguments.all);
    }
    Ok(exit)
}

/// A forged link is a finding, which no doubt about another one takes back.
fn worse(exit: Exit, proof: &Proof) -> Exit {
    match (exit, proof) {
        (Exit::Blocked, _) | (_, Proof::Mismatch(_)) => Exit::Blocked,
        (_, Proof::Unproved(_)) => Exit::Input,
        (exit, Proof::Proved) => exit,
    }
}

struct Verifier<'a> {
    ground: &'a Ground,
    global: &'a Global,
    store: GitStore<'a>,
    place: &'a Place,
}

impl Verifier<'_> {
    /// What is known of one link, and the link before it.
    fn link(&self, id: &ObjectId) -> (Proof, Option<ObjectId>) {
        let found = match recorded(&self.store, self.place, id) {
            Ok(found) => found,
            Err(error) => return (unproved(error.into()), None),
        };
        let parent = found.link.parent.clone();
        (self.prove(&found).unwrap_or_else(unproved), parent)
    }

    fn prove(&self, found: &Recorded) -> Result<Proof, Error> {
        let link = &found.link;
        let reference = &self.place.reference;
        match baseline::check_signature(&self.store, reference, &link.id, link.parent.as_ref()) {
            Ok(()) => {}
            Err(BaselineError::Unsigned { why, .. }) => return Ok(Proof::Mismatch(vec![why])),
            Err(error) => return Err(error.into()),
        }
        if let Some(why) = found.not_provable() {
            return Ok(Proof::Unproved(why));
        }
        let again = self.again(found)?;
        Ok(baseline::prove(&self.store, self.place, found, &again)?)
    }

    fn again(&self, found: &Recorded) -> Result<Again, Error> {
        let commit = &found.link.trailers.evaluated;
        let results = evaluation::under_settings(self.ground, self.global, commit, &found.policy)?;
        let file = |name| evaluation::suite_file(self.ground, self.global, commit, name);
        Ok(Again { results, policy: file("diag-gate.toml")?, signers: file(SIGNERS_FILE)? })
    }
}

fn unproved(error: Error) -> Proof {
    let mut why = error.message;
    for more in error.details.iter().chain(&error.causes) {
        why.push_str("; ");
        why.push_str(more);
    }
    Proof::Unproved(why)
}

fn tell(place: &Place, id: &ObjectId, proof: &Proof, console: &mut Console) -> Result<(), Error> {
    let title = place.title();
    let escaped = crate::render::escape::terminal;
    match proof {
        Proof::Proved => console.data(&format!("PROVED    {title} {}\n", id.short())),
        Proof::Unproved(why) => {
            console.data(&format!("UNPROVED  {title} {}: {}\n", id.short(), escaped(why)))
        }
        Proof::Mismatch(faults) => {
            console.data(&format!("MISMATCH  {title} {}\n", id.short()))?;
            for fault in faults {
                console.data(&format!("  {}\n", escaped(fault)))?;
            }
            Ok(())
        }
    }
}
