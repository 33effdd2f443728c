//! Writes a model as a `.ww` file.

use std::cell::RefCell;
use std::fmt::Write;

use watchword_model::{
    Arity, Boxes, Branch, ContextId, Creation, EventDecl, EventId, Expr, Label, LocalId, Model,
    Observed, Origin, ParamId, Pattern, Place, Placement, Property, Severity, Span, StateId,
    StateKind, Stmt, Target, Template, Transition, Value, VarId, Window,
};

use super::code::{Code, Extra, Foreign, choice_name, number_name};
use super::source::source;
use super::used::Used;
use super::words::{constant, literal, name, params, typed, typed_with, variable};
use crate::diagnostic::{Code as DiagnosticCode, Diagnostic};
use crate::events::words;
use crate::files::SourceFile;
use crate::ww::duration_text;
use crate::ww::lexer::{is_ident_continue, is_ident_start};

/// The function for [`crate::infer::number`], without its name.
const NUMBER: &str = "\
(x) {
  if x == true { return 1 }
  if x == false or x == null { return 0 }
  return x
}
";

/// The properties of a model as a `.ww` file with the same verdicts. `files` are the files from
/// which the model was loaded: comments before a TOPL property become its documentation.
///
/// # Errors
///
/// If the model has something that the language cannot express.
pub fn to_ww(model: &Model, files: &[SourceFile]) -> Result<String, Box<Diagnostic>> {
    write(model, files, &Used::all(model))
}

/// The same, without declarations that no property uses.
///
/// # Errors
///
/// If the model has something that the language cannot express.
pub fn to_ww_of_used(model: &Model) -> Result<String, Box<Diagnostic>> {
    write(model, &[], &Used::of(model))
}

fn write(model: &Model, files: &[SourceFile], used: &Used) -> Result<String, Box<Diagnostic>> {
    let extra = RefCell::new(Extra::default());
    let file = File { model, files, used, extra: &extra };
    let mut body = String::new();
    for (at, context) in model.contexts.iter().enumerate() {
        if context.parent.is_none() {
            let id = ContextId::from_index(at);
            if model.properties.iter().any(|p| model.chain(p.context)[0] == id) {
                body.push('\n');
                body.push_str(&file.context(id)?);
            }
        }
    }
    let mut functions = String::new();
    for (at, function) in model.functions.iter().enumerate() {
        if !used.function(at) {
            continue;
        }
        let _ = write!(functions, "\n{}", file.function(function)?);
    }
    let mut text = String::new();
    for (at, decl) in model.events.iter().enumerate() {
        if !used.event(at) {
            continue;
        }
        let text_of = match &decl.origin {
            _ if decl.program.is_some() => declaration(decl),
            Origin::World(_) | Origin::Channel if !is_name(&decl.name) => {
                return Err(foreign(decl.span, &format!("the name `{}`", decl.name)));
            }
            Origin::World(sources) if sources.is_empty() => {
                format!("event {}{}\n", name(&decl.name), params(decl))
            }
            Origin::World(sources) => {
                let mut list: Vec<String> = sources.iter().map(|s| source(s, decl)).collect();
                let head = format!("event {}{}", name(&decl.name), params(decl));
                match list.len() {
                    1 => format!("{head} = {}\n", list.remove(0)),
                    _ => format!("{head} {{\n{}\n}}\n", list.join("\n")),
                }
            }
            Origin::Channel => format!("channel {}{}\n", name(&decl.name), params(decl)),
            Origin::Clock | Origin::End => continue,
        };
        for line in decl.doc.lines() {
            let _ = writeln!(text, "/// {line}");
        }
        text.push_str(&text_of);
    }
    let extra = extra.into_inner();
    if extra.number {
        text.push_str("\n/// Truth values count as 1 and 0, null as 0.\n");
        let _ = write!(text, "function {}{NUMBER}", number_name(model));
    }
    for (at, choice) in extra.choices.iter().enumerate() {
        let _ = write!(text, "\nfunction {}{choice}", choice_name(model, at + 1));
    }
    text.push_str(&functions);
    text.push_str(&body);
    Ok(crate::format(&text).unwrap_or(text))
}

