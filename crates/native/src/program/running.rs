//! Letting the program go on, and what its stops mean.

use std::time::Duration;

use watchword_debug::{Event, Moment, Owner, Reason, Result, ThreadId, WatchHit};
use watchword_model::NativeWhen;

use super::events::Stood;
use super::{Inside, Program, Relative, START, Stopped, Why};
use crate::source::Source;

impl Program {
    /// Lets a stopped thread go on.
    pub fn resume(&mut self, thread: ThreadId) -> Result<()> {
        self.told.remove(&thread);
        let tracer = self.debugger.tracer();
        if !tracer.is_stopped(thread) || tracer.has_untold(thread) {
            // Deadlines and events inside the program stop no thread; if this one stands, that is
            // for something that is yet to be told.
            return Ok(());
        }
        match self.stepping == Some(thread) || self.accessing.contains_key(&thread) {
            true => self.debugger.tracer_mut().step(thread),
            false => self.debugger.resume(thread),
        }
    }

    /// Lets all threads go on.
    pub fn resume_all(&mut self) -> Result<()> {
        self.told.clear();
        for thread in self.accessing.keys().copied().collect::<Vec<_>>() {
            let tracer = self.debugger.tracer_mut();
            if tracer.is_stopped(thread) && !tracer.has_untold(thread) {
                tracer.step(thread)?;
            }
        }
        self.debugger.resume_all()
    }

    /// Waits for the next stop that is worth telling; everything else is dealt with. Only the
    /// thread in the answer is held (all of them for [`Why::Interrupted`]).
    pub fn wait(&mut self) -> Result<Stopped> {
        loop {
            let Some(event) = self.next_event()? else {
                let mut stopped = Stopped::new(self.process.main_thread());
                self.pass_time(&mut stopped)?;
                if !stopped.is_empty() {
                    return Ok(stopped);
                }
                continue;
            };
            let (thread, process) = (event.stop.thread, event.stop.process);
            let is_held = !matches!(event.stop.reason, Reason::Recorded);
            let digested = self.digest(event);
            self.turn_home();
            match digested {
                Ok(Some(stopped)) => return Ok(stopped),
                Ok(None) => {}
                // Killed in the meantime: its end is reported later.
                Err(e) if e.is_gone() && process != self.process => continue,
                Err(e) => return Err(e),
            }
            if !is_held {
                continue;
            }
            match self.resume(thread) {
                Err(e) if e.is_gone() => {}
                other => other?,
            }
        }
    }

    /// The next event of the program; `None` when a deadline of a monitor passes first.
    fn next_event(&mut self) -> Result<Option<Event>> {
        let others = self.relatives.iter_mut().flat_map(Relative::monitors);
        let monitors = self.monitors.iter_mut().chain(others);
        let deadlines = monitors.filter_map(|m| m.run.evaluator.next_deadline());
        let Some(deadline) = deadlines.min() else { return self.debugger.wait().map(Some) };
        let after = Duration::from_nanos(u64::try_from(deadline).unwrap_or(0));
        match self.clock.checked_add(after) {
            Some(end) => self.debugger.wait_until(end),
            None => self.debugger.wait().map(Some),
        }
    }

    /// Lets the monitors know how late it is.
    fn pass_time(&mut self, stopped: &mut Stopped) -> Result<()> {
        for process in self.processes() {
            self.turn_to(process);
            match self.pass_time_here(stopped) {
                Err(e) if e.is_gone() && !self.is_first() => {}
                other => other?,
            }
        }
        self.turn_home();
        Ok(())
    }

    /// Lets the monitors of the process whose turn it is know how late it is.
    fn pass_time_here(&mut self, stopped: &mut Stopped) -> Result<()> {
        let time = self.now();
        for m in 0..self.monitors.len() {
            // Time cannot run backwards: it is our own clock.
            self.monitors[m].run.advance_to(time);
            self.collect(m, Stood::Nowhere, None, stopped);
            if self.is_first() && self.exited.is_some() {
                continue;
            }
            let is_call = |s: &Source| s.declared.point.variable().is_none();
            let all_calls = self.monitors[m].sources.iter().all(is_call);
            if all_calls {
                self.tune(m, self.process.main_thread())?;
                continue;
            }
            // Variables are found through a thread that stands still.
            self.debugger.stop_all()?;
            if let Some(thread) = self.stopped_thread() {
                self.tune(m, thread)?;
            }
            self.debugger.resume_all()?;
        }
        Ok(())
    }

