//! Letting the program go until something is worth the person's attention.

use watchword_debug::{ExitStatus, Hit, Result, ThreadId, Value, WatchHit};
use watchword_scenario::{Flow, Outcome};

use super::points::PointKind;
use super::stepping::{Plan, Progress};
use super::{Front, Logged, Session, host};
use crate::program::{Stopped, Why};
use crate::watching::Role;

/// How the program is to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Go {
    /// Until something happens.
    Continue,
    /// To another source line, into calls.
    Step,
    /// To another source line, over calls.
    Next,
    /// One instruction, into calls.
    StepInstruction,
    /// One instruction, over calls.
    NextInstruction,
    /// To the caller of the selected frame.
    Finish,
    /// To a later source line of this frame.
    Until,
    /// To a place, or to the caller.
    Advance(String),
    /// As it was going when it was interrupted.
    Again,
}

/// Why the person has the word again.
#[derive(Debug)]
pub enum Halt {
    /// Breakpoints, by number.
    Breakpoint(Vec<i64>),
    /// A watchpoint: its number, what it watches, the values before and after.
    Watchpoint {
        /// The number.
        number: i64,
        /// As it was asked for.
        text: String,
        /// The value before, as text.
        old: Option<String>,
        /// The value after, as text.
        new: Option<String>,
        /// Whether it was only read.
        is_read: bool,
    },
    /// A breakpoint of a connected debugger.
    Reached,
    /// A watchpoint of a connected debugger: the memory it watches, and what was done.
    Accessed {
        /// Where the watched memory begins.
        address: u64,
        /// What it was set for.
        access: watchword_debug::Access,
    },
    /// Watchpoints ended with the frame of their variables: their numbers, and what they watched.
    ScopeEnded(Vec<(i64, String)>),
    /// A signal is about to be delivered.
    Signal(i32),
    /// The step that was asked for is done.
    Stepped,
    /// A function was left; its result, if it has one.
    Finished(Option<Value>),
    /// The person asked for it.
    Interrupted,
    /// A property was violated.
    Violation,
    /// A scenario wants the person to look.
    Scenario(Option<String>),
    /// A scenario wants the session to end.
    Quit,
    /// The process runs another program now.
    Executed,
    /// The program has ended.
    Exited(ExitStatus),
}

/// What went with a program that ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Checkpoints.
    pub checkpoints: usize,
    /// Watchpoints.
    pub watchpoints: usize,
}

impl Session {
    /// Lets the program go on until something is worth the person's attention; then all its
    /// threads are stopped.
    pub fn go(&mut self, go: &Go, front: &mut dyn Front) -> Result<Halt> {
        let thread = self.thread()?;
        if *go == Go::Again
            && let Some(plan) = self.interrupted.take()
        {
            return self.carry_out_locked(Ok(plan), thread, front);
        }
        self.forget_interrupted();
        let plan = self.plan(go, thread);
        self.carry_out_locked(plan, thread, front)
    }

    /// Lets the program go on by a plan until something is worth the person's attention.
    pub(super) fn carry_out(&mut self, plan: Result<Plan>, front: &mut dyn Front) -> Result<Halt> {
        self.running = true;
        self.held_all = true;
        self.way = None;
        let result = plan.and_then(|mut plan| {
            self.program.debugger.tracer().heed_interrupts(true);
            let result = self.until_halt(&mut plan, front);
            self.program.debugger.tracer().heed_interrupts(false);
            match result {
                Ok(Halt::Interrupted) => self.interrupted = Some(plan),
                _ => self.drop_plan(&mut plan),
            }
            result
        });
        let result = match result {
            Err(e) if e.is_gone() && self.has_vanished() => self.until_end(front),
            other => other,
        };
        self.program.stepping = None;
        self.frame = 0;
        if self.is_alive() {
            self.program.debugger.stop_all()?;
        } else {
            self.thread = None;
            self.forget_saved();
            self.interrupted = None;
            self.note_lost();
            self.forget_armed();
        }
        result
    }

    /// The operation that was interrupted is not continued.
    pub(super) fn forget_interrupted(&mut self) {
        if let Some(mut plan) = self.interrupted.take() {
            self.drop_plan(&mut plan);
        }
    }

    /// Whether the program has ended and that was not told yet.
    pub(super) fn has_vanished(&self) -> bool {
        let process = self.program.process();
        self.is_alive() && !self.program.debugger.tracer().processes().contains(&process)
    }

