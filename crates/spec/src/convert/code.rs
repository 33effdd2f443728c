//! Expressions and statements as `.ww` files have them.
//!
//! The language has no conditional expression; one becomes a function that is given what the
//! expression reads, so that only the chosen side is computed.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;

use watchword_model::{
    BinaryOp, Builtin, EventDecl, Expr, LocalId, Model, Place, Quantified, Stmt, Template,
    TemplatePart, UnaryOp,
};

use super::words::{constant, name, quoted, variable};
use crate::infer::number;
use crate::larva::free;

/// What cannot be written.
#[derive(Debug)]
pub struct Foreign;

/// Functions that are needed beside those of the model.
#[derive(Default)]
pub struct Extra {
    /// Whether `number` is.
    pub number: bool,
    /// Conditional expressions: parameters and body of the function each becomes.
    pub choices: Vec<String>,
}

/// Writes code that sees some names.
pub struct Code<'c> {
    /// The model.
    pub model: &'c Model,
    /// What places are called, but for arguments and locals.
    pub places: &'c dyn Fn(Place) -> Option<String>,
    /// What locals are called.
    pub locals: Vec<(LocalId, String)>,
    /// The event whose arguments can be named.
    pub event: Option<&'c EventDecl>,
    /// Names that hide those of the event's arguments.
    pub taken: &'c dyn Fn(&str) -> bool,
    /// What else is needed.
    pub extra: &'c RefCell<Extra>,
}

type Written = Result<String, Foreign>;

