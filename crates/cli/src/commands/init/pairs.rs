//! What is followed by what, of the same id.

use std::collections::HashMap;

/// Something that is followed by something else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// What comes first.
    pub first: usize,
    /// What follows it.
    pub then: usize,
    /// How often it did.
    pub kept: u64,
    /// How often it might have.
    pub all: u64,
}

/// Fewer examples are chance.
const LEAST: u64 = 3;
/// Of a hundred, how many have to follow, and how many of the followers need a first.
const USUAL: u64 = 70;

/// The pair that most speaks for: of those that are usually kept, the one with most examples.
pub fn best(kinds: usize, happened: &[(usize, String)]) -> Option<Pair> {
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (kind, id) in happened {
        by_id.entry(id).or_default().push(*kind);
    }
    // By pair: how often the first came, was followed before it came again, and how often the second
    // came without one.
    let at = |first: usize, then: usize| first * kinds + then;
    let mut kept = vec![0u64; kinds * kinds];
    let mut stray = vec![0u64; kinds * kinds];
    let mut all = vec![0u64; kinds];
    for story in by_id.values() {
        let mut open = vec![false; kinds * kinds];
        for kind in story {
            all[*kind] += 1;
            for other in (0..kinds).filter(|other| other != kind) {
                open[at(*kind, other)] = true;
                match std::mem::replace(&mut open[at(other, *kind)], false) {
                    true => kept[at(other, *kind)] += 1,
                    false => stray[at(other, *kind)] += 1,
                }
            }
        }
    }
    let mut found: Option<(u64, Pair)> = None;
    for first in 0..kinds {
        for then in (0..kinds).filter(|then| *then != first) {
            let (kept, stray, all) = (kept[at(first, then)], stray[at(first, then)], all[first]);
            let usual = kept * 100 >= all * USUAL && kept * 100 >= (kept + stray) * USUAL;
            // Exceptions are what one looks for, but many examples count for more.
            let weight = kept * kept / (all + stray).max(1);
            if all >= LEAST && usual && found.is_none_or(|(best, _)| weight > best) {
                found = Some((weight, Pair { first, then, kept, all }));
            }
        }
    }
    found.map(|(_, pair)| pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn happened(text: &str) -> Vec<(usize, String)> {
        let words = text.split(' ');
        words.map(|word| (usize::from(word.as_bytes()[0] - b'a'), word[1..].to_string())).collect()
    }

    #[test]
    fn what_usually_follows_is_found_with_its_exceptions() {
        let log = happened("a1 a2 b1 b2 a1 c7 b1 a3 b3 a4 c8");
        assert_eq!(best(3, &log), Some(Pair { first: 0, then: 1, kept: 4, all: 5 }));
    }

    #[test]
    fn chance_is_no_pair() {
        assert_eq!(best(2, &happened("a1 b1 a2 b2")), None);
        assert_eq!(best(2, &happened("a1 a2 a3 a4 b5 b6 b1")), None);
    }
}
