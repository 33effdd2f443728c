//! Which sites keep others: those that raise the other events of the same objects.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use watchword_model::ParamId;

use super::Run;
use super::told::place;
use crate::analysis::{Blocker, Status, site_report};
use crate::body::BodyId;
use crate::hash::FastMap;
use crate::jvm::points::{ObjectId, Points};
use crate::machine::Letter;

/// So many are told.
const TOLD: usize = 5;

/// Sites of one event that bind the same objects to a parameter.
struct Group {
    objects: Rc<Vec<ObjectId>>,
    sites: Vec<usize>,
}

/// The sites that are left, by what they bind. Objects are numbered in ascending order.
#[derive(Default)]
struct Groups {
    all: Vec<Group>,
    ids: FastMap<(ParamId, usize, Letter), usize>,
    of_object: FastMap<(ParamId, ObjectId, Letter), Vec<usize>>,
    /// By parameter, objects and event: groups that bind one of the objects.
    sharing: FastMap<(ParamId, usize, Letter), Rc<Vec<usize>>>,
}

impl Groups {
    fn add(&mut self, site: usize, letter: Letter, param: ParamId, objects: Rc<Vec<ObjectId>>) {
        let key = (param, Rc::as_ptr(&objects).addr(), letter);
        let id = *self.ids.entry(key).or_insert_with(|| {
            let id = self.all.len();
            for object in objects.iter() {
                self.of_object.entry((param, *object, letter)).or_default().push(id);
            }
            self.all.push(Group { objects, sites: Vec::new() });
            id
        });
        self.all[id].sites.push(site);
    }

    fn sharing(
        &mut self,
        letter: Letter,
        param: ParamId,
        objects: &Rc<Vec<ObjectId>>,
    ) -> Rc<Vec<usize>> {
        let key = (param, Rc::as_ptr(objects).addr(), letter);
        let of_object = &self.of_object;
        let known = self.sharing.entry(key).or_insert_with(|| {
            let of = |object: &ObjectId| of_object.get(&(param, *object, letter));
            let found: BTreeSet<usize> = objects.iter().filter_map(of).flatten().copied().collect();
            Rc::new(found.into_iter().collect())
        });
        known.clone()
    }
}

/// How many sites a site holds back, and of how many it is the only one that does.
#[derive(Clone, Copy, Default)]
struct Held {
    all: usize,
    alone: usize,
    /// An object that it has in common with one of them.
    object: Option<ObjectId>,
}

impl Run<'_, '_> {
    /// Names the sites that raise other events of the same objects: to every site that is left because
    /// of them the one that holds back most, and those that hold back most of all.
    pub(super) fn name_others(&mut self, points: &Points) -> Vec<Blocker> {
        let left = |site: &usize| matches!(self.status[*site], Some(Status::Left(_)));
        let left: Vec<usize> = (0..self.status.len()).filter(left).collect();
        let bound = |site: usize| {
            let (body, found) = &self.sites.all[site];
            let binds = self.machines.letters[found.letter].binds.iter();
            binds.zip(&found.terms).filter_map(|((param, _), term)| {
                Some((*param, points.operand(*body, found.offset, *term)?))
            })
        };
        let mut groups = Groups::default();
        for site in &left {
            for (param, objects) in bound(*site) {
                groups.add(*site, self.sites.all[*site].1.letter, param, objects);
            }
        }
        // What the sites of a method lack, and who has it.
        let mut others: HashMap<BodyId, Rc<Vec<usize>>> = HashMap::new();
        let mut held: HashMap<usize, Held> = HashMap::new();
        let reported: Vec<usize> =
            left.iter().copied().filter(|site| self.reported.contains(&(*site as u32))).collect();
        for site in &reported {
            let id = self.sites.all[*site].0;
            let blocking = others.entry(id).or_insert_with(|| {
                let own = self.sites.by_method[&id].iter().map(|(site, _)| *site as usize);
                let own: Vec<usize> =
                    own.filter(|s| matches!(self.status[*s], Some(Status::Left(_)))).collect();
                let letters = own.iter().fold(0, |set, s| set | 1 << self.sites.all[*s].1.letter);
                let lacking = (0..self.machines.letters.len())
                    .filter(|l| letters >> l & 1 == 0 && !self.machines.is_reported(*l));
                let mut found = BTreeSet::new();
                for letter in lacking {
                    for (param, objects) in own.iter().flat_map(|site| bound(*site)) {
                        for group in groups.sharing(letter, param, &objects).iter() {
                            let Group { objects: theirs, sites } = &groups.all[*group];
                            let object = shared(&objects, theirs);
                            for other in sites {
                                let held = held.entry(*other).or_default();
                                held.object = held.object.into_iter().chain(object).min();
                            }
                            found.extend(sites.iter().copied());
                        }
                    }
                }
                Rc::new(found.into_iter().collect())
            });
            for other in blocking.iter() {
                let held = held.entry(*other).or_default();
                held.all += 1;
                held.alone += usize::from(blocking.len() == 1);
            }
        }
        for site in reported {
            let blocking = &others[&self.sites.all[site].0];
            let first =
                blocking.iter().max_by_key(|other| (held[*other].all, usize::MAX - **other));
            let Some(first) = first else { continue };
            let report = site_report(self.program, self.machines, self.sites, *first, &None);
            let at = place(report.file.as_deref(), report.line, report.offset);
            if let Some(Status::Left(why)) = &mut self.status[site] {
                why.push_str(&format!(" after `{}` at {at}", report.event));
            }
        }
        let mut most: Vec<(usize, Held)> =
            held.into_iter().filter(|(_, held)| held.all > 0).collect();
        most.sort_by_key(|(site, held)| (std::cmp::Reverse((held.all, held.alone)), *site));
        let told = most.into_iter().take(TOLD).map(|(site, held)| {
            let report = site_report(self.program, self.machines, self.sites, site, &None);
            let at = place(report.file.as_deref(), report.line, report.offset);
            Blocker {
                place: format!("{at} ({}.{})", report.class, report.method),
                event: report.event,
                object: held.object.map(|object| points.describe(self.program, object)),
                holds: held.all,
                alone: held.alone,
            }
        });
        told.collect()
    }
}

/// The first object that two sets have in common: that of unknown origin, if both have it.
fn shared(one: &[ObjectId], two: &[ObjectId]) -> Option<ObjectId> {
    one.iter().find(|object| two.binary_search(object).is_ok()).copied()
}