impl Code<'_> {
    /// What a place is called.
    pub fn place(&self, place: Place) -> Written {
        match place {
            Place::Local(id) => {
                let found = self.locals.iter().find(|(local, _)| *local == id);
                found.map(|(_, name)| variable(name)).ok_or(Foreign)
            }
            Place::Arg(at) => {
                if let Some(known) = (self.places)(place) {
                    return Ok(known);
                }
                let param = self.event.and_then(|e| e.params.get(at as usize));
                let hidden =
                    |p: &str| (self.taken)(p) || self.locals.iter().any(|(_, local)| local == p);
                Ok(match param.filter(|p| !hidden(&p.name)) {
                    Some(param) => variable(&param.name),
                    None => format!("arg({at})"),
                })
            }
            place => (self.places)(place).ok_or(Foreign),
        }
    }

    /// An expression.
    pub fn expr(&self, expr: &Expr) -> Written {
        if let Some(clock) = self.model.clock_read(expr) {
            // Lengths of time are integers in the model: nothing tells where the unit belongs.
            let name = variable(&self.model.clocks[clock.index()].name);
            return Ok(format!("int({name})"));
        }
        Ok(match expr {
            Expr::Const(value) => constant(value).ok_or(Foreign)?,
            Expr::Read(place) => self.place(*place)?,
            Expr::Unary(op, a) => match op {
                UnaryOp::Not => format!("not {}", self.operand(a)?),
                UnaryOp::Neg => format!("-{}", self.term(a)?),
                UnaryOp::BitNot => format!("~{}", self.term(a)?),
            },
            // The language refuses to compare constants of different kinds; Infer's dialect does not.
            Expr::Binary(op, a, b) if is_comparison(*op) && differ_in_kind(a, b) => {
                (*op == BinaryOp::Ne).to_string()
            }
            Expr::Binary(op, a, b) => {
                format!("{} {} {}", self.term(a)?, binary(*op)?, self.term(b)?)
            }
            Expr::And(a, b) => {
                let left = match **a {
                    Expr::And(..) => self.expr(a)?,
                    _ => self.operand(a)?,
                };
                format!("{left} and {}", self.operand(b)?)
            }
            Expr::Or(a, b) => {
                let left = match **a {
                    Expr::Or(..) => self.expr(a)?,
                    _ => self.operand(a)?,
                };
                format!("{left} or {}", self.operand(b)?)
            }
            Expr::Builtin(Builtin::Get, args) if args.len() == 2 => {
                format!("{}[{}]", self.term(&args[0])?, self.expr(&args[1])?)
            }
            Expr::Builtin(builtin, args) => {
                let entry = Builtin::TABLE.iter().find(|(b, _, _)| b == builtin);
                format!("{}({})", entry.map_or("", |(_, name, _)| name), self.list(args)?)
            }
            Expr::Call(function, args) => {
                let function = &self.model.functions[function.index()];
                format!("{}({})", variable(&function.name), self.list(args)?)
            }
            Expr::List(list) => format!("[{}]", self.list(list)?),
            Expr::Map(list) => {
                let mut entries = Vec::new();
                for (key, value) in list {
                    entries.push(format!("{}: {}", self.expr(key)?, self.expr(value)?));
                }
                format!("{{{}}}", entries.join(", "))
            }
            Expr::If(condition, then, otherwise) => match number::place_of(expr) {
                Some(place) => {
                    self.extra.borrow_mut().number = true;
                    format!("{}({})", number_name(self.model), self.place(place)?)
                }
                None => {
                    let body = [
                        Stmt::If(
                            (**condition).clone(),
                            vec![Stmt::Return(Some((**then).clone()))],
                            Vec::new(),
                        ),
                        Stmt::Return(Some((**otherwise).clone())),
                    ];
                    self.function(expr, &body)?
                }
            },
            Expr::Block(body) => match expr.as_quantified() {
                Some(quantified) => self.quantified(&quantified)?,
                None => self.function(expr, body)?,
            },
        })
    }

    /// `(exists x in e: c)`: in parentheses, because the condition ends where the expression does.
    fn quantified(&self, quantified: &Quantified<'_>) -> Written {
        let Quantified { word, local, within, condition } = *quantified;
        let within = self.term(within)?;
        let mut inner = Code { locals: self.locals.clone(), ..*self };
        inner.locals.retain(|(id, _)| *id != local);
        let name = inner.fresh(local);
        Ok(format!("({word} {name} in {within}: {})", inner.expr(condition)?))
    }

    /// An expression of statements as a function of what it reads.
    fn function(&self, whole: &Expr, body: &[Stmt]) -> Written {
        let mut read = BTreeSet::new();
        places(whole, &mut read);
        let mut own = locals(body, &[]);
        walk(whole, &mut |e| {
            if let Expr::Block(inner) = e {
                own.extend(locals(inner, &[]));
            }
        });
        read.retain(|p| !matches!(p, Place::Local(id) if own.contains(id)));
        let names: Vec<(Place, String)> =
            read.iter().enumerate().map(|(at, place)| (*place, format!("p{at}"))).collect();
        let inside =
            |place: Place| names.iter().find(|(p, _)| *p == place).map(|(_, name)| name.clone());
        let mut inner = Code {
            model: self.model,
            places: &inside,
            locals: Vec::new(),
            event: None,
            taken: &|_| false,
            extra: self.extra,
        };
        for (place, name) in &names {
            if let Place::Local(id) = place {
                inner.locals.push((*id, name.clone()));
            }
        }
        if assigns_outside(body) {
            return Err(Foreign);
        }
        let text = inner.block(body, true)?;
        let mut extra = self.extra.borrow_mut();
        let params: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
        let code = format!("({}) {{\n{text}}}\n", params.join(", "));
        let known = extra.choices.iter().position(|c| *c == code);
        let number = known.unwrap_or(extra.choices.len()) + 1;
        if known.is_none() {
            extra.choices.push(code);
        }
        drop(extra);
        let args: Result<Vec<String>, Foreign> =
            names.iter().map(|(p, _)| self.place(*p)).collect();
        Ok(format!("{}({})", choice_name(self.model, number), args?.join(", ")))
    }

    fn list(&self, list: &[Expr]) -> Written {
        let list: Result<Vec<String>, Foreign> = list.iter().map(|e| self.expr(e)).collect();
        Ok(list?.join(", "))
    }

    /// An operand of `and`, `or`, `not`: in parentheses if it is one of these itself.
    fn operand(&self, expr: &Expr) -> Written {
        let text = self.expr(expr)?;
        Ok(if matches!(expr, Expr::And(..) | Expr::Or(..)) { format!("({text})") } else { text })
    }

    /// An operand of anything else: in parentheses if it has an operator at all.
    fn term(&self, expr: &Expr) -> Written {
        let text = self.expr(expr)?;
        Ok(match expr {
            Expr::And(..) | Expr::Or(..) | Expr::Binary(..) | Expr::Unary(..) => {
                format!("({text})")
            }
            _ => text,
        })
    }

    /// A message in quotes.
    pub fn template(&self, template: &Template) -> Written {
        let mut text = String::from("\"");
        for part in &template.parts {
            match part {
                TemplatePart::Text(part) => {
                    let quoted = quoted(part, true);
                    text.push_str(&quoted[1..quoted.len() - 1]);
                }
                TemplatePart::Value(e) => {
                    let _ = write!(text, "{{{}}}", self.expr(e)?);
                }
            }
        }
        text.push('"');
        Ok(text)
    }

    /// Statements, one per line, with declarations of the locals that need one.
    pub fn block(&mut self, body: &[Stmt], declare: bool) -> Written {
        let mut out = String::new();
        let known: Vec<LocalId> = self.locals.iter().map(|(id, _)| *id).collect();
        for local in locals(body, &known) {
            let name = self.fresh(local);
            if declare && !is_loop_variable(body, local) {
                let _ = writeln!(out, "var {name} = null");
            }
        }
        self.statements(body, &mut out)?;
        Ok(out)
    }

    /// A name for a local.
    pub fn fresh(&mut self, local: LocalId) -> String {
        let used = |n: &str| (self.taken)(n) || self.locals.iter().any(|(_, l)| l == n);
        let name = std::iter::once(format!("x{}", local.0))
            .chain((1..).map(|n| format!("x{}_{n}", local.0)))
            .find(|n| !used(n))
            .unwrap_or_default();
        self.locals.push((local, name.clone()));
        name
    }

    fn statements(&self, body: &[Stmt], out: &mut String) -> Result<(), Foreign> {
        for statement in body {
            self.statement(statement, out)?;
        }
        Ok(())
    }

    fn statement(&self, statement: &Stmt, out: &mut String) -> Result<(), Foreign> {
        match statement {
            Stmt::Assign(place, _) if self.model.clock_since(*place).is_some() => {}
            Stmt::Assign(place, value) => {
                let _ = writeln!(out, "{} = {}", self.place(*place)?, self.expr(value)?);
            }
            Stmt::If(condition, then, otherwise) => {
                let _ = writeln!(out, "if {} {{", self.expr(condition)?);
                self.statements(then, out)?;
                if !otherwise.is_empty() {
                    out.push_str("} else {\n");
                    self.statements(otherwise, out)?;
                }
                out.push_str("}\n");
            }
            Stmt::While(condition, body) => {
                let _ = writeln!(out, "while {} {{", self.expr(condition)?);
                self.statements(body, out)?;
                out.push_str("}\n");
            }
            Stmt::ForEach(local, list, body) => {
                let name = self.place(Place::Local(*local))?;
                let _ = writeln!(out, "for {name} in {} {{", self.expr(list)?);
                self.statements(body, out)?;
                out.push_str("}\n");
            }
            Stmt::Break => out.push_str("break\n"),
            Stmt::Continue => out.push_str("continue\n"),
            Stmt::Return(None) => out.push_str("return\n"),
            Stmt::Return(Some(e)) => {
                let _ = writeln!(out, "return {}", self.expr(e)?);
            }
            Stmt::Eval(e @ Expr::Call(..)) => {
                let _ = writeln!(out, "{}", self.expr(e)?);
            }
            Stmt::Eval(_) => return Err(Foreign),
            Stmt::Send(event, args) => {
                let event = &self.model.events[event.index()].name;
                let _ = writeln!(out, "send {}({})", name(event), self.list(args)?);
            }
            // What begins with a quote would be read as a template.
            Stmt::Print(e) => {
                let _ = writeln!(out, "print ({})", self.expr(e)?);
            }
            Stmt::Action(action, args) => {
                let _ = writeln!(out, "do {}({})", variable(action), self.list(args)?);
            }
            Stmt::ResetClock(clock) => {
                let _ = writeln!(out, "reset {}", variable(&self.model.clocks[clock.index()].name));
            }
            Stmt::SetClock(clock, after) => {
                let clock = variable(&self.model.clocks[clock.index()].name);
                let _ = writeln!(out, "reset {clock} for ({}) ns", self.expr(after)?);
            }
            Stmt::StopClock(clock) => {
                let _ = writeln!(out, "stop {}", variable(&self.model.clocks[clock.index()].name));
            }
        }
        Ok(())
    }
}

