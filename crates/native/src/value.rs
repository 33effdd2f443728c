//! Values of the program as values of properties.

use std::rc::Rc;
use std::sync::Arc;

use watchword_debug::info::{Kind, Type as ProgramType};
use watchword_debug::{Captured, Contents, Debugger, ProcessId, Value as Seen};
use watchword_model::{Type, Value};

/// Text longer than this is cut.
const LONGEST_TEXT: usize = 64 << 10;

/// Lists longer than this are not read.
const LONGEST_LIST: u64 = 4096;

/// A captured value as the parameter's type wants it, or why it is none. A null pointer is null;
/// text is read where the parameter is declared as text.
pub(crate) fn to_model(
    debugger: &Debugger,
    process: ProcessId,
    captured: &Captured,
    ty: Type,
) -> Result<Value, String> {
    let seen = captured.as_ref().map_err(|e| e.to_string())?;
    let value = plain(debugger, process, seen, ty)?;
    let shown = value.type_of();
    value
        .coerce(ty)
        .ok_or_else(|| format!("{} was found where {} is declared", name_of(shown), name_of(ty)))
}

fn name_of(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "a truth value",
        Type::Int => "an integer",
        Type::Float => "a float",
        Type::Str => "text",
        Type::Ptr => "an address",
        Type::Ref => "an object",
        Type::List => "a list",
        Type::Map => "a map",
        Type::Duration => "a length of time",
        Type::Any => "a value",
    }
}

fn plain(debugger: &Debugger, process: ProcessId, seen: &Seen, ty: Type) -> Result<Value, String> {
    let problem = |e: watchword_debug::Error| e.to_string();
    match &seen.ty.kind {
        Kind::Boolean => Ok(match ty {
            Type::Int => Value::Int(i64::from(seen.as_integer().map_err(problem)? != 0)),
            _ => Value::Bool(seen.as_integer().map_err(problem)? != 0),
        }),
        Kind::Enumeration { variants, .. } if ty == Type::Str => {
            let number = seen.as_integer().map_err(problem)?;
            let named = variants.iter().find(|(_, v)| i128::from(*v) == number);
            Ok(named.map_or(Value::str(&number.to_string()), |(name, _)| Value::str(name)))
        }
        Kind::Integer { .. } | Kind::Character { .. } | Kind::Enumeration { .. } => {
            let number = seen.as_integer().map_err(problem)?;
            Ok(match ty {
                Type::Bool => Value::Bool(number != 0),
                Type::Ptr if number == 0 => Value::Null,
                // Without debug information an argument is just a word.
                Type::Str if number == 0 => Value::Null,
                Type::Str => text_at(debugger, process, number as u64)?,
                // Of a word without a type, being an address is all that can be found out.
                Type::Any if seen.ty.is_word() && is_address(debugger, process, number as u64) => {
                    Value::Ptr(number as u64)
                }
                _ => Value::Int(number as i64),
            })
        }
        Kind::Float => Ok(Value::Float(seen.as_f64().map_err(problem)?)),
        // A reference is the object it refers to, unless its identity is wanted.
        Kind::Reference(target) if ty != Type::Ptr => {
            let address = seen.as_u64().map_err(problem)?;
            let target = target.get().map_err(problem)?;
            let object = debugger.value_at(process, &target, address).map_err(problem)?;
            match plain(debugger, process, &object, ty) {
                Err(_) if ty == Type::Any => Ok(Value::Ptr(address)),
                other => other,
            }
        }
        Kind::Pointer(target) | Kind::Reference(target) => {
            let address = seen.as_u64().map_err(problem)?;
            match (address, ty) {
                (0, _) => Ok(Value::Null),
                (_, Type::Str | Type::List) => {
                    let target = target.get().map_err(problem)?;
                    if ty == Type::Str && is_text(&target) {
                        return text_at(debugger, process, address);
                    }
                    let object = debugger.value_at(process, &target, address).map_err(problem)?;
                    let is_one = |c| matches!(c, Contents::Text { .. } | Contents::Elements { .. });
                    match debugger.contents(process, &object).is_some_and(is_one) {
                        true => plain(debugger, process, &object, ty),
                        false => Ok(Value::Ptr(address)),
                    }
                }
                (_, Type::Int) => Ok(Value::Int(address as i64)),
                _ => Ok(Value::Ptr(address)),
            }
        }
        Kind::Array { element, .. }
            if ty == Type::Str && element.get().is_ok_and(|t| t.size == 1) =>
        {
            // Of a large array only its place is known.
            match seen.address().filter(|_| seen.bytes().is_empty()) {
                Some(address) => text_at(debugger, process, address),
                None => Ok(text_of(seen.bytes())),
            }
        }
        // An array is where it begins, as in C.
        Kind::Array { .. } | Kind::Function if seen.address().is_some() => {
            Ok(Value::Ptr(seen.address().unwrap_or(0)))
        }
        Kind::Structure { .. } => match debugger.contents(process, seen) {
            Some(contents) => stands_for(debugger, process, contents, ty),
            None => Err(no_value(seen)),
        },
        Kind::Void => Err("the function returns nothing".into()),
        _ => Err(no_value(seen)),
    }
}

