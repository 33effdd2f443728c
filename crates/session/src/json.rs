//! Happenings and requests as JSON. docs/json-format.md describes it; fields may be added.

use watchword_model::Value;
use watchword_view::json::Json;

use crate::error::{Context, Error, Result, bail};
use crate::happening::{Happening, Level, Place, Slice};
use crate::request::Request;

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
            Happening::Slices(slices) => head("slices")
                .with("monitor", u64::from(slices.monitor))
                .with("property", slices.property.as_str())
                .with("total", slices.total as u64)
                .with("slices", Json::List(slices.slices.iter().map(slice).collect())),
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

impl Request {
    /// Reads a request: an object with the member `request`, and those that the request has.
    ///
    /// # Errors
    /// If the text is no JSON, or no request.
    pub fn from_json(text: &str) -> Result<Request> {
        let value: serde_json::Value =
            serde_json::from_str(text).context("a request has to be JSON")?;
        let name = value["request"].as_str().context("a request has a member `request`")?;
        let word = |key: &str| value[key].as_str().map(str::to_string);
        let needed = |key: &str| {
            word(key).ok_or_else(|| Error::new(format!("`{name}` has to have a text `{key}`")))
        };
        let number = match &value["number"] {
            serde_json::Value::Null => None,
            other => Some(other.as_i64().context("`number` has to be a number")?),
        };
        Ok(match name {
            "continue" => Request::Continue,
            "step" => Request::Step,
            "next" => Request::Next,
            "step-instruction" => Request::StepInstruction,
            "next-instruction" => Request::NextInstruction,
            "finish" => Request::Finish,
            "checkpoint" => Request::Checkpoint { label: word("label") },
            "restore" => Request::Restore { number },
            "set-state" => Request::SetState {
                property: needed("property")?,
                binding: needed("binding")?,
                state: needed("state")?,
            },
            "command" => Request::Command(needed("line")?),
            other => bail!("there is no request `{other}`"),
        })
    }
}