fn declaration(decl: &EventDecl) -> String {
    let mut params: Vec<String> = decl.params.iter().map(|p| name(&p.name)).collect();
    params.extend(decl.variadic.then(|| "..".to_string()));
    let source = decl.program.map_or("", words);
    format!("event {}({}) = program {source}\n", name(&decl.name), params.join(", "))
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_ident_start) && chars.all(is_ident_continue)
}

/// The comments in the lines above a place.
fn comments(files: &[SourceFile], place: Span) -> Vec<String> {
    let Some(file) = files.get(place.file.index()) else { return Vec::new() };
    let before = file.text.get(..place.start as usize).unwrap_or_default();
    let above = before.rsplit_once('\n').map_or("", |(above, _)| above);
    let comment = |line: &str| {
        let line = line.trim();
        let text = line.strip_prefix("//").or_else(|| line.strip_prefix(';'))?;
        Some(text.trim_start_matches(['/', ';']).trim().to_string())
    };
    let mut lines: Vec<String> = above.lines().rev().map_while(comment).collect();
    lines.reverse();
    lines
}

/// Reports that something cannot be written.
fn foreign(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        DiagnosticCode::NotConvertible,
        span,
        format!("{what} cannot be written as a `.ww` property"),
    ))
}

struct File<'f> {
    model: &'f Model,
    files: &'f [SourceFile],
    used: &'f Used,
    extra: &'f RefCell<Extra>,
}

impl File<'_> {
    fn function(&self, function: &watchword_model::Function) -> Result<String, Box<Diagnostic>> {
        let list: Vec<String> = function
            .params
            .iter()
            .map(|(n, ty)| format!("{}{}", variable(n), typed(*ty)))
            .collect();
        let named = |n: &str| function.params.iter().any(|(p, _)| p == n);
        let mut code = Code {
            model: self.model,
            places: &|_| None,
            locals: function
                .params
                .iter()
                .enumerate()
                .map(|(at, (n, _))| (LocalId::from_index(at), n.clone()))
                .collect(),
            event: None,
            taken: &named,
            extra: self.extra,
        };
        let body = code
            .block(&function.body, true)
            .map_err(|Foreign| foreign(function.span, "this function"))?;
        let head = format!("function {}({})", variable(&function.name), list.join(", "));
        Ok(format!("{head} {{\n{body}}}\n"))
    }

    fn context(&self, id: ContextId) -> Result<String, Box<Diagnostic>> {
        let model = self.model;
        let context = &model.contexts[id.index()];
        let own: Vec<&Property> = model.properties.iter().filter(|p| p.context == id).collect();
        let inner: Vec<ContextId> = (0..model.contexts.len())
            .map(ContextId::from_index)
            .filter(|c| model.contexts[c.index()].parent == Some(id))
            .collect();
        if context.rule != Creation::Larva {
            let [property] = own[..] else { return Ok(String::new()) };
            return Writer { file: self, property }.property(true);
        }
        let params = self.params(id)?;
        let params = if params.is_empty() { String::new() } else { format!("({params})") };
        let mut out = format!("context {}{params} {{\n{}", self.name(id), self.members(id)?);
        for end in &context.ends {
            // The argument of the event, whatever its name is.
            let decl = &model.events[end.event.index()];
            let param = &model.params(id)[end.param.index()].1.name;
            out.push_str(&ends(decl, param, end.arg));
        }
        for property in own {
            out.push_str(&Writer { file: self, property }.property(false)?);
        }
        for context in inner {
            // A context without properties needs no text.
            if model.properties.iter().any(|p| model.chain(p.context).contains(&context)) {
                out.push_str(&self.context(context)?);
            }
        }
        out.push_str("}\n");
        Ok(out)
    }

    /// The name of a context: that of its first property, because names of properties are unique
    /// among files that are loaded together. A context without properties of its own contains
    /// another one.
    fn name(&self, id: ContextId) -> String {
        let model = self.model;
        let own = model.properties.iter().find(|p| p.context == id);
        let within =
            |c: &ContextId| model.properties.iter().any(|p| model.chain(p.context).contains(c));
        let mut inner = (0..model.contexts.len())
            .map(ContextId::from_index)
            .filter(|c| model.contexts[c.index()].parent == Some(id));
        match (own, inner.find(within)) {
            (Some(property), _) => format!("ContextOf{}", property.name),
            (None, Some(inner)) => format!("Around{}", self.name(inner)),
            (None, None) => format!("Context{}", id.0),
        }
    }

    fn params(&self, id: ContextId) -> Result<String, Box<Diagnostic>> {
        let context = &self.model.contexts[id.index()];
        let mut list = Vec::new();
        for (param, key) in context.params.iter().zip(&context.keys) {
            let mut text = format!("{}{}", variable(&param.name), typed(param.ty));
            if let Some(key) = key {
                let itself = |place: Place| (place == Place::Arg(0)).then(|| variable(&param.name));
                let code = Code {
                    model: self.model,
                    places: &itself,
                    locals: Vec::new(),
                    event: None,
                    taken: &|_| false,
                    extra: self.extra,
                };
                let key = code.expr(key).map_err(|Foreign| foreign(Span::NONE, "this key"))?;
                let _ = write!(text, " by {key}");
            }
            list.push(text);
        }
        Ok(list.join(", "))
    }

    /// Variables and clocks of a context.
    fn members(&self, id: ContextId) -> Result<String, Box<Diagnostic>> {
        let context = &self.model.contexts[id.index()];
        let mut out = String::new();
        let is_declared = |var: VarId| {
            self.used.variable(var) && self.model.clock_since(Place::Var(var)).is_none()
        };
        for var in context.variables.iter().filter(|v| is_declared(**v)) {
            let var = &self.model.variables[var.index()];
            let places = |place: Place| self.place(id, place);
            let code = Code {
                model: self.model,
                places: &places,
                locals: Vec::new(),
                event: None,
                taken: &|_| false,
                extra: self.extra,
            };
            let init = code.expr(&var.init).map_err(|Foreign| foreign(var.span, "this value"))?;
            let ty = typed_with(var.ty, &init);
            let _ = writeln!(out, "var {}{ty} = {init}", variable(&var.name));
        }
        for clock in context.clocks.iter().filter(|c| self.used.clock(**c)) {
            let clock = &self.model.clocks[clock.index()];
            let stopped = if clock.autostart { "" } else { " stopped" };
            let _ = writeln!(out, "clock {}{stopped}", variable(&clock.name));
        }
        Ok(out)
    }

    fn place(&self, context: ContextId, place: Place) -> Option<String> {
        match place {
            Place::Param(param) => {
                let params = self.model.params(context);
                params.get(param.index()).map(|(_, p)| variable(&p.name))
            }
            Place::Var(var) => Some(variable(&self.model.variables[var.index()].name)),
            _ => None,
        }
    }
}

