//! What an event does to an instance, as far as its state and the event's arguments tell it.
//!
//! Most transitions need no machine: they look at arguments alone, change nothing but the state,
//! and nobody is told. Those are laid out as lists of choices, the first of which that fits is
//! taken. Others compare integers and count, no more: they are laid out as short moves. What
//! remains, the machine is asked.

use watchword_model::{Expr, Label, Pattern, Place, StateKind, Value};
use watchword_step::{self as step, Binary, Kind, LabelRow, Move, NONE, Op, Range};

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
    /// What the first of these short moves says whose guard holds; nothing if none does.
    Short(Range),
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

/// A move that counts: its guard, or the only test of its label, compares two integers, and its update
/// puts the sum, difference … of two integers into a variable. Where one of them is no integer, or the
/// result is none, the machine must be asked; nothing has happened then.
#[derive(Clone, Copy, Debug)]
pub struct Short {
    /// The guard; `None` holds.
    pub guard: Option<Operation>,
    /// The variable that is assigned to, and what.
    pub update: Option<(u32, Kind, Operation)>,
    /// What happens then: no choice again.
    pub then: Action,
}

impl Short {
    const ASK: Short = Short { guard: None, update: None, then: Action::Ask };
}

/// An operation on two integers.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// Which.
    pub op: step::Binary,
    /// Its left operand.
    pub left: Operand,
    /// Its right operand.
    pub right: Operand,
}

/// Where an integer comes from.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    /// It is this one.
    Constant(i64),
    /// A variable of the instance.
    Var(u32),
    /// An argument of the event.
    Arg(u32),
}

/// What every state and kind of event comes to.
pub(crate) struct Actions {
    /// By state and, within it, kind of event.
    pub actions: Vec<Action>,
    /// What actions choose among.
    pub choices: Vec<Choice>,
    /// See [`Action::Short`].
    pub shorts: Vec<Short>,
    /// How many guards' answers can be remembered.
    pub memos: u32,
}

/// Lays the actions out. `guard_args` has, by label, the one argument its guard reads.
///
/// With deadlines nothing can be told: entering and leaving states start and stop them. Neither can
/// it where an event may enter a window of an instance whose state is not `settled`.
pub(crate) fn actions(
    tables: &Tables,
    kinds: &[StateKind],
    has_deadlines: bool,
    guard_args: &[Option<u32>],
    settled: &[bool],
) -> Actions {
    let (choices, shorts) = (Vec::new(), Vec::new());
    let mut layout = Layout { tables, kinds, guard_args, choices, shorts, memos: 0 };
    let kinds = tables.kinds.max(1) as usize;
    let enters = |at: usize| {
        let windows = tables.entering.get(at % kinds);
        windows.is_some_and(|windows| !windows.is_empty()) && !settled[at / kinds]
    };
    let actions = tables.rows.iter().enumerate().map(|(at, row)| match row.of(&tables.order) {
        _ if enters(at) => Action::Ask,
        [] => Action::Skip,
        _ if has_deadlines => Action::Ask,
        moves => match layout.row(moves) {
            Action::Ask => layout.short_row(moves),
            action => action,
        },
    });
    let actions = actions.collect();
    let Layout { choices, shorts, memos, .. } = layout;
    Actions { actions, choices, shorts, memos }
}

struct Layout<'a> {
    tables: &'a Tables,
    kinds: &'a [StateKind],
    guard_args: &'a [Option<u32>],
    choices: Vec<Choice>,
    shorts: Vec<Short>,
    memos: u32,
}

