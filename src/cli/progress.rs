//! How far long work is: on a terminal alone, on standard error, and not before half a second has gone.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter work shows none.
const PATIENCE: Duration = Duration::from_millis(500);
/// The place, the rest in words.
const SHAPE: &str = "{prefix} {wide_bar} {pos}/{len}";

/// The progress of one piece of work; it leaves no trace once it is dropped.
pub(super) struct Progress {
    bar: ProgressBar,
    is_wanted: bool,
    is_shown: bool,
}

impl Progress {
    /// Begins. `what` is said before the bar; nothing is shown unless it is wanted.
    pub(super) fn new(what: &'static str, is_wanted: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(SHAPE).unwrap_or_else(|_| ProgressStyle::default_bar());
        Self { bar: bar.with_style(style).with_prefix(what), is_wanted, is_shown: false }
    }

    /// Says that `done` of `all` are done.
    pub(super) fn tell(&mut self, done: usize, all: usize) {
        if !self.is_wanted {
            return;
        }
        if !self.is_shown {
            if self.bar.elapsed() < PATIENCE {
                return;
            }
            // It draws nothing where standard error is no terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.is_shown = true;
        }
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
