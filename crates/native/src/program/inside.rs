//! Events that are written down inside the program: which can be, and what becomes of them.
//!
//! They reach the monitors after the program has run on. So what a monitor is not sensitive to cannot
//! be disarmed, only ignored; nobody can stop the program at a verdict; and of where it was, the
//! function and its caller are known. What has to be exact about time or memory stays with
//! breakpoints.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use watchword_debug::info::{Kind, Type as ProgramType};
use watchword_debug::{Filter, Mark, PointId, QUESTION, Recorded, Recording, Result, Word};
use watchword_model::{
    EventRef, Location, NativeCaller, PropertyId, Time, Type, Value, ValueRef, Where,
};

use super::events::Stood;
use super::filter::Filters;
use super::resident::Resident;
use super::{Backend, Program, Stopped, options};
use crate::location::FrameLine;
use crate::monitor::MonitorId;
use crate::source::{ArmNote, Source};
use crate::term::Taken;

/// So many callers are kept at hand; a power of two.
const RECENT: usize = 256;

/// What is known of records.
#[derive(Default)]
pub(super) struct Inside {
    /// Addresses for which it was decided.
    decided: HashSet<u64>,
    /// The events and monitors of each kind of record.
    kinds: Vec<Option<Rc<Vec<Told>>>>,
    /// Whether a function was called from inside its library, by function and caller.
    callers: HashMap<(u64, u64), bool>,
    /// Those that were asked for lately.
    recent: Vec<(u64, u64, bool)>,
    /// What need not be written down, by monitor.
    filters: HashMap<MonitorId, Filters>,
    /// Properties whose instances are inside the program, by monitor.
    pub residents: HashMap<MonitorId, Vec<Resident>>,
    /// How many maps of marks are in use.
    maps: usize,
    /// Maps in which not every value is marked that should be.
    given_up: HashSet<usize>,
}

impl Inside {
    /// Libraries came or went.
    pub fn forget_callers(&mut self) {
        self.callers.clear();
        self.recent.clear();
    }
}

/// An event of a monitor that a record tells.
struct Told {
    monitor: usize,
    source: usize,
    function: u64,
    caller: Option<NativeCaller>,
    values: Vec<(usize, Rc<ProgramType>)>,
    /// What the arguments are, if a word tells each of them; those that nothing tells are null.
    plain: Option<Vec<(usize, Plain)>>,
    /// See `watchword_debug::RecordedPoint`.
    tests: Option<Vec<Mark>>,
    step: Option<usize>,
}

/// So many arguments plain events have at most.
pub(super) const FEW: usize = 4;

impl Program {
    /// Moves events from breakpoints into the program, where that is possible.
    pub(super) fn move_inside(&mut self) -> Result<()> {
        if let Some(why) = self.stays_outside() {
            if self.settings.backend == Backend::Inject {
                self.explain(|_| Some(why.to_string()));
            }
            return Ok(());
        }
        let mut fresh: Vec<u64> = self
            .monitors
            .iter()
            .flat_map(|m| m.sources.iter().flat_map(|s| s.sites.iter().map(|site| site.address)))
            .filter(|a| !self.inside.decided.contains(a))
            .collect();
        fresh.sort_unstable();
        fresh.dedup();
        if fresh.is_empty() {
            return Ok(());
        }
        // Nothing may be missed from here on because a monitor did not want it.
        self.unmute_all()?;
        self.make_filters();
        self.make_residents(fresh[0]);
        let residents = RefCell::new(std::mem::take(&mut self.inside.residents));
        let mut reasons: HashMap<u64, Option<String>> = HashMap::new();
        for address in fresh {
            let monitors = &self.monitors;
            let takes = |point: PointId, index: usize, ty: &ProgramType| {
                let source =
                    monitors.iter().find_map(|m| m.calls.get(&point).map(|s| &m.sources[*s]));
                source.is_some_and(|s| is_told_by_a_word(s, index, ty))
            };
            let filters = &self.inside.filters;
            let filter = |point: PointId, words: &[Word]| {
                let of = monitors.iter().find_map(|m| m.calls.get(&point).map(|s| (m, *s)));
                let Some((monitor, source)) = of else { return Ok(Filter::default()) };
                let filters = filters.get(&monitor.id);
                let mut filter = filters
                    .map(|filters| filters.of_source(&monitor.sources[source]))
                    .unwrap_or_default();
                if let Some(all) = residents.borrow_mut().get_mut(&monitor.id) {
                    let mut own = all.iter_mut().filter(|r| r.observes(monitor, source));
                    filter.step = own.find_map(|r| r.step(monitor, source, words, address));
                }
                Ok(filter)
            };
            let moved = self.debugger.move_inside(self.process, address, &takes, &filter);
            self.inside.decided.insert(address);
            if moved.is_err() {
                self.give_up_filters(address);
            }
            if moved.is_ok() {
                let at = |s: &Source| s.sites.iter().any(|site| site.address == address);
                for monitor in &mut self.monitors {
                    monitor.is_inside |= monitor.sources.iter().any(at);
                }
            }
            reasons.insert(address, moved.err());
        }
        self.inside.residents = residents.into_inner();
        for map in &self.inside.given_up {
            self.debugger.mark_all(self.process, *map);
        }
        for monitor in &mut self.monitors {
            // What was not moved is armed as it is needed, unless something else of it was.
            monitor.tuned = None;
            match monitor.is_inside {
                true => monitor.stop_tuning(options(&self.settings)),
                false => monitor.sources.iter_mut().for_each(|s| s.wanted = true),
            }
        }
        self.explain(|address| reasons.get(&address).cloned().flatten());
        Ok(())
    }

