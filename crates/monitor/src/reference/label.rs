//! Whether a label matches an event, and what taking a branch does: the part that sliced and
//! register properties share.

use watchword_model::{
    Branch, Context, Event, Expr, Label, Model, ParamId, Pattern, Place, Property, StateId, Target,
    Value,
};

use super::eval::{Eval, Failure, Scope};

/// The outcome of offering an event to a label.
pub enum Offer<'a> {
    /// Event, arity or a pattern does not fit.
    NoMatch,
    /// It fits but the guard is false; the scope has the binds of locals.
    GuardFalse(Scope<'a>),
    /// It fits but the guard is not relevant.
    NotRelevant,
    /// It fits but evaluating the guard hit a limit.
    Limit,
    /// It fits; all binds are written.
    Match(Scope<'a>),
}

/// What parameters are compared by.
pub fn key_of(model: &Model, contexts: &[&Context], param: ParamId, value: &Value) -> Eval<Value> {
    let mut first = 0;
    for context in contexts {
        let own = param.index() - first;
        if own < context.params.len() {
            return match &context.keys[own] {
                None => Ok(value.clone()),
                Some(expr) => eval_args(model, expr, vec![value.clone()]),
            };
        }
        first += context.params.len();
    }
    Ok(value.clone())
}

/// The value of an expression over arguments only.
pub fn eval_args(model: &Model, expr: &Expr, args: Vec<Value>) -> Eval<Value> {
    let mut scope = Scope::new(model);
    scope.args = args;
    scope.eval(expr)
}

/// Whether two values are the same as far as the place compares them.
fn same_at(
    scope: &Scope<'_>,
    contexts: &[&Context],
    place: Place,
    held: &Value,
    arg: &Value,
) -> bool {
    match place {
        Place::Param(param) => {
            match (
                key_of(scope.model, contexts, param, held),
                key_of(scope.model, contexts, param, arg),
            ) {
                (Ok(a), Ok(b)) => a.same(&b),
                _ => false,
            }
        }
        _ => held.same(arg),
    }
}

/// Offers an event to a label.
pub fn offer<'a>(
    scope: &Scope<'a>,
    contexts: &[&Context],
    label: &Label,
    event: &Event,
) -> Offer<'a> {
    if label.event.is_some_and(|e| e != event.kind) {
        return Offer::NoMatch;
    }
    if !label.arity.admits(event.args.len()) {
        return Offer::NoMatch;
    }
    for (i, pattern) in label.args.iter().enumerate() {
        let arg = event.arg(i);
        let holds = match pattern {
            Pattern::Any | Pattern::Bind(_) => true,
            Pattern::Equal(place) => {
                scope.is_bound(*place) && same_at(scope, contexts, *place, &scope.read(*place), arg)
            }
            Pattern::Differs(place) => {
                !scope.is_bound(*place)
                    || !same_at(scope, contexts, *place, &scope.read(*place), arg)
            }
            Pattern::Const(value) => value.same(arg),
            Pattern::NotConst(value) => !value.same(arg),
        };
        if !holds {
            return Offer::NoMatch;
        }
    }
    let mut bound = scope.clone();
    bound.args = event.args.clone();
    let binds = || {
        label.args.iter().enumerate().filter_map(|(i, pattern)| match pattern {
            Pattern::Bind(place) => Some((*place, event.arg(i).clone())),
            _ => None,
        })
    };
    // Locals are new in this transition, so a guard sees them; a register keeps its old value
    // until the label has matched: all reads precede all writes.
    for (place, value) in binds() {
        if matches!(place, Place::Local(_)) {
            bound.write(place, value);
        }
    }
    if let Some(guard) = &label.guard {
        match bound.clone().guard(guard) {
            Err(Failure::NotRelevant) => return Offer::NotRelevant,
            Err(Failure::Limit) => return Offer::Limit,
            Ok(false) => return Offer::GuardFalse(bound),
            Ok(true) => {}
        }
    }
    for (place, value) in binds() {
        bound.write(place, value);
    }
    Offer::Match(bound)
}

/// Runs a branch's update and the entry action of the state it enters.
pub fn take<'a>(scope: &Scope<'a>, property: &Property, branch: &Branch) -> Eval<Scope<'a>> {
    let mut after = scope.clone();
    let entry: &[_] = match branch.target {
        Target::State(state) => &property.states[state.index()].entry,
        Target::Stay | Target::Drop => &[],
    };
    after.run(&[&branch.update, entry])?;
    Ok(after)
}

/// The message of a report about entering a state by a branch.
pub fn message(
    scope: &mut Scope<'_>,
    property: &Property,
    state: StateId,
    branch: Option<&Branch>,
    verb: &str,
) -> String {
    let state = &property.states[state.index()];
    let detail = branch.and_then(|b| b.message.as_ref()).or(state.message.as_ref());
    let parts: Vec<String> = [property.message.as_ref(), detail]
        .into_iter()
        .flatten()
        .map(|t| scope.render(t))
        .collect();
    if parts.is_empty() { format!("{verb} `{}`", state.name) } else { parts.join(": ") }
}
