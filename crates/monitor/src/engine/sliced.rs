//! Parametric slicing, and the rule `verde`.
//!
//! The instances that an event concerns are found through indexes only. The module `shape` of
//! `watchword_plan` describes which instances exist and why that is sufficient.

use watchword_model::{Creation, PropertyId};
use watchword_plan::{
    Action, ContextUnit, Enabling, Late, Lookup, Mask, Rest, Route, Shape, Slices, Unit,
};
use watchword_step::{NONE, Taken, Target, Tried, Word, moves, try_move};

use super::group::{At, Group, Stepped};
use super::history::EMPTY;
use super::limit::Verdict;
use super::short;
use super::shortcut;
use super::store::Matching;
use super::world::{Letter, World, clear_locals};
use crate::Cause;

/// The instance without bindings.
pub(crate) fn start(group: &mut Group, at: At<'_>, world: &mut World) {
    let context = &at.plan.contexts[group.root.index()];
    let binding = vec![Word::UNSET; context.vars_at()];
    let begun = match &at.plan.model.contexts[group.root.index()].rule {
        Creation::ChenRosu { creation } => creation.is_empty(),
        _ => true,
    };
    group.create(at, world, 0, &binding, begun);
}

/// The record of ⊥: it was created first and is never removed.
const BOTTOM: u32 = 0;

fn slices<'p>(at: At<'p>) -> &'p Slices {
    match at.shape {
        Shape::ChenRosu(_, slices) | Shape::Verde(_, slices) => slices,
        _ => unreachable!("only sliced properties get here"),
    }
}

/// Data that is common to all parts of one step.
#[derive(Clone, Copy)]
struct Now<'p> {
    at: At<'p>,
    unit: &'p Unit,
    context: &'p ContextUnit,
    slices: &'p Slices,
    kind: u32,
}

/// Bindings that an event makes necessary, and the instance of which each is a copy.
#[derive(Clone, Debug, Default)]
pub(crate) struct New {
    sources: Vec<u32>,
    /// Each has the length of a binding.
    words: Vec<Word>,
    /// Temporary: the binding that is being considered, and the bindings with which an event is
    /// joined.
    binding: Vec<Word>,
    joined: Vec<u32>,
}

/// Processes an event of a property of rule `chen-rosu`.
#[inline(always)]
pub(crate) fn step(group: &mut Group, at: At<'_>, world: &mut World, letter: &Letter<'_>) {
    if !shortcut::step(group, at, world, letter) {
        step_any(group, at, world, letter);
    }
}

#[inline(never)]
fn step_any(group: &mut Group, at: At<'_>, world: &mut World, letter: &Letter<'_>) {
    let unit = at.unit(0);
    let Some(kind) = world.observed(unit, letter) else { return };
    let context = &at.plan.contexts[group.root.index()];
    let now = &Now { at, unit, context, slices: slices(at), kind };
    let routes = &now.slices.routes[kind as usize];
    if let [route] = &routes[..]
        && route.joins.is_empty()
        && step_simple(group, now, world, route, letter)
    {
        return;
    }
    step_general(group, now, world, routes, letter);
}

/// The general case: several placements, joins, bindings to create.
#[inline(never)]
fn step_general(
    group: &mut Group,
    now: &Now<'_>,
    world: &mut World,
    routes: &[Route],
    letter: &Letter<'_>,
) {
    let Now { at, slices, context, .. } = *now;
    let mut targets = std::mem::take(&mut group.targets);
    let mut new = std::mem::take(&mut group.new);
    targets.clear();
    new.sources.clear();
    new.words.clear();

    // First the existing targets, in order of creation; then the targets to create, which are
    // copies of configurations before this event.
    let dedup = routes.len() > 1;
    let mut is_mixed = routes.iter().map(|r| r.steps.len()).sum::<usize>() > 1;
    for route in routes {
        if !group.place(at, world, &route.pairs, letter) {
            continue;
        }
        note(group, now, world, route.domain);
        is_mixed |= look_up(group, now, route, &mut targets);
        if route.creates || !route.joins.is_empty() {
            consider(group, now, world, route, dedup, &mut new);
        }
    }
    if is_mixed && targets.len() > 1 {
        let store = &group.members[0].store;
        targets.sort_unstable_by_key(|id| store.head(*id).seq);
        targets.dedup();
    }
    let existing = targets.len();
    for (binding, source) in new.words.chunks_exact(context.vars_at().max(1)).zip(&new.sources) {
        // A mutant: copies are made of the instance without bindings.
        let source = if world.mutant(8) { BOTTOM } else { *source };
        let domain = domain_of(binding, context.params);
        let partition = slices.partitions.iter().position(|p| p.domain == domain);
        if let Some(partition) = partition
            && let Some(id) = copy_of(group, now, world, source, partition, binding)
        {
            targets.push(id);
        }
    }
    for (i, &id) in targets.iter().enumerate() {
        // A target is stepped once, so later targets still exist, unless a limit discarded one to
        // make room.
        if group.members[0].store.head(id).live {
            step_target(group, now, world, id, i >= existing, letter);
        }
    }
    group.targets = targets;
    group.new = new;
    ended(group, now, world, letter);
}

