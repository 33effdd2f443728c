//! Deterministic automata over the events of a specification.

use std::collections::{BTreeMap, BTreeSet};

use watchword_automata::finite::{Dfa, StateId};

/// An automaton. What has no successor fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The names of the states; the first is where it begins.
    pub states: Vec<String>,
    /// By state: the successors by the number of the event.
    pub next: Vec<BTreeMap<usize, usize>>,
    /// Whether the events so far are a word of the expression.
    pub matching: Vec<bool>,
}

/// An extended regular expression over events.
#[derive(Clone, Debug)]
pub enum Regex {
    /// Nothing happens.
    Epsilon,
    /// One event.
    Event(usize),
    /// One after the other.
    Sequence(Vec<Regex>),
    /// One of them.
    Choice(Vec<Regex>),
    /// Any number of times.
    Star(Box<Regex>),
    /// At least once.
    Plus(Box<Regex>),
}

/// Automata with more states are refused.
pub const MAX_STATES: usize = 256;

/// Positions of an expression: its events, and which may follow which.
#[derive(Default)]
struct Positions {
    events: Vec<usize>,
    follow: Vec<BTreeSet<usize>>,
}

/// What an expression begins and ends with.
struct Ends {
    empty: bool,
    first: BTreeSet<usize>,
    last: BTreeSet<usize>,
}

impl Positions {
    fn link(&mut self, from: &BTreeSet<usize>, to: &BTreeSet<usize>) {
        for position in from {
            self.follow[*position].extend(to);
        }
    }

    fn add(&mut self, regex: &Regex) -> Ends {
        match regex {
            Regex::Epsilon => Ends { empty: true, first: BTreeSet::new(), last: BTreeSet::new() },
            Regex::Event(event) => {
                self.events.push(*event);
                self.follow.push(BTreeSet::new());
                let own = BTreeSet::from([self.events.len() - 1]);
                Ends { empty: false, first: own.clone(), last: own }
            }
            Regex::Sequence(parts) => {
                let mut ends = self.add(&Regex::Epsilon);
                for part in parts {
                    let next = self.add(part);
                    self.link(&ends.last, &next.first);
                    if ends.empty {
                        ends.first.extend(&next.first);
                    }
                    if !next.empty {
                        ends.last.clear();
                    }
                    ends.last.extend(next.last);
                    ends.empty &= next.empty;
                }
                ends
            }
            Regex::Choice(parts) => {
                let mut ends = Ends { empty: false, first: BTreeSet::new(), last: BTreeSet::new() };
                for part in parts {
                    let next = self.add(part);
                    ends.empty |= next.empty;
                    ends.first.extend(next.first);
                    ends.last.extend(next.last);
                }
                ends
            }
            Regex::Star(inner) | Regex::Plus(inner) => {
                let mut ends = self.add(inner);
                let (last, first) = (ends.last.clone(), ends.first.clone());
                self.link(&last, &first);
                ends.empty |= matches!(regex, Regex::Star(_));
                ends
            }
        }
    }
}

impl Machine {
    /// The automaton of a formula, given the one that accepts what breaks it. In a state named `violated`
    /// it ends.
    pub fn broken(dfa: &Dfa) -> Machine {
        let mut order = vec![dfa.start()];
        order.extend(dfa.states().filter(|state| *state != dfa.start()));
        let at = |state| order.iter().position(|known| *known == state);
        let name = |(at, state): (usize, &StateId)| match (at, dfa.is_accepting(*state)) {
            (_, true) => "violated".to_string(),
            (0, false) => "start".to_string(),
            _ => format!("s{at}"),
        };
        let next = order.iter().map(|state| match dfa.is_accepting(*state) {
            true => BTreeMap::new(),
            false => {
                let edges = dfa.edges(*state);
                edges.filter_map(|(letter, to)| Some((letter.index(), at(to)?))).collect()
            }
        });
        Machine {
            states: order.iter().enumerate().map(name).collect(),
            next: next.collect(),
            matching: order.iter().map(|state| dfa.is_accepting(*state)).collect(),
        }
    }

    /// The automaton of an expression; `None` if it is too large. Every state can reach a match.
    pub fn of(regex: &Regex) -> Option<Machine> {
        let mut positions = Positions::default();
        let ends = positions.add(regex);
        let step = |possible: &BTreeSet<usize>| {
            let mut by_event: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
            for position in possible {
                by_event.entry(positions.events[*position]).or_default().insert(*position);
            }
            by_event
        };
        // A state is the set of positions that were just read; the first one is none.
        let mut sets: Vec<Option<BTreeSet<usize>>> = vec![None];
        let mut machine =
            Machine { states: Vec::new(), next: Vec::new(), matching: vec![ends.empty] };
        let mut at = 0;
        while at < sets.len() {
            let possible: BTreeSet<usize> = match &sets[at] {
                None => ends.first.clone(),
                Some(read) => read.iter().flat_map(|p| positions.follow[*p].clone()).collect(),
            };
            let mut next = BTreeMap::new();
            for (event, read) in step(&possible) {
                let read = Some(read);
                let known = sets.iter().position(|set| *set == read);
                let target = known.unwrap_or_else(|| {
                    let matches =
                        read.iter().flatten().any(|position| ends.last.contains(position));
                    machine.matching.push(matches);
                    sets.push(read.clone());
                    sets.len() - 1
                });
                next.insert(event, target);
            }
            machine.next.push(next);
            at += 1;
            if sets.len() > MAX_STATES {
                return None;
            }
        }
        let mut matches = 0;
        for at in 0..sets.len() {
            let name = match (at, machine.matching[at]) {
                (0, _) => "start".to_string(),
                (_, true) => {
                    matches += 1;
                    if matches == 1 { "match".into() } else { format!("match_{matches}") }
                }
                (_, false) => format!("s{at}"),
            };
            machine.states.push(name);
        }
        Some(machine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a word fails, matches, or may still.
    fn run(machine: &Machine, word: &[usize]) -> Option<bool> {
        let mut at = 0;
        for event in word {
            at = *machine.next[at].get(event)?;
        }
        Some(machine.matching[at])
    }

    #[test]
    fn expressions_become_automata() {
        use Regex::{Choice, Event, Plus, Sequence, Star};
        let star = |e| Star(Box::new(e));
        let plus = |e| Plus(Box::new(e));
        // a (b | c)* a+
        let regex =
            Sequence(vec![Event(0), star(Choice(vec![Event(1), Event(2)])), plus(Event(0))]);
        let machine = Machine::of(&regex).expect("small");
        assert_eq!(run(&machine, &[]), Some(false));
        assert_eq!(run(&machine, &[0, 1, 2, 0]), Some(true));
        assert_eq!(run(&machine, &[0, 0, 0]), Some(true));
        assert_eq!(run(&machine, &[0, 1]), Some(false));
        assert_eq!(run(&machine, &[1]), None);
        assert_eq!(run(&machine, &[0, 0, 1]), None);
        let empty = Machine::of(&star(Event(0))).expect("small");
        assert_eq!(run(&empty, &[]), Some(true));
        assert_eq!(run(&empty, &[0, 0]), Some(true));
        let nothing = Machine::of(&Regex::Epsilon).expect("small");
        assert_eq!((run(&nothing, &[]), run(&nothing, &[0])), (Some(true), None));
    }
}
