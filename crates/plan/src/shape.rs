//! How the instances of a context are stored, and how an event finds those it concerns.
//!
//! # Partitions and indexes
//!
//! Instances are kept in partitions: by the set of parameters they bind (their *domain*), or, for
//! a register property, by state. A partition has an index for exactly the combinations of
//! parameters (registers) some event looks it up by.
//!
//! # Which instances need not exist
//!
//! Parametric slicing defines a table that holds an instance for every combination of values that
//! occurred together; most of them never do anything. Where it makes no difference, the engine
//! keeps an instance only once a transition was taken on it that its *source*, the largest kept
//! instance below it, did not take. The others are *virtual*: they have, at every moment, the
//! configuration of their source. Claim: under the conditions below, verdicts are those of the
//! full table.
//!
//! Let `full` be the union of all placements' domains, a domain *small* if it is not `full`, and
//! `reach(Y)` the states an instance with domain Y can be in (by events whose placement lies
//! within Y, starting from `start` and from `reach` of the domains below). Conditions:
//!
//! 1. the context has no clocks and compares parameters by themselves, and the property has no
//!    outputs (their order would show), unless every event is placed by all parameters, so that
//!    one instance acts at a time;
//! 2. in a state of `reach(Y)`, Y small, there is no deadline, it is not `pending`, and the moves
//!    on events placed within Y enter no `bad` or `good` state and output nothing: a small
//!    instance is never seen from outside;
//! 3. those moves read parameters only by comparing them with arguments at a place the event's
//!    placement puts that parameter: they do the same in an instance and in a larger one;
//! 4. the small domains in which some event can be taken at all form a chain;
//! 5. if there is a `drop`, that chain holds nothing but the empty domain;
//! 6. with creation events, initial values and the start state's entry action read no parameters:
//!    slices that begin with one event begin alike.
//!
//! *Proof*, by induction over the events. Say T is in the table and virtual, with source M: they
//! have the same configuration. An event with binding θ ⊑ M steps both, and by 3 they do the same;
//! by 2 no instance sees T (T's configuration is M's, and M is small, since M ≠ T). An event with
//! θ ⊑ T, θ ⋢ M: the engine considers θ ⊔ M ⊑ T, a copy of M. If a transition is taken on it, it is
//! kept, and is T or the new source of T (by 4 the kept instances below T form a chain, so the
//! largest is unique), which took the same transition by 3. If not, T takes none either. An
//! instance the table does not hold is created there as a copy of the largest below it, which is
//! kept or virtual, and in both cases has the configuration of the largest *kept* one; again by 4.
//! The end of a value's life removes M only together with all T above it. A `drop` can remove T
//! and leave its parts, so that “the largest below” is not unique; by 5 all of them are then
//! virtual copies of ⊥. ∎
//!
//! What can differ is the order of creation, hence the order of reports of *one* property at *one*
//! event: it is the order in which instances were first kept.
//!
//! By the same argument an instance whose configuration has become that of its source again may be
//! forgotten: `forget`, used where ⊥ never changes, so that the comparison is with a constant.
//!
//! # What must be looked up
//!
//! For an event placed by X and a partition Y ⊇ X: the members that agree on X are stepped. For
//! Y ⊉ X: members that agree on X ∩ Y are joined with θ; where instances may be virtual that is
//! only needed if a member of Y can be in a state in which the event may take a transition.

use std::collections::BTreeSet;

use watchword_model::{
    Context, ContextId, Creation, Label, Model, Pattern, Place, Property, StateId, StateKind,
    Target,
};
use watchword_step::NONE;

use crate::Ways;
use crate::effects;
use crate::enable::{self, Enabled, Enabling, Mark, Pair, Rest};
use crate::late::{self, Late};
use crate::unit::{KindRow, Unit};

/// A set of parameters or registers, as bits.
pub type Mask = u32;

/// A partition, by its set of bound parameters or by its state.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The parameters its members bind.
    pub domain: Mask,
    /// By what they are looked up; the first is always the whole domain.
    pub indexes: Vec<Mask>,
}

/// Where an event looks: a partition, and one of its indexes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lookup {
    /// The partition.
    pub partition: usize,
    /// The index.
    pub index: usize,
}

