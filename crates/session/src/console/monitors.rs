//! Commands about properties, scenarios and checkpoints.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use crate::error::{Context, bail};
use watchword_model::{PropertyId, StateKind, Value};
use watchword_monitor::{Instance, InstanceId};
use watchword_native::session::Undone;
use watchword_native::{MonitorId, Session};
use watchword_scenario::Machine;

use super::{Console, Done, Then};
use crate::answer::{self, Answer};
use crate::error::Error;
use crate::happening::{Checkpointed, Happening, Restored, Slices};
use crate::telling::MOST_TOLD;
use watchword_view::text::{counted, harmless, in_undone_runs, show};

pub(super) fn checkpoints(console: &mut Console, session: &mut Session) -> Done {
    let (mut all, mut lines) = (Vec::new(), Vec::new());
    for (number, saved) in session.checkpoints() {
        let label = saved.label.as_ref().map_or(String::new(), |l| format!(" “{}”", harmless(l)));
        let kept = match &saved.on_disk {
            Some((folder, bytes)) => {
                let folder = harmless(&folder.display().to_string());
                format!("{} on disk in {folder}, by criu", size(*bytes))
            }
            None => "in memory".into(),
        };
        let age = saved.made.elapsed().as_secs_f64();
        lines.push(format!("{number:<3} {}{label}, {age:.1} s ago, {kept}", saved.place));
        all.push(answer::Saved {
            number,
            label: saved.label.clone(),
            place: saved.place.clone(),
            age,
            on_disk: saved.on_disk.as_ref().map(|(_, bytes)| *bytes),
        });
    }
    if lines.is_empty() {
        lines.push("No checkpoints.".to_string());
    }
    console.answer(Answer::Checkpoints(all), lines.join("\n"))
}

/// A number of bytes, for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..=0xf_ffff => format!("{} KiB", bytes.div_ceil(1 << 10)),
        _ => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
    }
}

impl Console {
    /// Saves program and monitors.
    pub(crate) fn checkpoint(&mut self, session: &mut Session, label: Option<&str>) -> Done {
        let number = session.checkpoint(label)?;
        self.tell_checkpoint(session, number);
        Ok(Then::Next)
    }

    /// Tells of a checkpoint that was made.
    pub(super) fn tell_checkpoint(&mut self, session: &Session, number: i64) {
        let Some((_, saved)) = session.checkpoints().find(|(n, _)| *n == number) else { return };
        let happening = Happening::Checkpointed(Checkpointed {
            number,
            label: saved.label.clone(),
            place: saved.place.clone(),
            by_scenario: self.in_scenario || session.has_scenario_at_work(),
            text: format!("Checkpoint {number} at {}", saved.place),
        });
        self.told_checkpoints.insert(number);
        self.tell(&happening);
    }

    /// Tells which checkpoints there are no more.
    pub(super) fn tell_forgotten(&mut self, session: &Session) {
        if self.told_checkpoints.is_empty() {
            return;
        }
        let is_there = |number: &i64| session.checkpoints().any(|(n, _)| n == *number);
        let told = std::mem::take(&mut self.told_checkpoints);
        let (kept, gone): (BTreeSet<i64>, BTreeSet<i64>) = told.into_iter().partition(is_there);
        self.told_checkpoints = kept;
        if !gone.is_empty() {
            let numbers = gone.into_iter().collect();
            self.tell(&Happening::Forgotten { numbers });
        }
    }

    /// Goes back to a checkpoint, or to the last one.
    pub(crate) fn restore(&mut self, session: &mut Session, number: Option<i64>) -> Done {
        if self.in_scenario {
            bail!("a scenario goes back with `restore`");
        }
        let (number, undone) = session.restore(number)?;
        let text = went_back(number, &undone);
        self.tell_restored(session, number, &undone, text);
        for warning in &undone.restored.warnings {
            self.warn(warning);
        }
        self.show_place(session, "");
        self.tell_selected(session);
        Ok(Then::Next)
    }

