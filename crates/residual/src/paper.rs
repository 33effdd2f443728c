//! Published analyses, for comparison. The reachability analysis is **not sound**: it may silence
//! sites that matter, and cause false alarms; `docs/residual.md` tells how.

use std::collections::{BTreeSet, HashSet};

use watchword_classfile::{Constants, FieldType, MethodDescriptor, Opcode};
use watchword_model::{Model, PropertyId, StateKind};

use crate::analysis::{PropertyReport, Sites, Status, Tier, find_sites, site_report};
use crate::body::BodyId;
use crate::jvm::program::{Program, instructions};
use crate::jvm::select::Selector;
use crate::machine::{Machine, Machines};
use crate::model::{Label, MethodModel, Options, SafeList, model};
use crate::quick::is_idle;

/// How Definition 8 (3) of the reachability paper is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As the text says: an escape leads to every reachable state.
    Text,
    /// As the formula says: to every reachable state that is not final.
    Formula,
}

/// Clara's Quick Check: the letters of the program decide. It is sound, and the first of the tiers of
/// [`crate::analysis`].
pub fn quick(program: &Program<'_>, model: &Model, property: PropertyId) -> PropertyReport {
    run(program, model, property, |machines, sites, status| {
        let present = sites.all.iter().fold(sites.elsewhere(), |set, (_, f)| set | 1 << f.letter);
        for (site, (_, found)) in sites.all.iter().enumerate() {
            status[site] = Some(match is_idle(machines, found.letter, present, 0) {
                true => Status::Silenced(Tier::T0),
                false => Status::Left("the event can affect a report of this program".to_owned()),
            });
        }
    })
}

/// Reachability per method (Algorithm 1): not sound. If a property only says what is good
/// (co-safety), paths that match a good prefix are the safe ones, as published: then it is these that
/// are silenced.
pub fn reachability(
    program: &Program<'_>,
    model: &Model,
    property: PropertyId,
    reading: Reading,
    safe: &SafeList,
) -> PropertyReport {
    let good_prefixes = is_co_safety(model, property);
    let why = match good_prefixes {
        false => "it is on a path that can violate the property",
        true => "it is on no path that satisfies the property",
    };
    run(program, model, property, |machines, sites, status| {
        let bound: HashSet<String> = sites.types.iter().flatten().flatten().cloned().collect();
        for (id, found) in &sites.by_method {
            let mut mark = |silenced: &dyn Fn(u32) -> bool, why: &str| {
                for (site, found) in found {
                    status[*site as usize] = Some(match silenced(found.offset) {
                        true => Status::Silenced(Tier::T2),
                        false => Status::Left(why.to_owned()),
                    });
                }
            };
            if is_excluded(program, *id, &bound) {
                mark(
                    &|_| false,
                    "its method has a parameter or a static field of a monitored type",
                );
                continue;
            }
            let only: Vec<_> = found.iter().map(|(_, f)| f.clone()).collect();
            let options = Options {
                accept_all: true,
                all_escapes: true,
                safe: safe.clone(),
                exceptions: false,
            };
            let made = self::model(program.method(*id), machines.letters.len(), &only, &options);
            let Ok(Some(method)) = made else {
                mark(&|_| false, "its method cannot be read");
                continue;
            };
            let Some(machine) = machines.machines.iter().max_by_key(|m| m.domain.count_ones())
            else {
                mark(&|_| true, "");
                continue;
            };
            let matching = matching(&method, &extended(machine, machines.letters.len(), reading));
            let found: HashSet<u32> =
                matching.iter().map(|state| method.nodes[*state].offset).collect();
            mark(&|offset| found.contains(&offset) == good_prefixes, why);
        }
    })
}

/// Whether a property has good states, and nothing can go wrong in it.
fn is_co_safety(model: &Model, property: PropertyId) -> bool {
    let states = &model.properties[property.index()].states;
    let has = |kind: StateKind| states.iter().any(|state| state.kind == kind);
    has(StateKind::Good) && !has(StateKind::Bad) && !has(StateKind::Pending)
}

fn run(
    program: &Program<'_>,
    model: &Model,
    property: PropertyId,
    decide: impl FnOnce(&Machines, &Sites, &mut Vec<Option<Status>>),
) -> PropertyReport {
    let name = model.properties[property.index()].name.clone();
    let machines = Machines::of(model, property);
    let found = machines
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|machines| Ok(find_sites(program, &Selector::new(model, machines)?)));
    let mut report = PropertyReport {
        name,
        unsupported: None,
        coarse: None,
        sites: Vec::new(),
        elsewhere: false,
        references: 0,
        methods: 0,
        classes: 0,
        points: 0,
        rejected: Vec::new(),
        blockers: Vec::new(),
    };
    let (machines, sites) = match (&machines, found) {
        (Ok(machines), Ok(sites)) => (machines, sites),
        (_, Err(why)) => {
            report.unsupported = Some(why.0);
            return report;
        }
        (Err(why), _) => {
            report.unsupported = Some(why.0.clone());
            return report;
        }
    };
    report.references = sites.references.iter().filter(|(id, _)| program.is_own(*id)).count();
    let mut status = vec![None; sites.all.len()];
    decide(machines, &sites, &mut status);
    for site in (0..sites.all.len()).filter(|s| program.is_own(sites.all[*s].0)) {
        report.sites.push(site_report(program, machines, &sites, site, &status[site]));
    }
    let methods: HashSet<_> =
        report.sites.iter().map(|s| (&s.class, &s.method, &s.descriptor)).collect();
    let classes: HashSet<_> = report.sites.iter().map(|s| &s.class).collect();
    (report.methods, report.classes) = (methods.len(), classes.len());
    report
}