fn binary(op: BinaryOp) -> Result<&'static str, Foreign> {
    match op {
        BinaryOp::FloorDiv | BinaryOp::FloorRem => Err(Foreign),
        other => Ok(other.symbol()),
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// Whether these are constants that are never the same and have no order.
fn differ_in_kind(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Const(a), Expr::Const(b)) => !a.type_of().overlaps(b.type_of()),
        _ => false,
    }
}

/// Every place an expression reads.
fn places(expr: &Expr, into: &mut BTreeSet<Place>) {
    walk(expr, &mut |e| {
        if let Expr::Read(place) = e {
            into.insert(*place);
        }
    });
}

fn walk(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    match expr {
        Expr::Const(_) | Expr::Read(_) => {}
        Expr::Unary(_, a) => walk(a, see),
        Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
            walk(a, see);
            walk(b, see);
        }
        Expr::If(a, b, c) => [a, b, c].into_iter().for_each(|e| walk(e, see)),
        Expr::Builtin(_, list) | Expr::Call(_, list) | Expr::List(list) => {
            list.iter().for_each(|e| walk(e, see));
        }
        Expr::Map(list) => list.iter().for_each(|(k, v)| {
            walk(k, see);
            walk(v, see);
        }),
        Expr::Block(body) => walk_statements(body, &mut |_| {}, see),
    }
}

