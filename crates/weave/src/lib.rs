//! The weaver: selectors of a model become hook calls in class files.
//!
//! Class-file bytes go in, class-file bytes come out; nothing is read, written or started. The
//! agent weaves classes while they load, `watchword weave` weaves archives; both through
//! [`Weaver::weave`].
//!
//! * A [`Weaver`] is made once from a [`Model`](watchword_model::Model) and [`Options`].
//! * A woven method calls `watchword/Hook` ([`hook`]) with a [`SiteId`] and the values that the
//!   events of the site need. A [`Site`] says which [`Emit`]s that means, for which properties,
//!   and which [`Arg`] comes from which operand; what is known before the program runs is not
//!   passed at all. Sites are shared by all properties.
//! * [`identity`] puts identities into objects.
//!
//! # What weaving promises
//!
//! The program behaves as before. Inserted code is branch-free and leaves the stack as it was;
//! branches are in the hook class, and what may throw (fields and calls of captured terms) is left to
//! the runtime. The only members a class gets are bridges for method references to selected methods,
//! named `$watchword$…`, and none if [`Options::keep_shape`] is set. Stack-map frames are shifted, never recomputed. The same bytes with the same
//! weaver give the same bytes. What cannot be woven — a method that would pass 64 KB, a reflective
//! call — is left alone and reported in a [`Note`].
//!
//! Watchword's own interface names (`watchword/…`) are never woven.

mod ahead;
mod assembler;
mod body;
pub mod cells;
mod code;
mod draft;
mod fold;
pub mod hook;
pub mod identity;
mod lambda;
pub mod members;
mod operands;
mod options;
mod point;
mod points;
pub mod runtime;
mod selectors;
mod serial;
mod silenced;
mod site;
pub mod special;
mod spun;
mod target;
mod uncalled;
mod weaver;

pub use ahead::is_woven_ahead;
pub use lambda::{LINKER, restore_linker};
pub use options::{CallEvents, Options, Scope, is_jdk};
pub use silenced::{BadLine, Judged, Silenced, hash};
pub use site::{
    Arg, Emit, Operand, OperandKind, Place, PointName, Read, Site, SiteId, Start, Step, Test,
};
pub use uncalled::Uncalled;
pub use watchword_select::{
    ClassFacts, Hierarchy, MemberFacts, SourceHierarchy, dotted, dotted_type,
};
pub use weaver::{Note, Numbers, Outcome, Weaver, Woven};
