//! Enable sets: which partial bindings can still be completed to a report.
//!
//! `shape` keeps an instance once a transition was taken on it that its source did not take. Where
//! several parameters are bound one after the other that is too often: in
//!
//! ```text
//! never create(m, c) update(m)* iterator(c, i) next(i)* update(m)+ next(i)
//! ```
//!
//! every `next(i)` of an iterator leads its slices with every (m, c) back to the start, and would
//! make an instance of each of them. But no report needs them: a `next` can only matter once
//! `iterator` has bound all three. This module finds such pairs of an event and a set of bound
//! parameters on the automaton, and has the engine note the event's own values instead (a *mark*):
//! one note per value, not an instance per combination.
//!
//! # What is computed
//!
//! *Kept* domains are found from ⊥ on: `reach(Y)` are the states a kept instance that binds Y can be
//! in. For an event k placed by X ⊄ Y, every state of `reach(Y)` is looked at:
//!
//! * no transition: the pair is *quiet*;
//! * in every state the event leads, whatever its arguments, to *rest*: the pair *rests*;
//! * otherwise the pair is *enabled*: Y ∪ X is kept, too, and instances are joined as `shape` says.
//!
//! Rest is one of two things. It is the start state (`Rest::Start`), or the states from which no
//! report can be reached any more (`Rest::Dead`). What is at rest stays there but for *starters*, the
//! events that leave the start state.
//!
//! # Why verdicts are the same
//!
//! The property is *pure*: no variables, updates, outputs or drops; a configuration is a state. The
//! conditions of `shape` on small domains hold for the kept ones, in particular they form a chain.
//! The table's instance T, not kept, with M the largest kept below it, is *attached*: it has M's
//! state; or it is *at rest*. Claim: it is at rest exactly if an event of a resting pair happened to
//! it after its sources were last known to be where it is. Events within M's domain step M, and T if
//! it is attached. If T is at rest, they leave it there, unless they are starters; of starters it is
//! asked that they lead all states of `reach(Y)` and the start to one state, so that M and T are in
//! the same one afterwards: M is *in step* from then on. An event of another domain is quiet; or a
//! pair rests, and the mark tells so; or it is enabled, and M ⊔ θ is a copy of M, or of ⊥ if it is at
//! rest. M's own sources were kept before it: during which time which domain was T's source is told
//! by the numbers of creation, which marks are compared with.
//!
//! With creation events, an instance at the start behaves like one that has not begun if only
//! creation events leave the start state; that is asked for, too.

use std::collections::{BTreeMap, BTreeSet};

use watchword_model::{Context, Property, StateKind, Target};
use watchword_step::NONE;

use crate::effects;
use crate::shape::{Mask, mask_of, moves, visible_move};
use crate::unit::Unit;

/// Where instances are that need not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// In the start state, like the instance that binds nothing.
    Start,
    /// In a state from which no report can be reached.
    Dead,
}

/// An event whose values are noted instead of being joined with everything that agrees with them.
#[derive(Clone, Debug)]
pub struct Mark {
    /// What it binds.
    pub domain: Mask,
    /// The partitions with whose members it would be joined, and come to rest.
    pub partitions: Vec<usize>,
    /// Whether only the last one of the same values is of interest: there is no larger domain with
    /// which the event is enabled.
    pub only_last: bool,
}

/// Which joins are not made; see the module's text.
#[derive(Clone, Debug)]
pub struct Enabling {
    /// Where the others are.
    pub rest: Rest,
    /// By kind of event.
    pub marks: Vec<Option<Mark>>,
    /// By kind of event: whether it leaves the start state, after which an instance and those
    /// above it are in step.
    pub starters: Vec<bool>,
    /// By state: whether no report can be reached from there.
    pub dead: Vec<bool>,
    /// Whether every instance would have to be kept without it.
    pub is_needed: bool,
}

/// What an event comes to when it meets instances of a domain that does not hold its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    Quiet,
    Rests,
    Enabled,
}

