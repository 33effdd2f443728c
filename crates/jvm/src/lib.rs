//! Watchword's agent inside a JVM.
//!
//! The VM loads this library (`-agentpath`, or later by attaching) and passes it the path of a
//! bundle of properties and settings (see `watchword-wire`). From then on, the agent
//!
//! 1. receives every class before the VM defines it (`classes` records their hierarchy), adds identity
//!    fields to classes whose objects occur in events, and weaves hooks into classes that contain
//!    selected program points (`watchword-weave`);
//! 2. receives the events of the hooks (`hooks`, `sites`, `values`), one at a time (`monitor`), or lets
//!    the runtime step properties whose state is in the objects (`homes`);
//! 3. sends findings to the command line (`naming`, `stack`, `outlet`) and executes the requested
//!    reaction (`reaction`); values that Java code of properties computes come from `java`;
//! 4. hides from the program what was added to classes (`hiding`);
//! 5. receives classes at the right moment among other agents, and adds hidden members again that
//!    other agents removed (`order`, `hidden`);
//! 6. finds out which objects were collected (`deaths`), so that their instances can be discarded.
//!
//! The library is embedded in the command line and is not a public interface. Its modules are public
//! for its tests only.
//!
//! # Example
//!
//! The command line writes the bundle and starts the VM with
//! `-agentpath:libwatchword_jvm.so=safe.bundle`. A program of your own can do the same:
//!
//! ```
//! use watchword_spec::{SourceFile, load};
//! use watchword_wire::{Bundle, Settings};
//!
//! let text = "
//!     event next(i) = jvm before call java.util.Iterator+.next() on i
//!     property Once(i) {
//!       start state New { on next(i) -> Used }
//!       state Used { on next(i) -> Twice }
//!       bad state Twice
//!     }";
//! let loaded = load(&[SourceFile::new("once.ww", text)], &|_, path| Err(format!("no {path}")));
//! let settings = Settings {
//!     history: 10,
//!     max_violations: 100,
//!     output: "records-%p".into(), // a file for each process; `watchword_wire::read_record` reads it
//!     ..Settings::default()
//! };
//! let model = loaded.model.expect("the file has no errors");
//! let bytes = Bundle { model, settings }.to_bytes()?;
//!
//! // The agent reads it like this. A file that is cut short is refused: the program then runs
//! // without monitors, and the agent says so.
//! assert_eq!(Bundle::from_bytes(&bytes)?.settings.history, 10);
//! assert!(Bundle::from_bytes(&bytes[..bytes.len() - 1]).is_err());
//! # Ok::<(), watchword_wire::WireError>(())
//! ```
//!
//! # Safety
//!
//! Unsafe code is only in `vm`, which contains the two function tables of the VM, and in the functions
//! that the VM calls. No panic unwinds into the VM: every such function catches panics, and a panic
//! stops monitoring but not the program.

#![allow(unsafe_code, reason = "the VM is reached through tables of functions")]

mod agent;
mod callbacks;
mod choice;
mod classes;
mod copies;
mod deaths;
mod equals;
mod hidden;
mod hiding;
mod hints;
mod homes;
mod hooks;
mod ids;
mod java;
mod load;
mod memory;
mod modules;
mod monitor;
mod naming;
mod order;
mod outlet;
mod reaction;
mod sites;
mod special;
mod stack;
mod testing;
mod texts;
mod trace;
mod values;
pub mod vm;
mod wrapped;
