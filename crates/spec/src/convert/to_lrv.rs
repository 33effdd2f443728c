//! Writes a model as a LARVA script.
//!
//! Scripts have contexts, variables, clocks, channels and automata whose arrows are tried in order.
//! They have no time limits of states, no pending or good states and no messages, and their events
//! are those of a JVM. A property without a counterpart is refused, with its place.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write;

use watchword_model::{
    BinaryOp, Branch, Builtin, ContextId, Creation, EventDecl, EventId, Expr, Function, JvmSource,
    JvmTerm, JvmWhen, Label, LocalId, Model, Observed, Origin, ParamPattern, Pattern, Place,
    PointKind, PointPattern, Property, Source, Span, StateId, StateKind, Stmt, Target, Type,
    TypePattern, UnaryOp, Value, VarId,
};

use super::java_words::without_java_words;
use super::words::java_text;
use crate::diagnostic::{Code, Diagnostic};
use crate::larva::free;
use crate::ww::lower::{ARGUMENT, RESERVED_EVENTS};

/// The properties of a model as a LARVA script with the same verdicts.
///
/// # Errors
///
/// If a property has something that a script cannot express.
pub fn to_lrv(model: &Model) -> Result<String, Vec<Diagnostic>> {
    let model = &without_java_words(model);
    let mut script = Script { model, imports: RefCell::default(), ends: 0, identical: false };
    script.whole().map_err(|refusal| {
        vec![
            Diagnostic::error(Code::NotConvertible, refusal.span, refusal.what)
                .rule("a LARVA script has contexts, automata, variables, clocks, channels and events of a JVM"),
        ]
    })
}

/// The error for something that a script cannot express.
struct Refusal {
    span: Span,
    what: String,
}

type Written = Result<String, Refusal>;

struct Script<'m> {
    model: &'m Model,
    /// Packages in which types are searched for.
    imports: RefCell<Vec<String>>,
    /// Accepting states that were added.
    ends: usize,
    /// Whether objects are compared by identity.
    identical: bool,
}

/// The states in which an arrow begins, and in which it ends if its source is its target.
#[derive(Clone, Copy)]
struct From<'s> {
    name: &'s str,
    stay: &'s str,
}

/// How the objects of a parameter are compared.
#[derive(Clone, Copy, PartialEq)]
enum Compared {
    Identity,
    Equals,
    Both,
}

/// The names that are visible in a piece of code.
struct Scope<'s> {
    event: Option<&'s EventDecl>,
    context: Option<ContextId>,
    locals: Vec<(LocalId, String)>,
    /// Parameters of the enclosing function: the first locals.
    params: &'s [(String, Type)],
    span: Span,
}

fn no<T>(span: Span, what: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { span, what: what.into() })
}

