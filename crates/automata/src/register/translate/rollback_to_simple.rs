//! Lemma 4: rollback automata as simple automata, on a padded word.
//!
//! The simple automaton remembers the last letters, up to the length of the longest transition: the
//! kinds in its state, the values in additional registers. No value is stored twice, so its state
//! also knows which registers and remembered components are equal, and every guard of the rollback
//! automaton can be decided in advance. Padding letters at the end push the last letters through.
//!
//! Mended: the published construction lets the padding match any guard that asks for nothing, and
//! accepts whatever state the word ends in; here padding is a kind of its own that no guard matches,
//! and only states the rollback automaton accepts lead to the final one. Two new components of one
//! letter may be equal to each other, which the published guards cannot see; here they are compared.

use std::collections::HashMap;

use super::{Pinned, Places, assign, holds, injective, refuse_opaque, unused};
use crate::Error;
use crate::register::{
    Component, DataLetter, DataWord, Kind, Label, Register, RollbackAutomaton, Signature,
    SimpleAutomaton, StateId, Test, Value,
};

/// A rollback automaton as a simple one; made by [`RollbackAutomaton::to_simple`].
#[derive(Debug, Clone)]
pub struct Unrolled {
    automaton: SimpleAutomaton,
    padding: DataLetter,
    count: usize,
}

impl Unrolled {
    /// The simple automaton. Its signature has one kind more, that of the padding.
    pub fn automaton(&self) -> &SimpleAutomaton {
        &self.automaton
    }

    /// The word with the padding the simple automaton expects: one letter more than the longest
    /// transition reads. The simple automaton accepts only words of this form.
    pub fn encode(&self, word: &[DataLetter]) -> DataWord {
        let padding = std::iter::repeat_n(&self.padding, self.count);
        word.iter().chain(padding).cloned().collect()
    }
}

impl RollbackAutomaton {
    /// The simple automaton that accepts [`encode`](Unrolled::encode)`(w)` exactly if this
    /// automaton accepts `w` (Lemma 4). Fails if there are opaque tests.
    ///
    /// Exponential in the number of registers and the length of transitions; to find out whether
    /// the language is empty, use [`emptiness`](RollbackAutomaton::emptiness) instead.
    pub fn to_simple(&self) -> Result<Unrolled, Error> {
        self.to_simple_within(usize::MAX)
    }

    /// Like [`to_simple`](RollbackAutomaton::to_simple), but also fails if more than `limit` states
    /// are needed.
    pub fn to_simple_within(&self, limit: usize) -> Result<Unrolled, Error> {
        let labels =
            || self.outgoing.iter().flatten().flat_map(|transition| transition.steps.labels());
        refuse_opaque(labels())?;
        let pinned = Pinned::new(self.store.len(), labels());
        let (values, places) = injective(&pinned.store(&self.store));
        let window = self.states().map(|state| self.depth(state)).max().unwrap_or(0).max(1);
        let registers =
            self.store.len() + pinned.constants.len() + window * self.signature.max_arity();
        let mut store = values;
        // Only places in use are ever compared, so the others may hold anything.
        store.resize(registers, Value(0));

        let padding = Kind(self.signature.len() as u32);
        let arities = self.signature.kinds().map(|kind| self.signature.arity(kind)).chain([0]);
        let mut builder = Builder {
            rollback: self,
            pinned,
            window,
            padding,
            registers: registers as u32,
            simple: SimpleAutomaton::new(Signature::new(arities), store),
            ids: HashMap::new(),
            list: Vec::new(),
            limit,
        };
        builder.build(places)?;
        Ok(Unrolled {
            automaton: builder.simple,
            padding: DataLetter::new(padding, []),
            count: window + 1,
        })
    }
}

/// A remembered letter; its components are in registers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Slot {
    Letter(Kind, Places),
    Padding,
}

/// A state of the simple automaton: a rollback configuration without the values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Shape {
    state: StateId,
    registers: Places,
    window: Vec<Slot>,
}

impl Shape {
    /// The places that hold a value still needed.
    fn used(&self) -> Places {
        let mut used = self.registers.clone();
        for slot in &self.window {
            if let Slot::Letter(_, components) = slot {
                used.extend(components);
            }
        }
        used.sort_unstable();
        used.dedup();
        used
    }

    fn after(&self, consumed: usize, state: StateId, registers: Places) -> Shape {
        Shape { state, registers, window: self.window[consumed..].to_vec() }
    }
}

struct Builder<'a> {
    rollback: &'a RollbackAutomaton,
    pinned: Pinned,
    /// How many letters are remembered.
    window: usize,
    padding: Kind,
    registers: u32,
    simple: SimpleAutomaton,
    ids: HashMap<Shape, StateId>,
    list: Vec<(Shape, StateId)>,
    limit: usize,
}

