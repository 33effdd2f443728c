//! Commands about properties, scenarios and checkpoints.

use std::fmt::Write;
use std::sync::Arc;

use anyhow::{Context, bail};
use watchword_model::{PropertyId, StateKind, Value};
use watchword_monitor::{Instance, InstanceId};
use watchword_native::{MonitorId, Session};
use watchword_scenario::Machine;

use super::{Done, Then, Ui};
use crate::output::style::{counted, harmless};
use crate::output::tallies;
use crate::{Reported, properties};
use watchword_view::text::show;

pub(super) fn checkpoint(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    let number = session.checkpoint(Some(rest).filter(|r| !r.is_empty()))?;
    let place = session.checkpoints().find(|(n, _)| *n == number).map(|(_, s)| s.place.clone());
    ui.say(&format!("Checkpoint {number} at {}", place.unwrap_or_default()));
    Ok(Then::Next)
}

pub(super) fn checkpoints(ui: &mut Ui, session: &mut Session, _: &str) -> Done {
    let rows: Vec<String> = session
        .checkpoints()
        .map(|(n, s)| {
            let label = s.label.as_ref().map_or(String::new(), |l| format!(" “{}”", harmless(l)));
            let kept = match &s.on_disk {
                Some((folder, bytes)) => {
                    let folder = harmless(&folder.display().to_string());
                    format!("{} on disk in {folder}, by criu", size(*bytes))
                }
                None => "in memory".into(),
            };
            let age = s.made.elapsed().as_secs_f64();
            format!("{n:<3} {}{label}, {age:.1} s ago, {kept}", s.place)
        })
        .collect();
    if rows.is_empty() {
        ui.say("No checkpoints.");
    }
    for row in rows {
        ui.say(&row);
    }
    Ok(Then::Next)
}

/// A number of bytes, for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..=0xf_ffff => format!("{} KiB", bytes.div_ceil(1 << 10)),
        _ => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
    }
}

fn go_back(ui: &mut Ui, session: &mut Session, number: Option<i64>) -> Done {
    if ui.in_scenario {
        bail!("a scenario goes back with `restore`");
    }
    let (number, undone) = session.restore(number)?;
    let restored = &undone.restored;
    let mut text =
        format!("Back at checkpoint {number} ({} written back)", counted(restored.pages, "page"));
    if !restored.ended_threads.is_empty() {
        let _ = write!(
            text,
            ", {} begun since ended",
            counted(restored.ended_threads.len() as u64, "thread")
        );
    }
    if undone.verdicts > 0 {
        let _ = write!(
            text,
            ", {} of the run that was undone",
            counted(undone.verdicts as u64, "verdict")
        );
    }
    ui.say(&text);
    for warning in &restored.warnings {
        crate::output::warning(ui.color, warning);
    }
    ui.show_place(session, "");
    Ok(Then::Next)
}

pub(super) fn restart(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    let number = match rest {
        "" => None,
        n => Some(n.parse().with_context(|| format!("`{n}` is no number of a checkpoint"))?),
    };
    go_back(ui, session, number)
}

pub(super) fn reverse_continue(ui: &mut Ui, session: &mut Session, _: &str) -> Done {
    go_back(ui, session, None)
}

pub(super) fn delete_checkpoint(_: &mut Ui, session: &mut Session, rest: &str) -> Done {
    session.drop_checkpoint(
        rest.parse().with_context(|| format!("`{rest}` is no number of a checkpoint"))?,
    )?;
    Ok(Then::Next)
}

// ---- properties --------------------------------------------------------------------------

pub(super) fn monitors(ui: &mut Ui, session: &mut Session, _: &str) -> Done {
    let mut out = String::new();
    for monitor in session.watched().monitors() {
        let _ = writeln!(out, "{}: {}", monitor.id.0, harmless(&monitor.name));
        for (i, property) in monitor.model.properties.iter().enumerate() {
            let of = |l: &&watchword_native::session::Logged| {
                l.found.monitor == monitor.id
                    && l.found.report.property.index() == i
                    && l.found.report.kind == watchword_monitor::ReportKind::Violation
            };
            let found: Vec<_> = session.log().iter().filter(of).collect();
            let undone = found.iter().filter(|l| l.is_undone_violation()).count();
            let _ = writeln!(
                out,
                "   {}: {}, {}, {} now, {}{}",
                property.name,
                counted(monitor.sites(i) as u64, "site"),
                counted(monitor.run.observed(i), "event"),
                counted(monitor.instances(i), "instance"),
                counted(found.len() as u64, "violation"),
                tallies::in_undone_runs(undone as u64),
            );
        }
    }
    if out.is_empty() {
        out.push_str("No properties; `load-property FILE` loads some.\n");
    }
    ui.say(&out);
    Ok(Then::Next)
}

