//! What a value consists of, for front ends that show values as trees.

use std::ops::Range;

use super::library::member_value;
use super::{Contents, Debugger};
use crate::error::Result;
use crate::info::{Kind, Type};
use crate::tracer::ProcessId;
use crate::value::{Held, Value};

/// How many parts a value has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// It is one thing.
    None,
    /// Members.
    Named(usize),
    /// Elements.
    Indexed(u64),
}

/// A part of a value.
#[derive(Debug)]
pub struct Part {
    /// The name of the member, or `[index]`.
    pub name: String,
    /// The expression that names it, if there is one.
    pub expression: Option<String>,
    /// Its value, or why it cannot be read.
    pub value: Result<Value>,
}

/// What the parts of a value are.
enum Shape {
    Whole,
    Members(Value, &'static str),
    Elements { element: std::rc::Rc<Type>, address: u64, count: u64 },
    Held(Vec<Value>),
    Variant(String, Value),
    Target(std::rc::Rc<Type>, u64),
}

impl Debugger {
    fn shape(&self, process: ProcessId, value: &Value) -> Shape {
        match &value.ty.kind {
            Kind::Structure { members, .. } => match self.contents(process, value) {
                Some(Contents::Text { .. }) => Shape::Whole,
                Some(Contents::Elements { element, address, count }) => {
                    Shape::Elements { element, address, count }
                }
                Some(Contents::Variant { name, value }) => Shape::Variant(name, value),
                Some(Contents::Optional(Some(held))) => Shape::Held(vec![held]),
                Some(Contents::Optional(None) | Contents::Gone | Contents::KeptText(_)) => {
                    Shape::Whole
                }
                Some(Contents::KeptElements(elements)) => Shape::Held(elements.to_vec()),
                None if members.is_empty() => Shape::Whole,
                None => Shape::Members(value.clone(), "."),
            },
            Kind::Array { element, count } => {
                let Ok(element) = element.get() else { return Shape::Whole };
                if let Some(address) = value.address() {
                    return Shape::Elements { element, address, count: *count };
                }
                let size = (element.size as usize).max(1);
                let held = value.bytes.chunks_exact(size).map(|bytes| Value {
                    ty: element.clone(),
                    bytes: bytes.to_vec(),
                    place: None,
                    bits: None,
                    held: Held::No,
                });
                Shape::Held(held.collect())
            }
            // A reference has the parts of what it refers to.
            Kind::Reference(_) => match self.referred(process, value) {
                Some(object) if !matches!(object.ty.kind, Kind::Reference(_)) => {
                    self.shape(process, &object)
                }
                _ => Shape::Whole,
            },
            Kind::Pointer(target) => {
                let (Ok(target), Ok(address)) = (target.get(), value.as_u64()) else {
                    return Shape::Whole;
                };
                let is_text = target.size == 1 && matches!(target.kind, Kind::Character { .. });
                if address == 0
                    || target.size == 0
                    || is_text
                    || matches!(target.kind, Kind::Void | Kind::Function | Kind::Opaque)
                {
                    return Shape::Whole;
                }
                if matches!(target.kind, Kind::Structure { .. })
                    && let Ok(object) = self.value_at(process, &target, address)
                    && let Shape::Members(object, _) = self.shape(process, &object)
                {
                    return Shape::Members(object, "->");
                }
                Shape::Target(target, address)
            }
            _ => Shape::Whole,
        }
    }

    /// What a reference refers to, if it can be read; nothing for other values.
    pub fn referred(&self, process: ProcessId, value: &Value) -> Option<Value> {
        let Kind::Reference(target) = &value.ty.kind else { return None };
        self.value_at(process, &target.get().ok()?, value.as_u64().ok()?).ok()
    }

    /// How many parts a value has. A pointer to a structure has its members.
    pub fn count_parts(&self, process: ProcessId, value: &Value) -> Parts {
        match self.shape(process, value) {
            Shape::Whole => Parts::None,
            Shape::Members(object, _) => match &object.ty.kind {
                Kind::Structure { members, .. } => Parts::Named(members.len()),
                _ => Parts::None,
            },
            Shape::Elements { count: 0, .. } => Parts::None,
            Shape::Elements { count, .. } => Parts::Indexed(count),
            Shape::Held(all) if all.is_empty() => Parts::None,
            Shape::Held(all) => Parts::Indexed(all.len() as u64),
            Shape::Variant(..) | Shape::Target(..) => Parts::Named(1),
        }
    }

    /// The parts of a value that `expression` names; of elements, those in the range.
    pub fn parts(
        &self,
        process: ProcessId,
        value: &Value,
        expression: Option<&str>,
        range: Range<u64>,
    ) -> Vec<Part> {
        let inner = |format: &dyn Fn(&str) -> String| expression.map(format);
        match self.shape(process, value) {
            Shape::Whole => Vec::new(),
            Shape::Members(object, access) => {
                let Kind::Structure { members, .. } = &object.ty.kind else { return Vec::new() };
                let absent = || crate::Error::expression("it is not in memory");
                let part = |m: &crate::info::Member| Part {
                    name: if m.name.is_empty() { "(anonymous)".into() } else { m.name.clone() },
                    // What has no name, and bases, are seen through by expressions.
                    expression: match m.name.is_empty() || m.is_transparent {
                        true => expression.map(str::to_string),
                        false => inner(&|e| format!("({e}){access}{}", m.name)),
                    },
                    value: member_value(&object, m).ok_or_else(absent),
                };
                members.iter().map(part).collect()
            }
            Shape::Elements { element, address, count } => {
                let end = range.end.min(count);
                (range.start.min(end)..end)
                    .map(|i| {
                        let at = address.wrapping_add(i.wrapping_mul(element.size));
                        Part {
                            name: format!("[{i}]"),
                            expression: inner(&|e| format!("({e})[{i}]")),
                            value: self.value_at(process, &element, at),
                        }
                    })
                    .collect()
            }
            Shape::Held(all) => {
                let end = range.end.min(all.len() as u64) as usize;
                let start = (range.start as usize).min(end);
                let part = |(i, value): (usize, &Value)| Part {
                    name: format!("[{}]", start + i),
                    expression: inner(&|e| format!("({e})[{}]", start + i)),
                    value: Ok(value.clone()),
                };
                all[start..end].iter().enumerate().map(part).collect()
            }
            Shape::Variant(name, value) => {
                vec![Part { name, expression: None, value: Ok(value) }]
            }
            Shape::Target(ty, address) => vec![Part {
                name: expression.map_or("*".to_string(), |e| format!("*{e}")),
                expression: inner(&|e| format!("*({e})")),
                value: self.value_at(process, &ty, address),
            }],
        }
    }
}
