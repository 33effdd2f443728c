//! The examples of the paper that introduced rollback automata.

use watchword_automata::register::*;

use super::{naive, words};

const C: Component = Component(0);

fn r(number: u32) -> Register {
    Register(number)
}

fn values(domain: u64) -> Vec<Value> {
    (0..domain).map(Value).collect()
}

/// {abc | a ≠ c and b ≠ c}, over the values except ⊥, which is value 0 here.
fn last_differs(word: &[Value]) -> bool {
    word.len() == 3 && word[0] != word[2] && word[1] != word[2]
}

fn example_1() -> PlainAutomaton {
    let mut automaton = PlainAutomaton::new([Value(0); 3]);
    let one = automaton.start();
    let [two, three, four] = std::array::from_fn(|_| automaton.add_state());
    automaton.add_transition(one, PlainLabel::Fresh(r(0)), two);
    automaton.add_transition(two, PlainLabel::Fresh(r(1)), three);
    automaton.add_transition(two, PlainLabel::Held(r(0)), three);
    automaton.add_transition(three, PlainLabel::Fresh(r(0)), four);
    automaton.add_accepting(four);
    automaton
}

fn example_2() -> SimpleAutomaton {
    let mut automaton = SimpleAutomaton::new(Signature::tuples(1), [Value(0); 2]);
    let one = automaton.start();
    let [two, three, four] = std::array::from_fn(|_| automaton.add_state());
    automaton.add_transition(one, Label::any().set(r(0), C), two);
    automaton.add_transition(two, Label::any().set(r(1), C), three);
    automaton.add_transition(three, Label::any().differ(r(0), C).differ(r(1), C), four);
    automaton.add_accepting(four);
    automaton
}

#[test]
fn examples_1_and_2_accept_the_same_language() {
    let (plain, simple) = (example_1(), example_2());
    for word in words(&values(4), 4) {
        // Only the first automaton needs an alphabet without ⊥.
        if !word.contains(&Value(0)) {
            assert_eq!(plain.accepts(&word), last_differs(&word), "{word:?}");
        }
        assert_eq!(simple.accepts(&unary_word(&word)), last_differs(&word), "{word:?}");
    }
    let Emptiness::Witness(word) = simple.emptiness() else { panic!("the language is not empty") };
    assert_eq!(word.len(), 3);
    assert_eq!(plain.to_simple().emptiness(), {
        let word = [1, 2, 3].map(Value);
        Emptiness::Witness(unary_word(&word))
    });
}

#[test]
fn example_3_simple_and_rollback_languages_differ() {
    let v = Value(2);
    let label = Label::any().equal(r(0), C);
    let mut simple = SimpleAutomaton::new(Signature::tuples(1), [v]);
    let end = simple.add_state();
    simple.add_transition(simple.start(), label.clone(), end);
    simple.add_accepting(end);
    let mut rollback = RollbackAutomaton::new(Signature::tuples(1), [v]);
    let end = rollback.add_state();
    rollback.add_transition(rollback.start(), label, end);
    rollback.add_accepting(end);
    for word in words(&values(4), 4) {
        assert_eq!(simple.accepts(&unary_word(&word)), word == [v], "{word:?}");
        assert_eq!(rollback.accepts(&unary_word(&word)), word.contains(&v), "{word:?}");
    }
}

fn example_4() -> RollbackAutomaton {
    let eq = |number: u32| Label::any().equal(r(number), C);
    let mut automaton = RollbackAutomaton::new(Signature::tuples(1), [Value(0), Value(1)]);
    let one = automaton.start();
    let [two, three] = std::array::from_fn(|_| automaton.add_state());
    automaton.add_transition(one, Steps::one(eq(1)).then(eq(0)).then(eq(1)), two);
    automaton.add_transition(one, eq(0), three);
    automaton.add_accepting(three);
    automaton
}

