//! Steps by source line and by instruction.
//!
//! The thread that steps executes instruction by instruction within a line; the others run on.
//! Calls are passed by running to their return, told by a point at the return address and the
//! stack pointer, so recursion is not mistaken for it. Points of monitors on the way are dealt
//! with as ever.

use watchword_debug::info::LineRange;
use watchword_debug::{Owner, PointId, Result, ThreadId, When};

use super::running::Halt;
use super::{Go, Session};

/// What is being done.
#[derive(Debug)]
pub(super) enum Plan {
    /// Nothing in particular.
    Continue,
    /// A thread steps.
    Step(Stepper),
    /// A thread executes instructions as long as they are in a range; at least one.
    Range { thread: ThreadId, range: std::ops::Range<u64> },
    /// A thread runs to a place.
    Run {
        thread: ThreadId,
        places: Vec<PointId>,
        /// The stack pointer it has there, at least.
        sp: u64,
        /// The entry of the function whose result is of interest.
        result_of: Option<u64>,
    },
}

#[derive(Debug)]
pub(super) struct Stepper {
    thread: ThreadId,
    into: bool,
    /// The line that is to be left; `None` when a single instruction was asked for.
    line: Option<LineRange>,
    /// Places of the same frame before this one do not count.
    forwards: Option<u64>,
    /// The frame it began in: the stack pointer before its call.
    cfa: u64,
    /// Where the last step began.
    before: (u64, u64),
    /// A call is being passed: where it returns, and the stack pointer there.
    passing: Option<(PointId, u64)>,
    /// Where a function that was entered has its frame set up.
    entering: Option<PointId>,
}

/// Whether a step is done.
pub(super) enum Progress {
    Underway,
    Done(Halt),
}

impl Plan {
    /// The thread the plan is about.
    pub fn thread(&self) -> Option<ThreadId> {
        match self {
            Plan::Continue => None,
            Plan::Step(stepper) => Some(stepper.thread),
            Plan::Run { thread, .. } | Plan::Range { thread, .. } => Some(*thread),
        }
    }

    /// The thread that is to execute just one instruction now.
    pub fn steps(&self) -> Option<ThreadId> {
        match self {
            Plan::Range { thread, .. } => Some(*thread),
            Plan::Step(s) if s.passing.is_none() && s.entering.is_none() => Some(s.thread),
            _ => None,
        }
    }

    /// Whether a point belongs to the plan.
    pub fn waits_for(&self, point: PointId) -> bool {
        match self {
            Plan::Continue | Plan::Range { .. } => false,
            Plan::Step(s) => {
                s.passing.is_some_and(|(p, _)| p == point) || s.entering == Some(point)
            }
            Plan::Run { places, .. } => places.contains(&point),
        }
    }
}

impl Session {
    pub(super) fn plan(&mut self, go: &Go, thread: ThreadId) -> Result<Plan> {
        let process = self.program.process();
        let frames = self.program.debugger.backtrace(thread, self.frame + 2)?;
        let (pc, cfa) = frames.first().map_or((0, 0), |f| (f.pc, f.cfa));
        let sp = self.program.debugger.tracer_mut().registers(thread)?.sp();
        let stepper = |into, line, forwards| {
            Plan::Step(Stepper {
                thread,
                into,
                line,
                forwards,
                cfa,
                before: (pc, sp),
                passing: None,
                entering: None,
            })
        };
        let line = self.program.debugger.line_range(process, pc);
        Ok(match go {
            Go::Continue | Go::Again => Plan::Continue,
            Go::StepInstruction => stepper(true, None, None),
            Go::NextInstruction => stepper(false, None, None),
            // Without lines there is nothing to step by: out of the function, as debuggers do.
            Go::Step | Go::Next | Go::Until if line.is_none() => self.finish(thread, 0)?,
            Go::Step => stepper(true, line, None),
            Go::Next => stepper(false, line, None),
            Go::Until => stepper(false, line, Some(pc)),
            Go::Finish => self.finish(thread, self.frame)?,
            Go::Advance(place) => {
                let addresses = self.locate(place)?;
                let mut plan = self.finish(thread, 0).unwrap_or(Plan::Run {
                    thread,
                    places: Vec::new(),
                    sp: 0,
                    result_of: None,
                });
                if let Plan::Run { places, sp, result_of, .. } = &mut plan {
                    *result_of = None;
                    *sp = 0;
                    for address in addresses {
                        let tracer = self.program.debugger.tracer_mut();
                        places.push(tracer.arm(process, address, When::Before, Owner::Person)?);
                    }
                }
                plan
            }
        })
    }

