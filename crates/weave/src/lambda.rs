//! Method references to selected methods.
//!
//! `it::next` calls `next` from a class the JVM makes when the program runs, which nobody can
//! weave. Where such a method is selected, the class that has the reference brings the other one
//! along, woven (see [`spun`](crate::spun)), as a text; a method of ours links the reference to
//! it:
//!
//! ```java
//! private static CallSite $watchword$refer(
//!         Lookup caller, String name, MethodType type, String bytes, Object... usual) {
//!     Lookup made = caller.defineHiddenClass(HexFormat.of().parseHex(bytes), false, NESTMATE, STRONG);
//!     return new ConstantCallSite(made.findStatic(made.lookupClass(), "make", type));
//! }
//! ```
//!
//! So the class is as hidden as the JVM's own, and stack traces have the frames they always had.

use watchword_classfile::simulate::MethodContext;
use watchword_classfile::{
    BootstrapMethod, ClassEditor, ClassFile, CodeEditor, Constant, Constants, FieldType, JStr,
    Kind, MemberName, MethodDescriptor, NamedClass, Opcode, Result, Snippet, access,
};
use watchword_select::{KnownTypes, dotted};

use crate::body::{Body, Origin};
use crate::points::Finder;
use crate::site::Place;
use crate::spun;
use crate::target::Target;
use crate::weaver::Note;

/// A method reference to a selected method.
pub struct Reference<'a> {
    /// The method that has it, by its position, and the offset.
    pub home: (usize, u32),
    /// The interface it is made to be, by its internal name, and those beside it.
    pub interface: String,
    /// Interfaces beside that one.
    pub markers: Vec<String>,
    /// The name of the interface's method.
    pub method: String,
    /// The descriptors of what is captured.
    pub captured: Vec<String>,
    /// The descriptors by which the method of the interface may be called.
    pub types: Vec<String>,
    /// What its descriptor is without generics.
    pub instantiated: String,
    /// What kind of handle it is.
    pub kind: u8,
    /// What it refers to.
    pub member: MemberName<'a>,
    /// Where it is, and what a call in its place would call.
    pub origin: Origin,
    bootstrap: BootstrapMethod<'a>,
    made: JStr<'a>,
}

const METAFACTORY: &str = "java/lang/invoke/LambdaMetafactory";
/// Kinds of handles: of a static method, of a constructor, of what only the class itself may call.
const STATIC: u8 = 6;
const SPECIAL: u8 = 7;
const CONSTRUCTOR: u8 = 8;
/// `altMetafactory`'s flags: can be serialised, has other interfaces, has other descriptors.
const SERIALIZABLE: i32 = 1;
const MARKERS: i32 = 2;
const BRIDGES: i32 = 4;

impl Reference<'_> {
    /// Whether it is called on an object.
    pub fn has_receiver(&self) -> bool {
        !matches!(self.kind, STATIC | CONSTRUCTOR)
    }

    /// Whether it makes an object.
    pub fn is_constructor(&self) -> bool {
        self.kind == CONSTRUCTOR
    }
}

