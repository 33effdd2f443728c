//! Code that runs inside a monitored native program and records its calls and returns.
//!
//! A breakpoint costs two process switches. A *trampoline* costs some tens of nanoseconds: the first
//! instructions of a function are replaced by a jump to the trampoline. It writes one [`Record`] into
//! memory that it shares with the tracer, executes the replaced instructions and jumps back. The tracer
//! reads the records in the order in which they were begun, while the program continues; the program
//! waits only if the memory is full.
//!
//! This crate generates the code and reads the memory; it does no tracing. The tracer decides which
//! functions are patched, maps the memory into the program and writes the code there.
//!
//! * [`Prologue`]: the first instructions of a function, if they may be executed elsewhere.
//! * [`Plan`]: the values to record when a function is entered and when it returns.
//! * [`emit`]: the code of one trampoline.
//! * [`Ring`]: the shared memory, as the tracer sees it.
//! * [`unwind`]: the data with which exceptions pass through a trampoline that waits for a return.
//!
//! Use it for functions that are entered often. Functions whose first instructions cannot be moved, and
//! events that need more than four words or memory of unknown size, are watched with breakpoints instead.
//!
//! # Example
//!
//! Write down the first argument (DWARF register 5, `rdi`) whenever a function is entered, and the
//! result (register 0, `rax`) when it returns:
//!
//! ```
//! use watchword_inject::{Capture, Moment, PATCH, Places, Plan, Prologue, Returning, Start, emit, jump};
//!
//! // push %rbp; mov %rsp,%rbp; lea 1(%rdi),%eax; pop %rbp; ret
//! let function = [0x55, 0x48, 0x89, 0xe5, 0x8d, 0x47, 0x01, 0x5d, 0xc3];
//! let prologue = Prologue::read(0x40_1000, &function, &[]).expect("they can be moved");
//! assert_eq!(prologue.bytes.len(), 7); // the jump takes 5 bytes; instructions are taken whole
//! assert_eq!(prologue.next(), 0x40_1007);
//!
//! let word = |register| Capture::word(Start::Register(register));
//! let moment = |id, register| Moment {
//!     id,
//!     captures: vec![word(register)],
//!     marks: Vec::new(),
//!     needs: None,
//!     steps: Vec::new(),
//! };
//! let plan = Plan {
//!     entering: Some(moment(1, 5)),
//!     returning: Some(Returning { kept: Vec::new(), moment: moment(2, 0) }),
//! };
//! let places = Places { code: 0x50_0000, shared: 0x7f00_0000_0000, enabled: 0x50_f000 };
//! let code = emit(&plan, &prologue, places)?;
//! assert_eq!(code.stops.len(), 2); // one for each record: the shared memory may be full
//! assert_eq!(code.moved.len(), 3); // the instructions that the jump replaces
//!
//! // The tracer writes the code to its place, and this over the first instructions of the function.
//! let patch: [u8; PATCH] = jump(0x40_1000, places.code).expect("it is near enough");
//! assert_eq!(patch[0], 0xe9);
//! assert!(jump(0x40_1000, 0x7f00_0000_0000).is_none());
//!
//! // A function that begins with a call keeps its breakpoint: the return address would be another one.
//! let calls = [0xe8, 0, 0, 0, 0, 0xc3];
//! assert_eq!(
//!     Prologue::read(0x40_2000, &calls, &[]).unwrap_err(),
//!     "one of its first instructions is a call"
//! );
//! # Ok::<(), watchword_inject::Error>(())
//! ```
//!
//! # What a trampoline may rely on
//!
//! The tracer lets no signal handler begin while a thread is inside a trampoline: it moves the thread
//! to the end first. So a record that was begun is also finished, unless the whole process ends, and
//! no trampoline interrupts another one on the same thread. Trampolines use no library, no
//! thread-local variable and no vector register, and leave all registers and flags as they found them.
//!
//! # Instances
//!
//! A trampoline may also step the instances of a property itself, if they are in a [`Table`]: a [`Step`]
//! says what an event does to them. It holds the lock of one bucket meanwhile, and waits for nothing then.
//! An instance for which more is needed is marked, and the event is written down; the tracer takes it over.
//!
//! # Returns
//!
//! A trampoline that waits for the return of a function *calls* the function's code, from a frame of
//! [`FRAME`] bytes on the program's own stack. Nothing is stored elsewhere: a frame that an exception
//! or `longjmp` leaves disappears together with its stack, and fibers and threads need no bookkeeping.
//! This works only for functions without arguments on the stack.

// Shared memory is read through pointers; each block argues its safety.
#![allow(unsafe_code)]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod error;
mod plan;
mod prologue;
mod resident;
mod ring;
mod table;
mod trampoline;
pub mod unwind;

pub use error::Error;
pub use plan::{
    Capture, Choice, Comparison, Condition, Effect, Keys, Mark, Moment, Need, Operand, Plan,
    Returning, Start, Step, Test, Then, Update,
};
pub use prologue::{PATCH, Prologue};
pub use ring::{MAPS, QUESTION, Record, Ring, SHARED_SIZE, WORDS};
pub use table::{KINDS, Kept, Layout, Resident, Table};
pub use trampoline::{Code, FRAME, Places, emit, jump};