    fn finish(&mut self, thread: ThreadId, frame: usize) -> Result<Plan> {
        let process = self.program.process();
        let frames = self.program.debugger.backtrace(thread, frame + 2)?;
        let (Some(left), Some(caller)) = (frames.get(frame), frames.get(frame + 1)) else {
            return Err(watchword_debug::Error::new(
                watchword_debug::ErrorKind::NotFound,
                "this is the outermost frame: there is no caller to go to",
            ));
        };
        let entry = self.program.debugger.function_at(process, left.lookup_pc());
        let result_of = entry.map(|(_, instance, bias)| instance.entry.wrapping_add(bias));
        let tracer = self.program.debugger.tracer_mut();
        let point = tracer.arm(process, caller.pc, When::Before, Owner::Person)?;
        Ok(Plan::Run { thread, places: vec![point], sp: left.cfa, result_of })
    }

    /// The plan is over, done or not.
    pub(super) fn drop_plan(&mut self, plan: &mut Plan) {
        let points: Vec<PointId> = match plan {
            Plan::Continue | Plan::Range { .. } => Vec::new(),
            Plan::Step(s) => {
                s.passing.take().map(|(p, _)| p).into_iter().chain(s.entering.take()).collect()
            }
            Plan::Run { places, .. } => std::mem::take(places),
        };
        let process = self.program.process();
        for point in points {
            // A process that is gone needs no clearing up.
            let _ = self.program.debugger.tracer_mut().disarm(process, point);
        }
    }

    /// The thread has executed an instruction, or arrived at a point of the plan.
    pub(super) fn advance(&mut self, plan: &mut Plan, at: Option<PointId>) -> Result<Progress> {
        let process = self.program.process();
        match plan {
            Plan::Continue => Ok(Progress::Underway),
            Plan::Range { thread, range } => {
                let pc = self.program.debugger.tracer_mut().registers(*thread)?.pc();
                Ok(match range.contains(&pc) {
                    true => Progress::Underway,
                    false => Progress::Done(Halt::Stepped),
                })
            }
            Plan::Run { thread, sp, result_of, .. } => {
                let now = self.program.debugger.tracer_mut().registers(*thread)?.sp();
                if now < *sp {
                    return Ok(Progress::Underway);
                }
                let result = match result_of {
                    Some(entry) => self.program.debugger.result_of(*thread, *entry).ok(),
                    None => None,
                };
                Ok(Progress::Done(Halt::Finished(result)))
            }
            Plan::Step(stepper) => {
                let registers = self.program.debugger.tracer_mut().registers(stepper.thread)?;
                let (pc, sp) = (registers.pc(), registers.sp());
                if let Some((point, back)) = stepper.passing
                    && at == Some(point)
                {
                    if sp < back {
                        return Ok(Progress::Underway);
                    }
                    stepper.passing = None;
                    self.program.debugger.tracer_mut().disarm(process, point)?;
                } else if let Some(point) = stepper.entering
                    && at == Some(point)
                {
                    stepper.entering = None;
                    self.program.debugger.tracer_mut().disarm(process, point)?;
                    return Ok(Progress::Done(Halt::Stepped));
                } else if at.is_none()
                    && let Some(progress) = self.on_call(stepper, pc, sp)?
                {
                    return Ok(progress);
                }
                self.on_line(stepper, pc, sp)
            }
        }
    }

