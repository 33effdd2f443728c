//! Tracks objects: which objects variables may hold, and which objects may have left the method.
//!
//! This is a forward analysis over one body, including exceptional edges. An *origin* is a place in
//! the body that creates objects: `new`, a call that returns a new object, or a view of such an
//! object. For every origin, two kinds of objects are distinguished: the most *recent* one, which
//! is a single object, and all *old* ones, about which nothing is assumed. A value from elsewhere
//! (parameters, fields, array elements, results, caught exceptions) is unknown. If the analysis
//! does not understand an operation, the result is unknown and the arguments leave the method: the
//! analysis fails closed.
//!
//! The effects of calls are in summaries of the methods that they may run. A summary is computed
//! when it is needed, and computed again until none changes. At first, a method counts as one that
//! does nothing, also inside a recursion. When its summary changes, all methods that used it are
//! analysed again.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::body::{Body, BodyId, Call, ClassName, FieldId, Node, NodeId, Op, Operand, Source, Var};
use crate::hash::FastMap;
use crate::machine::Letters;
use crate::mistake::Mistake;
use crate::world::{Receiver, Returns, Runs, World};

/// What a variable may hold, as bits: see [`UNKNOWN`], [`NULL`], [`param_bit`], [`confined_bit`],
/// [`recent_bit`], [`old_bit`].
pub type Objects = u128;

/// Any object that was not created in this call of the method.
pub const UNKNOWN: Objects = 1;
/// `null`.
pub const NULL: Objects = 2;
const PARAM_BASE: usize = 2;
const MAX_PARAMS: usize = 16;
const CONFINED_BASE: usize = PARAM_BASE + MAX_PARAMS;
const MAX_CONFINED: usize = 16;
const ORIGIN_BASE: usize = CONFINED_BASE + MAX_CONFINED;
/// The number of origins of one body that are distinguished; objects of further origins are
/// unknown.
pub const MAX_ORIGINS: usize = (128 - ORIGIN_BASE) / 2;

/// The value of an argument on entry.
pub const fn param_bit(param: usize) -> Objects {
    1 << (PARAM_BASE + param)
}
/// The contents of a confined field of this body.
pub const fn confined_bit(field: usize) -> Objects {
    1 << (CONFINED_BASE + field)
}
/// The most recent object of an origin.
pub const fn recent_bit(origin: usize) -> Objects {
    1 << (ORIGIN_BASE + 2 * origin)
}
/// The older objects of an origin.
pub const fn old_bit(origin: usize) -> Objects {
    2 << (ORIGIN_BASE + 2 * origin)
}

/// Every object that exists independently of this call of the method.
pub const OUTSIDE: Objects = (1 << ORIGIN_BASE) - 1 - NULL;

/// The origins whose recent object is in a set.
pub fn recents(objects: Objects) -> impl Iterator<Item = usize> {
    let mut left = objects & RECENTS;
    std::iter::from_fn(move || {
        let bit = left.trailing_zeros() as usize;
        left &= left.checked_sub(1)?;
        Some((bit - ORIGIN_BASE) / 2)
    })
}

/// The recent objects of all origins.
const RECENTS: Objects = {
    let mut all = 0;
    let mut origin = 0;
    while origin < MAX_ORIGINS {
        all |= recent_bit(origin);
        origin += 1;
    }
    all
};

/// A place that creates objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OriginKey {
    /// The `new` or the call at this node.
    Node(NodeId),
    /// The view with that name of the objects of another origin; views are created together with
    /// their objects.
    View(usize, &'static str),
}

const MAX_CLASSES: usize = 8;

/// The classes that an object can have: a few, or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes {
    /// Distinct and ascending; only the first `count` are valid.
    list: [ClassName; MAX_CLASSES],
    /// The value of `count` for more classes than fit: any class.
    count: usize,
}

impl Classes {
    /// Any class.
    pub const ANY: Classes = Classes { list: [ClassName(0); MAX_CLASSES], count: usize::MAX };

    /// One class, or any.
    pub fn of(class: Option<ClassName>) -> Classes {
        match class {
            Some(class) => {
                let mut list = [ClassName(0); MAX_CLASSES];
                list[0] = class;
                Classes { list, count: 1 }
            }
            None => Classes::ANY,
        }
    }

    /// The classes; `None` for any class.
    pub fn known(&self) -> Option<&[ClassName]> {
        self.list.get(..self.count)
    }

    /// The union of two sets of classes.
    pub fn or(self, other: Classes) -> Classes {
        let (Some(one), Some(two)) = (self.known(), other.known()) else { return Classes::ANY };
        let mut all = [one, two].concat();
        all.sort_unstable();
        all.dedup();
        let mut list = [ClassName(0); MAX_CLASSES];
        match list.get_mut(..all.len()) {
            Some(room) => room.copy_from_slice(&all),
            None => return Classes::ANY,
        }
        Classes { list, count: all.len() }
    }

    fn all(&self, holds: impl Fn(ClassName) -> bool) -> bool {
        self.known().is_some_and(|list| list.iter().all(|class| holds(*class)))
    }
}

/// Knowledge about an origin.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The origin.
    pub key: OriginKey,
    /// The classes that its objects can have.
    pub classes: Classes,
    /// Events of which its objects may have been part before this body gets them.
    pub history: Letters,
}

/// The state before a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// By variable.
    pub vars: Vec<Objects>,
    /// By variable: the node that made it unknown, plus one; 0 if none did.
    pub why: Vec<u32>,
    /// Origins whose recent object may have left the method, as bits.
    pub escaped: u64,
}

impl State {
    /// Copies another state into this one, reusing its memory.
    fn become_(&mut self, other: &State) {
        self.vars.clone_from(&other.vars);
        self.why.clone_from(&other.why);
        self.escaped = other.escaped;
    }

