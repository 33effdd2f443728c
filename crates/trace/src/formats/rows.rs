//! Rows of cells: `name`, then arguments, or columns that a header row names.

use watchword_model::Time;

use super::{Around, Line, LineFormat, Result};
use crate::error::{Fault, Flaw};
use crate::locations;
use crate::paths::PathId;
use crate::points::Point;
use crate::record::{Arg, ArgKey, Raw, Record, Slot, Text};
use crate::routes::Routes;
use crate::times::{TIME_FIELDS, Times};

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
pub trait Cells: Clone + Send + 'static {
    /// What stands between cells.
    fn separator(&self) -> char;

    /// The next cell of a row, from a byte that is moved behind it; past the end of the row there
    /// is none.
    fn next(&self, row: &str, at: &mut usize, record: &mut Record) -> Result<Option<Cell>>;
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
#[derive(Clone, Debug)]
pub struct Rows<C> {
    columns: Vec<Column>,
    started: bool,
    /// Some column has the name of the event.
    named: bool,
    /// A column that has the time, if the first row has one there.
    maybe_time: Option<usize>,
    /// What stands where there is nothing.
    unset: &'static str,
    cells: C,
}

/// A column that the header names.
#[derive(Clone, Debug)]
struct Column {
    name: Box<str>,
    role: Role,
    /// The field that it is, if a source asks for fields.
    field: Option<PathId>,
}

impl<C> Rows<C> {
    /// Rows that are cut in that way.
    pub fn new(cells: C) -> Rows<C> {
        Rows {
            columns: Vec::new(),
            started: false,
            named: true,
            maybe_time: None,
            unset: "",
            cells,
        }
    }

    /// Rows whose header comes by [`Rows::header`], with a text that means nothing.
    pub fn below(unset: &'static str, cells: C) -> Rows<C> {
        Rows { started: true, unset, ..Rows::new(cells) }
    }
}

impl<C: Cells> LineFormat for Rows<C> {
    fn copy(&self) -> Box<dyn LineFormat> {
        Box::new(self.clone())
    }

    fn is_settled(&self) -> bool {
        self.started && self.maybe_time.is_none()
    }

    fn columns(&self) -> Vec<&str> {
        self.columns.iter().map(|column| &*column.name).collect()
    }

    fn read(&mut self, row: &str, record: &mut Record, around: &mut Around<'_>) -> Result<Line> {
        if !self.started {
            self.started = true;
            let separator = self.cells.separator();
            if is_header(row, separator, around.routes) || names_fields(row, separator, around) {
                self.header(row, record, around)?;
                around.unnamed = !self.named;
                return Ok(Line::Header);
            }
            around.unnamed = !around.routes.is_event(first_cell(row, separator));
        }
        let Around { locations, threads, times, .. } = around;
        record.has_args = true;
        let mut next = 0;
        let mut column = 0;
        while let Some(Cell { text, at, quoted }) = self.cells.next(row, &mut next, record)? {
            if !self.unset.is_empty() && record.text(row, text) == self.unset {
                column += 1;
                continue;
            }
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
            let Some(Column { role, field, .. }) = self.columns.get(column) else {
                if record.text(row, text).is_empty() {
                    column += 1;
                    continue;
                }
                let message = format!("the header has only {} columns", self.columns.len());
                return Err(Flaw::new(Fault::Arity, at, message));
            };
            if let Some(field) = *field {
                record.fields[field] = cell(row, record, text, at, quoted);
            }
            match role {
                Role::Event => self.name(row, record, text, at)?,
                Role::Arg => {
                    // The first row that has something there decides whether it is the time.
                    let said = record.text(row, text);
                    if self.maybe_time == Some(column) && !said.is_empty() {
                        self.maybe_time = None;
                        record.time = times.text(said);
                        record.time_at = at;
                        if record.time.is_some() {
                            self.columns[column].role = Role::Time;
                        }
                    }
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
        if record.point == Point::NONE && self.named {
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
        record.point = Point::EVENT;
        record.name = text;
        record.name_at = at;
        Ok(())
    }

    /// Reads the names of the columns.
    pub fn header(&mut self, row: &str, record: &mut Record, around: &Around<'_>) -> Result<()> {
        let Around { times, routes, .. } = around;
        // A header with a mistake is none at all.
        let mut columns: Vec<Column> = Vec::new();
        let mut next = 0;
        while let Some(Cell { text, at, .. }) = self.cells.next(row, &mut next, record)? {
            let name = record.text(row, text);
            if columns.iter().any(|other| *other.name == *name) && !name.is_empty() {
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
            let parts = || routes.paths.find(&name.split('.').collect::<Vec<_>>());
            let field = || routes.paths.find(&[name]).or_else(parts);
            let field = routes.asks_for_fields().then(field).flatten();
            columns.push(Column { name: name.into(), role, field });
        }
        self.named = columns.iter().any(|column| column.role == Role::Event);
        if !columns.iter().any(|column| column.role == Role::Time) && times.name.is_none() {
            let is = |name: &str, column: &Column| {
                column.role == Role::Arg && column.name.eq_ignore_ascii_case(name)
            };
            let mut found =
                TIME_FIELDS.iter().filter_map(|n| columns.iter().position(|c| is(n, c)));
            self.maybe_time = found.next();
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
pub fn begins(row: &str, separator: char, routes: &Routes) -> bool {
    routes.is_event(first_cell(row, separator)) || is_header(row, separator, routes)
}

/// Whether a row, the first of a file, names columns though none of them is `event`: it begins with no
/// event, all its cells differ, none is a number, and one of them is a field that somebody asks for.
fn names_fields(row: &str, separator: char, around: &Around<'_>) -> bool {
    let Around { routes, times, .. } = around;
    let cells: Vec<&str> = row.split(separator).map(|c| c.trim().trim_matches('"')).collect();
    let is_name = |cell: &&str| !cell.is_empty() && cell.parse::<f64>().is_err();
    let is_asked =
        |cell: &&str| times.name.as_deref() == Some(*cell) || routes.paths.find(&[*cell]).is_some();
    let differ = || (1..cells.len()).all(|i| !cells[..i].contains(&cells[i]));
    cells.len() > 1
        && !routes.is_event(cells[0])
        && cells.iter().all(is_name)
        && cells.iter().any(is_asked)
        && differ()
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
