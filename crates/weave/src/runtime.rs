//! The classes of an agent in a JVM: few and small.
//!
//! Two are part of the JDK's own module, which the command line patches: classes that the JVM loads
//! before it knows modules implement `java/util/WatchwordTracked`, and reflection asks
//! `java/util/WatchwordHiding` what a program may see. The others are on the bootstrap class path.
//!
//! `watchword/Hook` is what woven code calls (see [`hook`](crate::hook)); this one also looks
//! up the identity of every object it passes on, in Java, where that is a field access:
//!
//! ```java
//! static void e(int site, Object a, long x) {
//!     if (live && !handled(site, a, null, x)) n(site, a, id(a), x); // see `cells`
//! }
//! static long id(Object o) {
//!     if (o instanceof Tracked t) { long id = t.$watchword$id(); return id != 0 ? id : fresh(t); }
//!     return o == null ? 0 : side(o);
//! }
//! static synchronized long fresh(Tracked t) {
//!     long id = t.$watchword$id();
//!     if (id == 0) { id = (long) classes.get(t.getClass()) | ++last; t.$watchword$setId(id); }
//!     return id;
//! }
//! static synchronized long take() { return ++last; }
//! static void start() { classes = new Classes(); }
//! static void hiding() { WatchwordHiding.filter = new Filter(); }
//! static native Object[] hide(Object[] members); // without those that are injected
//! static native long side(Object o);           // objects that cannot hold an identity
//! static native long number(Class<?> c);       // the bits of an identity that tell the class
//! ```

use watchword_classfile::simulate::MethodContext;
use watchword_classfile::{
    ClassEditor, CodeEditor, JStr, Kind, Label, Opcode, Result, Snippet, access,
};

use crate::cells;
use crate::hook::{ARRAYS, CLASS, ENTRY, LIVE, MAX_EACH, NATIVE, Shape, TESTED};
use crate::identity::{self, Held};

/// The interface of objects that hold identities.
pub const TRACKED: &str = "java/util/WatchwordTracked";
/// What an object holds for properties whose state is in the objects.
pub const CELL: &str = "java/util/WatchwordCell";
/// A slice in such a cell.
pub const LINK: &str = "java/util/WatchwordLink";
/// A cell that several objects have.
pub const SHARED: &str = "java/util/WatchwordShared";
/// What leads from one such cell to another.
pub const EDGE: &str = "java/util/WatchwordEdge";
/// The class that says what reflection may show.
pub const HIDING: &str = "java/util/WatchwordHiding";
/// Name of its method that leaves things out.
pub const VISIBLE: &str = "visible";
/// The descriptor of its methods that take from a copy what it has of its original.
pub const COPIED_DESCRIPTOR: &str = "(Ljava/lang/Object;)Ljava/lang/Object;";
/// Its descriptor, and that of the native method `hide` of the hook class.
pub const VISIBLE_DESCRIPTOR: &str = "([Ljava/lang/Object;)[Ljava/lang/Object;";
/// Remembers the number of a class: extends `java.lang.ClassValue`.
pub const CLASSES: &str = "watchword/Classes";
/// What is thrown on a violation if that was asked for.
pub const VIOLATION: &str = "watchword/Violation";

const OBJECT: &str = "Ljava/lang/Object;";
const STATIC: u16 = access::PUBLIC | access::STATIC;

/// Internal names and bytes of those on the bootstrap class path, in an order in which they can be
/// defined.
pub fn boot_classes() -> Result<Vec<(&'static str, Vec<u8>)>> {
    Ok(vec![
        (CLASSES, classes_class()?),
        (FILTER, filter_class()?),
        (CLASS, hook_class()?),
        (VIOLATION, violation_class()?),
    ])
}

/// What those in the module `java.base` are made by: an agent does not work with those of others.
pub const SOURCES: [&[u8]; 4] = [
    include_bytes!("runtime.rs"),
    include_bytes!("cells.rs"),
    include_bytes!("shared.rs"),
    include_bytes!("identity.rs"),
];

/// Internal names and bytes of those in the module `java.base`.
pub fn base_classes() -> Result<Vec<(&'static str, Vec<u8>)>> {
    let mut classes = cells::classes()?;
    classes.push((TRACKED, identity::interface_with_cells(TRACKED)?));
    classes.push((HIDING, hiding_class()?));
    Ok(classes)
}

