//! A decision as the comment on a pull request and as the summary of a step: the pieces of `markdown`
//! within a number of bytes, with what the run that publishes them says of itself.
//!
//! What must never be cut off stands first: the marker, the answer, who judged what. Spec: github.md,
//! "The comment".

use super::escape::{Untrusted, html};
use super::fit::{Section, within};
use super::layout::{count, grouped};
use super::markdown::{Depth, WithoutEntry, baseline, foot, headline, list, sections, totals};
use super::view::View;
use crate::gate::Outcome;
use crate::report::{Report, percent};

/// How many bytes a comment takes: GitHub refuses a body of more than 65,536 characters, of
/// which none has less than a byte.
pub const COMMENT_BYTES: usize = 65_000;

/// What the run that publishes a page says around the decision. What is not [`Untrusted`] stands as it
/// is given, and must be of our own making.
#[derive(Clone, Debug, Default)]
pub struct Frame<'a> {
    /// The first line, by which the comment is found again; empty: no such line.
    pub marker: &'a str,
    /// One line of Markdown: which commit was judged, by which run.
    pub stamp: &'a str,
    /// What a reader must know before believing the decision.
    pub notes: Vec<Note<'a>>,
    /// The address of the page where the summary stands, for what does not fit.
    pub summary: Option<&'a str>,
    /// The command that decides again; where there is none, that of the view.
    pub reproduce: Option<Untrusted>,
    /// The ways to accept what blocks, each a line to comment or a command, told where something blocks;
    /// where there is none, that of the view.
    pub accept: Vec<Untrusted>,
}

/// Something to know before believing a decision.
#[derive(Clone, Debug)]
pub struct Note<'a> {
    /// Words of our own, without Markdown or HTML.
    pub words: &'a str,
    /// What they speak of: a name, a reason. It is left out of a page of two lines.
    pub of: Option<Untrusted>,
}

impl<'a> Note<'a> {
    /// Words alone.
    pub const fn plain(words: &'a str) -> Self {
        Self { words, of: None }
    }
}

/// The body of the comment in at most so many bytes. Marker, answer, stamp, notes and totals
/// always stand, all numbers are exact. Without any entry: the answer and the stamp, on two lines.
pub fn comment(view: &View, frame: &Frame<'_>, bytes: usize) -> String {
    if view.outcome == Outcome::Pass && view.groups.is_empty() {
        return quiet(view, frame);
    }
    let depth = Depth { evidence: 1, without_entry: WithoutEntry::Failing };
    let page = page(view, frame, depth);
    page.within(bytes).unwrap_or_else(|| page.least()).trim_end().to_owned()
}

/// The summary of the step in at most so many bytes: fuller than the comment, without marker.
/// Empty where not even the answer and the totals fit.
pub fn summary(view: &View, frame: &Frame<'_>, bytes: usize) -> String {
    let frame = Frame { marker: "", summary: None, ..frame.clone() };
    let depth = Depth { evidence: usize::MAX, without_entry: WithoutEntry::Listed };
    page(view, &frame, depth).within(bytes).unwrap_or_default()
}

/// The page of a run that could not judge, in at most so many bytes: a comment, or a summary where
/// the frame has no marker. Marker, answer, stamp and notes always stand.
pub fn could_not_judge(
    frame: &Frame<'_>,
    problems: &[Untrusted],
    hints: &[Untrusted],
    bytes: usize,
) -> String {
    let number = problems.len() as u64;
    let told = if number == 0 { String::new() } else { format!("{}, ", count(number, "problem")) };
    let headline = format!("### ⚠️ COULD NOT JUDGE: {told}nothing was decided, and this is no pass");
    let section = |title: &str, column, texts: &[Untrusted]| {
        let title = format!("{title} ({})", grouped(texts.len() as u64));
        (!texts.is_empty()).then(|| Section { open: true, ..list(title, column, texts) })
    };
    let sections =
        [section("Problems", &["what is wrong"], problems), section("What helps", &["what to do"], hints)];
    let page = Page {
        head: top(&headline, frame),
        baseline: String::new(),
        totals: String::new(),
        sections: sections.into_iter().flatten().collect(),
        foot: foot(frame.reproduce.as_ref(), &[]),
        elsewhere: elsewhere(frame),
    };
    page.within(bytes).unwrap_or_else(|| page.least()).trim_end().to_owned()
}