/// What was found out about a property.
pub(crate) struct Enabled {
    /// The domains that are kept, smaller ones first, and the states of their members.
    pub kept: Vec<(Mask, BTreeSet<u32>)>,
    /// By kind of event and kept domain that does not hold the event's.
    pub pairs: Vec<BTreeMap<Mask, Pair>>,
    pub rest: Rest,
    pub starters: Vec<bool>,
    pub dead: Vec<bool>,
}

impl Enabled {
    /// Whether some join is not made that would be.
    pub fn is_used(&self) -> bool {
        self.pairs.iter().any(|p| p.values().any(|pair| *pair == Pair::Rests))
    }
}

/// More domains are not looked at.
const MOST_DOMAINS: usize = 64;

struct Search<'a> {
    property: &'a Property,
    unit: &'a Unit,
    rest: Rest,
    dead: Vec<bool>,
    /// By kind of event: its only placement.
    placed: Vec<Mask>,
    full: Mask,
    reach: BTreeMap<Mask, BTreeSet<u32>>,
}

/// Finds what is enabled, with instances at rest in the start state or in dead ones; `None` if the
/// conditions do not hold.
pub(crate) fn enabled(
    property: &Property,
    context: &Context,
    unit: &Unit,
    rest: Rest,
) -> Option<Enabled> {
    if context.params.len() < 2 || !context.variables.is_empty() || !is_pure(property) {
        return None;
    }
    let placed: Option<Vec<Mask>> = unit
        .kinds
        .iter()
        .map(|kind| match &kind.placements[..] {
            [only] => Some(mask_of(only)),
            _ => None,
        })
        .collect();
    let placed = placed?;
    let full = placed.iter().fold(0, |all, x| all | x);
    let dead = dead_states(property);
    let mut search = Search { property, unit, rest, dead, placed, full, reach: BTreeMap::new() };
    search.explore()?;
    search.are_small_ones_unseen().then_some(())?;
    let mut kept: Vec<(Mask, BTreeSet<u32>)> =
        std::mem::take(&mut search.reach).into_iter().collect();
    kept.sort_by_key(|(domain, _)| (domain.count_ones(), *domain));
    search.reach = kept.iter().cloned().collect();
    let small: Vec<Mask> = kept.iter().map(|(y, _)| *y).filter(|y| *y != full).collect();
    if small.windows(2).any(|pair| pair[0] & !pair[1] != 0) {
        return None;
    }
    let kinds = 0..unit.kinds.len();
    let pairs: Vec<BTreeMap<Mask, Pair>> = kinds
        .clone()
        .map(|k| {
            let outside = kept.iter().filter(|(y, _)| search.placed[k] & !y != 0);
            outside.map(|(y, _)| (*y, search.pair(k, *y))).collect()
        })
        .collect();
    let starters: Vec<bool> =
        kinds.map(|k| rest == Rest::Start && !search.is_quiet(unit.start, k)).collect();
    let found = Enabled { kept, pairs, rest, starters, dead: search.dead.clone() };
    if rest == Rest::Start && found.is_used() && !search.do_starters_agree(&small, &found.starters)
    {
        return None;
    }
    Some(found)
}

/// Whether a configuration is a state and nothing else, and stepping it is seen in reports only.
pub(crate) fn is_pure(property: &Property) -> bool {
    let guards =
        property.transitions.iter().flat_map(|t| &t.labels).filter_map(|l| l.guard.as_ref());
    property.states.iter().all(|s| s.entry.is_empty())
        && effects::branches(property).all(|b| b.update.is_empty() && b.target != Target::Drop)
        && property.transitions.iter().all(|t| t.labels.len() == 1)
        && property.windows.is_empty()
        && !property.asks_time()
        && !guards.into_iter().any(effects::expr_writes)
}

