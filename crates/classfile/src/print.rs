//! A compact, deterministic text form of class files, for tests and for reading.

use std::fmt::Write;

use crate::attribute::{Attribute, Decoded, FrameKind, FrameType};
use crate::cfg::{Cfg, EdgeKind};
use crate::class::{ClassFile, MAX_ATTRIBUTE_DEPTH, Member, access};
use crate::error::Result;
use crate::insn::{Instruction, Operand};
use crate::pool::{Constant, ConstantPool, Constants};

/// Prints a whole class. What cannot be decoded is printed as the error it gives.
pub fn print_class(class: &ClassFile<'_>) -> String {
    let mut out = String::new();
    let pool = class.pool();
    let what = if class.has_access(access::INTERFACE) { "interface" } else { "class" };
    let _ = write!(out, "{what} {}", or_error(class.name()));
    if let Ok(Some(name)) = class.super_name() {
        let _ = write!(out, " extends {name}");
    }
    for (i, name) in class.interface_names().enumerate() {
        let _ = write!(out, "{}{}", if i == 0 { " implements " } else { ", " }, or_error(name));
    }
    let _ = writeln!(out, " version {}.{} access {:#06x}", class.major, class.minor, class.access);
    for attribute in class.attributes() {
        print_attribute(attribute, pool, 1, &mut out);
    }
    for field in class.fields() {
        let _ = writeln!(out, "  field {field} access {:#06x}", field.access());
        for attribute in field.attributes() {
            print_attribute(attribute, pool, 2, &mut out);
        }
    }
    for method in class.methods() {
        let _ = writeln!(out, "  method {method} access {:#06x}", method.access());
        for attribute in method.attributes() {
            print_attribute(attribute, pool, 2, &mut out);
        }
    }
    out
}

fn or_error<T: std::fmt::Display>(value: Result<T>) -> String {
    match value {
        Ok(value) => value.to_string(),
        Err(error) => format!("<{error}>"),
    }
}

