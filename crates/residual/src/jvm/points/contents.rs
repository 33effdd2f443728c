//! What arrays, collections, maps, their views, iterators and entries hold, each for itself.
//!
//! An array, and an object of a class of the JDK that copies, adds and gives back only references, has
//! places of its own for what it holds. Whatever else can be asked (a stream, a part, a wrapper) makes it *open*:
//! what it holds is with the elements then, and anything of them may be in it. So are the contents of
//! all other objects. What the JDK shows to methods of the program that it calls is lent, and what
//! these put into something that they were lent may be in anything that was.

use std::rc::Rc;

use super::{
    BORROWED, CallAt, ELEMENTS, LENT, NOTHING, OPEN, Object, Place, Solver, UNKNOWN, WRITTEN,
};
use crate::body::ClassName;
use crate::jvm::jdk::{self, Contents, Part};
use crate::jvm::lower::{Names, Target};
use crate::jvm::select::Term;
use crate::mistake::Mistake;
use crate::world::{Returns, Targets};

/// Where to read what an object holds, and where to write it.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    read: Place,
    write: Place,
}

/// What an object holds.
#[derive(Clone, Copy)]
pub(super) enum Holds {
    /// What is in these places, by [`Part`].
    Own([Slot; 2]),
    /// Elements.
    Elements,
    /// What the JDK was lent.
    Lent,
}

/// What happens to every object of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Handle {
    /// What it holds goes there.
    Read(Part, Place),
    /// What is there goes into it.
    Write(Part, Place),
    /// What it holds is shown to methods that the JDK calls; so is itself unless it holds for itself.
    Show,
    /// It is shown to methods that the JDK calls, unless it holds for itself.
    Lend,
    /// Something that shares its contents was made of it.
    Derive,
    /// The caller of a factory knows it as this object.
    Rename(u32),
    /// What it is a view of is shown to methods that the JDK calls.
    Walk,
}

/// Kinds of classes that hold for themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sequence,
    Set,
    Map,
    Iterator,
}

