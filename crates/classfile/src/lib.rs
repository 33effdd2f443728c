//! Class files: bytes to structure and back, editing, control flow, hierarchy.
//!
//! This crate reads JVM class files without loss and edits them. The weaver uses it to find
//! instructions and to insert code in front of them; the analyses use its control-flow graphs, with
//! exceptional edges; both use its class hierarchy. The crate opens no files, starts no threads and
//! has no global state: it takes bytes and returns bytes.
//!
//! # Reading
//!
//! [`ClassFile::parse`] checks the structure (every tag, length and count) and locates every part
//! without copying it. The parts are decoded on demand: constants by the look-ups of [`Constants`],
//! attributes by [`Attribute::decode`] into [`Decoded`], instructions by [`Code::instructions`]. A
//! malformed part is an [`Error`] that says at which byte what was expected;
//! [`ClassFile::validate`] decodes everything at once. Class files from version 45.3 (JDK 1.1) on
//! are read. A version that is newer than this crate is read if it has no new constant tags.
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
//! [`ClassFile::to_bytes`] writes a parsed class; the result is byte for byte what was read.
//! [`ClassEditor`] changes a class: it appends constants ([`PoolEditor`]), adds fields, methods,
//! interfaces and attributes, and replaces code. [`CodeEditor`] edits the code of a method by
//! original offsets; [`Snippet`] builds the code to insert. Branches, exception ranges, line numbers,
//! local-variable tables, type annotations and stack-map frames are adjusted, and jumps that become
//! too long are widened. Frames are *shifted, never recomputed*: read the contract of [`CodeEditor`]
//! before you insert anything but straight-line, stack-neutral code.
//!
//! # Analysing
//!
//! * [`Opcode`] is the instruction set in one table; [`FieldType`] and [`MethodDescriptor`] parse
//!   descriptors.
//! * [`simulate`] computes what instructions pop and push, and the types of locals and stack.
//! * [`Cfg`] is the control-flow graph of a method, with exceptional edges, dominators and loops;
//!   see [`cfg`](mod@cfg) for what its edges guarantee.
//! * [`source`] finds classes in jars (multi-release and nested ones too), jmods, directories and
//!   the JDK's run-time image; [`Hierarchy`] relates them and resolves members as the JVM does. A
//!   missing class is reported; nothing is assumed about it.
//! * [`print_class`] and [`print_cfg`] print classes and graphs, deterministically.
//!
//! # When not to use it
//!
//! Do not use it to generate whole programs: it computes no stack-map frames and has no symbolic
//! assembler. Code with subroutines (`jsr`, `ret`; compilers stopped generating them around 2005) is
//! read, written and edited, but has no control-flow graph and no simulation.
//!
//! # Hostile input
//!
//! Class files, archives, images and manifests may come from anywhere. No function of this crate
//! panics on them, recurses without a bound, or reserves memory by a number that the input claims. An
//! entry of an archive is inflated to at most [`source::MAX_INFLATED`] bytes.

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