/// Steps an existing instance that an event concerns.
#[inline(always)]
fn step_known(group: &mut Group, now: &Now<'_>, world: &mut World, id: u32, letter: &Letter<'_>) {
    // The usual case: at most the state changes.
    let Now { unit, slices, kind, .. } = *now;
    let members = &mut group.members[0];
    let state = members.state(id, 0);
    let to = unit.next(state, kind);
    let has_begun = !unit.has_creation || members.store.head(id).begun;
    let returns = slices.forget && to == unit.start && to != state;
    if to == NONE || returns || !has_begun || world.is_watched() || world.mutant(6) {
        return step_target(group, now, world, id, false, letter);
    }
    world.stats[unit.property.index()].visited += 1;
    members.set_state(id, 0, to);
    keep_in_step(group, now, world, id);
}

/// Steps an instance that an event concerns. A new instance that need not exist is removed.
#[inline(never)]
fn step_target(
    group: &mut Group,
    now: &Now<'_>,
    world: &mut World,
    id: u32,
    is_new: bool,
    letter: &Letter<'_>,
) {
    let Now { at, unit, slices, kind, .. } = *now;
    let mut changed = false;
    keep_in_step(group, now, world, id);
    if unit.has_creation && !group.members[0].store.head(id).begun {
        // A mutant: a slice begins at any event.
        if unit.kinds[kind as usize].creation || world.mutant(5) {
            group.begin(at, world, id);
            changed = true;
        } else {
            if is_new && slices.lazy {
                group.members[0].remove(world, id);
            }
            return;
        }
    }
    match act(group, now, world, id, letter) {
        // It still has the configuration of its source, so it need not exist.
        Stepped::Skipped if is_new && slices.lazy && !changed => {
            group.members[0].remove(world, id);
        }
        Stepped::Skipped => {}
        Stepped::Moved => {
            // A mutant: an instance in the start state is removed, regardless of the others.
            if slices.forget || world.mutant(6) {
                forget(group, now, world, id);
            }
        }
        Stepped::Ended => {
            // A mutant: a dropped instance stays in its state.
            if !world.mutant(7) {
                group.after_end(at, world, id);
            }
        }
    }
}

/// The effect of an event on an instance, without the stack machine if the state determines it.
#[inline]
fn act(
    group: &mut Group,
    now: &Now<'_>,
    world: &mut World,
    id: u32,
    letter: &Letter<'_>,
) -> Stepped {
    let Now { at, unit, kind, .. } = *now;
    let state = group.members[0].state(id, 0);
    let action = match unit.action(state, kind) {
        Action::Choose(choices) => world.choose(unit, choices, letter.args),
        // The instance owns all its variables, so they are changed in place.
        Action::Short(moves) if now.context.outer_vars == 0 && !world.options.moves => {
            let vars = &mut group.members[0].store.words_mut(id)[now.context.vars_at()..];
            short::decide(unit, moves, vars, letter.args)
        }
        action => action,
    };
    let to = match action {
        Action::Skip => {
            world.stats[unit.property.index()].visited += 1;
            return Stepped::Skipped;
        }
        Action::Stay => state,
        Action::Go(to) if !world.options.moves => to,
        Action::Go(_) | Action::Choose(_) | Action::Short(_) | Action::Ask => {
            return group.step(at, world, id, 0, kind, letter);
        }
    };
    world.stats[unit.property.index()].visited += 1;
    if to != state {
        group.members[0].set_state(id, 0, to);
    }
    if world.history.is_on() {
        group.remember(at, world, id, 0, to, letter, false);
    }
    Stepped::Moved
}

