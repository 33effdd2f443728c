//! Temporal formulas to automata.
//!
//! A formula is brought into negation normal form. If no `eventually` and no `until` is left it is
//! a *safety* formula: whatever breaks it breaks it after finitely many events. If no `always`,
//! `release` or `weak-until` is left it is *co-safety*: its negation is a safety formula. Both are
//! monitored by the same construction: a state is a set of ways to still satisfy the formula, each
//! a set of obligations for the next event, plus the values past operators need to remember. The
//! states with no way left are bad. A run may end at any time, so it is always an event that breaks
//! a formula: `always not e` over an alphabet of nothing but `e` is broken by the first `e`.

use std::collections::{BTreeSet, HashMap};

use watchword_automata::finite::{Alphabet, Dfa, Letter, StateId};

use crate::ww::tree::TemporalBinary;

/// A formula over numbered atoms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ltl {
    /// A truth value.
    Const(bool),
    /// The current event is so.
    Atom(usize),
    /// Not.
    Not(Box<Ltl>),
    /// Both.
    And(Box<Ltl>, Box<Ltl>),
    /// At least one.
    Or(Box<Ltl>, Box<Ltl>),
    /// Both or none.
    Iff(Box<Ltl>, Box<Ltl>),
    /// At the next event.
    Next(Box<Ltl>),
    /// From now on.
    Always(Box<Ltl>),
    /// Now or later.
    Eventually(Box<Ltl>),
    /// The second happens, and until then the first holds.
    Until(Box<Ltl>, Box<Ltl>),
    /// Like until, but the second need not happen.
    WeakUntil(Box<Ltl>, Box<Ltl>),
    /// The second holds up to and including the moment the first does, or for ever.
    Release(Box<Ltl>, Box<Ltl>),
    /// At the previous event.
    Previous(Box<Ltl>),
    /// Now or before.
    Once(Box<Ltl>),
    /// Now and always before.
    Historically(Box<Ltl>),
    /// The second happened, and since then the first holds.
    Since(Box<Ltl>, Box<Ltl>),
}

/// What a monitor can tell of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// That it is broken.
    Safety,
    /// That it is fulfilled.
    CoSafety,
}

/// Why a formula is not compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A past operator speaks of the future.
    FutureInPast,
    /// Both kinds of promises are mixed.
    Mixed,
    /// Too many states or obligations.
    TooLarge,
}

impl Ltl {
    /// The formula of an operator as it is written.
    pub fn binary(operator: TemporalBinary, a: Box<Ltl>, b: Box<Ltl>) -> Ltl {
        match operator {
            TemporalBinary::And => Ltl::And(a, b),
            TemporalBinary::Or => Ltl::Or(a, b),
            TemporalBinary::Implies => Ltl::Or(Box::new(Ltl::Not(a)), b),
            TemporalBinary::Iff => Ltl::Iff(a, b),
            TemporalBinary::Until => Ltl::Until(a, b),
            TemporalBinary::WeakUntil => Ltl::WeakUntil(a, b),
            TemporalBinary::Release => Ltl::Release(a, b),
            TemporalBinary::Since => Ltl::Since(a, b),
        }
    }

    fn operands(&self) -> Vec<&Ltl> {
        match self {
            Ltl::Const(_) | Ltl::Atom(_) => vec![],
            Ltl::Not(a)
            | Ltl::Next(a)
            | Ltl::Always(a)
            | Ltl::Eventually(a)
            | Ltl::Previous(a)
            | Ltl::Once(a)
            | Ltl::Historically(a) => vec![a],
            Ltl::And(a, b)
            | Ltl::Or(a, b)
            | Ltl::Iff(a, b)
            | Ltl::Until(a, b)
            | Ltl::WeakUntil(a, b)
            | Ltl::Release(a, b)
            | Ltl::Since(a, b) => vec![a, b],
        }
    }

    fn is_future_operator(&self) -> bool {
        matches!(
            self,
            Ltl::Next(_)
                | Ltl::Always(_)
                | Ltl::Eventually(_)
                | Ltl::Until(..)
                | Ltl::WeakUntil(..)
                | Ltl::Release(..)
        )
    }

    fn is_past_operator(&self) -> bool {
        matches!(self, Ltl::Previous(_) | Ltl::Once(_) | Ltl::Historically(_) | Ltl::Since(..))
    }

