//! What GitHub shows of a decision: the comment and the step summary.

use super::escape::Untrusted;
use super::markdown::markdown_within;
use super::view::View;
use crate::error::Error;
use crate::report::{Report, percent};

/// What a comment may take, in bytes: safe under every reading of GitHub's 65,536 characters.
pub const COMMENT_BYTES: usize = 65_000;

/// What stands around a result.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame<'a> {
    /// The first line of a comment.
    pub marker: Option<&'a str>,
    /// Which run judged which commit: one line of Markdown.
    pub stamp: Option<&'a str>,
    /// What a reader should know: sentences of our own.
    pub notes: &'a [&'a str],
    /// Where the rest stands that does not fit.
    pub summary: Option<&'a str>,
}

fn framed(frame: &Frame<'_>, middle: impl FnOnce(usize) -> String, bytes: usize) -> String {
    let mut head = frame.marker.map(|marker| format!("{marker}\n")).unwrap_or_default();
    head.extend(frame.notes.iter().map(|note| format!("{note}\n\n")));
    let foot = frame.stamp.map(|stamp| format!("\n{stamp}\n")).unwrap_or_default();
    let middle = middle(bytes.saturating_sub(head.len() + foot.len()));
    format!("{head}{middle}{foot}")
}

/// The comment.
pub fn comment(view: &View, frame: &Frame<'_>, bytes: usize) -> String {
    framed(frame, |room| markdown_within(view, room), bytes)
}

/// The step summary.
pub fn summary(view: &View, frame: &Frame<'_>, bytes: usize) -> String {
    framed(frame, |room| markdown_within(view, room), bytes)
}

/// Why it could not be judged.
pub fn could_not_judge(error: &Error, frame: &Frame<'_>, bytes: usize) -> String {
    let line = |text: &String| format!("<p>{}</p>\n", Untrusted::new(text.as_str()).short().markdown());
    framed(
        frame,
        |room| {
            let mut page = "### ⚠️ could not judge\n\n".to_owned();
            let all = std::iter::once(&error.message).chain(&error.details).chain(&error.causes);
            for text in all.chain(&error.hints).map(line) {
                if page.len() + text.len() > room {
                    break;
                }
                page.push_str(&text);
            }
            page
        },
        bytes,
    )
}

/// There is no baseline.
pub fn nothing_compared(report: &Report, frame: &Frame<'_>) -> String {
    let (passed, total) = (report.totals.passed_cases, report.totals.total_cases);
    let rate = percent(passed, total);
    let told =
        format!("### There is no baseline: nothing was compared\n\n{passed} of {total} passed ({rate})\n");
    framed(frame, |_| told, usize::MAX)
}
