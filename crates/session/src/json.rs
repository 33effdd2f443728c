//! Happenings as JSON. docs/json-format.md describes it; fields may be added.

use watchword_model::Value;
use watchword_view::json::Json;

use crate::answer::{self, Answer};
use crate::happening::{Happening, Level, Place, Slice, Slices};

/// The version of the format: the member `watchword` of every message.
pub const VERSION: u64 = 1;

fn signed(number: i64) -> Json {
    Json::Number(number.to_string())
}

fn binding(binding: &[(String, Value)]) -> Json {
    Json::Object(binding.iter().map(|(name, value)| (name.clone(), Json::from(value))).collect())
}

fn slice(slice: &Slice) -> Json {
    Json::object([("binding", binding(&slice.binding))])
        .with_some("state", slice.state.as_deref())
        .with("variables", binding(&slice.variables))
}

fn place(place: &Place) -> Json {
    Json::Object(Vec::new())
        .with_some("function", place.function.as_deref())
        .with_some("file", place.file.as_deref())
        .with_some("line", place.line.map(u64::from))
}

fn texts<'a>(all: impl IntoIterator<Item = &'a String>) -> Json {
    Json::List(all.into_iter().map(|text| text.as_str().into()).collect())
}

fn slices_in(head: Json, slices: &Slices) -> Json {
    head.with("monitor", u64::from(slices.monitor))
        .with("property", slices.property.as_str())
        .with("total", slices.total as u64)
        .with("slices", Json::List(slices.slices.iter().map(slice).collect()))
}

/// Addresses may have more digits than numbers in JSON keep.
fn address(address: u64) -> Json {
    Json::Text(format!("{address:#x}"))
}

fn pairs<'a>(all: impl IntoIterator<Item = &'a (String, String)>) -> Json {
    let one = |(name, value): &(String, String)| (name.clone(), value.as_str().into());
    Json::Object(all.into_iter().map(one).collect())
}

fn list<T>(all: &[T], one: impl Fn(&T) -> Json) -> Json {
    Json::List(all.iter().map(one).collect())
}

/// An answer: what it is called, and what it is.
fn answered(answer: &Answer) -> (&'static str, Json) {
    match answer {
        Answer::Set { number } => ("point", signed(*number)),
        Answer::Points(all) => ("points", list(all, point)),
        Answer::Threads(all) => ("threads", list(all, thread)),
        Answer::Frames(all) => ("frames", list(all, frame)),
        Answer::Variables { arguments, locals } => (
            "variables",
            Json::object([("arguments", pairs(arguments)), ("locals", pairs(locals))]),
        ),
        Answer::Value { number, ty, value, address: at } => (
            "value",
            Json::object([("number", (*number as u64).into()), ("type", ty.as_str().into())])
                .with("value", value.as_str())
                .with_some("address", at.map(address)),
        ),
        Answer::Registers(all) => {
            let one = |(name, value): &(String, u64)| (name.clone(), address(*value));
            ("registers", Json::Object(all.iter().map(one).collect()))
        }
        Answer::Memory { address: at, bytes } => {
            let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            ("memory", Json::object([("address", address(*at)), ("bytes", Json::Text(hex))]))
        }
        Answer::Instructions { function, all } => (
            "instructions",
            Json::object([("function", function.as_str().into()), ("all", list(all, instruction))]),
        ),
        Answer::Monitors(all) => ("monitors", list(all, monitor)),
        Answer::Slices(all) => {
            ("slices", list(all, |slices| slices_in(Json::Object(Vec::new()), slices)))
        }
        Answer::Verdicts(all) => ("verdicts", list(all, found)),
        Answer::Checkpoints(all) => ("checkpoints", list(all, saved)),
        Answer::Signals(all) => ("signals", list(all, signal)),
    }
}

fn point(p: &answer::Point) -> Json {
    Json::object([("number", signed(p.number)), ("kind", p.kind.into())])
        .with("text", p.text.as_str())
        .with_some("condition", p.condition.as_deref())
        .with("on", p.is_on)
        .with("once", p.once)
        .with("scenario", p.of_scenario)
        .with("hits", p.hits)
        .with("addresses", list(&p.addresses, |a| address(*a)))
}

fn thread(t: &answer::Thread) -> Json {
    Json::object([("number", u64::from(t.number).into()), ("id", signed(i64::from(t.id)))])
        .with("name", t.name.as_str())
        .with("selected", t.is_selected)
        .with_some("location", t.place.as_ref().map(place))
}

fn frame(f: &answer::Frame) -> Json {
    Json::object([("number", (f.number as u64).into()), ("pc", address(f.pc))])
        .with("location", place(&f.place))
        .with("selected", f.is_selected)
}

fn instruction(i: &answer::Instruction) -> Json {
    Json::object([("address", address(i.address)), ("text", i.text.as_str().into())])
        .with("here", i.is_here)
}

