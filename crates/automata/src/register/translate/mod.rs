//! The constructions that show the three models equally expressive (Lemmas 1 to 4).
//!
//! They are here to be read, tested and used on small automata; all but the first may be
//! exponential, and no analysis in this crate goes through them. Where the published proofs slip,
//! the module that builds the automaton says what was mended.

pub(super) mod plain_to_simple;
pub(super) mod rollback_to_simple;
pub(super) mod simple_to_plain;
pub(super) mod simple_to_rollback;

use super::{Assignment, Label, Register, Term, Test, Value};
use crate::Error;

/// Constants turned into registers that hold them from the start and are never written.
struct Pinned {
    /// How many registers the automaton has of its own.
    own: usize,
    /// Sorted; constant `i` is held by register `own + i`.
    constants: Vec<Value>,
}

impl Pinned {
    fn new<'a>(own: usize, labels: impl Iterator<Item = &'a Label>) -> Pinned {
        let mut constants: Vec<Value> = labels
            .flat_map(|label| label.terms())
            .filter_map(|term| match term {
                Term::Constant(value) => Some(value),
                _ => None,
            })
            .collect();
        constants.sort_unstable();
        constants.dedup();
        Pinned { own, constants }
    }

    /// Makes room for more constants.
    fn with(mut self, more: impl Iterator<Item = Value>) -> Pinned {
        self.constants.extend(more);
        self.constants.sort_unstable();
        self.constants.dedup();
        self
    }

    /// The store with the constants behind the automaton's own registers.
    fn store(&self, own: &[Value]) -> Vec<Value> {
        own.iter().chain(&self.constants).copied().collect()
    }

    fn register(&self, constant: Value) -> Register {
        Register::from_index(self.own + self.constants.partition_point(|&c| c < constant))
    }

    fn term(&self, term: Term) -> Term {
        match term {
            Term::Constant(value) => Term::Register(self.register(value)),
            other => other,
        }
    }
}

/// Where the values of an automaton's registers are in an automaton that never stores a value
/// twice: register `i` is simulated by register `places[i]`, so two registers hold the same value
/// exactly if their places are the same, and every test can be decided in advance.
type Places = Vec<u32>;

/// The place of a term, given the places of the registers and of the letter's components.
fn place(term: Term, registers: &Places, components: &[u32]) -> u32 {
    match term {
        Term::Register(register) => registers[register.index()],
        Term::Component(component) => components[component.0],
        Term::Constant(_) => unreachable!("constants were pinned to registers"),
    }
}

/// Whether a comparison holds; kinds are the caller's business.
fn holds(test: Test, registers: &Places, components: &[u32]) -> bool {
    match test {
        Test::Equal(left, right) => {
            place(left, registers, components) == place(right, registers, components)
        }
        Test::Differ(left, right) => {
            place(left, registers, components) != place(right, registers, components)
        }
        _ => true,
    }
}

/// The places after a sequence of assignments: a register is moved without touching any value.
fn assign(assignments: &[Assignment], registers: &Places, components: &[u32]) -> Places {
    let mut registers = registers.clone();
    for assignment in assignments {
        registers[assignment.register.index()] = place(assignment.value, &registers, components);
    }
    registers
}

/// The places below `total` that are not in use, in order.
fn unused(total: u32, used: &[u32]) -> impl Iterator<Item = u32> + '_ {
    (0..total).filter(|place| !used.contains(place))
}

/// Each distinct value once, in the order of first occurrence, and the place of each value.
fn injective(store: &[Value]) -> (Vec<Value>, Places) {
    let mut values: Vec<Value> = Vec::new();
    let places = store
        .iter()
        .map(|value| {
            let known = values.iter().position(|other| other == value);
            known.unwrap_or_else(|| {
                values.push(*value);
                values.len() - 1
            }) as u32
        })
        .collect();
    (values, places)
}

/// Fails if a label has an opaque test.
fn refuse_opaque<'a>(mut labels: impl Iterator<Item = &'a Label>) -> Result<(), Error> {
    let opaque = labels.find_map(|label| {
        label.tests.iter().find_map(|test| match test {
            Test::Opaque(id) | Test::NotOpaque(id) => Some(*id),
            _ => None,
        })
    });
    opaque.map_or(Ok(()), |id| Err(Error::opaque(id)))
}
