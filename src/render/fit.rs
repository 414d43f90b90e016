//! Tables of a page that has so many bytes: details go before entries, the least important first, and
//! what is left out is counted.

use std::fmt::Write as _;

use super::layout::grouped;

/// A heading with a table under it. All of it is HTML that may stand as it is.
pub(super) struct Section {
    /// The heading, with the exact number of what is under it.
    pub(super) title: String,
    /// The names of the columns.
    pub(super) columns: &'static [&'static str],
    /// Whether it stands open; else it is folded.
    pub(super) open: bool,
    /// Whether its lines are mere background, the first to go.
    pub(super) background: bool,
    /// The lines, the worst first.
    pub(super) lines: Vec<Line>,
}

/// One `<tr>` of a table, in two lengths.
pub(super) struct Line {
    /// With its details.
    pub(super) full: String,
    /// Without; not longer.
    pub(super) short: String,
}

impl Line {
    /// A line without details.
    pub(super) fn plain(line: String) -> Self {
        Self { full: line.clone(), short: line }
    }
}

/// How the lines of a section are told.
#[derive(Clone, Copy)]
enum Form {
    Full,
    Short,
    /// So many lines, without details.
    First(usize),
}

/// The sections in at most so many bytes; `None` where not even the headings fit. `elsewhere` says where
/// the rest is told. Takes time in proportion to the number of lines.
pub(super) fn within(sections: &[Section], bytes: usize, elsewhere: &str) -> Option<String> {
    let mut forms = vec![Form::Full; sections.len()];
    let mut used: usize = sections.iter().map(|section| section.size(Form::Full, elsewhere)).sum();
    let last_first = || (0..sections.len()).rev();
    let background = last_first().filter(|index| sections[*index].background);
    let steps = background.map(|index| (index, Form::First(0)));
    for (index, form) in steps.chain(last_first().map(|index| (index, Form::Short))) {
        let section = &sections[index];
        if used <= bytes || matches!(forms[index], Form::First(_)) {
            continue;
        }
        used = used - section.size(forms[index], elsewhere) + section.size(form, elsewhere);
        forms[index] = form;
    }
    if used > bytes {
        forms = cut(sections, bytes, elsewhere)?;
    }
    let laid_out = |(section, form): (&Section, Form)| section.laid_out(form, elsewhere);
    Some(sections.iter().zip(forms).map(laid_out).collect())
}

/// As many lines without details as fit, from the first on.
fn cut(sections: &[Section], bytes: usize, elsewhere: &str) -> Option<Vec<Form>> {
    let frames: usize = sections.iter().map(|section| section.size(Form::First(0), elsewhere)).sum();
    let mut room = bytes.checked_sub(frames)?;
    let mut full = false;
    let forms = sections.iter().map(|section| {
        let fitting = section.lines.iter().take_while(|line| {
            full |= section.background || line.short.len() > room;
            room -= if full { 0 } else { line.short.len() };
            !full
        });
        Form::First(fitting.count())
    });
    Some(forms.collect())
}

impl Section {
    /// In bytes, not less than what [`Self::laid_out`] gives.
    fn size(&self, form: Form, elsewhere: &str) -> usize {
        let lines: usize = match form {
            Form::Full => self.lines.iter().map(|line| line.full.len()).sum(),
            Form::Short => self.lines.iter().map(|line| line.short.len()).sum(),
            Form::First(number) => self.lines.iter().take(number).map(|line| line.short.len()).sum(),
        };
        self.frame("").len() + self.more(form, elsewhere).len() + lines
    }

    fn laid_out(&self, form: Form, elsewhere: &str) -> String {
        let shown: String = match form {
            Form::Full => self.lines.iter().map(|line| line.full.as_str()).collect(),
            Form::Short => self.lines.iter().map(|line| line.short.as_str()).collect(),
            Form::First(number) => self.lines.iter().take(number).map(|line| line.short.as_str()).collect(),
        };
        self.frame(&(shown + &self.more(form, elsewhere)))
    }

    fn frame(&self, lines: &str) -> String {
        let title = &self.title;
        let columns = self.columns.iter().fold(String::new(), |mut cells, name| {
            write!(cells, "<th>{name}</th>").expect("a String takes all that is written");
            cells
        });
        let table = format!("<table>\n<tr>{columns}</tr>\n{lines}</table>\n");
        if self.open {
            format!("\n#### {title}\n\n{table}")
        } else {
            format!("\n<details>\n<summary>{title}</summary>\n{table}</details>\n")
        }
    }

    /// The line that counts what is left out.
    fn more(&self, form: Form, elsewhere: &str) -> String {
        let told = match form {
            Form::Full | Form::Short => self.lines.len(),
            Form::First(number) => number,
        };
        match self.lines.len().saturating_sub(told) {
            0 => String::new(),
            more => {
                let (more, columns) = (grouped(more as u64), self.columns.len());
                format!("<tr><td colspan=\"{columns}\">{more} more, {elsewhere}</td></tr>\n")
            }
        }
    }
}
