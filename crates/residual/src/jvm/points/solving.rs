//! Solving: objects go wherever places lead to, until nothing is new.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::components::components;
use super::contents::Handle;
use super::{ELEMENTS, FIRST, LENT, NOTHING, Object, Place, Solver};
use crate::body::ClassName;
use crate::hash::{FastMap, FastSet};
use crate::jvm::bits::Bits;
use crate::jvm::jdk;
use crate::mistake::Mistake;

/// Places and how they lead to each other.
pub(super) struct Network {
    /// By place: the place that holds the same objects and stands for it.
    pub same: Vec<Place>,
    pub sets: Vec<Bits>,
    /// By place: objects that have not gone on yet.
    pub fresh: Vec<Bits>,
    pub edges: Vec<Vec<(Place, Option<ClassName>)>>,
    /// By receiver: where a view of it goes.
    pub views: FastMap<Place, Vec<(Place, &'static str)>>,
    /// Places with objects that have not gone on yet, by rank.
    work: BinaryHeap<Reverse<(u32, Place)>>,
    waiting: Vec<bool>,
    /// By place: places come before those that they lead to, as far as that can be.
    rank: Vec<u32>,
    /// Places that hold no object that matters.
    pub idle: Vec<bool>,
    /// By place: what happens to its objects.
    pub handles: FastMap<Place, Vec<Handle>>,
    /// Edges that were added while objects were on their way.
    pub linked: FastSet<(Place, Place)>,
}

impl Network {
    pub fn new(places: Place) -> Network {
        let count = places as usize;
        Network {
            same: (0..places).collect(),
            sets: vec![Bits::default(); count],
            fresh: vec![Bits::default(); count],
            edges: vec![Vec::new(); count],
            views: FastMap::default(),
            work: BinaryHeap::new(),
            waiting: vec![false; count],
            rank: vec![u32::MAX; count],
            idle: vec![false; count],
            handles: FastMap::default(),
            linked: FastSet::default(),
        }
    }
}

/// Which objects can be of a class.
#[derive(Default)]
pub(super) struct Passing {
    /// Objects that were looked at.
    seen: Bits,
    /// Those that can, as they are.
    pass: Bits,
    /// Those that can, as another.
    others: Bits,
    become_: FastMap<u32, u32>,
    /// By class of objects: whether they can.
    of_class: FastMap<ClassName, bool>,
}

/// After so many steps there is no result.
const MAX_STEPS: usize = 40_000_000;

impl Solver<'_, '_, '_> {
    pub(super) fn object(&mut self, object: Object) -> u32 {
        if let Some(id) = self.origins.ids.get(&object) {
            return *id;
        }
        let id = self.origins.objects.len() as u32;
        self.origins.objects.push(object);
        self.origins.ids.insert(object, id);
        let [anys, some, lents, lent_some] = &mut self.origins.symbols;
        match object {
            Object::Any(class) => {
                anys.add(id);
                if class.is_some() {
                    some.add(id);
                }
            }
            Object::Lent(class) => {
                lents.add(id);
                if class.is_some() {
                    lent_some.add(id);
                }
            }
            _ => {}
        }
        id
    }

    pub(super) fn place(&mut self) -> Place {
        let place = self.net.sets.len() as Place;
        self.net.same.push(place);
        self.net.sets.push(Bits::default());
        self.net.fresh.push(Bits::default());
        self.net.edges.push(Vec::new());
        self.net.waiting.push(false);
        self.net.rank.push(u32::MAX);
        self.net.idle.push(false);
        place
    }

    pub(super) fn edge(&mut self, from: Place, to: Place, only: Option<ClassName>) {
        if to == ELEMENTS && Mistake::NothingBack.is_made() {
            return;
        }
        if from == NOTHING
            || to == NOTHING
            || self.net.idle[from as usize]
            || self.net.idle[to as usize]
        {
            return;
        }
        if only.is_none_or(|class| self.world.matters(class)) {
            self.net.edges[from as usize].push((to, only));
        }
    }

    pub(super) fn put(&mut self, place: Place, object: u32) {
        if place != NOTHING && !self.net.idle[place as usize] {
            self.spread(place, &Bits::of(object));
        }
    }

