//! Whether some name satisfies a condition made of name patterns, with a shortest one.
//!
//! All patterns are run side by side, letter by letter, over the letters that occur in them and
//! one that does not; what distinguishes two names that lead to the same places is of no interest.

use std::collections::{BTreeSet, HashSet};

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

    fn compile(&self, patterns: &mut Vec<Pattern>) -> Formula {
        let list = |conditions: &[NameCondition], patterns: &mut Vec<Pattern>| {
            conditions.iter().map(|c| c.compile(patterns)).collect()
        };
        match self {
            NameCondition::Like(glob) => {
                patterns.push(Pattern::glob(glob));
                Formula::Pattern(patterns.len() - 1)
            }
            NameCondition::Is(name) => {
                patterns.push(Pattern::literal(name));
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

/// A pattern as an automaton; the last node accepts.
struct Pattern {
    nodes: Vec<Node>,
}

enum Node {
    Char(char),
    AnyChar,
    AnyRun,
    Split(Vec<usize>),
    Accept,
}

impl Pattern {
    fn literal(name: &str) -> Pattern {
        let mut nodes: Vec<Node> = name.chars().map(Node::Char).collect();
        nodes.push(Node::Accept);
        Pattern { nodes }
    }

    fn glob(text: &str) -> Pattern {
        let mut nodes = Vec::new();
        let chars: Vec<char> = text.chars().collect();
        compile(&chars, &mut nodes, 0);
        nodes.push(Node::Accept);
        Pattern { nodes }
    }

    fn close(&self, start: usize, places: &mut BTreeSet<usize>) {
        let mut todo = vec![start];
        while let Some(at) = todo.pop() {
            if !places.insert(at) {
                continue;
            }
            match &self.nodes[at] {
                Node::AnyRun => todo.push(at + 1),
                Node::Split(targets) => todo.extend(targets),
                _ => {}
            }
        }
    }

    fn begin(&self) -> BTreeSet<usize> {
        let mut places = BTreeSet::new();
        self.close(0, &mut places);
        places
    }

    fn step(&self, places: &BTreeSet<usize>, letter: char) -> BTreeSet<usize> {
        let mut next = BTreeSet::new();
        for at in places {
            match &self.nodes[*at] {
                Node::Char(c) if *c == letter => self.close(at + 1, &mut next),
                Node::AnyChar => self.close(at + 1, &mut next),
                Node::AnyRun => self.close(*at, &mut next),
                _ => {}
            }
        }
        next
    }

    fn accepts(&self, places: &BTreeSet<usize>) -> bool {
        places.contains(&(self.nodes.len() - 1))
    }
}

/// The same reading of globs as the model's.
fn compile(chars: &[char], nodes: &mut Vec<Node>, depth: usize) {
    const MAX_DEPTH: usize = 32;
    let mut i = 0;
    while i < chars.len() {
        match chars[i] {
            '*' => nodes.push(Node::AnyRun),
            '?' => nodes.push(Node::AnyChar),
            '{' if depth < MAX_DEPTH
                && let Some((parts, end)) = alternatives(chars, i) =>
            {
                let split = nodes.len();
                nodes.push(Node::Split(Vec::new()));
                let mut starts = Vec::new();
                let mut ends = Vec::new();
                for part in parts {
                    starts.push(nodes.len());
                    compile(part, nodes, depth + 1);
                    ends.push(nodes.len());
                    nodes.push(Node::Split(Vec::new()));
                }
                let after = nodes.len();
                nodes[split] = Node::Split(starts);
                for end in ends {
                    nodes[end] = Node::Split(vec![after]);
                }
                i = end;
            }
            c => nodes.push(Node::Char(c)),
        }
        i += 1;
    }
}

/// The parts between the braces that open at `open`, trimmed, and where they close.
fn alternatives(chars: &[char], open: usize) -> Option<(Vec<&[char]>, usize)> {
    let mut depth = 0usize;
    let mut parts = Vec::new();
    let mut from = open + 1;
    for (i, c) in chars.iter().enumerate().skip(open) {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    parts.push(trim(&chars[from..i]));
                    return Some((parts, i));
                }
            }
            ',' if depth == 1 => {
                parts.push(trim(&chars[from..i]));
                from = i + 1;
            }
            _ => {}
        }
    }
    None
}

fn trim(chars: &[char]) -> &[char] {
    let start = chars.iter().position(|c| !c.is_whitespace()).unwrap_or(chars.len());
    let end = chars.iter().rposition(|c| !c.is_whitespace()).map_or(start, |e| e + 1);
    &chars[start..end]
}

/// Where each pattern is.
type Places = Vec<BTreeSet<usize>>;

fn search(formula: &Formula, patterns: &[Pattern]) -> Found {
    let mut letters: BTreeSet<char> = patterns
        .iter()
        .flat_map(|p| &p.nodes)
        .filter_map(|n| match n {
            Node::Char(c) => Some(*c),
            _ => None,
        })
        .collect();
    let other = ('a'..='z').chain('A'..='Z').chain('\u{3b1}'..).find(|c| !letters.contains(c));
    letters.extend(other);
    let start: Places = patterns.iter().map(Pattern::begin).collect();
    let mut seen: HashSet<Places> = HashSet::from([start.clone()]);
    let mut nodes: Vec<(Places, Option<(usize, char)>)> = vec![(start, None)];
    let mut at = 0;
    let mut work = 0;
    while at < nodes.len() {
        work += letters.len() * (1 + nodes[at].0.iter().map(BTreeSet::len).sum::<usize>());
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
            let next: Places = patterns
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
    use watchword_model::Glob;

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
        ] {
            let Found::Name(name) = both(a, b) else { panic!("{a} and {b}") };
            assert!(Glob::new(a).matches(&name) && Glob::new(b).matches(&name), "{name}");
        }
        for (a, b) in [
            ("Itr.next", "{,Itr.,Concat.}sink"),
            ("a*", "b*"),
            ("?", "{ab,cd}"),
            ("java.util.*", "java.io.*"),
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
