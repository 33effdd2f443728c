//! Certificates: proofs that silencing some sites of a method changes no report.
//!
//! A slice of which a silenced event can be part contains an object that was created in this call
//! of the method and had not left it when the event happened: the *anchor* of the site. Each
//! parameter of a machine can be filled in one of these ways:
//!
//! * an object that is not created yet,
//! * the most recent object of an origin,
//! * an object *outside*: it came from elsewhere, has left the method, or is not the most recent
//!   one any more. Events that concern only outside objects may happen at any moment, on any
//!   thread, and reach both monitors;
//! * an object that no code can reach any more.
//!
//! For every combination, the pairs (state of the full monitor, state of the residual monitor) are
//! explored along all paths. Silenced events move only the first state; all others move both. The
//! sites may be silenced if no pair reports differently, also at the end of the run, and if, when
//! the method is left, both states react in the same way to every future of the objects that are
//! still alive.
//!
//! Methods are treated one after the other, so every proof is about a program in which everything
//! else is fixed.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::body::{Body, EventAt, NodeId, Op, Operand, When};
use crate::flow::{Flow, NULL, OUTSIDE, Objects, OriginKey, UNKNOWN, old_bit, recent_bit, recents};
use crate::hash::{FastMap, FastSet};
use crate::machine::{Letters, MAX_PARAMS, Machine, Machines, Params, iter};
use crate::mistake::Mistake;

/// How a parameter of a slice is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Filled {
    /// By an object that is not related to the origins of the method.
    Outside,
    /// By an object of this origin.
    Origin(usize),
}

/// The state of an object of an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Life {
    /// Not created yet.
    Unborn,
    /// The most recent one of its origin, known only to this call of the method.
    Inside,
    /// Any code may have it.
    Outside,
    /// No code can reach it.
    Dead,
}

/// The states of the objects of a slice, by parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lives {
    all: [Life; MAX_PARAMS],
    count: u8,
}

impl std::ops::Deref for Lives {
    type Target = [Life];

    fn deref(&self) -> &[Life] {
        &self.all[..usize::from(self.count)]
    }
}

impl std::ops::DerefMut for Lives {
    fn deref_mut(&mut self) -> &mut [Life] {
        &mut self.all[..usize::from(self.count)]
    }
}

impl FromIterator<Life> for Lives {
    fn from_iter<I: IntoIterator<Item = Life>>(lives: I) -> Lives {
        let mut all = Lives { all: [Life::Unborn; MAX_PARAMS], count: 0 };
        for life in lives {
            all.all[usize::from(all.count)] = life;
            all.count += 1;
        }
        all
    }
}

/// A set of points.
pub type Points = FastSet<Point>;

/// A point of the exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// Before this node.
    pub node: NodeId,
    /// By parameter.
    pub lives: Lives,
    /// The state of the full monitor.
    pub full: u32,
    /// The state of the residual monitor.
    pub residual: u32,
}

/// The pairs for one way to fill the parameters.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The machine, as an index into [`Machines::machines`].
    pub machine: usize,
    /// By parameter of the property; parameters outside the machine's domain are `Outside`.
    pub filled: Vec<Filled>,
    /// The points.
    pub points: Points,
}

/// Why a set of sites cannot be silenced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where the monitors differ.
    pub node: NodeId,
    /// How they differ.
    pub what: What,
}

/// How the full and the residual monitor differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Only one of them reports an event.
    Report(usize),
    /// Only one of them reports the end of the run.
    End,
    /// The objects live on, and the states of the monitors differ.
    Leaves,
    /// There are too many states to explore.
    TooLarge,
}

/// A method that can be explored.
pub struct Explorer<'e> {
    /// The body.
    pub body: &'e Body,
    /// Its flow.
    pub flow: &'e Flow,
    /// The property.
    pub machines: &'e Machines,
    /// Whether there is only one thread. Events of outside objects then happen only while other
    /// code runs, and not at any moment.
    pub alone: bool,
    regions: OnceCell<Regions>,
}

/// Regions: sets of nodes with the same pairs. At a quiet node nothing happens to a pair, and a
/// node whose only predecessor is quiet has the pairs of that predecessor. Points are stored for
/// the first node of a region.
struct Regions {
    /// By node that is the first of a region.
    of: Vec<Region>,
}

