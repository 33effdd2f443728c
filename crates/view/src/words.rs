//! Violations and properties in plain words.

use std::collections::BTreeSet;

use watchword_model::{
    Aggregate, Builtin, EventDecl, EventId, Expr, JvmWhen, Model, Observed, Origin, Place,
    Property, PropertyOrigin, Source, StateKind, Target, Value, Window,
};
use watchword_monitor::{Cause, Report, Step};

use crate::expression::Namer;
use crate::outcome::{Violation, beginning};
use crate::program::Call;
use crate::text::{self, and, harmless, show};

/// How a violation came about: a paragraph.
/// An event is described by the first line of its documentation, in which `{x}` stands for an
/// argument;
/// without documentation, by where it comes from.
pub fn violation(model: &Model, violation: &Violation) -> String {
    paragraph(model, &violation.report)
}

/// The same beside a table of the steps. If nothing documents the events, the paragraph could only repeat
/// the table, and only says why that is a violation.
pub fn remark(model: &Model, report: &Report) -> String {
    let is_told = |step: &Step| {
        let decl = step.event.map(|id| &model.events[id.index()]);
        decl.is_some_and(|decl| phrase(decl).is_some() || Call::of(decl, &step.args).is_some())
    };
    if report.history.is_empty() || report.history.iter().any(is_told) {
        return paragraph(model, report);
    }
    sentence(&why(&model.properties[report.property.index()], report))
}

fn paragraph(model: &Model, report: &Report) -> String {
    let property = &model.properties[report.property.index()];
    let mut teller = Teller { model, report, introduced: BTreeSet::new() };
    let mut sentences = Vec::new();
    let steps = teller.steps(&report.history);
    let cut = !report.history.is_empty() && beginning(property, report).is_none();
    match steps.split_first() {
        // A parameter keeps its name, with which no sentence can begin.
        Some((only, [])) if !cut && begins_with_name(only, model, report) => {
            sentences.push(format!("here, {only}"));
        }
        Some((only, [])) if !cut => sentences.push(only.clone()),
        Some((first, rest)) => {
            let begin = if cut { "after earlier events" } else { "first" };
            let mut text = format!("{begin}, {first}");
            for (i, step) in rest.iter().enumerate() {
                let last = i + 1 == rest.len() && rest.len() > 1;
                text.push_str(if last { "; finally, " } else { "; then " });
                text.push_str(step);
            }
            sentences.push(text);
        }
        None => {
            let bound: Vec<String> =
                report.binding.iter().map(|(name, _)| teller.named(name)).collect();
            if !bound.is_empty() {
                sentences.push(format!("this is about {}", and(&bound)));
            }
        }
    }
    sentences.push(why(property, report));
    sentences.iter().map(|s| sentence(s)).collect::<Vec<_>>().join(" ")
}

/// Whether a step begins with the name of a parameter.
fn begins_with_name(step: &str, model: &Model, report: &Report) -> bool {
    let first = step.split(' ').next().unwrap_or_default();
    let events = report.history.iter().filter_map(|step| step.event);
    let mut params = events.flat_map(|event| &model.events[event.index()].params);
    params.any(|param| param.name == first)
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", chars.as_str())
}

/// Why that is a violation.
fn why(property: &Property, report: &Report) -> String {
    let state = &property.states[report.state.index()];
    let before = match report.history.len() {
        0 => None,
        1 => beginning(property, report),
        n => Some(report.history[n - 2].state),
    };
    let before = before.map(|id| &property.states[id.index()]);
    match report.cause {
        Cause::Event => match &property.origin {
            PropertyOrigin::Never(pattern) => {
                format!("that completes a forbidden sequence: `{pattern}`")
            }
            PropertyOrigin::Only(pattern) => {
                format!("that does not fit the only allowed sequence: `{pattern}`")
            }
            PropertyOrigin::Ltl(formula) => {
                format!("from here on `{formula}` cannot hold any more")
            }
            PropertyOrigin::Automaton | PropertyOrigin::Proven => match before {
                Some(before) if before.name != state.name => {
                    format!(
                        "in state `{}` this is not allowed; it leads to `{}`",
                        before.name, state.name
                    )
                }
                _ => format!("that leads to `{}`, which must not be reached", state.name),
            },
        },
        Cause::Time => {
            let at = report.time.map(|t| format!(" at {}", text::moment(t))).unwrap_or_default();
            match before.and_then(|b| b.deadline.as_ref().map(|d| (b, d))) {
                Some((before, deadline)) => format!(
                    "nothing ended state `{}` within {}, so the limit passed{at}",
                    before.name,
                    text::duration(deadline.after)
                ),
                None => format!("then a time limit passed{at}, and that leads to `{}`", state.name),
            }
        }
        Cause::Channel => format!("a message that a property sent led to `{}`", state.name),
        Cause::EndOfLife => {
            format!("then its life ended in state `{}`, and it must not end there", state.name)
        }
        Cause::End => format!("the run ended in state `{}`, and it must not end there", state.name),
    }
}