/// One placement of a kind of event.
#[derive(Clone, Debug)]
pub struct Route {
    /// The parameters it binds.
    pub domain: Mask,
    /// Pairs of parameter and argument.
    pub pairs: Vec<(u32, u32)>,
    /// Partitions whose agreeing members are stepped.
    pub steps: Vec<Lookup>,
    /// Partitions whose agreeing members are joined with the event's binding.
    pub joins: Vec<Lookup>,
    /// Whether the event's own binding may have to be created.
    pub creates: bool,
    /// The partition of the event's own binding, if there is one.
    pub own: Option<usize>,
}

/// How instances of a sliced property or of one context are stored.
#[derive(Clone, Debug)]
pub struct Slices {
    /// The partitions; the first is the empty domain where the rule has one.
    pub partitions: Vec<Partition>,
    /// By kind of event: its placements.
    pub routes: Vec<Vec<Route>>,
    /// Whether instances that would equal their source are not kept.
    pub lazy: bool,
    /// Whether an instance that returned to the initial configuration is forgotten.
    pub forget: bool,
    /// Why instances are all kept, if they are.
    pub reason: &'static str,
    /// By partition and state: whether its members can be there. Empty where instances are all
    /// kept, since nothing relies on it then.
    pub reach: Vec<Vec<bool>>,
    /// A parameter every kept instance but ⊥ binds, while ⊥ never changes: the configuration falls
    /// apart by its value. Of several, the one most events carry.
    pub pivot: Option<u32>,
    /// Which joins are not made; see `enable`.
    pub enabling: Option<Enabling>,
    /// How the states of instances of all parameters follow from those of fewer ones; see `late`.
    pub late: Option<Late>,
    /// If instances multiply, because an event is joined with others it shares no parameter with:
    /// why they cannot be joined late.
    pub product: Option<&'static str>,
}

pub(crate) fn mask_of(pairs: &[(u32, u32)]) -> Mask {
    pairs.iter().fold(0, |mask, (param, _)| mask | 1 << param)
}

/// All unions of these sets, the empty one first, by size.
fn unions(sets: &[Mask]) -> Vec<Mask> {
    let mut all = BTreeSet::from([0]);
    for set in sets {
        let more: Vec<Mask> = all.iter().map(|m| m | set).collect();
        all.extend(more);
    }
    let mut all: Vec<Mask> = all.into_iter().collect();
    all.sort_by_key(|m| (m.count_ones(), *m));
    all
}

impl Partition {
    fn new(domain: Mask) -> Partition {
        Partition { domain, indexes: vec![domain] }
    }

    fn index(&mut self, by: Mask) -> usize {
        match self.indexes.iter().position(|m| *m == by) {
            Some(at) => at,
            None => {
                self.indexes.push(by);
                self.indexes.len() - 1
            }
        }
    }
}

/// A state, and whether the slice has begun.
type Stage = (u32, bool);

struct Analysis<'a> {
    property: &'a Property,
    unit: &'a Unit,
    start: Stage,
    domains: Vec<Mask>,
    /// By domain.
    reach: Vec<BTreeSet<Stage>>,
}

