//! The core model of Watchword: what a property *is*, whatever language it was written in and
//! whatever it is checked on.
//!
//! Front ends (`spec`) produce a [`Model`]; the evaluators (`monitor`), the planner, the JVM
//! weaver, the native debugger and the analyses consume it. This crate holds data only: it has no
//! dependencies, does no I/O and decides no verdicts. What the data *means* is defined by the
//! reference evaluator in `monitor` and described in `docs/semantics.md`.
//!
//! The path of an event through it: a program point or log record matches a [`Source`]; that
//! makes an [`Event`] of an [`EventDecl`]; a [`Property`] that [observes](Observed) it finds the
//! instances it concerns by a [`Placement`]; in each, a [`Label`] of a [`Transition`] matches it;
//! the transition's [`Branch`] updates the instance and leads to a [`State`]; a state of kind
//! [`StateKind::Bad`] is a violation.
//!
//! ```
//! use watchword_model::*;
//!
//! // property Twice(x) { start state A { on e(x) -> B } state B { on e(x) -> C } bad state C }
//! let mut model = Model::default();
//! let e = EventId::from_index(model.events.len());
//! model.events.push(EventDecl {
//!     name: "e".into(),
//!     params: vec![Param { name: "x".into(), ty: Type::Int }],
//!     ..EventDecl::named("e")
//! });
//! assert_eq!(model.event("e"), Some(e));
//! assert_eq!(model.event("end"), Some(EventId::END));
//! ```

mod asks;
mod event;
mod expr;
mod glob;
mod ids;
mod java;
mod lang;
mod model;
mod nearest;
mod property;
mod source;
mod span;
mod sum;
mod types;
mod value;
mod window;

pub use event::*;
pub use expr::*;
pub use glob::*;
pub use ids::*;
pub use java::*;
pub use lang::*;
pub use model::*;
pub use nearest::nearest;
pub use property::*;
pub use source::*;
pub use span::*;
pub use sum::*;
pub use types::*;
pub use value::*;
pub use window::*;
