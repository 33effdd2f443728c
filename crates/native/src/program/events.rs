//! Turns stops of the program into events for the monitors.

use std::sync::Arc;

use watchword_debug::{Access, Captured, Hit, Owner, Phase, PointId, Result, ThreadId, WatchHit};
use watchword_model::{EventRef, Location, NativeCaller, NativeKind, Time, Value, ValueRef, Where};

use super::arming::manner;
use super::{Found, Happened, Program, Stopped};
use crate::source::ArmNote;
use crate::term::{self, Taken};
use crate::value;
use crate::watching::Role;

/// What is known of an access.
pub(super) struct Accessed {
    pub value: Seen,
    pub address: u64,
    pub of: Option<(usize, u64)>,
}

/// What the value of an event is.
pub(super) enum Seen {
    /// There is none.
    Nothing,
    /// A value of the program.
    Value(watchword_debug::Value),
    /// A number that the kernel tells.
    Number(i64),
}

/// What is known of where the program was when something was found.
#[derive(Clone, Copy)]
pub(super) enum Stood {
    /// This thread is still there; it has executed the instruction at this address, or is about to
    /// execute the next one.
    Thread { thread: ThreadId, executed: Option<u64> },
    /// It has run on: a function was called, and returns there.
    Call { function: u64, caller: u64 },
    /// It was no thread's doing.
    Nowhere,
}

/// The place of an event, computed on demand.
#[derive(Clone, Copy)]
pub(super) enum Place {
    At(u64),
    /// At the entry of a function the place of the event is the call.
    CallOf(u64),
}

