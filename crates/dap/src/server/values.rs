//! Variables, and expressions.

use serde_json::{Value as Json, json};
use watchword_debug::{Part, Parts, Value};
use watchword_session::{COMMANDS, CandidateKind, slices_now};
use watchword_view::text::show;

use super::handles::{FrameOf, Holder};
use super::{Adapter, Answer, Debuggee, client, watched, words};
use crate::protocol::message::Request;

/// Elements that are told at once, unless the editor asks for a part of them.
const MOST: u64 = 1000;

/// Registers beside the general ones.
const OTHERS: [&str; 3] = ["eflags", "fs_base", "gs_base"];

impl Debuggee {
    /// A value, as an editor shows it.
    fn told(&mut self, frame: FrameOf, value: &Value, expression: Option<String>) -> Json {
        let process = self.session.program().process();
        let debugger = self.session.program().debugger();
        let ty = value.ty.name.clone();
        // A reference is what it refers to: so the editor shows it, and sets it.
        let referred = debugger.referred(process, value);
        let value = referred.as_ref().unwrap_or(value);
        let mut body = json!({
            "value": debugger.show(process, value),
            "type": ty,
            "variablesReference": 0,
        });
        match debugger.count_parts(process, value) {
            Parts::None => {}
            Parts::Named(count) => body["namedVariables"] = count.into(),
            Parts::Indexed(count) => body["indexedVariables"] = count.into(),
        }
        if value.ty.is_pointer()
            && let Ok(address) = value.as_u64()
        {
            body["memoryReference"] = format!("{address:#x}").into();
        } else if let Some(address) = value.address() {
            body["memoryReference"] = format!("{address:#x}").into();
        }
        if let Some(expression) = &expression {
            body["evaluateName"] = expression.as_str().into();
        }
        if body.get("namedVariables").is_some() || body.get("indexedVariables").is_some() {
            let holder = Holder::Value { frame, value: value.clone(), expression };
            body["variablesReference"] = self.handles.add(holder).into();
        }
        body
    }

    fn part(&mut self, frame: FrameOf, part: Part) -> Json {
        let mut body = match part.value {
            Ok(value) => self.told(frame, &value, part.expression),
            Err(e) => json!({ "value": format!("<{e}>"), "variablesReference": 0 }),
        };
        body["name"] = part.name.into();
        body
    }

    fn locals(&mut self, frame: FrameOf, parameters: bool) -> Result<Vec<Json>, String> {
        let debugger = self.session.program().debugger();
        let all = debugger.locals(frame.0, frame.1).map_err(words)?;
        let chosen = all.into_iter().filter(|(v, _)| v.is_parameter == parameters);
        let part =
            |(v, value): (watchword_debug::info::Variable, watchword_debug::Result<Value>)| Part {
                name: v.name.clone(),
                expression: Some(v.name),
                value,
            };
        let parts: Vec<Part> = chosen.map(part).collect();
        Ok(parts.into_iter().map(|p| self.part(frame, p)).collect())
    }

    fn registers(&mut self, frame: FrameOf) -> Result<Vec<Json>, String> {
        let tracer = self.session.program().debugger().tracer_mut();
        let known = tracer.registers(frame.0).map_err(words)?;
        let names: Vec<&str> = known.iter().map(|(name, _)| name).chain(OTHERS).collect();
        let mut all = Vec::new();
        for name in names {
            let debugger = self.session.program().debugger();
            // In outer frames some are not preserved.
            let Ok(value) = debugger.eval(frame.0, frame.1, &format!("${name}")) else { continue };
            let Ok(number) = value.as_u64() else { continue };
            all.push(json!({
                "name": name,
                "value": format!("{number:#x}"),
                "type": "register",
                "evaluateName": format!("${name}"),
                "memoryReference": format!("{number:#x}"),
                "variablesReference": 0,
            }));
        }
        Ok(all)
    }

