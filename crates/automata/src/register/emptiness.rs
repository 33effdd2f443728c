//! Is there a word at all? Exact for equality and inequality, with a shortest word as the answer.

use std::collections::HashMap;

use super::knowledge::{Knowledge, Symbol};
use super::{
    DataLetter, DataWord, Label, RollbackAutomaton, SimpleAutomaton, StateId, Term, Test, Value,
};

/// Whether a language is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Emptiness {
    /// There is no word in the language, whatever the opaque tests say.
    Empty,
    /// This word is in the language, whatever the opaque tests say, and no word found so is
    /// shorter.
    Witness(DataWord),
    /// The question was not settled.
    Unknown(Unknown),
}

/// Why emptiness was not settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// The language is empty unless some opaque tests hold; if those on the way hold, this word is
    /// in it.
    Opaque {
        /// The word.
        candidate: DataWord,
    },
    /// So many configurations were explored without an answer.
    Limit {
        /// How many.
        explored: usize,
    },
}

impl SimpleAutomaton {
    /// Whether any word is accepted, with a shortest one.
    ///
    /// Explores pairs of a state and what is known about the registers: which of them equal or
    /// differ from each other and from the constants. Relations no transition asked about stay
    /// open, and registers that are not read any more are forgotten, so the number of pairs is far
    /// below the number of partitions of the registers in practice; it is finite in any case.
    ///
    /// ```
    /// use watchword_automata::register::*;
    ///
    /// let (c, r) = (Component(0), Register(0));
    /// let mut automaton = SimpleAutomaton::new(Signature::tuples(1), [Value(7)]);
    /// let [one, two] = [automaton.add_state(), automaton.add_state()];
    /// automaton.add_transition(automaton.start(), Label::any().differ(c, r).set(r, c), one);
    /// automaton.add_transition(one, Label::any().equal(c, Value(7)).equal(c, r), two);
    /// automaton.add_accepting(two);
    /// assert_eq!(automaton.emptiness(), Emptiness::Empty); // the register is no longer 7
    ///
    /// automaton.add_transition(one, Label::any().equal(c, Value(7)), two);
    /// let word = [0, 7].map(|v| DataLetter::new(Kind(0), [Value(v)])).to_vec();
    /// assert_eq!(automaton.emptiness(), Emptiness::Witness(word));
    /// ```
    pub fn emptiness(&self) -> Emptiness {
        self.emptiness_within(usize::MAX)
    }

    /// Like [`emptiness`](SimpleAutomaton::emptiness), but gives up after exploring `limit` pairs.
    pub fn emptiness_within(&self, limit: usize) -> Emptiness {
        self.search(|state| self.is_accepting(state), limit)
    }

    /// Whether any word leads to `state`, with a shortest one: [`Emptiness::Empty`] if none does.
    pub fn reach_within(&self, state: StateId, limit: usize) -> Emptiness {
        self.search(|other| other == state, limit)
    }

    fn search(&self, goal: impl Fn(StateId) -> bool, limit: usize) -> Emptiness {
        // First without opaque tests, so that a word found is certain.
        match Search::new(self, Opaque::Fails).run(&goal, limit) {
            Outcome::Found(word) => return Emptiness::Witness(word),
            Outcome::Limit => return Emptiness::Unknown(Unknown::Limit { explored: limit }),
            Outcome::Exhausted { met_opaque: false } => return Emptiness::Empty,
            Outcome::Exhausted { met_opaque: true } => {}
        }
        match Search::new(self, Opaque::Holds).run(&goal, limit) {
            Outcome::Found(candidate) => Emptiness::Unknown(Unknown::Opaque { candidate }),
            Outcome::Limit => Emptiness::Unknown(Unknown::Limit { explored: limit }),
            Outcome::Exhausted { .. } => Emptiness::Empty,
        }
    }
}

impl RollbackAutomaton {
    /// Whether any word is accepted, with a shortest one.
    ///
    /// No look-ahead is needed, and no translation: leaving out the skipped letters of an accepted
    /// word leaves an accepted word, since whether a transition can be taken depends only on the
    /// letters it reads. So a shortest accepted word has no skips (nor kept configurations), and it
    /// is enough to follow the transitions label by label.
    pub fn emptiness(&self) -> Emptiness {
        self.emptiness_within(usize::MAX)
    }

    /// Like [`emptiness`](RollbackAutomaton::emptiness), but gives up after exploring `limit` pairs
    /// of a state and what is known about the registers.
    pub fn emptiness_within(&self, limit: usize) -> Emptiness {
        self.label_by_label().emptiness_within(limit)
    }

    /// Whether any word leads to `state`, with a shortest one: [`Emptiness::Empty`] if none does.
    pub fn reach_within(&self, state: StateId, limit: usize) -> Emptiness {
        self.label_by_label().reach_within(state, limit)
    }

