//! A record as formats hand it to the router: nothing is copied that stands in the line.

use std::sync::Arc;

use watchword_model::{Key, Time, Type, Value, ValueRef};

use crate::points::Point;

/// A piece of text: of the line itself, or decoded into the record's own buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    start: u32,
    end: u32,
    decoded: bool,
}

impl Text {
    /// No text.
    pub const EMPTY: Text = Text { start: 0, end: 0, decoded: false };

    /// Bytes of the line. Lines are far shorter than 2^32 bytes; see [`crate::lines::MAX_LINE`].
    pub fn of_line(start: usize, end: usize) -> Text {
        Text { start: start as u32, end: end as u32, decoded: false }
    }

    /// Bytes of the record's buffer.
    pub fn decoded(start: usize, end: usize) -> Text {
        Text { start: start as u32, end: end as u32, decoded: true }
    }
}

/// A value as it was read, before the declared type was asked.
#[derive(Clone, Copy, Debug)]
pub enum Raw {
    /// Not there.
    Missing,
    /// Null.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer beyond `i64` that fits in 64 bits.
    Big(u64),
    /// An integer beyond 64 bits, rounded.
    Huge(f64),
    /// A number with a point or an exponent.
    Float(f64),
    /// Text.
    Str(Text),
    /// An object: identity, class and, for text that is an object too, its content.
    Ref(u64, Option<Text>, Option<Text>),
    /// An address.
    Ptr(u64),
    /// A list or a map: a position in [`Record::values`].
    Other(u32),
    /// Text without a type of its own (a CSV cell, a group of a regular expression).
    Cell(Text),
}

/// A value and where in the record it stands.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The value.
    pub raw: Raw,
    /// Byte offset in the record.
    pub at: u32,
}

impl Slot {
    /// Nothing there.
    pub const MISSING: Slot = Slot { raw: Raw::Missing, at: 0 };

    /// A value at a byte of the record.
    pub fn new(raw: Raw, at: usize) -> Slot {
        Slot { raw, at: at as u32 }
    }
}

/// How an argument says which parameter it is for.
#[derive(Clone, Copy, Debug)]
pub enum ArgKey {
    /// By its position.
    Position,
    /// By name.
    Name(Text),
    /// By the column of a CSV header.
    Column(u32),
}

/// An argument of a record.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// Which parameter it is for.
    pub key: ArgKey,
    /// The value.
    pub slot: Slot,
}

/// One record, reused for all records of a trace.
#[derive(Clone, Debug)]
pub struct Record {
    /// What kind of name it has.
    pub point: Point,
    /// The name: of the event, the method, the field…
    pub name: Text,
    /// Where the name stands.
    pub name_at: usize,
    /// What the method is called, where the name is that of its class.
    pub method: Option<Text>,
    /// The arguments.
    pub args: Vec<Arg>,
    /// Whether it has arguments of its own; otherwise its fields may serve.
    pub has_args: bool,
    /// When.
    pub time: Option<Time>,
    /// Where the time stands.
    pub time_at: usize,
    /// On which thread.
    pub thread: Option<u64>,
    /// For which properties, if not for all: a list in [`Record::values`].
    pub only: Option<u32>,
    /// Where: an entry of [`crate::locations::Locations`].
    pub location: Option<usize>,
    /// The fields that properties read, by [`crate::paths::PathId`].
    pub fields: Vec<Slot>,
    /// Decoded text.
    pub buffer: String,
    /// Lists and maps.
    pub values: Vec<Value>,
}

impl Record {
    /// A record with room for that many fields.
    pub fn new(fields: usize) -> Record {
        Record {
            point: Point::NONE,
            name: Text::EMPTY,
            name_at: 0,
            method: None,
            args: Vec::new(),
            has_args: false,
            time: None,
            time_at: 0,
            thread: None,
            only: None,
            location: None,
            fields: vec![Slot::MISSING; fields],
            buffer: String::new(),
            values: Vec::new(),
        }
    }

