//! Bytes and back.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use watchword_model::{Key, Location, Object, Value};

/// The version of the format; changes with every change to the code that writes and reads it.
pub const VERSION: u32 = fingerprint(&[
    include_bytes!("code.rs"),
    include_bytes!("bundle.rs"),
    include_bytes!("event.rs"),
    include_bytes!("model.rs"),
    include_bytes!("record.rs"),
]);

/// A number that tells sources from others.
pub const fn fingerprint(sources: &[&[u8]]) -> u32 {
    let (mut hash, mut source) = (0x811c_9dc5_u32, 0);
    while source < sources.len() {
        let mut at = 0;
        while at < sources[source].len() {
            hash = (hash ^ sources[source][at] as u32).wrapping_mul(0x0100_0193);
            at += 1;
        }
        source += 1;
    }
    hash
}

/// Lists, maps and terms are not nested deeper than this. Every front end refuses far less; reading
/// that deep takes a few hundred kilobytes of the stack.
pub(crate) const MAX_DEPTH: usize = 500;

/// Bytes that are not what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireError(pub(crate) String);

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WireError {}

impl From<std::io::Error> for WireError {
    fn from(error: std::io::Error) -> WireError {
        WireError(error.to_string())
    }
}

pub(crate) type Result<T> = std::result::Result<T, WireError>;

pub(crate) fn wrong<T>(what: &str) -> Result<T> {
    Err(WireError(what.to_string()))
}

/// Something that goes over the wire.
pub(crate) trait Wire: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn get(from: &mut Input<'_>) -> Result<Self>;
}

/// Bytes that are being read.
pub(crate) struct Input<'a> {
    pub rest: &'a [u8],
    depth: usize,
}

impl<'a> Input<'a> {
    pub fn new(rest: &'a [u8]) -> Input<'a> {
        Input { rest, depth: 0 }
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => wrong("the data end too early"),
        }
    }

    /// Reads something that may hold others of its kind.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Input<'a>) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return wrong("the data are nested too deep");
        }
        self.depth += 1;
        let inner = read(self);
        self.depth -= 1;
        inner
    }

    /// A number of seven bits per byte, the lowest first; the last byte has its highest bit clear.
    fn number(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = u8::get(self)?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        wrong("a number is too large")
    }

    /// A count of elements, each of at least one byte: no more than there are bytes.
    fn count(&mut self) -> Result<usize> {
        let count = usize::get(self)?;
        if count > self.rest.len() { wrong("a count is too large") } else { Ok(count) }
    }
}

impl Wire for u8 {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }
    fn get(from: &mut Input<'_>) -> Result<u8> {
        Ok(from.take(1)?[0])
    }
}

fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                put_number(*self as u64, out);
            }
            fn get(from: &mut Input<'_>) -> Result<$ty> {
                <$ty>::try_from(from.number()?).or_else(|_| wrong("a number is too large"))
            }
        }
    )*};
}

numbers!(u32, u64, usize);

impl Wire for i64 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
    fn get(from: &mut Input<'_>) -> Result<i64> {
        let bytes = from.take(size_of::<i64>())?;
        Ok(i64::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }
}

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn get(from: &mut Input<'_>) -> Result<bool> {
        Ok(u8::get(from)? != 0)
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        put_text(self, out);
    }
    fn get(from: &mut Input<'_>) -> Result<String> {
        let count = from.count()?;
        let bytes = from.take(count)?;
        std::str::from_utf8(bytes).map(str::to_string).or_else(|_| wrong("a text is not UTF-8"))
    }
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    text.len().put(out);
    out.extend(text.as_bytes());
}

impl Wire for Arc<str> {
    fn put(&self, out: &mut Vec<u8>) {
        put_text(self, out);
    }
    fn get(from: &mut Input<'_>) -> Result<Arc<str>> {
        Ok(String::get(from)?.into())
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn get(from: &mut Input<'_>) -> Result<Option<T>> {
        if bool::get(from)? { Ok(Some(T::get(from)?)) } else { Ok(None) }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|item| item.put(out));
    }
    fn get(from: &mut Input<'_>) -> Result<Vec<T>> {
        let count = from.count()?;
        from.nested(|from| (0..count).map(|_| T::get(from)).collect())
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (**self).put(out);
    }
    fn get(from: &mut Input<'_>) -> Result<Box<T>> {
        from.nested(T::get).map(Box::new)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }
    fn get(from: &mut Input<'_>) -> Result<(A, B)> {
        Ok((A::get(from)?, B::get(from)?))
    }
}

