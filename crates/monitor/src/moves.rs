//! Moves, told together.

use std::collections::HashMap;
use std::sync::Arc;

use watchword_model::{Key, PropertyId};

use crate::Move;

/// What tells an instance from others: its property, and its bound parameters.
type Name = (PropertyId, Vec<(Arc<str>, Key)>);

/// Moves that are told as one: how many, and the last of them.
pub type Merged = (u64, Move);

/// Of each instance's moves, all but those among the last `most` become one. Whoever shows moves as they
/// come then has as much to draw as there are instances, however many moves there were.
pub fn merge_moves(mut moves: Vec<Move>, most: usize) -> Vec<Merged> {
    let single = moves.split_off(moves.len().saturating_sub(most));
    let mut places: HashMap<Name, usize> = HashMap::new();
    let mut merged: Vec<Merged> = Vec::new();
    for step in moves {
        let binding = step.binding.iter().map(|(name, value)| (name.clone(), value.identity()));
        let binding = binding.collect();
        let place = *places.entry((step.property, binding)).or_insert(merged.len());
        match merged.get_mut(place) {
            Some((times, last)) => (*times, *last) = (*times + 1, step),
            None => merged.push((1, step)),
        }
    }
    merged.extend(single.into_iter().map(|step| (1, step)));
    merged
}

#[cfg(test)]
mod tests {
    use watchword_model::{StateId, Value};

    use super::*;
    use crate::Cause;

    fn step(of: i64, to: u32) -> Move {
        Move {
            property: PropertyId(0),
            from: StateId(0),
            to: Some(StateId(to)),
            binding: vec![("x".into(), Value::Int(of))],
            event: None,
            args: Vec::new(),
            cause: Cause::Event,
            index: u64::from(to),
            time: None,
        }
    }

    #[test]
    fn every_instance_is_where_it_moved_last_and_no_move_is_lost() {
        let moves = vec![step(1, 1), step(2, 2), step(1, 3), step(1, 4), step(2, 5)];
        let brief = |all: Vec<Merged>| -> Vec<(u64, u64)> {
            all.into_iter().map(|(times, step)| (times, step.index)).collect()
        };
        assert_eq!(brief(merge_moves(moves.clone(), 2)), [(2, 3), (1, 2), (1, 4), (1, 5)]);
        assert_eq!(brief(merge_moves(moves.clone(), 0)), [(3, 4), (2, 5)]);
        assert_eq!(merge_moves(moves.clone(), 9).len(), 5);
    }
}
