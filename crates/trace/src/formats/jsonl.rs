//! JSON Lines: one object per line.

use watchword_model::Location;

use std::sync::Arc;

use super::{Around, Line, LineFormat, Result, take_time};
use crate::error::{Fault, Flaw};
use crate::json::{Cursor, Keys};
use crate::locations::{self, Locations};
use crate::paths::Paths;
use crate::points::Point;
use crate::record::{Arg, ArgKey, Raw, Record, Slot};
use crate::times::{TIME_FIELDS, Times};

/// What a key of the record itself is for.
#[derive(Clone, Copy, PartialEq)]
enum Top {
    Name(Point),
    Args,
    Time,
    Thread,
    Loc,
    For,
    Field,
}

/// Keys of a record with a meaning, besides those of program points.
pub(crate) const TOP: [&str; 6] = ["event", "args", "time", "thread", "for", "loc"];

/// Keys of the record itself that have a meaning of their own.
const KNOWN: [&str; 4] = ["args", "time", "thread", "loc"];

#[inline]
fn classify(key: &str) -> Top {
    match key {
        "event" => Top::Name(Point::EVENT),
        "args" => Top::Args,
        "time" => Top::Time,
        "thread" => Top::Thread,
        "loc" => Top::Loc,
        "for" => Top::For,
        _ => Point::of_key(key).map_or(Top::Field, Top::Name),
    }
}

/// Reads JSON objects into a [`Record`].
#[derive(Clone)]
pub struct JsonLines {
    /// Some field that is asked for has the name of a key with a meaning of its own.
    shadows: bool,
    /// The time is in another field than `time`.
    time_elsewhere: bool,
}

impl JsonLines {
    /// A reader that will be asked for these fields.
    pub fn new(paths: &Paths, times: &Times) -> JsonLines {
        let names = Point::keys();
        let shadows = KNOWN.into_iter().chain(names).any(|key| paths.top(key).is_some());
        JsonLines { shadows, time_elsewhere: times.field.is_some() }
    }

    /// A reader of objects whose time is known already.
    pub fn without_time(paths: &Paths, times: &Times) -> JsonLines {
        JsonLines { time_elsewhere: true, ..JsonLines::new(paths, times) }
    }

    /// Reads an object, but for a time in a field of the user's choice.
    pub fn fields(&self, line: &str, record: &mut Record, around: &mut Around<'_>) -> Result<()> {
        let Around { routes, locations, threads, times, .. } = around;
        let paths = &routes.paths;
        let mut cursor = Cursor::new(line);
        if cursor.peek() != b'{' {
            return Err(not_an_object(&mut cursor));
        }
        let object = cursor.at;
        cursor.at += 1;
        if cursor.take(b'}') {
            return cursor.expect_end();
        }
        let mut keys = Keys::default();
        let mut seen = 0u8;
        let mut once = |bit: u8, at: usize, key: &str| {
            if seen & bit != 0 {
                return Err(Flaw::new(Fault::Duplicate, at, format!("`{key}` occurs twice")));
            }
            seen |= bit;
            Ok(())
        };
        loop {
            let key = cursor.key(record)?;
            let text = record.text(line, key);
            let mut top = classify(text);
            if top == Top::Time && self.time_elsewhere {
                top = Top::Field;
            }
            // A parameter or a field of a log may be called like that.
            if top == Top::For && paths.top(text).is_some() {
                top = Top::Field;
            }
            // The other keys with a meaning are counted one by one.
            if matches!(top, Top::Field | Top::Name(_) | Top::For) && top != Top::Name(Point::EVENT)
            {
                keys.add(text);
            }
            if top == Top::Field || self.shadows {
                let node = paths.top(text);
                match node {
                    Some(node) if top == Top::Field => paths.capture(node, &mut cursor, record)?,
                    Some(node) => {
                        let start = cursor.at;
                        paths.capture(node, &mut cursor, record)?;
                        cursor.at = start;
                    }
                    None if top == Top::Field => cursor.skip()?,
                    None => {}
                }
            }
            let next = if top == Top::Field { 0 } else { cursor.peek() };
            let at = cursor.at;
            match top {
                Top::Field => {}
                Top::Name(Point::EVENT) => {
                    once(1, at, "event")?;
                    if next != b'"' {
                        return Err(Flaw::new(
                            Fault::Shape,
                            at,
                            "expected the event's name in quotes after `\"event\":`",
                        ));
                    }
                    record.name = cursor.string(record)?;
                    record.name_at = at;
                    record.point = Point::EVENT;
                }
                // A log may well have a field called `set` or `start`: only the first one that
                // holds a text makes the record a program point.
                Top::Name(point) if record.point == Point::NONE && next == b'"' => {
                    record.name = cursor.string(record)?;
                    record.name_at = at;
                    record.point = point;
                    if point == Point::CLASS_INIT {
                        record.is_class_init(line);
                    }
                }
                Top::Name(_) => cursor.skip()?,
                Top::Args => {
                    once(2, at, "args")?;
                    read_args(&mut cursor, record)?;
                }
                Top::Time => {
                    once(4, at, "time")?;
                    record.time = read_time(&mut cursor, record, times)?;
                    record.time_at = at;
                }
                Top::Thread => {
                    once(8, at, "thread")?;
                    record.thread = match cursor.value(record)? {
                        Raw::Int(i) => Some(i as u64),
                        Raw::Big(u) => Some(u),
                        Raw::Str(name) => Some(threads.id(record.text(line, name))),
                        Raw::Ref(id, _, _) => Some(id),
                        Raw::Null => None,
                        _ => {
                            let message = "expected a number or a name as `thread`";
                            return Err(Flaw::new(Fault::Field, at, message));
                        }
                    };
                }
                // Anything but a list is a field that no property reads.
                Top::For if next != b'[' => cursor.skip()?,
                Top::For => {
                    once(32, at, "for")?;
                    if let Raw::Other(list) = cursor.value(record)? {
                        record.only = Some(list);
                    }
                }
                Top::Loc => {
                    once(16, at, "loc")?;
                    record.location = read_location(&mut cursor, record, locations)?;
                }
            }
            if !cursor.more(b'}')? {
                break;
            }
        }
        cursor.expect_once(keys, object)?;
        cursor.expect_end()
    }
}

