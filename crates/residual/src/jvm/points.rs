//! Which objects can be the same, over the whole program: points-to analysis.
//!
//! Every object has one *origin*: the `new` that made it, the call of the JDK that returned it new,
//! the map it is a view of, or simply the JDK. For every value of the program the analysis finds the
//! origins of the objects it can be, whatever the order of events and whichever the thread: fields
//! and array elements are each one place for all objects, calls go wherever the class hierarchy
//! allows. What is put into a collection is in that one; what else is given to the JDK to keep is with
//! the *elements*, and can come back wherever the JDK returns something; methods that override
//! methods of the JDK may be called with anything the JDK was lent.
//!
//! The analysis is of a closed program: if a method cannot be read, there is no result at all.

mod components;
mod contents;
mod graph;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

use watchword_classfile::{ClassFile, FieldType, MethodDescriptor, access};

use self::components::components;
use self::contents::{Handle, Holds};
use self::graph::CallAt;
pub use self::graph::Graph;
use super::bits::Bits;
use super::hooks::hands_through;
use super::jdk;
use super::lower::{Names, Target};
use super::program::{Program, PropertyWorld};
use super::reflected;
use super::select::Term;
use crate::body::{BodyId, Call, ClassName, FieldId};
use crate::flow::{Classes, Flows};
use crate::hash::{FastMap, FastSet};
use crate::mistake::Mistake;
use crate::world::{Receiver, Returns, Targets, World};

/// A place that holds references.
type Place = u32;

const NOTHING: Place = u32::MAX;
/// What the JDK keeps, and what anybody may take.
const ELEMENTS: Place = 0;
/// What is thrown.
const THROWN: Place = 1;
/// What the JDK may call methods of the program with.
const LENT: Place = 2;
/// Whatever the JDK returns.
const UNKNOWN: Place = 3;
/// Texts, classes, arrays that are not followed.
const CONSTANT: Place = 4;
/// What methods get that the JDK calls.
const BORROWED: Place = 5;
/// Collections whose contents anybody may take and add to.
const OPEN: Place = 6;
/// What methods that the JDK calls put into what they were lent.
const WRITTEN: Place = 7;
const FIRST: Place = 8;

/// Methods that serialisation finds by name.
const SERIALISING: [&str; 7] = [
    "readExternal",
    "readObject",
    "readObjectNoData",
    "readResolve",
    "writeExternal",
    "writeObject",
    "writeReplace",
];