    /// Tells of a checkpoint that was restored, and which instances there are now.
    pub(super) fn tell_restored(
        &mut self,
        session: &mut Session,
        number: i64,
        undone: &Undone,
        text: String,
    ) {
        let happening = Happening::Restored(Restored {
            number,
            pages: undone.restored.pages,
            verdicts: undone.verdicts,
            place: self.where_is(session).1,
            by_scenario: session.has_scenario_at_work(),
            text,
        });
        self.tell(&happening);
        self.tell_slices(session);
    }

    /// Tells which properties are watched already, for a session that others have prepared.
    pub fn announce(&mut self, session: &Session) {
        for monitor in session.watched().monitors() {
            let model = monitor.model.clone();
            let properties: Vec<String> = model.properties.iter().map(|p| p.name.clone()).collect();
            let text = format!("{}: watching {}", monitor.id.0, properties.join(", "));
            self.tell(&Happening::Loaded { monitor: monitor.id.0, properties, model, text });
        }
        self.tell_slices(session);
    }

    /// Tells which instances there are of properties that have few, and how many of others, if a client
    /// wants that at every stop: their variables may have changed.
    pub(super) fn tell_few_slices(&mut self, session: &Session) {
        if !self.wants_frames {
            return;
        }
        for (id, property) in chosen(session, "").unwrap_or_default() {
            let monitor = session.watched().monitors().iter().find(|m| m.id == id);
            let Some(monitor) = monitor else { continue };
            let total = monitor.instances(property.index());
            if total > MOST_TOLD as u64 {
                let property = monitor.model.properties[property.index()].name.clone();
                self.tell(&Happening::Counted { monitor: id.0, property, total });
            } else if let Some(slices) = slices_of(session, id, property) {
                self.tell(&Happening::Slices(slices));
            }
        }
    }

    /// Tells which instances there are, if anybody follows their moves.
    pub fn tell_slices(&mut self, session: &Session) {
        if self.wants_moves {
            for slices in slices_now(session) {
                self.tell(&Happening::Slices(slices));
            }
        }
    }
}

/// What restoring a checkpoint did, in words.
pub(super) fn went_back(number: i64, undone: &Undone) -> String {
    let restored = &undone.restored;
    let pages = counted(restored.pages, "page");
    let mut text = format!("Back at checkpoint {number} ({pages} written back)");
    if !restored.ended_threads.is_empty() {
        let ended = counted(restored.ended_threads.len() as u64, "thread");
        let _ = write!(text, ", {ended} begun since ended");
    }
    if undone.verdicts > 0 {
        let verdicts = counted(undone.verdicts as u64, "verdict");
        let _ = write!(text, ", {verdicts} of the run that was undone");
    }
    text
}

/// The instances of all properties that are watched; of each, the first thousand.
pub fn slices_now(session: &Session) -> Vec<Slices> {
    let all = chosen(session, "").unwrap_or_default();
    all.into_iter().filter_map(|(id, property)| slices_of(session, id, property)).collect()
}

/// The instances of a property.
fn slices_of(session: &Session, id: MonitorId, property: PropertyId) -> Option<Slices> {
    let monitor = session.watched().monitors().iter().find(|m| m.id == id)?;
    let declared = &monitor.model.properties[property.index()];
    let all = monitor.run.evaluator.inspect(property);
    Some(Slices::of(id.0, declared, &all))
}

// ---- properties --------------------------------------------------------------------------