impl Solver<'_, '_, '_> {
    /// What a call does with what its receiver holds, if the JDK's table says that, and every object
    /// that it can be on is followed.
    pub(super) fn contents_of(&self, call: &CallAt, targets: &[Rc<Targets>]) -> Option<Contents> {
        let Target::Method { class, name, descriptor, .. } =
            &*self.world.program.target_of(call.target)
        else {
            return None;
        };
        if self.world.program.hooks().walks {
            return None;
        }
        let contents = jdk::contents(class, name, descriptor)?;
        let watched = match class.as_str() {
            "java/util/Map$Entry" => self.world.watches("java/util/Map"),
            _ => self.world.is_watched(call.target),
        };
        let library = || targets.iter().filter_map(|targets| targets.library.as_ref());
        let iterators = || library().all(|l| matches!(l.returns, Returns::Fresh(_)));
        let views = || library().all(|l| l.view.is_some());
        let known = call.has_receiver
            && watched
            && (contents.iterates.is_none() || iterators())
            && (!contents.views || views());
        known.then_some(contents)
    }

    /// What such a call of the JDK does; it may hand the arguments that it `keeps` to anybody if they
    /// are copied only otherwise.
    pub(super) fn handle_contents(
        &mut self,
        index: usize,
        call: &CallAt,
        contents: &Contents,
        keeps: u64,
    ) {
        let on = call.args[0];
        if on == NOTHING {
            return;
        }
        self.handle_at(on, if contents.shows { Handle::Show } else { Handle::Lend });
        if contents.views || contents.iterates.is_some() {
            self.handle_at(on, Handle::Derive);
        }
        // The first is the receiver, which is where they go.
        for (at, arg) in call.args.iter().enumerate().skip(1) {
            let is = |bits: u64| bits >> at.min(63) & 1 == 1;
            if *arg == NOTHING {
                continue;
            }
            for part in Part::ALL {
                if is(contents.puts[part as usize]) {
                    let write = self.writing(on, part);
                    self.edge(*arg, write, None);
                }
                if is(contents.copies) && !Mistake::NothingCopied.is_made() {
                    let (read, write) = (self.reading(*arg, part), self.writing(on, part));
                    self.edge(read, write, None);
                }
            }
            if is(contents.copies) {
                // A collection of a type that is not followed is nowhere. What is in it is anywhere.
                if !self.follows_argument(call.target, at) {
                    for part in Part::ALL {
                        let write = self.writing(on, part);
                        self.edge(UNKNOWN, write, None);
                    }
                }
                self.handle_at(*arg, Handle::Lend);
                if is(keeps) {
                    self.edge(*arg, ELEMENTS, None);
                }
            } else if !is(contents.puts[0] | contents.puts[1]) {
                self.edge(*arg, LENT, None);
            }
            if is(contents.keeps) && !Mistake::ComparatorsGone.is_made() {
                self.edge(*arg, ELEMENTS, None);
            }
            if contents.spills && !Mistake::ArraysUnfilled.is_made() {
                let (read, write) =
                    (self.reading(on, Part::Values), self.writing(*arg, Part::Values));
                self.edge(read, write, None);
                self.edge(*arg, call.result, None);
            }
        }
        if contents.computes {
            let write = self.writing(on, Part::Values);
            self.edge(UNKNOWN, write, None);
        }
        if contents.spills {
            let read = self.reading(on, Part::Values);
            self.edge(read, ELEMENTS, None);
        }
        if let Some(part) = contents.gives.filter(|_| call.result != NOTHING) {
            let read = self.reading(on, part);
            self.edge(read, call.result, None);
        }
        if let Some(part) = contents.iterates {
            self.known.iterating.insert(index as u32);
            let iterator = self.object(Object::Fresh(index as u32));
            if let Holds::Own([slot, _]) = self.holds(iterator) {
                let (read, write) = (self.reading(on, part), self.writing(on, part));
                self.edge(read, slot.read, None);
                if !Mistake::IteratorsOnlyRead.is_made() {
                    self.edge(slot.write, write, None);
                }
            }
        }
    }

    /// Whether every object that can be an argument of a target is followed.
    fn follows_argument(&self, target: u32, arg: usize) -> bool {
        let declared = self.type_of(target, Term::Arg(arg as u32 - 1));
        declared
            .is_some_and(|class| self.world.watches(&self.world.program.types.class_name(class)))
    }

    /// An object that a factory returned, as its caller knows it, holds what it held there.
    pub(super) fn rename(&mut self, object: u32, returned: Place) {
        match self.holds(object) {
            Holds::Own(slots) => {
                for part in Part::ALL {
                    let read = self.reading(returned, part);
                    self.edge(read, slots[part as usize].read, None);
                }
                self.handle_at(returned, Handle::Rename(object));
            }
            Holds::Elements | Holds::Lent => self.edge(returned, OPEN, None),
        }
    }

    pub(super) fn handle_at(&mut self, place: Place, handle: Handle) {
        if place != NOTHING && !self.net.idle[place as usize] {
            let all = self.net.handles.entry(place).or_default();
            if !all.contains(&handle) {
                all.push(handle);
            }
        }
    }

    /// Where everything is that objects of a place hold.
    pub(super) fn reading(&mut self, place: Place, part: Part) -> Place {
        let known = self.net.handles.get(&place).into_iter().flatten();
        let mut known = known.filter_map(|handle| match handle {
            Handle::Read(of, to) if *of == part => Some(*to),
            _ => None,
        });
        if let Some(known) = known.next() {
            return known;
        }
        let to = self.place();
        self.handle_at(place, Handle::Read(part, to));
        to
    }

    /// What goes into all objects of a place.
    pub(super) fn writing(&mut self, place: Place, part: Part) -> Place {
        let known = self.net.handles.get(&place).into_iter().flatten();
        let mut known = known.filter_map(|handle| match handle {
            Handle::Write(of, from) if *of == part => Some(*from),
            _ => None,
        });
        if let Some(known) = known.next() {
            return known;
        }
        let from = self.place();
        self.handle_at(place, Handle::Write(part, from));
        from
    }

    /// What happens to an object that arrived at a place.
    pub(super) fn handle(&mut self, object: u32, handle: Handle) {
        let holds = self.holds(object);
        match (handle, holds) {
            (Handle::Read(part, to), Holds::Own(slots)) => {
                if !Mistake::NothingComesOut.is_made() {
                    self.link(slots[part as usize].read, to);
                }
            }
            (Handle::Read(_, to), Holds::Elements) => self.link(UNKNOWN, to),
            (Handle::Read(_, to), Holds::Lent) => self.link(BORROWED, to),
            (Handle::Write(part, from), Holds::Own(slots)) => {
                if from != WRITTEN || !Mistake::NothingWritten.is_made() {
                    self.link(from, slots[part as usize].write);
                }
            }
            (Handle::Write(_, from), Holds::Elements) => self.link(from, ELEMENTS),
            (Handle::Write(_, from), Holds::Lent) => self.link(from, WRITTEN),
            (Handle::Show, Holds::Own(slots)) => {
                if !Mistake::NothingShown.is_made() {
                    slots.iter().for_each(|slot| self.link(slot.read, LENT));
                }
            }
            (Handle::Lend, Holds::Own(_)) => {}
            (Handle::Show | Handle::Lend, _) => self.put(LENT, object),
            (Handle::Derive, _) => self.derive(object),
            (Handle::Walk, _) => {
                if let Object::View(of, _) = self.origins.objects[object as usize] {
                    self.put(LENT, of);
                }
            }
            (Handle::Rename(to), Holds::Own([slot, _])) if slot.read != slot.write => {
                // What goes into an iterator goes into its list.
                self.share(to, object);
            }
            (Handle::Rename(to), _) if self.origins.derived.has(object) => self.share(to, object),
            (Handle::Rename(to), _) => self.origins.renamed.entry(object).or_default().push(to),
        }
    }

    /// Something that was made of an object shares its contents, whatever it is called later.
    fn derive(&mut self, object: u32) {
        if self.origins.derived.has(object) {
            return;
        }
        self.origins.derived.add(object);
        for to in self.origins.renamed.remove(&object).unwrap_or_default() {
            self.share(to, object);
        }
    }

    /// What goes into an object goes into what a factory called it.
    fn share(&mut self, renamed: u32, object: u32) {
        if Mistake::NothingDerived.is_made() {
            return;
        }
        if let Holds::Own(slots) = self.holds(renamed) {
            for part in Part::ALL {
                self.handle(object, Handle::Write(part, slots[part as usize].write));
            }
        }
        self.derive(renamed);
    }

    /// Adds an edge while objects are on their way.
    fn link(&mut self, from: Place, to: Place) {
        if to == NOTHING || self.net.idle[from as usize] || self.net.idle[to as usize] {
            return;
        }
        let (from, to) = (self.net.same[from as usize], self.net.same[to as usize]);
        if from != to && self.net.linked.insert((from, to)) {
            self.net.edges[from as usize].push((to, None));
            let objects = self.net.sets[from as usize].clone();
            self.spread(to, &objects);
        }
    }

    /// What an object holds.
    pub(super) fn holds(&mut self, object: u32) -> Holds {
        if let Some(known) = self.origins.held.get(&object) {
            return *known;
        }
        let found = match self.origins.objects[object as usize] {
            Object::New(index) => {
                let class = self.graph.news[index as usize].1;
                self.slots(self.kind_of(class))
            }
            Object::Fresh(call) => {
                let kind = match self.known.made.get(&call) {
                    Some(classes) => {
                        let all = classes.known().unwrap_or_default();
                        let mut kinds = all.iter().map(|class| self.kind_of(*class));
                        let first = kinds.next().flatten();
                        first.filter(|_| kinds.all(|kind| kind == first))
                    }
                    None if self.known.iterating.contains(&call) => Some(Kind::Iterator),
                    // A copy, or an iterator over what is not followed: of a stream.
                    None => None,
                };
                self.slots(kind)
            }
            Object::View(of, name) => match (self.holds(of), name) {
                (Holds::Own([keys, _]), "keySet") => Holds::Own([keys; 2]),
                (Holds::Own([_, values]), "values") => Holds::Own([values; 2]),
                (Holds::Own(_), _) => {
                    let place = self.place();
                    let entry = self.object(Object::Entry(of));
                    self.put(place, entry);
                    Holds::Own([Slot { read: place, write: place }; 2])
                }
                (other, _) => other,
            },
            Object::Entry(of) => self.holds(of),
            Object::Library
            | Object::Made
            | Object::Part(_)
            | Object::Any(_)
            | Object::AnyView(_, false) => Holds::Elements,
            Object::AnyView(_, true) | Object::Lent(_) => Holds::Lent,
        };
        self.origins.held.insert(object, found);
        found
    }

    fn slots(&mut self, kind: Option<Kind>) -> Holds {
        let mut slot = || {
            let place = self.place();
            Slot { read: place, write: place }
        };
        match kind {
            None => Holds::Elements,
            Some(Kind::Sequence) => Holds::Own([slot(); 2]),
            Some(Kind::Set) => {
                let slot = slot();
                self.link(slot.read, LENT);
                Holds::Own([slot; 2])
            }
            Some(Kind::Map) => {
                let slots = [slot(), slot()];
                self.link(slots[0].read, LENT);
                Holds::Own(slots)
            }
            Some(Kind::Iterator) => {
                let (read, write) = (slot().read, slot().read);
                self.link(write, read);
                Holds::Own([Slot { read, write }; 2])
            }
        }
    }

    /// How objects of exactly this class hold for themselves, if they do.
    fn kind_of(&self, class: ClassName) -> Option<Kind> {
        let name = self.world.program.types.class_name(class);
        if self.world.program.is_own_class(&name) {
            return None;
        }
        match &*name {
            "java/util/Iterator" => Some(Kind::Iterator),
            name if name.starts_with('[') => Some(Kind::Sequence),
            _ if !jdk::is_made(&name) => None,
            _ if jdk::is_map(&name) => Some(Kind::Map),
            _ if jdk::is_sequence(&name) => Some(Kind::Sequence),
            _ => Some(Kind::Set),
        }
    }

    /// Whether a class is one of arrays that can hold something that matters.
    pub(super) fn is_array(&self, class: ClassName) -> bool {
        let program = self.world.program;
        let name = program.types.class_name(class);
        let component = match name.strip_prefix("[L").and_then(|name| name.strip_suffix(';')) {
            Some(component) => component,
            None if name.starts_with("[[") => &name[1..],
            None => return false,
        };
        self.world.matters(program.class(component))
    }

    /// Whether objects of a class, made by the program, are entries of the JDK, or inherit from one what
    /// they do.
    pub(super) fn is_entry(&self, class: ClassName) -> bool {
        let types = &self.world.program.types;
        let name = types.class_name(class);
        let of_jdk = |class: &str| {
            class != ENTRY
                && !self.world.program.is_own_class(class)
                && types.is_subtype(class, ENTRY) != Some(false)
        };
        match types.supertypes(&name) {
            Some(above) => above.iter().any(|above| of_jdk(above)),
            None => true,
        }
    }
}

const ENTRY: &str = "java/util/Map$Entry";
