//! Java code of properties: compiled by the command line, defined in the program's class loader, called
//! when events happen.
//!
//! The classes catch what their code throws. The first exception of every class is a warning; an
//! event whose code throws does not exist.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock};

use watchword_model::{JavaClass, Type, Value};
use watchword_monitor::Report;

use crate::agent::{Agent, thread_key};
use crate::sites::{JavaFetch, JavaValue};
use crate::values::{Fetched, Given};
use crate::vm::{Argument, Class, Jni, MethodId, Object};

/// What the classes have: which method, objects and primitive values.
const RUN: (&str, &str) = ("run", "(I[Ljava/lang/Object;[J)Ljava/lang/String;");

/// The classes with the code.
#[derive(Default)]
pub struct JavaCode {
    classes: OnceLock<Vec<Option<Code>>>,
    /// The classes whose code threw an exception.
    threw: Mutex<HashSet<usize>>,
    /// Held from the call of code that has to see the events in their order until the event has
    /// happened.
    pub order: Mutex<()>,
}

/// A class.
struct Code {
    class: Class,
    run: MethodId,
    object: Class,
}

/// What code gives.
enum Answer {
    Value(Value),
    Threw(String),
}

impl Code {
    /// Calls a method; exceptions do not reach the program.
    fn run(&self, jni: Jni, method: u32, objects: &[Object], longs: &[i64]) -> Answer {
        let (array, numbers) = (jni.new_array(self.object, objects), jni.new_longs(longs));
        if array.is_null() || numbers.is_null() {
            return Answer::Value(Value::Null);
        }
        let args = [
            Argument { int: method as i32 },
            Argument { object: array },
            Argument { object: numbers },
        ];
        let result = jni.call_static_object(self.class, self.run, &args);
        if jni.clear_exception() {
            // Not even the handler in the code could run: the stack or the memory is used up.
            return Answer::Threw("an error of the JVM".to_string());
        }
        if result.is_null() {
            return Answer::Value(Value::Null);
        }
        let text = jni.text_of(result);
        let Some((kind, rest)) = text.split_at_checked(1) else {
            return Answer::Value(Value::Null);
        };
        Answer::Value(match kind {
            "T" => Value::Bool(true),
            "F" => Value::Bool(false),
            "S" => Value::Str(Arc::from(rest)),
            "!" => return Answer::Threw(rest.to_string()),
            _ => Value::Null,
        })
    }
}

// SAFETY: global references and the number of a method, which are good for all threads.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl JavaCode {
    /// Defines the classes; they are in the order of the model.
    pub fn define(
        &self,
        jni: Jni,
        classes: &[JavaClass],
        code: &[(String, Vec<u8>)],
    ) -> Result<(), String> {
        if code.is_empty() {
            return Ok(());
        }
        let failed = |name: &str| Err(format!("the Java code of `{name}` cannot be loaded"));
        let loaders = jni.find_class("java/lang/ClassLoader");
        let system =
            jni.static_method(loaders, "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
        if system.is_null() {
            return failed("the properties");
        }
        let loader = jni.call_static_object(loaders, system, &[]);
        let mut defined = Vec::new();
        for (name, bytes) in code {
            let class = jni.define_class(name, loader, bytes);
            if jni.clear_exception() || class.is_null() {
                return failed(name);
            }
            defined.push((name, class));
        }
        let object = jni.global(jni.find_class("java/lang/Object"));
        let of = |java: &JavaClass| {
            let (_, class) = defined.iter().find(|(name, _)| **name == java.name)?;
            let run = jni.static_method(*class, RUN.0, RUN.1);
            (!run.is_null()).then(|| Code { class: jni.global(*class), run, object })
        };
        let _ = self.classes.set(classes.iter().map(of).collect());
        Ok(())
    }

    /// Calls a method. It must be muted: what the code calls is no event of the program.
    pub fn call(&self, given: &Given<'_>, call: &JavaFetch, ty: Type) -> Fetched {
        let null = Fetched::Value(Value::Null);
        let code = self.classes.get().and_then(|classes| classes.get(call.class)?.as_ref());
        let Some(code) = code else { return null };
        given.jni.framed(32, || self.run(given, code, call, ty)).unwrap_or(null)
    }

    fn run(&self, given: &Given<'_>, code: &Code, call: &JavaFetch, ty: Type) -> Fetched {
        let objects: Vec<Object> = call.args.iter().map(|arg| object(given, arg)).collect();
        let mut longs: Vec<i64> = call.args.iter().map(|arg| long(given, arg)).collect();
        let of_key = |key: &u32| call.args.get(*key as usize).map_or(0, |arg| id(given, arg));
        longs.extend(call.keys.iter().map(of_key));
        let answer = code.run(given.jni, call.method, &objects, &longs);
        let value = match answer {
            Answer::Value(value) => value,
            Answer::Threw(what) => {
                self.threw(given.agent, call.class, &what);
                Value::Bool(false)
            }
        };
        Fetched::Value(value.coerce(ty).unwrap_or(Value::Null))
    }

    /// Lets the handler of what is reported run, if there is one; answers whether it is to be reported.
    pub fn handle(&self, agent: &Agent, jni: Option<Jni>, report: &mut Report) -> bool {
        let Some(classes) = self.classes.get() else { return true };
        let property = &agent.model.properties[report.property.index()];
        let state = property.states.get(report.state.index()).map(|state| state.name.as_str());
        for (at, java) in agent.model.java.iter().enumerate() {
            let handler = java.handlers.iter().find(|handler| {
                let of_state = handler.state.as_deref();
                handler.property == property.name && (of_state.is_none() || of_state == state)
            });
            let (Some(handler), Some(Some(code)), Some(jni)) = (handler, classes.get(at), jni)
            else {
                continue;
            };
            let id = |param: &String| {
                let bound = report.binding.iter().find(|(name, _)| **name == **param);
                match bound {
                    Some((_, Value::Ref(object))) => object.id as i64,
                    _ => 0,
                }
            };
            let ids: Vec<i64> = handler.params.iter().map(id).collect();
            let answer = agent.muted(jni, thread_key(jni), || {
                jni.framed(32, || code.run(jni, handler.method, &[], &ids))
            });
            match answer {
                Some(Answer::Value(Value::Str(text))) => report.message = text.to_string(),
                Some(Answer::Threw(what)) => self.threw(agent, at, &what),
                Some(Answer::Value(_)) => return false,
                None => {}
            }
        }
        true
    }

    /// Reports an exception, once for every class.
    fn threw(&self, agent: &Agent, class: usize, what: &str) {
        let first = self.threw.lock().is_ok_and(|mut threw| threw.insert(class));
        if let Some(java) = agent.model.java.get(class).filter(|_| first) {
            agent.warn(&format!("the Java code of `{}` threw an exception: {what}", java.of));
        }
    }
}

