//! Values of library types as what they stand for: text, elements, an absent value.
//!
//! Known by their members: the strings and vectors of libstdc++, `String`, `Vec`, slices and
//! enumerations of Rust, strings and slices of Go.

use std::rc::Rc;

use super::Debugger;
use crate::error::Result;
use crate::info::{Kind, Place, Type};
use crate::tracer::ProcessId;
use crate::value::{Held, Value};

/// Longer text, and more bytes of elements, are not read at the entry of a function.
const LONGEST_KEPT: u64 = 1 << 16;

/// What a value of a library type stands for.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Bytes of text.
    Text {
        /// Where they begin.
        address: u64,
        /// How many there are.
        length: u64,
    },
    /// Elements beside each other.
    Elements {
        /// Their type.
        element: Rc<Type>,
        /// Where they begin.
        address: u64,
        /// How many there are.
        count: u64,
    },
    /// What a `std::optional` holds, if it holds something.
    Optional(Option<Value>),
    /// Bytes of text that were read before.
    KeptText(Rc<[u8]>),
    /// Elements that were read before.
    KeptElements(Rc<[Value]>),
    /// Text or elements that were not read while they were there.
    Gone,
    /// One variant of a Rust enumeration.
    Variant {
        /// Its name.
        name: String,
        /// What it holds; a structure without members if that is nothing.
        value: Value,
    },
}

impl Debugger {
    /// What a value stands for if its type is one of a library that is known here. A type that was
    /// not recognised is not an error: it is a structure like others.
    pub fn contents(&self, process: ProcessId, value: &Value) -> Option<Contents> {
        match &value.held {
            Held::No => self.contents_now(process, value),
            Held::Text(text) => Some(Contents::KeptText(text.clone())),
            Held::Elements(elements) => Some(Contents::KeptElements(elements.clone())),
            Held::Gone => self.contents_now(process, value).map(|contents| match contents {
                Contents::Text { .. } | Contents::Elements { .. } => Contents::Gone,
                // What it holds is in the value itself.
                other => other,
            }),
        }
    }

    /// Reads the text or the elements of a value that will be used later. Until then the function to
    /// which it was passed may change or free them.
    pub(super) fn keep(&self, process: ProcessId, value: &mut Value) {
        value.keep_contents();
        if matches!(value.ty.kind, Kind::Structure { .. }) {
            value.held = self.held(process, value, 0);
        }
    }

    fn held(&self, process: ProcessId, value: &Value, depth: u32) -> Held {
        match self.contents_now(process, value) {
            Some(Contents::Text { address, length }) if length <= LONGEST_KEPT => {
                let mut bytes = vec![0; length as usize];
                let read = self.tracer.read(process, address, &mut bytes);
                read.map_or(Held::Gone, |()| Held::Text(bytes.into()))
            }
            Some(Contents::Elements { element, address, count })
                if depth < 3 && count.saturating_mul(element.size) <= LONGEST_KEPT =>
            {
                let item = |i: u64| {
                    let at = address.wrapping_add(i.wrapping_mul(element.size));
                    let mut item = self.value_at(process, &element, at)?;
                    item.keep_contents();
                    if matches!(element.kind, Kind::Structure { .. }) {
                        item.held = self.held(process, &item, depth + 1);
                    }
                    Ok(item)
                };
                let items: Result<Rc<[Value]>> = (0..count).map(item).collect();
                items.map_or(Held::Gone, Held::Elements)
            }
            _ => Held::Gone,
        }
    }

    fn contents_now(&self, process: ProcessId, value: &Value) -> Option<Contents> {
        let Kind::Structure { .. } = &value.ty.kind else { return None };
        self.cpp_text(process, value)
            .or_else(|| cpp_vector(value))
            .or_else(|| cpp_optional(value))
            .or_else(|| slice(value))
            .or_else(|| self.rust_vector(process, value))
            .or_else(|| variant(value))
    }