/// The common case: one placement, no joins, and at most the event's own binding to create. In any
/// other case, returns `false` without any change.
#[inline]
fn step_simple(
    group: &mut Group,
    now: &Now<'_>,
    world: &mut World,
    route: &Route,
    letter: &Letter<'_>,
) -> bool {
    if !group.place_over(now.at, now.context, world, &route.pairs, letter) {
        // The event concerns no instance, but the life of a value in another argument may end.
        return ended(group, now, world, letter);
    }
    // The event's own binding is one of the targets, often the only one.
    if route.creates {
        let store = &group.members[0].store;
        let known = route.own.and_then(|p| store.find(p, 0, &group.key));
        match known {
            Some(id) if is_alone(route) => {
                note(group, now, world, route.domain);
                step_known(group, now, world, id, letter);
                return ended(group, now, world, letter);
            }
            Some(_) => {}
            None => {
                if let Some(source) = source_of(group, now, world, &group.key, route.domain) {
                    let (Some(partition), true) = (route.own, is_alone(route)) else {
                        return false;
                    };
                    note(group, now, world, route.domain);
                    create_own(group, now, world, route, source, partition, letter);
                    return ended(group, now, world, letter);
                }
            }
        }
    }
    note(group, now, world, route.domain);
    let store = &group.members[0].store;
    if let [lookup] = &route.steps[..] {
        match store.only(lookup.partition, lookup.index, &group.key) {
            Matching::None => return ended(group, now, world, letter),
            Matching::One(id) => {
                step_known(group, now, world, id, letter);
                return ended(group, now, world, letter);
            }
            Matching::Many => {}
        }
    }
    let mut targets = std::mem::take(&mut group.targets);
    targets.clear();
    let is_crowd = look_up(group, now, route, &mut targets);
    let store = &group.members[0].store;
    if (is_crowd || route.steps.len() > 1) && targets.len() > 1 {
        targets.sort_unstable_by_key(|id| store.head(*id).seq);
    }
    for &id in &targets {
        step_known(group, now, world, id, letter);
    }
    group.targets = targets;
    ended(group, now, world, letter)
}

/// A bucket becomes a crowd if an event leaves at least this number of its records unchanged, and
/// more than it changes.
const CROWD: usize = if cfg!(feature = "mutants") { 1 } else { 16 };

/// Finds the instances that agree with an event, without those in crowds that it does not change.
/// Returns whether they have no order.
#[inline]
fn look_up(group: &mut Group, now: &Now<'_>, route: &Route, targets: &mut Vec<u32>) -> bool {
    let mut is_crowd = false;
    for lookup in &route.steps {
        let Lookup { partition, index } = *lookup;
        let first = targets.len();
        let store = &group.members[0].store;
        is_crowd |= store.each_awake(partition, index, &group.key, now.kind, |id| targets.push(id));
        if targets.len() - first > CROWD && store.is_classified(partition, index) {
            let is_idle = |id: &&u32| now.unit.action(store.state(**id), now.kind) == Action::Skip;
            let idle = targets[first..].iter().filter(is_idle).count();
            if idle > CROWD && 2 * idle > targets.len() - first {
                group.members[0].store.make_crowd(partition, index, &group.key);
            }
        }
    }
    is_crowd
}

/// Creates the event's own binding, which is the only one that the event concerns, and steps it.
#[inline(never)]
fn create_own(
    group: &mut Group,
    now: &Now<'_>,
    world: &mut World,
    route: &Route,
    source: u32,
    partition: usize,
    letter: &Letter<'_>,
) {
    let context = now.context;
    let mut binding = std::mem::take(&mut group.key);
    // Words that the placement does not name are left over from another event.
    for i in (0..context.params).filter(|i| route.domain & 1 << i == 0) {
        binding[i] = Word::UNSET;
        binding[context.shown_at() + i] = Word::UNSET;
    }
    // A mutant: copies are made of the instance without bindings.
    let source = if world.mutant(8) { BOTTOM } else { source };
    let copy = copy_of(group, now, world, source, partition, &binding[..context.vars_at()]);
    group.key = binding;
    if let Some(id) = copy {
        step_target(group, now, world, id, true, letter);
    }
}