/// The states from which no report can be reached.
fn dead_states(property: &Property) -> Vec<bool> {
    let mut dead = vec![true; property.states.len()];
    for (state, definition) in property.states.iter().enumerate() {
        dead[state] = definition.kind != StateKind::Pending;
    }
    loop {
        let mut is_done = true;
        for (state, definition) in property.states.iter().enumerate().rev() {
            if !dead[state] {
                continue;
            }
            let own = property.transitions.iter().filter(|t| t.source.index() == state);
            let branches = own
                .flat_map(|t| std::iter::once(&t.then).chain(&t.otherwise))
                .chain(definition.deadline.as_ref().map(|d| &d.branch));
            let mut targets = branches.filter_map(|b| match b.target {
                Target::State(to) => Some(to.index()),
                Target::Stay | Target::Drop => None,
            });
            if targets.any(|to| {
                !dead[to] || matches!(property.states[to].kind, StateKind::Bad | StateKind::Good)
            }) {
                dead[state] = false;
                is_done = false;
            }
        }
        if is_done {
            return dead;
        }
    }
}

/// The states an event may lead to, and whether it leads there whatever its arguments are: it
/// may stay where it is otherwise.
pub(crate) fn targets(
    property: &Property,
    unit: &Unit,
    state: u32,
    kind: usize,
) -> (BTreeSet<u32>, bool) {
    let tables = &unit.tables;
    let mut found = BTreeSet::new();
    for number in moves(unit, state, kind) {
        let transition = &property.transitions[number as usize];
        for branch in std::iter::once(&transition.then).chain(&transition.otherwise) {
            found.insert(match branch.target {
                Target::State(to) => to.0,
                Target::Stay | Target::Drop => state,
            });
        }
        let label = &tables.labels[tables.moves[number as usize].labels.start as usize];
        if label.admits_all() && label.tests.is_empty() && label.guard == NONE {
            return (found, true);
        }
    }
    (found, false)
}

