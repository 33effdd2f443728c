//! Records as every writer of traces writes them: JSON Lines, one event per line.
//!
//! What is written here is read back equal by the [reader](crate::Reader): the event, its
//! arguments, time, thread, place and the properties it exists for.

use std::fmt::{self, Write};
use std::sync::Arc;

use watchword_model::{EventRef, Model, PropertyId, Time, Value, ValueRef, Where};

/// How arguments are identified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// By the names of the parameters; those beyond the declared ones make all of them a list.
    ByName,
    /// By their positions: shorter.
    ByPosition,
}

/// What a record holds besides the event.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a> {
    /// How arguments are identified.
    pub arguments: Arguments,
    /// The properties the event exists for, if not for all.
    pub only: Option<&'a [PropertyId]>,
    /// The program point of a JVM.
    pub site: Option<&'a str>,
    /// The position of the event in the run, from 1.
    pub seq: u64,
}

/// What an object is called in a trace.
pub trait Objects {
    /// The number and the class of an object that has this identity and, where the event says it,
    /// this class.
    fn object(&self, id: u64, class: Option<&str>) -> (u64, Option<Arc<str>>);
}

/// Objects are called what events call them.
pub struct AsTheyAre;

impl Objects for AsTheyAre {
    fn object(&self, id: u64, class: Option<&str>) -> (u64, Option<Arc<str>>) {
        (id, class.map(Arc::from))
    }
}

/// Appends the record of an event of the model, with its line feed.
pub fn event(
    out: &mut String,
    model: &Model,
    event: &EventRef<'_>,
    beside: &Beside<'_>,
    objects: &impl Objects,
) {
    // Writing to a string cannot fail.
    let _ = try_event(out, model, event, beside, objects);
}

/// Appends the last record of a trace: when the program ended, for deadlines that passed after the
/// last event.
pub fn end(out: &mut String, time: Time) {
    let _ = writeln!(out, "{{\"time\":{}}}", seconds(time));
}

fn try_event(
    out: &mut String,
    model: &Model,
    event: &EventRef<'_>,
    beside: &Beside<'_>,
    objects: &impl Objects,
) -> fmt::Result {
    let decl = &model.events[event.kind.index()];
    out.push_str("{\"event\":");
    quote(out, &decl.name)?;
    let by_name = beside.arguments == Arguments::ByName && event.args.len() <= decl.params.len();
    out.push_str(if by_name { ",\"args\":{" } else { ",\"args\":[" });
    for (i, arg) in event.args.iter().enumerate() {
        separate(out, i);
        if by_name {
            quote(out, &decl.params[i].name)?;
            out.push(':');
        }
        value(out, arg, objects)?;
    }
    out.push(if by_name { '}' } else { ']' });
    if let Some(time) = event.time {
        write!(out, ",\"time\":{}", seconds(time))?;
    }
    if let Some(thread) = event.thread {
        write!(out, ",\"thread\":{thread}")?;
    }
    if let Some(place) = event.location {
        location(out, place)?;
    }
    if let Some(only) = beside.only {
        out.push_str(",\"for\":[");
        for (i, id) in only.iter().enumerate() {
            separate(out, i);
            quote(out, &model.properties[id.index()].name)?;
        }
        out.push(']');
    }
    if let Some(site) = beside.site {
        out.push_str(",\"site\":");
        quote(out, site)?;
    }
    writeln!(out, ",\"seq\":{}}}", beside.seq)
}

/// Appends what is known of a place; nothing if nothing is.
fn location(out: &mut String, place: Where<'_>) -> fmt::Result {
    let (file, function) = (&place.location.file, &place.location.function);
    let mut before = ",\"loc\":{";
    if let Some(file) = file {
        write!(out, "{before}\"file\":")?;
        quote(out, file)?;
        before = ",";
    }
    if let Some(line) = place.line() {
        write!(out, "{before}\"line\":{line}")?;
        before = ",";
    }
    if let Some(function) = function {
        write!(out, "{before}\"function\":")?;
        quote(out, function)?;
        before = ",";
    }
    if before == "," { out.write_char('}') } else { Ok(()) }
}

fn separate(out: &mut String, position: usize) {
    if position > 0 {
        out.push(',');
    }
}

/// Appends a value. JSON has no keys but texts: those of a map that are others are shown.
fn value(out: &mut String, value: &ValueRef<'_>, objects: &impl Objects) -> fmt::Result {
    match *value {
        ValueRef::Null => out.write_str("null"),
        ValueRef::Bool(b) => write!(out, "{b}"),
        ValueRef::Int(i) => write!(out, "{i}"),
        ValueRef::Float(f) if f.is_finite() => write!(out, "{f:?}"),
        ValueRef::Float(f) if f.is_nan() => out.write_str("{\"float\":\"nan\"}"),
        ValueRef::Float(f) if f > 0.0 => out.write_str("{\"float\":\"inf\"}"),
        ValueRef::Float(_) => out.write_str("{\"float\":\"-inf\"}"),
        ValueRef::Str(text) => quote(out, text),
        ValueRef::Ptr(p) => write!(out, "{{\"ptr\":\"{p:#x}\"}}"),
        ValueRef::Ref(id, class) => {
            let (number, class) = objects.object(id, class);
            write!(out, "{{\"ref\":{number}")?;
            if let Some(class) = class {
                out.push_str(",\"class\":");
                quote(out, &class)?;
            }
            out.write_char('}')
        }
        ValueRef::Other(Value::List(items)) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                separate(out, i);
                self::value(out, &item.into(), objects)?;
            }
            out.write_char(']')
        }
        ValueRef::Other(Value::Map(entries)) => {
            out.push('{');
            for (i, (key, item)) in entries.iter().enumerate() {
                separate(out, i);
                quote(out, &Value::from(key.clone()).to_string())?;
                out.push(':');
                self::value(out, &item.into(), objects)?;
            }
            out.write_char('}')
        }
        ValueRef::Other(other) => self::value(out, &other.into(), objects),
    }
}

/// Writes a text in quotes, as JSON has it.
pub fn quote(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' && byte != 0x7f {
            continue;
        }
        out.write_str(&text[from..at])?;
        from = at + 1;
        match byte {
            b'"' => out.write_str("\\\"")?,
            b'\\' => out.write_str("\\\\")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            byte => write!(out, "\\u{byte:04x}")?,
        }
    }
    out.write_str(&text[from..])?;
    out.write_char('"')
}

/// Seconds, exactly, without superfluous zeros.
pub fn seconds(nanos: Time) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let (whole, rest) =
        (nanos.unsigned_abs() / 1_000_000_000, nanos.unsigned_abs() % 1_000_000_000);
    if rest == 0 {
        return format!("{sign}{whole}");
    }
    format!("{sign}{whole}.{rest:09}").trim_end_matches('0').to_string()
}