/// Called after the instances that an event concerns were stepped. Always returns `true`.
#[inline]
fn ended(group: &mut Group, now: &Now<'_>, world: &mut World, letter: &Letter<'_>) -> bool {
    if now.unit.kinds[now.kind as usize].ends {
        end_lives(group, now.at, world, letter);
    }
    true
}

/// Whether an event's own binding is the only one that can agree with it.
pub(crate) fn is_alone(route: &Route) -> bool {
    matches!(&route.steps[..], [only] if Some(only.partition) == route.own && only.index == 0)
}

/// Removes an instance whose configuration is that of a new one.
#[inline(never)]
fn forget(group: &mut Group, now: &Now<'_>, world: &mut World, id: u32) {
    if is_as_new(group, now.unit, now.context, world, id) {
        group.members[0].remove(world, id);
    }
}

/// Removes the instances whose configuration has become that of a new one because the last event
/// has left their windows: no event steps them then.
pub(crate) fn forget_over(group: &mut Group, at: At<'_>, world: &mut World) {
    let context = &at.plan.contexts[group.root.index()];
    if context.windows == 0 || !slices(at).forget {
        return;
    }
    for id in group.members[0].store.in_order() {
        if is_as_new(group, at.unit(0), context, world, id) {
            group.members[0].remove(world, id);
        }
    }
}

/// Whether the configuration of an instance is that of a new one. Called only if ⊥ never changes.
fn is_as_new(
    group: &Group,
    unit: &Unit,
    context: &ContextUnit,
    world: &mut World,
    id: u32,
) -> bool {
    let members = &group.members[0];
    if id == BOTTOM
        || members.state(id, 0) != unit.start
        || members.deadline(id, 0).is_running()
        || members.store.head(id).begun != members.store.head(BOTTOM).begun
    {
        return false;
    }
    let vars = context.vars_at()..context.vars_at() + context.inits.len() - context.windows;
    let windows = vars.end..vars.end + context.windows;
    let words = members.store.words(id);
    // No event ever enters the windows of ⊥.
    words[vars.clone()] == members.store.words(BOTTOM)[vars]
        && words[windows].iter().all(|window| world.heap.is_window_over(*window))
}

/// Finds the bindings that an event makes necessary: its own, and the joins with existing ones.
fn consider(
    group: &Group,
    now: &Now<'_>,
    world: &mut World,
    route: &Route,
    dedup: bool,
    new: &mut New,
) {
    let length = now.context.vars_at();
    let theta = &group.key[..length];
    let store = &group.members[0].store;
    let mut joined = std::mem::take(&mut new.joined);
    joined.clear();
    for lookup in &route.joins {
        store.each(lookup.partition, lookup.index, theta, |id| joined.push(id));
    }
    if route.joins.len() > 1 {
        joined.sort_unstable_by_key(|id| store.head(*id).seq);
    }
    // Joins with different instances of one partition are different.
    let dedup = dedup || route.creates || route.joins.len() > 1;
    if route.creates {
        new.binding.clear();
        new.binding.extend_from_slice(theta);
        add(group, now, world, route.domain, dedup, new);
    }
    world.stats[now.unit.property.index()].visited += joined.len() as u64;
    for &id in &joined {
        let own = now.slices.partitions[store.head(id).partition as usize].domain;
        // For parameters that both bind, the value of the existing instance is kept.
        let words = store.words(id)[..length].iter().zip(theta);
        new.binding.clear();
        new.binding.extend(words.map(|(a, b)| if a.is_set() { *a } else { *b }));
        add(group, now, world, own | route.domain, dedup, new);
    }
    new.joined = joined;
}

/// Adds the binding that is being considered, unless it exists already or need not exist.
fn add(group: &Group, now: &Now<'_>, world: &World, domain: Mask, dedup: bool, new: &mut New) {
    let slices = now.slices;
    let store = &group.members[0].store;
    let own = slices.partitions.iter().position(|p| p.domain == domain);
    if own.is_some_and(|p| store.find(p, 0, &new.binding).is_some()) {
        return;
    }
    let Some(source) = source_of(group, now, world, &new.binding, domain) else { return };
    let params = now.context.params;
    let same = |other: &[Word]| {
        other[..params].iter().zip(&new.binding).all(|(a, b)| {
            a.is_set() == b.is_set() && super::store::index_key(*a) == super::store::index_key(*b)
        })
    };
    if dedup && new.words.chunks_exact(new.binding.len().max(1)).any(same) {
        return;
    }
    new.words.extend_from_slice(&new.binding);
    new.sources.push(source);
}

