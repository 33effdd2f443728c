//! What the kernel keeps of each thread besides registers: its name, its priority, the stack its
//! handlers of signals run on.

use libc::pid_t;

use crate::error::{ErrorKind, Result};
use crate::proc;
use crate::sys;
use crate::tracer::Tracer;

/// The kernel's record of a stack for handlers: address, flags, size.
const STACK_RECORD: usize = 24;
/// The thread is on that stack right now: no property of the stack.
const ON_STACK: u32 = 1;

/// Traits of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    /// As its file tells it, whatever its bytes are.
    name: Vec<u8>,
    nice: Option<i32>,
    signal_stack: Option<[u8; STACK_RECORD]>,
}

impl Tracer {
    /// The traits of a stopped thread.
    pub(super) fn traits(&mut self, tid: pid_t) -> Result<Traits> {
        let mut signal_stack = [0; STACK_RECORD];
        let asked = self.with_room(tid, &mut signal_stack, |tracer, room| {
            tracer.syscall(tid, libc::SYS_sigaltstack, [0, room, 0, 0, 0, 0])
        });
        signal_stack[8] &= !(ON_STACK as u8);
        // The bytes between the flags and the size are padding.
        signal_stack[12..16].fill(0);
        // Without room on its stack a thread cannot be asked.
        let signal_stack = match asked {
            Ok(_) => Some(signal_stack),
            Err(e) if e.kind() == ErrorKind::Memory => None,
            Err(e) => return Err(e),
        };
        let name = proc::read(tid, "comm").unwrap_or_default();
        Ok(Traits { name, nice: sys::niceness(tid), signal_stack })
    }

    /// Restores the traits of a thread; returns a warning for what cannot be restored.
    pub(super) fn put_traits_back(
        &mut self,
        tid: pid_t,
        then: &Traits,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        let now = self.traits(tid)?;
        if now == *then {
            return Ok(());
        }
        let mut stays =
            |what: &str| warnings.push(format!("{what} of thread {tid} stays as it is"));
        if now.name != then.name {
            // Its last byte ends the line there, and the name here.
            let mut name = then.name.clone();
            name.pop();
            name.push(0);
            let set = self.with_room(tid, &mut name, |tracer, room| {
                let args = [libc::PR_SET_NAME as u64, room, 0, 0, 0, 0];
                tracer.syscall(tid, libc::SYS_prctl, args)
            });
            if set.is_err() {
                stays("the name");
            }
        }
        if now.nice != then.nice && then.nice.is_none_or(|n| sys::set_niceness(tid, n).is_err()) {
            stays("the priority");
        }
        if now.signal_stack != then.signal_stack
            && let Some(mut record) = then.signal_stack
        {
            let set = self.with_room(tid, &mut record, |tracer, room| {
                tracer.syscall(tid, libc::SYS_sigaltstack, [room, 0, 0, 0, 0, 0])
            });
            // A thread that is on such a stack cannot get another one.
            if set.is_err() {
                stays("the stack for handlers of signals");
            }
        }
        Ok(())
    }
}