    /// Finds events that need not be recorded. If a trace is collected, all events are recorded.
    fn make_filters(&mut self) {
        if !self.settings.dynamic || self.recorder.is_some() {
            return;
        }
        for monitor in &self.monitors {
            if !self.inside.filters.contains_key(&monitor.id) {
                let filters = Filters::of(monitor, &mut self.inside.maps);
                self.inside.filters.insert(monitor.id, filters);
            }
        }
    }

    /// Finds properties whose instances can be inside the program.
    fn make_residents(&mut self, near: u64) {
        if !self.settings.dynamic || self.recorder.is_some() {
            return;
        }
        for m in 0..self.monitors.len() {
            let monitor = &self.monitors[m];
            if self.inside.residents.contains_key(&monitor.id) {
                continue;
            }
            let mut residents = Vec::new();
            for (index, property) in monitor.model.properties.iter().enumerate() {
                let id = PropertyId::from_index(index);
                let (debugger, process) = (&mut self.debugger, self.process);
                let made = match monitor.instances(index) {
                    0 | 1 => Resident::new(monitor, id, self.settings.history, |layout| {
                        debugger.make_table(process, near, layout)
                    }),
                    _ => Err("it has instances already".into()),
                };
                let (name, stays) = (property.name.clone(), made.as_ref().err().cloned());
                self.notes.push(ArmNote::Resident { property: name, stays });
                residents.extend(made);
            }
            self.inside.residents.insert(self.monitors[m].id, residents);
        }
    }

    /// A breakpoint reports events at an address; it marks nothing.
    fn give_up_filters(&mut self, address: u64) {
        let mut maps = HashSet::new();
        for monitor in &self.monitors {
            let Some(filters) = self.inside.filters.get(&monitor.id) else { continue };
            let there = |s: &&Source| s.sites.iter().any(|site| site.address == address);
            maps.extend(
                monitor.sources.iter().filter(there).flat_map(|s| filters.maps_of(s.event)),
            );
        }
        self.inside.given_up.extend(maps);
    }