fn no_value(seen: &Seen) -> String {
    format!("a value of type {} is not one a property can hold", seen.ty.name)
}

/// What a value of a library type stands for, as a property's value: text, a list, what an `Option`
/// holds, the name of a variant.
fn stands_for(
    debugger: &Debugger,
    process: ProcessId,
    contents: Contents,
    ty: Type,
) -> Result<Value, String> {
    match contents {
        Contents::Text { address, length } => {
            Ok(text_of_length(debugger, process, address, length))
        }
        Contents::Elements { element, address, count } if ty == Type::Str && element.size == 1 => {
            Ok(text_of_length(debugger, process, address, count))
        }
        Contents::Elements { count, .. } if count > LONGEST_LIST => {
            Err(format!("a list of {count} elements is too long"))
        }
        Contents::Elements { element, address, count } => {
            let item = |i: u64| {
                let at = address.wrapping_add(i.wrapping_mul(element.size));
                let item = debugger.value_at(process, &element, at).map_err(|e| e.to_string())?;
                plain(debugger, process, &item, Type::Any)
            };
            Ok(Value::List(Arc::new((0..count).map(item).collect::<Result<_, _>>()?)))
        }
        Contents::KeptText(text) => Ok(Value::str(&String::from_utf8_lossy(&text))),
        Contents::KeptElements(all) if ty == Type::Str && all.iter().all(|b| b.ty.size == 1) => {
            let bytes: Vec<u8> = all.iter().flat_map(|b| b.bytes().to_vec()).collect();
            Ok(Value::str(&String::from_utf8_lossy(&bytes)))
        }
        Contents::KeptElements(all) if all.len() as u64 > LONGEST_LIST => {
            Err(format!("a list of {} elements is too long", all.len()))
        }
        Contents::KeptElements(all) => {
            let item = |item: &Seen| plain(debugger, process, item, Type::Any);
            Ok(Value::List(Arc::new(all.iter().map(item).collect::<Result<_, _>>()?)))
        }
        Contents::Gone => {
            Err("what it held at the entry was not read; use an event before the call".into())
        }
        Contents::Optional(None) => Ok(Value::Null),
        Contents::Optional(Some(held)) => plain(debugger, process, &held, ty),
        Contents::Variant { name, value } => match (name.as_str(), debugger.inner(&value)) {
            ("None", _) => Ok(Value::Null),
            ("Some", Some(inner)) => plain(debugger, process, &inner, ty),
            (name, _) => Ok(Value::str(name)),
        },
    }
}

fn text_of_length(debugger: &Debugger, process: ProcessId, address: u64, length: u64) -> Value {
    let mut bytes = vec![0; length.min(LONGEST_TEXT as u64) as usize];
    let n = debugger.tracer().read_partly(process, address, &mut bytes);
    Value::str(&String::from_utf8_lossy(&bytes[..n]))
}

fn is_address(debugger: &Debugger, process: ProcessId, word: u64) -> bool {
    const LOWEST: u64 = 0x1_0000;
    word >= LOWEST && debugger.tracer().read_partly(process, word, &mut [0]) == 1
}

fn is_text(ty: &Rc<ProgramType>) -> bool {
    ty.size == 1 || matches!(ty.kind, Kind::Void)
}

fn text_at(debugger: &Debugger, process: ProcessId, address: u64) -> Result<Value, String> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut chunk = [0u8; 256];
    while bytes.len() < LONGEST_TEXT {
        let n = debugger.tracer().read_partly(process, address + bytes.len() as u64, &mut chunk);
        if n == 0 && bytes.is_empty() {
            return Err(format!("there is no text at {address:#x}"));
        }
        if let Some(end) = chunk[..n].iter().position(|b| *b == 0) {
            bytes.extend_from_slice(&chunk[..end]);
            break;
        }
        bytes.extend_from_slice(&chunk[..n]);
        if n < chunk.len() {
            break;
        }
    }
    Ok(Value::str(&String::from_utf8_lossy(&bytes)))
}

fn text_of(bytes: &[u8]) -> Value {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    Value::str(&String::from_utf8_lossy(&bytes[..end]))
}
