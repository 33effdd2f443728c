//! A model in a few lines, without spans, for expectations and comparisons.

use std::fmt::Write;

use watchword_model::{Arity, Creation, Model, Origin, Pattern, Place, Property, Target};

/// Everything a model says, as text; two models that say the same give the same text.
pub fn meaning(model: &Model) -> String {
    strip_spans(&format!("{model:#?}"))
}

/// Removes `Span { … }` from a pretty-printed value.
fn strip_spans(text: &str) -> String {
    let mut out = String::new();
    let mut skip = None;
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        match skip {
            Some(at) if depth > at => continue,
            Some(_) => {
                skip = None;
                continue;
            }
            None => {}
        }
        if line.trim_end().ends_with("Span {") {
            skip = Some(depth);
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The automata of a model, as a person would note them down.
pub fn automata(model: &Model) -> String {
    let mut out = String::new();
    for property in &model.properties {
        let context = &model.contexts[property.context.index()];
        let params: Vec<&str> =
            model.params(property.context).iter().map(|(_, p)| p.name.as_str()).collect();
        let rule = match &context.rule {
            Creation::ChenRosu { creation } if creation.is_empty() => "chen-rosu".to_string(),
            Creation::ChenRosu { creation } => {
                let names: Vec<&str> =
                    creation.iter().map(|e| model.events[e.index()].name.as_str()).collect();
                format!("chen-rosu from {}", names.join(", "))
            }
            other => format!("{other:?}").to_lowercase(),
        };
        let _ = writeln!(out, "{}({}) {rule}", property.name, params.join(", "));
        for observed in &property.alphabet {
            let event = &model.events[observed.event.index()];
            let placements: Vec<String> = observed
                .placements
                .iter()
                .map(|p| {
                    let pairs: Vec<String> =
                        p.0.iter()
                            .map(|(param, arg)| format!("{}={arg}", params[param.index()]))
                            .collect();
                    format!("[{}]", pairs.join(" "))
                })
                .collect();
            let _ = writeln!(out, "  observes {} {}", event.name, placements.join(" "));
        }
        states(model, property, &mut out);
    }
    for event in &model.events {
        if let Origin::World(sources) = &event.origin {
            for source in sources {
                let _ = writeln!(out, "{}: {source:?}", event.name);
            }
        }
    }
    out
}

fn states(model: &Model, property: &Property, out: &mut String) {
    for (i, state) in property.states.iter().enumerate() {
        let start = if property.start.index() == i { "start " } else { "" };
        let kind = format!("{:?}", state.kind).to_lowercase();
        let _ = write!(out, "  {start}{kind} {}", state.name);
        if let Some(deadline) = &state.deadline {
            let target = target(property, deadline.branch.target);
            let _ = write!(out, " within {} ns else {target}", deadline.after);
        }
        let _ = writeln!(out);
        if !state.entry.is_empty() {
            let _ = writeln!(out, "    enter {:?}", state.entry);
        }
        for (_, transition) in property.leaving(watchword_model::StateId::from_index(i)) {
            let labels: Vec<String> = transition
                .labels
                .iter()
                .map(|label| {
                    let name = label.event.map_or("any", |e| model.events[e.index()].name.as_str());
                    let args: Vec<String> =
                        label.args.iter().map(|p| pattern(model, property, p)).collect();
                    let arity = match label.arity {
                        Arity::Any => String::new(),
                        Arity::Exactly(n) => format!("/{n}"),
                        Arity::AtLeast(n) => format!("/{n}+"),
                    };
                    let guard =
                        label.guard.as_ref().map_or(String::new(), |g| format!(" if {g:?}"));
                    format!("{name}{arity}({}){guard}", args.join(", "))
                })
                .collect();
            let arrow = if transition.keep { "=>" } else { "->" };
            let _ = write!(
                out,
                "    {} {:?} {arrow} {}",
                labels.join(" then "),
                transition.then.update,
                target(property, transition.then.target)
            );
            if let Some(otherwise) = &transition.otherwise {
                let to = target(property, otherwise.target);
                let _ = write!(out, " else {:?} -> {to}", otherwise.update);
            }
            let _ = writeln!(out);
        }
    }
}

fn target(property: &Property, target: Target) -> String {
    match target {
        Target::State(state) => property.states[state.index()].name.clone(),
        Target::Stay => "stay".to_string(),
        Target::Drop => "drop".to_string(),
    }
}

fn pattern(model: &Model, property: &Property, pattern: &Pattern) -> String {
    let place = |place: &Place| match place {
        Place::Param(p) => model.params(property.context)[p.index()].1.name.clone(),
        Place::Register(r) => property.registers[r.index()].name.clone(),
        Place::Var(v) => model.variables[v.index()].name.clone(),
        other => format!("{other:?}"),
    };
    match pattern {
        Pattern::Any => "_".to_string(),
        Pattern::Bind(p) => format!("?{}", place(p)),
        Pattern::Equal(p) => place(p),
        Pattern::Differs(p) => format!("!{}", place(p)),
        Pattern::Const(v) => format!("{v:?}"),
        Pattern::NotConst(v) => format!("!{v:?}"),
    }
}
