//! Values of the program, with their types.

use std::rc::Rc;

use crate::error::{Error, Result};
use crate::info::{Kind, Place, Type};

/// A value read from the program.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub ty: Rc<Type>,
    pub(crate) bytes: Vec<u8>,
    /// Where it came from, if it can be assigned to.
    pub(crate) place: Option<Place>,
    /// For a bit field: first bit and width.
    pub(crate) bits: Option<(u64, u64)>,
    /// What it stood for when it was read, if it is used later.
    pub(crate) held: Held,
}

/// What a value of a library type stood for.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// The value is used where it was read.
    No,
    /// This text.
    Text(Rc<[u8]>),
    /// These elements.
    Elements(Rc<[Value]>),
    /// What is outside of the value was not read.
    Gone,
}

impl Value {
    pub(crate) fn integer(value: i128, ty: Rc<Type>) -> Value {
        let size = (ty.size as usize).clamp(1, 16);
        Value {
            bytes: value.to_le_bytes()[..size].to_vec(),
            ty,
            place: None,
            bits: None,
            held: Held::No,
        }
    }

    pub(crate) fn long(value: i128) -> Value {
        let fits = i64::try_from(value).is_ok();
        let ty = match fits {
            true => Type::integer("long", 8, true),
            false => Type::integer("unsigned long", 8, false),
        };
        Value::integer(value, ty)
    }

    /// A number as C writes it: an `int`, if it is small enough.
    pub(crate) fn number(value: i128) -> Value {
        match i32::try_from(value) {
            Ok(_) => Value::integer(value, Type::integer("int", 4, true)),
            Err(_) => Value::long(value),
        }
    }

    /// A text: an array of characters that is nowhere in memory.
    pub(crate) fn text(text: &str) -> Value {
        let element = Type { name: "char".into(), size: 1, kind: Kind::Character { signed: true } };
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let count = bytes.len() as u64;
        let element = crate::info::Lazy::Known(Rc::new(element));
        let ty = Type {
            name: format!("char[{count}]"),
            size: count,
            kind: Kind::Array { element, count },
        };
        Value { bytes, ty: Rc::new(ty), place: None, bits: None, held: Held::No }
    }

    pub(crate) fn double(value: f64) -> Value {
        let ty = Type { name: "double".into(), size: 8, kind: Kind::Float };
        let bytes = value.to_le_bytes().to_vec();
        Value { bytes, ty: Rc::new(ty), place: None, bits: None, held: Held::No }
    }

    /// The same object with other contents.
    pub fn with_bytes(&self, bytes: &[u8]) -> Value {
        Value { bytes: bytes.to_vec(), ..self.clone() }
    }

    /// Makes it independent of where it was read: of a structure passed by value, the callee may
    /// change its copy.
    pub(crate) fn keep_contents(&mut self) {
        let is_whole = self.bytes.len() as u64 == self.ty.size;
        if is_whole && matches!(self.ty.kind, Kind::Structure { .. } | Kind::Array { .. }) {
            self.place = None;
        }
    }

    /// The raw bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the other one, of the same object at another time, has the same contents. Of a bit
    /// field only its own bits count.
    pub fn is_same(&self, other: &Value) -> bool {
        match self.bits {
            Some(_) => self.as_integer().ok() == other.as_integer().ok(),
            None => self.bytes == other.bytes,
        }
    }

    /// The address it was read from, if it is in memory.
    pub fn address(&self) -> Option<u64> {
        match self.place {
            Some(Place::Memory(address)) => Some(address),
            _ => None,
        }
    }

    /// The value as a number, sign or not as its type says. Pointers are their addresses.
    pub fn as_integer(&self) -> Result<i128> {
        if !(self.ty.is_integral() || self.ty.is_pointer()) {
            return Err(Error::expression(format!(
                "a value of type {} is not a number",
                self.ty.name
            )));
        }
        let size = self.bytes.len().min(16);
        let mut raw = [0u8; 16];
        raw[..size].copy_from_slice(&self.bytes[..size]);
        let mut value = u128::from_le_bytes(raw);
        let mut width = size as u32 * 8;
        if let Some((first, bits)) = self.bits {
            value = value.checked_shr(first as u32).unwrap_or(0);
            width = (bits as u32).min(128);
            if width < 128 {
                value &= (1u128 << width) - 1;
            }
        }
        if self.ty.is_signed() && width > 0 && width < 128 && value >> (width - 1) & 1 == 1 {
            value |= u128::MAX << width;
        }
        Ok(value as i128)
    }

    /// The value as an unsigned word.
    pub fn as_u64(&self) -> Result<u64> {
        self.as_integer().map(|v| v as u64)
    }

    /// The value as a floating-point number.
    pub fn as_f64(&self) -> Result<f64> {
        if !matches!(self.ty.kind, Kind::Float) {
            return self.as_integer().map(|v| v as f64);
        }
        match self.bytes.as_slice() {
            [a, b, c, d] => Ok(f64::from(f32::from_le_bytes([*a, *b, *c, *d]))),
            [a, b, c, d, e, f, g, h] => Ok(f64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h])),
            bytes if bytes.len() >= 10 => Ok(extended(bytes)),
            _ => Err(Error::expression("a floating-point number of an unknown size")),
        }
    }
}

/// An x87 80-bit number, rounded.
fn extended(bytes: &[u8]) -> f64 {
    let mut mantissa = [0; 8];
    mantissa.copy_from_slice(&bytes[..8]);
    let mantissa = u64::from_le_bytes(mantissa);
    let high = u16::from_le_bytes([bytes[8], bytes[9]]);
    let sign = if high & 0x8000 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from(high & 0x7fff);
    if exponent == 0x7fff {
        return if mantissa << 1 == 0 { sign * f64::INFINITY } else { f64::NAN };
    }
    sign * mantissa as f64 * 2f64.powi(exponent - 16383 - 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_sign() {
        let v = Value::integer(-2, Type::integer("int", 4, true));
        assert_eq!(v.as_integer().unwrap(), -2);
        let v = Value::integer(-2, Type::integer("unsigned", 4, false));
        assert_eq!(v.as_integer().unwrap(), 0xffff_fffe);
        let mut v = Value::integer(0b1110_1000, Type::integer("int", 4, true));
        v.bits = Some((3, 3));
        assert_eq!(v.as_integer().unwrap(), -3);
        let one = [0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f];
        assert_eq!(extended(&one), 1.0);
    }
}