/// Makes a call of a target as [`World::targets`] wants it.
fn call_of(target: u32, args: usize, dispatched: bool) -> Call {
    Call { target, args: vec![None; args], result: None, dispatched, has_receiver: dispatched }
}

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Object {
    /// That `new`.
    New(u32),
    /// New, from that call of the JDK, or of a factory of the program.
    Fresh(u32),
    /// A view of an object.
    View(u32, &'static str),
    /// The JDK made it.
    Library,
    /// The JDK made it, it is of a class of the JDK and hands through no iterator of the program.
    Made,
    /// Any object of a class that is with the elements, or the JDK's.
    Any(Option<ClassName>),
    /// A view of any object that is with the elements, or of the JDK's own; or also of any that it
    /// was lent.
    AnyView(&'static str, bool),
    /// The entries of a map.
    Entry(u32),
    /// Any object of a class that the JDK was lent, or its own.
    Lent(Option<ClassName>),
}

/// An object as [`Points`] numbers them.
pub type ObjectId = u32;

/// What was found out.
pub struct Points {
    graph: Rc<Graph>,
    /// By place: the objects, expanded and grouped.
    sets: HashMap<Place, Rc<Vec<ObjectId>>>,
    /// By method reference, body and offset: the arguments of its method.
    referred: HashMap<(BodyId, u32), Referred>,
    /// By call: what its receiver can be, if that is known.
    receivers: HashMap<u32, Rc<Vec<Receiver>>>,
    /// Fields that hold nothing but objects of the JDK's classes that the program made.
    own: FastSet<FieldId>,
}

/// What the method of a method reference is given.
#[derive(Clone)]
struct Referred {
    args: Vec<Place>,
    has_receiver: bool,
}

struct Solver<'s, 'p, 'a> {
    world: &'s PropertyWorld<'p, 'a>,
    graph: &'s Graph,
    objects: Vec<Object>,
    ids: HashMap<Object, u32>,
    /// By place: the place that holds the same objects and stands for it.
    same: Vec<Place>,
    sets: Vec<Bits>,
    /// By place: objects that have not gone on yet.
    fresh: Vec<Bits>,
    edges: Vec<Vec<(Place, Option<ClassName>)>>,
    /// By receiver: where a view of it goes.
    views: FastMap<Place, Vec<(Place, &'static str)>>,
    /// Places with objects that have not gone on yet, by rank.
    work: BinaryHeap<Reverse<(u32, Place)>>,
    waiting: Vec<bool>,
    /// By place: places come before those that they lead to, as far as that can be.
    rank: Vec<u32>,
    passing: FastMap<ClassName, Passing>,
    /// Places that hold no object that matters.
    idle: Vec<bool>,
    any: u32,
    lent: u32,
    /// All `Any` and all `Lent` objects, and those of one class only.
    symbols: [Bits; 4],
    /// Methods that the JDK may call.
    called: HashSet<BodyId>,
    /// What methods return that reflection may call.
    reflected: Place,
    /// Methods that return a new object that nobody has seen, and its classes.
    factories: &'s HashMap<BodyId, Classes>,
    /// By call of a factory: the classes of what it returns.
    made: HashMap<u32, Classes>,
    /// By call that makes a lambda: what its method is given.
    referred: HashMap<usize, Referred>,
    /// By place: what happens to its objects.
    handles: FastMap<Place, Vec<Handle>>,
    /// By object: what it holds.
    held: FastMap<u32, Holds>,
    /// Calls that return an iterator over what their receiver holds.
    iterating: FastSet<u32>,
    /// Edges that were added while objects were on their way.
    linked: FastSet<(Place, Place)>,
    /// Objects that views or iterators were made of.
    derived: Bits,
    /// By object of a factory: what its callers call it.
    renamed: FastMap<u32, Vec<u32>>,
}

/// Which objects can be of a class.
#[derive(Default)]
struct Passing {
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
/// More classes of a receiver than this count as any.
const MAX_RECEIVERS: usize = 24;
/// More elements than this are told apart by class only.
const MAX_ELEMENTS: usize = 1500;

/// Where the arguments of all calls of a target meet, and what they return.
struct Hub {
    args: Vec<Place>,
    result: Place,
}

impl Points {
    /// Solves the graph of a program for the objects a property binds, and those they come from.
    pub fn of(world: &PropertyWorld<'_, '_>) -> Option<Points> {
        let graph = world.program.graph()?;
        world.widen(graph.calls.iter().filter(|call| call.dispatched).map(|call| call.target));
        let factories = factories(world);
        // Once to find out what calls are on, once more with what they can run then.
        let first = Solver::solved(world, &graph, &factories, &HashMap::new())?.receivers();
        let mut solver = Solver::solved(world, &graph, &factories, &first)?;
        let sets = solver.operands();
        let receivers = solver.receivers();
        let own = solver.own_fields();
        let offsets = graph.call_at.iter().map(|(at, call)| (*call, *at));
        let offsets: HashMap<usize, (BodyId, u32)> = offsets.collect();
        let referred = solver.referred.into_iter().map(|(call, referred)| {
            let same = |place: &Place| match *place {
                NOTHING => NOTHING,
                place => solver.same[place as usize],
            };
            let args = referred.args.iter().map(same).collect();
            (offsets[&call], Referred { args, ..referred })
        });
        let referred = referred.collect();
        Some(Points { graph: graph.clone(), sets, referred, receivers, own })
    }

    /// Whether a field holds only objects of the JDK's classes that the program made.
    pub fn is_own_field(&self, field: FieldId) -> bool {
        self.own.contains(&field)
    }

    /// What the receiver of a call can be; `None`: anything.
    pub fn receivers(&self, body: BodyId, offset: u32) -> Option<&[Receiver]> {
        let call = self.graph.call_at.get(&(body, offset))?;
        self.receivers.get(&(*call as u32)).map(|known| known.as_slice())
    }

    /// The objects an event of a call can bind; `None`: any.
    pub fn operand(&self, body: BodyId, offset: u32, term: Term) -> Option<Rc<Vec<ObjectId>>> {
        let call = &self.graph.calls[*self.graph.call_at.get(&(body, offset))?];
        let place = operand_place(call, term)?;
        self.sets.get(&place).filter(|set| !set.is_empty()).cloned()
    }
}

/// Methods that return an object of their own that nobody has seen and no event has concerned: it may
/// count as made by their caller.
fn factories(world: &PropertyWorld<'_, '_>) -> HashMap<BodyId, Classes> {
    const ROUNDS: usize = 3;
    const MAX_NODES: usize = 400;
    let program = world.program;
    let mut candidates = Vec::new();
    // A finaliser gets objects as they were made, and so does serialisation.
    let gets = |id: BodyId| {
        let name = program.method(id).name();
        name.is_ok_and(|name| name == "finalize" || SERIALISING.iter().any(|n| name == *n))
    };
    let taking: FastSet<ClassName> =
        program.bodies().filter(|id| gets(*id)).map(|id| program.class_of(id)).collect();
    let taken = |classes: Classes| {
        let one = |class: &ClassName| program.is_below(*class, &taking) != Some(false);
        classes.known().is_none_or(|all| all.iter().any(one)) && !taking.is_empty()
    };
    for id in program.bodies() {
        let returns = MethodDescriptor::parse(match program.method(id).descriptor() {
            Ok(descriptor) => descriptor,
            Err(_) => continue,
        });
        let class = returns.ok().and_then(|d| d.result()).and_then(FieldType::class_name);
        let followed = class.is_some_and(|class| world.matters(program.class(&class.to_str())));
        if followed && world.body(id).is_some_and(|body| body.nodes.len() <= MAX_NODES) {
            candidates.push(id);
        }
    }
    let flows = Flows::of_threads(world);
    let mut found = HashMap::new();
    for _ in 0..ROUNDS {
        let before = found.len();
        for id in &candidates {
            if !found.contains_key(id)
                && let Some(classes) = flows.factory(*id)
                && !taken(classes)
            {
                found.insert(*id, classes);
            }
        }
        if found.len() == before {
            break;
        }
    }
    found
}

impl Points {
    /// The objects an event of a method reference can bind; `None`: any.
    pub fn referred(&self, body: BodyId, offset: u32, term: Term) -> Option<Rc<Vec<ObjectId>>> {
        let referred = self.referred.get(&(body, offset))?;
        let index = match term {
            Term::Receiver => 0,
            Term::Arg(n) => n as usize + usize::from(referred.has_receiver),
            Term::Result | Term::Other => return None,
        };
        let place = referred.args.get(index).filter(|place| **place != NOTHING)?;
        self.sets.get(place).filter(|set| !set.is_empty()).cloned()
    }
}

fn operand_place(call: &CallAt, term: Term) -> Option<Place> {
    let place = match term {
        Term::Receiver => call.args.first().copied(),
        Term::Arg(n) => call.args.get(n as usize + usize::from(call.has_receiver)).copied(),
        Term::Result => Some(call.result),
        Term::Other => None,
    };
    place.filter(|place| *place != NOTHING)
}

impl<'s, 'p, 'a> Solver<'s, 'p, 'a> {
    /// Objects wherever they go, if calls are on such receivers; `None` if that takes too long.
    fn solved(
        world: &'s PropertyWorld<'p, 'a>,
        graph: &'s Graph,
        factories: &'s HashMap<BodyId, Classes>,
        receivers: &HashMap<u32, Rc<Vec<Receiver>>>,
    ) -> Option<Self> {
        let places = graph.places as usize;
        let mut solver = Solver {
            world,
            graph,
            objects: Vec::new(),
            ids: HashMap::new(),
            same: (0..graph.places).collect(),
            sets: vec![Bits::default(); places],
            fresh: vec![Bits::default(); places],
            edges: vec![Vec::new(); places],
            views: FastMap::default(),
            work: BinaryHeap::new(),
            waiting: vec![false; places],
            rank: vec![u32::MAX; places],
            passing: FastMap::default(),
            idle: vec![false; places],
            any: 0,
            lent: 0,
            symbols: Default::default(),
            called: HashSet::new(),
            reflected: NOTHING,
            factories,
            made: HashMap::new(),
            referred: HashMap::new(),
            handles: FastMap::default(),
            held: FastMap::default(),
            iterating: FastSet::default(),
            linked: FastSet::default(),
            derived: Bits::default(),
            renamed: FastMap::default(),
        };
        for (place, class) in &graph.types {
            // Nobody checks that what is passed as an interface implements it.
            let checked = !world.program.is_interface(*class);
            solver.idle[*place as usize] |= checked && !world.matters(*class);
        }
        solver.seed();
        solver.callbacks();
        solver.calls(receivers);
        solver.collapse();
        solver.order();
        // What may be anything comes first: where it is, most objects need not go.
        solver.solve()?;
        solver.make();
        solver.solve()?;
        Some(solver)
    }
}

impl Solver<'_, '_, '_> {
    fn object(&mut self, object: Object) -> u32 {
        if let Some(id) = self.ids.get(&object) {
            return *id;
        }
        let id = self.objects.len() as u32;
        self.objects.push(object);
        self.ids.insert(object, id);
        let [anys, some, lents, lent_some] = &mut self.symbols;
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

    fn place(&mut self) -> Place {
        let place = self.sets.len() as Place;
        self.same.push(place);
        self.sets.push(Bits::default());
        self.fresh.push(Bits::default());
        self.edges.push(Vec::new());
        self.waiting.push(false);
        self.rank.push(u32::MAX);
        self.idle.push(false);
        place
    }

    fn edge(&mut self, from: Place, to: Place, only: Option<ClassName>) {
        if to == ELEMENTS && Mistake::NothingBack.is_made() {
            return;
        }
        if from == NOTHING || to == NOTHING || self.idle[from as usize] || self.idle[to as usize] {
            return;
        }
        if only.is_none_or(|class| self.world.matters(class)) {
            self.edges[from as usize].push((to, only));
        }
    }

    fn put(&mut self, place: Place, object: u32) {
        if place != NOTHING && !self.idle[place as usize] {
            self.spread(place, &Bits::of(object));
        }
    }

    /// Adds objects to a place.
    fn spread(&mut self, place: Place, objects: &Bits) {
        let place = self.same[place as usize];
        let at = place as usize;
        let [anys, some, _, lent_some] = &self.symbols;
        let (front, behind) = self.sets.split_at_mut(FIRST as usize);
        let (elements, set) = match place {
            ..FIRST => (None, &mut front[at]),
            _ => (Some(&front[ELEMENTS as usize]), &mut behind[at - FIRST as usize]),
        };
        // What can be anything of the elements adds nothing to them. Any object at all includes any
        // object of a class, and all elements: what these hold is open, so it is included as well.
        let (all, lent) = (set.has(self.any), set.has(self.lent));
        let new = set.add_all(objects, &mut self.fresh[at], |word| {
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
            if place == LENT && self.lent / 64 == word {
                left |= 1 << (self.lent % 64);
            }
            left
        });
        if new && !std::mem::replace(&mut self.waiting[at], true) {
            self.work.push(Reverse((self.rank[at], place)));
        }
    }

    /// Makes one place of places that hold the same objects, as they copy from each other.
    fn collapse(&mut self) {
        let count = self.edges.len();
        let next: Vec<Vec<u32>> = (0..count)
            .map(|from| {
                let plain = |(to, only): &&(Place, Option<ClassName>)| {
                    only.is_none() && *to >= FIRST && from as Place >= FIRST
                };
                self.edges[from].iter().filter(plain).map(|(to, _)| *to).collect()
            })
            .collect();
        for group in components(&next).into_iter().filter(|group| group.len() > 1) {
            let leader = group[0];
            for member in &group[1..] {
                self.same[*member as usize] = leader;
                let edges = std::mem::take(&mut self.edges[*member as usize]);
                self.edges[leader as usize].extend(edges);
                if let Some(views) = self.views.remove(member) {
                    self.views.entry(leader).or_default().extend(views);
                }
                if let Some(handles) = self.handles.remove(member) {
                    self.handles.entry(leader).or_default().extend(handles);
                }
                let held = std::mem::take(&mut self.sets[*member as usize]);
                self.fresh[*member as usize] = Bits::default();
                self.spread(leader, &held);
            }
        }
        for from in 0..count {
            let mut edges = std::mem::take(&mut self.edges[from]);
            for (to, _) in &mut edges {
                *to = self.same[*to as usize];
            }
            edges.retain(|(to, only)| *to != from as Place || only.is_some());
            edges.sort_unstable();
            edges.dedup();
            self.edges[from] = edges;
        }
    }

    /// Ranks places, so that what is on its way to one arrives there before it goes on.
    fn order(&mut self) {
        let to =
            |edges: &Vec<(Place, Option<ClassName>)>| edges.iter().map(|(to, _)| *to).collect();
        let next: Vec<Vec<u32>> = self.edges.iter().map(to).collect();
        let groups = components(&next);
        for (rank, group) in groups.iter().rev().enumerate() {
            group.iter().for_each(|place| self.rank[*place as usize] = rank as u32);
        }
        let waiting = std::mem::take(&mut self.work).into_iter();
        self.work = waiting.map(|Reverse((_, p))| Reverse((self.rank[p as usize], p))).collect();
    }

    fn seed(&mut self) {
        let library = self.object(Object::Library);
        let any = self.object(Object::Any(None));
        self.any = any;
        self.lent = self.object(Object::Lent(None));
        self.put(BORROWED, self.lent);
        self.put(CONSTANT, library);
        self.put(THROWN, any);
        self.put(UNKNOWN, any);
        // Where anything may be, it stands for elements of which views or iterators may be made.
        if !Mistake::NothingDerivedByOthers.is_made() {
            self.derived.add(any);
            self.handle_at(ELEMENTS, Handle::Derive);
        }
        for part in jdk::Part::ALL {
            if !Mistake::NothingIsOpen.is_made() {
                self.handle_at(OPEN, Handle::Read(part, ELEMENTS));
                self.handle_at(OPEN, Handle::Write(part, UNKNOWN));
            }
            self.handle_at(LENT, Handle::Read(part, LENT));
            self.handle_at(LENT, Handle::Write(part, WRITTEN));
        }
        if self.world.program.hooks().replaces && !Mistake::ViewsUnwalked.is_made() {
            self.handle_at(LENT, Handle::Walk);
        }
        self.reflected = self.place();
        if self.world.program.reflected().is_wide() {
            self.edge(self.reflected, ELEMENTS, None);
        }
        let graph = self.graph;
        for (from, to) in &graph.copies {
            self.edge(*from, *to, None);
        }
        for (from, to, class) in &graph.casts {
            self.edge(*from, *to, Some(*class));
        }
        for place in &graph.empty {
            let made = self.object(Object::Made);
            self.put(*place, made);
        }
        for (array, to) in graph.elements.iter().filter(|_| !Mistake::EmptyArrays.is_made()) {
            let read = self.reading(*array, jdk::Part::Values);
            self.edge(read, *to, None);
        }
        for (value, array) in &graph.stored {
            let write = self.writing(*array, jdk::Part::Values);
            self.edge(*value, write, None);
        }
    }

    /// Puts new objects where they are made.
    fn make(&mut self) {
        let graph = self.graph;
        let library = self.object(Object::Library);
        for (index, (place, class)) in graph.news.iter().enumerate() {
            if self.world.is_tracked(*class) || self.is_entry(*class) || self.is_array(*class) {
                let object = self.object(Object::New(index as u32));
                self.put(*place, object);
            } else if self.world.program.class_name(*class).starts_with('[') {
                self.put(*place, library);
            }
        }
    }

    fn calls(&mut self, receivers: &HashMap<u32, Rc<Vec<Receiver>>>) {
        let graph = self.graph;
        let program = self.world.program;
        let mut hubs: FastMap<(u32, &[Receiver]), Hub> = FastMap::default();
        for (index, call) in graph.calls.iter().enumerate() {
            match &*program.target_of(call.target) {
                Target::Concat => {
                    call.args.iter().for_each(|arg| self.handle_at(*arg, Handle::Show));
                    self.edge(CONSTANT, call.result, None);
                }
                Target::Lambda { .. } if Mistake::NoLambdas.is_made() => {}
                Target::Lambda { class, name, descriptor, kind, serialisable, .. } => {
                    self.lambda(index, call, class, name, descriptor, *kind);
                    if *serialisable || program.hooks().reads_captures() {
                        call.args.iter().for_each(|arg| self.edge(*arg, ELEMENTS, None));
                    }
                    self.edge(CONSTANT, call.result, None);
                }
                Target::Dynamic => {
                    call.args.iter().for_each(|arg| self.edge(*arg, ELEMENTS, None));
                    self.edge(UNKNOWN, call.result, None);
                }
                Target::Method { class, name, descriptor, .. } => {
                    let known = call_of(call.target, call.args.len(), call.dispatched);
                    let first = receivers.get(&(index as u32));
                    let on: &[Receiver] = match first.filter(|_| call.dispatched) {
                        Some(on) => on,
                        None => &[Receiver::Any],
                    };
                    let targets: Vec<Rc<Targets>> =
                        on.iter().map(|on| self.world.targets(&known, *on)).collect();
                    let contents = self.contents_of(call, &targets);
                    let hub = hubs.entry((call.target, on)).or_insert_with(|| {
                        self.hub(call, &targets, descriptor, contents.is_some())
                    });
                    let (args, result) = (hub.args.clone(), hub.result);
                    for (arg, to) in call.args.iter().zip(args) {
                        self.edge(*arg, to, None);
                    }
                    if let Some(classes) = self.factory(&targets) {
                        if call.result != NOTHING {
                            let object = self.object(Object::Fresh(index as u32));
                            self.made.insert(index as u32, classes);
                            self.put(call.result, object);
                            for body in targets.iter().flat_map(|targets| &targets.bodies) {
                                if let Some(returned) = graph.returns.get(body) {
                                    self.rename(object, *returned);
                                }
                            }
                        }
                        continue;
                    }
                    self.edge(result, call.result, None);
                    if reflected::passes(class) {
                        // Elements of what is passed on are given to anybody, too. The receiver is the
                        // method, and not what it is called with.
                        let given = call.args.get(usize::from(call.has_receiver)..);
                        for arg in given.unwrap_or_default().iter().filter(|a| **a != NOTHING) {
                            let elements = self.reading(*arg, jdk::Part::Values);
                            self.edge(*arg, ELEMENTS, None);
                            self.edge(elements, ELEMENTS, None);
                        }
                        self.edge(self.reflected, call.result, None);
                    }
                    let keeps = targets.iter().filter_map(|targets| targets.library.as_ref());
                    let keeps = keeps.map(|library| library.keeps).reduce(|one, two| one | two);
                    if let (Some(contents), Some(keeps)) = (contents, keeps) {
                        self.handle_contents(index, call, &contents, keeps);
                        if contents.gives.is_some() {
                            continue;
                        }
                    }
                    for library in targets.iter().filter_map(|targets| targets.library.as_ref()) {
                        // Every view of an object is known by the object, however it was obtained.
                        let returns = match library.view {
                            Some(view) => Returns::View(view),
                            // What is wrapped is the JDK's.
                            None if hands_through(class, name)
                                && (first.is_some_and(|on| self.is_plain(on))
                                    || Mistake::WrapsNothing.is_made()) =>
                            {
                                Returns::Made
                            }
                            None => library.returns.clone(),
                        };
                        self.returned(index, call, returns, descriptor);
                    }
                }
            }
        }
    }

    /// Whether no object of these is of a class of the program.
    fn is_plain(&self, on: &[Receiver]) -> bool {
        let program = self.world.program;
        on.iter().all(|on| match on {
            Receiver::Any => false,
            Receiver::Library => true,
            Receiver::Exactly(class) => !program.is_own_class(&program.class_name(*class)),
        })
    }

    /// What the JDK returns from a call.
    fn returned(&mut self, index: usize, call: &CallAt, returns: Returns, descriptor: &str) {
        if call.result == NOTHING {
            return;
        }
        match returns {
            Returns::Unknown => self.edge(UNKNOWN, call.result, self.result_type(descriptor)),
            Returns::Made => {
                let made = self.object(Object::Made);
                self.put(call.result, made);
            }
            Returns::Fresh(_) => {
                let object = self.object(Object::Fresh(index as u32));
                self.put(call.result, object);
            }
            Returns::Argument(arg) => {
                let from = call.args.get(arg).copied().unwrap_or(UNKNOWN);
                self.edge(from, call.result, None);
            }
            Returns::View(name) => match call.args.first() {
                Some(receiver) if *receiver != NOTHING => {
                    self.views.entry(*receiver).or_default().push((call.result, name));
                }
                _ => self.edge(UNKNOWN, call.result, None),
            },
        }
    }

    /// The static type of what an event of a call binds.
    fn type_of(&self, target: u32, term: Term) -> Option<ClassName> {
        let program = self.world.program;
        let Target::Method { class, descriptor, .. } = &*program.target_of(target) else {
            return None;
        };
        let parsed = MethodDescriptor::parse(watchword_classfile::JStr::new(descriptor.as_bytes()));
        let ty = match term {
            Term::Receiver => return Some(program.class(class)),
            Term::Arg(n) => parsed.ok()?.parameters().nth(n as usize)?.class_name()?.to_str(),
            Term::Result => parsed.ok()?.result()?.class_name()?.to_str(),
            Term::Other => return None,
        };
        Some(program.class(&ty))
    }

    /// What the JDK returns is of the type it says.
    fn result_type(&self, descriptor: &str) -> Option<ClassName> {
        let parsed = MethodDescriptor::parse(watchword_classfile::JStr::new(descriptor.as_bytes()));
        let result = parsed.ok()?.result()?.class_name()?.to_str().into_owned();
        (result != "java/lang/Object").then(|| self.world.program.class(&result))
    }

    /// The classes of what a call returns, if it always is a new object of the program.
    fn factory(&self, targets: &[Rc<Targets>]) -> Option<Classes> {
        let other = |targets: &Rc<Targets>| targets.unknown || targets.library.is_some();
        if targets.iter().any(other) || Mistake::EmptyResults.is_made() {
            return None;
        }
        let bodies = targets.iter().flat_map(|targets| &targets.bodies);
        let mut all = bodies.map(|body| self.factories.get(body).copied());
        let first = all.next()??;
        all.try_fold(first, |known, classes| Some(known.or(classes?)))
    }

    /// What calls of a target have in common. If it `handles` contents, what the JDK does is known call
    /// by call.
    fn hub(
        &mut self,
        call: &CallAt,
        targets: &[Rc<Targets>],
        descriptor: &str,
        handles: bool,
    ) -> Hub {
        let args: Vec<Place> = call.args.iter().map(|_| self.place()).collect();
        let result = self.place();
        for targets in targets {
            if targets.unknown {
                args.iter().for_each(|arg| self.edge(*arg, ELEMENTS, None));
                // It may be code of the program that says nothing true about its result.
                let declared = self.result_type(descriptor).filter(|_| targets.bodies.is_empty());
                self.edge(UNKNOWN, result, declared.filter(|_| self.is_of_jdk(call)));
            }
            if let Some(library) = targets.library.as_ref().filter(|_| !handles) {
                let looks = self.looks(call.target);
                for (index, arg) in args.iter().enumerate() {
                    let looked = looks.is_some_and(|looks| looks >> index.min(63) & 1 == 1);
                    if looked {
                        self.handle_at(*arg, Handle::Show);
                        continue;
                    }
                    self.edge(*arg, LENT, None);
                    if looks.is_some() {
                        continue;
                    }
                    self.edge(*arg, OPEN, None);
                    if library.keeps >> index.min(63) & 1 == 1 {
                        self.edge(*arg, ELEMENTS, None);
                    }
                }
            }
            for body in &targets.bodies {
                // What the JDK may call gets what the JDK is lent.
                let borrows =
                    (targets.library.is_some() || targets.unknown) && self.called.contains(body);
                if !borrows && !Mistake::EmptyCalls.is_made() {
                    self.enter(*body, &args, call.dispatched);
                }
                if let Some(returned) = self.graph.returns.get(body)
                    && !Mistake::EmptyResults.is_made()
                {
                    self.edge(*returned, result, None);
                }
            }
        }
        Hub { args, result }
    }

    /// See [`jdk::looks`].
    fn looks(&self, target: u32) -> Option<u64> {
        match &*self.world.program.target_of(target) {
            Target::Method { class, name, .. } => jdk::looks(class, name),
            _ => None,
        }
    }

    /// Whether a call is of a method of the JDK that is not overridden in the program: a static one, or
    /// one that no class of the program has.
    fn is_of_jdk(&self, call: &CallAt) -> bool {
        match &*self.world.program.target_of(call.target) {
            Target::Method { class, .. } => {
                let program = self.world.program;
                !program.is_own_class(class)
                    && program.is_known(class)
                    && (!call.dispatched || program.below(class).is_empty())
            }
            _ => false,
        }
    }

    /// Arguments go into a method.
    fn enter(&mut self, body: BodyId, args: &[Place], dispatched: bool) {
        let Some(params) = self.graph.params.get(&body) else {
            // No body: native.
            args.iter().for_each(|arg| self.edge(*arg, ELEMENTS, None));
            return;
        };
        for (index, (arg, param)) in args.iter().zip(params).enumerate() {
            let class = (index == 0 && dispatched).then(|| self.world.program.class_of(body));
            self.edge(*arg, *param, class);
        }
    }

    /// A lambda: what it captures is given to its method, the rest comes from whoever calls it.
    fn lambda(
        &mut self,
        index: usize,
        call: &CallAt,
        class: &str,
        name: &str,
        descriptor: &str,
        kind: u8,
    ) {
        const INVOKE_VIRTUAL: u8 = 5;
        const INVOKE_STATIC: u8 = 6;
        const NEW: u8 = 8;
        const INVOKE_INTERFACE: u8 = 9;
        let dispatched = kind == INVOKE_VIRTUAL || kind == INVOKE_INTERFACE;
        let count = MethodDescriptor::parse(watchword_classfile::JStr::new(descriptor.as_bytes()))
            .map_or(0, |d| d.parameters().count());
        let count = count + usize::from(kind != INVOKE_STATIC);
        let program = self.world.program;
        let target = program.target(Target::Method {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            dispatched,
        });
        let targets = self.world.targets(&call_of(target, count, dispatched), Receiver::Any);
        let mut args: Vec<Place> = call.args.clone();
        if kind == NEW {
            // The object is made behind the scenes.
            args.insert(0, CONSTANT);
        }
        args.resize(args.len().max(count), BORROWED);
        let made = CallAt {
            target,
            args: args.clone(),
            result: NOTHING,
            dispatched,
            has_receiver: kind != INVOKE_STATIC,
        };
        let hub = self.hub(&made, &[targets], descriptor, false);
        for (index, (arg, to)) in args.iter().zip(&hub.args).enumerate() {
            // What comes from outside is cast.
            let cast = match index.checked_sub(usize::from(made.has_receiver)) {
                None => self.type_of(target, Term::Receiver),
                Some(index) => self.type_of(target, Term::Arg(index as u32)),
            };
            self.edge(*arg, *to, cast.filter(|_| *arg == BORROWED));
        }
        self.edge(hub.result, ELEMENTS, None);
        let has_receiver = kind != INVOKE_STATIC;
        self.referred.insert(index, Referred { args: hub.args, has_receiver });
    }

    /// Methods that the JDK may call.
    fn callbacks(&mut self) {
        if Mistake::NoCallbacks.is_made() {
            return;
        }
        let program = self.world.program;
        let called = program.called_back();
        for id in program.bodies() {
            let method = program.method(id);
            let (Ok(name), Ok(descriptor)) = (method.name(), method.descriptor()) else { continue };
            let key = (name.to_str().into_owned(), descriptor.to_str().into_owned());
            let this = self.graph.params.get(&id).and_then(|params| params.first().copied());
            match (key.0.as_str(), this) {
                // The JDK may make the object, by name.
                ("<init>", Some(this)) => self.edge(CONSTANT, this, None),
                // The VM calls it for every object; serialisation for every one it gets to by fields,
                // also those of collections.
                (name, Some(this)) if name == "finalize" || SERIALISING.contains(&name) => {
                    let class = program.class_of(id);
                    for (place, made) in &self.graph.news {
                        if program.extends(*made, class) != Some(false) {
                            self.edge(*place, this, None);
                        }
                    }
                }
                _ => {}
            }
            let restoring = SERIALISING.contains(&key.0.as_str());
            let known = restoring || called.contains(&key);
            let reflected = program.reflected();
            if reflected.calls(&key.0, method.access()) {
                self.reflect(id, &key.0, &key.1);
            }
            let by_jdk = known && !method.has_access(access::STATIC);
            if !by_jdk && !reflected.is_asked_from_outside(&key.0) {
                continue;
            }
            let count = self.graph.params.get(&id).map_or(0, Vec::len);
            self.called.insert(id);
            self.enter(id, &vec![BORROWED; count], true);
            if let Some(returned) = self.graph.returns.get(&id) {
                self.edge(*returned, ELEMENTS, None);
            }
        }
    }

    /// Reflection may call a method, with whatever the JDK was given.
    fn reflect(&mut self, id: BodyId, name: &str, descriptor: &str) {
        let graph = self.graph;
        let program = self.world.program;
        let params = graph.params.get(&id).map_or(&[][..], |params| params);
        let parsed = MethodDescriptor::parse(watchword_classfile::JStr::new(descriptor.as_bytes()));
        let types = parsed.iter().flat_map(|parsed| parsed.parameters());
        let mut types: Vec<Option<ClassName>> =
            types.map(|ty| Some(program.class(&ty.class_name()?.to_str()))).collect();
        if types.len() < params.len() {
            types.insert(0, Some(program.class_of(id)));
        }
        for (index, (param, ty)) in params.iter().zip(types).enumerate() {
            let made = index == 0 && name == "<init>";
            // Reflection checks that what is passed as an interface implements it, handles do not.
            let unchecked = program.reflected().has_handles();
            let checked = ty.filter(|ty| !unchecked || !program.is_interface(*ty));
            self.edge(if made { CONSTANT } else { UNKNOWN }, *param, checked.filter(|_| !made));
        }
        if let Some(returned) = graph.returns.get(&id) {
            self.edge(*returned, self.reflected, None);
        }
    }

    /// Puts objects wherever they go; `None` if that takes too long.
    fn solve(&mut self) -> Option<()> {
        let mut steps = 0;
        while let Some(Reverse((_, place))) = self.work.pop() {
            let at = place as usize;
            self.waiting[at] = false;
            let objects = std::mem::take(&mut self.fresh[at]);
            let edges = std::mem::take(&mut self.edges[at]);
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
            self.edges[at] = edges;
            if let Some(views) = self.views.get(&place).cloned() {
                for object in objects.iter() {
                    for (to, name) in &views {
                        let view = match self.objects[object as usize] {
                            Object::Library => Object::Library,
                            Object::Made => Object::Made,
                            Object::Any(_) => Object::AnyView(name, false),
                            Object::Lent(_) => Object::AnyView(name, true),
                            Object::AnyView(_, lent) => Object::AnyView(name, lent),
                            _ => Object::View(object, name),
                        };
                        let view = self.object(view);
                        self.put(*to, view);
                    }
                }
            }
            if let Some(handles) = self.handles.get(&place).cloned() {
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

    /// What objects are where only objects of a class can be.
    fn pass(&mut self, objects: &Bits, class: ClassName) -> Bits {
        let known = self.passing.entry(class).or_default();
        let unseen: Vec<u32> = objects.without(&known.seen).iter().collect();
        for object in unseen {
            let passed = match self.objects[object as usize] {
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
    fn of_class(&mut self, objects: &Bits, class: Option<ClassName>) -> Bits {
        let Some(class) = class else { return objects.clone() };
        self.pass(objects, class);
        let known = &self.passing[&class];
        let mut found = objects.and(&known.pass);
        objects.and(&known.others).iter().for_each(|from| {
            found.add(from);
        });
        found
    }

    fn judge(&mut self, object: u32, class: ClassName) -> Option<u32> {
        let program = self.world.program;
        let name = program.class_name(class);
        match self.objects[object as usize] {
            _ if name.starts_with('[') => Some(object),
            Object::Library => Some(object),
            Object::New(index) => {
                let own = self.graph.news[index as usize].1;
                let array = program.class_name(own).starts_with('[')
                    && ["java/lang/Cloneable", "java/io/Serializable"].contains(&&*name);
                (array || program.extends(own, class) != Some(false)).then_some(object)
            }
            Object::Fresh(call) if self.made.contains_key(&call) => {
                let can = |own: &ClassName| program.extends(*own, class) != Some(false);
                let any = self.made[&call].known().is_none_or(|classes| classes.iter().any(can));
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
            Object::Made => (!program.is_own_class(&name)).then_some(object),
            Object::Any(Some(known)) if program.extends(known, class) == Some(true) => Some(object),
            Object::Any(_) => Some(self.object(Object::Any(Some(class)))),
            Object::Lent(_) => Some(self.object(Object::Lent(Some(class)))),
        }
    }

    /// By call: what its receiver can be, where every object it can be is known.
    fn receivers(&self) -> HashMap<u32, Rc<Vec<Receiver>>> {
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
            let place = self.same[*receiver as usize];
            let known = by_place.entry(place).or_insert_with(|| self.classes_at(place));
            if let Some(known) = known {
                all.insert(index as u32, known.clone());
            }
        }
        all
    }

    /// Whether a target wraps a collection or a map every object of whose type is tracked, see
    /// [`hands_through`].
    fn is_wrapping(&self, target: u32) -> bool {
        let Target::Method { class, name, .. } = &*self.world.program.target_of(target) else {
            return false;
        };
        hands_through(class, name)
            && self
                .type_of(target, Term::Arg(0))
                .is_some_and(|wrapped| self.world.watches(&self.world.program.class_name(wrapped)))
    }

    fn classes_at(&self, place: Place) -> Option<Rc<Vec<Receiver>>> {
        let mut classes: BTreeSet<Receiver> = BTreeSet::new();
        for object in self.sets[place as usize].iter() {
            match self.objects[object as usize] {
                Object::New(index) => {
                    classes.insert(Receiver::Exactly(self.graph.news[index as usize].1));
                }
                Object::Fresh(call) if self.made.contains_key(&call) => {
                    classes.extend(self.made[&call].known()?.iter().map(|c| Receiver::Exactly(*c)));
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
                | Object::Made => {
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
    fn own_fields(&self) -> FastSet<FieldId> {
        let program = self.world.program;
        let is_made = |object: u32| match self.objects[object as usize] {
            Object::New(index) => {
                !program.is_own_class(&program.class_name(self.graph.news[index as usize].1))
            }
            Object::Fresh(_) => true,
            _ => false,
        };
        let own = |place: Place| {
            let set = &self.sets[self.same[place as usize] as usize];
            set.iter().next().is_some() && set.iter().all(is_made)
        };
        let fields = self.graph.fields.iter().filter(|(_, place)| own(**place));
        fields.map(|(field, _)| *field).collect()
    }

    /// The objects of every place an event may bind. If there are many objects with the elements,
    /// those of one class count as one.
    fn operands(&mut self) -> HashMap<Place, Rc<Vec<ObjectId>>> {
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
        for referred in self.referred.values() {
            let used = referred.args.iter().filter(|place| **place != NOTHING);
            for place in used.map(|place| self.same[*place as usize]) {
                places.entry(place).or_insert(None);
            }
        }
        // Nobody in the program gets there. If somebody does by reflection, with something that was
        // given to the JDK for it.
        for (place, class) in &places {
            if self.sets[self.same[*place as usize] as usize].iter().next().is_none() {
                let any = self.object(Object::Any(*class));
                self.put(*place, any);
            }
        }
        let lent_bits = self.sets[LENT as usize].clone();
        let lent: Vec<u32> = lent_bits.iter().collect();
        let mut elements: Vec<u32> = self.sets[ELEMENTS as usize].iter().collect();
        // What the JDK was lent may have been given to it for good by a method it called.
        for given in elements.clone() {
            if let Object::Lent(class) = self.objects[given as usize] {
                elements.extend(self.of_class(&lent_bits, class).iter());
            }
        }
        elements.sort_unstable();
        elements.dedup();
        let mut group: HashMap<u32, u32> = HashMap::new();
        let mut leaders: HashMap<ClassName, u32> = HashMap::new();
        let many = elements.len() > MAX_ELEMENTS;
        for object in elements.iter().filter(|_| many) {
            let class = match self.objects[*object as usize] {
                Object::New(index) => Some(self.graph.news[index as usize].1),
                Object::Fresh(call) => match self.made.get(&call).and_then(Classes::known) {
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
        for object in 0..self.objects.len() as u32 {
            if let Object::View(of, name) = self.objects[object as usize] {
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
            let at = self.same[*place as usize] as usize;
            used.add_all(&self.sets[at], &mut Bits::default(), |_| 0);
        }
        let mut expanded: HashMap<u32, Rc<Vec<u32>>> = HashMap::new();
        for object in used.iter() {
            let mut all = BTreeSet::from([library]);
            match self.objects[object as usize] {
                Object::Any(class) | Object::Lent(class) => {
                    let of_lent = matches!(self.objects[object as usize], Object::Lent(_));
                    let mut had = self.of_class(&element_bits, class);
                    if of_lent {
                        self.of_class(&lent_bits, class).iter().for_each(|object| had.add(object));
                    }
                    for element in had.iter() {
                        match self.objects[element as usize] {
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
            let held = &self.sets[self.same[place as usize] as usize];
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
    fn views_of(
        &self,
        kept: &HashSet<u32>,
        wanted: Option<&'static str>,
        group: &HashMap<u32, u32>,
    ) -> Vec<u32> {
        let mut all = Vec::new();
        for (object, info) in self.objects.iter().enumerate() {
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

impl Program<'_> {
    /// Names and descriptors of methods that the JDK may call on objects of the program: those
    /// that supertypes of the program's classes have which are the JDK's.
    fn called_back(&self) -> &HashSet<(String, String)> {
        self.called.get_or_init(|| {
            let mut seen: HashSet<String> = HashSet::new();
            let mut called = HashSet::new();
            for class in &self.classes {
                let Ok(name) = class.name() else { continue };
                let Some(above) = self.supertypes(&name.to_str()) else { continue };
                for name in above.iter().filter(|name| !self.is_own_class(name)) {
                    if seen.insert(name.clone()) {
                        self.methods_of(name, &mut called);
                    }
                }
            }
            called
        })
    }

    fn methods_of(&self, class: &str, called: &mut HashSet<(String, String)>) {
        let Some(bytes) = self.platform_class(class) else { return };
        let Ok(class) = ClassFile::parse(&bytes) else { return };
        for method in class.methods() {
            let hidden = method.has_access(access::STATIC) || method.has_access(access::PRIVATE);
            if let (false, Ok(name), Ok(descriptor)) = (hidden, method.name(), method.descriptor())
            {
                called.insert((name.to_str().into_owned(), descriptor.to_str().into_owned()));
            }
        }
    }
}
