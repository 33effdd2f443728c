//! Labels: what a transition asks of one letter, and what it remembers of it.

use super::{DataLetter, Kind, Signature, Value};

/// A register of one particular automaton, numbered from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub u32);

impl Register {
    /// The register as an index into a store.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn from_index(index: usize) -> Self {
        Register(index as u32)
    }
}

/// A component of the letter being read, numbered from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Component(pub usize);

/// Something that has a value when a letter is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// What a register holds.
    Register(Register),
    /// A component of the letter.
    Component(Component),
    /// Always the same value.
    Constant(Value),
}

impl Term {
    /// The term's value; none if the letter lacks the component.
    pub(super) fn eval(self, store: &[Value], letter: &DataLetter) -> Option<Value> {
        match self {
            Term::Register(register) => Some(store[register.index()]),
            Term::Component(component) => letter.values.get(component.0).copied(),
            Term::Constant(value) => Some(value),
        }
    }

    fn component(self) -> Option<usize> {
        match self {
            Term::Component(component) => Some(component.0),
            _ => None,
        }
    }
}

impl From<Register> for Term {
    fn from(register: Register) -> Self {
        Term::Register(register)
    }
}

impl From<Component> for Term {
    fn from(component: Component) -> Self {
        Term::Component(component)
    }
}

impl From<Value> for Term {
    fn from(value: Value) -> Self {
        Term::Constant(value)
    }
}

/// One conjunct of a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// The letter is of this kind.
    Kind(Kind),
    /// The letter is of another kind.
    NotKind(Kind),
    /// Two terms have the same value.
    Equal(Term, Term),
    /// Two terms have different values.
    Differ(Term, Term),
    /// A test this library cannot look into, such as an order comparison, identified by the caller.
    Opaque(u32),
    /// The negation of the opaque test with the same number.
    NotOpaque(u32),
}

impl Test {
    /// The test that holds exactly if this one does not, on letters that have all components
    /// mentioned.
    pub fn negated(self) -> Test {
        match self {
            Test::Kind(kind) => Test::NotKind(kind),
            Test::NotKind(kind) => Test::Kind(kind),
            Test::Equal(left, right) => Test::Differ(left, right),
            Test::Differ(left, right) => Test::Equal(left, right),
            Test::Opaque(id) => Test::NotOpaque(id),
            Test::NotOpaque(id) => Test::Opaque(id),
        }
    }

    /// Whether only the caller can decide the test.
    pub fn is_opaque(self) -> bool {
        matches!(self, Test::Opaque(_) | Test::NotOpaque(_))
    }

    fn holds(self, store: &[Value], letter: &DataLetter, opaque: &mut Oracle<'_>) -> bool {
        let both =
            |left: Term, right: Term| left.eval(store, letter).zip(right.eval(store, letter));
        match self {
            Test::Kind(kind) => letter.kind == kind,
            Test::NotKind(kind) => letter.kind != kind,
            Test::Equal(left, right) => both(left, right).is_some_and(|(l, r)| l == r),
            Test::Differ(left, right) => both(left, right).is_some_and(|(l, r)| l != r),
            Test::Opaque(id) => opaque(id, store, letter),
            Test::NotOpaque(id) => !opaque(id, store, letter),
        }
    }

    /// The terms compared.
    pub(super) fn terms(self) -> impl Iterator<Item = Term> {
        let terms = match self {
            Test::Equal(left, right) | Test::Differ(left, right) => [Some(left), Some(right)],
            _ => [None, None],
        };
        terms.into_iter().flatten()
    }
}

/// Decides opaque tests: gets the test's number, the store and the letter.
pub type Oracle<'a> = dyn FnMut(u32, &[Value], &DataLetter) -> bool + 'a;

/// `register := value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Assignment {
    /// The register written.
    pub register: Register,
    /// Where the value comes from.
    pub value: Term,
}

/// A guard, the conjunction of its tests, and an action, a sequence of assignments.
///
/// All tests read the store before the assignments; each assignment sees the effect of earlier
/// ones. A label is not enabled on a letter that lacks a component the label mentions.
///
/// ```
/// use watchword_automata::register::{Component, Kind, Label, Register};
///
/// // put(d, !v), remembering the new value in v
/// let [d, v] = [Register(0), Register(1)];
/// let label = Label::kind(Kind(0))
///     .equal(Component(0), d)
///     .differ(Component(1), v)
///     .set(v, Component(1));
/// assert_eq!(label.tests().len(), 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Label {
    pub(super) tests: Vec<Test>,
    pub(super) assignments: Vec<Assignment>,
}