    fn children(&mut self, holder: Holder, request: &Request) -> Result<Vec<Json>, String> {
        let process = self.session.program().process();
        let plain = |name: String, value: String| json!({ "name": name, "value": value, "variablesReference": 0 });
        Ok(match holder {
            Holder::Arguments(frame) => self.locals(frame, true)?,
            Holder::Locals(frame) => self.locals(frame, false)?,
            Holder::Registers(frame) => self.registers(frame)?,
            Holder::Value { frame, value, expression } => {
                if request.text("filter") == Some("named")
                    && matches!(
                        self.session.program().debugger().count_parts(process, &value),
                        Parts::Indexed(_)
                    )
                {
                    return Ok(Vec::new());
                }
                let start = request.number("start").and_then(|n| u64::try_from(n).ok());
                let count = request.number("count").and_then(|n| u64::try_from(n).ok());
                let start = start.unwrap_or(0);
                let count = count.filter(|n| *n > 0).unwrap_or(MOST).min(MOST);
                let range = start..start.saturating_add(count);
                let debugger = self.session.program().debugger();
                let parts = debugger.parts(process, &value, expression.as_deref(), range);
                parts.into_iter().map(|part| self.part(frame, part)).collect()
            }
            Holder::Monitors => {
                let all = slices_now(&self.session);
                let mut told = Vec::new();
                for (i, slices) in all.iter().enumerate() {
                    let reference = match slices.total {
                        0 => 0,
                        _ => self.handles.add(Holder::Property(i)),
                    };
                    told.push(json!({
                        "name": slices.property,
                        "value": format!("{} instances", slices.total),
                        "variablesReference": reference,
                    }));
                }
                told
            }
            Holder::Property(at) => {
                let all = slices_now(&self.session);
                let slices = all.get(at).ok_or("this property is gone")?;
                let mut told = Vec::new();
                for (i, slice) in slices.slices.iter().enumerate() {
                    told.push(json!({
                        "name": watched::line(slice),
                        "value": watched::state(slice),
                        "variablesReference": self.handles.add(Holder::Instance(at, i)),
                    }));
                }
                told
            }
            Holder::Instance(at, instance) => {
                let all = slices_now(&self.session);
                let slice = all.get(at).and_then(|s| s.slices.get(instance));
                let slice = slice.ok_or("this instance is gone")?;
                let mut told: Vec<Json> =
                    slice.binding.iter().map(|(n, v)| plain(n.clone(), show(v))).collect();
                told.push(plain("(state)".into(), watched::state(slice).to_string()));
                told.extend(slice.variables.iter().map(|(n, v)| plain(n.clone(), show(v))));
                told
            }
            Holder::Checkpoints => self
                .session
                .checkpoints()
                .map(|(number, saved)| {
                    let label = saved.label.as_ref().map_or(String::new(), |l| format!(" “{l}”"));
                    plain(number.to_string(), format!("{}{label}", saved.place))
                })
                .collect(),
        })
    }

    /// The expression of a part of something, and the frame it is about.
    pub fn expression_of(&mut self, id: i64, name: &str) -> Result<(FrameOf, String), String> {
        let process = self.session.program().process();
        match self.handles.holder(id)? {
            Holder::Arguments(frame) | Holder::Locals(frame) => Ok((frame, name.to_string())),
            Holder::Registers(frame) => Ok((frame, format!("${name}"))),
            Holder::Value { frame, value, expression } => {
                let debugger = self.session.program().debugger();
                let index: Option<u64> = name
                    .strip_prefix('[')
                    .and_then(|n| n.strip_suffix(']'))
                    .and_then(|n| n.parse().ok());
                let range = index.map_or(0..MOST, |i| i..i.saturating_add(1));
                let parts = debugger.parts(process, &value, expression.as_deref(), range);
                let part = parts.into_iter().find(|p| p.name == name);
                let expression = part.and_then(|p| p.expression);
                let expression = expression.ok_or_else(|| format!("`{name}` has no expression"))?;
                Ok((frame, expression))
            }
            _ => Err(format!("`{name}` is no variable of the program")),
        }
    }

    fn assign(&mut self, frame: FrameOf, place: &str, value: &str) -> Result<Json, String> {
        let debugger = self.session.program().debugger();
        let value = debugger.assign(frame.0, frame.1, place, value).map_err(words)?;
        Ok(self.told(frame, &value, Some(place.to_string())))
    }

    /// Changes the state or a variable of an instance.
    fn set_instance(
        &mut self,
        (at, instance): (usize, usize),
        name: &str,
        value: &str,
    ) -> Result<Json, String> {
        let all = slices_now(&self.session);
        let slices = all.get(at).ok_or("this property is gone")?;
        let slice = slices.slices.get(instance).ok_or("this instance is gone")?;
        let is_variable = slice.variables.iter().any(|(n, _)| n == name);
        let line = match name {
            "(state)" => format!("set state {} {} {value}", slices.property, instance + 1),
            _ if is_variable => {
                format!("set slice-variable {} {} {name} = {value}", slices.property, instance + 1)
            }
            _ => return Err("the parameters of an instance cannot be changed".to_string()),
        };
        self.console.execute(&mut self.session, &line).map_err(words)?;
        Ok(json!({ "value": value, "variablesReference": 0 }))
    }
}

pub(super) fn variables(adapter: &mut Adapter, request: &Request) -> Answer {
    let debuggee = adapter.stopped()?;
    let holder = debuggee.handles.holder(request.wanted_number("variablesReference")?)?;
    Ok(json!({ "variables": debuggee.children(holder, request)? }))
}