impl<'a> Analysis<'a> {
    fn new(property: &'a Property, unit: &'a Unit, domains: Vec<Mask>) -> Analysis<'a> {
        let begun = !unit.kinds.iter().any(|k| k.creation);
        let mut this =
            Analysis { property, unit, start: (unit.start, begun), domains, reach: Vec::new() };
        for at in 0..this.domains.len() {
            let mut reach = BTreeSet::from([this.start]);
            for below in 0..at {
                if this.domains[below] & !this.domains[at] == 0 {
                    reach.extend(&this.reach[below]);
                }
            }
            this.close(this.domains[at], &mut reach);
            this.reach.push(reach);
        }
        this
    }

    fn within(kind: &KindRow, domain: Mask) -> bool {
        kind.placements.iter().any(|p| mask_of(p) & !domain == 0)
    }

    fn close(&self, domain: Mask, reach: &mut BTreeSet<Stage>) {
        let mut todo: Vec<Stage> = reach.iter().copied().collect();
        while let Some(stage) = todo.pop() {
            let mut next = Vec::new();
            for (k, kind) in self.unit.kinds.iter().enumerate() {
                if !Self::within(kind, domain) || self.is_quiet(stage, k) {
                    continue;
                }
                next.push((stage.0, true));
                for transition in self.moves(stage.0, k) {
                    let t = &self.property.transitions[transition as usize];
                    for branch in std::iter::once(&t.then).chain(&t.otherwise) {
                        next.push(self.after(stage, branch.target));
                    }
                }
            }
            if let Some(deadline) = &self.property.states[stage.0 as usize].deadline {
                next.push(self.after(stage, deadline.branch.target));
            }
            todo.extend(next.into_iter().filter(|n| reach.insert(*n)));
        }
    }

    fn after(&self, stage: Stage, target: Target) -> Stage {
        match target {
            Target::State(state) => (state.0, true),
            Target::Stay => (stage.0, true),
            Target::Drop => self.start,
        }
    }

    fn moves(&self, state: u32, kind: usize) -> impl Iterator<Item = u32> + '_ {
        moves(self.unit, state, kind)
    }

    /// Whether an event cannot change a configuration in this stage.
    fn is_quiet(&self, (state, begun): Stage, kind: usize) -> bool {
        if !begun {
            return !self.unit.kinds[kind].creation;
        }
        // Configurations change by events that enter their windows, too.
        let enters = self.unit.enters(kind as u32)
            && !self.property.is_settled(StateId::from_index(state as usize));
        !enters && self.moves(state, kind).next().is_none()
    }

    /// Whether some event can change an instance of this domain.
    fn is_active(&self, domain: usize) -> bool {
        self.unit.kinds.iter().enumerate().any(|(k, kind)| {
            Self::within(kind, self.domains[domain])
                && self.reach[domain].iter().any(|stage| !self.is_quiet(*stage, k))
        })
    }

    /// Why instances cannot be virtual; see the conditions in the module's text.
    fn obstacle(&self) -> Option<&'static str> {
        let full = *self.domains.last()?;
        // An event that can concern one instance only has no order of instances.
        let alone = |k: &KindRow| matches!(&k.placements[..], [only] if mask_of(only) == full);
        let outputs = effects::branches(self.property)
            .any(|b| effects::run_by(self.property, b).into_iter().any(effects::stmts_output));
        if outputs && !self.unit.kinds.iter().all(alone) {
            return Some("it has outputs, whose order is that of all instances");
        }
        for (at, domain) in self.domains.iter().enumerate().filter(|(_, d)| **d != full) {
            for stage in &self.reach[at] {
                let state = &self.property.states[stage.0 as usize];
                // What has not begun is in no state.
                if stage.1 && (state.kind == StateKind::Pending || state.deadline.is_some()) {
                    return Some("an instance with few parameters can be pending or wait");
                }
                for (k, kind) in self.unit.kinds.iter().enumerate() {
                    let steps = Self::within(kind, *domain) && !self.is_quiet(*stage, k);
                    let seen =
                        steps.then(|| visible_move(self.property, self.unit, stage.0, k)).flatten();
                    if seen.is_some() {
                        return seen;
                    }
                }
            }
        }
        let active: Vec<Mask> = (0..self.domains.len())
            .filter(|d| self.domains[*d] != full && self.is_active(*d))
            .map(|d| self.domains[d])
            .collect();
        // Sorted by size, so a chain is a list in which each contains the one before.
        if active.windows(2).any(|pair| pair[0] & !pair[1] != 0) {
            return Some("instances with different few parameters can advance on their own");
        }
        let drops = effects::branches(self.property).any(|b| b.target == Target::Drop);
        if drops && active.iter().any(|d| *d != 0) {
            return Some("instances with few parameters can advance and others be dropped");
        }
        None
    }
}

/// The moves an event of a kind tries in a state, in order.
pub(crate) fn moves(unit: &Unit, state: u32, kind: usize) -> impl Iterator<Item = u32> + '_ {
    let tables = &unit.tables;
    let row = tables.rows[state as usize * tables.kinds as usize + kind];
    row.of(&tables.order).iter().copied()
}