#[derive(Clone, Default)]
struct Region {
    /// The first nodes of the regions to which quiet nodes of this region lead.
    next: Vec<NodeId>,
    /// A quiet node from which an exception may leave the method.
    leaves: Option<NodeId>,
    /// Nodes at which something happens to a pair.
    active: Vec<NodeId>,
}

impl Regions {
    fn of(explorer: &Explorer<'_>) -> Regions {
        let body = explorer.body;
        let count = body.nodes.len();
        // The only predecessor of a node; `None` if there are several or none.
        let mut lead: Vec<Option<NodeId>> = vec![None; count];
        let mut several = vec![false; count];
        several[0] = true;
        for (index, node) in body.nodes.iter().enumerate() {
            for to in node.next.iter().chain(&node.handlers) {
                let slot = &mut lead[*to as usize];
                several[*to as usize] |= slot.is_some_and(|known| known != index as NodeId);
                *slot = Some(index as NodeId);
            }
        }
        let quiet: Vec<bool> = (0..count).map(|node| explorer.is_quiet(node as NodeId)).collect();
        let mut home: Vec<Option<NodeId>> = vec![None; count];
        for node in 0..count {
            let mut chain = Vec::new();
            let mut at = node;
            let found = loop {
                if let Some(known) = home[at] {
                    break known;
                }
                chain.push(at);
                match lead[at] {
                    // A cycle that only leads to itself is never entered.
                    Some(before)
                        if !several[at] && quiet[before as usize] && chain.len() <= count =>
                    {
                        at = before as usize;
                    }
                    _ => break at as NodeId,
                }
            };
            chain.into_iter().for_each(|node| home[node] = Some(found));
        }
        let home: Vec<NodeId> = home.into_iter().flatten().collect();
        let mut of = vec![Region::default(); count];
        for (index, node) in body.nodes.iter().enumerate() {
            let own = home[index];
            let region = &mut of[own as usize];
            if !quiet[index] {
                region.active.push(index as NodeId);
                continue;
            }
            let handlers = node.handlers.iter().filter(|_| !Mistake::NoHandlers.is_made());
            for to in node.next.iter().chain(handlers) {
                let to = home[*to as usize];
                if to != own && !region.next.contains(&to) {
                    region.next.push(to);
                }
            }
            if node.throws_out && !Mistake::NeverThrownOut.is_made() {
                region.leaves.get_or_insert(index as NodeId);
            }
        }
        Regions { of }
    }
}

const MAX_POINTS: usize = 200_000;

/// The anchors of an event: if the set is not empty, each object to which one of its parameters can
/// be bound is the recent object of one of these origins and has not left the method.
pub fn anchors(flow: &Flow, body: &Body, node: NodeId, event: &EventAt) -> Vec<usize> {
    let Some(state) = &flow.before[node as usize] else { return Vec::new() };
    for operand in &event.operands {
        let view = View::of(flow, body, node, event.when);
        let objects = view.objects(*operand) & !NULL;
        let escaped = match event.when {
            When::Before => state.escaped,
            When::After | When::Throwing => view.escaped,
        };
        let fresh = recents(objects).filter(|o| escaped >> o & 1 == 0);
        let fresh: Vec<usize> = fresh.collect();
        let all = fresh.iter().fold(0, |set, o| set | recent_bit(*o));
        if objects != 0 && all == objects {
            return fresh;
        }
    }
    Vec::new()
}

/// The possible operands of events around a node.
pub(crate) struct View<'e> {
    flow: &'e Flow,
    body: &'e Body,
    node: NodeId,
    when: When,
    escaped: u64,
}