/// What is given as an object.
fn object(given: &Given<'_>, arg: &JavaValue) -> Object {
    let jni = given.jni;
    match arg {
        JavaValue::Object(at) => given.objects.get(*at).copied().unwrap_or(std::ptr::null_mut()),
        JavaValue::Boxed(at, kind) => boxed(jni, given.longs.get(*at).copied().unwrap_or(0), *kind),
        JavaValue::Thread => given.agent.tools.current_thread().unwrap_or(std::ptr::null_mut()),
        JavaValue::Text(text) => jni.string(text),
        JavaValue::Long(_) | JavaValue::Int(_) | JavaValue::Nothing => std::ptr::null_mut(),
    }
}

/// The identity of what is given.
fn id(given: &Given<'_>, arg: &JavaValue) -> i64 {
    match arg {
        JavaValue::Object(at) => given.ids.get(*at).copied().unwrap_or(0),
        JavaValue::Thread => given.agent.id_of(given.jni, object(given, arg)),
        _ => 0,
    }
}

/// What is given as a primitive value.
fn long(given: &Given<'_>, arg: &JavaValue) -> i64 {
    match arg {
        JavaValue::Long(at) => given.longs.get(*at).copied().unwrap_or(0),
        JavaValue::Int(number) => *number,
        _ => 0,
    }
}

/// A primitive value of a type in its box.
fn boxed(jni: Jni, bits: i64, kind: u8) -> Object {
    let (class, argument) = match kind {
        b'Z' => ("java/lang/Boolean", Argument { int: bits as i32 }),
        b'B' => ("java/lang/Byte", Argument { int: bits as i32 }),
        b'C' => ("java/lang/Character", Argument { int: bits as i32 }),
        b'S' => ("java/lang/Short", Argument { int: bits as i32 }),
        b'I' => ("java/lang/Integer", Argument { int: bits as i32 }),
        // The bits of a `double` are passed as they are, those of a `float` as a `double`.
        b'F' => {
            let bits = (f64::from_bits(bits as u64) as f32).to_bits();
            ("java/lang/Float", Argument { long: i64::from(bits) })
        }
        b'D' => ("java/lang/Double", Argument { long: bits }),
        _ => ("java/lang/Long", Argument { long: bits }),
    };
    let found = jni.find_class(class);
    let of = jni.static_method(found, "valueOf", &format!("({})L{class};", char::from(kind)));
    if of.is_null() { of } else { jni.call_static_object(found, of, &[argument]) }
}