impl Label {
    /// Matches every letter and does nothing.
    pub fn any() -> Self {
        Label::default()
    }

    /// Matches every letter of this kind and does nothing.
    pub fn kind(kind: Kind) -> Self {
        Label::any().test(Test::Kind(kind))
    }

    /// Adds a test.
    pub fn test(mut self, test: Test) -> Self {
        self.tests.push(test);
        self
    }

    /// Adds the test that both terms have the same value.
    pub fn equal(self, left: impl Into<Term>, right: impl Into<Term>) -> Self {
        self.test(Test::Equal(left.into(), right.into()))
    }

    /// Adds the test that the terms have different values.
    pub fn differ(self, left: impl Into<Term>, right: impl Into<Term>) -> Self {
        self.test(Test::Differ(left.into(), right.into()))
    }

    /// Adds an assignment after the ones already there.
    pub fn set(mut self, register: Register, value: impl Into<Term>) -> Self {
        self.assignments.push(Assignment { register, value: value.into() });
        self
    }

    /// The conjuncts of the guard.
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// The assignments, in order.
    pub fn assignments(&self) -> &[Assignment] {
        &self.assignments
    }

    /// The store after reading `letter`; none if the label is not enabled.
    pub fn step(
        &self,
        store: &[Value],
        letter: &DataLetter,
        opaque: &mut Oracle<'_>,
    ) -> Option<Vec<Value>> {
        if !self.tests.iter().all(|test| test.holds(store, letter, opaque)) {
            return None;
        }
        let mut store = store.to_vec();
        for assignment in &self.assignments {
            store[assignment.register.index()] = assignment.value.eval(&store, letter)?;
        }
        Some(store)
    }

    /// How many components a letter must have for the label to be enabled.
    pub fn components_needed(&self) -> usize {
        self.terms().filter_map(Term::component).map(|component| component + 1).max().unwrap_or(0)
    }

    /// The kinds whose letters have all components the label mentions and pass its kind tests.
    pub(super) fn possible_kinds(&self, signature: &Signature) -> Vec<Kind> {
        let needed = self.components_needed();
        signature
            .kinds()
            .filter(|&kind| signature.arity(kind) >= needed)
            .filter(|&kind| {
                self.tests.iter().all(|&test| match test {
                    Test::Kind(wanted) => wanted == kind,
                    Test::NotKind(unwanted) => unwanted != kind,
                    _ => true,
                })
            })
            .collect()
    }

    /// Every term mentioned, in tests and assignments.
    pub(super) fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        let tested = self.tests.iter().flat_map(|test| test.terms());
        tested.chain(self.assignments.iter().map(|assignment| assignment.value))
    }

    /// The same label for an automaton whose registers are numbered `by` higher.
    pub(super) fn shifted(&self, by: usize) -> Label {
        let register = |register: Register| Register(register.0 + by as u32);
        let term = |term: Term| match term {
            Term::Register(r) => Term::Register(register(r)),
            other => other,
        };
        Label {
            tests: self
                .tests
                .iter()
                .map(|&test| match test {
                    Test::Equal(left, right) => Test::Equal(term(left), term(right)),
                    Test::Differ(left, right) => Test::Differ(term(left), term(right)),
                    other => other,
                })
                .collect(),
            assignments: self
                .assignments
                .iter()
                .map(|a| Assignment { register: register(a.register), value: term(a.value) })
                .collect(),
        }
    }

    /// Panics unless every register and kind exists; every automaton's builder calls it.
    pub(super) fn check(&self, signature: &Signature, registers: usize) {
        for test in &self.tests {
            if let Test::Kind(kind) | Test::NotKind(kind) = test {
                assert!(signature.has(*kind), "{kind} is not in the signature");
            }
        }
        let written = self.assignments.iter().map(|assignment| assignment.register);
        let read = self.terms().filter_map(|term| match term {
            Term::Register(register) => Some(register),
            _ => None,
        });
        for register in read.chain(written) {
            assert!(register.index() < registers, "there is no register {}", register.0);
        }
    }
}