    /// Adds objects to a place.
    pub(super) fn spread(&mut self, place: Place, objects: &Bits) {
        let place = self.net.same[place as usize];
        let at = place as usize;
        let [anys, some, _, lent_some] = &self.origins.symbols;
        let (front, behind) = self.net.sets.split_at_mut(FIRST as usize);
        let (elements, set) = match place {
            ..FIRST => (None, &mut front[at]),
            _ => (Some(&front[ELEMENTS as usize]), &mut behind[at - FIRST as usize]),
        };
        // What can be anything of the elements adds nothing to them. Any object at all includes any
        // object of a class, and all elements: what these hold is open, so it is included as well.
        let (all, lent) = (set.has(self.origins.any), set.has(self.origins.lent));
        let new = set.add_all(objects, &mut self.net.fresh[at], |word| {
            let mut left = 0;
            if place == ELEMENTS || lent {
                left |= anys.word(word);
            }
            if all {
                left |= some.word(word) | elements.map_or(0, |elements| elements.word(word));
            }
            if lent {
                left |= lent_some.word(word);
            }
            if place == LENT && self.origins.lent / 64 == word {
                left |= 1 << (self.origins.lent % 64);
            }
            left
        });
        if new && !std::mem::replace(&mut self.net.waiting[at], true) {
            self.net.work.push(Reverse((self.net.rank[at], place)));
        }
    }

    /// Makes one place of places that hold the same objects, as they copy from each other.
    pub(super) fn collapse(&mut self) {
        let count = self.net.edges.len();
        let next: Vec<Vec<u32>> = (0..count)
            .map(|from| {
                let plain = |(to, only): &&(Place, Option<ClassName>)| {
                    only.is_none() && *to >= FIRST && from as Place >= FIRST
                };
                self.net.edges[from].iter().filter(plain).map(|(to, _)| *to).collect()
            })
            .collect();
        for group in components(&next).into_iter().filter(|group| group.len() > 1) {
            let leader = group[0];
            for member in &group[1..] {
                self.net.same[*member as usize] = leader;
                let edges = std::mem::take(&mut self.net.edges[*member as usize]);
                self.net.edges[leader as usize].extend(edges);
                if let Some(views) = self.net.views.remove(member) {
                    self.net.views.entry(leader).or_default().extend(views);
                }
                if let Some(handles) = self.net.handles.remove(member) {
                    self.net.handles.entry(leader).or_default().extend(handles);
                }
                let held = std::mem::take(&mut self.net.sets[*member as usize]);
                self.net.fresh[*member as usize] = Bits::default();
                self.spread(leader, &held);
            }
        }
        for from in 0..count {
            let mut edges = std::mem::take(&mut self.net.edges[from]);
            for (to, _) in &mut edges {
                *to = self.net.same[*to as usize];
            }
            edges.retain(|(to, only)| *to != from as Place || only.is_some());
            edges.sort_unstable();
            edges.dedup();
            self.net.edges[from] = edges;
        }
    }

    /// Ranks places, so that what is on its way to one arrives there before it goes on.
    pub(super) fn order(&mut self) {
        let to =
            |edges: &Vec<(Place, Option<ClassName>)>| edges.iter().map(|(to, _)| *to).collect();
        let next: Vec<Vec<u32>> = self.net.edges.iter().map(to).collect();
        let groups = components(&next);
        for (rank, group) in groups.iter().rev().enumerate() {
            group.iter().for_each(|place| self.net.rank[*place as usize] = rank as u32);
        }
        let waiting = std::mem::take(&mut self.net.work).into_iter();
        self.net.work =
            waiting.map(|Reverse((_, p))| Reverse((self.net.rank[p as usize], p))).collect();
    }

    /// Puts objects wherever they go; `None` if that takes too long.
    pub(super) fn solve(&mut self) -> Option<()> {
        let mut steps = 0;
        while let Some(Reverse((_, place))) = self.net.work.pop() {
            let at = place as usize;
            self.net.waiting[at] = false;
            let objects = std::mem::take(&mut self.net.fresh[at]);
            let edges = std::mem::take(&mut self.net.edges[at]);
            steps += 1 + edges.len();
            if steps > MAX_STEPS {
                return None;
            }
            for (to, only) in &edges {
                match only {
                    None => self.spread(*to, &objects),
                    Some(class) => {
                        let passed = self.pass(&objects, *class);
                        self.spread(*to, &passed);
                    }
                }
            }
            self.net.edges[at] = edges;
            if let Some(views) = self.net.views.get(&place).cloned() {
                for object in objects.iter() {
                    for (to, name) in &views {
                        let view = match self.origins.objects[object as usize] {
                            Object::Library => Object::Library,
                            Object::Made => Object::Made,
                            Object::Any(_) => Object::AnyView(name, false),
                            Object::Lent(_) => Object::AnyView(name, true),
                            Object::AnyView(_, lent) => Object::AnyView(name, lent),
                            // Maps of the JDK that are made of a map return the views of that one.
                            Object::New(index) if self.may_wrap(index) => {
                                Object::AnyView(name, false)
                            }
                            _ => Object::View(object, name),
                        };
                        let view = self.object(view);
                        self.put(*to, view);
                    }
                }
            }
            if let Some(handles) = self.net.handles.get(&place).cloned() {
                for object in objects.iter() {
                    for handle in &handles {
                        self.handle(object, *handle);
                    }
                }
                steps += handles.len();
            }
        }
        Some(())
    }