impl Layout<'_> {
    /// Moves the machine would have to be asked about, as short ones, as far as they are.
    fn short_row(&mut self, moves: &[u32]) -> Action {
        let start = self.shorts.len() as u32;
        for number in moves {
            let step = &self.tables.moves[*number as usize];
            let mut short = self.short(step).unwrap_or(Short::ASK);
            if short.then == Action::Ask {
                // The machine updates, too.
                short.update = None;
            }
            self.shorts.push(short);
            if short.guard.is_none() {
                break;
            }
        }
        match self.shorts[start as usize..] {
            [Short { guard: None, then: Action::Ask, .. }] => {
                self.shorts.truncate(start as usize);
                Action::Ask
            }
            _ => Action::Short(Range { start, end: self.shorts.len() as u32 }),
        }
    }

    fn short(&self, step: &Move) -> Option<Short> {
        let label = self.tables.labels.get(step.labels.start as usize)?;
        let branch = self.tables.branches.get(step.then as usize)?;
        let entry = match branch.target {
            step::Target::State(state) => self.tables.states[state as usize].entry,
            step::Target::Stay | step::Target::Drop => NONE,
        };
        let is_plain =
            label.admits_all() && label.late.is_empty() && step.otherwise == NONE && entry == NONE;
        let code = |at: u32| self.tables.code.get(at as usize..);
        let guard = match (label.tests.of(&self.tables.tests), label.guard) {
            ([], NONE) => None,
            ([test], NONE) => Some(self.test(test)?),
            ([], at) => match code(at)? {
                [a, b, Op::Binary(op), Op::Halt, ..] if is_comparison(*op) => {
                    Some(self.operation(label, *op, a, b)?)
                }
                _ => return None,
            },
            _ => return None,
        };
        let update = match branch.update {
            NONE => None,
            at => match code(at)? {
                [a, b, Op::Binary(op), Op::SetVar(var, kind), Op::Halt, ..]
                    if !is_comparison(*op) =>
                {
                    Some((u32::from(*var), *kind, self.operation(label, *op, a, b)?))
                }
                _ => return None,
            },
        };
        is_plain.then(|| Short { guard, update, then: self.outcome(step) })
    }

    /// The test of an argument for an integer, as a guard.
    fn test(&self, test: &step::Test) -> Option<Operation> {
        let step::Place::Constant(i) = test.place else { return None };
        let Value::Int(number) = *self.tables.constants.get(i as usize)? else { return None };
        let op = if test.same { Binary::Eq } else { Binary::Ne };
        let (left, right) = (Operand::Arg(test.arg), Operand::Constant(number));
        (test.key == NONE).then_some(Operation { op, left, right })
    }

    fn operation(&self, label: &LabelRow, op: Binary, a: &Op, b: &Op) -> Option<Operation> {
        let operand = |op: &Op| match *op {
            Op::Constant(i) => match self.tables.constants.get(i as usize)? {
                Value::Int(i) => Some(Operand::Constant(*i)),
                _ => None,
            },
            Op::Var(i) => Some(Operand::Var(i)),
            Op::Arg(i) => Some(Operand::Arg(i)),
            Op::Local(i) => {
                let binds = label.early.of(&self.tables.binds);
                let bind = binds.iter().rev().find(|b| b.place == step::Place::Local(i))?;
                Some(Operand::Arg(bind.arg))
            }
            _ => None,
        };
        Some(Operation { op, left: operand(a)?, right: operand(b)? })
    }

    fn row(&mut self, moves: &[u32]) -> Action {
        let start = self.choices.len();
        for number in moves {
            let step = &self.tables.moves[*number as usize];
            let label = self.tables.labels.get(step.labels.start as usize);
            let Some(label) = label.filter(|l| self.is_simple(step, l)) else {
                self.choices.push(Choice { label: NONE, memo: NONE, arg: 0, then: Action::Ask });
                break;
            };
            let is_sure = label.admits_all() && label.tests.is_empty() && label.guard == NONE;
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

fn is_comparison(op: Binary) -> bool {
    use Binary::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// The argument a label's guard reads, if it reads at most one, and nothing else that can change.
pub(crate) fn guard_arg(label: &Label) -> Option<u32> {
    let bound = |local: Place| {
        let mut args = (0..)
            .zip(&label.args)
            .filter(|(_, p)| matches!(p, Pattern::Bind(place) if *place == local))
            .map(|(arg, _)| arg);
        let arg = args.next()?;
        args.next().is_none().then_some(arg)
    };
    sole_arg(label.guard.as_ref()?, bound)
}

/// The argument a filter reads, if it reads at most one, and nothing else that can change.
pub(crate) fn filter_arg(filter: &Expr) -> Option<u32> {
    sole_arg(filter, |_| None)
}

fn sole_arg(guard: &Expr, bound: impl Fn(Place) -> Option<u32>) -> Option<u32> {
    if effects::expr_writes(guard) {
        return None;
    }
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
    use watchword_model::{Arity, BinaryOp, LocalId, Span};

    fn label(args: Vec<Pattern>, guard: Expr) -> Label {
        Label { event: None, arity: Arity::Any, args, guard: Some(guard), span: Span::NONE }
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
