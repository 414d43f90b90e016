//! The curve of a page, drawn without a script. Where commits share a place, the lowest rate counts.

use std::fmt::Write as _;

use crate::history::{Numbers, Row, State};
use crate::render::escape::html;
use crate::report::percent;

/// The most places of the curve.
const PLACES: usize = 400;
/// The height of the drawing, in its own units.
const HEIGHT: f64 = 100.0;

/// The figure; nothing where nothing was evaluated.
pub(super) fn figure(rows: &[Row]) -> String {
    let rate = |numbers: &Numbers| numbers.pass_rate();
    let rates = || rows.iter().filter_map(Row::numbers).filter_map(rate);
    let (Some(low), Some(high)) = (rates().min_by(f64::total_cmp), rates().max_by(f64::total_cmp)) else {
        return String::new();
    };
    // Room above and below, and never a cliff out of nothing.
    let floor = if high - low < 0.05 { (high - 0.05).max(0.0) } else { low };
    let places = rows.len().min(PLACES);
    let place = |value: f64| HEIGHT - 6.0 - (value - floor) / (high - floor).max(0.001) * (HEIGHT - 12.0);
    let mut drawn = Drawn::default();
    for index in 0..places {
        let newest_first = places - 1 - index;
        let part = &rows[newest_first * rows.len() / places..(newest_first + 1) * rows.len() / places];
        let lowest = part.iter().filter_map(Row::numbers).filter_map(rate).min_by(f64::total_cmp);
        drawn.add(index, part, lowest.map(place));
    }
    drawn.end();
    let ends = [rows.last(), rows.first()]
        .map(|row| row.map(|row| row.commit.author.at.utc().chars().take(10).collect::<String>()));
    let [oldest, newest] = ends.map(|date| html(&date.unwrap_or_default()));
    let share = |value: f64| percent((value * 1000.0).floor() as u64, 1000);
    format!(
        "<figure>\n<div class=\"plot\"><div class=\"scale\"><span>{}</span><span>{}</span></div>\
         <svg viewBox=\"0 0 {places} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Pass rate from the oldest commit to the newest, between {} and {}\">\n{}</svg>\
         <div class=\"ends\"><span>{oldest}</span><span>{newest}</span></div></div>\n\
         <figcaption class=\"key\"><span><i style=\"background:var(--blue)\"></i>pass rate</span>{}</figcaption>\n</figure>\n",
        share(high),
        share(floor),
        share(low),
        share(high),
        drawn.text,
        drawn.key()
    )
}

/// The pieces of a curve: it is broken where there is nothing to draw.
#[derive(Default)]
struct Drawn {
    text: String,
    piece: Vec<(f64, f64)>,
    has_marks: bool,
    has_gaps: bool,
    has_faults: bool,
}

impl Drawn {
    fn add(&mut self, index: usize, part: &[Row], height: Option<f64>) {
        let middle = index as f64 + 0.5;
        if part.iter().any(|row| !row.marks.is_empty()) {
            self.has_marks = true;
            self.write(&format!(
                "<line class=\"accepted\" x1=\"{middle}\" y1=\"0\" x2=\"{middle}\" y2=\"{HEIGHT}\"/>\n"
            ));
        }
        if let Some(height) = height {
            self.piece.push((middle, height));
            return;
        }
        self.end();
        let at_fault = part.iter().any(|row| matches!(row.state, State::Invalid { .. }));
        let class = if at_fault { "gap" } else { "none" };
        (self.has_faults, self.has_gaps) = (self.has_faults || at_fault, self.has_gaps || !at_fault);
        self.write(&format!(
            "<rect class=\"{class}\" x=\"{index}\" y=\"0\" width=\"1\" height=\"{HEIGHT}\"/>\n"
        ));
    }

    fn end(&mut self) {
        let piece = std::mem::take(&mut self.piece);
        let (Some(first), Some(last)) = (piece.first(), piece.last()) else { return };
        let (left, right) = (first.0 - 0.5, last.0 + 0.5);
        let mut line = format!("M{left} {:.2}", first.1);
        for (x, y) in &piece {
            write!(line, "L{x} {y:.2}").expect("a String takes all that is written");
        }
        write!(line, "L{right} {:.2}", last.1).expect("a String takes all that is written");
        self.write(&format!(
            "<path class=\"area\" d=\"{line}L{right} {HEIGHT}L{left} {HEIGHT}Z\"/>\n<path class=\"curve\" d=\"{line}\"/>\n"
        ));
    }

    fn key(&self) -> String {
        let mut key = String::new();
        for (is_there, style, word) in [
            (self.has_marks, "class=\"line\"", "accepted as baseline"),
            (self.has_faults, "style=\"background:var(--red);opacity:.35\"", "suite at fault"),
            (self.has_gaps, "style=\"background:var(--quiet);opacity:.3\"", "no suite"),
        ] {
            if is_there {
                write!(key, "<span><i {style}></i>{word}</span>")
                    .expect("a String takes all that is written");
            }
        }
        key
    }

    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }
}