/// Whether a class, by its internal name, is one of these.
pub fn is_own(name: &str) -> bool {
    name.starts_with("watchword/") || [TRACKED, HIDING, CELL, LINK, SHARED, EDGE].contains(&name)
}

/// The native methods of the hook class that take events, with what they take.
pub fn natives() -> Vec<(Shape, String)> {
    let shapes = (0..=MAX_EACH).flat_map(|o| (0..=MAX_EACH).map(move |j| (o, j)));
    shapes
        .map(|(objects, longs)| (Shape { objects, longs }, native_descriptor(objects, longs)))
        .collect()
}

/// Site, objects, their identities, longs.
fn native_descriptor(objects: usize, longs: usize) -> String {
    format!("(I{}{})V", OBJECT.repeat(objects), "J".repeat(objects + longs))
}

pub(crate) struct Body<'c> {
    class: &'c mut ClassEditor<'static>,
    name: &'static str,
    access: u16,
    name_of_class: &'static str,
}

pub(crate) fn body<'c>(
    class: &'c mut ClassEditor<'static>,
    name_of_class: &'static str,
    name: &'static str,
    access: u16,
) -> Body<'c> {
    Body { class, name, access, name_of_class }
}

impl Body<'_> {
    /// Adds a method of version 49, which needs no frames: so much stack, so many locals besides
    /// the parameters.
    pub(crate) fn write(
        self,
        descriptor: &str,
        [stack, locals]: [u16; 2],
        labels: usize,
        write: impl FnOnce(&mut Snippet, &mut ClassEditor<'static>, &[Label]) -> Result<()>,
    ) -> Result<()> {
        // The pool outlives the method; descriptors are few and live as long as the agent.
        let kept: &'static str = String::leak(descriptor.to_string());
        let context = MethodContext {
            class: JStr::new(self.name_of_class.as_bytes()),
            name: JStr::new(self.name.as_bytes()),
            descriptor: JStr::new(kept.as_bytes()),
            access: self.access,
        };
        let mut code = CodeEditor::create(49, context, stack)?;
        if locals > 0 {
            code.fresh_local(locals)?;
        }
        let labels: Vec<Label> = (0..labels).map(|_| code.new_label()).collect();
        let mut body = Snippet::new();
        write(&mut body, self.class, &labels)?;
        code.append(&body);
        let code = code.finish(&mut self.class.pool)?;
        self.class.add_method(self.access, self.name, descriptor, Some(code))?;
        Ok(())
    }
}

/// Has a JVM compile methods of that name once, not again and again into whoever calls them: a
/// program calls hooks at many places, and compiling them there takes longer than calling them.
/// HotSpot obeys for classes of the bootstrap loader; others do not know the annotation.
pub(crate) fn apart(class: &mut ClassEditor<'static>, name: &str) -> Result<()> {
    let attribute = class.pool.utf8("RuntimeVisibleAnnotations")?;
    let annotation = class.pool.utf8("Ljdk/internal/vm/annotation/DontInline;")?;
    let name = class.pool.utf8(name)?;
    // One annotation, without values.
    let info: Vec<u8> = [1, annotation, 0].iter().flat_map(|n| n.to_be_bytes()).collect();
    for method in class.methods.iter_mut().filter(|method| method.name == name) {
        method.set_attribute(attribute, info.clone());
    }
    Ok(())
}