impl Script<'_> {
    fn whole(&mut self) -> Written {
        let model = self.model;
        let roots: Vec<ContextId> = (0..model.contexts.len())
            .map(ContextId::from_index)
            .filter(|c| model.contexts[c.index()].parent.is_none())
            .filter(|c| model.properties.iter().any(|p| model.chain(p.context)[0] == *c))
            .collect();
        let mut inside = String::new();
        match roots[..] {
            [root] if model.contexts[root.index()].params.is_empty() => {
                self.check(root)?;
                inside.push_str(&self.inside(root)?);
            }
            _ => {
                for root in roots {
                    self.check(root)?;
                    if model.contexts[root.index()].params.is_empty() {
                        let span = self.span_of(root);
                        return no(span, "a script has one global context only");
                    }
                    inside.push_str(&self.foreach(root)?);
                }
            }
        }
        let mut out = String::new();
        let imports = self.imports.borrow();
        if !imports.is_empty() {
            let lines: String = imports.iter().map(|i| format!("  import {i};\n")).collect();
            let _ = write!(out, "IMPORTS {{\n{lines}}}\n\n");
        }
        drop(imports);
        let _ = write!(out, "GLOBAL {{\n{}}}\n", indented(&inside));
        if !model.functions.is_empty() || self.identical {
            let mut methods = String::new();
            if self.identical {
                let _ = writeln!(
                    methods,
                    "boolean {}(Object a, Object b) {{ return a == b; }}",
                    self.identical_name()
                );
            }
            for function in &model.functions {
                methods.push_str(&self.method(function)?);
            }
            let _ = write!(out, "\nMETHODS {{\n{}}}\n", indented(&methods));
        }
        Ok(out)
    }

    fn span_of(&self, context: ContextId) -> Span {
        let mut all = self.model.properties.iter();
        all.find(|p| self.model.chain(p.context).contains(&context)).map_or(Span::NONE, |p| p.span)
    }

    /// Instances must be created by the rule of scripts.
    fn check(&self, context: ContextId) -> Result<(), Refusal> {
        let model = self.model;
        let definition = &model.contexts[context.index()];
        let span = self.span_of(context);
        if !definition.ends.is_empty() {
            return no(span, "a script cannot say when the life of a value ends");
        }
        match &definition.rule {
            Creation::Larva => {}
            Creation::Registers => return no(span, "a script has no registers"),
            Creation::Verde => {
                return no(span, "a script does not create instances by transitions");
            }
            Creation::ChenRosu { creation } => {
                let all = model.params(context).len();
                let full = |o: &Observed| o.placements.iter().all(|p| p.0.len() == all);
                let property = model.properties.iter().find(|p| p.context == context);
                if !creation.is_empty() || property.is_some_and(|p| !p.alphabet.iter().all(full)) {
                    return no(
                        span,
                        "in a script, every event of a context must name all of its parameters",
                    );
                }
            }
        }
        for at in 0..model.contexts.len() {
            if model.contexts[at].parent == Some(context) {
                self.check(ContextId::from_index(at))?;
            }
        }
        Ok(())
    }

    fn foreach(&mut self, context: ContextId) -> Written {
        let model = self.model;
        let definition = &model.contexts[context.index()];
        let mut params = Vec::new();
        let outer = model.params(context).len() - definition.params.len();
        for (at, (param, key)) in definition.params.iter().zip(&definition.keys).enumerate() {
            let mut text =
                format!("{} {}", self.class_of(context, outer + at, param.ty), param.name);
            match key {
                None => match self.compared(context, outer + at, param.ty) {
                    None | Some(Compared::Equals) => {}
                    Some(Compared::Identity) => {
                        self.identical = true;
                        let _ = write!(text, " equateUsing {}", self.identical_name());
                    }
                    Some(Compared::Both) => {
                        return no(
                            self.span_of(context),
                            format!("`{}` is compared by identity and by `equals`", param.name),
                        );
                    }
                },
                Some(Expr::Call(function, args))
                    if matches!(args[..], [Expr::Read(Place::Arg(0))]) =>
                {
                    let name = self.method_name(&model.functions[function.index()]);
                    let _ = write!(text, " equateUsing {name}");
                }
                Some(_) => {
                    return no(
                        self.span_of(context),
                        "a script can compare keys only by a method of METHODS",
                    );
                }
            }
            params.push(text);
        }
        let inside = self.inside(context)?;
        Ok(format!("FOREACH ({}) {{\n{}}}\n", params.join(", "), indented(&inside)))
    }

    /// The method that compares objects by identity; a script must define it.
    fn identical_name(&self) -> &'static str {
        match self.model.functions.iter().any(|f| f.name == "identical") {
            true => "identical_objects",
            false => "identical",
        }
    }

    /// How the objects of a parameter are compared, if events of a JVM supply them.
    fn compared(&self, context: ContextId, param: usize, ty: Type) -> Option<Compared> {
        if ty != Type::Any && ty != Type::Ref {
            return None;
        }
        let model = self.model;
        let mut found = None;
        for property in
            model.properties.iter().filter(|p| model.chain(p.context).contains(&context))
        {
            for observed in &property.alphabet {
                let Origin::World(sources) = &model.events[observed.event.index()].origin else {
                    continue;
                };
                let args = observed.placements.iter().flat_map(|p| &p.0);
                for (_, arg) in args.filter(|(p, _)| p.index() == param) {
                    let captures = sources.iter().filter_map(|source| match source {
                        Source::Jvm(source) => Some(&source.captures),
                        _ => None,
                    });
                    for capture in captures.flatten().filter(|c| c.param == *arg as usize) {
                        let this = match capture.term {
                            JvmTerm::Equal(_) => Compared::Equals,
                            _ => Compared::Identity,
                        };
                        found = match found {
                            None => Some(this),
                            Some(known) if known == this => Some(known),
                            Some(_) => Some(Compared::Both),
                        };
                    }
                }
            }
        }
        found
    }

    /// The Java type of a parameter: the type of the receiver, where an event captures it.
    fn class_of(&self, context: ContextId, param: usize, ty: Type) -> String {
        if ty != Type::Any && ty != Type::Ref {
            return java_type(ty).to_string();
        }
        for property in self.model.properties.iter().filter(|p| p.context == context) {
            for observed in &property.alphabet {
                let decl = &self.model.events[observed.event.index()];
                let Origin::World(sources) = &decl.origin else { continue };
                for (_, arg) in observed
                    .placements
                    .iter()
                    .flat_map(|p| &p.0)
                    .filter(|(p, _)| p.index() == param)
                {
                    for source in sources {
                        if let Source::Jvm(source) = source
                            && let Some(m) = source.point.method()
                            && source.captures.iter().any(|c| {
                                c.param == *arg as usize && *same(&c.term) == JvmTerm::Receiver
                            })
                            && let Some(class) = self.class(&m.owner)
                        {
                            return class.trim_end_matches('+').to_string();
                        }
                    }
                }
            }
        }
        "Object".to_string()
    }

    fn inside(&mut self, context: ContextId) -> Written {
        let model = self.model;
        let definition = &model.contexts[context.index()];
        let mut out = String::new();
        let scope = Scope {
            event: None,
            context: Some(context),
            locals: Vec::new(),
            params: &[],
            span: self.span_of(context),
        };
        let mut variables = String::new();
        let is_declared = |id: &&VarId| model.clock_since(Place::Var(**id)).is_none();
        for id in definition.variables.iter().filter(is_declared) {
            let var = &model.variables[id.index()];
            let init = self.expr(&var.init, &scope)?;
            let _ = writeln!(variables, "{} {} = {init};", java_type(var.ty), self.variable(*id));
        }
        for clock in &definition.clocks {
            let clock = &model.clocks[clock.index()];
            if !clock.autostart {
                return no(
                    scope.span,
                    "a clock of a script runs from the creation of its instance",
                );
            }
            let _ = writeln!(variables, "Clock {} = new Clock();", clock.name);
        }
        for (at, decl) in model.events.iter().enumerate() {
            if matches!(decl.origin, Origin::Channel)
                && self.channel_context(EventId::from_index(at)) == Some(context)
            {
                let _ = writeln!(variables, "Channel {} = new Channel();", decl.name);
            }
        }
        if !variables.is_empty() {
            let _ = write!(out, "VARIABLES {{\n{}}}\n", indented(&variables));
        }
        let mut events = String::new();
        for at in 0..model.events.len() {
            let id = EventId::from_index(at);
            if self.home(id) == Some(context) {
                events.push_str(&self.event(id, context)?);
            }
        }
        if !events.is_empty() {
            let _ = write!(out, "EVENTS {{\n{}}}\n", indented(&events));
        }
        for property in model.properties.iter().filter(|p| p.context == context) {
            out.push_str(&self.property(property)?);
        }
        for at in 0..model.contexts.len() {
            let inner = ContextId::from_index(at);
            let used = model.properties.iter().any(|p| model.chain(p.context).contains(&inner));
            if model.contexts[at].parent == Some(context) && used {
                if model.contexts[at].params.is_empty() {
                    return no(self.span_of(inner), "a context inside another one has parameters");
                }
                out.push_str(&self.foreach(inner)?);
            }
        }
        Ok(out)
    }

    /// The context in which an event is declared: the one whose parameters it names.
    fn home(&self, event: EventId) -> Option<ContextId> {
        let model = self.model;
        if let Origin::Clock = model.events[event.index()].origin {
            let clock = model
                .clocks
                .iter()
                .find(|c| c.rings == Some(event) || c.alarms.iter().any(|a| a.event == event))?;
            return Some(clock.context);
        }
        if let Origin::Channel = model.events[event.index()].origin {
            return self.channel_context(event);
        }
        for property in &model.properties {
            if let Some(observed) = property.observes(event) {
                let named = observed.placements.iter().map(|p| p.0.len()).max().unwrap_or(0);
                let chain = model.chain(property.context);
                return chain.into_iter().find(|c| model.params(*c).len() == named);
            }
        }
        None
    }

    /// The context to which a channel belongs: the one whose parameters its messages carry first.
    fn channel_context(&self, event: EventId) -> Option<ContextId> {
        let model = self.model;
        let keys = model.events[event.index()].params.len().checked_sub(1)?;
        let user = model.properties.iter().find(|p| p.observes(event).is_some());
        // If no property receives from a channel, the senders determine the family of contexts.
        let user = user.or(model.properties.first())?;
        model.chain(user.context).into_iter().find(|c| model.params(*c).len() == keys)
    }

    fn event(&self, id: EventId, context: ContextId) -> Written {
        let model = self.model;
        let decl = &model.events[id.index()];
        if let Origin::Clock = decl.origin {
            for clock in &model.clocks {
                if clock.rings == Some(id) {
                    return Ok(format!("{}() = {{{}@@}}\n", self.event_name(id), clock.name));
                }
                if let Some(alarm) = clock.alarms.iter().find(|a| a.event == id) {
                    if alarm.after % 1_000_000 != 0 {
                        return no(decl.span, "clocks of a script count milliseconds");
                    }
                    let name = self.event_name(id);
                    let ms = alarm.after / 1_000_000;
                    return Ok(format!("{name}() = {{{}@l{ms}}}\n", clock.name));
                }
            }
            return no(decl.span, "an alarm without a clock");
        }
        if let Origin::Channel = decl.origin {
            let Some(value) = decl.params.last() else {
                return no(decl.span, "a message of a script carries one value");
            };
            let name = self.event_name(id);
            return Ok(format!(
                "{name}(Object {0}) = {{{1}.receive(Object {0})}}\n",
                value.name, decl.name
            ));
        }
        let Origin::World(sources) = &decl.origin else { return Ok(String::new()) };
        if decl.variadic {
            return no(decl.span, format!("`{}` may have any number of arguments", decl.name));
        }
        let mut members = Vec::new();
        let mut wheres: Option<String> = None;
        for source in sources {
            let Source::Jvm(source) = source else {
                return no(decl.span, format!("`{}` has a source outside a JVM", decl.name));
            };
            let (member, assigned) = self.source(source, decl)?;
            members.push(member);
            if wheres.as_ref().is_some_and(|w| *w != assigned) {
                return no(
                    decl.span,
                    format!("sources of `{}` compute different things", decl.name),
                );
            }
            wheres = Some(assigned);
        }
        if members.is_empty() {
            return no(decl.span, format!("`{}` has no source in a JVM", decl.name));
        }
        // FOREACH variables are recognised by their names.
        for property in &model.properties {
            let Some(observed) = property.observes(id) else { continue };
            let params = model.params(property.context);
            for (param, arg) in observed.placements.iter().flat_map(|p| &p.0) {
                let name = &params[param.index()].1.name;
                if decl.params.get(*arg as usize).is_none_or(|p| p.name != *name) {
                    return no(
                        decl.span,
                        format!(
                            "a parameter of `{}` and the corresponding parameter of the context have different names",
                            decl.name
                        ),
                    );
                }
            }
            let filter = |p: &Property| p.observes(id).map(|o| format!("{:?}", o.filter));
            if model.properties.iter().filter_map(filter).any(|f| Some(f) != filter(property)) {
                return no(decl.span, format!("properties observe `{}` differently", decl.name));
            }
        }
        let observed = model.properties.iter().find_map(|p| p.observes(id));
        let mut out = String::new();
        let params: Vec<String> =
            decl.params.iter().map(|p| format!("{} {}", java_type(p.ty), p.name)).collect();
        let name = self.script_event(decl);
        let _ = write!(out, "{name}({}) = {{{}}}", params.join(", "), members.join(" | "));
        if let Some(filter) = observed.and_then(|o| o.filter.as_ref()) {
            let scope = Scope {
                event: Some(decl),
                context: Some(context),
                locals: Vec::new(),
                params: &[],
                span: decl.span,
            };
            let _ = write!(out, " filter {{{}}}", self.expr(filter, &scope)?);
        }
        match wheres.unwrap_or_default().as_str() {
            "" => {}
            assigned => {
                let _ = write!(out, " where {{ {assigned}}}");
            }
        }
        out.push('\n');
        Ok(out)
    }

    /// A method event, and the assignments of `where`.
    fn source(&self, source: &JvmSource, decl: &EventDecl) -> Result<(String, String), Refusal> {
        let refuse = |what: &str| no(decl.span, format!("`{}`: {what}", decl.name));
        let (execution, method) = match (source.point.kind, &source.point.pattern) {
            (PointKind::Handler, PointPattern::Type(caught)) => {
                return self.handler(source, caught, decl);
            }
            (PointKind::Call, PointPattern::Method(method)) => ("", method),
            (PointKind::Execution, PointPattern::Method(method)) => ("execution ", method),
            _ => return refuse("events of a script are at methods"),
        };
        if !method.supers {
            return refuse("a script does not tell `super.m()` from other calls");
        }
        if method.negated || !method.annotations.is_empty() || method.returns.is_some() {
            return refuse("methods of a script have an owner, a name and parameters");
        }
        if !source.instances.is_empty() {
            return refuse("a script does not look at the class of an argument or result");
        }
        if source.thrown.is_some() {
            return refuse("a script cannot test the class of an exception");
        }
        let name = |term: &JvmTerm| {
            let capture = source.captures.iter().find(|c| same(&c.term) == term);
            capture.and_then(|c| decl.params.get(c.param)).map(|p| p.name.clone())
        };
        let constructor = method.name.text() == "<init>";
        let method_name = if constructor { "new" } else { method.name.text() };
        let any = method.owner.name.text() == "*";
        let receiver = name(&JvmTerm::Receiver).filter(|_| !constructor);
        let target = match (receiver, self.class(&method.owner)) {
            (Some(_), _) if any => return refuse("a receiver of any type has no name in a script"),
            (None, _) if any => "*".to_string(),
            (_, None) => return refuse("this type has no name in a script"),
            (Some(name), Some(ty)) => format!("{ty} {name}"),
            (None, Some(ty)) => format!("{ty} *"),
        };
        let mut args = Vec::new();
        match &method.params {
            None => {
                if source.captures.iter().any(|c| matches!(same(&c.term), JvmTerm::Arg(_))) {
                    return refuse("an event of a script must list its arguments");
                }
                args.push("*".to_string());
            }
            Some(list) => {
                let mut at = 0;
                for param in list {
                    match param {
                        ParamPattern::Rest => args.push("*".to_string()),
                        ParamPattern::One(ty) => {
                            let given = name(&JvmTerm::Arg(at));
                            let ty_name = if ty.name.text() == "*" { None } else { self.class(ty) };
                            args.push(match (ty_name, given) {
                                (Some(ty), Some(name)) => format!("{ty} {name}"),
                                (Some(ty), None) => format!("{ty} unnamed{at}"),
                                (None, Some(name)) => name,
                                (None, None) => format!("unnamed{at}"),
                            });
                            at += 1;
                        }
                    }
                }
            }
        }
        let result = if constructor { JvmTerm::Receiver } else { JvmTerm::Result };
        let variation = match source.when {
            JvmWhen::Before => String::new(),
            JvmWhen::After => format!(" uponReturning({})", name(&result).unwrap_or_default()),
            JvmWhen::Throwing => {
                format!(" uponThrowing({})", name(&JvmTerm::Exception).unwrap_or_default())
            }
        };
        let within = match &source.within[..] {
            [] => String::new(),
            [one] if !one.negated && one.method.is_none() => match self.class(&one.owner) {
                Some(ty) => {
                    let this = name(&JvmTerm::This).map_or(String::new(), |n| format!(" {n}"));
                    format!(" within ({ty}{this})")
                }
                None => return refuse("this type has no name in a script"),
            },
            _ => return refuse("an event of a script can be restricted to one type only"),
        };
        // Arguments that the event does not capture need names, too.
        let known = |term: &JvmTerm| match term {
            JvmTerm::Arg(at) if method.params.is_some() => {
                name(term).or_else(|| Some(format!("unnamed{at}")))
            }
            term => name(term),
        };
        let mut wheres = String::new();
        for capture in &source.captures {
            let param = decl.params.get(capture.param).map_or("", |p| p.name.as_str());
            match same(&capture.term) {
                JvmTerm::This if source.within.is_empty() => {
                    return refuse("an event of a script carries objects, arguments and results");
                }
                term @ (JvmTerm::Receiver
                | JvmTerm::Arg(_)
                | JvmTerm::Result
                | JvmTerm::Exception
                | JvmTerm::This) => {
                    // If several parameters have the same value, one of them gets its name here.
                    if let Some(first) = name(term).filter(|first| first != param) {
                        let _ = write!(wheres, "{param} = {first}; ");
                    }
                }
                term @ (JvmTerm::Field(..) | JvmTerm::Call(..) | JvmTerm::StaticField(..)) => {
                    let Some(value) = term_text(term, &known) else {
                        return refuse("`where` must start from a value that the event captures");
                    };
                    let _ = write!(wheres, "{param} = {value}; ");
                }
                _ => return refuse("an event of a script carries objects, arguments and results"),
            }
        }
        let args = args.join(", ");
        Ok((format!("{execution}{target}.{method_name}({args}){variation}{within}"), wheres))
    }

    /// `T x.m(*) uponHandling(E e)`: where a method of a type handles an exception.
    fn handler(
        &self,
        source: &JvmSource,
        caught: &TypePattern,
        decl: &EventDecl,
    ) -> Result<(String, String), Refusal> {
        let refuse = |what: &str| no(decl.span, format!("`{}`: {what}", decl.name));
        let name = |term: &JvmTerm| {
            let capture = source.captures.iter().find(|c| same(&c.term) == term);
            capture.and_then(|c| decl.params.get(c.param)).map(|p| p.name.clone())
        };
        let [inside] = &source.within[..] else {
            return refuse("exceptions of a script are handled in a method of one type");
        };
        if inside.negated {
            return refuse("exceptions of a script are handled in a method of one type");
        }
        let Some(ty) = self.class(&inside.owner) else {
            return refuse("this type has no name in a script");
        };
        let this = name(&JvmTerm::This).unwrap_or("*".to_string());
        let method = match inside.method.as_ref().map(|m| m.text()) {
            Some("<init>") => "new",
            Some(method) => method,
            None => "*",
        };
        let any = caught.name.text() == "*";
        let handled = match (self.class(caught).filter(|_| !any), name(&JvmTerm::Exception)) {
            (Some(ty), Some(name)) => format!("{ty} {name}"),
            (Some(ty), None) => format!("{ty} unnamed"),
            (None, Some(name)) if any => name,
            (None, None) if any => String::new(),
            _ => return refuse("this type has no name in a script"),
        };
        let mut wheres = String::new();
        for capture in &source.captures {
            let param = decl.params.get(capture.param).map_or("", |p| p.name.as_str());
            match same(&capture.term) {
                JvmTerm::This | JvmTerm::Exception => {}
                term => {
                    let Some(value) = term_text(term, &name) else {
                        return refuse("`where` must start from a value that the event captures");
                    };
                    let _ = write!(wheres, "{param} = {value}; ");
                }
            }
        }
        Ok((format!("{ty} {this}.{method}(*) uponHandling({handled})"), wheres))
    }

    /// A type by name.
    fn class(&self, pattern: &TypePattern) -> Option<String> {
        if pattern.negated || !pattern.annotations.is_empty() {
            return None;
        }
        let plus = if pattern.subtypes { "+" } else { "" };
        if pattern.name.is_literal() {
            return Some(format!("{}{plus}", pattern.name.text()));
        }
        let (name, packages) = imported(pattern.name.text())?;
        let mut imports = self.imports.borrow_mut();
        for package in packages {
            let all = format!("{package}.*");
            if !imports.contains(&all) {
                imports.push(all);
            }
        }
        Some(format!("{name}{plus}"))
    }

    fn event_name(&self, event: EventId) -> String {
        let decl = &self.model.events[event.index()];
        match decl.origin {
            Origin::Clock => format!("alarm_{}", event.0),
            Origin::Channel => {
                let is_event = |text: &str| self.model.events.iter().any(|e| e.name == text);
                free(&format!("received_{}", decl.name), is_event)
            }
            _ => self.script_event(decl),
        }
    }

    /// The name of an event in a script: `end_` becomes `end`, if no other event has this name.
    fn script_event(&self, decl: &EventDecl) -> String {
        let taken = |text: &str| {
            let mut events = self.model.events.iter();
            events.any(|e| e.name == text && !matches!(e.origin, Origin::End))
        };
        original(&decl.name, |text| RESERVED_EVENTS.contains(&text), taken)
    }

    /// The name of a method in a script: `max_` becomes `max`, if no other method has this name.
    fn method_name(&self, function: &Function) -> String {
        let built_in =
            |text: &str| text == ARGUMENT || Builtin::TABLE.iter().any(|(_, n, _)| *n == text);
        let taken = |text: &str| self.model.functions.iter().any(|f| f.name == text);
        original(&function.name, built_in, taken)
    }

    /// A variable. A parameter of the event with the same name would hide it.
    fn variable(&self, var: VarId) -> String {
        let model = self.model;
        let events = model.events.iter().flat_map(|e| &e.params);
        let brought: HashSet<&str> = events.map(|p| p.name.as_str()).collect();
        let others: HashSet<&str> = model.variables.iter().map(|v| v.name.as_str()).collect();
        let name = &model.variables[var.index()].name;
        let mut free = name.clone();
        while brought.contains(free.as_str()) || free != *name && others.contains(free.as_str()) {
            free.push('_');
        }
        free
    }

    fn property(&mut self, property: &Property) -> Written {
        if property.is_proven() {
            return no(property.span, "a script does not say that a property is proven");
        }
        if property.message.is_some() {
            return no(property.span, "a script has no messages");
        }
        if let Some(window) = property.windows.first() {
            return no(window.span, "a script has no windows");
        }
        let mut groups: [Vec<String>; 4] = Default::default();
        let mut arrows = String::new();
        for (at, state) in property.states.iter().enumerate() {
            let id = StateId::from_index(at);
            if state.deadline.is_some() {
                return no(state.span, "states of a script have no time limits; clocks do");
            }
            if state.message.is_some() {
                return no(state.span, "a script has no messages");
            }
            let scope = Scope {
                event: None,
                context: Some(property.context),
                locals: Vec::new(),
                params: &[],
                span: state.span,
            };
            let entry = match state.entry.is_empty() {
                true => String::new(),
                false => format!(" {{ {}}}", self.block(&state.entry, &scope)?),
            };
            let group = match (state.kind, property.start == id) {
                (StateKind::Normal, true) => 3,
                (StateKind::Normal, false) => 2,
                (StateKind::Bad, false) => 1,
                _ => {
                    return no(
                        state.span,
                        "a script has accepting, bad, normal and one starting state",
                    );
                }
            };
            groups[group].push(format!("{}{entry}", state.name));
            // An arrow of a script enters its target, even if the state is the same. Where this
            // could be observed, the arrow leads to a copy of the state without its entry action.
            let stays = property.leaving(id).any(|(_, t)| {
                std::iter::once(&t.then).chain(&t.otherwise).any(|b| b.target == Target::Stay)
            });
            let seen = state.kind == StateKind::Bad || !state.entry.is_empty();
            let mut names = vec![state.name.clone()];
            if stays && seen {
                let mut twin = format!("{}_stayed", state.name);
                while property.states.iter().any(|s| s.name == twin) {
                    twin.push('_');
                }
                groups[2].push(twin.clone());
                names.push(twin);
            }
            for name in &names {
                let from = From { name, stay: names.last().unwrap_or(name) };
                for (_, transition) in property.leaving(id) {
                    let [label] = &transition.labels[..] else {
                        return no(transition.span, "an arrow of a script takes one event");
                    };
                    let then = &transition.then;
                    let line = self.arrow(property, from, label, then, None, &mut groups[0])?;
                    arrows.push_str(&line);
                    if let Some(otherwise) = &transition.otherwise {
                        let Some(guard) = &label.guard else { continue };
                        let not = Expr::Unary(UnaryOp::Not, Box::new(guard.clone()));
                        let accepting = &mut groups[0];
                        let line =
                            self.arrow(property, from, label, otherwise, Some(&not), accepting)?;
                        arrows.push_str(&line);
                    }
                }
            }
        }
        let mut states = String::new();
        for (word, names) in ["ACCEPTING", "BAD", "NORMAL", "STARTING"].iter().zip(&groups) {
            if !names.is_empty() {
                let _ = writeln!(states, "{word} {{ {} }}", names.join(" "));
            }
        }
        let doc: String = property.doc.lines().map(|l| format!("%% {l}\n")).collect();
        let body = format!(
            "STATES {{\n{}}}\nTRANSITIONS {{\n{}}}\n",
            indented(&states),
            indented(&arrows)
        );
        Ok(format!("{doc}PROPERTY {} {{\n{}}}\n", property.name, indented(&body)))
    }

    fn arrow(
        &mut self,
        property: &Property,
        from: From<'_>,
        label: &Label,
        branch: &Branch,
        instead: Option<&Expr>,
        accepting: &mut Vec<String>,
    ) -> Written {
        let model = self.model;
        let Some(event) = label.event.filter(|e| *e != EventId::END) else {
            return no(label.span, "an arrow of a script names an event of the program");
        };
        if branch.message.is_some() {
            return no(label.span, "a script has no messages");
        }
        let decl = &model.events[event.index()];
        let mut scope = Scope {
            event: Some(decl),
            context: Some(property.context),
            locals: Vec::new(),
            params: &[],
            span: label.span,
        };
        let mut conditions = Vec::new();
        for (at, pattern) in label.args.iter().enumerate() {
            let param = decl.params.get(at).map_or(String::new(), |p| p.name.clone());
            match pattern {
                Pattern::Any => {}
                Pattern::Bind(Place::Local(local)) => scope.locals.push((*local, param)),
                Pattern::Equal(Place::Param(_)) => {}
                Pattern::Equal(place) => {
                    conditions.push(format!("{param} == {}", self.place(*place, &scope)?));
                }
                Pattern::Differs(place) => {
                    conditions.push(format!("{param} != {}", self.place(*place, &scope)?));
                }
                Pattern::Const(value) => {
                    let value = self.expr(&Expr::Const(value.clone()), &scope)?;
                    conditions.push(format!("{param} == {value}"));
                }
                Pattern::NotConst(value) => {
                    let value = self.expr(&Expr::Const(value.clone()), &scope)?;
                    conditions.push(format!("{param} != {value}"));
                }
                Pattern::Bind(_) => return no(label.span, "a script has no registers"),
            }
        }
        if let Some(guard) = instead.or(label.guard.as_ref()) {
            conditions.push(self.operand(guard, &scope)?);
        }
        let state = |id: StateId| property.states[id.index()].name.clone();
        let to = match branch.target {
            Target::State(to) => state(to),
            Target::Stay => from.stay.to_string(),
            Target::Drop => {
                self.ends += 1;
                let is_state = |text: &str| property.states.iter().any(|s| s.name == text);
                let name = free(&format!("accepted_{}", self.ends), is_state);
                accepting.push(name.clone());
                name
            }
        };
        let action = self.block(&branch.update, &scope)?;
        let name = self.event_name(event);
        let condition = conditions.join(" && ");
        let tail = match (condition.is_empty(), action.is_empty()) {
            (true, true) => String::new(),
            (false, true) => format!("\\{condition}\\"),
            _ => format!("\\{condition}\\{}", action.trim_end()),
        };
        Ok(format!("{} -> {to} [{name}{tail}]\n", from.name))
    }

    fn method(&self, function: &Function) -> Written {
        let params: Vec<String> =
            function.params.iter().map(|(name, ty)| format!("{} {name}", java_type(*ty))).collect();
        let scope = Scope {
            event: None,
            context: None,
            locals: function
                .params
                .iter()
                .enumerate()
                .map(|(at, (name, _))| (LocalId::from_index(at), name.clone()))
                .collect(),
            params: &function.params,
            span: function.span,
        };
        let body = self.block(&function.body, &scope)?;
        let name = self.method_name(function);
        Ok(format!("Object {name}({}) {{ {body}}}\n", params.join(", ")))
    }

    /// Statements on one line. A local is declared at its first assignment at this level, or before
    /// the statement that contains it.
    fn block(&self, body: &[Stmt], scope: &Scope<'_>) -> Written {
        let mut scope = Scope {
            locals: scope.locals.clone(),
            event: scope.event,
            context: scope.context,
            params: scope.params,
            span: scope.span,
        };
        self.statements(body, &mut scope)
    }

    fn statements(&self, body: &[Stmt], scope: &mut Scope<'_>) -> Written {
        let mut out = String::new();
        for statement in body {
            // A local whose first assignment is inside a block may be used after the block.
            for local in assigned(std::slice::from_ref(statement)) {
                let direct = matches!(statement, Stmt::Assign(Place::Local(l), _) if *l == local);
                let looped = matches!(statement, Stmt::ForEach(l, _, _) if *l == local);
                if !scope.locals.iter().any(|(l, _)| *l == local) {
                    let name = format!("local_{}", local.0);
                    scope.locals.push((local, name.clone()));
                    if !direct && !looped {
                        let _ = write!(out, "Object {name} = null; ");
                    } else if direct {
                        out.push_str("Object ");
                    }
                }
            }
            out.push_str(&self.statement(statement, scope)?);
        }
        Ok(out)
    }

    fn statement(&self, statement: &Stmt, scope: &mut Scope<'_>) -> Written {
        let model = self.model;
        Ok(match statement {
            // The clock of the script keeps the time itself.
            Stmt::Assign(place, _) if model.clock_since(*place).is_some() => String::new(),
            Stmt::Assign(place, value) => {
                let target = self.place(*place, scope)?;
                match value {
                    Expr::Builtin(Builtin::Put, args)
                        if reads(&args[0], *place)
                            && let Some((function, given)) = of_element(&args[2], &args[..2]) =>
                    {
                        let key = self.expr(&args[1], scope)?;
                        let given: Result<Vec<String>, Refusal> =
                            given.iter().map(|e| self.expr(e, scope)).collect();
                        format!("{target}.get({key}).{function}({}); ", given?.join(", "))
                    }
                    Expr::Builtin(Builtin::Push, args) if reads(&args[0], *place) => {
                        format!("{target}.add({}); ", self.expr(&args[1], scope)?)
                    }
                    Expr::Builtin(Builtin::Put, args) if reads(&args[0], *place) => {
                        let (key, value) =
                            (self.expr(&args[1], scope)?, self.expr(&args[2], scope)?);
                        match self.type_of(*place, scope) {
                            Type::List => format!("{target}.set({key}, {value}); "),
                            Type::Map => format!("{target}.put({key}, {value}); "),
                            _ => {
                                return no(
                                    scope.span,
                                    "only elements of lists and maps are assigned",
                                );
                            }
                        }
                    }
                    Expr::Builtin(Builtin::Remove, args) if reads(&args[0], *place) => {
                        format!("{target}.remove({}); ", self.expr(&args[1], scope)?)
                    }
                    value => format!("{target} = {}; ", self.expr(value, scope)?),
                }
            }
            Stmt::If(condition, then, otherwise) => {
                let condition = self.expr(condition, scope)?;
                let mut out = format!("if ({condition}) {{ {}}} ", self.statements(then, scope)?);
                if !otherwise.is_empty() {
                    let _ = write!(out, "else {{ {}}} ", self.statements(otherwise, scope)?);
                }
                out
            }
            Stmt::While(condition, body) => {
                let condition = self.expr(condition, scope)?;
                format!("while ({condition}) {{ {}}} ", self.statements(body, scope)?)
            }
            Stmt::ForEach(local, list, body) => {
                let list = self.expr(list, scope)?;
                let name = self.place(Place::Local(*local), scope)?;
                format!("for (Object {name} : {list}) {{ {}}} ", self.statements(body, scope)?)
            }
            Stmt::Break => "break; ".to_string(),
            Stmt::Continue => "continue; ".to_string(),
            Stmt::Return(None) => "return; ".to_string(),
            Stmt::Return(Some(e)) => format!("return {}; ", self.expr(e, scope)?),
            Stmt::Eval(e @ Expr::Call(..)) => format!("{}; ", self.expr(e, scope)?),
            Stmt::Eval(_) => return no(scope.span, "an expression that does nothing"),
            Stmt::Print(e) => format!("System.out.println({}); ", self.expr(e, scope)?),
            Stmt::Send(event, args) => {
                let decl = &model.events[event.index()];
                if self.channel_context(*event).is_none() {
                    return no(
                        scope.span,
                        format!("no event receives from the channel `{}`", decl.name),
                    );
                }
                let Some((value, keys)) = args.split_last() else {
                    return no(scope.span, "a message of a script carries one value");
                };
                let params = scope.context.map(|c| model.params(c)).unwrap_or_default();
                let own = keys
                    .iter()
                    .zip(params)
                    .all(|(key, (id, _))| matches!(key, Expr::Read(Place::Param(p)) if *p == id));
                if !own {
                    return no(
                        scope.span,
                        "a message of a script belongs to the instance that sends it",
                    );
                }
                format!("{}.send({}); ", decl.name, self.expr(value, scope)?)
            }
            Stmt::Action(..) => {
                return no(scope.span, "a script cannot request actions of the host");
            }
            Stmt::ResetClock(clock) => format!("{}.reset(); ", model.clocks[clock.index()].name),
            Stmt::SetClock(clock, after) => {
                let Some((value, factor)) = milliseconds(after) else {
                    return no(scope.span, "clocks of a script count milliseconds");
                };
                let value = self.expr(&value, scope)?;
                let clock = &model.clocks[clock.index()].name;
                match factor {
                    1 => format!("{clock}.registerDynamically({value}); "),
                    factor => format!("{clock}.registerDynamically(({value}) * {factor}L); "),
                }
            }
            Stmt::StopClock(clock) => format!("{}.off(); ", model.clocks[clock.index()].name),
        })
    }

    fn type_of(&self, place: Place, scope: &Scope<'_>) -> Type {
        match place {
            Place::Var(var) => self.model.variables[var.index()].ty,
            Place::Local(local) => scope.params.get(local.index()).map_or(Type::Any, |p| p.1),
            _ => Type::Any,
        }
    }

    fn place(&self, place: Place, scope: &Scope<'_>) -> Written {
        let found = match place {
            Place::Param(param) => scope
                .context
                .and_then(|c| self.model.params(c).get(param.index()).map(|(_, p)| p.name.clone())),
            Place::Var(var) => Some(self.variable(var)),
            Place::Local(local) => {
                scope.locals.iter().find(|(l, _)| *l == local).map(|(_, name)| name.clone())
            }
            Place::Arg(at) => {
                scope.event.and_then(|e| e.params.get(at as usize)).map(|p| p.name.clone())
            }
            Place::Register(_) | Place::Window(_) | Place::Now => None,
        };
        found.ok_or_else(|| Refusal {
            span: scope.span,
            what: "this value has no name in a script".into(),
        })
    }

    fn operand(&self, e: &Expr, scope: &Scope<'_>) -> Written {
        let text = self.expr(e, scope)?;
        Ok(match e {
            Expr::Const(_) | Expr::Read(_) | Expr::Call(..) => text,
            _ => format!("({text})"),
        })
    }

    fn expr(&self, e: &Expr, scope: &Scope<'_>) -> Written {
        use BinaryOp as Op;
        let refuse = |what: &str| no(scope.span, what);
        if let Some(time) = in_milliseconds(e) {
            if matches!(time, Expr::Read(Place::Now)) {
                return Ok("System.currentTimeMillis()".to_string());
            }
            if let Some(clock) = self.model.clock_read(time) {
                let name = &self.model.clocks[clock.index()].name;
                return Ok(format!("{name}.current_long()"));
            }
        }
        if self.model.clock_read(e).is_some() {
            return refuse("clocks of a script count milliseconds");
        }
        Ok(match e {
            Expr::Const(value) => match value {
                Value::Null | Value::Bool(_) => value.to_string(),
                Value::Int(i) => format!("{i}L"),
                Value::Float(f) if f.is_finite() => format!("{f:?}"),
                Value::Str(text) => java_text(text),
                Value::List(list) if list.is_empty() => "new ArrayList()".to_string(),
                Value::Map(map) if map.is_empty() => "new HashMap()".to_string(),
                _ => return refuse("this constant has no name in a script"),
            },
            Expr::Read(place) => self.place(*place, scope)?,
            Expr::Unary(op, a) => {
                let op = match op {
                    UnaryOp::Not => "!",
                    UnaryOp::Neg => "-",
                    UnaryOp::BitNot => "~",
                };
                format!("{op}({})", self.expr(a, scope)?)
            }
            Expr::Binary(op, a, b) => {
                let op = match op {
                    Op::Add => "+",
                    Op::Sub => "-",
                    Op::Mul => "*",
                    Op::Div => "/",
                    Op::Rem => "%",
                    Op::BitAnd => "&",
                    Op::BitOr => "|",
                    Op::BitXor => "^",
                    Op::Shl => "<<",
                    Op::Shr => ">>",
                    Op::Eq => "==",
                    Op::Ne => "!=",
                    Op::Lt => "<",
                    Op::Le => "<=",
                    Op::Gt => ">",
                    Op::Ge => ">=",
                    Op::FloorDiv | Op::FloorRem => return refuse("Java rounds towards zero"),
                };
                format!("{} {op} {}", self.operand(a, scope)?, self.operand(b, scope)?)
            }
            Expr::And(a, b) => {
                format!("{} && {}", self.operand(a, scope)?, self.operand(b, scope)?)
            }
            Expr::Or(a, b) => format!("{} || {}", self.operand(a, scope)?, self.operand(b, scope)?),
            Expr::If(c, a, b) => {
                if let Some((map, key)) = map_get(c, a, b) {
                    return Ok(format!(
                        "{}.get({})",
                        self.operand(map, scope)?,
                        self.expr(key, scope)?
                    ));
                }
                let [c, a, b] = [c, a, b].map(|e| self.operand(e, scope));
                format!("{} ? {} : {}", c?, a?, b?)
            }
            Expr::Call(function, args) => {
                let args: Result<Vec<String>, Refusal> =
                    args.iter().map(|a| self.expr(a, scope)).collect();
                let name = self.method_name(&self.model.functions[function.index()]);
                format!("{name}({})", args?.join(", "))
            }
            Expr::List(list) if list.is_empty() => "new ArrayList()".to_string(),
            Expr::Map(list) if list.is_empty() => "new HashMap()".to_string(),
            Expr::List(_) | Expr::Map(_) => {
                return refuse("lists and maps of a script begin empty");
            }
            Expr::Block(_) => return refuse("statements inside an expression"),
            Expr::Builtin(builtin, args) => {
                let mut texts = Vec::new();
                for arg in args {
                    texts.push(self.operand(arg, scope)?);
                }
                let text = |at: usize| texts.get(at).map_or("", String::as_str);
                match builtin {
                    Builtin::Len => format!("{}.size()", text(0)),
                    Builtin::Get => match &args[0] {
                        Expr::Read(place) if self.type_of(*place, scope) == Type::List => {
                            format!("{}.get({})", text(0), text(1))
                        }
                        _ => return refuse("only elements of lists can be required to exist"),
                    },
                    Builtin::Contains => format!("{}.contains({})", text(0), text(1)),
                    Builtin::Keys => format!("{}.keySet()", text(0)),
                    Builtin::Abs => format!("Math.abs({})", text(0)),
                    Builtin::Min => format!("Math.min({}, {})", text(0), text(1)),
                    Builtin::Max => format!("Math.max({}, {})", text(0), text(1)),
                    Builtin::ToInt => format!("Long.valueOf({})", text(0)),
                    Builtin::ToFloat => format!("Double.valueOf({})", text(0)),
                    Builtin::ToStr => format!("String.valueOf({})", text(0)),
                    Builtin::StartsWith => format!("{}.startsWith({})", text(0), text(1)),
                    Builtin::EndsWith => format!("{}.endsWith({})", text(0), text(1)),
                    Builtin::Lower => format!("{}.toLowerCase()", text(0)),
                    Builtin::Upper => format!("{}.toUpperCase()", text(0)),
                    Builtin::Wrap32 => format!("(int) ({})", text(0)),
                    Builtin::Put | Builtin::Push | Builtin::Remove | Builtin::Matches => {
                        return refuse("this function has no counterpart in a script");
                    }
                }
            }
        })
    }
}

