//! Method references to selected methods.
//!
//! `it::next` calls `next` from a class the JVM makes when the program runs. Where such a method is
//! selected, the reference is redirected to a synthetic method of the class itself that makes the
//! call, and the call is woven there.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use watchword_classfile::simulate::MethodContext;
use watchword_classfile::{
    AttributeEditor, BootstrapMethod, ClassEditor, ClassFile, CodeEditor, Constant, Constants,
    Decoded, JStr, MemberName, MethodDescriptor, Opcode, Result, Snippet, access,
};

use crate::body::Body;
use crate::matching::{Target, descriptor_of};
use crate::point::{Loc, Point, Val};
use crate::points::Finder;
use crate::site::Place;
use crate::weaver::{Note, OWN_MEMBERS};

/// What became of the method references of a class.
#[derive(Default)]
pub struct Bridged {
    /// The class with bridges, if it needs any.
    pub bytes: Option<Vec<u8>>,
    /// By name of a bridge: where the reference is.
    pub places: HashMap<String, Place>,
    /// What a user should know.
    pub notes: Vec<Note>,
}

/// A method reference to be redirected.
struct Reference<'a> {
    /// Bootstrap method and the position of the handle among its arguments.
    bootstrap: usize,
    position: usize,
    kind: u8,
    member: MemberName<'a>,
    /// The type the receiver is captured as, if one is: a bridge takes exactly that.
    captured: Option<String>,
    place: Place,
}

const METAFACTORY: &str = "java/lang/invoke/LambdaMetafactory";
/// `altMetafactory`'s flag for lambdas that can be serialised.
const SERIALIZABLE: i32 = 1;

/// Redirects the references of a class to selected methods.
pub fn bridge(class: &ClassFile<'_>, finder: &Finder<'_>, keep_shape: bool) -> Result<Bridged> {
    let mut bridged = Bridged::default();
    let references = find(class, finder, &mut bridged.notes)?;
    if keep_shape {
        for reference in references {
            bridged.notes.push(note(&reference, "is not seen when the class is loaded already"));
        }
        return Ok(bridged);
    }
    if references.is_empty() {
        return Ok(bridged);
    }
    let names: Vec<String> = (0..references.len()).map(|i| format!("{OWN_MEMBERS}{i}")).collect();
    let descriptors: Vec<String> = references.iter().map(descriptor).collect::<Result<_>>()?;
    let mut editor = ClassEditor::new(class);
    let mut handles = HashMap::new();
    // References of the same bootstrap method that capture another type.
    let mut others = Vec::new();
    for ((reference, name), descriptor) in references.iter().zip(&names).zip(&descriptors) {
        let handle = add_bridge(class, &mut editor, reference, name, descriptor)?;
        match handles.entry((reference.bootstrap, reference.position)) {
            Entry::Vacant(first) => drop(first.insert(handle)),
            Entry::Occupied(_) => others.push((reference, handle)),
        }
        bridged.places.insert(name.clone(), reference.place.clone());
    }
    redirect(class, &mut editor, &handles)?;
    part(class, &mut editor, &others)?;
    bridged.bytes = Some(editor.to_bytes()?);
    Ok(bridged)
}

fn note(reference: &Reference<'_>, why: &str) -> Note {
    let place = &reference.place;
    let member = &reference.member;
    Note {
        class: place.class.clone(),
        method: Some(format!("{}{}", place.method, place.descriptor)),
        text: format!(
            "the method reference to {}.{} {why}",
            crate::names::dotted(&member.class.to_str()),
            member.name
        ),
    }
}

