//! Arguments that are not at hand: texts, numbers in boxes, threads, fields and pure calls.

use std::sync::Arc;

use watchword_model::{Type, Value, ValueRef};
use watchword_weave::{Read, Start, Step, Test, dotted_type};

use crate::agent::Agent;
use crate::sites::Fetch;
use crate::texts::{Texts, is_value_class};
use crate::vm::{Argument, Class, Jni, Object};

/// What a hook was given.
pub struct Given<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// The environment.
    pub jni: Jni,
    /// Objects.
    pub objects: &'a [Object],
    /// Their identities.
    pub ids: &'a [i64],
    /// Longs.
    pub longs: &'a [i64],
}

/// A value that was fetched: an identity is not a value of the model by itself.
pub enum Fetched {
    /// The identity of an object.
    Id(u64),
    /// Another value.
    Value(Value),
}

impl Fetched {
    /// As the engine takes it.
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Fetched::Id(0) => ValueRef::Null,
            Fetched::Id(id) => ValueRef::Ref(*id, None),
            Fetched::Value(value) => value.into(),
        }
    }
}

/// Whether an operand is as a site asks for.
pub fn passes(given: &Given<'_>, test: &Test) -> bool {
    is_instance(given, test) != test.negated
}

fn is_instance(given: &Given<'_>, test: &Test) -> bool {
    let Some(object) = given.objects.get(test.operand).filter(|o| !o.is_null()) else {
        return false;
    };
    let class = |class| is_of(given, class, &test.ty);
    given.jni.framed(8, || class(given.jni.class_of(*object))).unwrap_or(false)
}

/// Whether objects of a class are of a type, by its internal name.
pub fn is_of(given: &Given<'_>, class: Class, ty: &str) -> bool {
    // By name: a class of that name that another loader defined is not the one the object has.
    let signature = format!("L{ty};");
    let mut found = false;
    each_type(given, class, &mut |name| {
        found = name == signature;
        found
    });
    found
}

/// The names of the class of an object and of all its supertypes, with dots.
fn types_of(given: &Given<'_>, object: Object) -> Value {
    let mut names: Vec<Value> = Vec::new();
    given.jni.framed(8, || {
        each_type(given, given.jni.class_of(object), &mut |name| {
            let name = Value::str(&dotted_type(name));
            if !names.iter().any(|known| known.same(&name)) {
                names.push(name);
            }
            false
        });
    });
    Value::List(Arc::new(names))
}

/// Goes along a class, its superclasses and their interfaces, by their signatures, until `stop` says so.
fn each_type(given: &Given<'_>, class: Class, stop: &mut dyn FnMut(&str) -> bool) {
    let jni = given.jni;
    jni.framed(8, || {
        let mut class = class;
        let mut work = Vec::new();
        loop {
            if class.is_null() {
                match work.pop() {
                    Some(next) => class = next,
                    None => return,
                }
            }
            if given.agent.tools.class_signature(class).is_ok_and(|name| stop(&name)) {
                return;
            }
            work.extend(given.agent.tools.interfaces(class).unwrap_or_default());
            class = jni.super_class(class);
        }
    });
}

