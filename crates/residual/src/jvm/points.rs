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

mod answering;
mod building;
mod components;
mod contents;
mod graph;
mod solving;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use self::building::factories;
use self::contents::Holds;
use self::graph::CallAt;
pub use self::graph::Graph;
use self::solving::{Network, Passing};
use super::bits::Bits;
use super::lower::Target;
use super::program::Program;
use super::property::PropertyWorld;
use super::select::Term;
use crate::body::{BodyId, Call, ClassName, FieldId};
use crate::flow::Classes;
use crate::hash::{FastMap, FastSet};
use crate::world::Receiver;

/// A place that holds references.
type Place = u32;

const NOTHING: Place = u32::MAX;
/// Objects that the JDK keeps, and that any code may get.
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
/// Collections whose contents any code may read and change.
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
    /// The same, made by that call: a part of a collection, or a wrapper.
    Part(u32),
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
    objects: Vec<Object>,
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

/// Solves the graph of a program: builds a network of places, lets objects go wherever it leads, and
/// answers.
struct Solver<'s, 'p, 'a> {
    world: &'s PropertyWorld<'p, 'a>,
    graph: &'s Graph,
    origins: Origins,
    net: Network,
    passing: FastMap<ClassName, Passing>,
    known: Known<'s>,
}

/// The objects there are.
#[derive(Default)]
struct Origins {
    objects: Vec<Object>,
    ids: HashMap<Object, u32>,
    any: u32,
    lent: u32,
    /// All `Any` and all `Lent` objects, and those of one class only.
    symbols: [Bits; 4],
    /// Objects that views or iterators were made of.
    derived: Bits,
    /// By object of a factory: what its callers call it.
    renamed: FastMap<u32, Vec<u32>>,
    /// By object: what it holds.
    held: FastMap<u32, Holds>,
}

/// What is known of methods and calls.
struct Known<'s> {
    /// Methods that the JDK may call.
    called: HashSet<BodyId>,
    /// What methods return that reflection may call.
    reflected: Place,
    /// Methods that return a new object that no other code has, and its classes.
    factories: &'s HashMap<BodyId, Classes>,
    /// By call of a factory: the classes of what it returns.
    made: HashMap<u32, Classes>,
    /// By call that makes a lambda: what its method is given.
    referred: HashMap<usize, Referred>,
    /// Calls that return an iterator over what their receiver holds.
    iterating: FastSet<u32>,
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
        let referred = solver.known.referred.into_iter().map(|(call, referred)| {
            let same = |place: &Place| match *place {
                NOTHING => NOTHING,
                place => solver.net.same[place as usize],
            };
            let args = referred.args.iter().map(same).collect();
            (offsets[&call], Referred { args, ..referred })
        });
        let referred = referred.collect();
        let objects = solver.origins.objects;
        Some(Points { graph: graph.clone(), objects, sets, referred, receivers, own })
    }

    /// Where an object comes from, in words.
    pub fn describe(&self, program: &Program<'_>, object: ObjectId) -> String {
        let called = |call: u32| {
            let target = self.graph.calls[call as usize].target;
            match &*program.symbols.targets.get(target) {
                Target::Method { class, name, .. } => {
                    format!("{}.{name}", class.replace(['/', '$'], "."))
                }
                _ => "a dynamic call".to_owned(),
            }
        };
        match self.objects[object as usize] {
            Object::New(index) => {
                let class = program.types.class_name(self.graph.news[index as usize].1);
                format!("a new {}", class.replace(['/', '$'], "."))
            }
            Object::Fresh(call) | Object::Part(call) => format!("a result of {}", called(call)),
            Object::View(of, name) => format!("{name}() of {}", self.describe(program, of)),
            Object::Entry(of) => format!("an entry of {}", self.describe(program, of)),
            _ => "an object of the JDK, or of unknown origin".to_owned(),
        }
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
        let mut solver = Solver {
            world,
            graph,
            origins: Origins::default(),
            net: Network::new(graph.places),
            passing: FastMap::default(),
            known: Known {
                called: HashSet::new(),
                reflected: NOTHING,
                factories,
                made: HashMap::new(),
                referred: HashMap::new(),
                iterating: FastSet::default(),
            },
        };
        for (place, class) in &graph.types {
            // The JVM does not check that an object passed as an interface implements it.
            let checked = !world.program.types.is_interface(*class);
            solver.net.idle[*place as usize] |= checked && !world.matters(*class);
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
