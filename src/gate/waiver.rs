//! Waivers: dated exceptions, each over some cases and kinds.
//!
//! A waiver names cases by a glob over their ids, so that an entry of the whole suite is never waived.

use globset::{GlobBuilder, GlobMatcher};
use jiff::civil::Date;

use crate::diff::Entry;
use crate::suite::config::Waiver;

/// The exception that covers an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waived {
    /// Why. Untrusted text.
    pub reason: String,
    /// The last day on which it holds.
    pub expires: Date,
}

/// A waiver that should be taken out of the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleWaiver {
    /// As the settings give it.
    pub waiver: Waiver,
    /// What is wrong with it.
    pub why: Stale,
}

/// Why a waiver is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    /// Its last day is over: it covers nothing any more.
    Expired,
    /// No entry needs it.
    Unused,
}

impl Stale {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Unused => "unused",
        }
    }
}

/// The glob over case ids; `None` where it is none, which then covers nothing. `*` stands for any
/// characters, `/` too; case counts.
pub(super) fn matcher(glob: &str) -> Option<GlobMatcher> {
    let glob = GlobBuilder::new(glob).literal_separator(false).backslash_escape(true).build().ok()?;
    Some(glob.compile_matcher())
}

/// The waivers of a policy, and which of them were needed.
pub(super) struct Waivers<'a> {
    all: Vec<Held<'a>>,
}

struct Held<'a> {
    waiver: &'a Waiver,
    matcher: Option<GlobMatcher>,
    expired: bool,
    used: bool,
}

impl<'a> Waivers<'a> {
    /// A waiver holds through its last day.
    pub(super) fn new(waivers: &'a [Waiver], today: Date) -> Self {
        let held = |waiver: &'a Waiver| Held {
            waiver,
            matcher: matcher(&waiver.case),
            expired: today > waiver.expires,
            used: false,
        };
        Self { all: waivers.iter().map(held).collect() }
    }

    /// The first waiver that covers the entry; every one that does counts as used.
    pub(super) fn take(&mut self, entry: &Entry) -> Option<Waived> {
        let case = entry.case_id.as_ref()?;
        let mut first = None;
        for held in self.all.iter_mut().filter(|held| !held.expired) {
            let covers = held.waiver.kinds.contains(&entry.kind)
                && held.matcher.as_ref().is_some_and(|matcher| matcher.is_match(case.as_str()));
            if covers {
                held.used = true;
                first.get_or_insert(held.waiver);
            }
        }
        first.map(|waiver| Waived { reason: waiver.reason.clone(), expires: waiver.expires })
    }

    /// What is left over, in the order of the settings.
    pub(super) fn stale(self) -> Vec<StaleWaiver> {
        let why = |held: &Held<'_>| match (held.expired, held.used) {
            (true, _) => Some(Stale::Expired),
            (false, false) => Some(Stale::Unused),
            (false, true) => None,
        };
        self.all
            .iter()
            .filter_map(|held| Some(StaleWaiver { waiver: held.waiver.clone(), why: why(held)? }))
            .collect()
    }
}