fn print_attribute(
    attribute: &Attribute<'_>,
    pool: &ConstantPool<'_>,
    depth: usize,
    out: &mut String,
) {
    let indent = "  ".repeat(depth);
    let name = or_error(attribute.name(pool));
    if depth > MAX_ATTRIBUTE_DEPTH {
        let _ = writeln!(out, "{indent}{name}: …");
        return;
    }
    let decoded = match attribute.decode(pool) {
        Ok(decoded) => decoded,
        Err(error) => {
            let _ = writeln!(out, "{indent}{name}: <{error}>");
            return;
        }
    };
    let utf8 = |index: u16| if index == 0 { "-".into() } else { or_error(pool.utf8(index)) };
    let class = |index: u16| if index == 0 { "-".into() } else { or_error(pool.class_name(index)) };
    let mut line = |text: &str| {
        let gap = if text.is_empty() { "" } else { ": " };
        let _ = writeln!(out, "{indent}{name}{gap}{text}");
    };
    match &decoded {
        Decoded::Code(code) => {
            line(&format!("stack={} locals={}", code.max_stack, code.max_locals));
            for instruction in code.instructions() {
                let text = match &instruction {
                    Ok(instruction) => print_instruction(instruction, pool),
                    Err(error) => format!("<{error}>"),
                };
                let _ = writeln!(out, "{indent}  {text}");
            }
            for row in code.exception_table.iter() {
                let _ = writeln!(
                    out,
                    "{indent}  try {}..{} catch {} at {}",
                    row.start,
                    row.end,
                    class(row.catch_type),
                    row.handler
                );
            }
            for nested in &code.attributes {
                print_attribute(nested, pool, depth + 1, out);
            }
        }
        Decoded::StackMapTable(table) => {
            line(&format!("{}", table.len()));
            for frame in table.iter() {
                let text = match frame {
                    Ok(frame) => format!("{} {}", frame.offset, print_frame(&frame.kind, pool)),
                    Err(error) => format!("<{error}>"),
                };
                let _ = writeln!(out, "{indent}  {text}");
            }
        }
        Decoded::LineNumberTable(table) => {
            let rows: Vec<String> =
                table.iter().map(|row| format!("{}:{}", row.start, row.line)).collect();
            line(&rows.join(" "));
        }
        Decoded::LocalVariableTable(table) | Decoded::LocalVariableTypeTable(table) => {
            let rows: Vec<String> = table
                .iter()
                .map(|row| {
                    let end = u32::from(row.start) + u32::from(row.length);
                    let (name, kind) = (utf8(row.name), utf8(row.descriptor));
                    format!("{}={name} {kind} {}..{end}", row.slot, row.start)
                })
                .collect();
            line(&rows.join(", "));
        }
        Decoded::Exceptions(table)
        | Decoded::NestMembers(table)
        | Decoded::PermittedSubclasses(table) => {
            line(&table.iter().map(|row| class(row.index)).collect::<Vec<_>>().join(" "));
        }
        Decoded::InnerClasses(table) => {
            let rows: Vec<String> = table
                .iter()
                .map(|row| {
                    let (inner, outer, name) = (class(row.inner), class(row.outer), utf8(row.name));
                    format!("{inner} in {outer} as {name} {:#06x}", row.access)
                })
                .collect();
            line(&rows.join(", "));
        }
        Decoded::EnclosingMethod(owner, method) => {
            let method = match method {
                0 => "-".into(),
                index => match pool.name_and_type(*index) {
                    Ok((name, descriptor)) => format!("{name}{descriptor}"),
                    Err(error) => format!("<{error}>"),
                },
            };
            line(&format!("{} {method}", class(*owner)));
        }
        Decoded::BootstrapMethods(list) => {
            line(&format!("{}", list.len()));
            for entry in list {
                let arguments: Vec<String> =
                    (entry.arguments.iter()).map(|row| print_constant(row.index, pool)).collect();
                let method = print_constant(entry.method, pool);
                let _ = writeln!(out, "{indent}  {method}({})", arguments.join(", "));
            }
        }
        Decoded::NestHost(index) | Decoded::ModuleMainClass(index) => line(&class(*index)),
        Decoded::Signature(index) | Decoded::SourceFile(index) | Decoded::ModuleTarget(index) => {
            line(&utf8(*index));
        }
        Decoded::ConstantValue(index) => line(&print_constant(*index, pool)),
        Decoded::MethodParameters(table) => {
            line(&table.iter().map(|row| utf8(row.name)).collect::<Vec<_>>().join(" "));
        }
        Decoded::Record(components) => {
            line(&format!("{}", components.len()));
            for component in components {
                let (name, kind) = (utf8(component.name), utf8(component.descriptor));
                let _ = writeln!(out, "{indent}  {name} {kind}");
                for nested in &component.attributes {
                    print_attribute(nested, pool, depth + 2, out);
                }
            }
        }
        Decoded::Annotations(list) => {
            line(&list.iter().map(|a| utf8(a.kind)).collect::<Vec<_>>().join(" "));
        }
        Decoded::TypeAnnotations(list) => {
            let rows: Vec<String> = list
                .iter()
                .map(|a| format!("{} {:?}", utf8(a.annotation.kind), a.target))
                .collect();
            line(&rows.join(", "));
        }
        Decoded::Module(module) => line(&or_error(pool.module_name(module.name))),
        Decoded::Deprecated | Decoded::Synthetic => line(""),
        _ => line(&format!("{} bytes", attribute.info.len())),
    }
}

/// Prints one instruction: offset, mnemonic, operands with constants spelt out.
pub fn print_instruction<'p>(instruction: &Instruction<'_>, pool: &impl Constants<'p>) -> String {
    let mut text = format!("{:4}: ", instruction.offset);
    if instruction.wide {
        text.push_str("wide ");
    }
    text.push_str(instruction.opcode.mnemonic());
    let _ = match instruction.operand {
        Operand::None => Ok(()),
        Operand::Immediate(value) => write!(text, " {value}"),
        Operand::Local(slot) => write!(text, " {slot}"),
        Operand::Constant(index) => write!(text, " {}", print_constant(index, pool)),
        Operand::Increment { local, delta } => write!(text, " {local} {delta:+}"),
        Operand::Branch(target) => write!(text, " {target}"),
        Operand::Switch(switch) => write!(text, " {switch:?}"),
        Operand::Interface { method, .. } => write!(text, " {}", print_constant(method, pool)),
        Operand::ElementType(code) => write!(text, " {code}"),
        Operand::MultiArray { class, dimensions } => {
            write!(text, " {} {dimensions}", print_constant(class, pool))
        }
    };
    text
}