pub(super) fn monitors(console: &mut Console, session: &mut Session) -> Done {
    let mut out = String::new();
    let mut all = Vec::new();
    for monitor in session.watched().monitors() {
        let _ = writeln!(out, "{}: {}", monitor.id.0, harmless(&monitor.name));
        let mut properties = Vec::new();
        for (i, property) in monitor.model.properties.iter().enumerate() {
            let of = |l: &&watchword_native::session::Logged| {
                l.found.monitor == monitor.id
                    && l.found.report.property.index() == i
                    && l.found.report.kind == watchword_monitor::ReportKind::Violation
            };
            let found: Vec<_> = session.log().iter().filter(of).collect();
            let told = answer::Property {
                name: property.name.clone(),
                sites: monitor.sites(i) as u64,
                events: monitor.run.observed(i),
                instances: monitor.instances(i),
                violations: found.len() as u64,
                undone: found.iter().filter(|l| l.is_undone_violation()).count() as u64,
            };
            let _ = writeln!(
                out,
                "   {}: {}, {}, {} now, {}{}",
                told.name,
                counted(told.sites, "site"),
                counted(told.events, "event"),
                counted(told.instances, "instance"),
                counted(told.violations, "violation"),
                in_undone_runs(told.undone),
            );
            properties.push(told);
        }
        let (number, name) = (monitor.id.0, monitor.name.clone());
        all.push(answer::Monitor { number, name, properties });
    }
    if out.is_empty() {
        out.push_str("No properties; `load-property FILE` loads some.\n");
    }
    console.answer(Answer::Monitors(all), out)
}

/// Properties by name; none means all.
fn chosen(session: &Session, name: &str) -> crate::Result<Vec<(MonitorId, PropertyId)>> {
    let mut found = Vec::new();
    let mut names = Vec::new();
    for monitor in session.watched().monitors() {
        for (i, property) in monitor.model.properties.iter().enumerate() {
            names.push(property.name.clone());
            if name.is_empty() || property.name == name {
                found.push((monitor.id, PropertyId::from_index(i)));
            }
        }
    }
    if found.is_empty() && !name.is_empty() {
        bail!("there is no property `{name}`; there are {}", names.join(", "));
    }
    Ok(found)
}

fn binding(instance: &Instance) -> String {
    let parts: Vec<String> =
        instance.binding.iter().map(|(n, v)| format!("{n} = {}", show(v))).collect();
    if parts.is_empty() { "(nothing bound)".into() } else { parts.join(", ") }
}

pub(super) fn slices(console: &mut Console, session: &mut Session, name: &str) -> Done {
    const SHOWN: usize = 100;
    let mut out = String::new();
    let mut told = Vec::new();
    for (id, property) in chosen(session, name)? {
        told.extend(slices_of(session, id, property));
        let Some(monitor) = session.watched().monitors().iter().find(|m| m.id == id) else {
            continue;
        };
        let declared = &monitor.model.properties[property.index()];
        let all = monitor.run.evaluator.inspect(property);
        let _ = writeln!(out, "{}: {}", declared.name, counted(all.len() as u64, "slice"));
        for (n, instance) in all.iter().take(SHOWN).enumerate() {
            let state = instance.state.map_or("(ended)", |s| &declared.states[s.index()].name);
            let _ = write!(out, "  {:<3} {}: {state}", n + 1, binding(instance));
            if !instance.variables.is_empty() {
                let variables: Vec<String> =
                    instance.variables.iter().map(|(n, v)| format!("{n} = {}", show(v))).collect();
                let _ = write!(out, " [{}]", variables.join(", "));
            }
            out.push('\n');
        }
        if all.len() > SHOWN {
            let _ = writeln!(out, "  … and {} more", all.len() - SHOWN);
        }
    }
    console.answer(Answer::Slices(told), if out.is_empty() { "No properties.".into() } else { out })
}

