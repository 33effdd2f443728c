//! Clocks that code reads: `if t > 5 s`.
//!
//! What a clock shows is the present time less the time at which it was started. A variable keeps
//! that time: it is written when the instance begins, and wherever the clock is started or stopped.

use watchword_model::{
    BinaryOp, ClockId, Expr, Model, Place, Span, Stmt, Type, Value, VarId, Variable,
};

use super::Lowering;
use super::scope::Scope;
use super::types::stored;

impl Lowering<'_> {
    /// What the clock of that name shows, where it is known what time it is.
    pub(super) fn elapsed(&mut self, name: &str, span: Span, scope: &Scope) -> Option<Expr> {
        if !scope.knows_now() {
            return None;
        }
        let clock = self.clock_called(name)?;
        let since = match self.model.clocks[clock.index()].since {
            Some(since) => since,
            None => self.remember_start(clock, span),
        };
        let [now, since] = [Place::Now, Place::Var(since)].map(|p| Box::new(Expr::Read(p)));
        Some(Expr::Binary(BinaryOp::Sub, now, since))
    }

    fn remember_start(&mut self, clock: ClockId, span: Span) -> VarId {
        let declared = &mut self.model.clocks[clock.index()];
        let since = VarId::from_index(self.model.variables.len());
        declared.since = Some(since);
        let runs = declared.autostart;
        self.model.variables.push(Variable {
            name: format!("{} since", declared.name),
            ty: stored(Type::Duration),
            init: if runs { Expr::Read(Place::Now) } else { Expr::Const(Value::Null) },
            context: declared.context,
            span,
        });
        self.model.contexts[declared.context.index()].variables.push(since);
        since
    }
}

/// Writes the times at which clocks are started, for those that are read.
pub(super) fn remember_starts(model: &mut Model) {
    let since: Vec<Option<VarId>> = model.clocks.iter().map(|clock| clock.since).collect();
    if since.iter().all(Option::is_none) {
        return;
    }
    for property in &mut model.properties {
        for transition in &mut property.transitions {
            let otherwise = transition.otherwise.iter_mut();
            for branch in std::iter::once(&mut transition.then).chain(otherwise) {
                remember_in(&mut branch.update, &since);
            }
        }
        for state in &mut property.states {
            remember_in(&mut state.entry, &since);
            if let Some(deadline) = &mut state.deadline {
                remember_in(&mut deadline.branch.update, &since);
            }
        }
    }
}

fn remember_in(body: &mut Vec<Stmt>, since: &[Option<VarId>]) {
    let mut at = 0;
    while at < body.len() {
        let kept = match &mut body[at] {
            Stmt::ResetClock(clock) | Stmt::SetClock(clock, _) => {
                since[clock.index()].map(|since| (since, Expr::Read(Place::Now)))
            }
            Stmt::StopClock(clock) => {
                since[clock.index()].map(|since| (since, Expr::Const(Value::Null)))
            }
            Stmt::If(_, then, otherwise) => {
                remember_in(then, since);
                remember_in(otherwise, since);
                None
            }
            Stmt::While(_, inner) | Stmt::ForEach(_, _, inner) => {
                remember_in(inner, since);
                None
            }
            _ => None,
        };
        at += 1;
        if let Some((since, value)) = kept {
            body.insert(at, Stmt::Assign(Place::Var(since), value));
            at += 1;
        }
    }
}