fn hook_class() -> Result<Vec<u8>> {
    let flags = access::PUBLIC | access::FINAL | access::SUPER | access::SYNTHETIC;
    let mut class = ClassEditor::create(49, flags, CLASS, "java/lang/Object")?;
    class.add_field(STATIC, LIVE, "Z")?;
    class.add_field(access::PRIVATE | access::STATIC, "last", "J")?;
    class.add_field(access::PRIVATE | access::STATIC, "classes", "Lwatchword/Classes;")?;
    for (shape, native) in natives() {
        let Shape { objects, longs } = shape;
        let entry = shape.descriptor();
        let tested = entry.replacen('(', "(Z", 1);
        for (name, descriptor, first) in [(ENTRY, &entry, 0u16), (TESTED, &tested, 1)] {
            let method = body(&mut class, CLASS, name, STATIC);
            let stack = ((3 * objects + 2 * longs) as u16 + 2).max(5);
            method.write(descriptor, [stack, 0], 1, |body, class, labels| {
                if first > 0 {
                    body.load(Kind::Int, 0).jump(Opcode::IFEQ, labels[0]);
                }
                let live = class.pool.field(CLASS, LIVE, "Z")?;
                let id = class.pool.method(CLASS, "id", "(Ljava/lang/Object;)J")?;
                let native = class.pool.method(CLASS, NATIVE, &native)?;
                body.with_constant(Opcode::GETSTATIC, live).jump(Opcode::IFEQ, labels[0]);
                if shape.is_small() {
                    let handled = "(ILjava/lang/Object;Ljava/lang/Object;J)Z";
                    let handled = class.pool.method(CLASS, "handled", handled)?;
                    body.load(Kind::Int, first);
                    for object in 0..2 {
                        match object < objects as u16 {
                            true => body.load(Kind::Reference, first + 1 + object),
                            false => body.op(Opcode::ACONST_NULL),
                        };
                    }
                    match longs {
                        0 => body.op(Opcode::LCONST_0),
                        _ => body.load(Kind::Long, first + 1 + objects as u16),
                    };
                    body.with_constant(Opcode::INVOKESTATIC, handled);
                    body.jump(Opcode::IFNE, labels[0]);
                }
                body.load(Kind::Int, first);
                for object in 0..objects as u16 {
                    body.load(Kind::Reference, first + 1 + object);
                }
                for object in 0..objects as u16 {
                    body.load(Kind::Reference, first + 1 + object);
                    body.with_constant(Opcode::INVOKESTATIC, id);
                }
                for long in 0..longs {
                    body.load(Kind::Long, first + (1 + objects + 2 * long) as u16);
                }
                body.with_constant(Opcode::INVOKESTATIC, native).bind(labels[0]);
                body.op(Opcode::RETURN);
                Ok(())
            })?;
        }
        let flags = access::PRIVATE | access::STATIC | access::NATIVE;
        class.add_method(flags, NATIVE, &native, None)?;
    }
    many_class(&mut class)?;
    id_methods(&mut class)?;
    cells::add_to_hook(&mut class)?;
    for (name, descriptor) in [
        ("many", ARRAYS),
        ("side", "(Ljava/lang/Object;)J"),
        ("hide", VISIBLE_DESCRIPTOR),
        ("number", "(Ljava/lang/Class;)J"),
    ] {
        class.add_method(STATIC | access::NATIVE, name, descriptor, None)?;
    }
    class.to_bytes()
}

/// The entries for shapes that pass arrays.
fn many_class(class: &mut ClassEditor<'static>) -> Result<()> {
    let entry = ARRAYS;
    let tested = entry.replacen('(', "(Z", 1);
    for (name, descriptor, first) in [(ENTRY, entry, 0u16), (TESTED, &*tested, 1)] {
        let method = body(class, CLASS, name, STATIC);
        method.write(descriptor, [3, 0], 1, |body, class, labels| {
            if first > 0 {
                body.load(Kind::Int, 0).jump(Opcode::IFEQ, labels[0]);
            }
            let live = class.pool.field(CLASS, LIVE, "Z")?;
            let native = class.pool.method(CLASS, "many", entry)?;
            body.with_constant(Opcode::GETSTATIC, live).jump(Opcode::IFEQ, labels[0]);
            body.load(Kind::Int, first);
            body.load(Kind::Reference, first + 1).load(Kind::Reference, first + 2);
            body.with_constant(Opcode::INVOKESTATIC, native).bind(labels[0]).op(Opcode::RETURN);
            Ok(())
        })?;
    }
    Ok(())
}