/// The name without the underscores that distinguish it from a word of Watchword's language. If
/// several names have underscores, the one with the most gets it.
fn original(name: &str, word: impl Fn(&str) -> bool, taken: impl Fn(&str) -> bool) -> String {
    let is_last = || !taken(&format!("{name}_"));
    match name.trim_end_matches('_') {
        short if short != name && word(short) && !taken(short) && is_last() => short.to_string(),
        _ => name.to_string(),
    }
}

fn reads(e: &Expr, place: Place) -> bool {
    matches!(e, Expr::Read(p) if *p == place)
}

/// The time that is counted in milliseconds: `int(t) / 1000000`.
fn in_milliseconds(e: &Expr) -> Option<&Expr> {
    let Expr::Binary(BinaryOp::Div, time, unit) = e else { return None };
    match (&**time, &**unit) {
        (Expr::Builtin(Builtin::ToInt, args), Expr::Const(Value::Int(1_000_000))) => args.first(),
        _ => None,
    }
}

/// What changes an element of a container, `put(m[k], …)`, and what it is given; the container and
/// the key are those of the assignment.
fn of_element<'e>(e: &'e Expr, element: &[Expr]) -> Option<(&'static str, &'e [Expr])> {
    let Expr::Builtin(builtin, args) = e else { return None };
    let Expr::Builtin(Builtin::Get, read) = &args[0] else { return None };
    let function = match builtin {
        Builtin::Put => "put",
        Builtin::Push => "add",
        Builtin::Remove => "remove",
        _ => return None,
    };
    (format!("{read:?}") == format!("{element:?}")).then(|| (function, &args[1..]))
}

