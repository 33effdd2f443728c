//! Labels, branches and one step of an ordered automaton.

use crate::vm::{self, BUDGET, Frame};
use crate::{Host, LabelRow, NONE, NotRelevant, Program, StateRow, Target, Word, run};

/// What trying a label came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// Event, arity or a pattern do not fit.
    No,
    /// They do, but the guard is false.
    Refused,
    /// They do, but the guard is not relevant.
    NotRelevant,
    /// They do, but evaluating the guard hit a limit: whether it holds is not known.
    Limit,
    /// It matches, and its binds are stored.
    Yes,
}

/// A branch that was taken: the configuration's variables and registers are updated, outputs
/// are with the host. Leaving and entering states is left to the caller, who keeps the timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The move.
    pub step: u32,
    /// Its branch.
    pub branch: u32,
    /// Where it leads.
    pub target: Target,
}

/// What trying a move came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// Not enabled.
    No,
    /// The guard is not relevant.
    NotRelevant,
    /// What the move comes to is not known: its update failed, or its guard hit a limit. Nothing
    /// has changed.
    Failed,
    /// Taken.
    Taken(Taken),
}

/// What [`enter`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entered {
    /// Whether the event entered a window.
    pub any: bool,
    /// How many guards were not relevant.
    pub not_relevant: u32,
    /// Whether a value was not relevant or a limit was hit: what the windows come to is not known
    /// any more.
    pub failed: bool,
}

/// Tests a label on the event in `frame.args`, of which the first `arity` were given.
#[inline]
pub fn match_label<H: Host>(
    program: &Program<'_>,
    label: &LabelRow,
    kind: u32,
    arity: u32,
    frame: &mut Frame<'_>,
    saved: &mut [Word],
    host: &mut H,
) -> Matched {
    if (label.kind != NONE && label.kind != kind) || !label.admits(arity) {
        return Matched::No;
    }
    for test in label.tests.of(program.tests) {
        let arg = frame.args.get(test.arg as usize).copied().unwrap_or(Word::NULL);
        let held = frame.read(test.place, program);
        let same = if test.key == NONE {
            vm::same(arg, held, host)
        } else {
            run(program, test.key, frame, host, &mut { BUDGET }) == Ok(Word::bool(true))
        };
        // What holds nothing equals nothing and differs from everything.
        if (held.is_set() && same) != test.same {
            return Matched::No;
        }
    }
    bind(program, label.early, frame);
    if label.guard != NONE {
        let outputs = host.outputs();
        if label.impure {
            save(program, frame, saved);
        }
        let value = run(program, label.guard, frame, host, &mut { BUDGET });
        if label.impure {
            restore(program, frame, saved);
            host.discard(outputs);
        }
        match value {
            Ok(word) if word == Word::bool(true) => {}
            Ok(word) if word == Word::bool(false) => return Matched::Refused,
            Ok(_) => {
                host.failed(NotRelevant::WrongKind);
                return Matched::NotRelevant;
            }
            Err(NotRelevant::Limit | NotRelevant::Memory) => return Matched::Limit,
            Err(_) => return Matched::NotRelevant,
        }
    }
    Matched::Yes
}

/// Stores arguments: the second half of a label that matched.
pub fn bind(program: &Program<'_>, binds: crate::Range, frame: &mut Frame<'_>) {
    for bind in binds.of(program.binds) {
        let word = frame.args.get(bind.arg as usize).copied().unwrap_or(Word::NULL);
        frame.write(bind.place, word);
    }
}

/// Runs a branch: its update, then the entry action of its target, with one budget.
///
/// # Errors
/// If it is not relevant. Outputs are discarded; the caller restores variables and registers.
pub fn run_branch<H: Host>(
    program: &Program<'_>,
    branch: u32,
    frame: &mut Frame<'_>,
    host: &mut H,
) -> Result<Target, NotRelevant> {
    let row = program.branches.get(branch as usize).ok_or(NotRelevant::Limit)?;
    let outputs = host.outputs();
    let mut budget = BUDGET;
    let entry = match row.target {
        Target::State(state) => {
            program.states.get(state as usize).map_or(NONE, |StateRow { entry, .. }| *entry)
        }
        Target::Stay | Target::Drop => NONE,
    };
    for code in [row.update, entry] {
        if code == NONE {
            continue;
        }
        if let Err(why) = run(program, code, frame, host, &mut budget) {
            host.discard(outputs);
            return Err(why);
        }
    }
    Ok(row.target)
}