/// Tells the steps of one report; a value is shown where it is mentioned first.
struct Teller<'a> {
    model: &'a Model,
    report: &'a Report,
    introduced: BTreeSet<&'a str>,
}

impl<'a> Teller<'a> {
    /// A parameter of the instance, with its value the first time.
    fn named(&mut self, name: &'a str) -> String {
        let bound = self.report.binding.iter().find(|(n, _)| **n == *name);
        match bound {
            Some((_, value)) if self.introduced.insert(name) => format!("{name} ({})", show(value)),
            _ => name.to_string(),
        }
    }

    /// An argument: by the parameter of the instance it is, or as it is.
    fn value(&mut self, name: Option<&str>, value: &Value) -> String {
        let same = |n: &str, v: &Value| v.same(value) && name.is_none_or(|name| name == n);
        let report = self.report;
        match report.binding.iter().find(|(n, v)| same(n, v)) {
            Some((bound, _)) => self.named(bound),
            None => show(value),
        }
    }

    /// All steps except deadlines; repetitions are described once.
    fn steps(&mut self, history: &'a [Step]) -> Vec<String> {
        let events: Vec<&Step> = history.iter().filter(|s| s.event.is_some()).collect();
        let same = |a: &&&Step, b: &&&Step| a.event == b.event && a.state == b.state;
        let mut told = Vec::new();
        for run in events.chunk_by(|a, b| same(&a, &b)) {
            match run {
                [first, .., last] if run.len() > 2 => {
                    let mut text = self.step(first);
                    text.push_str(&format!(", and {} times more", run.len() - 1));
                    if let Some(place) = last.location.as_deref() {
                        text.push_str(&format!(" up to {}", text::location(place)));
                    }
                    told.push(text);
                }
                _ => told.extend(run.iter().map(|step| self.step(step))),
            }
        }
        told
    }

    /// `iterator i (Itr@2) was made from c at A.java:12 (create)`.
    fn step(&mut self, step: &Step) -> String {
        let Some(id) = step.event else { return String::new() };
        if id == EventId::END {
            return "the run ended".to_string();
        }
        let decl = &self.model.events[id.index()];
        let call = Call::of(decl, &step.args);
        let mut text = match (&call, phrase(decl)) {
            (Some(call), _) => self.call(call),
            (None, Some(phrase)) => self.fill(&phrase, step),
            (None, None) => self.happened(decl, step),
        };
        if let Some(place) = step.location.as_deref() {
            text.push_str(&format!(" at {}", text::location(place)));
        }
        if call.is_none() && !text.contains(&format!("`{}`", decl.name)) {
            text.push_str(&format!(" (`{}`)", decl.name));
        }
        text
    }

    /// `java.util.Iterator.next` was called with i (Itr@2).
    fn call(&mut self, call: &Call<'_>) -> String {
        let args: Vec<String> = call.args.iter().map(|value| self.value(None, value)).collect();
        let with = match args.is_empty() {
            true => String::new(),
            false => format!(" with {}", and(&args)),
        };
        let result = match call.result {
            None | Some(Value::Null) => String::new(),
            Some(result) => format!(" {}", self.value(None, result)),
        };
        let method = harmless(call.method);
        match (call.called, call.result) {
            (true, None) => format!("`{method}` was called{with}"),
            (true, Some(_)) if result.is_empty() => format!("`{method}` was called{with}"),
            (true, Some(_)) => format!("`{method}` was called{with} and returned{result}"),
            // With what it was called was told when it was called, if that matters.
            (false, _) => format!("`{method}` returned{result}"),
        }
    }

