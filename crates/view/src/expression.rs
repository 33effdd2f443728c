//! Labels, guards and updates of a model as text, for pictures and explanations.

use watchword_model::{
    BinaryOp, Builtin, Expr, Label, Model, Pattern, Place, Property, Quantified, Stmt, UnaryOp,
    Value,
};

use crate::text::duration;

/// Knows what the places of a property are called.
#[derive(Clone, Copy)]
pub struct Namer<'m> {
    model: &'m Model,
    property: &'m Property,
    /// The label in whose guard or update names are read.
    label: Option<&'m Label>,
}

impl<'m> Namer<'m> {
    /// The names of a property.
    pub fn new(model: &'m Model, property: &'m Property) -> Namer<'m> {
        Namer { model, property, label: None }
    }

    /// The names in the guard or the update of a transition with this label.
    pub fn of(self, label: &'m Label) -> Namer<'m> {
        Namer { label: Some(label), ..self }
    }

    /// `push(q, ?who) if n < 8`.
    pub fn label(&self, label: &'m Label) -> String {
        let own = self.of(label);
        let decl = label.event.map(|event| &self.model.events[event.index()]);
        let mut text = decl.map_or("any".to_string(), |decl| decl.name.clone());
        let params = decl.map_or(0, |decl| decl.params.len());
        if params > 0 || !label.args.is_empty() {
            let patterns: Vec<String> = (0..params.max(label.args.len()))
                .map(|i| label.args.get(i).map_or("_".to_string(), |p| own.pattern(p)))
                .collect();
            text.push_str(&format!("({})", patterns.join(", ")));
        }
        if let Some(guard) = &label.guard {
            text.push_str(&format!(" if {}", own.expr(guard)));
        }
        text
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Any => "_".to_string(),
            Pattern::Bind(place) => format!("?{}", self.place(*place)),
            Pattern::Equal(place) => self.place(*place),
            Pattern::Differs(place) => format!("!{}", self.place(*place)),
            Pattern::Const(value) => constant(value),
            Pattern::NotConst(value) => format!("!{}", constant(value)),
        }
    }

    fn place(&self, place: Place) -> String {
        match place {
            Place::Param(id) => {
                let params = self.model.params(self.property.context);
                params.get(id.index()).map_or("?".into(), |(_, p)| p.name.clone())
            }
            Place::Var(id) => self.model.variables[id.index()].name.clone(),
            Place::Register(id) => self.property.registers[id.index()].name.clone(),
            Place::Local(id) => {
                // What a transition binds for itself is best called as the event calls it.
                let bound = |p: &Pattern| matches!(p, Pattern::Bind(Place::Local(l)) if *l == id);
                let at = self.label.and_then(|l| l.args.iter().position(bound));
                at.and_then(|at| self.argument(at)).unwrap_or_else(|| format!("x{}", id.0))
            }
            Place::Window(id) => self.property.windows[id.index()].name.clone(),
            Place::Now => "now".to_string(),
            Place::Arg(at) => {
                self.argument(at as usize).unwrap_or_else(|| format!("argument {at}"))
            }
        }
    }

    /// What the event of the label calls an argument.
    fn argument(&self, at: usize) -> Option<String> {
        let decl = &self.model.events[self.label?.event?.index()];
        decl.params.get(at).map(|p| p.name.clone())
    }

    /// An expression, with parentheses wherever there is an operator inside an operator.
    pub fn expr(&self, expr: &Expr) -> String {
        if let Some(clock) = self.model.clock_read(expr) {
            return self.model.clocks[clock.index()].name.clone();
        }
        match expr {
            Expr::Const(value) => constant(value),
            Expr::Read(place) => self.place(*place),
            Expr::Unary(op, a) => {
                let sign = match op {
                    UnaryOp::Not => "not ",
                    UnaryOp::Neg => "-",
                    UnaryOp::BitNot => "~",
                };
                format!("{sign}{}", self.operand(a))
            }
            Expr::Binary(op, a, b) => {
                let constant = |e: &Expr, beside: &Expr| match e {
                    Expr::Const(Value::Int(n)) if compares(*op) && measures(beside) => duration(*n),
                    e => self.operand(e),
                };
                format!("{} {} {}", constant(a, b), op.symbol(), constant(b, a))
            }
            Expr::And(a, b) => format!("{} and {}", self.operand(a), self.operand(b)),
            Expr::Or(a, b) => format!("{} or {}", self.operand(a), self.operand(b)),
            Expr::If(c, a, b) => {
                format!("if {} then {} else {}", self.expr(c), self.expr(a), self.expr(b))
            }
            Expr::Builtin(builtin, args) => {
                let entry = Builtin::TABLE.iter().find(|(b, _, _)| b == builtin);
                self.call(entry.map_or("?", |(_, name, _)| name), args)
            }
            Expr::Call(function, args) => {
                self.call(&self.model.functions[function.index()].name, args)
            }
            Expr::Block(_) => match expr.as_quantified() {
                Some(Quantified { word, local, within, condition }) => {
                    let name = self.place(Place::Local(local));
                    format!("{word} {name} in {}: {}", self.operand(within), self.expr(condition))
                }
                None => "{ … }".to_string(),
            },
            Expr::List(items) => format!("[{}]", self.list(items)),
            Expr::Map(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(k, v)| format!("{}: {}", self.expr(k), self.expr(v)))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }

    fn operand(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        match expr {
            _ if self.model.clock_read(expr).is_some() => text,
            Expr::Binary(..) | Expr::And(..) | Expr::Or(..) | Expr::If(..) | Expr::Block(..) => {
                format!("({text})")
            }
            _ => text,
        }
    }

    fn call(&self, name: &str, args: &[Expr]) -> String {
        format!("{name}({})", self.list(args))
    }

    fn list(&self, items: &[Expr]) -> String {
        items.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    /// Statements, in short.
    pub fn statements(&self, body: &[Stmt]) -> String {
        // That a clock was started is said beside it.
        let is_hidden = |s: &&Stmt| matches!(s, Stmt::Assign(place, _) if self.model.clock_since(*place).is_some());
        let said = body.iter().filter(|s| !is_hidden(s)).map(|s| self.statement(s));
        said.collect::<Vec<_>>().join("; ")
    }

    fn statement(&self, statement: &Stmt) -> String {
        match statement {
            Stmt::Assign(place, value) => format!("{} = {}", self.place(*place), self.expr(value)),
            Stmt::If(condition, ..) => format!("if {} {{ … }}", self.expr(condition)),
            Stmt::While(condition, _) => format!("while {} {{ … }}", self.expr(condition)),
            Stmt::ForEach(local, list, _) => {
                format!("for x{} in {} {{ … }}", local.0, self.expr(list))
            }
            Stmt::Break => "break".to_string(),
            Stmt::Continue => "continue".to_string(),
            Stmt::Return(None) => "return".to_string(),
            Stmt::Return(Some(value)) => format!("return {}", self.expr(value)),
            Stmt::Eval(expr) => self.expr(expr),
            Stmt::Send(event, args) => {
                format!("send {}", self.call(&self.model.events[event.index()].name, args))
            }
            Stmt::Print(value) => format!("print {}", self.expr(value)),
            Stmt::Action(name, args) => self.call(name, args),
            Stmt::ResetClock(clock) => format!("reset {}", self.model.clocks[clock.index()].name),
            Stmt::SetClock(clock, after) => {
                let clock = &self.model.clocks[clock.index()].name;
                format!("reset {clock} for {} ns", self.expr(after))
            }
            Stmt::StopClock(clock) => format!("stop {}", self.model.clocks[clock.index()].name),
        }
    }
}

fn compares(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// Whether an expression is the time since some event: what it is compared with is a time, too.
fn measures(e: &Expr) -> bool {
    let Expr::Binary(BinaryOp::Sub, now, _) = e else { return false };
    matches!(**now, Expr::Read(Place::Now))
}

fn constant(value: &Value) -> String {
    match value {
        Value::Str(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}