/// The instance of which a necessary instance is a copy; `None` if it need not exist.
fn source_of(
    group: &Group,
    now: &Now<'_>,
    world: &World,
    binding: &[Word],
    domain: Mask,
) -> Option<u32> {
    if let Some(late) = whole(now, domain) {
        let is_quiet = match state_of_whole(group, now, world, late, binding) {
            None => !now.unit.kinds[now.kind as usize].creation,
            Some(state) => now.unit.action(state, now.kind) == Action::Skip,
        };
        return (!is_quiet).then_some(BOTTOM);
    }
    let mut source = largest(group, now.slices, binding, domain).unwrap_or(BOTTOM);
    if !now.slices.lazy {
        return Some(source);
    }
    if let Some(enabling) = &now.slices.enabling {
        if is_at_rest(group, now, world, enabling, binding, domain, source) {
            if enabling.rest == Rest::Dead {
                return None;
            }
            source = BOTTOM;
        }
        let state = group.members[0].state(source, 0);
        if enabling.dead.get(state as usize).is_some_and(|is_dead| *is_dead) {
            return None;
        }
    }
    // An instance that would not move has the configuration of its source, and need not exist.
    (!is_quiet(group, now, source)).then_some(source)
}

/// How the states of the parts determine the state of an instance with this domain, if they do.
fn whole<'p>(now: &Now<'p>, domain: Mask) -> Option<&'p Late> {
    let late = now.slices.late.as_ref()?;
    let full = now.slices.partitions.last()?.domain;
    (domain == full).then_some(late)
}

/// The state of an instance that is not stored, from the states of its parts; `None` if it has not
/// begun.
fn state_of_whole(
    group: &Group,
    now: &Now<'_>,
    world: &World,
    late: &Late,
    binding: &[Word],
) -> Option<u32> {
    let members = &group.members[0];
    late.state(|part| {
        let id = find_part(group, now, late, part, binding).unwrap_or(BOTTOM);
        // A mutant: the first part is ignored.
        let id = if part == 0 && world.mutant(27) { BOTTOM } else { id };
        members.store.head(id).begun.then(|| members.state(id, 0))
    })
}

/// The instance of a part of a binding, if it is stored.
fn find_part(
    group: &Group,
    now: &Now<'_>,
    late: &Late,
    part: usize,
    binding: &[Word],
) -> Option<u32> {
    let partitions = &now.slices.partitions;
    let at = partitions.iter().position(|p| p.domain == late.parts[part])?;
    group.members[0].store.find(at, 0, binding)
}

/// Sets a new instance to the state that its parts determine, with the steps of all of them.
fn join_late(group: &mut Group, now: &Now<'_>, world: &mut World, late: &Late, id: u32) {
    let binding = group.members[0].store.words(id).to_vec();
    if let Some(state) = state_of_whole(group, now, world, late, &binding) {
        group.members[0].store.set_begun(id, true);
        group.members[0].set_state(id, 0, state);
    }
    if !world.history.is_on() {
        return;
    }
    let members = &group.members[0];
    let bottom = members.store.head(BOTTOM).begun.then(|| members.state(BOTTOM, 0));
    // The states of the parts. They are not known before the first step if older steps of a part
    // were lost.
    let mut states = Vec::new();
    let mut steps = Vec::new();
    for part in 0..late.parts.len() {
        let chain = find_part(group, now, late, part, &binding).map(|id| members.history(id, 0));
        let chain = chain.unwrap_or(EMPTY);
        states.push(if world.history.is_cut(chain) { None } else { Some(bottom) });
        let entries = world.history.entries(chain).into_iter();
        steps.extend(entries.map(|(index, record, state)| (index, part, record, state)));
    }
    // A mutant: the steps of one part come after those of the other.
    if !world.mutant(28) {
        steps.sort_by_key(|(index, ..)| *index);
    }
    let old = members.history(id, 0);
    world.history.release(old);
    let mut chain = EMPTY;
    for (_, part, record, state) in steps {
        states[part] = Some(Some(state));
        let known: Option<Vec<Option<u32>>> = states.iter().copied().collect();
        if let Some(state) = known.and_then(|known| late.state(|part| known[part])) {
            chain = world.history.push(chain, record, state);
        }
    }
    group.members[0].set_history(id, 0, chain);
}