/// `start`, `hiding`, `id`, `fresh` and `take`.
fn id_methods(class: &mut ClassEditor<'static>) -> Result<()> {
    let tracked = TRACKED;

    // Not in an initialiser: the class may be used before the VM can make objects of the library.
    body(class, CLASS, "start", STATIC).write("()V", [2, 0], 0, |body, class, _| {
        let values = class.pool.class(CLASSES)?;
        let init = class.pool.method(CLASSES, "<init>", "()V")?;
        let field = class.pool.field(CLASS, "classes", "Lwatchword/Classes;")?;
        body.with_constant(Opcode::NEW, values).op(Opcode::DUP);
        body.with_constant(Opcode::INVOKESPECIAL, init);
        body.with_constant(Opcode::PUTSTATIC, field).op(Opcode::RETURN);
        Ok(())
    })?;

    body(class, CLASS, "hiding", STATIC).write("()V", [2, 0], 0, |body, class, _| {
        let filter = class.pool.class(FILTER)?;
        let init = class.pool.method(FILTER, "<init>", "()V")?;
        let field = class.pool.field(HIDING, "filter", "Ljava/util/function/UnaryOperator;")?;
        body.with_constant(Opcode::NEW, filter).op(Opcode::DUP);
        body.with_constant(Opcode::INVOKESPECIAL, init);
        body.with_constant(Opcode::PUTSTATIC, field).op(Opcode::RETURN);
        Ok(())
    })?;

    let id = "(Ljava/lang/Object;)J";
    body(class, CLASS, "id", STATIC).write(id, [4, 2], 3, |body, class, labels| {
        let tracked_class = class.pool.class(tracked)?;
        let getter = class.pool.interface_method(tracked, identity::GETTER, "()J")?;
        let fresh = class.pool.method(CLASS, "fresh", "(Ljava/util/WatchwordTracked;)J")?;
        let side = class.pool.method(CLASS, "side", id)?;
        let [other, new, null] = [labels[0], labels[1], labels[2]];
        body.load(Kind::Reference, 0).with_constant(Opcode::INSTANCEOF, tracked_class);
        body.jump(Opcode::IFEQ, other);
        body.load(Kind::Reference, 0).with_constant(Opcode::CHECKCAST, tracked_class);
        body.invoke_interface(getter, 0).store(Kind::Long, 1);
        body.load(Kind::Long, 1).op(Opcode::LCONST_0).op(Opcode::LCMP).jump(Opcode::IFEQ, new);
        body.load(Kind::Long, 1).ret(Some(Kind::Long));
        body.bind(new);
        body.load(Kind::Reference, 0).with_constant(Opcode::CHECKCAST, tracked_class);
        body.with_constant(Opcode::INVOKESTATIC, fresh).ret(Some(Kind::Long));
        body.bind(other);
        body.load(Kind::Reference, 0).jump(Opcode::IFNULL, null);
        body.load(Kind::Reference, 0).with_constant(Opcode::INVOKESTATIC, side);
        body.ret(Some(Kind::Long));
        body.bind(null);
        body.op(Opcode::LCONST_0).ret(Some(Kind::Long));
        Ok(())
    })?;

    let locked = STATIC | access::SYNCHRONIZED;
    body(class, CLASS, "fresh", locked).write(
        "(Ljava/util/WatchwordTracked;)J",
        [6, 2],
        1,
        |body, class, labels| {
            let getter = class.pool.interface_method(tracked, identity::GETTER, "()J")?;
            let setter = class.pool.interface_method(tracked, identity::SETTER, "(J)V")?;
            let last = class.pool.field(CLASS, "last", "J")?;
            let values = class.pool.field(CLASS, "classes", "Lwatchword/Classes;")?;
            let class_of =
                class.pool.method("java/lang/Object", "getClass", "()Ljava/lang/Class;")?;
            let get = class.pool.method(CLASSES, "get", "(Ljava/lang/Class;)Ljava/lang/Object;")?;
            let boxed = class.pool.class("java/lang/Long")?;
            let unbox = class.pool.method("java/lang/Long", "longValue", "()J")?;
            let known = labels[0];
            body.load(Kind::Reference, 0).invoke_interface(getter, 0).store(Kind::Long, 1);
            body.load(Kind::Long, 1)
                .op(Opcode::LCONST_0)
                .op(Opcode::LCMP)
                .jump(Opcode::IFNE, known);
            body.with_constant(Opcode::GETSTATIC, values);
            body.load(Kind::Reference, 0).with_constant(Opcode::INVOKEVIRTUAL, class_of);
            body.with_constant(Opcode::INVOKEVIRTUAL, get);
            body.with_constant(Opcode::CHECKCAST, boxed)
                .with_constant(Opcode::INVOKEVIRTUAL, unbox);
            body.with_constant(Opcode::GETSTATIC, last).op(Opcode::LCONST_1).op(Opcode::LADD);
            body.op(Opcode::DUP2).with_constant(Opcode::PUTSTATIC, last);
            body.op(Opcode::LOR).store(Kind::Long, 1);
            body.load(Kind::Reference, 0).load(Kind::Long, 1).invoke_interface(setter, 2);
            body.bind(known);
            body.load(Kind::Long, 1).ret(Some(Kind::Long));
            Ok(())
        },
    )?;

    body(class, CLASS, "take", locked).write("()J", [4, 0], 0, |body, class, _| {
        let last = class.pool.field(CLASS, "last", "J")?;
        body.with_constant(Opcode::GETSTATIC, last).op(Opcode::LCONST_1).op(Opcode::LADD);
        body.op(Opcode::DUP2).with_constant(Opcode::PUTSTATIC, last).ret(Some(Kind::Long));
        Ok(())
    })
}