    /// A value of this type at an address.
    pub fn value_at(&self, process: ProcessId, ty: &Rc<Type>, address: u64) -> Result<Value> {
        // Of what is larger, only parts are ever looked at.
        let size = if ty.size > super::eval::LARGEST { 0 } else { ty.size as usize };
        let mut bytes = vec![0; size];
        self.tracer.read(process, address, &mut bytes)?;
        Ok(Value {
            ty: ty.clone(),
            bytes,
            place: Some(Place::Memory(address)),
            bits: None,
            held: Held::No,
        })
    }

    /// What the only member of a variant holds: the value in `Some(value)`.
    pub fn inner(&self, variant: &Value) -> Option<Value> {
        part(variant, "__0")
    }

    /// `std::string` and `std::string_view`.
    fn cpp_text(&self, process: ProcessId, value: &Value) -> Option<Contents> {
        if let Some(view) = part(value, "_M_str") {
            let length = part(value, "_M_len")?.as_u64().ok()?;
            return text(&view, length);
        }
        let pointer = part(&part(value, "_M_dataplus")?, "_M_p")?;
        let length = match part(value, "_M_string_length") {
            Some(length) => length.as_u64().ok()?,
            // The older form keeps the length before the text.
            None => self.tracer.read_u64(process, pointer.as_u64().ok()?.checked_sub(24)?).ok()?,
        };
        text(&pointer, length)
    }

    /// `Vec` and `String`.
    fn rust_vector(&self, process: ProcessId, value: &Value) -> Option<Contents> {
        if value.ty.name == "String" {
            let vector = part(value, "vec")?;
            let Contents::Elements { address, count, .. } = self.rust_vector(process, &vector)?
            else {
                return None;
            };
            return Some(Contents::Text { address, length: count });
        }
        let elements = value.ty.name.strip_prefix("Vec<")?;
        let count = part(value, "len")?.as_u64().ok()?;
        let address = first_pointer(&part(value, "buf")?, 0)?;
        let element = self.rust_type(process, first_argument(elements))?;
        Some(Contents::Elements { element, address, count })
    }

    /// A type by its name in the files that were read already.
    fn rust_type(&self, process: ProcessId, name: &str) -> Option<Rc<Type>> {
        Type::builtin(name).or_else(|| {
            let last = match name.contains('<') {
                true => name,
                false => name.rsplit("::").next().unwrap_or(name),
            };
            let modules = self.modules(process).iter().filter_map(|m| m.info());
            modules
                .filter(|(info, _)| !info.is_separate())
                .find_map(|(info, _)| info.type_named(name).or_else(|| info.type_named(last)))
        })
    }
}

/// A member of a value, by its name.
pub(super) fn part(value: &Value, name: &str) -> Option<Value> {
    member_value(value, &value.ty.member(name)?)
}

pub(super) fn member_value(value: &Value, member: &crate::info::Member) -> Option<Value> {
    let ty = member.ty.get().ok()?;
    let end = member.offset.checked_add(ty.size)? as usize;
    let bytes = match member.bits {
        // The storage unit of a bit field may end after the structure.
        Some((bit, width)) => {
            let mut bytes = value.bytes.get(member.offset as usize..)?.to_vec();
            if bit.checked_add(width)? > bytes.len() as u64 * 8 {
                return None;
            }
            bytes.resize(ty.size as usize, 0);
            bytes
        }
        None => value.bytes.get(member.offset as usize..end)?.to_vec(),
    };
    let place = match value.place {
        Some(Place::Memory(address)) => Some(Place::Memory(address.wrapping_add(member.offset))),
        _ => None,
    };
    // What a part points to was not read with the whole.
    let held = if matches!(value.held, Held::No) { Held::No } else { Held::Gone };
    Some(Value { ty, bytes, place, bits: member.bits, held })
}

/// Text of bytes; wide characters are none.
fn text(pointer: &Value, length: u64) -> Option<Contents> {
    let Kind::Pointer(target) = &pointer.ty.kind else { return None };
    let address = pointer.as_u64().ok()?;
    (target.get().ok()?.size == 1).then_some(Contents::Text { address, length })
}

