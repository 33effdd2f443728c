//! What runs inside a native program that is watched: code that writes down calls and returns.
//!
//! A breakpoint costs two switches between processes. A *trampoline* costs some tens of nanoseconds:
//! the first instructions of a function are replaced by a jump to it, it writes one [`Record`] into
//! memory that it shares with the tracer, executes the instructions that were replaced and jumps
//! back. The tracer reads the records in the order in which they were begun, while the program runs
//! on; the program waits only if the memory is full.
//!
//! This crate makes the code and reads the memory; it traces nothing. The tracer decides which
//! functions are patched, maps the memory into the program and writes the code there.
//!
//! * [`Prologue`]: the first instructions of a function, if they may be executed elsewhere.
//! * [`Plan`]: what is to be written down when a function is entered and when it returns.
//! * [`emit`]: the code of one trampoline.
//! * [`Ring`]: the shared memory, as the tracer sees it.
//! * [`unwind`]: how exceptions find their way through a trampoline that waits for a return.
//!
//! # What a trampoline may rely on
//!
//! The tracer lets no signal handler begin while a thread is inside a trampoline: it moves the thread
//! to the end first. So a record that was begun is also finished, unless the whole process ends, and
//! no trampoline interrupts another one on the same thread. Trampolines use no library, no
//! thread-local variable and no vector register, and leave all registers and flags as they found them.
//!
//! # Returns
//!
//! A trampoline that waits for the return of a function *calls* the function's code, from a frame of
//! [`FRAME`] bytes on the program's own stack. Nothing is kept elsewhere: a frame that is left by an
//! exception or `longjmp` is gone with the stack that it was on, and fibers and threads need no
//! bookkeeping. It only works for functions that get no arguments on the stack.

// Shared memory is read through pointers; each block argues its safety.
#![allow(unsafe_code)]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod error;
mod plan;
mod prologue;
mod ring;
mod trampoline;
pub mod unwind;

pub use error::Error;
pub use plan::{Capture, Mark, Moment, Plan, Returning, Start};
pub use prologue::{PATCH, Prologue};
pub use ring::{MAPS, Record, Ring, SHARED_SIZE, WORDS};
pub use trampoline::{Code, FRAME, Places, emit, jump};
