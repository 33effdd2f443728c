//! TSV: cells between tabs, per row `name`, then arguments, or with a header row that names the
//! columns. A cell is what stands between tabs: there are no quotes and no escapes.

use super::Result;
use super::rows::{Cell, Cells, Rows};
use crate::record::{Record, Text};

/// Rows of cells between tabs.
pub type Tsv = Rows<Tabs>;

/// Cells between tabs.
#[derive(Clone, Debug)]
pub struct Tabs;

impl Cells for Tabs {
    fn separator(&self) -> char {
        '\t'
    }

    #[inline]
    fn next(&self, row: &str, next: &mut usize, _: &mut Record) -> Result<Option<Cell>> {
        let start = *next;
        let Some(rest) = row.as_bytes().get(start..) else { return Ok(None) };
        let end = memchr::memchr(b'\t', rest).map_or(row.len(), |i| start + i);
        *next = end + 1;
        Ok(Some(Cell { text: Text::of_line(start, end), at: start, quoted: false }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let cells = |row: &str| {
            let (mut next, mut all) = (0, Vec::new());
            let mut record = Record::new(0);
            while let Some(cell) = Tabs.next(row, &mut next, &mut record).unwrap() {
                all.push(record.text(row, cell.text).to_string());
            }
            all
        };
        assert_eq!(cells("push\t17\tada"), ["push", "17", "ada"]);
        assert_eq!(cells("push\t\t"), ["push", "", ""]);
        assert_eq!(cells("push\t\"a, b\"\t \\t "), ["push", "\"a, b\"", " \\t "]);
        assert_eq!(cells(""), [""]);
    }
}