impl<'e> View<'e> {
    pub(crate) fn of(flow: &'e Flow, body: &'e Body, node: NodeId, when: When) -> View<'e> {
        let mut view = View { flow, body, node, when, escaped: 0 };
        if let Some(state) = &flow.before[node as usize] {
            view.escaped = state.escaped;
            if when != When::Before {
                for origin in recents(leaving(flow, body, node)) {
                    view.escaped |= with_views(flow, origin);
                }
                for origin in made_at(flow, body, node) {
                    view.escaped &= !(1 << origin);
                }
            }
        }
        view
    }

    pub(crate) fn objects(&self, operand: Operand) -> Objects {
        let Some(state) = &self.flow.before[self.node as usize] else { return UNKNOWN };
        match operand {
            Operand::Unknown => UNKNOWN,
            Operand::Var(var) => {
                let mut objects = state.vars[usize::from(var)];
                if self.when != When::Before {
                    for origin in made_at(self.flow, self.body, self.node) {
                        if objects & recent_bit(origin) != 0 {
                            objects = objects & !recent_bit(origin) | old_bit(origin);
                        }
                    }
                }
                objects
            }
            Operand::Result if self.when == When::After => {
                match &self.body.nodes[self.node as usize].op {
                    Op::Call(_) => match self.flow.effects.get(&self.node) {
                        Some(effect) => effect.result | effect.fresh.map_or(0, recent_bit),
                        None => UNKNOWN,
                    },
                    Op::New(..) => made_at(self.flow, self.body, self.node)
                        .first()
                        .map_or(UNKNOWN, |origin| recent_bit(*origin)),
                    _ => UNKNOWN,
                }
            }
            Operand::Result => UNKNOWN,
        }
    }
}

/// An origin and its views, as bits.
fn with_views(flow: &Flow, origin: usize) -> u64 {
    let views = flow.origins.iter().enumerate();
    views
        .filter(|(_, o)| matches!(o.key, OriginKey::View(of, _) if of == origin))
        .filter(|_| !Mistake::ViewsStay.is_made())
        .fold(1 << origin, |set, (view, _)| set | 1 << view)
}

/// The origins whose objects a node creates. Views are created together with their objects.
pub(crate) fn made_at(flow: &Flow, body: &Body, node: NodeId) -> Vec<usize> {
    let made = match &body.nodes[node as usize].op {
        Op::Call(_) => flow.effects.get(&node).and_then(|effect| effect.fresh),
        Op::New(..) => flow.origins.iter().position(|o| o.key == OriginKey::Node(node)),
        _ => None,
    };
    made.map_or(Vec::new(), |origin| {
        let set = with_views(flow, origin);
        (0..flow.origins.len()).filter(|o| set >> o & 1 == 1).collect()
    })
}

/// The objects that leave the method at a node.
pub(crate) fn leaving(flow: &Flow, body: &Body, node: NodeId) -> Objects {
    let Some(state) = &flow.before[node as usize] else { return 0 };
    let held = |var: u16| state.vars[usize::from(var)];
    match &body.nodes[node as usize].op {
        Op::Store(..) if Mistake::NoStores.is_made() => 0,
        Op::Return(_) if Mistake::NothingReturned.is_made() => 0,
        Op::Call(_) if Mistake::NothingKept.is_made() => 0,
        Op::Store(var, _) | Op::Throw(var) | Op::Return(Some(var)) => held(*var),
        Op::Leak(vars, ..) => vars.iter().fold(0, |set, var| set | held(*var)),
        Op::Call(call) => {
            let Some(effect) = flow.effects.get(&node) else { return !0 };
            let args = call.args.iter().enumerate().filter_map(|(i, arg)| arg.map(|a| (i, a)));
            args.fold(0, |set, (index, arg)| {
                set | if effect.keeps[index] {
                    held(arg)
                } else if effect.calls[index] {
                    held(arg) & !flow.library
                } else {
                    0
                }
            })
        }
        _ => 0,
    }
}

impl<'e> Explorer<'e> {
    /// Explores a body.
    pub fn new(body: &'e Body, flow: &'e Flow, machines: &'e Machines, alone: bool) -> Self {
        Explorer { body, flow, machines, alone, regions: OnceCell::new() }
    }

    /// Whether nothing happens to any pair at a node.
    fn is_quiet(&self, id: NodeId) -> bool {
        let Explorer { body, flow, alone, .. } = *self;
        let node = &body.nodes[id as usize];
        let ends = matches!(node.op, Op::Return(_) | Op::Throw(_));
        let emits = match (&node.op, flow.effects.get(&id)) {
            (Op::Call(_), Some(effect)) => effect.emits.iter().any(|letters| *letters != 0),
            (Op::Call(_), None) => true,
            _ => false,
        };
        node.events.is_empty()
            && !ends
            && !emits
            && leaving(flow, body, id) == 0
            && made_at(flow, body, id).is_empty()
            && !(alone && flow.stirs(body, id) != 0)
    }

