//! Going backwards: to an earlier moment on the way from the last checkpoint to here.
//!
//! The tracer finds out which instructions lie between ([`watchword_debug::Tracer::retrace`]), and refuses
//! if that cannot be known. Then the program goes back to the checkpoint and runs again up to the moment
//! that is wanted, with the monitors, which meet the same events again.

use std::collections::{HashMap, VecDeque};

use watchword_debug::info::LineRange;
use watchword_debug::{Error, ErrorKind, Footstep, Owner, ProcessId, Result, ThreadId, When};

use super::running::ignore_gone;
use super::{Front, Halt, Logged, Session};
use crate::program::Why;

/// How to go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// To the beginning of a source line that was executed before, also in calls.
    Step,
    /// To the beginning of a source line that was executed before, over calls.
    Next,
    /// One instruction, also in calls.
    StepInstruction,
    /// One instruction, over calls.
    NextInstruction,
    /// To the call of this function.
    Finish,
}

/// The way from a checkpoint, as far as it is known.
#[derive(Debug)]
pub(super) struct Way {
    checkpoint: i64,
    thread: ThreadId,
    steps: Vec<Footstep>,
    /// Which step is the present.
    at: usize,
}

/// Nothing is known before a checkpoint.
fn beginning(number: i64) -> Error {
    Error::new(ErrorKind::Refused, format!("what was before checkpoint {number} is not known"))
}

impl Session {
    /// Goes back to an earlier moment. If that cannot be done truthfully, fails with the reason, and
    /// nothing has changed.
    pub fn go_back(&mut self, back: Back, front: &mut dyn Front) -> Result<Halt> {
        let thread = self.thread()?;
        self.forget_interrupted();
        let mut base = self.base.ok_or_else(|| {
            let why =
                "there is no checkpoint on the way here; `checkpoint` makes one to go back from";
            Error::new(ErrorKind::NotFound, why)
        })?;
        let mut way = self.way(thread, base)?;
        let target = loop {
            let found = match back {
                // In a frame that was not there at the checkpoint, or further back than it.
                _ if way.at == 0 => None,
                Back::StepInstruction => Some(way.at - 1),
                Back::NextInstruction => way.last(|s, now| s.depth <= now.depth),
                Back::Finish => way.last(|s, now| s.depth < now.depth),
                Back::Step => self.line_before(&way, false),
                Back::Next => self.line_before(&way, true),
            };
            match (found, self.saved.get(&base).and_then(|s| s.base)) {
                (Some(target), _) => break target,
                (None, Some(earlier)) => {
                    base = earlier;
                    way = self.way(thread, base)?;
                }
                (None, None) => return Err(beginning(base)),
            }
        };
        self.run_again(&mut way, target, front)?;
        self.way = Some(way);
        Ok(Halt::Stepped)
    }

    /// The way from a checkpoint to here.
    fn way(&mut self, thread: ThreadId, checkpoint: i64) -> Result<Way> {
        let saved = self.saved.get(&checkpoint).ok_or_else(|| beginning(checkpoint))?;
        let (id, of) = (saved.id, saved.thread);
        if of.is_some_and(|of| of != thread) {
            let why = format!("checkpoint {checkpoint} was made with another thread in view");
            return Err(Error::new(ErrorKind::Refused, why));
        }
        let tracer = self.program.debugger.tracer_mut();
        let registers = tracer.registers(thread)?;
        if let Some(mut way) = self.way.take() {
            way.steps.truncate(way.at + 1);
            if way.checkpoint == checkpoint
                && way.thread == thread
                && way.steps.last().is_some_and(|s| s.has(&registers))
            {
                return Ok(way);
            }
        }
        self.held_all = true;
        let steps = self.program.debugger.tracer_mut().retrace(thread, id)?;
        let at = steps.len().saturating_sub(1);
        Ok(Way { checkpoint, thread, steps, at })
    }

    /// Goes to the checkpoint of a way and runs on to a step of it. If that fails, everything is as it was.
    fn run_again(&mut self, way: &mut Way, target: usize, front: &mut dyn Front) -> Result<()> {
        let process = self.program.process();
        let present = self.program.debugger.checkpoint(process)?;
        let monitors = self.program.snapshot();
        let log: Vec<Logged> = self.log.clone();
        let (thread, skip) = (self.thread, self.skip);
        let base = self.base;
        let done = self.restore(Some(way.checkpoint)).and_then(|(number, undone)| {
            front.retraced(self, number, &undone);
            let was_good =
                |(i, l): &(usize, &Logged)| l.undone.is_none() && self.log[*i].undone.is_some();
            let undone = log.iter().enumerate().filter(was_good).map(|(i, _)| i).collect();
            self.run_on(way, target, undone, front)
        });
        let result = match done {
            Ok(()) => Ok(()),
            Err(e) => {
                let back = self.program.debugger.restore(present).map(drop);
                let back = back.and_then(|()| self.program.go_back(&monitors, thread));
                (self.log, self.thread, self.skip, self.base) = (log, thread, skip, base);
                back.and(Err(e))
            }
        };
        self.held_all = true;
        let dropped = self.program.debugger.drop_checkpoint(present);
        result.and(dropped)?;
        way.at = target;
        Ok(())
    }

