//! CSV: `name,arg1,arg2,…` per row, or with a header row that names the columns.

use watchword_model::Time;

use crate::error::{Fault, Flaw};
use crate::locations::{self, Locations};
use crate::points::Point;
use crate::record::{Arg, ArgKey, Raw, Record, Slot, Text};
use crate::routes::Routes;
use crate::threads::Threads;
use crate::times::Times;

type Result<T> = std::result::Result<T, Box<Flaw>>;

/// A row may span lines where a quoted value does; one that goes on for longer than this has
/// lost its closing quote.
pub const MAX_ROW: usize = 1 << 20;

/// What is wrong with a quote that opens a value and nothing ends it.
pub const UNCLOSED: &str = "this quote is never closed";

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Event,
    Time,
    Thread,
    Loc,
    /// An argument, if the event has a parameter of that name.
    Arg,
}

/// Reads rows into a [`Record`].
#[derive(Debug, Default)]
pub struct Csv {
    columns: Vec<(Box<str>, Role)>,
    started: bool,
}

impl Csv {
    /// A reader at the beginning of a file.
    pub fn new() -> Csv {
        Csv::default()
    }

    /// The names of the columns, if the file has a header.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| &**name)
    }

    /// Whether this row, the first, neither names columns nor is an event that is known.
    pub fn begins_strangely(&self, row: &str, routes: &Routes) -> bool {
        !self.started && !is_header(row, routes) && !routes.is_event(first_cell(row))
    }

    /// Reads one row; `record` must be clear. Answers whether it was an event, not a header.
    /// `routes` know which events and parameters there are.
    pub fn read(
        &mut self,
        row: &str,
        record: &mut Record,
        locations: &mut Locations,
        threads: &mut Threads,
        times: &mut Times,
        routes: &Routes,
    ) -> Result<bool> {
        if !self.started {
            self.started = true;
            if is_header(row, routes) {
                self.header(row, record, times, routes)?;
                return Ok(false);
            }
        }
        record.has_args = true;
        let mut cells = Cells { row, at: 0 };
        let mut column = 0;
        while let Some((text, at, quoted)) = cells.next(record)? {
            if self.columns.is_empty() {
                if column == 0 {
                    self.name(row, record, text, at)?;
                } else {
                    let slot = cell(row, record, text, at, quoted);
                    record.args.push(Arg { key: ArgKey::Position, slot });
                }
                column += 1;
                continue;
            }
            let Some((_, role)) = self.columns.get(column) else {
                if record.text(row, text).is_empty() {
                    column += 1;
                    continue;
                }
                let message = format!("the header has only {} columns", self.columns.len());
                return Err(Flaw::new(Fault::Arity, at, message));
            };
            match role {
                Role::Event => self.name(row, record, text, at)?,
                Role::Arg => {
                    let slot = cell(row, record, text, at, quoted);
                    record.args.push(Arg { key: ArgKey::Column(column as u32), slot });
                }
                Role::Time => {
                    record.time = read_time(record.text(row, text), at, times)?;
                    record.time_at = at;
                }
                Role::Thread => {
                    let name = record.text(row, text);
                    if !name.is_empty() {
                        record.thread = Some(name.parse().unwrap_or_else(|_| threads.id(name)));
                    }
                }
                Role::Loc => {
                    let place = record.text(row, text);
                    if !place.is_empty() {
                        let known = locations.find(place);
                        record.location = Some(match known {
                            Some(known) => known,
                            None => locations.add(place, locations::parse(place)),
                        });
                    }
                }
            }
            column += 1;
        }
        if record.point == Point::None {
            return Err(Flaw::new(Fault::Shape, 0, "expected the name of an event"));
        }
        Ok(true)
    }

    fn name(&self, row: &str, record: &mut Record, text: Text, at: usize) -> Result<()> {
        if record.text(row, text).is_empty() {
            return Err(Flaw::new(Fault::Shape, at, "expected the name of an event"));
        }
        record.point = Point::Event;
        record.name = text;
        record.name_at = at;
        Ok(())
    }

    fn header(
        &mut self,
        row: &str,
        record: &mut Record,
        times: &Times,
        routes: &Routes,
    ) -> Result<()> {
        // A header with a mistake is none at all.
        let mut columns: Vec<(Box<str>, Role)> = Vec::new();
        let mut cells = Cells { row, at: 0 };
        while let Some((text, at, _)) = cells.next(record)? {
            let name = record.text(row, text);
            if columns.iter().any(|(other, _)| **other == *name) && !name.is_empty() {
                let message = format!("the column `{name}` occurs twice");
                return Err(Flaw::new(Fault::Duplicate, at, message));
            }
            let role = match name {
                "event" => Role::Event,
                name if times.name.as_deref() == Some(name) => Role::Time,
                name if routes.is_param(name) => Role::Arg,
                "time" if times.name.is_none() => Role::Time,
                "thread" => Role::Thread,
                "loc" => Role::Loc,
                _ => Role::Arg,
            };
            columns.push((name.into(), role));
        }
        self.columns = columns;
        Ok(())
    }
}