    /// All ways to fill the parameters of all machines that contain a given origin and can report.
    /// `None` if there are too many.
    pub fn fillings(&self, anchored: u64) -> Option<Vec<(usize, Vec<Filled>)>> {
        const MAX_FILLINGS: usize = 4096;
        let touched = self.touched();
        let mut all = Vec::new();
        for (index, machine) in self.machines.machines.iter().enumerate() {
            let params: Vec<usize> =
                (0..self.machines.params.len()).filter(|p| machine.domain >> p & 1 == 1).collect();
            let mut partial: Vec<Vec<Filled>> =
                vec![vec![Filled::Outside; self.machines.params.len()]];
            for param in params {
                let mut longer = Vec::new();
                for filled in &partial {
                    longer.push(filled.clone());
                    for (origin, touched) in touched[param].iter().enumerate() {
                        if *touched != 0 {
                            let mut with = filled.clone();
                            with[param] = Filled::Origin(origin);
                            longer.push(with);
                        }
                    }
                }
                partial = longer;
                if partial.len() > MAX_FILLINGS {
                    return None;
                }
            }
            for filled in partial {
                let anchored =
                    filled.iter().any(|f| matches!(f, Filled::Origin(o) if anchored >> o & 1 == 1));
                if anchored && machine.can_report(self.possible(machine, &filled, &touched)) {
                    all.push((index, filled));
                }
            }
        }
        (all.len() <= MAX_FILLINGS).then_some(all)
    }

    /// By parameter and origin: letters that may bind the parameter to an object of the origin.
    fn touched(&self) -> Vec<Vec<Letters>> {
        let Explorer { body, flow, machines, .. } = self;
        let origins = flow.origins.len();
        let mut touched = vec![vec![0 as Letters; origins]; machines.params.len()];
        for node in 0..body.nodes.len() as NodeId {
            let Some(state) = &flow.before[node as usize] else { continue };
            for event in &body.nodes[node as usize].events {
                let view = View::of(flow, body, node, event.when);
                let binds = &machines.letters[event.letter].binds;
                for ((param, _), operand) in binds.iter().zip(&event.operands) {
                    let objects = view.objects(*operand);
                    for (origin, letters) in touched[param.index()].iter_mut().enumerate() {
                        if objects & (recent_bit(origin) | old_bit(origin)) != 0 {
                            *letters |= 1 << event.letter;
                        }
                    }
                }
            }
            let everywhere = |touched: &mut Vec<Vec<Letters>>, origin: usize, letters: Letters| {
                for (param, row) in touched.iter_mut().enumerate() {
                    for letter in iter(letters) {
                        if machines.letters.get(letter).is_some_and(|l| l.params >> param & 1 == 1)
                        {
                            row[origin] |= 1 << letter;
                        }
                    }
                }
            };
            if let Op::Call(call) = &body.nodes[node as usize].op
                && let Some(effect) = flow.effects.get(&node)
            {
                for (index, arg) in call.args.iter().enumerate() {
                    let Some(arg) = arg else { continue };
                    let objects = state.vars[usize::from(*arg)];
                    for origin in 0..origins {
                        if objects & (recent_bit(origin) | old_bit(origin)) != 0 {
                            everywhere(&mut touched, origin, effect.emits[index]);
                        }
                    }
                }
            }
            for origin in recents(leaving(flow, body, node)) {
                for one in (0..origins).filter(|o| with_views(flow, origin) >> o & 1 == 1) {
                    everywhere(&mut touched, one, !0);
                }
            }
        }
        for (origin, info) in flow.origins.iter().enumerate() {
            for (param, row) in touched.iter_mut().enumerate() {
                for letter in iter(info.history) {
                    if machines.letters[letter].params >> param & 1 == 1 {
                        row[origin] |= 1 << letter;
                    }
                }
            }
        }
        touched
    }