/// The references of a class to selected methods that can be followed. What a user should know
/// about others goes to `notes`.
pub fn find<'a>(
    class: &ClassFile<'a>,
    finder: &Finder<'_>,
    world: &KnownTypes<'_>,
    keep_shape: bool,
    notes: &mut Vec<Note>,
) -> Result<Vec<Reference<'a>>> {
    let bootstraps = class.bootstrap_methods()?;
    let mut references = Vec::new();
    let handles: Vec<Option<(u8, MemberName<'a>)>> =
        bootstraps.iter().map(|bootstrap| handle(class, bootstrap)).collect::<Result<_>>()?;
    let may_be = |(_, member): &(u8, MemberName<'_>)| finder.may_select(&member.name.to_str());
    if !handles.iter().flatten().any(may_be) {
        return Ok(references);
    }
    let pool = class.pool();
    for method in class.methods() {
        let Some(body) = Body::of(method, None)? else { continue };
        for instruction in &body.instructions {
            if instruction.opcode != Opcode::INVOKEDYNAMIC {
                continue;
            }
            let (number, name, made) = pool.dynamic(instruction.constant().unwrap_or(0))?;
            let Some((kind, member)) = handles.get(usize::from(number)).copied().flatten() else {
                continue;
            };
            if !may_be(&(kind, member)) {
                continue;
            }
            let place = body.place(instruction.offset);
            let bootstrap = &bootstraps[usize::from(number)];
            let Some(read) = Read::of(class, bootstrap, made)? else { continue };
            let Some(target) = target(kind, &member, made, &read.instantiated) else { continue };
            if !finder.selects(&target) {
                continue;
            }
            let why_not = match () {
                () if keep_shape => Some("is not observed, because the class is already loaded"),
                () if read.flags & SERIALIZABLE != 0 => {
                    Some("is not observed, because it can be serialised")
                }
                // Only the class itself may call what it inherits or overrides in this way.
                () if kind == SPECIAL && !is_own_private(class, &member)? => {
                    Some("is not observed, because it refers to a superclass")
                }
                () if is_protected(class, &member, world)? => Some(
                    "is not observed, because it refers to a protected method of another package",
                ),
                () => None,
            };
            if let Some(why) = why_not {
                notes.push(note(&place, &member, why));
                continue;
            }
            references.push(Reference {
                home: (method.index(), instruction.offset),
                interface: read.interface,
                markers: read.markers,
                method: name.to_str().into_owned(),
                captured: read.captured,
                types: read.types,
                instantiated: read.instantiated,
                kind,
                member,
                origin: Origin { place, call: 0, target },
                bootstrap: bootstrap.clone(),
                made,
            });
        }
    }
    Ok(references)
}

/// A note about a reference.
pub fn note(place: &Place, member: &MemberName<'_>, why: &str) -> Note {
    let referred = dotted(&member.class.to_str());
    Note {
        class: place.class.clone(),
        method: Some(format!("{}{}", place.method, place.descriptor)),
        text: format!("the method reference to {referred}.{} {why}", member.name),
    }
}

/// The method a bootstrap method makes an object of an interface of, unless it is the body of a
/// lambda, which nobody has written as a method.
fn handle<'a>(
    class: &ClassFile<'a>,
    bootstrap: &BootstrapMethod<'a>,
) -> Result<Option<(u8, MemberName<'a>)>> {
    let pool = class.pool();
    let Constant::MethodHandle { reference, .. } = pool.constant(bootstrap.method)? else {
        return Ok(None);
    };
    let factory = pool.member(reference)?;
    let Some(argument) = bootstrap.arguments.get(1).filter(|_| factory.class == METAFACTORY) else {
        return Ok(None);
    };
    let Constant::MethodHandle { kind, reference } = pool.constant(argument.index)? else {
        return Ok(None);
    };
    // Kinds 1 to 4 are fields.
    if !(5..=9).contains(&kind) {
        return Ok(None);
    }
    let member = pool.member(reference)?;
    let body = member.class == class.name()? && member.name.as_bytes().starts_with(b"lambda$");
    Ok((!body).then_some((kind, member)))
}

/// What a reference says beside what it refers to.
struct Read {
    interface: String,
    captured: Vec<String>,
    types: Vec<String>,
    instantiated: String,
    flags: i32,
    markers: Vec<String>,
}

