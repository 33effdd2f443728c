//! Lemma 2: simple automata as plain register automata, on a flattened word.
//!
//! Letters become the sequence of their components, several times over: plain automata look at one
//! value at a time, so the first pass over the letter checks the guard and later passes carry out
//! the action. Then registers are made injective.
//!
//! Mended: the published last step produces labels that test for equality and store at the same
//! time, which plain automata do not have. Here the one register more than needed takes part in the
//! bookkeeping from the start: some register is always free, so a fresh value can be stored even if
//! the original label did not want it, and a value found in a free register is adopted by renaming.
//! Added: kinds (a component in front, if there are several), constants (registers that hold them)
//! and comparisons of components with each other (one more pass with a scratch register).

use std::collections::HashMap;

use super::{Pinned, Places, assign, holds, injective, refuse_opaque, unused};
use crate::Error;
use crate::register::{
    Component, DataLetter, Label, PlainAutomaton, PlainLabel, Register, Signature, SimpleAutomaton,
    StateId, Term, Test, Value,
};

/// A simple automaton as a plain register automaton; made by [`SimpleAutomaton::to_plain`].
#[derive(Debug, Clone)]
pub struct Flattened {
    automaton: PlainAutomaton,
    shape: Shape,
}

/// How a letter is written as a sequence of values.
#[derive(Debug, Clone)]
struct Shape {
    /// Whether the kind is written in front of the components.
    kind_first: bool,
    /// How many values one pass over a letter has.
    width: usize,
    /// How many times a letter is written.
    passes: usize,
}

impl Flattened {
    /// The plain automaton.
    pub fn automaton(&self) -> &PlainAutomaton {
        &self.automaton
    }

    /// The word the plain automaton reads in place of `word`.
    pub fn encode(&self, word: &[DataLetter]) -> Vec<Value> {
        word.iter().flat_map(|letter| self.shape.encode(letter)).collect()
    }
}

impl Shape {
    fn encode(&self, letter: &DataLetter) -> Vec<Value> {
        let kind = self.kind_first.then_some(kind_value(letter));
        let mut pass: Vec<Value> = kind.into_iter().chain(letter.values.iter().copied()).collect();
        // What short letters are filled up with does not matter: it is never looked at.
        pass.resize(self.width, Value(0));
        pass.repeat(self.passes)
    }
}

/// Kinds and data may share values: a kind is only ever compared with kinds.
fn kind_value(letter: &DataLetter) -> Value {
    Value(letter.kind.0.into())
}

impl SimpleAutomaton {
    /// The plain register automaton that accepts [`encode`](Flattened::encode)`(w)` exactly if this
    /// automaton accepts `w` (Lemma 2). Fails if there are opaque tests.
    pub fn to_plain(&self) -> Result<Flattened, Error> {
        self.to_plain_within(usize::MAX)
    }

    /// Like [`to_plain`](SimpleAutomaton::to_plain), but also fails if more than `limit` states are
    /// needed.
    pub fn to_plain_within(&self, limit: usize) -> Result<Flattened, Error> {
        refuse_opaque(self.outgoing.iter().flatten().map(|(label, _)| label))?;
        let (narrow, shape) = value_by_value(self);
        Ok(Flattened { automaton: make_injective(&narrow, limit)?, shape })
    }
}

/// Step 1: the same automaton reading one value at a time; all terms are registers or the value.
fn value_by_value(wide: &SimpleAutomaton) -> (SimpleAutomaton, Shape) {
    let signature = &wide.signature;
    let kind_first = signature.len() != 1 || signature.max_arity() == 0;
    let labels = || wide.outgoing.iter().flatten().map(|(label, _)| label);
    let kinds = signature.kinds().filter(|_| kind_first).map(|kind| Value(kind.0.into()));
    let pinned = Pinned::new(wide.store.len(), labels()).with(kinds);
    let scratch = Register::from_index(wide.store.len() + pinned.constants.len());

    let width = signature.max_arity() + usize::from(kind_first);
    let plans: Vec<Vec<(Vec<Label>, StateId)>> = wide
        .outgoing
        .iter()
        .map(|transitions| {
            transitions
                .iter()
                .filter(|(label, _)| !label.possible_kinds(signature).is_empty())
                .map(|(label, to)| {
                    let flat = flat_label(label, signature, kind_first, &pinned);
                    (passes(&flat, width, scratch), *to)
                })
                .collect()
        })
        .collect();
    let longest = plans.iter().flatten().map(|(labels, _)| labels.len()).max();
    let length = longest.unwrap_or(width).max(width);

    let mut store = pinned.store(&wide.store);
    let uses_scratch = |label: &Label| label.assignments.iter().any(|a| a.register == scratch);
    if plans.iter().flatten().any(|(labels, _)| labels.iter().any(uses_scratch)) {
        store.push(Value(0));
    }
    let mut narrow = SimpleAutomaton::new(Signature::tuples(1), store);
    for _ in 1..wide.len() {
        narrow.add_state();
    }
    narrow.start = wide.start;
    narrow.accepting.clone_from(&wide.accepting);
    for (state, plans) in wide.states().zip(plans) {
        for (mut labels, to) in plans {
            labels.resize(length, Label::any());
            let last = labels.pop().expect("a pass has at least one value");
            let mut from = state;
            for label in labels {
                let between = narrow.add_state();
                narrow.add_transition(from, label, between);
                from = between;
            }
            narrow.add_transition(from, last, to);
        }
    }
    (narrow, Shape { kind_first, width, passes: length / width })
}

