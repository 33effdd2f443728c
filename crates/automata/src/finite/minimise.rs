//! Nerode equivalence and minimal automata, by Hopcroft's partition refinement.

use std::collections::VecDeque;

use super::{Dfa, StateId};

/// Which states of an automaton accept the same words from there on (Nerode's equivalence).
///
/// Returned by [`Dfa::equivalent_states`]. Classes are numbered from zero in the order of their
/// least member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    class_of: Vec<u32>,
    members: Vec<Vec<StateId>>,
}

impl Classes {
    /// How many classes there are; at least one.
    #[expect(clippy::len_without_is_empty, reason = "an automaton has at least one state")]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The number of the class of `state`.
    pub fn class_of(&self, state: StateId) -> usize {
        self.class_of[state.index()] as usize
    }

    /// The states of a class, in increasing order.
    pub fn members(&self, class: usize) -> &[StateId] {
        &self.members[class]
    }

    /// Whether no word tells the two states apart.
    pub fn equivalent(&self, one: StateId, other: StateId) -> bool {
        self.class_of(one) == self.class_of(other)
    }
}

impl Dfa {
    /// Groups the states, reachable or not, by the words accepted from there on.
    ///
    /// ```
    /// use watchword_automata::finite::{Alphabet, Dfa, Letter};
    ///
    /// let mut dfa = Dfa::new(Alphabet::new(1));
    /// let [one, two] = [dfa.add_state(), dfa.add_state()];
    /// dfa.set_next(dfa.start(), Letter(0), one);
    /// dfa.set_next(one, Letter(0), two);
    /// dfa.set_next(two, Letter(0), one);
    /// dfa.add_accepting(one);
    /// dfa.add_accepting(two);
    /// let classes = dfa.equivalent_states();
    /// assert!(classes.equivalent(one, two));
    /// assert!(!classes.equivalent(dfa.start(), one));
    /// ```
    pub fn equivalent_states(&self) -> Classes {
        let raw = Refinement::of(&self.complete()).class_of;
        let mut number = vec![None; raw.len()];
        let mut class_of = Vec::with_capacity(self.len());
        let mut members: Vec<Vec<StateId>> = Vec::new();
        for state in self.states() {
            let number = &mut number[raw[state.index()] as usize];
            let class = *number.get_or_insert_with(|| {
                members.push(Vec::new());
                members.len() as u32 - 1
            });
            members[class as usize].push(state);
            class_of.push(class);
        }
        Classes { class_of, members }
    }

    /// The smallest complete automaton for the same language.
    ///
    /// States are numbered breadth first in the order of the letters, so two automata over one
    /// alphabet accept the same language exactly if their minimal automata are equal (`==`).
    pub fn minimise(&self) -> Dfa {
        let complete = self.complete();
        let class_of = Refinement::of(&complete).class_of;
        let mut minimal = Dfa::new(self.alphabet);
        let mut number = vec![None; complete.len()];
        number[class_of[complete.start().index()] as usize] = Some(minimal.start());
        // One state stands for its class, since all members agree on the successors' classes.
        let mut queue = VecDeque::from([(complete.start(), minimal.start())]);
        while let Some((representative, from)) = queue.pop_front() {
            if complete.is_accepting(representative) {
                minimal.add_accepting(from);
            }
            for (letter, next) in complete.edges(representative) {
                let number = &mut number[class_of[next.index()] as usize];
                let to = *number.get_or_insert_with(|| {
                    let to = minimal.add_state();
                    queue.push_back((next, to));
                    to
                });
                minimal.set_next(from, letter, to);
            }
        }
        minimal
    }
}

/// The partition being refined: `elements` lists the states class by class, and within a class
/// the states marked in the current round come first.
struct Refinement {
    elements: Vec<u32>,
    /// Where in `elements` each state is.
    place: Vec<usize>,
    class_of: Vec<u32>,
    /// Per class: where it begins and ends in `elements`, and how many of its states are marked.
    first: Vec<usize>,
    end: Vec<usize>,
    marked: Vec<usize>,
}