impl Search<'_> {
    fn is_quiet(&self, state: u32, kind: usize) -> bool {
        moves(self.unit, state, kind).next().is_none()
    }

    /// Where an event certainly leads.
    fn certain(&self, state: u32, kind: usize) -> Option<u32> {
        match targets(self.property, self.unit, state, kind) {
            (targets, true) if targets.len() == 1 => targets.first().copied(),
            _ => None,
        }
    }

    /// The states of a kept domain in which an event of a kind acts. What has not begun is only
    /// begun by creation events, in the start state.
    fn states(&self, domain: Mask, kind: usize) -> BTreeSet<u32> {
        if domain == 0 && self.unit.has_creation && !self.unit.kinds[kind].creation {
            return BTreeSet::new();
        }
        self.reach[&domain].clone()
    }

    fn is_at_rest(&self, state: u32) -> bool {
        let definition = &self.property.states[state as usize];
        // Entering a state that is reported is seen, and who has begun to wait is not like one who has
        // not begun.
        definition.kind == StateKind::Normal
            && definition.deadline.is_none()
            && match self.rest {
                Rest::Start => state == self.unit.start,
                Rest::Dead => self.dead[state as usize],
            }
    }

    fn pair(&self, kind: usize, domain: Mask) -> Pair {
        let mut rests = false;
        let mut is_quiet = false;
        let mut states = self.states(domain, kind);
        if self.rest == Rest::Start && domain != 0 {
            // What rests above them is there.
            states.insert(self.unit.start);
        }
        for state in states {
            if self.dead[state as usize] {
                continue;
            }
            if self.is_quiet(state, kind) {
                // To be noted as resting is then right for what rests already.
                is_quiet |= !self.is_at_rest(state);
            } else if self.certain(state, kind).is_some_and(|to| self.is_at_rest(to)) {
                rests = true;
            } else {
                return Pair::Enabled;
            }
        }
        match (rests, is_quiet) {
            (true, true) => Pair::Enabled,
            (true, false) => Pair::Rests,
            (false, _) => Pair::Quiet,
        }
    }

    /// Finds the kept domains and their states. `None` if ⊥ can change, or there are too many.
    fn explore(&mut self) -> Option<()> {
        let start = self.unit.start;
        self.reach.insert(0, BTreeSet::from([start]));
        for kind in (0..self.placed.len()).filter(|k| self.placed[*k] == 0) {
            let begins = self.unit.kinds[kind].creation;
            if begins || !self.unit.has_creation && !self.is_quiet(start, kind) {
                return None;
            }
        }
        // With creation events, what is at the start has to be like what has not begun.
        let others = (0..self.placed.len()).filter(|k| !self.unit.kinds[*k].creation);
        if self.rest == Rest::Start
            && self.unit.has_creation
            && others.into_iter().any(|k| !self.is_quiet(start, k))
        {
            return None;
        }
        loop {
            let before: usize = self.reach.values().map(|states| 1 + states.len()).sum();
            for domain in self.reach.keys().copied().collect::<Vec<_>>() {
                for kind in 0..self.placed.len() {
                    let x = self.placed[kind];
                    if x & !domain == 0 || self.pair(kind, domain) != Pair::Enabled {
                        continue;
                    }
                    let mut into = self.after(&self.states(domain, kind), kind);
                    if self.rest == Rest::Start {
                        into.extend(self.after(&BTreeSet::from([start]), kind));
                    }
                    self.reach.entry(domain | x).or_default().extend(into);
                    self.close(domain | x);
                }
            }
            if self.reach.len() > MOST_DOMAINS {
                return None;
            }
            if before == self.reach.values().map(|states| 1 + states.len()).sum() {
                return Some(());
            }
        }
    }

    fn after(&self, states: &BTreeSet<u32>, kind: usize) -> BTreeSet<u32> {
        let mut after = BTreeSet::new();
        for state in states {
            let (targets, is_certain) = targets(self.property, self.unit, *state, kind);
            after.extend(targets);
            if !is_certain && !self.is_quiet(*state, kind) {
                after.insert(*state);
            }
        }
        after
    }

    /// Adds the states that events within a domain, and time, lead to.
    fn close(&mut self, domain: Mask) {
        loop {
            let states = self.reach[&domain].clone();
            let mut more = BTreeSet::new();
            for kind in (0..self.placed.len()).filter(|k| self.placed[*k] & !domain == 0) {
                more.extend(self.after(&states, kind));
            }
            for state in &states {
                let deadline = self.property.states[*state as usize].deadline.as_ref();
                if let Some(Target::State(to)) = deadline.map(|d| d.branch.target) {
                    more.insert(to.0);
                }
            }
            if more.is_subset(&states) {
                return;
            }
            self.reach.entry(domain).or_default().extend(more);
        }
    }

    /// Whether nothing is seen of instances of small domains, and they do what those above do.
    fn are_small_ones_unseen(&self) -> bool {
        self.reach.iter().filter(|(y, _)| **y != self.full).all(|(y, states)| {
            let is_begun = *y != 0 || !self.unit.has_creation;
            states.iter().all(|state| {
                let definition = &self.property.states[*state as usize];
                let waits = definition.kind == StateKind::Pending || definition.deadline.is_some();
                // Those that are joined into a domain that is small, too, step copies.
                let within = (0..self.placed.len()).filter(|k| self.placed[*k] | y != self.full);
                !(is_begun && waits)
                    && within
                        .into_iter()
                        .all(|k| visible_move(self.property, self.unit, *state, k).is_none())
            })
        })
    }

    /// Whether starters lead everything below a virtual instance, and what is at rest, to one state.
    fn do_starters_agree(&self, small: &[Mask], starters: &[bool]) -> bool {
        (0..self.placed.len()).filter(|k| starters[*k]).all(|k| {
            let to = self.certain(self.unit.start, k);
            small.iter().filter(|y| (*y | self.placed[k]) != self.full).all(|y| {
                let mut states = self.reach[y].iter();
                // Where no transition is taken it stays.
                let lands = |state: u32| match self.is_quiet(state, k) {
                    true => Some(state),
                    false => self.certain(state, k),
                };
                to.is_some() && states.all(|state| lands(*state) == to)
            })
        })
    }
}