    /// Joins the values of live variables of another state into this one.
    fn join(&mut self, other: &State, live: u64) -> bool {
        let mut changed = false;
        for (var, (one, two)) in self.vars.iter_mut().zip(&other.vars).enumerate() {
            if var < 64 && live >> var & 1 == 0 {
                continue;
            }
            changed |= *one | two != *one;
            *one |= two;
        }
        for (one, two) in self.why.iter_mut().zip(&other.why) {
            if *one == 0 && *two != 0 {
                *one = *two;
                changed = true;
            }
        }
        changed |= self.escaped | other.escaped != self.escaped;
        self.escaped |= other.escaped;
        changed
    }

    /// Forgets variables that are not read any more.
    pub fn keep_live(&mut self, live: u64) {
        for (var, objects) in self.vars.iter_mut().enumerate().take(64) {
            if live >> var & 1 == 0 {
                *objects = 0;
            }
        }
    }

    fn age(&mut self, origin: usize) {
        if Mistake::NoRecency.is_made() {
            return;
        }
        for objects in &mut self.vars {
            if *objects & recent_bit(origin) != 0 {
                *objects = *objects & !recent_bit(origin) | old_bit(origin);
            }
        }
        self.escaped &= !(1 << origin);
    }
}

/// The effect of a call on its arguments, and its result.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// By argument: whether the call keeps it.
    pub keeps: Vec<bool>,
    /// By argument: whether library code may call its methods.
    pub calls: Vec<bool>,
    /// By argument: events of which it may be part.
    pub emits: Vec<Letters>,
    /// The possible results, except a new object.
    pub result: Objects,
    /// The origin of the result, if it is a new object.
    pub fresh: Option<usize>,
    /// Events that the call may raise for objects that it did not receive.
    pub stirs: Letters,
    /// The method that makes the result unknown, if one does.
    pub blame: Option<BodyId>,
}

/// The effects of the calls of a body, by node.
#[derive(Clone, Debug, Default)]
pub struct Effects(Vec<Option<Box<Effect>>>);

impl Effects {
    /// The effect of the call at a node.
    pub fn get(&self, node: &NodeId) -> Option<&Effect> {
        self.0.get(*node as usize).and_then(Option::as_deref)
    }
}

/// The summary of a method for its callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// By argument, receiver first.
    pub args: Vec<ArgSummary>,
    /// The result.
    pub returns: Returned,
    /// The bodies whose sites raise the events of this summary, by hash: a body whose bit is not
    /// set raises none of them.
    pub emitters: Bodies,
    /// Events that the method may raise for objects that it did not receive, or that it created and
    /// gave away.
    pub stirs: Letters,
}

impl Summary {
    /// The summary of a method that does nothing and never returns.
    fn nothing(body: &Body) -> Summary {
        Summary {
            args: vec![ArgSummary::default(); body.params.len()],
            returns: Returned::Never,
            emitters: [0; 4],
            stirs: 0,
        }
    }

    /// Whether the summary contains events.
    fn emits(&self) -> bool {
        let past = matches!(self.returns, Returned::Fresh(_, history) if history != 0);
        past || self.args.iter().any(|arg| arg.emits != 0)
    }

    /// The union of two summaries.
    fn or(&self, other: &Summary) -> Summary {
        let both = |(one, two): (&ArgSummary, &ArgSummary)| ArgSummary {
            keeps: one.keeps | two.keeps,
            calls: one.calls | two.calls,
            emits: one.emits | two.emits,
        };
        let mut emitters = self.emitters;
        join(&mut emitters, &other.emitters);
        let mut args: Vec<ArgSummary> = self.args.iter().zip(&other.args).map(both).collect();
        let mut stirs = self.stirs | other.stirs;
        let returns = self.returns.or(&other.returns);
        // Where the result may be anything, what was known of it is somewhere else.
        if returns == Returned::Unknown {
            for known in [&self.returns, &other.returns] {
                match known {
                    Returned::Argument(index) => args[*index].keeps = true,
                    Returned::Fresh(_, history) => stirs |= history,
                    _ => {}
                }
            }
        }
        Summary { args, returns, emitters, stirs }
    }
}

/// A set of bodies by hash.
pub type Bodies = [u64; 4];

fn body_bit(id: BodyId) -> (usize, u64) {
    let hash = id.0.wrapping_mul(0x9e37_79b1) >> 24;
    ((hash >> 6) as usize & 3, 1 << (hash & 63))
}

fn join(mine: &mut Bodies, theirs: &Bodies) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine |= theirs;
    }
}

/// The effect of a method on an argument.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArgSummary {
    /// The method may keep it beyond the call.
    pub keeps: bool,
    /// The method passes it to library code that may call its methods.
    pub calls: bool,
    /// Events of which it may be part.
    pub emits: Letters,
}

/// The result of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Returned {
    /// The method does not return.
    Never,
    /// No reference, or null.
    Nothing,
    /// Any value.
    Unknown,
    /// A new object that no other code can reach.
    Fresh(Classes, Letters),
    /// The argument with this number, or `null`.
    Argument(usize),
}

impl Returned {
    fn or(&self, other: &Returned) -> Returned {
        match (self, other) {
            (one, two) if one == two => one.clone(),
            (Returned::Never, one) | (one, Returned::Never) => one.clone(),
            (Returned::Nothing, one @ Returned::Argument(_))
            | (one @ Returned::Argument(_), Returned::Nothing) => one.clone(),
            (Returned::Fresh(one, past), Returned::Fresh(two, other_past)) => {
                Returned::Fresh(one.or(*two), past | other_past)
            }
            _ => Returned::Unknown,
        }
    }
}

