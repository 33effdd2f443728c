//! Which part of a property can matter: `approx`, `reach`, `badAfter`, `goodEntry`, `useful`, R(D).
//!
//! A part is a set of edges. What can be reported, or seen outside otherwise, is what matters; so do
//! the variables that decide about it, in all properties together.

use std::collections::BTreeSet;

use watchword_model::{Model, PropertyId, VarId};

use super::automaton::{Date, Edge, Part, States, initial_reads};
use super::effects::Effects;
use crate::machine::{Letters, Unsupported};
use crate::mistake::Mistake;

/// What states are for, within a part of a property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// States that can be reached.
    pub reached: States,
    /// States from which something that matters can still happen.
    pub bad_after: States,
    /// States in which it is clear, for the first time, that nothing can happen any more.
    pub good_entry: States,
}

impl Roles {
    /// States a residual has.
    pub fn useful(&self) -> States {
        self.bad_after | self.good_entry
    }
}

impl Date {
    /// The edges of a part that a letter can take from a state, in order; none behind one that is
    /// surely taken.
    pub fn taken<'d>(
        &'d self,
        part: &'d [bool],
        state: usize,
        letter: usize,
    ) -> impl Iterator<Item = usize> + 'd {
        let mut over = false;
        let from = if state == self.dropped() { self.start } else { state };
        self.edges.iter().enumerate().filter_map(move |(at, edge)| {
            let fits = part[at] && edge.from == from && edge.letters() >> letter & 1 == 1;
            if over || !fits {
                return None;
            }
            over = edge.certain && !self.registers;
            Some(at)
        })
    }

    /// Where a letter can lead from a state.
    pub fn approx(&self, part: &[bool], state: usize, letter: usize) -> States {
        let mut to = 0;
        let mut left = false;
        for at in self.taken(part, state, letter) {
            let edge = &self.edges[at];
            to |= 1 << edge.to;
            left |= edge.certain && !edge.forks;
        }
        // The instance that ended may stay so as long as others of its context go on.
        if !left || state == self.dropped() || self.may_be_absent(state, letter) {
            to |= 1 << state;
        }
        to
    }

    /// Whether an instance that seems to be in a state may not have been there yet when a letter
    /// comes, which does not make it begin.
    pub(super) fn may_be_absent(&self, state: usize, letter: usize) -> bool {
        state == self.start && !self.letters[letter].begins && !Mistake::AlwaysThere.is_made()
    }

    /// Where a letter can lead from some states.
    pub fn step(&self, part: &[bool], states: States, letter: usize) -> States {
        self.iter(states).fold(0, |to, state| to | self.approx(part, state, letter))
    }

    /// Where time can lead from some states.
    pub fn wait(&self, part: &[bool], states: States) -> States {
        self.alarms(part, states).fold(states, |to, e| to | 1 << e.to)
    }

    /// Whether time can take an edge from some states, wherever that leads.
    pub(super) fn has_alarm(&self, part: &[bool], states: States) -> bool {
        self.alarms(part, states).any(|e| e.from != e.to || !Mistake::AlarmsStay.is_made())
    }

    fn alarms<'d>(&'d self, part: &'d [bool], states: States) -> impl Iterator<Item = &'d Edge> {
        let timed = self.edges.iter().zip(part).filter(|(e, p)| **p && e.labels.is_empty());
        timed.map(|(e, _)| e).filter(move |e| states >> e.from & 1 == 1)
    }

    /// The states of a set.
    pub fn iter(&self, states: States) -> impl Iterator<Item = usize> + use<> {
        (0..=self.dropped()).filter(move |s| states >> s & 1 == 1)
    }

    /// What some letters, in any order, can lead to.
    pub fn closure(&self, part: &[bool], states: States, letters: Letters) -> States {
        let mut seen = states;
        loop {
            let mut next = self.wait(part, seen);
            for letter in crate::machine::iter(letters) {
                next |= self.step(part, seen, letter);
            }
            if next == seen {
                return seen;
            }
            seen = next;
        }
    }

    /// The edges of a part whose letters all occur, and that can be reached by them.
    pub fn restricted(&self, part: &[bool], present: Letters) -> Part {
        let mut kept: Part =
            self.edges.iter().zip(part).map(|(e, p)| *p && e.possible(present)).collect();
        let reached = self.closure(&kept, 1 << self.start, present);
        for (edge, kept) in self.edges.iter().zip(&mut kept) {
            *kept &= reached >> edge.from & 1 == 1;
        }
        kept
    }

    /// Whether taking an edge is seen outside the property.
    fn is_output(&self, edge: &Edge, shared: &BTreeSet<VarId>) -> bool {
        let seen = |does: &Effects| {
            !does.clocks.is_empty() || does.outputs || !does.writes.is_disjoint(shared)
        };
        // What ended begins again, and enters its start state.
        let again = edge.to == self.dropped() && !Mistake::BeginningIsPrivate.is_made();
        seen(&edge.does) || again && seen(&self.starts)
    }

    /// What the states of a part are for; `shared` are the variables others read.
    pub fn roles(&self, part: &[bool], shared: &BTreeSet<VarId>) -> Roles {
        let everything = self.set(|_| true);
        let reached = self.closure(part, 1 << self.start, everything);
        let edges = || self.edges.iter().zip(part).filter(|(_, p)| **p).map(|(e, _)| e);
        let mut bad_after = self.bad & reached;
        for edge in edges() {
            if reached >> edge.from & 1 == 1 && self.is_output(edge, shared) {
                bad_after |= 1 << edge.from;
            }
        }
        loop {
            let mut more = bad_after;
            for edge in edges() {
                if reached >> edge.from & 1 == 1 && bad_after >> edge.to & 1 == 1 {
                    more |= 1 << edge.from;
                }
            }
            // An instance that ended begins again.
            if bad_after >> self.start & 1 == 1 && reached >> self.dropped() & 1 == 1 {
                more |= 1 << self.dropped();
            }
            if more == bad_after {
                break;
            }
            bad_after = more;
        }
        let mut good_entry = 0;
        for edge in edges() {
            if bad_after >> edge.from & 1 == 1 && bad_after >> edge.to & 1 == 0 {
                good_entry |= 1 << edge.to;
            }
        }
        Roles { reached, bad_after, good_entry }
    }

    /// R(D), given the variables that matter: what remains of a part.
    pub fn reduced(&self, part: &[bool], live: &Live) -> Part {
        let roles = self.roles(part, &live.shared(self));
        let live = &live.all;
        let useful = roles.useful();
        let mut kept: Part = self
            .edges
            .iter()
            .zip(part)
            .map(|(e, p)| *p && roles.bad_after >> e.from & 1 == 1 && useful >> e.to & 1 == 1)
            .collect();
        // Loops that do nothing, from the last to the first: none goes whose place a later edge of
        // the same letter would take.
        for at in (0..self.edges.len()).rev() {
            if kept[at] && self.is_idle_loop(&self.edges[at], live) {
                let edge = &self.edges[at];
                let later = self.edges[at + 1..].iter().zip(&kept[at + 1..]);
                let taken_over = later
                    .filter(|(e, k)| **k && e.from == edge.from)
                    .any(|(e, _)| e.letters() & edge.letters() != 0);
                kept[at] = taken_over && !Mistake::LoopsHideNothing.is_made();
            }
        }
        kept
    }

    /// Whether taking an edge changes nothing that matters. An update that may fail matters: it may
    /// make its instance inconclusive.
    fn is_idle_loop(&self, edge: &Edge, live: &BTreeSet<VarId>) -> bool {
        let timed = self.edges.iter().any(|e| e.from == edge.to && e.labels.is_empty());
        let silent = edge.stays || !timed && self.bad >> edge.to & 1 == 0;
        edge.from == edge.to
            && silent
            && !self.registers
            && !edge.labels.is_empty()
            && (edge.does.is_idle(live) && !edge.does.may_fail || Mistake::LoopsDoNothing.is_made())
    }
}