/// Prints the constant at `index` on one line.
pub fn print_constant<'p>(index: u16, pool: &impl Constants<'p>) -> String {
    let member = |index: u16| match pool.member(index) {
        Ok(member) => {
            let gap = if member.descriptor.as_bytes().starts_with(b"(") { "" } else { " " };
            format!("{}.{}{gap}{}", member.class, member.name, member.descriptor)
        }
        Err(error) => format!("<{error}>"),
    };
    match pool.constant(index) {
        Err(error) => format!("<{error}>"),
        Ok(Constant::Utf8(text)) => format!("{text:?}"),
        Ok(Constant::Integer(value)) => format!("int {value}"),
        Ok(Constant::Float(bits)) => format!("float {:?}", f32::from_bits(bits)),
        Ok(Constant::Long(value)) => format!("long {value}"),
        Ok(Constant::Double(bits)) => format!("double {:?}", f64::from_bits(bits)),
        Ok(Constant::Class { name }) => or_error(pool.utf8(name)),
        Ok(Constant::String { utf8 }) => match pool.utf8(utf8) {
            Ok(text) => format!("string {text:?}"),
            Err(error) => format!("<{error}>"),
        },
        Ok(
            Constant::FieldRef { .. }
            | Constant::MethodRef { .. }
            | Constant::InterfaceMethodRef { .. },
        ) => member(index),
        Ok(Constant::NameAndType { .. }) => match pool.name_and_type(index) {
            Ok((name, descriptor)) => format!("{name} {descriptor}"),
            Err(error) => format!("<{error}>"),
        },
        Ok(Constant::MethodHandle { kind, reference }) => {
            format!("handle {kind} {}", member(reference))
        }
        Ok(Constant::MethodType { descriptor }) => or_error(pool.utf8(descriptor)),
        Ok(Constant::Dynamic { .. } | Constant::InvokeDynamic { .. }) => {
            match pool.dynamic(index) {
                Ok((bootstrap, name, descriptor)) => format!("#{bootstrap}:{name} {descriptor}"),
                Err(error) => format!("<{error}>"),
            }
        }
        Ok(Constant::Module { name } | Constant::Package { name }) => or_error(pool.utf8(name)),
    }
}

fn print_frame(kind: &FrameKind, pool: &ConstantPool<'_>) -> String {
    let types = |list: &[FrameType]| {
        let names: Vec<String> = list
            .iter()
            .map(|t| match t {
                FrameType::Object(index) => or_error(pool.class_name(*index)),
                FrameType::Uninitialized(offset) => format!("new@{offset}"),
                FrameType::UninitializedThis => "uninitializedThis".into(),
                other => format!("{other:?}").to_lowercase(),
            })
            .collect();
        format!("[{}]", names.join(" "))
    };
    match kind {
        FrameKind::Same => "same".into(),
        FrameKind::SameLocals1(value) => format!("same stack {}", types(&[*value])),
        FrameKind::Chop(count) => format!("chop {count}"),
        FrameKind::Append(list) => format!("append {}", types(list)),
        FrameKind::Full { locals, stack } => {
            format!("full {} stack {}", types(locals), types(stack))
        }
    }
}

/// Prints the control-flow graph of a method: one line per block with its loop depth and
/// immediate dominator, its edges, and its instructions.
pub fn print_cfg(method: &Member<'_, '_>, cfg: &Cfg<'_>) -> String {
    let pool = method.class().pool();
    let (dominators, loops) = (cfg.dominators(), cfg.loops());
    let mut out = format!("{method}\n");
    for id in cfg.ids() {
        let block = cfg.block(id);
        let _ = write!(out, "  {id:?} {}..{}", block.range.start, block.range.end);
        match loops.depth(id) {
            0 => {}
            depth => {
                let _ = write!(out, " loop {depth}");
            }
        }
        if let Some(parent) = dominators.immediate(id) {
            let _ = write!(out, " dominated by {parent:?}");
        }
        if !cfg.is_reachable(id) {
            out.push_str(" unreachable");
        }
        for edge in &block.successors {
            let _ = match edge.kind {
                EdgeKind::Fall => write!(out, " fall→{:?}", edge.to),
                EdgeKind::Jump => write!(out, " jump→{:?}", edge.to),
                EdgeKind::Case(key) => write!(out, " {key}→{:?}", edge.to),
                EdgeKind::Default => write!(out, " default→{:?}", edge.to),
            };
        }
        for edge in block.exceptional_successors() {
            let caught = match edge.catch_type {
                0 => "any".into(),
                index => or_error(pool.class_name(index)),
            };
            let _ = write!(out, " {caught}⇒{:?}", edge.to);
        }
        if block.returns {
            out.push_str(" returns");
        }
        if block.may_throw_out() {
            out.push_str(" throws");
        }
        out.push('\n');
        for instruction in cfg.block_instructions(id) {
            let mark =
                if block.throwing.binary_search(&instruction.offset).is_ok() { "!" } else { " " };
            let _ = writeln!(out, "   {mark}{}", print_instruction(instruction, pool));
        }
    }
    let order: Vec<String> = cfg.reverse_post_order().iter().map(|id| format!("{id:?}")).collect();
    let _ = writeln!(out, "  order {}", order.join(" "));
    out
}