impl LineFormat for JsonLines {
    fn copy(&self) -> Box<dyn LineFormat> {
        Box::new(self.clone())
    }

    fn read(&mut self, line: &str, record: &mut Record, around: &mut Around<'_>) -> Result<Line> {
        self.fields(line, record, around)?;
        take_time(line, record, around.times)?;
        Ok(Line::Record)
    }
}

/// The field of a first record that has its time, if that is not `time`: the likeliest of those that
/// hold one.
#[cold]
pub fn time_field(line: &str) -> Option<&'static str> {
    let mut cursor = Cursor::new(line);
    if cursor.peek() != b'{' {
        return None;
    }
    cursor.at += 1;
    let mut record = Record::new(0);
    let mut best: Option<usize> = None;
    // Of a line that goes on beyond what is looked at, the fields that are there count.
    while let Ok(key) = cursor.key(&mut record) {
        let name = record.text(line, key);
        if name == "time" {
            return None;
        }
        let rank = TIME_FIELDS.iter().position(|field| *field == name);
        cursor.peek();
        let at = cursor.at;
        let Ok(raw) = cursor.value(&mut record) else { break };
        let said = match raw {
            Raw::Str(text) => record.text(line, text),
            Raw::Int(_) | Raw::Big(_) | Raw::Float(_) | Raw::Huge(_) => line[at..cursor.at].trim(),
            _ => "",
        };
        if rank.is_some()
            && best.is_none_or(|best| rank < Some(best))
            && Times::looking().text(said).is_some()
        {
            best = rank;
        }
        if !matches!(cursor.more(b'}'), Ok(true)) {
            break;
        }
    }
    best.map(|rank| TIME_FIELDS[rank])
}

#[cold]
fn not_an_object(cursor: &mut Cursor<'_>) -> Box<Flaw> {
    let at = cursor.at;
    match cursor.skip().and_then(|()| cursor.expect_end()) {
        Ok(()) => Flaw::new(
            Fault::Shape,
            at,
            "expected an object such as {\"event\":\"push\",\"args\":{…}}, found another value",
        ),
        Err(_) => {
            cursor.at = at;
            cursor.expected("an object: each line of a JSON Lines trace begins with `{`")
        }
    }
}

