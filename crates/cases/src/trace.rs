//! Traces as people write them in cases.

use std::sync::Arc;

use watchword_model::{Event, Model, Object, Time, Value};

/// A line of a trace.
#[derive(Clone, Debug)]
pub enum TraceLine {
    /// An event.
    Event(Event),
    /// Time passes until then.
    Time(Time),
}

/// Reads a trace.
///
/// # Errors
/// A message with the line.
pub fn parse_trace(model: &Model, text: &str) -> Result<Vec<TraceLine>, String> {
    let mut trace = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let parsed = parse_line(model, line)
            .map_err(|message| format!("line {} `{line}`: {message}", number + 1))?;
        trace.push(parsed);
    }
    Ok(trace)
}

fn parse_line(model: &Model, line: &str) -> Result<TraceLine, String> {
    let mut cursor = Cursor { rest: line };
    if cursor.eat("@") {
        return Ok(TraceLine::Time(cursor.time()?));
    }
    let name = cursor.word();
    let kind = model.event(name).ok_or_else(|| format!("no event `{name}`"))?;
    let mut args = Vec::new();
    if cursor.eat("(") {
        args = cursor.list(")")?;
    }
    let declared = &model.events[kind.index()].params;
    for (i, value) in args.iter_mut().enumerate() {
        if let Some(param) = declared.get(i) {
            *value = value.clone().coerce(param.ty).ok_or_else(|| {
                format!("argument {} does not fit the declared type {}", i + 1, param.ty)
            })?;
        }
    }
    let mut event = Event::new(kind, args);
    if cursor.eat("@") {
        event.time = Some(cursor.time()?);
    }
    if !cursor.rest.trim().is_empty() {
        return Err(format!("unexpected `{}`", cursor.rest.trim()));
    }
    Ok(TraceLine::Event(event))
}

struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Letters, digits and what numbers and names are made of.
    fn word(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || "._-+$".contains(c)))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn time(&mut self) -> Result<Time, String> {
        let word = self.word();
        let digits = word.find(|c: char| c.is_alphabetic()).unwrap_or(word.len());
        let (number, unit) = word.split_at(digits);
        let unit: f64 = match unit {
            "ns" => 1.0,
            "us" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "min" => 60e9,
            _ => return Err(format!("no time: `{word}`")),
        };
        let number: f64 = number.parse().map_err(|_| format!("no time: `{word}`"))?;
        Ok((number * unit).round() as Time)
    }

    fn list(&mut self, close: &str) -> Result<Vec<Value>, String> {
        let mut values = Vec::new();
        if self.eat(close) {
            return Ok(values);
        }
        loop {
            values.push(self.value()?);
            if self.eat(close) {
                return Ok(values);
            }
            if !self.eat(",") {
                return Err(format!("expected `,` or `{close}` before `{}`", self.rest));
            }
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        if self.eat("\"") {
            let end = self.rest.find('"').ok_or("a text without end")?;
            let (text, rest) = self.rest.split_at(end);
            self.rest = &rest[1..];
            return Ok(Value::str(text));
        }
        if self.eat("[") {
            return Ok(Value::List(Arc::new(self.list("]")?)));
        }
        if self.eat("#") {
            let id = self.word().parse().map_err(|_| "no object number")?;
            let class = self.eat(":").then(|| Arc::from(self.word()));
            return Ok(Value::Ref(Object { id, class }));
        }
        let word = self.word();
        Ok(match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "nan" => Value::Float(f64::NAN),
            _ => {
                if let Some(hex) = word.strip_prefix("0x") {
                    Value::Ptr(u64::from_str_radix(hex, 16).map_err(|_| "no address")?)
                } else if let Ok(int) = word.parse() {
                    Value::Int(int)
                } else {
                    Value::Float(word.parse().map_err(|_| format!("no value: `{word}`"))?)
                }
            }
        })
    }
}
