//! Methods of classes that are made from a property, written as text.
//!
//! One instruction per line or between bars, operands after the mnemonic; `name:` is a label.
//! Classes of the runtime go by short names. Written for this crate's own texts: a mistake in one
//! is an error that the first test of the classes shows.

use watchword_classfile::simulate::MethodContext;
use watchword_classfile::{
    ClassEditor, CodeEditor, Constant, Error, Flags, JStr, Kind, Label, Layout, MethodDescriptor,
    Opcode, Result, Snippet,
};

use crate::runtime::PREFIX;

/// The version of classes, which needs no frames.
pub const VERSION: u16 = 49;

/// Names of classes of the runtime, without what they begin with.
const SHORT: [&str; 10] =
    ["Agent", "Cell", "Choices", "Counts", "Hook", "Link", "Shared", "Steps", "Tables", "Tracked"];

/// Adds a method to a class: stack and locals besides the parameters, and its text.
pub fn method(
    class: &mut ClassEditor<'static>,
    class_name: &'static str,
    access: u16,
    (name, descriptor): (&'static str, &str),
    [stack, locals]: [u16; 2],
    text: &str,
) -> Result<()> {
    let lines: Vec<&str> =
        text.split(['\n', '|']).map(str::trim).filter(|line| !line.is_empty()).collect();
    // The pool outlives the method; descriptors are few and live as long as the agent.
    let kept: &'static str = String::leak(descriptor.to_string());
    let context = MethodContext {
        class: JStr::new(class_name.as_bytes()),
        name: JStr::new(name.as_bytes()),
        descriptor: JStr::new(kept.as_bytes()),
        access,
    };
    let mut code = CodeEditor::create(VERSION, context, stack)?;
    if locals > 0 {
        code.fresh_local(locals)?;
    }
    let names = lines.iter().filter_map(|line| line.strip_suffix(':'));
    let labels: Vec<(&str, Label)> = names.map(|name| (name, code.new_label())).collect();
    let label = |name: &str| -> Result<Label> {
        let known = labels.iter().find(|(known, _)| *known == name);
        known.map(|(_, label)| *label).ok_or_else(|| Error::edit(format!("no label {name}")))
    };
    let mut body = Snippet::new();
    for line in &lines {
        match line.strip_suffix(':') {
            Some(name) => {
                body.bind(label(name)?);
            }
            None => instruction(&mut body, class, line, &label)?,
        }
    }
    code.append(&body);
    let code = code.finish(&mut class.pool)?;
    class.add_method(access, name, descriptor, Some(code))?;
    Ok(())
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
    if SHORT.contains(&name) { format!("{PREFIX}{name}") } else { name.to_string() }
}

fn expand_descriptor(descriptor: &str) -> String {
    let object = descriptor.replace("LObject;", "Ljava/lang/Object;");
    SHORT.iter().fold(object, |text, short| {
        text.replace(&format!("L{short};"), &format!("L{PREFIX}{short};"))
    })
}
