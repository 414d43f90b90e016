//! A progress bar on standard error: only on a terminal, only for work of more than half a second, and gone
//! without a trace when the work is done.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::ids::HashKind;
use crate::suite::source::{Content, Entry, Part, Reader, Source, SourceError};

/// Shorter work needs no bar.
const LEAST: Duration = Duration::from_millis(500);
/// How often it is drawn in a second, at most.
const DRAWN: u8 = 10;

/// How far the reading of traces has come.
pub(in crate::cli) struct Bar {
    bar: ProgressBar,
    /// Nobody sees it yet, and somebody may.
    waits: AtomicBool,
}

impl Bar {
    /// A bar that nobody sees yet, or, where it may not be shown, ever.
    pub(super) fn new(may_show: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{bar:32} {pos} of {len} traces");
        bar.set_style(style.expect("the template is sound"));
        Self { bar, waits: AtomicBool::new(may_show) }
    }

    /// So many traces more are to be read.
    fn more(&self, traces: usize) {
        self.bar.inc_length(traces as u64);
    }

    /// One more is read.
    fn step(&self) {
        self.bar.inc(1);
        if self.waits.load(Ordering::Relaxed)
            && self.bar.elapsed() >= LEAST
            && self.waits.swap(false, Ordering::Relaxed)
        {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(DRAWN));
        }
    }

    /// The work is done, or has failed: the line is free again.
    pub(in crate::cli) fn end(&self) {
        self.waits.store(false, Ordering::Relaxed);
        self.bar.finish_and_clear();
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
    }
}

/// A source whose traces are counted as they are read.
pub(in crate::cli) struct Watched<'a> {
    source: &'a dyn Source,
    bar: &'a Bar,
}

impl<'a> Watched<'a> {
    /// Counts what is read of this source.
    pub(in crate::cli) const fn new(source: &'a dyn Source, bar: &'a Bar) -> Self {
        Self { source, bar }
    }
}

impl Source for Watched<'_> {
    fn hash_kind(&self) -> HashKind {
        self.source.hash_kind()
    }

    fn list(&self, part: Part) -> Result<Vec<Entry>, SourceError> {
        self.source.list(part)
    }

    fn prefetch(&self, wanted: &[(Part, &Entry)]) -> Result<(), SourceError> {
        self.bar.more(wanted.iter().filter(|(part, _)| *part == Part::Traces).count());
        self.source.prefetch(wanted)
    }

    fn prefetch_all(&self) -> Result<(), SourceError> {
        self.source.prefetch_all()
    }

    fn prefetch_news(&self) -> Result<(), SourceError> {
        self.source.prefetch_news()
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>, SourceError> {
        Ok(Box::new(WatchedReader { reader: self.source.reader()?, bar: self.bar }))
    }
}

struct WatchedReader<'a> {
    reader: Box<dyn Reader + 'a>,
    bar: &'a Bar,
}

impl Reader for WatchedReader<'_> {
    fn read(
        &mut self,
        part: Part,
        entry: &Entry,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Content, SourceError> {
        let read = self.reader.read(part, entry, limit, buffer);
        if part == Part::Traces {
            self.bar.step();
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_that_may_not_be_shown_stays_hidden_and_counts() {
        let bar = Bar::new(false);
        bar.more(3);
        bar.step();
        assert!(bar.bar.is_hidden());
        assert_eq!((bar.bar.position(), bar.bar.length()), (1, Some(3)));
        bar.end();
    }

    #[test]
    fn short_work_shows_no_bar() {
        let bar = Bar::new(true);
        bar.more(1);
        bar.step();
        assert!(bar.waits.load(Ordering::Relaxed));
        bar.end();
        bar.step();
        assert!(!bar.waits.load(Ordering::Relaxed) && bar.bar.is_hidden());
    }
}