/// Properties that may share variables.
#[derive(Clone, Debug)]
pub struct Dates<'m> {
    /// The model they are from.
    pub model: &'m Model,
    /// The properties that can be followed.
    pub all: Vec<Date>,
    /// Variables that properties which cannot be followed may read.
    pub pinned: BTreeSet<VarId>,
}

/// Variables that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// All of them.
    pub all: BTreeSet<VarId>,
    /// By property: those that others read, or other instances of the same.
    shared: Vec<(PropertyId, BTreeSet<VarId>)>,
}

impl Live {
    fn shared(&self, date: &Date) -> BTreeSet<VarId> {
        if Mistake::NothingIsShared.is_made() {
            return BTreeSet::new();
        }
        let found = self.shared.iter().find(|(id, _)| *id == date.property);
        found.map_or(BTreeSet::new(), |(_, shared)| shared.clone())
    }
}

/// What remains of properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// By property: the edges.
    pub parts: Vec<Part>,
    /// Variables that matter.
    pub live: Live,
}

impl<'m> Dates<'m> {
    /// The properties of a model; those that cannot be followed with the reason.
    pub fn of(model: &'m Model) -> (Dates<'m>, Vec<(PropertyId, Unsupported)>) {
        let mut dates = Dates { model, all: Vec::new(), pinned: BTreeSet::new() };
        let mut others = Vec::new();
        for at in 0..model.properties.len() {
            let id = PropertyId::from_index(at);
            match Date::of(model, id) {
                Ok(date) => dates.all.push(date),
                Err(why) => {
                    let context = model.properties[at].context;
                    for c in model.chain(context) {
                        dates.pinned.extend(&model.contexts[c.index()].variables);
                    }
                    others.push((id, why));
                }
            }
        }
        (dates, others)
    }

