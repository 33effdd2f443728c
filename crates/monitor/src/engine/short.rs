//! Moves that compare integers and count, without the machine.

use watchword_plan::{Action, Operand, Operation, Unit};
use watchword_step::{Range, Tag, Word, coerce, of_integers};

/// What the first of these moves comes to whose guard holds; the variable it assigns to has its
/// value then. [`Action::Ask`] if the machine must be asked; nothing has happened then.
#[inline]
pub(crate) fn decide(unit: &Unit, moves: Range, vars: &mut [Word], args: &[Word]) -> Action {
    for short in moves.of(&unit.shorts) {
        if let Some(guard) = &short.guard {
            match value(guard, vars, args) {
                Some(holds) if holds.bits != 0 => {}
                Some(_) => continue,
                None => return Action::Ask,
            }
        }
        if let Some((var, kind, operation)) = &short.update {
            let value = value(operation, vars, args).and_then(|word| coerce(word, *kind));
            let (Some(value), Some(var)) = (value, vars.get_mut(*var as usize)) else {
                return Action::Ask;
            };
            *var = value;
        }
        return short.then;
    }
    Action::Skip
}

#[inline]
fn value(operation: &Operation, vars: &[Word], args: &[Word]) -> Option<Word> {
    let integer = |operand: Operand| {
        let word = match operand {
            Operand::Constant(i) => return Some(i),
            Operand::Var(i) => vars.get(i as usize)?,
            Operand::Arg(i) => args.get(i as usize)?,
        };
        (word.tag == Tag::Int).then(|| word.as_int())
    };
    of_integers(operation.op, integer(operation.left)?, integer(operation.right)?)
}