/// Fetches an argument.
pub fn fetch(given: &Given<'_>, fetch: &Fetch) -> Fetched {
    let long = |at: &usize| given.longs.get(*at).copied().unwrap_or(0);
    let value = match fetch {
        Fetch::Id(at) => return Fetched::Id(given.ids.get(*at).copied().unwrap_or(0) as u64),
        Fetch::Equal(at) => {
            let Some(object) = given.objects.get(*at).copied().filter(|o| !o.is_null()) else {
                return Fetched::Value(Value::Null);
            };
            let id = given.ids.get(*at).copied().unwrap_or(0);
            let found = given.jni.framed(8, || given.agent.identities.equals.of(given, object, id));
            return Fetched::Id(found.unwrap_or(id) as u64);
        }
        Fetch::Content(at, ty) => {
            let object = given.objects.get(*at).copied().unwrap_or(std::ptr::null_mut());
            return content(given, object, *ty);
        }
        Fetch::Text(at, texts, surely) => {
            let object = given.objects.get(*at).copied().unwrap_or(std::ptr::null_mut());
            let id = given.ids.get(*at).copied().unwrap_or(0) as u64;
            if matches!(**texts, Texts::AndBoxes) && !*surely {
                // The identity says the class: most objects are not looked at.
                let class = given.agent.identities.class_numbers.name(id);
                return match class.is_some_and(|class| is_value_class(&class)) {
                    true => content(given, object, Type::Any),
                    false => Fetched::Id(id),
                };
            }
            if let Some(text) = text(given, object, *surely).filter(|text| texts.has(text)) {
                return Fetched::Value(Value::Str(Arc::from(text)));
            }
            return Fetched::Id(id);
        }
        Fetch::Thread => {
            let Ok(thread) = given.agent.tools.current_thread() else {
                return Fetched::Value(Value::Null);
            };
            let id = given.agent.id_of(given.jni, thread);
            given.jni.delete_local(thread);
            return Fetched::Id(id as u64);
        }
        Fetch::Read(read, ty) => {
            let found = given.jni.framed(16, || self::read(given, read, *ty));
            return found.flatten().unwrap_or(Fetched::Value(Value::Null));
        }
        Fetch::Java(call, ty) => return given.agent.java.call(given, call, *ty),
        Fetch::Types(declared) => {
            let types = declared.iter().map(|(declared, at)| {
                let object = at.and_then(|at| given.objects.get(at)).filter(|o| !o.is_null());
                object.map_or_else(|| declared.clone(), |object| types_of(given, *object))
            });
            Value::List(Arc::new(types.collect()))
        }
        Fetch::Int(at) => Value::Int(long(at)),
        Fetch::Bool(at) => Value::Bool(long(at) != 0),
        Fetch::Char(at) => {
            let unit = long(at) as u16;
            Value::Str(String::from_utf16_lossy(&[unit]).into())
        }
        Fetch::Float(at) => Value::Float(f64::from_bits(long(at) as u64)),
        Fetch::IntAsFloat(at) => Value::Float(long(at) as f64),
        Fetch::FloatAsInt(at) => {
            let value = Value::Float(f64::from_bits(long(at) as u64));
            value.coerce(Type::Int).unwrap_or(Value::Null)
        }
        Fetch::Const(value) => value.clone(),
    };
    Fetched::Value(value)
}

/// The content of an object if it is a string, which may be known already.
fn text(given: &Given<'_>, object: Object, surely: bool) -> Option<String> {
    if object.is_null() {
        return None;
    }
    let jni = given.jni;
    let is_string = || {
        let class = jni.class_of(object);
        let signature = given.agent.tools.class_signature(class);
        jni.delete_local(class);
        signature.is_ok_and(|signature| signature == "Ljava/lang/String;")
    };
    (surely || is_string()).then(|| jni.text_of(object))
}

/// What is in an object, as a parameter of a type wants it; null if that is not in it. Only texts
/// and boxes are looked into: no method of the program is called.
fn content(given: &Given<'_>, object: Object, ty: Type) -> Fetched {
    if object.is_null() {
        return Fetched::Value(Value::Null);
    }
    let jni = given.jni;
    let value = jni.framed(8, || {
        let class = jni.class_of(object);
        let name = given.agent.tools.class_signature(class).unwrap_or_default();
        // The boxes of the JDK are final: calling them runs nothing of the program.
        let call = |name: &str, kind: u8| {
            let id = jni.method(class, name, &format!("(){}", char::from(kind)));
            if id.is_null() { Value::Null } else { jni.call_primitive(object, id, kind) }
        };
        match &*name {
            "Ljava/lang/String;" => Value::Str(Arc::from(jni.text_of(object))),
            "Ljava/lang/Integer;"
            | "Ljava/lang/Long;"
            | "Ljava/lang/Short;"
            | "Ljava/lang/Byte;" => call("longValue", b'J'),
            "Ljava/lang/Boolean;" => call("booleanValue", b'Z'),
            "Ljava/lang/Character;" => match (call("charValue", b'C'), ty) {
                (Value::Int(unit), Type::Str) => {
                    Value::Str(String::from_utf16_lossy(&[unit as u16]).into())
                }
                (unit, _) => unit,
            },
            "Ljava/lang/Double;" | "Ljava/lang/Float;" => call("doubleValue", b'D'),
            _ => Value::Null,
        }
    });
    Fetched::Value(value.and_then(|v| v.coerce(ty)).unwrap_or(Value::Null))
}

