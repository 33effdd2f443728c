//! Residuals of properties with symbolic state (DATEs): what of a property a program can still use.
//!
//! The other analyses of this crate decide about *sites*, and only for properties without variables.
//! These follow Azzopardi, Colombo and Pace, “Control-Flow Residual Analysis for Symbolic Automata”:
//! guards and actions stay, but transitions that no trace of the program can take, or that cannot
//! matter any more, are removed from the *property*; sites whose events then have no effect are
//! silenced.
//!
//! * [`automaton`]: the control flow of a property. [`effects`]: what its code reads and writes.
//! * [`reduce`]: `badAfter`, `goodEntry`, `useful`, R(D), for all properties of a model together.
//! * [`mod@cfg`]: programs as graphs of events; residual₀, residual₁ per object and their union,
//!   residual₂ over one or several graphs; silencing. [`certify`]: silencing by the order of events.
//! * [`jvm`]: the same for class files, with the objects that [`flow`](crate::flow) follows from where
//!   they are made. [`makers`]: whether that is known.
//! * [`apply`]: the model that is left.
//!
//! Beyond the paper: a transition that writes a variable which nothing reads any more counts as one
//! that does nothing, so that what a monitor computes goes together with what it was computed for.
//!
//! ```
//! use watchword_residual::date::cfg::{Alias, Cfg, Depth, Site, Step, analyse};
//! use watchword_residual::date::reduce::Dates;
//!
//! // A program of one object: `open`, then `read` as often as it likes.
//! let site = |event: &str| Site { event: event.into(), identifier: 0 };
//! let cfg = Cfg {
//!     nodes: 2,
//!     steps: vec![Step { from: 0, to: 1, site: Some(0) }, Step { from: 1, to: 1, site: Some(1) }],
//!     sites: vec![site("open"), site("read")],
//!     alias: vec![vec![Alias::Must]],
//! };
//! let model = watchword_model::Model::default();
//! let (dates, unsupported) = Dates::of(&model);
//! assert!(unsupported.is_empty());
//! assert!(analyse(&dates, &cfg, Depth::Flow).silenced.is_empty());
//! ```

pub mod apply;
pub mod automaton;
pub mod certify;
pub mod cfg;
pub mod effects;
pub mod jvm;
pub mod makers;
pub mod reduce;