    fn any(&self, test: &dyn Fn(&Ltl) -> bool) -> bool {
        test(self) || self.operands().into_iter().any(|o| o.any(test))
    }

    /// Whether its value depends on the current and earlier events only.
    fn is_past(&self) -> bool {
        !self.any(&Ltl::is_future_operator)
    }

    /// Negation normal form; formulas about the past are left as they are. `iff` doubles what is
    /// below it, so there is a budget of nodes.
    fn normal(&self, positive: bool, budget: &mut usize) -> Result<Ltl, Refusal> {
        *budget = budget.checked_sub(1).ok_or(Refusal::TooLarge)?;
        if self.is_past() {
            return Ok(if positive { self.clone() } else { Ltl::Not(Box::new(self.clone())) });
        }
        let mut sub =
            |a: &Ltl, positive: bool| Ok::<_, Refusal>(Box::new(a.normal(positive, budget)?));
        Ok(match self {
            Ltl::Not(a) => *sub(a, !positive)?,
            Ltl::And(a, b) | Ltl::Or(a, b) => {
                let (a, b) = (sub(a, positive)?, sub(b, positive)?);
                if matches!(self, Ltl::And(..)) == positive {
                    Ltl::And(a, b)
                } else {
                    Ltl::Or(a, b)
                }
            }
            Ltl::Iff(a, b) => {
                let both = Ltl::And(sub(a, true)?, sub(b, positive)?);
                let none = Ltl::And(sub(a, false)?, sub(b, !positive)?);
                Ltl::Or(Box::new(both), Box::new(none))
            }
            Ltl::Next(a) => Ltl::Next(sub(a, positive)?),
            Ltl::Always(a) | Ltl::Eventually(a) => {
                let always = matches!(self, Ltl::Always(_)) == positive;
                let a = sub(a, positive)?;
                if always { Ltl::Always(a) } else { Ltl::Eventually(a) }
            }
            Ltl::Until(a, b) | Ltl::Release(a, b) => {
                let until = matches!(self, Ltl::Until(..)) == positive;
                let (a, b) = (sub(a, positive)?, sub(b, positive)?);
                if until { Ltl::Until(a, b) } else { Ltl::Release(a, b) }
            }
            Ltl::WeakUntil(a, b) if positive => Ltl::WeakUntil(sub(a, true)?, sub(b, true)?),
            // Broken by an event where neither holds, the second not having held before.
            Ltl::WeakUntil(a, b) => {
                let neither = Ltl::And(sub(a, false)?, sub(b, false)?);
                Ltl::Until(sub(b, false)?, Box::new(neither))
            }
            other => other.clone(),
        })
    }
}

/// Formulas that get larger in normal form are refused.
const MAX_NODES: usize = 2_000;
/// More ways to go on in one state are refused.
const MAX_WAYS: usize = 256;
/// The largest number of steps for building an automaton.
const MAX_WORK: usize = 5_000_000;

/// Which promises a formula makes, or why a monitor cannot decide it.
pub fn fragment(formula: &Ltl) -> Result<Fragment, Refusal> {
    if formula.any(&|f| f.is_past_operator() && !f.is_past()) {
        return Err(Refusal::FutureInPast);
    }
    let normal = formula.normal(true, &mut MAX_NODES.clone())?;
    if !normal.any(&|f| matches!(f, Ltl::Eventually(_) | Ltl::Until(..))) {
        Ok(Fragment::Safety)
    } else if !normal.any(&|f| matches!(f, Ltl::Always(_) | Ltl::Release(..) | Ltl::WeakUntil(..)))
    {
        Ok(Fragment::CoSafety)
    } else {
        Err(Refusal::Mixed)
    }
}

/// An automaton that also says at which events some formulas about the past are true.
#[derive(Clone, Debug)]
pub struct Recalling {
    /// The automaton.
    pub dfa: Dfa,
    /// By state and letter, the formulas that are true at that event; empty if none ever is.
    held: Vec<Vec<Vec<usize>>>,
}

impl Recalling {
    /// An automaton that says nothing more.
    pub fn plain(dfa: Dfa) -> Recalling {
        Recalling { dfa, held: Vec::new() }
    }

    /// The formulas that are true at an event in a state.
    pub fn held(&self, state: StateId, letter: usize) -> Vec<usize> {
        self.held.get(state.index()).map(|row| row[letter].clone()).unwrap_or_default()
    }