/// Whether a binding that is not stored has come to rest since its source entered its present
/// state.
fn is_at_rest(
    group: &Group,
    now: &Now<'_>,
    world: &World,
    enabling: &Enabling,
    binding: &[Word],
    domain: Mask,
    source: u32,
) -> bool {
    let Some(marks) = &group.marks else { return false };
    let members = &group.members[0];
    let store = &members.store;
    let partitions = &now.slices.partitions;
    let own = partitions[store.head(source).partition as usize].domain;
    let sync = members.sync(source);
    enabling.marks.iter().enumerate().any(|(kind, mark)| {
        let Some(mark) = mark.as_ref().filter(|m| m.domain & !domain == 0 && m.domain & !own != 0)
        else {
            return false;
        };
        let Some(noted) = marks.find(kind, binding) else { return false };
        // From the source to the instances of which it is a copy, which were the source before.
        let mut until = u64::MAX;
        for (at, partition) in partitions.iter().enumerate().rev() {
            if partition.domain & !own != 0 {
                continue;
            }
            let Some(id) = store.find(at, 0, binding) else { continue };
            let since = store.head(id).seq;
            // A mutant: a former source counts as an instance with which an event rests.
            let rests = mark.partitions.contains(&at) || world.mutant(26);
            if rests && marks.is_between(noted, since.max(sync), until) {
                return true;
            }
            until = until.min(since);
        }
        false
    })
}

/// Notes an event with whose values a binding that is not stored may come to rest.
#[inline]
fn note(group: &mut Group, now: &Now<'_>, world: &mut World, domain: Mask) {
    let Some(enabling) = &now.slices.enabling else { return };
    let Some(mark) = &enabling.marks[now.kind as usize] else { return };
    let store = &group.members[0].store;
    // A mutant: no note is made.
    if world.mutant(23) || !mark.partitions.iter().any(|p| store.is_occupied(*p)) {
        return;
    }
    let time = world.next();
    if let Some(marks) = &mut group.marks {
        marks.note(now.kind, domain, &group.key, time);
    }
}

/// After an event that leaves the start state, an instance is in step with the instances above it.
#[inline]
fn keep_in_step(group: &mut Group, now: &Now<'_>, world: &mut World, id: u32) {
    // A mutant: no instance gets in step again.
    if let Some(enabling) = &now.slices.enabling
        && enabling.starters[now.kind as usize]
        && !world.mutant(24)
    {
        group.members[0].set_sync(id, world.next());
    }
}

/// Whether an event cannot change such a configuration.
#[inline]
fn is_quiet(group: &Group, &Now { unit, kind, .. }: &Now<'_>, source: u32) -> bool {
    let members = &group.members[0];
    if unit.has_creation && !members.store.head(source).begun {
        return !unit.kinds[kind as usize].creation;
    }
    unit.action(members.state(source, 0), kind) == Action::Skip
}

/// The instance with the most parameters among those below a binding; if there are several, the
/// oldest.
fn largest(group: &Group, slices: &Slices, binding: &[Word], domain: Mask) -> Option<u32> {
    let store = &group.members[0].store;
    let mut best: Option<(u32, u64, u32)> = None;
    // Partitions are sorted by size.
    for (at, partition) in slices.partitions.iter().enumerate().rev() {
        let size = partition.domain.count_ones();
        if best.is_some_and(|(most, _, _)| most > size) {
            break;
        }
        if partition.domain & !domain != 0 {
            continue;
        }
        if let Some(id) = store.find(at, 0, binding) {
            let seq = store.head(id).seq;
            if best.is_none_or(|(most, oldest, _)| size > most || seq < oldest) {
                best = Some((size, seq, id));
            }
        }
    }
    best.map(|(_, _, id)| id)
}

fn domain_of(binding: &[Word], params: usize) -> Mask {
    binding[..params]
        .iter()
        .enumerate()
        .fold(0, |mask, (i, word)| mask | Mask::from(word.is_set()) << i)
}