pub(super) fn violations(console: &mut Console, session: &mut Session) -> Done {
    let mut out = String::new();
    let mut told = Vec::new();
    for (n, logged) in session.log().iter().enumerate() {
        let monitors = session.watched().monitors();
        let name = monitors
            .iter()
            .find(|m| m.id == logged.found.monitor)
            .map_or("?", |m| &m.model.properties[logged.found.report.property.index()].name);
        let place = logged
            .found
            .listed
            .location
            .as_ref()
            .map_or(String::new(), |l| format!(" at {}", watchword_view::text::location(l)));
        let _ =
            write!(out, "{:<3} {name}: {}{place}", n + 1, harmless(&logged.found.report.message));
        told.push(answer::Found {
            monitor: logged.found.monitor.0,
            property: name.to_string(),
            is_violation: logged.found.report.kind != watchword_monitor::ReportKind::Satisfaction,
            message: logged.found.report.message.to_string(),
            binding: crate::telling::named(&logged.found.report.binding),
            undone: logged.undone,
        });
        if let Some(checkpoint) = logged.undone {
            let _ = write!(out, " (before checkpoint {checkpoint} was restored)");
        }
        out.push('\n');
    }
    console
        .answer(Answer::Verdicts(told), if out.is_empty() { "No violations.".into() } else { out })
}

pub(super) fn graph(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (name, dot) = match rest.strip_suffix("dot") {
        Some(name) if name.is_empty() || name.ends_with(' ') => (name.trim(), true),
        _ => (rest, false),
    };
    let mut out = String::new();
    for (id, property) in chosen(session, name)? {
        let Some(monitor) = session.watched().monitors().iter().find(|m| m.id == id) else {
            continue;
        };
        let declared = &monitor.model.properties[property.index()];
        if dot {
            let picture = watchword_view::automaton::diagram(&monitor.model, declared, &[]);
            out.push_str(&watchword_view::dot::draw(&[picture]));
            continue;
        }
        let here = monitor.run.evaluator.inspect(property);
        let namer = watchword_view::expression::Namer::new(&monitor.model, declared);
        let _ = writeln!(out, "{}", declared.name);
        for (i, state) in declared.states.iter().enumerate() {
            let count = here.iter().filter(|h| h.state.is_some_and(|s| s.index() == i)).count();
            let mark = match state.kind {
                StateKind::Bad => " (violation)",
                StateKind::Good => " (satisfied)",
                StateKind::Pending => " (must be left)",
                StateKind::Normal => "",
            };
            let arrow = if declared.start.index() == i { "→" } else { " " };
            let who = if count > 0 {
                format!("  ● {}", counted(count as u64, "slice"))
            } else {
                String::new()
            };
            let _ = writeln!(out, " {arrow} {}{mark}{who}", state.name);
            for transition in declared.transitions.iter().filter(|t| t.source.index() == i) {
                let target = |t: watchword_model::Target| match t {
                    watchword_model::Target::State(s) => declared.states[s.index()].name.clone(),
                    watchword_model::Target::Stay => state.name.clone(),
                    watchword_model::Target::Drop => "(dropped)".to_string(),
                };
                let labels: Vec<String> =
                    transition.labels.iter().map(|l| namer.label(l)).collect();
                let _ = writeln!(
                    out,
                    "     {} → {}",
                    labels.join("; "),
                    target(transition.then.target)
                );
                if let Some(otherwise) = &transition.otherwise {
                    let _ = writeln!(out, "       else → {}", target(otherwise.target));
                }
            }
        }
    }
    console.say(if out.is_empty() { "No properties." } else { &out });
    Ok(Then::Next)
}

pub(super) fn load_property(
    console: &mut Console,
    session: &mut Session,
    file: &str,
    functions: Option<&str>,
) -> Done {
    console.properties.named_by_commands();
    console.load_with(session, &[file.to_string()], functions)?;
    Ok(Then::Next)
}

impl Console {
    /// Loads properties into the session.
    ///
    /// # Errors
    /// If they cannot be read, have mistakes, or none of their events is one of native programs.
    pub fn load(&mut self, session: &mut Session, names: &[String]) -> crate::Result<()> {
        self.load_with(session, names, None)
    }

