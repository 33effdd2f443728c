//! A model of TOPL properties as a `.ww` file.

use std::fmt::Write;

use watchword_model::{
    BinaryOp, Builtin, EventDecl, Expr, Label, Model, Pattern, Place, Property, Span, StateId,
    StateKind, Stmt, Target, Template, TemplatePart, Transition, UnaryOp, Value,
};

use crate::diagnostic::{Code, Diagnostic};
use crate::events::ProgramEvent;
use crate::files::SourceFile;
use crate::infer::number;

/// The function that [`number`] becomes.
const NUMBER: &str = "\
/// Truth values count as 1 and 0, null as 0.
function number(x) {
  if x == true { return 1 }
  if x == false or x == null { return 0 }
  return x
}
";

/// Names that mean something else where a state, an event or a register is named.
const WORDS: [&str; 22] = [
    "_", "and", "any", "arg", "at", "drop", "else", "end", "false", "if", "not", "null", "on",
    "or", "stopped", "then", "true", "var", "within", "state", "enter", "for",
];

/// Properties that were written in TOPL, as a `.ww` file that gives the same verdicts. `files` are
/// those the model was loaded from: comments in front of a property become its documentation.
///
/// # Errors
/// If the model has something that TOPL never gives.
pub fn to_ww(model: &Model, files: &[SourceFile]) -> Result<String, Box<Diagnostic>> {
    let mut body = String::new();
    for property in &model.properties {
        let writer = Writer { model, property };
        body.push('\n');
        for line in comments(files, property.span) {
            let _ = writeln!(body, "/// {line}");
        }
        body.push_str(&writer.property()?);
    }
    let mut text = String::new();
    for decl in model.events.iter().filter(|d| ProgramEvent::of(d).is_some()) {
        text.push_str(&declaration(decl));
    }
    if body.contains("number(") {
        let _ = write!(text, "\n{NUMBER}");
    }
    text.push_str(&body);
    Ok(crate::format(&text).unwrap_or(text))
}