/// A copy of an instance with another binding, if there is room for it.
fn copy_of(
    group: &mut Group,
    now: &Now<'_>,
    world: &mut World,
    source: u32,
    partition: usize,
    binding: &[Word],
) -> Option<u32> {
    let at = now.at;
    if group.limit.is_on() {
        // If making room discards the source, the new instance is discarded instead.
        let seq = group.members[0].store.head(source).seq;
        let words = &group.members[0].store.words(source);
        let windows = &words[words.len() - now.context.windows..];
        let windows = windows.iter().map(|word| world.heap.bytes_of_window(*word)).sum();
        if !make_room(group, at, world, windows) || !group.members[0].store.is(source, seq) {
            return None;
        }
    }
    let id = group.copy(at, world, source, partition, binding);
    if let Some(late) = whole(now, now.slices.partitions[partition].domain) {
        join_late(group, now, world, late, id);
    }
    group.limit.after(&group.members[0].store, id);
    Some(id)
}

/// Whether an instance may be created that holds so many bytes besides its record; if a limit
/// requires it, another one is discarded.
fn make_room(group: &mut Group, at: At<'_>, world: &mut World, held: usize) -> bool {
    let live = group.members[0].store.len() - 1;
    let index = world.index;
    let stats = &mut world.stats[at.unit(0).property.index()];
    let lacks_memory = world.heap.memory.lacks(group.members[0].record_bytes() + held);
    match group.limit.before(&group.members[0].store, live, lacks_memory, |_| false) {
        Verdict::Room => true,
        Verdict::Refuse => {
            stats.count_discarded(index);
            false
        }
        Verdict::Evict(id) => {
            stats.count_discarded(index);
            group.members[0].remove(world, id);
            true
        }
    }
}

/// Removes the instances of a parameter value whose life ends with this event.
#[inline(never)]
fn end_lives(group: &mut Group, at: At<'_>, world: &mut World, letter: &Letter<'_>) {
    let context = &at.plan.model.contexts[group.root.index()];
    for end in context.ends.iter().filter(|e| e.event == letter.event) {
        if world.mutant(9) {
            continue;
        }
        let unit = &at.plan.contexts[group.root.index()];
        let word = letter.arg(end.arg);
        if word.is_null() {
            continue;
        }
        let Some(key) = super::group::parameter(unit, group.root, world, end.param.0, word) else {
            continue;
        };
        group.key.fill(Word::UNSET);
        group.key[end.param.index()] = key;
        let mask: Mask = 1 << end.param.0;
        let mut dying = std::mem::take(&mut group.targets);
        dying.clear();
        let store = &group.members[0].store;
        // A mutant: marks stay when their values have died.
        if let Some(marks) = &mut group.marks
            && !world.mutant(25)
        {
            marks.end(end.param.0, &group.key);
        }
        for (p, partition) in slices(at).partitions.iter().enumerate() {
            if partition.domain & mask != 0
                && let Some(index) = partition.indexes.iter().position(|m| *m == mask)
            {
                store.each(p, index, &group.key, |id| dying.push(id));
            }
        }
        dying.sort_unstable_by_key(|id| store.head(*id).seq);
        for &id in &dying {
            if !world.mutant(10) {
                group.report_pending(at, world, id, Cause::EndOfLife);
            }
            group.members[0].remove(world, id);
        }
        group.targets = dying;
    }
}

/// Processes an event of a property of rule `verde`.
#[inline(never)]
pub(crate) fn step_verde(group: &mut Group, at: At<'_>, world: &mut World, letter: &Letter<'_>) {
    let unit = at.unit(0);
    let Some(kind) = world.observed(unit, letter) else { return };
    let slices = slices(at);
    // The candidates are the instances that agree with the event on their bindings. If an instance
    // binds everything that the event does, only such instances can act on that placement, unless
    // the last of them is dropped during the step. Creation by this event only adds to them.
    let drops = unit.tables.branches.iter().any(|b| b.target == Target::Drop);
    let mut targets: Vec<u32> = Vec::new();
    for route in &slices.routes[kind as usize] {
        if !group.place(at, world, &route.pairs, letter) {
            continue;
        }
        let store = &group.members[0].store;
        let before = targets.len();
        for lookup in &route.steps {
            store.each(lookup.partition, lookup.index, &group.key, |id| targets.push(id));
        }
        if drops || targets.len() == before {
            for lookup in &route.joins {
                store.each(lookup.partition, lookup.index, &group.key, |id| targets.push(id));
            }
        }
    }
    let store = &group.members[0].store;
    targets.sort_unstable_by_key(|id| store.head(*id).seq);
    targets.dedup();
    let targets: Vec<(u32, u64)> = targets.into_iter().map(|id| (id, store.head(id).seq)).collect();
    for (id, seq) in targets {
        if group.members[0].store.is(id, seq) {
            step_verde_instance(group, at, world, kind, id, letter);
        }
    }
    end_lives(group, at, world, letter);
}