    fn load_with(
        &mut self,
        session: &mut Session,
        names: &[String],
        functions: Option<&str>,
    ) -> crate::Result<()> {
        let read = self.properties.load(names, functions)?;
        for text in &read.diagnostics {
            self.say(text);
        }
        let Some(model) = read.model else { return Err(Error::already_reported()) };
        let model = Arc::new(model);
        let id = session.load(&names.join(", "), model.clone())?;
        let has_sources =
            session.watched().monitors().iter().any(|m| m.id == id && m.has_sources());
        if !has_sources {
            session.program().unload(id)?;
            bail!(
                "{}: no event has a `native` source, so nothing could ever happen",
                names.join(", ")
            );
        }
        self.notes(session);
        if session.is_alive() && session.watched().has_started() {
            self.missing(session);
        }
        let names: Vec<String> = model.properties.iter().map(|p| p.name.clone()).collect();
        let text = format!("{}: watching {}", id.0, names.join(", "));
        self.tell(&Happening::Loaded { monitor: id.0, properties: names, model, text });
        self.tell_slices(session);
        Ok(())
    }

    /// Loads a scenario into the session.
    ///
    /// # Errors
    /// If it cannot be read, or has mistakes.
    pub fn load_scenario(&mut self, session: &mut Session, file: &str) -> crate::Result<()> {
        let text = self.properties.read(file)?;
        let (scenario, mut diagnostics) = watchword_scenario::parse(&text, file);
        let models: Vec<Arc<watchword_model::Model>> =
            session.watched().monitors().iter().map(|m| m.model.clone()).collect();
        // What one property file does not know, another may.
        let checked: Vec<_> =
            models.iter().map(|m| watchword_scenario::check(&scenario, m)).collect();
        diagnostics.extend(checked.into_iter().min_by_key(Vec::len).unwrap_or_default());
        let files = [watchword_spec::SourceFile { name: file.to_string(), text }];
        for diagnostic in &diagnostics {
            let text = diagnostic.render(&files, self.options.color);
            self.say(&text);
        }
        if diagnostics.iter().any(|d| d.is_error()) {
            return Err(Error::already_reported());
        }
        let [file] = files;
        session.set_scenario(Some(Machine::new(scenario).with_file(file)));
        Ok(())
    }
}

pub(super) fn unload(console: &mut Console, session: &mut Session, number: u32) -> Done {
    if !session.watched().monitors().iter().any(|m| m.id.0 == number) {
        bail!("there is no property file number {number}; `monitors` lists them");
    }
    session.program().unload(MonitorId(number))?;
    console.tell(&Happening::Unloaded { monitor: number });
    console.say(&format!("{number} is no longer watched with."));
    Ok(Then::Next)
}

pub(super) fn scenario(console: &mut Console, session: &mut Session, _: &str) -> Done {
    let Some(machine) = session.scenario() else {
        console.say("No scenario.");
        return Ok(Then::Next);
    };
    let lines: Vec<String> =
        machine.variables().map(|(n, v)| format!("{n} = {}", show(v))).collect();
    console.say(if lines.is_empty() { "A scenario without variables." } else { "" });
    for line in lines {
        console.say(&line);
    }
    Ok(Then::Next)
}

// ---- editing -----------------------------------------------------------------------------

/// A literal as it is written in properties.
fn literal(text: &str) -> crate::Result<Value> {
    Ok(match text {
        "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => {
            if let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
                Value::str(inner)
            } else if let Some(hex) = text.strip_prefix("0x") {
                Value::Ptr(
                    u64::from_str_radix(hex, 16)
                        .with_context(|| format!("`{text}` is no value"))?,
                )
            } else if let Ok(i) = text.parse::<i64>() {
                Value::Int(i)
            } else {
                Value::Float(text.parse().with_context(|| format!("`{text}` is no value"))?)
            }
        }
    })
}