    /// Why no event at all can be inside.
    fn stays_outside(&self) -> Option<&'static str> {
        let settings = &self.settings;
        let has_variables = |s: &Source| !s.declared.point.is_call();
        if settings.backend == Backend::Int3 {
            Some("breakpoints were asked for")
        } else if settings.moves || settings.criu.is_some() {
            Some("a session may stop the program at an event")
        } else if settings.follow_children {
            Some("child processes are monitored, too")
        } else if self.start.is_none() && !self.started {
            Some("the entry point of the program is not known")
        } else if self.monitors.iter().any(|m| m.sources.iter().any(has_variables)) {
            Some("variables are watched")
        } else if self.monitors.iter().any(|m| m.model.measures_time()) {
            Some("a property measures time")
        } else {
            None
        }
    }

    /// Puts back what was disarmed because no monitor wanted it.
    fn unmute_all(&mut self) -> Result<()> {
        for monitor in &self.monitors {
            for site in monitor.sources.iter().flat_map(|s| &s.sites) {
                self.debugger.tracer_mut().mute(self.process, site.point, false)?;
            }
        }
        Ok(())
    }

    /// Says of what was armed and not told yet how it is realised.
    fn explain(&mut self, why: impl Fn(u64) -> Option<String>) {
        for source in self.monitors.iter_mut().flat_map(|m| &mut m.sources) {
            for note in &mut source.news {
                let ArmNote::Armed(armed) = note else { continue };
                if !source.declared.point.is_call() {
                    continue;
                }
                match why(armed.address) {
                    Some(why) => armed.why = Some(why),
                    None => armed.how = "inside the program",
                }
            }
        }
    }

    /// Tells the monitors what was written down.
    pub(super) fn on_records(&mut self, stopped: &mut Stopped) -> Result<()> {
        let records = self.debugger.tracer_mut().take_records();
        // When exactly they happened was not written down; looking at the clock takes a while.
        let time = self.now();
        for recorded in &records {
            let id = recorded.record.id;
            if id == QUESTION {
                let (function, caller) = (recorded.record.words[0], recorded.record.caller);
                self.debugger.answer(recorded.process, function, caller);
                continue;
            }
            let known = self.inside.kinds.get(id as usize).and_then(Option::as_ref);
            let told = match known {
                Some(told) => told.clone(),
                None => {
                    let told = Rc::new(self.told_by(id));
                    let kinds = &mut self.inside.kinds;
                    kinds.resize(kinds.len().max(id as usize + 1), None);
                    kinds[id as usize] = Some(told.clone());
                    told
                }
            };
            for told in told.iter() {
                self.on_record(told, recorded, time, stopped)?;
            }
        }
        self.debugger.tracer_mut().give_back(records);
        Ok(())
    }

    /// The events that a kind of record tells, in the order of their declarations.
    fn told_by(&self, id: u32) -> Vec<Told> {
        let Some(recording) = self.debugger.recording(self.process, id) else { return Vec::new() };
        let mut told = Vec::new();
        for (m, monitor) in self.monitors.iter().enumerate() {
            for point in &recording.points {
                let Some(&index) = monitor.calls.get(&point.id) else { continue };
                let source = &monitor.sources[index];
                told.push(Told {
                    monitor: m,
                    source: index,
                    function: recording.address,
                    caller: source.declared.caller,
                    plain: plain(source, &point.values),
                    values: point.values.clone(),
                    tests: point.tests.clone(),
                    step: point.step,
                });
            }
        }
        told.sort_by_key(|t| (t.monitor, t.source));
        told
    }

    fn on_record(
        &mut self,
        told: &Told,
        recorded: &Recorded,
        time: Time,
        stopped: &mut Stopped,
    ) -> Result<()> {
        let (m, s) = (told.monitor, told.source);
        let (function, caller) = (told.function, recorded.record.caller);
        if !self.monitors[m].sources[s].wanted
            || told.step.is_some_and(|step| recorded.record.is_done(step))
        {
            return Ok(());
        }
        if let Some(tests) = &told.tests
            && !self.debugger.is_marked(recorded, tests)
        {
            return Ok(());
        }
        if let Some(wanted) = told.caller
            && self.is_called_from_inside(function, caller) != (wanted == NativeCaller::Inside)
        {
            return Ok(());
        }
        // What could not be read is found out in words.
        let plain = told.plain.as_ref().filter(|_| recorded.record.unread == 0);
        if let (Some(plain), None) = (plain, &self.recorder) {
            return self.on_plain_record(told, plain, recorded, time, stopped);
        }
        let is_told = self.settings.history > 0 || self.recorder.is_some();
        let place = caller.wrapping_sub(1);
        let mut location = is_told.then(|| self.place(place));
        let args: Vec<Value> = match plain {
            Some(plain) => {
                let thread = self.name_of_thread(recorded.thread);
                let mut args = vec![Value::Null; self.monitors[m].sources[s].params.len()];
                for (param, what) in plain {
                    args[*param] = plain_value(*what, &recorded.record.words, thread).to_value();
                }
                args
            }
            None => {
                let read = told.values.iter();
                let read: Vec<_> =
                    read.map(|(word, ty)| Recording::value(recorded, *word, ty)).collect();
                self.arguments(m, s, &read, recorded.thread, None)
            }
        };
        self.hand_over(m, s, &args, recorded.thread, time, location.as_ref());
        if self.monitors[m].run.has_news() && location.is_none() {
            location = Some(self.place(place));
        }
        self.collect(m, Stood::Call { function, caller }, location.as_ref(), stopped);
        self.tune(m, recorded.thread)
    }

    /// An event that words tell and nobody records: nothing is copied for it.
    #[inline]
    fn on_plain_record(
        &mut self,
        told: &Told,
        plain: &[(usize, Plain)],
        recorded: &Recorded,
        time: Time,
        stopped: &mut Stopped,
    ) -> Result<()> {
        let (m, caller) = (told.monitor, recorded.record.caller);
        let thread = self.name_of_thread(recorded.thread);
        let mut args = [ValueRef::Null; FEW];
        for (param, what) in plain {
            args[*param] = plain_value(*what, &recorded.record.words, thread);
        }
        if told.step.is_some() {
            self.take_over(m, told.source, &args, time);
        }
        let place = caller.wrapping_sub(1);
        let monitor = &mut self.monitors[m];
        let source = &monitor.sources[told.source];
        let location = match self.settings.history {
            0 => None,
            _ => Some(self.places.at(&mut self.debugger, self.process, place)),
        };
        let event = EventRef {
            kind: source.event,
            args: &args[..source.params.len()],
            time: Some(time),
            thread: Some(thread),
            location: location.map(Where::from),
        };
        // Time cannot run backwards: it is our own clock.
        monitor.run.step(&event, None);
        if monitor.has_something_to_say() {
            let here = self.place(place);
            let stood = Stood::Call { function: told.function, caller };
            self.collect(m, stood, Some(&here), stopped);
        }
        self.tune(m, recorded.thread)
    }

    pub(super) fn place(&mut self, address: u64) -> Arc<Location> {
        self.places.at(&mut self.debugger, self.process, address).clone()
    }

    fn is_called_from_inside(&mut self, function: u64, caller: u64) -> bool {
        let slot = (caller ^ caller >> 8 ^ function) as usize % RECENT;
        let recent = &mut self.inside.recent;
        match recent.get(slot) {
            Some((of, by, known)) if (*of, *by) == (function, caller) => return *known,
            Some(_) => {}
            None => recent.resize(RECENT, (0, 0, false)),
        }
        let (debugger, process) = (&mut self.debugger, self.process);
        let known = self.inside.callers.entry((function, caller));
        let known =
            *known.or_insert_with(|| debugger.is_called_from_inside(process, function, caller));
        self.inside.recent[slot] = (function, caller, known);
        known
    }

    /// What is known of a call whose thread has run on, as a backtrace.
    pub(super) fn call_lines(&mut self, function: u64, caller: u64) -> Vec<FrameLine> {
        [function, caller.wrapping_sub(1)]
            .into_iter()
            .map(|address| {
                let place = self.place(address);
                FrameLine {
                    function: place.function.as_deref().unwrap_or("??").to_string(),
                    file: place.file.as_deref().map(str::to_string),
                    line: place.line,
                    address,
                }
            })
            .collect()
    }
}