    /// From the beginning of a way to a step of it: its instruction is met as often as it was.
    /// The verdicts of the first run that are undone hold again when they are found again.
    fn run_on(
        &mut self,
        way: &Way,
        target: usize,
        undone: VecDeque<usize>,
        front: &mut dyn Front,
    ) -> Result<()> {
        let (thread, process) = (way.thread, self.program.process());
        let step = way.steps[target];
        let mut left = way.steps[..=target].iter().filter(|s| s.pc == step.pc).count();
        if target > 0 {
            let tracer = self.program.debugger.tracer_mut();
            if way.steps[0].pc == step.pc && tracer.told_point(thread) == Some(step.pc) {
                left -= 1;
            }
            let point = tracer.arm(process, step.pc, When::Before, Owner::Person)?;
            let result = self.meet(thread, point, left, undone, front);
            let disarmed = self.program.debugger.tracer_mut().disarm(process, point);
            result.and(disarmed)?;
            self.program.debugger.stop_all()?;
        }
        self.thread = Some(thread);
        self.frame = 0;
        self.skip = Some((thread, step.pc));
        let registers = self.program.debugger.tracer_mut().registers(thread)?;
        match registers.pc() == step.pc && step.has(&registers) {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::Refused,
                "the program does not do the same again, so it stays where it is",
            )),
        }
    }

    /// Lets the program run, without stops for anybody, until it has met a point so often.
    fn meet(
        &mut self,
        thread: ThreadId,
        point: watchword_debug::PointId,
        times: usize,
        mut undone: VecDeque<usize>,
        front: &mut dyn Front,
    ) -> Result<()> {
        let mut left = times;
        self.program.stepping = None;
        self.program.resume_all()?;
        while left > 0 {
            let stop = self.program.wait()?;
            if !stop.moves.is_empty() {
                front.moved(self, &stop.moves);
            }
            for found in stop.found {
                // It was shown when it was found first.
                match undone.pop_front() {
                    Some(i) => self.log[i].undone = None,
                    None => self.log.push(Logged { found, undone: None }),
                }
            }
            match stop.why {
                Why::Exited(_) => {
                    return Err(Error::new(ErrorKind::Gone, "the program has ended meanwhile"));
                }
                Why::Interrupted | Why::Signal(_) | Why::Executed => {
                    return Err(Error::new(ErrorKind::Refused, "interrupted"));
                }
                Why::Points { hits, .. }
                    if stop.thread == thread && hits.iter().any(|h| h.point == point) =>
                {
                    left -= 1;
                    if left == 0 {
                        break;
                    }
                }
                _ => {}
            }
            ignore_gone(self.program.resume(stop.thread))?;
        }
        Ok(())
    }

    /// Where a source line began before the present moment.
    fn line_before(&mut self, way: &Way, over: bool) -> Option<usize> {
        let process = self.program.process();
        let now = way.steps[way.at];
        let mut lines = Lines { session: self, process, known: HashMap::new() };
        let mut passed = (0..way.at).rev().filter(|i| !over || way.steps[*i].depth <= now.depth);
        passed.find(|&i| lines.begins(way, i))
    }
}

impl Way {
    /// The last step before the present of which this holds.
    fn last(&self, holds: impl Fn(&Footstep, &Footstep) -> bool) -> Option<usize> {
        let now = self.steps[self.at];
        (0..self.at).rev().find(|i| holds(&self.steps[*i], &now))
    }
}

/// The source lines of a way, each looked up once.
struct Lines<'a> {
    session: &'a mut Session,
    process: ProcessId,
    known: HashMap<u64, Option<LineRange>>,
}

impl Lines<'_> {
    fn at(&mut self, pc: u64) -> Option<LineRange> {
        let debugger = &mut self.session.program.debugger;
        let process = self.process;
        *self.known.entry(pc).or_insert_with(|| debugger.line_range(process, pc))
    }

    /// Whether a step is the first of a source line, in a function whose frame is set up.
    fn begins(&mut self, way: &Way, i: usize) -> bool {
        let step = way.steps[i];
        let Some(line) = self.at(step.pc) else { return false };
        if line.start != step.pc || !line.is_statement {
            return false;
        }
        let debugger = &mut self.session.program.debugger;
        if debugger.prologue_end(self.process, step.pc).is_some_and(|end| step.pc < end) {
            return false;
        }
        // What was before in this frame is another line, or the caller.
        let before = (0..i).rev().find(|k| way.steps[*k].depth <= step.depth);
        let Some(before) = before.map(|k| way.steps[k]) else { return true };
        before.depth < step.depth
            || self.at(before.pc).is_none_or(|b| (b.file, b.line) != (line.file, line.line))
    }
}