/// `m.get(k)`: the element if there is one, else null.
fn map_get<'e>(c: &'e Expr, a: &'e Expr, b: &Expr) -> Option<(&'e Expr, &'e Expr)> {
    let Expr::Builtin(Builtin::Contains, asked) = c else { return None };
    let Expr::Builtin(Builtin::Get, got) = a else { return None };
    let same = format!("{asked:?}") == format!("{got:?}");
    let null = matches!(b, Expr::Const(Value::Null));
    (same && null && asked.len() == 2).then(|| (&asked[0], &asked[1]))
}

/// The locals that statements assign, in order.
fn assigned(body: &[Stmt]) -> Vec<LocalId> {
    let mut found = Vec::new();
    for statement in body {
        match statement {
            Stmt::Assign(Place::Local(local), _) => found.push(*local),
            Stmt::If(_, then, otherwise) => {
                found.extend(assigned(then));
                found.extend(assigned(otherwise));
            }
            Stmt::While(_, body) => found.extend(assigned(body)),
            Stmt::ForEach(local, _, body) => {
                found.push(*local);
                found.extend(assigned(body));
            }
            _ => {}
        }
    }
    found
}

fn java_type(ty: Type) -> &'static str {
    match ty {
        Type::Int | Type::Duration => "long",
        Type::Float => "double",
        Type::Bool => "boolean",
        Type::Str => "String",
        Type::List => "List",
        Type::Map => "Map",
        Type::Any | Type::Ref | Type::Ptr => "Object",
    }
}

