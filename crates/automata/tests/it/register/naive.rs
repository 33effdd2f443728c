//! The definitions once more, as recursive functions that share no code with the library.

use watchword_automata::register::*;

pub type Oracle<'a> = &'a dyn Fn(u32, &[Value], &DataLetter) -> bool;

pub const NO: Oracle<'static> = &|_, _, _| false;

fn eval(term: Term, store: &[Value], letter: &DataLetter) -> Value {
    match term {
        Term::Register(Register(i)) => store[i as usize],
        Term::Component(Component(j)) => letter.values[j],
        Term::Constant(value) => value,
    }
}

/// The largest component a label mentions, counted from one.
fn needed(label: &Label) -> usize {
    let mut terms: Vec<Term> = label.assignments().iter().map(|a| a.value).collect();
    for test in label.tests() {
        if let Test::Equal(left, right) | Test::Differ(left, right) = test {
            terms.extend([*left, *right]);
        }
    }
    let component = |term: Term| match term {
        Term::Component(Component(j)) => j + 1,
        _ => 0,
    };
    terms.into_iter().map(component).max().unwrap_or(0)
}

fn step(label: &Label, store: &[Value], letter: &DataLetter, oracle: Oracle) -> Option<Vec<Value>> {
    if needed(label) > letter.values.len() {
        return None;
    }
    for test in label.tests() {
        let holds = match *test {
            Test::Kind(kind) => letter.kind == kind,
            Test::NotKind(kind) => letter.kind != kind,
            Test::Equal(left, right) => eval(left, store, letter) == eval(right, store, letter),
            Test::Differ(left, right) => eval(left, store, letter) != eval(right, store, letter),
            Test::Opaque(id) => oracle(id, store, letter),
            Test::NotOpaque(id) => !oracle(id, store, letter),
        };
        if !holds {
            return None;
        }
    }
    let mut store = store.to_vec();
    for assignment in label.assignments() {
        let value = eval(assignment.value, &store, letter);
        store[assignment.register.0 as usize] = value;
    }
    Some(store)
}

/// Definitions 1 and 2.
pub fn simple(automaton: &SimpleAutomaton, word: &[DataLetter], oracle: Oracle) -> bool {
    simple_from(automaton, automaton.start(), automaton.initial_store(), word, oracle)
}

fn simple_from(
    automaton: &SimpleAutomaton,
    state: StateId,
    store: &[Value],
    word: &[DataLetter],
    oracle: Oracle,
) -> bool {
    let Some((letter, rest)) = word.split_first() else { return automaton.is_accepting(state) };
    automaton.transitions(state).iter().any(|(label, to)| {
        step(label, store, letter, oracle)
            .is_some_and(|store| simple_from(automaton, *to, &store, rest, oracle))
    })
}

/// Like [`simple`], but of the enabled transitions only the first is taken.
pub fn ordered(automaton: &SimpleAutomaton, word: &[DataLetter], oracle: Oracle) -> bool {
    let mut state = automaton.start();
    let mut store = automaton.initial_store().to_vec();
    for letter in word {
        let first = automaton
            .transitions(state)
            .iter()
            .find_map(|(label, to)| step(label, &store, letter, oracle).map(|store| (*to, store)));
        let Some(next) = first else { return false };
        (state, store) = next;
    }
    automaton.is_accepting(state)
}

/// Definitions 5 and 6, and forks.
pub fn rollback(automaton: &RollbackAutomaton, word: &[DataLetter], oracle: Oracle) -> bool {
    rollback_from(automaton, automaton.start(), automaton.initial_store(), word, oracle)
}

fn rollback_from(
    automaton: &RollbackAutomaton,
    state: StateId,
    store: &[Value],
    word: &[DataLetter],
    oracle: Oracle,
) -> bool {
    if word.is_empty() {
        return automaton.is_accepting(state);
    }
    let mut started = false;
    for transition in automaton.transitions(state) {
        let mut after = Some(store.to_vec());
        let mut rest = word;
        for label in transition.steps.labels() {
            after = match (after, rest.split_first()) {
                (Some(store), Some((letter, others))) => {
                    rest = others;
                    step(label, &store, letter, oracle)
                }
                _ => None,
            };
        }
        let Some(after) = after else { continue };
        started = true;
        if rollback_from(automaton, transition.to, &after, rest, oracle) {
            return true;
        }
        if transition.keep && rollback_from(automaton, state, store, &word[1..], oracle) {
            return true;
        }
    }
    !started && rollback_from(automaton, state, store, &word[1..], oracle)
}

/// Definition 3.
pub fn plain(automaton: &PlainAutomaton, word: &[Value]) -> bool {
    plain_from(automaton, automaton.start(), automaton.initial_store(), word)
}

fn plain_from(automaton: &PlainAutomaton, state: StateId, store: &[Value], word: &[Value]) -> bool {
    let Some((value, rest)) = word.split_first() else { return automaton.is_accepting(state) };
    automaton.transitions(state).iter().any(|&(label, to)| match label {
        PlainLabel::Fresh(Register(i)) => {
            let mut after = store.to_vec();
            after[i as usize] = *value;
            store.iter().all(|held| held != value) && plain_from(automaton, to, &after, rest)
        }
        PlainLabel::Held(Register(i)) => {
            store[i as usize] == *value && plain_from(automaton, to, store, rest)
        }
    })
}
