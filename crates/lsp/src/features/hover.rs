//! What the editor shows about a name.

use serde_json::{Value, json};
use watchword_model::{Builtin, PropertyId};
use watchword_spec::lint::{CanFail, can_fail};
use watchword_view::{example, text as shown, words};

use super::{Analysis, ROOT};
use crate::index::{Kind, Symbol};
use crate::text;

/// About the name at a byte.
pub fn of(analysis: &Analysis, offset: usize) -> Option<Value> {
    let uses = analysis.index.at(ROOT, offset);
    if let Some(used) = uses.first() {
        let symbols: Vec<&Symbol> =
            uses.iter().map(|u| &analysis.index.symbols[u.symbol]).collect();
        let parts: Vec<String> = symbols.iter().map(|s| about(analysis, s)).collect();
        let (start, end) = (used.span.start as usize, used.span.end as usize);
        return Some(answer(analysis, &parts.join("\n\n---\n\n"), start, end));
    }
    if !analysis.own {
        return None;
    }
    let (start, end) = text::word_at(analysis.text(), offset);
    let word = &analysis.text()[start..end];
    let told = builtin(word).or_else(|| keyword(word).map(str::to_string))?;
    Some(answer(analysis, &told, start, end))
}

fn answer(analysis: &Analysis, markdown: &str, start: usize, end: usize) -> Value {
    json!({
        "contents": {"kind": "markdown", "value": markdown},
        "range": text::range(analysis.text(), start, end),
    })
}

fn about(analysis: &Analysis, symbol: &Symbol) -> String {
    let owner = symbol.owner.map(|o| &analysis.index.symbols[o]);
    let mut parts = vec![format!("```ww\n{}\n```", symbol.detail)];
    if let Some(owner) = owner {
        parts.push(format!("{} of {} `{}`", symbol.kind.name(), owner.kind.name(), owner.name));
    }
    if !symbol.doc.trim().is_empty() {
        parts.push(symbol.doc.trim().to_string());
    }
    match symbol.kind {
        Kind::Property => parts.extend(in_words(analysis, symbol)),
        Kind::State => parts.push(state(&symbol.detail).to_string()),
        _ => {}
    }
    parts.join("\n\n")
}

fn state(detail: &str) -> &'static str {
    match detail {
        d if d.contains("bad state") => "Reported on every entry, as a violation.",
        d if d.contains("pending state") => "Reported if the run ends here, as a violation.",
        d if d.contains("good state") => "Recorded on every entry, as a satisfaction.",
        _ => "Never reported.",
    }
}

/// What a property forbids, and a shortest run that violates it.
fn in_words(analysis: &Analysis, symbol: &Symbol) -> Vec<String> {
    let Some(model) = &analysis.model else { return Vec::new() };
    let named = |name: &str| name == symbol.name || name.ends_with(&format!(".{}", symbol.name));
    let Some(at) = model.properties.iter().position(|p| named(&p.name)) else { return Vec::new() };
    let mut parts = vec![words::property(model, &model.properties[at])];
    let id = PropertyId::from_index(at);
    // A hover must not wait for a long search.
    if !matches!(can_fail(model, id), CanFail::Never)
        && let Some(found) = example::shortest(model, id)
    {
        let lines: Vec<String> = found
            .events
            .iter()
            .map(|event| {
                let decl = &model.events[event.kind.index()];
                let args: Vec<String> = event.args.iter().map(shown::show).collect();
                format!("{}({})", decl.name, args.join(", "))
            })
            .collect();
        parts.push(format!(
            "A shortest run that violates it:\n\n```text\n{}\n```",
            lines.join("\n")
        ));
    }
    parts
}

/// What a built-in function does.
pub fn builtin(name: &str) -> Option<String> {
    let (builtin, name, _) = Builtin::TABLE.iter().find(|(_, n, _)| *n == name)?;
    let (args, does) = builtin_doc(*builtin);
    Some(format!("```ww\n{name}({args})\n```\n\n{does}"))
}

