//! Statements.

use watchword_model::{Builtin, Expr, LocalId, Origin, Place, Span, Stmt, Type, Value};

use super::Lowering;
use super::flow::Flow;
use super::scope::{Binding, Meaning, Scope};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::tree::{self, Name, StmtKind};

/// What a statement assigns to.
#[derive(Clone, Copy)]
struct Assigned {
    place: Place,
    ty: Type,
    /// Where it was declared.
    span: Span,
}

impl Lowering<'_> {
    /// A place for a new local.
    pub(super) fn new_local(&mut self) -> LocalId {
        let local = LocalId(self.locals);
        self.locals += 1;
        local
    }

    /// The statements of a block; what it declares is forgotten after it.
    pub(super) fn block(&mut self, statements: &[tree::Stmt], scope: &mut Scope) -> Vec<Stmt> {
        let outside = scope.len();
        let lowered = statements.iter().filter_map(|s| self.statement(s, scope)).collect();
        scope.truncate(outside);
        lowered
    }

    /// Lowers with a flow of its own and gives that back.
    fn with_flow<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (T, Vec<Flow>) {
        let before = std::mem::take(&mut self.flow);
        let result = lower(self);
        (result, std::mem::replace(&mut self.flow, before))
    }

    fn statement(&mut self, statement: &tree::Stmt, scope: &mut Scope) -> Option<Stmt> {
        Some(match &statement.kind {
            StmtKind::Var(var) => self.local_var(var, scope),
            StmtKind::Assign(name, op, value) => {
                let target = self.target_place(name, scope);
                let declared = target.map_or(Type::Any, |t| t.ty);
                if let (None, tree::ExprKind::Name(read), Some(target)) = (op, &value.kind, target)
                {
                    self.warn_of_guess(name, target, read, value.span, scope);
                }
                let value = match op {
                    None => self.expr_as(value, declared, scope),
                    Some(op) => {
                        let read = tree::Expr {
                            kind: tree::ExprKind::Name(name.text.clone()),
                            span: name.span,
                            depth: 1,
                        };
                        let sum = tree::Expr {
                            kind: tree::ExprKind::Binary(
                                *op,
                                Box::new(read),
                                Box::new(value.clone()),
                            ),
                            span: name.span.to(value.span),
                            depth: value.depth + 1,
                        };
                        self.expr_as(&sum, declared, scope)
                    }
                };
                self.store(target?, value)
            }
            StmtKind::AssignIndex(name, key, op, value) => {
                let target = self.target_place(name, scope)?;
                if !matches!(target.ty, Type::Any | Type::List | Type::Map) {
                    self.mismatch(name.span, "a list or a map", target.ty);
                }
                if let Place::Register(register) = target.place {
                    self.flow.push(Flow::Read(register, name.span));
                }
                let (key, _) = self.expr(key, scope);
                let (mut value, _) = self.expr(value, scope);
                let container = Expr::Read(target.place);
                if let Some(op) = op {
                    let old = Expr::Builtin(Builtin::Get, vec![container.clone(), key.clone()]);
                    value = Expr::Binary(*op, Box::new(old), Box::new(value));
                }
                let whole = Expr::Builtin(Builtin::Put, vec![container, key, value]);
                self.store(target, whole)
            }
            StmtKind::If(condition, then, otherwise) => {
                let condition = self.condition(condition, scope);
                let (then, a) = self.with_flow(|l| l.block(then, scope));
                let (otherwise, b) = self.with_flow(|l| l.block(otherwise, scope));
                self.flow.push(Flow::Either(a, b));
                Stmt::If(condition, then, otherwise)
            }
            StmtKind::While(condition, body) => {
                let condition = self.condition(condition, scope);
                self.loops += 1;
                let (body, flow) = self.with_flow(|l| l.block(body, scope));
                self.loops -= 1;
                self.flow.push(Flow::Maybe(flow));
                Stmt::While(condition, body)
            }
            StmtKind::For(name, list, body) => {
                let (list_expr, ty) = self.expr(list, scope);
                if !matches!(ty, Type::Any | Type::List | Type::Map) {
                    self.mismatch(list.span, "a list or a map", ty);
                }
                let local = self.new_local();
                let outside = scope.len();
                scope.add(&name.text, Place::Local(local), Type::Any, name.span);
                self.loops += 1;
                let (body, flow) = self.with_flow(|l| l.block(body, scope));
                self.loops -= 1;
                scope.truncate(outside);
                self.flow.push(Flow::Maybe(flow));
                Stmt::ForEach(local, list_expr, body)
            }
            StmtKind::Break | StmtKind::Continue => {
                if self.loops == 0 {
                    self.report(
                        Diagnostic::error(
                            Code::OutsideLoop,
                            statement.span,
                            "this is not inside a loop",
                        )
                        .rule("`break` and `continue` are allowed only inside `while` and `for`"),
                    );
                }
                if matches!(statement.kind, StmtKind::Break) { Stmt::Break } else { Stmt::Continue }
            }
            StmtKind::Return(value) => {
                Stmt::Return(value.as_ref().map(|value| self.expr(value, scope).0))
            }
            StmtKind::Call(call) => Stmt::Eval(self.expr(call, scope).0),
            StmtKind::Send(name, args) => self.send(name, args, scope)?,
            StmtKind::Print(value) => Stmt::Print(self.shown(value, scope)),
            StmtKind::PrintText(text) => Stmt::Print(self.template_expr(text, scope)),
            StmtKind::Do(name, args) => {
                let args = args.iter().map(|a| self.shown(a, scope)).collect();
                Stmt::Action(name.text.clone(), args)
            }
            StmtKind::Reset(name) => Stmt::ResetClock(self.clock_named(name)?),
            StmtKind::ResetFor(name, after) => {
                let clock = self.clock_named(name)?;
                let (lowered, ty) = self.expr(after, scope);
                if ty != Type::Duration {
                    self.unitless(after, ty);
                }
                Stmt::SetClock(clock, lowered)
            }
            StmtKind::Stop(name) => Stmt::StopClock(self.clock_named(name)?),
        })
    }

    fn local_var(&mut self, var: &tree::Var, scope: &mut Scope) -> Stmt {
        let declared = var.ty.as_ref().map(|ty| self.variable_type(ty));
        let (value, found) = match &var.init {
            Some(init) => match declared {
                Some(ty) => (self.expr_as(init, ty, scope), ty),
                None => self.expr(init, scope),
            },
            None => (Expr::Const(default_value(declared)), Type::Any),
        };
        let place = Place::Local(self.new_local());
        scope.add(&var.name.text, place, declared.unwrap_or(found), var.name.span);
        Stmt::Assign(place, value)
    }

    /// A variable whose type nobody wrote has the type of its first value. Who copies something of
    /// unknown type into it may not expect that; it is said once.
    fn warn_of_guess(
        &mut self,
        name: &Name,
        target: Assigned,
        read: &str,
        span: Span,
        scope: &Scope,
    ) {
        let unknown = scope.find(read).is_some_and(|b| b.ty == Type::Any);
        let guess = self.guessed.iter().position(|g| *g == target.span);
        let Some(guess) = guess.filter(|_| unknown && target.ty != Type::Any) else { return };
        self.guessed.swap_remove(guess);
        let (name, ty) = (&name.text, target.ty.name());
        self.report(
            Diagnostic::warning(
                Code::GuessedType,
                span,
                format!("`{name}` is of type `{ty}` by its first value, and `{read}` may not be"),
            )
            .also(target.span, "declared without a type here")
            .rule("a value that does not fit is not assigned: the transition is not taken")
            .help(format!(
                "declare its type: `var {name}: any = …`, or `var {name}: {ty} = …` if it always has this type"
            )),
        );
    }

    fn store(&mut self, target: Assigned, value: Expr) -> Stmt {
        if let Place::Register(register) = target.place {
            self.flow.push(Flow::Write(register));
        }
        Stmt::Assign(target.place, value)
    }

    fn target_place(&mut self, name: &Name, scope: &Scope) -> Option<Assigned> {
        let Some(binding) = scope.find(&name.text) else {
            self.unknown_name(&name.text, name.span, scope);
            return None;
        };
        let Binding { means, ty, span } = binding;
        let what = match means {
            Meaning::Setting(_) => "a `param` of the property",
            Meaning::Place(Place::Param(_)) => "a parameter of the property",
            Meaning::Place(Place::Arg(_)) => "an argument of the event",
            Meaning::Place(Place::Window(_)) => "a window over events",
            Meaning::Place(place) => return Some(Assigned { place, ty, span }),
        };
        self.report(
            Diagnostic::error(
                Code::NotAssignable,
                name.span,
                format!("`{}` is {what} and cannot be changed", name.text),
            )
            .also(span, "declared here")
            .help("declare a variable for it: `var … = …`"),
        );
        None
    }

    fn send(&mut self, name: &Name, args: &[tree::Expr], scope: &Scope) -> Option<Stmt> {
        let channels: Vec<&str> = self
            .model
            .events
            .iter()
            .filter(|e| matches!(e.origin, Origin::Channel))
            .map(|e| e.name.as_str())
            .collect();
        if !channels.contains(&name.text.as_str()) {
            let near = nearest(&name.text, channels.iter().copied());
            let declared = self.events.get(&name.text).map(|e| e.span);
            let mut error = Diagnostic::error(
                Code::WrongKind,
                name.span,
                format!("there is no channel `{}`", name.text),
            )
            .help(format!("declare it: `channel {}(…)`", name.text))
            .did_you_mean(near);
            if let Some(span) = declared {
                error = error.also(span, "this is an event, not a channel");
            }
            self.report(error);
            return None;
        }
        let entry = &self.events[&name.text];
        let (id, declared) = (entry.id, entry.span);
        let types: Vec<Type> = self.model.events[id.index()].params.iter().map(|p| p.ty).collect();
        self.count_args(&name.text, name.span, types.len(), args.len(), declared);
        let args = args
            .iter()
            .enumerate()
            .map(|(i, a)| self.expr_as(a, types.get(i).copied().unwrap_or(Type::Any), scope))
            .collect();
        Some(Stmt::Send(id, args))
    }
}

/// What a variable holds that was declared without a value.
pub(super) fn default_value(ty: Option<Type>) -> Value {
    match ty {
        Some(Type::Bool) => Value::Bool(false),
        Some(Type::Int | Type::Duration) => Value::Int(0),
        Some(Type::Float) => Value::Float(0.0),
        Some(Type::Str) => Value::str(""),
        Some(Type::List) => Value::List(Default::default()),
        Some(Type::Map) => Value::Map(Default::default()),
        Some(Type::Any | Type::Ref | Type::Ptr) | None => Value::Null,
    }
}