fn elements(pointer: &Value, count: u64) -> Option<Contents> {
    let Kind::Pointer(target) = &pointer.ty.kind else { return None };
    let address = pointer.as_u64().ok()?;
    Some(Contents::Elements { element: target.get().ok()?, address, count })
}

/// `std::vector`, but for that of truth values, which are bits.
fn cpp_vector(value: &Value) -> Option<Contents> {
    let implementation = part(value, "_M_impl")?;
    let (start, finish) = (part(&implementation, "_M_start")?, part(&implementation, "_M_finish")?);
    let Kind::Pointer(target) = &start.ty.kind else { return None };
    let size = target.get().ok()?.size.max(1);
    let bytes = finish.as_u64().ok()?.checked_sub(start.as_u64().ok()?)?;
    elements(&start, bytes / size)
}

/// `std::optional`.
fn cpp_optional(value: &Value) -> Option<Contents> {
    let payload = part(value, "_M_payload")?;
    let is_engaged = part(&payload, "_M_engaged")?.as_u64().ok()? != 0;
    let held = part(&part(&payload, "_M_payload")?, "_M_value")?;
    Some(Contents::Optional(is_engaged.then_some(held)))
}

/// Slices: `&str`, `&[T]`, `Box<str>` and those of Go.
fn slice(value: &Value) -> Option<Contents> {
    let name = value.ty.name.as_str();
    if let (Some(pointer), Some(length)) = (part(value, "data_ptr"), part(value, "length")) {
        let length = length.as_u64().ok()?;
        let is_text = name == "&str" || name == "&mut str" || name.contains("Box<str");
        return if is_text { text(&pointer, length) } else { elements(&pointer, length) };
    }
    let length = part(value, "len")?.as_u64().ok()?;
    match name {
        "string" => text(&part(value, "str")?, length),
        _ if name.starts_with("[]") => elements(&part(value, "array")?, length),
        _ => None,
    }
}

/// The variant that a Rust enumeration is.
fn variant(value: &Value) -> Option<Contents> {
    let Kind::Structure { variants: Some(variants), .. } = &value.ty.kind else { return None };
    let discriminant = match &variants.discriminant {
        Some(member) => Some(unsigned(&member_value(value, member)?.bytes)),
        None => None,
    };
    let case = variants
        .cases
        .iter()
        .find(|c| discriminant.is_some() && c.value == discriminant)
        .or_else(|| variants.cases.iter().find(|c| c.value.is_none()))?;
    let value = member_value(value, &case.member)?;
    Some(Contents::Variant { name: case.member.name.clone(), value })
}

fn unsigned(bytes: &[u8]) -> u128 {
    let mut word = [0; 16];
    let n = bytes.len().min(16);
    word[..n].copy_from_slice(&bytes[..n]);
    u128::from_le_bytes(word)
}

/// The first pointer in a structure.
fn first_pointer(value: &Value, depth: u32) -> Option<u64> {
    match &value.ty.kind {
        Kind::Pointer(_) => value.as_u64().ok(),
        Kind::Structure { members, .. } if depth < 8 => members
            .iter()
            .filter_map(|m| member_value(value, m))
            .find_map(|inner| first_pointer(&inner, depth + 1)),
        _ => None,
    }
}

/// The first of the types between angle brackets.
fn first_argument(list: &str) -> &str {
    let mut depth = 0;
    for (at, c) in list.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' if depth == 0 => return list[..at].trim(),
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => return list[..at].trim(),
            _ => {}
        }
    }
    list.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_type_of_a_list_is_found() {
        assert_eq!(first_argument("i32, alloc::alloc::Global>"), "i32");
        assert_eq!(first_argument("(u8, u16), alloc::alloc::Global>"), "(u8, u16)");
        assert_eq!(first_argument("Vec<i32, G>, alloc::alloc::Global>"), "Vec<i32, G>");
        assert_eq!(first_argument("[u8; 4]>"), "[u8; 4]");
    }
}