fn read_args(cursor: &mut Cursor<'_>, record: &mut Record) -> Result<()> {
    record.has_args = true;
    match cursor.peek() {
        b'{' => {
            let object = cursor.at;
            cursor.at += 1;
            if cursor.take(b'}') {
                return Ok(());
            }
            let mut keys = Keys::default();
            loop {
                let key = cursor.key(record)?;
                keys.add(record.text(cursor.line(), key));
                cursor.peek();
                let at = cursor.at;
                let slot = Slot::new(cursor.value(record)?, at);
                record.args.push(Arg { key: ArgKey::Name(key), slot });
                if !cursor.more(b'}')? {
                    return cursor.expect_once(keys, object);
                }
            }
        }
        b'[' => {
            cursor.at += 1;
            if cursor.take(b']') {
                return Ok(());
            }
            loop {
                cursor.peek();
                let at = cursor.at;
                let slot = Slot::new(cursor.value(record)?, at);
                record.args.push(Arg { key: ArgKey::Position, slot });
                if !cursor.more(b']')? {
                    return Ok(());
                }
            }
        }
        _ => Err(Flaw::new(
            Fault::Shape,
            cursor.at,
            "expected a list or an object of arguments after `\"args\":`",
        )),
    }
}

fn read_time(
    cursor: &mut Cursor<'_>,
    record: &mut Record,
    times: &mut Times,
) -> Result<Option<i64>> {
    let start = cursor.at;
    let bad = |what: &str| Flaw::new(Fault::Field, start, what.to_string());
    match cursor.peek() {
        b'"' => {
            let text = cursor.string(record)?;
            let text = record.text(cursor.line(), text);
            match times.text(text) {
                Some(time) => Ok(Some(time)),
                None => Err(bad(&format!("expected {}", times.expected()))),
            }
        }
        b'0'..=b'9' | b'-' => {
            cursor.number()?;
            match times.number(&cursor.line()[start..cursor.at]) {
                Some(time) => Ok(Some(time)),
                None => Err(bad("this time is out of range: times are nanoseconds in 64 bits")),
            }
        }
        _ => match cursor.value(record)? {
            Raw::Null => Ok(None),
            _ => Err(bad("expected a number of seconds or an RFC 3339 text as `time`")),
        },
    }
}

fn read_location(
    cursor: &mut Cursor<'_>,
    record: &mut Record,
    locations: &mut Locations,
) -> Result<Option<usize>> {
    let start = cursor.at;
    cursor.skip()?;
    let text = &cursor.line()[start..cursor.at];
    if text == "null" {
        return Ok(None);
    }
    if let Some(known) = locations.find(text) {
        return Ok(Some(known));
    }
    let mut inner = Cursor::new(cursor.line());
    inner.at = start;
    let location = match inner.peek() {
        b'"' => {
            let content = inner.string(record)?;
            locations::parse(record.text(cursor.line(), content))
        }
        b'{' => read_location_object(&mut inner, record)?,
        _ => return Err(bad_location(start)),
    };
    Ok(Some(locations.add(text, location)))
}

fn read_location_object(cursor: &mut Cursor<'_>, record: &mut Record) -> Result<Location> {
    let mut location = Location::default();
    cursor.at += 1;
    if cursor.take(b'}') {
        return Ok(location);
    }
    loop {
        let key = cursor.key(record)?;
        cursor.peek();
        let at = cursor.at;
        let raw = cursor.value(record)?;
        let line = cursor.line();
        match (record.text(line, key), raw) {
            ("file", Raw::Str(t)) => location.file = Some(Arc::from(record.text(line, t))),
            ("function", Raw::Str(t)) => location.function = Some(Arc::from(record.text(line, t))),
            ("line", Raw::Int(i)) => {
                location.line = Some(u32::try_from(i).map_err(|_| bad_location(at))?);
            }
            ("file" | "function" | "line", Raw::Null) => {}
            ("file" | "function" | "line", _) => return Err(bad_location(at)),
            _ => {}
        }
        if !cursor.more(b'}')? {
            return Ok(location);
        }
    }
}

#[cold]
fn bad_location(at: usize) -> Box<Flaw> {
    let message = "expected `loc` to be \"file:line\" or {\"file\":…,\"line\":…,\"function\":…}";
    Flaw::new(Fault::Field, at, message)
}
