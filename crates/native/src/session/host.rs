//! What scenarios can do to the program.

use std::sync::Arc;

use watchword_debug::Access;
use watchword_model::{Model, Type, Value};
use watchword_scenario::{Host, Move as Told, WatchMode, accepting};

use super::{Front, Session};
use crate::monitor::MonitorId;
use crate::value;

/// The session as scenarios see it.
pub(super) struct ScenarioHost<'a> {
    pub session: &'a mut Session,
    pub front: &'a mut dyn Front,
}

/// Moves of monitors for scenarios. Dropped instances enter no state.
pub(super) fn moves<'a>(
    models: &'a [(MonitorId, Arc<Model>)],
    moves: &'a [(MonitorId, watchword_monitor::Move)],
) -> Vec<Told<'a>> {
    let mut all = Vec::new();
    for (id, step) in moves {
        let Some((_, model)) = models.iter().find(|(m, _)| m == id) else { continue };
        let property = &model.properties[step.property.index()];
        let left = &property.states[step.from.index()];
        let entered = step.to.map(|to| &property.states[to.index()]);
        all.push(Told {
            property: &property.name,
            left: &left.name,
            left_accepting: accepting(left.kind),
            entered: entered.map_or("", |s| &s.name),
            entered_accepting: entered.is_some_and(|s| accepting(s.kind)),
            binding: &step.binding,
        });
    }
    all
}

type Answer<T> = Result<T, String>;

fn words(e: watchword_debug::Error) -> String {
    e.to_string()
}

impl ScenarioHost<'_> {
    fn model_value(&mut self, text: &str) -> Answer<Value> {
        let thread = self.session.thread().map_err(words)?;
        let frame = self.session.frame;
        let process = self.session.program.process();
        let seen = self.session.program.debugger.eval(thread, frame, text).map_err(words)?;
        // A function that returns nothing may well be called.
        if matches!(seen.ty.kind, watchword_debug::info::Kind::Void) {
            return Ok(Value::Null);
        }
        // Text is what people mean by a pointer to characters.
        let is_text = matches!(&seen.ty.kind, watchword_debug::info::Kind::Pointer(t)
            if t.get().is_ok_and(|t| matches!(t.kind, watchword_debug::info::Kind::Character { .. })));
        let ty = if is_text { Type::Str } else { Type::Any };
        let debugger = &self.session.program.debugger;
        value::to_model(debugger, process, &Ok(seen), ty)
    }
}

impl Host for ScenarioHost<'_> {
    fn print(&mut self, text: &str) {
        self.front.print(text);
    }

    fn backtrace(&mut self, limit: Option<u64>) -> Answer<()> {
        let thread = self.session.thread().map_err(words)?;
        let frames = self.session.program.backtrace(thread);
        let limit = limit.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        for (i, frame) in frames.iter().take(limit).enumerate() {
            self.front.print(&format!("#{i:<2} {frame}"));
        }
        Ok(())
    }

    fn checkpoint(&mut self, label: Option<&str>) -> Answer<i64> {
        let number = self.session.checkpoint(label).map_err(words)?;
        self.front.checkpointed(self.session, number);
        Ok(number)
    }

    fn restore(&mut self, number: Option<i64>) -> Answer<()> {
        let (number, undone) = self.session.restore(number).map_err(words)?;
        self.front.print(&format!("back at checkpoint {number}"));
        self.front.restored(self.session, number, &undone);
        for warning in undone.restored.warnings {
            self.front.print(&format!("warning: {warning}"));
        }
        Ok(())
    }

    fn set_break(&mut self, location: &str, once: bool) -> Answer<i64> {
        self.session.set_break(location, None, once, true).map_err(words)
    }

    fn set_watch(&mut self, expression: &str, mode: WatchMode) -> Answer<i64> {
        let access = match mode {
            WatchMode::Write => Access::Write,
            WatchMode::Read => Access::Read,
            WatchMode::Access => Access::ReadWrite,
        };
        self.session.set_watch(expression, access, true).map_err(words)
    }

    fn remove(&mut self, number: i64) -> Answer<()> {
        self.session.remove_point(number).map_err(words)
    }

    fn call(&mut self, expression: &str) -> Answer<Value> {
        self.model_value(expression)
    }

    fn value(&mut self, expression: &str) -> Answer<Value> {
        self.model_value(expression)
    }

    fn assign(&mut self, place: &str, value: &Value) -> Answer<()> {
        let thread = self.session.thread().map_err(words)?;
        let text = match value {
            Value::Int(i) => i.to_string(),
            Value::Bool(b) => i64::from(*b).to_string(),
            Value::Ptr(p) => format!("{p:#x}"),
            Value::Null => "0".to_string(),
            other => return Err(format!("`{other}` cannot be written into the program")),
        };
        let frame = self.session.frame;
        self.session.program.debugger.assign(thread, frame, place, &text).map_err(words)?;
        Ok(())
    }

    fn command(&mut self, line: &str) -> Answer<()> {
        self.front.command(self.session, line)
    }
}
