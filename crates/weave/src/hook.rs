//! The class that woven code calls.
//!
//! `watchword/Hook` belongs to the bootstrap class path. For every shape of up to
//! [`MAX_EACH`] objects and [`MAX_EACH`] longs it has two static methods of the same descriptor,
//! site id first, then objects, then longs:
//!
//! * `e`, which woven code calls: does nothing while the static field `live` is false, else calls
//! * `n`, native, which the runtime [registers](methods).
//!
//! and a third, `t`, with a `boolean` in front, that does nothing if that is false either: so the
//! woven code can test a type without a branch.
//!
//! `live` is false when the class is loaded; the runtime sets it once its natives are there, and
//! clears it to stop listening. Larger shapes pass `(int, Object[], long[])`.

use watchword_classfile::simulate::MethodContext;
use watchword_classfile::{ClassEditor, CodeEditor, JStr, Kind, Opcode, Result, Snippet, access};

/// Internal name of the hook class.
pub const CLASS: &str = "watchword/Hook";
/// Static `boolean` field that switches the hooks on.
pub const LIVE: &str = "live";
/// Name of the methods that woven code calls.
pub const ENTRY: &str = "e";
/// Name of the methods that take the answer of a test first.
pub const TESTED: &str = "t";
/// Name of the native methods.
pub const NATIVE: &str = "n";
/// Shapes with more objects or more longs than this pass arrays.
pub const MAX_EACH: usize = 4;
/// Descriptor of the methods that take arrays.
pub const ARRAYS: &str = "(I[Ljava/lang/Object;[J)V";

/// How many objects and longs a hook passes besides the site id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// Objects.
    pub objects: usize,
    /// Longs.
    pub longs: usize,
}

impl Shape {
    /// Whether the values are passed in arrays.
    pub fn in_arrays(self) -> bool {
        self.objects > MAX_EACH || self.longs > MAX_EACH
    }

    /// Whether events of this shape may be dealt with without a native call: see
    /// [`cells`](crate::cells).
    pub fn is_small(self) -> bool {
        self.objects <= 2 && self.longs <= 1
    }

    /// Descriptor of the hook methods of this shape.
    pub fn descriptor(self) -> String {
        if self.in_arrays() {
            return ARRAYS.to_string();
        }
        format!("(I{}{})V", "Ljava/lang/Object;".repeat(self.objects), "J".repeat(self.longs))
    }
}

/// A native method of the hook class, for the runtime to register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookMethod {
    /// Its name, [`NATIVE`].
    pub name: &'static str,
    /// Its descriptor.
    pub descriptor: String,
    /// The shape; `None` for the one that takes arrays.
    pub shape: Option<Shape>,
}

/// All native methods of the hook class.
pub fn methods() -> Vec<HookMethod> {
    let mut list = Vec::new();
    for objects in 0..=MAX_EACH {
        for longs in 0..=MAX_EACH {
            let shape = Shape { objects, longs };
            let descriptor = shape.descriptor();
            list.push(HookMethod { name: NATIVE, descriptor, shape: Some(shape) });
        }
    }
    list.push(HookMethod { name: NATIVE, descriptor: ARRAYS.to_string(), shape: None });
    list
}

/// The class file of the hook class. Version 49, so that every JVM takes it and no frames are
/// needed.
pub fn class() -> Result<Vec<u8>> {
    let methods = methods();
    let flags = access::PUBLIC | access::FINAL | access::SUPER | access::SYNTHETIC;
    let mut class = ClassEditor::create(49, flags, CLASS, "java/lang/Object")?;
    class.add_field(access::PUBLIC | access::STATIC, LIVE, "Z")?;
    let live = class.pool.field(CLASS, LIVE, "Z")?;
    // The verifier takes the parameters of the methods being made from these.
    let tested: Vec<String> = methods.iter().map(|m| m.descriptor.replacen('(', "(Z", 1)).collect();
    for (method, tested) in methods.iter().zip(&tested) {
        let native = class.pool.method(CLASS, NATIVE, &method.descriptor)?;
        let (objects, longs) = method.shape.map_or((2, 0), |s| (s.objects, s.longs));
        for (name, descriptor, first) in [(ENTRY, &method.descriptor, 0), (TESTED, tested, 1)] {
            let context = MethodContext {
                class: JStr::new(CLASS.as_bytes()),
                name: JStr::new(name.as_bytes()),
                descriptor: JStr::new(descriptor.as_bytes()),
                access: access::PUBLIC | access::STATIC,
            };
            let mut code = CodeEditor::create(49, context, (1 + objects + 2 * longs) as u16)?;
            let off = code.new_label();
            let mut body = Snippet::new();
            if first > 0 {
                body.load(Kind::Int, 0).jump(Opcode::IFEQ, off);
            }
            body.with_constant(Opcode::GETSTATIC, live).jump(Opcode::IFEQ, off);
            body.load(Kind::Int, first);
            for object in 0..objects {
                body.load(Kind::Reference, first + 1 + object as u16);
            }
            for long in 0..longs {
                body.load(Kind::Long, first + (1 + objects + 2 * long) as u16);
            }
            body.with_constant(Opcode::INVOKESTATIC, native).bind(off).op(Opcode::RETURN);
            code.append(&body);
            let code = code.finish(&mut class.pool)?;
            class.add_method(access::PUBLIC | access::STATIC, name, descriptor, Some(code))?;
        }
        let flags = access::PRIVATE | access::STATIC | access::NATIVE;
        class.add_method(flags, NATIVE, &method.descriptor, None)?;
    }
    class.to_bytes()
}
