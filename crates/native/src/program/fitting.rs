//! Which values the arguments of an event must have for some transition to fit it.
//!
//! “A thread locks a mutex that it holds” observes every lock, but only one of a mutex that has an owner
//! can be one. An event that no transition of any state fits changes nothing, so it need not be told.
//! What is read off a label here is less than the label asks for, never more: constants that integers
//! are compared with, and the thread, whose number is not zero.

use watchword_debug::Compared;
use watchword_model::{
    BinaryOp, EventId, Expr, Label, Pattern, Place, Property, PropertyId, Type, Value,
};

use crate::monitor::Monitor;
use crate::source::Source;
use crate::term::Taken;

/// An event that can be fitted in more ways than this is not compared: it would take longer than writing
/// it down.
const MOST: usize = 8;

/// What the arguments of an event are, if a label fits it.
#[derive(Clone, Debug, Default)]
pub(super) struct Fitting(Vec<Fact>);

/// Something that is so if a label fits an event.
#[derive(Clone, Copy, Debug)]
enum Fact {
    /// An argument is an integer, or is not.
    Number { argument: usize, equal: bool, number: i64 },
    /// Two arguments are the same.
    Same(usize, usize),
}

/// A side of a comparison.
enum Side {
    Argument(usize),
    Number(i64),
    /// Something else that always has a value.
    Other,
}

/// What the arguments of an event of a property are if some label fits it: one of these. `None`: the
/// event matters in any case.
pub(super) fn fitting(
    monitor: &Monitor,
    id: PropertyId,
    property: &Property,
    event: EventId,
) -> Option<Vec<Fitting>> {
    let always = monitor.run.evaluator.sensitive_in_any_case(id)?;
    if always.get(event.index()).copied().unwrap_or(true) {
        return None;
    }
    let declared = &monitor.model.events[event.index()].params;
    let is_number = |argument: usize| declared.get(argument).is_some_and(|p| p.ty == Type::Int);
    let mut ways = Vec::new();
    for transition in &property.transitions {
        for label in transition.labels.iter().filter(|l| l.event.is_none_or(|e| e == event)) {
            let mut facts = of_patterns(label);
            // What a guard refuses may be what the other branch is for.
            if let (Some(guard), None) = (&label.guard, &transition.otherwise) {
                of_guard(guard, label, &mut facts);
            }
            facts.retain(|fact| match *fact {
                Fact::Number { argument, .. } => is_number(argument),
                Fact::Same(one, other) => is_number(one) && is_number(other),
            });
            if facts.is_empty() || ways.len() == MOST {
                return None;
            }
            ways.push(Fitting(facts));
        }
    }
    Some(ways)
}

fn of_patterns(label: &Label) -> Vec<Fact> {
    let fact = |(argument, pattern): (usize, &Pattern)| match pattern {
        Pattern::Const(Value::Int(number)) => {
            Some(Fact::Number { argument, equal: true, number: *number })
        }
        Pattern::NotConst(Value::Int(number)) => {
            Some(Fact::Number { argument, equal: false, number: *number })
        }
        _ => None,
    };
    label.args.iter().enumerate().filter_map(fact).collect()
}

/// Adds what a guard says of arguments. Answers whether it always has a value: what comes after a part
/// that may have none is not looked at then.
fn of_guard(guard: &Expr, label: &Label, facts: &mut Vec<Fact>) -> bool {
    match guard {
        Expr::And(one, other) => of_guard(one, label, facts) && of_guard(other, label, facts),
        Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), one, other) => {
            let (Some(one), Some(other)) = (side(one, label), side(other, label)) else {
                return false;
            };
            let equal = *op == BinaryOp::Eq;
            match (one, other) {
                (Side::Argument(argument), Side::Number(number))
                | (Side::Number(number), Side::Argument(argument)) => {
                    facts.push(Fact::Number { argument, equal, number });
                }
                (Side::Argument(one), Side::Argument(other)) if equal => {
                    facts.push(Fact::Same(one, other));
                }
                _ => {}
            }
            true
        }
        _ => false,
    }
}

fn side(e: &Expr, label: &Label) -> Option<Side> {
    match e {
        Expr::Const(Value::Int(number)) => Some(Side::Number(*number)),
        Expr::Const(_) => Some(Side::Other),
        Expr::Read(Place::Arg(i)) => Some(Side::Argument(*i as usize)),
        Expr::Read(place @ Place::Local(_)) => {
            let binds = |p: &Pattern| matches!(p, Pattern::Bind(bound) if bound == place);
            let mut bound = (0..label.args.len()).filter(|i| binds(&label.args[*i]));
            match (bound.next(), bound.next()) {
                (Some(argument), None) => Some(Side::Argument(argument)),
                _ => Some(Side::Other),
            }
        }
        Expr::Read(Place::Param(_) | Place::Var(_)) => Some(Side::Other),
        _ => None,
    }
}

impl Fitting {
    /// The same of what a source captures; what it does not capture is left out.
    pub fn of_source(&self, source: &Source) -> Vec<Compared> {
        let taken = |argument: usize| {
            source.taken.iter().find(|(param, _)| *param == argument).map(|(_, taken)| taken)
        };
        let compared = |fact: &Fact| match *fact {
            Fact::Number { argument, equal, number } => match taken(argument) {
                Some(Taken::Read(capture)) => Some(Compared { capture: *capture, equal, number }),
                _ => None,
            },
            Fact::Same(one, other) => match (taken(one), taken(other)) {
                // No thread has the number zero.
                (Some(Taken::Read(capture)), Some(Taken::Thread))
                | (Some(Taken::Thread), Some(Taken::Read(capture))) => {
                    Some(Compared { capture: *capture, equal: false, number: 0 })
                }
                _ => None,
            },
        };
        self.0.iter().filter_map(compared).collect()
    }
}