/// The arguments of a built-in function, and what it gives.
pub fn builtin_doc(builtin: Builtin) -> (&'static str, &'static str) {
    match builtin {
        Builtin::Len => ("x", "How many elements a list or map has, or characters a text."),
        Builtin::Get => ("x, k", "The element of a list or map; it must be there."),
        Builtin::Put => ("x, k, v", "The list or map with that element set."),
        Builtin::Push => ("list, v", "The list with another element at its end."),
        Builtin::Remove => ("x, k", "The list or map without that element."),
        Builtin::Contains => {
            ("x, v", "Whether a list has the value, a map the key, a text the text.")
        }
        Builtin::Keys => ("map", "The keys of a map, as a list."),
        Builtin::Abs => ("n", "The number without its sign."),
        Builtin::Min => ("a, b", "The lesser of the two."),
        Builtin::Max => ("a, b", "The greater of the two."),
        Builtin::ToInt => ("x", "As an integer."),
        Builtin::ToFloat => ("x", "As a number with a fraction."),
        Builtin::ToStr => ("x", "As a text."),
        Builtin::StartsWith => ("text, prefix", "Whether the text begins with the prefix."),
        Builtin::EndsWith => ("text, suffix", "Whether the text ends with the suffix."),
        Builtin::Lower => ("text", "The text in lower case."),
        Builtin::Upper => ("text", "The text in upper case."),
        Builtin::Matches => (
            "text, glob",
            "Whether the text matches the glob: `*` is any sequence of characters, `?` is one character, `{a,b}` are alternatives. For a list: whether a text in it matches.",
        ),
        Builtin::Wrap32 => ("n", "The integer, wrapped to 32 bits with a sign."),
    }
}

/// What a word of the language means.
pub fn keyword(word: &str) -> Option<&'static str> {
    Some(match word {
        "event" => "Something that happens, with the values it carries.",
        "property" => {
            "What must not happen. With parameters there is an instance for every combination of \
             values; without a list it has registers."
        }
        "context" => "Properties that share parameters and variables.",
        "channel" => "An event that properties raise with `send`.",
        "function" => "A computation for guards, updates and messages.",
        "import" => "Includes the declarations of another file.",
        "severity" => "`error`, `warning` or `note`.",
        "tags" => "Words by which properties are selected.",
        "message" => "The text of every report of this property; `{x}` is a value.",
        "boxes" => "Strings and boxed values of a program compare by value, not by identity.",
        "also" => "Also observe these events, although no label names them.",
        "creation" => "An instance begins with one of these events.",
        "ends" => "This event ends the life of the parameter's value.",
        "rule" => "How instances are created: `chen-rosu`, `verde` or `larva`.",
        "var" => "A variable of each instance, or of a block.",
        "param" => "A value that is chosen for a run: `--set NAME=VALUE`.",
        "clock" => "A clock of each instance; labels such as `t at 5 s` wait for it.",
        "window" => {
            "A value computed from the events of a recent period: `count`, `count distinct`, `sum`, `min`, \
             `max` or `avg`."
        }
        "start" => "The state an instance begins in.",
        "bad" => "A state that is reported on every entry, as a violation.",
        "good" => "A state that is recorded on every entry, as a satisfaction.",
        "pending" => "A state that is a violation if the run ends there.",
        "state" => {
            "A state of an instance. It is reported only if it is `bad`, `pending` or `good`."
        }
        "on" => "A transition. The first one that matches the event is taken.",
        "enter" => "Executed on every entry into the state.",
        "within" => "How long an instance may stay in the state.",
        "never" => "No run of adjacent events of an instance matches the pattern.",
        "only" => "The events of an instance are the beginning of a match of the pattern.",
        "ltl" => "A temporal formula about the events of an instance.",
        "proven" => "The property was proven for a program and is not monitored.",
        "drop" => "Ends the instance.",
        "any" => "Every event the property observes.",
        "now" => "The time of the event that is handled, to be compared with other times.",
        "end" => "The end of the run.",
        "jvm" => "The event is a program point of a JVM program.",
        "native" => "The event is a call or a variable of a native program.",
        "log" => "The event is a record of a log, or a line that matches a pattern.",
        "always" => "Here and at every later event.",
        "eventually" => "Here or at some later event.",
        "until" => "The second becomes true, and the first is true until then.",
        "release" => "The second is true up to and including the first event with the first.",
        "once" => "Here or at some earlier event.",
        "historically" => "Here and at all earlier events.",
        "previous" => "At the event before this one.",
        "since" => "The second was true, and the first ever since.",
        _ => return None,
    })
}