/// The page of a run that had nothing to compare with: the answer and the stamp, on two lines.
pub fn nothing_compared(report: &Report, frame: &Frame<'_>) -> String {
    let (passed, total) = (report.totals.passed_cases, report.totals.total_cases);
    let headline = format!(
        "### ⚠️ NO BASELINE: nothing was compared: {} of {} passed ({})",
        grouped(passed),
        grouped(total),
        percent(passed, total)
    );
    top(&headline, frame).trim_end().to_owned()
}

/// The parts of a page, of which all but the head and the totals may be left out.
struct Page {
    head: String,
    baseline: String,
    totals: String,
    sections: Vec<Section>,
    foot: String,
    elsewhere: String,
}

impl Page {
    /// As much as fits; `None` where not even the top does.
    fn within(&self, bytes: usize) -> Option<String> {
        let Self { head, baseline, totals, foot, .. } = self;
        let least = head.len() + totals.len();
        for (baseline, foot) in [(baseline.as_str(), foot.as_str()), ("", foot), ("", "")] {
            let room = bytes.checked_sub(least + baseline.len() + foot.len());
            if let Some(sections) = room.and_then(|room| within(&self.sections, room, &self.elsewhere)) {
                return Some([head, baseline, totals, &sections, foot].concat());
            }
        }
        (least <= bytes).then(|| self.least())
    }

    /// What always stands.
    fn least(&self) -> String {
        [self.head.as_str(), &self.totals].concat()
    }
}

fn page(view: &View, frame: &Frame<'_>, depth: Depth) -> Page {
    let commands = view.commands.as_ref();
    let reproduce = frame.reproduce.as_ref().or(commands.map(|commands| &commands.reproduce));
    let accept: Vec<&Untrusted> = match view.outcome {
        Outcome::Pass => Vec::new(),
        Outcome::Block if frame.accept.is_empty() => {
            commands.and_then(|commands| commands.accept.as_ref()).into_iter().collect()
        }
        Outcome::Block => frame.accept.iter().collect(),
    };
    Page {
        head: top(&headline(view), frame),
        baseline: view.baseline.as_ref().map(baseline).unwrap_or_default(),
        totals: totals(view),
        sections: sections(view, depth),
        foot: foot(reproduce, &accept),
        elsewhere: elsewhere(frame),
    }
}

/// Marker, answer and stamp, a line each; then the notes.
fn top(headline: &str, frame: &Frame<'_>) -> String {
    let mut top = String::new();
    for line in [frame.marker, headline, frame.stamp].into_iter().filter(|line| !line.is_empty()) {
        top.push_str(line);
        top.push('\n');
    }
    let notes: Vec<String> = frame.notes.iter().map(note).collect();
    if !notes.is_empty() {
        top += &format!("\n<p>{}</p>\n", notes.join("<br>"));
    }
    top
}

fn note(note: &Note<'_>) -> String {
    let of = note.of.as_ref().map(|text| format!(" {}", text.short().markdown()));
    format!("⚠️ {}{}", html(note.words), of.unwrap_or_default())
}

/// The answer with the notes on one line, then the stamp.
fn quiet(view: &View, frame: &Frame<'_>) -> String {
    let mut first = vec![headline(view)];
    first.extend(frame.notes.iter().map(|note| format!("⚠️ {}", note.words)));
    if !view.stale_waivers.is_empty() {
        first.push(count(view.stale_waivers.len() as u64, "stale waiver"));
    }
    let frame = Frame { notes: Vec::new(), ..frame.clone() };
    top(&first.join(" · "), &frame).trim_end().to_owned()
}

/// Where the rest is told.
fn elsewhere(frame: &Frame<'_>) -> String {
    match frame.summary {
        Some(address) => format!("see <a href=\"{}\">the summary</a>", html(address)),
        None => "which do not fit here".to_owned(),
    }
}
