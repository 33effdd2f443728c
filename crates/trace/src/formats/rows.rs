//! Rows of cells: `name`, then arguments, or columns that a header row names.

use std::marker::PhantomData;

use watchword_model::Time;

use super::{Around, Line, LineFormat, Result};
use crate::error::{Fault, Flaw};
use crate::locations;
use crate::points::Point;
use crate::record::{Arg, ArgKey, Raw, Record, Slot, Text};
use crate::routes::Routes;
use crate::times::Times;

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

/// How rows are cut into cells.
pub trait Cells {
    /// What stands between cells.
    const SEPARATOR: char;

    /// The next cell of a row, from a byte that is moved behind it; past the end of the row there
    /// is none.
    fn next(row: &str, at: &mut usize, record: &mut Record) -> Result<Option<Cell>>;
}

/// A cell of a row.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// What it holds.
    pub text: Text,
    /// Where it begins.
    pub at: usize,
    /// Whether it stands in quotes.
    pub quoted: bool,
}

/// Reads rows into a [`Record`].
#[derive(Debug)]
pub struct Rows<C> {
    columns: Vec<(Box<str>, Role)>,
    started: bool,
    cells: PhantomData<C>,
}

impl<C> Default for Rows<C> {
    fn default() -> Rows<C> {
        Rows { columns: Vec::new(), started: false, cells: PhantomData }
    }
}

impl<C: Cells> LineFormat for Rows<C> {
    fn columns(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| &**name).collect()
    }

    fn read(&mut self, row: &str, record: &mut Record, around: &mut Around<'_>) -> Result<Line> {
        if !self.started {
            self.started = true;
            if is_header(row, C::SEPARATOR, around.routes) {
                self.header(row, record, around)?;
                return Ok(Line::Header);
            }
            around.unnamed = !around.routes.is_event(first_cell(row, C::SEPARATOR));
        }
        let Around { locations, threads, times, .. } = around;
        record.has_args = true;
        let mut next = 0;
        let mut column = 0;
        while let Some(Cell { text, at, quoted }) = C::next(row, &mut next, record)? {
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
        Ok(Line::Record)
    }
}

impl<C: Cells> Rows<C> {
    fn name(&self, row: &str, record: &mut Record, text: Text, at: usize) -> Result<()> {
        if record.text(row, text).is_empty() {
            return Err(Flaw::new(Fault::Shape, at, "expected the name of an event"));
        }
        record.point = Point::Event;
        record.name = text;
        record.name_at = at;
        Ok(())
    }

    fn header(&mut self, row: &str, record: &mut Record, around: &Around<'_>) -> Result<()> {
        let Around { times, routes, .. } = around;
        // A header with a mistake is none at all.
        let mut columns: Vec<(Box<str>, Role)> = Vec::new();
        let mut next = 0;
        while let Some(Cell { text, at, .. }) = C::next(row, &mut next, record)? {
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

/// Whether a first row says what the file is: it names columns, or it is an event that is known.
pub fn begins<C: Cells>(row: &str, routes: &Routes) -> bool {
    routes.is_event(first_cell(row, C::SEPARATOR)) || is_header(row, C::SEPARATOR, routes)
}

/// Whether a row, the first of a file, names columns: one of them is `event`. A row that begins with
/// the name of an event is that event.
fn is_header(row: &str, separator: char, routes: &Routes) -> bool {
    let mut cells = row.split(separator).map(|cell| cell.trim().trim_matches('"'));
    let first = cells.next().unwrap_or_default();
    first == "event" || !routes.is_event(first) && cells.any(|cell| cell == "event")
}

/// The first cell of a row, trimmed; quotes are not looked at.
fn first_cell(row: &str, separator: char) -> &str {
    row.split(separator).next().unwrap_or_default().trim()
}