    /// The letters that a slice with these parameters may read.
    fn possible(&self, machine: &Machine, filled: &[Filled], touched: &[Vec<Letters>]) -> Letters {
        let fits = |letter: &usize| {
            let params = self.machines.letters[*letter].params;
            filled.iter().enumerate().filter(|(p, _)| params >> p & 1 == 1).all(|(p, f)| match f {
                Filled::Outside => true,
                Filled::Origin(origin) => touched[p][*origin] >> letter & 1 == 1,
            })
        };
        iter(machine.letters).filter(fits).fold(0, |set, letter| set | 1 << letter)
    }

    /// Explores one way to fill the parameters, with some sites silenced.
    pub fn explore(
        &self,
        machine: usize,
        filled: &[Filled],
        silenced: &HashSet<u32>,
    ) -> Result<Certificate, Refusal> {
        let mut run = Exploration {
            explorer: self,
            machine: &self.machines.machines[machine],
            filled,
            silenced,
            points: Points::default(),
            work: Vec::new(),
            envs: FastMap::default(),
            regions: self.regions.get_or_init(|| Regions::of(self)),
        };
        let lives = filled
            .iter()
            .map(|f| match f {
                Filled::Outside => Life::Outside,
                Filled::Origin(_) => Life::Unborn,
            })
            .collect();
        run.add(Point { node: 0, lives, full: 0, residual: 0 })?;
        while let Some(point) = run.work.pop() {
            run.step(&point)?;
        }
        Ok(Certificate { machine, filled: filled.to_vec(), points: run.points })
    }
}

struct Exploration<'x, 'e> {
    explorer: &'x Explorer<'e>,
    machine: &'x Machine,
    filled: &'x [Filled],
    silenced: &'x HashSet<u32>,
    points: Points,
    work: Vec<Point>,
    /// Letters that concern only outside objects, by set of outside parameters.
    envs: FastMap<Params, Letters>,
    regions: &'x Regions,
}

/// A point inside a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Inner {
    lives: Lives,
    full: u32,
    residual: u32,
}

impl Exploration<'_, '_> {
    fn refuse<T>(&self, node: NodeId, what: What) -> Result<T, Refusal> {
        Err(Refusal { node, what })
    }

    fn outside(&self, lives: &[Life]) -> Params {
        (0..lives.len())
            .filter(|p| self.machine.domain >> p & 1 == 1 && lives[*p] == Life::Outside)
            .fold(0, |set, p| set | 1 << p)
    }

    /// The letters that bind only parameters of a set.
    fn within(&mut self, params: Params) -> Letters {
        let letters = &self.explorer.machines.letters;
        let own = self.machine.letters;
        *self.envs.entry(params).or_insert_with(|| {
            iter(own).filter(|l| letters[*l].params & !params == 0).fold(0, |set, l| set | 1 << l)
        })
    }

    /// Adds a point, and immediately closes it under events of outside objects.
    fn add(&mut self, point: Point) -> Result<(), Refusal> {
        let nobody = self.explorer.alone && point.node != 0 || Mistake::NobodyElse.is_made();
        let env = match nobody {
            true => 0,
            false => {
                let outside = self.outside(&point.lives);
                self.within(outside)
            }
        };
        let mut pairs = vec![(point.full, point.residual)];
        while let Some((full, residual)) = pairs.pop() {
            let point = Point { full, residual, ..point };
            if !self.points.insert(point) {
                continue;
            }
            if self.points.len() > MAX_POINTS {
                return self.refuse(point.node, What::TooLarge);
            }
            let (f, r) = (full as usize, residual as usize);
            if self.machine.at_end[f] != self.machine.at_end[r] && !Mistake::EndIgnored.is_made() {
                return self.refuse(point.node, What::End);
            }
            for letter in iter(env) {
                if self.machine.out[f][letter] != self.machine.out[r][letter] {
                    return self.refuse(point.node, What::Report(letter));
                }
                pairs.push((self.machine.next[f][letter], self.machine.next[r][letter]));
            }
            self.work.push(point);
        }
        Ok(())
    }

    fn step(&mut self, point: &Point) -> Result<(), Refusal> {
        let region = &self.regions.of[point.node as usize];
        for node in &region.next {
            self.add(Point { node: *node, ..*point })?;
        }
        if let Some(node) = region.leaves {
            let Point { lives, full, residual, .. } = *point;
            self.leave(node, &Inner { lives, full, residual })?;
        }
        for node in &region.active {
            self.act(*node, point)?;
        }
        Ok(())
    }

