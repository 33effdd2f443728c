//! Which objects can be the same, over the whole program: points-to analysis.
//!
//! Every object has one *origin*: the `new` that made it, the call of the JDK that returned it new,
//! the map it is a view of, or simply the JDK. For every value of the program the analysis finds the
//! origins of the objects it can be, whatever the order of events and whichever the thread: fields
//! and array elements are each one place for all objects, calls go wherever the class hierarchy
//! allows. What is given to the JDK to keep is with the *elements*, and can come back wherever the
//! JDK returns something; methods that override methods of the JDK may be called with anything the
//! JDK was lent.
//!
//! The analysis is of a closed program: if a method cannot be read, there is no result at all.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use watchword_classfile::{ClassFile, Constant, Constants, FieldType, MethodDescriptor, access};

use super::lower::{Names, Target, lower};
use super::program::{Program, PropertyWorld};
use super::select::{Term, Types};
use crate::body::{Body, BodyId, Call, ClassName, FieldId, NodeId, Op, Source};
use crate::mistake::Mistake;
use crate::world::{Returns, World};

/// A place that holds references.
type Place = u32;

const NOTHING: Place = u32::MAX;
/// What the JDK keeps, and the elements of arrays.
const ELEMENTS: Place = 0;
/// What is thrown.
const THROWN: Place = 1;
/// What the JDK may call methods of the program with.
const LENT: Place = 2;
/// Whatever the JDK returns.
const UNKNOWN: Place = 3;
/// Arrays, texts, classes.
const CONSTANT: Place = 4;
/// What methods get that the JDK calls.
const BORROWED: Place = 5;
const FIRST: Place = 6;

/// Methods that serialisation finds by name.
const SERIALISING: [&str; 5] =
    ["readObject", "readObjectNoData", "readResolve", "writeObject", "writeReplace"];

/// How references move in a program, apart from what calls do.
pub struct Graph {
    places: u32,
    copies: Vec<(Place, Place)>,
    casts: Vec<(Place, Place, ClassName)>,
    news: Vec<(Place, ClassName)>,
    calls: Vec<CallAt>,
    call_at: HashMap<(BodyId, u32), usize>,
    params: HashMap<BodyId, Vec<Place>>,
    returns: HashMap<BodyId, Place>,
    /// Declared types of parameters, fields and results.
    types: Vec<(Place, ClassName)>,
}

struct CallAt {
    target: u32,
    args: Vec<Place>,
    result: Place,
    dispatched: bool,
    has_receiver: bool,
}

/// Makes a call of a target as [`World::targets`] wants it.
fn call_of(target: u32, args: usize, dispatched: bool) -> Call {
    Call { target, args: vec![None; args], result: None, dispatched, has_receiver: dispatched }
}

impl Graph {
    /// The graph of a program; `None` if some method cannot be read.
    pub fn of(program: &Program<'_>) -> Option<Graph> {
        if !program.broken.is_empty() {
            return None;
        }
        let mut graph = Graph {
            places: FIRST,
            copies: vec![(ELEMENTS, LENT), (UNKNOWN, LENT)],
            casts: Vec::new(),
            news: Vec::new(),
            calls: Vec::new(),
            call_at: HashMap::new(),
            params: HashMap::new(),
            returns: HashMap::new(),
            types: Vec::new(),
        };
        let mut fields: HashMap<FieldId, Place> = HashMap::new();
        for id in program.bodies() {
            let method = program.method(id);
            let body = lower(method, &[], program).ok()?;
            let Some(body) = body else { continue };
            graph.add(program, id, &body, &mut fields);
            graph.declare(program, id)?;
        }
        Some(graph)
    }

    fn place(&mut self) -> Place {
        self.places += 1;
        self.places - 1
    }

