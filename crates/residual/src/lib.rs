//! Residual analysis: finds the sites of a program that need not be monitored.
//!
//! A *site* is an instruction that the property's selectors select. The events of most sites cannot
//! affect a report, for example because a list is local and never changed while it is iterated over.
//! This crate finds such sites and proves that they can be *silenced*: with and without them, the
//! monitor makes the same reports, about the same objects, at the same events.
//!
//! * [`analysis`] analyses a JVM program ([`jvm::program::Program`]) for one property and returns for
//!   every site whether it is silenced, or the reason why it is left. It runs several [`tiers`], one
//!   file each: by letters only ([`quick`]), by sites that can share objects ([`jvm::points`]), by fields
//!   that own their objects, and by methods, one at a time.
//! * [`machine`] is the property: one Mealy machine per set of parameters.
//! * [`flow`] tracks objects through a [`body`]. [`certify`] proves that sites of a body can be silenced,
//!   by stepping the full and the residual monitor in parallel. [`check`] checks these proofs with
//!   independent code, and [`proof`] writes them to files that can be checked later.
//! * [`model`] builds CFG automata of methods, on which other analyses can be based. [`paper`] contains
//!   two published analyses, for comparison. One of them is wrong; `docs/residual.md` shows where.
//!
//! If the analysis does not understand something, the sites are left. The crate reads no files, reads
//! no clock and starts no threads.
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