/// Whether a move of a small instance can be seen, or depends on parameters.
pub(crate) fn visible_move(
    property: &Property,
    unit: &Unit,
    state: u32,
    kind: usize,
) -> Option<&'static str> {
    let row = &unit.kinds[kind];
    for transition in moves(unit, state, kind) {
        let t = &property.transitions[transition as usize];
        for branch in std::iter::once(&t.then).chain(&t.otherwise) {
            if let Target::State(target) = branch.target {
                let kind = property.states[target.index()].kind;
                if matches!(kind, StateKind::Bad | StateKind::Good) {
                    return Some("an instance with few parameters can be reported");
                }
            }
            if effects::run_by(property, branch).into_iter().any(effects::stmts_read_params) {
                return Some("an update of few parameters reads them");
            }
        }
        for label in &t.labels {
            if let Some(why) = label_sees_params(label, row) {
                return Some(why);
            }
        }
    }
    let event = Some(row.event);
    for window in property.windows.iter().filter(|w| w.label.event == event) {
        if window.of.as_ref().is_some_and(effects::expr_reads_params) {
            return Some("a window of few parameters reads them");
        }
        if let Some(why) = label_sees_params(&window.label, row) {
            return Some(why);
        }
    }
    None
}

/// Whether a label reads parameters that may be unbound, or otherwise than by comparing them.
fn label_sees_params(label: &Label, row: &KindRow) -> Option<&'static str> {
    if label.guard.as_ref().is_some_and(effects::expr_reads_params) {
        return Some("a guard of few parameters reads them");
    }
    for (arg, pattern) in (0..).zip(&label.args) {
        let (Pattern::Equal(Place::Param(p)) | Pattern::Differs(Place::Param(p))) = pattern else {
            continue;
        };
        // Placed at this argument by every placement: bound, and the same, in all.
        if !row.placements.iter().all(|pairs| pairs.contains(&(p.0, arg))) {
            return Some("a label compares a parameter that may be unbound");
        }
    }
    None
}

/// Plans a property of rule `chen-rosu`.
pub(crate) fn chen_rosu(model: &Model, unit: &Unit, ways: Ways) -> Slices {
    let mut plain = without_enabling(model, unit);
    let has_joins = plain.routes.iter().flatten().any(|r| !r.joins.is_empty());
    if plain.lazy && !has_joins {
        return plain;
    }
    let property = &model.properties[unit.property.index()];
    let context = &model.contexts[unit.context.index()];
    if !context.clocks.is_empty() || context.keys.iter().any(Option::is_some) {
        return plain;
    }
    for rest in [Rest::Start, Rest::Dead] {
        if ways.enable
            && let Some(found) = enable::enabled(property, context, unit, rest)
            && found.is_used()
        {
            return with_enabling(context, property, unit, found, !plain.lazy);
        }
    }
    match late::late(model, property, context, unit) {
        Ok(late) if ways.late => return with_late(context, unit, late),
        Ok(_) => {}
        Err(why) if plain.has_product() => plain.product = Some(why),
        Err(_) => {}
    }
    plain
}

impl Slices {
    /// Whether some event is joined with instances it shares no parameter with.
    fn has_product(&self) -> bool {
        let mut routes = self.routes.iter().flatten();
        routes.any(|route| {
            let shares = |join: &Lookup| self.partitions[join.partition].domain & route.domain;
            route.domain != 0 && route.joins.iter().any(|join| shares(join) == 0)
        })
    }
}

/// Plans a property of rule `chen-rosu` whose instances of all parameters are made late.
fn with_late(context: &Context, unit: &Unit, late: Late) -> Slices {
    let full = unit.kinds.iter().fold(0, |all, kind| all | mask_of(&kind.placements[0]));
    let mut partitions: Vec<Partition> =
        std::iter::once(0).chain(late.parts.iter().copied()).map(Partition::new).collect();
    partitions.sort_by_key(|p| (p.domain.count_ones(), p.domain));
    partitions.push(Partition::new(full));
    let mut routes = Vec::new();
    for row in &unit.kinds {
        let pairs = &row.placements[0];
        let x = mask_of(pairs);
        let mut steps = Vec::new();
        for (at, partition) in partitions.iter_mut().enumerate() {
            if x & !partition.domain == 0 {
                let index = partition.index(x);
                steps.push(Lookup { partition: at, index });
            }
        }
        let own = partitions.iter().position(|p| p.domain == x);
        let (domain, pairs, joins) = (x, pairs.clone(), Vec::new());
        routes.push(vec![Route { domain, pairs, steps, joins, creates: x != 0, own }]);
    }
    index_ends(context, &mut partitions);
    Slices {
        partitions,
        routes,
        lazy: true,
        // A part that was forgotten would be missing in the history of the whole.
        forget: false,
        reason: "",
        reach: Vec::new(),
        pivot: None,
        enabling: None,
        late: Some(late),
        product: None,
    }
}