fn walk_statements(body: &[Stmt], each: &mut dyn FnMut(&Stmt), see: &mut dyn FnMut(&Expr)) {
    for statement in body {
        each(statement);
        match statement {
            Stmt::Assign(_, e) | Stmt::Eval(e) | Stmt::Print(e) | Stmt::Return(Some(e)) => {
                walk(e, see);
            }
            Stmt::If(c, a, b) => {
                walk(c, see);
                walk_statements(a, each, see);
                walk_statements(b, each, see);
            }
            Stmt::While(e, inner) | Stmt::ForEach(_, e, inner) => {
                walk(e, see);
                walk_statements(inner, each, see);
            }
            Stmt::Send(_, list) | Stmt::Action(_, list) => list.iter().for_each(|e| walk(e, see)),
            _ => {}
        }
    }
}

/// The locals that statements assign, in order, without those that are known.
fn locals(body: &[Stmt], known: &[LocalId]) -> Vec<LocalId> {
    let mut found: Vec<LocalId> = Vec::new();
    walk_statements(
        body,
        &mut |statement| {
            let local = match statement {
                Stmt::Assign(Place::Local(local), _) | Stmt::ForEach(local, _, _) => *local,
                _ => return,
            };
            if !known.contains(&local) && !found.contains(&local) {
                found.push(local);
            }
        },
        &mut |_| {},
    );
    found
}

fn is_loop_variable(body: &[Stmt], local: LocalId) -> bool {
    let mut found = false;
    walk_statements(
        body,
        &mut |s| found |= matches!(s, Stmt::ForEach(l, _, _) if *l == local),
        &mut |_| {},
    );
    found
}

fn assigns_outside(body: &[Stmt]) -> bool {
    let mut found = false;
    walk_statements(
        body,
        &mut |s| {
            found |= match s {
                Stmt::Assign(place, _) => !matches!(place, Place::Local(_)),
                Stmt::Send(..)
                | Stmt::Print(_)
                | Stmt::Action(..)
                | Stmt::ResetClock(_)
                | Stmt::SetClock(..)
                | Stmt::StopClock(_) => true,
                _ => false,
            };
        },
        &mut |_| {},
    );
    found
}

/// What the function of a choice is called.
pub fn choice_name(model: &Model, number: usize) -> String {
    function_name(model, &format!("choice_{number}"))
}

/// What the function that makes numbers of truth values is called.
pub fn number_name(model: &Model) -> String {
    function_name(model, "number")
}

/// A name that no other function has, nor one of another file: names of properties are unique.
fn function_name(model: &Model, base: &str) -> String {
    let name = match model.properties.first() {
        Some(property) => format!("{base}_{}", property.name),
        None => base.to_string(),
    };
    free(&name, |text| model.functions.iter().any(|f| f.name == text))
}