    /// A phrase with `{x}` replaced by arguments.
    fn fill(&mut self, phrase: &str, step: &Step) -> String {
        let args: Vec<(Option<&str>, &Value)> = text::arguments(self.model, step).collect();
        let mut out = String::new();
        let mut rest = phrase;
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            let Some(close) = rest[open..].find('}') else { break };
            let name = &rest[open + 1..open + close];
            match args.iter().find(|(n, _)| *n == Some(name)) {
                Some((n, value)) => out.push_str(&self.value(*n, value)),
                None => out.push_str(name),
            }
            rest = &rest[open + close + 1..];
        }
        out + rest
    }

    /// For events without documentation.
    fn happened(&mut self, decl: &EventDecl, step: &Step) -> String {
        let args: Vec<String> = text::arguments(self.model, step)
            .filter(|(_, value)| !matches!(value, Value::Null))
            .map(|(name, value)| {
                let said = self.value(name, value);
                match name {
                    Some(name) if said != name && !said.starts_with(&format!("{name} (")) => {
                        format!("{name} = {said}")
                    }
                    _ => said,
                }
            })
            .collect();
        let with = if args.is_empty() { String::new() } else { format!(" with {}", and(&args)) };
        match call(decl) {
            Some((name, how)) => match name.strip_prefix('{').and_then(|n| n.strip_suffix('}')) {
                Some(names) => format!("one of `{names}` {how}{with}"),
                None => format!("`{name}` {how}{with}"),
            },
            None => format!("`{}` happened{with}", decl.name),
        }
    }
}

/// The first line of an event's documentation, as a part of a sentence.
fn phrase(decl: &EventDecl) -> Option<String> {
    let line = decl.doc.trim().lines().next()?.trim();
    let line = line.strip_suffix('.').unwrap_or(line);
    if line.is_empty() {
        return None;
    }
    let mut chars = line.chars();
    let first = chars.next()?;
    // `Somebody pushed` but not `TCP`.
    let lower = chars.clone().next().is_none_or(|c| !c.is_uppercase());
    let first = if lower { first.to_lowercase().to_string() } else { first.to_string() };
    Some(harmless(&format!("{first}{}", chars.as_str())))
}

/// The function an event is a call of, and what happened to it.
fn call(decl: &EventDecl) -> Option<(String, &'static str)> {
    let Origin::World(sources) = &decl.origin else { return None };
    // If there are several sources, it is not known which one it was.
    let [source] = sources.as_slice() else { return None };
    match source {
        Source::Jvm(jvm) => {
            let method = jvm.point.method()?;
            let name = match method.name.text() {
                "<init>" => format!("new {}", method.owner.name.text()),
                name => name.to_string(),
            };
            let how = match jvm.when {
                JvmWhen::Before => "was called",
                JvmWhen::After if method.name.text() == "<init>" => "was called",
                JvmWhen::After => "returned",
                JvmWhen::Throwing => "threw",
            };
            Some((name, how))
        }
        Source::Native(native) => {
            let how = native.point.kind.facts().happens?[native.when as usize];
            Some((native.point.named()?.text().to_string(), how))
        }
        Source::Log(_) => None,
    }
}

/// What a property forbids: a paragraph.
pub fn property(model: &Model, property: &Property) -> String {
    if property.is_proven() {
        return "It was proven for a program: no run of that program violates it, so it is not monitored."
            .to_string();
    }
    let mut sentences = Vec::new();
    let params: Vec<String> =
        model.params(property.context).into_iter().map(|(_, p)| p.name.clone()).collect();
    let whose = if model.has_registers(property) {
        "each value is followed from event to event in a configuration of its own".to_string()
    } else if params.is_empty() {
        "one instance receives all events".to_string()
    } else if let [param] = params.as_slice() {
        format!("there is one instance for every {param}")
    } else {
        let each: Vec<String> = params.iter().map(|param| format!("one {param}")).collect();
        format!("each instance is about {}", and(&each))
    };
    sentences.push(whose);
    let names: Vec<String> = property.alphabet.iter().map(|o| observed_event(model, o)).collect();
    let observed = match names.len() {
        0 => "It observes nothing".to_string(),
        1 => format!("It observes only {}", names[0]),
        _ => format!("It observes {}", and(&names)),
    };
    sentences.push(observed);
    match &property.origin {
        PropertyOrigin::Never(pattern) => {
            sentences.push(format!(
                "it is violated whenever these follow each other directly: `{pattern}`"
            ));
        }
        PropertyOrigin::Only(pattern) => {
            sentences
                .push(format!("it is violated by the first event that does not fit `{pattern}`"));
        }
        PropertyOrigin::Ltl(formula) => {
            sentences.push(format!("it is violated as soon as `{formula}` cannot hold any more"));
        }
        PropertyOrigin::Automaton | PropertyOrigin::Proven => {
            for window in &property.windows {
                sentences.push(windowed(model, property, window));
            }
            automaton(property, &mut sentences);
        }
    }
    sentences.iter().map(|s| sentence(s)).collect::<Vec<_>>().join(" ")
}

