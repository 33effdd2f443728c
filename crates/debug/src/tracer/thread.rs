//! What the tracer knows about one thread.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use libc::pid_t;

use crate::point::{CallId, PointId};
use crate::registers::Registers;
use crate::tracer::Reason;

/// A thread of a traced program, by the kernel's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub(crate) pid_t);

/// A traced process, by the kernel's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub(crate) pid_t);

impl ThreadId {
    /// The kernel's thread number.
    pub fn raw(self) -> i32 {
        self.0
    }
}

impl ProcessId {
    /// The kernel's process number.
    pub fn raw(self) -> i32 {
        self.0
    }

    /// The process's first thread, which carries the same number.
    pub fn main_thread(self) -> ThreadId {
        ThreadId(self.0)
    }
}

impl std::fmt::Display for ThreadId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Display for ProcessId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A thread of a traced process.
    Member,
    /// A child that borrows its parent's memory until it executes a program (vfork). Its passages
    /// through breakpoints are not events of the parent.
    Borrower,
}

/// What system calls a thread may make, as the kernel tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Restrictions {
    mode: String,
    filters: String,
}

impl Restrictions {
    /// Those of a thread, from the lines of its `/proc/TID/status`.
    pub fn of(status: &str) -> Restrictions {
        let line = |name: &str| status.lines().find_map(|l| l.strip_prefix(name));
        let word = |name: &str| line(name).unwrap_or("0").trim().to_string();
        Restrictions { mode: word("Seccomp:"), filters: word("Seccomp_filters:") }
    }

    pub fn are_none(&self) -> bool {
        self.mode == "0"
    }
}

/// A signal to hand to the thread when it goes on.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    pub signal: i32,
    pub info: libc::siginfo_t,
    /// The thread has stopped again since; the kernel has forgotten the details.
    pub moved: bool,
}

/// A call in flight with somebody waiting for its return.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    /// The stack pointer right after the return.
    pub sp: u64,
    /// Where it returns to.
    pub ret: u64,
    /// The function's entry.
    pub entry: u64,
    pub call: CallId,
    pub points: Vec<PointId>,
    /// Not a call but a signal handler: what is executed again when it returns.
    pub again: Option<(u64, u64)>,
}

/// The calls in flight on the stacks of a thread that lie in one mapping: `sp` decreases, and calls
/// with the same `sp` are in the order of their beginnings. Signal stacks and fibers make several of
/// them, and stacks of fibers may lie beside each other in one.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    pub low: u64,
    pub high: u64,
    /// The stack is the thread's own, not that of a fiber or of signal handlers: it ends with the
    /// thread.
    pub is_own: bool,
    pub calls: Vec<Pending>,
}

impl Shadow {
    /// A call has begun.
    pub fn push(&mut self, call: Pending) {
        let end = self.calls.partition_point(|p| p.sp >= call.sp);
        self.calls.insert(end, call);
    }

    /// The calls with these stack pointers: the outermost first.
    pub fn within(&self, sps: RangeInclusive<u64>) -> &[Pending] {
        &self.calls[self.range(&sps)]
    }

    /// Takes out the calls with these stack pointers, the outermost first.
    pub fn take(&mut self, sps: RangeInclusive<u64>) -> Vec<Pending> {
        let range = self.range(&sps);
        self.calls.drain(range).collect()
    }

    fn range(&self, sps: &RangeInclusive<u64>) -> std::ops::Range<usize> {
        let begin = self.calls.partition_point(|p| p.sp > *sps.end());
        let end = self.calls.partition_point(|p| p.sp >= *sps.start());
        begin..end.max(begin)
    }
}

pub(crate) struct Thread {
    pub pid: pid_t,
    /// The how-manieth thread of the process it is; zero for those that are none.
    pub number: u32,
    pub state: State,
    pub role: Role,
    pub registers: Option<Registers>,
    pub registers_changed: bool,
    /// The registers as the kernel has them, if that is known.
    pub fetched: Option<Registers>,
    pub signal: Option<Held>,
    /// The breakpoint at this address was told already: go over it, do not stop at it again.
    pub at_point: Option<u64>,
    /// An instruction under a breakpoint is executed again after it was told (address and stack
    /// pointer): its handler has returned to it.
    pub redo: Option<(u64, u64)>,
    /// An instruction under a breakpoint was interrupted by the signal about to be delivered.
    pub again: Option<(u64, u64)>,
    /// PTRACE_INTERRUPT was sent and its stop was not seen yet.
    pub interrupt_sent: bool,
    /// Somebody waits for this thread to stop, whatever the reason.
    pub want_stop: bool,
    /// The process is stopped by job control.
    pub group_stop: bool,
    /// Waits in the kernel for a vfork child: cannot be stopped.
    pub in_vfork: bool,
    pub stepping: bool,
    /// Somebody sent it a trap while it was stepped quietly.
    pub trap_sent: bool,
    /// How the program has restricted its system calls, if that was asked since the last stop.
    pub restrictions: Option<Restrictions>,
    /// What happened to it in quiet steps, to be told before it goes on.
    pub untold: VecDeque<Reason>,
    /// Stands before an access to a page we protected.
    pub at_protected: bool,
    /// Makes a system call with the protection of our pages lifted.
    pub repeating: bool,
    /// Lifts a protection in place of the system call it was about to make with these registers.
    pub postponed: Option<Box<Registers>>,
    pub shadows: Vec<Shadow>,
    /// The debug registers as last written to this thread.
    pub debug_registers: [u64; 5],
}

impl Thread {
    pub fn new(pid: pid_t, state: State) -> Thread {
        Thread {
            pid,
            number: 0,
            state,
            role: Role::Member,
            registers: None,
            registers_changed: false,
            fetched: None,
            signal: None,
            at_point: None,
            redo: None,
            again: None,
            interrupt_sent: false,
            want_stop: false,
            group_stop: false,
            in_vfork: false,
            stepping: false,
            trap_sent: false,
            restrictions: None,
            untold: VecDeque::new(),
            at_protected: false,
            repeating: false,
            postponed: None,
            shadows: Vec::new(),
            debug_registers: [0; 5],
        }
    }

    /// The thread has run, or is about to.
    pub fn forget_registers(&mut self) {
        self.registers = None;
        self.registers_changed = false;
        self.fetched = None;
    }
}
