//! Requests as JSON. docs/json-format.md describes it.

use serde_json::Value;
use watchword_debug::Access;
use watchword_native::session::{Back, Go, Handling, Locking};

use crate::console::signal_called;
use crate::error::{Context, Error, Result, bail};
use crate::json::VERSION;
use crate::request::Request;

/// The members of a request.
struct Members<'a> {
    name: &'a str,
    all: &'a Value,
}

impl Members<'_> {
    fn wrong(&self, key: &str, what: &str) -> Error {
        Error::new(format!("`{}` has to have {what} `{key}`", self.name))
    }

    /// A member that may be missing.
    fn maybe<T>(
        &self,
        key: &str,
        what: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>> {
        match &self.all[key] {
            Value::Null => Ok(None),
            value => read(value).map(Some).ok_or_else(|| self.wrong(key, what)),
        }
    }

    fn text(&self, key: &str) -> Result<String> {
        self.some_text(key)?.ok_or_else(|| self.wrong(key, "a text"))
    }

    fn some_text(&self, key: &str) -> Result<Option<String>> {
        self.maybe(key, "a text", |v| v.as_str().map(str::to_string))
    }

    fn number<N: TryFrom<i64>>(&self, key: &str) -> Result<N> {
        self.some_number(key)?.ok_or_else(|| self.wrong(key, "a number"))
    }

    fn some_number<N: TryFrom<i64>>(&self, key: &str) -> Result<Option<N>> {
        self.maybe(key, "a number", |v| N::try_from(v.as_i64()?).ok())
    }

    fn some_numbers<N: TryFrom<i64>>(&self, key: &str) -> Result<Option<Vec<N>>> {
        let one = |v: &Value| N::try_from(v.as_i64()?).ok();
        self.maybe(key, "numbers", |v| v.as_array()?.iter().map(one).collect())
    }

    fn is(&self, key: &str) -> Result<bool> {
        Ok(self.maybe(key, "`true` or `false` as", Value::as_bool)?.unwrap_or(false))
    }

    fn times(&self) -> Result<u32> {
        Ok(self.some_number("times")?.unwrap_or(1))
    }

    fn go(&self, how: Go) -> Result<Request> {
        Ok(Request::Go { how, times: self.times()? })
    }

    fn back(&self, how: Back) -> Result<Request> {
        Ok(Request::GoBack { how, times: self.times()? })
    }

    fn step(&self, once: Request, how: Go) -> Result<Request> {
        match self.times()? {
            1 => Ok(once),
            times => Ok(Request::Go { how, times }),
        }
    }
}

impl Request {
    /// Reads a request: an object with the member `request`, and those that the request has.
    ///
    /// # Errors
    /// If the text is no JSON, or no request of this version.
    pub fn from_json(text: &str) -> Result<Request> {
        let value: Value = serde_json::from_str(text).context("a request has to be JSON")?;
        let name = value["request"].as_str().context("a request has a member `request`")?;
        if !matches!(&value["watchword"], Value::Null) && value["watchword"] != VERSION {
            bail!("requests are of version {VERSION}, this one is of {}", value["watchword"]);
        }
        let m = Members { name, all: &value };
        Ok(match name {
            "continue" => match (m.some_numbers("threads")?, m.some_number("hit")?) {
                (Some(threads), _) => Request::ContinueThreads { threads },
                (None, Some(hit)) => Request::ContinuePast { hit },
                (None, None) => Request::Continue,
            },
            "step" => m.step(Request::Step, Go::Step)?,
            "next" => m.step(Request::Next, Go::Next)?,
            "step-instruction" => m.step(Request::StepInstruction, Go::StepInstruction)?,
            "next-instruction" => m.step(Request::NextInstruction, Go::NextInstruction)?,
            "finish" => Request::Finish,
            "until" => m.go(Go::Until)?,
            "advance" => m.go(Go::Advance(m.text("place")?))?,
            "reverse-step" => m.back(Back::Step)?,
            "reverse-next" => m.back(Back::Next)?,
            "reverse-step-instruction" => m.back(Back::StepInstruction)?,
            "reverse-next-instruction" => m.back(Back::NextInstruction)?,
            "reverse-finish" => m.back(Back::Finish)?,
            "run" => Request::Run,
            "start" => Request::Start,
            "kill" => Request::Kill,
            "detach" => Request::Detach,
            "break" => Request::Break {
                place: m.text("place")?,
                condition: m.some_text("condition")?,
                once: m.is("once")?,
            },
            "watch" => Request::Watch {
                expression: m.text("expression")?,
                access: match m.some_text("access")?.as_deref() {
                    None | Some("write") => Access::Write,
                    Some("read") => Access::Read,
                    Some("access") => Access::ReadWrite,
                    Some(other) => bail!("there is no access `{other}`"),
                },
            },
            "delete" => Request::Delete { numbers: m.some_numbers("numbers")?.unwrap_or_default() },
            "enable" | "disable" => Request::Enable {
                numbers: m.some_numbers("numbers")?.unwrap_or_default(),
                on: name == "enable",
            },
            "condition" => Request::Condition {
                number: m.number("number")?,
                condition: m.some_text("condition")?,
            },
            "ignore" => Request::Ignore { number: m.number("number")?, hits: m.number("hits")? },
            "points" => Request::Points,
            "threads" => Request::Threads,
            "thread" => Request::Thread { number: m.number("number")? },
            "lock" => {
                let locking = Locking::named(&m.text("locking")?);
                Request::Lock { locking: locking.context("`locking` is off, step or on")? }
            }
            "frames" => Request::Frames { limit: m.some_number("limit")? },
            "frame" => Request::Frame { number: m.number("number")? },
            "variables" => Request::Variables,
            "evaluate" => Request::Evaluate {
                expression: m.text("expression")?,
                format: m.some_text("format")?.and_then(|f| f.chars().next()),
            },
            "registers" => Request::Registers,
            "memory" => Request::Memory { address: m.text("address")?, size: m.number("size")? },
            "disassemble" => Request::Disassemble { place: m.some_text("place")? },
            "monitors" => Request::Monitors,
            "slices" => Request::Slices { property: m.some_text("property")? },
            "verdicts" => Request::Verdicts,
            "load-property" => Request::LoadProperty {
                file: m.text("file")?,
                functions: m.some_text("functions")?,
            },
            "unload" => Request::Unload { monitor: m.number("monitor")? },
            "set-state" => Request::SetState {
                property: m.text("property")?,
                binding: m.text("binding")?,
                state: m.text("state")?,
            },
            "checkpoint" => Request::Checkpoint { label: m.some_text("label")? },
            "restore" => Request::Restore { number: m.some_number("number")? },
            "checkpoints" => Request::Checkpoints,
            "drop-checkpoint" => Request::DropCheckpoint { number: m.number("number")? },
            "load-scenario" => Request::LoadScenario { file: m.text("file")? },
            "unload-scenario" => Request::UnloadScenario,
            "handle" => Request::Handle {
                signal: signal_called(&m.text("signal")?)?,
                handling: Handling {
                    stop: m.is("stop")?,
                    print: m.is("print")?,
                    pass: m.is("pass")?,
                },
            },
            "signals" => Request::Signals,
            "command" => Request::Command(m.text("line")?),
            other => bail!("there is no request `{other}`"),
        })
    }
}