impl Read {
    /// `None` if it is not built as `LambdaMetafactory` wants it.
    fn of(
        class: &ClassFile<'_>,
        bootstrap: &BootstrapMethod<'_>,
        made: JStr<'_>,
    ) -> Result<Option<Read>> {
        let pool = class.pool();
        let arguments: Vec<Constant<'_>> = bootstrap
            .arguments
            .iter()
            .map(|argument| pool.constant(argument.index))
            .collect::<Result<_>>()?;
        let made = MethodDescriptor::parse(made)?;
        let text = |ty: FieldType<'_>| ty.descriptor().to_str().into_owned();
        let Some(interface) = made.result().map(text) else { return Ok(None) };
        let Some(interface) = interface.strip_prefix('L').and_then(|name| name.strip_suffix(';'))
        else {
            return Ok(None);
        };
        let ty = |at: usize| match arguments.get(at) {
            Some(Constant::MethodType { descriptor }) => {
                Ok(Some(pool.utf8(*descriptor)?.to_str().into_owned()))
            }
            _ => Ok(None),
        };
        let number = |at: usize| match arguments.get(at) {
            Some(Constant::Integer(number)) => Some(*number),
            _ => None,
        };
        let (Some(erased), Some(instantiated)) = (ty(0)?, ty(2)?) else { return Ok(None) };
        let mut types = vec![erased];
        let mut markers = Vec::new();
        let flags = number(3).unwrap_or(0);
        let mut at = 4;
        if flags & MARKERS != 0 {
            let Some(count) = number(at) else { return Ok(None) };
            for _ in 0..count {
                at += 1;
                let Some(Constant::Class { .. }) = arguments.get(at) else { return Ok(None) };
                let marker = pool.class_name(bootstrap.arguments.get(at).map_or(0, |a| a.index))?;
                markers.push(marker.to_str().into_owned());
            }
            at += 1;
        }
        if flags & BRIDGES != 0 {
            let Some(count) = number(at) else { return Ok(None) };
            for _ in 0..count {
                at += 1;
                let Some(bridge) = ty(at)? else { return Ok(None) };
                types.push(bridge);
            }
        }
        let captured = made.parameters().map(text).collect();
        let interface = interface.to_owned();
        Ok(Some(Read { interface, captured, types, instantiated, flags, markers }))
    }
}

/// What a call in place of a reference would call.
fn target(kind: u8, member: &MemberName<'_>, made: JStr<'_>, instantiated: &str) -> Option<Target> {
    let instantiated = JStr::new(instantiated.as_bytes());
    let NamedClass { class, also } = NamedClass::of(kind, member.class, made, instantiated);
    let (name, descriptor) = (member.name.to_str(), member.descriptor.to_str());
    let target = Target::new(&class, &name, &descriptor, kind != STATIC)?;
    Some(Target { also, ..target })
}

/// Whether a method is a private one of the class itself.
fn is_own_private(class: &ClassFile<'_>, member: &MemberName<'_>) -> Result<bool> {
    let method = class.method(&member.name.to_str(), &member.descriptor.to_str());
    let private = method.is_some_and(|method| method.has_access(access::PRIVATE));
    Ok(private && member.class == class.name()?)
}

/// Whether a method may only be called by its subclasses and its package, which ours is none of.
fn is_protected(
    class: &ClassFile<'_>,
    member: &MemberName<'_>,
    world: &KnownTypes<'_>,
) -> Result<bool> {
    let (owner, name) = (member.class.to_str(), member.name.to_str());
    let Some((declaring, method)) =
        world.resolve_method(&owner, &name, &member.descriptor.to_str())
    else {
        return Ok(false);
    };
    let package = |name: &str| name.rsplit_once('/').map_or("", |(package, _)| package).to_owned();
    let own = class.name()?.to_str().into_owned();
    Ok(method.access & access::PROTECTED != 0 && package(&declaring.name) != package(&own))
}

const REFER_DESCRIPTOR: &str = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;\
    Ljava/lang/invoke/MethodType;Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/invoke/CallSite;";

/// Name of the method that links references: classes that have such references get it.
pub const LINKER: &str = "$watchword$refer";

/// A class that had the linker when it was loaded and that somebody redefines, with a linker: the JVM
/// refuses a class that lost a method. `None` if it has one, or if the class cannot be read.
pub fn restore_linker(bytes: &[u8]) -> Option<Vec<u8>> {
    let class = ClassFile::parse(bytes).ok()?;
    if class.method(LINKER, REFER_DESCRIPTOR).is_some() {
        return None;
    }
    let mut editor = ClassEditor::new(&class);
    add_linker(&class, &mut editor).ok()?;
    editor.to_bytes().ok()
}

