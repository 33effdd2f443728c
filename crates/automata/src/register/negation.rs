//! Guards that hold exactly if other guards do not.

use std::collections::BTreeSet;

use super::{Label, Signature, Term, Test};
use crate::Error;

/// A guard as a set of tests, all of which must hold.
pub(super) type Conjunction = BTreeSet<Test>;

/// Guards of which at least one holds exactly if the `given` tests hold and none of the labels is
/// enabled: a disjunctive normal form, exponential in the number of labels at worst. Fails if there
/// are more than `limit`.
pub(super) fn none_enabled<'a>(
    given: &[Test],
    labels: impl Iterator<Item = &'a Label>,
    signature: &Signature,
    limit: usize,
) -> Result<Vec<Conjunction>, Error> {
    let mut guards = vec![given.iter().map(|&test| sorted(test)).collect::<Conjunction>()];
    for label in labels {
        let reasons = reasons_against(label, signature);
        let mut next: Vec<Conjunction> = Vec::new();
        for guard in &guards {
            if reasons.iter().any(|&reason| implies(guard, reason)) {
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

fn implies(guard: &Conjunction, test: Test) -> bool {
    match test {
        // Being of one kind is not being of another; this keeps transitions on different kinds
        // from multiplying.
        Test::NotKind(unwanted) => guard.iter().any(|&known| match known {
            Test::Kind(kind) => kind != unwanted,
            Test::NotKind(kind) => kind == unwanted,
            _ => false,
        }),
        _ => guard.contains(&test),
    }
}

fn is_contradictory(guard: &Conjunction) -> bool {
    let kinds = guard.iter().filter(|test| matches!(test, Test::Kind(_))).count();
    kinds > 1 || guard.iter().any(|&test| guard.contains(&test.negated()))
}