    /// Notes the declared types of a method's parameters and result.
    fn declare(&mut self, program: &Program<'_>, id: BodyId) -> Option<()> {
        let method = program.method(id);
        let descriptor = MethodDescriptor::parse(method.descriptor().ok()?).ok()?;
        let mut declared = vec![Some(program.class_of(id)); 1];
        if method.has_access(access::STATIC) {
            declared.clear();
        }
        let class = |ty: FieldType<'_>| ty.class_name().map(|n| program.class(&n.to_str()));
        declared.extend(descriptor.parameters().map(class));
        let places = self.params[&id].iter().zip(declared);
        let known = places.filter_map(|(place, class)| Some((*place, class?)));
        self.types.extend(known.filter(|(place, _)| *place != NOTHING).collect::<Vec<_>>());
        let result = descriptor.result().and_then(class);
        self.types.extend(result.map(|class| (self.returns[&id], class)));
        Some(())
    }

    /// The place of a field; what is stored in fields of the JDK is with the elements.
    fn field(
        &mut self,
        program: &Program<'_>,
        fields: &mut HashMap<FieldId, Place>,
        field: FieldId,
    ) -> Place {
        if let Some(place) = fields.get(&field).filter(|_| !Mistake::EmptyFields.is_made()) {
            return *place;
        }
        let place = self.place();
        self.types.extend(program.field_type(field).map(|class| (place, class)));
        if program.class_with_field(field).is_none() {
            self.copies.push((place, ELEMENTS));
        }
        if program.is_restored(field) || program.is_reached_otherwise(field) {
            self.copies.push((UNKNOWN, place));
        }
        fields.insert(field, place);
        place
    }

    fn add(
        &mut self,
        program: &Program<'_>,
        id: BodyId,
        body: &Body,
        fields: &mut HashMap<FieldId, Place>,
    ) {
        let mut entry = vec![NOTHING; body.vars];
        let mut params = Vec::new();
        for param in &body.params {
            let place = match param {
                Some(var) => {
                    let place = self.place();
                    entry[usize::from(*var)] = place;
                    place
                }
                None => NOTHING,
            };
            params.push(place);
        }
        self.params.insert(id, params);
        let returned = self.place();
        self.returns.insert(id, returned);
        let mut flow = Values {
            before: vec![None; body.nodes.len()],
            phis: HashMap::new(),
            work: BTreeSet::from([0]),
        };
        prune(&mut entry, body.nodes[0].live);
        flow.before[0] = Some(entry);
        let mut defined: HashMap<NodeId, Place> = HashMap::new();
        while let Some(node) = flow.work.pop_first() {
            let Some(state) = flow.before[node as usize].clone() else { continue };
            let op = &body.nodes[node as usize];
            let mut after = state.clone();
            for var in op.clears.clone() {
                after[usize::from(var)] = NOTHING;
            }
            match &op.op {
                Op::Move(moves) => {
                    for (to, from) in moves {
                        after[usize::from(*to)] = match from {
                            Source::Var(from) => state[usize::from(*from)],
                            Source::Cast(from, _) => match state[usize::from(*from)] {
                                NOTHING => NOTHING,
                                _ => *defined.entry(node).or_insert_with(|| self.place()),
                            },
                            Source::Null | Source::Nothing => NOTHING,
                            Source::Constant => CONSTANT,
                            Source::Unknown(_) => UNKNOWN,
                        };
                    }
                }
                Op::New(to, _) => {
                    after[usize::from(*to)] = *defined.entry(node).or_insert_with(|| self.place());
                }
                Op::Load(to, field) => {
                    after[usize::from(*to)] = self.field(program, fields, *field);
                }
                Op::Call(call) => {
                    if let Some(to) = call.result {
                        after[usize::from(to)] =
                            *defined.entry(node).or_insert_with(|| self.place());
                    }
                }
                _ => {}
            }
            let mut thrown = state.clone();
            thrown[usize::from(body.stack)..body.vars].fill(NOTHING);
            if let Some(slot) = thrown.get_mut(usize::from(body.stack)) {
                *slot = THROWN;
            }
            for next in &op.next {
                flow.enter(self, *next, &after, body.nodes[*next as usize].live);
            }
            for next in &op.handlers {
                flow.enter(self, *next, &thrown, body.nodes[*next as usize].live);
            }
        }
        // Everything is where it will be: what happens at each node.
        for (index, op) in body.nodes.iter().enumerate() {
            let Some(state) = &flow.before[index] else { continue };
            let held = |var: u16| state[usize::from(var)];
            let here = || defined.get(&(index as NodeId)).copied().unwrap_or(NOTHING);
            match &op.op {
                Op::Move(moves) => {
                    for (_, from) in moves {
                        if let Source::Cast(from, class) = from
                            && held(*from) != NOTHING
                        {
                            self.casts.push((held(*from), here(), *class));
                        }
                    }
                }
                Op::New(_, class) => self.news.push((here(), *class)),
                Op::Store(var, field) => {
                    let to = self.field(program, fields, *field);
                    self.copy(held(*var), to);
                }
                Op::Leak(vars, _) => vars.iter().for_each(|var| self.copy(held(*var), ELEMENTS)),
                Op::Return(Some(var)) => self.copy(held(*var), returned),
                Op::Throw(var) => self.copy(held(*var), THROWN),
                Op::Call(call) => {
                    let args = call.args.iter().map(|arg| arg.map_or(NOTHING, held)).collect();
                    self.call_at.insert((id, op.offset), self.calls.len());
                    self.calls.push(CallAt {
                        target: call.target,
                        args,
                        result: if call.result.is_some() { here() } else { NOTHING },
                        dispatched: call.dispatched,
                        has_receiver: call.has_receiver,
                    });
                }
                Op::Load(..) | Op::Return(None) => {}
            }
        }
    }