    /// Processes a node.
    fn act(&mut self, id: NodeId, point: &Point) -> Result<(), Refusal> {
        let Explorer { body, flow, .. } = *self.explorer;
        let node = &body.nodes[id as usize];
        let mut inner =
            vec![Inner { lives: point.lives, full: point.full, residual: point.residual }];
        for event in node.events.iter().filter(|e| e.when == When::Before) {
            self.event(id, event, &mut inner)?;
        }
        // Objects that leave.
        let alone = self.explorer.alone;
        // Events of outside objects in the meantime: any event, or, with one thread, only the
        // events of other code that runs.
        let stirs = if alone { flow.stirs(body, id) } else { !0 };
        let leaving = leaving(flow, body, id);
        if leaving != 0 {
            let mut set = 0;
            for origin in recents(leaving) {
                set |= with_views(flow, origin);
            }
            for one in &mut inner {
                for (life, filled) in one.lives.iter_mut().zip(self.filled) {
                    if let Filled::Origin(origin) = filled
                        && *life == Life::Inside
                        && set >> origin & 1 == 1
                    {
                        *life = Life::Outside;
                    }
                }
            }
        }
        if alone || leaving != 0 {
            self.surround(id, stirs, &mut inner)?;
        }
        if let Op::Call(_) = &node.op {
            self.emissions(id, stirs, &mut inner)?;
        }
        // Objects that are created. A call that throws may have created them, too.
        let made = made_at(flow, body, id);
        if !made.is_empty() {
            inner = inner.iter().flat_map(|one| self.born(id, &made, one)).collect();
            self.surround(id, stirs, &mut inner)?;
            let history: Letters =
                made.iter().fold(0, |set, origin| set | flow.origins[*origin].history);
            if history != 0 && !Mistake::NoHistory.is_made() {
                self.history(id, stirs, &made, &mut inner)?;
            }
        }
        let mut thrown = inner.clone();
        if !node.handlers.is_empty() || node.throws_out {
            for event in node.events.iter().filter(|e| e.when == When::Throwing) {
                self.event(id, event, &mut thrown)?;
            }
            for one in &thrown {
                for handler in &node.handlers {
                    if !Mistake::NoHandlers.is_made() {
                        self.enter(*handler, one)?;
                    }
                }
                if node.throws_out && !Mistake::NeverThrownOut.is_made() {
                    self.leave(id, one)?;
                }
            }
        }
        for event in node.events.iter().filter(|e| e.when == When::After) {
            self.event(id, event, &mut inner)?;
        }
        for one in &inner {
            for next in &node.next {
                self.enter(*next, one)?;
            }
            if matches!(node.op, Op::Return(_) | Op::Throw(_)) {
                self.leave(id, one)?;
            }
        }
        Ok(())
    }

    fn enter(&mut self, node: NodeId, one: &Inner) -> Result<(), Refusal> {
        self.add(Point { node, lives: one.lives, full: one.full, residual: one.residual })
    }

    /// The end of the method: objects that have not left are unreachable, and both monitors must
    /// react in the same way to the others.
    fn leave(&mut self, node: NodeId, one: &Inner) -> Result<(), Refusal> {
        let outside = self.outside(&one.lives);
        let letters = self.within(outside);
        match self.machine.alike(one.full, one.residual, letters) {
            true => Ok(()),
            false if Mistake::LivesOnUnchecked.is_made() => Ok(()),
            false => self.refuse(node, What::Leaves),
        }
    }

    /// Closes the pairs under these events of outside objects, in the middle of a node.
    fn surround(
        &mut self,
        node: NodeId,
        stirs: Letters,
        inner: &mut Vec<Inner>,
    ) -> Result<(), Refusal> {
        if stirs == 0 || Mistake::NobodyElse.is_made() {
            return Ok(());
        }
        let mut all: FastSet<Inner> = FastSet::default();
        let mut work = std::mem::take(inner);
        while let Some(one) = work.pop() {
            if !all.insert(one) {
                continue;
            }
            let env = self.outside(&one.lives);
            for letter in iter(self.within(env) & stirs) {
                work.push(self.both(node, letter, &one)?);
            }
        }
        inner.extend(all);
        Ok(())
    }

