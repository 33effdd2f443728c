//! What a thread did between a checkpoint and the present, found out by letting it do that again.
//!
//! The thread goes on alone from the checkpoint, one instruction at a time, until registers and memory
//! are those of the present. That is the truth about the first run if nothing but registers and memory
//! decided it: so there may be one thread only, no signal, no system call whose result depends on anything
//! else, and no instruction that asks for the time or for chance. Otherwise the answer is an error with
//! the reason.

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use libc::{c_long, pid_t};

use super::{ProcessId, ThreadId, Tracer};
use crate::checkpoint::CheckpointId;
use crate::error::{Error, ErrorKind, Result};
use crate::registers::Registers;
use crate::sys;

/// More instructions are not executed again: that would take minutes.
const MOST: usize = 2_000_000;
/// So often somebody who wants to interrupt is heard.
const HEARD: usize = 1024;
/// The longest instruction.
const LONGEST: usize = 15;

/// A moment of a thread: an instruction is about to be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footstep {
    /// Where the thread stands.
    pub pc: u64,
    /// Its stack pointer.
    pub sp: u64,
    /// How many more calls are under way than at the checkpoint, as far as calls and returns say.
    pub depth: i32,
    /// Stands for all general registers.
    digest: u64,
}

impl Footstep {
    fn new(registers: &Registers, depth: i32) -> Footstep {
        Footstep { pc: registers.pc(), sp: registers.sp(), depth, digest: registers.digest() }
    }

    /// Whether a thread with these registers may be at this moment.
    pub fn has(&self, registers: &Registers) -> bool {
        self.digest == registers.digest()
    }
}

fn refused(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, why)
}

impl Tracer {
    /// Every moment of a thread from a checkpoint to the present: the first is that of the checkpoint,
    /// the last is now. The program is as it was afterwards. Fails with [`ErrorKind::Refused`], and the
    /// reason, if the way cannot be found out truthfully.
    pub fn retrace(&mut self, thread: ThreadId, from: CheckpointId) -> Result<Vec<Footstep>> {
        let pid = self.thread(thread.0)?.pid;
        let process = ProcessId(pid);
        self.stop_process(process)?;
        self.require_alone(pid)?;
        if self.thread(thread.0)?.signal.is_some() {
            return Err(refused("the program is about to get a signal"));
        }
        let end = self.registers(thread)?;
        let vectors = self.vectors(thread.0)?;
        let present = self.checkpoint(process)?;
        let found = match self.restore(from) {
            Ok(_) => {
                let found = self.retrace_to(thread, present, &end, &vectors);
                let back = self.restore(present);
                found.and_then(|way| back.map(|_| way))
            }
            // Nothing has changed.
            Err(e) => Err(e),
        };
        let dropped = self.drop_checkpoint(present);
        found.and_then(|way| dropped.map(|()| way))
    }

    fn require_alone(&self, pid: pid_t) -> Result<()> {
        match self.threads(ProcessId(pid)).len() {
            1 => Ok(()),
            n => Err(refused(format!(
                "the program has {n} threads, and nobody knows in which order they ran"
            ))),
        }
    }

    fn retrace_to(
        &mut self,
        thread: ThreadId,
        present: CheckpointId,
        end: &Registers,
        vectors: &[u8],
    ) -> Result<Vec<Footstep>> {
        let tid = thread.0;
        let pid = self.thread(tid)?.pid;
        self.require_alone(pid)?;
        if self.thread(tid)?.signal.is_some() {
            return Err(refused("the program got a signal"));
        }
        if self.space(pid)?.inside.is_some()
            || self.watches.get(&pid).is_some_and(|w| w.needs_syscall_stops())
        {
            return Err(refused("the program's memory or code is watched from inside"));
        }
        sys::set_sigmask(tid, sys::ALL_BUT_TRAPS)
            .map_err(|e| Error::system("cannot set signal mask", e))?;
        let clocks = self.kernel_code(ProcessId(pid))?;
        let mut way = Vec::new();
        let mut depth = 0;
        loop {
            let registers = self.registers(thread)?;
            way.push(Footstep::new(&registers, depth));
            if registers.pc() == end.pc()
                && registers.digest() == end.digest()
                && self.vectors(tid)? == vectors
                && !self.differs(present)?
            {
                let _ = sys::set_debug_register(tid, 6, 0);
                return Ok(way);
            }
            if way.len() > MOST {
                return Err(refused(format!(
                    "more than {MOST} instructions lie between; make a checkpoint that is nearer"
                )));
            }
            if way.len().is_multiple_of(HEARD) && self.waker.as_ref().is_some_and(|w| w.is_set()) {
                return Err(refused("interrupted"));
            }
            if clocks.contains(&registers.pc()) {
                return Err(refused("the program asked what time it is"));
            }
            let instruction = self.instruction(pid, registers.pc())?;
            allow(&instruction, &registers, pid)?;
            depth += match instruction.flow_control() {
                FlowControl::Call | FlowControl::IndirectCall => 1,
                FlowControl::Return => -1,
                _ => 0,
            };
            self.step_again(tid, registers)?;
        }
    }

    /// Where the kernel's own code is mapped: it reads clocks.
    fn kernel_code(&self, process: ProcessId) -> Result<std::ops::Range<u64>> {
        let all = self.mappings(process)?;
        let found = all.iter().find(|m| m.is_kernels() && m.is_executable());
        Ok(found.map_or(0..0, |m| m.start..m.end))
    }

