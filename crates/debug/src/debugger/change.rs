//! Expressions that change places: variables, memory, registers, and what the person keeps.

use super::Debugger;
use super::eval::{Context, convert, new_integer, no_register};
use crate::error::{Error, Result};
use crate::expr::{self, Binary, Expr, Taken};
use crate::info::{Kind, Place, Type};
use crate::tracer::ThreadId;
use crate::value::Value;

impl Debugger {
    /// Assigns to a variable, register or memory: `assign(t, 0, "q->size", "0")`.
    pub fn assign(
        &mut self,
        thread: ThreadId,
        frame: usize,
        target: &str,
        value: &str,
    ) -> Result<Value> {
        let context = self.context(thread, frame)?;
        let target = expr::parse_statement(target)?;
        let value = expr::parse_statement(value)?;
        self.assign_to(&context, &target, None, &value)
    }

    /// `target = value`, `target += value`; what is in the place then.
    pub(super) fn assign_to(
        &mut self,
        context: &Context,
        target: &Expr,
        operator: Option<Binary>,
        value: &Expr,
    ) -> Result<Value> {
        let is_new = operator.is_none();
        if let (Expr::Register(name), true) = (target, is_new)
            && !self.is_register(context, name)
        {
            let value = self.used(context, value)?;
            self.kept.set(name, value.clone())?;
            return Ok(value);
        }
        let old = self.used(context, target)?;
        if let (Expr::Text(text), true) = (value, is_new)
            && let Some(bytes) = as_array(text, &old)?
        {
            return self.store(context, target, &old, bytes);
        }
        let mut new = self.used(context, value)?;
        if let Some(operator) = operator {
            new = self.compute(operator, old.clone(), new)?;
        }
        self.put(context, target, &old, new)
    }

    /// `target++` and its like; the value before or after.
    pub(super) fn step_place(
        &mut self,
        context: &Context,
        target: &Expr,
        by: i8,
        taken: Taken,
    ) -> Result<Value> {
        let old = self.used(context, target)?;
        let new = self.compute(Binary::Add, old.clone(), Value::number(i128::from(by)))?;
        let new = self.put(context, target, &old, new)?;
        Ok(match taken {
            Taken::Before => Value { place: None, ..old },
            Taken::After => new,
        })
    }

    /// Puts a value where another one was.
    fn put(&mut self, context: &Context, target: &Expr, old: &Value, new: Value) -> Result<Value> {
        if let Expr::Register(name) = target {
            return self.put_register(context, name, new);
        }
        if matches!(new.ty.kind, Kind::Array { .. }) && new.place.is_none() && old.ty.is_pointer() {
            return Err(Error::expression(
                "the program has no memory with this text; it can make some, if it has a function \
                 for that: p = strdup(\"text\")",
            ));
        }
        // Functions and arrays are where they begin.
        let new = if old.ty.is_pointer() { self.decay(new) } else { new };
        let mut bytes = convert(&new, &old.ty)?.bytes;
        if let Some((first, width)) = old.bits {
            // Only the field's bits change.
            let mut word = [0u8; 16];
            word[..old.bytes.len()].copy_from_slice(&old.bytes);
            let mask = (u128::MAX >> (128 - width.clamp(1, 128))) << first;
            let wanted = (new_integer(&bytes) << first) & mask;
            let merged = (u128::from_le_bytes(word) & !mask) | wanted;
            bytes = merged.to_le_bytes()[..old.bytes.len()].to_vec();
        }
        self.store(context, target, old, bytes)
    }

    fn put_register(&mut self, context: &Context, name: &str, new: Value) -> Result<Value> {
        if !self.is_register(context, name) {
            self.kept.set(name, new.clone())?;
            return Ok(new);
        }
        if context.frame.index != 0 {
            return Err(Error::expression("registers can only be set in frame 0"));
        }
        let number = self.decay(new.clone()).as_integer()? as u64;
        let mut registers = self.tracer.registers(context.thread)?;
        if !registers.set_by_name(name, number) && !registers.set_part_by_name(name, number) {
            return Err(no_register(name));
        }
        self.tracer.set_registers(context.thread, registers)?;
        Ok(new)
    }

    /// Writes bytes to the place of a value; the value that is there then.
    fn store(
        &mut self,
        context: &Context,
        target: &Expr,
        old: &Value,
        bytes: Vec<u8>,
    ) -> Result<Value> {
        let place = old.place.clone().ok_or_else(|| {
            Error::expression(match target {
                Expr::Name(name) => format!("`{name}` cannot be assigned to"),
                _ => "what stands before `=` is no place that could be assigned to".to_string(),
            })
        })?;
        self.write_place(context, &place, &bytes)?;
        match place {
            Place::Memory(_) => {
                let mut value = self.load_value(context, old.ty.clone(), place)?;
                value.bits = old.bits;
                Ok(value)
            }
            _ => Ok(old.with_bytes(&bytes)),
        }
    }

    /// Whether `$name` is a register; otherwise it is a variable of the person.
    pub(super) fn is_register(&mut self, context: &Context, name: &str) -> bool {
        let Ok(registers) = self.tracer.registers(context.thread) else { return false };
        registers.by_name(name).is_some() || registers.part_by_name(name).is_some()
    }
}

/// A text as the bytes of an array of characters, with the zeros that end it; nothing if it is to be put
/// into something else.
fn as_array(text: &str, array: &Value) -> Result<Option<Vec<u8>>> {
    let is_text = |t: &Type| t.size == 1 && matches!(t.kind, Kind::Character { .. });
    let Kind::Array { element, count } = &array.ty.kind else { return Ok(None) };
    if !is_text(&*element.get()?) || *count > super::eval::LARGEST {
        return Ok(None);
    }
    if text.len() as u64 >= *count {
        return Err(Error::expression(format!(
            "the array has room for {} characters and the zero that ends them",
            count.saturating_sub(1)
        )));
    }
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(*count as usize, 0);
    Ok(Some(bytes))
}
