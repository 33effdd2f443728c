//! T1c. Sites whose letters change nothing, given which sites can concern the same objects.
//!
//! Every object has one origin (see [`crate::jvm::points`]). The slices of a machine are told apart
//! by the origins of their objects; a slice reads only letters of sites that can bind objects of these
//! origins together. A site is silenced if its letter is idle in every slice that it can be part of.
//! All sites of a slice are judged by the same letters, so all may be left out at once, in whatever
//! order events happen and by whatever thread.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{Run, Tier};
use crate::analysis::{Sites, Status};
use crate::hash::{FastMap, FastSet};
use crate::jvm::points::{ObjectId, Points};
use crate::jvm::property::PropertyWorld;
use crate::machine::{Letter, Letters, Machine, Machines, iter};
use crate::mistake::Mistake;
use crate::quick::idle_in;

/// More combinations of a site's objects than this are not looked at.
const MAX_COMBINATIONS: usize = 50_000;

/// What the objects of a site's parameters can be, in the order of its letter's `binds`; `None`: any.
type Operands = Vec<Option<Rc<Vec<ObjectId>>>>;

/// How a parameter of a slice is filled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    /// Not yet.
    Open,
    /// By an object of an origin.
    By(ObjectId),
    /// By an object that no site binds together with those chosen before it, as bits.
    Stranger(u32),
}

struct Groups<'g> {
    machines: &'g Machines,
    operands: Vec<Operands>,
    letters: Vec<Letter>,
    /// Letters that may always be there.
    always: Letters,
    /// Letters that some site has.
    present: Letters,
    /// By parameter and object: letters that bind it.
    unary: FastMap<(usize, ObjectId), Letters>,
    /// By two parameters and two objects: letters that bind them together.
    joint: FastMap<(usize, usize, ObjectId, ObjectId), Letters>,
    /// By two parameters and an object of the first: objects of the second.
    partners: FastMap<(usize, usize, ObjectId), Vec<ObjectId>>,
    /// Parameters and objects that may be bound with anything.
    wide: FastSet<(usize, ObjectId)>,
    /// Letters a site of which binds something that may be anything.
    blind: Letters,
    /// Letters and sets of objects that were added: many sites have the same.
    added: FastSet<(Letter, Vec<usize>)>,
    idle: FastMap<(usize, Letter, Letters), bool>,
}

/// The sites that may be silenced. `left` says which sites are still there.
pub fn silence(
    points: &Points,
    machines: &Machines,
    sites: &Sites,
    left: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let mut groups = Groups {
        machines,
        operands: Vec::new(),
        letters: Vec::new(),
        always: sites.handles,
        present: sites.handles,
        unary: FastMap::default(),
        joint: FastMap::default(),
        partners: FastMap::default(),
        wide: FastSet::default(),
        blind: 0,
        added: FastSet::default(),
        idle: FastMap::default(),
    };
    for (index, (body, found)) in sites.all.iter().enumerate() {
        let operand = |term| points.operand(*body, found.offset, term);
        let operands: Operands = found.terms.iter().map(|term| operand(*term)).collect();
        if left(index) {
            groups.add(found.letter, &operands);
        }
        groups.operands.push(operands);
        groups.letters.push(found.letter);
    }
    for (body, found) in &sites.references {
        let operand = |term| points.referred(*body, found.offset, term);
        let operands: Operands = found.terms.iter().map(|term| operand(*term)).collect();
        groups.add(found.letter, &operands);
    }
    (0..sites.all.len()).filter(|site| left(*site) && groups.is_idle(*site)).collect()
}