    /// The program was killed while something was done to it: on to what is left to be told.
    fn until_end(&mut self, front: &mut dyn Front) -> Result<Halt> {
        loop {
            let stop = match self.program.wait() {
                Ok(stop) => stop,
                Err(e) if e.is_gone() => {
                    let status = ExitStatus::Signal(libc::SIGKILL);
                    self.program.exited = Some(status);
                    return Ok(Halt::Exited(status));
                }
                Err(e) => return Err(e),
            };
            self.show(&stop, front);
            if let Why::Exited(status) = stop.why {
                return Ok(Halt::Exited(status));
            }
        }
    }

    fn until_halt(&mut self, plan: &mut Plan, front: &mut dyn Front) -> Result<Halt> {
        let mut stopped: Option<ThreadId> = None;
        loop {
            self.go_on(plan, stopped)?;
            let stop = self.program.wait()?;
            stopped = Some(stop.thread);
            self.show(&stop, front);
            if let Why::Exited(status) = stop.why {
                return Ok(Halt::Exited(status));
            }
            if let Some(halt) = self.on_stop(stop, plan, front)? {
                return Ok(halt);
            }
            if !self.is_alive() {
                let status = self.program.exited().unwrap_or(ExitStatus::Code(0));
                return Ok(Halt::Exited(status));
            }
        }
    }