/// Adds the method that links references; returns its handle.
pub fn add_linker(class: &ClassFile<'_>, editor: &mut ClassEditor<'_>) -> Result<u16> {
    const LOOKUP: &str = "java/lang/invoke/MethodHandles$Lookup";
    const OPTION: &str = "java/lang/invoke/MethodHandles$Lookup$ClassOption";
    const FORMAT: &str = "java/util/HexFormat";
    const SITE: &str = "java/lang/invoke/ConstantCallSite";
    let flags = access::PRIVATE | access::STATIC | access::SYNTHETIC | access::VARARGS;
    let pool = &mut editor.pool;
    let site = pool.class(SITE)?;
    let format = pool.method(FORMAT, "of", "()Ljava/util/HexFormat;")?;
    let parse = pool.method(FORMAT, "parseHex", "(Ljava/lang/CharSequence;)[B")?;
    let option = pool.class(OPTION)?;
    let option_type = format!("L{OPTION};");
    let define = format!("([BZ[{option_type})L{LOOKUP};");
    let define = pool.method(LOOKUP, "defineHiddenClass", &define)?;
    let own = pool.method(LOOKUP, "lookupClass", "()Ljava/lang/Class;")?;
    let find = "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;)\
                Ljava/lang/invoke/MethodHandle;";
    let find = pool.method(LOOKUP, "findStatic", find)?;
    let make = pool.string(spun::MAKE)?;
    let init = pool.method(SITE, "<init>", "(Ljava/lang/invoke/MethodHandle;)V")?;
    let mut body = Snippet::new();
    body.load(Kind::Reference, 0).with_constant(Opcode::INVOKESTATIC, format);
    body.load(Kind::Reference, 3).with_constant(Opcode::INVOKEVIRTUAL, parse).int(0);
    body.int(2).with_constant(Opcode::ANEWARRAY, option);
    for (index, name) in [(0, "NESTMATE"), (1, "STRONG")] {
        let field = pool.field(OPTION, name, &option_type)?;
        body.op(Opcode::DUP).int(index).with_constant(Opcode::GETSTATIC, field);
        body.op(Opcode::AASTORE);
    }
    // The lookup of the new class takes the place of the caller's.
    body.with_constant(Opcode::INVOKEVIRTUAL, define).store(Kind::Reference, 0);
    body.with_constant(Opcode::NEW, site).op(Opcode::DUP);
    body.load(Kind::Reference, 0).op(Opcode::DUP).with_constant(Opcode::INVOKEVIRTUAL, own);
    body.load_constant(make).load(Kind::Reference, 2);
    body.with_constant(Opcode::INVOKEVIRTUAL, find).with_constant(Opcode::INVOKESPECIAL, init);
    body.ret(Some(Kind::Reference));
    let context = MethodContext {
        class: JStr::new(b"linker"),
        name: JStr::new(b"linker"),
        descriptor: JStr::new(REFER_DESCRIPTOR.as_bytes()),
        access: access::STATIC,
    };
    let mut code = CodeEditor::create(class.major, context, 7)?;
    code.append(&body);
    let code = code.finish(&mut editor.pool)?;
    editor.add_method(flags, LINKER, REFER_DESCRIPTOR, Some(code))?;
    let own_name = class.name()?.to_str().into_owned();
    let own = match class.has_access(access::INTERFACE) {
        true => editor.pool.interface_method(&own_name, LINKER, REFER_DESCRIPTOR)?,
        false => editor.pool.method(&own_name, LINKER, REFER_DESCRIPTOR)?,
    };
    editor.pool.add(Constant::MethodHandle { kind: STATIC, reference: own })
}

/// Has the linker find a class for a reference; returns the constant of its call site and that of
/// the text. What the JVM would have looked up for it is looked up as before.
pub fn redirect(
    editor: &mut ClassEditor<'_>,
    linker: u16,
    reference: &Reference<'_>,
    bytes: &[u8],
) -> Result<(u16, u16)> {
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let utf8 = editor.pool.utf8(&text)?;
    let mut arguments = vec![editor.pool.string(&text)?];
    arguments.extend(reference.bootstrap.arguments.iter().map(|argument| argument.index));
    let bootstrap = editor.add_bootstrap_method(linker, &arguments)?;
    let (name, made) = (&reference.method, reference.made.to_str());
    Ok((editor.pool.invoke_dynamic(bootstrap, name, &made)?, utf8))
}