    /// Forgets what was read, keeps the memory.
    pub fn clear(&mut self) {
        self.point = Point::NONE;
        self.name = Text::EMPTY;
        self.method = None;
        self.args.clear();
        self.has_args = false;
        self.time = None;
        self.thread = None;
        self.only = None;
        self.location = None;
        self.fields.fill(Slot::MISSING);
        self.buffer.clear();
        self.values.clear();
    }

    /// The record is about the initialiser of the class it names.
    pub fn is_class_init(&mut self, line: &str) {
        let class = self.text(line, self.name).to_string();
        let start = self.buffer.len();
        self.buffer.push_str(&class);
        self.buffer.push_str(".<clinit>");
        self.method = Some(Text::decoded(start, self.buffer.len()));
    }

    /// The names of the properties the record is for, if it is not for all.
    #[inline]
    pub fn properties(&self) -> Option<&[Value]> {
        match self.values.get(self.only? as usize) {
            Some(Value::List(names)) => Some(names),
            _ => None,
        }
    }

    /// A piece of text.
    #[inline]
    pub fn text<'a>(&'a self, line: &'a str, text: Text) -> &'a str {
        let from = if text.decoded { self.buffer.as_str() } else { line };
        &from[text.start as usize..text.end as usize]
    }

    /// A value that was fitted, as engines take it.
    #[inline]
    pub fn value<'a>(&'a self, line: &'a str, raw: Raw) -> ValueRef<'a> {
        match raw {
            Raw::Missing | Raw::Null => ValueRef::Null,
            Raw::Bool(b) => ValueRef::Bool(b),
            Raw::Int(i) => ValueRef::Int(i),
            Raw::Big(u) => ValueRef::Int(u as i64),
            Raw::Float(f) | Raw::Huge(f) => ValueRef::Float(f),
            Raw::Str(t) | Raw::Cell(t) => ValueRef::Str(self.text(line, t)),
            Raw::Ref(id, class, _) => ValueRef::Ref(id, class.map(|t| self.text(line, t))),
            Raw::Ptr(p) => ValueRef::Ptr(p),
            Raw::Other(i) => ValueRef::Other(&self.values[i as usize]),
        }
    }

    /// A value as a parameter of that type holds it, or `None` if it does not fit.
    ///
    /// JSON values keep their type but where nothing is lost: an integer is a float, an address
    /// or an object's identity, where one of these was declared. Cells have no type of their own:
    /// the declared type decides, and without one they are what they look like.
    #[inline]
    pub fn fit(&self, line: &str, raw: Raw, ty: Type) -> Option<Raw> {
        match (raw, ty) {
            (Raw::Cell(text), _) => fit_cell(self.text(line, text), text, ty),
            (Raw::Huge(_), Type::Any | Type::Int) => None,
            (Raw::Big(u), Type::Any | Type::Int) => Some(Raw::Int(u as i64)),
            (raw, Type::Any) => Some(raw),
            (Raw::Missing | Raw::Null, _) => Some(raw),
            (Raw::Int(_), Type::Int) | (Raw::Str(_), Type::Str) => Some(raw),
            _ => self.fit_other(line, raw, ty),
        }
    }

    fn fit_other(&self, line: &str, raw: Raw, ty: Type) -> Option<Raw> {
        match (raw, ty) {
            (Raw::Bool(_), Type::Bool)
            | (Raw::Float(_), Type::Float)
            | (Raw::Ref(..), Type::Ref)
            | (Raw::Ptr(_), Type::Ptr) => Some(raw),
            (Raw::Int(i), Type::Float) => Some(Raw::Float(i as f64)),
            (Raw::Big(u), Type::Float) => Some(Raw::Float(u as f64)),
            (Raw::Huge(f), Type::Float) => Some(Raw::Float(f)),
            (Raw::Int(i), Type::Ptr) => Some(Raw::Ptr(i as u64)),
            (Raw::Big(u), Type::Ptr) => Some(Raw::Ptr(u)),
            (Raw::Int(i), Type::Ref) => u64::try_from(i).ok().map(|id| Raw::Ref(id, None, None)),
            (Raw::Big(u), Type::Ref) => Some(Raw::Ref(u, None, None)),
            (Raw::Float(f), Type::Int) => match Value::Float(f).key() {
                Some(Key::Int(i)) => Some(Raw::Int(i)),
                _ => None,
            },
            (Raw::Ref(_, _, Some(content)), Type::Str) => Some(Raw::Str(content)),
            (Raw::Str(text), Type::Ptr) => address(self.text(line, text)).map(Raw::Ptr),
            (Raw::Other(i), Type::List | Type::Map) => {
                (self.values[i as usize].type_of() == ty).then_some(raw)
            }
            _ => None,
        }
    }

