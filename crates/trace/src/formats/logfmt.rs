//! logfmt: `time=2024-05-01T12:00:00Z level=info msg="logged in" user=ada` per line.

use super::{Around, Line, LineFormat, Result, take_time};
use crate::error::{Fault, Flaw};
use crate::locations;
use crate::paths::Paths;
use crate::points::Point;
use crate::record::{Raw, Record, Slot, Text};

/// Whether a line is likely to be logfmt: it begins with `key=`.
pub fn looks_like(line: &str) -> bool {
    line.trim_start().split_once('=').is_some_and(|(key, _)| {
        !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.@".contains(c))
    })
}

/// Reads `key=value` pairs into a [`Record`]. Values have no type of their own, as in CSV. A key
/// without `=` is true.
#[derive(Clone)]
pub struct Logfmt;

impl LineFormat for Logfmt {
    fn copy(&self) -> Box<dyn LineFormat> {
        Box::new(self.clone())
    }

    fn read(&mut self, line: &str, record: &mut Record, around: &mut Around<'_>) -> Result<Line> {
        pairs(line, record, around)?;
        take_time(line, record, around.times)?;
        Ok(Line::Record)
    }
}

fn pairs(line: &str, record: &mut Record, around: &mut Around<'_>) -> Result<()> {
    let paths = &around.routes.paths;
    let bytes = line.as_bytes();
    let mut at = 0;
    loop {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if at == bytes.len() {
            return Ok(());
        }
        let start = at;
        while bytes.get(at).is_some_and(|b| *b != b'=' && !b.is_ascii_whitespace()) {
            if bytes[at] == b'"' {
                return Err(Flaw::new(Fault::Shape, at, "expected `key=value`, found a quote"));
            }
            at += 1;
        }
        let key = &line[start..at];
        if key.is_empty() {
            return Err(Flaw::new(Fault::Shape, at, "expected a key before `=`"));
        }
        if bytes.get(at) != Some(&b'=') {
            field(key, Slot::new(Raw::Bool(true), start), record, paths)?;
            continue;
        }
        at += 1;
        let begin = at;
        let text = value(line, &mut at, record)?;
        known(line, key, text, begin, record, around)?;
        // Quotes around nothing are the empty text; nothing at all is null.
        let raw = match at - begin {
            2 if bytes[begin] == b'"' => Raw::Str(Text::EMPTY),
            _ => Raw::Cell(text),
        };
        field(key, Slot::new(raw, begin), record, paths)?;
    }
}

/// The value at `at`, which is moved behind it.
fn value(line: &str, at: &mut usize, record: &mut Record) -> Result<Text> {
    let bytes = line.as_bytes();
    let begin = *at;
    if bytes.get(begin) != Some(&b'"') {
        while bytes.get(*at).is_some_and(|b| !b.is_ascii_whitespace()) {
            *at += 1;
        }
        return Ok(Text::of_line(begin, *at));
    }
    let start = record.buffer.len();
    let mut chars = line[begin + 1..].char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => {
                *at = begin + 1 + i + 1;
                return Ok(Text::decoded(start, record.buffer.len()));
            }
            '\\' => match chars.next() {
                Some((_, 'n')) => record.buffer.push('\n'),
                Some((_, 't')) => record.buffer.push('\t'),
                Some((_, 'r')) => record.buffer.push('\r'),
                Some((_, other)) => record.buffer.push(other),
                None => break,
            },
            c => record.buffer.push(c),
        }
    }
    Err(Flaw::new(Fault::Shape, begin, "this quote is never closed"))
}

/// Keys with a meaning of their own.
fn known(
    line: &str,
    key: &str,
    text: Text,
    at: usize,
    record: &mut Record,
    around: &mut Around<'_>,
) -> Result<()> {
    let Around { locations, threads, times, .. } = around;
    match key {
        "event" if record.point == Point::NONE => {
            record.name = text;
            record.name_at = at;
            record.point = Point::EVENT;
        }
        "event" => return Err(Flaw::new(Fault::Duplicate, at, "`event` occurs twice")),
        "time" | "ts" if record.time.is_none() && times.field.is_none() => {
            record.time = times.text(record.text(line, text));
            record.time_at = at;
            if record.time.is_none() {
                let message = format!("expected {}", times.expected());
                return Err(Flaw::new(Fault::Field, at, message));
            }
        }
        "thread" => {
            let said = record.text(line, text);
            record.thread = Some(said.parse().unwrap_or_else(|_| threads.id(said)));
        }
        "loc" => {
            let said = record.text(line, text);
            let known = locations.find(said);
            let place = known.unwrap_or_else(|| locations.add(said, locations::parse(said)));
            record.location = Some(place);
        }
        _ => {}
    }
    Ok(())
}

/// A field that a property reads; dots in the key separate levels.
fn field(key: &str, slot: Slot, record: &mut Record, paths: &Paths) -> Result<()> {
    let whole = paths.find(&[key]);
    let nested = || paths.find(&key.split('.').collect::<Vec<_>>());
    let Some(path) = whole.or_else(nested) else { return Ok(()) };
    if !matches!(record.fields[path].raw, Raw::Missing) {
        let message = format!("`{key}` occurs twice");
        return Err(Flaw::new(Fault::Duplicate, slot.at as usize, message));
    }
    record.fields[path] = slot;
    Ok(())
}
