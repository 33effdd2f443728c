//! Where something is, and of which type, without reading it.

use std::rc::Rc;

use super::Debugger;
use super::eval::Context;
use crate::error::{Error, Result};
use crate::expr::{Expr, Unary};
use crate::info::{Kind, Place, Type};
use crate::value::{Held, Value};

impl Debugger {
    /// The object that an expression names. If it is in memory it is not read, so that it need not be
    /// readable: `((struct node *) 0)->next`.
    pub(super) fn located(&mut self, context: &Context, e: &Expr) -> Result<Value> {
        let found = match e {
            Expr::Unary(Unary::Dereference, pointer) => {
                let pointer = self.located_value(context, pointer)?;
                self.target_of(&pointer)?
            }
            Expr::Arrow(pointer, field) => {
                let pointer = self.located_value(context, pointer)?;
                self.target_of(&pointer)?.and_then(|object| member_of(&object, field))
            }
            Expr::Member(object, field) => {
                let object = self.located(context, object)?;
                match object.ty.kind {
                    Kind::Structure { .. } => member_of(&object, field),
                    _ => None,
                }
            }
            Expr::Index(array, index) => {
                let array = self.located(context, array)?;
                let index = self.used(context, index)?.as_integer()?;
                match (&array.ty.kind, array.address()) {
                    (Kind::Array { element, .. }, Some(address)) => {
                        let ty = element.get()?;
                        let by = (index as u64).wrapping_mul(ty.size.max(1));
                        Some(unread(ty, address.wrapping_add(by)))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        match found {
            Some(value) => Ok(value),
            None => self.expression(context, e),
        }
    }

    /// The type of an expression, and its place if it has one. Nothing is called or changed for it.
    pub(super) fn outlined(&mut self, context: &Context, e: &Expr) -> Result<Value> {
        match e {
            Expr::Call(function, _) => {
                let function = self.outlined(context, function)?;
                let function = self.decay(function);
                let scope = self.scope(context.process, function.as_u64()?);
                let scope = scope.filter(|s| s.is_typed()).ok_or_else(|| {
                    Error::expression("no debug information says what the function returns")
                })?;
                Ok(untold(scope.result.get()?))
            }
            Expr::Assign(place, ..) | Expr::Step(place, ..) => self.outlined(context, place),
            Expr::Sequence(_, last) => self.outlined(context, last),
            e if e.calls() || e.changes() => Err(Error::expression(
                "for its type nothing is called or changed: ask for the part without that",
            )),
            e => self.located(context, e),
        }
    }

    /// The value of an expression, read unless only its place matters.
    fn located_value(&mut self, context: &Context, e: &Expr) -> Result<Value> {
        let value = self.located(context, e)?;
        match (&value.ty.kind, value.address()) {
            (Kind::Array { .. } | Kind::Structure { .. } | Kind::Function, _) | (_, None) => {
                Ok(value)
            }
            (_, Some(address)) if value.bytes.is_empty() => {
                self.load_value(context, value.ty.clone(), Place::Memory(address))
            }
            _ => Ok(value),
        }
    }

    /// What a pointer points to, unread; nothing if it is something else.
    fn target_of(&self, pointer: &Value) -> Result<Option<Value>> {
        let pointer = self.decay(pointer.clone());
        let Kind::Pointer(target) = &pointer.ty.kind else { return Ok(None) };
        let ty = target.get()?;
        if matches!(ty.kind, Kind::Void | Kind::Opaque) {
            return Ok(None);
        }
        Ok(Some(unread(ty, pointer.as_u64()?)))
    }
}

fn member_of(object: &Value, field: &str) -> Option<Value> {
    let address = object.address()?;
    let found = object.ty.member(field)?;
    let mut value = unread(found.ty.get().ok()?, address.wrapping_add(found.offset));
    value.bits = found.bits;
    Some(value)
}

/// An object of which nothing was read.
fn unread(ty: Rc<Type>, address: u64) -> Value {
    let place = Some(Place::Memory(address));
    Value { ty, bytes: Vec::new(), place, bits: None, held: Held::No }
}

/// A value of which only the type is known.
fn untold(ty: Rc<Type>) -> Value {
    Value { ty, bytes: Vec::new(), place: None, bits: None, held: Held::No }
}
