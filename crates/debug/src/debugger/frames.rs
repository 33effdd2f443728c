//! Backtraces.

use std::rc::Rc;

use super::Debugger;
use crate::error::{Error, ErrorKind, Result};
use crate::info::{
    DebugInfo, FrameRegisters, InlinedFrame, Instance, Machine, SourceLine, unwind_by_frame_pointer,
};
use crate::tracer::{ProcessId, ThreadId, Tracer};

/// More frames than this are not looked for unless asked.
const FRAMES: usize = 10_000;

/// One frame of a backtrace.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its number, from 0 for the innermost.
    pub index: usize,
    /// Where it is executing, or will continue.
    pub pc: u64,
    /// The stack pointer before the call that made it; zero when it could not be found.
    pub cfa: u64,
    /// The function.
    pub function: Option<String>,
    /// The source line.
    pub line: Option<SourceLine>,
    /// Functions inlined here, innermost first; the last one is the function itself.
    pub inlined: Vec<InlinedFrame>,
    /// Its registers, as far as they can be recovered.
    pub registers: FrameRegisters,
    /// Whether the program counter is exact (innermost, or interrupted by a signal) rather than a
    /// return address.
    pub is_exact: bool,
}

impl Frame {
    /// An address inside the instruction being executed: the call, for a caller.
    pub fn lookup_pc(&self) -> u64 {
        if self.is_exact { self.pc } else { self.pc.wrapping_sub(1) }
    }
}

impl Debugger {
    /// The backtrace of a stopped thread, at most `limit` frames.
    pub fn backtrace(&mut self, thread: ThreadId, limit: usize) -> Result<Vec<Frame>> {
        let frames = self.bare_frames(thread, limit)?;
        self.named(thread, frames, None)
    }

    /// The backtrace of a thread that has just executed an instruction: the names and lines of the
    /// innermost frame are those of `executed`, not of the instruction that comes next.
    pub fn backtrace_of(
        &mut self,
        thread: ThreadId,
        limit: usize,
        executed: u64,
    ) -> Result<Vec<Frame>> {
        let frames = self.bare_frames(thread, limit)?;
        let process = self.tracer.process_of(thread)?;
        // In a trampoline, the innermost frame is not the program's.
        let is_program = frames.first().is_some_and(|f| !self.tracer.is_inside(process, f.pc));
        self.named(thread, frames, is_program.then_some(executed))
    }

    fn named(
        &mut self,
        thread: ThreadId,
        mut frames: Vec<Frame>,
        innermost: Option<u64>,
    ) -> Result<Vec<Frame>> {
        let process = self.tracer.process_of(thread)?;
        for frame in &mut frames {
            let pc = innermost.filter(|_| frame.index == 0).unwrap_or(frame.lookup_pc());
            if let Some((_, info, bias)) = self.module_at(process, pc) {
                let at = pc.wrapping_sub(bias);
                frame.function = info.function_at(at).map(|(f, _)| f.name.clone());
                frame.inlined = info.inlined_at(at);
                frame.line = frame.inlined.first().and_then(|f| f.line.clone());
            }
        }
        Ok(frames)
    }

    /// The frames without names and lines: cheap.
    pub(super) fn bare_frames(&mut self, thread: ThreadId, limit: usize) -> Result<Vec<Frame>> {
        let process = self.tracer.process_of(thread)?;
        let mut registers = FrameRegisters::of(&self.tracer.registers(thread)?);
        let mut frames: Vec<Frame> = Vec::new();
        let mut exact = true;
        while frames.len() < limit.clamp(1, FRAMES) {
            let pc = registers.pc();
            let mut frame = Frame {
                index: frames.len(),
                pc,
                cfa: 0,
                function: None,
                line: None,
                inlined: Vec::new(),
                registers,
                is_exact: exact,
            };
            let caller = self.caller(process, &frame);
            if let Some(caller) = &caller {
                frame.cfa = caller.cfa;
            }
            frames.push(frame);
            let Some(caller) = caller else { break };
            // The stack must shrink, or a damaged one would go round in circles.
            if caller.registers.sp() <= registers.sp() && !caller.interrupted {
                break;
            }
            registers = caller.registers;
            exact = caller.interrupted;
        }
        Ok(frames)
    }

    fn caller(&mut self, process: ProcessId, frame: &Frame) -> Option<crate::info::Caller> {
        let pc = frame.lookup_pc();
        if self.tracer.is_inside(process, pc) && !frame.is_exact {
            // A trampoline that waits for a return: every register is still the caller's.
            let cfa = frame.registers.sp().wrapping_add(watchword_inject::FRAME + 8);
            let back = self.tracer.read_u64(process, cfa.wrapping_sub(8)).ok()?;
            let mut registers = frame.registers;
            registers.set(crate::registers::DWARF_RIP, Some(back));
            registers.set(crate::registers::DWARF_RSP, Some(cfa));
            return Some(crate::info::Caller { cfa, registers, interrupted: false });
        }
        let module = self.module_at(process, pc);
        let tracer = &self.tracer;
        let read = |a: u64| tracer.read_u64(process, a);
        if let Some((_, info, bias)) = &module
            && frame.is_exact
            && info.is_entry(pc.wrapping_sub(*bias))
        {
            // Nothing has run yet: every register is still the caller's.
            let sp = frame.registers.sp();
            let mut registers = frame.registers;
            registers.set(crate::registers::DWARF_RIP, Some(read(sp).ok()?));
            registers.set(crate::registers::DWARF_RSP, Some(sp.wrapping_add(8)));
            let cfa = sp.wrapping_add(8);
            return Some(crate::info::Caller { cfa, registers, interrupted: false });
        }
        if let Some((_, info, bias)) = module {
            match info.unwind(pc.wrapping_sub(bias), &frame.registers, &read) {
                Ok(caller) => return caller,
                Err(e) if e.kind() == ErrorKind::Memory => return None,
                Err(_) => {}
            }
        }
        unwind_by_frame_pointer(&frame.registers, &read)
    }

    pub(super) fn frame(&mut self, thread: ThreadId, index: usize) -> Result<Frame> {
        let mut frames = self.bare_frames(thread, index + 1)?;
        if frames.len() <= index {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no frame {index}")));
        }
        Ok(frames.swap_remove(index))
    }
}

/// A frame as location descriptions see it.
pub(super) struct FrameMachine<'a> {
    pub tracer: &'a Tracer,
    pub process: ProcessId,
    pub frame: &'a Frame,
    pub bias: u64,
    pub thread_pointer: u64,
    /// The frame stands at the first instruction of its function.
    pub at_entry: bool,
}

impl Machine for FrameMachine<'_> {
    fn register(&self, number: u16) -> Option<u64> {
        self.frame.registers.get(number)
    }

    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<()> {
        self.tracer.read(self.process, address, buffer)
    }

    fn cfa(&self) -> Result<u64> {
        if self.frame.cfa == 0 {
            return Err(Error::new(ErrorKind::NotFound, "the frame's base is unknown"));
        }
        Ok(self.frame.cfa)
    }

    fn bias(&self) -> u64 {
        self.bias
    }

    fn thread_pointer(&self) -> u64 {
        self.thread_pointer
    }

    fn entry_register(&self, number: u16) -> Option<u64> {
        if self.at_entry { self.frame.registers.get(number) } else { None }
    }
}

/// The function body a frame is in.
#[derive(Clone)]
pub(super) struct Body {
    pub info: Rc<DebugInfo>,
    pub bias: u64,
    pub instance: Instance,
}