    /// What a stop means; `None` when the thread can simply go on.
    fn digest(&mut self, event: Event) -> Result<Option<Stopped>> {
        let Event { stop, values } = event;
        let thread = stop.thread;
        let mut stopped = Stopped::new(thread);
        let mut is_told = false;
        if !self.turn_to(stop.process) {
            match stop.reason {
                Reason::Forked { parent, by } => self.adopt_copy(parent, by, stop.process),
                Reason::Executed => self.adopt_new(stop.process),
                _ => return Ok(None),
            }
            self.turn_to(stop.process);
        }
        match stop.reason {
            Reason::Points { address, hits } => {
                // Debuggers that are connected have breakpoints where the dynamic linker announces.
                if self.debugger.tracer().announces_libraries(stop.process, address) {
                    self.libraries_changed(thread)?;
                }
                let (mut others, mut mine) = (Vec::new(), Vec::new());
                for hit in hits {
                    match hit.owner {
                        START => self.begin(thread, &mut stopped)?,
                        Owner::Monitor(_) => mine.push(hit),
                        _ => others.push(hit),
                    }
                }
                if !mine.is_empty() {
                    self.on_calls(thread, address, &mine, &values, &mut stopped)?;
                }
                is_told = matches!(stopped.why, Why::Started);
                if !others.is_empty() {
                    is_told = true;
                    stopped.why = Why::Points { address, hits: others };
                }
            }
            Reason::Watch { hits } => {
                let (later, now): (Vec<WatchHit>, Vec<WatchHit>) =
                    hits.into_iter().partition(|h| self.is_told_after(h));
                // An access told before a checkpoint is met again after going back to it.
                if !self.told.remove(&thread) {
                    self.on_accesses(thread, &now, &mut stopped)?;
                }
                let others = persons(&now);
                is_told = !others.is_empty();
                if is_told {
                    stopped.why = Why::Watch(others);
                }
                if now.iter().any(|h| h.moment == Moment::Before) {
                    self.told.insert(thread);
                }
                if !later.is_empty() {
                    // Told when it has been carried out.
                    self.accessing.insert(thread, later);
                }
            }
            Reason::Step => match self.accessing.remove(&thread) {
                Some(hits) => {
                    let done: Vec<WatchHit> = hits.into_iter().map(|h| self.completed(h)).collect();
                    self.on_accesses(thread, &done, &mut stopped)?;
                    let others = persons(&done);
                    is_told = !others.is_empty();
                    if is_told {
                        stopped.why = Why::Watch(others);
                    } else if self.stepping == Some(thread) {
                        is_told = true;
                        stopped.why = Why::Step;
                    }
                }
                None => {
                    is_told = true;
                    stopped.why = Why::Step;
                }
            },
            Reason::Signal(signal) => {
                self.on_signal(thread, signal, &mut stopped)?;
                is_told = self.debugger.tracer().is_signal_told(signal);
                if is_told {
                    stopped.why = Why::Signal(signal);
                }
            }
            Reason::Interrupted => {
                is_told = true;
                stopped.why = Why::Interrupted;
            }
            Reason::Recorded => self.on_records(&mut stopped)?,
            Reason::Libraries => {
                self.libraries_changed(thread)?;
                if self.settings.moves {
                    is_told = true;
                    stopped.why = Why::Libraries;
                }
            }
            Reason::ThreadStarted => self.begin_thread(thread)?,
            Reason::ThreadExited => self.end_thread(thread)?,
            Reason::Executed if !self.is_first() => {
                self.note_privilege();
                self.renew_child(thread)?;
            }
            Reason::Executed => {
                self.note_privilege();
                self.take_over_rest();
                self.places.forget();
                self.inside = Inside::default();
                self.monitors.iter_mut().for_each(|m| {
                    m.is_inside = false;
                    m.calls.clear();
                    m.sources.iter_mut().for_each(Source::forget);
                });
                self.arm_all(Some(thread))?;
                is_told = true;
                stopped.why = Why::Executed;
            }
            Reason::Exited(_) if !self.is_first() => self.end_child(&mut stopped),
            Reason::Exited(status) => {
                self.exited = Some(status);
                self.end(&mut stopped);
            }
            _ => {}
        }
        // The last process has ended.
        if let Some(status) = self.exited
            && self.relatives.is_empty()
        {
            is_told = true;
            stopped.why = Why::Exited(status);
        }
        Ok((is_told || !stopped.is_empty()).then_some(stopped))
    }

    /// Events are looked for in the libraries that are there now.
    fn libraries_changed(&mut self, thread: ThreadId) -> Result<()> {
        self.places.forget();
        self.inside.forget_callers();
        self.debugger.forget_callers(self.process);
        self.arm_all(Some(thread))
    }

    /// The program's own code begins.
    fn begin(&mut self, thread: ThreadId, stopped: &mut Stopped) -> Result<()> {
        if let Some(point) = self.start.take() {
            self.debugger.disarm(self.process, point)?;
        }
        self.started = true;
        self.note_privilege();
        self.arm_all(Some(thread))?;
        stopped.why = Why::Started;
        Ok(())
    }

    /// The program was ended by whoever watches it: what monitors have to say of that.
    pub(crate) fn finish(&mut self) -> Stopped {
        let mut stopped = Stopped::new(self.process.main_thread());
        self.end(&mut stopped);
        stopped
    }

    /// The program has ended; so has the trace.
    fn end(&mut self, stopped: &mut Stopped) {
        self.ended = Some(self.now());
        self.take_over_rest();
        self.tell_end(stopped);
    }

    /// Tells the monitors of the process whose turn it is that it has ended.
    pub(super) fn tell_end(&mut self, stopped: &mut Stopped) {
        let time = self.now();
        for m in 0..self.monitors.len() {
            // Time cannot run backwards here: it is our own clock.
            self.monitors[m].run.advance_to(time);
            self.monitors[m].run.end();
            self.collect(m, Stood::Nowhere, None, stopped);
        }
    }

    /// Whether an access that has not happened yet is reported only after it has happened.
    fn is_told_after(&self, hit: &WatchHit) -> bool {
        if hit.moment == Moment::After || hit.by_system_call {
            return false;
        }
        let Owner::Monitor(id) = hit.owner else { return true };
        let Some(monitor) = self.monitors.iter().find(|m| m.id.0 == id) else { return true };
        let before = |s: &&Source| s.declared.when == NativeWhen::Before;
        !monitor.sources.iter().filter(before).any(|s| s.watched.points().any(|p| p == hit.point))
    }

    /// An access that has been carried out meanwhile.
    fn completed(&self, hit: WatchHit) -> WatchHit {
        let mut new = vec![0; hit.old.len()];
        let read = self.debugger.tracer().read(self.process, hit.address, &mut new);
        WatchHit { moment: Moment::After, new: read.is_ok().then_some(new), ..hit }
    }
}

fn persons(hits: &[WatchHit]) -> Vec<WatchHit> {
    hits.iter().filter(|h| !matches!(h.owner, Owner::Monitor(_))).cloned().collect()
}
