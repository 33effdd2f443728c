//! The events of a log, one after the other.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Read};

use quick_xml::Reader;
use quick_xml::errors::Error as XmlError;
use quick_xml::events::{BytesStart, Event};

use super::source::Source;
use crate::formats::jsonl::TOP;
use crate::points::Point;
use crate::write::quote;

/// How deep elements may be inside of each other; attributes may have attributes.
const MAX_DEPTH: usize = 64;

/// What an element is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Log,
    Trace,
    Event,
    /// An attribute, whose own attributes have its key before theirs.
    Attribute,
    /// The values of a list.
    List,
    /// What says nothing of events.
    Other,
}

/// A key with its value, which is JSON.
type Pairs = Vec<(String, String)>;

/// An element that is open.
struct Open {
    place: Place,
    name: String,
    /// What is before the keys inside.
    prefix: String,
}

pub struct Events<R: Read> {
    xml: Reader<Source<R>>,
    open: Vec<Open>,
    /// The name of the trace that is open, and its other attributes.
    case_name: Option<String>,
    case: Pairs,
    /// The name and the time of the event that is open, and its other attributes.
    name: Option<String>,
    time: Option<String>,
    event: Pairs,
    /// The line the event begins on.
    begun: u64,
    /// The values of the list that is open, and its key.
    list: Option<(String, Vec<String>)>,
    buffer: Vec<u8>,
    has_root: bool,
}

impl<R: Read> Events<R> {
    pub fn new(input: R) -> Events<R> {
        let mut xml = Reader::from_reader(Source::new(input));
        xml.config_mut().expand_empty_elements = true;
        Events {
            xml,
            open: Vec::new(),
            case_name: None,
            case: Pairs::new(),
            name: None,
            time: None,
            event: Pairs::new(),
            begun: 0,
            list: None,
            buffer: Vec::new(),
            has_root: false,
        }
    }

