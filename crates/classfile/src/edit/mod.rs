//! Changing classes: a growing constant pool, a class patcher and a label editor for code.

mod class;
mod code;
mod encode;
mod pool;
mod snippet;

pub use class::{AttributeEditor, ClassEditor, MemberEditor};
pub use code::{CodeEditor, Handler, Landing};
pub use pool::PoolEditor;
pub use snippet::{Label, Snippet};
