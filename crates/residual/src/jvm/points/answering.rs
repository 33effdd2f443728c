//! What was found out, once nothing is new any more.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::{ELEMENTS, LENT, NOTHING, Object, ObjectId, Place, Solver, operand_place};
use crate::body::{ClassName, FieldId};
use crate::flow::Classes;
use crate::hash::FastSet;
use crate::jvm::bits::Bits;
use crate::jvm::hooks::hands_through;
use crate::jvm::lower::Target;
use crate::jvm::select::Term;
use crate::mistake::Mistake;
use crate::world::Receiver;

/// More classes of a receiver than this count as any.
const MAX_RECEIVERS: usize = 24;
/// More elements than this are told apart by class only.
const MAX_ELEMENTS: usize = 1500;

impl Solver<'_, '_, '_> {
    /// By call: what its receiver can be, where every object it can be is known.
    pub(super) fn receivers(&self) -> HashMap<u32, Rc<Vec<Receiver>>> {
        let mut by_place: HashMap<Place, Option<Rc<Vec<Receiver>>>> = HashMap::new();
        let mut all = HashMap::new();
        for (index, call) in self.graph.calls.iter().enumerate() {
            let Some(receiver) = call.args.first().filter(|place| **place != NOTHING) else {
                continue;
            };
            let asked = match call.dispatched {
                true => self.world.is_watched(call.target),
                false => self.is_wrapping(call.target),
            };
            if !asked {
                continue;
            }
            let place = self.net.same[*receiver as usize];
            let known = by_place.entry(place).or_insert_with(|| self.classes_at(place));
            if let Some(known) = known {
                all.insert(index as u32, known.clone());
            }
        }
        all
    }

    /// Whether a target wraps a collection or a map every object of whose type is tracked, see
    /// [`hands_through`].
    pub(super) fn is_wrapping(&self, target: u32) -> bool {
        let Target::Method { class, name, .. } = &*self.world.program.target_of(target) else {
            return false;
        };
        hands_through(class, name)
            && self.type_of(target, Term::Arg(0)).is_some_and(|wrapped| {
                self.world.watches(&self.world.program.types.class_name(wrapped))
            })
    }

    pub(super) fn classes_at(&self, place: Place) -> Option<Rc<Vec<Receiver>>> {
        let mut classes: BTreeSet<Receiver> = BTreeSet::new();
        for object in self.net.sets[place as usize].iter() {
            match self.origins.objects[object as usize] {
                Object::New(index) => {
                    classes.insert(Receiver::Exactly(self.graph.news[index as usize].1));
                }
                Object::Fresh(call) if self.known.made.contains_key(&call) => {
                    classes.extend(
                        self.known.made[&call].known()?.iter().map(|c| Receiver::Exactly(*c)),
                    );
                }
                Object::Fresh(call)
                    if self.world.is_copy(self.graph.calls[call as usize].target) =>
                {
                    return None;
                }
                // Perhaps of something that hands iterators through.
                Object::AnyView(..)
                    if self.world.program.shared_iterators()
                        && !Mistake::ViewsHandNothing.is_made() =>
                {
                    return None;
                }
                Object::Fresh(_)
                | Object::View(..)
                | Object::AnyView(..)
                | Object::Entry(_)
                | Object::Made
                | Object::Part(_) => {
                    classes.insert(Receiver::Library);
                }
                Object::Library | Object::Any(_) | Object::Lent(_) => return None,
            }
            if classes.len() > MAX_RECEIVERS {
                return None;
            }
        }
        (!classes.is_empty()).then(|| Rc::new(classes.into_iter().collect()))
    }

    /// See [`Points::is_own_field`].
    pub(super) fn own_fields(&self) -> FastSet<FieldId> {
        let program = self.world.program;
        let is_made = |object: u32| match self.origins.objects[object as usize] {
            Object::New(index) => {
                !program.is_own_class(&program.types.class_name(self.graph.news[index as usize].1))
            }
            Object::Fresh(_) => true,
            _ => false,
        };
        let own = |place: Place| {
            let set = &self.net.sets[self.net.same[place as usize] as usize];
            set.iter().next().is_some() && set.iter().all(is_made)
        };
        let fields = self.graph.fields.iter().filter(|(_, place)| own(**place));
        fields.map(|(field, _)| *field).collect()
    }

    /// The objects of every place an event may bind. If there are many objects with the elements,
    /// those of one class count as one.
    pub(super) fn operands(&mut self) -> HashMap<Place, Rc<Vec<ObjectId>>> {
        let mut places: HashMap<Place, Option<ClassName>> = HashMap::new();
        for (body, all) in &self.world.sites {
            for (_, found) in all {
                let Some(call) = self.graph.call_at.get(&(*body, found.offset)) else { continue };
                let call = &self.graph.calls[*call];
                for term in &found.terms {
                    if let Some(place) = operand_place(call, *term) {
                        let class = self.type_of(call.target, *term);
                        let known = places.entry(place).or_insert(class);
                        if *known != class {
                            *known = None;
                        }
                    }
                }
            }
        }
        for referred in self.known.referred.values() {
            let used = referred.args.iter().filter(|place| **place != NOTHING);
            for place in used.map(|place| self.net.same[*place as usize]) {
                places.entry(place).or_insert(None);
            }
        }
        // Nobody in the program gets there. If somebody does by reflection, with something that was
        // given to the JDK for it.
        for (place, class) in &places {
            if self.net.sets[self.net.same[*place as usize] as usize].iter().next().is_none() {
                let any = self.object(Object::Any(*class));
                self.put(*place, any);
            }
        }
        let lent_bits = self.net.sets[LENT as usize].clone();
        let lent: Vec<u32> = lent_bits.iter().collect();
        let mut elements: Vec<u32> = self.net.sets[ELEMENTS as usize].iter().collect();
        // What the JDK was lent may have been given to it for good by a method it called.
        for given in elements.clone() {
            if let Object::Lent(class) = self.origins.objects[given as usize] {
                elements.extend(self.of_class(&lent_bits, class).iter());
            }
        }
        elements.sort_unstable();
        elements.dedup();
        let mut group: HashMap<u32, u32> = HashMap::new();
        let mut leaders: HashMap<ClassName, u32> = HashMap::new();
        let many = elements.len() > MAX_ELEMENTS;
        for object in elements.iter().filter(|_| many) {
            let class = match self.origins.objects[*object as usize] {
                Object::New(index) => Some(self.graph.news[index as usize].1),
                Object::Fresh(call) => match self.known.made.get(&call).and_then(Classes::known) {
                    Some([class]) => Some(*class),
                    _ => None,
                },
                _ => None,
            };
            if let Some(class) = class {
                group.insert(*object, *leaders.entry(class).or_insert(*object));
            }
        }
        let library = self.object(Object::Library);
        let kept: HashSet<u32> = elements.iter().chain(&lent).copied().collect();
        let given: HashSet<u32> = elements.iter().copied().collect();
        // A view of a group is one view.
        let mut view_leaders: HashMap<(u32, &'static str), u32> = HashMap::new();
        for object in 0..self.origins.objects.len() as u32 {
            if let Object::View(of, name) = self.origins.objects[object as usize] {
                let of = group.get(&of).copied().unwrap_or(of);
                let leader = *view_leaders.entry((of, name)).or_insert(object);
                group.insert(object, leader);
            }
        }
        let mut element_bits = Bits::default();
        elements.iter().for_each(|object| element_bits.add(*object));
        let views = [&given, &kept].map(|had| {
            let mut bits = Bits::default();
            self.views_of(had, None, &group).into_iter().for_each(|view| bits.add(view));
            bits
        });
        let mut used = Bits::default();
        for place in places.keys() {
            let at = self.net.same[*place as usize] as usize;
            used.add_all(&self.net.sets[at], &mut Bits::default(), |_| 0);
        }
        let mut expanded: HashMap<u32, Rc<Vec<u32>>> = HashMap::new();
        for object in used.iter() {
            let mut all = BTreeSet::from([library]);
            match self.origins.objects[object as usize] {
                Object::Any(class) | Object::Lent(class) => {
                    let of_lent = matches!(self.origins.objects[object as usize], Object::Lent(_));
                    let mut had = self.of_class(&element_bits, class);
                    if of_lent {
                        self.of_class(&lent_bits, class).iter().for_each(|object| had.add(object));
                    }
                    for element in had.iter() {
                        match self.origins.objects[element as usize] {
                            Object::Any(_) | Object::Lent(_) | Object::Made => {}
                            // Views of anything, if they were given to the JDK as well.
                            Object::AnyView(name, _) => {
                                all.extend(self.views_of(&kept, Some(name), &group));
                            }
                            _ => {
                                all.insert(group.get(&element).copied().unwrap_or(element));
                            }
                        }
                    }
                    // Whoever has an object can ask it for its views.
                    let views = &views[usize::from(of_lent)];
                    all.extend(self.of_class(views, class).iter());
                }
                Object::AnyView(name, lent) => {
                    let had = if lent { &kept } else { &given };
                    all.extend(self.views_of(had, Some(name), &group));
                }
                Object::Made => {}
                _ => continue,
            }
            expanded.insert(object, Rc::new(all.into_iter().collect()));
        }
        let mut sets: HashMap<Place, Rc<Vec<u32>>> = HashMap::new();
        // Many places hold the same.
        let mut known: HashMap<&Bits, Rc<Vec<u32>>> = HashMap::new();
        for place in places.into_keys() {
            let held = &self.net.sets[self.net.same[place as usize] as usize];
            let all = known.entry(held).or_insert_with(|| {
                let mut all = Vec::new();
                for object in held.iter() {
                    match expanded.get(&object) {
                        Some(many) => all.extend_from_slice(many),
                        None => all.push(group.get(&object).copied().unwrap_or(object)),
                    }
                }
                all.sort_unstable();
                all.dedup();
                Rc::new(all)
            });
            sets.insert(place, all.clone());
        }
        sets
    }

    /// Views and entries of objects that are with the elements.
    pub(super) fn views_of(
        &self,
        kept: &HashSet<u32>,
        wanted: Option<&'static str>,
        group: &HashMap<u32, u32>,
    ) -> Vec<u32> {
        let mut all = Vec::new();
        for (object, info) in self.origins.objects.iter().enumerate() {
            let (of, name) = match info {
                Object::View(of, name) => (of, Some(*name)),
                Object::Entry(of) if !Mistake::EntriesAreOwn.is_made() => (of, None),
                _ => continue,
            };
            if wanted.is_none_or(|wanted| name == Some(wanted))
                && (kept.contains(of) || group.get(of).is_some_and(|of| kept.contains(of)))
            {
                let object = object as u32;
                all.push(group.get(&object).copied().unwrap_or(object));
            }
        }
        all
    }
}
