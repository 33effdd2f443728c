//! Finding declared events in the program, and arming those that matter.

use std::sync::Arc;

use watchword_debug::{Debugger, ErrorKind, Owner, ProcessId, Result, ThreadId, WatchMethod};
use watchword_model::{Model, NativeAbout, NativeWhen};

use super::{Program, options};
use crate::monitor::{Monitor, MonitorId, Unarmed};
use crate::source::{ArmNote, Armed, Source};
use crate::term;
use crate::watching::Manner;

impl Program {
    /// Loads properties; they watch the program from now on. A thread must be stopped.
    pub fn load(&mut self, name: &str, model: Arc<Model>) -> Result<MonitorId> {
        let id = MonitorId(self.next_monitor);
        self.next_monitor += 1;
        let listing = self.settings.listing.clone();
        self.monitors.push(Monitor::new(id, name, model, options(&self.settings), listing));
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
    pub(super) fn arm_all(&mut self, thread: Option<ThreadId>) -> Result<()> {
        let thread = match thread {
            Some(thread) => thread,
            None => match self.stopped_thread() {
                Some(thread) => thread,
                None => self.process.main_thread(),
            },
        };
        for monitor in &mut self.monitors {
            let owner = Owner::Monitor(monitor.id.0);
            for index in 0..monitor.sources.len() {
                let (before, rest) = monitor.sources.split_at_mut(index);
                let source = &mut rest[0];
                let alike = before.iter().filter(|s| s.has_calls_of(source));
                let taken = alike.flat_map(|s| s.sites.iter().map(|site| site.address)).collect();
                let event = &monitor.model.events[source.event.index()].name;
                let (debugger, process) = (&mut self.debugger, self.process);
                let result = match source.declared.point.kind.facts().about {
                    NativeAbout::Function => {
                        source.arm_calls(debugger, process, event, owner, &taken)
                    }
                    NativeAbout::Variable => {
                        arm_variable(source, debugger, process, thread, event, owner)
                    }
                    NativeAbout::Signal => {
                        super::signals::arm(source, debugger, process, event);
                        Ok(())
                    }
                };
                if let Err(e) = result {
                    if e.is_gone() {
                        return Err(e);
                    }
                    let text = e.to_string();
                    source.news.push(ArmNote::Warning { event: event.clone(), text });
                }
                monitor.was_armed |= source.is_armed();
                monitor.calls.extend(source.sites.iter().map(|s| (s.point, index)));
            }
        }
        self.move_inside()?;
        for m in 0..self.monitors.len() {
            self.tune(m, thread)?;
        }
        Ok(())
    }

    /// Whether the program itself says where its source lines are.
    pub fn has_debug_info(&mut self) -> bool {
        self.debugger.has_debug_info(self.process)
    }

    /// Files with parts of the program's debug information (`-gsplit-dwarf`) that are not there.
    pub fn lost_debug_files(&mut self) -> Vec<String> {
        self.debugger.lost_debug_files(self.process)
    }

    /// Declared events that were found nowhere in the program so far, in words.
    pub fn missing(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        for m in 0..self.monitors.len() {
            for Unarmed { event, source, function } in self.monitors[m].unarmed() {
                let mut text = format!("`{event}`: {source}: it does not exist in the program");
                if let Some(name) = function {
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

    /// Arms the events that the monitors need after a user changed their states.
    pub fn tune_all(&mut self) -> Result<()> {
        let Some(thread) = self.stopped_thread() else { return Ok(()) };
        for m in 0..self.monitors.len() {
            self.monitors[m].tuned = None;
            self.tune(m, thread)?;
        }
        Ok(())
    }

    /// Arms what the monitor is sensitive to now, and nothing else. The thread whose event changed
    /// that is held meanwhile, so nothing that happens because of it is missed. What is told after
    /// a call stays armed: calls in flight may return when it matters.
    pub(crate) fn tune(&mut self, m: usize, thread: ThreadId) -> Result<()> {
        let monitor = &mut self.monitors[m];
        if !monitor.tunes {
            return Ok(());
        }
        let sensitive = monitor.run.evaluator.sensitive_events();
        if monitor.tuned == Some(sensitive.generation()) {
            return Ok(());
        }
        monitor.tuned = Some(sensitive.generation());
        let owner = Owner::Monitor(monitor.id.0);
        for source in &mut monitor.sources {
            let is_after =
                source.declared.point.is_call() && source.declared.when == NativeWhen::After;
            let wanted = is_after || sensitive.contains(source.event);
            if source.wanted == wanted {
                continue;
            }
            source.wanted = wanted;
            if monitor.is_inside {
                continue;
            }
            for site in &source.sites {
                self.debugger.tracer_mut().mute(self.process, site.point, !wanted)?;
            }
            let manner = wanted.then(|| manner(source, owner));
            source.watched.set_armed(&mut self.debugger, thread, manner)?;
        }
        Ok(())
    }

    /// A thread begins: the thread-local variables that are watched are so in it, too.
    pub(super) fn begin_thread(&mut self, thread: ThreadId) -> Result<()> {
        for monitor in &mut self.monitors {
            let owner = Owner::Monitor(monitor.id.0);
            for source in monitor.sources.iter_mut().filter(|s| s.watched.is_thread_local) {
                let manner = source.wanted.then(|| manner(source, owner));
                let Some(variable) = source.declared.point.variable() else { continue };
                let term = term::expression(&variable.term);
                match source.watched.begin_thread(&mut self.debugger, thread, &term, manner) {
                    // Killed in the meantime: its end is reported later.
                    Err(e) if e.is_gone() => return Ok(()),
                    Err(e) => {
                        let text = format!("the variable of another thread is not watched: {e}");
                        if source.unread.insert((usize::MAX, text.clone())) {
                            let event = monitor.model.events[source.event.index()].name.clone();
                            source.news.push(ArmNote::Warning { event, text });
                        }
                    }
                    Ok(()) => {}
                }
            }
        }
        Ok(())
    }

    /// A thread has ended, and its thread-local variables with it.
    pub(super) fn end_thread(&mut self, thread: ThreadId) -> Result<()> {
        for source in self.monitors.iter_mut().flat_map(|m| &mut m.sources) {
            if source.watched.is_thread_local {
                match source.watched.end_thread(&mut self.debugger, self.process, thread) {
                    // The whole process has ended, and its watchpoints with it: the end is reported
                    // later.
                    Err(e) if e.is_gone() || e.kind() == ErrorKind::NotFound => {}
                    other => other?,
                }
            }
        }
        Ok(())
    }

    /// Watches fields of the objects that instances know, and of no others.
    pub(super) fn watch_fields(&mut self, m: usize, thread: ThreadId) -> Result<()> {
        let monitor = &mut self.monitors[m];
        let owner = Owner::Monitor(monitor.id.0);
        for s in 0..monitor.sources.len() {
            let source = &monitor.sources[s];
            let Some((argument, name, ty)) = source.field.clone() else { continue };
            let objects = monitor.known_objects(source.event, argument);
            let source = &mut monitor.sources[s];
            let Some(variable) = source.declared.point.variable() else { continue };
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
}

/// How the variable of a source is watched.
pub(super) fn manner(source: &Source, owner: Owner) -> Manner {
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
    let Some(variable) = source.declared.point.variable().cloned() else { return Ok(()) };
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
                Err(e) if e.kind() == ErrorKind::NotFound => false,
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
            name: variable.term.to_string(),
            module: debugger.modules(process).first().map(|m| m.path.clone()).unwrap_or_default(),
            address: object.and_then(|c| c.address()).unwrap_or(0),
            how,
            why: None,
        }));
    }
    Ok(())
}
