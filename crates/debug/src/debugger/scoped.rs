//! Names that say where they are: in a file, in a function.

use std::rc::Rc;

use super::Debugger;
use super::eval::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::info::{DebugInfo, Instance, Kind, Place, Type};
use crate::tracer::ProcessId;
use crate::value::{Held, Value};

/// Frames in which a local variable of a function is looked for.
const FRAMES: usize = 1000;

impl Debugger {
    /// `'file.c'::name`, `'function'::name`.
    pub(super) fn quoted(&mut self, context: &Context, text: &str) -> Result<Value> {
        let (scope, name) = text[1..].split_once("'::").unwrap_or((&text[1..], ""));
        for module in self.modules(context.process).to_vec() {
            let Some((info, bias)) = self.load(context.process, &module) else { continue };
            if info.is_separate() {
                continue;
            }
            let units = info.units_of_file(scope);
            if units.is_empty() {
                continue;
            }
            let (name, own) = name.rsplit_once("::").map_or((name, None), |(f, v)| (f, Some(v)));
            let global = info.globals_named(name).find(|v| units.contains(&v.unit));
            if let (Some(v), None) = (global.cloned(), own) {
                return self.variable(context, &info, bias, &v);
            }
            let functions = info.functions_named(name);
            let bodies = functions.iter().flat_map(|f| &f.instances);
            let mut bodies = bodies.filter(|i| i.die.is_some_and(|(u, _)| units.contains(&u)));
            match (bodies.next().cloned(), own) {
                (Some(body), None) => {
                    return Ok(self.function_value(context.process, body.entry.wrapping_add(bias)));
                }
                (Some(body), Some(own)) => {
                    return self.static_of(context, &info, bias, &body, own);
                }
                (None, _) => {}
            }
            return Err(not_found(format!("no variable named `{name}` in {scope}")));
        }
        // `object.Base::member`
        if let Some((object, base)) = scope.rsplit_once('.')
            && let Ok(object) = self.name(context, object)
            && let Ok(base) = self.member(context, &object, base)
        {
            return self.member(context, &base, name);
        }
        match name {
            "" => Err(not_found(format!("no variable named `{scope}` here"))),
            name => self.inside_function(context, scope, name),
        }
    }

    /// A variable of a function: of its innermost frame, or one that exists once.
    pub(super) fn inside_function(
        &mut self,
        context: &Context,
        function: &str,
        name: &str,
    ) -> Result<Value> {
        let frames = self.backtrace(context.thread, FRAMES)?;
        let is_meant = |f: &&super::Frame| f.function.as_deref() == Some(function);
        if let Some(frame) = frames.iter().find(is_meant) {
            let within = self.context(context.thread, frame.index)?;
            if let Some(body) = &within.body {
                let pc = within.frame.lookup_pc().wrapping_sub(body.bias);
                let all = body.info.variables_at(&body.instance, pc);
                if let Some(v) = all.into_iter().rfind(|v| v.name == name) {
                    return self.variable(&within, &body.info, body.bias, &v);
                }
            }
        }
        let mut is_known = false;
        for module in self.modules(context.process).to_vec() {
            let Some((info, bias)) = self.load(context.process, &module) else { continue };
            if !info.may_define(function) {
                continue;
            }
            let functions = info.functions_named(function);
            let bodies: Vec<Instance> =
                functions.iter().flat_map(|f| f.instances.iter().cloned()).collect();
            for body in bodies {
                is_known = true;
                if let Ok(value) = self.static_of(context, &info, bias, &body, name) {
                    return Ok(value);
                }
            }
        }
        Err(not_found(match is_known {
            true => format!("`{function}` is not being called and has no static variable `{name}`"),
            false => format!("no function and no file `{function}`"),
        }))
    }

    fn static_of(
        &mut self,
        context: &Context,
        info: &Rc<DebugInfo>,
        bias: u64,
        body: &Instance,
        name: &str,
    ) -> Result<Value> {
        let found = info.statics_of(body).into_iter().find(|v| v.name == name);
        let found = found.ok_or_else(|| not_found(format!("no static variable `{name}` there")))?;
        self.variable(context, info, bias, &found)
    }

    /// A global or static variable of the file that the frame's function is in: it comes before those of
    /// other files.
    pub(super) fn of_same_file(&mut self, context: &Context, name: &str) -> Result<Option<Value>> {
        let Some(body) = &context.body else { return Ok(None) };
        let Some((unit, _)) = body.instance.die else { return Ok(None) };
        if body.info.is_separate() {
            return Ok(None);
        }
        match body.info.globals_named(name).find(|v| v.unit == unit).cloned() {
            Some(v) => self.variable(context, &body.info, body.bias, &v).map(Some),
            None => Ok(None),
        }
    }

    /// A function as a value: its type, as far as it is known, and where it is.
    pub(super) fn function_value(&mut self, process: ProcessId, address: u64) -> Value {
        let name = self.signature(process, address).unwrap_or_else(|| "function".into());
        let ty = Rc::new(Type { name, size: 1, kind: Kind::Function });
        let place = Some(Place::Memory(address));
        Value { ty, bytes: Vec::new(), place, bits: None, held: Held::No }
    }

    /// The result and the parameters of a function: `int (char *, ...)`.
    fn signature(&mut self, process: ProcessId, address: u64) -> Option<String> {
        let scope = self.scope(process, address).filter(|s| s.is_typed())?;
        let mut all = Vec::new();
        for parameter in &scope.parameters {
            all.push(parameter.ty.get().ok()?.name.clone());
        }
        if scope.is_variadic {
            all.push("...".into());
        }
        if all.is_empty() {
            all.push("void".into());
        }
        Some(format!("{} ({})", scope.result.get().ok()?.name, all.join(", ")))
    }
}

fn not_found(text: String) -> Error {
    Error::new(ErrorKind::NotFound, text)
}
