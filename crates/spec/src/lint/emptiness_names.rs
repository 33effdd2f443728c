//! Whether some name satisfies a condition made of name patterns, with a shortest one.
//!
//! All patterns are run side by side, letter by letter, over the letters that occur in them and
//! one that does not; what distinguishes two names that lead to the same places is of no interest.

use std::collections::{BTreeSet, HashSet};

use watchword_model::{Glob, Places};

/// A condition on a name.
#[derive(Clone, Debug)]
pub(super) enum NameCondition {
    /// It is like this glob.
    Like(String),
    /// It is this.
    Is(String),
    /// It always or never holds.
    Known(bool),
    /// It does not hold.
    Not(Box<NameCondition>),
    /// All hold.
    All(Vec<NameCondition>),
    /// One holds.
    One(Vec<NameCondition>),
}

/// What the search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// No name satisfies the condition.
    Nothing,
    /// This one does, and no shorter one.
    Name(String),
    /// The search was given up.
    Unknown,
}

/// The search is given up after so many steps of single places.
const LIMIT: usize = 3_000_000;

impl NameCondition {
    /// A shortest name that satisfies the condition.
    pub(super) fn satisfy(&self) -> Found {
        let mut patterns = Vec::new();
        let formula = self.compile(&mut patterns);
        search(&formula, &patterns)
    }

    fn compile(&self, patterns: &mut Vec<Glob>) -> Formula {
        let list = |conditions: &[NameCondition], patterns: &mut Vec<Glob>| {
            conditions.iter().map(|c| c.compile(patterns)).collect()
        };
        match self {
            NameCondition::Like(glob) => {
                patterns.push(Glob::new(glob));
                Formula::Pattern(patterns.len() - 1)
            }
            NameCondition::Is(name) => {
                patterns.push(Glob::literal(name));
                Formula::Pattern(patterns.len() - 1)
            }
            NameCondition::Known(truth) => Formula::Known(*truth),
            NameCondition::Not(condition) => Formula::Not(Box::new(condition.compile(patterns))),
            NameCondition::All(conditions) => Formula::All(list(conditions, patterns)),
            NameCondition::One(conditions) => Formula::One(list(conditions, patterns)),
        }
    }
}

enum Formula {
    Pattern(usize),
    Known(bool),
    Not(Box<Formula>),
    All(Vec<Formula>),
    One(Vec<Formula>),
}

impl Formula {
    fn holds(&self, accepted: &[bool]) -> bool {
        match self {
            Formula::Pattern(at) => accepted[*at],
            Formula::Known(truth) => *truth,
            Formula::Not(formula) => !formula.holds(accepted),
            Formula::All(formulas) => formulas.iter().all(|f| f.holds(accepted)),
            Formula::One(formulas) => formulas.iter().any(|f| f.holds(accepted)),
        }
    }
}

/// Where each pattern is.
type AllPlaces = Vec<Places>;

fn search(formula: &Formula, patterns: &[Glob]) -> Found {
    let mut letters: BTreeSet<char> = BTreeSet::new();
    patterns.iter().for_each(|p| p.alphabet(&mut letters));
    let other = ('a'..='z').chain('A'..='Z').chain('\u{3b1}'..).find(|c| !letters.contains(c));
    letters.extend(other);
    let start: AllPlaces = patterns.iter().map(Glob::begin).collect();
    let mut seen: HashSet<AllPlaces> = HashSet::from([start.clone()]);
    let mut nodes: Vec<(AllPlaces, Option<(usize, char)>)> = vec![(start, None)];
    let mut at = 0;
    let mut work = 0;
    while at < nodes.len() {
        work += letters.len() * (1 + nodes[at].0.iter().map(Places::count).sum::<usize>());
        if work > LIMIT {
            return Found::Unknown;
        }
        let accepted: Vec<bool> =
            patterns.iter().zip(&nodes[at].0).map(|(p, places)| p.accepts(places)).collect();
        if formula.holds(&accepted) {
            let mut name = Vec::new();
            let mut back = nodes[at].1;
            while let Some((from, letter)) = back {
                name.push(letter);
                back = nodes[from].1;
            }
            return Found::Name(name.into_iter().rev().collect());
        }
        for letter in &letters {
            let next: AllPlaces = patterns
                .iter()
                .zip(&nodes[at].0)
                .map(|(p, places)| p.step(places, *letter))
                .collect();
            if seen.contains(&next) {
                continue;
            }
            seen.insert(next.clone());
            nodes.push((next, Some((at, *letter))));
        }
        at += 1;
    }
    Found::Nothing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(a: &str, b: &str) -> Found {
        let like = |g: &str| NameCondition::Like(g.to_string());
        NameCondition::All(vec![like(a), like(b)]).satisfy()
    }

    #[test]
    fn names_that_satisfy_two_patterns() {
        for (a, b) in [
            ("*", "*"),
            ("java.util.{Collection,Iterator}.*", "{,java.util.{Collection,Iterator}.}iterator"),
            ("*.getList", "{,*.}getList"),
            ("a*", "*b"),
            ("?x", "{ax, bx}"),
            ("*.next", "{regex([A-Z][a-z]+)}.{regex(n[^a]*)}"),
        ] {
            let Found::Name(name) = both(a, b) else { panic!("{a} and {b}") };
            assert!(Glob::new(a).matches(&name) && Glob::new(b).matches(&name), "{name}");
        }
        for (a, b) in [
            ("Itr.next", "{,Itr.,Concat.}sink"),
            ("a*", "b*"),
            ("?", "{ab,cd}"),
            ("java.util.*", "java.io.*"),
            ("{regex([a-m]+)}", "*{regex([n-z])}"),
        ] {
            assert_eq!(both(a, b), Found::Nothing, "{a} and {b}");
        }
    }

    #[test]
    fn negation_and_literals() {
        let like = |g: &str| NameCondition::Like(g.to_string());
        let not = |c: NameCondition| NameCondition::Not(Box::new(c));
        let only = NameCondition::All(vec![like("A.{m,n}"), not(like("A.m"))]);
        assert_eq!(only.satisfy(), Found::Name("A.n".into()));
        let none = NameCondition::All(vec![like("A.m"), not(like("A.*"))]);
        assert_eq!(none.satisfy(), Found::Nothing);
        let literal = NameCondition::All(vec![NameCondition::Is("a*".into()), like("a?")]);
        assert_eq!(literal.satisfy(), Found::Name("a*".into()));
        assert_eq!(NameCondition::Known(false).satisfy(), Found::Nothing);
        let one = NameCondition::One(vec![NameCondition::Known(false), like("b")]);
        assert_eq!(one.satisfy(), Found::Name("b".into()));
    }

    #[test]
    fn hostile_patterns_are_given_up() {
        let wild = format!("{}x", "*a?????????".repeat(6));
        let found = NameCondition::All(vec![
            NameCondition::Like(wild.clone()),
            NameCondition::Not(Box::new(NameCondition::Like(wild))),
        ])
        .satisfy();
        assert!(matches!(found, Found::Unknown | Found::Nothing));
    }
}