/// The references to selected methods. Several call sites may share a bootstrap method; the first
/// one gives the place.
fn find<'a>(
    class: &ClassFile<'a>,
    finder: &Finder<'_>,
    notes: &mut Vec<Note>,
) -> Result<Vec<Reference<'a>>> {
    let bootstraps = class.bootstrap_methods()?;
    let mut references: Vec<Reference<'a>> = Vec::new();
    if bootstraps.is_empty() {
        return Ok(references);
    }
    let pool = class.pool();
    let mut selected = Vec::new();
    for bootstrap in &bootstraps {
        selected.push(selected_handle(class, bootstrap, finder)?);
    }
    if selected.iter().all(Option::is_none) {
        return Ok(references);
    }
    let mut seen = BTreeSet::new();
    for method in class.methods() {
        let Some(body) = Body::of(method, None)? else { continue };
        for instruction in &body.instructions {
            if instruction.opcode != Opcode::INVOKEDYNAMIC {
                continue;
            }
            let (number, _, made) = pool.dynamic(instruction.constant().unwrap_or(0))?;
            let Some(Some((kind, member))) = selected.get(usize::from(number)).copied() else {
                continue;
            };
            let captured = captured(kind, made)?;
            if !seen.insert((number, captured.clone())) {
                continue;
            }
            let bootstrap = &bootstraps[usize::from(number)];
            let flags = bootstrap.arguments.get(3).map(|a| pool.constant(a.index)).transpose()?;
            let serializable = matches!(flags, Some(Constant::Integer(f)) if f & SERIALIZABLE != 0);
            let found = Reference {
                bootstrap: number.into(),
                position: 1,
                kind,
                member,
                captured,
                place: body.place(instruction.offset),
            };
            // Only the class itself may call what it inherits or hides in this way.
            let special = kind == 7 && member.class != class.name()?;
            if serializable {
                notes.push(note(&found, "can be serialised, and is not seen"));
            } else if special {
                notes.push(note(&found, "goes to a superclass, and is not seen"));
            } else {
                references.push(found);
            }
        }
    }
    Ok(references)
}

/// The type a receiver is captured as where a lambda with this descriptor is made.
fn captured(kind: u8, made: JStr<'_>) -> Result<Option<String>> {
    // Static methods and constructors have no receiver.
    if matches!(kind, 6 | 8) {
        return Ok(None);
    }
    let first = MethodDescriptor::parse(made)?.parameters().next();
    Ok(first.map(|ty| ty.descriptor().to_str().into_owned()))
}

/// The method a bootstrap method makes a lambda of, if it is selected.
fn selected_handle<'a>(
    class: &ClassFile<'a>,
    bootstrap: &BootstrapMethod<'a>,
    finder: &Finder<'_>,
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
    let member = pool.member(reference)?;
    // The body of a lambda is no method that anybody has written.
    let body = member.class == class.name()? && member.name.as_bytes().starts_with(b"lambda$");
    let selected = !body && is_selected(reference, kind, &member, finder);
    Ok(selected.then_some((kind, member)))
}

fn is_selected(index: u16, kind: u8, member: &MemberName<'_>, finder: &Finder<'_>) -> bool {
    let (owner, name) = (member.class.to_str(), member.name.to_str());
    // Fields have kinds 1 to 4; 6 is static, 8 a constructor.
    if !(5..=9).contains(&kind) {
        return false;
    }
    let Some(target) = Target::new(&owner, &name, &member.descriptor.to_str(), kind != 6) else {
        return false;
    };
    let receiver = (kind != 6).then(|| Val::new(Loc::Pop(0), descriptor_of(&owner)));
    let point = Point { receiver, target: Some(target.clone()), ..Point::default() };
    !finder.matching_calls(index, &target, &point).is_empty()
}

/// The descriptor of a bridge: the receiver becomes the first parameter, what a constructor makes
/// the result.
fn descriptor(reference: &Reference<'_>) -> Result<String> {
    let text = reference.member.descriptor.to_str();
    let owner = descriptor_of(&reference.member.class.to_str());
    Ok(match reference.kind {
        6 => text.into_owned(),
        8 => format!("{}{owner}", text.trim_end_matches('V')),
        _ => {
            let receiver = reference.captured.as_ref().unwrap_or(&owner);
            text.replacen('(', &format!("({receiver}"), 1)
        }
    })
}