    fn copy(&mut self, from: Place, to: Place) {
        if from != NOTHING && to != NOTHING && from != to {
            self.copies.push((from, to));
        }
    }
}

/// Which place each variable's value comes from, before each node.
struct Values {
    before: Vec<Option<Vec<Place>>>,
    /// Places where several values meet, by node and variable.
    phis: HashMap<(NodeId, usize), Place>,
    work: BTreeSet<NodeId>,
}

fn prune(state: &mut [Place], live: u64) {
    for (var, place) in state.iter_mut().enumerate().take(64) {
        if live >> var & 1 == 0 {
            *place = NOTHING;
        }
    }
}

impl Values {
    fn enter(&mut self, graph: &mut Graph, node: NodeId, from: &[Place], live: u64) {
        let mut state = from.to_vec();
        prune(&mut state, live);
        let Some(known) = &mut self.before[node as usize] else {
            self.before[node as usize] = Some(state);
            self.work.insert(node);
            return;
        };
        for (var, (old, new)) in known.iter_mut().zip(state).enumerate() {
            if *old == new || new == NOTHING {
                continue;
            }
            let phi = self.phis.get(&(node, var)).copied();
            match phi {
                _ if *old == NOTHING && phi.is_none() => {
                    *old = new;
                    self.work.insert(node);
                }
                Some(phi) => {
                    if *old != phi {
                        *old = phi;
                        self.work.insert(node);
                    }
                    if new != phi && !graph.copies.contains_recent(new, phi) {
                        graph.copies.push((new, phi));
                    }
                }
                None => {
                    let phi = graph.place();
                    self.phis.insert((node, var), phi);
                    graph.copies.push((*old, phi));
                    graph.copies.push((new, phi));
                    *old = phi;
                    self.work.insert(node);
                }
            }
        }
    }
}

/// The same edge is often found again at once.
trait Recent {
    fn contains_recent(&self, from: Place, to: Place) -> bool;
}