fn is_excluded(program: &Program<'_>, id: BodyId, bound: &HashSet<String>) -> bool {
    let method = program.method(id);
    let monitored = |ty: FieldType<'_>| {
        ty.class_name().is_some_and(|name| {
            let name = name.to_str();
            bound.iter().any(|bound| program.types.is_subtype(&name, bound) == Some(true))
        })
    };
    let descriptor = method.descriptor().and_then(MethodDescriptor::parse);
    if descriptor.is_ok_and(|d| d.parameters().any(monitored)) {
        return true;
    }
    let pool = method.class().pool();
    instructions(method).unwrap_or_default().iter().any(|i| {
        i.opcode == Opcode::GETSTATIC
            && i.constant()
                .and_then(|index| pool.member(index).ok())
                .and_then(|member| FieldType::parse(member.descriptor).ok())
                .is_some_and(monitored)
    })
}

/// The extended automaton of bad (or good) prefixes (Definition 8): successors by state and letter, the escape
/// last; the final state is the last one.
pub struct Extended {
    next: Vec<Vec<BTreeSet<usize>>>,
    last: usize,
}

/// Extends the automaton of a machine's reports.
pub fn extended(machine: &Machine, letters: usize, reading: Reading) -> Extended {
    let last = machine.len();
    let escape = letters;
    let mut next = vec![vec![BTreeSet::new(); letters + 1]; last + 1];
    let own: Vec<usize> = (0..letters).filter(|l| machine.letters >> l & 1 == 1).collect();
    let to = |state: usize, letter: usize| match machine.out[state][letter] {
        0 => machine.next[state][letter] as usize,
        _ => last,
    };
    for (state, row) in next.iter_mut().enumerate().take(last) {
        for letter in &own {
            // (1) no loops on the first state; (2) loops on all in between.
            let target = to(state, *letter);
            if !(state == 0 && target == 0) {
                row[*letter].insert(target);
            }
        }
        if state != 0 {
            for targets in row.iter_mut() {
                targets.insert(state);
            }
        }
        // (3)
        let mut seen = BTreeSet::new();
        let mut work = vec![state];
        while let Some(at) = work.pop() {
            if seen.insert(at) && at != last {
                work.extend(own.iter().map(|letter| to(at, *letter)));
            }
        }
        if reading == Reading::Formula {
            seen.remove(&last);
        }
        row[escape].extend(seen);
    }
    Extended { next, last }
}

/// Algorithm 1: the states on paths that match a prefix.
pub fn matching(method: &MethodModel, prefixes: &Extended) -> BTreeSet<usize> {
    let label = |state: usize| match method.nodes[state].label {
        Some(Label::Event(letter)) => Some(letter),
        Some(Label::Escape) => Some(method.letters),
        None => None,
    };
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let mut visited: BTreeSet<usize> = BTreeSet::new();
    let mut work = method.entries.clone();
    while let Some(state) = work.pop() {
        if !visited.insert(state) {
            continue;
        }
        if !found.contains(&state) {
            // The product from here.
            let mut pairs: Vec<(usize, usize)> = vec![(state, 0)];
            let mut edges: Vec<(usize, usize)> = Vec::new();
            let mut next = 0;
            while next < pairs.len() {
                let (at, q) = pairs[next];
                if let Some(letter) = label(at).filter(|_| q != prefixes.last) {
                    for q2 in &prefixes.next[q][letter] {
                        for at2 in &method.nodes[at].next {
                            let pair = (*at2, *q2);
                            let index =
                                pairs.iter().position(|p| *p == pair).unwrap_or_else(|| {
                                    pairs.push(pair);
                                    pairs.len() - 1
                                });
                            edges.push((next, index));
                        }
                    }
                }
                next += 1;
            }
            let mut reaches: Vec<bool> = pairs.iter().map(|(_, q)| *q == prefixes.last).collect();
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for (from, to) in &edges {
                    if reaches[*to] && !reaches[*from] {
                        reaches[*from] = true;
                        changed = true;
                    }
                }
            }
            // The instruction after a match would count, too, if read literally; a pair in the
            // final state is not counted.
            let on_path =
                pairs.iter().zip(&reaches).filter(|((_, q), r)| **r && *q != prefixes.last);
            found.extend(on_path.map(|((at, _), _)| *at));
        }
        work.extend(&method.nodes[state].next);
    }
    found
}
