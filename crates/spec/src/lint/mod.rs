//! What is allowed but hardly meant.
//!
//! Every check looks at the model alone, whatever language it came from. Checks say only what is
//! certain: guards, variables and values are taken to be anything unless they are constants.

mod always_fails;
mod circle;
mod classes;
mod constant_guard;
mod emptiness;
mod emptiness_names;
mod fold;
mod never_fails;
mod never_matches;
mod product;
mod reach;
mod shadowed;
mod sources;
mod unbound_param;
mod unreachable;
mod unused_binder;
mod unused_clock;
mod unused_event;
mod unused_function;
mod unused_variable;
pub(crate) mod walk;
mod window;

use watchword_model::{Lang, Model};

use crate::classes::Classes;
use crate::diagnostic::Diagnostic;
use classes::Dead;

pub use emptiness::{CanFail, can_fail};

/// Every check.
const CHECKS: &[fn(&Facts<'_>, &mut Vec<Diagnostic>)] = &[
    unreachable::check,
    shadowed::check,
    never_matches::check,
    never_fails::check,
    always_fails::check,
    constant_guard::check,
    unbound_param::check,
    unused_event::check,
    unused_variable::check,
    unused_function::check,
    unused_clock::check,
    unused_binder::check,
    product::check,
    window::check,
    circle::check,
];

/// What checks look at.
struct Facts<'m> {
    model: &'m Model,
    /// Which events can happen.
    possible: Vec<bool>,
    /// Which of them can happen or have a diagnostic of their own, so that no label and no state
    /// needs another one.
    accounted: Vec<bool>,
    /// What no method of the program makes happen.
    dead: Dead,
}

/// What checks found, in the words of the languages that the files are written in.
pub fn in_words_of(mut found: Vec<Diagnostic>, langs: &[Lang]) -> Vec<Diagnostic> {
    crate::larva::in_own_words(&mut found, |file| langs.get(file.index()) == Some(&Lang::Larva));
    found
}

/// Warnings about a model, by place.
pub fn lint(model: &Model) -> Vec<Diagnostic> {
    let possible = reach::possible_events(model);
    let accounted = possible.clone();
    all(&Facts { model, possible, accounted, dead: Dead::default() }, Vec::new())
}

/// Warnings about a model whose program is known: also events and labels whose methods do not
/// exist, and results that are looked at although there are none (errors).
pub fn lint_for(model: &Model, classes: &Classes<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let dead = classes::check(model, classes, &mut found);
    let accounted = reach::possible_events(model);
    let mut possible = accounted.clone();
    sources::check(model, classes, &mut possible, &mut found);
    all(&Facts { model, possible, accounted, dead }, found)
}

fn all(facts: &Facts<'_>, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    emptiness::check(facts, &mut found);
    for check in CHECKS {
        check(facts, &mut found);
    }
    // Transitions with alternatives are several in the model and one in the file.
    let mut seen: Vec<Diagnostic> = Vec::new();
    for diagnostic in found {
        if !seen.contains(&diagnostic) {
            seen.push(diagnostic);
        }
    }
    seen.sort_by_key(|d| (d.span.file, d.span.start));
    seen
}