fn declaration(decl: &EventDecl) -> String {
    let mut params: Vec<String> = decl.params.iter().map(|p| name(&p.name)).collect();
    params.extend(decl.variadic.then(|| "..".to_string()));
    let source = ProgramEvent::of(decl).map_or("", ProgramEvent::words);
    format!("event {}({}) = program {source}\n", name(&decl.name), params.join(", "))
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

/// A name, in backquotes if it is a word of the language.
fn name(text: &str) -> String {
    if WORDS.contains(&text) { format!("`{text}`") } else { text.to_string() }
}

fn quoted(text: &str, template: bool) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '{' | '}' if template => out.extend([c, c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A constant that is a literal.
fn literal(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(_) => Some(value.to_string()),
        // The least integer is written as an expression only.
        Value::Int(i) if *i != i64::MIN => Some(i.to_string()),
        Value::Float(f) if f.is_finite() => Some(format!("{f:?}")),
        Value::Str(text) => Some(quoted(text, false)),
        _ => None,
    }
}

fn constant(value: &Value) -> Option<String> {
    literal(value).or_else(|| match value {
        Value::Int(i) => Some(format!("({} - 1)", i + 1)),
        Value::Float(f) => Some(format!("float(\"{f:?}\")")),
        _ => None,
    })
}

struct Writer<'m> {
    model: &'m Model,
    property: &'m Property,
}

impl Writer<'_> {
    fn property(&self) -> Result<String, Box<Diagnostic>> {
        let property = self.property;
        let mut out = format!("property {} {{\n", name(&property.name));
        if let Some(message) = &property.message {
            let _ = writeln!(out, "message {}", self.template(message)?);
        }
        out.push_str(&self.observed()?);
        for register in &property.registers {
            let _ = writeln!(out, "var {}", name(&register.name));
        }
        for (at, state) in property.states.iter().enumerate() {
            let id = StateId::from_index(at);
            let start = if property.start == id { "start " } else { "" };
            let kind = match state.kind {
                StateKind::Normal => "",
                StateKind::Bad => "bad ",
                StateKind::Good | StateKind::Pending => return Err(self.foreign(state.span)),
            };
            if state.deadline.is_some() || !state.entry.is_empty() || state.message.is_some() {
                return Err(self.foreign(state.span));
            }
            let _ = write!(out, "{start}{kind}state {}", name(&state.name));
            let mut transitions = property.leaving(id).peekable();
            if transitions.peek().is_some() {
                out.push_str(" {\n");
                for (_, transition) in transitions {
                    let _ = writeln!(out, "{}", self.transition(transition)?);
                }
                out.push('}');
            }
            out.push('\n');
        }
        out.push_str("}\n");
        Ok(out)
    }

    /// TOPL has no such thing; only a model from elsewhere does.
    fn foreign(&self, span: Span) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(
            Code::NotConvertible,
            if span == Span::NONE { self.property.span } else { span },
            "this cannot be written as a `.ww` property",
        ))
    }

    /// `also call, return if …`. Labels that name an event observe it, so what the property does
    /// not observe at all is observed under a condition that never holds.
    fn observed(&self) -> Result<String, Box<Diagnostic>> {
        let labels = || self.property.transitions.iter().flat_map(|t| &t.labels);
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        let mut add = |event: &EventDecl, condition: String| {
            let event = name(&event.name);
            match lines.iter_mut().find(|(c, _)| *c == condition) {
                Some((_, events)) => events.push(event),
                None => lines.push((condition, vec![event])),
            }
        };
        for observed in &self.property.alphabet {
            let decl = &self.model.events[observed.event.index()];
            match &observed.filter {
                Some(filter) => add(decl, format!(" if {}", self.expr(filter, Some(decl))?)),
                None if labels().all(|l| l.event != Some(observed.event)) => {
                    add(decl, String::new());
                }
                None => {}
            }
        }
        for (at, decl) in self.model.events.iter().enumerate() {
            let named = labels().any(|l| l.event.is_some_and(|e| e.index() == at));
            let observed = self.property.alphabet.iter().any(|o| o.event.index() == at);
            if named && !observed {
                add(decl, " if false".to_string());
            }
        }
        let lines = lines.iter().map(|(c, events)| format!("also {}{c}\n", events.join(", ")));
        Ok(lines.collect())
    }

    fn template(&self, template: &Template) -> Result<String, Box<Diagnostic>> {
        let mut text = String::new();
        for part in &template.parts {
            match part {
                TemplatePart::Text(part) => text.push_str(part),
                TemplatePart::Value(_) => return Err(self.foreign(Span::NONE)),
            }
        }
        Ok(quoted(&text, true))
    }

    fn transition(&self, transition: &Transition) -> Result<String, Box<Diagnostic>> {
        let mut steps = Vec::new();
        for label in &transition.labels {
            steps.push(self.label(label)?);
        }
        let decl = transition.labels.last().and_then(|l| self.decl(l));
        let mut updates = String::new();
        for statement in &transition.then.update {
            let Stmt::Assign(Place::Register(register), value) = statement else {
                return Err(self.foreign(transition.span));
            };
            let register = name(&self.property.registers[register.index()].name);
            let separator = if updates.is_empty() { " {" } else { "\n" };
            let _ = write!(updates, "{separator} {register} = {}", self.expr(value, decl)?);
        }
        if !updates.is_empty() {
            updates.push_str(" }");
        }
        let target = match transition.then.target {
            Target::State(state) => name(&self.property.states[state.index()].name),
            Target::Drop => "drop".to_string(),
            Target::Stay => return Err(self.foreign(transition.span)),
        };
        let arrow = if transition.keep { "=>" } else { "->" };
        Ok(format!("on {}{updates} {arrow} {target}", steps.join(" then ")))
    }

    fn decl(&self, label: &Label) -> Option<&EventDecl> {
        label.event.map(|event| &self.model.events[event.index()])
    }

    fn label(&self, label: &Label) -> Result<String, Box<Diagnostic>> {
        let decl = self.decl(label);
        let mut guards = Vec::new();
        let mut patterns = Vec::new();
        for (at, pattern) in label.args.iter().enumerate() {
            let register = |place: &Place| match place {
                Place::Register(id) => Ok(name(&self.property.registers[id.index()].name)),
                _ => Err(self.foreign(label.span)),
            };
            // What is no literal is compared in the guard.
            let guard = |op: &str, value: &Value| {
                let value = constant(value).ok_or_else(|| self.foreign(label.span))?;
                Ok::<String, Box<Diagnostic>>(format!("arg({at}) {op} {value}"))
            };
            patterns.push(match pattern {
                Pattern::Any => "_".to_string(),
                Pattern::Bind(place) => format!("?{}", register(place)?),
                Pattern::Equal(place) => register(place)?,
                Pattern::Differs(place) => format!("!{}", register(place)?),
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
        let mut out = match decl {
            None => "any".to_string(),
            Some(decl) => {
                let given = label.arity.map_or(0, |n| n as usize);
                let listed = if decl.variadic { given } else { decl.params.len() };
                while patterns.len() < listed {
                    patterns.push("_".to_string());
                }
                if decl.variadic && label.arity.is_none() {
                    while patterns.last().is_some_and(|p| p == "_") {
                        patterns.pop();
                    }
                    patterns.push("..".to_string());
                }
                format!("{}({})", name(&decl.name), patterns.join(", "))
            }
        };
        if let Some(guard) = &label.guard {
            guards.push(match guard {
                Expr::Or(..) if !guards.is_empty() => format!("({})", self.expr(guard, decl)?),
                _ => self.expr(guard, decl)?,
            });
        }
        if !guards.is_empty() {
            let _ = write!(out, " if {}", guards.join(" and "));
        }
        Ok(out)
    }

    fn place(&self, place: Place, decl: Option<&EventDecl>) -> Result<String, Box<Diagnostic>> {
        match place {
            Place::Register(id) => Ok(name(&self.property.registers[id.index()].name)),
            Place::Arg(at) => {
                // A register hides a parameter of the event.
                let hidden = |p: &str| self.property.registers.iter().any(|r| r.name == p);
                let param = decl.and_then(|d| d.params.get(at as usize));
                Ok(match param.filter(|p| !hidden(&p.name)) {
                    Some(param) => name(&param.name),
                    None => format!("arg({at})"),
                })
            }
            Place::Param(_) | Place::Var(_) | Place::Local(_) => Err(self.foreign(Span::NONE)),
        }
    }

    fn expr(&self, expr: &Expr, decl: Option<&EventDecl>) -> Result<String, Box<Diagnostic>> {
        Ok(match expr {
            Expr::Const(value) => constant(value).ok_or_else(|| self.foreign(Span::NONE))?,
            Expr::Read(place) => self.place(*place, decl)?,
            Expr::Unary(UnaryOp::Not, a) => format!("not {}", self.operand(a, decl)?),
            Expr::Binary(op, a, b) => {
                let op = match op {
                    BinaryOp::Eq => "==",
                    BinaryOp::Ne => "!=",
                    BinaryOp::Lt => "<",
                    BinaryOp::Le => "<=",
                    BinaryOp::Gt => ">",
                    BinaryOp::Ge => ">=",
                    _ => return Err(self.foreign(Span::NONE)),
                };
                format!("{} {op} {}", self.operand(a, decl)?, self.operand(b, decl)?)
            }
            Expr::And(a, b) => {
                let left = match **a {
                    Expr::And(..) => self.expr(a, decl)?,
                    _ => self.operand(a, decl)?,
                };
                format!("{left} and {}", self.operand(b, decl)?)
            }
            Expr::Or(a, b) => {
                let left = match **a {
                    Expr::Or(..) => self.expr(a, decl)?,
                    _ => self.operand(a, decl)?,
                };
                format!("{left} or {}", self.operand(b, decl)?)
            }
            Expr::Builtin(Builtin::Get, args) => match args.as_slice() {
                [list, index] => {
                    format!("{}[{}]", self.operand(list, decl)?, self.expr(index, decl)?)
                }
                _ => return Err(self.foreign(Span::NONE)),
            },
            Expr::Builtin(builtin, args) => {
                let entry = Builtin::TABLE.iter().find(|(b, _, _)| b == builtin);
                let args: Result<Vec<String>, _> =
                    args.iter().map(|a| self.expr(a, decl)).collect();
                format!("{}({})", entry.map_or("", |(_, name, _)| name), args?.join(", "))
            }
            Expr::If(..) => match number::place_of(expr) {
                Some(place) => format!("number({})", self.place(place, decl)?),
                None => return Err(self.foreign(Span::NONE)),
            },
            _ => return Err(self.foreign(Span::NONE)),
        })
    }

    /// An operand: in parentheses if it has an operator itself that binds less.
    fn operand(&self, expr: &Expr, decl: Option<&EventDecl>) -> Result<String, Box<Diagnostic>> {
        let text = self.expr(expr, decl)?;
        Ok(match expr {
            Expr::And(..) | Expr::Or(..) => format!("({text})"),
            _ => text,
        })
    }
}