impl Recent for Vec<(Place, Place)> {
    fn contains_recent(&self, from: Place, to: Place) -> bool {
        self.iter().rev().take(8).any(|edge| *edge == (from, to))
    }
}

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Object {
    /// That `new`.
    New(u32),
    /// New, from that call of the JDK.
    Fresh(u32),
    /// A view of an object.
    View(u32, &'static str),
    /// The JDK made it.
    Library,
    /// Any object of a class that is with the elements, or the JDK's.
    Any(Option<ClassName>),
    /// A view of any object that the JDK was lent, or of its own.
    AnyView(&'static str),
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
}

struct Solver<'s, 'p, 'a> {
    world: &'s PropertyWorld<'p, 'a>,
    graph: &'s Graph,
    objects: Vec<Object>,
    ids: HashMap<Object, u32>,
    sets: Vec<BTreeSet<u32>>,
    edges: Vec<Vec<(Place, Option<ClassName>)>>,
    /// By receiver: where a view of it goes.
    views: HashMap<Place, Vec<(Place, &'static str)>>,
    work: VecDeque<(Place, u32)>,
    passing: HashMap<(u32, ClassName), Option<u32>>,
    /// By class: whether events may bind objects of it.
    relevant: HashMap<ClassName, bool>,
    /// Places that hold no object that an event may bind.
    idle: Vec<bool>,
    any: u32,
    lent: u32,
    /// Methods that the JDK may call.
    called: HashSet<BodyId>,
}

/// After so many steps there is no result.
const MAX_STEPS: usize = 8_000_000;

/// Where the arguments of all calls of a target meet, and what they return.
struct Hub {
    args: Vec<Place>,
    result: Place,
}

impl Points {
    /// Solves the graph of a program for the objects a property binds.
    pub fn of(world: &PropertyWorld<'_, '_>) -> Option<Points> {
        let graph = world.program.graph()?;
        let mut solver = Solver {
            world,
            graph: &graph,
            objects: Vec::new(),
            ids: HashMap::new(),
            sets: vec![BTreeSet::new(); graph.places as usize],
            edges: vec![Vec::new(); graph.places as usize],
            views: HashMap::new(),
            work: VecDeque::new(),
            passing: HashMap::new(),
            relevant: HashMap::new(),
            idle: vec![false; graph.places as usize],
            any: 0,
            lent: 0,
            called: HashSet::new(),
        };
        for (place, class) in &graph.types {
            // Nobody checks that what is passed as an interface implements it.
            let checked = !world.program.is_interface(*class);
            solver.idle[*place as usize] |= checked && !solver.is_relevant(*class);
        }
        solver.seed();
        solver.callbacks();
        solver.calls();
        solver.solve()?;
        let sets = solver.operands();
        Some(Points { graph, sets })
    }

    /// The objects an event of a call can bind; `None`: any.
    pub fn operand(&self, body: BodyId, offset: u32, term: Term) -> Option<Rc<Vec<ObjectId>>> {
        let call = &self.graph.calls[*self.graph.call_at.get(&(body, offset))?];
        let place = operand_place(call, term)?;
        self.sets.get(&place).filter(|set| !set.is_empty()).cloned()
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

impl Solver<'_, '_, '_> {
    fn object(&mut self, object: Object) -> u32 {
        if let Some(id) = self.ids.get(&object) {
            return *id;
        }
        self.objects.push(object);
        self.ids.insert(object, self.objects.len() as u32 - 1);
        self.objects.len() as u32 - 1
    }

    fn place(&mut self) -> Place {
        self.sets.push(BTreeSet::new());
        self.edges.push(Vec::new());
        self.idle.push(false);
        self.sets.len() as Place - 1
    }

    fn edge(&mut self, from: Place, to: Place, only: Option<ClassName>) {
        if to == ELEMENTS && Mistake::NothingBack.is_made() {
            return;
        }
        if from == NOTHING || to == NOTHING || self.idle[from as usize] || self.idle[to as usize] {
            return;
        }
        if only.is_none_or(|class| self.is_relevant(class)) {
            self.edges[from as usize].push((to, only));
        }
    }

    fn put(&mut self, place: Place, object: u32) {
        // What can be anything of the elements adds nothing to them.
        if place == ELEMENTS && matches!(self.objects[object as usize], Object::Any(_)) {
            return;
        }
        if place == NOTHING || self.idle[place as usize] {
            return;
        }
        // Any object at all includes any object of a class.
        let set = &self.sets[place as usize];
        let included = match self.objects[object as usize] {
            Object::Any(class) => {
                class.is_some() && set.contains(&self.any) || set.contains(&self.lent)
            }
            Object::Lent(Some(_)) => set.contains(&self.lent),
            Object::Lent(None) => place == LENT,
            _ => false,
        };
        if included {
            return;
        }
        if self.sets[place as usize].insert(object) {
            self.work.push_back((place, object));
        }
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
        let graph = self.graph;
        for (from, to) in &graph.copies {
            self.edge(*from, *to, None);
        }
        for (from, to, class) in &graph.casts {
            self.edge(*from, *to, Some(*class));
        }
        for (index, (place, class)) in graph.news.iter().enumerate() {
            if self.world.is_followed(*class) {
                let object = self.object(Object::New(index as u32));
                self.put(*place, object);
            }
        }
    }

    fn calls(&mut self) {
        let graph = self.graph;
        let program = self.world.program;
        let mut hubs: HashMap<u32, Hub> = HashMap::new();
        for (index, call) in graph.calls.iter().enumerate() {
            match program.target_of(call.target) {
                Target::Concat => {
                    call.args.iter().for_each(|arg| self.edge(*arg, LENT, None));
                    self.edge(CONSTANT, call.result, None);
                }
                Target::Lambda { .. } if Mistake::NoLambdas.is_made() => {}
                Target::Lambda { class, name, descriptor, kind } => {
                    self.lambda(call, &class, &name, &descriptor, kind);
                    self.edge(CONSTANT, call.result, None);
                }
                Target::Dynamic => {
                    call.args.iter().for_each(|arg| self.edge(*arg, ELEMENTS, None));
                    self.edge(UNKNOWN, call.result, None);
                }
                Target::Method { .. } => {
                    let known = call_of(call.target, call.args.len(), call.dispatched);
                    let targets = self.world.targets(&known, None);
                    let hub = hubs.entry(call.target).or_insert_with(|| self.hub(call, &targets));
                    let (args, result) = (hub.args.clone(), hub.result);
                    for (arg, to) in call.args.iter().zip(args) {
                        self.edge(*arg, to, None);
                    }
                    self.edge(result, call.result, None);
                    let Some(library) = targets.library else { continue };
                    // Every view of an object is known by the object, however it was obtained.
                    let returns = library.view.map_or(library.returns, Returns::View);
                    match returns {
                        Returns::Unknown => self.edge(UNKNOWN, call.result, None),
                        Returns::Fresh(_) if call.result != NOTHING => {
                            let object = self.object(Object::Fresh(index as u32));
                            self.put(call.result, object);
                        }
                        Returns::Fresh(_) => {}
                        Returns::Argument(arg) => {
                            let from = call.args.get(arg).copied().unwrap_or(UNKNOWN);
                            self.edge(from, call.result, None);
                        }
                        Returns::View(name) => match call.args.first() {
                            Some(receiver) if *receiver != NOTHING && call.result != NOTHING => {
                                self.views.entry(*receiver).or_default().push((call.result, name));
                            }
                            _ => self.edge(UNKNOWN, call.result, None),
                        },
                    }
                }
            }
        }
    }

    fn hub(&mut self, call: &CallAt, targets: &crate::world::Targets) -> Hub {
        let args: Vec<Place> = call.args.iter().map(|_| self.place()).collect();
        let result = self.place();
        if targets.unknown {
            args.iter().for_each(|arg| self.edge(*arg, ELEMENTS, None));
            self.edge(UNKNOWN, result, None);
        }
        if let Some(library) = &targets.library {
            for (index, arg) in args.iter().enumerate() {
                self.edge(*arg, LENT, None);
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
        Hub { args, result }
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
    fn lambda(&mut self, call: &CallAt, class: &str, name: &str, descriptor: &str, kind: u8) {
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
        let targets = self.world.targets(&call_of(target, count, dispatched), None);
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
        let hub = self.hub(&made, &targets);
        for (arg, to) in args.iter().zip(&hub.args) {
            self.edge(*arg, *to, None);
        }
        self.edge(hub.result, ELEMENTS, None);
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
                (_, None) => continue,
                // The JDK may make the object, by name.
                ("<init>", Some(this)) => self.edge(CONSTANT, this, None),
                // The VM calls it for every object.
                ("finalize", Some(this)) => {
                    let class = program.class_of(id);
                    for (place, _) in &self.graph.news {
                        self.edge(*place, this, Some(class));
                    }
                }
                _ => {}
            }
            let restoring = SERIALISING.contains(&key.0.as_str());
            let known = restoring || called.contains(&key);
            if method.has_access(access::STATIC) || !known {
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

    /// Whether events may bind objects of a class or one below it.
    fn is_relevant(&mut self, class: ClassName) -> bool {
        if let Some(known) = self.relevant.get(&class) {
            return *known;
        }
        let program = self.world.program;
        let name = program.class_name(class);
        let bound = &self.world.bound;
        let relevant = match program.is_own_class(&name) && !program.is_interface(class) {
            true => program.below(&name).iter().any(|below| {
                bound.iter().any(|bound| program.is_subtype(below, bound) != Some(false))
            }),
            false => bound.iter().any(|bound| program.may_share(&name, bound)),
        };
        self.relevant.insert(class, relevant);
        relevant
    }

    /// Puts objects wherever they go; `None` if that takes too long.
    fn solve(&mut self) -> Option<()> {
        let mut steps = 0;
        while let Some((place, object)) = self.work.pop_front() {
            steps += 1 + self.edges[place as usize].len();
            if steps > MAX_STEPS {
                return None;
            }
            for index in 0..self.edges[place as usize].len() {
                let (to, only) = self.edges[place as usize][index];
                let passed = match only {
                    None => Some(object),
                    Some(class) => self.passed(object, class),
                };
                if let Some(object) = passed {
                    self.put(to, object);
                }
            }
            if let Some(views) = self.views.get(&place).cloned() {
                for (to, name) in views {
                    let view = match self.objects[object as usize] {
                        Object::Library => Object::Library,
                        Object::Any(_) | Object::AnyView(_) | Object::Lent(_) => {
                            Object::AnyView(name)
                        }
                        _ => Object::View(object, name),
                    };
                    let view = self.object(view);
                    self.put(to, view);
                }
            }
        }
        Some(())
    }

    /// What an object is where only objects of a class can be; `None` if it cannot.
    fn passed(&mut self, object: u32, class: ClassName) -> Option<u32> {
        if let Some(known) = self.passing.get(&(object, class)) {
            return *known;
        }
        let program = self.world.program;
        let name = program.class_name(class);
        let passed = match self.objects[object as usize] {
            _ if name.starts_with('[') => Some(object),
            Object::Library => Some(object),
            Object::New(index) => {
                let own = program.class_name(self.graph.news[index as usize].1);
                (program.is_subtype(&own, &name) != Some(false)).then_some(object)
            }
            // Objects the JDK made are of its classes, unless they are copies.
            Object::Fresh(_) | Object::View(..) | Object::AnyView(_) => {
                let copy = matches!(self.objects[object as usize], Object::Fresh(call)
                    if self.world.is_copy(self.graph.calls[call as usize].target));
                (copy || !program.is_own_class(&name)).then_some(object)
            }
            Object::Any(Some(known))
                if program.is_subtype(&program.class_name(known), &name) == Some(true) =>
            {
                Some(object)
            }
            Object::Any(_) => Some(self.object(Object::Any(Some(class)))),
            Object::Lent(_) => Some(self.object(Object::Lent(Some(class)))),
        };
        self.passing.insert((object, class), passed);
        passed
    }

    /// The objects of every place an event may bind. Objects that are with the elements count as
    /// one if they are of one class.
    fn operands(&mut self) -> HashMap<Place, Rc<Vec<ObjectId>>> {
        let lent: Vec<u32> = self.sets[LENT as usize].iter().copied().collect();
        let mut elements: Vec<u32> = self.sets[ELEMENTS as usize].iter().copied().collect();
        // What the JDK was lent may have been given to it for good by a method it called.
        for given in elements.clone() {
            if let Object::Lent(class) = self.objects[given as usize] {
                for object in &lent {
                    if class.is_none_or(|class| self.passed(*object, class).is_some()) {
                        elements.push(*object);
                    }
                }
            }
        }
        elements.sort_unstable();
        elements.dedup();
        let mut group: HashMap<u32, u32> = HashMap::new();
        let mut leaders: HashMap<ClassName, u32> = HashMap::new();
        for object in &elements {
            if let Object::New(index) = self.objects[*object as usize] {
                let class = self.graph.news[index as usize].1;
                group.insert(*object, *leaders.entry(class).or_insert(*object));
            }
        }
        let library = self.object(Object::Library);
        let kept: HashSet<u32> = elements.iter().chain(&lent).copied().collect();
        // A view of a group is one view.
        let mut view_leaders: HashMap<(u32, &'static str), u32> = HashMap::new();
        for object in 0..self.objects.len() as u32 {
            if let Object::View(of, name) = self.objects[object as usize] {
                let of = group.get(&of).copied().unwrap_or(of);
                let leader = *view_leaders.entry((of, name)).or_insert(object);
                group.insert(object, leader);
            }
        }
        let mut expanded: HashMap<u32, Rc<Vec<u32>>> = HashMap::new();
        for object in 0..self.objects.len() as u32 {
            let mut all = BTreeSet::from([library]);
            match self.objects[object as usize] {
                Object::Any(class) | Object::Lent(class) => {
                    let of_lent = matches!(self.objects[object as usize], Object::Lent(_));
                    let more = if of_lent { lent.as_slice() } else { &[] };
                    for element in elements.iter().chain(more) {
                        let passes = match class {
                            None => true,
                            Some(class) => self.passed(*element, class).is_some(),
                        };
                        let real = !matches!(
                            self.objects[*element as usize],
                            Object::Any(_) | Object::AnyView(_) | Object::Lent(_)
                        );
                        if passes && real {
                            all.insert(group.get(element).copied().unwrap_or(*element));
                        }
                    }
                    // Views of the elements, if they were given to the JDK as well.
                    for other in elements.iter().chain(more) {
                        if matches!(self.objects[*other as usize], Object::AnyView(_)) {
                            all.extend(self.views_of(&kept, None, &group));
                        }
                    }
                }
                Object::AnyView(name) => {
                    all.extend(self.views_of(&kept, Some(name), &group));
                }
                _ => continue,
            }
            expanded.insert(object, Rc::new(all.into_iter().collect()));
        }
        let mut sets: HashMap<Place, Rc<Vec<u32>>> = HashMap::new();
        for (body, found) in self
            .world
            .sites
            .iter()
            .flat_map(|(b, all)| all.iter().map(move |(_, found)| (*b, found)))
        {
            let Some(call) = self.graph.call_at.get(&(body, found.offset)) else { continue };
            let call = &self.graph.calls[*call];
            for place in found.terms.iter().filter_map(|term| operand_place(call, *term)) {
                if sets.contains_key(&place) {
                    continue;
                }
                let mut all = BTreeSet::new();
                for object in &self.sets[place as usize] {
                    match expanded.get(object) {
                        Some(many) => all.extend(many.iter().copied()),
                        None => {
                            all.insert(group.get(object).copied().unwrap_or(*object));
                        }
                    }
                }
                sets.insert(place, Rc::new(all.into_iter().collect()));
            }
        }
        sets
    }

    /// Views of objects that are with the elements.
    fn views_of(
        &self,
        kept: &HashSet<u32>,
        wanted: Option<&'static str>,
        group: &HashMap<u32, u32>,
    ) -> Vec<u32> {
        let mut all = Vec::new();
        for (object, info) in self.objects.iter().enumerate() {
            if let Object::View(of, name) = info
                && wanted.is_none_or(|wanted| wanted == *name)
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
    fn called_back(&self) -> HashSet<(String, String)> {
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

    /// Whether a field may be written without an instruction that names it: its class uses means
    /// of the JDK for that.
    fn is_reached_otherwise(&self, field: FieldId) -> bool {
        const MEANS: [&str; 3] = [
            "java/util/concurrent/atomic/AtomicReferenceFieldUpdater",
            "java/lang/invoke/VarHandle",
            "sun/misc/Unsafe",
        ];
        let Some(class) = self.class_with_field(field) else { return true };
        (1..class.pool().count()).any(|index| {
            matches!(class.pool().constant(index), Ok(Constant::Class { .. }))
                && class.pool().class_name(index).is_ok_and(|n| MEANS.iter().any(|m| n == *m))
        })
    }
}
