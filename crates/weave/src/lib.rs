//! The weaver: selectors of a model become hook calls in class files.
//!
//! Class-file bytes go in, class-file bytes come out; nothing is read, written or started. The
//! agent weaves classes while they load, `watchword weave` weaves archives; both use [`Weaver::weave`].
//!
//! * A [`Weaver`] is made once from a [`Model`](watchword_model::Model) and [`Options`].
//! * A woven method calls `watchword/Hook` ([`hook`]) with a [`SiteId`] and the values that the
//!   events of the site need. A [`Site`] lists the [`Emit`]s of a site, their properties, and which
//!   [`Arg`] comes from which operand. Values that are known before the program runs are not passed.
//!   All properties share the sites.
//! * [`identity`] adds fields for identities to objects.
//!
//! # Example
//!
//! The property selects calls of `next`. `class_that_calls` makes a class with one method, which calls the
//! method of `Iterator` with this name.
//!
//! ```
//! # use watchword_classfile::simulate::MethodContext;
//! # use watchword_classfile::{ClassEditor, CodeEditor, JStr, Opcode, Snippet, access};
//! use watchword_classfile::{ClassFile, source::MemoryClasses};
//! use watchword_spec::{SourceFile, load};
//! use watchword_weave::{Numbers, Options, Outcome, SourceHierarchy, Weaver};
//!
//! # fn class_that_calls(name: &str) -> watchword_classfile::Result<Vec<u8>> {
//! #     let mut class = ClassEditor::create(52, access::PUBLIC, "Demo", "java/lang/Object")?;
//! #     let descriptor = "(Ljava/util/Iterator;)V";
//! #     let context = MethodContext {
//! #         class: JStr::new(b"Demo"),
//! #         name: JStr::new(b"use"),
//! #         descriptor: JStr::new(descriptor.as_bytes()),
//! #         access: access::STATIC,
//! #     };
//! #     let called = class.pool.interface_method("java/util/Iterator", name, "()V")?;
//! #     let mut code = CodeEditor::create(52, context, 1)?;
//! #     let mut body = Snippet::new();
//! #     body.op(Opcode::ALOAD_0).invoke_interface(called, 1).op(Opcode::RETURN);
//! #     code.append(&body);
//! #     let code = code.finish(&mut class.pool)?;
//! #     class.add_method(access::STATIC, "use", descriptor, Some(code))?;
//! #     class.to_bytes()
//! # }
//! # fn main() -> watchword_classfile::Result<()> {
//! let text = "
//!     event next(i) = jvm before call java.util.Iterator+.next() on i
//!     property Once(i) {
//!       start state New { on next(i) -> Used }
//!       state Used { on next(i) -> Twice }
//!       bad state Twice
//!     }";
//! let loaded = load(&[SourceFile::new("once.ww", text)], &|_, path| Err(format!("no {path}")));
//! let weaver = Weaver::new(&loaded.model.expect("the file has no errors"), Options::default());
//! let hierarchy = SourceHierarchy::new(MemoryClasses::default());
//! let numbers = Numbers::default();
//!
//! let plain = class_that_calls("next")?;
//! let Outcome::Woven(woven) = weaver.weave(&plain, &hierarchy, &numbers) else {
//!     panic!("the class has a call of `next`");
//! };
//! assert_eq!(woven.sites.len(), 1);
//! assert_eq!(woven.sites[0].operands.len(), 1);
//! assert!(woven.bytes.len() > plain.len());
//! assert_eq!(ClassFile::parse(&woven.bytes)?.name()?, "Demo");
//!
//! // A class without such a call keeps its bytes.
//! let other = weaver.weave(&class_that_calls("remove")?, &hierarchy, &numbers);
//! assert!(matches!(other, Outcome::Unchanged { .. }));
//!
//! // What is no class file is left alone, and the outcome says why.
//! let Outcome::Left { reason } = weaver.weave(b"text", &hierarchy, &numbers) else { panic!() };
//! assert!(reason.contains("expected"), "{reason}");
//! # Ok(())
//! # }
//! ```
//!
//! # What weaving promises
//!
//! The program behaves as before. Inserted code is branch-free and leaves the stack as it was;
//! branches are in the hook class, and what may throw (fields and calls of captured terms) is left to
//! the runtime. The only members a class gets are bridges for method references to selected methods,
//! named `$watchword$…`, and none if [`Options::keep_shape`] is set. Stack-map frames are shifted, never
//! recomputed. The same bytes with the same weaver give the same bytes. What cannot be woven — a method
//! that would pass 64 KB, a reflective call — is left alone and reported in a [`Note`].
//!
//! Watchword's own interface names (`watchword/…`) are never woven.

mod ahead;
mod answered;
mod assembler;
mod body;
pub mod cells;
mod code;
mod draft;
mod expression;
mod fold;
pub mod hook;
pub mod identity;
mod lambda;
pub mod members;
mod operands;
mod options;
mod outline;
mod point;
mod points;
pub mod runtime;
mod selectors;
mod serial;
mod silenced;
mod site;
pub mod special;
mod spun;
mod states;
mod target;
mod uncalled;
mod weaver;

pub use ahead::is_woven_ahead;
pub use lambda::{LINKER, restore_linker};
pub use options::{CallEvents, Options, Scope, is_jdk};
pub use outline::Outline;
pub use silenced::{BadLine, Judged, Silenced, hash};
pub use site::{
    Arg, Emit, Operand, OperandKind, Place, PointName, Read, Site, SiteId, Start, Step, Test,
};
pub use uncalled::Uncalled;
pub use watchword_select::{
    ClassFacts, Hierarchy, MemberFacts, SourceHierarchy, dotted, dotted_type,
};
pub use weaver::{Note, Numbers, Outcome, Weaver, Woven};
