//! What an event does to an instance, as far as its state and the event's arguments tell it.
//!
//! Most transitions need no machine: they look at arguments alone, change nothing but the state,
//! and nobody is told. Those are laid out as lists of choices, the first of which that fits is
//! taken; what remains, the machine is asked.

use watchword_model::{Label, Pattern, Place, StateKind};
use watchword_step::{self as step, LabelRow, Move, NONE, Range};

use crate::effects;
use crate::unit::Tables;

/// What an event does to an instance, where that can be told from the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing: no transition leaves the state on this event.
    Skip,
    /// It is taken and nothing changes.
    Stay,
    /// It leads to that state, and nothing else happens.
    Go(u32),
    /// What the first of these choices says that fits; nothing if none does.
    Choose(Range),
    /// Ask the machine.
    Ask,
}

/// A transition that looks at nothing but arguments: its label fits if the arity does, all tests
/// hold, which are of constants, and so does the guard.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The label; [`NONE`] fits always.
    pub label: u32,
    /// The number of the guard among those of the property whose answers can be remembered, by
    /// the one argument they read; [`NONE`] if there is no guard.
    pub memo: u32,
    /// That argument.
    pub arg: u32,
    /// What happens then: no choice again.
    pub then: Action,
}

/// The actions of every state and kind of event, the choices they refer to, and how many guards'
/// answers can be remembered. `guard_args` has, by label, the one argument its guard reads.
///
/// With deadlines nothing can be told: entering and leaving states start and stop them.
pub(crate) fn actions(
    tables: &Tables,
    kinds: &[StateKind],
    has_deadlines: bool,
    guard_args: &[Option<u32>],
) -> (Vec<Action>, Vec<Choice>, u32) {
    let mut layout = Layout { tables, kinds, guard_args, choices: Vec::new(), memos: 0 };
    let actions = tables.rows.iter().map(|row| match row.of(&tables.order) {
        [] => Action::Skip,
        _ if has_deadlines => Action::Ask,
        moves => layout.row(moves),
    });
    let actions = actions.collect();
    (actions, layout.choices, layout.memos)
}

struct Layout<'a> {
    tables: &'a Tables,
    kinds: &'a [StateKind],
    guard_args: &'a [Option<u32>],
    choices: Vec<Choice>,
    memos: u32,
}

impl Layout<'_> {
    fn row(&mut self, moves: &[u32]) -> Action {
        let start = self.choices.len();
        for number in moves {
            let step = &self.tables.moves[*number as usize];
            let label = self.tables.labels.get(step.labels.start as usize);
            let Some(label) = label.filter(|l| self.is_simple(step, l)) else {
                self.choices.push(Choice { label: NONE, memo: NONE, arg: 0, then: Action::Ask });
                break;
            };
            let is_sure = label.arity == NONE && label.tests.is_empty() && label.guard == NONE;
            let then = self.outcome(step);
            let arg = self.guard_args[step.labels.start as usize].unwrap_or(0);
            let memo = match label.guard {
                NONE => NONE,
                _ => {
                    self.memos += 1;
                    self.memos - 1
                }
            };
            let label = if is_sure { NONE } else { step.labels.start };
            self.choices.push(Choice { label, memo, arg, then });
            if is_sure {
                break;
            }
        }
        match self.choices[start..] {
            // There is nothing to choose.
            [Choice { label: NONE, then, .. }] => {
                self.choices.truncate(start);
                then
            }
            _ => Action::Choose(Range { start: start as u32, end: self.choices.len() as u32 }),
        }
    }

    /// Whether a move's label looks at arguments alone, and nothing is run when it is taken.
    fn is_simple(&self, step: &Move, label: &LabelRow) -> bool {
        let is_constant =
            |t: &step::Test| t.key == NONE && matches!(t.place, step::Place::Constant(_));
        let is_known = label.guard == NONE
            || step.otherwise == NONE && self.guard_args[step.labels.start as usize].is_some();
        let Some(branch) = self.tables.branches.get(step.then as usize) else { return false };
        let entry = match branch.target {
            step::Target::State(state) => self.tables.states[state as usize].entry,
            step::Target::Stay | step::Target::Drop => NONE,
        };
        is_known
            && label.tests.of(&self.tables.tests).iter().all(is_constant)
            && label.late.is_empty()
            && branch.update == NONE
            && entry == NONE
    }

    /// What a simple move comes to. Where others are told of it, the machine is asked after all.
    fn outcome(&self, step: &Move) -> Action {
        match self.tables.branches[step.then as usize].target {
            step::Target::Stay => Action::Stay,
            step::Target::State(state)
                if matches!(self.kinds[state as usize], StateKind::Normal | StateKind::Pending) =>
            {
                Action::Go(state)
            }
            step::Target::State(_) | step::Target::Drop => Action::Ask,
        }
    }
}

/// The argument a label's guard reads, if it reads at most one, and nothing else that can change.
pub(crate) fn guard_arg(label: &Label) -> Option<u32> {
    let guard = label.guard.as_ref()?;
    if effects::expr_writes(guard) {
        return None;
    }
    let bound = |local: Place| {
        let mut args = (0..)
            .zip(&label.args)
            .filter(|(_, p)| matches!(p, Pattern::Bind(place) if *place == local))
            .map(|(arg, _)| arg);
        let arg = args.next()?;
        args.next().is_none().then_some(arg)
    };
    let mut read: Option<u32> = None;
    let mut is_sole = true;
    effects::places_read(guard, &mut |place| {
        let arg = match place {
            Place::Arg(arg) => Some(arg),
            Place::Local(_) => bound(place),
            _ => None,
        };
        is_sole &= arg.is_some() && (read.is_none() || read == arg);
        read = arg;
    });
    is_sole.then_some(read.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchword_model::{BinaryOp, Expr, LocalId, Span, Value};

    fn label(args: Vec<Pattern>, guard: Expr) -> Label {
        Label { event: None, arity: None, args, guard: Some(guard), span: Span::NONE }
    }

    #[test]
    fn a_guard_of_one_argument_is_known_by_it() {
        let local = |n| Place::Local(LocalId(n));
        let read = |p| Box::new(Expr::Read(p));
        let one = Box::new(Expr::Const(Value::Int(1)));
        let same = |a, b| Expr::Binary(BinaryOp::Eq, a, b);
        let binds = vec![Pattern::Any, Pattern::Bind(local(0)), Pattern::Bind(local(1))];
        let sole = |guard| guard_arg(&label(binds.clone(), guard));
        assert_eq!(sole(same(read(local(0)), one.clone())), Some(1));
        assert_eq!(sole(same(read(local(0)), read(Place::Arg(1)))), Some(1));
        assert_eq!(sole(same(read(local(0)), read(local(1)))), None);
        assert_eq!(sole(same(read(local(2)), one.clone())), None);
        assert_eq!(sole(same(one.clone(), one)), Some(0));
    }
}