    /// The smallest automaton that says the same. A formula at a letter becomes one more letter, which
    /// leads to an accepting state if the formula is true there: so states that differ in it differ in
    /// what they accept.
    fn minimised(self, recalled: usize) -> Recalling {
        if self.held.iter().flatten().all(Vec::is_empty) {
            return Recalling::plain(self.dfa.minimise());
        }
        let letters = self.held.first().map_or(0, Vec::len);
        let asked =
            |letter: usize, formula: usize| Letter((letters + letter * recalled + formula) as u32);
        let mut wide = Dfa::new(Alphabet::new((letters * (recalled + 1)) as u32));
        let mut ids: Vec<StateId> = vec![wide.start()];
        ids.extend((1..self.dfa.len()).map(|_| wide.add_state()));
        let (yes, no) = (wide.add_state(), wide.add_state());
        wide.add_accepting(yes);
        for (at, state) in self.dfa.states().enumerate() {
            if self.dfa.is_accepting(state) {
                wide.add_accepting(ids[at]);
            }
            for letter in 0..letters {
                if let Some(to) = self.dfa.next(state, Letter(letter as u32)) {
                    wide.set_next(ids[at], Letter(letter as u32), ids[to.index()]);
                }
                for formula in 0..recalled {
                    let is_held = self.held[at][letter].contains(&formula);
                    wide.set_next(ids[at], asked(letter, formula), if is_held { yes } else { no });
                }
            }
        }
        for letter in 0..letters * (recalled + 1) {
            wide.set_next(yes, Letter(letter as u32), no);
            wide.set_next(no, Letter(letter as u32), no);
        }
        let wide = wide.minimise();
        // What is reached by events only.
        let mut dfa = Dfa::new(Alphabet::new(letters as u32));
        let mut number = HashMap::from([(wide.start(), dfa.start())]);
        let mut todo = vec![wide.start()];
        let mut held = vec![Vec::new()];
        while let Some(from) = todo.pop() {
            let own = number[&from];
            if wide.is_accepting(from) {
                dfa.add_accepting(own);
            }
            let is_held = |letter: usize, formula: usize| {
                let to = wide.next(from, asked(letter, formula));
                to.is_some_and(|to| wide.is_accepting(to))
            };
            held[own.index()] = (0..letters)
                .map(|letter| (0..recalled).filter(|f| is_held(letter, *f)).collect())
                .collect();
            for letter in (0..letters).map(|letter| Letter(letter as u32)) {
                let Some(to) = wide.next(from, letter) else { continue };
                let next = *number.entry(to).or_insert_with(|| {
                    todo.push(to);
                    held.push(Vec::new());
                    dfa.add_state()
                });
                dfa.set_next(own, letter, next);
            }
        }
        Recalling { dfa, held }
    }
}

/// The minimal automaton whose accepting states mean that the formula is broken (safety) or
/// fulfilled (co-safety), whatever comes. `letters`: which atoms each letter satisfies. Until then
/// it says of each event which of the formulas in `recalled`, which are about the past, are true.
pub fn monitor(
    formula: &Ltl,
    recalled: &[&Ltl],
    letters: &[Vec<usize>],
    limit: usize,
) -> Result<(Fragment, Recalling), Refusal> {
    let fragment = fragment(formula)?;
    let safety = formula.normal(fragment == Fragment::Safety, &mut MAX_NODES.clone())?;
    let mut builder = Builder { limit, ..Builder::default() };
    let recalling = builder.build(&safety, recalled, letters)?;
    Ok((fragment, recalling.minimised(recalled.len())))
}

type NodeId = usize;
/// Ways to go on, each a set of obligations; none: broken; one without obligations: done.
type Ways = BTreeSet<BTreeSet<NodeId>>;

/// A node of the future part, its operands by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// A formula about the past, by number.
    Past(usize),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Next(NodeId),
    Always(NodeId),
    WeakUntil(NodeId, NodeId),
    Release(NodeId, NodeId),
}

#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    numbers: HashMap<Node, NodeId>,
    past: Vec<Ltl>,
    /// Past operators in an order in which operands come first; each remembers one value.
    memory: Vec<Ltl>,
    limit: usize,
    work: std::cell::Cell<usize>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration {
    ways: Ways,
    memory: Vec<bool>,
}

