//! The program and the monitors that watch it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use watchword_debug::{
    Access, Captured, Debugger, Event, ExitStatus, Hit, Launch, Moment, Owner, Phase, PointId,
    ProcessId, Reason, Result, ThreadId, WatchHit, WatchMethod,
};
use watchword_model::{
    EventId, EventRef, Location, Model, NativePoint, NativeWhen, Time, Value, ValueRef,
};
use watchword_monitor::{Engine, Keep, Move, Options, Report, Said};

use crate::location::{self, FrameLine, Places};
use crate::monitor::{Monitor, MonitorId};
use crate::source::{ArmNote, Armed, Source};
use crate::term::{self, Taken};
use crate::value;
use crate::watching::{Chain, Manner, Role};

/// The owner of the point at the program's entry; monitors count from 1.
const START: Owner = Owner::Monitor(0);

/// Frames a backtrace of a violation has at most.
const FRAMES: usize = 64;

/// How a program is watched.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many steps of an instance's history a report shows.
    pub history: usize,
    /// How many instances of a property may live at a time.
    pub max_instances: Option<usize>,
    /// Which of them stay when there are more.
    pub keep: Keep,
    /// Whether only those events are armed that some monitor is sensitive to.
    pub dynamic: bool,
    /// Whether changes of state, and of the set of libraries, are told.
    pub moves: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            history: 10,
            max_instances: None,
            keep: Keep::default(),
            dynamic: true,
            moves: false,
        }
    }
}

/// A verdict, with where the program was.
#[derive(Clone, Debug)]
pub struct Found {
    /// Whose it is.
    pub monitor: MonitorId,
    /// The verdict.
    pub report: Report,
    /// Where it happened.
    pub location: Option<Arc<Location>>,
    /// How the program got there.
    pub backtrace: Vec<FrameLine>,
}

/// An event a monitor was told, before it was: for recorders.
#[derive(Debug)]
pub struct Happened<'a> {
    /// The model that declares the event.
    pub model: &'a Model,
    /// The event.
    pub event: EventId,
    /// Its arguments.
    pub args: &'a [Value],
    /// When.
    pub time: Time,
    /// On which thread.
    pub thread: u64,
    /// Where.
    pub location: Option<&'a Arc<Location>>,
}

/// Why the program stopped.
#[derive(Clone, Debug)]
pub enum Why {
    /// Monitors have something to say; nobody else does.
    Monitors,
    /// Breakpoints of the person or a scenario.
    Points {
        /// Where the thread stands.
        address: u64,
        /// The breakpoints.
        hits: Vec<Hit>,
    },
    /// Watchpoints of the person or a scenario; the accesses have happened.
    Watch(Vec<WatchHit>),
    /// A signal is about to be delivered.
    Signal(i32),
    /// One instruction was executed.
    Step,
    /// Somebody asked for it.
    Interrupted,
    /// The program itself begins now: its libraries are loaded.
    Started,
    /// Libraries came or went; told if asked for.
    Libraries,
    /// The process runs another program now.
    Executed,
    /// The program has ended.
    Exited(ExitStatus),
}

/// A stop worth telling.
#[derive(Debug)]
pub struct Stopped {
    /// The thread that is held.
    pub thread: ThreadId,
    /// Why.
    pub why: Why,
    /// What monitors found.
    pub found: Vec<Found>,
    /// What properties said.
    pub said: Vec<(MonitorId, Said)>,
    /// Changes of state, if they are to be told.
    pub moves: Vec<(MonitorId, Move)>,
}