    /// Lets held threads go on: the one that steps by a step, the others freely.
    fn go_on(&mut self, plan: &Plan, stopped: Option<ThreadId>) -> Result<()> {
        let steps = plan.steps();
        self.program.stepping = steps;
        let everybody = std::mem::take(&mut self.held_all);
        let tracer = self.program.debugger.tracer_mut();
        if let Some(thread) = steps
            && (everybody || stopped == Some(thread))
            && tracer.is_stopped(thread)
            && !tracer.has_untold(thread)
        {
            ignore_gone(tracer.step(thread))?;
        }
        if everybody {
            // A thread that has a stop to tell goes on when that was told.
            return self.program.resume_all();
        }
        match stopped.filter(|t| Some(*t) != steps) {
            Some(thread) if self.program.debugger.tracer().is_stopped(thread) => {
                ignore_gone(self.program.resume(thread))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn show(&mut self, stop: &Stopped, front: &mut dyn Front) {
        if !stop.moves.is_empty() {
            front.moved(self, &stop.moves);
        }
        for (_, said) in &stop.said {
            front.said(said);
        }
        for found in &stop.found {
            front.found(self, found);
            self.log.push(Logged { found: found.clone(), undone: None });
        }
    }

    fn on_stop(
        &mut self,
        stop: Stopped,
        plan: &mut Plan,
        front: &mut dyn Front,
    ) -> Result<Option<Halt>> {
        let Stopped { thread, why, found, moves, .. } = stop;
        self.thread = Some(thread);
        self.frame = 0;
        let skip = self.skip.take_if(|(t, _)| *t == thread);
        let violated =
            found.iter().any(|f| f.report.kind == watchword_monitor::ReportKind::Violation);
        let outcome = match moves.is_empty() {
            true => Outcome::default(),
            false => self.react(&moves, front),
        };
        if outcome.restored {
            // The stop itself has not happened any more.
            self.drop_plan(plan);
            *plan = Plan::Continue;
            return Ok(match outcome.flow {
                Flow::Stop(message) => Some(Halt::Scenario(message)),
                Flow::Quit => Some(Halt::Quit),
                Flow::Unsaid | Flow::Continue => None,
            });
        }
        match outcome.flow {
            Flow::Quit => return Ok(Some(Halt::Quit)),
            Flow::Stop(message) => return Ok(Some(Halt::Scenario(message))),
            Flow::Unsaid if violated => return Ok(Some(Halt::Violation)),
            Flow::Unsaid | Flow::Continue => {}
        }
        match why {
            Why::Monitors | Why::Exited(_) => Ok(None),
            Why::Started => {
                front.started(self);
                Ok(None)
            }
            Why::Libraries => {
                self.rearm_points()?;
                Ok(None)
            }
            Why::Executed => {
                // They went with the program they were of.
                self.forget_saved();
                self.note_lost();
                self.forget_armed();
                self.rearm_points()?;
                Ok(Some(Halt::Executed))
            }
            Why::Interrupted => {
                self.held_all = true;
                Ok(Some(Halt::Interrupted))
            }
            Why::Signal(signal) => self.on_signal(thread, signal, front),
            Why::Step => self.stepped(plan, thread, front),
            Why::Points { address, hits } => {
                self.on_points(plan, thread, address, &hits, skip, front)
            }
            Why::Watch(hits) => {
                if let Some(halt) = self.on_watches(thread, &hits, front)? {
                    return Ok(Some(halt));
                }
                // The access was the instruction that was asked for.
                match plan.steps() == Some(thread) {
                    true => self.stepped(plan, thread, front),
                    false => Ok(None),
                }
            }
        }
    }

    fn stepped(
        &mut self,
        plan: &mut Plan,
        thread: ThreadId,
        front: &mut dyn Front,
    ) -> Result<Option<Halt>> {
        if plan.thread() != Some(thread) {
            return Ok(None);
        }
        match self.advance(plan, None)? {
            Progress::Underway => Ok(None),
            Progress::Done(halt) => {
                let pc = self.program.debugger.tracer_mut().registers(thread)?.pc();
                self.skip = Some((thread, pc));
                // Arriving at a breakpoint by steps is arriving at it.
                let here = |p: &super::UserPoint| {
                    p.kind == PointKind::Break && p.enabled && p.addresses.contains(&pc)
                };
                let numbers: Vec<i64> =
                    self.points.iter().filter(|(_, p)| here(p)).map(|(n, _)| *n).collect();
                if matches!(halt, Halt::Stepped)
                    && let Some(reached) = self.reach(&numbers, thread, front)?
                {
                    return Ok(Some(reached));
                }
                Ok(Some(halt))
            }
        }
    }

    fn on_points(
        &mut self,
        plan: &mut Plan,
        thread: ThreadId,
        address: u64,
        hits: &[Hit],
        skip: Option<(ThreadId, u64)>,
        front: &mut dyn Front,
    ) -> Result<Option<Halt>> {
        let mut numbers = Vec::new();
        let mut planned = None;
        let mut is_reached = false;
        let mut over = Vec::new();
        for hit in hits {
            if self.remote.is_break(hit.point) {
                is_reached = true;
            } else if plan.waits_for(hit.point) && plan.thread() == Some(thread) {
                planned = Some(hit.point);
            } else if let Some(ended) = self.ended_scope(hit, thread)? {
                let text = self.points.get(&ended).map_or(String::new(), |p| p.text.clone());
                self.remove_point(ended)?;
                over.push((ended, text));
            } else if let Some(number) = self.number_of(hit.point)
                && skip != Some((thread, address))
            {
                numbers.push(number);
            }
        }
        if !over.is_empty() {
            return Ok(Some(Halt::ScopeEnded(over)));
        }
        if let Some(halt) = self.reach(&numbers, thread, front)? {
            return Ok(Some(halt));
        }
        if is_reached {
            return Ok(Some(Halt::Reached));
        }
        if planned.is_some()
            && let Progress::Done(halt) = self.advance(plan, planned)?
        {
            return Ok(Some(halt));
        }
        Ok(None)
    }

    /// The watchpoint whose variable's frame ends here.
    fn ended_scope(&mut self, hit: &Hit, thread: ThreadId) -> Result<Option<i64>> {
        let ends = |p: &super::UserPoint| p.frame_end.filter(|(id, ..)| *id == hit.point);
        let found = self.points.iter().find_map(|(n, p)| ends(p).map(|e| (*n, e)));
        let Some((number, (_, owner, cfa))) = found else { return Ok(None) };
        let sp = self.program.debugger.tracer_mut().registers(thread)?.sp();
        Ok((owner == thread && sp >= cfa).then_some(number))
    }

    /// Points with numbers were hit: whether the person is to look.
    fn reach(
        &mut self,
        numbers: &[i64],
        thread: ThreadId,
        front: &mut dyn Front,
    ) -> Result<Option<Halt>> {
        let mut shown = Vec::new();
        for number in numbers {
            let Some(point) = self.points.get_mut(number) else { continue };
            if !point.enabled {
                continue;
            }
            if let Some(condition) = point.condition.clone() {
                let value = self.program.debugger.perform(thread, 0, &condition);
                match value.and_then(|v| v.as_integer()) {
                    Ok(0) => continue,
                    Ok(_) => {}
                    Err(e) => front.print(&format!("the condition of {number}: {e}")),
                }
            }
            let Some(point) = self.points.get_mut(number) else { continue };
            point.hits += 1;
            if point.ignore > 0 {
                point.ignore -= 1;
                continue;
            }
            if point.counted.is_some_and(|counted| !counted.count(point.hits)) {
                continue;
            }
            let (once, of_scenario) = (point.once, point.of_scenario);
            if let Some(text) = point.log.clone() {
                let text = self.filled_in(&text, thread);
                front.print(&text);
                continue;
            }
            if of_scenario {
                match self.reached(*number, front) {
                    Outcome { flow: Flow::Stop(message), .. } => {
                        return Ok(Some(Halt::Scenario(message)));
                    }
                    Outcome { flow: Flow::Quit, .. } => return Ok(Some(Halt::Quit)),
                    _ => {}
                }
            } else {
                shown.push(*number);
            }
            if once {
                self.remove_point(*number)?;
            }
        }
        Ok((!shown.is_empty()).then_some(Halt::Breakpoint(shown)))
    }

    fn on_watches(
        &mut self,
        thread: ThreadId,
        hits: &[WatchHit],
        front: &mut dyn Front,
    ) -> Result<Option<Halt>> {
        let process = self.program.process();
        for hit in hits {
            if let Some((address, access)) = self.remote.watched(hit.point) {
                return Ok(Some(Halt::Accessed { address, access }));
            }
            let Some(number) = self.number_of(hit.point) else { continue };
            let Some(mut point) = self.points.remove(&number) else { continue };
            let PointKind::Watch(access) = point.kind else { continue };
            let Some(mut chain) = point.chain.take() else { continue };
            let before = chain.object.clone();
            let is_write = hit.access == watchword_debug::Access::Write;
            let role = chain.role(hit.point);
            let owner = hit.owner;
            let method = watchword_debug::WatchMethod::Any;
            if role == Some(Role::Link) {
                let manner = crate::watching::Manner { access, method, owner };
                chain.arm(&mut self.program.debugger, thread, manner)?;
            }
            let after = chain.value(&mut self.program.debugger, thread);
            chain.object = after.clone();
            point.addresses = chain.addresses();
            point.chain = Some(chain);
            self.points.insert(number, point);
            let same = match (&before, &after) {
                (Some(a), Some(b)) => a.bytes() == b.bytes(),
                (a, b) => a.is_some() == b.is_some(),
            };
            // A person watches for changes; a write of the same value is none.
            let is_news = match access {
                watchword_debug::Access::Write => !same,
                _ => role == Some(Role::Object) || !same,
            };
            if !is_news {
                continue;
            }
            let Some(halt) = self.reach(&[number], thread, front)? else { continue };
            if let Halt::Breakpoint(_) = halt {
                let text = self.points.get(&number).map_or(String::new(), |p| p.text.clone());
                let debugger = &mut self.program.debugger;
                let mut show = |v: &Option<Value>| v.as_ref().map(|v| debugger.show(process, v));
                let (old, new) = (show(&before), show(&after));
                let is_read = !is_write && same;
                return Ok(Some(Halt::Watchpoint { number, text, old, new, is_read }));
            }
            return Ok(Some(halt));
        }
        Ok(None)
    }

    fn react(
        &mut self,
        moves: &[(crate::MonitorId, watchword_monitor::Move)],
        front: &mut dyn Front,
    ) -> Outcome {
        let Some(mut machine) = self.machine.take() else { return Outcome::default() };
        let models: Vec<_> =
            self.program.monitors().iter().map(|m| (m.id, m.model.clone())).collect();
        let moves = host::moves(&models, moves);
        self.reacting = true;
        let outcome = machine.react(&moves, &mut host::ScenarioHost { session: self, front });
        self.reacting = false;
        self.machine.get_or_insert(machine);
        outcome
    }

    fn reached(&mut self, number: i64, front: &mut dyn Front) -> Outcome {
        let Some(mut machine) = self.machine.take() else { return Outcome::default() };
        self.reacting = true;
        let outcome = machine.reached(number, &mut host::ScenarioHost { session: self, front });
        self.reacting = false;
        self.machine.get_or_insert(machine);
        outcome
    }
}

pub(super) fn ignore_gone(result: Result<()>) -> Result<()> {
    match result {
        Err(e) if e.is_gone() => Ok(()),
        other => other,
    }
}