    /// If the last instruction was a call, or a signal handler was entered: passes it, or goes in.
    fn on_call(&mut self, stepper: &mut Stepper, pc: u64, sp: u64) -> Result<Option<Progress>> {
        let process = self.program.process();
        let (before, sp_before) = stepper.before;
        let debugger = &mut self.program.debugger;
        let back = debugger.tracer().read_u64(process, sp).unwrap_or(0);
        let longest = 15;
        let is_call = sp == sp_before.wrapping_sub(8)
            && back > before
            && back <= before + longest
            && pc != back;
        if is_call {
            let into = stepper.into && stepper.line.is_some();
            if stepper.line.is_none() && stepper.into {
                return Ok(None);
            }
            if into && debugger.line_range(process, pc).is_some() {
                let inside = debugger.prologue_end(process, pc).unwrap_or(pc);
                if inside == pc {
                    return Ok(Some(Progress::Done(Halt::Stepped)));
                }
                let point =
                    debugger.tracer_mut().arm(process, inside, When::Before, Owner::Person)?;
                stepper.entering = Some(point);
                return Ok(Some(Progress::Underway));
            }
            let point = debugger.tracer_mut().arm(process, back, When::Before, Owner::Person)?;
            stepper.passing = Some((point, sp.wrapping_add(8)));
            return Ok(Some(Progress::Underway));
        }
        if sp < sp_before.wrapping_sub(128) {
            // Much was put on the stack at once: a signal arrived.
            let frames = debugger.backtrace(stepper.thread, 3)?;
            let interrupted = frames.iter().skip(1).find(|f| f.is_exact);
            if let Some(frame) = interrupted.filter(|f| f.pc != pc) {
                let (at, there) = (frame.pc, frame.registers.sp());
                let point = debugger.tracer_mut().arm(process, at, When::Before, Owner::Person)?;
                stepper.passing = Some((point, there));
                return Ok(Some(Progress::Underway));
            }
        }
        Ok(None)
    }

    /// Whether the thread stands at another line now.
    fn on_line(&mut self, stepper: &mut Stepper, pc: u64, sp: u64) -> Result<Progress> {
        let process = self.program.process();
        stepper.before = (pc, sp);
        let Some(line) = stepper.line else { return Ok(Progress::Done(Halt::Stepped)) };
        if (line.start..line.end).contains(&pc) {
            return Ok(Progress::Underway);
        }
        let Some(here) = self.program.debugger.line_range(process, pc) else {
            return self.leave_lineless(stepper, sp);
        };
        if (here.file, here.line) == (line.file, line.line) && sp <= stepper.cfa {
            // Another part of the same line.
            stepper.line = Some(here);
            return Ok(Progress::Underway);
        }
        if stepper.forwards.is_some_and(|from| pc < from) && sp <= stepper.cfa {
            stepper.line = Some(here);
            return Ok(Progress::Underway);
        }
        if here.start == pc && here.is_statement {
            return Ok(Progress::Done(Halt::Stepped));
        }
        // In the middle of a statement, as after a return: to its end.
        stepper.line = Some(here);
        Ok(Progress::Underway)
    }

    /// Code without lines: a stub on the way into a library, or what called `main`.
    fn leave_lineless(&mut self, stepper: &mut Stepper, sp: u64) -> Result<Progress> {
        let process = self.program.process();
        if sp > stepper.cfa {
            // Out of everything that has lines: as far as it goes.
            stepper.line = None;
            let thread = stepper.thread;
            let frames = self.program.debugger.backtrace(thread, 2)?;
            let (Some(left), Some(caller)) = (frames.first(), frames.get(1)) else {
                return Ok(Progress::Done(Halt::Stepped));
            };
            let (at, there) = (caller.pc, left.cfa);
            let tracer = self.program.debugger.tracer_mut();
            let point = tracer.arm(process, at, When::Before, Owner::Person)?;
            stepper.passing = Some((point, there));
            return Ok(Progress::Underway);
        }
        // A jump out of the function, such as a tail call: it returns to our caller.
        let back = self.program.debugger.tracer().read_u64(process, sp)?;
        let tracer = self.program.debugger.tracer_mut();
        let point = tracer.arm(process, back, When::Before, Owner::Person)?;
        stepper.passing = Some((point, sp.wrapping_add(8)));
        Ok(Progress::Underway)
    }
}