impl Builder {
    fn node(&mut self, node: Node) -> NodeId {
        let next = self.nodes.len();
        let id = *self.numbers.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    fn intern(&mut self, formula: &Ltl) -> NodeId {
        if formula.is_past() {
            self.remember(formula);
            let at = self.past.iter().position(|p| p == formula).unwrap_or_else(|| {
                self.past.push(formula.clone());
                self.past.len() - 1
            });
            return self.node(Node::Past(at));
        }
        let node = match formula {
            Ltl::And(a, b) => Node::And(self.intern(a), self.intern(b)),
            Ltl::Or(a, b) => Node::Or(self.intern(a), self.intern(b)),
            Ltl::Next(a) => Node::Next(self.intern(a)),
            Ltl::Always(a) => Node::Always(self.intern(a)),
            Ltl::WeakUntil(a, b) => Node::WeakUntil(self.intern(a), self.intern(b)),
            Ltl::Release(a, b) => Node::Release(self.intern(a), self.intern(b)),
            _ => unreachable!("a safety formula in negation normal form"),
        };
        self.node(node)
    }

    fn remember(&mut self, formula: &Ltl) {
        for operand in formula.operands() {
            self.remember(operand);
        }
        if formula.is_past_operator() && !self.memory.contains(formula) {
            self.memory.push(formula.clone());
        }
    }

    /// What past operators remember before the first event.
    fn initial_memory(&self) -> Vec<bool> {
        self.memory.iter().map(|f| matches!(f, Ltl::Historically(_))).collect()
    }

    /// The value of a formula about the past at an event, given what was remembered before it.
    fn value(&self, formula: &Ltl, letter: &[usize], memory: &[bool]) -> bool {
        let value = |f: &Ltl| self.value(f, letter, memory);
        let remembered = || {
            let at = self.memory.iter().position(|m| m == formula);
            at.is_some_and(|at| memory[at])
        };
        match formula {
            Ltl::Const(b) => *b,
            Ltl::Atom(atom) => letter.contains(atom),
            Ltl::Not(a) => !value(a),
            Ltl::And(a, b) => value(a) && value(b),
            Ltl::Or(a, b) => value(a) || value(b),
            Ltl::Iff(a, b) => value(a) == value(b),
            Ltl::Previous(_) => remembered(),
            Ltl::Once(a) => value(a) || remembered(),
            Ltl::Historically(a) => value(a) && remembered(),
            Ltl::Since(a, b) => value(b) || (value(a) && remembered()),
            _ => unreachable!("a formula about the past"),
        }
    }

    fn next_memory(&self, letter: &[usize], memory: &[bool]) -> Vec<bool> {
        self.memory
            .iter()
            .map(|formula| match formula {
                Ltl::Previous(a) => self.value(a, letter, memory),
                other => self.value(other, letter, memory),
            })
            .collect()
    }

    /// The ways in which an obligation can be met at an event.
    fn progress(
        &self,
        node: NodeId,
        past: &[bool],
        known: &mut HashMap<NodeId, Ways>,
    ) -> Result<Ways, Refusal> {
        if let Some(ways) = known.get(&node) {
            return Ok(ways.clone());
        }
        let later = |n: NodeId| Ways::from([BTreeSet::from([n])]);
        let ways = match self.nodes[node] {
            Node::Past(formula) => {
                if past[formula] {
                    Ways::from([BTreeSet::new()])
                } else {
                    Ways::new()
                }
            }
            Node::And(a, b) => {
                let (a, b) = (self.progress(a, past, known)?, self.progress(b, past, known)?);
                self.both(&a, &b)?
            }
            Node::Or(a, b) => {
                let (a, b) = (self.progress(a, past, known)?, self.progress(b, past, known)?);
                self.either(a, b)?
            }
            Node::Next(a) => later(a),
            Node::Always(a) => {
                let now = self.progress(a, past, known)?;
                self.both(&now, &later(node))?
            }
            Node::WeakUntil(a, b) => {
                let (a, b) = (self.progress(a, past, known)?, self.progress(b, past, known)?);
                let wait = self.both(&a, &later(node))?;
                self.either(b, wait)?
            }
            Node::Release(a, b) => {
                let (a, b) = (self.progress(a, past, known)?, self.progress(b, past, known)?);
                let end = self.either(a, later(node))?;
                self.both(&b, &end)?
            }
        };
        known.insert(node, ways.clone());
        Ok(ways)
    }

    fn both(&self, a: &Ways, b: &Ways) -> Result<Ways, Refusal> {
        self.spend(a.len().saturating_mul(b.len()))?;
        let product = a.iter().flat_map(|x| b.iter().map(move |y| x.union(y).copied().collect()));
        Ok(reduced(product.collect()))
    }

    fn either(&self, mut a: Ways, b: Ways) -> Result<Ways, Refusal> {
        a.extend(b);
        self.spend(a.len())?;
        Ok(reduced(a))
    }

    /// Accounts for so many ways having been looked at.
    fn spend(&self, ways: usize) -> Result<(), Refusal> {
        // Each is compared with each.
        let work = self.work.get() + 1 + ways.min(MAX_WAYS).pow(2);
        self.work.set(work);
        if ways > MAX_WAYS || work > MAX_WORK { Err(Refusal::TooLarge) } else { Ok(()) }
    }

    fn step(&self, from: &Configuration, letter: &[usize]) -> Result<Configuration, Refusal> {
        let past: Vec<bool> =
            self.past.iter().map(|f| self.value(f, letter, &from.memory)).collect();
        let mut known = HashMap::new();
        let mut ways = Ways::new();
        for way in &from.ways {
            let mut met = Ways::from([BTreeSet::new()]);
            for obligation in way {
                let next = self.progress(*obligation, &past, &mut known)?;
                met = self.both(&met, &next)?;
            }
            ways = self.either(ways, met)?;
        }
        Ok(Configuration { ways, memory: self.next_memory(letter, &from.memory) })
    }

    fn build(
        &mut self,
        formula: &Ltl,
        recalled: &[&Ltl],
        letters: &[Vec<usize>],
    ) -> Result<Recalling, Refusal> {
        let root = self.intern(formula);
        recalled.iter().for_each(|formula| self.remember(formula));
        let start = Configuration {
            ways: Ways::from([BTreeSet::from([root])]),
            memory: self.initial_memory(),
        };
        let mut numbers = HashMap::from([(start.clone(), 0usize)]);
        let mut states = vec![start];
        let mut moves: Vec<Vec<usize>> = Vec::new();
        let mut held: Vec<Vec<Vec<usize>>> = Vec::new();
        while moves.len() < states.len() {
            let from = states[moves.len()].clone();
            let mut row = Vec::with_capacity(letters.len());
            for letter in letters {
                let mut to = self.step(&from, letter)?;
                if to.ways.is_empty() || to.ways.contains(&BTreeSet::new()) {
                    // Decided: what was remembered does not matter any more.
                    to.memory = self.initial_memory();
                    to.ways.retain(BTreeSet::is_empty);
                }
                let next = states.len();
                let number = *numbers.entry(to.clone()).or_insert(next);
                if number == next {
                    if next >= self.limit {
                        return Err(Refusal::TooLarge);
                    }
                    states.push(to);
                }
                row.push(number);
            }
            moves.push(row);
            // What is decided does not depend on times any more.
            let is_open = !from.ways.is_empty() && !from.ways.contains(&BTreeSet::new());
            let holds = |letter: &[usize], f: &usize| {
                is_open && self.value(recalled[*f], letter, &from.memory)
            };
            let row = letters.iter().map(|l| (0..recalled.len()).filter(|f| holds(l, f)).collect());
            held.push(row.collect());
        }
        let alive: Vec<bool> = states.iter().map(|s| !s.ways.is_empty()).collect();
        let mut dfa = Dfa::new(Alphabet::new(letters.len() as u32));
        let mut ids: Vec<StateId> = vec![dfa.start()];
        ids.extend((1..states.len()).map(|_| dfa.add_state()));
        for (from, row) in moves.iter().enumerate() {
            for (letter, to) in row.iter().enumerate() {
                // Once broken, broken for ever.
                let to = if alive[from] { *to } else { from };
                dfa.set_next(ids[from], Letter(letter as u32), ids[to]);
            }
            if !alive[from] {
                dfa.add_accepting(ids[from]);
            }
        }
        Ok(Recalling { dfa, held })
    }
}

/// Without ways that ask for more than another.
fn reduced(ways: Ways) -> Ways {
    ways.iter()
        .filter(|way| !ways.iter().any(|other| other != *way && other.is_subset(way)))
        .cloned()
        .collect()
}
