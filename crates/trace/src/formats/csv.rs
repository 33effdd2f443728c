//! CSV: `name,arg1,arg2,…` per row, or with a header row that names the columns. The values may be
//! separated by something else than commas.

use super::Result;
use super::rows::{self, Cell, Cells, Rows};
use crate::error::{Fault, Flaw};
use crate::record::{Record, Text};
use crate::routes::Routes;

/// Rows of cells that may stand in quotes.
pub type Csv = Rows<Separated>;

/// A row may span lines where a quoted value does; one that goes on for longer than this has
/// lost its closing quote.
pub const MAX_ROW: usize = 1 << 20;

/// What is wrong with a quote that opens a value and nothing ends it.
pub const UNCLOSED: &str = "this quote is never closed";

/// What separates the values of a first row: what the user said, else commas, unless the row has more
/// semicolons or vertical bars than commas outside of quotes and does not begin as a row with commas does.
pub fn separator(row: &str, said: Option<u8>, routes: &Routes) -> u8 {
    if let Some(said) = said {
        return said;
    }
    // By byte: how often it is there outside of quotes.
    let (mut counts, mut quoted) = ([0; 256], false);
    for byte in row.bytes() {
        quoted ^= byte == b'"';
        counts[usize::from(byte)] += u32::from(!quoted);
    }
    let count = |separator: u8| counts[usize::from(separator)];
    let other = if count(b'|') > count(b';') { b'|' } else { b';' };
    if count(other) > count(b',') && !rows::begins(row, ',', routes) { other } else { b',' }
}

/// Whether a quoted value goes on after this line; `open` says whether one did before it.
pub fn open_after(line: &[u8], separator: u8, mut open: bool) -> bool {
    let mut fresh = !open;
    let mut at = 0;
    while at < line.len() {
        if open {
            let Some(quote) = memchr::memchr(b'"', &line[at..]) else { return true };
            at += quote + 1;
            if line.get(at) == Some(&b'"') {
                at += 1;
            } else {
                open = false;
            }
            continue;
        }
        match line[at] {
            b if b == separator => fresh = true,
            b' ' | b'\t' => {}
            b'"' if fresh => {
                open = true;
                fresh = false;
            }
            _ => fresh = false,
        }
        at += 1;
    }
    open
}

/// Cells between characters such as commas.
#[derive(Clone, Debug)]
pub struct Separated(pub u8);

impl Cells for Separated {
    fn separator(&self) -> char {
        char::from(self.0)
    }

    #[inline]
    fn next(&self, row: &str, next: &mut usize, record: &mut Record) -> Result<Option<Cell>> {
        let bytes = row.as_bytes();
        if *next > bytes.len() {
            return Ok(None);
        }
        let mut start = *next;
        while matches!(bytes.get(start), Some(b' ' | b'\t')) {
            start += 1;
        }
        if bytes.get(start) == Some(&b'"') {
            return self.quoted(row, next, start, record).map(Some);
        }
        let mut comma = start;
        while comma < bytes.len() && bytes[comma] != self.0 {
            comma += 1;
        }
        let mut end = comma;
        while end > start && matches!(bytes[end - 1], b' ' | b'\t' | b'\r') {
            end -= 1;
        }
        *next = comma + 1;
        Ok(Some(Cell { text: Text::of_line(start, end), at: start, quoted: false }))
    }
}

impl Separated {
    /// The value in quotes that begins at `open`.
    fn quoted(
        &self,
        row: &str,
        next: &mut usize,
        open: usize,
        record: &mut Record,
    ) -> Result<Cell> {
        let bytes = row.as_bytes();
        let buffer_start = record.buffer.len();
        let mut copied = open + 1;
        let mut escaped = false;
        let close = loop {
            let Some(quote) = memchr::memchr(b'"', &bytes[copied..]).map(|i| copied + i) else {
                return Err(Flaw::new(Fault::Quotes, open, UNCLOSED));
            };
            if bytes.get(quote + 1) != Some(&b'"') {
                break quote;
            }
            escaped = true;
            record.buffer.push_str(&row[copied..=quote]);
            copied = quote + 2;
        };
        let text = if escaped {
            record.buffer.push_str(&row[copied..close]);
            Text::decoded(buffer_start, record.buffer.len())
        } else {
            Text::of_line(open + 1, close)
        };
        let mut after = close + 1;
        while matches!(bytes.get(after), Some(b' ' | b'\t' | b'\r')) {
            after += 1;
        }
        match bytes.get(after) {
            None => *next = after + 1,
            Some(b) if *b == self.0 => *next = after + 1,
            Some(_) => {
                let separator = self.separator();
                let message =
                    format!("expected `{separator}` or the end of the row after the closing quote");
                return Err(Flaw::new(Fault::Quotes, after, message));
            }
        }
        Ok(Cell { text, at: open, quoted: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(row: &str) -> std::result::Result<Vec<String>, (usize, String)> {
        let mut record = Record::new(0);
        let mut next = 0;
        let mut all = Vec::new();
        loop {
            match Separated(b',').next(row, &mut next, &mut record) {
                Ok(Some(Cell { text, quoted, .. })) => {
                    let text = record.text(row, text);
                    all.push(if quoted { format!("«{text}»") } else { text.to_string() });
                }
                Ok(None) => return Ok(all),
                Err(flaw) => return Err((flaw.at, flaw.message)),
            }
        }
    }

    #[test]
    fn rows() {
        let cases: [(&str, &[&str]); 8] = [
            ("push,17,3", &["push", "17", "3"]),
            ("push, 17 ,\t3\r", &["push", "17", "3"]),
            ("push,", &["push", ""]),
            ("push,,3", &["push", "", "3"]),
            (r#"push,"a,b","say ""hi""",c"#, &["push", "«a,b»", "«say \"hi\"»", "c"]),
            (r#"push,"" , "x" "#, &["push", "«»", "«x»"]),
            ("push,\"two\nlines\"", &["push", "«two\nlines»"]),
            ("a\"b,c", &["a\"b", "c"]),
        ];
        for (row, want) in cases {
            assert_eq!(cells(row).unwrap(), want, "{row}");
        }
        assert!(!open_after(b"a,\"b\"\"c\",d\"e", b',', false));
        assert!(open_after(b"a, \"b\"\"", b',', false));
        assert!(open_after(b"b", b',', true));
        assert!(!open_after(b"b\",c", b',', true));
        assert_eq!(cells("a,\"b").unwrap_err().0, 2);
        assert_eq!(cells("a,\"b\"c").unwrap_err().0, 5);
        assert_eq!(cells("a,\"b\"\"").unwrap_err().0, 2);
    }
}