impl Refinement {
    /// The coarsest partition that respects acceptance and the edges of a complete automaton.
    fn of(dfa: &Dfa) -> Refinement {
        let letters = dfa.alphabet.len();
        let mut this = Refinement {
            elements: (0..dfa.len() as u32).collect(),
            place: (0..dfa.len()).collect(),
            class_of: vec![0; dfa.len()],
            first: vec![0],
            end: vec![dfa.len()],
            marked: vec![0],
        };
        for state in dfa.states().filter(|&state| dfa.is_accepting(state)) {
            this.mark(state.0);
        }
        let mut work: Vec<(u32, usize)> = (0..letters).map(|letter| (0, letter)).collect();
        if let Some(new) = this.split(0) {
            // One half suffices: splitting by a set is splitting by its complement.
            work = (0..letters).map(|letter| (new, letter)).collect();
        }
        let sources = Sources::of(dfa);
        let mut touched = Vec::new();
        while let Some((splitter, letter)) = work.pop() {
            let splitter = splitter as usize;
            // A copy, because marking reorders the class that is being read.
            let targets = this.elements[this.first[splitter]..this.end[splitter]].to_vec();
            for target in targets {
                for &source in sources.get(target, letter) {
                    let class = this.class_of[source as usize];
                    if this.marked[class as usize] == 0 {
                        touched.push(class);
                    }
                    this.mark(source);
                }
            }
            for class in touched.drain(..) {
                if let Some(new) = this.split(class) {
                    // The new class is the smaller half. If (class, letter) still waits, both
                    // halves now do; if it was used already, the smaller half is enough.
                    work.extend((0..letters).map(|letter| (new, letter)));
                }
            }
        }
        this
    }

    /// Moves an unmarked state to the marked front of its class.
    fn mark(&mut self, state: u32) {
        let class = self.class_of[state as usize] as usize;
        let to = self.first[class] + self.marked[class];
        let from = self.place[state as usize];
        debug_assert!(from >= to, "a state is marked once per round");
        self.elements.swap(from, to);
        self.place[self.elements[from] as usize] = from;
        self.place[state as usize] = to;
        self.marked[class] += 1;
    }

    /// Unmarks a class, splitting the smaller of its marked and unmarked parts off if both exist.
    fn split(&mut self, class: u32) -> Option<u32> {
        let c = class as usize;
        let (first, end, marked) = (self.first[c], self.end[c], self.marked[c]);
        self.marked[c] = 0;
        let middle = first + marked;
        if middle == first || middle == end {
            return None;
        }
        let (from, to) = if marked <= end - middle {
            self.first[c] = middle;
            (first, middle)
        } else {
            self.end[c] = middle;
            (middle, end)
        };
        let new = self.first.len() as u32;
        self.first.push(from);
        self.end.push(to);
        self.marked.push(0);
        for &state in &self.elements[from..to] {
            self.class_of[state as usize] = new;
        }
        Some(new)
    }
}

/// The edges backwards: for every target and letter, the sources.
struct Sources {
    letters: usize,
    /// Where in `sources` the row of (target, letter) begins; one entry more than rows.
    begin: Vec<usize>,
    sources: Vec<u32>,
}

impl Sources {
    fn of(dfa: &Dfa) -> Sources {
        let letters = dfa.alphabet.len();
        let mut begin = vec![0; dfa.len() * letters + 1];
        for state in dfa.states() {
            for (letter, to) in dfa.edges(state) {
                begin[to.index() * letters + letter.index() + 1] += 1;
            }
        }
        for row in 1..begin.len() {
            begin[row] += begin[row - 1];
        }
        let mut fill = begin.clone();
        let mut sources = vec![0; begin[begin.len() - 1]];
        for state in dfa.states() {
            for (letter, to) in dfa.edges(state) {
                let row = to.index() * letters + letter.index();
                sources[fill[row]] = state.0;
                fill[row] += 1;
            }
        }
        Sources { letters, begin, sources }
    }

    fn get(&self, target: u32, letter: usize) -> &[u32] {
        let row = target as usize * self.letters + letter;
        &self.sources[self.begin[row]..self.begin[row + 1]]
    }
}