/// Plans a property of rule `chen-rosu` whose joins are not all made.
fn with_enabling(
    context: &Context,
    property: &Property,
    unit: &Unit,
    found: Enabled,
    is_needed: bool,
) -> Slices {
    let mut partitions: Vec<Partition> =
        found.kept.iter().map(|(domain, _)| Partition::new(*domain)).collect();
    let mut routes = Vec::new();
    let mut marks = Vec::new();
    for (kind, row) in unit.kinds.iter().enumerate() {
        let pairs = &row.placements[0];
        let x = mask_of(pairs);
        let mut route = Route {
            domain: x,
            pairs: pairs.clone(),
            steps: Vec::new(),
            joins: Vec::new(),
            creates: false,
            own: partitions.iter().position(|p| p.domain == x),
        };
        let mut rests = Vec::new();
        let mut only_last = true;
        for (at, partition) in partitions.iter_mut().enumerate() {
            let y = partition.domain;
            match found.pairs[kind].get(&y) {
                None => {
                    let moves = |s: &u32| moves(unit, *s, kind).next().is_some();
                    // An instance that stays where a starter leads is in step from then on.
                    let is_in_step = found.starters[kind];
                    if y != 0 && (is_in_step || found.kept[at].1.iter().any(moves)) {
                        let index = partition.index(x);
                        route.steps.push(Lookup { partition: at, index });
                    }
                }
                Some(Pair::Enabled) if y & !x == 0 => route.creates = true,
                Some(Pair::Enabled) => {
                    let index = partition.index(x & y);
                    route.joins.push(Lookup { partition: at, index });
                }
                Some(Pair::Rests) => rests.push(at),
                Some(Pair::Quiet) => {}
            }
            let is_resting = matches!(found.pairs[kind].get(&y), Some(Pair::Rests) | None);
            only_last &= rests.is_empty() || is_resting;
        }
        marks.push((!rests.is_empty()).then_some(Mark { domain: x, partitions: rests, only_last }));
        routes.push(vec![route]);
    }
    index_ends(context, &mut partitions);
    let pivot = fit_pivot(context, unit, &partitions, &routes);
    let states = 0..property.states.len() as u32;
    let reach =
        found.kept.iter().map(|(_, reach)| states.clone().map(|s| reach.contains(&s)).collect());
    let reach = reach.collect();
    let Enabled { rest, starters, dead, .. } = found;
    Slices {
        partitions,
        routes,
        lazy: true,
        forget: false,
        reason: "",
        reach,
        pivot,
        late: None,
        product: None,
        enabling: Some(Enabling { rest, marks, starters, dead, is_needed }),
    }
}

/// Has everybody found by the parameters whose life may end.
fn index_ends(context: &Context, partitions: &mut [Partition]) {
    for end in &context.ends {
        for partition in &mut *partitions {
            if partition.domain & (1 << end.param.0) != 0 {
                partition.index(1 << end.param.0);
            }
        }
    }
}

/// The pivot, if lives end where they are lived: by the argument that says where.
fn fit_pivot(
    context: &Context,
    unit: &Unit,
    partitions: &[Partition],
    routes: &[Vec<Route>],
) -> Option<u32> {
    pivot(partitions, routes).filter(|p| {
        context.ends.iter().all(|end| {
            unit.kinds.iter().zip(routes).filter(|(k, _)| k.event == end.event).all(|(_, r)| {
                let here = r[0].pairs.iter().find(|(param, _)| param == p);
                here.is_none_or(|pair| *pair == (end.param.0, end.arg))
            })
        })
    })
}