impl Flow {
    /// Events that may happen at a node to objects that the method shares with others, if there is
    /// only one thread.
    pub fn stirs(&self, body: &Body, node: NodeId) -> Letters {
        let node_of = &body.nodes[node as usize];
        let first = if node_of.initialises { self.initial } else { 0 };
        let call = match (&node_of.op, self.effects.get(&node)) {
            // Objects whose events involve an argument may also be outside.
            (_, Some(effect)) => {
                effect.emits.iter().fold(effect.stirs, |set, letters| set | letters)
            }
            (Op::Call(_), None) => !0,
            _ => 0,
        };
        first | call
    }
}

/// The result of analysing one body.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The state before each node, without dead variables; `None` if the node is not reached.
    pub before: Vec<Option<State>>,
    /// The origins: places that create objects.
    pub origins: Vec<Origin>,
    /// The confined fields that the body reads.
    pub confined: Vec<FieldId>,
    /// Recent objects of library classes. Library code that calls their methods runs no code of the
    /// program.
    pub library: Objects,
    /// By node: the effect of its call.
    pub effects: Effects,
    /// By origin: where its object may leave the method first, and how.
    pub leaks: Vec<Option<(NodeId, String)>>,
    /// By origin: every node where one of its objects, recent or old, may leave.
    pub leak_nodes: Vec<Vec<NodeId>>,
    /// By confined field that is read here: where its contents may leave.
    pub confined_leaks: Vec<Option<(NodeId, String)>>,
    /// The fields that the body writes, with the values.
    pub stores: Vec<(FieldId, NodeId, Objects)>,
    /// The summary for callers.
    pub summary: Summary,
    /// Events that class initialisers may raise.
    pub initial: Letters,
}

/// Analyses the method bodies of a `World`, and computes summaries on demand.
pub struct Flows<'w, W: World> {
    world: &'w W,
    /// Whether the calls that raise events of shared objects must be known.
    alone: bool,
    /// By [`Runs::EACH`]: events that library code may raise if it runs this part of the program.
    hooks: Cell<[Letters; Runs::EACH.len()]>,
    known: RefCell<FastMap<BodyId, Known>>,
    /// Methods whose summaries may be outdated.
    stale: RefCell<Vec<BodyId>>,
    /// The number of summaries that are being computed, one inside the other.
    depth: Cell<usize>,
    /// The number of changes of summaries.
    changes: Cell<usize>,
    /// Whether calls of methods without a summary are unknown, instead of being analysed.
    closed: Cell<bool>,
}

/// Present knowledge about a method.
struct Known {
    /// `None`: the method cannot be analysed.
    summary: Option<Rc<Summary>>,
    /// Methods whose summaries depend on this one.
    users: BTreeSet<BodyId>,
    /// The number of times that it was computed.
    rounds: usize,
    /// Whether it is in [`Flows::stale`].
    stale: bool,
}

/// Larger bodies are not analysed.
const MAX_NODES: usize = 20_000;
const MAX_BODIES: usize = 64;
const MAX_DEPTH: usize = 40;
const MAX_ROUNDS: usize = 240;
/// Summaries that change more often than this become unknown.
const MAX_CHANGES: usize = 60;
/// The number of passes over a body until its origins are known.
const MAX_PASSES: usize = 12;

impl<'w, W: World> Flows<'w, W> {
    /// An analysis of the method bodies of a `World`.
    pub fn new(world: &'w W) -> Self {
        let flows = Flows { alone: true, ..Flows::of_threads(world) };
        flows.find_hooks();
        flows
    }

    /// The same, without the calls that raise events of shared objects. Only calls that receive or
    /// return a tracked object are analysed.
    pub fn of_threads(world: &'w W) -> Self {
        Flows {
            world,
            alone: false,
            hooks: Cell::default(),
            known: RefCell::default(),
            stale: RefCell::default(),
            depth: Cell::new(0),
            changes: Cell::new(0),
            closed: Cell::new(false),
        }
    }

    /// Code that the library may run raises events, and the methods that it calls may be library
    /// code.
    fn find_hooks(&self) {
        loop {
            let before = self.hooks.get();
            let mut now = before;
            for (letters, of) in now.iter_mut().zip(Runs::EACH) {
                *letters = match self.world.hooks(of) {
                    None => !0,
                    Some(bodies) => bodies.into_iter().fold(*letters, |set, body| {
                        // It may rest on methods that were not followed to their end.
                        self.summary(body, body);
                        self.settle();
                        let summary = self.summary(body, body);
                        let emits = |summary: Rc<Summary>| {
                            summary.args.iter().fold(summary.stirs, |set, arg| set | arg.emits)
                        };
                        set | summary.map_or(!0, emits)
                    }),
                };
            }
            if now == before {
                return;
            }
            self.hooks.set(now);
            self.known.borrow_mut().clear();
            self.stale.borrow_mut().clear();
        }
    }

    /// Events that may be raised where library code runs parts of the program.
    fn raised(&self, runs: Runs) -> Letters {
        if runs == Runs::ANYTHING {
            return !0;
        }
        let each = Runs::EACH.into_iter().zip(self.hooks.get());
        each.filter(|(of, _)| runs.has(*of)).fold(0, |set, (_, letters)| set | letters)
    }