impl Groups<'_> {
    fn add(&mut self, letter: Letter, operands: &Operands) {
        self.present |= 1 << letter;
        let binds: Vec<usize> =
            self.machines.letters[letter].binds.iter().map(|(p, _)| p.index()).collect();
        if operands.iter().any(Option::is_none) {
            self.blind |= 1 << letter;
            return;
        }
        let sets: Vec<Rc<Vec<ObjectId>>> = operands.iter().flatten().cloned().collect();
        // They stay where they are.
        let places = sets.iter().map(|set| Rc::as_ptr(set).addr()).collect();
        if !self.added.insert((letter, places)) {
            return;
        }
        for (param, set) in binds.iter().zip(&sets) {
            for object in set.iter() {
                *self.unary.entry((*param, *object)).or_default() |= 1 << letter;
            }
        }
        for (one, first) in binds.iter().zip(&sets) {
            for (two, second) in binds.iter().zip(&sets) {
                if one == two {
                    continue;
                }
                if first.len() * second.len() > MAX_COMBINATIONS {
                    self.wide.extend(first.iter().map(|object| (*one, *object)));
                    continue;
                }
                for a in first.iter() {
                    for b in second.iter() {
                        let joint = self.joint.entry((*one, *two, *a, *b)).or_default();
                        if *joint == 0 {
                            self.partners.entry((*one, *two, *a)).or_default().push(*b);
                        }
                        *joint |= 1 << letter;
                    }
                }
            }
        }
    }

    fn is_idle(&mut self, site: usize) -> bool {
        let letter = self.letters[site];
        let operands = self.operands[site].clone();
        let Some(sets) = operands.into_iter().collect::<Option<Vec<Rc<Vec<ObjectId>>>>>() else {
            return false;
        };
        let combinations: usize = sets.iter().map(|set| set.len()).product();
        if combinations > MAX_COMBINATIONS || combinations == 0 {
            return false;
        }
        let machines = self.machines;
        let binds: Vec<usize> =
            machines.letters[letter].binds.iter().map(|(p, _)| p.index()).collect();
        for (index, machine) in machines.machines.iter().enumerate() {
            if machine.letters >> letter & 1 == 0 {
                continue;
            }
            for combination in 0..combinations {
                let mut filled = vec![Filled::Open; machines.params.len()];
                let mut rest = combination;
                for (param, set) in binds.iter().zip(&sets) {
                    filled[*param] = Filled::By(set[rest % set.len()]);
                    rest /= set.len();
                }
                if !self.slices(index, machine, letter, &mut filled) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a letter is idle in all slices that are filled like this and more.
    fn slices(
        &mut self,
        index: usize,
        machine: &Machine,
        letter: Letter,
        filled: &mut Vec<Filled>,
    ) -> bool {
        let domain = |param: &usize| machine.domain >> param & 1 == 1;
        let open: Vec<usize> = (0..filled.len())
            .filter(domain)
            .filter(|param| filled[*param] == Filled::Open)
            .collect();
        if open.is_empty() {
            let letters = self.readable(machine, filled);
            return *self
                .idle
                .entry((index, letter, letters))
                .or_insert_with(|| idle_in(machine, letter, letters));
        }
        // First a parameter that is bound together with one that is filled.
        let related = |one: usize, two: usize| {
            iter(machine.letters).any(|l| {
                let params = self.machines.letters[l].params;
                params >> one & 1 == 1 && params >> two & 1 == 1
            })
        };
        let given: Vec<(usize, ObjectId)> = filled
            .iter()
            .enumerate()
            .filter_map(|(param, f)| match f {
                Filled::By(object) => Some((param, *object)),
                _ => None,
            })
            .collect();
        let next =
            open.iter().find(|param| given.iter().any(|(other, _)| related(*other, **param)));
        let param = *next.unwrap_or(&open[0]);
        let mut candidates: BTreeSet<ObjectId> = BTreeSet::new();
        let mut before = 0;
        for (other, object) in given {
            before |= 1 << other;
            if !related(other, param) {
                continue;
            }
            if self.wide.contains(&(other, object)) {
                return false;
            }
            candidates.extend(self.partners.get(&(other, param, object)).into_iter().flatten());
        }
        if Mistake::NoPartners.is_made() {
            candidates.clear();
        }
        if candidates.len() > 2000 {
            return false;
        }
        for candidate in candidates {
            filled[param] = Filled::By(candidate);
            if !self.slices(index, machine, letter, filled) {
                filled[param] = Filled::Open;
                return false;
            }
        }
        filled[param] = Filled::Stranger(before);
        let idle = self.slices(index, machine, letter, filled);
        filled[param] = Filled::Open;
        idle
    }

    /// The letters a slice may read.
    fn readable(&self, machine: &Machine, filled: &[Filled]) -> Letters {
        let mut all = (self.always | self.blind) & machine.letters;
        'letters: for letter in iter(machine.letters & self.present & !all) {
            let params: Vec<usize> =
                self.machines.letters[letter].binds.iter().map(|(p, _)| p.index()).collect();
            for param in &params {
                match filled[*param] {
                    Filled::By(object) => {
                        let unary = self.unary.get(&(*param, object)).copied().unwrap_or(0);
                        if unary >> letter & 1 == 0 {
                            continue 'letters;
                        }
                        for other in params.iter().filter(|other| *other != param) {
                            if let Filled::By(second) = filled[*other]
                                && !self.wide.contains(&(*param, object))
                                && self
                                    .joint
                                    .get(&(*param, *other, object, second))
                                    .copied()
                                    .unwrap_or(0)
                                    >> letter
                                    & 1
                                    == 0
                            {
                                continue 'letters;
                            }
                        }
                    }
                    Filled::Stranger(before) => {
                        let known = params.iter().any(|other| {
                            before >> other & 1 == 1 && matches!(filled[*other], Filled::By(_))
                        });
                        if known {
                            continue 'letters;
                        }
                    }
                    Filled::Open => {}
                }
            }
            all |= 1 << letter;
        }
        all
    }
}

impl Run<'_, '_> {
    /// T1c. What is silenced may make more letters idle, so until nothing is.
    pub(super) fn origins(&mut self, world: &PropertyWorld<'_, '_>, points: &Points) {
        loop {
            let status = &self.status;
            let left = |site: usize| !matches!(status[site], Some(Status::Silenced(_)));
            let found = silence(points, self.machines, self.sites, &left);
            if found.is_empty() {
                break;
            }
            for site in &found {
                self.status[*site] = Some(Status::Silenced(Tier::T1c));
            }
            world.silence(found.iter().map(|site| *site as u32));
        }
    }
}
