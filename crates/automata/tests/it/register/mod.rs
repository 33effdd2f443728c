//! Register automata.

mod combining;
mod emptiness;
mod examples;
mod membership;
mod naive;
mod translations;

use watchword_automata::register::*;

use watchword_testing::Random;

/// All words over `letters` up to `length`, shortest first.
pub fn words<T: Clone>(letters: &[T], length: usize) -> Vec<Vec<T>> {
    let mut all = vec![vec![]];
    let mut from = 0;
    for _ in 0..length {
        let to = all.len();
        for i in from..to {
            for letter in letters {
                let mut word = all[i].clone();
                word.push(letter.clone());
                all.push(word);
            }
        }
        from = to;
    }
    all
}

/// All letters of the signature with values below `domain`.
pub fn letters(signature: &Signature, domain: u64) -> Vec<DataLetter> {
    let values: Vec<Value> = (0..domain).map(Value).collect();
    signature
        .kinds()
        .flat_map(|kind| {
            let arity = signature.arity(kind);
            words(&values, arity)
                .into_iter()
                .filter(move |tuple| tuple.len() == arity)
                .map(move |tuple| DataLetter::new(kind, tuple))
        })
        .collect()
}

/// All words of the signature with values below `domain`, as long as there are at most about 1500.
pub fn data_words(signature: &Signature, domain: u64) -> Vec<DataWord> {
    let letters = letters(signature, domain);
    let mut length = 1;
    while letters.len().pow(length + 1) < 1200 && length < 5 {
        length += 1;
    }
    words(&letters, length as usize)
}

/// What random automata look like.
#[derive(Clone, Copy)]
pub struct Style {
    pub states: usize,
    pub transitions: usize,
    pub registers: usize,
    pub max_arity: usize,
    /// The longest transition of a rollback automaton.
    pub depth: usize,
    pub constants: bool,
    pub opaque: bool,
}

impl Style {
    pub const SMALL: Style = Style {
        states: 3,
        transitions: 5,
        registers: 2,
        max_arity: 2,
        depth: 3,
        constants: true,
        opaque: false,
    };

    pub fn signature(&self, rng: &mut Random) -> Signature {
        let kinds = 1 + rng.below(2);
        Signature::new((0..kinds).map(|_| rng.below(self.max_arity + 1)).collect::<Vec<_>>())
    }

    pub fn store(&self, rng: &mut Random) -> Vec<Value> {
        (0..self.registers.min(1 + rng.below(self.registers + 1)))
            .map(|_| Value(rng.below(3) as u64))
            .collect()
    }

    fn term(&self, rng: &mut Random, signature: &Signature, registers: usize) -> Term {
        loop {
            match rng.below(5) {
                0 | 1 if registers > 0 => return Register(rng.below(registers) as u32).into(),
                2 | 3 if signature.max_arity() > 0 => {
                    return Component(rng.below(signature.max_arity())).into();
                }
                4 if self.constants => return Value(rng.below(2) as u64).into(),
                // Nothing else to choose from.
                _ if registers == 0 && signature.max_arity() == 0 => return Value(0).into(),
                _ => {}
            }
        }
    }

    pub fn label(&self, rng: &mut Random, signature: &Signature, registers: usize) -> Label {
        let mut label = Label::any();
        if rng.chance(50) {
            let kind = Kind(rng.below(signature.len()) as u32);
            let test = if rng.chance(80) { Test::Kind(kind) } else { Test::NotKind(kind) };
            label = label.test(test);
        }
        for _ in 0..rng.below(3) {
            // Mostly what properties ask: a component against something remembered.
            let left = match signature.max_arity() {
                arity if arity > 0 && rng.chance(80) => Component(rng.below(arity)).into(),
                _ => self.term(rng, signature, registers),
            };
            let right = match registers {
                0 => self.term(rng, signature, registers),
                _ if rng.chance(60) => Register(rng.below(registers) as u32).into(),
                _ => self.term(rng, signature, registers),
            };
            label =
                if rng.chance(60) { label.equal(left, right) } else { label.differ(left, right) };
        }
        if self.opaque && rng.chance(30) {
            let id = rng.below(2) as u32;
            let test = if rng.chance(60) { Test::Opaque(id) } else { Test::NotOpaque(id) };
            label = label.test(test);
        }
        for _ in 0..rng.below(3) {
            if registers > 0 {
                let register = Register(rng.below(registers) as u32);
                label = label.set(register, self.term(rng, signature, registers));
            }
        }
        label
    }