    /// The next event, as JSON, and its line; `None` at the end.
    pub fn next_event(&mut self) -> io::Result<Option<(u64, String)>> {
        loop {
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.clear();
            self.xml.get_mut().begin_piece();
            let read = self.xml.read_event_into(&mut buffer);
            let step = match read {
                Ok(Event::Start(tag)) => self.start(&tag).map(|()| Step::On),
                Ok(Event::End(_)) => Ok(self.end()),
                Ok(Event::Decl(declaration)) => match declaration.encoding() {
                    Some(Ok(name)) if !is_utf8(&name) => Err(format!(
                        "it is written in {name}; convert it to UTF-8, for instance with \
                         `iconv -f {name} -t UTF-8`"
                    )),
                    _ => Ok(Step::On),
                },
                Ok(Event::Eof) => self.finish().map(|()| Step::Ended),
                Ok(_) => Ok(Step::On),
                Err(XmlError::Io(error)) if error.kind() != io::ErrorKind::InvalidData => {
                    return Err(io::Error::new(error.kind(), error.to_string()));
                }
                Err(XmlError::Io(error)) => Err(error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            self.buffer = buffer;
            match step.map_err(|why| self.wrong(&why))? {
                Step::On => {}
                Step::Event => return Ok(Some((self.begun, self.written()))),
                Step::Ended => return Ok(None),
            }
        }
    }

    fn wrong(&self, why: &str) -> io::Error {
        let line = self.xml.get_ref().lines + 1;
        io::Error::new(io::ErrorKind::InvalidData, format!("line {line}: this is no XES: {why}"))
    }

    fn finish(&self) -> Result<(), String> {
        match self.open.last() {
            Some(open) => Err(format!("the file ends inside of `<{}>`", open.name)),
            None if !self.has_root => Err("it has no `<log>`".into()),
            None => Ok(()),
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), String> {
        let name = tag.local_name().as_ref().to_string();
        if self.open.len() == MAX_DEPTH {
            return Err(format!("`<{name}>` is inside of {MAX_DEPTH} others"));
        }
        let around = self.open.last().map(|open| (open.place, open.prefix.clone()));
        let mut prefix = String::new();
        let place = match (around, name.as_str()) {
            (None, "log") if !self.has_root => {
                self.has_root = true;
                Place::Log
            }
            (None, _) => return Err(format!("`<{name}>` is outside of the log")),
            (Some((Place::Log, _)), "trace") => {
                self.case_name = None;
                self.case.clear();
                Place::Trace
            }
            (Some((Place::Log | Place::Trace, _)), "event") => {
                (self.name, self.time) = (None, None);
                self.event.clear();
                let inside = memchr::memchr_iter(b'\n', tag.as_bytes()).count() as u64;
                self.begun = self.xml.get_ref().lines + 1 - inside;
                Place::Event
            }
            (Some((Place::List, prefix_around)), "values") => {
                prefix = prefix_around;
                Place::List
            }
            (Some((Place::List, _)), kind) if is_value(kind) => {
                let value = attribute(tag, "value")?.unwrap_or_default();
                let value = json(kind, &value)?;
                if let Some((_, values)) = &mut self.list {
                    values.push(value);
                }
                Place::Other
            }
            (Some((Place::Trace | Place::Event | Place::Attribute, around)), kind)
                if is_value(kind) || matches!(kind, "list" | "container") =>
            {
                let Some(key) = attribute(tag, "key")? else {
                    return Err(format!("a `<{kind}>` has no `key`"));
                };
                let said = key;
                let key = format!("{around}{}", field(&said));
                prefix = format!("{key}_");
                match kind {
                    "list" if self.list.is_none() => {
                        self.list = Some((key, Vec::new()));
                        Place::List
                    }
                    "list" | "container" => Place::Attribute,
                    _ => {
                        let Some(value) = attribute(tag, "value")? else {
                            return Err(format!("the `<{kind}>` `{key}` has no `value`"));
                        };
                        let value = json(kind, &value).map_err(|why| format!("`{key}` {why}"))?;
                        match self.known(&said) {
                            Some(known) => *known = Some(value),
                            None => self.add(key, value),
                        }
                        Place::Attribute
                    }
                }
            }
            _ => Place::Other,
        };
        self.open.push(Open { place, name, prefix });
        Ok(())
    }

    fn end(&mut self) -> Step {
        let closed = self.open.pop();
        match closed.map(|open| (open.place, open.name)) {
            Some((Place::Event, _)) => return Step::Event,
            Some((Place::List, name)) if name == "list" => {
                if let Some((key, values)) = self.list.take() {
                    self.add(key, format!("[{}]", values.join(",")));
                }
            }
            Some((Place::Trace, _)) => {
                self.case_name = None;
                self.case.clear();
            }
            _ => {}
        }
        Step::On
    }

    /// Where the value of an attribute goes that every reader of such logs knows.
    fn known(&mut self, key: &str) -> Option<&mut Option<String>> {
        match (self.open.last()?.place, key) {
            (Place::Event, "concept:name") => Some(&mut self.name),
            (Place::Event, "time:timestamp") => Some(&mut self.time),
            (Place::Trace, "concept:name") => Some(&mut self.case_name),
            _ => None,
        }
    }

    /// Adds an attribute to the event that is open, or to the trace.
    fn add(&mut self, key: String, value: String) {
        let in_event = self.open.iter().any(|open| open.place == Place::Event);
        match in_event {
            true => self.event.push((key, value)),
            false => self.case.push((key, value)),
        }
    }

    /// The event that has ended, as JSON.
    fn written(&mut self) -> String {
        let mut known = Pairs::new();
        let case_name = self.case_name.clone();
        let named = [("event", self.name.take()), ("time", self.time.take()), ("case", case_name)];
        for (key, value) in named {
            known.extend(value.map(|value| (key.to_string(), value)));
        }
        // A record has keys with a meaning of their own, which attributes have not.
        let rest = self.event.drain(..).map(|(key, value)| match has_meaning(&key) {
            true => (format!("event_{key}"), value),
            false => (key, value),
        });
        let case = self.case.iter().map(|(key, value)| (format!("case_{key}"), value.clone()));
        let mut out = String::from("{");
        let mut written = BTreeSet::new();
        // Of keys that are the same, the first is kept: an event may have an attribute `event`.
        for (key, value) in known.into_iter().chain(rest).chain(case) {
            if written.contains(&key) {
                continue;
            }
            let comma = if written.is_empty() { "" } else { "," };
            let _ = write!(out, "{comma}{}:{value}", quoted(&key));
            written.insert(key);
        }
        out.push('}');
        out
    }
}

/// Whether a key of a record says more than the value of a field.
fn has_meaning(key: &str) -> bool {
    matches!(key, "case") || TOP.contains(&key) || Point::of_key(key).is_some()
}

enum Step {
    On,
    /// An event has ended.
    Event,
    Ended,
}

fn is_utf8(name: &str) -> bool {
    ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|n| name.eq_ignore_ascii_case(n))
}

fn is_value(kind: &str) -> bool {
    matches!(kind, "string" | "date" | "int" | "float" | "boolean" | "id")
}

/// A key as the name of a field.
fn field(key: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || c == '_';
    key.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = quote(&mut out, text);
    out
}

/// The value of an attribute of a tag.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attribute.key.as_ref() == name {
            let text = quick_xml::escape::unescape(&attribute.value);
            let text = text.map_err(|error| error.to_string())?;
            return Ok(Some(text.into_owned()));
        }
    }
    Ok(None)
}

/// A value as JSON.
fn json(kind: &str, text: &str) -> Result<String, String> {
    let plain = text.trim();
    match kind {
        "int" => match plain.parse::<i64>() {
            Ok(number) => Ok(number.to_string()),
            Err(_) => Err(format!("is no int: {}", quoted(text))),
        },
        "float" => match plain.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(format!("{number:?}")),
            Ok(_) => Ok(quoted(plain)),
            Err(_) => Err(format!("is no float: {}", quoted(text))),
        },
        "boolean" => match plain.to_ascii_lowercase().as_str() {
            "true" | "1" => Ok("true".into()),
            "false" | "0" => Ok("false".into()),
            _ => Err(format!("is no boolean: {}", quoted(text))),
        },
        "date" => Ok(quoted(plain)),
        _ => Ok(quoted(text)),
    }
}
