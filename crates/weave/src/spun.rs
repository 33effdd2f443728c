//! The class that stands for a method reference.
//!
//! The JVM makes such a class when it comes to the reference for the first time, hidden from
//! whoever might weave it; this is the same class, made earlier. It implements the interface by the
//! call that the reference stands for:
//!
//! ```java
//! final class Main$$Lambda$0 implements Function {
//!     private final Parser arg0;
//!     private Main$$Lambda$0(Parser arg0) { this.arg0 = arg0; }
//!     static Function make(Parser arg0) { return new Main$$Lambda$0(arg0); }
//!     public Object apply(Object x) { return arg0.parse((String) x); }
//! }
//! ```
//!
//! What the interface has and what the method takes are fitted to each other as the documentation of
//! `LambdaMetafactory` says. A reference that captures nothing is one object for good.

use watchword_classfile::simulate::MethodContext;
use watchword_classfile::{
    ClassEditor, CodeEditor, Error, FieldType, JStr, Kind, MethodDescriptor, Opcode, PoolEditor,
    Result, Snippet, access,
};
use watchword_select::descriptor_of;

use crate::lambda::Reference;

/// The method that makes the object.
pub const MAKE: &str = "make";
/// The first version in which classes of a nest call each other's private methods.
const VERSION: u16 = 55;
const ONLY: &str = "only";

/// A class for a reference.
pub struct Spun {
    /// Its bytes, not woven yet.
    pub bytes: Vec<u8>,
    /// Its methods that make the call, by descriptor, with the offset of the call.
    pub calls: Vec<(String, u32)>,
}

/// The class of a reference.
pub fn class(name: &str, reference: &Reference<'_>) -> Result<Spun> {
    let flags = access::FINAL | access::SUPER | access::SYNTHETIC;
    let mut class = ClassEditor::create(VERSION, flags, name, "java/lang/Object")?;
    class.add_interface(&reference.interface)?;
    for marker in &reference.markers {
        class.add_interface(marker)?;
    }
    for (index, captured) in reference.captured.iter().enumerate() {
        class.add_field(access::PRIVATE | access::FINAL, &field(index), captured)?;
    }
    constructor(&mut class, name, reference)?;
    maker(&mut class, name, reference)?;
    let mut calls = Vec::new();
    for descriptor in &reference.types {
        if !calls.iter().any(|(known, _)| known == descriptor) {
            let offset = call(&mut class, name, reference, descriptor)?;
            calls.push((descriptor.clone(), offset));
        }
    }
    Ok(Spun { bytes: class.to_bytes()?, calls })
}

fn field(index: usize) -> String {
    format!("arg{index}")
}

/// Adds a method without branches.
pub(crate) fn add(
    class: &mut ClassEditor<'_>,
    flags: u16,
    name: &str,
    descriptor: &str,
    stack: u16,
    body: &Snippet,
) -> Result<()> {
    // Nothing but the number of parameters is looked at where there are no frames to compute.
    let slots = MethodDescriptor::parse(JStr::new(descriptor.as_bytes()))?.parameter_slots();
    let context = MethodContext {
        class: JStr::new(b"spun"),
        name: JStr::new(b"spun"),
        descriptor: JStr::new(b"()V"),
        access: access::STATIC,
    };
    let mut code = CodeEditor::create(VERSION, context, stack)?;
    code.max_locals = slots + u16::from(flags & access::STATIC == 0);
    code.append(body);
    let code = code.finish(&mut class.pool)?;
    class.add_method(flags, name, descriptor, Some(code))?;
    Ok(())
}

fn constructor(class: &mut ClassEditor<'_>, name: &str, reference: &Reference<'_>) -> Result<()> {
    let mut body = Snippet::new();
    let above = class.pool.method("java/lang/Object", "<init>", "()V")?;
    body.load(Kind::Reference, 0).with_constant(Opcode::INVOKESPECIAL, above);
    let mut slot = 1;
    for (index, captured) in reference.captured.iter().enumerate() {
        let ty = parsed(captured)?;
        let own = class.pool.field(name, &field(index), captured)?;
        body.load(Kind::Reference, 0).load(ty.kind(), slot).with_constant(Opcode::PUTFIELD, own);
        slot += ty.slots();
    }
    body.ret(None);
    let descriptor = format!("({})V", reference.captured.concat());
    add(class, access::PRIVATE, "<init>", &descriptor, 3, &body)
}

