//! Violations as people count them: what happens again at the same site is the same one. Only the
//! first of each is told; the others are counted, so a million of them cost a million counts.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use watchword_model::{Location, Object, PropertyId, StateId, Value};
use watchword_monitor::{Report, ReportKind};

use crate::ids::{ClassNumbers, is_id, serial};

#[derive(PartialEq, Eq, Hash)]
enum Place {
    Site(Arc<Location>),
    Binding(String),
    Unique(usize),
}

/// What was found so far.
pub struct Tally {
    known: HashMap<(PropertyId, StateId, Place), usize>,
    limit: usize,
    unique: bool,
    /// How often each violation that was told was found.
    pub counts: Vec<u64>,
    /// Violations beyond the limit.
    pub untold: u64,
    /// Violations of each property.
    pub violations: Vec<u64>,
    /// Satisfactions of each property.
    pub satisfactions: Vec<u64>,
}

impl Tally {
    /// Nothing yet, of so many properties; at most `limit` different violations will be told. If
    /// `unique`, all reports are told apart, satisfactions included.
    pub fn new(properties: usize, limit: usize, unique: bool) -> Tally {
        Tally {
            known: HashMap::new(),
            limit,
            unique,
            counts: Vec::new(),
            untold: 0,
            violations: vec![0; properties],
            satisfactions: vec![0; properties],
        }
    }

    /// Counts what was told of at this place before; answers whether it was.
    pub fn again(
        &mut self,
        kind: ReportKind,
        property: PropertyId,
        state: StateId,
        here: &Arc<Location>,
    ) -> bool {
        if self.unique {
            return false;
        }
        if kind == ReportKind::Satisfaction {
            self.satisfactions[property.index()] += 1;
            return true;
        }
        let Some(known) = self.known.get(&(property, state, Place::Site(here.clone()))) else {
            return false;
        };
        self.counts[*known] += 1;
        self.violations[property.index()] += 1;
        true
    }

    /// Counts a report; answers its number if it is to be told.
    pub fn add(&mut self, report: &Report, here: Option<&Arc<Location>>) -> Option<usize> {
        let property = report.property.index();
        if report.kind == ReportKind::Satisfaction {
            self.satisfactions[property] += 1;
            if !self.unique {
                return None;
            }
        } else {
            self.violations[property] += 1;
        }
        let last = || report.history.last().and_then(|step| step.location.clone());
        let place = match here.cloned().or_else(last) {
            _ if self.unique => Place::Unique(self.counts.len()),
            Some(location) => Place::Site(location),
            None => {
                let mut binding = String::new();
                for (name, value) in &report.binding {
                    let _ = write!(binding, "{name}={value:?},");
                }
                Place::Binding(binding)
            }
        };
        let key = (report.property, report.state, place);
        if let Some(known) = self.known.get(&key) {
            self.counts[*known] += 1;
            return None;
        }
        if self.counts.len() >= self.limit {
            self.untold += 1;
            return None;
        }
        self.known.insert(key, self.counts.len());
        self.counts.push(1);
        Some(self.counts.len() - 1)
    }
}

/// A report as people read it: objects by class and serial number.
pub fn readable(mut report: Report, numbers: &ClassNumbers) -> Report {
    for (_, value) in &mut report.binding {
        *value = named(value, numbers);
    }
    for step in &mut report.history {
        for value in &mut step.args {
            *value = named(value, numbers);
        }
    }
    report.message = named_text(&report.message, numbers);
    report
}

fn named(value: &Value, numbers: &ClassNumbers) -> Value {
    match value {
        Value::Ref(object) if is_id(object.id) => {
            Value::Ref(Object { id: serial(object.id), class: numbers.name(object.id) })
        }
        Value::List(items) => {
            Value::List(Arc::new(items.iter().map(|item| named(item, numbers)).collect()))
        }
        other => other.clone(),
    }
}

/// Messages were put together from identities: `@` and a number no person writes.
pub fn named_text(text: &str, numbers: &ClassNumbers) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + 1 + digits;
        match rest[at + 1..end].parse::<u64>() {
            Ok(id) if is_id(id) => {
                out.push_str(&rest[..at]);
                let object = Object { id: serial(id), class: numbers.name(id) };
                let _ = write!(out, "{}", Value::Ref(object));
            }
            _ => out.push_str(&rest[..end]),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_objects() {
        let numbers = ClassNumbers::default();
        let id = numbers.add("java.util.ArrayList") | 7;
        let text = format!("a@b.c @{id} used @12, @");
        assert_eq!(named_text(&text, &numbers), "a@b.c ArrayList@7 used @12, @");
    }
}
