//! What woven code calls.
//!
//! For every shape of up to [`MAX_EACH`] objects and [`MAX_EACH`] longs a class of hooks has two static
//! methods, `e` with the site id first, then objects, then longs; and `t`, with a `boolean` in front,
//! that does nothing if that is false: so the woven code can test a type without a branch. Larger
//! shapes pass `(int, Object[], long[])`.
//!
//! Under an agent that is the runtime's [`HOOK`](crate::runtime::HOOK). Code that is woven ahead of
//! time calls [`CLASS`], which archives have inside, [empty](empty_class); the runtime's own class of
//! that name is found before it.

use watchword_classfile::{ClassEditor, Opcode, Result, Snippet, access};
use watchword_model::ThrownBy;

use crate::spun;

/// Internal name of the class that code calls if nothing else is said.
pub const CLASS: &str = "watchword/Hook";
/// Name of the methods that woven code calls.
pub const ENTRY: &str = "e";
/// Name of the methods that take the answer of a test first.
pub const TESTED: &str = "t";
/// Descriptor of the methods that tell who has thrown an exception; false if the answer of a test, which
/// they take first, is. The texts are the name of the called method and what the exception must say; either may be
/// null.
pub const ASKED: &str = "(ZLjava/lang/Object;Ljava/lang/String;Ljava/lang/String;)Z";
/// Shapes with more objects or more longs than this pass arrays.
pub const MAX_EACH: usize = 4;
/// Descriptor of the methods that take arrays.
pub const ARRAYS: &str = "(I[Ljava/lang/Object;[J)V";

/// Name of the method that tells whether these have thrown an exception.
pub fn asked(by: ThrownBy) -> &'static str {
    match by {
        ThrownBy::Anybody | ThrownBy::Itself => "itself",
        ThrownBy::Jdk => "jdk",
    }
}

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

/// All shapes that are passed without arrays.
pub fn shapes() -> impl Iterator<Item = Shape> {
    let each = |objects| (0..=MAX_EACH).map(move |longs| Shape { objects, longs });
    (0..=MAX_EACH).flat_map(each)
}

/// The class file of [`CLASS`] for programs that run without an agent: its methods do nothing.
/// Version 49, so that every JVM takes it and no frames are needed.
pub fn empty_class() -> Result<Vec<u8>> {
    let flags = access::PUBLIC | access::FINAL | access::SUPER | access::SYNTHETIC;
    let mut class = ClassEditor::create(49, flags, CLASS, "java/lang/Object")?;
    let mut nothing = Snippet::new();
    nothing.op(Opcode::RETURN);
    let flags = access::PUBLIC | access::STATIC;
    for descriptor in shapes().map(Shape::descriptor).chain([ARRAYS.to_string()]) {
        let tested = descriptor.replacen('(', "(Z", 1);
        for (name, descriptor) in [(ENTRY, &descriptor), (TESTED, &tested)] {
            spun::add(&mut class, flags, name, descriptor, 0, &nothing)?;
        }
    }
    let mut no = Snippet::new();
    no.int(0).op(Opcode::IRETURN);
    for by in [ThrownBy::Itself, ThrownBy::Jdk] {
        spun::add(&mut class, flags, asked(by), ASKED, 1, &no)?;
    }
    class.to_bytes()
}
