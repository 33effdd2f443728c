//! Threads, frames and scopes.

use std::path::Path;

use serde_json::{Value, json};
use watchword_debug::ThreadId;

use super::handles::Holder;
use super::{Adapter, Answer, Debuggee, words};
use crate::protocol::message::Request;

/// Frames that are looked for at once.
const MOST: usize = 1000;

impl Debuggee {
    /// The threads of the program with their numbers.
    fn threads_now(&mut self) -> Vec<(u32, ThreadId)> {
        let process = self.session.program().process();
        let tracer = self.session.program().debugger().tracer();
        let number = |t: ThreadId| tracer.thread_number(t).map(|n| (n, t));
        let mut all: Vec<_> = tracer.threads(process).into_iter().filter_map(number).collect();
        all.sort_unstable();
        all
    }

    /// The number of the thread the program stopped in.
    pub fn selected_number(&mut self) -> u32 {
        let Ok(thread) = self.session.thread() else { return 1 };
        self.session.program().debugger().tracer().thread_number(thread).unwrap_or(1)
    }

    /// The thread a request names.
    pub fn thread_of(&mut self, request: &Request) -> Result<ThreadId, String> {
        let number = request.wanted_number("threadId")?;
        let all = self.threads_now();
        let found = all.iter().find(|(n, _)| i64::from(*n) == number).map(|(_, t)| *t);
        found.ok_or_else(|| format!("there is no thread {number}"))
    }

    /// What changed since the editor was last told: threads, points.
    pub fn changes(&mut self) -> Vec<(&'static str, Value)> {
        let mut told = Vec::new();
        let now = self.threads_now();
        let of = |reason: &str, number: u32| json!({ "reason": reason, "threadId": number });
        for (number, _) in now.iter().filter(|t| !self.threads.contains(t)) {
            told.push(("thread", of("started", *number)));
        }
        for (number, _) in self.threads.iter().filter(|t| !now.contains(t)) {
            told.push(("thread", of("exited", *number)));
        }
        self.threads = now;
        told.extend(self.changed_points().into_iter().map(|body| ("breakpoint", body)));
        told
    }
}

pub(super) fn threads(adapter: &mut Adapter, _: &Request) -> Answer {
    let debuggee = adapter.debuggee()?;
    if !debuggee.session.is_alive() {
        return Ok(json!({ "threads": [] }));
    }
    let process = debuggee.session.program().process();
    let name = |thread: ThreadId| {
        let file = format!("/proc/{process}/task/{thread}/comm");
        let name = std::fs::read(file).unwrap_or_default();
        String::from_utf8_lossy(&name).trim().to_string()
    };
    let all: Vec<Value> = debuggee
        .threads_now()
        .into_iter()
        .map(|(number, thread)| {
            json!({ "id": number, "name": format!("{} ({thread})", name(thread)) })
        })
        .collect();
    Ok(json!({ "threads": all }))
}

/// A source file.
pub(super) fn source(file: &str) -> Value {
    let name = Path::new(file).file_name().map(|n| n.to_string_lossy().into_owned());
    let mut body = json!({ "name": name.unwrap_or_default(), "path": file });
    if !Path::new(file).exists() {
        body["presentationHint"] = "deemphasize".into();
    }
    body
}

/// Lines as the editor counts them.
pub(super) fn shift_line(body: &mut Value, first_line: i64) {
    if let Some(line) = body.get("line").and_then(Value::as_i64) {
        body["line"] = (line - 1 + first_line).into();
    }
}

pub(super) fn frames(adapter: &mut Adapter, request: &Request) -> Answer {
    let first_line = adapter.first_line;
    let debuggee = adapter.stopped()?;
    let thread = debuggee.thread_of(request)?;
    let process = debuggee.session.program().process();
    let start = request.number("startFrame").and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let levels = request.number("levels").and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let wanted = match levels {
        0 => MOST,
        n => start.saturating_add(n).saturating_add(1).min(MOST),
    };
    let frames = debuggee.session.program().debugger().backtrace(thread, wanted).map_err(words)?;
    let is_cut = frames.len() == wanted;
    let mut all = Vec::new();
    for frame in &frames {
        // Functions that were inlined here are frames of their own, with the variables of this one.
        let inner = frame.inlined.len().saturating_sub(1);
        for inlined in &frame.inlined[..inner] {
            let name = inlined.function.clone().unwrap_or_else(|| "??".into());
            all.push((frame.index, frame.pc, format!("{name} (inlined)"), inlined.line.clone()));
        }
        let line = frame.inlined.last().map_or(frame.line.clone(), |last| last.line.clone());
        let name = frame.function.clone().unwrap_or_else(|| "??".into());
        all.push((frame.index, frame.pc, name, line));
    }
    let total = all.len();
    let end = if levels == 0 { total } else { start.saturating_add(levels).min(total) };
    let mut told = Vec::new();
    for (index, pc, name, line) in all.drain(..).take(end).skip(start) {
        let id = debuggee.handles.add_frame((thread, index));
        let mut body = json!({
            "id": id,
            "name": name,
            "line": 0,
            "column": 0,
            "instructionPointerReference": format!("{pc:#x}"),
        });
        match line {
            Some(line) => {
                body["line"] = line.line.into();
                body["column"] = 1.into();
                body["source"] = source(&line.file);
                shift_line(&mut body, first_line);
            }
            None => {
                let modules = debuggee.session.program().debugger().modules(process);
                let module = modules.iter().find(|m| (m.start..m.end).contains(&pc));
                let file = module.and_then(|m| m.path.file_name());
                if let Some(file) = file {
                    body["name"] = format!("{name} [{}]", file.to_string_lossy()).into();
                }
                body["presentationHint"] = "subtle".into();
            }
        }
        told.push(body);
    }
    let total = if is_cut { total + 1 } else { total };
    Ok(json!({ "stackFrames": told, "totalFrames": total }))
}

