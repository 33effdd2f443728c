//! The automata behind `never R` and `only R`.

use super::{Alphabet, Dfa, Regex, StateId};
use crate::Error;

/// The minimal complete automaton that monitors `never R`.
///
/// It accepts the words whose last events, at least one, form a match of `regex`: whenever an event
/// enters an accepting state, also from an accepting state, that event completes a match and is
/// reported. The empty match is no match, as there is no event to report, so the start state is
/// never accepting.
///
/// ```
/// use watchword_automata::finite::{Alphabet, Letter, Regex, never_dfa};
///
/// // never create next* update+ next
/// let [create, update, next] = [Letter(0), Letter(1), Letter(2)];
/// let [c, u, n] = [create, update, next].map(Regex::letter);
/// let regex = c.then(n.clone().star()).then(u.plus()).then(n);
/// let dfa = never_dfa(&regex, Alphabet::new(3));
///
/// let mut state = dfa.start();
/// let reports: Vec<bool> = [create, next, update, update, next, next]
///     .into_iter()
///     .map(|event| {
///         state = dfa.next(state, event).expect("the automaton is complete");
///         dfa.is_accepting(state)
///     })
///     .collect();
/// assert_eq!(reports, [false, false, false, false, true, false]);
/// ```
pub fn never_dfa(regex: &Regex, alphabet: Alphabet) -> Dfa {
    never_dfa_within(regex, alphabet, usize::MAX).expect("no limit was given")
}

/// Like [`never_dfa`], but fails if some automaton on the way needs more than `limit` states.
pub fn never_dfa_within(regex: &Regex, alphabet: Alphabet, limit: usize) -> Result<Dfa, Error> {
    // ε has to leave R itself: Σ+ ∩ Σ* R would still take any event for the end of an empty match.
    let matches = if regex.is_nullable() {
        regex
            .to_dfa_within(alphabet, limit)?
            .intersection_within(&Regex::Any.plus().to_dfa_within(alphabet, limit)?, limit)?
            .trim()
            .to_nfa()
    } else {
        regex.compile_within(alphabet, limit)?
    };
    Ok(matches.containing_suffix().determinise_within(limit)?.minimise())
}

/// The minimal complete automaton that monitors `only R`.
///
/// It accepts the words that are *not* the beginning of a word of `regex`: as with [`never_dfa`],
/// entering an accepting state is the report. There is at most one such state, and it is never left;
/// [`bad_state`] finds it. If `regex` matches nothing, the start itself is bad.
///
/// ```
/// use watchword_automata::finite::{Alphabet, Letter, Regex, bad_state, only_dfa};
///
/// // only (open read* close)*
/// let [open, read, close] = [Letter(0), Letter(1), Letter(2)];
/// let [o, r, c] = [open, read, close].map(Regex::letter);
/// let dfa = only_dfa(&o.then(r.star()).then(c).star(), Alphabet::new(3));
///
/// assert!(!dfa.accepts(&[open, read, read])); // may still be closed
/// assert_eq!(dfa.run(&[open, close, read]), bad_state(&dfa));
/// assert_eq!(dfa.run(&[open, close, read, open]), bad_state(&dfa));
/// ```
pub fn only_dfa(regex: &Regex, alphabet: Alphabet) -> Dfa {
    only_dfa_within(regex, alphabet, usize::MAX).expect("no limit was given")
}

/// Like [`only_dfa`], but fails if some automaton on the way needs more than `limit` states.
pub fn only_dfa_within(regex: &Regex, alphabet: Alphabet, limit: usize) -> Result<Dfa, Error> {
    let prefixes = regex.compile_within(alphabet, limit)?.prefixes();
    Ok(prefixes.determinise_within(limit)?.complement().minimise())
}

/// The accepting state that is never left, if there is one: in the automaton of [`only_dfa`] the
/// state of no return, in that of [`never_dfa`] a state from which every event is reported.
pub fn bad_state(dfa: &Dfa) -> Option<StateId> {
    dfa.states().find(|&state| {
        dfa.is_accepting(state)
            && dfa.alphabet().letters().all(|letter| dfa.next(state, letter) == Some(state))
    })
}