/// `PROPERTY N`: a slice as `slices` numbers them, and the rest of the line.
fn slice<'a>(
    session: &Session,
    rest: &'a str,
    usage: &str,
) -> crate::Result<(MonitorId, PropertyId, InstanceId, Instance, Vec<&'a str>)> {
    let mut words = rest.split_whitespace();
    let (Some(name), Some(number)) = (words.next(), words.next()) else { bail!("{usage}") };
    let number: usize = number.parse().with_context(|| usage.to_string())?;
    let (id, property) = *chosen(session, name)?.first().context("there is no property")?;
    let monitor = session.watched().monitors().iter().find(|m| m.id == id);
    let all = monitor.map_or(Vec::new(), |m| m.run.evaluator.inspect(property));
    let Some(instance) = number.checked_sub(1).and_then(|n| all.get(n)).cloned() else {
        bail!("{name} has no slice {number}; `slices {name}` lists them");
    };
    let Some(name) = instance.id else {
        bail!("this slice waits for more events and cannot be changed")
    };
    Ok((id, property, name, instance, words.collect()))
}

pub(super) fn set_state(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let usage = "set state PROPERTY SLICE-NUMBER STATE";
    let (id, property, name_of, instance, words) = slice(session, rest, usage)?;
    let [name] = words.as_slice() else { bail!("{usage}") };
    let monitor = session.program().monitors_mut().iter_mut().find(|m| m.id == id);
    let monitor = monitor.context("it is gone")?;
    let states = &monitor.model.properties[property.index()].states;
    let Some(state) = states.iter().position(|s| s.name == *name) else {
        let names: Vec<&str> = states.iter().map(|s| s.name.as_str()).collect();
        bail!("there is no state `{name}`; there are {}", names.join(", "));
    };
    monitor
        .run
        .evaluator
        .set_state(name_of, watchword_model::StateId(state as u32))
        .map_err(Error::new)?;
    session.program().tune_all()?;
    console.tell_slices(session);
    console.say(&format!("{}: {name}", binding(&instance)));
    Ok(Then::Next)
}

impl Console {
    /// Puts the instance with these parameters into a state.
    pub(crate) fn set_state_of(
        &mut self,
        session: &mut Session,
        name: &str,
        parameters: &str,
        state: &str,
    ) -> Done {
        let (id, property) = *chosen(session, name)?.first().context("there is no property")?;
        let monitor = session.watched().monitors().iter().find(|m| m.id == id);
        let all = monitor.map_or(Vec::new(), |m| m.run.evaluator.inspect(property));
        let is_meant = |i: &Instance| match parameters {
            "" => i.binding.is_empty(),
            shown => !i.binding.is_empty() && binding(i) == shown,
        };
        let Some(at) = all.iter().position(is_meant) else {
            bail!("{name} has no slice with {parameters}");
        };
        set_state(self, session, &format!("{name} {} {state}", at + 1))
    }
}

pub(super) fn set_slice_variable(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let usage = "set slice-variable PROPERTY SLICE-NUMBER NAME = VALUE";
    let (id, _, name_of, instance, words) = slice(session, rest, usage)?;
    let text = words.join(" ");
    let Some((name, value)) = text.split_once('=') else { bail!("{usage}") };
    let (name, value) = (name.trim(), literal(value.trim())?);
    let monitor = session.program().monitors_mut().iter_mut().find(|m| m.id == id);
    let monitor = monitor.context("it is gone")?;
    monitor.run.evaluator.set_variable(name_of, name, value.clone()).map_err(Error::new)?;
    session.program().tune_all()?;
    console.tell_slices(session);
    console.say(&format!("{}: {name} = {}", binding(&instance), show(&value)));
    Ok(Then::Next)
}

pub(super) fn set_scenario_variable(_: &mut Console, session: &mut Session, rest: &str) -> Done {
    let Some((name, value)) = rest.split_once('=') else {
        bail!("set scenario-variable NAME = VALUE")
    };
    let (name, value) = (name.trim(), literal(value.trim())?);
    let Some(machine) = session.scenario() else { bail!("there is no scenario") };
    if !machine.set_variable(name, value) {
        bail!("the scenario has no variable `{name}`");
    }
    Ok(Then::Next)
}
