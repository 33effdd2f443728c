//! What need not be monitored.
//!
//! A monitored program tells a property about every event at every *site*, an instruction the
//! property's selectors choose. Most sites cannot matter: the list is local and never changed while it
//! is iterated over. This crate finds such sites and proves that they can be *silenced*: with them or
//! without them, the monitor makes the same reports, about the same objects, at the same events.
//!
//! * [`analysis`] analyses a JVM program ([`jvm::program::Program`]) for one property and says for
//!   every site whether it is silenced, or what keeps it. It works in [`tiers`], a file each: letters
//!   only ([`quick`]), sites that can share objects ([`jvm::points`]), fields that own their objects,
//!   methods one by one.
//! * [`machine`] is the property: one Mealy machine per set of parameters.
//! * [`flow`] follows objects through a [`body`]; [`certify`] proves sites of a body superfluous by
//!   running the full and the residual monitor side by side; [`check`] checks these proofs again, by
//!   other means; [`proof`] writes them down, to be checked again later.
//! * [`model`] makes CFG automata of methods, on which other analyses can be built; [`paper`] has two
//!   published ones, for comparison. One of them is wrong, and `docs/residual.md` tells where.
//!
//! Everything fails closed: what is not understood is left as it is. Nothing here reads files, looks at
//! a clock or starts a thread.
//!
//! ```
//! use watchword_classfile::source::MemoryClasses;
//! use watchword_model::Model;
//! use watchword_residual::jvm::program::Program;
//!
//! // A program of no classes, for a model of no properties; real ones come from files.
//! let platform = MemoryClasses::default();
//! let program = Program::new(Vec::new(), Vec::new(), &platform, true);
//! assert!(program.code.broken.is_empty());
//! assert!(Model::default().properties.is_empty());
//! ```

pub mod analysis;
pub mod body;
pub mod certify;
pub mod check;
pub mod date;
pub mod equality;
pub mod flow;
pub mod hash;
pub mod jvm;
pub mod machine;
pub mod mistake;
pub mod model;
pub mod paper;
pub mod proof;
pub mod quick;
pub mod tiers;
pub mod world;