/// `{User,bank.User}`, as a type is looked for in packages: its name, and the packages.
fn imported(text: &str) -> Option<(&str, Vec<&str>)> {
    let list: Vec<&str> = text.strip_prefix('{')?.strip_suffix('}')?.split(',').collect();
    let (name, others) = list.split_first()?;
    let package = |other: &&'_ str| other.strip_suffix(name)?.strip_suffix('.').map(str::len);
    let lengths: Option<Vec<usize>> = others.iter().map(package).collect();
    let packages = others.iter().zip(lengths?).map(|(other, length)| &other[..length]).collect();
    Some((name, packages))
}

/// The expression from which a number of nanoseconds is computed, and the milliseconds of its unit.
fn milliseconds(after: &Expr) -> Option<(Cow<'_, Expr>, i64)> {
    match after {
        Expr::Const(Value::Int(nanos)) if nanos % 1_000_000 == 0 => {
            Some((Cow::Owned(Expr::Const(Value::Int(nanos / 1_000_000))), 1))
        }
        Expr::Builtin(Builtin::ToInt, args) => milliseconds(args.first()?),
        Expr::Binary(BinaryOp::Mul, value, unit) => match **unit {
            Expr::Const(Value::Int(unit)) if unit % 1_000_000 == 0 => {
                Some((Cow::Borrowed(&**value), unit / 1_000_000))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Requests the object itself, where any equal object would be sufficient.
fn same(term: &JvmTerm) -> &JvmTerm {
    match term {
        JvmTerm::Equal(inner) => inner,
        other => other,
    }
}

fn term_text(term: &JvmTerm, name: &dyn Fn(&JvmTerm) -> Option<String>) -> Option<String> {
    match term {
        JvmTerm::Field(inner, field) => Some(format!("{}.{field}", term_text(inner, name)?)),
        JvmTerm::Call(inner, method) => Some(format!("{}.{method}()", term_text(inner, name)?)),
        JvmTerm::StaticField(class, field) => Some(format!("{class}.{field}")),
        other => name(other),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