fn maker(class: &mut ClassEditor<'_>, name: &str, reference: &Reference<'_>) -> Result<()> {
    let interface = descriptor_of(&reference.interface);
    let taken = reference.captured.concat();
    let made = class.pool.class(name)?;
    let init = class.pool.method(name, "<init>", &format!("({taken})V"))?;
    let mut body = Snippet::new();
    body.with_constant(Opcode::NEW, made).op(Opcode::DUP);
    let mut slot = 0;
    for captured in &reference.captured {
        let ty = parsed(captured)?;
        body.load(ty.kind(), slot);
        slot += ty.slots();
    }
    body.with_constant(Opcode::INVOKESPECIAL, init);
    if reference.captured.is_empty() {
        let only = class.pool.field(name, ONLY, &interface)?;
        class.add_field(access::PRIVATE | access::STATIC | access::FINAL, ONLY, &interface)?;
        body.with_constant(Opcode::PUTSTATIC, only).ret(None);
        add(class, access::STATIC, "<clinit>", "()V", 2, &body)?;
        body = Snippet::new();
        body.with_constant(Opcode::GETSTATIC, only);
    }
    body.ret(Some(Kind::Reference));
    add(class, access::STATIC, MAKE, &format!("({taken}){interface}"), slot + 2, &body)
}

/// Adds a method of the interface; returns the offset of the call in it.
fn call(
    class: &mut ClassEditor<'_>,
    name: &str,
    reference: &Reference<'_>,
    descriptor: &str,
) -> Result<u32> {
    let member = &reference.member;
    let (owner, called) = (member.class.to_str(), member.descriptor.to_str());
    let wanted = MethodDescriptor::parse(member.descriptor)?;
    let mut takes: Vec<String> = wanted.parameters().map(text).collect();
    if reference.has_receiver() {
        takes.insert(0, descriptor_of(&owner));
    }
    let has = types(descriptor)?;
    let meant = types(&reference.instantiated)?;
    let captured = reference.captured.len();
    if has.0.len() != meant.0.len() || takes.len() != captured + has.0.len() {
        return Err(unfit());
    }
    let mut body = Snippet::new();
    if reference.is_constructor() {
        let made = class.pool.class(&owner)?;
        body.with_constant(Opcode::NEW, made).op(Opcode::DUP);
    }
    let pool = &mut class.pool;
    for (index, (captured, taken)) in reference.captured.iter().zip(&takes).enumerate() {
        let own = pool.field(name, &field(index), captured)?;
        body.load(Kind::Reference, 0).with_constant(Opcode::GETFIELD, own);
        // A subtype, which the verifier does not have to look up.
        fit(&mut body, pool, captured, captured, taken)?;
    }
    let mut slot = 1;
    for ((has, meant), taken) in has.0.iter().zip(&meant.0).zip(&takes[captured..]) {
        let ty = parsed(has)?;
        body.load(ty.kind(), slot);
        slot += ty.slots();
        fit(&mut body, pool, has, meant, taken)?;
    }
    let offset = body.size() as u32;
    let target = match member.interface {
        true => pool.interface_method(&owner, &member.name.to_str(), &called)?,
        false => pool.method(&owner, &member.name.to_str(), &called)?,
    };
    match (reference.kind, member.interface) {
        (6, _) => body.with_constant(Opcode::INVOKESTATIC, target),
        (8, _) => body.with_constant(Opcode::INVOKESPECIAL, target),
        // A private method of the class around is called like any other from here.
        (_, true) => body.invoke_interface(target, wanted.parameter_slots() as u8),
        (_, false) => body.with_constant(Opcode::INVOKEVIRTUAL, target),
    };
    let gives = match reference.is_constructor() {
        true => descriptor_of(&owner),
        false => wanted.result().map_or_else(|| "V".to_owned(), text),
    };
    match &*has.1 {
        "V" => body.ret(None),
        result => {
            fit(&mut body, pool, &gives, &meant.1, result)?;
            body.ret(Some(parsed(result)?.kind()))
        }
    };
    // What is made, what is taken, and room for what is being fitted.
    let taken: u16 = takes.iter().map(|ty| parsed(ty).map_or(2, |ty| ty.slots())).sum();
    let method = reference.method.clone();
    add(class, access::PUBLIC, &method, descriptor, taken + 6, &body)?;
    Ok(offset)
}

fn unfit() -> Error {
    Error::edit("the types of a method reference do not fit")
}

fn text(ty: FieldType<'_>) -> String {
    ty.descriptor().to_str().into_owned()
}

fn parsed(descriptor: &str) -> Result<FieldType<'_>> {
    FieldType::parse(JStr::new(descriptor.as_bytes()))
}

/// Parameters and result of a method type; `V` for none.
fn types(descriptor: &str) -> Result<(Vec<String>, String)> {
    let parsed = MethodDescriptor::parse(JStr::new(descriptor.as_bytes()))?;
    Ok((parsed.parameters().map(text).collect(), parsed.result().map_or("V".to_owned(), text)))
}