    /// The classes that are analysed.
    pub fn world(&self) -> &'w W {
        self.world
    }

    /// The present knowledge about a method, for the analysis of another one.
    fn summary(&self, id: BodyId, user: BodyId) -> Option<Rc<Summary>> {
        if let Some(known) = self.known.borrow_mut().get_mut(&id) {
            known.users.insert(user);
            return known.summary.clone();
        }
        if self.closed.get() {
            return None;
        }
        let body = self.world.body(id).filter(|body| is_small(body));
        let summary = body.map(|body| Rc::new(Summary::nothing(&body)));
        let later = summary.is_some() && self.depth.get() >= MAX_DEPTH;
        let known = Known {
            summary: summary.clone(),
            users: BTreeSet::from([user]),
            rounds: 0,
            stale: later,
        };
        self.known.borrow_mut().insert(id, known);
        summary.as_ref()?;
        if later {
            self.stale.borrow_mut().push(id);
            return summary;
        }
        self.make(id);
        self.known.borrow().get(&id).and_then(|known| known.summary.clone())
    }

    /// The classes of a method's result, if it is a new object that is not part of any event. Of
    /// the called methods, only those for which this is already known are considered.
    pub fn factory(&self, id: BodyId) -> Option<Classes> {
        let body = self.world.body(id).filter(|body| is_small(body))?;
        self.closed.set(true);
        let flow = self.run(id, &body, None);
        self.closed.set(false);
        let summary = flow?.summary;
        let Returned::Fresh(classes, 0) = summary.returns else { return None };
        let known = Known {
            summary: Some(Rc::new(summary)),
            users: BTreeSet::new(),
            rounds: 0,
            stale: false,
        };
        self.known.borrow_mut().insert(id, known);
        Some(classes)
    }

    /// Computes a summary, for the first time or again.
    fn make(&self, id: BodyId) {
        let Some(body) = self.world.body(id) else { return };
        let rounds = {
            let mut all = self.known.borrow_mut();
            let Some(known) = all.get_mut(&id).filter(|known| known.summary.is_some()) else {
                return;
            };
            known.rounds += 1;
            known.rounds
        };
        self.depth.set(self.depth.get() + 1);
        let flow = match rounds <= MAX_CHANGES {
            true => self.run(id, &body, None),
            false => None,
        };
        self.depth.set(self.depth.get() - 1);
        let mut all = self.known.borrow_mut();
        let Some(known) = all.get_mut(&id) else { return };
        let next = known.summary.as_ref().zip(flow).map(|(old, flow)| old.or(&flow.summary));
        if known.summary.as_deref() == next.as_ref() {
            return;
        }
        known.summary = next.map(Rc::new);
        self.changes.set(self.changes.get() + 1);
        let users: Vec<BodyId> = known.users.iter().copied().collect();
        let mut stale = self.stale.borrow_mut();
        for user in users {
            if let Some(known) = all.get_mut(&user)
                && !std::mem::replace(&mut known.stale, true)
            {
                stale.push(user);
            }
        }
    }

    /// Computes summaries until none is outdated.
    fn settle(&self) {
        loop {
            let Some(id) = self.stale.borrow_mut().pop() else { return };
            if let Some(known) = self.known.borrow_mut().get_mut(&id) {
                known.stale = false;
            }
            self.make(id);
        }
    }

    /// The analysis of a method. Calls that may lead back to its own sites are not analysed.
    pub fn of(&self, id: BodyId, body: &Body) -> Option<Flow> {
        if !is_small(body) {
            return None;
        }
        loop {
            let changes = self.changes.get();
            let flow = self.run(id, body, Some(id));
            if self.stale.borrow().is_empty() && self.changes.get() == changes {
                return flow;
            }
            self.settle();
        }
    }

    fn run(&self, id: BodyId, body: &Body, root: Option<BodyId>) -> Option<Flow> {
        let mut run = Run {
            flows: self,
            id,
            body,
            root,
            emitters: [0; 4],
            origins: Vec::new(),
            ids: FastMap::default(),
            confined: Vec::new(),
            before: Vec::new(),
            revised: true,
        };
        let mut passes = 0;
        // Knowledge about an origin, including its views, is needed wherever its objects go.
        while run.revised {
            run.revised = false;
            passes += 1;
            if passes > MAX_PASSES {
                return None;
            }
            run.before = vec![None; body.nodes.len()];
            run.fixpoint()?;
        }
        Some(run.finish())
    }
}

fn is_small(body: &Body) -> bool {
    !body.nodes.is_empty() && body.nodes.len() <= MAX_NODES
}

struct Run<'r, 'w, W: World> {
    flows: &'r Flows<'w, W>,
    id: BodyId,
    body: &'r Body,
    /// The body for which a certificate is searched: calls that lead back to it are not analysed.
    root: Option<BodyId>,
    emitters: Bodies,
    origins: Vec<Origin>,
    ids: FastMap<OriginKey, usize>,
    confined: Vec<FieldId>,
    before: Vec<Option<State>>,
    /// Whether new knowledge about an origin may affect nodes that were analysed before.
    revised: bool,
}

/// The states after a node.
#[derive(Default)]
struct After {
    normal: State,
    /// Only if there are handlers.
    thrown: State,
}

impl<W: World> Run<'_, '_, W> {
    fn fixpoint(&mut self) -> Option<()> {
        let body = self.body;
        let mut entry = State { vars: vec![0; body.vars], why: vec![0; body.vars], escaped: 0 };
        for (index, var) in body.params.iter().enumerate() {
            if let Some(var) = var.filter(|_| !Mistake::NoParameters.is_made()) {
                let followed = index < MAX_PARAMS && self.flows.world.follows(self.id, index);
                entry.vars[usize::from(var)] =
                    NULL | if followed { param_bit(index) } else { UNKNOWN };
            }
        }
        entry.keep_live(body.nodes[0].live);
        self.before[0] = Some(entry);
        let mut work = BTreeSet::from([0 as NodeId]);
        let mut rounds = vec![0usize; body.nodes.len()];
        let mut after = After::default();
        while let Some(id) = work.pop_first() {
            rounds[id as usize] += 1;
            if rounds[id as usize] > MAX_ROUNDS {
                return None;
            }
            let Some(state) = self.before[id as usize].take() else { continue };
            self.transfer(id, &state, &mut after);
            self.before[id as usize] = Some(state);
            let node = &body.nodes[id as usize];
            for next in &node.next {
                self.flow(*next, &after.normal, &mut work);
            }
            for handler in node.handlers.iter().filter(|_| !Mistake::NoHandlers.is_made()) {
                self.flow(*handler, &after.thrown, &mut work);
            }
        }
        Some(())
    }