    /// An event that reaches both monitors.
    fn both(&self, node: NodeId, letter: usize, one: &Inner) -> Result<Inner, Refusal> {
        let (full, residual) = (one.full as usize, one.residual as usize);
        if self.machine.out[full][letter] != self.machine.out[residual][letter] {
            return self.refuse(node, What::Report(letter));
        }
        let next = Inner {
            lives: one.lives,
            full: self.machine.next[full][letter],
            residual: self.machine.next[residual][letter],
        };
        let (full, residual) = (next.full as usize, next.residual as usize);
        if self.machine.at_end[full] != self.machine.at_end[residual]
            && !Mistake::EndIgnored.is_made()
        {
            return self.refuse(node, What::End);
        }
        Ok(next)
    }

    /// An event at a site of this method.
    fn event(&self, node: NodeId, event: &EventAt, inner: &mut Vec<Inner>) -> Result<(), Refusal> {
        let Explorer { body, flow, machines, .. } = *self.explorer;
        if self.machine.letters >> event.letter & 1 == 0 {
            return Ok(());
        }
        let view = View::of(flow, body, node, event.when);
        let binds = &machines.letters[event.letter].binds;
        let mut all = Vec::new();
        for one in inner.drain(..) {
            let (mut hits, mut must) = (true, event.certain);
            for ((param, _), operand) in binds.iter().zip(&event.operands) {
                let objects = view.objects(*operand);
                let (hit, sure) = self.hits(param.index(), one.lives[param.index()], objects);
                hits &= hit;
                must &= sure;
            }
            if !hits {
                all.push(one);
                continue;
            }
            let next = match self.silenced.contains(&event.site) {
                false => self.both(node, event.letter, &one)?,
                true => {
                    let full = one.full as usize;
                    if self.machine.out[full][event.letter] != 0
                        && !Mistake::SilencedReports.is_made()
                    {
                        return self.refuse(node, What::Report(event.letter));
                    }
                    let full = self.machine.next[full][event.letter];
                    let at_end = &self.machine.at_end;
                    if at_end[full as usize] != at_end[one.residual as usize]
                        && !Mistake::EndIgnored.is_made()
                    {
                        return self.refuse(node, What::End);
                    }
                    Inner { lives: one.lives, full, residual: one.residual }
                }
            };
            all.push(next);
            if !must {
                all.push(one);
            }
        }
        all.sort_unstable();
        all.dedup();
        *inner = all;
        Ok(())
    }

    /// Whether the object of a parameter may be among some objects, and whether it must be.
    fn hits(&self, param: usize, life: Life, objects: Objects) -> (bool, bool) {
        match (life, self.filled[param]) {
            (Life::Inside, Filled::Origin(origin)) => {
                let hit = objects & recent_bit(origin) != 0;
                let known = match Mistake::NullForgotten.is_made() {
                    true => objects & !NULL,
                    false => objects,
                };
                (hit, known == recent_bit(origin) || hit && Mistake::MayIsMust.is_made())
            }
            (Life::Outside, Filled::Outside) => (objects & OUTSIDE != 0, false),
            (Life::Outside, Filled::Origin(origin)) => {
                (objects & (OUTSIDE | recent_bit(origin) | old_bit(origin)) != 0, false)
            }
            _ => (false, false),
        }
    }

    /// Events that a call may raise for objects that it received.
    fn emissions(
        &self,
        node: NodeId,
        stirs: Letters,
        inner: &mut Vec<Inner>,
    ) -> Result<(), Refusal> {
        let Explorer { body, flow, .. } = *self.explorer;
        let Op::Call(call) = &body.nodes[node as usize].op else { return Ok(()) };
        let (Some(effect), Some(state)) = (flow.effects.get(&node), &flow.before[node as usize])
        else {
            return Ok(());
        };
        let none = effect.emits.iter().all(|letters| *letters == 0);
        if none || Mistake::NoEmissions.is_made() {
            return Ok(());
        }
        let lent = |param: usize| match self.filled[param] {
            Filled::Outside => 0,
            Filled::Origin(origin) => {
                let args = call.args.iter().enumerate();
                args.fold(0, |set, (index, arg)| match arg {
                    Some(arg) if state.vars[usize::from(*arg)] & recent_bit(origin) != 0 => {
                        set | effect.emits[index]
                    }
                    _ => set,
                })
            }
        };
        let lent: Vec<Letters> = (0..self.filled.len()).map(lent).collect();
        self.close(node, stirs, inner, &|param, letter| lent[param] >> letter & 1 == 1)
    }