const FILTER: &str = "watchword/Filter";
const OPERATOR: &str = "java/util/function/UnaryOperator";
const APPLY: &str = "(Ljava/lang/Object;)Ljava/lang/Object;";

/// Name of the method of the hiding class that takes from a copy what it has of its original.
pub fn copied(held: Held) -> &'static str {
    match held {
        Held::Identity => "copiedIdentity",
        Held::Cell => "copiedCell",
        Held::Both => "copied",
    }
}

/// `static Object copied(Object o) { if (o instanceof Tracked t) { t.$watchword$setId(0);
/// t.$watchword$setCell(null); } return o; }`, as far as objects have those.
fn add_copied(class: &mut ClassEditor<'static>, held: Held) -> Result<()> {
    let method = body(class, HIDING, copied(held), STATIC);
    method.write(COPIED_DESCRIPTOR, [3, 0], 1, |body, class, labels| {
        let tracked = class.pool.class(TRACKED)?;
        body.load(Kind::Reference, 0).with_constant(Opcode::INSTANCEOF, tracked);
        body.jump(Opcode::IFEQ, labels[0]);
        if held != Held::Cell {
            let set = class.pool.interface_method(TRACKED, identity::SETTER, "(J)V")?;
            body.load(Kind::Reference, 0).with_constant(Opcode::CHECKCAST, tracked);
            body.op(Opcode::LCONST_0).invoke_interface(set, 2);
        }
        if held != Held::Identity {
            let cell = format!("(L{CELL};)V");
            let set = class.pool.interface_method(TRACKED, identity::CELL_SETTER, &cell)?;
            body.load(Kind::Reference, 0).with_constant(Opcode::CHECKCAST, tracked);
            body.op(Opcode::ACONST_NULL).invoke_interface(set, 1);
        }
        body.bind(labels[0]);
        body.load(Kind::Reference, 0).ret(Some(Kind::Reference));
        Ok(())
    })
}

/// `static UnaryOperator filter; static Object[] visible(Object[] members) { return filter == null ?
/// members : (Object[]) filter.apply(members); }`: a class of the JDK should have no native methods
/// that an agent registers; JVMs warn about such.
fn hiding_class() -> Result<Vec<u8>> {
    let flags = access::PUBLIC | access::FINAL | access::SUPER | access::SYNTHETIC;
    let mut class = ClassEditor::create(49, flags, HIDING, "java/lang/Object")?;
    class.add_field(STATIC, "filter", "Ljava/util/function/UnaryOperator;")?;
    for held in [Held::Identity, Held::Cell, Held::Both] {
        add_copied(&mut class, held)?;
    }
    let method = body(&mut class, HIDING, VISIBLE, STATIC);
    method.write(VISIBLE_DESCRIPTOR, [2, 0], 1, |body, class, labels| {
        let filter = class.pool.field(HIDING, "filter", "Ljava/util/function/UnaryOperator;")?;
        let apply = class.pool.interface_method(OPERATOR, "apply", APPLY)?;
        let array = class.pool.class("[Ljava/lang/Object;")?;
        body.with_constant(Opcode::GETSTATIC, filter).jump(Opcode::IFNULL, labels[0]);
        body.with_constant(Opcode::GETSTATIC, filter).load(Kind::Reference, 0);
        body.invoke_interface(apply, 1).with_constant(Opcode::CHECKCAST, array);
        body.ret(Some(Kind::Reference));
        body.bind(labels[0]);
        body.load(Kind::Reference, 0).ret(Some(Kind::Reference));
        Ok(())
    })?;
    class.to_bytes()
}

