//! Methods of the runtime's own classes, written as text.
//!
//! One instruction per line or between bars, operands after the mnemonic; `name:` is a label.
//! Classes of the runtime go by short names. Written for this crate's own texts: a mistake in one
//! is an error that the first test of the classes shows.

use watchword_classfile::{
    ClassEditor, Constant, Error, Flags, JStr, Kind, Label, Layout, MethodDescriptor, Opcode,
    Result, Snippet,
};

use crate::hook;
use crate::runtime::{self, body};

/// Short names of classes.
const SHORT: [(&str, &str); 13] = [
    ("Cell", runtime::CELL),
    ("Link", runtime::LINK),
    ("Shared", runtime::SHARED),
    ("Edge", runtime::EDGE),
    ("Tracked", runtime::TRACKED),
    ("Hook", hook::CLASS),
    ("Object", "java/lang/Object"),
    ("Class", "java/lang/Class"),
    ("Thread", "java/lang/Thread"),
    ("Long", "java/lang/Long"),
    ("Map", "java/util/HashMap"),
    ("List", "java/util/ArrayList"),
    ("Unsafe", "jdk/internal/misc/Unsafe"),
];

/// Adds a method to a class of the runtime: stack and locals besides the parameters, and its text.
pub fn method(
    class: &mut ClassEditor<'static>,
    class_name: &'static str,
    access: u16,
    (name, descriptor): (&'static str, &str),
    size: [u16; 2],
    text: &str,
) -> Result<()> {
    let lines: Vec<&str> =
        text.split(['\n', '|']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let names: Vec<&str> = lines.iter().filter_map(|line| line.strip_suffix(':')).collect();
    let descriptor = expand_descriptor(descriptor);
    body(class, class_name, name, access).write(
        &descriptor,
        size,
        names.len(),
        |out, class, labels| {
            let label = |name: &str| -> Result<Label> {
                let at = names.iter().position(|known| *known == name);
                at.map(|at| labels[at]).ok_or_else(|| Error::edit(format!("no label {name}")))
            };
            for line in &lines {
                match line.strip_suffix(':') {
                    Some(name) => {
                        out.bind(label(name)?);
                    }
                    None => instruction(out, class, line, &label)?,
                }
            }
            Ok(())
        },
    )
}

fn instruction(
    out: &mut Snippet,
    class: &mut ClassEditor<'static>,
    line: &str,
    label: &dyn Fn(&str) -> Result<Label>,
) -> Result<()> {
    let (mnemonic, operand) = line.split_once(' ').unwrap_or((line, ""));
    let number = || operand.parse::<i64>().map_err(|_| Error::edit(format!("a number: {line}")));
    let kind = match mnemonic.as_bytes()[0] {
        b'i' => Kind::Int,
        b'l' => Kind::Long,
        _ => Kind::Reference,
    };
    match mnemonic {
        "iload" | "lload" | "aload" => {
            out.load(kind, number()? as u16);
            return Ok(());
        }
        "istore" | "lstore" | "astore" => {
            out.store(kind, number()? as u16);
            return Ok(());
        }
        "int" => {
            let value = number()?;
            match i16::try_from(value) {
                Ok(short) => out.int(short),
                Err(_) => {
                    let index = class.pool.add(Constant::Integer(value as i32))?;
                    out.load_constant(index)
                }
            };
            return Ok(());
        }
        "long" => {
            let index = class.pool.add(Constant::Long(number()?))?;
            out.with_constant(Opcode::LDC2_W, index);
            return Ok(());
        }
        "text" => {
            let index = class.pool.string(operand)?;
            out.load_constant(index);
            return Ok(());
        }
        "newarray" => {
            out.new_array(number()? as u8);
            return Ok(());
        }
        "switch" => {
            let mut cases = Vec::new();
            let mut default = None;
            for case in operand.split(' ') {
                match case.split_once(':') {
                    Some((key, to)) => {
                        let key = key.parse().map_err(|_| Error::edit(format!("a key: {line}")))?;
                        cases.push((key, label(to)?));
                    }
                    None => default = Some(label(case)?),
                }
            }
            let default = default.ok_or_else(|| Error::edit("a switch has a default"))?;
            out.switch(&cases, default)?;
            return Ok(());
        }
        _ => {}
    }
    let opcode = (0..=255)
        .filter_map(Opcode::new)
        .find(|opcode| opcode.mnemonic() == mnemonic)
        .ok_or_else(|| Error::edit(format!("no instruction {mnemonic}")))?;
    if opcode.is(Flags::BRANCH) {
        out.jump(opcode, label(operand)?);
        return Ok(());
    }
    match opcode.info().layout {
        Layout::None => {
            out.op(opcode);
        }
        Layout::InvokeInterface | Layout::Constant => {
            constant(out, class, opcode, operand)?;
        }
        _ => return Err(Error::edit(format!("{mnemonic} is not written like this"))),
    }
    Ok(())
}

/// `Class`, `Class.field:D`, `Class.method(D)R`.
fn constant(
    out: &mut Snippet,
    class: &mut ClassEditor<'static>,
    opcode: Opcode,
    operand: &str,
) -> Result<()> {
    let Some((owner, member)) = operand.split_once('.') else {
        let index = class.pool.class(&expand(operand))?;
        out.with_constant(opcode, index);
        return Ok(());
    };
    let owner = expand(owner);
    if let Some((name, descriptor)) = member.split_once(':') {
        let index = class.pool.field(&owner, name, &expand_descriptor(descriptor))?;
        out.with_constant(opcode, index);
        return Ok(());
    }
    let at = member.find('(').ok_or_else(|| Error::edit(format!("a descriptor: {operand}")))?;
    let (name, descriptor) = (&member[..at], expand_descriptor(&member[at..]));
    if opcode == Opcode::INVOKEINTERFACE {
        let slots = MethodDescriptor::parse(JStr::new(descriptor.as_bytes()))?.parameter_slots();
        let index = class.pool.interface_method(&owner, name, &descriptor)?;
        out.invoke_interface(index, slots as u8);
    } else {
        let index = class.pool.method(&owner, name, &descriptor)?;
        out.with_constant(opcode, index);
    }
    Ok(())
}

fn expand(name: &str) -> String {
    let known = SHORT.iter().find(|(short, _)| *short == name);
    known.map_or(name, |(_, long)| long).to_string()
}

fn expand_descriptor(descriptor: &str) -> String {
    SHORT.iter().fold(descriptor.to_string(), |text, (short, long)| {
        text.replace(&format!("L{short};"), &format!("L{long};"))
    })
}