    /// All of them.
    pub fn whole(&self) -> Vec<Part> {
        self.all.iter().map(Date::whole).collect()
    }

    /// R of all properties together: the least set of variables that matter, and what remains.
    pub fn reduce(&self, parts: &[Part]) -> Reduced {
        let mut live = Live { all: self.pinned.clone(), shared: Vec::new() };
        loop {
            let kept: Vec<Part> =
                self.all.iter().zip(parts).map(|(date, part)| date.reduced(part, &live)).collect();
            let reads: Vec<BTreeSet<VarId>> =
                self.all.iter().zip(&kept).map(|(date, part)| date.reads(part, &live)).collect();
            let mut all = live.all.clone();
            all.extend(reads.iter().flatten());
            // Initial values are read when an instance begins, for whatever reason.
            let first = match Mistake::InitialReadsIgnored.is_made() {
                true => BTreeSet::new(),
                false => initial_reads(self.model, &mut all),
            };
            let shared = self.all.iter().enumerate().map(|(at, date)| {
                let context = self.model.properties[date.property.index()].context;
                let others = |v: &VarId| {
                    self.model.variables[v.index()].context != context
                        || first.contains(v)
                        || self.pinned.contains(v)
                        || reads.iter().enumerate().any(|(other, r)| other != at && r.contains(v))
                };
                (date.property, all.iter().filter(|v| others(v)).copied().collect())
            });
            let next = Live { shared: shared.collect(), all };
            if next == live {
                return Reduced { parts: kept, live };
            }
            live = next;
        }
    }
}

impl Date {
    /// The variables that decide what the edges of a part do.
    fn reads(&self, part: &[bool], live: &Live) -> BTreeSet<VarId> {
        let mut reads = BTreeSet::new();
        let reached = self.closure(part, 1 << self.start, self.set(|_| true));
        if self.bad & reached != 0 {
            reads.extend(&self.at_end.reads);
        }
        if self.starts.may_fail || !self.starts.is_idle(&live.all) {
            reads.extend(&self.starts.reads);
        }
        for (edge, _) in self.edges.iter().zip(part).filter(|(_, p)| **p) {
            if !Mistake::ConditionsIgnored.is_made() {
                reads.extend(&edge.asks.reads);
            }
            reads.extend(&edge.says.reads);
            // What an update reads decides whether it can be done at all, and what it writes.
            if edge.does.may_fail || !edge.does.is_idle(&live.all) {
                reads.extend(&edge.does.reads);
            }
        }
        reads
    }
}

/// The union of parts of one property.
pub fn union(one: &mut Part, two: &[bool]) {
    for (one, two) in one.iter_mut().zip(two) {
        *one |= two;
    }
}