    fn instruction(&self, pid: pid_t, pc: u64) -> Result<Instruction> {
        let mut bytes = [0; LONGEST];
        let n = self.read_partly(ProcessId(pid), pc, &mut bytes);
        let decoded = Decoder::with_ip(64, &bytes[..n], pc, DecoderOptions::NONE).decode();
        match decoded.code() {
            Code::INVALID => Err(refused(format!("there is no instruction at {pc:#x}"))),
            _ => Ok(decoded),
        }
    }

    /// Lets the thread execute one instruction, signals being blocked; breakpoints are no events.
    fn step_again(&mut self, tid: pid_t, registers: Registers) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        let is_site = self.space(pid)?.sites.contains_key(&registers.pc());
        // Setting registers costs as much as the step does.
        if is_site || self.fetch_registers(tid)?.pc() != registers.pc() {
            self.put_registers(tid, registers)?;
        }
        self.thread_mut(tid)?.at_point = is_site.then_some(registers.pc());
        if self.leave_point(tid)? {
            let pc = self.fetch_registers(tid)?.pc();
            if self.space(pid)?.copy_at(pc).is_none() {
                // Carried out by the tracer.
                return Ok(());
            }
        }
        match self.step_quietly(tid)? {
            super::events::Quiet::Stepped => Ok(()),
            super::events::Quiet::Inside => Err(refused("the program began a process or a thread")),
        }
    }

    /// The registers that are not general ones, as far as programs keep values in them.
    fn vectors(&self, tid: pid_t) -> Result<Vec<u8>> {
        /// Where the header of the extended part is, which says what of it was used lately.
        const HEADER: std::ops::Range<usize> = 512..576;
        let mut state =
            sys::get_xstate(tid).map_err(|e| Error::system("cannot read vector registers", e))?;
        // Neither that nor where the last floating-point instruction was is a value.
        for range in [8..24, HEADER] {
            if let Some(bytes) = state.get_mut(range) {
                bytes.fill(0);
            }
        }
        Ok(state)
    }
}

/// Whether an instruction does the same again.
fn allow(instruction: &Instruction, registers: &Registers, pid: pid_t) -> Result<()> {
    let at = registers.pc();
    match instruction.mnemonic() {
        Mnemonic::Syscall => match is_repeatable(registers) {
            true => Ok(()),
            false => Err(refused(format!(
                "process {pid} makes the system call {} at {at:#x}, which would not do the same again; \
                 make a checkpoint after it",
                call_name(registers.result() as c_long)
            ))),
        },
        Mnemonic::Sysenter | Mnemonic::Int | Mnemonic::Int1 | Mnemonic::Int3 => {
            Err(refused(format!("the program enters the kernel at {at:#x}")))
        }
        Mnemonic::Rdtsc | Mnemonic::Rdtscp | Mnemonic::Rdpmc | Mnemonic::Rdpid => {
            Err(refused(format!("the program asks the processor for the time at {at:#x}")))
        }
        Mnemonic::Rdrand | Mnemonic::Rdseed => {
            Err(refused(format!("the program asks the processor for chance at {at:#x}")))
        }
        Mnemonic::Cpuid | Mnemonic::Xbegin => {
            Err(refused(format!("what the instruction at {at:#x} does depends on the processor")))
        }
        _ => Ok(()),
    }
}

/// Whether a system call does nothing but change the program's own memory, always in the same way.
fn is_repeatable(registers: &Registers) -> bool {
    let raw = &registers.raw;
    match raw.rax as c_long {
        libc::SYS_brk | libc::SYS_munmap | libc::SYS_mprotect => true,
        libc::SYS_mmap => raw.r10 & (libc::MAP_ANONYMOUS | libc::MAP_PRIVATE) as u64 == 0x22,
        libc::SYS_getpid | libc::SYS_gettid | libc::SYS_getuid | libc::SYS_geteuid => true,
        libc::SYS_getgid | libc::SYS_getegid => true,
        _ => false,
    }
}

fn call_name(number: c_long) -> String {
    let known = [
        (libc::SYS_read, "read"),
        (libc::SYS_write, "write"),
        (libc::SYS_writev, "writev"),
        (libc::SYS_open, "open"),
        (libc::SYS_openat, "openat"),
        (libc::SYS_close, "close"),
        (libc::SYS_fstat, "fstat"),
        (libc::SYS_newfstatat, "newfstatat"),
        (libc::SYS_lseek, "lseek"),
        (libc::SYS_ioctl, "ioctl"),
        (libc::SYS_poll, "poll"),
        (libc::SYS_futex, "futex"),
        (libc::SYS_nanosleep, "nanosleep"),
        (libc::SYS_clock_nanosleep, "clock_nanosleep"),
        (libc::SYS_clock_gettime, "clock_gettime"),
        (libc::SYS_getrandom, "getrandom"),
        (libc::SYS_rt_sigaction, "rt_sigaction"),
        (libc::SYS_rt_sigprocmask, "rt_sigprocmask"),
        (libc::SYS_rt_sigreturn, "rt_sigreturn"),
        (libc::SYS_clone, "clone"),
        (libc::SYS_clone3, "clone3"),
        (libc::SYS_exit, "exit"),
        (libc::SYS_exit_group, "exit_group"),
    ];
    let name = known.iter().find(|(n, _)| *n == number).map(|(_, name)| *name);
    name.map_or_else(|| format!("number {number}"), str::to_string)
}