/// The label over the values of one pass: kinds are compared like data, constants are registers.
fn flat_label(label: &Label, signature: &Signature, kind_first: bool, pinned: &Pinned) -> Label {
    let shift = usize::from(kind_first);
    let term = |term: Term| match term {
        Term::Component(Component(j)) => Term::Component(Component(j + shift)),
        other => pinned.term(other),
    };
    let mut flat = Label::any();
    if kind_first {
        // Also excludes the letters that lack a component the label mentions.
        let possible = label.possible_kinds(signature);
        for kind in signature.kinds().filter(|kind| !possible.contains(kind)) {
            flat = flat.differ(Component(0), pinned.register(Value(kind.0.into())));
        }
    }
    for &test in &label.tests {
        flat = match test {
            Test::Equal(left, right) => flat.equal(term(left), term(right)),
            Test::Differ(left, right) => flat.differ(term(left), term(right)),
            _ => flat,
        };
    }
    for assignment in &label.assignments {
        flat = flat.set(assignment.register, term(assignment.value));
    }
    flat
}

/// The labels of a path that reads a letter value by value, pass by pass.
fn passes(label: &Label, width: usize, scratch: Register) -> Vec<Label> {
    let value = Component(0);
    let here = |term: Term| match term {
        Term::Component(_) => Term::Component(value),
        other => other,
    };
    if width == 1 {
        // The only value is all there is to see: one look is enough.
        return vec![label.clone()];
    }
    let mut path = vec![Label::any(); width];
    let mut extra = Vec::new();
    for &test in &label.tests {
        let (Test::Equal(left, right) | Test::Differ(left, right)) = test else { continue };
        match (left, right) {
            (Term::Component(Component(i)), Term::Component(Component(j))) if i != j => {
                // A pass of its own: remember the first of the two, compare at the second.
                let mut pass = vec![Label::any(); width];
                let (first, second) = (i.min(j), i.max(j));
                pass[first] = Label::any().set(scratch, value);
                pass[second] = match test {
                    Test::Equal(..) => Label::any().equal(scratch, value),
                    _ => Label::any().differ(scratch, value),
                };
                extra.extend(pass);
            }
            _ => {
                let at = position(left).max(position(right));
                let test = match test {
                    Test::Equal(..) => Test::Equal(here(left), here(right)),
                    _ => Test::Differ(here(left), here(right)),
                };
                path[at].tests.push(test);
            }
        }
    }
    path.extend(extra);
    for assignment in &label.assignments {
        let mut pass = vec![Label::any(); width];
        let at = position(assignment.value);
        pass[at] = Label::any().set(assignment.register, here(assignment.value));
        path.extend(pass);
    }
    path
}

/// Where in a pass a term's value is seen; anywhere will do for a register.
fn position(term: Term) -> usize {
    match term {
        Term::Component(Component(j)) => j,
        _ => 0,
    }
}

/// Step 2: the same automaton with labels that only know “held by register i” and “held by none”.
fn make_injective(narrow: &SimpleAutomaton, limit: usize) -> Result<PlainAutomaton, Error> {
    let total = narrow.store.len() as u32 + 1;
    let (mut store, places) = injective(&narrow.store);
    let fillers = (0..).map(Value).filter(|filler| !narrow.store.contains(filler));
    let missing = total as usize - store.len();
    store.extend(fillers.take(missing));

    let mut plain = PlainAutomaton::new(store);
    let first = (narrow.start, places);
    let mut ids: HashMap<(StateId, Places), StateId> =
        HashMap::from([(first.clone(), plain.start())]);
    let mut list = vec![first];
    let mut done = 0;
    while done < list.len() {
        let (state, places) = list[done].clone();
        let from = StateId::from_index(done);
        if narrow.is_accepting(state) {
            plain.add_accepting(from);
        }
        let free = unused(total, &places).next().expect("there is one register more than needed");
        let cases = (0..total)
            .map(|held| (PlainLabel::Held(Register(held)), held))
            .chain([(PlainLabel::Fresh(Register(free)), free)]);
        for (case, value) in cases {
            for (label, to) in narrow.transitions(state) {
                // A fresh value is not yet in `free`, and nobody else's place is `free`, so the
                // comparisons come out right either way.
                if !label.tests.iter().all(|&test| holds(test, &places, &[value])) {
                    continue;
                }
                let next = (*to, assign(&label.assignments, &places, &[value]));
                let to = match ids.get(&next) {
                    Some(&to) => to,
                    None => {
                        if plain.len() >= limit {
                            return Err(Error::limit("states", limit));
                        }
                        let to = plain.add_state();
                        ids.insert(next.clone(), to);
                        list.push(next);
                        to
                    }
                };
                plain.add_transition(from, case, to);
            }
        }
        done += 1;
    }
    Ok(plain)
}