    fn flow(&mut self, to: NodeId, state: &State, work: &mut BTreeSet<NodeId>) {
        let live = self.body.nodes[to as usize].live;
        let known = &mut self.before[to as usize];
        let changed = match known {
            None => {
                let mut state = state.clone();
                state.keep_live(live);
                *known = Some(state);
                true
            }
            Some(known) => known.join(state, live),
        };
        if changed {
            work.insert(to);
        }
    }

    fn origin(&mut self, key: OriginKey, classes: Classes, history: Letters) -> Option<usize> {
        if let Some(id) = self.ids.get(&key) {
            let origin = &mut self.origins[*id];
            let classes = origin.classes.or(classes);
            self.revised |= origin.history | history != origin.history || origin.classes != classes;
            origin.history |= history;
            origin.classes = classes;
            return Some(*id);
        }
        if self.origins.len() == MAX_ORIGINS {
            return None;
        }
        // A view leaves together with its map, also if the view is not used.
        self.revised |= matches!(key, OriginKey::View(..));
        self.origins.push(Origin { key, classes, history });
        self.ids.insert(key, self.origins.len() - 1);
        Some(self.origins.len() - 1)
    }

    /// Adds a new object of an origin and its views.
    fn born(&self, state: &mut State, origin: usize) {
        state.age(origin);
        for (view, other) in self.origins.iter().enumerate() {
            if matches!(other.key, OriginKey::View(of, _) if of == origin) {
                state.age(view);
            }
        }
    }

    fn leak(&self, state: &mut State, objects: Objects) {
        for origin in recents(objects) {
            state.escaped |= 1 << origin;
            // Code that has the object can request its views.
            for (view, other) in self.origins.iter().enumerate() {
                if matches!(other.key, OriginKey::View(of, _) if of == origin) {
                    state.escaped |= 1 << view;
                }
            }
        }
    }

    /// The state after a node, and the effect of its call.
    fn transfer(&mut self, id: NodeId, state: &State, after: &mut After) -> Option<Effect> {
        let node = &self.body.nodes[id as usize];
        let After { normal, thrown } = after;
        normal.become_(state);
        let mut effect = None;
        let mut result = None;
        let held = |var: Var| state.vars[usize::from(var)];
        match &node.op {
            Op::Move(moves) => {
                for (to, from) in moves {
                    let to = usize::from(*to);
                    (normal.vars[to], normal.why[to]) = match from {
                        Source::Var(from) | Source::Cast(from, _) => {
                            (state.vars[usize::from(*from)], state.why[usize::from(*from)])
                        }
                        Source::Null => (NULL, 0),
                        Source::Nothing => (0, 0),
                        Source::Unknown(_)
                        | Source::Constant
                        | Source::Array(_)
                        | Source::Element(_) => (UNKNOWN | NULL, id + 1),
                    };
                }
            }
            Op::New(to, class) => {
                let followed = self.flows.world.is_followed(*class);
                let origin = followed
                    .then(|| self.origin(OriginKey::Node(id), Classes::of(Some(*class)), 0))
                    .flatten();
                match origin {
                    Some(origin) => {
                        self.born(normal, origin);
                        result = Some((*to, recent_bit(origin), 0));
                    }
                    None => result = Some((*to, UNKNOWN, id + 1)),
                }
            }
            Op::Load(to, field) => {
                let objects = self.load(*field);
                result = Some((*to, objects | NULL, id + 1));
            }
            Op::Store(..) if Mistake::NoStores.is_made() => {}
            Op::Return(_) if Mistake::NothingReturned.is_made() => {}
            Op::Store(var, _) | Op::Throw(var) | Op::Return(Some(var)) => {
                self.leak(normal, held(*var));
            }
            Op::Return(None) => {}
            Op::Leak(vars, ..) => {
                for var in vars {
                    self.leak(normal, held(*var));
                }
            }
            Op::Call(call) => {
                let found = self.call(id, call, state);
                for (index, arg) in call.args.iter().enumerate() {
                    if let Some(arg) = arg {
                        let leaving = self.leaving(&found, index, held(*arg));
                        self.leak(normal, leaving);
                    }
                }
                for view in recents(found.result) {
                    if let OriginKey::View(of, _) = self.origins[view].key
                        && normal.escaped >> of & 1 == 1
                    {
                        normal.escaped |= 1 << view;
                    }
                }
                if let Some(to) = call.result {
                    let objects = match found.fresh {
                        Some(origin) => found.result | recent_bit(origin),
                        None => found.result,
                    };
                    result = Some((to, objects, id + 1));
                }
                effect = Some(found);
            }
        }
        for var in node.clears.clone() {
            normal.vars[usize::from(var)] = 0;
        }
        if let Some(effect) = &effect
            && let Some(origin) = effect.fresh
        {
            // A call that throws may have created the object, too; no code can reach it then.
            self.born(normal, origin);
        }
        if !node.handlers.is_empty() {
            thrown.become_(normal);
            for var in usize::from(self.body.stack)..self.body.vars {
                thrown.vars[var] = 0;
            }
            if let Some(slot) = thrown.vars.get_mut(usize::from(self.body.stack)) {
                *slot = UNKNOWN;
                thrown.why[usize::from(self.body.stack)] = id + 1;
            }
        }
        if let Some((to, objects, why)) = result {
            normal.vars[usize::from(to)] = objects;
            normal.why[usize::from(to)] = if objects & UNKNOWN != 0 { why } else { 0 };
        }
        effect
    }