type Recorder = Box<dyn FnMut(&Happened<'_>)>;

/// A process and the monitors that watch it.
pub struct Program {
    pub(crate) debugger: Debugger,
    pub(crate) process: ProcessId,
    pub(crate) monitors: Vec<Monitor>,
    pub(crate) settings: Settings,
    next_monitor: u32,
    places: Places,
    start: Option<PointId>,
    started: bool,
    /// Accesses that threads are about to make and that are told afterwards.
    accessing: HashMap<ThreadId, Vec<WatchHit>>,
    /// Threads that stand before an access that was told.
    told: HashSet<ThreadId>,
    /// Instructions the person asked for, that turned out to be watched accesses.
    pub(crate) stepping: Option<ThreadId>,
    clock: Instant,
    recorder: Option<Recorder>,
    notes: Vec<ArmNote>,
    pub(crate) exited: Option<ExitStatus>,
}

impl Program {
    /// Starts a program; it stands before its first instruction.
    pub fn launch(launch: Launch, settings: Settings) -> Result<Program> {
        let (debugger, process) = Debugger::launch(launch)?;
        let mut program = Program::around(debugger, process, settings);
        if let Some(entry) = program.debugger.tracer().entry_address(process) {
            program.start = Some(program.debugger.arm_address(process, entry, START, &[])?);
        }
        Ok(program)
    }

    /// Joins a running process; its threads are stopped.
    pub fn attach(pid: i32, settings: Settings) -> Result<Program> {
        let (debugger, process) = Debugger::attach(pid)?;
        let mut program = Program::around(debugger, process, settings);
        program.started = true;
        Ok(program)
    }

    fn around(debugger: Debugger, process: ProcessId, settings: Settings) -> Program {
        Program {
            debugger,
            process,
            monitors: Vec::new(),
            settings,
            next_monitor: 1,
            places: Places::default(),
            start: None,
            started: false,
            accessing: HashMap::new(),
            told: HashSet::new(),
            stepping: None,
            clock: Instant::now(),
            recorder: None,
            notes: Vec::new(),
            exited: None,
        }
    }

    /// The debugger beneath.
    pub fn debugger(&mut self) -> &mut Debugger {
        &mut self.debugger
    }

    /// The process.
    pub fn process(&self) -> ProcessId {
        self.process
    }

    /// How the program ended, if it has.
    pub fn exited(&self) -> Option<ExitStatus> {
        self.exited
    }

    /// Whether the program itself has begun: before that, only the dynamic linker has run.
    pub fn has_started(&self) -> bool {
        self.started
    }

    /// The monitors.
    pub fn monitors(&self) -> &[Monitor] {
        &self.monitors
    }

    /// The monitors, to be changed by a person.
    pub fn monitors_mut(&mut self) -> &mut [Monitor] {
        &mut self.monitors
    }

    /// Tells every event to a recorder before the monitors see it.
    pub fn record(&mut self, recorder: impl FnMut(&Happened<'_>) + 'static) {
        self.recorder = Some(Box::new(recorder));
    }

    /// What is to be told about arming, since the last call.
    pub fn take_notes(&mut self) -> Vec<ArmNote> {
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(self.monitors.iter_mut().flat_map(Monitor::take_notes));
        notes
    }

    // ---- properties ---------------------------------------------------------------------

    /// Loads properties; they watch the program from now on. A thread must be stopped.
    pub fn load(&mut self, name: &str, model: Arc<Model>) -> Result<MonitorId> {
        let id = MonitorId(self.next_monitor);
        self.next_monitor += 1;
        self.monitors.push(Monitor::new(id, name, model, options(&self.settings)));
        if self.exited.is_none() {
            self.arm_all(None)?;
        }
        Ok(id)
    }

    /// Unloads properties; what they found stays found.
    pub fn unload(&mut self, id: MonitorId) -> Result<()> {
        self.monitors.retain(|m| m.id != id);
        if self.exited.is_none() {
            self.debugger.tracer_mut().disarm_owner(self.process, Owner::Monitor(id.0))?;
        }
        Ok(())
    }

    /// Arms what can be found of the declared events. `thread`: one that is stopped, if that is
    /// known.
    fn arm_all(&mut self, thread: Option<ThreadId>) -> Result<()> {
        let thread = match thread {
            Some(thread) => thread,
            None => match self.stopped_thread() {
                Some(thread) => thread,
                None => self.process.main_thread(),
            },
        };
        for monitor in &mut self.monitors {
            let owner = Owner::Monitor(monitor.id.0);
            for (index, source) in monitor.sources.iter_mut().enumerate() {
                let event = &monitor.model.events[source.event.index()].name;
                let result = match &source.declared.point {
                    NativePoint::Call(_) => {
                        source.arm_calls(&mut self.debugger, self.process, event, owner)
                    }
                    _ => {
                        arm_variable(source, &mut self.debugger, self.process, thread, event, owner)
                    }
                };
                if let Err(e) = result {
                    if e.is_gone() {
                        return Err(e);
                    }
                    let text = e.to_string();
                    source.news.push(ArmNote::Warning { event: event.clone(), text });
                }
                monitor.calls.extend(source.sites.iter().map(|s| (s.point, index)));
            }
        }
        for m in 0..self.monitors.len() {
            self.tune(m, thread)?;
        }
        Ok(())
    }

    /// Some thread that is stopped.
    pub fn stopped_thread(&self) -> Option<ThreadId> {
        let tracer = self.debugger.tracer();
        tracer.threads(self.process).into_iter().find(|t| tracer.is_stopped(*t))
    }

    /// Declared events that were found nowhere in the program so far, in words.
    pub fn missing(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        for m in 0..self.monitors.len() {
            for (event, source) in self.monitors[m].unarmed() {
                let name = source.rsplit(' ').next().unwrap_or_default().to_string();
                let mut text =
                    format!("`{event}`: {source}: there is no such thing in the program");
                if source.contains(" call ") {
                    text = format!("`{event}`: no function named `{name}`");
                    let close = self.debugger.similar_functions(self.process, &name);
                    if !close.is_empty() {
                        text.push_str(&format!("; there is `{}`", close.join("`, `")));
                    }
                }
                all.push(text);
            }
        }
        all
    }

    // ---- running ------------------------------------------------------------------------

    /// Lets a stopped thread go on.
    pub fn resume(&mut self, thread: ThreadId) -> Result<()> {
        self.told.remove(&thread);
        if !self.debugger.tracer().is_stopped(thread) {
            // A deadline stops no thread.
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

    /// A handle with which any thread can stop the program.
    pub fn interrupter(&mut self) -> Result<watchword_debug::Interrupter> {
        self.debugger.tracer_mut().interrupter()
    }

    /// Arms what the monitors are sensitive to after somebody changed them.
    pub fn tune_all(&mut self) -> Result<()> {
        let Some(thread) = self.stopped_thread() else { return Ok(()) };
        for m in 0..self.monitors.len() {
            self.monitors[m].tuned = None;
            self.tune(m, thread)?;
        }
        Ok(())
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
            let thread = event.stop.thread;
            if let Some(stopped) = self.digest(event)? {
                return Ok(stopped);
            }
            match self.resume(thread) {
                Err(e) if e.is_gone() => {}
                other => other?,
            }
        }
    }

    /// The next event of the program; `None` when a deadline of a monitor passes first.
    fn next_event(&mut self) -> Result<Option<Event>> {
        let deadlines = self.monitors.iter_mut().filter_map(|m| m.engine.next_deadline());
        let Some(deadline) = deadlines.min() else { return self.debugger.wait().map(Some) };
        let mut pause = Duration::from_micros(20);
        loop {
            if let Some(event) = self.debugger.poll()? {
                return Ok(Some(event));
            }
            let left = deadline.saturating_sub(self.now());
            if left <= 0 {
                return Ok(None);
            }
            std::thread::sleep(pause.min(Duration::from_nanos(left as u64)));
            pause = (pause * 2).min(Duration::from_millis(2));
        }
    }

    /// Lets the monitors know how late it is.
    fn pass_time(&mut self, stopped: &mut Stopped) -> Result<()> {
        let time = self.now();
        for m in 0..self.monitors.len() {
            // Time cannot run backwards: it is our own clock.
            let _ = self.monitors[m].engine.advance_to(time);
            self.collect(m, None, None, stopped);
            let is_call = |s: &Source| matches!(s.declared.point, NativePoint::Call(_));
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
        match stop.reason {
            Reason::Points { address, hits } => {
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
                is_told = true;
                stopped.why = Why::Signal(signal);
            }
            Reason::Interrupted => {
                is_told = true;
                stopped.why = Why::Interrupted;
            }
            Reason::Libraries => {
                self.places.forget();
                self.arm_all(Some(thread))?;
                if self.settings.moves {
                    is_told = true;
                    stopped.why = Why::Libraries;
                }
            }
            Reason::Executed if stop.process == self.process => {
                self.places.forget();
                self.monitors.iter_mut().for_each(|m| {
                    m.calls.clear();
                    m.sources.iter_mut().for_each(Source::forget);
                });
                self.arm_all(Some(thread))?;
                is_told = true;
                stopped.why = Why::Executed;
            }
            Reason::Exited(status) if stop.process == self.process => {
                self.exited = Some(status);
                self.end(&mut stopped);
                is_told = true;
                stopped.why = Why::Exited(status);
            }
            _ => {}
        }
        Ok((is_told || !stopped.is_empty()).then_some(stopped))
    }

    /// The program's own code begins.
    fn begin(&mut self, thread: ThreadId, stopped: &mut Stopped) -> Result<()> {
        if let Some(point) = self.start.take() {
            self.debugger.disarm(self.process, point)?;
        }
        self.started = true;
        self.arm_all(Some(thread))?;
        stopped.why = Why::Started;
        Ok(())
    }

    /// The program has ended; so has the trace.
    fn end(&mut self, stopped: &mut Stopped) {
        for m in 0..self.monitors.len() {
            let time = self.now();
            // Time cannot run backwards here: it is our own clock.
            let _ = self.monitors[m].engine.advance_to(time);
            self.monitors[m].engine.end();
            self.collect(m, None, None, stopped);
        }
    }

    fn now(&self) -> Time {
        self.clock.elapsed().as_nanos() as Time
    }

    // ---- events -------------------------------------------------------------------------

    /// Points of monitors fired at one address: the events, in the order of their declarations,
    /// those of returns first.
    fn on_calls(
        &mut self,
        thread: ThreadId,
        address: u64,
        hits: &[Hit],
        values: &[(PointId, Vec<Captured>)],
        stopped: &mut Stopped,
    ) -> Result<()> {
        let mut events: Vec<(usize, usize, &Hit)> = Vec::new();
        for hit in hits {
            let Owner::Monitor(id) = hit.owner else { continue };
            let Some(m) = self.monitors.iter().position(|m| m.id.0 == id) else { continue };
            match self.monitors[m].calls.get(&hit.point) {
                Some(source) => events.push((m, *source, hit)),
                None => self.on_scope(thread, m, hit)?,
            }
        }
        let side = |hit: &Hit| (hit.phase != Phase::After, hit.call.is_none());
        events.sort_by_key(|(m, source, hit)| (side(hit), *m, *source));
        let returns = events.first().is_some_and(|(_, _, h)| h.phase == Phase::After);
        if returns {
            // Innermost calls return first, whatever was declared first.
            let order = |hit: &Hit| hits.iter().position(|h| h.call == hit.call);
            events.sort_by_key(|(m, source, hit)| (side(hit), order(hit), *m, *source));
        }
        for (m, s, hit) in events {
            let captured = values.iter().find(|(p, _)| *p == hit.point).map_or(&[][..], |v| &v.1);
            let place = match hit.phase {
                // At the entry of a function the place of the event is the call.
                Phase::Before | Phase::Entered => self.call_site(thread, address)?,
                Phase::After => address.wrapping_sub(1),
            };
            let args = self.arguments(m, s, captured, thread, None);
            self.step(m, s, args, thread, place, stopped)?;
        }
        Ok(())
    }

    /// The call that led to a function's entry.
    fn call_site(&mut self, thread: ThreadId, entry: u64) -> Result<u64> {
        let sp = self.debugger.tracer_mut().registers(thread)?.sp();
        let back = self.debugger.tracer().read_u64(self.process, sp);
        Ok(back.map_or(entry, |b| b.wrapping_sub(1)))
    }

    /// An activation of a function whose variables are watched begins or ends.
    fn on_scope(&mut self, thread: ThreadId, m: usize, hit: &Hit) -> Result<()> {
        let monitor = &mut self.monitors[m];
        let owner = Owner::Monitor(monitor.id.0);
        for source in &mut monitor.sources {
            let manner = manner(source, owner);
            let (NativePoint::Write(variable)
            | NativePoint::Read(variable)
            | NativePoint::Update(variable)) = &source.declared.point
            else {
                continue;
            };
            if source.watched.begins.contains(&hit.point) {
                let term = term::expression(&variable.term);
                let manner = source.wanted.then_some(manner);
                if let Err(e) = source.watched.begin(&mut self.debugger, thread, &term, manner) {
                    if e.is_gone() {
                        return Err(e);
                    }
                    let event = monitor.model.events[source.event.index()].name.clone();
                    let note = ArmNote::Warning { event, text: e.to_string() };
                    if source.unread.insert((usize::MAX, e.to_string())) {
                        source.news.push(note);
                    }
                }
            } else if source.watched.ends.contains(&hit.point) {
                let sp = self.debugger.tracer_mut().registers(thread)?.sp();
                source.watched.end(&mut self.debugger, thread, sp)?;
            }
        }
        Ok(())
    }

    /// Whether an access that has not happened yet is told only when it has.
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

    /// Watched memory of monitors was accessed.
    fn on_accesses(
        &mut self,
        thread: ThreadId,
        hits: &[WatchHit],
        stopped: &mut Stopped,
    ) -> Result<()> {
        for hit in hits {
            let Owner::Monitor(id) = hit.owner else { continue };
            let Some(m) = self.monitors.iter().position(|m| m.id.0 == id) else { continue };
            for s in 0..self.monitors[m].sources.len() {
                self.on_access(thread, m, s, hit, stopped)?;
            }
        }
        Ok(())
    }

    fn on_access(
        &mut self,
        thread: ThreadId,
        m: usize,
        s: usize,
        hit: &WatchHit,
        stopped: &mut Stopped,
    ) -> Result<()> {
        let source = &mut self.monitors[m].sources[s];
        let manner = manner(source, hit.owner);
        let is_update = matches!(source.declared.point, NativePoint::Update(_));
        let wanted = source.access();
        let Some((chain, role)) = source.watched.role_of(hit.point) else { return Ok(()) };
        let before = chain.object.clone();
        let seen = match role {
            Role::Object => {
                let bytes = hit.new.as_deref().unwrap_or(&hit.old);
                let seen = before.as_ref().map(|o| o.with_bytes(bytes));
                if hit.new.is_some() {
                    chain.object = seen.clone();
                }
                seen
            }
            Role::Link => {
                chain.arm(&mut self.debugger, thread, manner)?;
                chain.value(&mut self.debugger, thread)
            }
        };
        let happened = match (is_update, role) {
            (true, _) => match (&before, &seen) {
                (Some(old), Some(new)) => old.bytes() != new.bytes(),
                (old, new) => old.is_some() != new.is_some(),
            },
            (false, Role::Object) => wanted == Access::Read || hit.access == Access::Write,
            (false, Role::Link) => false,
        };
        let (of, address) = (chain.of, chain.address());
        if !happened {
            return Ok(());
        }
        let read: Vec<Captured> = {
            let expressions = self.monitors[m].sources[s].read.clone();
            let evaluate = |e| self.debugger.evaluate(thread, 0, e).map_err(std::rc::Rc::new);
            expressions.iter().map(evaluate).collect()
        };
        let access = Accessed { value: seen, address: address.unwrap_or(hit.address), of };
        let args = self.arguments(m, s, &read, thread, Some(&access));
        let pc = self.debugger.tracer_mut().registers(thread)?.pc();
        let place = hit.instruction.unwrap_or(pc.wrapping_sub(1));
        self.step(m, s, args, thread, place, stopped)
    }

    /// The arguments of an event. What cannot be read is null, and said once.
    fn arguments(
        &mut self,
        m: usize,
        s: usize,
        read: &[Captured],
        thread: ThreadId,
        access: Option<&Accessed>,
    ) -> Vec<Value> {
        let (debugger, process) = (&self.debugger, self.process);
        let monitor = &mut self.monitors[m];
        let source = &mut monitor.sources[s];
        let mut args = vec![Value::Null; source.params.len()];
        if let Some((param, object)) = access.and_then(|a| a.of) {
            args[param] = Value::Ptr(object);
        }
        for (param, what) in &source.taken {
            let ty = source.params[*param];
            let value = match what {
                Taken::Read(i) => match read.get(*i) {
                    Some(captured) => value::to_model(debugger, process, captured, ty),
                    None => Err("it was not read".into()),
                },
                Taken::Thread => Ok(Value::Int(i64::from(thread.raw()))),
                Taken::Address => Ok(access.map_or(Value::Null, |a| Value::Ptr(a.address))),
                Taken::Value => match access.and_then(|a| a.value.clone()) {
                    Some(seen) => value::to_model(debugger, process, &Ok(seen), ty),
                    None => Ok(Value::Null),
                },
            };
            match value {
                Ok(value) => args[*param] = value,
                Err(why) => {
                    let key = (*param, why);
                    if !source.unread.contains(&key) && source.unread.len() < 100 {
                        let decl = &monitor.model.events[source.event.index()];
                        let text =
                            format!("`{}` could not be read: {}", decl.params[*param].name, key.1);
                        let event = decl.name.clone();
                        source.news.push(ArmNote::Warning { event, text });
                        source.unread.insert(key);
                    }
                }
            }
        }
        args
    }

    /// Hands an event to its monitor.
    fn step(
        &mut self,
        m: usize,
        s: usize,
        args: Vec<Value>,
        thread: ThreadId,
        place: u64,
        stopped: &mut Stopped,
    ) -> Result<()> {
        if !self.monitors[m].sources[s].wanted {
            return Ok(());
        }
        let location = self.places.at(&mut self.debugger, self.process, place);
        let time = self.now();
        let monitor = &mut self.monitors[m];
        let event = monitor.sources[s].event;
        if let Some(recorder) = &mut self.recorder {
            recorder(&Happened {
                model: &monitor.model,
                event,
                args: &args,
                time,
                thread: thread.raw() as u64,
                location: Some(&location),
            });
        }
        monitor.by_event[event.index()] += 1;
        let borrowed: Vec<ValueRef<'_>> = args.iter().map(ValueRef::from).collect();
        // Time cannot run backwards: it is our own clock.
        let _ = monitor.engine.step(&EventRef {
            kind: event,
            args: &borrowed,
            time: Some(time),
            thread: Some(thread.raw() as u64),
            location: Some(&location),
        });
        self.collect(m, Some(thread), Some(&location), stopped);
        self.tune(m, thread)?;
        self.watch_fields(m, thread)
    }

    /// Watches fields of the objects that instances know, and of no others.
    fn watch_fields(&mut self, m: usize, thread: ThreadId) -> Result<()> {
        let monitor = &mut self.monitors[m];
        let owner = Owner::Monitor(monitor.id.0);
        for s in 0..monitor.sources.len() {
            let source = &monitor.sources[s];
            let Some((argument, name, ty)) = source.field.clone() else { continue };
            let objects = monitor.known_objects(source.event, argument);
            let source = &mut monitor.sources[s];
            let (NativePoint::Write(variable)
            | NativePoint::Read(variable)
            | NativePoint::Update(variable)) = &source.declared.point
            else {
                continue;
            };
            let term = term::expression(&variable.term);
            let manner = source.wanted.then(|| manner(source, owner));
            let watched = &mut source.watched;
            watched.keep_fields(&mut self.debugger, self.process, &|o| objects.contains(&o))?;
            for object in objects {
                let of = (argument, name.as_str(), ty.as_str());
                let result =
                    watched.watch_field(&mut self.debugger, thread, &term, of, object, manner);
                if let Err(e) = result {
                    if e.is_gone() {
                        return Err(e);
                    }
                    if source.unread.insert((usize::MAX, e.to_string())) {
                        let event = monitor.model.events[source.event.index()].name.clone();
                        source.news.push(ArmNote::Warning { event, text: e.to_string() });
                    }
                }
            }
        }
        Ok(())
    }

    /// Arms what the monitor is sensitive to now, and nothing else. The thread whose event changed
    /// that is held meanwhile, so nothing that happens because of it is missed. What is told after
    /// a call stays armed: calls in flight may return when it matters.
    pub(crate) fn tune(&mut self, m: usize, thread: ThreadId) -> Result<()> {
        if !self.settings.dynamic {
            return Ok(());
        }
        let monitor = &mut self.monitors[m];
        let sensitive = monitor.engine.sensitive_events();
        if monitor.tuned == Some(sensitive.generation()) {
            return Ok(());
        }
        monitor.tuned = Some(sensitive.generation());
        let owner = Owner::Monitor(monitor.id.0);
        for source in &mut monitor.sources {
            let is_call = matches!(source.declared.point, NativePoint::Call(_));
            let is_after = is_call && source.declared.when == NativeWhen::After;
            let wanted = is_after || sensitive.contains(source.event);
            if source.wanted == wanted {
                continue;
            }
            source.wanted = wanted;
            for site in &source.sites {
                self.debugger.tracer_mut().mute(self.process, site.point, !wanted)?;
            }
            let manner = wanted.then(|| manner(source, owner));
            source.watched.set_armed(&mut self.debugger, thread, manner)?;
        }
        Ok(())
    }

    /// Takes what a monitor has to say.
    fn collect(
        &mut self,
        m: usize,
        thread: Option<ThreadId>,
        here: Option<&Arc<Location>>,
        stopped: &mut Stopped,
    ) {
        let monitor = &mut self.monitors[m];
        let id = monitor.id;
        if self.settings.moves {
            stopped.moves.extend(monitor.engine.take_moves().into_iter().map(|m| (id, m)));
        }
        stopped.said.extend(monitor.engine.take_said().into_iter().map(|s| (id, s)));
        if !monitor.engine.has_reports() {
            return;
        }
        let reports = monitor.engine.take_reports();
        let backtrace = thread.map_or(Vec::new(), |t| self.backtrace(t));
        stopped.found.extend(reports.into_iter().map(|report| {
            let is_here = report.cause == watchword_monitor::Cause::Event;
            Found {
                monitor: id,
                location: here.filter(|_| is_here).cloned(),
                backtrace: backtrace.clone(),
                report,
            }
        }));
    }

    // ---- going back ---------------------------------------------------------------------

    /// The monitors as they are.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let of = |m: &Monitor| Kept {
            id: m.id,
            engine: m.engine.clone(),
            by_event: m.by_event.clone(),
            chains: m.sources.iter().map(|s| s.watched.chains.clone()).collect(),
        };
        Snapshot { monitors: self.monitors.iter().map(of).collect(), told: self.told.clone() }
    }

    /// Puts the monitors back; those loaded since begin anew. All threads are stopped.
    pub(crate) fn go_back(&mut self, snapshot: &Snapshot, thread: Option<ThreadId>) -> Result<()> {
        let Some(thread) = thread.or(self.stopped_thread()) else { return Ok(()) };
        // Accesses that were under way begin again.
        self.accessing.clear();
        self.told = snapshot.told.clone();
        self.places.forget();
        for monitor in &mut self.monitors {
            let kept = snapshot.monitors.iter().find(|k| k.id == monitor.id);
            let owner = Owner::Monitor(monitor.id.0);
            match kept {
                Some(kept) => {
                    monitor.engine = kept.engine.clone();
                    monitor.by_event = kept.by_event.clone();
                }
                None => {
                    let plan = monitor.engine.plan().clone();
                    monitor.engine = Engine::with_plan(plan, options(&self.settings));
                    monitor.by_event.fill(0);
                }
            }
            monitor.tuned = None;
            for (i, source) in monitor.sources.iter_mut().enumerate() {
                let chains = kept.and_then(|k| k.chains.get(i)).cloned();
                let manner = source.wanted.then(|| manner(source, owner));
                source.watched.replace(&mut self.debugger, thread, chains, manner)?;
            }
        }
        for m in 0..self.monitors.len() {
            self.tune(m, thread)?;
        }
        Ok(())
    }

    /// The backtrace of a stopped thread, as far as it can be found.
    pub fn backtrace(&mut self, thread: ThreadId) -> Vec<FrameLine> {
        let frames = self.debugger.backtrace(thread, FRAMES).unwrap_or_default();
        location::frame_lines(&self.debugger, self.process, &frames)
    }
}

/// Monitors as they were.
#[derive(Clone)]
pub(crate) struct Snapshot {
    monitors: Vec<Kept>,
    told: HashSet<ThreadId>,
}

#[derive(Clone)]
struct Kept {
    id: MonitorId,
    engine: Engine,
    by_event: Vec<u64>,
    chains: Vec<Vec<Chain>>,
}

/// What is known of an access.
struct Accessed {
    value: Option<watchword_debug::Value>,
    address: u64,
    of: Option<(usize, u64)>,
}

impl Stopped {
    fn new(thread: ThreadId) -> Stopped {
        let (found, said, moves) = (Vec::new(), Vec::new(), Vec::new());
        Stopped { thread, why: Why::Monitors, found, said, moves }
    }

    /// Whether monitors have nothing to say.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.said.is_empty() && self.moves.is_empty()
    }
}

fn options(settings: &Settings) -> Options {
    // Builds for testing tests have options of their own.
    #[allow(clippy::needless_update)]
    Options {
        history: settings.history,
        max_instances: settings.max_instances,
        keep: settings.keep,
        moves: settings.moves,
        sensitive: settings.dynamic,
        ..Options::default()
    }
}

fn persons(hits: &[WatchHit]) -> Vec<WatchHit> {
    hits.iter().filter(|h| !matches!(h.owner, Owner::Monitor(_))).cloned().collect()
}

/// How the variable of a source is watched.
fn manner(source: &Source, owner: Owner) -> Manner {
    let method = match source.declared.when {
        NativeWhen::Before => WatchMethod::Pages,
        NativeWhen::After => WatchMethod::Any,
    };
    Manner { access: source.access(), method, owner }
}

/// Arms an event of a variable, as soon as the variable can be found.
fn arm_variable(
    source: &mut Source,
    debugger: &mut Debugger,
    process: ProcessId,
    thread: ThreadId,
    event: &str,
    owner: Owner,
) -> Result<()> {
    let manner = Some(manner(source, owner)).filter(|_| source.wanted);
    let (NativePoint::Write(variable)
    | NativePoint::Read(variable)
    | NativePoint::Update(variable)) = source.declared.point.clone()
    else {
        return Ok(());
    };
    if source.field.is_some() {
        source.watched.expect_fields();
        return Ok(());
    }
    let fresh = match &variable.scope {
        Some(function) => source.watched.find_scope(debugger, process, function, owner)?,
        None => {
            match source.watched.find_global(
                debugger,
                thread,
                &term::expression(&variable.term),
                manner,
            ) {
                // Perhaps a library that is yet to be loaded has it.
                Err(e) if e.kind() == watchword_debug::ErrorKind::NotFound => false,
                other => other?,
            }
        }
    };
    if fresh {
        let methods: Vec<Option<WatchMethod>> =
            source.watched.points().map(|p| debugger.tracer().watch_method(process, p)).collect();
        let how = match variable.scope {
            Some(_) => "watched while its function runs",
            None if methods.contains(&Some(WatchMethod::Pages)) => "page protection",
            None => "debug registers",
        };
        let object = source.watched.chains.first();
        source.news.push(ArmNote::Armed(Armed {
            event: event.into(),
            name: term::text(&variable.term),
            module: debugger.modules(process).first().map(|m| m.path.clone()).unwrap_or_default(),
            address: object.and_then(|c| c.address()).unwrap_or(0),
            how,
        }));
    }
    Ok(())
}