    /// What a value is, for messages about it.
    pub fn describe(&self, line: &str, raw: Raw) -> String {
        let short = |text: &str| {
            let mut shown: String = text.chars().take(30).collect();
            if shown.len() < text.len() {
                shown.push('…');
            }
            shown
        };
        match raw {
            Raw::Missing => "nothing".to_string(),
            Raw::Null => "null".to_string(),
            Raw::Bool(b) => format!("the truth value {b}"),
            Raw::Int(i) => format!("the integer {i}"),
            Raw::Big(u) => format!("the integer {u}"),
            Raw::Huge(f) => format!("an integer beyond 64 bits (about {f:e})"),
            Raw::Float(f) => format!("the number {f:?}"),
            Raw::Str(t) => format!("the text {:?}", short(self.text(line, t))),
            Raw::Cell(t) => format!("{:?}", short(self.text(line, t))),
            Raw::Ref(id, _, _) => format!("the object @{id}"),
            Raw::Ptr(p) => format!("the address {p:#x}"),
            Raw::Other(i) => match &self.values[i as usize] {
                Value::List(_) => "a list".to_string(),
                _ => "an object with fields".to_string(),
            },
        }
    }

    /// A value of its own, for lists and maps.
    pub fn owned(&self, line: &str, raw: Raw) -> Value {
        self.value(line, raw).to_value()
    }

    /// Keeps a list or a map.
    pub fn keep(&mut self, value: Value) -> Raw {
        self.values.push(value);
        Raw::Other(self.values.len() as u32 - 1)
    }

    /// Keeps a text that is not in the line.
    pub fn decoded(&mut self, text: &str) -> Raw {
        let start = self.buffer.len();
        self.buffer.push_str(text);
        Raw::Str(Text::decoded(start, self.buffer.len()))
    }

    /// The key a text is as a member of a map.
    pub fn map_key(&self, line: &str, text: Text) -> Key {
        Key::Str(Arc::from(self.text(line, text)))
    }
}

/// A cell by the declared type; without one, by its looks. Only the canonical spelling of a
/// number is a number: `007` and `7` are two badges, not one.
fn fit_cell(cell: &str, text: Text, ty: Type) -> Option<Raw> {
    if cell.is_empty() {
        return Some(Raw::Null);
    }
    match ty {
        Type::Str => Some(Raw::Str(text)),
        Type::Any => Some(match cell.as_bytes()[0] {
            b'0'..=b'9' | b'-' => match integer(cell) {
                Some(i) => Raw::Int(i),
                None if looks_like_float(cell) => float(cell).map_or(Raw::Str(text), Raw::Float),
                // More than an integer holds, as in JSON Lines.
                None if !cell.starts_with('0') => cell.parse().map_or(Raw::Str(text), Raw::Big),
                None => Raw::Str(text),
            },
            _ => match cell {
                "true" => Raw::Bool(true),
                "false" => Raw::Bool(false),
                "null" => Raw::Null,
                _ => Raw::Str(text),
            },
        }),
        _ if cell == "null" => Some(Raw::Null),
        Type::Int => cell.parse().ok().map(Raw::Int).or_else(|| cell.parse().ok().map(Raw::Big)),
        Type::Float => float(cell).map(Raw::Float),
        Type::Bool => match cell {
            "true" | "True" | "TRUE" | "1" => Some(Raw::Bool(true)),
            "false" | "False" | "FALSE" | "0" => Some(Raw::Bool(false)),
            _ => None,
        },
        Type::Ref => cell.trim_start_matches('@').parse().ok().map(|id| Raw::Ref(id, None, None)),
        Type::Ptr => address(cell).map(Raw::Ptr),
        Type::List | Type::Map | Type::Duration => None,
    }
}

