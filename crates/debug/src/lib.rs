//! Controls native programs: stops at calls and memory accesses, reads and writes values, and goes
//! back to checkpoints.
//!
//! The programs are in C, C++, Rust or any other language that compiles to x86-64 Linux with DWARF.
//! The crate reports *events* and executes requests. It has no notion of properties, monitors or
//! prompts; other crates add them.
//!
//! # When to use it, and when not
//!
//! Use it if the program cannot be changed, or if a person wants to examine it. One event costs two
//! process switches and a few system calls: about 15 to 50 microseconds. For programs with millions of
//! observed calls per second, use trampolines (`watchword-inject`), which record calls inside the
//! program.
//!
//! # The parts
//!
//! * [`Tracer`]: launches or attaches, follows threads and children, passes signals on, arms
//!   breakpoints ([`Tracer::arm`]) and watchpoints ([`Tracer::watch`]), takes checkpoints
//!   ([`Tracer::checkpoint`]). It works with addresses only.
//! * [`info::DebugInfo`]: the contents of one object file: functions, types, variables, lines, frames.
//! * [`Debugger`] combines the two: events by function name, with values captured when they happen
//!   ([`Debugger::arm_call`]), expressions ([`Debugger::eval`]), backtraces.
//!
//! # A monitor's loop
//!
//! A stop holds only one thread; all other threads continue. The loop reads the values that it needs
//! and resumes the thread:
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
//! # Guarantees
//!
//! * **No event is lost.** The instruction under a breakpoint is executed from a copy elsewhere, so
//!   the breakpoint stays in place for the other threads.
//! * **Owners are independent.** Any number of owners can use one address. One stop reports all of
//!   them, and each owner disarms only its own points. Memory reads show no breakpoints.
//! * **An after-event belongs to one call.** The stack pointer, and the detection of frames that were
//!   left, distinguish recursion, tail calls, exceptions, `longjmp` and signal handlers on stacks of
//!   their own. The cost does not grow with the number of calls.
//! * **The program behaves as before.** Its output, exit status and signals are those of an
//!   untraced run. A launched program ends with the tracer, an attached one survives it. Children
//!   that are not followed contain no breakpoints.
//!
//! # Limits
//!
//! * The address space differs: 64 KiB of scratch code per group of modules, which stays mapped
//!   when an attached process is let go.
//! * A tracer that is killed cannot clean up: an *attached* program then runs into breakpoints.
//! * Debug registers do not see what the kernel writes; page protection does, with a window for
//!   other threads while such a system call lasts.
//! * After-events treat coroutines whose stacks are in one mapping as one stack.
//! * Calls through [`Tracer::call_integers`] pass integers and pointers only.
//! * Checkpoints restore memory, threads, file positions, signal handlers and timers. Going back is
//!   refused if data was read from sockets or pipes, or if shared memory changed. Written output is
//!   not undone.
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
mod wake;
mod watch;

pub use checkpoint::{CRIU_VARIABLE, CheckpointId, Criu, Restored};
pub use debugger::{
    ArmedCall, CallWarning, Captured, Compared, Contents, Debugger, Event, Filter, Frame,
    FunctionName, FunctionVariable, Kept, Module, Needed, Part, Parts, RecordedPoint, Recording,
    Target, Word, number_as, text_of,
};
pub use error::{Error, ErrorKind, Result};
pub use extended::ExtendedState;
pub use maps::Mapping;
pub use point::{CallId, Hit, Owner, Phase, PointId, When};
pub use registers::Registers;
pub use tracer::{
    ExitStatus, Follow, Footstep, Interrupter, Launch, ProcessId, Reason, Recorded, Stop, ThreadId,
    Tracer,
};
pub use value::Value;
pub use watch::{Access, Moment, WatchHit, WatchMethod};
/// How far above the stack pointer the real return address is, where a function has returned to a
/// trampoline.
pub use watchword_inject::FRAME as TRAMPOLINE_FRAME;
/// So many maps a [`Filter`] may name.
pub use watchword_inject::MAPS;
/// What a [`RecordedPoint`] tests.
pub use watchword_inject::Mark;
/// Instances inside a program, and what its code does to them.
pub use watchword_inject::{
    Choice, Comparison, Condition, Effect, KINDS, Keys, Layout, Operand, QUESTION, Resident, Step,
    Table, Then, Update,
};
