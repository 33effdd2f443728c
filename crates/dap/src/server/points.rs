//! Break- and watchpoints. An editor always sends all of a kind; those it had before stay as they are,
//! with their hits.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use watchword_debug::Access;
use watchword_native::Session;
use watchword_native::session::Hits;

use super::{Adapter, Answer, Debuggee, words};
use crate::protocol::message::{Request, number};

/// What the editor asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wish {
    place: Place,
    condition: Option<String>,
    hits: Option<String>,
    log: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Line(String, i64),
    Function(String),
    Address(u64),
    Data { id: String, access: Access },
}

/// A point as the editor knows it.
struct Placed {
    id: i64,
    wish: Wish,
    /// Its number in the session, if there is such a point.
    number: Option<i64>,
    /// Whether the editor was told that it is there.
    is_verified: bool,
    message: Option<String>,
}

/// The points of the editor.
#[derive(Default)]
pub(super) struct Points {
    sources: BTreeMap<String, Vec<Placed>>,
    functions: Vec<Placed>,
    instructions: Vec<Placed>,
    data: Vec<Placed>,
    next: i64,
    /// Stops at the beginning of `main`.
    pub entry: Option<i64>,
    /// Stops where C++ exceptions are thrown or caught, with what is told then.
    exceptions: Vec<(i64, &'static str)>,
    /// The program does not stop where properties are violated.
    pub passes_violations: bool,
}

/// Why the program stopped at a point, in the words of the protocol.
pub(super) struct Reached {
    pub reason: &'static str,
    pub description: Option<String>,
    pub ids: Vec<i64>,
}

impl Points {
    /// What the numbers of points in the session mean.
    pub fn reached(&self, numbers: &[i64]) -> Reached {
        if let Some((_, what)) = self.exceptions.iter().find(|(n, _)| numbers.contains(n)) {
            let description = Some((*what).to_string());
            return Reached { reason: "exception", description, ids: Vec::new() };
        }
        let of = |all: &[Placed]| -> Vec<i64> {
            let hit = |p: &&Placed| p.number.is_some_and(|n| numbers.contains(&n));
            all.iter().filter(hit).map(|p| p.id).collect()
        };
        let lines: Vec<i64> = self.sources.values().flat_map(|all| of(all)).collect();
        let kinds = [
            ("breakpoint", lines),
            ("function breakpoint", of(&self.functions)),
            ("instruction breakpoint", of(&self.instructions)),
            ("data breakpoint", of(&self.data)),
        ];
        let reason = kinds.iter().find(|(_, ids)| !ids.is_empty()).map(|(reason, _)| *reason);
        let ids = kinds.iter().flat_map(|(_, ids)| ids.clone()).collect();
        match reason {
            Some(reason) => Reached { reason, description: None, ids },
            None if self.entry.is_some_and(|n| numbers.contains(&n)) => {
                Reached { reason: "entry", description: None, ids }
            }
            // Set by a command.
            None => Reached { reason: "breakpoint", description: None, ids },
        }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Placed> {
        let lines = self.sources.values_mut().flatten();
        lines.chain(&mut self.functions).chain(&mut self.instructions).chain(&mut self.data)
    }
}

impl Debuggee {
    /// What changed about points since the editor was last told.
    pub fn changed_points(&mut self) -> Vec<Value> {
        let mut told = Vec::new();
        let session = &mut self.session;
        for placed in self.points.all() {
            let before = placed.is_verified;
            let body = describe(session, placed);
            if placed.is_verified != before {
                told.push(json!({ "reason": "changed", "breakpoint": body }));
            }
        }
        told
    }
}

/// Where a point is now, for the editor.
fn describe(session: &mut Session, placed: &mut Placed) -> Value {
    let process = session.program().process();
    let found = placed.number.and_then(|number| session.points().find(|(n, _)| *n == number));
    let address = found.and_then(|(_, point)| point.addresses.first().copied());
    let is_gone = placed.number.is_some() && found.is_none();
    placed.is_verified = address.is_some();
    let mut body = json!({ "id": placed.id, "verified": placed.is_verified });
    if let Some(address) = address
        && !matches!(placed.wish.place, Place::Data { .. })
    {
        body["instructionReference"] = format!("{address:#x}").into();
        if let Some(line) = session.program().debugger().line_at(process, address) {
            body["line"] = line.line.into();
            body["source"] = super::stack::source(&line.file);
        }
    }
    if let Some(message) = &placed.message {
        body["message"] = message.as_str().into();
    } else if is_gone {
        body["message"] = "what it watched is gone".into();
    } else if !placed.is_verified {
        body["message"] = "it is not there yet; libraries are searched when they come".into();
    }
    body
}

/// What every kind of point may have.
fn wish(place: Place, asked: &Value) -> Wish {
    let text = |name: &str| {
        let text = asked.get(name).and_then(Value::as_str).map(str::trim);
        text.filter(|t| !t.is_empty()).map(str::to_string)
    };
    Wish {
        place,
        condition: text("condition"),
        hits: text("hitCondition"),
        log: text("logMessage"),
    }
}

/// Makes the points of a kind those that are wished for.
fn replace(debuggee: &mut Debuggee, mut before: Vec<Placed>, wishes: Vec<Wish>) -> Vec<Placed> {
    let mut after = Vec::new();
    for wish in wishes {
        let same = before.iter().position(|p| p.wish == wish && p.number.is_some());
        let placed = match same {
            Some(at) => before.swap_remove(at),
            None => {
                debuggee.points.next += 1;
                let id = debuggee.points.next;
                let set = set(debuggee, &wish);
                let (number, message) = match set {
                    Ok(number) => (Some(number), None),
                    Err(why) => (None, Some(why)),
                };
                Placed { id, wish, number, is_verified: false, message }
            }
        };
        after.push(placed);
    }
    for number in before.into_iter().filter_map(|p| p.number) {
        // One whose variable is gone is gone already.
        let _ = debuggee.session.remove_point(number);
    }
    after
}

fn set(debuggee: &mut Debuggee, wish: &Wish) -> Result<i64, String> {
    let hits = match &wish.hits {
        None => None,
        Some(text) => Some(Hits::parse(text).ok_or_else(|| {
            format!("`{text}` is no number of hits: 5, >= 5, > 5, == 5, < 5, <= 5 or % 5")
        })?),
    };
    let session = &mut debuggee.session;
    let condition = wish.condition.as_deref();
    let number = match &wish.place {
        Place::Line(_, line) if *line < 1 => return Err("lines are counted from 1".to_string()),
        Place::Line(file, line) => {
            let mut place = format!("{file}:{line}");
            // The compiler may have known the file without links.
            if session.locate(&place).is_err()
                && let Ok(real) = std::fs::canonicalize(file)
                && session.locate(&format!("{}:{line}", real.display())).is_ok()
            {
                place = format!("{}:{line}", real.display());
            }
            session.set_break(&place, condition, false, false)
        }
        Place::Function(name) if name.is_empty() => return Err("a function has a name".to_string()),
        Place::Function(name) => session.set_break(name, condition, false, false),
        Place::Address(address) => {
            session.set_break(&format!("*{address:#x}"), condition, false, false)
        }
        Place::Data { id, access } => return set_data(debuggee, id, *access, condition, hits),
    };
    let number = number.map_err(words)?;
    session.count_hits_of(number, hits).map_err(words)?;
    session.set_log(number, wish.log.clone()).map_err(words)?;
    Ok(number)
}

fn set_data(
    debuggee: &mut Debuggee,
    id: &str,
    access: Access,
    condition: Option<&str>,
    hits: Option<Hits>,
) -> Result<i64, String> {
    let named = Named::parse(id).ok_or("this is no name of data that we gave")?;
    let here = debuggee.session.thread().map_err(words)?;
    let frame = debuggee.session.frame();
    let process = debuggee.session.program().process();
    let threads = debuggee.session.program().debugger().tracer().threads(process);
    let thread = threads.into_iter().find(|t| t.raw() == named.thread);
    // At another stop the frame is another one; what is global is found anyway.
    let is_there = match thread.filter(|_| named.stop == debuggee.stops) {
        Some(thread) => {
            debuggee.session.select_thread(thread);
            debuggee.session.select_frame(named.frame)
        }
        None => Ok(()),
    };
    let number =
        is_there.and_then(|()| debuggee.session.set_watch(&named.expression, access, false));
    debuggee.session.select_thread(here);
    let _ = debuggee.session.select_frame(frame);
    let number = number.map_err(words)?;
    let session = &mut debuggee.session;
    let conditions = session.set_condition(number, condition);
    if let Err(e) = conditions.and_then(|()| session.count_hits_of(number, hits)) {
        // One that is refused watches nothing.
        let _ = session.remove_point(number);
        return Err(words(e));
    }
    Ok(number)
}

/// Data by what it is called at a stop: `STOP/THREAD/FRAME/EXPRESSION`.
struct Named {
    stop: u64,
    thread: i32,
    frame: usize,
    expression: String,
}

impl Named {
    fn parse(id: &str) -> Option<Named> {
        let mut parts = id.splitn(4, '/');
        let stop = parts.next()?.parse().ok()?;
        let thread = parts.next()?.parse().ok()?;
        let frame = parts.next()?.parse().ok()?;
        let expression = parts.next()?.to_string();
        Some(Named { stop, thread, frame, expression })
    }
}

fn answer(debuggee: &mut Debuggee, placed: &mut [Placed], first_line: i64) -> Value {
    let describe = |p: &mut Placed| {
        let mut body = describe(&mut debuggee.session, p);
        super::stack::shift_line(&mut body, first_line);
        body
    };
    let all: Vec<Value> = placed.iter_mut().map(describe).collect();
    json!({ "breakpoints": all })
}

pub(super) fn in_source(adapter: &mut Adapter, request: &Request) -> Answer {
    let first_line = adapter.first_line;
    let debuggee = adapter.debuggee()?;
    let source = request.arguments.get("source");
    let path = source.and_then(|s| s.get("path")).and_then(Value::as_str);
    let name = source.and_then(|s| s.get("name")).and_then(Value::as_str);
    let path = path.or(name).ok_or("a source has a `path`")?.to_string();
    let mut wishes = Vec::new();
    match request.arguments.contains_key("breakpoints") {
        true => {
            for asked in request.list("breakpoints") {
                let line = asked.get("line").and_then(number).ok_or("a breakpoint has a `line`")?;
                wishes.push(wish(Place::Line(path.clone(), line + 1 - first_line), asked));
            }
        }
        // As old editors do it.
        false => {
            for line in request.list("lines").iter().filter_map(number) {
                wishes.push(wish(Place::Line(path.clone(), line + 1 - first_line), &Value::Null));
            }
        }
    }
    let before = debuggee.points.sources.remove(&path).unwrap_or_default();
    let mut after = replace(debuggee, before, wishes);
    let body = answer(debuggee, &mut after, first_line);
    debuggee.points.sources.insert(path, after);
    Ok(body)
}

pub(super) fn at_functions(adapter: &mut Adapter, request: &Request) -> Answer {
    let first_line = adapter.first_line;
    let debuggee = adapter.debuggee()?;
    let mut wishes = Vec::new();
    for asked in request.list("breakpoints") {
        let name = asked.get("name").and_then(Value::as_str).ok_or("a breakpoint has a `name`")?;
        wishes.push(wish(Place::Function(name.trim().to_string()), asked));
    }
    let before = std::mem::take(&mut debuggee.points.functions);
    let mut after = replace(debuggee, before, wishes);
    let body = answer(debuggee, &mut after, first_line);
    debuggee.points.functions = after;
    Ok(body)
}

pub(super) fn at_instructions(adapter: &mut Adapter, request: &Request) -> Answer {
    let first_line = adapter.first_line;
    let debuggee = adapter.debuggee()?;
    let mut wishes = Vec::new();
    for asked in request.list("breakpoints") {
        let reference = asked.get("instructionReference").and_then(Value::as_str);
        let address = reference.and_then(super::memory::address);
        let address = address.ok_or("a breakpoint has an `instructionReference`")?;
        let offset = asked.get("offset").and_then(number).unwrap_or(0);
        wishes.push(wish(Place::Address(address.wrapping_add_signed(offset)), asked));
    }
    let before = std::mem::take(&mut debuggee.points.instructions);
    let mut after = replace(debuggee, before, wishes);
    let body = answer(debuggee, &mut after, first_line);
    debuggee.points.instructions = after;
    Ok(body)
}

/// Functions of the run-time library of C++.
const EXCEPTIONS: [(&str, &str, &str); 2] = [
    ("throw", "__cxa_throw", "A C++ exception is thrown"),
    ("catch", "__cxa_begin_catch", "A C++ exception is caught"),
];

pub(super) fn at_exceptions(adapter: &mut Adapter, request: &Request) -> Answer {
    let debuggee = adapter.debuggee()?;
    let listed = |name: &str| request.list("filters").iter().any(|f| f.as_str() == Some(name));
    debuggee.points.passes_violations = !listed("violation");
    for (number, _) in std::mem::take(&mut debuggee.points.exceptions) {
        let _ = debuggee.session.remove_point(number);
    }
    let mut told = Vec::new();
    for filter in request.list("filters").iter().filter_map(Value::as_str) {
        let Some((_, function, what)) = EXCEPTIONS.iter().find(|(name, ..)| *name == filter) else {
            told.push(json!({ "verified": filter == "violation" }));
            continue;
        };
        let set = debuggee.session.set_break(function, None, false, false);
        match set {
            Ok(number) => {
                debuggee.points.exceptions.push((number, what));
                told.push(json!({ "verified": true }));
            }
            Err(e) => told.push(json!({ "verified": false, "message": e.to_string() })),
        }
    }
    Ok(json!({ "breakpoints": told }))
}

/// Whether something can be watched, and what to call it then.
pub(super) fn about_data(adapter: &mut Adapter, request: &Request) -> Answer {
    let debuggee = adapter.stopped()?;
    let name = request.wanted_text("name")?;
    let stop = debuggee.stops;
    let (frame, expression) = match request.number("variablesReference").filter(|r| *r > 0) {
        Some(reference) => debuggee.expression_of(reference, name)?,
        None => match request.number("frameId") {
            Some(id) => (debuggee.handles.frame(id)?, name.to_string()),
            None => ((debuggee.session.thread().map_err(words)?, 0), name.to_string()),
        },
    };
    let refused = |why: String| Ok(json!({ "dataId": null, "description": why }));
    let value = match debuggee.session.program().debugger().eval(frame.0, frame.1, &expression) {
        Ok(value) => value,
        Err(e) => return refused(e.to_string()),
    };
    if value.address().is_none() {
        return refused(format!("{expression} is not in memory"));
    }
    Ok(json!({
        "dataId": format!("{stop}/{}/{}/{expression}", frame.0.raw(), frame.1),
        "description": expression,
        "accessTypes": ["write", "read", "readWrite"],
        "canPersist": false,
    }))
}

pub(super) fn at_data(adapter: &mut Adapter, request: &Request) -> Answer {
    let first_line = adapter.first_line;
    let debuggee = adapter.debuggee()?;
    let mut wishes = Vec::new();
    for asked in request.list("breakpoints") {
        let id =
            asked.get("dataId").and_then(Value::as_str).ok_or("a breakpoint has a `dataId`")?;
        let access = match asked.get("accessType").and_then(Value::as_str) {
            Some("read") => Access::Read,
            Some("readWrite") => Access::ReadWrite,
            _ => Access::Write,
        };
        wishes.push(wish(Place::Data { id: id.to_string(), access }, asked));
    }
    let before = std::mem::take(&mut debuggee.points.data);
    let mut after = replace(debuggee, before, wishes);
    let body = answer(debuggee, &mut after, first_line);
    debuggee.points.data = after;
    Ok(body)
}
