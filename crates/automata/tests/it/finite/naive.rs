//! Membership straight from the definitions, sharing no code with the library's algorithms.

use watchword_automata::finite::{Alphabet, Dfa, Letter, Nfa, Regex, StateId};

/// Whether some path of `nfa` reads `word`: a fixpoint over (state, position).
pub fn nfa_accepts(nfa: &Nfa, word: &[Letter]) -> bool {
    let mut reached = vec![vec![false; nfa.len()]; word.len() + 1];
    for start in nfa.starts() {
        reached[0][start.index()] = true;
    }
    loop {
        let before = reached.clone();
        for at in 0..=word.len() {
            for state in nfa.states().filter(|state| before[at][state.index()]) {
                for to in nfa.silent_edges(state) {
                    reached[at][to.index()] = true;
                }
                for &(letter, to) in nfa.edges(state) {
                    if at < word.len() && word[at] == letter {
                        reached[at + 1][to.index()] = true;
                    }
                }
            }
        }
        if reached == before {
            return nfa.states().any(|s| reached[word.len()][s.index()] && nfa.is_accepting(s));
        }
    }
}

/// Whether `dfa` accepts `word` from `state`, by recursion on the word.
pub fn dfa_accepts_from(dfa: &Dfa, state: StateId, word: &[Letter]) -> bool {
    match word {
        [] => dfa.is_accepting(state),
        [letter, rest @ ..] => dfa
            .edges(state)
            .find(|edge| edge.0 == *letter)
            .is_some_and(|(_, to)| dfa_accepts_from(dfa, to, rest)),
    }
}

pub fn dfa_accepts(dfa: &Dfa, word: &[Letter]) -> bool {
    dfa_accepts_from(dfa, dfa.start(), word)
}

/// Whether `word` splits into one or more non-empty factors that all satisfy `holds`, or is empty.
pub fn star(holds: &dyn Fn(&[Letter]) -> bool, word: &[Letter]) -> bool {
    word.is_empty() || (1..=word.len()).any(|cut| holds(&word[..cut]) && star(holds, &word[cut..]))
}

/// All words that result from deleting letters of `word`.
pub fn subwords(word: &[Letter]) -> Vec<Vec<Letter>> {
    (0..1u32 << word.len())
        .map(|keep| {
            (0..word.len()).filter(|i| keep >> i & 1 == 1).map(|i| word[i]).collect::<Vec<_>>()
        })
        .collect()
}

/// All contiguous parts of `word`, the empty one among them.
pub fn factors(word: &[Letter]) -> Vec<&[Letter]> {
    (0..=word.len()).flat_map(|i| (i..=word.len()).map(move |j| &word[i..j])).collect()
}

/// Whether `regex` matches the whole of `word` over `alphabet`.
pub fn matches(regex: &Regex, alphabet: Alphabet, word: &[Letter]) -> bool {
    let one = |holds: &dyn Fn(Letter) -> bool| {
        word.len() == 1 && alphabet.contains(word[0]) && holds(word[0])
    };
    match regex {
        Regex::Empty => false,
        Regex::Epsilon => word.is_empty(),
        Regex::Letter(letter) => one(&|l| l == *letter),
        Regex::Set(set) => one(&|l| set.contains(&l)),
        Regex::Except(set) => one(&|l| !set.contains(&l)),
        Regex::Any => one(&|_| true),
        Regex::Concat(parts) => concat(parts, alphabet, word),
        Regex::Union(parts) => parts.iter().any(|part| matches(part, alphabet, word)),
        Regex::Intersection(parts) => parts.iter().all(|part| matches(part, alphabet, word)),
        Regex::Star(inner) => star(&|w| matches(inner, alphabet, w), word),
        Regex::Plus(inner) => {
            matches(inner, alphabet, word)
                || !word.is_empty() && star(&|w| matches(inner, alphabet, w), word)
        }
        Regex::Optional(inner) => word.is_empty() || matches(inner, alphabet, word),
        Regex::Complement(inner) => !matches(inner, alphabet, word),
    }
}

fn concat(parts: &[Regex], alphabet: Alphabet, word: &[Letter]) -> bool {
    match parts {
        [] => word.is_empty(),
        [first, rest @ ..] => (0..=word.len()).any(|cut| {
            matches(first, alphabet, &word[..cut]) && concat(rest, alphabet, &word[cut..])
        }),
    }
}
