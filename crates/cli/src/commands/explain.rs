//! `watchword explain CODE|PROP`.

use std::fmt::Write;

use anyhow::bail;
use watchword_model::{EventId, Model, Property, PropertyId, Span, TemplatePart};
use watchword_spec::SourceFile;
use watchword_spec::given::Setting;
use watchword_spec::lint::{CanFail, can_fail};
use watchword_trace::error::Fault;
use watchword_view::example::{self, Example, Then};
use watchword_view::{text, words};

use crate::args::{Global, Reading};
use crate::clauses::{self, Clause};
use crate::output::human::wrap;
use crate::output::json::{Json, time};
use crate::output::style::Style;
use crate::{Outcome, properties};

/// Explain a diagnostic (the rule, an example, a correction), or describe in words what a property
/// forbids, with a shortest run that violates it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword explain WW0101\n  \
    watchword explain std/reply        what the property forbids\n  \
    watchword explain login.ww\n  \
    watchword explain std/reply --set limit=2s --bind request='/GET (?<id>\\S+)/'\n  \
    watchword explain                  all codes")]
pub struct Args {
    /// A code such as WW0101, or a property; without one, all codes are listed
    #[arg(value_name = "CODE|PROP")]
    what: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("explain")?;
    let Some(what) = &args.what else {
        return list(json);
    };
    if args.reading.lang.is_some() || what.contains(['/', '.']) {
        return explain_properties(what, &args.reading, json, global);
    }
    let code = what.trim().to_ascii_uppercase();
    let Some(text) = page(&code) else {
        bail!(
            "there is no diagnostic `{code}`; `watchword explain` lists them, and a property is a file or std/…"
        );
    };
    if json {
        let json = Json::object([
            ("watchword", 1u64.into()),
            ("code", code.as_str().into()),
            ("text", text.into()),
        ]);
        super::print(&format!("{json}\n"))?;
    } else {
        super::print(&format!("{}\n", text.trim_end()))?;
    }
    Ok(Outcome::Clean)
}

fn page(code: &str) -> Option<&'static str> {
    let of_reader = || Fault::TABLE.iter().find(|(_, c, _)| *c == code).map(|(_, _, text)| *text);
    watchword_spec::explain(code).or_else(of_reader)
}

fn list(json: bool) -> anyhow::Result<Outcome> {
    let title = |text: &'static str| {
        let first = text.lines().next().unwrap_or_default();
        first.split_once(": ").map_or(first, |(_, title)| title)
    };
    let of_reader = Fault::TABLE.iter().map(|(_, code, text)| (*code, title(text)));
    let all: Vec<(&str, &str)> = watchword_spec::all_codes().chain(of_reader).collect();
    if json {
        let codes = all
            .iter()
            .map(|(code, title)| {
                Json::object([("code", (*code).into()), ("title", (*title).into())])
            })
            .collect::<Vec<_>>();
        let json = Json::object([("watchword", 1u64.into()), ("codes", codes.into())]);
        super::print(&format!("{json}\n"))?;
    } else {
        let mut text = String::new();
        for (code, title) in all {
            let _ = writeln!(text, "{code}  {title}");
        }
        super::print(&text)?;
    }
    Ok(Outcome::Clean)
}

fn explain_properties(
    name: &str,
    reading: &Reading,
    json: bool,
    global: &Global,
) -> anyhow::Result<Outcome> {
    let style = Style::new(global.color_on_stdout());
    let mut texts = Vec::new();
    let mut entries = Vec::new();
    let several = properties::several(name);
    if several.is_some() && !(reading.set.is_empty() && reading.bind.is_empty()) {
        bail!("{name} stands for several files; name one to use `--set` or `--bind`");
    }
    for name in several.unwrap_or_else(|| vec![name]) {
        let names = [name.to_string()];
        let (model, files, settings) = properties::load_valid_settings(&names, reading, global)?;
        for (i, property) in model.properties.iter().enumerate() {
            let id = PropertyId::from_index(i);
            let found = match can_fail(&model, id) {
                CanFail::Never => None,
                known => example::shortest(&model, id).or_else(|| by_emptiness(known)),
            };
            let about = About { model: &model, files: &files, settings: &settings, property, name };
            texts.push(in_words(style, about, found.as_ref()));
            entries.push(in_json(about, found.as_ref()));
        }
    }
    if json {
        let json = Json::object([("watchword", 1u64.into()), ("properties", entries.into())]);
        super::print(&format!("{json}\n"))?;
    } else {
        super::print(&texts.join("\n"))?;
    }
    Ok(Outcome::Clean)
}

