//! Lemma 3: simple automata as rollback automata that never skip.

use std::collections::BTreeSet;

use crate::Error;
use crate::register::{Label, RollbackAutomaton, Signature, SimpleAutomaton, Term, Test};

impl SimpleAutomaton {
    /// The rollback automaton, with one state more and transitions of length one, that accepts
    /// exactly the words this automaton accepts (Lemma 3).
    ///
    /// Letters this automaton gets stuck on lead to the additional state, so nothing is skipped on
    /// the way to acceptance. The guards for that are the disjunctive normal form of “no transition
    /// is enabled”, which may be exponential in the number of transitions of a state.
    pub fn to_rollback(&self) -> RollbackAutomaton {
        self.to_rollback_within(usize::MAX).expect("no limit was given")
    }

    /// Like [`to_rollback`](SimpleAutomaton::to_rollback), but fails if some state would get more
    /// than `limit` additional transitions.
    pub fn to_rollback_within(&self, limit: usize) -> Result<RollbackAutomaton, Error> {
        let mut rollback = RollbackAutomaton::new(self.signature.clone(), self.store.clone());
        for _ in 1..self.len() {
            rollback.add_state();
        }
        rollback.start = self.start;
        rollback.accepting.clone_from(&self.accepting);
        let stuck = rollback.add_state();
        for state in self.states() {
            for (label, to) in self.transitions(state) {
                rollback.add_transition(state, label.clone(), *to);
            }
            let labels = self.transitions(state).iter().map(|(label, _)| label);
            for guard in none_enabled(labels, &self.signature, limit)? {
                let label = guard.into_iter().fold(Label::any(), Label::test);
                rollback.add_transition(state, label, stuck);
            }
        }
        Ok(rollback)
    }
}

type Conjunction = BTreeSet<Test>;

/// Guards of which at least one holds exactly if none of the labels is enabled.
fn none_enabled<'a>(
    labels: impl Iterator<Item = &'a Label>,
    signature: &Signature,
    limit: usize,
) -> Result<Vec<Conjunction>, Error> {
    let mut guards = vec![Conjunction::new()];
    for label in labels {
        let reasons = reasons_against(label, signature);
        let mut next: Vec<Conjunction> = Vec::new();
        for guard in &guards {
            if reasons.iter().any(|reason| guard.contains(reason)) {
                insert_weakest(&mut next, guard.clone());
                continue;
            }
            for &reason in &reasons {
                let mut guard = guard.clone();
                guard.insert(reason);
                if !is_contradictory(&guard) {
                    insert_weakest(&mut next, guard);
                }
            }
        }
        if next.len() > limit {
            return Err(Error::limit("transitions", limit));
        }
        guards = next;
    }
    Ok(guards)
}

/// Tests of which at least one holds exactly if the label is not enabled.
fn reasons_against(label: &Label, signature: &Signature) -> Vec<Test> {
    let needed = label.components_needed();
    // A letter may also be too short for the label; then the negated comparisons do not hold
    // either, since they mention the same components.
    let too_short =
        signature.kinds().filter(|&kind| signature.arity(kind) < needed).map(Test::Kind);
    let negated = label.tests.iter().map(|test| sorted(test.negated()));
    negated.filter(|&test| !is_absurd(test)).chain(too_short).collect()
}

/// Keeps only guards that no other guard implies.
fn insert_weakest(guards: &mut Vec<Conjunction>, guard: Conjunction) {
    if guards.iter().any(|weaker| weaker.is_subset(&guard)) {
        return;
    }
    guards.retain(|stronger| !guard.is_subset(stronger));
    guards.push(guard);
}

/// Comparisons are symmetric; one order makes equal tests equal.
fn sorted(test: Test) -> Test {
    match test {
        Test::Equal(left, right) => Test::Equal(left.min(right), left.max(right)),
        Test::Differ(left, right) => Test::Differ(left.min(right), left.max(right)),
        other => other,
    }
}

fn is_absurd(test: Test) -> bool {
    match test {
        Test::Differ(left, right) => left == right,
        Test::Equal(Term::Constant(left), Term::Constant(right)) => left != right,
        _ => false,
    }
}

fn is_contradictory(guard: &Conjunction) -> bool {
    let kinds = guard.iter().filter(|test| matches!(test, Test::Kind(_))).count();
    kinds > 1 || guard.iter().any(|&test| guard.contains(&test.negated()))
}
