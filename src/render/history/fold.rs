//! Runs of commits that hold the same and say nothing new: they are told by their number.

use crate::history::Row;

/// Which rows are shown, newest first, and how many newer ones are folded into each: those with the same
/// content of which there is nothing new to say. The newest one is always shown.
pub(super) fn shown(rows: &[Row]) -> Vec<(usize, usize)> {
    let mut shown: Vec<(usize, usize)> = Vec::new();
    let mut folded = 0;
    for (index, row) in rows.iter().enumerate() {
        if index > 0 && repeats(row, rows.get(index + 1)) {
            folded += 1;
        } else {
            shown.push((index, folded));
            folded = 0;
        }
    }
    shown
}

/// Whether a row says nothing that the next older one does not.
fn repeats(row: &Row, older: Option<&Row>) -> bool {
    let (Some(numbers), Some(older)) = (row.numbers(), older.and_then(Row::numbers)) else { return false };
    numbers.is_quiet() && row.marks.is_empty() && numbers.suite_digest == older.suite_digest
}