/// What lint finds when it asks whether a property with registers can fail at all.
fn by_emptiness(known: CanFail) -> Option<Example> {
    match known {
        CanFail::Example(events) => Some(Example { events, then: Then::Nothing }),
        CanFail::Never | CanFail::Unknown => None,
    }
}

/// What is explained.
#[derive(Clone, Copy)]
struct About<'a> {
    model: &'a Model,
    files: &'a [SourceFile],
    /// Those of all properties that were loaded.
    settings: &'a [Setting],
    property: &'a Property,
    /// What it is called on the command line.
    name: &'a str,
}

impl<'a> About<'a> {
    /// The `param`s the property can read: its own, and those of contexts around it.
    fn settings(self) -> impl Iterator<Item = &'a Setting> {
        let property = self.property;
        let other = move |s: &&Setting| {
            let properties = &self.model.properties;
            s.owner != property.name && properties.iter().any(|p| p.name == s.owner)
        };
        self.settings.iter().filter(move |s| !other(s))
    }
}

fn in_words(style: Style, about: About<'_>, found: Option<&Example>) -> String {
    let About { model, files, property, .. } = about;
    let params: Vec<&str> =
        model.params(property.context).into_iter().map(|(_, p)| p.name.as_str()).collect();
    let title = format!("{}({})", property.name, params.join(", "));
    let mut out = format!("{} ({})\n\n", style.bold(&title), property.severity.name());
    let mut paragraph = |text: &str| {
        for line in wrap(text, 96) {
            let _ = writeln!(out, "  {line}");
        }
        out.push('\n');
    };
    for text in property.doc.trim().split("\n\n").filter(|p| !p.trim().is_empty()) {
        paragraph(text);
    }
    paragraph(&words::property(model, property));
    if let Some(message) = message(property) {
        paragraph(&format!("A report says: {message}"));
    }
    if property.is_proven() {
        out.truncate(out.trim_end().len());
        out.push('\n');
        return out;
    }
    let promises: Vec<String> = clauses::of(about.name).map(|clause| clause.text()).collect();
    if !promises.is_empty() {
        let _ = writeln!(out, "{}", style.bold("What the documentation says"));
        for line in promises.iter().flat_map(|text| wrapped_item(text)) {
            let _ = writeln!(out, "  {line}");
        }
        out.push('\n');
    }
    let settings: Vec<&Setting> = about.settings().collect();
    if !settings.is_empty() {
        let _ = writeln!(out, "{}", style.bold("Params"));
        for setting in settings {
            let (name, ty, value) = (&setting.name, setting.ty, setting.value_text());
            let default = match setting.default_text() {
                default if default == value => String::new(),
                default => format!(", by default {default}"),
            };
            let doc = match setting.doc.lines().next() {
                Some(doc) => format!("  {doc}"),
                None => String::new(),
            };
            let _ = writeln!(out, "  {name}: {ty} = {value}{default}{doc}");
        }
        let _ = writeln!(out, "  Choose another value with `--set NAME=VALUE`.\n");
    }
    let _ = writeln!(out, "{}", style.bold("Events"));
    for (_, declared) in events(model, files, property) {
        for line in declared.lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    match found {
        Some(Example { events, then }) => {
            let _ = writeln!(out, "\n{}", style.bold("A shortest run that violates it"));
            for (i, event) in events.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "  {:>2}  {}",
                    i + 1,
                    text::occurrence(model, event.kind, &event.args)
                );
            }
            match then {
                Then::Nothing => {}
                Then::End => out.push_str("      then the run ends\n"),
                Then::Time(after) => {
                    let _ = writeln!(out, "      then {} pass", text::duration(*after));
                }
            }
        }
        None => out.push_str("\nNo short run that violates it was found.\n"),
    }
    out
}

