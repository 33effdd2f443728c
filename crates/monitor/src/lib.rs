//! Evaluators: a model and events go in, verdicts come out.
//!
//! * [`Engine`] is the evaluator to use. An event costs it as much as the instances that the event
//!   concerns, however many others there are.
//! * [`reference`](mod@reference) interprets the model as `docs/semantics.md` describes it, and is slow. The
//!   engine is tested against it.
//! * [`Run`] is an evaluator together with what every host counts, merges and limits: events per
//!   property, violations at the same place, limits that were hit. Use it to write a host of your own (a
//!   reader, an agent, a tracer); use the engine alone if you need verdicts only.
//! * A [`Report`] is a violation or a satisfaction: the property, the binding of the instance, the state
//!   that was entered and, if [`Options::history`] asks for it, the steps that led there.
//!
//! The crate does no I/O, reads no clock and starts no threads. Time is what events say and what
//! [`Engine::advance_to`] is told. To read recorded traces, use `watchword-trace`; to write properties as
//! text, `watchword-spec`, as this example does.
//!
//! ```
//! use watchword_model::{EventRef, ValueRef};
//! use watchword_monitor::{Engine, Options};
//! use watchword_spec::{SourceFile, load};
//!
//! let text = "
//!     event request(id)
//!     event reply(id)
//!
//!     property Reply(id) {
//!       start state Idle { on request(id) -> Waiting }
//!       state Waiting within 5 s else Late { on reply(id) -> Idle }
//!       bad state Late
//!     }";
//! let loaded = load(&[SourceFile::new("reply.ww", text)], &|_, path| Err(format!("no {path}")));
//! let model = loaded.model.expect("the file has no errors");
//! let (request, reply) = (model.event("request").unwrap(), model.event("reply").unwrap());
//!
//! let mut engine = Engine::new(&model, Options { history: 10, ..Options::default() });
//! let second = 1_000_000_000;
//! for (kind, id, time) in [(request, 1, 10), (request, 2, 11), (reply, 2, 12), (reply, 1, 16)] {
//!     let args = [ValueRef::Int(id)];
//!     let time = Some(time * second);
//!     engine.step(&EventRef { kind, args: &args, time, thread: None, location: None })?;
//! }
//! // Time does not run backwards: that is refused, and nothing changes.
//! assert!(engine.advance_to(15 * second).is_err());
//! // At the end, instances in pending states are reported. This property has none.
//! engine.end();
//!
//! // The reply to request 1 came a second late: the deadline was at 15 s.
//! let reports = engine.take_reports();
//! assert_eq!(reports.len(), 1);
//! let property = &model.properties[reports[0].property.index()];
//! assert_eq!(property.states[reports[0].state.index()].name, "Late");
//! assert_eq!(reports[0].binding[0].1.to_string(), "1");
//! assert_eq!(reports[0].time, Some(15 * second));
//! # Ok::<(), watchword_monitor::TimeError>(())
//! ```

mod engine;
mod moves;
pub mod reference;
mod report;
mod rounds;
mod router;
mod run;

pub use engine::{
    EditError, Engine, Instance, InstanceId, Keep, Options, PropertyStats, RestoreError, Route,
    Said, Sensitive, SplitError, Stepped, TimeError,
};
pub use moves::{Merged, merge_moves};
pub use report::*;
pub use router::{Delivery, Router};
pub use run::{
    AnyEvaluator, Checkpoint, Counts, Evaluator, Found, Limit, Listed, Listing, PropertyTotals,
    Puzzled, Run, Strangers, Totals, Unmonitored,
};
pub use watchword_step::NotRelevant;

/// How large a list or a map may grow: one for itself and for each value in it, and one per 16
/// bytes of text. Less where mistakes are looked for, so that small tests reach it.
pub const MAX_WEIGHT: usize = if cfg!(feature = "mutants") { 1 << 16 } else { 1 << 24 };
/// How long a text may be, in units of 16 bytes.
pub const MAX_TEXT: usize = if cfg!(feature = "mutants") { 1 << 16 } else { 1 << 22 };