    /// The simple automaton that has a state between any two labels of a transition, and no skips.
    /// The states of this automaton keep their numbers.
    fn label_by_label(&self) -> SimpleAutomaton {
        let mut simple = SimpleAutomaton::new(self.signature.clone(), self.store.clone());
        for _ in 1..self.len() {
            simple.add_state();
        }
        simple.start = self.start;
        simple.accepting.clone_from(&self.accepting);
        for state in self.states() {
            for transition in self.transitions(state) {
                let mut from = state;
                let (last, before) =
                    transition.steps.labels().split_last().expect("there is at least one label");
                for label in before {
                    let between = simple.add_state();
                    simple.add_transition(from, label.clone(), between);
                    from = between;
                }
                simple.add_transition(from, last.clone(), transition.to);
            }
        }
        simple
    }
}

/// How a search treats opaque tests and their negations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opaque {
    Holds,
    Fails,
}

enum Outcome {
    Found(DataWord),
    Exhausted { met_opaque: bool },
    Limit,
}

/// A pair that was reached: a state and the knowledge about the registers, in a normal form.
///
/// Classes of equal values are numbered; those of the constants come first, in order.
struct Node<'a> {
    state: StateId,
    /// The class of each register; `FORGOTTEN` if it is not read before it is written.
    registers: Vec<Symbol>,
    /// The classes known to differ, sorted, smaller first.
    apart: Vec<(Symbol, Symbol)>,
    /// How the node was first reached.
    from: Option<(usize, &'a Label)>,
}

const FORGOTTEN: Symbol = Symbol::MAX;

struct Search<'a> {
    automaton: &'a SimpleAutomaton,
    opaque: Opaque,
    /// All constants of the automaton and its initial store, sorted.
    constants: Vec<Value>,
    /// Per state and register, whether the register may be read before it is written.
    live: Vec<Vec<bool>>,
    nodes: Vec<Node<'a>>,
    /// The inequations of the nodes with a given state and classes.
    seen: HashMap<(StateId, Vec<Symbol>), Vec<usize>>,
}

impl<'a> Search<'a> {
    fn new(automaton: &'a SimpleAutomaton, opaque: Opaque) -> Self {
        let labels = automaton.outgoing.iter().flatten().map(|(label, _)| label);
        let mentioned = labels.flat_map(|label| label.terms()).filter_map(|term| match term {
            Term::Constant(value) => Some(value),
            _ => None,
        });
        let mut constants: Vec<Value> = mentioned.chain(automaton.store.iter().copied()).collect();
        constants.sort_unstable();
        constants.dedup();
        Search {
            automaton,
            opaque,
            constants,
            live: live_registers(automaton),
            nodes: Vec::new(),
            seen: HashMap::new(),
        }
    }

    /// Breadth first, so the first word found is a shortest.
    fn run(mut self, goal: impl Fn(StateId) -> bool, limit: usize) -> Outcome {
        let (knowledge, registers) = self.initial();
        self.visit(self.automaton.start, knowledge, registers, None);
        let mut met_opaque = false;
        let mut done = 0;
        while done < self.nodes.len() {
            let state = self.nodes[done].state;
            if goal(state) {
                return Outcome::Found(self.word(done));
            }
            if done >= limit {
                return Outcome::Limit;
            }
            for (label, to) in self.automaton.transitions(state) {
                if label.tests.iter().any(|test| test.is_opaque()) {
                    met_opaque = true;
                    if self.opaque == Opaque::Fails {
                        continue;
                    }
                }
                let (mut knowledge, mut registers) = self.open(done);
                if self.read(label, &mut knowledge, &mut registers).is_some() {
                    self.visit(*to, knowledge, registers, Some((done, label)));
                }
            }
            done += 1;
        }
        Outcome::Exhausted { met_opaque }
    }

    /// The constants as the first symbols, and the registers holding their initial values.
    fn initial(&self) -> (Knowledge, Vec<Symbol>) {
        let mut knowledge = Knowledge::default();
        for &value in &self.constants {
            knowledge.fixed(value);
        }
        let registers = self.automaton.store.iter().map(|&value| self.constant(value)).collect();
        (knowledge, registers)
    }

    fn constant(&self, value: Value) -> Symbol {
        // Every constant was collected, so the search succeeds; the order gives the symbol.
        self.constants.partition_point(|&other| other < value) as Symbol
    }

    /// The knowledge of a node, ready to be added to.
    fn open(&self, node: usize) -> (Knowledge, Vec<Symbol>) {
        let (mut knowledge, _) = self.initial();
        let node = &self.nodes[node];
        let classes = node.registers.iter().filter(|&&class| class != FORGOTTEN).max();
        while classes.is_some_and(|&last| knowledge.len() <= last as usize) {
            knowledge.fresh();
        }
        for &(one, two) in &node.apart {
            knowledge.separate(one, two);
        }
        (knowledge, node.registers.clone())
    }

