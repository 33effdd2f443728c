//! Programs as control-flow graphs of events, and what of a property their traces can use.
//!
//! An event at an edge of the graph is about a *static identifier*: a variable at a place. Two
//! identifiers are always the same object, never, or perhaps. The residuals of an identifier are made
//! from the events that are, or may be, about its object; a site always is about its own identifier,
//! so where one place may mean different objects over time, as in a loop, give it the relation
//! [`Alias::May`] to itself.

use std::collections::BTreeSet;

use super::automaton::{Date, Part, States};
use super::reduce::{Dates, Live, Reduced, union};
use crate::machine::{Letters, iter};
use crate::mistake::Mistake;

/// How two identifiers are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// They always mean the same object.
    Must,
    /// They may.
    May,
    /// They never do.
    Never,
}

/// An edge of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// From.
    pub from: usize,
    /// To.
    pub to: usize,
    /// What happens: the site.
    pub site: Option<usize>,
}

/// A place where an event happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The event's name.
    pub event: String,
    /// What it is about.
    pub identifier: usize,
}

/// A program: a superset of what it can do.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    /// How many nodes there are; the first is where it begins. It may stop anywhere.
    pub nodes: usize,
    /// Edges.
    pub steps: Vec<Step>,
    /// Sites.
    pub sites: Vec<Site>,
    /// By two identifiers.
    pub alias: Vec<Vec<Alias>>,
}

impl Cfg {
    fn relation(&self, one: usize, two: usize) -> Alias {
        self.alias[one][two]
    }

    /// The identifiers.
    pub fn identifiers(&self) -> std::ops::Range<usize> {
        0..self.alias.len()
    }

    /// The letters of the whole program, without some sites.
    pub fn letters(&self, date: &Date, silenced: &BTreeSet<usize>) -> Letters {
        self.letters_where(date, silenced, |_| true)
    }

    /// The letters that may be about the object of an identifier.
    pub fn letters_of(
        &self,
        date: &Date,
        identifier: usize,
        silenced: &BTreeSet<usize>,
    ) -> Letters {
        self.letters_where(date, silenced, |site| {
            self.relation(identifier, site.identifier) != Alias::Never
        })
    }

    fn letters_where(
        &self,
        date: &Date,
        silenced: &BTreeSet<usize>,
        like: impl Fn(&Site) -> bool,
    ) -> Letters {
        let sites =
            self.sites.iter().enumerate().filter(|(at, s)| !silenced.contains(at) && like(s));
        let letters = sites.filter_map(|(_, s)| date.letter(&s.event));
        letters.fold(date.internal(), |set, letter| set | 1 << letter)
    }

    /// How a site is about the object of an identifier. Where a property cannot tell objects apart
    /// by identity, everything may be about everything; and slices of fewer parameters do not hear what
    /// the object does.
    pub(super) fn about(
        &self,
        date: &Date,
        identifier: usize,
        site: &Site,
    ) -> (Option<usize>, Alias) {
        let letter = date.letter(&site.event);
        let relation = match self.relation(identifier, site.identifier) {
            _ if !date.identity || date.partial => Alias::May,
            relation => relation,
        };
        // An event that names no parameter concerns everybody.
        let everybody =
            letter.is_some_and(|l| date.letters[l].binds.as_ref().is_some_and(Vec::is_empty));
        (letter, if everybody { Alias::Must } else { relation })
    }

    /// The edges of a part that the traces of an identifier can take.
    pub fn uses(
        &self,
        date: &Date,
        part: &[bool],
        identifier: usize,
        silenced: &BTreeSet<usize>,
    ) -> Part {
        let mut used = vec![false; part.len()];
        let mut at: Vec<States> = vec![0; self.nodes];
        let mut work = vec![0];
        at[0] = 1 << date.start;
        while let Some(node) = work.pop() {
            let here = date.closure(part, at[node], date.internal());
            mark(date, part, here, date.internal(), &mut used);
            for step in self.steps.iter().filter(|s| s.from == node) {
                let mut next = here;
                let happens =
                    |s: &usize| !silenced.contains(s) || Mistake::SilencedStillHappens.is_made();
                if let Some(number) = step.site.filter(happens)
                    && let (Some(letter), relation) =
                        self.about(date, identifier, &self.sites[number])
                    && relation != Alias::Never
                {
                    mark(date, part, here, 1 << letter, &mut used);
                    next = date.step(part, here, letter);
                    if relation == Alias::May && !Mistake::MayIsMust.is_made() {
                        next |= here;
                    }
                }
                if at[step.to] | next != at[step.to] {
                    at[step.to] |= next;
                    work.push(step.to);
                }
            }
        }
        used
    }
}

/// Notes the edges that some letters can take from some states, and those that time takes.
pub fn mark(date: &Date, part: &[bool], states: States, letters: Letters, used: &mut [bool]) {
    for state in date.iter(states) {
        for letter in iter(letters) {
            for edge in date.taken(part, state, letter) {
                used[edge] = true;
            }
        }
    }
    for (at, edge) in date.edges.iter().enumerate() {
        used[at] |= part[at] && edge.labels.is_empty() && states >> edge.from & 1 == 1;
    }
}