fn without_enabling(model: &Model, unit: &Unit) -> Slices {
    let property = &model.properties[unit.property.index()];
    let context = &model.contexts[unit.context.index()];
    let placed: Vec<Mask> =
        unit.kinds.iter().flat_map(|k| k.placements.iter().map(|p| mask_of(p))).collect();
    let analysis = Analysis::new(property, unit, unions(&placed));
    let full = analysis.domains.last().copied().unwrap_or(0);
    let obstacle = if !context.clocks.is_empty() {
        Some("it has clocks")
    } else if context.keys.iter().any(Option::is_some) {
        // Values with one key look different, and the first one seen is shown.
        Some("parameters are compared by a key")
    } else if unit.has_creation && begins_differently(model, property) {
        Some("how a slice begins depends on its parameters, or can be seen")
    } else {
        analysis.obstacle()
    };
    let lazy = obstacle.is_none() && full != 0;
    let kept: Vec<usize> = (0..analysis.domains.len())
        .filter(|d| {
            let domain = analysis.domains[*d];
            !lazy || domain == 0 || domain == full || analysis.is_active(*d)
        })
        .collect();
    let mut partitions: Vec<Partition> =
        kept.iter().map(|d| Partition::new(analysis.domains[*d])).collect();
    let mut routes = Vec::new();
    for (k, kind) in unit.kinds.iter().enumerate() {
        let mut of_kind = Vec::new();
        for pairs in &kind.placements {
            let x = mask_of(pairs);
            let awake = |at: usize| {
                !lazy || analysis.reach[kept[at]].iter().any(|s| !analysis.is_quiet(*s, k))
            };
            let mut route = Route {
                domain: x,
                pairs: pairs.clone(),
                steps: Vec::new(),
                joins: Vec::new(),
                creates: false,
                own: partitions.iter().position(|p| p.domain == x),
            };
            for (at, partition) in partitions.iter_mut().enumerate() {
                let y = partition.domain;
                if x & !y == 0 {
                    if awake(at) {
                        let index = partition.index(x);
                        route.steps.push(Lookup { partition: at, index });
                    }
                } else if awake(at) && y != 0 {
                    let index = partition.index(x & y);
                    route.joins.push(Lookup { partition: at, index });
                }
                // A binding that is not there is a copy of one below it.
                if y & !x == 0 && awake(at) {
                    route.creates = true;
                }
            }
            of_kind.push(route);
        }
        routes.push(of_kind);
    }
    index_ends(context, &mut partitions);
    let bottom_moves = analysis.domains.first() == Some(&0) && analysis.is_active(0);
    let small_moves =
        (0..analysis.domains.len()).any(|d| analysis.domains[d] != full && analysis.is_active(d));
    let pivot =
        (lazy && !bottom_moves).then(|| fit_pivot(context, unit, &partitions, &routes)).flatten();
    let reach = match lazy {
        true => kept
            .iter()
            .map(|d| {
                let is = |s: u32| analysis.reach[*d].contains(&(s, true));
                (0..property.states.len() as u32).map(is).collect()
            })
            .collect(),
        false => Vec::new(),
    };
    Slices {
        partitions,
        routes,
        lazy,
        reach,
        forget: lazy && !bottom_moves && !small_moves,
        reason: obstacle.unwrap_or(""),
        pivot,
        enabling: None,
        late: None,
        product: None,
    }
}

/// Whether instances of one moment can begin differently, or be seen to begin: a variable or the
/// entry action of the start state reads parameters, or there is an output.
fn begins_differently(model: &Model, property: &Property) -> bool {
    let entry = &property.states[property.start.index()].entry;
    let context = &model.contexts[property.context.index()];
    effects::stmts_output(entry)
        || effects::stmts_read_params(entry)
        || context.variables.iter().any(|v| {
            let init = &model.variables[v.index()].init;
            effects::expr_reads_params(init) || effects::expr_writes(init)
        })
}

/// See [`Slices::pivot`].
fn pivot(partitions: &[Partition], routes: &[Vec<Route>]) -> Option<u32> {
    if routes.iter().any(|of_kind| of_kind.len() != 1) {
        return None;
    }
    let common = partitions.iter().filter(|p| p.domain != 0).fold(Mask::MAX, |m, p| m & p.domain);
    (0..Mask::BITS)
        .filter(|p| common & 1 << p != 0)
        .max_by_key(|p| routes.iter().filter(|r| r[0].domain & 1 << p != 0).count())
}

