//! `watchword graph PROP`.

use anyhow::bail;
use watchword_model::Property;
use watchword_view::diagram::Diagram;
use watchword_view::{automaton, dot, svg, term};

use crate::args::{Global, OutputFormat, Properties};
use crate::output::json::Json;
use crate::{Outcome, properties};

/// Draw the automaton of a property as SVG, for Graphviz, or with characters.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword graph std/reply\n  \
    watchword graph --format svg login.ww > login.svg\n  \
    watchword graph --format dot login.ww | dot -Tpng > login.png\n  \
    watchword graph --only Bounded many.ww\n  \
    watchword graph --format json login.ww")]
pub struct Args {
    #[command(flatten)]
    properties: Properties,
    /// Draw this property only
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let draw = match global.format {
        Some(OutputFormat::Dot) => dot::draw,
        Some(OutputFormat::Svg) => svg::draw,
        None | Some(OutputFormat::Human | OutputFormat::Term) => {
            |diagrams: &[_]| diagrams.iter().map(term::draw).collect::<Vec<_>>().join("\n")
        }
        Some(OutputFormat::Json) => to_json,
        Some(OutputFormat::Html) => bail!("`graph` prints svg, dot, term or json"),
    };
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
    let diagrams: Vec<_> =
        chosen.iter().map(|property| automaton::diagram(&model, property, &[])).collect();
    let drawn = !matches!(global.format, Some(OutputFormat::Dot | OutputFormat::Json));
    if let Some(large) = diagrams.iter().find(|d| drawn && d.is_too_large()) {
        bail!(
            "{} has {} states and {} transitions, too many to draw; use `--format dot` for Graphviz, or `--format json` for other programs",
            large.title,
            large.nodes.len(),
            large.edges.len()
        );
    }
    super::print(&draw(&diagrams))?;
    Ok(Outcome::Clean)
}

fn to_json(diagrams: &[Diagram]) -> String {
    let graphs: Vec<Json> = diagrams.iter().map(Json::from).collect();
    format!("{}\n", Json::object([("watchword", 1u64.into()), ("graphs", graphs.into())]))
}
