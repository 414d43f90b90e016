//! What commands share that speak to a remote: `sync`, and `--push`.

use std::time::Duration;

use crate::baseline::sync::{Outcome, Sharing, SyncError, Synced};
use crate::baseline::{Place, Prefix, RefMove, Remote as _, Store as _};
use crate::cli::console::Console;
use crate::cli::ground::Ground;
use crate::error::Error;
use crate::git::{GitRemote, GitStore, Signing};
use crate::ids::ObjectId;
use crate::suite::Config;

/// A remote, and the suite that is shared with it.
pub(super) struct Share<'g> {
    pub(super) store: GitStore<'g>,
    remote: GitRemote<'g>,
    prefix: Prefix,
    config: Config,
}

/// The refs of a chain at one moment.
pub(super) struct Before {
    moves: Vec<RefMove>,
}

impl<'g> Share<'g> {
    /// Shares the suite of these settings with a remote.
    ///
    /// # Errors
    /// There is no such remote.
    pub(super) fn new(ground: &'g Ground, config: &Config, remote: &str) -> Result<Self, Error> {
        let repository = ground.repository()?;
        Ok(Self {
            store: GitStore::new(repository).signing(Signing::WhereRequired),
            remote: GitRemote::new(repository, remote)?,
            prefix: Prefix::new(&config.store_prefix),
            config: config.clone(),
        })
    }

    /// The copy of a ref that was fetched from there.
    pub(super) fn copy_of(&self, reference: &str) -> String {
        self.prefix.fetched_copy(reference, self.remote.name())
    }

    /// Does something with both sides at hand.
    ///
    /// # Errors
    /// What that gives.
    pub(super) fn with<T>(&self, act: impl FnOnce(&Sharing<'_>) -> Result<T, SyncError>) -> Result<T, Error> {
        let sharing = Sharing {
            store: &self.store,
            remote: &self.remote,
            prefix: &self.prefix,
            suite: &self.config.name,
            pause: &pause,
        };
        act(&sharing).map_err(Error::from)
    }

    /// What a chain and a pending acceptance are now, for [`Share::or_put_back`].
    ///
    /// # Errors
    /// A ref cannot be read.
    pub(super) fn before(&self, references: &[String]) -> Result<Before, Error> {
        let mut moves = Vec::new();
        for reference in references {
            let new = self.store.tip(reference)?;
            moves.push(RefMove { reference: reference.clone(), expected: None, new });
        }
        Ok(Before { moves })
    }

    /// Pushes what was accepted here since `before`, or puts it back.
    ///
    /// # Errors
    /// As [`Share::or_put_back`].
    pub(super) fn push(
        &self,
        before: &Before,
        place: &Place,
        pending: bool,
        console: &mut Console,
    ) -> Result<(), Error> {
        let synced = self.or_put_back(before, |sharing| match pending {
            true => sharing.push_pending(place),
            false => sharing.push_chain(place),
        })?;
        tell(&synced, self.remote.name(), console)
    }

    /// Pushes a promotion, with the deletion of what it used, or puts it back.
    ///
    /// # Errors
    /// As [`Share::or_put_back`].
    pub(super) fn push_promotion(
        &self,
        before: &Before,
        place: &Place,
        used: &[String],
        console: &mut Console,
    ) -> Result<(), Error> {
        let synced = self.or_put_back(before, |sharing| sharing.push_promotion(place, used))?;
        tell(&synced, self.remote.name(), console)
    }

    /// Does what was left to do after a local write, and puts the refs back where it fails: an acceptance
    /// and its push are one act.
    ///
    /// # Errors
    /// What the act gives; the refs are then as they were before the write.
    pub(super) fn or_put_back<T>(
        &self,
        before: &Before,
        act: impl FnOnce(&Sharing<'_>) -> Result<T, SyncError>,
    ) -> Result<T, Error> {
        let written =
            self.before(&before.moves.iter().map(|moved| moved.reference.clone()).collect::<Vec<_>>())?;
        let failed = match self.with(act) {
            Ok(done) => return Ok(done),
            Err(failed) => failed,
        };
        let mut back = Vec::new();
        for (old, now) in before.moves.iter().zip(written.moves) {
            if old.new != now.new {
                back.push(RefMove { expected: now.new, ..old.clone() });
            }
        }
        let put_back = back.is_empty()
            || self.store.update_all(&back, "the push failed: put back")? == crate::baseline::Written::Done;
        Err(match put_back {
            true => failed.hint("nothing was accepted: the baseline here is what it was before"),
            false => {
                failed.hint("the baseline here was moved by another writer meanwhile: see `diag-gate show`")
            }
        })
    }
}

/// A little longer each time, and not the same for two processes that race.
fn pause(attempt: u32) {
    let own = u64::from(std::process::id() % 13 + 3);
    std::thread::sleep(Duration::from_millis(own * u64::from(attempt.min(12) + 1)));
}

/// Tells what became of a chain and of what is pending beside it.
///
/// # Errors
/// Standard output cannot take it.
pub(super) fn tell(synced: &Synced, remote: &str, console: &mut Console) -> Result<(), Error> {
    let title = synced.place.title();
    let was = |from: &Option<ObjectId>| match from {
        Some(from) => format!("was {}", from.short()),
        None => "new".to_owned(),
    };
    let line = match &synced.outcome {
        Outcome::Nowhere => format!("{title}: no baseline here or on {remote}"),
        Outcome::Same(id) => format!("{title}: up to date at {}", id.short()),
        Outcome::Forward { from, to } => format!("{title}: fetched {} ({})", to.short(), was(from)),
        Outcome::Pushed { from, to } => format!("{title}: pushed {} to {remote} ({})", to.short(), was(from)),
        Outcome::Held { from, to } => format!(
            "{title}: took {}, which holds what was accepted here in {} with the same content",
            to.short(),
            from.short()
        ),
        Outcome::Remade { from, to, links } => {
            let noun = if *links == 1 { "acceptance" } else { "acceptances" };
            format!(
                "{title}: made {links} {noun} again on top of those on {remote}, and pushed {} (was {} here)",
                to.short(),
                from.short()
            )
        }
    };
    console.data(&format!("{line}\n"))?;
    for (reference, outcome) in &synced.pending {
        let told = match outcome {
            crate::baseline::sync::PendingOutcome::Pushed => format!("pushed to {remote}"),
            crate::baseline::sync::PendingOutcome::Dropped => {
                "dropped here: it has landed, or was used".to_owned()
            }
        };
        let name = reference.rsplit('/').next().unwrap_or_default();
        console.data(&format!("{title}: pending {name}: {told}\n"))?;
    }
    Ok(())
}