/// Whether a capture of a source becomes a value of the property by looking at nothing but the captured
/// word. See `crate::value::to_model`.
fn is_told_by_a_word(source: &Source, index: usize, ty: &ProgramType) -> bool {
    let wants = source.taken.iter().filter(|(_, t)| matches!(t, Taken::Read(i) if *i == index));
    wants.map(|(param, _)| source.params[*param]).all(|wanted| match &ty.kind {
        Kind::Enumeration { .. } | Kind::Boolean | Kind::Float => true,
        Kind::Integer { .. } | Kind::Character { .. } => {
            wanted != Type::Str && !(wanted == Type::Any && ty.is_word())
        }
        Kind::Pointer(_) => !matches!(wanted, Type::Str | Type::List),
        Kind::Reference(_) => wanted == Type::Ptr,
        _ => false,
    })
}

/// What an argument is that is found out by looking at one word of a record.
#[derive(Clone, Copy)]
pub(super) enum Plain {
    /// An address, in this word.
    Address(usize),
    /// A number in this word, whose upper bits are not used.
    Integer { word: usize, unused: u32, signed: bool },
    /// The thread.
    Thread,
}

impl Plain {
    /// The word, unless it is the thread.
    pub fn word(self) -> Option<usize> {
        match self {
            Plain::Address(word) | Plain::Integer { word, .. } => Some(word),
            Plain::Thread => None,
        }
    }
}

/// The arguments of events of a source, if all of them are plain; others are found out as
/// `crate::value::to_model` does.
pub(super) fn plain(
    source: &Source,
    values: &[(usize, Rc<ProgramType>)],
) -> Option<Vec<(usize, Plain)>> {
    if source.params.len() > FEW {
        return None;
    }
    let plain = |(param, what): &(usize, Taken)| {
        let Taken::Read(i) = what else {
            return matches!(what, Taken::Thread).then_some((*param, Plain::Thread));
        };
        let (word, of) = values.get(*i)?;
        let plain = match (&of.kind, source.params[*param]) {
            (Kind::Pointer(_), Type::Any | Type::Ptr) => Plain::Address(*word),
            (Kind::Integer { signed }, Type::Int | Type::Any) if (1..=8).contains(&of.size) => {
                Plain::Integer { word: *word, unused: 64 - 8 * of.size as u32, signed: *signed }
            }
            _ => return None,
        };
        Some((*param, plain))
    };
    source.taken.iter().map(plain).collect()
}

/// A plain argument; `thread` is what the thread is called.
#[inline]
pub(super) fn plain_value(what: Plain, words: &[u64; FEW], thread: u64) -> ValueRef<'static> {
    match what {
        Plain::Thread => ValueRef::Int(thread as i64),
        Plain::Address(word) => match words[word] {
            0 => ValueRef::Null,
            address => ValueRef::Ptr(address),
        },
        Plain::Integer { word, unused, signed } => {
            let shifted = words[word] << unused;
            ValueRef::Int(match signed {
                true => (shifted as i64) >> unused,
                false => (shifted >> unused) as i64,
            })
        }
    }
}