pub(super) fn set_variable(adapter: &mut Adapter, request: &Request) -> Answer {
    let debuggee = adapter.stopped()?;
    let id = request.wanted_number("variablesReference")?;
    let (name, value) = (request.wanted_text("name")?, request.wanted_text("value")?);
    if let Holder::Instance(at, instance) = debuggee.handles.holder(id)? {
        return debuggee.set_instance((at, instance), name, value.trim());
    }
    let (frame, expression) = debuggee.expression_of(id, name)?;
    debuggee.assign(frame, &expression, value)
}

pub(super) fn set_expression(adapter: &mut Adapter, request: &Request) -> Answer {
    let debuggee = adapter.stopped()?;
    let (place, value) = (request.wanted_text("expression")?, request.wanted_text("value")?);
    let frame = match request.number("frameId") {
        Some(id) => debuggee.handles.frame(id)?,
        None => (debuggee.session.thread().map_err(words)?, 0),
    };
    debuggee.assign(frame, place, value)
}

/// `value` becomes `result`, as answers to `evaluate` have it.
fn result(mut body: Json) -> Json {
    if let Some(fields) = body.as_object_mut()
        && let Some(value) = fields.remove("value")
    {
        fields.insert("result".to_string(), value);
        fields.remove("evaluateName");
    }
    body
}

pub(super) fn evaluate(adapter: &mut Adapter, request: &Request) -> Answer {
    let noticed = adapter.noticed.clone();
    let runs = adapter.going.is_some();
    let debuggee = adapter.stopped()?;
    let text = request.wanted_text("expression")?.trim();
    let is_repl = request.text("context") == Some("repl");
    if request.text("context") == Some("hover")
        && watchword_debug::expr::parse(text).is_ok_and(|e| e.calls())
    {
        return Err("a function is not called because the mouse rests on it".to_string());
    }
    let frame = match request.number("frameId") {
        Some(id) => debuggee.handles.frame(id)?,
        None => (debuggee.session.thread().map_err(words)?, 0),
    };
    let command = ["-exec ", "`"].iter().find_map(|p| text.strip_prefix(p)).filter(|_| is_repl);
    if command.is_none() {
        let debugger = debuggee.session.program().debugger();
        // Only what a person types may change something.
        let value = match is_repl {
            true => debugger.perform(frame.0, frame.1, text),
            false => debugger.eval(frame.0, frame.1, text),
        };
        match value {
            Ok(value) => {
                let named = assignment(text).map_or(text, |(place, _)| place).to_string();
                return Ok(result(debuggee.told(frame, &value, Some(named))));
            }
            Err(e) if !is_repl || !is_command(text) => return Err(e.to_string()),
            Err(_) => {}
        }
    }
    if runs {
        return Err("commands are for a program that stands: pause it first".to_string());
    }
    // Commands are about the frame the person looks at.
    debuggee.session.select_thread(frame.0);
    debuggee.session.select_frame(frame.1).map_err(words)?;
    let line = command.unwrap_or(text);
    let act = || debuggee.console.execute(&mut debuggee.session, line);
    let (done, told) = client::captured(&noticed, act);
    match done {
        Ok(_) => {
            if !debuggee.session.is_alive() {
                adapter.later.push(("terminated", json!({})));
            }
            let told = told.trim_end_matches('\n');
            Ok(json!({ "result": told, "variablesReference": 0 }))
        }
        Err(e) if e.is_reported() => Err(told.trim_end().to_string()),
        Err(e) => Err(e.to_string()),
    }
}

/// Whether a line begins with a command of the prompt.
fn is_command(line: &str) -> bool {
    let word = line.split([' ', '/']).next().unwrap_or_default();
    !word.is_empty() && COMMANDS.iter().any(|c| c.is_called(word))
}

/// `place = value`, if the text is that.
fn assignment(text: &str) -> Option<(&str, &str)> {
    watchword_session::console::assignment(text)
}

/// Names that may follow: variables, members, commands, functions.
pub(super) fn completions(adapter: &mut Adapter, request: &Request) -> Answer {
    let debuggee = adapter.stopped()?;
    let text = request.wanted_text("text")?;
    let column = request.number("column").unwrap_or(1).max(1) as usize - 1;
    let before: String = text.chars().take(column).collect();
    let frame = request.number("frameId").map(|id| debuggee.handles.frame(id)).transpose()?;
    let (_, found) = debuggee.console.complete(&mut debuggee.session, &before, frame);
    let targets = found.into_iter().map(|candidate| {
        let kind = match candidate.kind {
            CandidateKind::Command => "keyword",
            CandidateKind::File => "file",
            CandidateKind::Function => "function",
            CandidateKind::Variable => "variable",
            CandidateKind::Member => "field",
        };
        json!({ "label": candidate.text, "type": kind })
    });
    Ok(json!({ "targets": targets.collect::<Vec<Json>>() }))
}
