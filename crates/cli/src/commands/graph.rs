//! `watchword graph PROP`.

use std::fmt::Write;

use anyhow::bail;
use watchword_model::{Model, Property, StateKind, Target, Transition};

use crate::args::{Global, OutputFormat, Properties};
use crate::output::expression::Namer;
use crate::{Outcome, properties};

/// Draw the automaton of a property as a graph for Graphviz.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword graph login.ww > login.dot\n  \
    watchword graph std/bounded | dot -Tsvg > bounded.svg\n  \
    watchword graph --only Bounded many.ww")]
pub struct Args {
    #[command(flatten)]
    properties: Properties,
    /// Draw this property only
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    match global.format {
        None | Some(OutputFormat::Dot) => {}
        Some(_) => bail!("`graph` prints dot: leave `--format` out, or say `--format dot`"),
    }
    let Properties { properties: names, reading } = &args.properties;
    let (model, _) = properties::load_valid(names, reading, global)?;
    let chosen: Vec<&Property> = match &args.only {
        None => model.properties.iter().collect(),
        Some(name) => match model.property(name) {
            Some(id) => vec![&model.properties[id.index()]],
            None => {
                let names: Vec<&str> = model.properties.iter().map(|p| p.name.as_str()).collect();
                bail!("there is no property `{name}`; there are {}", names.join(", "));
            }
        },
    };
    super::print(&dot(&model, &chosen))?;
    Ok(Outcome::Clean)
}

/// One graph per file, one cluster per property.
pub fn dot(model: &Model, properties: &[&Property]) -> String {
    let mut out = String::from("digraph watchword {\n  rankdir=LR;\n");
    out.push_str("  node [shape=ellipse, fontname=\"sans-serif\"];\n");
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=10];\n");
    for (index, property) in properties.iter().enumerate() {
        cluster(&mut out, model, property, index);
    }
    out.push_str("}\n");
    out
}

fn cluster(out: &mut String, model: &Model, property: &Property, index: usize) {
    let node = |state: usize| format!("p{index}s{state}");
    let params: Vec<&str> =
        model.params(property.context).into_iter().map(|(_, p)| p.name.as_str()).collect();
    let title = format!("{}({})", property.name, params.join(", "));
    let _ = writeln!(out, "  subgraph cluster_{index} {{\n    label={};", quote(&title));
    let _ = writeln!(out, "    p{index}start [shape=point];");
    let _ = writeln!(out, "    p{index}start -> {};", node(property.start.index()));
    for (i, state) in property.states.iter().enumerate() {
        let style = match state.kind {
            StateKind::Normal => "",
            StateKind::Bad => ", shape=doubleoctagon, style=filled, fillcolor=\"#f8d0d0\"",
            StateKind::Good => ", shape=doublecircle, style=filled, fillcolor=\"#d0f0d0\"",
            StateKind::Pending => ", style=\"filled,dashed\", fillcolor=\"#f8f0c8\"",
        };
        let mut label = state.name.clone();
        if let Some(deadline) = &state.deadline {
            let _ = write!(label, "\nwithin {} s", crate::output::json::seconds(deadline.after));
        }
        let _ = writeln!(out, "    {} [label={}{style}];", node(i), quote(&label));
    }
    let mut drops = false;
    let mut edge = |out: &mut String, from: usize, target: Target, label: &str, style: &str| {
        let to = match target {
            Target::State(state) => node(state.index()),
            Target::Stay => node(from),
            Target::Drop => {
                drops = true;
                format!("p{index}drop")
            }
        };
        let _ = writeln!(out, "    {} -> {to} [label={}{style}];", node(from), quote(label));
    };
    let namer = Namer { model, property };
    for transition in &property.transitions {
        let from = transition.source.index();
        let label = transition_label(&namer, transition);
        let style = if transition.keep { ", arrowtail=dot, dir=both" } else { "" };
        edge(out, from, transition.then.target, &label, style);
        if let Some(otherwise) = &transition.otherwise {
            edge(out, from, otherwise.target, &format!("{label} else"), ", style=dashed");
        }
    }
    for (i, state) in property.states.iter().enumerate() {
        if let Some(deadline) = &state.deadline {
            edge(out, i, deadline.branch.target, "too late", ", style=dotted");
        }
    }
    if drops {
        let _ = writeln!(out, "    p{index}drop [label=\"drop\", shape=plaintext];");
    }
    out.push_str("  }\n");
}

fn transition_label(namer: &Namer<'_>, transition: &Transition) -> String {
    let labels: Vec<String> = transition.labels.iter().map(|l| namer.label(l)).collect();
    let mut text = labels.join("; ");
    if !transition.then.update.is_empty() {
        let updates: Vec<String> =
            transition.then.update.iter().map(|s| namer.statement(s)).collect();
        let _ = write!(text, "\n{{ {} }}", updates.join("; "));
    }
    text
}

/// A text as dot wants it; a line break is `\n`.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
