//! Reports as people read them: objects by class and serial number.

use std::fmt::Write;
use std::sync::Arc;

use watchword_model::{Object, Value};
use watchword_monitor::Report;

use crate::ids::{ClassNumbers, is_id, serial};

/// The report with its objects named.
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

/// The value with its objects named.
pub fn named(value: &Value, numbers: &ClassNumbers) -> Value {
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