    /// Events of which a new object was part before this method gets it.
    fn history(
        &self,
        node: NodeId,
        stirs: Letters,
        made: &[usize],
        inner: &mut Vec<Inner>,
    ) -> Result<(), Refusal> {
        let Explorer { body, flow, .. } = *self.explorer;
        let emits = flow.effects.get(&node);
        let state = &flow.before[node as usize];
        let may = |param: usize, letter: usize| match self.filled[param] {
            Filled::Outside => false,
            Filled::Origin(origin) if made.contains(&origin) => {
                flow.origins[origin].history >> letter & 1 == 1
            }
            Filled::Origin(origin) => {
                let (Op::Call(call), Some(effect), Some(state)) =
                    (&body.nodes[node as usize].op, emits, state)
                else {
                    return true;
                };
                call.args.iter().enumerate().any(|(index, arg)| {
                    arg.is_some_and(|arg| {
                        state.vars[usize::from(arg)] & recent_bit(origin) != 0
                            && effect.emits[index] >> letter & 1 == 1
                    })
                })
            }
        };
        self.close(node, stirs, inner, &may)
    }

    /// Closes pairs under letters whose inside parameters are all allowed, and, among those without
    /// inside parameters, under the given ones.
    fn close(
        &self,
        node: NodeId,
        stirs: Letters,
        inner: &mut Vec<Inner>,
        may: &dyn Fn(usize, usize) -> bool,
    ) -> Result<(), Refusal> {
        let letters = &self.explorer.machines.letters;
        let mut all: FastSet<Inner> = FastSet::default();
        let mut work = std::mem::take(inner);
        while let Some(one) = work.pop() {
            if !all.insert(one) {
                continue;
            }
            for letter in iter(self.machine.letters) {
                let mut inside = false;
                let happens = (0..one.lives.len())
                    .filter(|p| letters[letter].params >> p & 1 == 1)
                    .all(|param| match one.lives[param] {
                        Life::Outside => true,
                        Life::Inside => {
                            inside = true;
                            may(param, letter)
                        }
                        Life::Unborn | Life::Dead => false,
                    });
                if happens && (inside || stirs >> letter & 1 == 1) {
                    work.push(self.both(node, letter, &one)?);
                }
            }
        }
        inner.extend(all);
        Ok(())
    }

    /// Objects of some origins are created: each is either the object of the slice or not.
    fn born(&self, node: NodeId, made: &[usize], one: &Inner) -> Vec<Inner> {
        let Explorer { body, flow, .. } = *self.explorer;
        let clears = &body.nodes[node as usize].clears;
        // The recent object becomes an old one. It lives on if some code still has it, including an
        // event after the operation that created its successor.
        let named = |var: u16| {
            let events = body.nodes[node as usize].events.iter();
            events.flat_map(|e| &e.operands).any(|operand| *operand == Operand::Var(var))
        };
        let held = |origin: usize| {
            flow.before[node as usize].as_ref().is_none_or(|state| {
                state.vars.iter().enumerate().any(|(var, objects)| {
                    let var = var as u16;
                    objects & recent_bit(origin) != 0 && (!clears.contains(&var) || named(var))
                })
            })
        };
        let mut aged = *one;
        let mut waiting = Vec::new();
        for (param, (life, filled)) in aged.lives.iter_mut().zip(self.filled).enumerate() {
            let Filled::Origin(origin) = filled else { continue };
            if !made.contains(origin) {
                continue;
            }
            match life {
                Life::Inside if made.iter().any(|o| held(*o)) => *life = Life::Outside,
                Life::Inside => *life = Life::Dead,
                Life::Unborn => waiting.push(param),
                _ => {}
            }
        }
        // Each parameter that waits for an object of these origins may take this one.
        (0..1u32 << waiting.len())
            .map(|choice| {
                let mut one = aged;
                for (index, param) in waiting.iter().enumerate() {
                    if choice >> index & 1 == 1 {
                        one.lives[*param] = Life::Inside;
                    }
                }
                one
            })
            .collect()
    }
}