/// Properties by name; none means all.
fn chosen(session: &Session, name: &str) -> anyhow::Result<Vec<(MonitorId, PropertyId)>> {
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

pub(super) fn slices(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    const SHOWN: usize = 100;
    let mut out = String::new();
    for (id, property) in chosen(session, rest)? {
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
    ui.say(if out.is_empty() { "No properties." } else { &out });
    Ok(Then::Next)
}

pub(super) fn violations(ui: &mut Ui, session: &mut Session, _: &str) -> Done {
    let mut out = String::new();
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
        if let Some(checkpoint) = logged.undone {
            let _ = write!(out, " (before checkpoint {checkpoint} was restored)");
        }
        out.push('\n');
    }
    ui.say(if out.is_empty() { "No violations." } else { &out });
    Ok(Then::Next)
}

pub(super) fn graph(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
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
        let namer = crate::output::expression::Namer::new(&monitor.model, declared);
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
    ui.say(if out.is_empty() { "No properties." } else { &out });
    Ok(Then::Next)
}

pub(super) fn load_property(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    let mut words = rest.split_whitespace();
    let Some(file) = words.next() else { bail!("load-property FILE [FUNCTIONS]") };
    if let Some(functions) = words.next() {
        ui.reading.functions = vec![functions.to_string()];
    }
    // What was given on the command line was meant for the properties named there.
    ui.reading.set.clear();
    ui.reading.bind.clear();
    ui.load(session, &[file.to_string()])?;
    Ok(Then::Next)
}

impl Ui {
    /// Loads properties into the session.
    pub fn load(&mut self, session: &mut Session, names: &[String]) -> anyhow::Result<()> {
        let (model, _) = properties::load_valid(names, &self.reading, &self.global)?;
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
        let names: Vec<&str> = model.properties.iter().map(|p| p.name.as_str()).collect();
        self.say(&format!("{}: watching {}", id.0, names.join(", ")));
        Ok(())
    }

    /// Loads a scenario into the session.
    pub fn load_scenario(&mut self, session: &mut Session, file: &str) -> anyhow::Result<()> {
        let text = properties::read(file)?;
        let (scenario, mut diagnostics) = watchword_scenario::parse(&text, file);
        let models: Vec<Arc<watchword_model::Model>> =
            session.watched().monitors().iter().map(|m| m.model.clone()).collect();
        // What one property file does not know, another may.
        let checked: Vec<_> =
            models.iter().map(|m| watchword_scenario::check(&scenario, m)).collect();
        diagnostics.extend(checked.into_iter().min_by_key(Vec::len).unwrap_or_default());
        let files = [watchword_spec::SourceFile { name: file.to_string(), text }];
        for diagnostic in &diagnostics {
            let text = diagnostic.render(&files, self.color);
            self.say(&text);
        }
        if diagnostics.iter().any(|d| d.is_error()) {
            return Err(Reported.into());
        }
        session.set_scenario(Some(Machine::new(scenario)));
        Ok(())
    }
}

pub(super) fn unload(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    let number: u32 = rest.parse().with_context(|| {
        format!("`{rest}` is no number of a property file; `monitors` lists them")
    })?;
    if !session.watched().monitors().iter().any(|m| m.id.0 == number) {
        bail!("there is no property file number {number}; `monitors` lists them");
    }
    session.program().unload(MonitorId(number))?;
    ui.say(&format!("{number} is no longer watched with."));
    Ok(Then::Next)
}

pub(super) fn load_scenario(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    if rest.is_empty() {
        bail!("load-scenario FILE");
    }
    ui.load_scenario(session, rest)?;
    Ok(Then::Next)
}

pub(super) fn unload_scenario(_: &mut Ui, session: &mut Session, _: &str) -> Done {
    session.set_scenario(None);
    Ok(Then::Next)
}

pub(super) fn scenario(ui: &mut Ui, session: &mut Session, _: &str) -> Done {
    let Some(machine) = session.scenario() else {
        ui.say("No scenario.");
        return Ok(Then::Next);
    };
    let lines: Vec<String> =
        machine.variables().map(|(n, v)| format!("{n} = {}", show(v))).collect();
    ui.say(if lines.is_empty() { "A scenario without variables." } else { "" });
    for line in lines {
        ui.say(&line);
    }
    Ok(Then::Next)
}

// ---- editing -----------------------------------------------------------------------------

/// A literal as it is written in properties.
fn literal(text: &str) -> anyhow::Result<Value> {
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
) -> anyhow::Result<(MonitorId, PropertyId, InstanceId, Instance, Vec<&'a str>)> {
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

pub(super) fn set_state(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
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
        .map_err(|e| anyhow::anyhow!("{e}"))?;
    session.program().tune_all()?;
    ui.say(&format!("{}: {name}", binding(&instance)));
    Ok(Then::Next)
}

pub(super) fn set_slice_variable(ui: &mut Ui, session: &mut Session, rest: &str) -> Done {
    let usage = "set slice-variable PROPERTY SLICE-NUMBER NAME = VALUE";
    let (id, _, name_of, instance, words) = slice(session, rest, usage)?;
    let text = words.join(" ");
    let Some((name, value)) = text.split_once('=') else { bail!("{usage}") };
    let (name, value) = (name.trim(), literal(value.trim())?);
    let monitor = session.program().monitors_mut().iter_mut().find(|m| m.id == id);
    let monitor = monitor.context("it is gone")?;
    monitor
        .run
        .evaluator
        .set_variable(name_of, name, value.clone())
        .map_err(|e| anyhow::anyhow!("{e}"))?;
    session.program().tune_all()?;
    ui.say(&format!("{}: {name} = {}", binding(&instance), show(&value)));
    Ok(Then::Next)
}

pub(super) fn set_scenario_variable(_: &mut Ui, session: &mut Session, rest: &str) -> Done {
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