/// Follows fields and pure calls.
fn read(given: &Given<'_>, read: &Read, ty: Type) -> Option<Fetched> {
    let jni = given.jni;
    let mut object = match read.start {
        Start::Operand(at) => given.objects.get(at).copied()?,
        Start::Thread => given.agent.tools.current_thread().ok()?,
        Start::Static => std::ptr::null_mut(),
    };
    let (equal, steps) = match read.steps.split_last()? {
        (last, before) if last.is_holds() => {
            for (at, step) in before.iter().enumerate() {
                object = follow(jni, object, step, at == 0 && read.start == Start::Static)?;
            }
            let held = holds_monitor(jni, object, last)?;
            return Some(Fetched::Value(held.coerce(ty).unwrap_or(Value::Null)));
        }
        (last, before) if last.is_equal() => (true, before),
        _ => (false, &read.steps[..]),
    };
    let Some((last, before)) = steps.split_last() else {
        // It is the text or the number in it that is asked for.
        return Some(content(given, object, ty));
    };
    for (at, step) in before.iter().enumerate() {
        let is_static = at == 0 && read.start == Start::Static;
        object = follow(jni, object, step, is_static)?;
    }
    let is_static = before.is_empty() && read.start == Start::Static;
    let result = last.descriptor.rsplit(')').next().unwrap_or_default();
    let fetched = match result.as_bytes().first()? {
        b'L' | b'[' => {
            let object = follow(jni, object, last, is_static)?;
            match ty {
                Type::Str | Type::Int | Type::Float | Type::Bool => content(given, object, ty),
                _ => {
                    let id = given.agent.id_of(jni, object);
                    let id = if equal {
                        given.agent.identities.equals.of(given, object, id)
                    } else {
                        id
                    };
                    Fetched::Id(id as u64)
                }
            }
        }
        kind => {
            let value = primitive(jni, object, last, is_static, *kind)?;
            Fetched::Value(value.coerce(ty).unwrap_or(Value::Null))
        }
    };
    if jni.clear_exception() { None } else { Some(fetched) }
}

/// Whether the current thread holds the monitor of an object: the JVM knows.
fn holds_monitor(jni: Jni, object: Object, step: &Step) -> Option<Value> {
    if object.is_null() {
        return None;
    }
    let class = jni.find_class(&step.owner);
    let method = jni.static_method(class, &step.name, &step.descriptor);
    if class.is_null() || method.is_null() {
        jni.clear_exception();
        return None;
    }
    let held = jni.call_static_bool(class, method, &[Argument { object }]);
    (!jni.clear_exception()).then_some(Value::Bool(held))
}

/// The object one step further; `None` at null or an exception.
fn follow(jni: Jni, object: Object, step: &Step, is_static: bool) -> Option<Object> {
    let next = if is_static {
        let class = jni.find_class(&step.owner);
        if class.is_null() {
            return None;
        }
        jni.static_object(class, &step.name, &step.descriptor)
    } else {
        if object.is_null() {
            return None;
        }
        let class = jni.class_of(object);
        if step.is_call() {
            let id = jni.method(class, &step.name, &step.descriptor);
            if id.is_null() { id } else { jni.call_object(object, id, &[]) }
        } else {
            let id = jni.field(class, &step.name, &step.descriptor);
            if id.is_null() { id } else { jni.object_field(object, id) }
        }
    };
    (!jni.clear_exception() && !next.is_null()).then_some(next)
}

/// The primitive value one step further.
fn primitive(jni: Jni, object: Object, step: &Step, is_static: bool, kind: u8) -> Option<Value> {
    if is_static {
        let class = jni.find_class(&step.owner);
        return (!class.is_null()).then(|| jni.static_primitive(class, &step.name, kind)).flatten();
    }
    if object.is_null() {
        return None;
    }
    let class = jni.class_of(object);
    let value = if step.is_call() {
        let id = jni.method(class, &step.name, &step.descriptor);
        (!id.is_null()).then(|| jni.call_primitive(object, id, kind))
    } else {
        let id = jni.field(class, &step.name, &step.descriptor);
        (!id.is_null()).then(|| jni.primitive_field(object, id, kind))
    };
    value.filter(|_| !jni.clear_exception())
}