/// `class Filter implements UnaryOperator { Object apply(Object o) { return Hook.hide((Object[]) o); } }`
fn filter_class() -> Result<Vec<u8>> {
    let flags = access::PUBLIC | access::FINAL | access::SUPER | access::SYNTHETIC;
    let mut class = ClassEditor::create(49, flags, FILTER, "java/lang/Object")?;
    class.add_interface(OPERATOR)?;
    let method = body(&mut class, FILTER, "<init>", access::PUBLIC);
    method.write("()V", [1, 0], 0, |body, class, _| {
        let init = class.pool.method("java/lang/Object", "<init>", "()V")?;
        body.load(Kind::Reference, 0).with_constant(Opcode::INVOKESPECIAL, init);
        body.op(Opcode::RETURN);
        Ok(())
    })?;
    body(&mut class, FILTER, "apply", access::PUBLIC).write(
        APPLY,
        [1, 0],
        0,
        |body, class, _| {
            let hide = class.pool.method(CLASS, "hide", VISIBLE_DESCRIPTOR)?;
            let array = class.pool.class("[Ljava/lang/Object;")?;
            body.load(Kind::Reference, 1).with_constant(Opcode::CHECKCAST, array);
            body.with_constant(Opcode::INVOKESTATIC, hide).ret(Some(Kind::Reference));
            Ok(())
        },
    )?;
    class.to_bytes()
}

/// `final class Classes extends ClassValue { Object computeValue(Class c) { … number(c) } }`
fn classes_class() -> Result<Vec<u8>> {
    let flags = access::FINAL | access::SUPER | access::SYNTHETIC | access::PUBLIC;
    let mut class = ClassEditor::create(49, flags, CLASSES, "java/lang/ClassValue")?;
    body(&mut class, CLASSES, "<init>", access::PUBLIC).write(
        "()V",
        [1, 0],
        0,
        |body, class, _| {
            let init = class.pool.method("java/lang/ClassValue", "<init>", "()V")?;
            body.load(Kind::Reference, 0).with_constant(Opcode::INVOKESPECIAL, init);
            body.op(Opcode::RETURN);
            Ok(())
        },
    )?;
    let descriptor = "(Ljava/lang/Class;)Ljava/lang/Object;";
    body(&mut class, CLASSES, "computeValue", access::PROTECTED).write(
        descriptor,
        [2, 0],
        0,
        |body, class, _| {
            let number = class.pool.method(CLASS, "number", "(Ljava/lang/Class;)J")?;
            let value = class.pool.method("java/lang/Long", "valueOf", "(J)Ljava/lang/Long;")?;
            body.load(Kind::Reference, 1).with_constant(Opcode::INVOKESTATIC, number);
            body.with_constant(Opcode::INVOKESTATIC, value).ret(Some(Kind::Reference));
            Ok(())
        },
    )?;
    class.to_bytes()
}

/// `public class Violation extends Error { public Violation(String message) { super(message); } }`
fn violation_class() -> Result<Vec<u8>> {
    let flags = access::PUBLIC | access::SUPER;
    let mut class = ClassEditor::create(49, flags, VIOLATION, "java/lang/Error")?;
    let method = body(&mut class, VIOLATION, "<init>", access::PUBLIC);
    method.write("(Ljava/lang/String;)V", [2, 0], 0, |body, class, _| {
        let init = class.pool.method("java/lang/Error", "<init>", "(Ljava/lang/String;)V")?;
        body.load(Kind::Reference, 0).load(Kind::Reference, 1);
        body.with_constant(Opcode::INVOKESPECIAL, init).op(Opcode::RETURN);
        Ok(())
    })?;
    class.to_bytes()
}

#[cfg(test)]
mod tests {
    use watchword_classfile::ClassFile;

    use super::*;

    #[test]
    fn the_classes_are_class_files() {
        let all = boot_classes().unwrap().into_iter().chain(base_classes().unwrap());
        for (name, bytes) in all {
            let class = ClassFile::parse(&bytes).unwrap();
            class.validate().unwrap();
            assert_eq!(class.name().unwrap(), name);
        }
    }
}