impl Wire for Location {
    fn put(&self, out: &mut Vec<u8>) {
        self.file.put(out);
        self.line.put(out);
        self.function.put(out);
    }
    fn get(from: &mut Input<'_>) -> Result<Location> {
        Ok(Location { file: Wire::get(from)?, line: Wire::get(from)?, function: Wire::get(from)? })
    }
}

impl Wire for Arc<Location> {
    fn put(&self, out: &mut Vec<u8>) {
        (**self).put(out);
    }
    fn get(from: &mut Input<'_>) -> Result<Arc<Location>> {
        Ok(Arc::new(Location::get(from)?))
    }
}

impl Wire for Value {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Value::Null => out.push(0),
            Value::Bool(b) => {
                out.push(1);
                b.put(out);
            }
            Value::Int(i) => {
                out.push(2);
                i.put(out);
            }
            Value::Float(f) => {
                out.push(3);
                f.to_bits().put(out);
            }
            Value::Str(s) => {
                out.push(4);
                s.put(out);
            }
            Value::Ref(object) => {
                out.push(5);
                object.id.put(out);
                object.class.put(out);
            }
            Value::Ptr(p) => {
                out.push(6);
                p.put(out);
            }
            Value::List(items) => {
                out.push(7);
                items.put(out);
            }
            Value::Map(entries) => {
                out.push(8);
                let entries: Vec<(Value, Value)> =
                    entries.iter().map(|(k, v)| (Value::from(k.clone()), v.clone())).collect();
                entries.put(out);
            }
        }
    }

    fn get(from: &mut Input<'_>) -> Result<Value> {
        Ok(match u8::get(from)? {
            0 => Value::Null,
            1 => Value::Bool(Wire::get(from)?),
            2 => Value::Int(Wire::get(from)?),
            3 => Value::Float(f64::from_bits(Wire::get(from)?)),
            4 => Value::Str(Wire::get(from)?),
            5 => Value::Ref(Object { id: Wire::get(from)?, class: Wire::get(from)? }),
            6 => Value::Ptr(Wire::get(from)?),
            7 => Value::List(Arc::new(Wire::get(from)?)),
            8 => {
                let mut map: BTreeMap<Key, Value> = BTreeMap::new();
                for (key, value) in <Vec<(Value, Value)>>::get(from)? {
                    if let Some(key) = key.key() {
                        map.insert(key, value);
                    }
                }
                Value::Map(Arc::new(map))
            }
            _ => return wrong("there is no such kind of value"),
        })
    }
}

/// Declares a struct that goes over the wire field by field.
macro_rules! wire_struct {
    ($ty:ident { $($field:ident),* $(,)? }) => {
        impl $crate::code::Wire for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::code::Wire::put(&self.$field, out);)*
            }
            fn get(from: &mut $crate::code::Input<'_>) -> $crate::code::Result<$ty> {
                Ok($ty { $($field: $crate::code::Wire::get(from)?),* })
            }
        }
    };
}
pub(crate) use wire_struct;

/// Declares a choice that goes over the wire as its number, with what it holds behind it.
macro_rules! wire_enum {
    ($ty:ident {
        $($number:literal => $choice:ident $({ $($field:ident),* })? $(($($part:ident),*))?),* $(,)?
    }) => {
        impl $crate::code::Wire for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $($ty::$choice $({ $($field),* })? $(($($part),*))? => {
                        out.push($number);
                        $($($crate::code::Wire::put($field, out);)*)?
                        $($($crate::code::Wire::put($part, out);)*)?
                    })*
                }
            }
            fn get(from: &mut $crate::code::Input<'_>) -> $crate::code::Result<$ty> {
                Ok(match <u8 as $crate::code::Wire>::get(from)? {
                    $($number => {
                        $($(let $field = $crate::code::Wire::get(from)?;)*)?
                        $($(let $part = $crate::code::Wire::get(from)?;)*)?
                        $ty::$choice $({ $($field),* })? $(($($part),*))?
                    })*
                    _ => {
                        return $crate::code::wrong(concat!("there is no such ", stringify!($ty)));
                    }
                })
            }
        }
    };
}
pub(crate) use wire_enum;
