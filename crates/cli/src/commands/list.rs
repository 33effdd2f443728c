//! `watchword list`.

use std::fmt::Write;

use anyhow::bail;
use watchword_model::{Model, Origin, Property, Source, StateKind, Type};
use watchword_spec::classes::NoClasses;
use watchword_spec::given::Setting;

use super::explain::setting_json;

use crate::args::{Global, Reading};
use crate::output::json::Json;
use crate::output::style::Style;
use crate::properties::{self, SHIPPED};
use crate::{Outcome, output};

/// List the shipped properties. Their names can be used wherever a property file is expected;
/// `std/jdk` stands for a family, `std/iterator` for all whose names begin with it, `std/all` for
/// all.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword list\n  \
    watchword list iterator                 properties about iterators\n  \
    watchword list --family jdk --tag jdbc\n  \
    watchword list --target native\n  \
    watchword list --show std/reply\n  \
    watchword replay -p std/reply trace.jsonl")]
pub struct Args {
    /// Only properties with these words in their name, description or tags
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Print the file of one property
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
    /// Only this family: basics, jdk, posix or log
    #[arg(long, value_name = "FAMILY")]
    family: Option<String>,
    /// Only properties with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Only properties for this target: jvm, native or log
    #[arg(long, value_name = "TARGET", value_parser = ["jvm", "native", "log"])]
    target: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("list")?;
    if let Some(name) = &args.show {
        super::print(&properties::shipped(name)?.text)?;
        return Ok(Outcome::Clean);
    }
    if let Some(family) = &args.family
        && !SHIPPED.iter().any(|s| s.family == family)
    {
        bail!("there is no family `{family}`; there are {}", families().join(", "));
    }
    let mut tags: Vec<String> = Vec::new();
    let style = Style::new(global.color_on_stdout());
    let mut entries = Vec::new();
    let mut text = String::new();
    let mut family = "";
    for shipped in SHIPPED {
        if args.family.as_ref().is_some_and(|f| f != shipped.family) {
            continue;
        }
        let reading = Reading::default();
        let loaded = properties::load(&[shipped.name.to_string()], &reading, &NoClasses)?;
        let Some(model) = loaded.model else {
            // A test makes sure that this does not ship.
            output::warning(global.color_on_stderr(), &format!("{} is damaged", shipped.name));
            continue;
        };
        for property in model.properties.iter().filter(|property| can_be_violated(property)) {
            let targets = targets(&model, property);
            tags.extend(property.tags.iter().cloned());
            if args.tag.as_ref().is_some_and(|tag| !property.tags.contains(tag))
                || args.target.as_ref().is_some_and(|t| !targets.contains(&t.as_str()))
                || !args.words.iter().all(|word| speaks_of(shipped.name, property, word))
            {
                continue;
            }
            let params = parameters(&model, property);
            let doc = property.doc.trim().lines().next().unwrap_or_default();
            let list = |items: &[&str]| Json::List(items.iter().map(|i| (*i).into()).collect());
            let tags: Vec<&str> = property.tags.iter().map(String::as_str).collect();
            let settings: Vec<&Setting> =
                loaded.settings.iter().filter(|s| s.owner == property.name).collect();
            let chosen: Vec<Json> = settings.iter().map(|s| setting_json(s)).collect();
            entries.push(Json::object([
                ("name", shipped.name.into()),
                ("property", property.name.as_str().into()),
                ("parameters", list(&params)),
                ("severity", property.severity.name().into()),
                ("doc", property.doc.trim().into()),
                ("family", shipped.family.into()),
                ("tags", list(&tags)),
                ("targets", list(&targets)),
                ("params", chosen.into()),
            ]));
            if family != shipped.family {
                let gap = if family.is_empty() { "" } else { "\n" };
                let _ = writeln!(text, "{gap}{}", style.dim(&format!("std/{}", shipped.family)));
                family = shipped.family;
            }
            let name = style.bold(&format!("{:<29}", shipped.name));
            let _ = writeln!(text, "  {name} {:<7}  {doc}", property.severity.name());
            for setting in settings {
                // As a shell takes it, without a blank before the unit.
                let default = match setting.ty {
                    Type::Duration => setting.default_text().replace(' ', ""),
                    _ => setting.default_text(),
                };
                let choice = format!("--set {}={default}", setting.name);
                let doc = setting.doc.lines().next().unwrap_or_default();
                let _ = writeln!(text, "  {:<37}   {}", "", style.dim(&format!("{choice}  {doc}")));
            }
        }
    }
    if let Some(tag) = args.tag.as_ref().filter(|tag| !tags.contains(tag)) {
        tags.sort();
        tags.dedup();
        bail!("no property has the tag `{tag}`; there are {}", tags.join(", "));
    }
    if entries.is_empty() && !global.quiet {
        output::warning(global.color_on_stderr(), "no property matches");
    }
    if json {
        let json = Json::object([("watchword", 1u64.into()), ("properties", entries.into())]);
        text = format!("{json}\n");
    }
    super::print(&text)?;
    Ok(Outcome::Clean)
}

/// Whether a property can be violated at all. One that cannot only sends messages to others in its file.
fn can_be_violated(property: &Property) -> bool {
    property.states.iter().any(|s| matches!(s.kind, StateKind::Bad | StateKind::Pending))
}

/// Whether a word is in the name, the description or the tags of a property, in whichever case.
fn speaks_of(name: &str, property: &Property, word: &str) -> bool {
    let word = word.to_lowercase();
    let texts = [name, &property.name, &property.doc];
    texts
        .into_iter()
        .chain(property.tags.iter().map(String::as_str))
        .any(|text| text.to_lowercase().contains(&word))
}

fn families() -> Vec<&'static str> {
    let mut families: Vec<&str> = SHIPPED.iter().map(|s| s.family).collect();
    families.dedup();
    families
}

fn parameters<'m>(model: &'m Model, property: &Property) -> Vec<&'m str> {
    model.params(property.context).into_iter().map(|(_, p)| p.name.as_str()).collect()
}

/// What the events of a property can come from; traces with named events always can.
fn targets(model: &Model, property: &Property) -> Vec<&'static str> {
    let mut targets = Vec::new();
    for observed in &property.alphabet {
        let Origin::World(sources) = &model.events[observed.event.index()].origin else { continue };
        for source in sources {
            targets.push(match source {
                Source::Jvm(_) => "jvm",
                Source::Native(_) => "native",
                Source::Log(_) => "log",
            });
        }
        if sources.is_empty() {
            targets.push("log");
        }
    }
    targets.sort_unstable();
    targets.dedup();
    targets
}