/// A is 0 and B is 1: the words whose first A is not surrounded by two Bs.
#[test]
fn example_4_looks_ahead() {
    let automaton = example_4();
    let simple = automaton.to_simple().unwrap();
    for word in words(&values(2), 8) {
        let first = word.iter().position(|&value| value == Value(0));
        let expected = first.is_some_and(|at| {
            !(at > 0 && word[at - 1] == Value(1) && word.get(at + 1) == Some(&Value(1)))
        });
        let letters = unary_word(&word);
        assert_eq!(automaton.accepts(&letters), expected, "{word:?}");
        assert_eq!(naive::rollback(&automaton, &letters, naive::NO), expected, "{word:?}");
        let translated = simple.automaton().accepts(&simple.encode(&letters));
        assert_eq!(translated, expected, "{word:?}");
    }
}

/// A fork behaves like TOPL's `start -> start: *`: overlapping matches are all found.
#[test]
fn forks_keep_the_source_after_one_letter() {
    let mut automaton = RollbackAutomaton::new(Signature::tuples(1), [Value(0)]);
    let start = automaton.start();
    let [pair, end] = std::array::from_fn(|_| automaton.add_state());
    let bind_then_same = Steps::one(Label::any().set(r(0), C)).then(Label::any().equal(C, r(0)));
    automaton.add_forking_transition(start, bind_then_same.clone(), pair);
    automaton.add_transition(pair, Label::any().differ(C, r(0)), end);
    automaton.add_accepting(end);
    let mut star = RollbackAutomaton::new(Signature::tuples(1), [Value(0)]);
    let [star_pair, star_end] = std::array::from_fn(|_| star.add_state());
    star.add_transition(start, Label::any(), start);
    star.add_transition(start, bind_then_same, star_pair);
    star.add_transition(star_pair, Label::any().differ(C, r(0)), star_end);
    star.add_accepting(star_end);
    for word in words(&values(3), 6) {
        let word = unary_word(&word);
        assert_eq!(automaton.accepts(&word), star.accepts(&word), "{word:?}");
    }
}

/// The property ListNotCyclic, over `next` events with receiver and result at once.
#[test]
fn list_not_cyclic_rebinds_without_bound() {
    let [get, next] = [Kind(0), Kind(1)];
    let (x, y) = (r(0), r(1));
    let mut automaton = RollbackAutomaton::new(Signature::new([1, 2]), [Value(0), Value(0)]);
    let start = automaton.start();
    let [a, b, error] = std::array::from_fn(|_| automaton.add_state());
    let step = |from, to| Label::matching(next, &[from, to]);
    use Pattern::{Bind, Same};
    automaton.add_transition(start, Label::any(), start);
    automaton.add_transition(start, Label::matching(get, &[Bind(x)]), a);
    automaton.add_transition(a, step(Same(x), Bind(x)), a);
    automaton.add_transition(a, step(Same(x), Bind(y)), b);
    automaton.add_transition(b, step(Same(y), Bind(y)), b);
    automaton.add_transition(b, step(Same(y), Same(x)), error);
    automaton.add_transition(a, step(Same(x), Same(x)), error);
    automaton.add_accepting(error);

    let walk = |nodes: &[u64]| {
        let first = DataLetter::new(get, [Value(nodes[0])]);
        let steps = nodes.windows(2).map(|n| DataLetter::new(next, [Value(n[0]), Value(n[1])]));
        std::iter::once(first).chain(steps).collect::<DataWord>()
    };
    assert!(!automaton.accepts(&walk(&[1, 2, 3, 4, 5, 6])));
    assert!(automaton.accepts(&walk(&[1, 2, 3, 4, 5, 1])));
    assert!(automaton.accepts(&walk(&[1, 2, 3, 4, 5, 3])), "pan-handle");
    assert!(automaton.accepts(&walk(&[1, 2, 2])));
    let Emptiness::Witness(word) = automaton.emptiness() else { panic!("it can fail") };
    assert_eq!(word.len(), 2);
    assert!(automaton.accepts(&word));
}
