//! Watchword's agent inside a JVM.
//!
//! The VM loads this library (`-agentpath`, or later by attaching) and tells it the path of a
//! bundle: properties and settings, see `watchword-wire`. From then on the agent
//!
//! 1. looks at every class before the VM does (`classes` knows how they extend each other), puts
//!    identities into those whose objects events talk about, and weaves hooks into those that have
//!    program points the properties select (`watchword-weave`);
//! 2. takes the events the hooks raise (`hooks`, `sites`, `values`), one at a time (`monitor`);
//! 3. or lets the runtime step properties whose state is in the objects (`homes`);
//! 4. tells what is found (`naming`, `stack`, `outlet`) and reacts as was asked (`reaction`);
//! 5. keeps what it put into classes out of the program's sight (`hiding`);
//! 6. sees classes at the right time among other agents, and keeps them in shape (`order`, `hidden`);
//! 7. finds out which objects died (`deaths`), so that their instances can go.
//!
//! The library is an artefact, not an interface: the command line embeds it. Its modules are open
//! to its tests only.
//!
//! # Safety
//!
//! Everything unsafe is in `vm`, the two function tables of the VM, and at the edges where the VM
//! calls in. Nothing unwinds into the VM: every entry is guarded, and a panic of ours stops the
//! monitoring, not the program.

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