impl Program {
    /// Points of monitors fired at one address: the events, in the order of their declarations,
    /// those of returns first.
    pub(super) fn on_calls(
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
            if !self.is_wanted_call(m, s, hit, address, thread)? {
                continue;
            }
            let captured = values.iter().find(|(p, _)| *p == hit.point).map_or(&[][..], |v| &v.1);
            let place = match hit.phase {
                Phase::Before | Phase::Entered => Place::CallOf(address),
                Phase::After => Place::At(self.back_at(thread, address)?.wrapping_sub(1)),
            };
            let args = self.arguments(m, s, captured, thread, None);
            self.step(m, s, args, thread, place, stopped)?;
        }
        Ok(())
    }

    /// Whether a call comes from where its source wants calls to come from.
    fn is_wanted_call(
        &mut self,
        m: usize,
        s: usize,
        hit: &Hit,
        address: u64,
        thread: ThreadId,
    ) -> Result<bool> {
        let Some(wanted) = self.monitors[m].sources[s].declared.caller else { return Ok(true) };
        let entry = self.debugger.tracer().point_address(self.process, hit.point);
        let Some(entry) = entry else { return Ok(true) };
        let caller = match hit.phase {
            Phase::Before | Phase::Entered => self.return_address(thread)?,
            Phase::After => Some(self.back_at(thread, address)?),
        };
        let inside =
            caller.is_some_and(|c| self.debugger.is_called_from_inside(self.process, entry, c));
        Ok(inside == (wanted == NativeCaller::Inside))
    }

    /// Where a thread is that has just returned to an address, which may be that of a trampoline.
    fn back_at(&mut self, thread: ThreadId, address: u64) -> Result<u64> {
        if !self.debugger.tracer().is_inside(self.process, address) {
            return Ok(address);
        }
        // Its frame is still on the stack.
        let sp = self.debugger.tracer_mut().registers(thread)?.sp();
        let above = sp.wrapping_add(watchword_debug::TRAMPOLINE_FRAME);
        Ok(self.debugger.tracer().read_return(self.process, above).unwrap_or(address))
    }

    /// Where a thread at the entry of a function will return to.
    fn return_address(&mut self, thread: ThreadId) -> Result<Option<u64>> {
        let sp = self.debugger.tracer_mut().registers(thread)?.sp();
        Ok(self.debugger.tracer().read_return(self.process, sp).ok())
    }

    /// The place in the source.
    fn locate(&mut self, thread: ThreadId, place: Place) -> Result<Arc<Location>> {
        let address = match place {
            Place::At(address) => address,
            Place::CallOf(entry) => {
                self.return_address(thread)?.map_or(entry, |b| b.wrapping_sub(1))
            }
        };
        Ok(self.places.at(&mut self.debugger, self.process, address).clone())
    }

    /// An activation of a function whose variables are watched begins or ends.
    fn on_scope(&mut self, thread: ThreadId, m: usize, hit: &Hit) -> Result<()> {
        let monitor = &mut self.monitors[m];
        let owner = Owner::Monitor(monitor.id.0);
        for source in &mut monitor.sources {
            let manner = manner(source, owner);
            let Some(variable) = source.declared.point.variable() else { continue };
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

    /// Watched memory of monitors was accessed.
    pub(super) fn on_accesses(
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
        let is_update = source.declared.point.kind == NativeKind::Update;
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
                (Some(old), Some(new)) => !old.is_same(new),
                (old, new) => old.is_some() != new.is_some(),
            },
            (false, Role::Object) => wanted == Access::Read || hit.access == Access::Write,
            (false, Role::Link) => false,
        };
        let (of, address) = (chain.of, chain.address());
        let pc = self.debugger.tracer_mut().registers(thread)?.pc();
        let place = hit.instruction.unwrap_or(pc.wrapping_sub(1));
        // The dynamic linker relocates variables: that is no step of the program.
        if !happened || self.debugger.is_loader_code(self.process, place) {
            return Ok(());
        }
        let read = self.read(m, s, thread);
        let value = seen.map_or(Seen::Nothing, Seen::Value);
        let access = Accessed { value, address: address.unwrap_or(hit.address), of };
        let args = self.arguments(m, s, &read, thread, Some(&access));
        self.step(m, s, args, thread, Place::At(place), stopped)
    }

    /// What an event of a source reads of the program, where a thread stands.
    pub(super) fn read(&mut self, m: usize, s: usize, thread: ThreadId) -> Vec<Captured> {
        let expressions = self.monitors[m].sources[s].read.clone();
        let evaluate = |e| self.debugger.evaluate(thread, 0, e).map_err(std::rc::Rc::new);
        expressions.iter().map(evaluate).collect()
    }

    /// The arguments of an event. What cannot be read is null, and said once.
    pub(super) fn arguments(
        &mut self,
        m: usize,
        s: usize,
        read: &[Captured],
        thread: ThreadId,
        access: Option<&Accessed>,
    ) -> Vec<Value> {
        let name = self.name_of_thread(thread);
        let (debugger, process) = (&self.debugger, self.process);
        let monitor = &mut self.monitors[m];
        let source = &mut monitor.sources[s];
        let mut args = vec![Value::Null; source.params.len()];
        if let Some((param, object)) = access.and_then(|a| a.of) {
            args[param] = Value::Ptr(object);
        }
        for (param, what) in &source.taken {
            // The object it happened to is known; a variable of that name is another matter.
            if access.and_then(|a| a.of).is_some_and(|(of, _)| of == *param) {
                continue;
            }
            let ty = source.params[*param];
            let value = match what {
                Taken::Read(i) => match read.get(*i) {
                    Some(captured) => value::to_model(debugger, process, captured, ty),
                    None => Err("it was not read".into()),
                },
                Taken::Thread => Ok(Value::Int(name as i64)),
                Taken::Address => Ok(access.map_or(Value::Null, |a| Value::Ptr(a.address))),
                Taken::Value => match access.map_or(&Seen::Nothing, |a| &a.value) {
                    Seen::Value(seen) => value::to_model(debugger, process, &Ok(seen.clone()), ty),
                    Seen::Number(number) => Ok(Value::Int(*number)),
                    Seen::Nothing => Ok(Value::Null),
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
    pub(super) fn step(
        &mut self,
        m: usize,
        s: usize,
        args: Vec<Value>,
        thread: ThreadId,
        place: Place,
        stopped: &mut Stopped,
    ) -> Result<()> {
        if !self.monitors[m].sources[s].wanted {
            return Ok(());
        }
        // Finding out is a good part of what an event costs.
        let is_told = self.settings.history > 0 || self.recorder.is_some();
        let mut location = is_told.then(|| self.locate(thread, place)).transpose()?;
        let time = self.now();
        self.hand_over(m, s, &args, thread, time, location.as_ref());
        if location.is_none() && self.monitors[m].run.has_news() {
            location = Some(self.locate(thread, place)?);
        }
        let executed = match place {
            Place::At(address) => Some(address),
            Place::CallOf(_) => None,
        };
        self.collect(m, Stood::Thread { thread, executed }, location.as_ref(), stopped);
        self.tune(m, thread)?;
        self.watch_fields(m, thread)
    }

    /// Hands an event to the recorder and to its monitor.
    pub(super) fn hand_over(
        &mut self,
        m: usize,
        s: usize,
        args: &[Value],
        thread: ThreadId,
        time: Time,
        location: Option<&Arc<Location>>,
    ) {
        let name = self.name_of_thread(thread);
        let monitor = &mut self.monitors[m];
        if let Some(recorder) = &mut self.recorder {
            recorder.record(&Happened {
                model: &monitor.model,
                event: monitor.sources[s].event,
                args,
                time,
                thread: name,
                location,
            });
        }
        // Hardly any event has more.
        let mut few = [ValueRef::Null; 8];
        let many: Vec<ValueRef<'_>>;
        let borrowed = match few.get_mut(..args.len()) {
            Some(few) => {
                few.iter_mut().zip(args).for_each(|(to, from)| *to = ValueRef::from(from));
                &*few
            }
            None => {
                many = args.iter().map(ValueRef::from).collect();
                &many[..]
            }
        };
        self.take_over(m, s, borrowed, time);
        let monitor = &mut self.monitors[m];
        // Time cannot run backwards: it is our own clock.
        let event = EventRef {
            kind: monitor.sources[s].event,
            args: borrowed,
            time: Some(time),
            thread: Some(name),
            location: location.map(Where::from),
        };
        monitor.run.step(&event, None);
    }

    /// Takes what a monitor has to say.
    pub(super) fn collect(
        &mut self,
        m: usize,
        stood: Stood,
        here: Option<&Arc<Location>>,
        stopped: &mut Stopped,
    ) {
        let monitor = &mut self.monitors[m];
        let id = monitor.id;
        let engine = &mut monitor.run.evaluator;
        if self.settings.moves {
            stopped.moves.extend(engine.take_moves().into_iter().map(|m| (id, m)));
        }
        if engine.has_said() {
            stopped.said.extend(engine.take_said().into_iter().map(|s| (id, s)));
        }
        if !monitor.run.has_news() {
            return;
        }
        let found = monitor.run.collect(|_| here.cloned());
        if found.is_empty() {
            return;
        }
        let backtrace = match stood {
            Stood::Thread { thread, executed } => self.backtrace_of(thread, executed),
            Stood::Call { function, caller } => self.call_lines(function, caller),
            Stood::Nowhere => Vec::new(),
        };
        let child = (!self.is_first()).then(|| self.process.raw());
        stopped.found.extend(found.into_iter().map(|found| Found {
            monitor: id,
            report: found.report,
            listed: found.listed,
            certain: found.certain,
            backtrace: backtrace.clone(),
            child,
        }));
    }
}