/// A number with a fraction; digits that are too large for one do not mean infinity.
fn float(cell: &str) -> Option<f64> {
    let is_word = !cell.bytes().any(|b| b.is_ascii_digit());
    cell.parse().ok().filter(|f: &f64| f.is_finite() || is_word)
}

/// An integer in canonical spelling.
fn integer(cell: &str) -> Option<i64> {
    let digits = cell.strip_prefix('-').unwrap_or(cell).as_bytes();
    match digits {
        [b'0'] if cell.len() == 1 => Some(0),
        [b'1'..=b'9', rest @ ..] if digits.len() <= 18 => {
            let mut n = i64::from(digits[0] - b'0');
            for d in rest {
                if !d.is_ascii_digit() {
                    return None;
                }
                n = n * 10 + i64::from(d - b'0');
            }
            Some(if cell.len() > digits.len() { -n } else { n })
        }
        [b'1'..=b'9', ..] => cell.parse().ok(),
        _ => None,
    }
}

/// Digits, a point, digits: `1e5` is more often a name than a number.
fn looks_like_float(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let Some((whole, rest)) = digits.split_once('.') else { return false };
    let fraction = rest.find(['e', 'E']).map_or(rest, |e| &rest[..e]);
    let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    all_digits(whole) && all_digits(fraction) && (whole.len() == 1 || !whole.starts_with('0'))
}

/// An address: decimal, or hexadecimal with `0x`.
pub fn address(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str, ty: Type) -> Option<String> {
        let record = Record::new(0);
        record
            .fit(text, Raw::Cell(Text::of_line(0, text.len())), ty)
            .map(|raw| format!("{:?}", record.value(text, raw)))
    }

    #[test]
    fn cells_are_what_they_look_like_unless_declared() {
        let any = |text: &str| cell(text, Type::Any).unwrap();
        assert_eq!(any("17"), "Int(17)");
        assert_eq!(any("-17"), "Int(-17)");
        assert_eq!(any("0"), "Int(0)");
        assert_eq!(any("9223372036854775807"), "Int(9223372036854775807)");
        assert_eq!(any("2.50"), "Float(2.5)");
        assert_eq!(any("9223372036854775808"), "Int(-9223372036854775808)");
        assert_eq!(any("1e309"), "Str(\"1e309\")");
        assert_eq!(cell("1e309", Type::Float), None);
        assert_eq!(cell("inf", Type::Float).as_deref(), Some("Float(inf)"));
        assert_eq!(any("1.5e3"), "Float(1500.0)");
        assert_eq!(any("true"), "Bool(true)");
        assert_eq!(any("null"), "Null");
        assert_eq!(any(""), "Null");
        for text in ["007", "-0", "+7", "1e5", "1.", "00.5", "99999999999999999999", "True", "-"] {
            assert_eq!(any(text), format!("Str({text:?})"));
        }
    }

    #[test]
    fn the_declared_type_decides_about_cells() {
        assert_eq!(cell("17", Type::Str).unwrap(), "Str(\"17\")");
        assert_eq!(cell("null", Type::Str).unwrap(), "Str(\"null\")");
        assert_eq!(cell("", Type::Str).unwrap(), "Null");
        assert_eq!(cell("007", Type::Int).unwrap(), "Int(7)");
        assert_eq!(cell("18446744073709551615", Type::Int).unwrap(), "Int(-1)");
        assert_eq!(cell("1e5", Type::Float).unwrap(), "Float(100000.0)");
        assert_eq!(cell("@12", Type::Ref).unwrap(), "Ref(12, None)");
        assert_eq!(cell("0xff", Type::Ptr).unwrap(), "Ptr(255)");
        assert_eq!(cell("x", Type::Int), None);
        assert_eq!(cell("2", Type::Bool), None);
        assert_eq!(cell("a", Type::List), None);
    }
}