    /// Whether an object that the program makes is of a class of the JDK about whose views nothing is
    /// known.
    fn may_wrap(&self, index: u32) -> bool {
        let name = self.world.program.types.class_name(self.graph.news[index as usize].1);
        !self.world.program.is_own_class(&name) && !jdk::is_made(&name)
    }

    /// What objects are where only objects of a class can be.
    pub(super) fn pass(&mut self, objects: &Bits, class: ClassName) -> Bits {
        let known = self.passing.entry(class).or_default();
        let unseen: Vec<u32> = objects.without(&known.seen).iter().collect();
        for object in unseen {
            let passed = match self.origins.objects[object as usize] {
                Object::New(index) => {
                    let own = self.graph.news[index as usize].1;
                    let known = self.passing.get(&class).and_then(|p| p.of_class.get(&own));
                    let can = known.copied().unwrap_or_else(|| self.judge(object, class).is_some());
                    self.passing.entry(class).or_default().of_class.insert(own, can);
                    can.then_some(object)
                }
                _ => self.judge(object, class),
            };
            let known = self.passing.entry(class).or_default();
            known.seen.add(object);
            match passed {
                Some(same) if same == object => {
                    known.pass.add(object);
                }
                Some(other) => {
                    known.others.add(object);
                    known.become_.insert(object, other);
                }
                None => {}
            }
        }
        let known = &self.passing[&class];
        let mut passed = objects.and(&known.pass);
        for from in objects.and(&known.others).iter() {
            passed.add(known.become_[&from]);
        }
        passed
    }

    /// Those of some objects that can be of a class; all, if there is none.
    pub(super) fn of_class(&mut self, objects: &Bits, class: Option<ClassName>) -> Bits {
        let Some(class) = class else { return objects.clone() };
        self.pass(objects, class);
        let known = &self.passing[&class];
        let mut found = objects.and(&known.pass);
        objects.and(&known.others).iter().for_each(|from| {
            found.add(from);
        });
        found
    }

    pub(super) fn judge(&mut self, object: u32, class: ClassName) -> Option<u32> {
        let program = self.world.program;
        let name = program.types.class_name(class);
        match self.origins.objects[object as usize] {
            _ if name.starts_with('[') => Some(object),
            Object::Library => Some(object),
            Object::New(index) => {
                let own = self.graph.news[index as usize].1;
                self.can_be(own, class).then_some(object)
            }
            Object::Fresh(call) if self.known.made.contains_key(&call) => {
                let can = |own: &ClassName| self.can_be(*own, class);
                let any =
                    self.known.made[&call].known().is_none_or(|classes| classes.iter().any(can));
                any.then_some(object)
            }
            // Objects the JDK made are of its classes, unless they are copies.
            Object::Fresh(call) => {
                let copy = self.world.is_copy(self.graph.calls[call as usize].target);
                let iterator = !program.is_own_class(&name) && !jdk::is_no_iterator(&name);
                (copy || iterator).then_some(object)
            }
            Object::Entry(_) => {
                (!program.is_own_class(&name) && !jdk::is_collection(&name)).then_some(object)
            }
            Object::View(..) | Object::AnyView(..) => {
                (!program.is_own_class(&name) && !jdk::is_no_view(&name)).then_some(object)
            }
            Object::Made | Object::Part(_) => (!program.is_own_class(&name)).then_some(object),
            Object::Any(Some(known)) if program.types.extends(known, class) == Some(true) => {
                Some(object)
            }
            Object::Any(_) => Some(self.object(Object::Any(Some(class)))),
            Object::Lent(_) => Some(self.object(Object::Lent(Some(class)))),
        }
    }

    /// Whether an object of exactly a class can be of another.
    fn can_be(&self, own: ClassName, class: ClassName) -> bool {
        let types = &self.world.program.types;
        let array = types.class_name(own).starts_with('[')
            && ["java/lang/Cloneable", "java/io/Serializable"].contains(&&*types.class_name(class));
        array || types.extends(own, class) != Some(false)
    }
}