    fn load(&mut self, field: FieldId) -> Objects {
        if Mistake::NoLoads.is_made() {
            return 0;
        }
        if !self.flows.world.confined(field) {
            return UNKNOWN;
        }
        let known = self.confined.iter().position(|f| *f == field);
        match known {
            Some(index) => confined_bit(index),
            None if self.confined.len() < MAX_CONFINED => {
                self.confined.push(field);
                confined_bit(self.confined.len() - 1)
            }
            None => UNKNOWN,
        }
    }

    /// The objects of an argument that leave through a call.
    fn leaving(&self, effect: &Effect, index: usize, objects: Objects) -> Objects {
        if Mistake::NothingKept.is_made() {
            return 0;
        }
        if effect.keeps[index] {
            return objects;
        }
        if !effect.calls[index] || objects >> ORIGIN_BASE == 0 {
            return 0;
        }
        let library = |origin: usize| {
            self.origins[origin].classes.all(|class| self.flows.world.is_library(class))
        };
        let one = |o: usize| objects & (recent_bit(o) | old_bit(o));
        (0..self.origins.len()).filter(|o| !library(*o)).fold(0, |set, o| set | one(o))
    }

    /// Whether all objects are new ones of library classes, or null.
    fn only_library(&self, objects: Objects) -> bool {
        if objects & OUTSIDE != 0 {
            return false;
        }
        let library =
            |o: &usize| self.origins[*o].classes.all(|class| self.flows.world.is_library(class));
        let known = (0..self.origins.len())
            .filter(library)
            .fold(NULL, |set, o| set | recent_bit(o) | old_bit(o));
        objects & !known == 0
    }