/// Tries one move with one label. Variables and registers change only if it is taken; `saved`
/// is as long as variables, registers and locals together.
#[inline]
pub fn try_move<H: Host>(
    program: &Program<'_>,
    step: u32,
    kind: u32,
    arity: u32,
    frame: &mut Frame<'_>,
    saved: &mut [Word],
    host: &mut H,
) -> Tried {
    let Some(row) = program.moves.get(step as usize) else { return Tried::No };
    let Some(label) = program.labels.get(row.labels.start as usize) else { return Tried::No };
    if let Some(locals) = frame.stack.get_mut(..program.locals as usize) {
        locals.fill(Word::UNSET);
    }
    let (branch, late) = match match_label(program, label, kind, arity, frame, saved, host) {
        Matched::No => return Tried::No,
        Matched::NotRelevant => return Tried::NotRelevant,
        Matched::Limit => return Tried::Failed,
        Matched::Yes => (row.then, label.late),
        // A label that was refused has bound its locals, but written nothing that lasts.
        Matched::Refused if row.otherwise != NONE => (row.otherwise, crate::Range::default()),
        Matched::Refused => return Tried::No,
    };
    save(program, frame, saved);
    bind(program, late, frame);
    match run_branch(program, branch, frame, host) {
        Ok(target) => Tried::Taken(Taken { step, branch, target }),
        Err(_) => {
            restore(program, frame, saved);
            Tried::Failed
        }
    }
}

/// Lets an event enter the windows whose labels it matches, before it is offered to transitions.
pub fn enter<H: Host>(
    program: &Program<'_>,
    kind: u32,
    arity: u32,
    frame: &mut Frame<'_>,
    saved: &mut [Word],
    host: &mut H,
) -> Entered {
    let mut entered = Entered { any: false, not_relevant: 0, failed: false };
    let Some(windows) = program.entering.get(kind as usize) else { return entered };
    for window in windows.of(program.windows) {
        let Some(label) = program.labels.get(window.label as usize) else { continue };
        if let Some(locals) = frame.stack.get_mut(..program.locals as usize) {
            locals.fill(Word::UNSET);
        }
        match match_label(program, label, kind, arity, frame, saved, host) {
            Matched::No | Matched::Refused => continue,
            Matched::NotRelevant => {
                entered.not_relevant += 1;
                continue;
            }
            Matched::Limit => return Entered { failed: true, ..entered },
            Matched::Yes => {}
        }
        let value = match window.of {
            NONE => Ok(Word::NULL),
            of => run(program, of, frame, host, &mut { BUDGET }),
        };
        let Ok(value) = value else { return Entered { failed: true, ..entered } };
        let held = frame.read(crate::Place::Var(window.var), program);
        let word = match host.enter(held, window, value) {
            Ok(word) => word,
            Err(why) => {
                host.failed(why);
                return Entered { failed: true, ..entered };
            }
        };
        frame.write(crate::Place::Var(window.var), word);
        entered.any = true;
    }
    entered
}

/// Copies variables, registers and locals aside; `saved` has room for all of them.
pub fn save(program: &Program<'_>, frame: &Frame<'_>, saved: &mut [Word]) {
    let locals = frame.stack.iter().take(program.locals as usize);
    let all = frame.vars.iter().chain(frame.registers.iter()).chain(locals);
    for (to, from) in saved.iter_mut().zip(all) {
        *to = *from;
    }
}

/// Copies variables, registers and locals back.
pub fn restore(program: &Program<'_>, frame: &mut Frame<'_>, saved: &[Word]) {
    let locals = frame.stack.iter_mut().take(program.locals as usize);
    let all = frame.vars.iter_mut().chain(frame.registers.iter_mut()).chain(locals);
    for (to, from) in all.zip(saved) {
        *to = *from;
    }
}

/// The moves to try in a state on a kind of event, in order.
#[inline]
pub fn moves<'a>(program: &Program<'a>, state: u32, kind: u32) -> &'a [u32] {
    let row = state as usize * program.kinds as usize + kind as usize;
    program.rows.get(row).map_or(&[], |range| range.of(program.order))
}

/// One step of an ordered automaton: the first enabled move is taken, or fails.
///
/// Gives what came of it, never [`Tried::NotRelevant`], and how many moves were not relevant before
/// it.
#[inline]
pub fn step<H: Host>(
    program: &Program<'_>,
    state: u32,
    kind: u32,
    arity: u32,
    frame: &mut Frame<'_>,
    saved: &mut [Word],
    host: &mut H,
) -> (Tried, u32) {
    let mut not_relevant = 0;
    for &number in moves(program, state, kind) {
        match try_move(program, number, kind, arity, frame, saved, host) {
            Tried::No => {}
            Tried::NotRelevant => not_relevant += 1,
            tried @ (Tried::Taken(_) | Tried::Failed) => return (tried, not_relevant),
        }
    }
    (Tried::No, not_relevant)
}
