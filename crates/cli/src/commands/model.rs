//! `watchword model -p PROP IN --method PATTERN`.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use watchword_model::{Glob, PropertyId};
use watchword_residual::jvm::program::{Program, instructions};
use watchword_residual::jvm::select::Selector;
use watchword_residual::machine::Machines;
use watchword_residual::model::{Label, MethodModel, Options, model};
use watchword_select::KnownTypes;
use watchword_view::diagram::{Diagram, Edge, Kind, Node};
use watchword_view::{dot, svg, term};

use crate::args::{Global, OutputFormat, Reading};
use crate::classes::{self, Classes, ProgramClasses};
use crate::output::json::Json;
use crate::{Outcome, properties, residual};

/// Show what methods of a JVM program can do, as automata over a property's events.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword model -p std/safe-iterator build/classes --method 'app.Main.run'\n  \
    watchword model -p safe.ww app.jar --method '*' --format json\n  \
    watchword model -p safe.ww app.jar --method 'app.A.m' --accept all --escapes all \\\n    \
    --safe safe.txt --format svg > m.svg\n\n\
    A state is an event or an escape (#: an object may leave the method). A safe list has one rule\n\
    per line: `method PATTERN`, `type PATTERN`, `package PATTERN`, `opcode PATTERN`, or `jdk`.")]
pub struct Args {
    /// The property: a file, or a shipped one such as std/safe-iterator
    #[arg(short, long = "property", required = true, value_name = "PROP")]
    property: String,
    #[command(flatten)]
    reading: Reading,
    /// Class files, directories of them, or jars
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// Methods by name: class, dot, method; `*` and `?` are wildcards
    #[arg(long, required = true, value_name = "PATTERN")]
    method: String,
    /// Which states accept
    #[arg(long, value_name = "WHERE", default_value = "exits")]
    accept: Accept,
    /// Which instructions count as escapes
    #[arg(long, value_name = "WHAT", default_value = "calls")]
    escapes: Escapes,
    /// A file of instructions that are not escapes; default: calls of the JDK
    #[arg(long, value_name = "FILE")]
    safe: Option<PathBuf>,
    /// Ignore exceptional edges
    #[arg(long)]
    no_exceptions: bool,
    /// The JDK on which the program will run; default: JAVA_HOME, or `java` of the path
    #[arg(long, value_name = "DIR")]
    jdk: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Accept {
    /// At the method's exits.
    Exits,
    /// Anywhere.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Escapes {
    /// Objects that calls are given.
    Calls,
    /// Also objects stored in fields or returned.
    All,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let write: fn(&[Shown]) -> String = match global.format {
        None | Some(OutputFormat::Dot) => |shown| dot::draw(&diagrams(shown)),
        Some(OutputFormat::Svg) => |shown| svg::draw(&diagrams(shown)),
        Some(OutputFormat::Json) => to_json,
        Some(OutputFormat::Human | OutputFormat::Term) => {
            |shown| diagrams(shown).iter().map(term::draw).collect::<Vec<_>>().join("\n")
        }
        Some(OutputFormat::Html) => bail!("`model` prints dot, svg, term or json"),
    };
    let names = std::slice::from_ref(&args.property);
    let known = ProgramClasses::new(|| Ok(args.inputs.clone()));
    let (model_, _) = properties::load_valid_with(names, &args.reading, &known, global)?;
    let options = Options {
        accept_all: args.accept == Accept::All,
        all_escapes: args.escapes == Escapes::All,
        safe: residual::safe_list(args.safe.as_deref())?,
        exceptions: !args.no_exceptions,
    };
    let own = Classes::read(&args.inputs)?;
    let platform = classes::platform(args.jdk.as_deref())?;
    let program = Program::new(own.borrowed(), Vec::new(), &*platform, true);
    for (place, why) in &program.code.broken {
        eprintln!("{place}: cannot be read: {why}");
    }
    let pattern = Glob::new(&args.method);
    let mut shown = Vec::new();
    for index in 0..model_.properties.len() {
        let property = PropertyId::from_index(index);
        let name = &model_.properties[index].name;
        let machines = Machines::of(&model_, property);
        let machines =
            machines.map_err(|why| anyhow!("{name} has no events to show: {}", why.0))?;
        let selector = Selector::new(&model_, &machines);
        let selector = selector.map_err(|why| anyhow!("{name}: {}", why.0))?;
        let types = KnownTypes::open(&program);
        for id in program.bodies() {
            let method = program.method(id);
            let class = method.class().name()?.to_str().replace('/', ".");
            let method_name = method.name()?.to_str().into_owned();
            let full = format!("{class}.{method_name}");
            if !pattern.matches(&full) && !pattern.matches(&method_name) {
                continue;
            }
            let code = instructions(method).with_context(|| full.clone())?;
            let found = selector.sites(method, &code, &types);
            let made = model(method, machines.letters.len(), &found, &options);
            let Some(made) = made.with_context(|| full.clone())? else { continue };
            // With a pattern for many methods, those without events are of no interest.
            if found.is_empty() && !pattern.is_literal() {
                continue;
            }
            let descriptor = method.descriptor()?.to_str().into_owned();
            let letters: Vec<String> = machines.letters.iter().map(|l| l.name.clone()).collect();
            shown.push(Shown {
                property: name.clone(),
                name: full,
                descriptor,
                letters,
                model: made,
            });
        }
    }
    if shown.is_empty() {
        bail!("no method `{}` with events of {} was found", args.method, args.property);
    }
    super::print(&write(&shown))?;
    Ok(Outcome::Clean)
}

struct Shown {
    property: String,
    name: String,
    descriptor: String,
    letters: Vec<String>,
    model: MethodModel,
}

impl Shown {
    fn label(&self, label: Label) -> &str {
        match label {
            Label::Event(letter) => &self.letters[letter],
            Label::Escape => "#",
        }
    }
}

fn to_json(shown: &[Shown]) -> String {
    let number = |n: usize| Json::from(n as u64);
    let mut methods = Vec::new();
    for one in shown {
        let last = one.model.nodes.len() - 1;
        let states = one.model.nodes.iter().enumerate().map(|(index, node)| {
            Json::object([("id", number(index))])
                .with_some("event", node.label.map(|l| one.label(l)))
                .with_some("through", node.through.as_deref())
                .with("offset", u64::from(node.offset))
                .with_some("line", node.line.map(u64::from))
                .with("accepting", one.model.accept_all || index == last)
                .with("next", node.next.iter().map(|n| number(*n)).collect::<Vec<_>>())
        });
        methods.push(
            Json::object([("property", one.property.as_str().into())])
                .with("method", format!("{}{}", one.name, one.descriptor).as_str())
                .with("entries", one.model.entries.iter().map(|n| number(*n)).collect::<Vec<_>>())
                .with("states", states.collect::<Vec<_>>()),
        );
    }
    format!("{}\n", Json::object([("watchword", 1u64.into())]).with("models", methods))
}

/// Every method as a picture: a state per event or escape, an edge with what happens on leaving it.
fn diagrams(shown: &[Shown]) -> Vec<Diagram> {
    let mut all = Vec::new();
    for one in shown {
        let title = format!("{}: {}{}", one.property, one.name, one.descriptor);
        let mut diagram = Diagram::new(&title);
        let last = one.model.nodes.len() - 1;
        for (index, node) in one.model.nodes.iter().enumerate() {
            let name = match node.label {
                None => "end".to_owned(),
                Some(_) => index.to_string(),
            };
            let note = match (node.label, node.line) {
                (None, _) => String::new(),
                (_, Some(line)) => format!("line {line}"),
                (_, None) => format!("offset {}", node.offset),
            };
            let note = match &node.through {
                Some(through) => format!("{note}: {through}"),
                None => note,
            };
            let accepting = one.model.accept_all || index == last;
            diagram.add(Node {
                note,
                start: one.model.entries.contains(&index),
                kind: if accepting { Kind::Good } else { Kind::Plain },
                ..Node::plain(&name)
            });
        }
        for (index, node) in one.model.nodes.iter().enumerate() {
            for next in &node.next {
                let label = node.label.map_or("", |l| one.label(l));
                diagram.connect(Edge::new(index, *next, label));
            }
        }
        all.push(diagram);
    }
    all
}
