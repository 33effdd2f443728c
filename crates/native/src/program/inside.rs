//! Events that are written down inside the program: which can be, and what becomes of them.
//!
//! They reach the monitors after the program has run on. So what a monitor is not sensitive to cannot
//! be disarmed, only ignored; nobody can stop the program at a verdict; and of where it was, the
//! function and its caller are known. What has to be exact about time or memory stays with
//! breakpoints.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use watchword_debug::info::{Kind, Type as ProgramType};
use watchword_debug::{PointId, Recorded, Recording, Result};
use watchword_model::{NativeCaller, Time, Type, Value};

use super::events::Stood;
use super::filter::Filters;
use super::{Backend, Program, Stopped};
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
    /// What each kind of record tells whom.
    kinds: Vec<Option<Rc<Vec<Told>>>>,
    /// Whether a function was called from inside its library, by function and caller.
    callers: HashMap<(u64, u64), bool>,
    /// Those that were asked for lately.
    recent: Vec<(u64, u64, bool)>,
    /// The arguments of the event that is told; kept for the next one.
    arguments: Vec<Value>,
    /// What need not be written down, by monitor.
    filters: HashMap<MonitorId, Filters>,
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
}

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
        let mut reasons: HashMap<u64, Option<String>> = HashMap::new();
        for address in fresh {
            let monitors = &self.monitors;
            let takes = |point: PointId, index: usize, ty: &ProgramType| {
                let source =
                    monitors.iter().find_map(|m| m.calls.get(&point).map(|s| &m.sources[*s]));
                source.is_some_and(|s| is_told_by_a_word(s, index, ty))
            };
            let filters = &self.inside.filters;
            let filter = |point: PointId| {
                let of = monitors.iter().find_map(|m| m.calls.get(&point).map(|s| (m, *s)));
                let filter = of.and_then(|(m, s)| {
                    filters.get(&m.id).map(|filters| filters.of_source(&m.sources[s]))
                });
                filter.unwrap_or_default()
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
        for map in &self.inside.given_up {
            self.debugger.mark_all(self.process, *map);
        }
        for monitor in &mut self.monitors {
            // What was not moved is armed as it is needed, unless something else of it was.
            monitor.tuned = None;
            if !monitor.is_inside {
                monitor.sources.iter_mut().for_each(|s| s.wanted = true);
            }
        }
        self.explain(|address| reasons.get(&address).cloned().flatten());
        Ok(())
    }

    /// Finds out which events need not be written down. All are, if somebody collects them.
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

    /// Events at an address are told by a breakpoint, which marks nothing.
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
            Some("somebody may stop the program at an event")
        } else if settings.follow_children {
            Some("child processes are watched, too")
        } else if self.start.is_none() && !self.started {
            Some("where the program begins is not known")
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
            for (point, values) in &recording.points {
                let Some(&source) = monitor.calls.get(point) else { continue };
                told.push(Told {
                    monitor: m,
                    source,
                    function: recording.address,
                    caller: monitor.sources[source].declared.caller,
                    values: values.clone(),
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
        if !self.monitors[m].sources[s].wanted {
            return Ok(());
        }
        if let Some(wanted) = told.caller
            && self.is_called_from_inside(function, caller) != (wanted == NativeCaller::Inside)
        {
            return Ok(());
        }
        let mut args = std::mem::take(&mut self.inside.arguments);
        args.clear();
        self.recorded_arguments(told, recorded, &mut args);
        let is_told = self.settings.history > 0 || self.recorder.is_some();
        let place = caller.wrapping_sub(1);
        let mut location = is_told.then(|| self.places.at(&mut self.debugger, self.process, place));
        self.hand_over(m, s, &args, recorded.thread, time, location.as_ref());
        self.inside.arguments = args;
        if self.monitors[m].run.has_news() && location.is_none() {
            location = Some(self.places.at(&mut self.debugger, self.process, place));
        }
        self.collect(m, Stood::Call { function, caller }, location.as_ref(), stopped);
        self.tune(m, recorded.thread)
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

    fn recorded_arguments(&mut self, told: &Told, recorded: &Recorded, args: &mut Vec<Value>) {
        let source = &self.monitors[told.monitor].sources[told.source];
        let unread = recorded.record.unread;
        args.resize(source.params.len(), Value::Null);
        let mut failed = false;
        for (param, what) in &source.taken {
            let ty = source.params[*param];
            let value = match what {
                Taken::Read(i) => {
                    let Some((word, of)) = told.values.get(*i) else { continue };
                    if unread >> word & 1 == 1 {
                        failed = true;
                        continue;
                    }
                    quick(recorded.record.words[*word], of, ty)
                }
                Taken::Thread => Some(Value::Int(self.name_of_thread(recorded.thread) as i64)),
                Taken::Value | Taken::Address => None,
            };
            match value {
                Some(value) => args[*param] = value,
                None => failed = true,
            }
        }
        if failed {
            let read: Vec<_> = told
                .values
                .iter()
                .map(|(word, ty)| Recording::value(recorded, *word, ty))
                .collect();
            *args = self.arguments(told.monitor, told.source, &read, recorded.thread, None);
        }
    }

    /// What is known of a call whose thread has run on, as a backtrace.
    pub(super) fn call_lines(&mut self, function: u64, caller: u64) -> Vec<FrameLine> {
        [function, caller.wrapping_sub(1)]
            .into_iter()
            .map(|address| {
                let place = self.places.at(&mut self.debugger, self.process, address);
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

/// The value of a word where it is plain what it is; the rest is left to `crate::value::to_model`.
fn quick(word: u64, of: &ProgramType, wanted: Type) -> Option<Value> {
    match (&of.kind, wanted) {
        (Kind::Pointer(_), Type::Any | Type::Ptr) => {
            Some(if word == 0 { Value::Null } else { Value::Ptr(word) })
        }
        (Kind::Integer { signed }, Type::Int | Type::Any) => {
            Some(Value::Int(match (of.size, signed) {
                (4, true) => i64::from(word as u32 as i32),
                (4, false) => i64::from(word as u32),
                (8, _) => word as i64,
                _ => return None,
            }))
        }
        _ => None,
    }
}