fn step_verde_instance(
    group: &mut Group,
    at: At<'_>,
    world: &mut World,
    kind: u32,
    id: u32,
    letter: &Letter<'_>,
) {
    let unit = at.unit(0);
    let slices = slices(at);
    let context = &at.plan.contexts[group.root.index()];
    let property = unit.property.index();
    world.stats[property].visited += 1;
    let state = group.members[0].state(id, 0);
    let program = unit.tables.program(&[]);
    for &number in moves(&program, state, kind) {
        let pairs = &unit.own_placements[number as usize];
        if !group.place(at, world, pairs, letter) {
            continue;
        }
        let words = group.members[0].store.words(id);
        let compatible = (0..context.params).all(|i| {
            !words[i].is_set()
                || !group.key[i].is_set()
                || super::store::index_key(words[i]) == super::store::index_key(group.key[i])
        });
        if !compatible {
            continue;
        }
        let domain = domain_of(&group.key, context.params);
        let in_place = domain & !domain_of(words, context.params) == 0;
        let theta: Vec<Word> = group.key[..context.vars_at()].to_vec();
        if !in_place && exists_above(group, slices, domain, &theta) {
            continue;
        }
        let arity = letter.args.len() as u32;
        let tried = {
            let mut vars = group.members[0].store.words(id)[context.vars_at()..].to_vec();
            let params = match in_place {
                true => &group.members[0].store.words(id)[context.shown_at()..context.vars_at()],
                false => &theta[context.shown_at()..],
            };
            let program = unit.tables.program(&world.constants[property]);
            let mut frame = watchword_step::Frame {
                params,
                vars: &mut vars,
                registers: &mut [],
                args: letter.args,
                stack: &mut world.stack,
            };
            clear_locals(&program, &mut frame);
            let tried = try_move(
                &program,
                number,
                kind,
                arity,
                &mut frame,
                &mut world.saved,
                &mut world.heap,
            );
            (tried, vars)
        };
        let (taken, vars): (Option<Taken>, Vec<Word>) = match tried {
            (Tried::No, _) => continue,
            (Tried::NotRelevant, _) => {
                world.count_not_relevant(PropertyId::from_index(property), 1);
                continue;
            }
            (Tried::Failed, vars) => (None, vars),
            (Tried::Taken(taken), vars) => (Some(taken), vars),
        };
        let acting = if in_place {
            id
        } else {
            let Some(partition) = slices.partitions.iter().position(|p| p.domain == domain) else {
                continue;
            };
            if !make_room(group, at, world, 0) {
                world.heap.pending.clear();
                continue;
            }
            let copy = group.copy(at, world, id, partition, &theta);
            group.limit.after(&group.members[0].store, copy);
            copy
        };
        let Some(taken) = taken else { return group.lose(at, world, acting) };
        group.members[0].store.words_mut(acting)[context.vars_at()..].copy_from_slice(&vars);
        if group.carry_out(at, world, acting, 0, taken, letter, false) == Stepped::Ended {
            group.after_end(at, world, acting);
        }
        return;
    }
}

/// Whether some instance has the bindings of `theta`, and possibly more.
fn exists_above(group: &Group, slices: &Slices, domain: Mask, theta: &[Word]) -> bool {
    slices.partitions.iter().enumerate().any(|(p, partition)| {
        domain & !partition.domain == 0
            && partition
                .indexes
                .iter()
                .position(|m| *m == domain)
                .is_some_and(|index| group.members[0].store.find(p, index, theta).is_some())
    })
}