/// residual₀: the edges whose events occur in the program, reduced.
pub fn residual0(dates: &Dates<'_>, parts: &[Part], cfg: &Cfg) -> Reduced {
    let none = BTreeSet::new();
    let parts: Vec<Part> = dates
        .all
        .iter()
        .zip(parts)
        .map(|(date, part)| date.restricted(part, cfg.letters(date, &none)))
        .collect();
    dates.reduce(&parts)
}

/// residual₁ of one identifier: as residual₀, with the events that may be about its object.
pub fn residual1(
    date: &Date,
    part: &[bool],
    live: &Live,
    cfg: &Cfg,
    identifier: usize,
    silenced: &BTreeSet<usize>,
) -> Part {
    let letters = match date.identity {
        true => cfg.letters_of(date, identifier, silenced) | everybody(date, cfg, silenced),
        false => cfg.letters(date, silenced),
    };
    date.reduced(&date.restricted(part, letters), live)
}

fn everybody(date: &Date, cfg: &Cfg, silenced: &BTreeSet<usize>) -> Letters {
    cfg.letters(date, silenced) & date.set(|l| l.binds.as_ref().is_some_and(Vec::is_empty))
}

/// The union of residual₁ over all identifiers.
pub fn union1(
    dates: &Dates<'_>,
    reduced: &Reduced,
    cfg: &Cfg,
    silenced: &[BTreeSet<usize>],
) -> Vec<Part> {
    let parts = dates.all.iter().zip(&reduced.parts).zip(silenced);
    parts
        .map(|((date, part), silenced)| {
            let mut all = vec![false; part.len()];
            for identifier in cfg.identifiers() {
                let one = residual1(date, part, &reduced.live, cfg, identifier, silenced);
                union(&mut all, &one);
            }
            all
        })
        .collect()
}

/// Whether an event of a letter has no effect on instances whose residual a part is.
pub fn no_effect(date: &Date, part: &[bool], letter: usize) -> bool {
    (date.letters[letter].pinned.is_none() || date.is_proven(part))
        && !date.edges.iter().zip(part).any(|(e, p)| *p && e.letters() >> letter & 1 == 1)
}

/// The sites of one property that may be silenced, all at once: their events have no effect on any
/// object they may be about.
pub fn silence(
    date: &Date,
    part: &[bool],
    live: &Live,
    cfg: &Cfg,
    silenced: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    let residuals: Vec<Part> = cfg
        .identifiers()
        .map(|identifier| residual1(date, part, live, cfg, identifier, silenced))
        .collect();
    let idle = |site: &Site| {
        let Some(letter) = date.letter(&site.event) else { return false };
        cfg.identifiers().all(|identifier| {
            cfg.about(date, identifier, site).1 == Alias::Never
                || no_effect(date, &residuals[identifier], letter)
        })
    };
    (0..cfg.sites.len()).filter(|at| idle(&cfg.sites[*at])).collect()
}

/// residual₂: the edges that traces of the program can use, over several approximations of it one
/// after the other; sites that are silenced are not part of the traces.
pub fn residual2(
    dates: &Dates<'_>,
    parts: &[Part],
    cfgs: &[&Cfg],
    silenced: &[BTreeSet<usize>],
) -> Reduced {
    let mut parts = parts.to_vec();
    for cfg in cfgs {
        for ((date, part), silenced) in dates.all.iter().zip(&mut parts).zip(silenced) {
            let mut all = vec![false; part.len()];
            for identifier in cfg.identifiers() {
                union(&mut all, &cfg.uses(date, part, identifier, silenced));
            }
            *part = all;
        }
        parts = dates.reduce(&parts).parts;
    }
    dates.reduce(&parts)
}

/// What was found out about a program.
#[derive(Clone, Debug)]
pub struct Found {
    /// What remains of the properties.
    pub reduced: Reduced,
    /// By property: the sites that may be silenced.
    pub silenced: Vec<BTreeSet<usize>>,
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Events that do not occur.
    Absent,
    /// Events that do not occur for an object.
    Objects,
    /// Transitions that no trace uses.
    Flow,
}

/// All analyses, one after the other, until nothing changes: residual₀; silencing by residual₁;
/// residual₂ over what is left of the program; again, since each makes the others sharper.
pub fn analyse(dates: &Dates<'_>, cfg: &Cfg, depth: Depth) -> Found {
    let mut silenced = vec![BTreeSet::new(); dates.all.len()];
    let mut reduced = residual0(dates, &dates.whole(), cfg);
    let mut changes = depth > Depth::Absent;
    while changes {
        let before = (reduced.clone(), silenced.clone());
        for (at, date) in dates.all.iter().enumerate() {
            silenced[at] = silence(date, &reduced.parts[at], &reduced.live, cfg, &silenced[at]);
        }
        let parts = union1(dates, &reduced, cfg, &silenced);
        reduced = dates.reduce(&parts);
        if depth == Depth::Flow {
            reduced = residual2(dates, &reduced.parts, &[cfg], &silenced);
        }
        changes = (&reduced, &silenced) != (&before.0, &before.1);
    }
    Found { reduced, silenced }
}
