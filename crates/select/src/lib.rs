//! The meaning of a property's selectors: which program points of a JVM they select.
//!
//! The weaver, the residual analysis, the linter and the readers of traces all use this crate, so they
//! agree by construction. Silencing depends on it: the analysis must know every site that the weaver
//! weaves.
//!
//! * A [`Point`] is a program point as far as the caller knows it: a call ([`Called`]), a field access,
//!   an allocation of a type ([`Ty`]), …
//! * [`selects`] answers whether a [`JoinPoint`](watchword_model::JoinPoint) of the model selects it:
//!   [`Answer::No`], [`Answer::Yes`], or [`Answer::Maybe`] with the [`Test`] that is left for the time
//!   when the program runs. [`is_within`] answers the same for `within`.
//! * The matcher gets its knowledge about types from a [`Types`]: [`KnownTypes`] reads class files, and a
//!   reader of traces uses the types in a record.
//!
//! ```
//! use watchword_model::{Glob, JoinPoint, PointKind, TypePattern};
//! use watchword_select::{Answer, NoTypes, Point, Ty, selects};
//!
//! let list = TypePattern { name: Glob::new("java.util.List"), ..TypePattern::any() };
//! let lists = JoinPoint::of_type(PointKind::New, list);
//! let made = |class| Point::of_type(PointKind::New, Ty::of_class(class));
//! let answer = |class| selects(&lists, &made(class), &NoTypes);
//! assert_eq!(answer("java/util/List"), Answer::Yes);
//! assert_eq!(answer("java/util/Set"), Answer::No);
//! ```

mod answer;
mod called;
mod facts;
mod known_types;
mod names;
mod params;
mod point;
mod ty;
mod types;
mod within;

pub use answer::{Answer, Test};
pub use called::{Called, are_instances, matches_execution, matches_method};
pub use facts::{ClassFacts, Hierarchy, MemberFacts, SourceHierarchy};
pub use known_types::KnownTypes;
pub use names::{descriptor_of, dotted, dotted_type, expand, full_name, listed};
pub use params::{fits, takes};
pub use point::{Accessed, Of, Point, selects};
pub use ty::{Ty, is_instance, is_object, is_type};
pub use types::{Annotated, NoTypes, Types};
pub use within::is_within;
