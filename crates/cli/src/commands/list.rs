//! `watchword list`.

use std::fmt::Write;

use watchword_model::Model;
use watchword_spec::classes::NoClasses;

use crate::args::{Global, Reading};
use crate::output::json::Json;
use crate::output::style::Style;
use crate::properties::{self, SHIPPED};
use crate::{Outcome, output};

/// List the properties that come with Watchword. Use them by name wherever a file is expected.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword list\n  \
    watchword list --show std/reply\n  \
    watchword replay -p std/reply trace.jsonl")]
pub struct Args {
    /// Print the file of one property
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("list")?;
    if let Some(name) = &args.show {
        super::print(&properties::shipped(name)?.text)?;
        return Ok(Outcome::Clean);
    }
    let style = Style::new(global.color_on_stdout());
    let mut entries = Vec::new();
    let mut text = String::new();
    for shipped in SHIPPED {
        let reading = Reading::default();
        let loaded = properties::load(&[shipped.name.to_string()], &reading, &NoClasses)?;
        let Some(model) = loaded.model else {
            // A test makes sure that this does not ship.
            output::warning(global.color_on_stderr(), &format!("{} is damaged", shipped.name));
            continue;
        };
        for property in &model.properties {
            let params = parameters(&model, property);
            let doc = property.doc.trim().lines().next().unwrap_or_default();
            entries.push(Json::object([
                ("name", shipped.name.into()),
                ("property", property.name.as_str().into()),
                ("parameters", Json::List(params.iter().map(|p| (*p).into()).collect())),
                ("severity", property.severity.name().into()),
                ("doc", property.doc.trim().into()),
            ]));
            let call = format!("{}({})", property.name, params.join(", "));
            let name = style.bold(&format!("{:<20}", shipped.name));
            let _ = writeln!(text, "{name} {call:<22} {doc}");
        }
    }
    if json {
        let json = Json::object([("watchword", 1u64.into()), ("properties", entries.into())]);
        text = format!("{json}\n");
    }
    super::print(&text)?;
    Ok(Outcome::Clean)
}

fn parameters<'m>(model: &'m Model, property: &watchword_model::Property) -> Vec<&'m str> {
    model.params(property.context).into_iter().map(|(_, p)| p.name.as_str()).collect()
}