fn monitor(m: &answer::Monitor) -> Json {
    let property = |p: &answer::Property| {
        Json::object([("name", p.name.as_str().into()), ("sites", p.sites.into())])
            .with("events", p.events)
            .with("instances", p.instances)
            .with("violations", p.violations)
            .with("undone", p.undone)
    };
    Json::object([("number", u64::from(m.number).into()), ("name", m.name.as_str().into())])
        .with("properties", list(&m.properties, property))
}

fn found(f: &answer::Found) -> Json {
    Json::object([("monitor", u64::from(f.monitor).into())])
        .with("property", f.property.as_str())
        .with("verdict", if f.is_violation { "violated" } else { "satisfied" })
        .with("message", f.message.as_str())
        .with("binding", binding(&f.binding))
        .with_some("undone", f.undone.map(signed))
}

fn saved(s: &answer::Saved) -> Json {
    Json::object([("number", signed(s.number))])
        .with_some("label", s.label.as_deref())
        .with("place", s.place.as_str())
        .with("age", Json::Number(format!("{:.3}", s.age)))
        .with_some("disk", s.on_disk)
}

fn signal(s: &answer::Signal) -> Json {
    Json::object([("number", signed(i64::from(s.number))), ("name", s.name.as_str().into())])
        .with("stop", s.stop)
        .with("print", s.print)
        .with("pass", s.pass)
}

impl Happening {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        let head =
            |kind: &str| Json::object([("watchword", VERSION.into()), ("type", kind.into())]);
        match self {
            Happening::Text { text, level } => {
                let level = match level {
                    Level::Plain => "plain",
                    Level::Warning => "warning",
                    Level::Error => "error",
                };
                head("text").with("level", level).with("text", text.as_str())
            }
            Happening::Answered { answer, text } => {
                let (name, what) = answered(answer);
                head("answer").with("answer", name).with(name, what).with("text", text.as_str())
            }
            Happening::Loaded { monitor, properties, .. } => head("loaded")
                .with("monitor", u64::from(*monitor))
                .with("properties", texts(properties)),
            Happening::Unloaded { monitor } => {
                head("unloaded").with("monitor", u64::from(*monitor))
            }
            Happening::Running => head("running"),
            Happening::Stopped(stop) => head("stopped")
                .with("reason", stop.reason.name())
                .with("points", Json::List(stop.points.iter().map(|n| signed(*n)).collect()))
                .with("thread", u64::from(stop.thread))
                .with("location", place(&stop.place))
                .with("text", stop.text.as_str()),
            Happening::Exited { code, signal, text } => head("exited")
                .with_some("code", code.map(|c| signed(i64::from(c))))
                .with_some("signal", signal.map(|s| signed(i64::from(s))))
                .with("text", text.as_str()),
            Happening::Moved(moved) => head("moved")
                .with("monitor", u64::from(moved.monitor))
                .with("property", moved.property.as_str())
                .with("binding", binding(&moved.binding))
                .with("from", moved.from.as_str())
                .with_some("to", moved.to.as_deref())
                .with_some("event", moved.event.as_deref())
                .with("index", moved.index),
            Happening::Verdict(verdict) => head("verdict")
                .with("monitor", u64::from(verdict.monitor))
                .with("property", verdict.property.as_str())
                .with("verdict", if verdict.is_violation { "violated" } else { "satisfied" })
                .with("message", verdict.message.as_str())
                .with("binding", binding(&verdict.binding))
                .with("location", place(&verdict.place))
                .with(
                    "history",
                    Json::List(
                        verdict
                            .history
                            .iter()
                            .map(|(event, state)| {
                                Json::object([
                                    ("event", event.as_str().into()),
                                    ("state", state.as_str().into()),
                                ])
                            })
                            .collect(),
                    ),
                )
                .with("stack", texts(&verdict.backtrace))
                .with("index", verdict.index),
            Happening::Said { text } => head("said").with("text", text.as_str()),
            Happening::Checkpointed(made) => head("checkpoint")
                .with("number", signed(made.number))
                .with_some("label", made.label.as_deref())
                .with("place", made.place.as_str()),
            Happening::Restored(restored) => head("restored")
                .with("number", signed(restored.number))
                .with("pages", restored.pages)
                .with("verdicts", restored.verdicts as u64)
                .with("location", place(&restored.place)),
            Happening::Forgotten { numbers } => {
                head("forgotten").with("numbers", list(numbers, |n| signed(*n)))
            }
            Happening::Counted { monitor, property, total } => head("counted")
                .with("monitor", u64::from(*monitor))
                .with("property", property.as_str())
                .with("total", *total),
            Happening::Slices(slices) => slices_in(head("slices"), slices),
            Happening::Selected(selected) => {
                let variables = selected.variables.iter();
                let variables = variables.map(|(n, v)| (n.clone(), v.as_str().into())).collect();
                head("selected")
                    .with("location", place(&selected.place))
                    .with("variables", Json::Object(variables))
            }
        }
        .to_string()
    }
}