fn ends(decl: &EventDecl, param: &str, arg: u32) -> String {
    let args: Vec<String> = (0..decl.params.len() as u32)
        .map(|at| if at == arg { variable(param) } else { "_".to_string() })
        .collect();
    format!("ends {} on {}({})\n", variable(param), name(&decl.name), args.join(", "))
}

struct Writer<'w> {
    file: &'w File<'w>,
    property: &'w Property,
}

type Written = Result<String, Box<Diagnostic>>;

impl Writer<'_> {
    fn model(&self) -> &Model {
        self.file.model
    }

    fn property(&self, alone: bool) -> Written {
        let property = self.property;
        let context = &self.model().contexts[property.context.index()];
        let mut out = String::new();
        let documented: Vec<&str> = property.doc.lines().collect();
        for line in &documented {
            let _ = writeln!(out, "/// {line}");
        }
        if documented.is_empty() {
            for line in comments(self.file.files, property.span) {
                let _ = writeln!(out, "/// {line}");
            }
        }
        let params = match (alone, context.rule == Creation::Registers) {
            (true, false) => format!("({})", self.file.params(property.context)?),
            _ => String::new(),
        };
        let _ = writeln!(out, "property {}{params} {{", name(&property.name));
        if property.is_proven() {
            out.push_str("proven\n}\n");
            return Ok(out);
        }
        if property.severity != Severity::Error {
            let _ = writeln!(out, "severity {}", property.severity.name());
        }
        if !property.tags.is_empty() {
            let _ = writeln!(out, "tags {}", property.tags.join(", "));
        }
        if let Some(message) = &property.message {
            let _ = writeln!(out, "message {}", self.template(message, None, &[])?);
        }
        if property.boxes == Boxes::ByValue {
            out.push_str("boxes by value\n");
        }
        if alone {
            match &context.rule {
                Creation::Verde => out.push_str("rule verde\n"),
                Creation::ChenRosu { creation } if !creation.is_empty() => {
                    let names = creation.iter().map(|e| self.event_name(*e));
                    let _ = writeln!(out, "creation {}", names.collect::<Vec<_>>().join(", "));
                }
                _ => {}
            }
        }
        out.push_str(&self.observed()?);
        if alone {
            out.push_str(&self.file.members(property.context)?);
            for end in &context.ends {
                let decl = &self.model().events[end.event.index()];
                let param = &self.model().params(property.context)[end.param.index()].1.name;
                out.push_str(&ends(decl, param, end.arg));
            }
        }
        for register in &property.registers {
            let begins = match &register.init {
                None => typed(register.ty),
                Some(init) => {
                    let init = self.expr(init, None, &[])?;
                    format!("{} = {init}", typed_with(register.ty, &init))
                }
            };
            let _ = writeln!(out, "var {}{begins}", name(&register.name));
        }
        for window in &property.windows {
            out.push_str(&self.window(window)?);
        }
        for at in 0..property.states.len() {
            out.push_str(&self.state(StateId::from_index(at))?);
        }
        out.push_str("}\n");
        Ok(out)
    }

    fn event_name(&self, event: EventId) -> String {
        name(&self.model().events[event.index()].name)
    }

    fn state(&self, id: StateId) -> Written {
        let property = self.property;
        let state = &property.states[id.index()];
        let start = if property.start == id { "start " } else { "" };
        let kind = match state.kind {
            StateKind::Normal => "",
            StateKind::Bad => "bad ",
            StateKind::Good => "good ",
            StateKind::Pending => "pending ",
        };
        let mut out = format!("{start}{kind}state {}", name(&state.name));
        if let Some(deadline) = &state.deadline {
            let branch = self.branch(&deadline.branch, None, &[])?;
            let to = match deadline.branch.target {
                Target::State(to) => name(&property.states[to.index()].name),
                Target::Drop => "drop".to_string(),
                Target::Stay => return Err(self.foreign(state.span, "a deadline that stays")),
            };
            let update = branch.0;
            let _ = write!(
                out,
                " within {} else{update} {to}{}",
                duration_text(deadline.after),
                branch.1
            );
        }
        if let Some(message) = &state.message {
            let _ = write!(out, " {}", self.template(message, None, &[])?);
        }
        let mut inside = String::new();
        if !state.entry.is_empty() {
            let entry = self.block(&state.entry, None, &mut Vec::new())?;
            let _ = writeln!(inside, "enter {{\n{entry}}}");
        }
        for (_, transition) in property.leaving(id) {
            let _ = writeln!(inside, "{}", self.transition(transition)?);
        }
        if property.start == id {
            inside.push_str(&self.placed()?);
        }
        if inside.is_empty() {
            out.push('\n');
        } else {
            let _ = write!(out, " {{\n{inside}}}\n");
        }
        Ok(out)
    }

    fn foreign(&self, span: Span, what: &str) -> Box<Diagnostic> {
        foreign(if span == Span::NONE { self.property.span } else { span }, what)
    }

    /// The placements of an event that is named without arguments.
    fn by_name(&self, decl: &EventDecl) -> Placement {
        let params = self.model().params(self.property.context);
        let place = |(id, p): &(ParamId, &watchword_model::Param)| {
            decl.param(&p.name).map(|at| (*id, at as u32))
        };
        Placement(params.iter().filter_map(place).collect())
    }

    fn labels(&self) -> impl Iterator<Item = &Label> {
        let of_windows = self.property.windows.iter().map(|w| &w.label);
        self.property.transitions.iter().flat_map(|t| &t.labels).chain(of_windows)
    }

    /// `window n = sum e(x, ?y) if … of y within 1 min`.
    fn window(&self, window: &Window) -> Written {
        let mut locals: Vec<(LocalId, String)> = Vec::new();
        let label = self.label(&window.label, &mut locals)?;
        let of = match &window.of {
            None => String::new(),
            Some(of) => format!(" of {}", self.expr(of, self.decl(&window.label), &locals)?),
        };
        let (name, words) = (variable(&window.name), window.aggregate.words());
        Ok(format!("window {name} = {words} {label}{of} within {}\n", duration_text(window.within)))
    }

    /// How labels place the arguments of an event.
    fn placed_by_labels(&self, event: EventId) -> Vec<Placement> {
        let mut all = Vec::new();
        for label in self.labels().filter(|l| l.event == Some(event)) {
            let mut placement: Vec<(ParamId, u32)> = Vec::new();
            for (at, pattern) in label.args.iter().enumerate() {
                if let Pattern::Equal(Place::Param(param)) = pattern
                    && !placement.iter().any(|(p, _)| p == param)
                {
                    placement.push((*param, at as u32));
                }
            }
            placement.sort();
            let placement = Placement(placement);
            if !all.contains(&placement) {
                all.push(placement);
            }
        }
        all
    }

    /// Transitions without effect that only place the arguments of an event, if neither the names
    /// of its parameters nor another label do.
    fn placed(&self) -> Written {
        let mut out = String::new();
        if self.property.registers.is_empty() && !self.model().has_registers(self.property) {
            for observed in &self.property.alphabet {
                let decl = &self.model().events[observed.event.index()];
                let said = self.said(observed, decl);
                for placement in observed.placements.iter().filter(|p| !said.contains(p)) {
                    if !matches!(decl.origin, Origin::World(_) | Origin::Channel) {
                        continue;
                    }
                    let params = self.model().params(self.property.context);
                    let arg = |at: u32| {
                        let found = placement.0.iter().find(|(_, a)| *a == at);
                        found.map_or("_".to_string(), |(p, _)| variable(&params[p.index()].1.name))
                    };
                    let mut args: Vec<String> = (0..decl.params.len() as u32).map(arg).collect();
                    args.extend(decl.variadic.then(|| "..".to_string()));
                    let _ = writeln!(out, "on {}({})", name(&decl.name), args.join(", "));
                }
            }
        }
        Ok(out)
    }

    /// The placements that labels and `also` give an event.
    fn said(&self, observed: &Observed, decl: &EventDecl) -> Vec<Placement> {
        let mut said = self.placed_by_labels(observed.event);
        if said.is_empty() || self.is_also(observed) {
            said.push(self.by_name(decl));
        }
        said
    }

    /// Whether an event must be written after `also`: with a condition, or because no label names
    /// it.
    fn is_also(&self, observed: &Observed) -> bool {
        let named = self.labels().any(|l| l.event == Some(observed.event));
        let by_name = self.by_name(&self.model().events[observed.event.index()]);
        let wanted = observed.placements.contains(&by_name);
        match &observed.filter {
            Some(_) => true,
            None => !named && (wanted || self.model().has_registers(self.property)),
        }
    }

    /// `also call, return if …`. A label observes the events that it names. So an event that the
    /// property does not observe gets a condition that never holds.
    fn observed(&self) -> Written {
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        let mut add = |event: &EventDecl, condition: String| {
            let event = name(&event.name);
            match lines.iter_mut().find(|(c, _)| *c == condition) {
                Some((_, events)) => events.push(event),
                None => lines.push((condition, vec![event])),
            }
        };
        for observed in &self.property.alphabet {
            let decl = &self.model().events[observed.event.index()];
            if !matches!(decl.origin, Origin::World(_) | Origin::Channel) || !self.is_also(observed)
            {
                continue;
            }
            match &observed.filter {
                Some(filter) => {
                    add(decl, format!(" if {}", self.expr(filter, Some(decl), &[])?));
                }
                None => add(decl, String::new()),
            }
        }
        for (at, decl) in self.model().events.iter().enumerate() {
            let named = self.labels().any(|l| l.event.is_some_and(|e| e.index() == at));
            let observed = self.property.alphabet.iter().any(|o| o.event.index() == at);
            if named && !observed {
                add(decl, " if false".to_string());
            }
        }
        let lines = lines.iter().map(|(c, events)| format!("also {}{c}\n", events.join(", ")));
        Ok(lines.collect())
    }

    /// Names that hide those of an event's arguments.
    fn taken(&self, text: &str) -> bool {
        let model = self.model();
        let chain = model.chain(self.property.context);
        let var = |c: &ContextId| {
            let context = &model.contexts[c.index()];
            context.variables.iter().any(|v| model.variables[v.index()].name == text)
        };
        self.property.registers.iter().any(|r| r.name == text)
            || self.property.windows.iter().any(|w| w.name == text)
            || model.params(self.property.context).iter().any(|(_, p)| p.name == text)
            || chain.iter().any(var)
    }

    fn code<R>(
        &self,
        decl: Option<&EventDecl>,
        locals: &[(LocalId, String)],
        write: impl FnOnce(&mut Code<'_>) -> Result<R, Foreign>,
    ) -> Result<(R, Vec<(LocalId, String)>), Foreign> {
        let places = |place: Place| match place {
            Place::Register(id) => Some(name(&self.property.registers[id.index()].name)),
            Place::Window(id) => Some(variable(&self.property.windows[id.index()].name)),
            // Lengths of time are integers in the model: nothing tells where the unit belongs.
            Place::Now => {
                let is_hidden = self.taken("now") || locals.iter().any(|(_, local)| local == "now");
                (!is_hidden).then(|| "int(now)".to_string())
            }
            place => self.file.place(self.property.context, place),
        };
        let taken = |text: &str| self.taken(text);
        let mut code = Code {
            model: self.model(),
            places: &places,
            locals: locals.to_vec(),
            event: decl,
            taken: &taken,
            extra: self.file.extra,
        };
        let written = write(&mut code)?;
        Ok((written, code.locals))
    }

    fn expr(&self, e: &Expr, decl: Option<&EventDecl>, locals: &[(LocalId, String)]) -> Written {
        let written = self.code(decl, locals, |code| code.expr(e));
        written.map(|(text, _)| text).map_err(|Foreign| self.foreign(Span::NONE, "an expression"))
    }

    fn template(
        &self,
        template: &Template,
        decl: Option<&EventDecl>,
        locals: &[(LocalId, String)],
    ) -> Written {
        let written = self.code(decl, locals, |code| code.template(template));
        written.map(|(text, _)| text).map_err(|Foreign| self.foreign(Span::NONE, "a message"))
    }

    fn block(
        &self,
        body: &[Stmt],
        decl: Option<&EventDecl>,
        locals: &mut Vec<(LocalId, String)>,
    ) -> Written {
        let written = self.code(decl, locals, |code| code.block(body, true));
        let (text, known) = written.map_err(|Foreign| self.foreign(Span::NONE, "a statement"))?;
        *locals = known;
        Ok(text)
    }

    /// The update of a branch in braces, and its message.
    fn branch(
        &self,
        branch: &Branch,
        decl: Option<&EventDecl>,
        locals: &[(LocalId, String)],
    ) -> Result<(String, String), Box<Diagnostic>> {
        let mut update = String::new();
        let mut known = locals.to_vec();
        if !branch.update.is_empty() {
            let block = self.block(&branch.update, decl, &mut known)?;
            let block = block.trim_end();
            let _ = match block.contains('\n') {
                true => write!(update, " {{\n{block}\n}}"),
                false => write!(update, " {{ {block} }}"),
            };
        }
        let message = match &branch.message {
            None => String::new(),
            Some(message) => format!(" {}", self.template(message, decl, locals)?),
        };
        Ok((update, message))
    }

    fn target(&self, target: Target, arrow: &str) -> String {
        match target {
            Target::State(state) => {
                format!(" {arrow} {}", name(&self.property.states[state.index()].name))
            }
            Target::Drop => format!(" {arrow} drop"),
            Target::Stay => String::new(),
        }
    }

    fn transition(&self, transition: &Transition) -> Written {
        let mut steps = Vec::new();
        let mut locals: Vec<(LocalId, String)> = Vec::new();
        for label in &transition.labels {
            steps.push(self.label(label, &mut locals)?);
        }
        let decl = transition.labels.last().and_then(|l| self.decl(l));
        let arrow = if transition.keep { "=>" } else { "->" };
        let (update, message) = self.branch(&transition.then, decl, &locals)?;
        let mut out = format!(
            "on {}{update}{}{message}",
            steps.join(" then "),
            self.target(transition.then.target, arrow)
        );
        if let Some(otherwise) = &transition.otherwise {
            let (update, message) = self.branch(otherwise, decl, &locals)?;
            let target = self.target(otherwise.target, "->");
            let _ = write!(out, " else{update}{target}{message}");
        }
        Ok(out)
    }

    fn decl(&self, label: &Label) -> Option<&EventDecl> {
        label.event.map(|event| &self.model().events[event.index()])
    }

    /// The clock and the time of an alarm.
    fn alarm(&self, event: EventId) -> Option<String> {
        for clock in &self.model().clocks {
            if clock.rings == Some(event) {
                return Some(format!("{} rings", variable(&clock.name)));
            }
            if let Some(alarm) = clock.alarms.iter().find(|a| a.event == event) {
                return Some(format!(
                    "{} at {}",
                    variable(&clock.name),
                    duration_text(alarm.after)
                ));
            }
        }
        None
    }

    fn label(&self, label: &Label, locals: &mut Vec<(LocalId, String)>) -> Written {
        let decl = self.decl(label);
        let mut guards = Vec::new();
        let mut patterns = Vec::new();
        for (at, pattern) in label.args.iter().enumerate() {
            let place = |place: &Place, locals: &[(LocalId, String)]| {
                let written = self.code(None, locals, |code| code.place(*place));
                written.map(|(text, _)| text).map_err(|Foreign| self.foreign(label.span, "a label"))
            };
            // Anything but a literal is compared in the guard.
            let guard = |op: &str, value: &Value| {
                let value = constant(value).ok_or_else(|| self.foreign(label.span, "a label"))?;
                Ok::<String, Box<Diagnostic>>(format!("arg({at}) {op} {value}"))
            };
            patterns.push(match pattern {
                Pattern::Any => "_".to_string(),
                Pattern::Bind(Place::Local(local)) => {
                    let wanted = decl.and_then(|d| d.params.get(at)).map(|p| p.name.as_str());
                    let free = |n: &&str| !self.taken(n) && !locals.iter().any(|(_, l)| l == n);
                    match wanted.filter(free) {
                        Some(wanted) => locals.push((*local, wanted.to_string())),
                        None => {
                            let known = locals.clone();
                            let written = self.code(decl, &known, |code| Ok(code.fresh(*local)));
                            if let Ok((_, all)) = written {
                                *locals = all;
                            }
                        }
                    }
                    format!("?{}", place(&Place::Local(*local), locals)?)
                }
                Pattern::Bind(bound) => format!("?{}", place(bound, locals)?),
                Pattern::Equal(other) => place(other, locals)?,
                Pattern::Differs(other) => format!("!{}", place(other, locals)?),
                Pattern::Const(value) => match literal(value) {
                    Some(text) => text,
                    None => {
                        guards.push(guard("==", value)?);
                        "_".to_string()
                    }
                },
                Pattern::NotConst(value) => match literal(value) {
                    Some(text) => format!("!{text}"),
                    None => {
                        guards.push(guard("!=", value)?);
                        "_".to_string()
                    }
                },
            });
        }
        let mut out = match (decl, label.event) {
            (None, _) | (_, None) => "any".to_string(),
            (Some(_), Some(EventId::END)) => "end".to_string(),
            (Some(decl), Some(event)) if matches!(decl.origin, Origin::Clock) => {
                self.alarm(event).ok_or_else(|| self.foreign(label.span, "an alarm"))?
            }
            (Some(decl), _) => {
                let given = label.arity.least() as usize;
                let listed = if decl.variadic { given } else { decl.params.len() };
                while patterns.len() < listed {
                    patterns.push("_".to_string());
                }
                if decl.variadic && !matches!(label.arity, Arity::Exactly(_)) {
                    while patterns.len() > given && patterns.last().is_some_and(|p| p == "_") {
                        patterns.pop();
                    }
                    patterns.push("..".to_string());
                }
                format!("{}({})", name(&decl.name), patterns.join(", "))
            }
        };
        if let Some(guard) = &label.guard {
            let text = self.expr(guard, decl, locals)?;
            guards.push(match guard {
                Expr::Or(..) if !guards.is_empty() => format!("({text})"),
                _ => text,
            });
        }
        if !guards.is_empty() {
            let _ = write!(out, " if {}", guards.join(" and "));
        }
        Ok(out)
    }
}