    pub fn simple(&self, rng: &mut Random) -> SimpleAutomaton {
        let signature = self.signature(rng);
        self.simple_over(rng, signature)
    }

    pub fn simple_over(&self, rng: &mut Random, signature: Signature) -> SimpleAutomaton {
        let store = self.store(rng);
        let registers = store.len();
        let mut automaton = SimpleAutomaton::new(signature.clone(), store);
        for _ in 0..1 + rng.below(self.states - 1) {
            automaton.add_state();
        }
        let states: Vec<_> = automaton.states().collect();
        for i in 0..self.transitions - rng.below(self.transitions / 2 + 1) {
            // The first transitions connect every state, so that longer words are needed.
            let connected = states.get(i).zip(states.get(i + 1));
            let (from, to) = connected.unwrap_or((rng.pick(&states), rng.pick(&states)));
            let (from, to) = (*from, *to);
            automaton.add_transition(from, self.label(rng, &signature, registers), to);
        }
        for (i, &state) in states.iter().enumerate() {
            if rng.chance(if i == 0 { 10 } else { 20 }) || i + 1 == states.len() {
                automaton.add_accepting(state);
            }
        }
        automaton
    }

    pub fn rollback(&self, rng: &mut Random) -> RollbackAutomaton {
        let signature = self.signature(rng);
        let store = self.store(rng);
        let registers = store.len();
        let mut automaton = RollbackAutomaton::new(signature.clone(), store);
        for _ in 0..1 + rng.below(self.states - 1) {
            automaton.add_state();
        }
        let states: Vec<_> = automaton.states().collect();
        for i in 0..self.transitions - rng.below(self.transitions / 2 + 1) {
            // The first transitions connect every state, so that longer words are needed.
            let connected = states.get(i).zip(states.get(i + 1));
            let (from, to) = connected.unwrap_or((rng.pick(&states), rng.pick(&states)));
            let (from, to) = (*from, *to);
            let mut steps = Steps::one(self.label(rng, &signature, registers));
            for _ in 0..rng.below(self.depth) {
                steps = steps.then(self.label(rng, &signature, registers));
            }
            if rng.chance(25) {
                automaton.add_forking_transition(from, steps, to);
            } else {
                automaton.add_transition(from, steps, to);
            }
        }
        for (i, &state) in states.iter().enumerate() {
            if rng.chance(if i == 0 { 10 } else { 20 }) || i + 1 == states.len() {
                automaton.add_accepting(state);
            }
        }
        automaton
    }
}

pub fn random_plain(rng: &mut Random) -> PlainAutomaton {
    let registers = 1 + rng.below(3);
    let store: Vec<_> = (0..registers).map(|_| Value(rng.below(3) as u64)).collect();
    let mut automaton = PlainAutomaton::new(store);
    for _ in 0..rng.below(4) {
        automaton.add_state();
    }
    let states: Vec<_> = automaton.states().collect();
    for _ in 0..1 + rng.below(8) {
        let register = Register(rng.below(registers) as u32);
        let fresh = rng.chance(50);
        let label = if fresh { PlainLabel::Fresh(register) } else { PlainLabel::Held(register) };
        automaton.add_transition(*rng.pick(&states), label, *rng.pick(&states));
    }
    for state in states {
        if rng.chance(40) {
            automaton.add_accepting(state);
        }
    }
    automaton
}
