//! The automata of formulas against the meaning of formulas on finite words.

use watchword_automata::finite::Letter;
use watchword_spec::ww::ltl::{Fragment, Ltl, Refusal, fragment, monitor};

use watchword_testing::Random;

/// The value of a formula at a position of a word that ended: `open` is what everything beyond
/// the end counts as. A formula is broken if it is false although the future may still be all it
/// asks for, and fulfilled if it is true although the future may be nothing of that.
fn value(formula: &Ltl, word: &[&Vec<usize>], at: usize, open: bool) -> bool {
    if at == word.len() {
        return open;
    }
    let now = |f: &Ltl| value(f, word, at, open);
    let later = |f: &Ltl| value(f, word, at + 1, open);
    let before = |f: &Ltl| at > 0 && value(f, word, at - 1, open);
    match formula {
        Ltl::Const(b) => *b,
        Ltl::Atom(a) => word[at].contains(a),
        Ltl::Not(a) => !value(a, word, at, !open),
        Ltl::And(a, b) => now(a) && now(b),
        Ltl::Or(a, b) => now(a) || now(b),
        Ltl::Iff(a, b) => {
            let not = |f: &Ltl| !value(f, word, at, !open);
            (now(a) && now(b)) || (not(a) && not(b))
        }
        Ltl::Next(a) => later(a),
        Ltl::Always(a) => now(a) && later(formula),
        Ltl::Eventually(a) => now(a) || later(formula),
        Ltl::Until(a, b) => now(b) || (now(a) && later(formula)),
        Ltl::WeakUntil(a, b) => now(b) || (now(a) && later(formula)),
        Ltl::Release(a, b) => now(b) && (now(a) || later(formula)),
        Ltl::Previous(a) => before(a),
        Ltl::Once(a) => now(a) || before(formula),
        Ltl::Historically(a) => now(a) && (at == 0 || before(formula)),
        Ltl::Since(a, b) => now(b) || (now(a) && before(formula)),
    }
}

fn random_formula(random: &mut Random, size: usize, past: bool) -> Ltl {
    if size == 0 {
        return match random.below(8) {
            0 => Ltl::Const(random.below(2) == 0),
            n => Ltl::Atom(n % 3),
        };
    }
    let choices = if past { 8 } else { 14 };
    let choice = random.below(choices);
    let past_operator = (4..8).contains(&choice);
    let mut sub = |size: usize| Box::new(random_formula(random, size, past || past_operator));
    match choice {
        0 => Ltl::Not(sub(size - 1)),
        1 => Ltl::And(sub(size / 2), sub((size - 1) / 2)),
        2 => Ltl::Or(sub(size / 2), sub((size - 1) / 2)),
        3 => Ltl::Iff(sub(size / 2), sub((size - 1) / 2)),
        4 => Ltl::Previous(sub(size - 1)),
        5 => Ltl::Once(sub(size - 1)),
        6 => Ltl::Historically(sub(size - 1)),
        7 => Ltl::Since(sub(size / 2), sub((size - 1) / 2)),
        8 => Ltl::Next(sub(size - 1)),
        9 => Ltl::Always(sub(size - 1)),
        10 => Ltl::Eventually(sub(size - 1)),
        11 => Ltl::Until(sub(size / 2), sub((size - 1) / 2)),
        12 => Ltl::WeakUntil(sub(size / 2), sub((size - 1) / 2)),
        _ => Ltl::Release(sub(size / 2), sub((size - 1) / 2)),
    }
}

/// A formula is decided at the event that makes it irrecoverable, and not earlier or later.
#[test]
fn verdicts_come_with_the_event_that_decides() {
    // Three kinds of events: one satisfies atom 0, one atom 1, one atoms 1 and 2.
    let letters = vec![vec![0], vec![1], vec![1, 2]];
    let mut random = Random::new(7);
    let mut decided = [0, 0];
    let mut compiled = [0, 0];
    let mut held_at = 0;
    for _ in 0..20_000 {
        let size = 1 + random.below(7);
        let formula = random_formula(&mut random, size, false);
        let recalled = random_formula(&mut random, size, true);
        let Ok((kind, automaton)) = monitor(&formula, &[&recalled], &letters, 1000) else {
            continue;
        };
        let dfa = &automaton.dfa;
        let safety = kind == Fragment::Safety;
        compiled[usize::from(safety)] += 1;
        let length = random.below(7);
        let word: Vec<usize> = (0..length).map(|_| random.below(3)).collect();
        let run: Vec<Letter> = word.iter().map(|l| Letter(*l as u32)).collect();
        let state = dfa.run(&run).expect("the automaton is complete");
        let seen: Vec<&Vec<usize>> = word.iter().map(|l| &letters[*l]).collect();
        let expected = value(&formula, &seen, 0, safety) != safety;
        assert_eq!(dfa.is_accepting(state), expected, "{formula:?} after {word:?}");
        // Before that, the automaton says at which events another formula is true.
        let mut decided_yet = false;
        for at in 0..word.len() {
            let from = dfa.run(&run[..at]).expect("the automaton is complete");
            let held = automaton.held(from, word[at]);
            let is_true = value(&recalled, &seen, at, false);
            let open = |open: bool| value(&formula, &seen[..at], 0, open);
            decided_yet |= at > 0 && open(true) == open(false);
            let expected = if is_true && !decided_yet { vec![0] } else { vec![] };
            if !decided_yet {
                assert_eq!(held, expected, "{recalled:?} at {at} of {word:?}, beside {formula:?}");
                held_at += usize::from(is_true);
            }
        }
        decided[usize::from(expected)] += 1;
    }
    assert!(held_at > 1000, "{held_at}");
    assert!(compiled.iter().all(|n| *n > 2000), "co-safety, safety: {compiled:?}");
    assert!(decided.iter().all(|n| *n > 3000), "open, decided: {decided:?}");
}

#[test]
fn what_cannot_be_monitored_is_refused() {
    let atom = |n| Box::new(Ltl::Atom(n));
    let response = Ltl::Always(Box::new(Ltl::Or(
        Box::new(Ltl::Not(atom(0))),
        Box::new(Ltl::Eventually(atom(1))),
    )));
    assert_eq!(fragment(&response), Err(Refusal::Mixed));
    let past = Ltl::Once(Box::new(Ltl::Next(atom(0))));
    assert_eq!(fragment(&past), Err(Refusal::FutureInPast));
    assert_eq!(fragment(&Ltl::Next(atom(0))), Ok(Fragment::Safety));
    assert_eq!(fragment(&Ltl::Not(Box::new(Ltl::Always(atom(0))))), Ok(Fragment::CoSafety));
}

#[test]
fn formulas_that_grow_too_large_are_refused_soon() {
    // A conjunction of many independent promises doubles the states with each.
    let mut formula = Ltl::Const(true);
    for i in 0..14 {
        let delayed = (0..i).fold(Ltl::Atom(0), |f, _| Ltl::Next(Box::new(f)));
        let implied = Ltl::Or(Box::new(Ltl::Not(Box::new(Ltl::Atom(1)))), Box::new(delayed));
        formula = Ltl::And(Box::new(formula), Box::new(Ltl::Always(Box::new(implied))));
    }
    let begun = std::time::Instant::now();
    let _ = monitor(&formula, &[], &[vec![0], vec![1], vec![]], 2000);
    assert!(begun.elapsed().as_secs() < 20);
}