pub(super) fn scopes(adapter: &mut Adapter, request: &Request) -> Answer {
    let noticed = adapter.noticed.clone();
    let debuggee = adapter.stopped()?;
    let frame = debuggee.handles.frame(request.wanted_number("frameId")?)?;
    let mut all = Vec::new();
    let mut add = |name: String, hint: &str, holder: Holder, expensive: bool| {
        let reference = debuggee.handles.add(holder);
        let mut body = json!({
            "name": name,
            "variablesReference": reference,
            "expensive": expensive,
        });
        if !hint.is_empty() {
            body["presentationHint"] = hint.into();
        }
        all.push(body);
    };
    add("Arguments".into(), "arguments", Holder::Arguments(frame), false);
    add("Locals".into(), "locals", Holder::Locals(frame), false);
    add("Registers".into(), "registers", Holder::Registers(frame), true);
    if !debuggee.session.watched().monitors().is_empty() {
        let current = super::watched::current(&debuggee.session, &noticed.borrow());
        if let Some((property, instance, name)) = current {
            add(format!("Instance of {name}"), "", Holder::Instance(property, instance), false);
        }
        add("Monitors".into(), "", Holder::Monitors, false);
    }
    if debuggee.session.checkpoints().next().is_some() {
        add("Checkpoints".into(), "", Holder::Checkpoints, false);
    }
    Ok(json!({ "scopes": all }))
}

pub(super) fn modules(adapter: &mut Adapter, _: &Request) -> Answer {
    let debuggee = adapter.debuggee()?;
    let process = debuggee.session.program().process();
    let all: Vec<Value> = debuggee
        .session
        .program()
        .debugger()
        .modules(process)
        .iter()
        .map(|m| {
            let path = m.path.display().to_string();
            let name = m.path.file_name().map(|n| n.to_string_lossy().into_owned());
            json!({
                "id": path,
                "name": name.unwrap_or_else(|| path.clone()),
                "path": path,
                "addressRange": format!("{:#x}-{:#x}", m.start, m.end),
            })
        })
        .collect();
    let total = all.len();
    Ok(json!({ "modules": all, "totalModules": total }))
}

/// Of a violation: the property, what it says, and the events that led to it.
pub(super) fn exception(adapter: &mut Adapter, _: &Request) -> Answer {
    let noticed = adapter.noticed.clone();
    let debuggee = adapter.stopped()?;
    let standing = debuggee.standing.clone();
    if standing.reason != "exception" {
        return Err("the program did not stop because of an exception".to_string());
    }
    let noticed = noticed.borrow();
    let verdict = noticed.verdict.as_ref().filter(|_| standing.is_violation);
    let Some(verdict) = verdict else {
        let text = standing.description.unwrap_or_default();
        let id = text.split(',').next().unwrap_or_default().to_string();
        return Ok(json!({ "exceptionId": id, "description": text, "breakMode": "always" }));
    };
    let mut description = verdict.message.clone();
    for (i, (event, state)) in verdict.history.iter().enumerate() {
        description.push_str(&format!("\n{}. {event} → {state}", i + 1));
    }
    let history: Vec<Value> =
        verdict.history.iter().map(|(e, s)| json!({ "event": e, "state": s })).collect();
    Ok(json!({
        "exceptionId": verdict.property,
        "description": description,
        "breakMode": "always",
        "details": {
            "message": verdict.message,
            "typeName": verdict.property,
            "fullTypeName": format!("violation of {}", verdict.property),
            "stackTrace": verdict.backtrace.join("\n"),
            "history": history,
        },
    }))
}