/// Adds a method that makes the call; returns the handle that refers to it.
fn add_bridge<'a>(
    class: &ClassFile<'a>,
    editor: &mut ClassEditor<'a>,
    reference: &Reference<'a>,
    name: &str,
    descriptor: &str,
) -> Result<u16> {
    let flags = access::PRIVATE | access::STATIC | access::SYNTHETIC;
    let own_name = class.name()?.to_str().into_owned();
    let member = &reference.member;
    let (owner, method) = (member.class.to_str(), member.name.to_str());
    let called = member.descriptor.to_str();
    let parsed = MethodDescriptor::parse(JStr::new(descriptor.as_bytes()))?;
    let mut body = Snippet::new();
    if reference.kind == 8 {
        let made = editor.pool.class(&owner)?;
        body.with_constant(Opcode::NEW, made).op(Opcode::DUP);
    }
    let mut slot = 0;
    for parameter in parsed.parameters() {
        body.load(parameter.kind(), slot);
        // What was captured is of a type below, which nobody has to look up to verify this.
        if slot == 0 && reference.captured.as_ref().is_some_and(|ty| *ty != descriptor_of(&owner)) {
            let owner = editor.pool.class(&owner)?;
            body.with_constant(Opcode::CHECKCAST, owner);
        }
        slot += parameter.slots();
    }
    let target = match member.interface {
        true => editor.pool.interface_method(&owner, &method, &called)?,
        false => editor.pool.method(&owner, &method, &called)?,
    };
    match reference.kind {
        5 => body.with_constant(Opcode::INVOKEVIRTUAL, target),
        6 => body.with_constant(Opcode::INVOKESTATIC, target),
        9 => {
            let slots = MethodDescriptor::parse(member.descriptor)?.parameter_slots();
            body.invoke_interface(target, slots as u8)
        }
        _ => body.with_constant(Opcode::INVOKESPECIAL, target),
    };
    body.ret(parsed.result().map(|ty| ty.kind()));
    if let Some(line) = reference.place.line {
        let mut lined = Snippet::new();
        lined.line(line as u16).append(&body);
        body = lined;
    }
    let context = MethodContext {
        class: class.name()?,
        name: JStr::new(b"bridge"),
        descriptor: JStr::new(b"()V"),
        access: access::STATIC,
    };
    let result = parsed.result().map_or(0, |ty| ty.slots());
    let mut code = CodeEditor::create(class.major, context, (slot + 2).max(result))?;
    code.max_locals = slot;
    code.append(&body);
    let code = code.finish(&mut editor.pool)?;
    editor.add_method(flags, name, descriptor, Some(code))?;
    let interface = class.has_access(access::INTERFACE);
    let own = match interface {
        true => editor.pool.interface_method(&own_name, name, descriptor)?,
        false => editor.pool.method(&own_name, name, descriptor)?,
    };
    editor.pool.add(Constant::MethodHandle { kind: 6, reference: own })
}

/// Gives places that capture another type than the first of their bootstrap method one of their own,
/// with the handle beside them.
fn part<'a>(
    class: &ClassFile<'a>,
    editor: &mut ClassEditor<'a>,
    others: &[(&Reference<'a>, u16)],
) -> Result<()> {
    if others.is_empty() {
        return Ok(());
    }
    let bootstraps = class.bootstrap_methods()?;
    let mut own = Vec::new();
    for (reference, handle) in others {
        let bootstrap = &bootstraps[reference.bootstrap];
        let mut arguments: Vec<u16> = bootstrap.arguments.iter().map(|a| a.index).collect();
        arguments[reference.position] = *handle;
        own.push((reference, editor.add_bootstrap_method(bootstrap.method, &arguments)?));
    }
    let pool = class.pool();
    for method in class.methods() {
        let Some(body) = Body::of(method, None)? else { continue };
        let mut places = Vec::new();
        for instruction in &body.instructions {
            if instruction.opcode != Opcode::INVOKEDYNAMIC {
                continue;
            }
            let (number, name, made) = pool.dynamic(instruction.constant().unwrap_or(0))?;
            for (reference, bootstrap) in &own {
                if usize::from(number) == reference.bootstrap
                    && captured(reference.kind, made)? == reference.captured
                {
                    places.push((instruction.offset, *bootstrap, name.to_str(), made.to_str()));
                }
            }
        }
        if !places.is_empty() {
            editor.edit_code(method, |code, pool| {
                for (offset, bootstrap, name, made) in &places {
                    let constant = pool.invoke_dynamic(*bootstrap, name, made)?;
                    code.set_constant(*offset, constant)?;
                }
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Puts other handles into the bootstrap methods.
fn redirect(
    class: &ClassFile<'_>,
    editor: &mut ClassEditor<'_>,
    handles: &HashMap<(usize, usize), u16>,
) -> Result<()> {
    let bootstraps = class.bootstrap_methods()?;
    let mut info = (bootstraps.len() as u16).to_be_bytes().to_vec();
    for (number, bootstrap) in bootstraps.iter().enumerate() {
        info.extend(bootstrap.method.to_be_bytes());
        info.extend((bootstrap.arguments.len() as u16).to_be_bytes());
        for (position, argument) in bootstrap.arguments.iter().enumerate() {
            let index = handles.get(&(number, position)).copied().unwrap_or(argument.index);
            info.extend(index.to_be_bytes());
        }
    }
    let position = class
        .attributes()
        .iter()
        .position(|a| matches!(a.decode(class.pool()), Ok(Decoded::BootstrapMethods(_))));
    if let Some(AttributeEditor { info: old, .. }) =
        position.and_then(|at| editor.attributes.get_mut(at))
    {
        *old = info.into();
    }
    Ok(())
}
