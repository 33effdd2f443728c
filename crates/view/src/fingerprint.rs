//! A name for a violation that stays the same when the program is edited elsewhere.

use watchword_model::{Model, Value};

use crate::outcome::Violation;

/// The name of a violation: 32 hexadecimal digits.
///
/// It is made of the property, the state that was reported, the function it happened in — or the
/// file, where the function is unknown — and the shape of the message: without numbers and without
/// the values of parameters. So it survives moved lines, other object identities and other
/// addresses. Where a trace names no places in a program, the texts and numbers that the instance
/// is bound to take the part of the place.
pub fn fingerprint(model: &Model, violation: &Violation) -> String {
    let report = &violation.report;
    let property = &model.properties[report.property.index()];
    let mut hash = Hash::new();
    hash.part("watchword 1");
    hash.part(&property.name);
    hash.part(&property.states[report.state.index()].name);
    hash.part(&shape(&report.message, &report.binding));
    match violation.location.as_deref().filter(|_| violation.in_program) {
        Some(place) => match (&place.function, &place.file) {
            (Some(function), _) => hash.part(function),
            (None, Some(file)) => hash.part(file.rsplit(['/', '\\']).next().unwrap_or(file)),
            (None, None) => {}
        },
        None => {
            for (name, value) in &report.binding {
                if let Some(text) = lasting(value) {
                    hash.part(name);
                    hash.part(&text);
                }
            }
        }
    }
    format!("{:032x}", hash.0)
}

/// A value that means the same in the next run.
fn lasting(value: &Value) -> Option<String> {
    match value {
        Value::Ref(_) | Value::Ptr(_) => None,
        other => Some(other.to_string()),
    }
}

/// A message without what differs from run to run.
fn shape(message: &str, binding: &[(std::sync::Arc<str>, Value)]) -> String {
    let mut values: Vec<(String, &str)> = binding
        .iter()
        .filter(|(_, value)| matches!(value, Value::Str(_) | Value::Ref(_) | Value::Ptr(_)))
        .map(|(name, value)| (value.to_string(), &**name))
        .filter(|(text, _)| !text.is_empty())
        .collect();
    values.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    let mut text = message.to_string();
    for (value, name) in values {
        text = text.replace(&value, &format!("{{{name}}}"));
    }
    let mut shape = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if !c.is_ascii_digit() {
            shape.push(c);
            continue;
        }
        // `0x` and everything hexadecimal after it, or decimal digits.
        let hex = c == '0' && rest.next_if_eq(&'x').is_some();
        let more = |c: &char| c.is_ascii_digit() || hex && c.is_ascii_hexdigit();
        while rest.next_if(more).is_some() {}
        shape.push('#');
    }
    shape
}

/// FNV-1a with 128 bits: not against forgery, but without chance collisions.
struct Hash(u128);

impl Hash {
    fn new() -> Hash {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn part(&mut self, text: &str) {
        // The length keeps `a` + `bc` and `ab` + `c` apart.
        let length = (text.len() as u64).to_le_bytes();
        for byte in length.into_iter().chain(text.bytes()) {
            self.0 ^= u128::from(byte);
            self.0 = self.0.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_lose_what_differs_from_run_to_run() {
        let binding = [("i".into(), Value::object(17)), ("u".into(), Value::str("ada"))];
        assert_eq!(
            shape("@17 used by ada at 0x7fA0, 3 times", &binding),
            "{i} used by {u} at #, # times"
        );
        assert_eq!(shape("12 0x", &[]), "# #");
    }
}
