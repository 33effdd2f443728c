//! What is left of the properties themselves: the part of `analyze` that is about transitions.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::ValueEnum;
use watchword_model::{Model, Property};
use watchword_residual::analysis::PropertyReport;
use watchword_residual::date::cfg;
use watchword_residual::date::jvm::{self, PropertyResidual, Residual};
use watchword_residual::jvm::program::Program;
use watchword_spec::{SourceFile, convert};
use watchword_view::automaton::Removed;
use watchword_view::{automaton, dot, svg};

use crate::output::atomic;
use crate::output::json::Json;

/// What is said about properties that are reduced.
#[derive(Debug, clap::Args)]
pub struct Flags {
    /// How far properties are reduced: by events that do not occur, that do not occur for an object,
    /// or by the order in which they can occur
    #[arg(long, value_name = "NAME", default_value = "flow")]
    pub depth: Depth,
    /// Write the residual properties to a .ww file
    #[arg(long, value_name = "FILE")]
    pub property_out: Option<PathBuf>,
    /// Draw the properties to a .svg or .dot file; removed parts are dashed
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
}

/// How far properties are reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Depth {
    /// By events that do not occur in the program.
    Absent,
    /// And by events that do not occur for an object.
    Objects,
    /// And by the order in which they can occur.
    #[default]
    Flow,
}

impl Depth {
    fn depth(self) -> cfg::Depth {
        match self {
            Depth::Absent => cfg::Depth::Absent,
            Depth::Objects => cfg::Depth::Objects,
            Depth::Flow => cfg::Depth::Flow,
        }
    }
}

/// Reduces the properties, given what the other analyses found about their sites, and adds what that
/// silences to their reports.
pub fn analyse<'r>(
    program: &Program<'_>,
    model: &Model,
    reports: impl Iterator<Item = &'r mut PropertyReport>,
    depth: Depth,
) -> Residual {
    let mut reports: Vec<&mut PropertyReport> = reports.collect();
    let known: Vec<PropertyReport> = reports.iter().map(|r| (**r).clone()).collect();
    let residual = jvm::analyse(program, model, &known, depth.depth());
    for (report, (known, property)) in
        reports.iter_mut().zip(known.into_iter().zip(&residual.properties))
    {
        **report = known.with(property);
    }
    residual
}

impl Flags {
    /// Whether the files that are asked for can be written.
    pub fn check(&self) -> anyhow::Result<()> {
        if let Some(path) = &self.picture {
            Drawn::as_(path)?;
        }
        self.property_out.iter().chain(&self.picture).try_for_each(|path| atomic::check(path))
    }
}

/// How a picture is drawn.
enum Drawn {
    Svg,
    Dot,
}

impl Drawn {
    fn as_(path: &Path) -> anyhow::Result<Drawn> {
        match path.extension().and_then(|e| e.to_str()) {
            Some("svg") => Ok(Drawn::Svg),
            Some("dot" | "gv") => Ok(Drawn::Dot),
            _ => bail!("{}: a picture is an .svg or a .dot file", path.display()),
        }
    }
}

/// What a file begins with that has what is left of properties.
const ABOUT: &str = "\
    // What `watchword analyze --property-out` left of these properties: with the classes that were\n\
    // analysed, and with the silenced sites of the same analysis (--silenced-out, `java --silenced`).\n\
    // With others, or without the silenced sites, it reports what is right and misses what is wrong.\n\n";

/// Writes the files that were asked for.
pub fn write<'r>(
    flags: &Flags,
    model: &Model,
    residual: &Residual,
    reports: impl Iterator<Item = &'r PropertyReport>,
) -> anyhow::Result<()> {
    if let Some(path) = &flags.property_out {
        atomic::write(path, format!("{ABOUT}{}", text(residual, reports)?))?;
    }
    if let Some(path) = &flags.picture {
        atomic::write(path, picture(path, model, residual)?)?;
    }
    Ok(())
}