/// Plans a property of rule `verde`: domains are those of the labels' own placements.
pub(crate) fn verde(model: &Model, unit: &Unit) -> Slices {
    let context = &model.contexts[unit.context.index()];
    let mut domains: Vec<Mask> = unit.own_placements.iter().map(|p| mask_of(p)).collect();
    domains.push(0);
    domains.sort_by_key(|m| (m.count_ones(), *m));
    domains.dedup();
    let mut partitions: Vec<Partition> = domains.into_iter().map(Partition::new).collect();
    let mut routes = Vec::new();
    for kind in 0..unit.kinds.len() as u32 {
        let mut of_kind: Vec<Route> = Vec::new();
        for (step, pairs) in unit.own_placements.iter().enumerate() {
            let label = unit.tables.labels.get(unit.tables.moves[step].labels.start as usize);
            let fits = label.is_some_and(|l| l.kind == kind || l.kind == NONE);
            if !fits || of_kind.iter().any(|r| r.pairs == *pairs) {
                continue;
            }
            let x = mask_of(pairs);
            let mut route = Route {
                domain: x,
                pairs: pairs.clone(),
                steps: Vec::new(),
                joins: Vec::new(),
                creates: true,
                own: partitions.iter().position(|p| p.domain == x),
            };
            for (at, partition) in partitions.iter_mut().enumerate() {
                let index = partition.index(x & partition.domain);
                let lookup = Lookup { partition: at, index };
                if x & !partition.domain == 0 {
                    route.steps.push(lookup);
                } else {
                    route.joins.push(lookup);
                }
            }
            of_kind.push(route);
        }
        routes.push(of_kind);
    }
    index_ends(context, &mut partitions);
    Slices {
        partitions,
        routes,
        lazy: false,
        reach: Vec::new(),
        forget: false,
        reason: "the rule is verde",
        pivot: None,
        enabling: None,
        late: None,
        product: None,
    }
}

/// Plans the instances of one context of rule `larva`: one partition, in which all parameters of
/// the chain are bound. The routes are per property of the context and kind of event, flattened
/// in [`LarvaContext`].
#[derive(Clone, Debug)]
pub struct LarvaContext {
    /// The one partition.
    pub partition: Partition,
    /// The index by the parameters of the enclosing context.
    pub by_parent: usize,
    /// By end of life of the root: the index by its parameter.
    pub by_end: Vec<usize>,
    /// By property of the context and kind of event: the placements, with the index of each.
    pub routes: Vec<Vec<Vec<(usize, Route)>>>,
}

/// Plans a context of rule `larva`.
pub(crate) fn larva(model: &Model, context: ContextId, units: &[&Unit]) -> LarvaContext {
    let params = model.params(context).len();
    let own = model.contexts[context.index()].params.len();
    let mask = |n: usize| if n == 0 { 0 } else { Mask::MAX >> (Mask::BITS as usize - n) };
    let mut partition = Partition::new(mask(params));
    let by_parent = partition.index(mask(params - own));
    let root = model.chain(context)[0];
    let by_end = model.contexts[root.index()]
        .ends
        .iter()
        .map(|end| partition.index(1 << end.param.0))
        .collect();
    let routes = units
        .iter()
        .map(|unit| {
            unit.kinds
                .iter()
                .map(|kind| {
                    kind.placements
                        .iter()
                        .map(|pairs| {
                            let x = mask_of(pairs);
                            let index = partition.index(x);
                            let route = Route {
                                domain: x,
                                pairs: pairs.clone(),
                                steps: vec![Lookup { partition: 0, index }],
                                joins: Vec::new(),
                                creates: x == partition.domain,
                                own: (x == partition.domain).then_some(0),
                            };
                            (index, route)
                        })
                        .collect()
                })
                .collect()
        })
        .collect();
    LarvaContext { partition, by_parent, by_end, routes }
}

/// Which rule a context follows, in a word.
pub(crate) fn rule_name(rule: &Creation) -> &'static str {
    match rule {
        Creation::ChenRosu { .. } => "chen-rosu",
        Creation::Verde => "verde",
        Creation::Larva => "larva",
        Creation::Registers => "registers",
    }
}