    /// Reads one letter that enables `label`, and returns it; none if there is no such letter.
    fn read(
        &self,
        label: &Label,
        knowledge: &mut Knowledge,
        registers: &mut [Symbol],
    ) -> Option<SymbolicLetter> {
        let signature = &self.automaton.signature;
        let kind = *label.possible_kinds(signature).first()?;
        let components: Vec<Symbol> =
            (0..signature.arity(kind)).map(|_| knowledge.fresh()).collect();
        let symbol = |registers: &[Symbol], term: Term| match term {
            Term::Register(register) => registers[register.index()],
            Term::Component(component) => components[component.0],
            Term::Constant(value) => self.constant(value),
        };
        for &test in &label.tests {
            let possible = match test {
                Test::Equal(left, right) => {
                    knowledge.equate(symbol(registers, left), symbol(registers, right))
                }
                Test::Differ(left, right) => {
                    knowledge.separate(symbol(registers, left), symbol(registers, right))
                }
                // Kinds are settled above, and opaque tests by the caller.
                Test::Kind(_) | Test::NotKind(_) | Test::Opaque(_) | Test::NotOpaque(_) => true,
            };
            if !possible {
                return None;
            }
        }
        for assignment in &label.assignments {
            registers[assignment.register.index()] = symbol(registers, assignment.value);
        }
        Some(SymbolicLetter { kind, components })
    }

    /// Adds a node unless one that knows no more was there before.
    fn visit(
        &mut self,
        state: StateId,
        knowledge: Knowledge,
        mut registers: Vec<Symbol>,
        from: Option<(usize, &'a Label)>,
    ) {
        // Number the classes: constants first, then in the order of the registers.
        let mut number: HashMap<Symbol, Symbol> =
            (0..self.constants.len() as Symbol).map(|symbol| (symbol, symbol)).collect();
        for (register, symbol) in registers.iter_mut().enumerate() {
            if !self.live[state.index()][register] {
                *symbol = FORGOTTEN;
                continue;
            }
            let next = number.len() as Symbol;
            *symbol = *number.entry(knowledge.find(*symbol)).or_insert(next);
        }
        let mut apart: Vec<(Symbol, Symbol)> = knowledge
            .apart()
            .filter_map(|(one, two)| Some((*number.get(&one)?, *number.get(&two)?)))
            .map(|(one, two)| (one.min(two), one.max(two)))
            .collect();
        apart.sort_unstable();
        apart.dedup();
        let same = self.seen.entry((state, registers.clone())).or_default();
        let covers = |node: &usize| {
            self.nodes[*node].apart.iter().all(|pair| apart.binary_search(pair).is_ok())
        };
        if !same.iter().any(covers) {
            same.push(self.nodes.len());
            self.nodes.push(Node { state, registers, apart, from });
        }
    }

    /// A word that leads to the node: walks the path again without forgetting anything, then gives
    /// every class of symbols a value of its own.
    fn word(&self, node: usize) -> DataWord {
        let mut path = Vec::new();
        let mut at = node;
        while let Some((from, label)) = self.nodes[at].from {
            path.push(label);
            at = from;
        }
        let (mut knowledge, mut registers) = self.initial();
        let letters: Vec<SymbolicLetter> = path
            .into_iter()
            .rev()
            .map(|label| {
                self.read(label, &mut knowledge, &mut registers)
                    .expect("forgetting symbols makes nothing possible that was not")
            })
            .collect();
        let mut unused = (0..).map(Value).filter(|v| self.constants.binary_search(v).is_err());
        let mut chosen: HashMap<Symbol, Value> = HashMap::new();
        letters
            .into_iter()
            .map(|letter| {
                let values = letter.components.iter().map(|&symbol| {
                    knowledge.value(symbol).unwrap_or_else(|| {
                        *chosen
                            .entry(knowledge.find(symbol))
                            .or_insert_with(|| unused.next().expect("values do not run out"))
                    })
                });
                DataLetter::new(letter.kind, values)
            })
            .collect()
    }
}

struct SymbolicLetter {
    kind: super::Kind,
    components: Vec<Symbol>,
}

/// Per state and register, whether some path reads the register before writing it.
fn live_registers(automaton: &SimpleAutomaton) -> Vec<Vec<bool>> {
    let mut live = vec![vec![false; automaton.store.len()]; automaton.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for state in automaton.states() {
            for (label, to) in automaton.transitions(state) {
                let mut before = live[to.index()].clone();
                for assignment in label.assignments.iter().rev() {
                    let needed = std::mem::take(&mut before[assignment.register.index()]);
                    if let Term::Register(source) = assignment.value {
                        before[source.index()] |= needed;
                    }
                }
                for term in label.tests.iter().flat_map(|test| test.terms()) {
                    if let Term::Register(register) = term {
                        before[register.index()] = true;
                    }
                }
                for (known, new) in live[state.index()].iter_mut().zip(before) {
                    changed |= new && !*known;
                    *known |= new;
                }
            }
        }
    }
    live
}