/// The boxes: what is in them, their class, the method that takes it out.
const BOXES: [(&str, &str, &str); 8] = [
    ("Z", "java/lang/Boolean", "booleanValue"),
    ("C", "java/lang/Character", "charValue"),
    ("B", "java/lang/Byte", "byteValue"),
    ("S", "java/lang/Short", "shortValue"),
    ("I", "java/lang/Integer", "intValue"),
    ("J", "java/lang/Long", "longValue"),
    ("F", "java/lang/Float", "floatValue"),
    ("D", "java/lang/Double", "doubleValue"),
];

/// The box for a primitive type.
fn box_for(primitive: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    BOXES.iter().find(|(inside, ..)| *inside == primitive)
}

/// What is in a box, if a type is one.
fn inside(descriptor: &str) -> Option<&'static str> {
    let class = descriptor.strip_prefix('L')?.strip_suffix(';')?;
    BOXES.iter().find(|(_, name, _)| *name == class).map(|(inside, ..)| *inside)
}

fn is_number(primitive: &str) -> bool {
    !matches!(primitive, "Z" | "C")
}

/// Makes what is on the stack what is wanted: it is of one type, is meant to be of another, and a
/// third is taken.
fn fit(
    body: &mut Snippet,
    pool: &mut PoolEditor<'_>,
    has: &str,
    meant: &str,
    taken: &str,
) -> Result<()> {
    match (is_primitive(has), is_primitive(taken)) {
        (true, true) => widen(body, has, taken),
        (true, false) => {
            let boxed = inside(taken).unwrap_or(has);
            widen(body, has, boxed)?;
            let (_, class, _) = box_for(boxed).ok_or_else(unfit)?;
            let make = pool.method(class, "valueOf", &format!("({boxed})L{class};"))?;
            body.with_constant(Opcode::INVOKESTATIC, make);
            cast(body, pool, &descriptor_of(class), taken)
        }
        (false, true) => {
            let mut from = has;
            if !is_primitive(meant) {
                cast(body, pool, has, meant)?;
                from = meant;
            }
            let (_, own, _) = box_for(taken).ok_or_else(unfit)?;
            match inside(from) {
                Some(inside) if !is_number(inside) => {
                    unbox(body, pool, &from[1..from.len() - 1], inside)?;
                    widen(body, inside, taken)
                }
                Some(_) if is_number(taken) => unbox(body, pool, &from[1..from.len() - 1], taken),
                Some(_) => Err(unfit()),
                // What is boxed there can only be told when it is there.
                None => {
                    let class = if is_number(taken) { "java/lang/Number" } else { own };
                    cast(body, pool, from, &descriptor_of(class))?;
                    unbox(body, pool, class, taken)
                }
            }
        }
        (false, false) if is_primitive(meant) => cast(body, pool, has, taken),
        (false, false) => {
            cast(body, pool, has, meant)?;
            cast(body, pool, meant, taken)
        }
    }
}

fn is_primitive(descriptor: &str) -> bool {
    !descriptor.starts_with(['L', '['])
}

fn cast(body: &mut Snippet, pool: &mut PoolEditor<'_>, from: &str, to: &str) -> Result<()> {
    if from != to && to != "Ljava/lang/Object;" {
        let name = to.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
        let class = pool.class(name.unwrap_or(to))?;
        body.with_constant(Opcode::CHECKCAST, class);
    }
    Ok(())
}

/// Takes a primitive out of a box, or out of a `Number`.
fn unbox(body: &mut Snippet, pool: &mut PoolEditor<'_>, class: &str, to: &str) -> Result<()> {
    let (_, _, method) = box_for(to).ok_or_else(unfit)?;
    let method = pool.method(class, method, &format!("(){to}"))?;
    body.with_constant(Opcode::INVOKEVIRTUAL, method);
    Ok(())
}

fn widen(body: &mut Snippet, from: &str, to: &str) -> Result<()> {
    let rank = |ty: &str| "BSIJFD".find(ty);
    let fits = match (from, to) {
        _ if from == to => true,
        ("Z", _) | (_, "Z" | "C") => false,
        ("C", _) => rank(to) >= rank("I"),
        _ => rank(from) <= rank(to),
    };
    if !fits {
        return Err(unfit());
    }
    let (int, kind) = (|ty: &str| matches!(ty, "Z" | "B" | "C" | "S" | "I"), (from, to));
    match kind {
        (from, to) if from == to || int(from) && int(to) => {}
        (from, "J") if int(from) => drop(body.op(Opcode::I2L)),
        (from, "F") if int(from) => drop(body.op(Opcode::I2F)),
        (from, "D") if int(from) => drop(body.op(Opcode::I2D)),
        ("J", "F") => drop(body.op(Opcode::L2F)),
        ("J", "D") => drop(body.op(Opcode::L2D)),
        ("F", "D") => drop(body.op(Opcode::F2D)),
        _ => return Err(unfit()),
    }
    Ok(())
}