    /// The classes that the receiver of a call can have.
    fn receivers(&self, id: NodeId, receiver: Objects) -> Vec<Receiver> {
        let world = self.flows.world;
        let mut all: Vec<Receiver> = Vec::new();
        let origins =
            (0..self.origins.len()).filter(|o| receiver & (recent_bit(*o) | old_bit(*o)) != 0);
        for origin in origins {
            match self.origins[origin].classes.known() {
                Some(list) => all.extend(list.iter().copied().map(Receiver::Exactly)),
                None => all.push(Receiver::Any),
            }
        }
        for (index, field) in self.confined.iter().enumerate() {
            if receiver & confined_bit(index) != 0 {
                let class = world.confined_class(*field);
                all.push(class.map_or(Receiver::Any, Receiver::Exactly));
            }
        }
        let confined = (0..MAX_CONFINED).fold(0, |set, f| set | confined_bit(f));
        if receiver & OUTSIDE & !confined != 0 || all.contains(&Receiver::Any) || all.is_empty() {
            let offset = self.body.nodes[id as usize].offset;
            all = world.receivers(self.id, offset);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn call(&mut self, id: NodeId, call: &Call, state: &State) -> Effect {
        let world = self.flows.world;
        let count = call.args.len();
        let held = |index: usize| call.args[index].map_or(0, |var| state.vars[usize::from(var)]);
        let mut effect = Effect {
            keeps: vec![false; count],
            calls: vec![false; count],
            emits: vec![0; count],
            ..Effect::default()
        };
        let given = (0..count).any(|index| held(index) & !(UNKNOWN | NULL) != 0);
        let returns = call.result.is_some() && world.returns(call.target);
        if !(given || returns || self.flows.alone) {
            // The call neither receives nor returns a tracked object.
            effect.keeps.fill(true);
            effect.stirs = !0;
            effect.result = if call.result.is_some() { UNKNOWN | NULL } else { 0 };
            return effect;
        }
        let receivers = match call.dispatched && count > 0 {
            true => self.receivers(id, held(0)),
            false => vec![Receiver::Any],
        };
        let mut fresh: Option<(Classes, Letters)> = None;
        let mut others = false;
        for receiver in receivers {
            let targets = world.targets(call, receiver);
            if targets.unknown || targets.bodies.len() > MAX_BODIES {
                effect.keeps.fill(true);
                effect.result |= UNKNOWN | NULL;
                effect.stirs |= self.flows.raised(targets.runs);
                others = true;
                continue;
            }
            if let Some(library) = &targets.library {
                effect.stirs |= self.flows.raised(library.runs);
                // Library methods that a class of the program inherits call methods of this class.
                if library.calls & 1 == 1 && count > 0 && !self.only_library(held(0)) {
                    effect.stirs |= self.flows.raised(library.runs | Runs::COLLECTIONS);
                }
                for index in 0..count {
                    effect.keeps[index] |= library.keeps >> index.min(63) & 1 == 1;
                    effect.calls[index] |= library.calls >> index.min(63) & 1 == 1;
                }
                match &library.returns {
                    Returns::Unknown | Returns::Made | Returns::Part | Returns::Wrapper => {
                        effect.result |= UNKNOWN | NULL;
                        // The result may be a view of an object that was created here.
                        if let Some(name) = library.view {
                            effect.result |= self.view(held(0), name);
                        }
                        others = true;
                    }
                    Returns::Fresh(class) => merge(&mut fresh, Classes::of(*class), 0),
                    Returns::Argument(index) => {
                        effect.result |= if *index < count { held(*index) } else { UNKNOWN };
                        others = true;
                    }
                    Returns::View(name) => {
                        effect.result |= self.view(held(0), name);
                        others = true;
                    }
                }
            }
            for body in &targets.bodies {
                let summary = self.flows.summary(*body, self.id).filter(|summary| {
                    let back = self.root.map(body_bit);
                    let leads = |(word, bit): (usize, u64)| summary.emitters[word] & bit != 0;
                    !summary.emits() || !back.is_some_and(leads)
                });
                let Some(summary) = summary else {
                    effect.keeps.fill(true);
                    effect.result |= UNKNOWN | NULL;
                    effect.stirs = !0;
                    effect.blame.get_or_insert(*body);
                    others = true;
                    continue;
                };
                effect.stirs |= summary.stirs;
                if summary.emits() {
                    join(&mut self.emitters, &summary.emitters);
                }
                for index in 0..count {
                    // A body with fewer parameters than the call has arguments is not a target of
                    // this call.
                    let known = summary.args.get(index);
                    effect.keeps[index] |= known.is_none_or(|arg| arg.keeps);
                    effect.calls[index] |= known.is_none_or(|arg| arg.calls);
                    effect.emits[index] |= known.map_or(0, |arg| arg.emits);
                }
                match summary.returns {
                    Returned::Never => {}
                    Returned::Nothing => {
                        effect.result |= NULL;
                        others = true;
                    }
                    Returned::Unknown => {
                        effect.result |= UNKNOWN | NULL;
                        effect.blame.get_or_insert(*body);
                        others = true;
                    }
                    Returned::Fresh(class, history) => merge(&mut fresh, class, history),
                    Returned::Argument(index) => {
                        effect.result |= NULL | if index < count { held(index) } else { UNKNOWN };
                        others = true;
                    }
                }
            }
        }
        if call.result.is_none() {
            effect.result = 0;
            return effect;
        }
        if let Some((class, history)) = fresh {
            let origin = match others {
                true => None,
                false => self.origin(OriginKey::Node(id), class, history),
            };
            match origin {
                Some(origin) => effect.fresh = Some(origin),
                None => effect.result |= UNKNOWN,
            }
        }
        effect
    }

    /// The view with that name of some objects.
    fn view(&mut self, receiver: Objects, name: &'static str) -> Objects {
        let mut views = 0;
        for origin in 0..self.origins.len() {
            if receiver & recent_bit(origin) != 0 {
                views |= match self.origin(OriginKey::View(origin, name), Classes::ANY, 0) {
                    Some(view) => recent_bit(view),
                    None => UNKNOWN,
                };
            }
            if receiver & old_bit(origin) != 0 {
                views |= UNKNOWN;
            }
        }
        if receiver & OUTSIDE != 0 {
            views |= UNKNOWN;
        }
        views
    }

    /// Collects the results for the whole body from the fixpoint.
    fn finish(mut self) -> Flow {
        let body = self.body;
        let world = self.flows.world;
        let mut effects = Effects(vec![None; body.nodes.len()]);
        let mut args = vec![ArgSummary::default(); body.params.len()];
        let mut stores = Vec::new();
        let mut leaks: Vec<Option<(NodeId, String)>> = vec![None; MAX_ORIGINS];
        let mut leak_nodes: Vec<Vec<NodeId>> = vec![Vec::new(); MAX_ORIGINS];
        let mut confined_leaks: Vec<Option<(NodeId, String)>> = vec![None; MAX_CONFINED];
        let mut touched = vec![0 as Letters; MAX_ORIGINS];
        let mut returned: Objects = 0;
        let mut returned_escaped = false;
        let mut stirs: Letters = 0;
        let initial = self.flows.raised(Runs::INITIALISERS);
        let mut own = false;
        let mut after = After::default();
        let params = (0..MAX_PARAMS).fold(0, |set, p| set | param_bit(p));
        for id in 0..body.nodes.len() as NodeId {
            let Some(state) = self.before[id as usize].take() else { continue };
            let effect = self.transfer(id, &state, &mut after);
            let node = &body.nodes[id as usize];
            stirs |= if node.initialises { initial } else { 0 };
            stirs |= effect.as_ref().map_or(0, |effect| effect.stirs);
            let held = |var: Var| state.vars[usize::from(var)];
            let mut leave = |objects: Objects, why: &dyn Fn() -> String| {
                if objects & !(UNKNOWN | NULL) == 0 {
                    return;
                }
                for (param, arg) in args.iter_mut().enumerate().take(MAX_PARAMS) {
                    arg.keeps |= objects & param_bit(param) != 0;
                }
                for (origin, nodes) in leak_nodes.iter_mut().enumerate() {
                    if objects & (recent_bit(origin) | old_bit(origin)) != 0 {
                        nodes.push(id);
                    }
                }
                for (origin, leak) in leaks.iter_mut().enumerate() {
                    if objects & recent_bit(origin) != 0 {
                        leak.get_or_insert_with(|| (id, why()));
                    }
                }
                for (field, leak) in confined_leaks.iter_mut().enumerate() {
                    if objects & confined_bit(field) != 0 {
                        leak.get_or_insert_with(|| (id, why()));
                    }
                }
            };
            match &node.op {
                Op::Store(var, field) => {
                    stores.push((*field, id, held(*var)));
                    leave(held(*var), &|| format!("stored in field {}", world.field_name(*field)));
                }
                Op::Throw(var) => leave(held(*var), &|| "thrown".to_owned()),
                Op::Return(Some(var)) => {
                    let objects = held(*var);
                    returned |= objects;
                    returned_escaped |= recents(objects).any(|o| state.escaped >> o & 1 == 1);
                    // For callers, a returned parameter is not kept: see `returns`.
                    leave(objects & !params, &|| "returned".to_owned());
                }
                Op::Leak(vars, why, _) => {
                    for var in vars {
                        leave(held(*var), &|| (*why).to_owned());
                    }
                }
                Op::Call(call) => {
                    let effect = effect.as_ref().expect("a call has one");
                    for (index, arg) in call.args.iter().enumerate() {
                        let Some(arg) = arg else { continue };
                        let objects = held(*arg);
                        let how = if effect.keeps[index] { "kept by" } else { "called by" };
                        leave(self.leaving(effect, index, objects), &|| {
                            format!("{how} {}", world.target_name(call.target))
                        });
                    }
                    for (index, arg) in call.args.iter().enumerate() {
                        let Some(arg) = arg else { continue };
                        let objects = held(*arg);
                        if objects & OUTSIDE & !params != 0 && !Mistake::OthersUntouched.is_made() {
                            stirs |= effect.emits[index];
                        }
                        for (param, summary) in args.iter_mut().enumerate().take(MAX_PARAMS) {
                            if objects & param_bit(param) != 0 {
                                summary.emits |= effect.emits[index];
                                summary.calls |= effect.calls[index];
                            }
                        }
                        for (origin, letters) in touched.iter_mut().enumerate() {
                            if objects & (recent_bit(origin) | old_bit(origin)) != 0 {
                                *letters |= effect.emits[index];
                            }
                        }
                    }
                }
                _ => {}
            }
            for event in &node.events {
                for operand in &event.operands {
                    let objects = match operand {
                        Operand::Var(var) => held(*var),
                        Operand::Result => result_of(&node.op, &after.normal),
                        Operand::Unknown => UNKNOWN,
                    };
                    own |= objects & !(UNKNOWN | NULL) != 0;
                    if objects & OUTSIDE & !params != 0 {
                        stirs |= 1 << event.letter;
                    }
                    for (param, summary) in args.iter_mut().enumerate().take(MAX_PARAMS) {
                        if objects & param_bit(param) != 0 {
                            summary.emits |= 1 << event.letter;
                        }
                    }
                    for (origin, letters) in touched.iter_mut().enumerate() {
                        if objects & (recent_bit(origin) | old_bit(origin)) != 0 {
                            *letters |= 1 << event.letter;
                        }
                    }
                }
            }
            if let Some(effect) = effect {
                effects.0[id as usize] = Some(Box::new(effect));
            }
            self.before[id as usize] = Some(state);
        }
        for (index, arg) in args.iter_mut().enumerate() {
            if index >= MAX_PARAMS || !world.follows(self.id, index) {
                (arg.keeps, arg.calls) = (true, true);
            }
        }
        if own {
            let (word, bit) = body_bit(self.id);
            self.emitters[word] |= bit;
        }
        let is_return = |(node, state): (&Node, &Option<State>)| {
            state.is_some() && matches!(node.op, Op::Return(_))
        };
        let some_path = body.nodes.iter().zip(&self.before).any(is_return);
        let returns = self.returns(some_path, returned, returned_escaped, &touched);
        if returns == Returned::Unknown {
            for (param, arg) in args.iter_mut().enumerate().take(MAX_PARAMS) {
                arg.keeps |= returned & param_bit(param) != 0;
            }
        }
        // Callers know the history of a new object that is returned.
        let told = |node: &NodeId| {
            let is_return = matches!(body.nodes[*node as usize].op, Op::Return(_));
            is_return && matches!(returns, Returned::Fresh(..))
        };
        for (letters, nodes) in touched.iter().zip(&leak_nodes) {
            if !nodes.iter().all(told) {
                stirs |= letters;
            }
        }
        let is_library = |o: &usize| self.origins[*o].classes.all(|class| world.is_library(class));
        let library =
            (0..self.origins.len()).filter(is_library).fold(0, |set, o| set | recent_bit(o));
        leaks.truncate(self.origins.len());
        leak_nodes.truncate(self.origins.len());
        confined_leaks.truncate(self.confined.len());
        // A view leaves together with its object.
        for view in 0..self.origins.len() {
            if let OriginKey::View(of, _) = self.origins[view].key
                && leaks[view].is_none()
            {
                leaks[view] = leaks[of].clone();
            }
        }
        Flow {
            before: self.before,
            origins: self.origins,
            confined: self.confined,
            library,
            effects,
            leaks,
            leak_nodes,
            confined_leaks,
            stores,
            summary: Summary { args, returns, emitters: self.emitters, stirs },
            initial,
        }
    }

    /// The result, if some path `returns`.
    fn returns(
        &self,
        returns: bool,
        returned: Objects,
        escaped: bool,
        touched: &[Letters],
    ) -> Returned {
        let objects = returned & !NULL;
        if objects == 0 {
            return if returns { Returned::Nothing } else { Returned::Never };
        }
        if objects.count_ones() == 1
            && let Some(param) = (0..MAX_PARAMS).find(|p| objects == param_bit(*p))
            && returned & NULL != 0
        {
            return Returned::Argument(param);
        }
        let fresh = recents(objects).fold(0, |set, o| set | recent_bit(o));
        // A map refers to its view. An object that may be null is not certainly a new one.
        let views = recents(objects).any(|o| matches!(self.origins[o].key, OriginKey::View(..)));
        if fresh != objects || escaped || views || returned & NULL != 0 {
            return Returned::Unknown;
        }
        let mut classes: Option<Classes> = None;
        let mut history = 0;
        for origin in recents(objects) {
            let these = self.origins[origin].classes;
            classes = Some(classes.map_or(these, |known| known.or(these)));
            history |= self.origins[origin].history | touched[origin];
        }
        Returned::Fresh(classes.unwrap_or(Classes::ANY), history)
    }
}

fn merge(fresh: &mut Option<(Classes, Letters)>, classes: Classes, history: Letters) {
    *fresh = Some(match *fresh {
        None => (classes, history),
        Some((known, letters)) => (known.or(classes), letters | history),
    });
}

/// The possible results of an operation.
pub(crate) fn result_of(op: &Op, after: &State) -> Objects {
    match op {
        Op::Call(Call { result: Some(var), .. }) | Op::New(var, _) | Op::Load(var, _) => {
            after.vars[usize::from(*var)]
        }
        _ => UNKNOWN,
    }
}