impl Builder<'_> {
    fn build(&mut self, places: Places) -> Result<(), Error> {
        let first = Shape { state: self.rollback.start, registers: places, window: Vec::new() };
        self.ids.insert(first.clone(), self.simple.start());
        self.list.push((first, self.simple.start()));
        let accept = self.simple.add_state();
        self.simple.add_accepting(accept);
        let mut done = 0;
        while done < self.list.len() {
            let (shape, from) = self.list[done].clone();
            if shape.window.len() < self.window {
                self.remember(&shape, from)?;
            } else if shape.window[0] == Slot::Padding {
                // All letters are consumed; the last padding letter asks for the verdict.
                if self.rollback.is_accepting(shape.state) {
                    self.simple.add_transition(from, Label::kind(self.padding), accept);
                }
            } else {
                for next in self.moves(&shape) {
                    self.remember(&next, from)?;
                }
            }
            done += 1;
        }
        Ok(())
    }

    /// Adds the transitions that read a letter into the window of `shape`.
    fn remember(&mut self, shape: &Shape, from: StateId) -> Result<(), Error> {
        let mut padded = shape.clone();
        padded.window.push(Slot::Padding);
        self.connect(from, Label::kind(self.padding), padded)?;
        if shape.window.last() == Some(&Slot::Padding) {
            return Ok(());
        }
        let used = shape.used();
        let free: Vec<u32> = unused(self.registers, &used).collect();
        for kind in self.rollback.signature.kinds() {
            for places in arrangements(self.rollback.signature.arity(kind), &used, &free) {
                let label = recognise(kind, &places, &used);
                let mut next = shape.clone();
                next.window.push(Slot::Letter(kind, places));
                self.connect(from, label, next)?;
            }
        }
        Ok(())
    }

    fn connect(&mut self, from: StateId, label: Label, next: Shape) -> Result<(), Error> {
        let to = match self.ids.get(&next) {
            Some(&to) => to,
            None => {
                if self.simple.len() >= self.limit {
                    return Err(Error::limit("states", self.limit));
                }
                let to = self.simple.add_state();
                self.ids.insert(next.clone(), to);
                self.list.push((next, to));
                to
            }
        };
        self.simple.add_transition(from, label, to);
        Ok(())
    }

    /// What the rollback automaton can do with a full window, as in its definition.
    fn moves(&self, shape: &Shape) -> Vec<Shape> {
        let stay = || shape.after(1, shape.state, shape.registers.clone());
        let mut moves = Vec::new();
        for transition in self.rollback.transitions(shape.state) {
            let labels = transition.steps.labels();
            let after = labels
                .iter()
                .zip(&shape.window)
                .try_fold(shape.registers.clone(), |registers, (label, slot)| {
                    self.step(label, slot, &registers)
                });
            if let Some(registers) = after {
                moves.push(shape.after(labels.len(), transition.to, registers));
                if transition.keep {
                    moves.push(stay());
                }
            }
        }
        if moves.is_empty() {
            moves.push(stay());
        }
        moves
    }

    /// The places after a label reads a remembered letter; none if the label is not enabled.
    fn step(&self, label: &Label, slot: &Slot, registers: &Places) -> Option<Places> {
        let Slot::Letter(kind, components) = slot else { return None };
        if !label.possible_kinds(&self.rollback.signature).contains(kind) {
            return None;
        }
        let pinned = |test: Test| match test {
            Test::Equal(l, r) => Test::Equal(self.pinned.term(l), self.pinned.term(r)),
            Test::Differ(l, r) => Test::Differ(self.pinned.term(l), self.pinned.term(r)),
            other => other,
        };
        if !label.tests.iter().all(|&test| holds(pinned(test), registers, components)) {
            return None;
        }
        let mut assignments = label.assignments.clone();
        for assignment in &mut assignments {
            assignment.value = self.pinned.term(assignment.value);
        }
        Some(assign(&assignments, registers, components))
    }
}

/// All ways the components of a letter can relate to the values in use and to each other: each is
/// in a used place, or new, and then in the free place of its value.
fn arrangements(arity: usize, used: &[u32], free: &[u32]) -> Vec<Places> {
    let mut all = vec![Places::new()];
    for _ in 0..arity {
        all = all
            .into_iter()
            .flat_map(|places| {
                // New values take the free places in order, so one more than so far is possible.
                let places_taken = places.iter().filter_map(|p| free.iter().position(|f| f == p));
                let taken = places_taken.map(|last| last + 1).max().unwrap_or(0);
                let choices = used.iter().chain(&free[..taken + 1]);
                choices
                    .map(|&choice| places.iter().copied().chain([choice]).collect())
                    .collect::<Vec<Places>>()
            })
            .collect();
    }
    all
}

/// The label that is enabled exactly on the letters arranged like this, and stores new values.
fn recognise(kind: Kind, places: &Places, used: &[u32]) -> Label {
    let mut label = Label::kind(kind);
    let mut firsts: Vec<(u32, usize)> = Vec::new();
    for (j, &place) in places.iter().enumerate() {
        let component = Component(j);
        if used.contains(&place) {
            label = label.equal(Register(place), component);
        } else if let Some(&(_, first)) = firsts.iter().find(|(known, _)| *known == place) {
            label = label.equal(Component(first), component);
        } else {
            for &other in used {
                label = label.differ(Register(other), component);
            }
            for &(_, first) in &firsts {
                label = label.differ(Component(first), component);
            }
            label = label.set(Register(place), component);
            firsts.push((place, j));
        }
    }
    label
}
