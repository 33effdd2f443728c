//! Class files: bytes to structure and back, editing, control flow, hierarchy.
//!
//! This crate reads JVM class files without loss, edits them, and answers what the rest of
//! Watchword asks about them: the weaver (which instruction is a call of what, put this code in
//! front of it), the analyses (which path leads where, also by exceptions) and both (which class
//! extends which). It opens no file, starts no thread and has no global state: bytes in, bytes out.
//!
//! # Reading
//!
//! [`ClassFile::parse`] checks the structure — every tag, length and count — and finds every piece
//! without copying. What pieces mean is decoded when asked for: constants by the [`Constants`]
//! look-ups, attributes by [`Attribute::decode`] into [`Decoded`], instructions by
//! [`Code::instructions`]. Whatever is malformed is an [`Error`] that says at which byte what was
//! expected; [`ClassFile::validate`] decodes everything at once. Versions from 45.3 (JDK 1.1) on
//! are read; a version newer than this crate is read as long as it brings no new constant tags.
//!
//! ```
//! use watchword_classfile::{
//!     ClassEditor, ClassFile, CodeEditor, Constants, JStr, Landing, Opcode, Snippet, access,
//!     simulate::MethodContext,
//! };
//!
//! # fn main() -> watchword_classfile::Result<()> {
//! // A class made from nothing: static int twice(int) { return n + n; }
//! let mut class = ClassEditor::create(52, access::PUBLIC | access::SUPER, "Demo", "java/lang/Object")?;
//! let context = MethodContext {
//!     class: JStr::new(b"Demo"),
//!     name: JStr::new(b"twice"),
//!     descriptor: JStr::new(b"(I)I"),
//!     access: access::STATIC,
//! };
//! let mut code = CodeEditor::create(52, context, 2)?;
//! let mut body = Snippet::new();
//! body.op(Opcode::ILOAD_0).op(Opcode::DUP).op(Opcode::IADD).op(Opcode::IRETURN);
//! code.append(&body);
//! let code = code.finish(&mut class.pool)?;
//! class.add_method(access::STATIC, "twice", "(I)I", Some(code))?;
//! let bytes = class.to_bytes()?;
//!
//! // Read it, and write it back: the same bytes.
//! let class = ClassFile::parse(&bytes)?;
//! assert_eq!(class.name()?, "Demo");
//! assert_eq!(class.to_bytes()?, bytes);
//!
//! // Call a hook before every return.
//! let method = class.method("twice", "(I)I").unwrap();
//! let mut editor = ClassEditor::new(&class);
//! editor.edit_code(method, |code, pool| {
//!     let hook = pool.method("Hooks", "leaving", "()V")?;
//!     for instruction in code.instructions().to_vec() {
//!         if instruction.opcode == Opcode::IRETURN {
//!             let mut call = Snippet::new();
//!             call.with_constant(Opcode::INVOKESTATIC, hook);
//!             code.insert_before(instruction.offset, Landing::Before, call)?;
//!         }
//!     }
//!     Ok(())
//! })?;
//! let woven = editor.to_bytes()?;
//! let woven = ClassFile::parse(&woven)?;
//! let code = woven.method("twice", "(I)I").unwrap().code()?.unwrap();
//! let opcodes: Vec<String> =
//!     code.instructions().map(|i| i.map(|i| i.opcode.to_string())).collect::<Result<_, _>>()?;
//! assert_eq!(opcodes, ["iload_0", "dup", "iadd", "invokestatic", "ireturn"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Writing and editing
//!
//! [`ClassFile::to_bytes`] writes a class from its parsed pieces; the bytes are the ones that were
//! read. [`ClassEditor`] patches: it appends constants ([`PoolEditor`]), adds fields, methods,
//! interfaces and attributes, and replaces code. [`CodeEditor`] edits the code of a method by
//! original offsets; [`Snippet`] builds what is inserted. Branches, exception ranges, line numbers,
//! local-variable tables, type annotations and stack-map frames follow; jumps that become too long
//! are widened. Frames are *shifted, never recomputed*: read the contract on [`CodeEditor`] before
//! inserting anything but straight-line, stack-neutral code.
//!
//! # Analysing
//!
//! * [`Opcode`] is the instruction set in one table; [`FieldType`] and [`MethodDescriptor`] parse
//!   descriptors.
//! * [`simulate`] says what instructions pop and push, and which types locals and stack have.
//! * [`Cfg`] is the control-flow graph of a method, with exceptional edges, dominators and loops;
//!   see [`cfg`](mod@cfg) for what its edges promise.
//! * [`source`] finds classes in jars (multi-release and nested ones too), jmods, directories and
//!   the JDK's run-time image; [`Hierarchy`] relates them and resolves members as the JVM does. A
//!   class that is missing is reported, not guessed about.
//! * [`print_class`] and [`print_cfg`] print both, deterministically.
//!
//! # When not to use it
//!
//! To generate whole programs: there is no frame computation and no symbolic assembler here. Code
//! with subroutines (`jsr`, `ret`; compilers stopped making them around 2005) is read, written and
//! edited, but has no control-flow graph and no simulation.
//!
//! # Hostile input
//!
//! Class files, archives, images and manifests may come from anywhere. Nothing here panics on
//! them, recurses without a bound or reserves memory by a number the input claims; archives inflate
//! to at most [`source::MAX_INFLATED`] bytes an entry.

mod attribute;
mod bytes;
pub mod cfg;
mod class;
mod descriptor;
mod edit;
mod error;
mod hierarchy;
mod insn;
mod jstr;
mod opcode;
mod pool;
mod print;
mod reference;
pub mod simulate;
pub mod source;

pub use attribute::*;
pub use cfg::Cfg;
pub use class::{ClassFile, Member, access};
pub use descriptor::{FieldType, Kind, MethodDescriptor};
pub use edit::{
    AttributeEditor, ClassEditor, CodeEditor, Handler, Label, Landing, MemberEditor, PoolEditor,
    Snippet,
};
pub use error::{Error, Result};
pub use hierarchy::{ClassId, Hierarchy, MissingClass, Resolved};
pub use insn::{Instruction, Instructions, Operand, Switch};
pub use jstr::{JStr, encode as encode_jstr};
pub use opcode::{Flags, Layout, Opcode, OpcodeInfo};
pub use pool::{Constant, ConstantPool, Constants, MemberName, tag};
pub use print::{print_cfg, print_class, print_constant, print_instruction};
pub use reference::NamedClass;
