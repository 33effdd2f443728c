//! `never R` and `only R` event by event against their definitions.

use watchword_automata::finite::{Alphabet, bad_state, never_dfa, only_dfa};

use super::regexes::random_regex;
use super::{naive, words};
use watchword_testing::Random;

const AB: Alphabet = Alphabet::new(2);

#[test]
fn never_reports_every_event_that_completes_a_match() {
    let all = words(AB, 6);
    let mut reports = 0;
    for seed in 0..400 {
        let regex = random_regex(&mut Random::new(seed), 3);
        let dfa = never_dfa(&regex, AB);
        assert_eq!(dfa.minimise(), dfa, "seed {seed}");
        assert!(!dfa.is_accepting(dfa.start()), "seed {seed}: {regex}");
        for word in &all {
            let completes = (0..word.len()).any(|from| naive::matches(&regex, AB, &word[from..]));
            reports += usize::from(completes);
            assert_eq!(dfa.accepts(word), completes, "seed {seed}: {regex} on {word:?}");
        }
    }
    assert!(reports > 1000);
}

#[test]
fn only_reports_leaving_the_prefixes() {
    let all = words(AB, 4);
    let mut bad = 0;
    for seed in 0..400 {
        let regex = random_regex(&mut Random::new(seed), 3);
        let dfa = only_dfa(&regex, AB);
        assert_eq!(dfa.minimise(), dfa, "seed {seed}");
        // A live state reaches acceptance in fewer steps than there are states.
        let ends = words(AB, regex.to_dfa(AB).len().min(8));
        for word in &all {
            let possible =
                ends.iter().any(|end| naive::matches(&regex, AB, &[word.as_slice(), end].concat()));
            bad += usize::from(!possible);
            assert_eq!(dfa.accepts(word), !possible, "seed {seed}: {regex} on {word:?}");
            let at_bad = dfa.run(word) == bad_state(&dfa) && bad_state(&dfa).is_some();
            assert_eq!(at_bad, !possible, "seed {seed}: {regex} on {word:?}");
        }
    }
    assert!(bad > 1000);
}