/// An item of a list, wrapped: its further lines are indented.
fn wrapped_item(text: &str) -> impl Iterator<Item = String> {
    let lines = wrap(text, 94).into_iter().enumerate();
    lines.map(|(i, line)| if i == 0 { line } else { format!("  {line}") })
}

fn in_json(about: About<'_>, found: Option<&Example>) -> Json {
    let About { model, files, property, .. } = about;
    let declared: Vec<Json> = events(model, files, property)
        .into_iter()
        .map(|(name, text)| {
            Json::object([("name", name.as_str().into()), ("text", text.as_str().into())])
        })
        .collect();
    let entry = Json::object([
        ("name", property.name.as_str().into()),
        ("severity", property.severity.name().into()),
        ("doc", property.doc.trim().into()),
        ("words", words::property(model, property).as_str().into()),
        ("events", declared.into()),
        ("clauses", clauses::of(about.name).map(clause_json).collect::<Vec<_>>().into()),
        ("params", about.settings().map(setting_json).collect::<Vec<_>>().into()),
    ])
    .with_some("message", message(property).as_deref());
    let Some(Example { events, then }) = found else { return entry };
    let mut run: Vec<Json> = events.iter().map(|e| record(model, e)).collect();
    if let Then::Time(after) = then {
        run.push(Json::object([("time", time(*after))]));
    }
    entry.with("example", run).with("atEnd", *then == Then::End)
}

/// A clause of the documentation for programs.
fn clause_json(clause: Clause) -> Json {
    Json::object([
        ("types", clause.types.into()),
        ("methods", clause.methods.into()),
        ("consequence", clause.consequence.into()),
        ("condition", clause.condition.into()),
    ])
}

/// A `param` for programs.
pub(super) fn setting_json(setting: &Setting) -> Json {
    Json::object([
        ("name", setting.name.as_str().into()),
        ("type", setting.ty.name().into()),
        ("default", setting.default_text().as_str().into()),
        ("value", setting.value_text().as_str().into()),
        ("doc", setting.doc.as_str().into()),
    ])
}

/// What reports of a property say, values left open.
fn message(property: &Property) -> Option<String> {
    let parts = property.message.as_ref()?.parts.iter().map(|part| match part {
        TemplatePart::Text(text) => text.as_str(),
        TemplatePart::Value(_) => "…",
    });
    Some(parts.collect())
}

/// An event as a trace has it.
fn record(model: &Model, event: &watchword_model::Event) -> Json {
    let decl = &model.events[event.kind.index()];
    let args: Vec<Json> = event.args.iter().map(Json::from).collect();
    Json::object([("event", decl.name.as_str().into()), ("args", args.into())])
        .with_some("time", event.time.map(time))
}

/// The observed events with their declarations as they were written.
fn events(model: &Model, files: &[SourceFile], property: &Property) -> Vec<(String, String)> {
    property
        .alphabet
        .iter()
        .filter(|o| o.event != EventId::END)
        .map(|o| {
            let decl = &model.events[o.event.index()];
            let rest = decl.variadic.then_some("..");
            let params = decl.params.iter().map(|p| p.name.as_str());
            let params: Vec<&str> = params.chain(rest).collect();
            let plain = || format!("event {}({})", decl.name, params.join(", "));
            let written = written(files, decl.span).filter(|t| t.contains(&decl.name));
            (decl.name.clone(), written.unwrap_or_else(plain))
        })
        .collect()
}

fn written(files: &[SourceFile], span: Span) -> Option<String> {
    let file = files.get(span.file.index())?;
    let text = file.text.get(span.start as usize..span.end as usize)?;
    let lines = text.lines().filter(|l| !l.trim_start().starts_with("///"));
    Some(lines.collect::<Vec<_>>().join("\n").trim().to_string())
}