/// An event that exists for a property; any call of a program by the methods that count.
pub fn observed_event(model: &Model, observed: &Observed) -> String {
    let name = &model.events[observed.event.index()].name;
    match observed.filter.as_ref().and_then(methods) {
        Some(methods) => format!("`{name}` of `{methods}`"),
        None => format!("`{name}`"),
    }
}

/// The methods a filter lets pass, if that is all it looks at.
fn methods(filter: &Expr) -> Option<&str> {
    match filter {
        Expr::Builtin(Builtin::Matches, args) => match &args[..] {
            [Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(glob))] => Some(glob),
            _ => None,
        },
        _ => None,
    }
}

/// What a window comes to, in words.
fn windowed(model: &Model, property: &Property, window: &Window) -> String {
    let writing = Namer::new(model, property).of(&window.label);
    let event = window.label.event.map_or("any", |e| model.events[e.index()].name.as_str());
    let value = window.of.as_ref().map(|of| writing.expr(of)).unwrap_or_default();
    let what = match window.aggregate {
        Aggregate::Count => format!("how many `{event}` events there were"),
        Aggregate::Distinct => {
            format!("how many different values `{value}` had in `{event}` events")
        }
        Aggregate::Sum => format!("the sum of `{value}` of the `{event}` events"),
        Aggregate::Min => format!("the least `{value}` of the `{event}` events"),
        Aggregate::Max => format!("the greatest `{value}` of the `{event}` events"),
        Aggregate::Avg => format!("the mean `{value}` of the `{event}` events"),
    };
    let guard = match &window.label.guard {
        Some(guard) => format!(" for which `{}` holds", writing.expr(guard)),
        None => String::new(),
    };
    let within = text::duration(window.within);
    format!(
        "`{}` is {what}{guard} within the last {within}, including the present one",
        window.name
    )
}

/// The description of a property's states.
fn automaton(property: &Property, sentences: &mut Vec<String>) {
    let start = &property.states[property.start.index()].name;
    sentences.push(format!("it begins in `{start}`"));
    for (i, state) in property.states.iter().enumerate() {
        if let Some(deadline) = &state.deadline {
            let within = text::duration(deadline.after);
            let name = &state.name;
            sentences.push(match deadline.branch.target {
                Target::State(to) => {
                    let to = &property.states[to.index()];
                    match to.kind {
                        StateKind::Bad => {
                            format!(
                                "`{name}` must be left within {within}, or `{}` follows",
                                to.name
                            )
                        }
                        _ => format!("after {within} in `{name}`, `{}` follows", to.name),
                    }
                }
                Target::Stay => format!("something happens after {within} in `{name}`"),
                Target::Drop => format!("after {within} in `{name}` nothing more is expected"),
            });
        }
        let into = |t: &&watchword_model::Transition| {
            let leads = |target| target == Target::State(watchword_model::StateId::from_index(i));
            leads(t.then.target) || t.otherwise.as_ref().is_some_and(|b| leads(b.target))
        };
        let mut from: Vec<String> = Vec::new();
        for transition in property.transitions.iter().filter(into) {
            let name = format!("`{}`", property.states[transition.source.index()].name);
            if !from.contains(&name) {
                from.push(name);
            }
        }
        let from = if from.is_empty() { String::new() } else { format!(" from {}", and(&from)) };
        match state.kind {
            StateKind::Bad => sentences.push(format!(
                "it is violated when `{}` is entered{}",
                state.name,
                if from.is_empty() { String::new() } else { format!(", which happens{from}") }
            )),
            StateKind::Pending => sentences
                .push(format!("it is violated if the run ends while it is in `{}`", state.name)),
            StateKind::Good => {
                sentences.push(format!("it is satisfied when `{}` is entered{from}", state.name));
            }
            StateKind::Normal => {}
        }
    }
}
