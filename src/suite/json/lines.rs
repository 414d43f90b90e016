//! Which line an offset stands on.

/// Where the lines of a text begin.
#[derive(Debug)]
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    /// Finds the lines; each ends with its line feed.
    pub(crate) fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(std::iter::once(0).chain(breaks.map(|(offset, _)| offset + 1)).collect())
    }

    /// The line, from 1.
    pub(crate) fn line(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// The column in characters, from 1.
    pub(crate) fn column(&self, text: &str, offset: usize) -> u32 {
        let start = self.start(self.line(offset));
        let end = text.floor_char_boundary(offset);
        u32::try_from(text[start..end].chars().count() + 1).unwrap_or(u32::MAX)
    }

    /// The offset at which a line, from 1, begins.
    pub(crate) fn start(&self, line: u32) -> usize {
        self.0[line.saturating_sub(1) as usize]
    }
}