/// What is left of the properties as a `.ww` file; of those that are proven only that they are.
fn text<'r>(
    residual: &Residual,
    reports: impl Iterator<Item = &'r PropertyReport>,
) -> anyhow::Result<String> {
    let silent: Vec<bool> = reports.map(|r| r.is_proven()).collect();
    match convert::to_ww_of_used(&residual.left(&silent)) {
        Ok(text) => Ok(text),
        Err(why) => bail!("what is left of the properties: {}", why.message),
    }
}

/// What is left of the properties, as whoever reads that file has it.
pub fn left<'r>(
    residual: &Residual,
    reports: impl Iterator<Item = &'r PropertyReport>,
) -> Option<Model> {
    let text = text(residual, reports).ok()?;
    let file = SourceFile::new("left.ww", &text);
    watchword_spec::load(&[file], &|_, path| Err(path.to_owned())).model
}

fn picture(path: &Path, model: &Model, residual: &Residual) -> anyhow::Result<String> {
    let diagrams: Vec<_> = residual
        .properties
        .iter()
        .map(|p| {
            let removed = Removed {
                transitions: &p.lost.transitions,
                states: &p.lost.states,
                deadlines: &p.lost.deadlines,
            };
            automaton::residual(model, property(model, p), removed)
        })
        .collect();
    Ok(match Drawn::as_(path)? {
        Drawn::Svg => svg::draw(&diagrams),
        Drawn::Dot => dot::draw(&diagrams),
    })
}

fn property<'m>(model: &'m Model, residual: &PropertyResidual) -> &'m Property {
    &model.properties[residual.property.index()]
}

/// How many transitions are left, if some are and some are not.
pub fn beside(residual: &PropertyResidual) -> String {
    let lost = &residual.lost;
    let left = residual.transitions - lost.transitions.len();
    match lost.proven || left == residual.transitions {
        true => String::new(),
        false => format!("; {left} of {} transitions can be used", residual.transitions),
    }
}

/// How much of a property is left, in a line.
pub fn line(model: &Model, residual: &PropertyResidual) -> String {
    let mut out = String::new();
    if residual.unsupported.is_some() {
        return out;
    }
    let lost = &residual.lost;
    if lost.proven {
        let none = match residual.transitions {
            1 => "its one transition is not left".to_owned(),
            all => format!("of its {all} transitions none is left"),
        };
        let _ = writeln!(out, "  {none}: nothing it says can matter");
        return out;
    }
    let names: Vec<&str> =
        lost.events.iter().map(|e| model.events[e.index()].name.as_str()).collect();
    let events = match names.len() {
        0 => String::new(),
        _ => format!("; it does not need {}", names.join(", ")),
    };
    let _ = writeln!(
        out,
        "  {} of {} transitions and {} of {} states left{events}",
        residual.transitions - lost.transitions.len(),
        residual.transitions,
        residual.states - lost.states.len(),
        residual.states,
    );
    out
}

/// How much of a property is left, for programs.
pub fn json(model: &Model, residual: &PropertyResidual) -> Json {
    let number = |n: usize| Json::from(n as u64);
    let property = property(model, residual);
    let names = residual.lost.events.iter().map(|e| model.events[e.index()].name.as_str());
    let events: Vec<Json> = names.map(Json::from).collect();
    let state = |s: watchword_model::StateId| property.states[s.index()].name.as_str();
    let removed: Vec<Json> = residual
        .lost
        .transitions
        .iter()
        .map(|t| {
            let transition = &property.transitions[t.index()];
            let event = transition.labels.first().and_then(|l| l.event);
            let event = event.map_or("any", |e| model.events[e.index()].name.as_str());
            let to = match transition.then.target {
                watchword_model::Target::State(to) => state(to),
                watchword_model::Target::Stay => state(transition.source),
                watchword_model::Target::Drop => "drop",
            };
            Json::object([("from", state(transition.source).into()), ("event", event.into())])
                .with("to", to)
        })
        .collect();
    Json::object([("transitions", number(residual.transitions))])
        .with("transitions_left", number(residual.transitions - residual.lost.transitions.len()))
        .with("states", number(residual.states))
        .with("states_left", number(residual.states - residual.lost.states.len()))
        .with("events_silenced", events)
        .with("removed", removed)
        .with_some("unsupported", residual.unsupported.as_deref())
}