fn cell(row: &str, record: &Record, text: Text, at: usize, quoted: bool) -> Slot {
    // Quotes around nothing are an empty text, no quotes around nothing are null.
    let empty = quoted && record.text(row, text).is_empty();
    Slot::new(if empty { Raw::Str(text) } else { Raw::Cell(text) }, at)
}

fn read_time(text: &str, at: usize, times: &mut Times) -> Result<Option<Time>> {
    if text.is_empty() {
        return Ok(None);
    }
    match times.text(text) {
        Some(time) => Ok(Some(time)),
        None => Err(Flaw::new(Fault::Field, at, format!("expected {}", times.expected()))),
    }
}

/// Whether a row, the first of a file, names columns: one of them is `event`. A row that begins with
/// the name of an event is that event.
pub fn is_header(row: &str, routes: &Routes) -> bool {
    let mut cells = row.split(',').map(|cell| cell.trim().trim_matches('"'));
    let first = cells.next().unwrap_or_default();
    first == "event" || !routes.is_event(first) && cells.any(|cell| cell == "event")
}

/// The first cell of a row, trimmed; quotes are not looked at.
pub fn first_cell(row: &str) -> &str {
    row.split(',').next().unwrap_or_default().trim()
}

/// Whether a quoted value goes on after this line; `open` says whether one did before it.
pub fn open_after(line: &[u8], mut open: bool) -> bool {
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
            b',' => fresh = true,
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

/// The cells of a row.
struct Cells<'a> {
    row: &'a str,
    /// Past the end: no more cells.
    at: usize,
}

impl Cells<'_> {
    /// The next cell: its text, where it begins, whether it was quoted.
    #[inline]
    fn next(&mut self, record: &mut Record) -> Result<Option<(Text, usize, bool)>> {
        let bytes = self.row.as_bytes();
        if self.at > bytes.len() {
            return Ok(None);
        }
        let mut start = self.at;
        while matches!(bytes.get(start), Some(b' ' | b'\t')) {
            start += 1;
        }
        if bytes.get(start) == Some(&b'"') {
            return self.quoted(start, record).map(Some);
        }
        let mut comma = start;
        while comma < bytes.len() && bytes[comma] != b',' {
            comma += 1;
        }
        let mut end = comma;
        while end > start && matches!(bytes[end - 1], b' ' | b'\t' | b'\r') {
            end -= 1;
        }
        self.at = comma + 1;
        Ok(Some((Text::of_line(start, end), start, false)))
    }

    fn quoted(&mut self, open: usize, record: &mut Record) -> Result<(Text, usize, bool)> {
        let bytes = self.row.as_bytes();
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
            record.buffer.push_str(&self.row[copied..=quote]);
            copied = quote + 2;
        };
        let text = if escaped {
            record.buffer.push_str(&self.row[copied..close]);
            Text::decoded(buffer_start, record.buffer.len())
        } else {
            Text::of_line(open + 1, close)
        };
        let mut after = close + 1;
        while matches!(bytes.get(after), Some(b' ' | b'\t' | b'\r')) {
            after += 1;
        }
        match bytes.get(after) {
            None | Some(b',') => self.at = after + 1,
            Some(_) => {
                let message = "expected `,` or the end of the row after the closing quote";
                return Err(Flaw::new(Fault::Quotes, after, message));
            }
        }
        Ok((text, open, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(row: &str) -> std::result::Result<Vec<String>, (usize, String)> {
        let mut record = Record::new(0);
        let mut cells = Cells { row, at: 0 };
        let mut all = Vec::new();
        loop {
            match cells.next(&mut record) {
                Ok(Some((text, _, quoted))) => {
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
        assert!(!open_after(b"a,\"b\"\"c\",d\"e", false));
        assert!(open_after(b"a, \"b\"\"", false));
        assert!(open_after(b"b", true));
        assert!(!open_after(b"b\",c", true));
        assert_eq!(cells("a,\"b").unwrap_err().0, 2);
        assert_eq!(cells("a,\"b\"c").unwrap_err().0, 5);
        assert_eq!(cells("a,\"b\"\"").unwrap_err().0, 2);
    }
}
