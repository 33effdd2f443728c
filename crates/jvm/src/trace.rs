//! The trace: every event, in the order in which the monitors saw it, as `replay` reads it.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use watchword_model::{EventRef, Model, PropertyId, Time, Value, ValueRef};

use crate::ids::{ClassNumbers, serial};

/// A trace that is being written.
pub struct Trace {
    out: BufWriter<File>,
    names: Vec<String>,
    properties: Vec<String>,
    line: String,
}

impl Trace {
    /// Begins a trace.
    pub fn create(path: &Path, model: &Model) -> std::io::Result<Trace> {
        let names = model.events.iter().map(|e| e.name.clone()).collect();
        let properties = model.properties.iter().map(|p| p.name.clone()).collect();
        let out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        Ok(Trace { out, names, properties, line: String::new() })
    }

    /// Adds an event; `only` if it does not exist for all properties.
    pub fn write(
        &mut self,
        event: &EventRef<'_>,
        only: Option<&[PropertyId]>,
        seq: u64,
        site: &str,
        numbers: &ClassNumbers,
    ) -> std::io::Result<()> {
        let line = &mut self.line;
        line.clear();
        line.push_str("{\"event\":");
        quote(line, &self.names[event.kind.index()]);
        line.push_str(",\"args\":[");
        for (i, arg) in event.args.iter().enumerate() {
            if i > 0 {
                line.push(',');
            }
            value(line, arg, numbers);
        }
        line.push(']');
        if let Some(time) = event.time {
            line.push(',');
            write_time(line, time);
        }
        if let Some(thread) = event.thread {
            let _ = write!(line, ",\"thread\":{thread}");
        }
        if let Some(place) = event.location {
            line.push_str(",\"loc\":{");
            if let Some(file) = &place.location.file {
                line.push_str("\"file\":");
                quote(line, file);
                line.push(',');
            }
            if let Some(number) = place.line() {
                let _ = write!(line, "\"line\":{number},");
            }
            line.push_str("\"function\":");
            quote(line, place.location.function.as_deref().unwrap_or_default());
            line.push('}');
        }
        if let Some(only) = only {
            line.push_str(",\"for\":[");
            for (i, id) in only.iter().enumerate() {
                if i > 0 {
                    line.push(',');
                }
                quote(line, &self.properties[id.index()]);
            }
            line.push(']');
        }
        line.push_str(",\"site\":");
        quote(line, site);
        let _ = writeln!(line, ",\"seq\":{seq}}}");
        self.out.write_all(line.as_bytes())
    }

    /// The program has ended: says when, if time matters, for deadlines that passed after the last
    /// event. Writes what is still in memory.
    pub fn finish(&mut self, ended: Option<Time>) -> std::io::Result<()> {
        if let Some(time) = ended {
            self.line.clear();
            self.line.push('{');
            write_time(&mut self.line, time);
            self.line.push_str("}\n");
            self.out.write_all(self.line.as_bytes())?;
        }
        self.out.flush()
    }
}

fn write_time(line: &mut String, time: Time) {
    let _ = write!(line, "\"time\":{}.{:09}", time / 1_000_000_000, time % 1_000_000_000);
}

/// A value as the trace format has it. Events of programs carry no maps or addresses.
fn value(line: &mut String, value: &ValueRef<'_>, numbers: &ClassNumbers) {
    let _ = match *value {
        // Names of a method and types of an argument: there may be several.
        ValueRef::Other(Value::List(items)) => {
            line.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    line.push(',');
                }
                self::value(line, &item.into(), numbers);
            }
            line.push(']');
            Ok(())
        }
        ValueRef::Null | ValueRef::Ptr(_) | ValueRef::Other(_) => write!(line, "null"),
        ValueRef::Bool(b) => write!(line, "{b}"),
        ValueRef::Int(i) => write!(line, "{i}"),
        ValueRef::Float(f) if f.is_finite() => write!(line, "{f:?}"),
        ValueRef::Float(f) if f.is_nan() => write!(line, "{{\"float\":\"nan\"}}"),
        ValueRef::Float(f) if f > 0.0 => write!(line, "{{\"float\":\"inf\"}}"),
        ValueRef::Float(_) => write!(line, "{{\"float\":\"-inf\"}}"),
        ValueRef::Str(text) => {
            quote(line, text);
            Ok(())
        }
        ValueRef::Ref(id, _) => {
            let _ = write!(line, "{{\"ref\":{}", serial(id));
            if let Some(class) = numbers.name(id) {
                line.push_str(",\"class\":");
                quote(line, &class);
            }
            line.push('}');
            Ok(())
        }
    };
}

fn quote(line: &mut String, text: &str) {
    line.push('"');
    for c in text.chars() {
        match c {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            c if c < ' ' || c == '\u{7f}' => {
                let _ = write!(line, "\\u{:04x}", c as u32);
            }
            c => line.push(c),
        }
    }
    line.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_written() {
        let names = Value::List(std::sync::Arc::new(vec![Value::str("A.m"), Value::str("B.m")]));
        let mut line = String::new();
        value(&mut line, &ValueRef::from(&names), &ClassNumbers::default());
        assert_eq!(line, r#"["A.m","B.m"]"#);
    }
}
