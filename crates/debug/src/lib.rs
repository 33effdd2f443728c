//! Watch native programs run: stop at calls and accesses, read what is there, go back in time.
//!
//! This is the engine room of interactive runtime verification for programs in C, C++, Rust and
//! whatever else compiles to x86-64 Linux with DWARF. It knows nothing of properties, monitors or
//! prompts; it tells *events*, cheaply and without losing any, and does what it is told.
//!
//! # When to use it, and when not
//!
//! Use it when the program cannot be changed, or when a person wants to look around in it. One
//! event costs two switches between processes and a handful of system calls: some 15 to 50
//! microseconds. Programs that have millions of interesting calls per second want their monitor
//! inside instead.
//!
//! # The parts
//!
//! * [`Tracer`]: launches or attaches, follows threads and children, passes signals on, arms
//!   breakpoints ([`Tracer::arm`]) and watchpoints ([`Tracer::watch`]), takes checkpoints
//!   ([`Tracer::checkpoint`]). It works with addresses only.
//! * [`info::DebugInfo`]: what one object file tells: functions, types, variables, lines, frames.
//! * [`Debugger`]: both together: events by function name with values captured as they happen
//!   ([`Debugger::arm_call`]), expressions ([`Debugger::eval`]), backtraces.
//!
//! # A monitor's loop
//!
//! Only the thread in a stop is held; everything else runs on. The loop reads what it wants and
//! lets that thread go:
//!
//! ```
//! use watchword_debug::{Debugger, Launch, Owner, Reason, When};
//!
//! # fn main() -> watchword_debug::Result<()> {
//! let (mut debugger, process) = Debugger::launch(Launch::new("true"))?;
//! debugger.resume_all()?;
//! let monitor = Owner::Monitor(1);
//! let mut armed = false;
//! let status = loop {
//!     let event = debugger.wait()?;
//!     match &event.stop.reason {
//!         // The libraries are there now, and nothing of them has run yet.
//!         Reason::Libraries if !armed => {
//!             armed = debugger.arm_call(process, "exit", When::Before, monitor, &["arg 0"]).is_ok();
//!         }
//!         Reason::Points { hits, .. } => {
//!             for (point, values) in &event.values {
//!                 println!("point {point} of {:?}: {:?}", hits[0].owner, values);
//!             }
//!         }
//!         Reason::Exited(status) => break *status,
//!         _ => {}
//!     }
//!     debugger.resume(event.stop.thread)?;
//! };
//! assert_eq!(status.shell_code(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! # What holds
//!
//! * **No event is lost.** The instruction under a breakpoint is executed from a copy elsewhere;
//!   the breakpoint stays in place for the other threads.
//! * **Owners do not disturb each other.** Any number of owners share an address; all of them are
//!   told, in one stop, and each disarms only its own. Memory reads show no breakpoints.
//! * **An after-event is one call's return.** Recursion, tail calls, exceptions, `longjmp` and
//!   signal handlers on stacks of their own are told apart by the stack pointer and by noticing
//!   when frames are left. The cost does not grow with the number of calls.
//! * **The program is left alone.** Its output, exit status and signals are those of an
//!   untraced run; a launched program dies with the tracer, an attached one outlives it; children
//!   that are not followed run without a trace of breakpoints.
//!
//! # What does not
//!
//! * The address space differs: 64 KiB of scratch code per group of modules, which stays mapped
//!   when an attached process is let go.
//! * A tracer that is killed cannot clean up: an *attached* program then runs into breakpoints.
//! * Debug registers do not see what the kernel writes; page protection does, with a window for
//!   other threads while such a system call lasts.
//! * Coroutines whose stacks lie in one mapping look like one stack to after-events.
//! * Calls made through [`Tracer::call`] pass integers and pointers only.
//! * Checkpoints bring back memory, threads and file positions. Sockets, pipes, timers, signal
//!   handlers and shared memory that changed since are noticed and refused; output that was
//!   written stays written.
//!
//! The kernel ties a traced program to the *thread* that traces it: a [`Tracer`] stays on its
//! thread, one per thread, and that thread should have no other children.

// This crate is a debugger: it is made of system calls. Every block argues its safety.
#![allow(unsafe_code)]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod abi;
mod checkpoint;
mod debugger;
mod displace;
mod error;
pub mod expr;
mod extended;
#[doc(hidden)]
pub mod fuzz;
pub mod info;
mod maps;
mod point;
mod proc;
mod registers;
mod space;
mod sys;
mod tracer;
mod value;
mod watch;

pub use checkpoint::{CRIU_VARIABLE, CheckpointId, Criu, Restored};
pub use debugger::{
    ArmedCall, CallWarning, Captured, Contents, Debugger, Event, Filter, Frame, FunctionName,
    Module, Part, Parts, Recording, Target,
};
pub use error::{Error, ErrorKind, Result};
pub use extended::ExtendedState;
pub use maps::Mapping;
pub use point::{CallId, Hit, Owner, Phase, PointId, When};
pub use registers::Registers;
pub use tracer::{
    ExitStatus, Follow, Interrupter, Launch, ProcessId, Reason, Recorded, Stop, ThreadId, Tracer,
};
pub use value::Value;
pub use watch::{Access, Moment, WatchHit, WatchMethod};
/// How far above the stack pointer the real return address is, where a function has returned to a
/// trampoline.
pub use watchword_inject::FRAME as TRAMPOLINE_FRAME;
/// So many maps a [`Filter`] may name.
pub use watchword_inject::MAPS;
